//! MJCF: what is read, and what is said of what cannot be.
#![allow(clippy::unwrap_used)]

use poinsot_core::algebra::V3;
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::model::{BodyId, JointKind};
use poinsot_formats::{Loaded, Severity, Shape, Target, load, load_text};

fn read(text: &str) -> Loaded {
    load_text("m.xml", text, &Default::default()).unwrap_or_else(|e| panic!("{e}"))
}
fn world(inside: &str) -> Loaded {
    read(&format!("<mujoco><worldbody>{inside}</worldbody></mujoco>"))
}
fn refused(text: &str) -> String {
    match load_text("m.xml", text, &Default::default()) {
        Ok(loaded) => panic!("accepted: {:?}", loaded.model.name()),
        Err(error) => error.to_string(),
    }
}
fn near(a: V3, b: V3) {
    assert!((a - b).norm() < 1e-14, "{a:?} {b:?}");
}
fn position(loaded: &Loaded, body: &str) -> V3 {
    let state = State::new(&loaded.model);
    let id = loaded.model.body(body).unwrap();
    Workspace::new(&loaded.model).at(&loaded.model, &state).pose(id).pos
}

#[test]
fn the_five_orientations_agree() {
    let half = 0.5_f64.sqrt();
    for way in [
        format!("quat='{half} 0 0 {half}'"),
        "axisangle='0 0 2 90'".into(),
        "euler='0 0 90'".into(),
        "xyaxes='0 2 0 -1 5 0'".into(),
    ] {
        let loaded = world(&format!(
            "<body name='a' {way}><body name='b' pos='1 0 0'><joint/><geom size='.1'/></body></body>"
        ));
        near(position(&loaded, "b"), V3::Y);
    }
    let loaded = world(
        "<body name='a' zaxis='0 -3 0'><body name='b' pos='0 1 1'><joint/><geom size='.1'/></body></body>",
    );
    // the turn that takes z to −y takes y to z
    near(position(&loaded, "b"), V3::new(0.0, -1.0, 1.0));
}

#[test]
fn angles_are_degrees_unless_the_compiler_says_otherwise() {
    let joint = "<body><joint range='-90 90' ref='45' springref='30'/><geom size='.1'/></body>";
    let loaded = world(joint);
    let j = &loaded.model.joints()[0];
    assert!(
        (j.limits.unwrap().1 - 90f64.to_radians()).abs() < 1e-15
            && (j.reference - 45f64.to_radians()).abs() < 1e-15
    );
    let loaded = read(&format!("<mujoco><compiler angle='radian'/><worldbody>{joint}</worldbody></mujoco>"));
    assert_eq!(loaded.model.joints()[0].reference, 45.0);
    // a slide has no angle
    let loaded = world("<body><joint type='slide' range='-90 90'/><geom size='.1'/></body>");
    assert_eq!(loaded.model.joints()[0].limits, Some((-90.0, 90.0)));
}

#[test]
fn euler_sequences_move_or_stand() {
    let body =
        "<body name='a' euler='90 90 0'><body name='b' pos='0 0 1'><joint/><geom size='.1'/></body></body>";
    let with = |sequence: &str| {
        let text = format!("<mujoco><compiler eulerseq='{sequence}'/><worldbody>{body}</worldbody></mujoco>");
        position(&read(&text), "b")
    };
    near(with("xyz"), V3::X); // turned about the moved y: R_x R_y z
    near(with("XYZ"), V3::new(0.0, -1.0, 0.0)); // R_y R_x z
}

#[test]
fn defaults_nest_and_lists_are_filled_from_the_front() {
    let loaded = read(
        "<mujoco><default><geom friction='.1 .2 .3' rgba='1 0 0 1'/>
           <default class='wide'><geom size='.5 .6 .7'/><default class='blue'><geom rgba='0 0 1 1'/></default></default>
         </default><worldbody>
           <body childclass='wide'><joint/><geom type='box' size='.1' friction='.9'/><geom class='blue' type='box'/></body>
         </worldbody></mujoco>",
    );
    let geoms = &loaded.description.bodies[1].geoms;
    assert_eq!(geoms[0].geom.material.friction, [0.9, 0.2, 0.3]);
    assert_eq!(geoms[0].geom.shape, Shape::Box { size: V3::new(0.2, 1.2, 1.4) });
    assert_eq!(
        (geoms[1].geom.rgba, geoms[1].geom.material.friction),
        (Some([0.0, 0.0, 1.0, 1.0]), [0.1, 0.2, 0.3])
    );
}

