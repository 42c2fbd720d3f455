//! Equalities of files are constraints of their models.
#![allow(clippy::unwrap_used)]

use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::model::{Constraint, ConstraintKind, JointKind, Mount};
use poinsot_core::spatial::{Pose, Quat};
use poinsot_formats::{Loaded, Severity, load_text, to_mjcf, to_urdf};

/// Two bodies askew, joints whose reference is not 0, sites, and tendons.
fn text(equality: &str) -> String {
    format!(
        "<mujoco><compiler angle='radian'/><worldbody>
           <body name='a' pos='.1 .2 .3' euler='.1 .2 .3'><freejoint/><geom size='.1'/>
             <site name='s' pos='.1 0 0' euler='.5 .6 .7'/><site name='s2' pos='0 .1 0'/>
             <body name='tip' pos='0 0 1'><geom size='.1'/></body></body>
           <body name='b' pos='.4 .1 .3' euler='.4 .2 .3'>
             <joint name='x' ref='.3'/><joint name='y' type='slide' axis='1 0 0' ref='.2'/><geom size='.1'/>
             <site name='t' pos='0 .2 0'/>
             <body name='c'><joint name='ball' type='ball'/><geom size='.1'/></body></body>
           <body name='still' pos='1 1 1'><geom size='.1'/></body>
         </worldbody>
         <tendon><fixed name='both'><joint joint='x' coef='2'/><joint joint='y' coef='-3'/></fixed>
           <fixed name='one'><joint joint='x' coef='.5'/></fixed>
           <spatial name='string'><site site='s'/><site site='t'/></spatial></tendon>
         <equality>{equality}</equality></mujoco>"
    )
}
fn read(text: &str) -> Loaded {
    load_text("m.xml", text, &Default::default()).unwrap_or_else(|e| panic!("{e}"))
}
fn with(equality: &str) -> Loaded {
    read(&text(equality))
}
fn only(loaded: &Loaded) -> &Constraint {
    let [constraint] = loaded.model.constraints() else { panic!("{:?}", loaded.model.constraints()) };
    assert!(constraint.softness.is_none());
    constraint
}
fn mounts(constraint: &Constraint) -> [Mount; 2] {
    match constraint.kind {
        ConstraintKind::Point { a, b } | ConstraintKind::Joint { kind: JointKind::Fixed, a, b } => [a, b],
        _ => panic!("{constraint:?}"),
    }
}
fn names(loaded: &Loaded) -> [&str; 2] {
    only(loaded).bodies().unwrap().map(|body| loaded.model.bodies()[body.index()].name.as_str())
}
/// The mounts in the world, in the reference configuration.
fn in_world(loaded: &Loaded) -> [Pose; 2] {
    let (model, state) = (&loaded.model, State::new(&loaded.model));
    let mut workspace = Workspace::new(model);
    mounts(only(loaded)).map(|m| workspace.at(model, &state).pose(m.body) * m.pose)
}
fn apart(a: Pose, b: Pose) -> f64 {
    let turned = [a.rot.x - b.rot.x, a.rot.y - b.rot.y, a.rot.z - b.rot.z];
    turned.iter().map(|v| v.norm()).fold((a.pos - b.pos).norm(), f64::max)
}
fn said(loaded: &Loaded, severity: Severity) -> Vec<String> {
    let all = loaded.report.diagnostics().iter().filter(|d| d.severity == severity);
    let placed = all.filter_map(|d| Some((d.place?, d)));
    placed.map(|(place, d)| format!("{} {}", loaded.report.spell(place), d.message)).collect()
}
/// Notes about the lines of the constraints.
fn notes(equality: &str) -> Vec<String> {
    let mut notes = said(&with(equality), Severity::Note);
    notes.retain(|n| n.starts_with("m.xml:14:") || n.starts_with("m.xml:15:"));
    notes
}

#[test]
fn a_connect_holds_where_the_reference_has_it() {
    for (second, name) in [(" body2='b'", "b"), ("", "world")] {
        let loaded = with(&format!("<connect name='hook' body1='a'{second} anchor='.1 .2 .3'/>"));
        let constraint = only(&loaded);
        assert_eq!((constraint.name.as_str(), constraint.word(), constraint.rows()), ("hook", "point", 3));
        assert_eq!(names(&loaded), ["a", name]);
        assert_eq!(mounts(constraint)[0].pose.pos.array(), [0.1, 0.2, 0.3]);
        let [a, b] = in_world(&loaded);
        assert!((a.pos - b.pos).norm() < 1e-15 && notes("").is_empty());
    }
}

