//! Models from files, and what is computed of them.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use common::{ARM, arm_with, file, json, json_error, numbers, poinsot, refused, stdout};

#[test]
fn info_shows_the_tree() {
    let (_folder, path) = file("arm.xml", ARM);
    let text = stdout(&["info", path.to_str().unwrap()]);
    for word in
        ["arm", "MJCF", "1 kg", "└─ rod", "hinge: revolute about (0, 1, 0)", "range -1.5708 … 1.5708", "bent"]
    {
        assert!(text.contains(word), "{word} is not in\n{text}");
    }
    let object = json(&["info", path.to_str().unwrap()]);
    for (key, n) in
        [("bodies", 1), ("joints", 1), ("nq", 1), ("nv", 1), ("actuators", 1), ("keyframes", 1), ("geoms", 1)]
    {
        assert_eq!(object["counts"][key], n, "{key}");
    }
    assert_eq!(object["mass"], 1.0);
    assert_eq!(object["bodies"][0]["joints"][0]["kind"], "revolute");
    // a scene too, and a deep one
    assert_eq!(json(&["info", "humanoid"])["counts"]["nv"], 36);
    assert!(stdout(&["info", "chain:2000"]).lines().count() > 4000);
}

#[test]
fn a_root_confines_what_is_read() {
    let (_elsewhere, other) = file("plain.txt", "words");
    let (folder, path) =
        file("outer.xml", &format!("<mujoco><include file='{}'/></mujoco>", other.display()));
    let path = path.to_str().unwrap();
    refused(&["info", path], &["is not MJCF"]);
    refused(
        &["info", path, "--root", folder.path().to_str().unwrap()],
        &["outside the folder that may be read"],
    );
    refused(&["info", "four-bar", "--root", "/"], &["--root is for model files"]);
}

