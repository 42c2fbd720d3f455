//! Scenes with contact.

pub mod arch;
pub mod balance;
pub mod impacts;
pub mod machines;
pub mod piles;
pub mod ragdoll;
pub mod spinning;

use super::{Scene, SceneError};
use crate::Contact;
use crate::algebra::V3;
use crate::dynamics::State;
use crate::integrate::Method;
use crate::model::{BodyId, BodySpec, Geom, Joint, Material, Model, ModelBuilder, Shape};
use crate::spatial::{Pose, exp_so3};

/// The colours of fixed ground and of objects on it.
const GROUND: [f64; 4] = [0.8, 0.81, 0.79, 1.0];
const STONE: [f64; 4] = [0.62, 0.6, 0.56, 1.0];

/// The infinite plane z = 0.
fn floor(b: &mut ModelBuilder, material: Material) {
    let plane = Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("floor");
    b.geom(BodyId::WORLD, plane.rgba(GROUND).material(material));
}

/// A homogeneous body on a free joint.
fn free(b: &mut ModelBuilder, name: &str, geom: Geom, mass: f64, pose: Pose) -> Result<BodyId, SceneError> {
    let body = b.body(BodyId::WORLD, BodySpec::new(name).pose(pose).solid_geom(geom, mass)?);
    b.joint(body, Joint::free().named(name));
    Ok(body)
}

fn cuboid(x: f64, y: f64, z: f64) -> Geom {
    Geom::new(Shape::Box { size: V3::new(x, y, z) })
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(V3::new(x, y, z))
}

/// Sine and cosine of an angle, with the same bits everywhere.
fn sin_cos(angle: f64) -> (f64, f64) {
    let turned = exp_so3(V3::Y * angle) * V3::Z;
    (turned.x, turned.z)
}

/// A scene with contact that starts at rest in the model's reference configuration.
fn begin(model: Model, duration: f64, dt: f64) -> Scene {
    let state = State::new(&model);
    let scene = Scene::new(model, state, duration, dt, Method::Leapfrog);
    Scene { contact: Some(Contact::default()), ..scene }
}

impl Scene {
    /// Sets the velocity of a free body: that of its origin and the angular velocity, both in world axes.
    fn thrown(mut self, body: BodyId, linear: V3, angular: V3) -> Scene {
        let joint = &self.model.joints()[self.model[body].joints.start];
        let (q, v) = (joint.coordinates().start, joint.dofs().start);
        let turn: [f64; 4] = std::array::from_fn(|k| self.state.q[q + 3 + k]);
        let [w, x, y, z] = turn;
        let rot = crate::spatial::Quat { w, x, y, z }.matrix();
        self.state.v[v..v + 3].copy_from_slice(&linear.array());
        self.state.v[v + 3..v + 6].copy_from_slice(&rot.tr_mul(angular).array());
        self
    }
}