#[test]
fn frames_and_replicas_are_expanded() {
    let loaded = world(
        "<frame pos='1 0 0' euler='0 0 90'><body name='a' pos='1 0 0'><joint axis='1 0 0'/><geom size='.1'/></body></frame>
         <body name='b'><frame euler='0 0 90'><joint type='slide' axis='1 0 0' pos='1 0 0'/></frame><geom size='.1'/></body>
         <replicate count='3' offset='0 0 2' euler='0 0 90'>
           <body name='c' pos='1 0 0'><joint name='j'/><geom size='.1'/></body>
         </replicate>",
    );
    near(position(&loaded, "a"), V3::new(1.0, 1.0, 0.0));
    let JointKind::Prismatic { axis } = loaded.model.joints()[1].kind else { panic!() };
    near(axis, V3::Y);
    near(loaded.model.joints()[1].anchor, V3::Y);
    near(position(&loaded, "c1"), V3::new(0.0, 1.0, 2.0));
    near(position(&loaded, "c2"), V3::new(-1.0, 0.0, 4.0));
    assert!(loaded.model.joint("j2").is_some());
}

#[test]
fn inertia_from_geoms_or_given() {
    let geom = "<geom type='box' size='.05 .05 .05' density='8000'/>";
    let given = "<inertial pos='0 0 1' mass='2' diaginertia='1 1 1'/>";
    let with = |compiler: &str, body: &str| {
        let text = format!(
            "<mujoco><compiler {compiler}/><worldbody><body><joint/>{body}</body></worldbody></mujoco>"
        );
        read(&text).model.bodies()[1].inertia
    };
    let both = format!("{geom}{given}");
    assert!((with("", geom).mass - 8.0).abs() < 1e-12);
    assert_eq!(with("", &both).mass, 2.0);
    assert!((with("inertiafromgeom='true'", &both).mass - 8.0).abs() < 1e-12);
    assert!((with("settotalmass='3'", geom).mass - 3.0).abs() < 1e-12);
    assert_eq!(with("boundmass='100'", geom).mass, 100.0);
    let unbalanced = "<inertial pos='0 0 0' mass='2' diaginertia='1 2 6'/>";
    assert_eq!(with("balanceinertia='true'", unbalanced).principal_moments(), [3.0; 3]);
    let bounded = with("boundinertia='.5'", "<inertial pos='1 0 0' mass='1' diaginertia='.1 .2 .7'/>");
    assert_eq!((bounded.principal_moments(), bounded.com()), ([0.5, 0.5, 0.7], V3::X));
    // a geom outside of the groups that count
    let grouped = "<geom size='.1' group='4' mass='7'/><geom size='.1' mass='1'/>";
    assert!((with("inertiagrouprange='0 2'", grouped).mass - 1.0).abs() < 1e-15);
}

#[test]
fn shells_of_simple_shapes_agree_with_thin_walls() {
    // a wall of thickness e is the difference of two solids; its inertia over e tends to that of the shell
    let of = |geom: &str| world(&format!("<body><joint/>{geom}</body>")).model.bodies()[1].inertia;
    let e = 1e-5;
    for (kind, size, outer, area) in [
        ("sphere", "1", format!("{}", 1.0 + e), 12.566_370_614_359_172),
        ("cylinder", "1 2", format!("{} {}", 1.0 + e, 2.0 + e), 31.415_926_535_897_93),
        ("capsule", "1 2", format!("{} 2", 1.0 + e), 37.699_111_843_077_52),
        ("box", "1 2 3", format!("{} {} {}", 1.0 + e, 2.0 + e, 3.0 + e), 88.0),
    ] {
        let shell = of(&format!("<geom type='{kind}' size='{size}' shellinertia='true' density='1'/>"));
        assert!((shell.mass - area).abs() < 1e-12 * area, "{kind} {}", shell.mass);
        let density = 1.0 / e;
        let solid = |size: &str| of(&format!("<geom type='{kind}' size='{size}' density='{density}'/>"));
        let (big, small) = (solid(&outer), solid(size));
        for (s, (b, c)) in
            shell.rotational.array().iter().zip(big.rotational.array().iter().zip(small.rotational.array()))
        {
            assert!((s - (b - c)).abs() < 1e-3 * area, "{kind}: {s} {}", b - c);
        }
    }
}

