//! What MJCF files say of contact: friction, overrides, and our own settings in `<custom>`; nothing is passed over in silence.
#![allow(clippy::unwrap_used)]

use poinsot_formats::{Loaded, Severity, load_text};

fn file(geom: &str, rest: &str) -> String {
    format!(
        "<mujoco>\n{rest}<worldbody><geom name='floor' type='plane' size='0 0 1'/>\n<body><freejoint/>\n\
         <geom name='ball' size='.1' {geom}/></body></worldbody></mujoco>"
    )
}
fn read(geom: &str, rest: &str) -> Loaded {
    load_text("m.xml", &file(geom, rest), &Default::default()).unwrap_or_else(|e| panic!("{e}"))
}
fn refused(geom: &str, rest: &str, words: &[&str]) {
    let error =
        load_text("m.xml", &file(geom, rest), &Default::default()).map(|_| ()).unwrap_err().to_string();
    for word in words {
        assert!(error.contains(word), "\"{word}\" is not in: {error}");
    }
}
fn tuple(word: &str, element: &str) -> String {
    format!(
        "<custom><tuple name='{word}'><element objtype='geom' objname='ball' {element}/></tuple></custom>\n"
    )
}

#[test]
fn numbers_that_no_surface_has_are_refused_where_they_stand() {
    refused("friction='-1'", "", &["m.xml:4:", "`friction` has -1", "0 or more"]);
    let pair = "<contact><pair geom1='floor' geom2='ball' friction='0.5 -0.5'/></contact>\n";
    refused("", pair, &["m.xml:2:", "-0.5"]);
    for (word, value, wanted) in [
        ("restitution", "1.5", "from 0 to 1"),
        ("restitution", "-0.1", "from 0 to 1"),
        ("stiffness", "-1", "0 or more"),
        ("damping", "-2", "0 or more"),
    ] {
        let word = format!("poinsot:{word}");
        refused("", &tuple(&word, &format!("prm='{value}'")), &["m.xml:2:", value, wanted]);
        let numeric = format!("<custom><numeric name='{word}' data='{value}'/></custom>\n");
        refused("", &numeric, &["m.xml:2:", value, wanted]);
    }
}

#[test]
fn settings_that_would_be_passed_over_are_refused() {
    refused("", &tuple("poinsot:restitution", ""), &["m.xml:2:", "`prm`"]);
    refused("", "<custom><numeric name='poinsot:restitution' size='1'/></custom>", &["m.xml:2:", "`data`"]);
    let meant = "did you mean \"poinsot:restitution\"?";
    refused("", &tuple("Poinsot:Restitution", "prm='1'"), &["m.xml:2:", "Poinsot:Restitution", meant]);
    refused("", &tuple("poinsot:restituton", "prm='1'"), &["m.xml:2:", meant]);
    refused("", &tuple("poinsot:colour", "prm='1'"), &["there are poinsot:restitution, poinsot:stiffness"]);
    let text = "<custom><text name='poinsot:restitution' data='0.5'/></custom>";
    refused("", text, &["m.xml:2:", "<numeric>"]);
    // what is not ours is nobody's business here
    read("", "<custom><numeric name='init_qpos' data='0 1'/><text name='poinsots' data='x'/></custom>");
}

#[test]
fn damping_without_stiffness_is_warned_of() {
    let warned = |rest: &str| read("", rest).report.to_string().contains("damping, but no stiffness");
    let (damped, stiff) = (tuple("poinsot:damping", "prm='5'"), tuple("poinsot:stiffness", "prm='1e4'"));
    assert!(warned(&damped));
    assert!(!warned(&format!("{damped}{stiff}")) && !warned(&stiff));
}

#[test]
fn overrides_hold_for_every_contact() {
    let rest = |flag: &str| {
        format!(
            "<option o_friction='0.3 0.3 0.02 0.001 0.001' o_solref='0.01 1'><flag override='{flag}'/></option>\n\
             <contact><pair geom1='floor' geom2='ball' friction='0.9'/></contact>\n"
        )
    };
    let with = read("friction='0.7'", &rest("enable"));
    let ball = with.model.geom("ball").unwrap();
    assert_eq!(with.model[ball].material.friction, [0.3, 0.02, 0.001]);
    assert_eq!(with.model.contact_pairs()[0].friction, Some([0.3, 0.3, 0.02, 0.001, 0.001]));
    assert!(with.report.to_string().contains("`o_solref` is read, but not used"));
    let without = read("friction='0.7'", &rest("disable"));
    assert_eq!(without.model[ball].material.friction[0], 0.7);
    assert!(!without.report.to_string().contains("o_solref"));
    // and written again
    let text = poinsot_formats::to_mjcf(&with.description).0;
    let again = load_text("m.xml", &text, &Default::default()).unwrap();
    assert_eq!(again.model[ball].material.friction, [0.3, 0.02, 0.001]);
    refused("", "<option o_friction='-1'/>", &["m.xml:2:", "`o_friction` has -1"]);
}

