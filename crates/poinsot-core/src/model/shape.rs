//! Shapes, and the inertias of homogeneous solids.

use super::{HeightField, Mesh, MeshError, convex_hull, mesh_inertia};
use crate::algebra::{Sym3, V3};
use crate::spatial::{Inertia, InertiaError};
use std::f64::consts::PI;
use std::sync::Arc;
use thiserror::Error;

/// Metres: the greatest length of a shape. What is longer has no digits left for anything that it touches, and squares that overflow.
const LONGEST: f64 = 1e15;

/// A shape around the origin of its frame; long ones lie along z. Sizes are full edges, radii and whole lengths, m.
///
/// ```
/// use poinsot_core::model::Shape;
/// let ball = Shape::Sphere { radius: 0.5 }.inertia(2.0)?;
/// assert!((ball.rotational.xx - 0.2).abs() < 1e-15);
/// # Ok::<(), poinsot_core::model::ShapeError>(())
/// ```
/// The enum is exhaustive on purpose: code that reads, writes, draws or weighs shapes matches on all of them, so the compiler finds the
/// places to change for a new shape, which is a new major version.
#[derive(Clone, Debug, PartialEq)]
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
    /// The half space below z = 0. The edges are only for drawing; 0 means infinite.
    Plane {
        x: f64,
        y: f64,
    },
    /// The convex hull of a mesh, as in MJCF: the hull is used for contact, the mesh for drawing.
    Hull(Arc<Mesh>),
    /// The triangles of a mesh, and the solid bounded by them if they are closed.
    Mesh(Arc<Mesh>),
    /// A height field.
    HeightField(Arc<HeightField>),
}

