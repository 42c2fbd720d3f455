//! The hand that drags a body: a damped spring between a point of the body and the mouse.
//!
//! ```math
//! f = k (target − p) − c ṗ      k = m ω²      c = 2 m ω ζ      1/m = trace of J M⁻¹ Jᵀ                            (1)
//! ```
//! with a mass m that is no larger than the effective mass of the point in any direction, so that a pull is as firm on a finger as
//! on a lorry.

use poinsot::algebra::V3;
use poinsot::dynamics::{At, ExternalForces, State, Workspace};
use poinsot::integrate::ForceElement;
use poinsot::model::{BodyId, Model};
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

/// ω of (1), rad/s: slow enough for the steps of any integrator, fast enough to follow a mouse.
const FREQUENCY: f64 = 12.0;
/// ζ of (1).
const DAMPING: f64 = 0.7;

/// The target of the hand; shared between the simulation and the mouse.
#[derive(Clone, Default)]
pub struct Target(Arc<Mutex<V3>>);

impl Target {
    /// Moves the target.
    pub fn set(&self, to: V3) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = to;
    }
    fn get(&self) -> V3 {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A body that is dragged.
#[derive(Clone)]
pub struct Grip {
    /// The body.
    pub body: BodyId,
    /// The point, in its frame.
    pub point: V3,
    /// m of (1).
    pub mass: f64,
    /// The target.
    pub target: Target,
}

impl Grip {
    /// Grasps a point of a body, given in its frame, with its effective mass at `state`.
    pub fn new(model: &Model, state: &State, body: BodyId, point: V3, target: Target) -> Grip {
        Grip { body, point, mass: effective_mass(model, state, body, point), target }
    }

    /// The point of action, and the force (1).
    pub fn pull(&self, at: &At) -> (V3, V3) {
        let point = at.pose(self.body).point(self.point);
        let (k, c) = (self.mass * FREQUENCY * FREQUENCY, 2.0 * self.mass * FREQUENCY * DAMPING);
        (point, (self.target.get() - point) * k - at.velocity_at(self.body, point).lin * c)
    }
}

/// The spring.
pub struct Hand {
    grip: Grip,
    scratch: RefCell<(Workspace, State, ExternalForces)>,
}

impl Hand {
    /// A spring on a body of `model`.
    pub fn new(model: &Model, grip: Grip) -> Hand {
        let scratch = (Workspace::new(model), State::new(model), ExternalForces::new(model));
        Hand { grip, scratch: RefCell::new(scratch) }
    }
}

/// m of (1).
fn effective_mass(model: &Model, state: &State, body: BodyId, point: V3) -> f64 {
    let mut workspace = Workspace::new(model);
    let at = workspace.at(model, state);
    let jacobian = at.jacobian_at(body, at.pose(body).point(point));
    let mut solved = vec![0.0; model.nv()];
    let mut mobility: f64 = 0.0;
    for axis in 0..3 {
        let row: Vec<f64> = jacobian.row(3 + axis).iter().copied().collect();
        workspace.mass_solve(model, &state.q, &row, &mut solved);
        mobility += row.iter().zip(&solved).map(|(a, b)| a * b).sum::<f64>();
    }
    if mobility > 0.0 && mobility.is_finite() { 1.0 / mobility } else { 0.0 }
}

impl ForceElement for Hand {
    fn add_forces(&self, model: &Model, time: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        let (workspace, state, forces) = &mut *self.scratch.borrow_mut();
        state.time = time;
        state.q.copy_from_slice(q);
        state.v.copy_from_slice(v);
        let at = workspace.at(model, state);
        let (point, force) = self.grip.pull(&at);
        forces.clear();
        forces.push_at(&at, self.grip.body, force, point);
        workspace.add_external(model, q, forces, 1.0, tau);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use poinsot::Simulation;
    use poinsot::integrate::Method;
    use poinsot::model::{BodySpec, Joint, ModelBuilder, Shape};

    #[test]
    fn the_hand_draws_a_body_to_the_target() {
        let mut b = ModelBuilder::new("ball");
        b.gravity(V3::ZERO);
        let spec = BodySpec::new("ball").solid(&Shape::Sphere { radius: 0.1 }, 2.0).expect("a ball");
        let ball = b.body(BodyId::WORLD, spec);
        b.joint(ball, Joint::free());
        let model = b.build().expect("a model");
        let (state, target) = (State::new(&model), Target::default());
        target.set(V3::new(1.0, 2.0, 3.0));
        let mut simulation = Simulation::new(&model, state.clone(), Method::Rkmk4).expect("a simulation");
        let grip = Grip::new(&model, &state, ball, V3::ZERO, target);
        simulation.push(Hand::new(&model, grip));
        simulation.run(10_000, 1e-3).expect("steps");
        let end = simulation.at().pose(ball).pos;
        assert!((end - V3::new(1.0, 2.0, 3.0)).norm() < 1e-6, "{end:?}");
    }
}
