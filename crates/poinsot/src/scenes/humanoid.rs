//! A humanoid in free space, and on the floor.

use super::{Scene, SceneError};
use crate::Contact;
use crate::algebra::{M3, V3};
use crate::dynamics::State;
use crate::integrate::Method;
use crate::model::{BodyId, BodySpec, Geom, Joint, Material, ModelBuilder, Shape};
use crate::spatial::{Pose, Quat};

/// A humanoid thrown in free space.
pub fn humanoid() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("humanoid");
    b.gravity(V3::ZERO);
    person(&mut b, false)?;
    let model = b.build()?;
    let mut state = State::new(&model);
    for k in 0..model.nv() {
        state.v[k] = 0.5 * ((1 + 7 * k) % 5) as f64 - 1.0;
    }
    Ok(Scene::new(model, state, 5.0, 1e-3, Method::Midpoint))
}

/// A humanoid above a floor, falling over: hinges with dampers and no motors.
pub fn fallen() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("fallen-humanoid");
    let floor = Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("floor").rgba([0.8, 0.81, 0.79, 1.0]);
    b.geom(BodyId::WORLD, floor.material(Material::with_friction(0.8)));
    person(&mut b, true)?;
    let model = b.build()?;
    let mut state = State::new(&model);
    state.v[0] = 0.5;
    let scene = Scene::new(model, state, 6.0, 2e-3, Method::Leapfrog);
    Ok(Scene { contact: Some(Contact::default()), ..scene })
}

/// A humanoid of capsules and boxes with 36 degrees of freedom: six in space, and human-like hinges. With contact, the hinges are also
/// damped and have limits.
fn person(b: &mut ModelBuilder, touches: bool) -> Result<(), SceneError> {
    let trunk = Shape::Box { size: V3::new(0.2, 0.3, 0.2) };
    let spec = BodySpec::new("pelvis").at(V3::new(0.0, 0.0, if touches { 1.1 } else { 1.0 }));
    let spec = if touches { spec.solid_geom(Geom::new(trunk), 10.0)? } else { spec.solid(&trunk, 10.0)? };
    let pelvis = b.body(BodyId::WORLD, spec);
    b.joint(pelvis, Joint::free());
    let mut segment = |parent: BodyId, name: &str, at: V3, down: V3, mass: f64, axes: &[V3]| {
        let length = down.norm();
        let bone = Shape::Capsule { radius: 0.25 * length.min(0.2), length };
        let middle = Pose { rot: z_along(down), pos: down * 0.5 };
        // successive hinges at the same position; only the last body has mass
        let spec = BodySpec::new(name).at(at);
        let body = if touches {
            b.body(parent, spec.solid_geom(Geom::new(bone).pose(middle), mass)?)
        } else {
            b.body(parent, spec.solid_at(&bone, mass, middle)?)
        };
        for (k, axis) in axes.iter().enumerate() {
            let joint = Joint::revolute(*axis).named(format!("{name}_{k}"));
            b.joint(body, if touches { joint.damping(1.0).limits(-1.5, 1.5) } else { joint });
        }
        Ok::<BodyId, SceneError>(body)
    };
    let up = |l: f64| V3::new(0.0, 0.0, l);
    let torso = segment(pelvis, "torso", up(0.1), up(0.5), 25.0, &[V3::Z, V3::Y, V3::X])?;
    segment(torso, "head", up(0.55), up(0.2), 4.0, &[V3::Z, V3::Y, V3::X])?;
    for (side, y) in [("left", 1.0), ("right", -1.0)] {
        let name = |part: &str| format!("{side}_{part}");
        let hip = V3::new(0.0, 0.1 * y, -0.1);
        let thigh = segment(pelvis, &name("thigh"), hip, up(-0.4), 8.0, &[V3::Z, V3::X, V3::Y])?;
        let shin = segment(thigh, &name("shin"), up(-0.4), up(-0.4), 4.0, &[V3::Y])?;
        segment(shin, &name("foot"), up(-0.4), V3::new(0.2, 0.0, 0.0), 1.0, &[V3::Y, V3::X])?;
        let shoulder = V3::new(0.0, 0.2 * y, 0.45);
        let arm = segment(torso, &name("upper_arm"), shoulder, up(-0.3), 2.0, &[V3::Y, V3::X, V3::Z])?;
        let forearm = segment(arm, &name("forearm"), up(-0.3), up(-0.25), 1.5, &[V3::Y])?;
        let wrist = [V3::Z, V3::Y];
        segment(forearm, &name("hand"), up(-0.25), up(-0.1), 0.5, &wrist)?;
    }
    Ok(())
}

/// A rotation that maps z to the direction of `v`, which is along one of the axes.
fn z_along(v: V3) -> M3 {
    let quarter = std::f64::consts::FRAC_PI_2;
    let turn = if v.x != 0.0 { V3::Y * quarter } else { V3::ZERO };
    Quat::exp(turn).matrix()
}
