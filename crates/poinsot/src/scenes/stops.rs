//! Limits and dry friction.

use super::{Scene, SceneError};
use crate::algebra::V3;
use crate::dynamics::State;
use crate::integrate::Method;
use crate::model::{BodyId, BodySpec, Joint, ModelBuilder, Shape};

/// A ball slides down a wire onto a stop, from which it rebounds with nine tenths of its speed, ever more often, until it rests. A sled on
/// a spring is brought to rest by dry friction, away from the spring's rest position.
pub fn stops() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("stops");
    let ball =
        BodySpec::new("ball").at(V3::new(-0.4, 0.0, 0.1)).solid(&Shape::Sphere { radius: 0.1 }, 1.0)?;
    let ball = b.body(BodyId::WORLD, ball);
    b.joint(ball, Joint::prismatic(V3::Z).named("wire").limits(0.0, f64::INFINITY).restitution(0.9));
    let block = Shape::Box { size: V3::new(0.3, 0.2, 0.1) };
    let sled = b.body(BodyId::WORLD, BodySpec::new("sled").at(V3::new(0.6, 0.0, 0.05)).solid(&block, 2.0)?);
    b.joint(sled, Joint::prismatic(V3::X).named("rail").spring(50.0, 0.0).friction_loss(2.0));
    let model = b.build()?;
    let state = State { q: vec![0.5, 0.45], ..State::new(&model) };
    Ok(Scene::new(model, state, 10.0, 1e-3, Method::Rkmk4))
}
