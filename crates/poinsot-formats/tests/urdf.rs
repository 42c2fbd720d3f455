//! URDF: what is read, what is said about it, and what is written.

use poinsot_core::algebra::V3;
use poinsot_core::dynamics::{MassMatrix, State, Workspace};
use poinsot_core::model::{JointKind, Model};
use poinsot_formats::{
    EqualityKind, JointType, LoadOptions, Loaded, Role, Severity, Shape, load_text, load_with, to_mjcf,
    to_urdf,
};

fn load(text: &str) -> Loaded {
    load_text("robot.urdf", text, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// The report of a robot, whether it loads or not.
fn report(text: &str) -> String {
    match load_text("robot.urdf", text, &LoadOptions::default()) {
        Ok(loaded) => loaded.report.to_string(),
        Err(error) => error.report.to_string(),
    }
}

#[track_caller]
fn says(text: &str, parts: &[&str]) {
    let report = report(text);
    for part in parts {
        assert!(report.contains(part), "\"{part}\" is not in:\n{report}");
    }
}

#[track_caller]
fn fails(text: &str, parts: &[&str]) {
    assert!(load_text("robot.urdf", text, &LoadOptions::default()).is_err());
    says(text, parts);
}

fn link(name: &str) -> String {
    format!(
        r#"<link name="{name}"><inertial><origin xyz="0.1 -0.2 0.3" rpy="0.3 0.2 0.1"/><mass value="2"/>
        <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial></link>"#
    )
}

fn joint(name: &str, kind: &str, parent: &str, child: &str, more: &str) -> String {
    format!(
        r#"<joint name="{name}" type="{kind}"><origin xyz="0.5 0.1 -0.3" rpy="0.4 -0.7 1.1"/>
        <parent link="{parent}"/><child link="{child}"/>{more}</joint>"#
    )
}

const LIMIT: &str = r#"<axis xyz="0 2 0"/><limit lower="-1" upper="2" effort="7" velocity="3"/>"#;

/// All kinds of joints, on a tree with a fork.
fn menagerie() -> String {
    let links: String = ["base", "a", "b", "c", "d", "e", "f"].map(link).concat();
    let joints = [
        joint(
            "ja",
            "revolute",
            "base",
            "a",
            &format!("{LIMIT}<dynamics damping=\"0.5\" friction=\"0.25\"/>"),
        ),
        joint("jb", "continuous", "a", "b", "<axis xyz=\"0 0 -3\"/>"),
        joint(
            "jc",
            "prismatic",
            "a",
            "c",
            &format!("{LIMIT}<mimic joint=\"ja\" multiplier=\"-2\" offset=\"0.5\"/>"),
        ),
        joint("jd", "fixed", "c", "d", ""),
        joint("je", "planar", "d", "e", "<axis xyz=\"0 1 1\"/>"),
        joint("jf", "floating", "base", "f", ""),
    ];
    format!("<robot name=\"menagerie\">{links}{}</robot>", joints.concat())
}

/// Mass matrix and bias at a state that depends on the names of joints alone.
fn dynamics(model: &Model, order: &[&str]) -> Vec<f64> {
    let mut state = State::new(model);
    let mut places = Vec::new();
    for name in order {
        let joint = &model.joints()[model.joint(name).expect("a joint of this name").index()];
        if !matches!(joint.kind, JointKind::Free) {
            for (k, q) in joint.coordinates().enumerate() {
                state.q[q] = 0.3 + 0.1 * k as f64 + 0.01 * f64::from(name.as_bytes()[1]);
            }
        }
        for (k, v) in joint.dofs().enumerate() {
            state.v[v] = 1.0 - 0.2 * k as f64;
            places.push(v);
        }
    }
    let (mut workspace, mut mass) = (Workspace::new(model), MassMatrix::new(model));
    workspace.mass_matrix(model, &state.q, &mut mass);
    let dense = mass.dense();
    let mut bias = vec![0.0; model.nv()];
    workspace.bias(model, &state.q, &state.v, &mut bias);
    let rows = places.iter().flat_map(|i| places.iter().map(|j| dense[(*i, *j)]).collect::<Vec<_>>());
    rows.chain(places.iter().map(|i| bias[*i])).collect()
}

#[track_caller]
fn near(a: &[f64], b: &[f64]) {
    let scale = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() < 1e-12 * scale, "{x} {y}");
    }
}

