//! Motion from energies: the equations, the methods, the action, groups, and energies given as text.
#![allow(clippy::unwrap_used)]

#[path = "lagrange/action.rs"]
mod action;
#[path = "lagrange/groups.rs"]
mod groups;
#[path = "lagrange/mechanics.rs"]
mod mechanics;
#[path = "lagrange/text.rs"]
mod text;

use poinsot_core::algebra::Analytic;
use poinsot_core::lagrange::{EquationsOfMotion, FormulaLagrangian, LagrangeMethod, Lagrangian, Phase};

const G: f64 = 9.81;

/// Two points on massless rods, both angles from the vertical.
struct DoublePendulum {
    masses: [f64; 2],
    lengths: [f64; 2],
}

impl Lagrangian for DoublePendulum {
    fn coordinates(&self) -> usize {
        2
    }
    fn kinetic<T: Analytic>(&self, q: &[T], v: &[T]) -> T {
        let ([m1, m2], [l1, l2]) = (self.masses.map(T::from_f64), self.lengths.map(T::from_f64));
        let half = T::from_f64(0.5);
        let cross = m2 * l1 * l2 * v[0] * v[1] * (q[0] - q[1]).cos();
        half * (m1 + m2) * l1 * l1 * v[0] * v[0] + half * m2 * l2 * l2 * v[1] * v[1] + cross
    }
    fn potential<T: Analytic>(&self, q: &[T]) -> T {
        let ([m1, m2], [l1, l2]) = (self.masses, self.lengths);
        T::from_f64(-G * (m1 + m2) * l1) * q[0].cos() - T::from_f64(G * m2 * l2) * q[1].cos()
    }
}

/// A particle of mass 1 around the origin, in the plane.
struct Kepler;

impl Lagrangian for Kepler {
    fn coordinates(&self) -> usize {
        2
    }
    fn kinetic<T: Analytic>(&self, _: &[T], v: &[T]) -> T {
        T::from_f64(0.5) * (v[0] * v[0] + v[1] * v[1])
    }
    fn potential<T: Analytic>(&self, q: &[T]) -> T {
        -(T::one() / (q[0] * q[0] + q[1] * q[1]).sqrt())
    }
}

/// A point on a sphere of radius 1: colatitude from below, and longitude.
fn spherical_pendulum() -> EquationsOfMotion<FormulaLagrangian> {
    let k = "0.5*(th_dot^2 + sin(th)^2*ph_dot^2)";
    EquationsOfMotion::new(FormulaLagrangian::parse(&["th", "ph"], k, "-g*cos(th)", &[("g", G)]).unwrap())
}

fn run<L: Lagrangian>(
    equations: &mut EquationsOfMotion<L>,
    method: LagrangeMethod,
    (q, v): (&[f64], &[f64]),
    dt: f64,
    steps: usize,
) -> Phase {
    let mut phase = Phase::new(equations, q, v).unwrap();
    (0..steps).for_each(|_| equations.step(method, &mut phase, dt).unwrap());
    phase
}
