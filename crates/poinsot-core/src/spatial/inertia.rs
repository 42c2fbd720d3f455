//! The inertia of a rigid body by ten parameters.

use super::{Force, MassTensor, Motion, Pose, eigen3};
use crate::algebra::{M3, Real, Sym3, V3};
use thiserror::Error;

/// Mass m, first moment h = m c, and rotational inertia I about the origin of the body frame.
///
/// These are the ten parameters in which inverse dynamics is linear. Constructors of `Inertia<f64>` reject values that no mass distribution
/// has.
///
/// ```
/// use poinsot_core::{algebra::{Sym3, V3}, spatial::Inertia};
/// assert!(Inertia::new(1.0, V3::ZERO, Sym3::diagonal(1.0, 2.0, 3.0)).is_ok());
/// let err = Inertia::new(1.0, V3::ZERO, Sym3::diagonal(1.0, 2.0, 3.5)).unwrap_err();
/// assert!(err.to_string().contains("triangle inequality"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inertia<T = f64> {
    /// The mass.
    pub mass: T,
    /// The first moment of mass about the origin: mass times centre of mass.
    pub first_moment: V3<T>,
    /// The rotational inertia about the origin, `∫ (|x|² 1 − x xᵀ) dm`.
    pub rotational: Sym3<T>,
}

/// Why an inertia is not that of a rigid body.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum InertiaError {
    /// A number is infinite or NaN.
    #[error("{what} is not finite; give finite SI numbers")]
    NotFinite {
        /// Which number.
        what: &'static str,
    },
    /// The mass is negative.
    #[error("mass {mass} kg is negative; give a mass of 0 or more")]
    NegativeMass {
        /// The mass.
        mass: f64,
    },
    /// Mass 0 with a first or second moment.
    #[error(
        "mass is 0 but the inertia is not: a body without mass has no inertia; give it a mass or set both to 0"
    )]
    MasslessInertia,
    /// A principal moment is negative or larger than the sum of the two others.
    #[error(
        "principal moments of inertia about the centre of mass ({}, {}, {}) kg m² break the triangle inequality: \
         {} > {} + {}, so the mass tensor has the negative eigenvalue {}; no distribution of mass has this inertia. \
         Check units, the sign of products of inertia, and that the moments are about the centre of mass",
        moments[0], moments[1], moments[2], moments[2], moments[0], moments[1], excess
    )]
    TriangleInequality {
        /// The principal moments, ascending.
        moments: [f64; 3],
        /// The negative eigenvalue ½(a + b − c) of the mass tensor about the centre of mass.
        excess: f64,
    },
}

impl Inertia {
    /// No mass: the inertia of an intermediate frame.
    pub const ZERO: Inertia =
        Inertia { mass: 0.0, first_moment: V3::ZERO, rotational: Sym3::diagonal(0.0, 0.0, 0.0) };

    /// From mass, centre of mass, and rotational inertia about the centre of mass.
    pub fn new(mass: f64, com: V3, about_com: Sym3) -> Result<Inertia, InertiaError> {
        let inertia = Inertia::unchecked(mass, com, about_com);
        inertia.check()?;
        Ok(inertia)
    }

    /// From the ten parameters (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) about the origin.
    pub fn from_parameters(p: [f64; 10]) -> Result<Inertia, InertiaError> {
        let [mass, hx, hy, hz, xx, xy, xz, yy, yz, zz] = p;
        let inertia =
            Inertia { mass, first_moment: V3::new(hx, hy, hz), rotational: Sym3 { xx, xy, xz, yy, yz, zz } };
        inertia.check()?;
        Ok(inertia)
    }

    fn unchecked(mass: f64, com: V3, about_com: Sym3) -> Inertia {
        let h = com * mass;
        Inertia { mass, first_moment: h, rotational: about_com + steiner(h, com) }
    }

    /// The centre of mass; the origin for a massless body.
    pub fn com(&self) -> V3 {
        if self.mass == 0.0 { V3::ZERO } else { self.first_moment * (1.0 / self.mass) }
    }

