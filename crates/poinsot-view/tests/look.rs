//! What bodies look like: the geoms of the model; links with collision shapes alone are seen by them; bones lead to all
//! that hangs on a body.
#![allow(clippy::unwrap_used)]

use poinsot::algebra::V3;
use poinsot::formats::{LoadOptions, load_text};
use poinsot::model::{BodyId, BodySpec, Geom, Joint, ModelBuilder, Shape};
use poinsot::spatial::Pose;
use poinsot_view::look::{Layer, Look};

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
    let look = Look::of_file(&loaded.model);
    let radii = |layer: Layer| -> Vec<f64> {
        let parts = look.parts.iter().filter(|p| p.layer == layer);
        let radius = |shape: &Shape| if let Shape::Sphere { radius } = shape { *radius } else { 0.0 };
        parts.map(|p| radius(&p.shape)).collect()
    };
    assert_eq!(radii(Layer::Visual), [1.0, 3.0, 4.0, 5.0]);
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
        .filter_map(|p| match p.shape {
            Shape::Capsule { length, .. } if p.body == beam => Some((length, p.pose.pos)),
            _ => None,
        })
        .collect();
    assert_eq!(bones, [(1.0, ends[0] * 0.5), (2.0, ends[1] * 0.5)]);
}

#[test]
fn what_was_built_is_drawn_with_its_true_shapes() {
    let (tube, egg) =
        (Shape::Cylinder { radius: 0.1, length: 0.4 }, Shape::Ellipsoid { radii: V3::new(0.1, 0.2, 0.3) });
    let lying = Pose { pos: V3::X * 0.2, ..Pose::rotation_vector(V3::Y * std::f64::consts::FRAC_PI_2) };
    let red = [0.9, 0.1, 0.1, 1.0];
    let mut b = ModelBuilder::new("two");
    let spec = BodySpec::new("tube").solid_at(&tube, 1.0, lying).unwrap();
    let near = b.body(BodyId::WORLD, spec.geom(Geom::new(egg.clone()).visual().rgba(red)));
    b.joint(near, Joint::revolute(V3::Y));
    let far = b.body(near, BodySpec::new("far").at(V3::X * 0.4).solid(&egg, 1.0).unwrap());
    b.joint(far, Joint::revolute(V3::Y));
    let look = Look::of_model(&b.build().unwrap());
    let seen: Vec<(BodyId, &Shape, Pose)> =
        look.parts.iter().filter(|p| p.layer == Layer::Visual).map(|p| (p.body, &p.shape, p.pose)).collect();
    // both joints are inside of the tube: no bones
    let still = Pose::IDENTITY;
    assert_eq!(seen, [(near, &tube, lying), (near, &egg, still), (far, &egg, still)]);
    assert_eq!(look.parts.iter().filter(|p| p.rgba == red).count(), 1);
    let touched = look.parts.iter().filter(|p| p.layer == Layer::Collision);
    assert_eq!(touched.count(), 2, "what is only seen does not touch");
}

#[test]
fn materials_that_cannot_be_read_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let obj = "mtllib gone.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl red\nf 1 2 3\nf 1 2 4\n";
    std::fs::write(folder.path().join("m.obj"), obj).unwrap();
    let urdf = r#"<robot name="r"><link name="a"><visual><geometry><mesh filename="m.obj"/></geometry></visual>
        <visual><origin xyz="1 0 0"/><geometry><mesh filename="m.obj"/></geometry></visual></link></robot>"#;
    let loaded = load_text(folder.path().join("r.urdf"), urdf, &LoadOptions::default()).unwrap();
    let look = Look::described(&loaded.model, &loaded.description);
    let told = look.missing.iter().filter(|m| m.contains("gone.mtl: there is no such file next to the mesh"));
    assert_eq!(told.count(), 1, "{:?}", look.missing);
}

#[test]
fn meshes_that_cannot_be_read_are_told_and_the_rest_is_drawn() {
    let mjcf = r#"<mujoco><asset><mesh name="gone" file="no/gone.stl"/>
        <hfield name="hill" nrow="2" ncol="2" size="1 1 1 1" elevation="0 0 0 1"/>
        <mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset><worldbody>
        <geom type="hfield" hfield="hill"/><body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <geom type="mesh" mesh="gone"/><geom type="mesh" mesh="wedge"/><geom type="mesh" mesh="wedge" pos="1 0 0"/>
        </body></worldbody></mujoco>"#;
    let look = Look::of_file(&load_text("m.xml", mjcf, &LoadOptions::default()).unwrap().model);
    let seen = look.parts.iter().filter(|p| p.layer == Layer::Visual);
    assert_eq!(seen.map(|p| p.surface).collect::<Vec<_>>(), [Some(0), Some(1), Some(1)]);
    assert_eq!((look.surfaces.len(), look.missing.len()), (2, 1));
    assert!(look.missing[0].contains("\"gone\" is not drawn: cannot read"), "{}", look.missing[0]);
}
