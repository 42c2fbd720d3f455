//! Against MuJoCo 4.0.0: `qfrc_fluid` of the model below, at the state of the test.
//!
//! ```xml
//! <option density="1000" viscosity="0.7" wind="0.3 -0.2 0.1"/>
//! <body name="base" pos="0.1 0.2 0.3"><freejoint/>
//!   <inertial pos="0.02 0.01 -0.03" mass="2" diaginertia="0.03 0.04 0.05"/>
//!   <body name="arm" pos="0.3 0 0"><joint axis="0 1 0"/>
//!     <inertial pos="0.1 0 0.05" mass="1" fullinertia="0.01 0.02 0.025 0.001 -0.002 0.003"/>
//!     <body name="tip" pos="0.2 0 0"><inertial pos="0.1 0.2 0.02" mass="0.5" diaginertia="0.004 0.005 0.006"/>
//! ```

use super::*;
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::integrate::{self, System};

#[rustfmt::skip]
const FLUID: [f64; 7] = [12.330714452362853, 9.825486079692679, -7.254264041687495, -1.0356727579696563, 6.212125777140362, -1.9166173704717866, 2.1543010893359984];

fn swimmer(medium: Medium) -> Model {
    let mut b = ModelBuilder::new("swimmer");
    let spec = |name: &str, at: V3, i: Inertia| BodySpec::new(name).at(at).inertia(i);
    let base = inertia(2.0, [0.02, 0.01, -0.03], [0.03, 0.04, 0.05]);
    let base = b.body(BodyId::WORLD, spec("base", V3::new(0.1, 0.2, 0.3), base));
    b.joint(base, Joint::free());
    let tensor = Sym3 { xx: 0.01, yy: 0.02, zz: 0.025, xy: 0.001, xz: -0.002, yz: 0.003 };
    let arm = Inertia::new(1.0, V3::new(0.1, 0.0, 0.05), tensor).unwrap();
    let arm = b.body(base, spec("arm", V3::X * 0.3, arm));
    b.joint(arm, Joint::revolute(V3::Y));
    b.body(arm, spec("tip", V3::X * 0.2, inertia(0.5, [0.1, 0.2, 0.02], [0.004, 0.005, 0.006])));
    b.gravity(V3::ZERO).medium(medium);
    b.build().unwrap()
}

#[test]
fn the_medium_agrees_with_mujoco() {
    let model = swimmer(Medium { density: 1000.0, viscosity: 0.7, wind: V3::new(0.3, -0.2, 0.1) });
    let q = [0.3, -0.2, 0.5, 0.5, 0.1, -0.7, 0.5, 0.4];
    let v = [0.3, -0.4, 0.5, 0.6, -0.7, 0.8, 1.2];
    let mut tau = [0.0; 7];
    Workspace::new(&model).add_medium_forces(&model, &q, &v, &mut tau);
    let scale = FLUID.iter().fold(0.0f64, |s, x| s.max(x.abs()));
    // MuJoCo finds the principal axes of the arm to about 1e-7
    for (ours, theirs) in tau.iter().zip(FLUID) {
        assert!((ours - theirs).abs() < 1e-7 * scale, "{tau:?}");
    }
}

#[test]
fn the_wind_carries_a_body_along() {
    let model = swimmer(Medium { density: 1.2, viscosity: 0.1, wind: V3::X });
    let mut system = System::new(&model);
    let mut state = State::new(&model);
    let mut integrator = integrate::by_name("rkmk4", &model).unwrap();
    for _ in 0..20_000 {
        system.step(&mut *integrator, &mut state, 1e-2).unwrap();
    }
    assert!((state.v[0] - 1.0).abs() < 1e-3, "drifts with the wind: {:?}", state.v);
}

/// m v̇ = −k |v| v with k = ½ ρ b_y b_z, which v = v₀/(1 + k v₀ t/m) solves: steps with the drag at their end lie on it, however long.
#[test]
fn drag_at_the_end_of_a_step_is_exact_for_the_square_of_the_speed() {
    let (density, mass, b) = (1000.0, 0.5, V3::new(0.1, 0.2, 0.3));
    let mut builder = ModelBuilder::new("sled");
    let sled =
        builder.body(BodyId::WORLD, BodySpec::new("sled").solid(&Shape::Box { size: b }, mass).unwrap());
    builder.joint(sled, Joint::prismatic(V3::X));
    builder.gravity(V3::ZERO).medium(Medium { density, viscosity: 0.0, wind: V3::ZERO });
    let model = builder.build().unwrap();
    let rate = 0.5 * density * b.y * b.z / mass;
    for name in ["leapfrog", "implicit"] {
        for dt in [1e-3, 0.1, 10.0] {
            let (mut system, mut state) = (System::new(&model), State { v: vec![3.0], ..State::new(&model) });
            let mut method = integrate::by_name(name, &model).unwrap();
            for step in 1..=20 {
                system.step(&mut *method, &mut state, dt).unwrap();
                let exact = 3.0 / (1.0 + rate * 3.0 * f64::from(step) * dt);
                // v + h a cancels to 1/(1 + h B/m) of v, and so does the drag at v in the force
                let round_off = 1e-14 * (1.0 + rate * 3.0 * dt).powi(2);
                assert!((state.v[0] / exact - 1.0).abs() < round_off, "{name}, {dt}: {} {exact}", state.v[0]);
            }
        }
    }
}

/// The drag of a step is thousands of times the momentum of these links: no step may throw them back.
#[test]
fn a_dense_medium_only_takes_energy() {
    let model = swimmer(Medium { density: 1e7, viscosity: 50.0, wind: V3::ZERO });
    for name in ["leapfrog", "implicit"] {
        let start = State { v: vec![0.3, -0.4, 0.5, 6.0, -7.0, 8.0, 12.0], ..State::new(&model) };
        let (mut system, mut state) = (System::new(&model), start);
        let mut method = integrate::by_name(name, &model).unwrap();
        let mut before = system.energy(&state);
        for _ in 0..500 {
            system.step(&mut *method, &mut state, 0.02).unwrap();
            let now = system.energy(&state);
            assert!(now <= before * (1.0 + 1e-12), "{name} gains {:e} at {} s", now - before, state.time);
            before = now;
        }
        assert!(before < 1e-6, "{name}: {before}");
    }
}

/// Short steps lead to the motion of `rkmk4`, at first order.
#[test]
fn drag_at_the_end_of_a_step_converges() {
    let model = swimmer(Medium { density: 1000.0, viscosity: 0.7, wind: V3::new(0.3, -0.2, 0.1) });
    let end = |name: &str, steps: u32| {
        let start = State { v: vec![0.3, -0.4, 0.5, 0.6, -0.7, 0.8, 1.2], ..State::new(&model) };
        let (mut system, mut state) = (System::new(&model), start);
        let mut method = integrate::by_name(name, &model).unwrap();
        for _ in 0..steps {
            system.step(&mut *method, &mut state, 1.0 / f64::from(steps)).unwrap();
        }
        state
    };
    let exact = end("rkmk4", 2000);
    for name in ["leapfrog", "implicit"] {
        let error = |steps: u32| {
            let state = end(name, steps);
            state.q.iter().zip(&exact.q).fold(0.0f64, |worst, (a, b)| worst.max((a - b).abs()))
        };
        let (long, short) = (error(500), error(1000));
        assert!((long / short - 2.0).abs() < 0.2 && short < 2e-3, "{name}: {long:e} {short:e}");
    }
}