#[test]
fn a_weld_holds_the_reference_or_the_pose_it_gives() {
    let loaded = with("<weld body1='a' body2='b' anchor='.1 .2 .3'/>");
    assert_eq!(only(&loaded).name, "constraint0");
    assert_eq!(mounts(only(&loaded))[1].pose, Pose::translation([0.1, 0.2, 0.3].into()));
    let [a, b] = in_world(&loaded);
    assert!(apart(a, b) < 1e-15 && only(&loaded).rows() == 6);

    // as MuJoCo has it, the position of `relpose` is that of the anchor
    let loaded = with("<weld body1='a' body2='b' anchor='.1 .2 .3' relpose='1 2 3 1 1 0 0'/>");
    let [a, b] = mounts(only(&loaded)).map(|m| m.pose);
    let rot = Quat { w: 1.0, x: 1.0, y: 0.0, z: 0.0 }.normalized().matrix();
    assert_eq!(
        (a, b),
        (Pose { rot, pos: [1.0, 2.0, 3.0].into() }, Pose::translation([0.1, 0.2, 0.3].into()))
    );

    let loaded = with("<weld body1='a' relpose='1 2 3 0 0 0 0'/>");
    assert_eq!(names(&loaded), ["a", "world"]);
    let [a, b] = in_world(&loaded);
    assert!(apart(a, b) < 1e-15);
}

#[test]
fn sites_are_to_coincide() {
    for (tag, rows) in [("connect", 3), ("weld", 6)] {
        let loaded = with(&format!("<{tag} name='lock' site1='s' site2='t'/>"));
        assert_eq!((names(&loaded), only(&loaded).rows()), (["a", "b"], rows));
        let sites = ["s", "t"].map(|n| loaded.description.sites().find(|(_, s)| s.name == n).unwrap().1.pose);
        assert_eq!(mounts(only(&loaded)).map(|m| m.pose), sites);
    }
}

