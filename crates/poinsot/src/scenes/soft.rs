//! Stiff soft joints.

use super::{Scene, SceneError};
use crate::algebra::V3;
use crate::dynamics::State;
use crate::integrate::Method;
use crate::model::{BodyId, BodySpec, Constraint, Joint, ModelBuilder, Mount, Shape};

/// Two cubes connected only by ball joints of 1e9 N/m at their corners: one to the world, the other to the first. In a step of 1/60 s the
/// spring between them would oscillate 119 times.
pub fn soft_joint() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("soft-joint");
    let cube = Shape::Box { size: V3::new(0.3, 0.3, 0.3) };
    let (corner, spin) = (V3::new(0.15, 0.15, 0.15), V3::new(3.0, 1.0, 2.0));
    let (mut held, mut bodies) = (Mount::new(BodyId::WORLD, V3::ZERO), Vec::new());
    for (k, name) in ["upper", "lower"].into_iter().enumerate() {
        let centre = corner * -(1.0 + 2.0 * k as f64);
        let body = b.body(BodyId::WORLD, BodySpec::new(name).at(centre).solid(&cube, 1.0)?);
        b.joint(body, Joint::free().named(name));
        let joint = Constraint::point(held, Mount::new(body, corner)).soft(1e9, 0.0);
        b.constraint(joint.named(format!("{name}_joint")));
        held = Mount::new(body, -corner);
        bodies.push(centre);
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    // both rotate as one about the hook
    for (v, centre) in state.v.chunks_exact_mut(6).zip(bodies) {
        v[..3].copy_from_slice(&spin.cross(centre).array());
        v[3..].copy_from_slice(&spin.array());
    }
    Ok(Scene::new(model, state, 20.0, 1.0 / 60.0, Method::Backward))
}