/// Why a shape has no inertia.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length is not a positive number.
    #[error("{what} is {value}; give a positive length in metres, of 1e15 at most")]
    BadLength {
        /// Which length.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A scale factor of a mesh makes it flat.
    #[error("{what} is {value}; give a finite factor that is not 0")]
    BadScale {
        /// Which factor.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// It bounds no solid.
    #[error("a {what} has no volume; give the body an inertia")]
    NoVolume {
        /// The kind of shape.
        what: &'static str,
    },
    /// The mesh bounds no solid.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The mass or density is wrong.
    #[error(transparent)]
    Inertia(#[from] InertiaError),
}

impl Shape {
    /// Its kind in one word: box, sphere, capsule, cylinder, ellipsoid, plane, hull, mesh, hfield.
    pub fn word(&self) -> &'static str {
        match self {
            Shape::Box { .. } => "box",
            Shape::Sphere { .. } => "sphere",
            Shape::Capsule { .. } => "capsule",
            Shape::Cylinder { .. } => "cylinder",
            Shape::Ellipsoid { .. } => "ellipsoid",
            Shape::Plane { .. } => "plane",
            Shape::Hull(_) => "hull",
            Shape::Mesh(_) => "mesh",
            Shape::HeightField(_) => "hfield",
        }
    }

    /// Its sizes: edges, radii, or radius and length; the edges of a plane; the half edges, height and thickness of a height field; none
    /// for meshes.
    pub fn sizes(&self) -> Vec<f64> {
        match self {
            Shape::Sphere { radius } => vec![*radius],
            Shape::Capsule { radius, length } | Shape::Cylinder { radius, length } => vec![*radius, *length],
            Shape::Box { size: three } | Shape::Ellipsoid { radii: three } => three.array().to_vec(),
            Shape::Plane { x, y } => vec![*x, *y],
            Shape::HeightField(field) => field.size.to_vec(),
            Shape::Hull(_) | Shape::Mesh(_) => Vec::new(),
        }
    }

    /// The names of the sizes, in the order of [`Shape::sizes`].
    fn size_names(&self) -> &'static [&'static str] {
        match self {
            Shape::Box { .. } => &["x size", "y size", "z size"],
            Shape::Plane { .. } => &["x size", "y size"],
            Shape::Sphere { .. } => &["radius"],
            Shape::Capsule { .. } | Shape::Cylinder { .. } => &["radius", "length"],
            Shape::Ellipsoid { .. } => &["x radius", "y radius", "z radius"],
            Shape::HeightField(_) => &["half x size", "half y size", "height", "thickness"],
            Shape::Hull(_) | Shape::Mesh(_) => &[],
        }
    }

    /// Which size is wrong, if any: all lengths are positive and 1e15 m at most, the edges of a plane may be 0.
    ///
    /// ```
    /// use poinsot_core::model::Shape;
    /// assert!(Shape::Sphere { radius: 0.1 }.check().is_ok());
    /// assert!(Shape::Capsule { radius: 0.1, length: f64::NAN }.check().is_err());
    /// ```
    pub fn check(&self) -> Result<(), ShapeError> {
        let endless = matches!(self, Shape::Plane { .. });
        let good = |x: f64| x <= LONGEST && (x > 0.0 || endless && x == 0.0);
        let mut sizes = self.size_names().iter().copied().zip(self.sizes());
        if let Some((what, value)) = sizes.find(|(_, x)| !good(*x)) {
            return Err(ShapeError::BadLength { what, value });
        }
        let (Shape::Hull(mesh) | Shape::Mesh(mesh)) = self else { return Ok(()) };
        let factors = ["x scale", "y scale", "z scale"].into_iter().zip(mesh.scale.array());
        match factors.into_iter().find(|(_, k)| *k == 0.0 || !k.is_finite()) {
            Some((what, value)) => Err(ShapeError::BadScale { what, value }),
            None => Ok(()),
        }
    }

    /// The solid inside a mesh or its hull, of density 1; `None` for other shapes.
    fn unit_polyhedron(&self) -> Result<Option<Inertia>, ShapeError> {
        Ok(match self {
            Shape::Mesh(mesh) => {
                let surface = mesh.surface()?;
                Some(mesh_inertia(&surface.vertices, &surface.triangles, 1.0)?)
            }
            Shape::Hull(mesh) => {
                let hull = convex_hull(&mesh.surface()?.vertices);
                Some(mesh_inertia(&hull.vertices, &hull.triangles, 1.0)?)
            }
            _ => None,
        })
    }

    /// The volume, or which length is wrong.
    pub fn volume(&self) -> Result<f64, ShapeError> {
        self.check()?;
        Ok(match *self {
            Shape::Box { size } => size.x * size.y * size.z,
            Shape::Sphere { radius: r } => 4.0 / 3.0 * PI * r * r * r,
            Shape::Capsule { radius: r, length } => PI * r * r * (length + 4.0 / 3.0 * r),
            Shape::Cylinder { radius: r, length } => PI * r * r * length,
            Shape::Ellipsoid { radii } => 4.0 / 3.0 * PI * radii.x * radii.y * radii.z,
            Shape::Hull(_) | Shape::Mesh(_) => self.unit_polyhedron()?.map_or(0.0, |i| i.mass),
            Shape::Plane { .. } => return Err(ShapeError::NoVolume { what: "plane" }),
            Shape::HeightField(_) => return Err(ShapeError::NoVolume { what: "height field" }),
        })
    }

    /// The inertia of this solid with the given mass.
    pub fn inertia(&self, mass: f64) -> Result<Inertia, ShapeError> {
        if let Some(unit) = self.unit_polyhedron()? {
            self.check()?;
            let com = unit.com();
            return Ok(Inertia::new(mass, com, unit.about_com().scaled(mass / unit.mass))?);
        }
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
                // a half ball about its centre of mass, 3r/8 from the flat face, shifted outward by l/2
                let axial = 0.4 * caps * r * r;
                let across = axial + caps * (0.25 * l * l + 0.375 * l * r);
                cylinder(tube, r, l) + Sym3::diagonal(across, across, axial)
            }
            Shape::Ellipsoid { radii: V3 { x, y, z } } => {
                let (x, y, z) = (x * x, y * y, z * z);
                Sym3::diagonal(y + z, x + z, x + y).scaled(0.2 * mass)
            }
            Shape::Plane { .. } | Shape::Hull(_) | Shape::Mesh(_) | Shape::HeightField(_) => Sym3::zero(),
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