#[test]
fn every_kind_of_joint() {
    let loaded = load(&menagerie());
    let d = &loaded.description;
    assert_eq!(d.name, "menagerie");
    let names: Vec<&str> = d.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(
        names,
        ["world", "base", "a", "b", "c", "d", "e", "f"],
        "depth first, in the order of the joints"
    );
    let joints: Vec<_> = d.joints().map(|(_, j)| j.clone()).collect();
    let kinds: Vec<JointType> = joints.iter().map(|j| j.kind).collect();
    use JointType::{Free, Hinge, Planar, Slide};
    assert_eq!(kinds, [Hinge, Hinge, Slide, Planar, Free]);
    assert_eq!((loaded.model.nq(), loaded.model.nv()), (13, 12));
    assert_eq!((joints[0].axis, joints[1].axis), (V3::Y, -V3::Z), "axes of length 1");
    assert_eq!((joints[0].range, joints[1].range), (Some((-1.0, 2.0)), None));
    assert_eq!(joints[0].effort_and_velocity, Some((7.0, 3.0)));
    assert_eq!((joints[0].damping, joints[0].friction_loss), (0.5, 0.25));
    assert_eq!(d.bodies[2].pose.pos, V3::new(0.5, 0.1, -0.3));
    let coupling =
        EqualityKind::Joint { joint1: 2, joint2: Some(0), coefficients: [0.5, -2.0, 0.0, 0.0, 0.0] };
    assert_eq!(d.equalities[0].kind, coupling);
    let warnings = loaded.report.diagnostics().iter().filter(|d| d.severity == Severity::Warning);
    let lines: Vec<&str> = warnings.map(|d| d.message.as_str()).collect();
    assert_eq!(lines, ["not simulated: effort limits (2 joints), velocity limits (2 joints)"]);
}

#[test]
fn roll_pitch_yaw_turn_about_fixed_axes() {
    let text = format!(
        r#"<robot name="r"><link name="a"/>{}<joint name="j" type="continuous">
        <origin rpy="1.5707963267948966 0 1.5707963267948966"/><parent link="a"/><child link="b"/></joint></robot>"#,
        link("b")
    );
    let loaded = load(&text);
    let pose = loaded.description.bodies[2].pose;
    // first about x: y to z; then about z: x to y
    assert!((pose.rot * V3::X - V3::Y).norm() < 1e-15 && (pose.rot * V3::Y - V3::Z).norm() < 1e-15);
    assert_eq!(loaded.description.bodies[2].joints[0].axis, V3::X, "the axis when none is given");
    let i = loaded.description.bodies[2].inertia;
    assert_eq!((i.mass, i.com()), (2.0, V3::new(0.1, -0.2, 0.3)));
    assert!((i.about_com().trace() - 0.09).abs() < 1e-15);
}

#[test]
fn merged_and_unmerged_have_the_same_dynamics() {
    let order = ["ja", "jb", "jc", "je", "jf"];
    let whole = load(&menagerie());
    let merged =
        load_text("r.urdf", &menagerie(), &LoadOptions { merge_fixed: true, ..Default::default() }).unwrap();
    assert_eq!(merged.description.bodies.len() + 1, whole.description.bodies.len());
    near(&dynamics(&whole.model, &order), &dynamics(&merged.model, &order));
}

#[test]
fn a_floating_base_is_a_free_joint_above_the_same_robot() {
    let options = LoadOptions { floating_base: true, ..Default::default() };
    let floating = load_text("r.urdf", &menagerie(), &options).unwrap();
    assert_eq!(floating.model.nv(), 18);
    let order = ["root_joint", "ja", "jb", "jc", "je", "jf"];
    let all = dynamics(&floating.model, &order);
    let fixed = dynamics(&load(&menagerie()).model, &order[1..]);
    // the block of the joints below
    let below: Vec<f64> = (6..18).flat_map(|i| all[18 * i + 6..18 * i + 18].to_vec()).collect();
    near(&fixed[..144], &below);
    assert!((all[0] - 14.0).abs() < 1e-12, "the mass of seven links moves with the base");
}