#[test]
fn info_lists_the_constraints() {
    let equality = "<equality><connect name='hook' body1='rod' anchor='0 0 -1'/>
        <joint name='lock' joint1='hinge'/></equality></mujoco>";
    let (_folder, path) = file("arm.xml", &ARM.replace("</mujoco>", equality));
    let text = stdout(&["info", path.to_str().unwrap()]);
    for line in [
        "  constraints      2\n",
        "  hook: point, rod and world, 3 rows\n",
        "  lock: coupling, hinge, 1 row\n",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let object = json(&["info", path.to_str().unwrap()]);
    let wanted = serde_json::json!([
        { "name": "hook", "kind": "point", "rows": 3, "soft": false, "bodies": ["rod", "world"] },
        { "name": "lock", "kind": "coupling", "rows": 1, "soft": false, "joints": ["hinge"] },
    ]);
    assert_eq!(object["constraints"], wanted);
}

/// A rod on a hinge: τ = I q̈ + m g l sin q, with I about the hinge.
#[test]
fn eval_of_a_rod_by_hand() {
    let (_folder, path) = file("arm.xml", ARM);
    let path = path.to_str().unwrap();
    let all = "inverse_dynamics,forward_dynamics,mass_matrix,bias,gravity,energy,kinetic_energy,potential_energy,\
               momentum,com,poses,jacobian:rod,base_parameters";
    let object = json(&[
        "eval",
        path,
        "--compute",
        all,
        "--qpos",
        "0.3",
        "--qvel",
        "2",
        "--qacc",
        "-1.5",
        "--tau",
        "0.7",
    ]);
    let (inertia, weight) = (0.1 + 0.25, 9.81 * 0.5 * 0.3_f64.sin());
    let near = |value: &serde_json::Value, expected: f64| {
        assert!((value.as_f64().unwrap() - expected).abs() < 1e-12, "{value} for {expected}");
    };
    near(&object["inverse_dynamics"][0], -1.5 * inertia + weight);
    near(&object["forward_dynamics"][0], (0.7 - weight) / inertia);
    near(&object["mass_matrix"][0][0], inertia);
    near(&object["bias"][0], weight);
    near(&object["gravity"][0], weight);
    near(&object["kinetic_energy"], 0.5 * inertia * 4.0);
    near(&object["potential_energy"], -9.81 * 0.5 * 0.3_f64.cos());
    near(&object["energy"], 0.5 * inertia * 4.0 - 9.81 * 0.5 * 0.3_f64.cos());
    near(&object["momentum"]["angular"][1], inertia * 2.0);
    near(&object["com"][0], -0.5 * 0.3_f64.sin());
    near(&object["jacobian:rod"][1][0], 1.0);
    near(&object["poses"]["rod"]["quaternion"][2], 0.15_f64.sin());
    // two moments of its mass and one of inertia
    assert_eq!(object["base_parameters"], 3);
    assert_eq!(object["qvel_names"][0], "hinge");
    // the keyframe
    let at_key = json(&["eval", path, "--compute", "kinetic_energy", "--key", "bent"]);
    near(&at_key["kinetic_energy"], 0.5 * inertia * 0.0625);
    assert_eq!(numbers(&at_key["qpos"]), [0.5]);
}

/// Every digit of the library reaches the user.
#[test]
fn eval_gives_the_bits_of_the_library() {
    use poinsot::dynamics::Workspace;
    let model = poinsot::scenes::by_name("humanoid").unwrap().model;
    let (q, v, a) = (model.random_configuration(3), model.random_velocity(4), model.random_velocity(5));
    let mut tau = vec![0.0; model.nv()];
    Workspace::new(&model).inverse_dynamics(&model, &q, &v, &a, &mut tau);
    let text = |x: &[f64]| x.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    let (_folder, path) = file("q.json", &format!("[{}]", text(&q).replace(' ', ",")));
    let from_file = format!("@{}", path.display());
    let arguments = [
        "eval",
        "humanoid",
        "--compute",
        "inverse_dynamics",
        "--qpos",
        &from_file,
        "--qvel",
        "@-",
        "--qacc",
        &text(&a),
        "--json",
    ];
    let output = poinsot(&arguments).write_stdin(text(&v)).assert().success().get_output().stdout.clone();
    let object: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(numbers(&object["inverse_dynamics"]), tau);
}

#[test]
fn wrong_vectors_are_answered_with_the_layout() {
    let eval = ["eval", "humanoid", "--compute", "bias"];
    refused(
        &[&eval[..], &["--qpos", "1,2"]].concat(),
        &["2 numbers", "expected 37", "pelvis_joint", "x y z qw qx qy qz"],
    );
    refused(&[&eval[..], &["--qvel", "1,x"]].concat(), &["--qvel", "\"x\" is not a number"]);
    refused(&[&eval[..], &["--qvel", "@/no/such.json"]].concat(), &["/no/such.json"]);
    refused(&["eval", "heavy-top", "--compute", "bias", "--qpos", "0 0 0 0"], &["quaternion", "top_joint"]);
    refused(&["eval", "humanoid", "--compute", "mass_matrx"], &["mass_matrx", "did you mean mass_matrix"]);
    refused(&["eval", "humanoid", "--compute", "jacobian:hed"], &["hed", "did you mean \"head\""]);
    refused(&["eval", "humanoid", "--compute", "bias", "--key", "home"], &["home", "none"]);
}

#[test]
fn broken_files_are_shown_where_they_break() {
    let broken = ARM.replace("axis=\"0 1 0\"", "axis=\"0 one 0\"").replace("range=", "rnge=");
    let (_folder, path) = file("broken.xml", &broken);
    let path = path.to_str().unwrap();
    for command in ["info", "run", "doctor"] {
        refused(&[command, path], &["broken.xml:5:", "one", "rnge", "did you mean"]);
        let object = json_error(&[command, path]);
        assert!(object["error"].as_str().unwrap().contains("broken.xml"));
        let wrong = |d: &&serde_json::Value| {
            d["severity"] == "error" && d["message"].as_str().unwrap().contains("one")
        };
        let error = object["diagnostics"].as_array().unwrap().iter().find(wrong).unwrap();
        assert_eq!((error["line"].as_u64(), error["file"].as_str()), (Some(5), Some(path)));
        assert!(error["column"].as_u64().unwrap() > 20);
        assert!(error["snippet"].as_str().unwrap().contains("0 one 0"));
    }
    // a file of one line is not told again with each of its errors
    let (_folder, long) = file("long.xml", &broken.replace('\n', " "));
    let object = json_error(&["info", long.to_str().unwrap()]);
    assert!(object["diagnostics"].as_array().unwrap().iter().all(|d| d["snippet"].is_null()));
    assert_eq!(poinsot(&["info", path]).assert().get_output().status.code(), Some(1));
}

#[test]
fn unknown_models_are_answered_with_known_ones() {
    refused(&["info", "pendulun"], &["pendulun", "did you mean \"pendulum\"", "dzhanibekov", "robot.urdf"]);
    let (folder, _) = file("arm.xml", ARM);
    let near = folder.path().join("arn.xml");
    refused(&["info", near.to_str().unwrap()], &["arn.xml", "did you mean", "arm.xml"]);
    refused(&["info", "pendulum", "--floating-base"], &["--floating-base", "scene"]);
    let path = folder.path().join("arm.xml");
    refused(&["info", path.to_str().unwrap(), "--floating-base"], &["--floating-base", "MJCF"]);
}

#[test]
fn a_singular_model_is_refused_with_its_joint() {
    let singular = arm_with("<body name=\"frame\"><joint name=\"idle\"/></body>");
    let (_folder, path) = file("singular.xml", &singular);
    let path = path.to_str().unwrap();
    refused(&["run", path], &["singular", "idle", "armature"]);
    refused(&["eval", path, "--compute", "forward_dynamics"], &["singular", "idle"]);
    // what needs no inverse is still there
    assert_eq!(
        json(&["eval", path, "--compute", "inverse_dynamics"])["inverse_dynamics"].as_array().unwrap().len(),
        2
    );
}

#[test]
fn a_file_runs_with_its_own_settings() {
    let (_folder, path) = file("arm.xml", ARM);
    let path = path.to_str().unwrap();
    let report = json(&["run", path, "--time", "0.1"]);
    assert_eq!((report["steps"].as_u64(), report["integrator"].as_str()), (Some(20), Some("leapfrog")));
    // what is run by another than the file names is said
    let implicit = ARM.replace("timestep=", "integrator=\"implicitfast\" timestep=");
    let (_folder, other) = file("implicit.xml", &implicit);
    let report = json(&["run", other.to_str().unwrap(), "--time", "0.1"]);
    assert_eq!(report["integrator"], "leapfrog");
    assert!(report["diagnostics"].to_string().contains("the file asks for implicitfast"), "{report}");
    let rk4 = ARM.replace("timestep=", "integrator=\"RK4\" timestep=");
    let (_folder, other) = file("rk4.xml", &rk4);
    assert_eq!(json(&["run", other.to_str().unwrap(), "--time", "0.1"])["integrator"], "leapfrog"); // it has limits
    let (_folder, other) = file("endless.xml", &rk4.replace("limited=\"true\"", "limited=\"false\""));
    assert_eq!(json(&["run", other.to_str().unwrap(), "--time", "0.1"])["integrator"], "rkmk4");
}

/// From the keyframe, under a constant torque: v = v₀ + τ t / I without gravity.
#[test]
fn controls_drive_the_model() {
    let floating = ARM.replace("timestep=", "gravity=\"0 0 0\" timestep=");
    let (folder, path) = file("arm.xml", &floating);
    let path = path.to_str().unwrap();
    let run = ["run", path, "--time", "1", "--key", "bent"];
    let end = |more: &[&str]| json(&[&run[..], more].concat())["final"]["qvel"][0].as_f64().unwrap();
    let torque = 2.0 * 0.07 / 0.35;
    assert!((end(&["--ctrl", "0.07"]) - (0.25 + torque)).abs() < 1e-12);
    assert!((end(&[]) - 0.25).abs() < 1e-12);
    // held until the next row: half the time 0.07, then nothing
    let csv = folder.path().join("u.csv");
    std::fs::write(&csv, "time,drive\n0,0.07\n0.5,0\n").unwrap();
    assert!((end(&["--ctrl", &format!("@{}", csv.display())]) - (0.25 + 0.5 * torque)).abs() < 1e-12);
    refused(&[&run[..], &["--ctrl", "1,2"]].concat(), &["2 numbers", "expected 1", "drive"]);
    refused(&["run", "pendulum", "--ctrl", "1"], &["no actuators"]);
    std::fs::write(&csv, "time,drve\n0,1\n").unwrap();
    refused(&[&run[..], &["--ctrl", &format!("@{}", csv.display())]].concat(), &["drve", "did you mean"]);
}

#[test]
fn every_shell_gets_a_script() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(stdout(&["completions", shell]).contains("doctor"), "{shell}");
    }
}

