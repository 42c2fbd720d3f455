//! The state of a motion: everything that must be saved.

use crate::model::{Actuator, Joint, JointKind, Model};

/// Time, configuration, velocity and activations, in the coordinates of the [model](crate::model).
///
/// ```
/// # use poinsot_core::{model::*, dynamics::State};
/// # let mut b = ModelBuilder::new("ball");
/// # let ball = b.body(BodyId::WORLD, BodySpec::new("ball").solid(&Shape::Sphere { radius: 1.0 }, 1.0)?);
/// # b.joint(ball, Joint::free());
/// # let model = b.build()?;
/// let state = State::new(&model);
/// assert_eq!((state.time, state.q.len(), state.v.len()), (0.0, 7, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The time, s.
    pub time: f64,
    /// The configuration, qpos.
    pub q: Vec<f64>,
    /// The velocity, qvel.
    pub v: Vec<f64>,
    /// The activations of the actuators that have dynamics, indexed by [`Actuator::activation`].
    pub activation: Vec<f64>,
}

impl State {
    /// The model at rest in the neutral configuration, at time 0, with all activations 0.
    pub fn new(model: &Model) -> State {
        let zeros = |n: usize| vec![0.0; n];
        State { time: 0.0, q: model.neutral(), v: zeros(model.nv()), activation: zeros(model.activations()) }
    }

    /// The name of the first joint whose quaternion is 0 and thus not an attitude.
    pub fn first_zero_quaternion(&self, model: &Model) -> Option<String> {
        let zero = |j: &&Joint| {
            let q = &self.q[j.coordinates()];
            match j.kind {
                JointKind::Spherical => q == [0.0; 4],
                JointKind::Free => q[3..] == [0.0; 4],
                _ => false,
            }
        };
        model.joints().iter().find(zero).map(|j| j.name.clone())
    }

    /// The name of the first number that is not finite.
    pub fn first_not_finite(&self, model: &Model) -> Option<String> {
        if all_finite(&self.q) && all_finite(&self.v) {
            return None;
        }
        let joint_of = |k: usize| {
            let j = model.joints().iter().find(|j| j.coordinates().contains(&k));
            j.map_or_else(|| format!("coordinate {k}"), |j| format!("position of joint \"{}\"", j.name))
        };
        if let Some(k) = self.v.iter().position(|x| !x.is_finite()) {
            return Some(format!("velocity of {}", model.dof_name(k)));
        }
        if let Some(k) = self.activation.iter().position(|x| !x.is_finite()) {
            let of = |a: &&Actuator| a.activation() == Some(k);
            let name = model.actuators().iter().find(of).map_or("?", |a| &a.name);
            return Some(format!("activation of actuator \"{name}\""));
        }
        self.q.iter().position(|x| !x.is_finite()).map(joint_of)
    }
}

/// Branch-free, so that the compiler vectorises it.
fn all_finite(x: &[f64]) -> bool {
    x.chunks(64).all(|some| some.iter().fold(true, |all, x| all & x.is_finite()))
}