    /// The rotational inertia about the centre of mass.
    pub fn about_com(&self) -> Sym3 {
        self.rotational - steiner(self.first_moment, self.com())
    }

    /// The inertia in frame A of a body given in frame B, with `X_AB`.
    pub fn seen_from(&self, x: Pose) -> Inertia {
        let about_com = self.about_com().rotated(x.rot);
        Inertia::unchecked(self.mass, x.point(self.com()), about_com)
    }

    /// Rejects unphysical values: the 4×4 mass tensor must be positive semidefinite.
    pub fn check(&self) -> Result<(), InertiaError> {
        let finite = |ok: bool, what| if ok { Ok(()) } else { Err(InertiaError::NotFinite { what }) };
        finite(self.mass.is_finite(), "mass")?;
        finite(self.first_moment.is_finite(), "centre of mass")?;
        finite(self.rotational.array().iter().all(|x| x.is_finite()), "rotational inertia")?;
        if self.mass < 0.0 {
            return Err(InertiaError::NegativeMass { mass: self.mass });
        }
        if self.mass == 0.0 {
            let none = self.first_moment == V3::ZERO && self.rotational.array() == [0.0; 6];
            return if none { Ok(()) } else { Err(InertiaError::MasslessInertia) };
        }
        let moments = self.principal_moments();
        // the shift to the centre of mass may overflow
        finite(moments.iter().all(|m| m.is_finite()), "rotational inertia about the centre of mass")?;
        let excess = 0.5 * (moments[0] + moments[1] - moments[2]);
        // round-off of the shift to the centre of mass and of the eigenvalues
        let scale = self.rotational.trace().abs().max(moments[2].abs());
        if excess < -1e-12 * scale {
            Err(InertiaError::TriangleInequality { moments, excess })
        } else {
            Ok(())
        }
    }

    /// The principal moments about the centre of mass, ascending.
    pub fn principal_moments(&self) -> [f64; 3] {
        let mut e: [f64; 3] = eigen3(self.about_com()).0.into();
        e.sort_by(f64::total_cmp);
        e
    }

    /// Principal moments about the centre of mass, ascending, and the rotation whose columns are their axes.
    pub fn principal_axes(&self) -> ([f64; 3], M3) {
        let (values, axes) = eigen3(self.about_com());
        let mut order = [0, 1, 2];
        order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
        let axis = |k: usize| V3::from(<[f64; 3]>::from(axes.column(order[k]).into_owned()));
        let (x, y) = (axis(0), axis(1));
        (order.map(|k| values[k]), M3::columns(x, y, x.cross(y)))
    }

    /// The 4×4 mass tensor `∫ (x; 1)(x; 1)ᵀ dm`.
    pub fn mass_tensor(&self) -> MassTensor {
        MassTensor::from(*self)
    }

    /// Converts to another number type.
    #[inline(always)]
    pub fn lift<T: Real>(self) -> Inertia<T> {
        Inertia {
            mass: T::from_f64(self.mass),
            first_moment: self.first_moment.lift(),
            rotational: self.rotational.lift(),
        }
    }
}

/// The inertia of the mass concentrated at c, with h = m c: (h·c) 1 − h cᵀ.
fn steiner(h: V3, c: V3) -> Sym3 {
    Sym3::scalar(h.dot(c)).sub_outer(h, c)
}

impl<T: Real> Inertia<T> {
    /// Momentum of the body moving with `v`: `(I ω + h × v; m v − h × ω)`.
    #[inline(always)]
    pub fn momentum(self, v: Motion<T>) -> Force<T> {
        let h = self.first_moment;
        Force {
            moment: h.cross_add(v.lin, self.rotational * v.ang),
            force: v.ang.cross_add(h, v.lin * self.mass),
        }
    }
}

impl<T: Real> std::ops::Add for Inertia<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self {
            mass: self.mass + o.mass,
            first_moment: self.first_moment + o.first_moment,
            rotational: self.rotational + o.rotational,
        }
    }
}