#[test]
fn actuators_become_the_general_form() {
    let loaded = read(
        "<mujoco><default><motor ctrlrange='-1 1'/></default><worldbody><body>
           <joint name='j' range='-90 90'/><geom size='.1'/></body></worldbody>
         <tendon><fixed name='t'><joint joint='j' coef='.5'/></fixed></tendon>
         <actuator><motor joint='j' gear='30'/><position name='p' joint='j' kp='20' kv='3' inheritrange='1'/>
           <velocity tendon='t' kv='4'/><cylinder joint='j' diameter='2' timeconst='.1' bias='1 2 3'/>
           <damper joint='j' kv='5' ctrlrange='0 1'/><intvelocity joint='j' kp='7' actrange='-2 2'/>
           <general joint='j' gainprm='2' biastype='affine' biasprm='0 -2'/></actuator></mujoco>",
    );
    let a = &loaded.description.actuators;
    assert_eq!((a[0].gear[0], a[0].control_range), (30.0, Some((-1.0, 1.0))));
    assert_eq!((a[1].gain_parameters[0], &a[1].bias_parameters[..3]), (20.0, &[0.0, -20.0, -3.0][..]));
    assert!((a[1].control_range.unwrap().1 - 90f64.to_radians()).abs() < 1e-15);
    assert_eq!((a[2].gain_parameters[0], a[2].bias_parameters[2]), (4.0, -4.0));
    assert_eq!((a[3].dynamics.as_str(), a[3].gain_parameters[0]), ("filter", std::f64::consts::PI));
    assert_eq!((a[4].gain.as_str(), a[4].gain_parameters[2]), ("affine", -5.0));
    assert_eq!((a[5].dynamics.as_str(), a[5].activation_range), ("integrator", Some((-2.0, 2.0))));
    assert_eq!((a[6].gain_parameters[0], a[6].bias_parameters[1]), (2.0, -2.0));
    assert_eq!(loaded.model.actuators().len(), 7);
}

#[test]
fn a_joint_may_stand_after_the_bodies_below() {
    let loaded = read(
        "<mujoco><worldbody><body><body><joint name='inner'/><geom size='.1'/></body>
           <joint name='outer' type='slide'/><geom size='.1'/></body></worldbody>
         <actuator><motor name='m' joint='outer'/></actuator></mujoco>",
    );
    assert_eq!(loaded.model.joints()[0].name, "outer");
    let Target::Joint { joint, .. } = loaded.description.actuators[0].target else { panic!() };
    assert_eq!(joint, 0);
}

#[test]
fn what_is_not_simulated_is_said_once_a_kind() {
    let loaded = read(
        "<mujoco><worldbody><body name='a'><joint name='j' range='-1 1' frictionloss='1'/><geom size='.1'/><site name='s'/></body>
         <body name='b' pos='1 0 0'><joint name='k' range='-1 1'/><geom size='.1'/></body></worldbody>
         <equality><joint joint1='j' joint2='k' active='false'/></equality><sensor><jointpos joint='j'/><clock/><magnetometer name='eye' site='s'/><magnetometer site='s'/></sensor></mujoco>",
    );
    let notes: Vec<&str> = loaded
        .report
        .diagnostics()
        .iter()
        .filter(|d| d.severity == Severity::Note)
        .map(|d| d.message.as_str())
        .collect();
    for wanted in ["equality", "magnetometer sensor \"eye\" and 1 more"] {
        assert_eq!(notes.iter().filter(|n| n.contains(wanted)).count(), 1, "{wanted}: {notes:?}");
    }
    let warnings = loaded.report.diagnostics().iter().filter(|d| d.severity == Severity::Warning);
    let lines: Vec<&str> = warnings.map(|d| d.message.as_str()).collect();
    assert_eq!(lines, ["not simulated: magnetometer sensors (2)"], "all of it in one line");
    let evaluated: Vec<&str> = loaded.model.sensors().iter().map(|s| s.name.as_str()).collect();
    assert_eq!(evaluated, ["sensor0", "sensor1"]);
}