#[test]
fn written_files_read_back_with_the_same_dynamics() {
    let whole = load(&menagerie());
    let order = ["ja", "jb", "jc", "je", "jf"];
    let before = dynamics(&whole.model, &order);
    let (text, losses) = to_urdf(&whole.description);
    assert!(losses.diagnostics().is_empty(), "{losses}");
    let again = load(&text);
    near(&before, &dynamics(&again.model, &order));
    assert_eq!(again.description.equalities[0].kind, whole.description.equalities[0].kind);
    assert_eq!(to_urdf(&again.description).0, text, "written twice, the same");
    // MJCF has no planar joint and no free joints inside
    let tree = menagerie()
        .replace("type=\"planar\"", "type=\"continuous\"")
        .replace("type=\"floating\"", "type=\"fixed\"");
    let whole = load(&tree);
    let (text, losses) = to_mjcf(&whole.description);
    let again = load_text("r.xml", &text, &LoadOptions::default()).unwrap();
    near(&dynamics(&whole.model, &order[..4]), &dynamics(&again.model, &order[..4]));
    assert_eq!(again.description.equalities[0].kind, whole.description.equalities[0].kind);
    assert!(
        losses.to_string().contains("MJCF has no greatest speed of a joint (2 times): \"ja\", \"jc\""),
        "{losses}"
    );
}

#[test]
fn anchors_references_and_several_joints_become_a_chain_of_links() {
    let mjcf = r#"<mujoco><compiler angle="radian"/><worldbody><body name="arm" pos="1 2 3" euler="0.1 0.2 0.3">
        <joint name="j1" axis="1 2 3" pos="0.1 0.2 0.3" ref="0.4"/>
        <joint name="j2" type="slide" axis="0 1 1" ref="-0.3" range="-1 1"/>
        <joint name="j3" axis="0 0 1" pos="-0.2 0 0.1"/>
        <geom type="box" size="0.1 0.2 0.3" pos="0.1 0.1 0"/>
        <body name="hand" pos="0 0 1"><joint name="j4" pos="0 0.1 0" axis="0 1 0" armature="0.5"/>
        <geom type="capsule" fromto="0 0 0 0 0.3 1" size="0.05"/></body></body></worldbody>
        <equality><joint joint1="j4" joint2="j1" polycoef="0.1 2 0 0 0"/></equality></mujoco>"#;
    let loaded = load_text("arm.xml", mjcf, &LoadOptions::default()).unwrap();
    let (text, losses) = to_urdf(&loaded.description);
    let again = load(&text);
    assert_eq!(again.model.bodies().len(), 1 + 1 + 2 + 2, "the world twice, and two links of a chain");
    let order = ["j1", "j2", "j3", "j4"];
    let mut before = dynamics(&loaded.model, &order);
    before[15] -= 0.5; // the armature
    near(&before, &dynamics(&again.model, &order));
    assert!(losses.to_string().contains("URDF has no rotor inertias (armature): \"j4\""), "{losses}");
    let EqualityKind::Joint { coefficients, .. } = again.description.equalities[0].kind else { panic!() };
    assert!((coefficients[0] - (0.1 - 2.0 * 0.4)).abs() < 1e-15, "references are in the offset");
}