/// Wrong usage is told as JSON too, when that is asked for.
#[test]
fn usage_errors_as_json() {
    let output = poinsot(&["run", "--dt", "x", "--json"]).assert().code(2).get_output().stdout.clone();
    let object: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert!(object["error"].as_str().unwrap().contains("--dt"));
}

/// There and back again the motion is the same.
#[test]
fn converted_models_move_the_same_way() {
    let (folder, path) = file("arm.xml", ARM);
    let path = path.to_str().unwrap();
    let there = folder.path().join("arm.urdf").to_str().unwrap().to_string();
    let object = json(&["convert", path, &there]);
    assert_eq!((object["format"].as_str(), object["losses"].as_u64() > Some(0)), (Some("urdf"), true));
    let back = stdout(&["convert", &there, "-", "--to", "mjcf"]);
    let again = folder.path().join("again.mjcf");
    std::fs::write(&again, back).unwrap();
    let torque = |model: &str| {
        let object = json(&["eval", model, "--compute", "inverse_dynamics", "--qpos", "0.3", "--qacc", "2"]);
        object["inverse_dynamics"][0].as_f64().unwrap()
    };
    for model in [there.as_str(), again.to_str().unwrap()] {
        assert!((torque(model) - torque(path)).abs() < 1e-12, "{model}");
    }
    refused(&["convert", path, "out"], &["out", "--to mjcf"]);
    refused(&["convert", path, path], &["over itself"]);
    refused(&["convert", "pendulum", "p.urdf"], &["scene"]);
}

