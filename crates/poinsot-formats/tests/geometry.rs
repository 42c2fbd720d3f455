//! Geometry of files in the model: every geom, with its contact parameters, filters, pairs, meshes and height fields; and
//! what the writers keep of it.
#![allow(clippy::unwrap_used)]

use poinsot_core::algebra::V3;
use poinsot_core::model::{Filter, Geom, Material, Model, Role, Shape};
use poinsot_formats::{LoadOptions, Loaded, Severity, load, load_text, to_mjcf, to_urdf};

fn read(name: &str, text: &str) -> Loaded {
    load_text(name, text, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

const MJCF: &str = r#"<mujoco>
  <asset>
    <mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1" scale="2 2 2"/>
    <hfield name="hill" nrow="2" ncol="3" size="1 2 0.5 0.1" elevation="1 2 3 3 3 5"/>
    <texture name="tiles" type="2d" builtin="checker" rgb1="0 0 0" rgb2="1 1 1" width="8" height="8"/>
    <material name="tiled" texture="tiles" rgba="1 0.5 1 1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" material="tiled" condim="6" friction="0.7 0.01 0.002"/>
    <geom name="hill" type="hfield" hfield="hill" contype="2" conaffinity="-1"/>
    <body name="a" pos="0 0 3"><freejoint/>
      <body name="b"><joint/><geom name="tip" type="mesh" mesh="wedge"/></body>
      <geom name="box" type="box" size="0.1 0.2 0.3" pos="1 2 3" euler="90 0 0" priority="2" solmix="3" margin="0.01"
            gap="0.005" solref="0.01 0.9" solimp="0.8 0.9 0.002 0.4 3" group="4" rgba="0.1 0.2 0.3 0.4"/>
      <geom type="capsule" size="0.1 0.2" contype="0" conaffinity="0"/>
      <geom name="egg" type="ellipsoid" size="0.1 0.2 0.3"/>
      <geom name="can" type="cylinder" size="0.1 0.2" condim="1"/>
    </body>
  </worldbody>
  <contact>
    <pair geom1="tip" geom2="floor"/>
    <pair name="slide" geom1="egg" geom2="can" condim="4" friction="0.5 0.4" margin="0.1" gap="0.02" solref="0.03 1"/>
    <exclude body1="a" body2="b"/>
  </contact>
</mujoco>"#;

fn geom<'m>(model: &'m Model, name: &str) -> &'m Geom {
    &model[model.geom(name).unwrap_or_else(|| panic!("no geom {name}"))]
}

#[test]
fn all_that_mjcf_says_of_geometry_is_in_the_model() {
    let Loaded { model, report, .. } = read("all.xml", MJCF);
    let names: Vec<&str> = model.geoms().iter().map(|g| g.name.as_str()).collect();
    // by body, as MuJoCo has them
    assert_eq!(names, ["floor", "hill", "box", "", "egg", "can", "tip"]);
    let words: Vec<&str> = model.geoms().iter().map(|g| g.shape.word()).collect();
    assert_eq!(words, ["plane", "hfield", "box", "capsule", "ellipsoid", "cylinder", "hull"]);
    assert_eq!(geom(&model, "box").shape.sizes(), [0.2, 0.4, 0.6]);
    assert_eq!(geom(&model, "box").pose.pos, V3::new(1.0, 2.0, 3.0));
    assert_eq!(geom(&model, "can").shape, Shape::Cylinder { radius: 0.1, length: 0.4 });
    let floor = geom(&model, "floor");
    assert_eq!((floor.material.condim, floor.material.friction), (6, [0.7, 0.01, 0.002]));
    assert_eq!(floor.rgba, Some([0.5, 0.25, 0.5, 1.0]), "the mean of the tiles");
    let boxed = geom(&model, "box");
    let Material { priority, mix, margin, gap, solver, .. } = boxed.material;
    assert_eq!((priority, mix, margin, gap), (2, 3.0, 0.01, 0.005));
    assert_eq!((solver.reference, solver.impedance), ([0.01, 0.9], [0.8, 0.9, 0.002, 0.4, 3.0]));
    assert_eq!((boxed.group, boxed.rgba), (4, Some([0.1, 0.2, 0.3, 0.4])));
    assert_eq!(geom(&model, "hill").filter, Filter { contype: 2, conaffinity: u32::MAX });
    assert_eq!((model.geoms()[3].role, boxed.role), (Role::Visual, Role::Both));
    let [first, second] = model.contact_pairs() else { panic!("two pairs") };
    assert_eq!(first.geoms.map(|g| model[g].name.as_str()), ["tip", "floor"]);
    assert_eq!((first.condim, first.friction, first.margin, first.solver), (None, None, None, None));
    assert_eq!((second.condim, second.margin, second.gap), (Some(4), Some(0.1), Some(0.02)));
    assert_eq!(second.friction, Some([0.5, 0.4, 0.005, 0.0001, 0.0001]));
    assert_eq!(second.solver.map(|s| s.reference), Some([0.03, 1.0]));
    assert_eq!(model.contact_excludes(), [[model.body("a").unwrap(), model.body("b").unwrap()]]);
    assert!(!report.to_string().contains("contact is not yet simulated"));
}