#[test]
fn shapes_materials_and_mesh_files() {
    let folder = std::env::temp_dir().join(format!("poinsot-urdf-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("my_robot/urdf")).unwrap();
    std::fs::create_dir_all(folder.join("my_robot/meshes")).unwrap();
    std::fs::write(folder.join("my_robot/meshes/a.stl"), "solid").unwrap();
    let text = r#"<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material><link name="a">
        <visual name="v"><origin xyz="1 0 0"/><geometry><mesh filename="package://my_robot/meshes/a.stl" scale="2 2 2"/></geometry>
          <material name="red"/></visual>
        <collision><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision>
        <visual><geometry><mesh filename="../meshes/a.stl"/></geometry><material name="late"/></visual>
        <visual><geometry><mesh filename="package://other/b.dae"/></geometry><material name="none"/></visual>
        <visual><geometry><capsule radius="0.1" length="1"/></geometry><material name="late"><color rgba="0 1 0 1"/></material></visual>
        <visual><geometry><box size="1 2"/></geometry></visual><collision/></link></robot>"#;
    let path = folder.join("my_robot/urdf/r.urdf");
    std::fs::write(&path, text).unwrap();
    let loaded = load_with(&path, &LoadOptions::default()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let geoms = &loaded.description.bodies[1].geoms;
    assert_eq!((geoms.len(), geoms[0].geom.role, geoms[1].geom.role), (5, Role::Visual, Role::Collision));
    assert_eq!(geoms[1].geom.shape, Shape::Cylinder { radius: 0.1, length: 0.4 });
    assert_eq!(
        (geoms[0].geom.rgba, geoms[2].geom.rgba),
        (Some([1.0, 0.0, 0.0, 1.0]), Some([0.0, 1.0, 0.0, 1.0]))
    );
    let Shape::Mesh(mesh) = &geoms[0].geom.shape else { panic!() };
    assert!(mesh.file().unwrap().ends_with("my_robot/meshes/a.stl"));
    assert_eq!(mesh.scale, V3::new(2.0, 2.0, 2.0));
    let report = loaded.report.to_string();
    for part in [
        "r.urdf:6:33: warning[urdf::missing-mesh]: there is no mesh file \"package://other/b.dae\"",
        "looked for ",
        "r.urdf:6:78: warning[urdf::unknown-material]: no material \"none\" is defined",
        "r.urdf:8:32: warning[urdf::bad-number]: `size`: expected 3 numbers, got 2",
        "r.urdf:8:64: warning[urdf::no-shape]: <collision> has no shape",
    ] {
        assert!(report.contains(part), "\"{part}\" is not in:\n{report}");
    }
}

#[test]
fn negative_sizes_are_errors() {
    for (shape, wanted) in [
        ("<sphere radius=\"-1\"/>", "robot.urdf:2:45: error[urdf::negative]: `radius` of <sphere> has -1"),
        ("<cylinder radius=\"1\" length=\"-2\"/>", "`length` of <cylinder> has -2"),
        ("<box size=\"1 -3 1\"/>", "`size` of <box> has -3"),
    ] {
        let link = format!("<link name=\"a\"><collision><geometry>{shape}</geometry></collision></link>");
        fails(&robot(&link), &[wanted]);
    }
}

fn robot(content: &str) -> String {
    format!("<robot name=\"r\">\n{content}\n</robot>")
}

#[test]
fn trees_that_are_none() {
    fails("<robot name=\"r\"/>", &["robot.urdf:1:1: error[urdf::no-link]: the robot has no link"]);
    let two = robot("<link name=\"a\"/><link name=\"b\"/><link name=\"a\"/>");
    fails(
        &two,
        &[
            "robot.urdf:2:39: error[urdf::duplicate-name]: two links are named \"a\"; the first is at robot.urdf:2:7",
        ],
    );
    fails(
        &robot("<link name=\"a\"/>\n<link name=\"b\"/>"),
        &[
            "robot.urdf:3:1: error[urdf::several-roots]: 2 links have no joint above them, but one root is allowed: \"a\", \"b\"",
        ],
    );
    let short = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"{name}\" type=\"fixed\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>\n"
        )
    };
    let links = "<link name=\"upper\"/><link name=\"lower\"/><link name=\"hand\"/>\n";
    let misspelt = robot(&format!("{links}{}{}", short("j", "upper", "lowr"), short("j", "lower", "hand")));
    fails(
        &misspelt,
        &[
            "robot.urdf:3:59: error[urdf::unknown-link]: there is no link \"lowr\" to be the child",
            "help: did you mean \"lower\"?",
            "robot.urdf:4:8: error[urdf::duplicate-name]: two joints are named \"j\"",
        ],
    );
    let cycle = robot(&format!("{links}{}{}", short("j", "lower", "hand"), short("k", "hand", "lower")));
    fails(
        &cycle,
        &[
            "error[urdf::cycle]: the joints make a cycle of links: \"hand\" → \"lower\" → \"hand\"",
            "cut the cycle",
        ],
    );
    let twice = robot(&format!(
        "{links}{}{}{}",
        short("j", "upper", "lower"),
        short("k", "upper", "hand"),
        short("l", "lower", "hand")
    ));
    fails(
        &twice,
        &[
            "robot.urdf:5:59: error[urdf::two-parents]: link \"hand\" is the child of two joints, \"k\" and \"l\"",
        ],
    );
}

#[test]
fn attributes_that_are_wrong() {
    fails(
        &robot("<link/>"),
        &["robot.urdf:2:1: error[urdf::missing-attribute]: <link> has no attribute `name`"],
    );
    let with = |kind: &str, more: &str| {
        robot(&format!(
            "{}{}<joint name=\"j\" type=\"{kind}\">\n<parent link=\"a\"/><child link=\"b\"/>{more}</joint>",
            link("a"),
            link("b")
        ))
    };
    fails(
        &with("fixed", "<origin xyz=\"1 2\"/>"),
        &[":5:44: error[urdf::bad-number]: `xyz`: expected 3 numbers, got 2"],
    );
    fails(&with("fixed", "<origin xyz=\"1 2 x\"/>"), &["`xyz` has \"x\", which is not a number"]);
    fails(&with("fixed", "<origin rpy=\"0 nan 0\"/>"), &["`rpy` has \"nan\", which is not a number"]);
    fails(
        &with("continuous", "<axis xyz=\"0 0 0\"/>"),
        &[":5:42: error[urdf::zero-axis]: the axis has no direction"],
    );
    fails(
        &with("revolut", ""),
        &[
            "error[urdf::unknown-joint-type]: there is no joint type \"revolut\"",
            "did you mean \"revolute\"?",
        ],
    );
    says(
        &with("revolute", ""),
        &["warning[urdf::no-limit]: joint \"j\" has no <limit>: it is treated as unlimited"],
    );
    says(&with("revolute", "<limit effort=\"1\" velocity=\"1\"/>"), &["has neither `lower` nor `upper`"]);
    says(
        &with("revolute", "<limit lower=\"1\" upper=\"-1\"/>"),
        &["warning[urdf::empty-range]: `lower` 1 of joint \"j\" is above `upper` -1"],
    );
    says(
        &with("continuous", "<dynamics damping=\"-1\"/>"),
        &["warning[urdf::negative]: `damping` is -1, which is negative: 0 is taken"],
    );
    says(
        &with("continuous", "<mimic joint=\"k\"/>"),
        &["warning[urdf::unknown-joint]: joint \"j\" mimics \"k\", which does not exist"],
    );
    says(
        &with("continuous", "<dynamics dampng=\"1\"/>"),
        &[
            ":5:46: warning[urdf::unknown-attribute]: <dynamics> has no attribute `dampng`",
            "did you mean `damping`?",
        ],
    );
    says(
        &with("continuous", "<dinamics/>"),
        &[
            "warning[urdf::unknown-element]: there is no element <dinamics> in <joint>",
            "did you mean <dynamics>?",
        ],
    );
    let extended = with("continuous", "<safety_controller k_velocity=\"1\"/><calibration rising=\"0\"/>");
    let extended = extended.replace("</robot>", "<gazebo/><gazebo/><transmission/></robot>");
    says(
        &extended,
        &[
            "note[urdf::not-simulated]: <gazebo> elements, 2 of them, are not simulated",
            "note[urdf::not-simulated]: <safety_controller> element is not simulated",
            "<transmission>",
            "<calibration>",
        ],
    );
}

#[test]
fn impossible_inertias_are_kept_and_told_with_a_repair() {
    let with = |mass: &str, moments: &str| {
        robot(&format!(
            "<link name=\"a\"><inertial><mass value=\"{mass}\"/>\n  <inertia {moments}/></inertial></link>"
        ))
    };
    let flat = with("1", "ixx=\"1\" iyy=\"1\" izz=\"3\"");
    says(
        &flat,
        &[
            "robot.urdf:3:3: warning[urdf::impossible-inertia]: link \"a\": the principal moments of inertia 1, 1, 3 kg m² break \
         the triangle inequality 3 ≤ 1 + 1",
            "The nearest possible inertia is ixx=\"1.5",
        ],
    );
    assert!(!report(&flat).contains("model::defect"), "told once");
    assert_eq!(load(&flat).description.bodies[1].inertia.rotational.zz, 3.0);
    says(&with("1", "ixx=\"-1\" iyy=\"1\" izz=\"1\""), &["the principal moment of inertia -1 is negative"]);
    says(&with("0", "ixx=\"1\" iyy=\"1\" izz=\"1\""), &["the mass is 0 but the inertia is not"]);
    fails(
        &with("-1", "ixx=\"1\" iyy=\"1\" izz=\"1\""),
        &["robot.urdf:2:26: error[urdf::negative-mass]: link \"a\": the mass -1 kg is negative"],
    );
    fails(&with("nan", "ixx=\"1\" iyy=\"1\" izz=\"1\""), &["`value` has \"nan\""]);
    fails(
        &with("1", "ixx=\"1\" iyy=\"1\""),
        &["robot.urdf:3:3: error[urdf::missing-attribute]: <inertia> has no attribute `izz`"],
    );
    assert_eq!(report(&with("1", "ixx=\"0\" iyy=\"0\" izz=\"0\"")), "", "a point is possible");
    // the repair is possible indeed
    let told = report(&flat);
    let start = told.find("ixx=\"1.5").unwrap();
    let repaired = with("1", told[start..].trim_end());
    assert_eq!(report(&repaired), "");
}

#[test]
fn a_link_may_be_called_world_and_chains_may_be_long() {
    let text =
        robot(&format!("<link name=\"world\"/>{}{}", link("b"), joint("j", "continuous", "world", "b", "")));
    let loaded = load(&text);
    assert_eq!(loaded.description.bodies[1].name, "world");
    assert_eq!(loaded.model.bodies()[1].name, "world_");
    let links: String = (0..20_000).map(|k| link(&format!("l{k}"))).collect();
    let joints: String = (1..20_000)
        .map(|k| joint(&format!("j{k}"), "continuous", &format!("l{}", k - 1), &format!("l{k}"), ""))
        .collect();
    assert_eq!(load(&robot(&(links + &joints))).model.nv(), 19_999);
}

/// Files with bytes changed, cut and repeated: a model or a report, never a panic; and what loads can be written.
#[test]
fn damaged_files_do_not_panic() {
    let mut seed = 7u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    };
    let whole = menagerie().into_bytes();
    let mut written = 0;
    for _ in 0..1000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random(3) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes[at] = b"0123456789-. <>/\"abcxyz"[random(22)],
                1 => bytes[at] = b'9',
                2 => {
                    let piece = bytes[at..(at + 30).min(bytes.len())].to_vec();
                    bytes.splice(at..at, piece);
                }
                _ => {
                    let end = (at + random(60)).min(bytes.len());
                    bytes.drain(at..end);
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let options =
            LoadOptions { floating_base: random(2) == 0, merge_fixed: random(2) == 0, ..Default::default() };
        if let Ok(loaded) = load_text("r.urdf", &text, &options) {
            let _ = to_mjcf(&loaded.description);
            let (again, _) = to_urdf(&loaded.description);
            load_text("again.urdf", &again, &LoadOptions::default())
                .unwrap_or_else(|e| panic!("{e}\n{text}\n{again}"));
            written += 1;
        }
    }
    assert!(written > 100, "{written}");
}

