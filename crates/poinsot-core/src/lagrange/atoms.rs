//! Energies pulled back from space: point masses whose positions depend on the coordinates, equation (6).
//!
//! ```math
//! K(q, q̇) = Σ_a ½ m_a |df_a q̇|²        U(q) = Σ_a m_a u_a(f_a(q))
//! ```
//! The measure `da` of the integrals is mass: u is the energy per kilogram, such as `9.81 z` for weight.

use super::Lagrangian;
use crate::algebra::{Analytic, Dual, V3};

/// Atoms: their number, masses, and positions as functions of the coordinates.
///
/// ```
/// use poinsot_core::{algebra::{Analytic, V3}, lagrange::{Atoms, EquationsOfMotion, FromAtoms}};
/// /// A bead on a parabola z = x².
/// struct Bead;
/// impl Atoms for Bead {
///     fn coordinates(&self) -> usize { 1 }
///     fn count(&self) -> usize { 1 }
///     fn mass(&self, _atom: usize) -> f64 { 2.0 }
///     fn position<T: Analytic>(&self, _atom: usize, q: &[T]) -> V3<T> { V3::new(q[0], T::zero(), q[0] * q[0]) }
///     fn density<T: Analytic>(&self, _atom: usize, x: V3<T>) -> T { T::from_f64(9.81) * x.z }
/// }
/// let bead = EquationsOfMotion::new(FromAtoms(Bead));
/// assert_eq!(bead.kinetic_energy(&[1.0], &[3.0]), 0.5 * 2.0 * (1.0 + 4.0) * 9.0);
/// ```
pub trait Atoms {
    /// The number of coordinates q.
    fn coordinates(&self) -> usize;
    /// The number of atoms.
    fn count(&self) -> usize;
    /// The mass of an atom, kg.
    fn mass(&self, atom: usize) -> f64;
    /// f_a(q): the position, m.
    fn position<T: Analytic>(&self, atom: usize, q: &[T]) -> V3<T>;
    /// u_a(x): the potential energy per kilogram at the point x, J/kg; 0 by default.
    fn density<T: Analytic>(&self, atom: usize, x: V3<T>) -> T {
        let _ = (atom, x);
        T::zero()
    }
}

/// The Lagrangian of [`Atoms`].
#[derive(Clone, Copy, Debug)]
pub struct FromAtoms<A>(pub A);

impl<A: Atoms> Lagrangian for FromAtoms<A> {
    fn coordinates(&self) -> usize {
        self.0.coordinates()
    }

    fn kinetic<T: Analytic>(&self, q: &[T], v: &[T]) -> T {
        let moving: Vec<Dual<1, T>> = q.iter().zip(v).map(|(q, v)| Dual { re: *q, eps: [*v] }).collect();
        (0..self.0.count()).fold(T::zero(), |sum, a| {
            let x = self.0.position(a, &moving);
            energy_of(self.0.mass(a), x, sum)
        })
    }

    fn potential<T: Analytic>(&self, q: &[T]) -> T {
        (0..self.0.count()).fold(T::zero(), |sum, a| {
            let x = self.0.position(a, q);
            T::from_f64(self.0.mass(a)).mul_add(self.0.density(a, x), sum)
        })
    }
}

/// ½ m |ẋ|² + sum, for a point and its velocity.
pub(super) fn energy_of<T: Analytic>(mass: f64, x: V3<Dual<1, T>>, sum: T) -> T {
    let rate = V3::new(x.x.eps[0], x.y.eps[0], x.z.eps[0]);
    T::from_f64(0.5 * mass).mul_add(rate.dot(rate), sum)
}
