//! Results have the same bits everywhere: in debug and release, on any processor.
//!
//! The hashes were recorded once; `./test` compares with them in both profiles. A change in the arithmetic changes them: print the new ones
//! with `cargo test -p poinsot --test determinism -- --nocapture`, and explain the change in the commit message.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use poinsot::constraint::Maximal;
use poinsot::dynamics::{GenericWorkspace, State};
use poinsot::integrate::JointForces;
use poinsot::{Simulation, scenes};

/// FNV-1a over the bytes of time, positions and velocities.
fn hash(state: &State) -> u64 {
    let numbers = state.q.iter().chain(&state.v).chain([&state.time]);
    numbers
        .flat_map(|x| x.to_bits().to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// `maximal:` before the name of a scene: in maximal coordinates.
fn run(scene: &str, integrator: &str, steps: usize) -> State {
    if let Some(name) = scene.strip_prefix("maximal:") {
        let scene = scenes::by_name(name).unwrap();
        let twin = Maximal::of(&scene.model).unwrap();
        let mut simulation =
            Simulation::new(twin.model(), twin.state(&scene.state), integrator.parse().unwrap()).unwrap();
        simulation.push(JointForces::new(&scene.model, &twin));
        simulation.run(steps, scene.dt).unwrap();
        return simulation.state().clone();
    }
    let scene = scenes::by_name(scene).unwrap();
    let mut simulation =
        Simulation::new(&scene.model, scene.state.clone(), integrator.parse().unwrap()).unwrap();
    simulation.run(steps, scene.dt).unwrap();
    simulation.state().clone()
}

/// Scene, integrator, steps, hash of the final state.
const EXPECTED: [(&str, &str, usize, u64); 32] = [
    ("dzhanibekov", "exact", 500, 0x4bb7_011c_2b35_36d2),
    ("dzhanibekov", "exact-4", 500, 0x4269_98a8_6162_bc3d),
    ("dzhanibekov", "euler-forward", 500, 0xeb82_5141_9c4a_c565),
    ("dzhanibekov", "euler-backward", 500, 0xdd90_2f2d_88f9_b3dd),
    ("dzhanibekov", "rk4-momenta", 500, 0x6aec_f5e2_0e53_0fab),
    ("dzhanibekov", "momentum", 500, 0xdbc9_412b_2786_9007),
    ("dzhanibekov", "buss-augmented", 500, 0xd607_8cc5_2bdb_245c),
    ("dzhanibekov", "rkmk4", 500, 0x0a7c_8770_2a46_5dff),
    ("heavy-top", "exact", 500, 0xb26e_2a8a_9c23_58ca),
    ("heavy-top", "midpoint", 500, 0xb605_da53_a6a5_64ad),
    ("double-pendulum", "midpoint", 500, 0xaf65_833b_88fb_0d0c),
    ("double-pendulum", "adaptive", 500, 0xf553_20e8_e01e_f95c),
    ("chain5", "rkmk4", 500, 0xcfef_bc48_5041_65dc),
    ("chain:100", "semi-implicit", 500, 0x8605_e413_af04_39c6),
    ("ball-chain", "midpoint", 500, 0x4b4a_256c_f7c0_abce),
    ("ball-chain", "adaptive", 300, 0xc39e_2bf6_3ebb_d2fe),
    ("humanoid", "midpoint", 300, 0xac65_6d7f_63ae_a419),
    ("humanoid", "semi-implicit", 500, 0x422d_239f_5630_f41b),
    ("humanoid", "leapfrog", 500, 0x95f1_51db_5b44_ab5e),
    ("particle-drag", "implicit", 500, 0x5b92_c42e_859d_2b08),
    ("particle-drag", "rkmk4", 500, 0xf9f9_e89c_7078_e27a),
    ("four-bar", "midpoint", 300, 0x2140_72eb_0f79_5cb9),
    ("six-r", "semi-implicit", 300, 0x5045_2b86_361d_42be),
    ("stewart", "implicit", 100, 0xd15e_7194_82dc_c783),
    ("stewart", "leapfrog", 100, 0xd725_88d4_78c9_d426),
    ("andrews", "rkmk4", 300, 0x7579_3a9c_a628_bbcd),
    ("governor", "backward", 300, 0x27e9_8e03_9a9b_927c),
    ("soft-joint", "backward", 300, 0x0520_1241_0d90_dea2),
    ("rolling", "midpoint", 300, 0x3f28_41eb_7807_c340),
    ("maximal:chain5", "midpoint", 300, 0xa8fc_1454_0a0e_a98f),
    ("maximal:chain5", "leapfrog", 300, 0x14c7_e25f_1634_b827),
    ("maximal:heavy-chain:20", "backward", 30, 0xf156_43a0_dafa_1a33),
];

#[test]
fn the_same_bits_everywhere() {
    let mut wrong = Vec::new();
    for (scene, integrator, steps, expected) in EXPECTED {
        let found = hash(&run(scene, integrator, steps));
        println!("    (\"{scene}\", \"{integrator}\", {steps}, {found:#018x}),");
        if found != expected {
            wrong.push((scene, integrator));
        }
    }
    assert!(wrong.is_empty(), "other bits than expected: {wrong:?}");
}

/// Nothing is left from one run to the next.
#[test]
fn twice_is_the_same() {
    for integrator in ["semi-implicit", "leapfrog", "midpoint", "adaptive"] {
        assert_eq!(hash(&run("humanoid", integrator, 20)), hash(&run("humanoid", integrator, 20)));
    }
}

/// The sweeps chosen for this processor against plain numbers, through a whole run.
#[test]
fn the_portable_path_gives_the_same_bits() {
    for name in ["humanoid", "chain5", "ball-chain"] {
        let scene = scenes::by_name(name).unwrap();
        let (model, mut state) = (&scene.model, scene.state.clone());
        let mut portable = GenericWorkspace::<f64>::new(model);
        let (no_forces, mut a) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
        for _ in 0..300 {
            portable.forward_dynamics(model, &state.q, &state.v, &no_forces, &mut a);
            for (v, a) in state.v.iter_mut().zip(&a) {
                *v = a.mul_add(scene.dt, *v);
            }
            model.integrate(&mut state.q, &state.v, scene.dt);
        }
        let dispatched = run(name, "semi-implicit", 300);
        state.time = dispatched.time;
        assert_eq!(hash(&state), hash(&dispatched), "{name}");
    }
}