#[test]
fn a_second_element_where_one_belongs_is_told() {
    let text = "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/>\n\
                <child link='b'/><origin xyz='1 0 0'/><origin xyz='2 0 0'/></joint></robot>";
    let loaded = poinsot_formats::load_text("r.urdf", text, &Default::default()).expect("a robot");
    let said = loaded.report.to_string();
    assert!(
        said.contains("r.urdf:2:39: warning[urdf::repeated-element]: <joint> has a second <origin>"),
        "{said}"
    );
    assert_eq!(loaded.model.bodies()[2].pose.pos.x, 1.0);
}

#[test]
fn an_attribute_that_every_joint_has_is_said_once() {
    let joint = |k: usize| {
        format!(
            r#"<link name="l{k}"/><joint name="j{k}" type="fixed"><parent link="base"/><child link="l{k}"/>
            <dynamics damping="1" stiction="2"/></joint>"#
        )
    };
    let joints: String = (0..5).map(joint).collect();
    let text = format!(r#"<robot name="r"><link name="base"/>{joints}</robot>"#);
    let loaded = load_text("r.urdf", &text, &LoadOptions::default()).unwrap();
    let said: Vec<&str> = loaded.report.diagnostics().iter().map(|d| d.message.as_str()).collect();
    let of_it: Vec<&&str> = said.iter().filter(|m| m.contains("stiction")).collect();
    assert_eq!(of_it, [&"<dynamics> has no attribute `stiction`: it is not read (5 times)"]);
}

#[test]
fn a_file_may_end_as_strings_of_c_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.urdf");
    std::fs::write(&path, "<robot name=\"r\"><link name=\"base\"/></robot>\r\n\0").unwrap();
    assert_eq!(poinsot_formats::load(&path).unwrap().model.name(), "r");
}