/// One note for all of them, and none for defaults, for what touches nothing, and where contact is off.
#[test]
fn softness_that_is_not_used_is_said_once() {
    let notes = |geom: &str, rest: &str| {
        let report = read(geom, rest).report;
        let rigid = report.diagnostics().iter().filter(|d| d.code == "mjcf::rigid-contact");
        rigid.inspect(|d| assert_eq!(d.severity, Severity::Note)).count()
    };
    assert_eq!(notes("solref='0.01 1'", ""), 1);
    assert_eq!(notes("", ""), 0);
    assert_eq!(notes("solref='0.01 1' contype='0' conaffinity='0'", ""), 0);
    assert_eq!(notes("solref='0.01 1'", "<option><flag contact='disable'/></option>"), 0);
}

/// A hook and a coupling that yield, and a knee whose ends do, in a file that says so; `element` is in a tuple of stiffness, line 2.
fn soft(stiffness: &str, damping: &str) -> String {
    let tuple = |word: &str, elements: &str| match elements {
        "" => String::new(),
        some => format!("<tuple name='poinsot:{word}'>{some}</tuple>"),
    };
    format!(
        "<mujoco>\n<custom>{}{}</custom>\n<worldbody><body name='a'><joint name='knee' range='-10 10'/><joint name='free' axis='1 0 0'/>
         <geom name='ball' size='.1'/></body><body name='b' pos='1 0 0'><freejoint name='root'/><geom size='.1'/></body></worldbody>
         <equality><connect name='hook' body1='a' body2='b' anchor='1 0 0'/><joint joint1='free' joint2='knee'/></equality></mujoco>",
        tuple("stiffness", stiffness),
        tuple("damping", damping)
    )
}

fn element(kind: &str, name: &str, value: &str) -> String {
    format!("<element objtype='{kind}' objname='{name}' prm='{value}'/>")
}

#[test]
fn constraints_and_ends_of_ranges_yield_by_custom_tuples() {
    let stiffness = element("equality", "hook", "1e4")
        + &element("joint", "knee", "200")
        + &element("geom", "ball", "5e3");
    let damping = element("joint", "knee", "3") + &element("equality", "hook", "20");
    let text = soft(&stiffness, &damping);
    let first = load_text("m.xml", &text, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
    let written = poinsot_formats::to_mjcf(&first.description).0;
    let again =
        load_text("m.xml", &written, &Default::default()).unwrap_or_else(|e| panic!("{e}\n{written}"));
    for model in [first.model, again.model] {
        let hook = model.constraints()[0].softness.unwrap();
        assert_eq!(
            [hook.stiffness, hook.damping, hook.turning_stiffness, hook.turning_damping],
            [1e4, 20.0, 1e4, 20.0]
        );
        assert_eq!(model.constraints()[1].softness, None);
        let ends: Vec<_> = model.bounds().iter().map(|bound| bound.stop.softness).collect();
        assert_eq!(ends, [Some((200.0, 3.0)); 2]);
        assert_eq!(model.geoms()[0].material.stiffness, Some(5e3));
    }
}

#[test]
fn what_cannot_yield_is_refused_where_it_stands() {
    let refused = |stiffness: &str, damping: &str, words: &[&str]| {
        let text = soft(stiffness, damping);
        let error = load_text("m.xml", &text, &Default::default()).map(|_| ()).unwrap_err().to_string();
        for word in ["m.xml:2:"].iter().chain(words) {
            assert!(error.contains(word), "\"{word}\" is not in: {error}");
        }
    };
    refused(&element("joint", "free", "1"), "", &["\"free\" has no range"]);
    refused(&element("joint", "root", "1"), "", &["\"root\" has no range"]);
    refused(&element("joint", "kne", "1"), "", &["knee"]);
    refused(&element("equality", "hok", "1"), "", &["hook"]);
    refused(&element("equality", "hook", "-1"), "", &["poinsot:stiffness is -1", "0 or more"]);
    refused(&element("body", "a", "1"), "", &["objtype \"body\"", "equality"]);
    refused("", &element("equality", "hook", "1"), &["damping, but no stiffness"]);
    let restitution = "<custom><tuple name='poinsot:restitution'><element objtype='joint' objname='knee' prm='1'/></tuple></custom>";
    let text = soft("", "").replace("<custom></custom>", restitution);
    let error = load_text("m.xml", &text, &Default::default()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("restitution is of geoms"), "{error}");
}

#[test]
fn lengths_beyond_all_measure_are_refused_where_they_stand() {
    for size in ["1e300 1 1", "1 1 1e16"] {
        let text = format!(
            "<mujoco><worldbody>\n<body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom name='huge' type='box' size='{size}'/></body></worldbody></mujoco>"
        );
        let error = load_text("m.xml", &text, &Default::default()).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("m.xml:2:") && error.contains("1e15"), "{error}");
    }
}