#[test]
fn what_is_not_drawn_is_said_in_one_note() {
    let seen = r#"<mujoco><asset><texture type="skybox" builtin="gradient" width="8" height="8"/>
        <material name="mirror" reflectance="0.5"/><material name="lamp" emission="1"/><material name="wet" shininess="0.9"/>
        <material name="usual"/></asset><worldbody><light/><body><light pos="0 0 1"/><joint/>
        <geom size="1" material="mirror" contype="0" conaffinity="0"/></body></worldbody></mujoco>"#;
    let said = read(seen).report;
    let notes: Vec<_> = said.diagnostics().iter().filter(|d| d.code == "mjcf::not-drawn").collect();
    let all = "read, but not drawn: lights (2), skyboxes (1), reflectance (1), emission (1), specular and shininess (1)";
    assert_eq!(notes.iter().map(|d| d.message.as_str()).collect::<Vec<_>>(), [all]);
    assert_eq!(notes[0].severity, Severity::Note);
    let plain = world(r#"<body><joint/><geom size="1"/></body>"#).report;
    assert!(plain.diagnostics().iter().all(|d| d.code != "mjcf::not-drawn"));
}

#[test]
fn mistakes_have_places_and_help() {
    for (text, wanted) in [
        ("<mujoco>\n<worldbody><bdy/></worldbody></mujoco>", ["m.xml:2:12", "did you mean `body`?"]),
        (
            "<mujoco><worldbody>\n <body><joint dampng='1'/><geom size='1'/></body></worldbody></mujoco>",
            ["m.xml:2:15", "`damping`"],
        ),
    ] {
        let said = match load_text("m.xml", text, &Default::default()) {
            Ok(loaded) => loaded.report.to_string(),
            Err(error) => error.to_string(),
        };
        assert!(wanted.iter().all(|w| said.contains(w)), "{said}");
    }
    for (inside, wanted) in [
        ("<body><joint axis='0 0'/><geom size='1'/></body>", "`axis` has 2 numbers, but takes 3 numbers"),
        ("<body><joint axis='0 0 0'/><geom size='1'/></body>", "give a finite non-zero axis"),
        ("<body pos='0 x 0'/>", "\"x\" in `pos` is not a number"),
        ("<body pos='0 nan 0'/>", "not a number one can compute with"),
        ("<body pos='0 1e999 0'/>", "\"1e999\" in `pos` is infinite; give a finite number"),
        ("<geom size='nan'/>", "\"nan\" in `size` is not a number one can compute with"),
        ("<geom size='inf'/>", "\"inf\" in `size` is infinite"),
        ("<geom type='capsule' size='.1' fromto='0 0 0 0 0 nan'/>", "\"nan\" in `fromto` is not a number"),
        ("<geom size='-1'/>", "m.xml:1:26: error[mjcf::bad-size]: sphere: radius is -1"),
        ("<geom type='box' size='1 0 1' contype='0' conaffinity='0'/>", "box: y size is 0"),
        ("<site type='ellipsoid' size='1 1 -1'/>", "ellipsoid: z radius is -1"),
        ("<body><freejoint/><geom size='-1'/></body>", "radius is -1"),
        ("<body><freejoint/><geom size='.1' mass='inf'/></body>", "\"inf\" in `mass` is infinite"),
        ("<body><joint type='hing'/></body>", "did you mean `hinge`?"),
        ("<body quat='0 0 0 0'/>", "`quat` gives no direction"),
        ("<body xyaxes='1 0 0 2 0 0'/>", "`xyaxes` gives no direction"),
        ("<joint/>", "the world cannot have a joint"),
        ("<body name='a'/><body name='a'/>", "another body named \"a\""),
        ("<body><joint/><geom type='mesh' mesh='m'/></body>", "no mesh named \"m\""),
        ("<body><joint/><geom size='0'/></body>", "radius is 0"),
        ("<body><joint/><geom class='x' size='1'/></body>", "no default class named \"x\""),
        ("<body><body><freejoint/><geom size='1'/></body></body>", "this body is the child of another"),
        ("<body><freejoint/><joint/><geom size='1'/></body>", "must be the only joint"),
        ("<body><joint/><inertial mass='-1' pos='0 0 0' diaginertia='1 1 1'/></body>", "negative mass"),
        ("<composite/>", "not supported"),
        ("<body quat='1 0 0 0' euler='1 2 3'/>", "exclude each other"),
        (
            "<body><joint limited='true'/><geom size='1'/></body>",
            "`limited` is true, but there is no `range`",
        ),
        ("<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>", "the world has no inertia"),
        (
            "<body><inertial pos='0 0 0' mass='1'/><inertial pos='0 0 0' mass='2'/></body>",
            "an <inertial> already",
        ),
        (
            "<body><inertial pos='0 0 0' mass='1' quat='1 1 0 0' fullinertia='1 1 1 0 0 0'/></body>",
            "`fullinertia`",
        ),
        ("<body><joint springdamper='.3 0'/><geom size='1'/></body>", "both above 0"),
        ("<body><joint stiffness='-1'/><geom size='1'/></body>", "stiffness is -1"),
        ("<replicate count='99999999'><body/></replicate>", "not a number from 1"),
    ] {
        let said = refused(&format!("<mujoco><worldbody>{inside}</worldbody></mujoco>"));
        assert!(said.contains(wanted), "{said}");
        assert!(said.contains("m.xml:1:"), "no place: {said}");
    }
    let unread =
        refused("<mujoco><worldbody><body><freejoint/><geom size='nan'/></body></worldbody></mujoco>");
    assert!(unread.contains("`size`") && !unread.contains("radius"), "one error for one mistake: {unread}");
    assert!(refused("<mujoco><compiler coordinate='global'/></mujoco>").contains("global coordinates"));
    assert!(refused("<mujoco><option integrator='rk4'/></mujoco>").contains("did you mean `RK4`?"));
    assert!(
        refused("<mujoco><option><flag gravity='disabled'/></option></mujoco>")
            .contains("`enable` or `disable`")
    );
    let twice = "<mujoco><default><default class='a'/><default class='a'/></default></mujoco>";
    assert!(refused(twice).contains("another default class named \"a\""));
    let said =
        world("<body><joint/><geom type='sphere' size='1' fromto='0 0 0 1 1 1'/></body>").report.to_string();
    assert!(said.contains("`fromto` of a sphere has no effect"), "{said}");
    let key = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody><keyframe><key act='1'/></keyframe></mujoco>";
    assert!(read(key).report.to_string().contains("0 actuators have dynamics"));
    let said = world("<body><joint springyield='1 1'/><geom size='1'/></body>").report.to_string();
    assert!(said.contains("`springyield` of <joint> is read, but not simulated"), "{said}");
    assert!(refused("<robt/>").contains("neither MJCF nor URDF"));
    assert!(refused("<mujoco>").contains("xml::syntax"));
}

#[test]
fn impossible_inertias_are_named_with_a_repair() {
    let loaded = world("<body name='b'><joint/><inertial mass='1' pos='0 0 0' diaginertia='1 1 5'/></body>");
    let said = loaded.report.to_string();
    for wanted in ["body \"b\"", "triangle inequality 5 ≤ 1 + 1", "nearest possible inertia", "m.xml:1:"] {
        assert!(said.contains(wanted), "{said}");
    }
    assert_eq!(loaded.report.count(Severity::Warning), 1, "said once: {said}");
}

#[test]
fn includes_are_found_and_cycles_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        "parts/arm.xml",
        "<mujocoinclude><body name='arm'><include file='hinge.xml'/><geom size='.1'/></body></mujocoinclude>",
    );
    write("parts/hinge.xml", "<mujocoinclude><joint name='hinge'/></mujocoinclude>");
    write(
        "main.xml",
        "<mujoco><worldbody><include file='parts/arm.xml'/><body name='last'/></worldbody></mujoco>",
    );
    let loaded = load(folder.path().join("main.xml")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((loaded.model.nv(), loaded.model.body("last")), (1, Some(loaded.model.body("last").unwrap())));
    assert_eq!(loaded.model.body("arm").map(BodyId::index), Some(1));
    write("a.xml", "<mujoco><include file='b.xml'/></mujoco>");
    write("b.xml", "<mujoco><include file='a.xml'/></mujoco>");
    let said = load(folder.path().join("a.xml")).unwrap_err().to_string();
    assert!(said.contains("included a second time") && said.contains("b.xml:1:18"), "{said}");
    write("c.xml", "<mujoco><include file='none.xml'/></mujoco>");
    assert!(load(folder.path().join("c.xml")).unwrap_err().to_string().contains("c.xml:1:18"));
}