#[test]
fn joints_and_tendons_are_coupled_about_their_references() {
    let loaded = with("<joint joint1='x' joint2='y' polycoef='.1 .2 .3'/>");
    let ConstraintKind::Coupling { joint, reference, other, coefficients } = only(&loaded).kind else {
        panic!()
    };
    let (x, y) = (loaded.model.joint("x").unwrap(), loaded.model.joint("y").unwrap());
    assert_eq!((joint, reference, other), (x, 0.3, Some((y, 0.2))));
    assert_eq!(coefficients, [0.1, 0.2, 0.3, 0.0, 0.0]);

    let loaded = with("<joint joint1='y' polycoef='.1'/>");
    let ConstraintKind::Coupling { reference, other, coefficients, .. } = only(&loaded).kind else {
        panic!()
    };
    assert_eq!((reference, other, coefficients), (0.2, None, [0.1, 0.0, 0.0, 0.0, 0.0]));

    let loaded = with("<tendon tendon1='both' tendon2='one'/>");
    let ConstraintKind::Tendon { tendon, reference, other, coefficients } = only(&loaded).kind else {
        panic!()
    };
    let (both, one) = (loaded.model.tendon("both").unwrap(), loaded.model.tendon("one").unwrap());
    assert_eq!((tendon, other), (both, Some((one, 0.5 * 0.3))));
    assert!(reference.abs() < 1e-15, "2 · 0.3 − 3 · 0.2 and not {reference}");
    assert_eq!(coefficients, [0.0, 1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_mimic_is_a_coupling() {
    let joint = |name: &str, child: &str, inside: &str| {
        format!(
            "<link name='{child}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>
             </inertial></link><joint name='{name}' type='continuous'><parent link='base'/><child link='{child}'/>
             {inside}</joint>"
        )
    };
    let follower = joint("follower", "f", "<mimic joint='leader' multiplier='-2' offset='.5'/>");
    let urdf = format!("<robot name='r'><link name='base'/>{follower}{}</robot>", joint("leader", "l", ""));
    for text in [urdf.clone(), to_urdf(&read(&urdf).description).0, to_mjcf(&read(&urdf).description).0] {
        let loaded = read(&text);
        let ConstraintKind::Coupling { joint, reference, other, coefficients } = only(&loaded).kind else {
            panic!()
        };
        let id = |name| loaded.model.joint(name).unwrap();
        assert_eq!((joint, reference, other), (id("follower"), 0.0, Some((id("leader"), 0.0))));
        assert_eq!(coefficients, [0.5, -2.0, 0.0, 0.0, 0.0]);
    }
}

#[test]
fn what_is_left_out_is_said() {
    let one = |equality: &str, wanted: &[&str]| {
        let notes = notes(equality);
        let [note] = &notes[..] else { panic!("{equality}: {notes:?}") };
        assert!(wanted.iter().all(|w| note.contains(w)), "{note}");
    };
    let connect = "<connect body1='a' anchor='0 0 0'";
    assert_eq!(notes(&format!("{connect}/>")), [""; 0]);
    one(&format!("\n{connect} active='false'/>"), &["m.xml:15:1", "not active", "ignored"]);
    one(&format!("{connect} solref='.1 1'/>{connect} solimp='.9'/>"), &["rigid", "Softness", "2 of them"]);
    one("<weld body1='a' body2='b' torquescale='2'/>", &["`torquescale`"]);
    one("<tendon tendon1='one' tendon2='string'/>", &["spatial tendons"]);
    for left_out in [format!("{connect} active='false'/>"), "<tendon tendon1='string'/>".into()] {
        assert!(with(&left_out).model.constraints().is_empty());
    }
    for flag in ["equality", "constraint"] {
        let off = format!("<option><flag {flag}='disable'/></option></mujoco>");
        let loaded = read(&text(&format!("{connect}/>")).replace("</mujoco>", &off));
        assert!(loaded.model.constraints().is_empty());
        assert!(said(&loaded, Severity::Note).iter().any(|n| n.contains("switches them off")));
    }
    // numbers count those left out, and avoid names that are taken
    let loaded = with(&format!("{connect} active='false'/>{connect} name='constraint2'/>{connect}/>"));
    let names: Vec<&str> = loaded.model.constraints().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["constraint2", "constraint2_"]);
}

#[test]
fn what_cannot_move_is_not_tied() {
    for equality in [
        "<connect body1='a' body2='a' anchor='0 0 0'/>",
        "<weld body1='a' body2='tip'/>",
        "<connect site1='s' site2='s2'/>",
        "<connect body1='still' anchor='0 0 0'/>",
    ] {
        let loaded = with(equality);
        assert!(loaded.model.constraints().is_empty());
        let warnings = said(&loaded, Severity::Warning);
        assert!(warnings.len() == 1 && warnings[0].contains("cannot move against"), "{warnings:?}");
    }
}

#[test]
fn mistakes_are_refused_where_they_stand() {
    for (equality, wanted) in [
        ("<joint joint1='x' joint2='x'/>", "a joint cannot be coupled to itself"),
        ("<tendon tendon1='one' tendon2='one'/>", "a tendon cannot be coupled to itself"),
        ("<joint joint1='x' joint2='ball'/>", "joint \"ball\" is neither a hinge nor a slide"),
        ("<joint joint1='x' joint2='z'/>", "\"z\""),
        ("<joint joint1='x' polycoef='1e999'/>", "its polynomial has the number inf"),
        ("<weld body1='a' relpose='1 2 3'/>", "takes 7 numbers"),
        ("<weld body1='a' body2='b' anchor='1e999 0 0'/>", "a mount is not a rigid motion"),
        ("<connect site1='s'/>", "needs the attribute `site2`"),
        ("<connect site1='s' site2='t' body1='a'/>", "`site1` and `body1` exclude each other"),
    ] {
        let Err(error) = load_text("m.xml", &text(equality), &Default::default()) else {
            panic!("{equality}")
        };
        let said = error.to_string();
        let here = |line: &str| line.contains(wanted) && line.contains("m.xml:14:");
        assert!(said.lines().any(here), "{equality}: {said}");
    }
}

#[test]
fn what_is_written_says_the_same() {
    let equalities = "<connect name='p' body1='a' body2='b' anchor='.1 .2 .3' solref='.1 1'/>
        <weld body1='a' body2='b' anchor='.1 .2 .3' relpose='1 2 3 1 1 0 0' torquescale='2'/>
        <weld body1='b' anchor='.1 .2 .3'/><connect site1='s' site2='t'/>
        <weld name='lock' site1='t' site2='s' torquescale='3' active='false'/>
        <joint joint1='x' joint2='y' polycoef='.1 .2 .3 .4 .5'/><tendon tendon1='both' polycoef='.1'/>";
    let mut loaded = with(equalities);
    // sites without a name get one
    loaded.description.bodies.iter_mut().for_each(|b| b.sites.clear());
    loaded.description.tendons.pop();
    let (written, losses) = to_mjcf(&loaded.description);
    assert!(losses.diagnostics().is_empty(), "{losses}");
    let again = read(&written);
    let of =
        |l: &Loaded| l.model.constraints().iter().map(|c| (c.name.clone(), c.word())).collect::<Vec<_>>();
    assert_eq!(of(&again), of(&loaded));
    for (one, two) in loaded.description.equalities.iter().zip(&again.description.equalities) {
        assert_eq!((&one.name, one.active, one.solver), (&two.name, two.active, two.solver));
        assert_eq!(std::mem::discriminant(&one.kind), std::mem::discriminant(&two.kind));
    }
    for (one, two) in loaded.model.constraints().iter().zip(again.model.constraints()) {
        match (&one.kind, &two.kind) {
            (ConstraintKind::Coupling { .. } | ConstraintKind::Tendon { .. }, other) => {
                assert_eq!(format!("{:?}", one.kind), format!("{other:?}"));
            }
            _ => {
                for (m, n) in mounts(one).into_iter().zip(mounts(two)) {
                    assert!(m.body == n.body && apart(m.pose, n.pose) < 1e-14, "{one:?} {two:?}");
                }
            }
        }
    }
}

#[test]
fn a_urdf_has_one_mimic_for_a_joint() {
    let loaded = with(
        "<joint joint1='x' joint2='y'/><joint name='second' joint1='x' joint2='y' polycoef='1 2'/>
         <connect name='hook' body1='a' anchor='0 0 0'/>",
    );
    let (written, losses) = to_urdf(&loaded.description);
    let lost = losses.to_string();
    assert!(lost.contains("second") && lost.contains("hook"), "{lost}");
    assert_eq!(written.matches("<mimic").count(), 1);
}
