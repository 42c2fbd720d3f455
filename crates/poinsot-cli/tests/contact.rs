//! Runs in which bodies touch: what is said of them, for people, programs and conditions.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use common::{file, json, poinsot, refused, stdout};

/// A block falls by 0.2 m and slides to rest; a ball of rubber bounces next to it.
const BLOCK: &str = r#"<mujoco model="block"><worldbody><geom name="floor" type="plane" size="0 0 1"/>
  <body pos="0 0 0.3"><freejoint/><geom name="cube" type="box" size="0.1 0.1 0.1" mass="1"/></body>
  <body pos="1 0 0.5"><freejoint/><geom name="ball" size="0.1" mass="1"/></body></worldbody>
  <custom><tuple name="poinsot:restitution"><element objtype="geom" objname="ball" prm="0.5"/></tuple></custom>
  <keyframe><key name="thrown" qvel="1 0 0 0 0 0  0 0 0 0 0 0"/></keyframe></mujoco>"#;

#[test]
fn a_summary_says_what_contact_did() {
    let (_folder, path) = file("block.xml", BLOCK);
    let path = path.to_str().unwrap();
    let run = ["run", path, "--time", "2", "--key", "thrown"];
    let said = stdout(&run);
    let line = |word: &str| said.lines().find(|l| l.trim_start().starts_with(word)).unwrap().to_string();
    assert!(
        !said.contains("drift  ") || line("momentum drift").contains("no component is conserved"),
        "{said}"
    );
    assert!(!said.contains("energy drift") && !said.contains("energy change"), "{said}");
    assert!(line("energy, J").contains("lost to contact") && line("energy, J").contains("lost to friction"));
    let contact = line("contact");
    for words in ["at most 5 at once", "collisions; residual ", " m/s, penetration ", "every step solved"] {
        assert!(contact.contains(words), "\"{words}\" is not in: {contact}");
    }
    let report = json(&run);
    assert_eq!(
        (report["contact"].as_str(), &report["momentum_drift"]),
        (Some("exact"), &serde_json::json!(null))
    );
    let contacts = &report["contacts"];
    assert_eq!((contacts["most"].as_u64(), contacts["unsolved"].as_u64()), (Some(5), Some(0)));
    assert!(
        contacts["residual"].as_f64().unwrap() < 1e-8 && contacts["penetration"].as_f64().unwrap() < 2e-3
    );
    // both weigh 9.81 N; one loses all, and its 0.5 J of sliding, the other all
    let lost = -report["ledger"]["work"]["contact"].as_f64().unwrap()
        - report["ledger"]["work"]["friction"].as_f64().unwrap();
    let had = 9.81 * (0.2 + 0.4) + 0.5;
    assert!((lost - had).abs() < 1e-3 * had, "{lost} of {had}");
    let without = stdout(&[&run[..], &["--contact", "none"]].concat());
    assert!(without.contains("energy drift") && !without.contains("  contact  "), "{without}");
    let flying = stdout(&["run", path, "--time", "0.1"]);
    assert!(flying.contains("nothing touched") && flying.contains("energy drift"), "{flying}");
}

/// A trough with an open top, 1 m long, whose walls are 0.1 m thick and enclose 0.4 m; a ball above it; and a brick, which is convex.
const TROUGH: &str = r#"<mujoco model="trough"><asset>
  <mesh name="trough" vertex="-.5 -.3 0 -.5 .3 0 -.5 .3 .4 -.5 .2 .4 -.5 .2 .1 -.5 -.2 .1 -.5 -.2 .4 -.5 -.3 .4
    .5 -.3 0 .5 .3 0 .5 .3 .4 .5 .2 .4 .5 .2 .1 .5 -.2 .1 .5 -.2 .4 .5 -.3 .4"
    face="0 4 1 8 9 12 0 5 4 8 12 13 1 3 2 9 10 11 1 4 3 9 11 12 0 6 5 8 13 14 0 7 6 8 14 15 0 1 9 0 9 8 1 2 10 1 10 9
    2 3 11 2 11 10 3 4 12 3 12 11 4 5 13 4 13 12 5 6 14 5 14 13 6 7 15 6 15 14 7 0 8 7 8 15"/>
  <mesh name="brick" vertex="-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1 -.1 -.1 .1 .1 -.1 .1 -.1 .1 .1 .1 .1 .1"/></asset>
  <worldbody><geom name="floor" type="plane" size="0 0 1"/>
  <body name="ball" pos="0 0 0.8"><freejoint/><geom name="ball" size="0.08" mass="1"/></body>
  <body pos="0 0 0.2"><freejoint/><geom name="trough" type="mesh" mesh="trough" density="1000"/></body>
  <body pos="2 0 0.11"><freejoint/><geom type="mesh" mesh="brick" mass="1"/></body></worldbody></mujoco>"#;