#[test]
fn missing_files_are_named_where_they_are() {
    let text = |body: &str| {
        format!(
            "<mujoco><asset>\n<mesh file='no/hand.stl'/><texture type='2d' file='no.png'/></asset><worldbody>{body}</worldbody></mujoco>"
        )
    };
    let inertial = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>";
    let geom = "<geom type='mesh' mesh='hand'/>";
    let said = read(&text(&format!("<body><joint/>{inertial}{geom}</body>"))).report.to_string();
    assert!(said.contains("m.xml:2:7: warning[mjcf::missing-file]: there is no file no/hand.stl"), "{said}");
    assert!(said.contains("no.png"), "{said}");
    // needed for the inertia
    let said = refused(&text(&format!("<body><joint/>{geom}</body>")));
    assert!(said.contains("m.xml:2:1: error[mjcf::bad-mesh]: cannot read no/hand.stl"), "{said}");
}

#[test]
fn springs_and_servos_given_by_what_they_do() {
    // made by MuJoCo 4.0.0 from this text: jnt_stiffness, dof_damping, actuator_biasprm[2]
    let loaded = read(
        "<mujoco><worldbody><body><joint name='a' axis='0 1 0' springdamper='.1 .5'/><geom size='.1' pos='1 0 0'/>
           <body pos='1 0 0'><joint type='ball' springdamper='.2 1'/><geom type='box' size='.1 .2 .3' pos='0 0 1'/></body>
         </body></worldbody>
         <actuator><position joint='a' kp='100' dampratio='.7' gear='2'/></actuator></mujoco>",
    );
    let joints = loaded.model.joints();
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * b.abs(), "{a} {b}");
    close(joints[0].stiffness, STIFFNESS[0]);
    close(joints[0].damping, DAMPING[0]);
    close(joints[1].stiffness, STIFFNESS[1]);
    close(joints[1].damping, DAMPING[1]);
    close(loaded.description.actuators[0].bias_parameters[2], SERVO);
}
const STIFFNESS: [f64; 2] = [20882.218146242212, 57.28320012496169];
const DAMPING: [f64; 2] = [1044.1109073121106, 22.913280049984678];
const SERVO: f64 = -50.57738351194802;

