//! What moves: equations of motion on any number type, and their derivatives.

mod affine;
mod analytic;
mod derive;
mod model;
mod points;

pub use affine::AffineSystem;
pub use analytic::{Brachistochrone, CartPole, Particle, Pendulum};
pub use derive::{Equations, Taped};
pub use model::ModelSystem;
pub use points::{Foot, Point, Points};

use poinsot::algebra::Real;

/// How many numbers of each kind a system has, and what they are called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    /// Coordinates q; of a system of first order all its states.
    pub q: Vec<String>,
    /// Velocities v; none for a system of first order.
    pub v: Vec<String>,
    /// Controls u.
    pub u: Vec<String>,
    /// Forces of contacts f; a phase switches groups of them on.
    pub f: Vec<String>,
    /// Further quantities that conditions, bounds and costs may name: places and velocities of points.
    pub outputs: Vec<String>,
}

/// Where a system is: coordinates, velocities, accelerations, controls, forces of contacts.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a, T> {
    /// q
    pub q: &'a [T],
    /// v
    pub v: &'a [T],
    /// v̇
    pub a: &'a [T],
    /// Controls.
    pub u: &'a [T],
    /// Forces of contacts.
    pub f: &'a [T],
}

/// What the equations of a system give.
#[derive(Debug)]
pub struct Evaluation<'a, T> {
    /// q̇, as many as q.
    pub rate: &'a mut [T],
    /// What must be 0, as many as v: inverse dynamics less the forces that act.
    pub balance: &'a mut [T],
    /// The further quantities.
    pub outputs: &'a mut [T],
}

/// A system whose motion is to be found. Written once, on any number type, and run once: from what it does with
/// numbers, values and derivatives follow. It may not ask whether numbers are equal.
///
/// ```
/// use poinsot::algebra::Real;
/// use poinsot_optimize::{Evaluation, Moment, Names, System};
/// /// A mass on a spring, pushed by u.
/// struct Oscillator { mass: f64, stiffness: f64 }
/// impl System for Oscillator {
///     fn names(&self) -> Names {
///         Names { q: vec!["x".into()], v: vec!["vx".into()], u: vec!["force".into()], ..Names::default() }
///     }
///     fn evaluate<T: Real>(&self, at: Moment<T>, out: Evaluation<T>) {
///         out.rate[0] = at.v[0];
///         out.balance[0] = T::from_f64(self.mass) * at.a[0] + T::from_f64(self.stiffness) * at.q[0] - at.u[0];
///     }
/// }
/// # let _ = Oscillator { mass: 1.0, stiffness: 2.0 }.names();
/// ```
pub trait System {
    /// What there is.
    fn names(&self) -> Names;
    /// Coordinates where nobody says others: 0, but for quaternions.
    fn neutral(&self) -> Vec<f64> {
        vec![0.0; self.names().q.len()]
    }
    /// The equations.
    fn evaluate<T: Real>(&self, at: Moment<T>, out: Evaluation<T>);
}
