//! Machines in contact.

use super::{STONE, Scene, SceneError, at, begin, cuboid, floor, free, sin_cos};
use crate::algebra::V3;
use crate::model::{
    Actuator, BodyId, BodySpec, Constraint, Geom, Joint, JointKind, Material, ModelBuilder, Mount, Shape,
};
use crate::spatial::{Pose, exp_so3};
use std::f64::consts::FRAC_PI_2;

/// A robot arm of three links swings round and knocks a box over.
pub fn arm_and_box() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("arm-and-box");
    let material = Material::with_friction(0.4);
    floor(&mut b, material);
    let link = |name: &str, radius: f64, length: f64, mass: f64, start: V3| -> Result<BodySpec, SceneError> {
        let pose = Pose { rot: exp_so3(V3::Y * FRAC_PI_2), pos: V3::X * (0.5 * length) };
        let rod = Geom::new(Shape::Capsule { radius, length }).pose(pose).material(material);
        Ok(BodySpec::new(name).at(start).solid_geom(rod, mass)?)
    };
    b.geom(
        BodyId::WORLD,
        Geom::new(Shape::Cylinder { radius: 0.08, length: 0.3 }).at(V3::Z * 0.15).rgba(STONE).visual(),
    );
    let shoulder = b.body(BodyId::WORLD, link("upper_arm", 0.05, 0.4, 3.0, V3::Z * 0.35)?);
    let turn = b.joint(shoulder, Joint::revolute(V3::Z).named("turn").armature(0.05));
    let elbow = b.body(shoulder, link("forearm", 0.04, 0.35, 2.0, V3::X * 0.4)?);
    let bend = b.joint(elbow, Joint::revolute(V3::Y).named("bend").armature(0.05));
    let wrist = b.body(elbow, link("hand", 0.04, 0.1, 0.5, V3::X * 0.35)?);
    let tilt = b.joint(wrist, Joint::revolute(V3::Y).named("tilt").armature(0.02));
    free(&mut b, "box", cuboid(0.2, 0.2, 0.3).material(material), 2.0, at(0.0, 0.75, 0.15))?;
    for (joint, name, kp, kv) in
        [(turn, "turn", 60.0, 12.0), (bend, "bend", 200.0, 20.0), (tilt, "tilt", 40.0, 4.0)]
    {
        b.actuator(Actuator::position(joint, kp).damping(kv).named(name).control_range(-3.2, 3.2));
    }
    let model = b.build()?;
    let mut scene = begin(model, 10.0, 2e-3);
    let (bent, level) = (0.25, -0.25);
    scene.state.q[..3].copy_from_slice(&[0.0, bent, level]);
    scene.control = vec![2.6, bent, level];
    Ok(scene)
}

/// A stepladder on a frictionless floor: two legs on a hinge, a spring that opens them with 2 N m, and a bar between them that closes the
/// loop. Only the bar keeps them from sliding apart.
pub fn stepladder() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("stepladder");
    floor(&mut b, Material { condim: 1, priority: 1, ..Material::with_friction(0.0) });
    let (half, radius, spread) = (0.75, 0.03, 0.4);
    let (sin, cos) = sin_cos(spread);
    let top = V3::Z * (2.0 * half * cos + radius);
    let rod = |length: f64, turn: f64| {
        Geom::new(Shape::Capsule { radius, length }).pose(Pose::rotation_vector(V3::Y * turn))
    };
    // the legs lean outwards from the hinge at the top; all frames are initially upright
    let lean = |side: f64| V3::new(side * sin, 0.0, -cos) * half;
    let left = b.body(
        BodyId::WORLD,
        BodySpec::new("left").at(top + lean(-1.0)).solid_geom(rod(2.0 * half, spread), 4.0)?,
    );
    b.joint(left, Joint::free().named("left"));
    let right = b.body(
        left,
        BodySpec::new("right").at(lean(1.0) - lean(-1.0)).solid_geom(rod(2.0 * half, -spread), 4.0)?,
    );
    b.joint(right, Joint::revolute(V3::Y).named("top").anchor(-lean(1.0)).spring(20.0, -0.1));
    // the bar connects the midpoints of the legs
    let reach = lean(1.0) - lean(-1.0);
    let bar = Geom::new(Shape::Capsule { radius: 0.015, length: reach.norm() })
        .pose(Pose { rot: exp_so3(V3::Y * FRAC_PI_2), pos: reach * 0.5 });
    let bar = b.body(left, BodySpec::new("bar").solid_geom(bar.rgba(STONE), 1.0)?);
    b.joint(bar, Joint::revolute(V3::Y).named("left_pin"));
    let pin = Constraint::joint(
        JointKind::Revolute { axis: V3::Y },
        Mount::new(bar, reach),
        Mount::new(right, V3::ZERO),
    );
    b.constraint(pin.named("right_pin"));
    begin(b.build()?, 10.0, 2e-3).assembled()
}