#[test]
fn meshes_and_heights_are_there_when_they_are_asked_for() {
    let model = read("all.xml", MJCF).model;
    let Shape::Hull(mesh) = &geom(&model, "tip").shape else { panic!() };
    let surface = mesh.surface().unwrap();
    assert_eq!((surface.triangles.len(), surface.vertices[1]), (4, V3::X * 2.0));
    let Shape::HeightField(hill) = &geom(&model, "hill").shape else { panic!() };
    let heights = hill.heights().unwrap();
    // MuJoCo's hfield_data: the last row first, from 0 to 1
    assert_eq!((heights.rows, heights.columns), (2, 3));
    assert_eq!(heights.elevation, [0.5, 0.5, 1.0, 0.0, 0.25, 0.5]);
}

/// Geometry, without what a colour or a name is made of.
fn same(a: &Model, b: &Model) {
    assert_eq!(a.geoms().len(), b.geoms().len());
    for (x, y) in a.geoms().iter().zip(b.geoms()) {
        let what = |g: &Geom| {
            (g.name.clone(), g.shape.word(), g.shape.sizes(), g.material, g.filter, g.group, g.rgba)
        };
        assert_eq!((what(x), x.role, x.body()), (what(y), y.role, y.body()));
        assert!((x.pose.pos - y.pose.pos).norm() + (x.pose.rot - y.pose.rot).max_abs() < 1e-15);
        match (&x.shape, &y.shape) {
            (Shape::Hull(p), Shape::Hull(q)) => assert_eq!(p.surface().unwrap(), q.surface().unwrap()),
            (Shape::HeightField(p), Shape::HeightField(q)) => assert_eq!(p.heights(), q.heights()),
            _ => {}
        }
    }
    assert_eq!(a.contact_pairs(), b.contact_pairs());
    assert_eq!(a.contact_excludes(), b.contact_excludes());
}

#[test]
fn mjcf_writes_all_of_it() {
    let loaded = read("all.xml", MJCF);
    let (text, losses) = to_mjcf(&loaded.description);
    same(&loaded.model, &read("again.xml", &text).model);
    let lost = losses.to_string();
    assert!(!lost.contains("geom") && !lost.contains("height"), "{lost}");
}