#[test]
fn flags_that_change_what_touches_are_in_the_model() {
    let of = |flags: &str| {
        read(&format!(
            "<mujoco><option o_margin='.05'><flag {flags}/></option><worldbody><geom name='f' size='.1' margin='.01'/>
             <body><freejoint/><geom name='g' size='.1'/></body></worldbody>
             <contact><pair geom1='f' geom2='g' margin='.02'/></contact></mujoco>"
        ))
    };
    let margins = |l: &Loaded| {
        let geoms = l.model.geoms().iter().map(|g| g.material.margin);
        geoms.chain(l.model.contact_pairs().iter().filter_map(|p| p.margin)).collect::<Vec<_>>()
    };
    for (flags, contact, parents, expected) in [
        ("", true, false, [0.01, 0.0, 0.02]),
        ("contact='disable'", false, false, [0.01, 0.0, 0.02]),
        ("constraint='disable'", false, false, [0.01, 0.0, 0.02]),
        ("filterparent='disable'", true, true, [0.01, 0.0, 0.02]),
        ("override='enable'", true, false, [0.05; 3]),
    ] {
        let loaded = of(flags);
        let written = poinsot_formats::to_mjcf(&loaded.description).0;
        for l in [&loaded, &read(&written)] {
            let found = (l.model.has_contact(), l.model.parents_touch(), margins(l));
            assert_eq!(found, (contact, parents, expected.to_vec()), "{flags}");
        }
    }
}

#[test]
fn actuators_on_spatial_tendons_are_said_to_do_nothing() {
    let text = r#"<mujoco><worldbody><body><joint name="h" axis="0 1 0"/><geom size="0.1"/><site name="a" pos="0.05 0 -0.1"/></body>
        <site name="b" pos="0.3 0 1"/></worldbody>
        <tendon><spatial name="rope"><site site="a"/><site site="b"/></spatial></tendon>
        <actuator><motor name="pull" tendon="rope"/><motor name="own" joint="h"/></actuator></mujoco>"#;
    let loaded = read(text);
    let said: Vec<&str> = loaded.report.diagnostics().iter().map(|d| d.message.as_str()).collect();
    assert!(said.iter().any(|m| m.contains("actuator on a spatial tendon (1)")), "{said:?}");
    assert!(said.iter().any(|m| m.contains("their controls do nothing")), "{said:?}");
    assert_eq!(loaded.model.actuators().len(), 2);
}
