//! The user's part: the two energies, and constraints on the coordinates.

use crate::algebra::Analytic;

/// A mechanical system given by its energies, equation (1).
///
/// ```
/// use poinsot_core::{algebra::Analytic, lagrange::{EquationsOfMotion, Lagrangian}};
/// struct Pendulum { mass: f64, length: f64 }
/// impl Lagrangian for Pendulum {
///     fn coordinates(&self) -> usize { 1 }
///     fn kinetic<T: Analytic>(&self, _q: &[T], v: &[T]) -> T {
///         T::from_f64(0.5 * self.mass * self.length * self.length) * v[0] * v[0]
///     }
///     fn potential<T: Analytic>(&self, q: &[T]) -> T {
///         T::from_f64(-9.81 * self.mass * self.length) * q[0].cos()
///     }
/// }
/// let mut pendulum = EquationsOfMotion::new(Pendulum { mass: 2.0, length: 0.5 });
/// let mut a = [0.0];
/// pendulum.acceleration(&[0.3], &[0.0], &mut a)?;
/// assert!((a[0] + 9.81 / 0.5 * 0.3f64.sin()).abs() < 1e-13);
/// # Ok::<(), poinsot_core::lagrange::LagrangeError>(())
/// ```
pub trait Lagrangian {
    /// The number of coordinates q.
    fn coordinates(&self) -> usize;

    /// K(q, q̇). It need not be quadratic in the velocities, but ∂²K/∂q̇² must be regular on the directions that the constraints leave
    /// free.
    fn kinetic<T: Analytic>(&self, q: &[T], v: &[T]) -> T;

    /// U(q); 0 by default: pure inertial motion.
    fn potential<T: Analytic>(&self, q: &[T]) -> T {
        let _ = q;
        T::zero()
    }

    /// The number of conditions C(q) = 0.
    fn constraints(&self) -> usize {
        0
    }

    /// C(q), one number for each condition. Conditions must be independent.
    fn constrain<T: Analytic>(&self, q: &[T], c: &mut [T]) {
        let _ = (q, c);
    }
}

impl<L: Lagrangian> Lagrangian for &L {
    fn coordinates(&self) -> usize {
        (**self).coordinates()
    }
    fn kinetic<T: Analytic>(&self, q: &[T], v: &[T]) -> T {
        (**self).kinetic(q, v)
    }
    fn potential<T: Analytic>(&self, q: &[T]) -> T {
        (**self).potential(q)
    }
    fn constraints(&self) -> usize {
        (**self).constraints()
    }
    fn constrain<T: Analytic>(&self, q: &[T], c: &mut [T]) {
        (**self).constrain(q, c);
    }
}
