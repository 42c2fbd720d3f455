//! A joint that yields, but little.

use super::{Scene, SceneError};
use crate::algebra::V3;
use crate::dynamics::State;
use crate::model::{BodyId, BodySpec, Constraint, Joint, ModelBuilder, Mount, Shape};
use crate::spatial::Pose;

/// A double pendulum whose lower bar would be free but for a ball joint of 1e9 N/m. In a step of 1/60 s its spring would
/// swing 118 times.
pub fn soft_joint() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("soft-joint");
    let (half, end) = (V3::new(0.0, 0.0, -0.25), V3::new(0.0, 0.0, -0.5));
    let bar = Shape::Box { size: V3::new(0.05, 0.05, 0.5) }.inertia(1.0)?;
    let hung = bar.seen_from(Pose::translation(half));
    let upper = b.body(BodyId::WORLD, BodySpec::new("upper").inertia(hung));
    b.joint(upper, Joint::spherical().named("upper"));
    let lower = b.body(BodyId::WORLD, BodySpec::new("lower").at(end).inertia(hung));
    b.joint(lower, Joint::free().named("lower"));
    let (one, other) = (Mount::new(upper, end), Mount::new(lower, V3::ZERO));
    b.constraint(Constraint::point(one, other).soft(1e9, 0.0).named("joint"));
    let model = b.build()?;
    let mut state = State::new(&model);
    // swung out sideways about the hook: both bars turn as one
    state.v[..3].copy_from_slice(&[0.0, 4.0, 0.0]);
    state.v[3..6].copy_from_slice(&(V3::Y * 4.0).cross(end).array());
    state.v[6..9].copy_from_slice(&[0.0, 4.0, 0.0]);
    Ok(Scene::new(model, state, 20.0, 1.0 / 60.0, "implicit"))
}