#[test]
fn urdf_keeps_shapes_and_their_roles() {
    let text = r#"<robot name="r"><link name="base"/><link name="a">
        <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
        <visual name="v"><origin xyz="1 0 0" rpy="0 0 1"/><geometry><box size="1 2 3"/></geometry></visual>
        <collision name="v"><geometry><sphere radius="0.5"/></geometry></collision>
        <collision><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision></link>
        <joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint></robot>"#;
    let loaded = read("r.urdf", text);
    let model = &loaded.model;
    let seen: Vec<(Role, bool)> = model.geoms().iter().map(|g| (g.role, g.touches())).collect();
    assert_eq!(seen, [(Role::Visual, false), (Role::Collision, true), (Role::Collision, true)]);
    assert_eq!((geom(model, "v").shape.word(), geom(model, "v_").shape.word()), ("box", "sphere"));
    let body = model.body("a").unwrap();
    assert_eq!((model.geoms_of(body).count(), model.geoms_of(body).next().unwrap().0.index()), (3, 0));
    let again = read("again.urdf", &to_urdf(&loaded.description).0).model;
    for (x, y) in model.geoms().iter().zip(again.geoms()) {
        assert_eq!((&x.shape, x.role, x.filter), (&y.shape, y.role, y.filter));
        assert!((x.pose.pos - y.pose.pos).norm() + (x.pose.rot - y.pose.rot).max_abs() < 1e-12);
    }
    let mjcf = read("as.xml", &to_mjcf(&loaded.description).0).model;
    assert_eq!(mjcf.geoms().iter().map(|g| g.touches()).collect::<Vec<_>>(), [false, true, true]);
}

#[test]
fn what_is_wrong_with_a_geom_is_said_where_it_stands() {
    let of = |attributes: &str| {
        let text = format!("<mujoco><worldbody>\n  <geom size=\"0.1\" {attributes}/>\n</worldbody></mujoco>");
        match load_text("g.xml", &text, &LoadOptions::default()) {
            Ok(loaded) => loaded.report.to_string(),
            Err(error) => error.to_string(),
        }
    };
    for (attributes, message) in [
        ("condim=\"2\"", "g.xml:2:20: error[mjcf::bad-number]: `condim` is 2"),
        ("contype=\"99999999999\"", "`contype` is 99999999999, which is not a mask of 32 bits"),
        ("friction=\"-1\"", "g.xml:2:20: error[mjcf::bad-number]: `friction` has -1"),
        ("type=\"capsule\" name=\"c\"", "g.xml:2:9: error[mjcf::bad-size]: capsule: length is 0"),
        (
            "type=\"cylinder\" fromto=\"0 0 1 0 0 1\"",
            "g.xml:2:36: error[mjcf::bad-size]: cylinder: length is 0",
        ),
    ] {
        let said = of(attributes);
        assert!(said.contains(message), "{said}");
    }
    let text = r#"<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="1 2 3"/></asset></mujoco>"#;
    let error = load_text("h.xml", text, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("\"h\" has 3 heights for 2 rows and 2 columns"), "{error}");
    let flat = text.replace(" elevation=\"1 2 3\"", "");
    assert!(load_text("h.xml", &flat, &LoadOptions::default()).is_ok());
    let huge = flat.replace("nrow=\"2\"", "nrow=\"1000000000\"");
    assert!(
        load_text("h.xml", &huge.replace("ncol=\"2\"", "ncol=\"1000000\""), &LoadOptions::default()).is_err()
    );
}

#[test]
fn a_mesh_file_is_not_read_to_build_a_model() {
    let folder = std::env::temp_dir().join(format!("poinsot-geometry-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("m.xml");
    // no mesh at all: reading it would fail
    std::fs::write(folder.join("broken.stl"), "nothing").unwrap();
    let text = r#"<mujoco><asset><mesh name="m" file="broken.stl"/></asset><worldbody><body><freejoint/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom name="g" type="mesh" mesh="m"/></body></worldbody></mujoco>"#;
    std::fs::write(&path, text).unwrap();
    let loaded = load(&path).unwrap();
    let Shape::Hull(mesh) = &geom(&loaded.model, "g").shape else { panic!() };
    let why = mesh.surface().unwrap_err().to_string();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(why.contains("broken.stl is not a mesh that can be read"), "{why}");
    assert!(!loaded.report.diagnostics().iter().any(|d| d.severity == Severity::Error));
}