#[test]
fn limits_yield_on_request() {
    let text = r#"<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="knee" axis="0 1 0" range="-30 30"
      solreflimit="0.1 1"/><geom size="0.1"/></body></worldbody></mujoco>"#;
    let (_folder, path) = file("leg.xml", text);
    let path = path.to_str().unwrap();
    let beyond = |flags: &[&str]| {
        let run = ["run", path, "--qvel", "3", "--time", "0.4", "--fail-if", "knee>0.53"];
        poinsot(&[&run[..], flags].concat()).assert().get_output().status.code()
    };
    assert_eq!((beyond(&[]), beyond(&["--soft-limits"])), (Some(0), Some(1)));
    refused(&["run", "pendulum", "--soft-limits"], &["--soft-limits", "scene"]);
    let (_folder, robot) = file("r.urdf", r#"<robot name="r"><link name="a"/></robot>"#);
    refused(&["run", robot.to_str().unwrap(), "--soft-limits"], &["--soft-limits", "MJCF"]);
}

/// A warning that --qacc or --tau has no effect comes with exactly those quantities that do not change with it.
#[test]
fn numbers_without_effect_are_named() {
    let quantities = "inverse_dynamics trace_inverse_dynamics forward_dynamics inverse_dynamics_derivatives \
        forward_dynamics_derivatives centroidal_derivatives regressor base_parameters mass_matrix metric lagrangian_force kkt \
        bias gravity energy kinetic_energy potential_energy momentum com poses jacobian:rod2 kinematics_derivatives:rod2 \
        reaction_derivatives:rod2 mass_tensor:rod2 acceleration:rod2";
    for quantity in quantities.split_whitespace() {
        for flag in ["--qacc", "--tau"] {
            let at = |numbers| {
                let state =
                    ["eval", "double-pendulum", "--compute", quantity, "--qpos", "0.3,-0.5", "--qvel", "1,2"];
                poinsot(&[&state[..], &[flag, numbers]].concat()).assert().success().get_output().clone()
            };
            let (rest, moved) = (at("0,0"), at("0.5,-1"));
            let warned = String::from_utf8(moved.stderr).unwrap().contains(&format!("{flag} has no effect"));
            assert_eq!(warned, rest.stdout == moved.stdout, "{quantity} {flag}");
        }
    }
}

#[test]
fn the_quantities_of_the_sources_are_computed() {
    let compute = |model: &str, what: &str, more: &[&str]| {
        let mut words = vec!["eval", model, "--compute", what];
        words.extend(more);
        json(&words)
    };
    let moving = ["--qpos", "0.3,-0.5", "--qvel", "1,2", "--qacc", "0.5,-1"];
    let both = compute("double-pendulum", "inverse_dynamics,trace_inverse_dynamics", &moving);
    let numbers = |v: &serde_json::Value| -> Vec<f64> {
        v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    for (a, b) in numbers(&both["inverse_dynamics"]).iter().zip(numbers(&both["trace_inverse_dynamics"])) {
        assert!((a - b).abs() < 1e-12, "{both}");
    }
    // a point mass of 1 kg one metre below the origin of its rod
    let tensor = compute("double-pendulum", "mass_tensor:rod2", &[]);
    assert_eq!(numbers(&tensor["mass_tensor:rod2"][2]), [0.0, 0.0, 1.0, -1.0]);
    assert_eq!(numbers(&tensor["mass_tensor:rod2"][3]), [0.0, 0.0, -1.0, 1.0]);
    // the end of a single rod at rest in its place, turning with 2 rad/s: ω² l towards the pivot
    let found = compute("pendulum", "acceleration:rod1@0 0 -1", &["--qvel", "2"]);
    let parts = &found["acceleration:rod1@0 0 -1"];
    assert!(
        (numbers(&parts["centripetal"])[2] - 4.0).abs() < 1e-12 && numbers(&parts["tangential"])[0] == 0.0,
        "{found}"
    );
    // p = M v, and K = p v / 2
    let metric =
        compute("double-pendulum", "metric,kinetic_energy", &["--qpos", "0.3,-0.5", "--qvel", "1,2"]);
    let p = numbers(&metric["metric"]["flat of v"][0]);
    assert!(
        (0.5 * (p[0] + 2.0 * p[1]) - metric["kinetic_energy"].as_f64().unwrap()).abs() < 1e-12,
        "{metric}"
    );
    // at rest the Lagrangian's force is that of gravity
    let still = compute("double-pendulum", "lagrangian_force,gravity", &["--qpos", "0.3,-0.5"]);
    for (a, b) in numbers(&still["lagrangian_force"]).iter().zip(numbers(&still["gravity"])) {
        assert!((a + b).abs() < 1e-12, "{still}");
    }
    // two free blocks and three rows; the force is equal and opposite on the two
    let kkt = &compute("two-blocks", "kkt", &["--qvel", "0,0,0,1,2,3,0,0,0,0,0,0"])["kkt"];
    let (x, matrix) = (numbers(&kkt["solution"]), kkt["matrix"].as_array().unwrap());
    assert_eq!((x.len(), matrix.len(), kkt["accelerations"].as_u64()), (15, 15, Some(12)));
    for (row, right) in matrix.iter().zip(numbers(&kkt["rhs"])) {
        let left: f64 = numbers(row).iter().zip(&x).map(|(a, b)| a * b).sum();
        assert!((left - right).abs() < 1e-9, "{left} {right}");
    }
    // m₁ a₁ = m₁ g + F and m₂ a₂ = m₂ g − F
    assert!((x[2] + 9.81 - x[14]).abs() < 1e-9 && (2.0 * (x[8] + 9.81) + x[14]).abs() < 1e-9, "{x:?}");
    let stiff = compute("soft-joint", "stiffness:lower_joint", &[]);
    let entry = stiff["stiffness:lower_joint"]["gauss_newton"][3][3].as_f64().unwrap();
    assert!((entry - 1e9).abs() < 1.0, "{entry}");
    refused(&["eval", "soft-joint", "--compute", "stiffness:lower"], &["lower_joint"]);
    refused(&["eval", "two-blocks", "--compute", "stiffness:point"], &["point", "soft"]);
    refused(&["eval", "pendulum", "--compute", "acceleration:rod1@1 2"], &["1 2", "three numbers"]);
}
