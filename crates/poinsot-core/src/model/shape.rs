//! Inertias of homogeneous solids.

use crate::algebra::{Sym3, V3};
use crate::spatial::{Inertia, InertiaError};
use std::f64::consts::PI;
use thiserror::Error;

/// A homogeneous solid, centred at the origin; long solids lie along z.
///
/// ```
/// use poinsot_core::model::Shape;
/// let ball = Shape::Sphere { radius: 0.5 }.inertia(2.0)?;
/// assert!((ball.rotational.xx - 0.2).abs() < 1e-15);
/// # Ok::<(), poinsot_core::model::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the fields say it
pub enum Shape {
    /// A box with edges of the given full lengths.
    Box {
        size: V3,
    },
    Sphere {
        radius: f64,
    },
    /// A cylinder of this length with a half ball at each end.
    Capsule {
        radius: f64,
        length: f64,
    },
    Cylinder {
        radius: f64,
        length: f64,
    },
    /// An ellipsoid with the given half axes.
    Ellipsoid {
        radii: V3,
    },
}

/// Why a shape has no inertia.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ShapeError {
    /// A length is not a positive number.
    #[error("{what} is {value}; give a positive finite length in metres")]
    BadLength {
        /// Which length.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// The mass or density is wrong.
    #[error(transparent)]
    Inertia(#[from] InertiaError),
}

impl Shape {
    fn lengths(&self) -> Vec<(&'static str, f64)> {
        match *self {
            Shape::Box { size } => vec![("x size", size.x), ("y size", size.y), ("z size", size.z)],
            Shape::Sphere { radius } => vec![("radius", radius)],
            Shape::Capsule { radius, length } | Shape::Cylinder { radius, length } => {
                vec![("radius", radius), ("length", length)]
            }
            Shape::Ellipsoid { radii } => {
                vec![("x radius", radii.x), ("y radius", radii.y), ("z radius", radii.z)]
            }
        }
    }

    /// The volume, or which length is wrong.
    pub fn volume(&self) -> Result<f64, ShapeError> {
        for (what, value) in self.lengths() {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ShapeError::BadLength { what, value });
            }
        }
        Ok(match *self {
            Shape::Box { size } => size.x * size.y * size.z,
            Shape::Sphere { radius: r } => 4.0 / 3.0 * PI * r * r * r,
            Shape::Capsule { radius: r, length } => PI * r * r * (length + 4.0 / 3.0 * r),
            Shape::Cylinder { radius: r, length } => PI * r * r * length,
            Shape::Ellipsoid { radii } => 4.0 / 3.0 * PI * radii.x * radii.y * radii.z,
        })
    }

    /// The inertia of this solid with the given mass.
    pub fn inertia(&self, mass: f64) -> Result<Inertia, ShapeError> {
        let volume = self.volume()?;
        let moments = match *self {
            Shape::Box { size: V3 { x, y, z } } => {
                let (x, y, z) = (x * x, y * y, z * z);
                Sym3::diagonal(y + z, x + z, x + y).scaled(mass / 12.0)
            }
            Shape::Sphere { radius: r } => Sym3::diagonal(1.0, 1.0, 1.0).scaled(0.4 * mass * r * r),
            Shape::Cylinder { radius: r, length: l } => cylinder(mass, r, l),
            Shape::Capsule { radius: r, length: l } => {
                let tube = mass * (PI * r * r * l) / volume;
                let caps = mass - tube;
                // half a ball about its centre of mass, 3r/8 from the flat face, moved out by l/2
                let axial = 0.4 * caps * r * r;
                let across = axial + caps * (0.25 * l * l + 0.375 * l * r);
                cylinder(tube, r, l) + Sym3::diagonal(across, across, axial)
            }
            Shape::Ellipsoid { radii: V3 { x, y, z } } => {
                let (x, y, z) = (x * x, y * y, z * z);
                Sym3::diagonal(y + z, x + z, x + y).scaled(0.2 * mass)
            }
        };
        Ok(Inertia::new(mass, V3::ZERO, moments)?)
    }

    /// The inertia of this solid with the given density, kg/m³.
    ///
    /// ```
    /// use poinsot_core::{algebra::V3, model::Shape};
    /// let cube = Shape::Box { size: V3::new(0.1, 0.1, 0.1) }.inertia_from_density(1000.0)?;
    /// assert!((cube.mass - 1.0).abs() < 1e-15);
    /// # Ok::<(), poinsot_core::model::ShapeError>(())
    /// ```
    pub fn inertia_from_density(&self, density: f64) -> Result<Inertia, ShapeError> {
        self.inertia(density * self.volume()?)
    }
}

fn cylinder(mass: f64, r: f64, l: f64) -> Sym3 {
    let across = mass * (0.25 * r * r + l * l / 12.0);
    Sym3::diagonal(across, across, 0.5 * mass * r * r)
}
