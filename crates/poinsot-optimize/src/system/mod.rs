//! Systems: equations of motion on any number type, and their derivatives.

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

/// The names of all quantities of a system; their lengths are its dimensions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    /// Coordinates q; for a first-order system all its states.
    pub q: Vec<String>,
    /// Velocities v; empty for a first-order system.
    pub v: Vec<String>,
    /// Controls u.
    pub u: Vec<String>,
    /// Contact forces f; a phase activates groups of them.
    pub f: Vec<String>,
    /// Additional quantities for conditions, bounds and costs: positions and velocities of points.
    pub outputs: Vec<String>,
}

/// The arguments of the equations: coordinates, velocities, accelerations, controls, contact forces.
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

/// The values of the equations of a system.
#[derive(Debug)]
pub struct Evaluation<'a, T> {
    /// q̇, with the length of q.
    pub rate: &'a mut [T],
    /// The residual, with the length of v: inverse dynamics minus the acting forces.
    pub balance: &'a mut [T],
    /// The additional quantities.
    pub outputs: &'a mut [T],
}

/// A system whose motion is to be optimised. It is written once, for any number type, and evaluated once: values and derivatives follow
/// from the recorded operations. It must not compare numbers.
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
    /// The names of all quantities.
    fn names(&self) -> Names;
    /// The default coordinates: 0, except for quaternions.
    fn neutral(&self) -> Vec<f64> {
        vec![0.0; self.names().q.len()]
    }
    /// Evaluates the equations.
    fn evaluate<T: Real>(&self, at: Moment<T>, out: Evaluation<T>);
}