/// Collision meshes of links that move are hulls, which is noted once; terrain and what is declared concave keep their triangles,
/// also when they are written and read again.
#[test]
fn collision_meshes_that_move_are_hulls() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("m.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    )
    .unwrap();
    let mesh = |more: &str| {
        format!(r#"<collision {more}><geometry><mesh filename="m.obj"/></geometry></collision>"#)
    };
    let text = format!(
        r#"<robot name="r"><link name="base">{0}</link><link name="arm">{0}{1}
           <visual><geometry><mesh filename="m.obj"/></geometry></visual></link><link name="tool">{0}</link>
           <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
           <joint name="k" type="fixed"><parent link="arm"/><child link="tool"/></joint></robot>"#,
        mesh(""),
        mesh("concave='yes'"),
    );
    let path = folder.path().join("r.urdf");
    let words = |loaded: &poinsot_formats::Loaded| -> Vec<&'static str> {
        loaded.description.geoms().map(|(_, g)| g.geom.shape.word()).collect()
    };
    std::fs::write(&path, &text).unwrap();
    let loaded = poinsot_formats::load(&path).unwrap();
    assert_eq!(words(&loaded), ["mesh", "hull", "mesh", "mesh", "hull"]);
    let said = loaded.report.to_string();
    assert!(said.contains("2 collision meshes of links that move touch as their convex hulls"), "{said}");
    std::fs::write(&path, poinsot_formats::to_urdf(&loaded.description).0).unwrap();
    assert_eq!(words(&poinsot_formats::load(&path).unwrap()), words(&loaded));
}

