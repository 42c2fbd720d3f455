//! A wheel that rolls without slipping.

use super::{Scene, SceneError};
use crate::algebra::{M3, V3};
use crate::dynamics::State;
use crate::integrate::Method;
use crate::model::{BodyId, BodySpec, Constraint, Joint, ModelBuilder, Mount, Shape};
use crate::spatial::Quat;

/// The radius of the coin, m.
const RADIUS: f64 = 0.2;

/// A coin on its knife edge: its axis is inclined by 0.3 rad, and it spins about it while rolling in a circle.
pub fn rolling() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("rolling");
    let coin = Shape::Cylinder { radius: RADIUS, length: 0.02 };
    let wheel = b.body(BodyId::WORLD, BodySpec::new("coin").solid(&coin, 1.0)?);
    b.joint(wheel, Joint::free().named("coin"));
    let (rim, ground) = (Mount::new(wheel, V3::ZERO), Mount::new(BodyId::WORLD, V3::ZERO));
    b.constraint(Constraint::rolling_disc(rim, RADIUS, ground).named("rim"));
    let model = b.build()?;
    let mut state = State::new(&model);
    // the axis z of the coin rotated to x, then up
    let attitude = Quat::exp(V3::Y * (std::f64::consts::FRAC_PI_2 - 0.3));
    let rot: M3 = attitude.matrix();
    let (axis, up) = (rot.z, -rot.x);
    let spin = axis * 10.0 + V3::Z * 1.5;
    let centre = up * RADIUS;
    state.q[..3].copy_from_slice(&centre.array());
    state.q[3..].copy_from_slice(&attitude.array());
    state.v[..3].copy_from_slice(&spin.cross(centre).array());
    state.v[3..].copy_from_slice(&rot.tr_mul(spin).array());
    Scene::new(model, state, 20.0, 1e-3, Method::Midpoint).assembled()
}
