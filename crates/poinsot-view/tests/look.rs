//! What bodies look like: links with collision shapes alone are seen by them, and bones lead to all that hangs on a body.
#![allow(clippy::unwrap_used)]

use poinsot::algebra::V3;
use poinsot::formats::{LoadOptions, load_text};
use poinsot::model::{BodyId, BodySpec, Joint, ModelBuilder, Shape};
use poinsot_view::look::{Form, Layer, Look};

/// Three links: seen and touched, touched only, seen only.
const URDF: &str = r#"<robot name="r">
  <link name="both">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><sphere radius="1"/></geometry></visual>
    <collision><geometry><sphere radius="2"/></geometry></collision>
  </link>
  <link name="touched">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="3"/></geometry></collision>
    <collision><geometry><sphere radius="4"/></geometry></collision>
  </link>
  <link name="seen">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><sphere radius="5"/></geometry></visual>
  </link>
  <joint name="a" type="continuous"><parent link="both"/><child link="touched"/><axis xyz="0 0 1"/></joint>
  <joint name="b" type="continuous"><parent link="touched"/><child link="seen"/><axis xyz="0 0 1"/></joint>
</robot>"#;

#[test]
fn links_that_only_touch_are_seen_by_what_they_touch_with() {
    let loaded = load_text("r.urdf", URDF, &LoadOptions::default()).unwrap();
    let look = Look::of_description(&loaded.description, &loaded.model);
    let radii = |layer: Layer| -> Vec<f64> {
        let parts = look.parts.iter().filter(|p| p.layer == layer);
        let radius = |form: &Form| if let Form::Sphere { radius } = form { *radius } else { 0.0 };
        parts.map(|p| radius(&p.form)).collect()
    };
    assert_eq!(radii(Layer::Visual), [1.0, 5.0, 3.0, 4.0]);
    assert_eq!(radii(Layer::Collision), [2.0, 3.0, 4.0]);
    let touched = loaded.model.body("touched").unwrap();
    let copies = look.parts.iter().filter(|p| p.body == touched && p.layer == Layer::Visual);
    assert_eq!(copies.count(), 2);
}

#[test]
fn bones_lead_from_a_body_to_each_that_hangs_on_it() {
    let ball = |name: &str| BodySpec::new(name).solid(&Shape::Sphere { radius: 0.1 }, 1.0).unwrap();
    let mut b = ModelBuilder::new("mobile");
    let beam = b.body(BodyId::WORLD, ball("beam"));
    b.joint(beam, Joint::spherical());
    let ends = [V3::new(1.0, 0.0, 0.0), V3::new(-2.0, 0.0, 0.0)];
    for (k, end) in ends.into_iter().enumerate() {
        let hung = b.body(beam, ball(&format!("hung {k}")).at(end));
        b.joint(hung, Joint::revolute(V3::Y));
    }
    let model = b.build().unwrap();
    let look = Look::of_model(&model);
    let bones: Vec<(f64, V3)> = look
        .parts
        .iter()
        .filter_map(|p| match p.form {
            Form::Capsule { length, .. } if p.body == beam => Some((length, p.pose.pos)),
            _ => None,
        })
        .collect();
    assert_eq!(bones, [(1.0, ends[0] * 0.5), (2.0, ends[1] * 0.5)]);
}