/// A concave mesh is filled by its hull, and a note says so; decomposed it is not: the ball lies on the lid, or on the bottom.
#[test]
fn concave_meshes_are_decomposed_on_request() {
    let (_folder, path) = file("trough.xml", TROUGH);
    let path = path.to_str().unwrap();
    let run = ["run", path, "--time", "2", "--fail-if", "unsolved>0"];
    let height = |report: &serde_json::Value| report["final"]["qpos"][2].as_f64().unwrap();
    let said = |report: &serde_json::Value, code: &str, words: &str| {
        let all = report["diagnostics"].as_array().unwrap();
        let one = all.iter().find(|d| d["code"] == code).unwrap_or_else(|| panic!("no {code} in {all:?}"));
        assert!(one["message"].as_str().unwrap().contains(words), "{one}");
    };
    let filled = json(&run);
    said(&filled, "mjcf::hulls", "a concave mesh touches as its convex hull");
    assert!((height(&filled) - 0.48).abs() < 1e-6, "{}", height(&filled));
    let apart = json(&[&run[..], &["--decompose"]].concat());
    said(&apart, "mesh::decomposed", "a concave mesh touches as ");
    assert!((height(&apart) - 0.18).abs() < 1e-3, "{}", height(&apart));
    // parts have no mass of their own
    let mass =
        |how: &[&str]| json(&[&["eval", path, "--compute", "gravity"][..], how].concat())["gravity"].clone();
    assert_eq!(mass(&[]), mass(&["--decompose"]));
}

#[test]
fn conditions_can_name_contact() {
    let (_folder, path) = file("block.xml", BLOCK);
    let path = path.to_str().unwrap();
    let run = ["run", path, "--time", "0.5"];
    let with = |condition: &str| poinsot(&[&run[..], &["--fail-if", condition]].concat()).assert();
    for (met, not) in [("contacts>3", "contacts>5"), ("collisions>0", "collisions>100")] {
        with(met).code(1);
        with(not).code(0);
    }
    for not in ["residual>1e-6", "penetration>1e-3", "unsolved>0", "contact>0", "crowded>0"] {
        with(not).code(0);
    }
    with("residual>=0").code(1);
    with("penetration>=0").code(1);
    let none = [&run[..], &["--contact", "none", "--fail-if", "residual>1e-6"]].concat();
    refused(&none, &["residual>1e-6", "nothing touches"]);
    refused(&[&run[..], &["--fail-if", "momentum_drift>1"]].concat(), &["the world exerts forces"]);
}

