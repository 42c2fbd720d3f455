//! Energies on rotations, poses and translations, for systems without global coordinates.

use crate::algebra::{Analytic, M3, V3};
use crate::spatial::{Motion, Pose};
use std::str::FromStr;

/// One factor of a configuration space that is a product of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// SO(3): velocity Ω in body axes.
    Rotation,
    /// SE(3): velocities Ω and V of the origin, both in body axes.
    Pose,
    /// R³: velocity in world axes.
    Shift,
}

impl FromStr for Factor {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "rotation" => Ok(Factor::Rotation),
            "pose" => Ok(Factor::Pose),
            "shift" => Ok(Factor::Shift),
            _ => Err(format!("there is no factor {word:?}; there are rotation, pose and shift")),
        }
    }
}

impl Factor {
    /// The number of its velocities.
    pub fn dimension(self) -> usize {
        if self == Factor::Pose { 6 } else { 3 }
    }

    /// Its velocities as a motion; missing components are 0.
    pub(super) fn motion<T: Analytic>(self, xi: &[T]) -> Motion<T> {
        let three = |k: usize| V3::new(xi[k], xi[k + 1], xi[k + 2]);
        match self {
            Factor::Rotation => Motion { ang: three(0), lin: V3::zero() },
            Factor::Shift => Motion { ang: V3::zero(), lin: three(0) },
            Factor::Pose => Motion { ang: three(0), lin: three(3) },
        }
    }

    /// `g exp d` for an infinitesimal d.
    pub(super) fn displaced<T: Analytic>(self, g: Pose, d: &[T]) -> Pose<T> {
        let (g, d) = (g.lift::<T>(), self.motion(d));
        let rot = g.rot * (M3::identity() + M3::skew(d.ang));
        let along = if self == Factor::Shift { d.lin } else { g.rot * d.lin };
        Pose { rot, pos: g.pos + along }
    }
}

/// A mechanical system on a product of groups: energies of poses g and body velocities ξ.
///
/// For a `Rotation` only `rot` and `ang` are meaningful, for a `Shift` only `pos` and `lin`.
///
/// ```
/// use poinsot_core::{algebra::{Analytic, V3}, lagrange::*, spatial::{Motion, Pose}};
/// /// A body with principal moments 1, 2, 3 that turns without forces.
/// struct Top;
/// impl GroupLagrangian for Top {
///     fn factors(&self) -> &[Factor] { &[Factor::Rotation] }
///     fn kinetic<T: Analytic>(&self, _g: &[Pose<T>], xi: &[Motion<T>]) -> T {
///         let w = xi[0].ang;
///         T::from_f64(0.5) * (w.x * w.x + T::from_f64(2.0) * w.y * w.y + T::from_f64(3.0) * w.z * w.z)
///     }
/// }
/// let mut top = OnGroup::new(Top);
/// let mut rate = [0.0; 3];
/// top.acceleration(&[Pose::IDENTITY], &[1.0, 2.0, 3.0], &mut rate)?;
/// assert_eq!(rate, [(2.0 - 3.0) * 6.0, (3.0 - 1.0) * 3.0 / 2.0, (1.0 - 2.0) * 2.0 / 3.0]); // Euler's equations
/// # Ok::<(), LagrangeError>(())
/// ```
pub trait GroupLagrangian {
    /// The factors of the configuration space.
    fn factors(&self) -> &[Factor];
    /// K(g, ξ).
    fn kinetic<T: Analytic>(&self, g: &[Pose<T>], xi: &[Motion<T>]) -> T;
    /// U(g); 0 by default: geodesics.
    fn potential<T: Analytic>(&self, g: &[Pose<T>]) -> T {
        let _ = g;
        T::zero()
    }
}