/// Moments of round-off are those of a point, and nothing is said of them; those of a body that cannot be are told.
#[test]
fn moments_of_round_off_are_no_fault() {
    let said = |moment: &str| {
        let text = format!(
            r#"<robot name="r"><link name="a"><inertial><mass value="0.5"/><inertia ixx="-{moment}" iyy="0" izz="{moment}" ixy="0" ixz="0" iyz="0"/>
               </inertial></link></robot>"#
        );
        let loaded =
            load_text("r.urdf", &text, &LoadOptions { floating_base: true, ..LoadOptions::default() });
        loaded.unwrap().report.to_string()
    };
    assert!(!said("2.4e-20").contains("moment of inertia"), "{}", said("2.4e-20"));
    assert!(said("2.4e-9").contains("moment of inertia"), "{}", said("2.4e-9"));
}

#[test]
fn a_xacro_template_is_told_from_a_robot() {
    fails(
        r#"<robot name="r"><xacro:macro name="leg"/><link name="a"/></robot>"#,
        &["unknown namespace prefix 'xacro'", "expand it with `xacro FILE > robot.urdf`"],
    );
    fails(
        r#"<robot name="r"><link name="a"><inertial><mass value="${mass}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#,
        &["\"${mass}\", which is not a number", "expand it with `xacro FILE > robot.urdf`"],
    );
}
