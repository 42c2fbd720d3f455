//! Two blocks joined at a point and thrown, the example of [NEWTONEULER]: in space with twice six coordinates, in the plane with six, and
//! in the plane with the four independent ones.

use super::{Scene, SceneError};
use crate::algebra::V3;
use crate::dynamics::State;
use crate::integrate::Method;
use crate::model::{BodyId, BodySpec, Constraint, Geom, Joint, ModelBuilder, Mount, Shape};

/// Size, mass and the lever arm from the centre to the common point, which is the world's origin.
const BLOCKS: [(V3, f64, V3); 2] = [
    (V3::new(0.4, 0.2, 0.3), 1.0, V3::new(0.2, 0.1, 0.15)),
    (V3::new(0.3, 0.2, 0.5), 2.0, V3::new(-0.15, -0.1, 0.25)),
];
const NAMES: [&str; 2] = ["block1", "block2"];

fn block(k: usize) -> Result<BodySpec, SceneError> {
    let (size, mass, _) = BLOCKS[k];
    Ok(BodySpec::new(NAMES[k]).solid_geom(Geom::new(Shape::Box { size }), mass)?)
}

/// Two free bodies, their corners held together by a point constraint.
pub fn in_space() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("two-blocks");
    let arms = BLOCKS.map(|(_, _, arm)| arm);
    let mut bodies = Vec::new();
    for k in 0..2 {
        let body = b.body(BodyId::WORLD, block(k)?.at(-arms[k]));
        b.joint(body, Joint::free().named(NAMES[k]));
        bodies.push(body);
    }
    let [first, second] = [0, 1].map(|k| Mount::new(bodies[k], arms[k]));
    b.constraint(Constraint::point(first, second).named("point"));
    let model = b.build()?;
    let mut state = State::new(&model);
    // the common point of both moves with this velocity
    let (point, spins) = (V3::new(1.0, 0.0, 5.0), [V3::new(1.0, 2.0, 3.0), V3::new(-2.0, 4.0, 1.0)]);
    for (k, v) in state.v.chunks_exact_mut(6).enumerate() {
        v[..3].copy_from_slice(&(point - spins[k].cross(arms[k])).array());
        v[3..].copy_from_slice(&spins[k].array());
    }
    Ok(Scene::new(model, state, 1.0, 1e-3, Method::Rkmk4))
}

/// Lever arms in the x–z plane, and the initial state: velocity of the common point and both angular velocities about −y.
const ARMS: [V3; 2] = [V3::new(0.2, 0.0, 0.15), V3::new(-0.15, 0.0, 0.25)];
const POINT: V3 = V3::new(1.0, 0.0, 5.0);
const SPINS: [f64; 2] = [2.0, -4.0];

/// The velocity indices of the planar joint at the centre of block k: x, z and angle about y.
fn planar_velocity(k: usize) -> [f64; 3] {
    let v = POINT - (V3::Y * SPINS[k]).cross(ARMS[k]);
    [v.z, v.x, SPINS[k]]
}

/// Six coordinates: position and angle of both blocks, in a plane; a point constraint holds them together.
pub fn in_the_plane() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("planar-blocks");
    let mut mounts = Vec::new();
    for k in 0..2 {
        let body = b.body(BodyId::WORLD, block(k)?.at(-ARMS[k]));
        b.joint(body, Joint::planar(V3::Y).named(NAMES[k]));
        mounts.push(Mount::new(body, ARMS[k]));
    }
    b.constraint(Constraint::point(mounts[0], mounts[1]).named("point"));
    let model = b.build()?;
    let mut state = State::new(&model);
    state.v.copy_from_slice([0, 1].map(planar_velocity).as_flattened());
    Ok(Scene::new(model, state, 1.0, 1e-3, Method::Rkmk4))
}

/// Four coordinates [x, z, θ₁, θ₂]: the second block is attached to the first by a hinge. θ₂ is the angle between them.
pub fn in_joint_coordinates() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("planar-blocks-reduced");
    let first = b.body(BodyId::WORLD, block(0)?.at(-ARMS[0]));
    b.joint(first, Joint::planar(V3::Y).named(NAMES[0]));
    let second = b.body(first, block(1)?.at(ARMS[0] - ARMS[1]));
    b.joint(second, Joint::revolute(V3::Y).anchor(ARMS[1]).named("hinge"));
    let model = b.build()?;
    let mut state = State::new(&model);
    state.v[..3].copy_from_slice(&planar_velocity(0));
    state.v[3] = SPINS[1] - SPINS[0];
    Ok(Scene::new(model, state, 1.0, 1e-3, Method::Rkmk4))
}
