//! Motions of models: compared with systems given by formulas, and by the laws of momentum where they stand and fly.
#![allow(clippy::unwrap_used)]

use poinsot_optimize::{Problem, Solution};

/// A problem next to its model, in a folder of the build.
fn solved(name: &str, model: &str, problem: &str) -> Solution {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("model.xml"), model).unwrap();
    std::fs::write(folder.join("problem.toml"), problem).unwrap();
    let begin = std::time::Instant::now();
    let found = Problem::read(folder.join("problem.toml")).unwrap().solve(&mut |_| true).unwrap();
    println!("{name}: {} iterations, {:?}, cost {}", found.iterations, begin.elapsed(), found.cost);
    assert!(found.is_solved(), "{}: {:?}", found.sentence(), found.violated);
    found
}

/// The pendulum of the examples as a model: the same motion, number by number.
#[test]
fn a_model_moves_as_its_formula() {
    let model = r#"<mujoco><option gravity="0 0 -9.81"/><worldbody><body name="bob" pos="0 0 0">
        <joint name="theta" type="hinge" axis="0 1 0"/><inertial pos="0 0 -1" mass="1" diaginertia="1e-12 1e-12 1e-12"/>
        </body></worldbody></mujoco>"#;
    let rest = r#"
        intervals = 40
        [time]
        duration = 3.0
        [[at]]
        time = "start"
        q = 0.0
        v = 0.0
        [[at]]
        time = "end"
        q = "pi"
        v = 0.0
        [[minimize]]
        term = "effort"
        "#;
    let [model, formula] = ["model = \"model.xml\"", "kind = \"pendulum\""]
        .map(|system| solved("pendulum", model, &format!("{rest}\n[system]\n{system}\n")));
    for (a, b) in model.q.iter().chain(&model.u).zip(formula.q.iter().chain(&formula.u)) {
        assert!((a[0] - b[0]).abs() < 1e-8, "{} {}", a[0], b[0]);
    }
}

/// A mass on a leg jumps: it stands, pushes off and flies. The centre of mass goes by what the ground exerts and by gravity alone.
#[test]
fn a_hopper_jumps_by_the_force_of_the_ground() {
    let model = r#"<mujoco><option gravity="0 0 -9.81"/><worldbody><body name="foot">
        <joint name="z" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="0.5" diaginertia="0.01 0.01 0.01"/>
        <site name="sole" pos="0 0 0"/>
        <body name="trunk" pos="0 0 0.4">
        <joint name="leg" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="2" diaginertia="0.01 0.01 0.01"/>
        </body></body></worldbody></mujoco>"#;
    let found = solved(
        "hopper",
        model,
        r#"
        [system]
        model = "model.xml"
        actuated = ["leg"]
        [system.ground]
        axes = "z"
        [[phase]]
        name = "stance"
        duration = 0.4
        intervals = 10
        contacts = ["sole"]
        [[phase]]
        name = "flight"
        duration = 0.3
        intervals = 10
        [[at]]
        time = "start"
        q = 0.0
        v = 0.0
        [[at]]
        phase = "flight"
        time = "end"
        q = { z = 0.1 }
        [[minimize]]
        term = "effort"
        "#,
    );
    let g = 9.81;
    let height = |k: usize| found.q[k][0] + 2.0 / 2.5 * (0.4 + found.q[k][1]);
    let speed = |k: usize| found.v[k][0] + 2.0 / 2.5 * found.v[k][1];
    let (last, off) = (found.time.len() - 1, found.phase.iter().position(|p| *p == 1).unwrap());
    // flight: a parabola
    let (t, v) = (0.3, speed(off));
    assert!((height(last) - height(off) - v * t + 0.5 * g * t * t).abs() < 1e-9);
    assert!((speed(last) - v + g * t).abs() < 1e-9);
    // stance: Simpson's rule of the force is the change of momentum, and the ground does not pull
    let h = 0.4 / 10.0;
    let weight = |k: usize| {
        if k == 0 || k + 1 == off {
            1.0
        } else if k % 2 == 1 {
            4.0
        } else {
            2.0
        }
    };
    let impulse: f64 = (0..off).map(|k| weight(k) * h / 6.0 * found.f[k][0]).sum();
    assert!((impulse - 2.5 * g * 0.4 - 2.5 * v).abs() < 1e-8, "{impulse} {v}");
    assert!(found.f[..off].iter().all(|f| f[0] >= -1e-8) && found.f[off..].iter().all(|f| f[0] == 0.0));
    assert!((found.q[last][0] - 0.1).abs() < 1e-9 && found.q[..off].iter().all(|q| q[0].abs() < 1e-9));
}

/// An example that jumps: it is solved, what stands stays on the ground to 5 mm, ground does not pull, and in flight the centre of mass moves on a parabola.
fn jumps(name: &str, feet: &[&str], flight: usize) -> Solution {
    let path = format!("{}/../../examples/optimize/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let problem = Problem::read(path).unwrap();
    let found = problem.solve(&mut |_| true).unwrap();
    println!("{name}: {} iterations, cost {}", found.iterations, found.cost);
    assert!(found.is_solved(), "{}: {:?}", found.sentence(), found.violated);
    let output = |k: usize, name: &str| {
        let place = found.names.outputs.iter().position(|n| n == name).unwrap();
        found.outputs[k][place]
    };
    for (k, phase) in found.phase.iter().enumerate() {
        for (f, force) in found.names.f.iter().enumerate().filter(|(_, n)| n.ends_with(".z")) {
            assert!(found.f[k][f] >= -1e-6, "{force} pulls at {}", found.time[k]);
            let stands = problem.phases[*phase].forces.contains(&f);
            let place = output(k, force);
            assert!(!stands || place.abs() < 5e-3, "{force} at {}: {place}", found.time[k]);
            assert!(place > -5e-3, "{force} at {} is below the ground: {place}", found.time[k]);
        }
    }
    assert!(feet.iter().all(|foot| found.names.f.contains(&format!("{foot}.z"))));
    let flying: Vec<usize> = (0..found.time.len()).filter(|k| found.phase[*k] == flight).collect();
    let (a, b) = (flying[0], flying[flying.len() - 1]);
    let t = found.time[b] - found.time[a];
    let fallen = output(a, "com.z") + output(a, "com.vz") * t - 0.5 * 9.81 * t * t;
    assert!((output(b, "com.z") - fallen).abs() < 5e-3, "{} {fallen}", output(b, "com.z"));
    assert!((output(b, "com.vx") - output(a, "com.vx")).abs() < 5e-3);
    found
}

/// With 24 intervals a phase its cost is that with 96, 27.668, to 1 %.
#[test]
fn a_lamp_jumps() {
    let cost = jumps("lamp", &["heel", "toe"], 1).cost;
    assert!((cost - 27.668).abs() < 0.01 * 27.668, "{cost}");
}

#[test]
fn jelly_jumps_by_squash_and_stretch() {
    jumps("jelly", &["sole"], 1);
}

/// Some fifteen seconds.
#[test]
#[ignore = "long: cargo test --release -p poinsot-optimize --test models -- --ignored"]
fn a_person_jumps() {
    jumps("person", &["heel", "toe"], 2);
}