/// Bodies that touch one another alone keep their momentum.
#[test]
fn the_world_holds_only_what_it_touches() {
    let text = BLOCK
        .replace(r#"type="plane" size="0 0 1""#, r#"type="plane" size="0 0 1" contype="0" conaffinity="0""#);
    let (_folder, path) = file("afloat.xml", &text);
    let report = json(&["run", path.to_str().unwrap(), "--time", "0.5"]);
    assert!(report["momentum_drift"].as_f64().unwrap() < 1e-12, "{report}");
}

/// Runge–Kutta steps no contacts: a file that asks for it and can touch is run by what does.
#[test]
fn files_that_ask_for_runge_kutta_touch() {
    let text = BLOCK.replace("<worldbody>", r#"<option integrator="RK4"/><worldbody>"#);
    let (_folder, path) = file("block.xml", &text);
    let report = json(&["run", path.to_str().unwrap(), "--time", "1"]);
    assert_eq!(
        (report["integrator"].as_str(), report["contact"].as_str()),
        (Some("leapfrog"), Some("exact"))
    );
    assert!((report["final"]["qpos"][2].as_f64().unwrap() - 0.1).abs() < 1e-6, "{report}");
    let (_folder, path) =
        file("afloat.xml", &text.replace("/></body>", r#" contype="0" conaffinity="0"/></body>"#));
    assert_eq!(json(&["run", path.to_str().unwrap(), "--time", "0.01"])["integrator"], "rkmk4");
}

#[test]
fn contact_that_is_asked_for_in_vain_is_said() {
    let stderr = |text: &str, contact: &str| {
        let (_folder, path) = file("block.xml", text);
        let run = ["run", path.to_str().unwrap(), "--time", "0.01", "--contact", contact];
        String::from_utf8(poinsot(&run).assert().success().get_output().stderr.clone()).unwrap()
    };
    let off = BLOCK.replace("<worldbody>", r#"<option><flag contact="disable"/></option><worldbody>"#);
    assert!(stderr(&off, "exact").contains("--contact has no effect: contact is switched off"));
    let apart = BLOCK.replace("/></body>", r#" contype="0" conaffinity="0"/></body>"#);
    assert!(stderr(&apart, "pgs").contains("--contact has no effect: no two of its geoms may touch"));
    assert!(!stderr(BLOCK, "exact").contains("no effect") && !stderr(&off, "none").contains("no effect"));
}

#[test]
fn contacts_that_begin_and_end_go_to_the_file_of_events() {
    let (folder, path) = file("block.xml", BLOCK);
    let events = folder.path().join("events.csv");
    let run = ["run", path.to_str().unwrap(), "--time", "1", "--events", events.to_str().unwrap()];
    stdout(&run);
    let text = std::fs::read_to_string(&events).unwrap();
    let kinds: Vec<&str> =
        text.lines().skip(1).filter(|l| l.contains("cube")).map(|l| l.split(',').nth(1).unwrap()).collect();
    assert_eq!(kinds[0], "impact");
    assert!(kinds.contains(&"begin") && text.contains(",contact"), "{text}");
    let times: Vec<f64> =
        text.lines().skip(1).map(|l| l.split(',').next().unwrap().parse().unwrap()).collect();
    assert!(times.is_sorted());
}

/// A geom that cannot be read touches nothing, which one line says; all others are kept apart.
#[test]
fn a_geom_that_cannot_be_read_is_left_out_alone() {
    let body = |z: f64, geom: &str| {
        let mass = r#"<freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>"#;
        format!(r#"<body pos="{z} 0 {z}">{mass}{geom}</body>"#)
    };
    let (broken, ball) = (body(1.0, r#"<geom type="mesh" mesh="m"/>"#), body(2.0, r#"<geom size="0.1"/>"#));
    let text = format!(
        r#"<mujoco><asset><mesh name="m" file="bad.stl"/><hfield name="h" file="land.png" size="1 1 1 1"/></asset>
           <worldbody><geom type="plane" size="0 0 1"/><geom name="land" type="hfield" hfield="h"/>{broken}{ball}
           </worldbody></mujoco>"#
    );
    let (folder, path) = file("bad.xml", &text);
    std::fs::write(folder.path().join("bad.stl"), "no triangles").unwrap();
    std::fs::write(folder.path().join("land.png"), "no picture").unwrap();
    let run = ["run", path.to_str().unwrap(), "--time", "1.5"];
    for way in [&[][..], &["--contact", "exact"], &["--formulation", "maximal"]] {
        let run = [&run[..], way].concat();
        let output = poinsot(&run).assert().success().get_output().clone();
        let said = String::from_utf8(output.stderr).unwrap();
        let lines: Vec<&str> = said.lines().filter(|l| l.contains("everything passes through")).collect();
        assert_eq!(lines.len(), 1, "{said}");
        for words in ["contact of 2 geoms", "bad.stl", "\"land\" (hfield)", "land.png"] {
            assert!(lines[0].contains(words), "{words}: {}", lines[0]);
        }
        let report = json(&run);
        assert_eq!(report["contact"], "exact");
        let fallen = 1.0 - 0.5 * 9.81 * 1.5f64.powi(2);
        let end = |k: usize| report["final"]["qpos"][k].as_f64().unwrap();
        assert!((end(2) - fallen).abs() < 0.1, "the mesh falls through: {}", end(2));
        assert!((end(9) - 0.1).abs() < 1e-6, "the ball lies: {}", end(9));
    }
}

/// A robot of two legs whose feet are half a metre below its trunk.
const LOOSE: &str = r#"<robot name="walker"><link name="trunk"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  <collision><origin xyz="0.2 0 -0.4"/><geometry><sphere radius="0.1"/></geometry></collision>
  <collision><origin xyz="-0.2 0.2 -0.4"/><geometry><sphere radius="0.1"/></geometry></collision>
  <collision><origin xyz="-0.2 -0.2 -0.4"/><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"#;

/// A URDF robot that is let loose falls for ever, which is said; a ground under it, at its feet or where it is asked for, bears it.
#[test]
fn a_ground_bears_a_robot_that_is_loose() {
    let (_folder, path) = file("walker.urdf", LOOSE);
    let loose = ["run", path.to_str().unwrap(), "--floating-base", "--time", "1"];
    let run = |more: &[&str]| poinsot(&[&loose[..], more].concat()).assert().success().get_output().clone();
    let said = |more: &[&str]| String::from_utf8(run(more).stderr).unwrap();
    let height = |more: &[&str]| json(&[&loose[..], more].concat())["final"]["qpos"][2].as_f64().unwrap();
    let falls = "the free body \"trunk\" falls forever: there is nothing below it";
    assert!(said(&[]).contains(falls) && said(&[]).contains("--ground"), "{}", said(&[]));
    assert!(height(&[]) < -4.8);
    assert!(!said(&["--ground"]).contains("falls forever"), "{}", said(&["--ground"]));
    assert!(height(&["--ground"]).abs() < 1e-9);
    assert!((height(&["--ground=-0.7"]) + 0.2).abs() < 1e-6);
    refused(&[&loose[..], &["--ground=low"]].concat(), &["give a height in metres"]);
    refused(&["run", "four-bar", "--ground"], &["--ground is for model files"]);
    // there is nothing to say of one that is fixed, and nothing to bear one without shapes
    let fixed = poinsot(&["run", path.to_str().unwrap(), "--time", "1"]).assert().get_output().clone();
    assert!(!String::from_utf8(fixed.stderr).unwrap().contains("falls forever"));
    let (_folder, bare) = file("bare.urdf", &LOOSE.replace("collision>", "visual>"));
    let output = poinsot(&["run", bare.to_str().unwrap(), "--floating-base", "--ground"]).assert();
    let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(said.contains("the ground touches nothing"), "{said}");
}
