//! The exact rotor: reference attitudes at any step, a million steps at round-off, and the awkward bodies.

#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use poinsot_core::algebra::{M3, Sym3, V3};
use poinsot_core::free::*;
use poinsot_core::spatial::{Inertia, Quat};

fn body(i: [f64; 3]) -> FreeBody {
    FreeBody::new(&Inertia::new(1.0, V3::ZERO, Sym3::diagonal(i[0], i[1], i[2])).unwrap()).unwrap()
}

fn start(body: &FreeBody, rot: Quat, omega_body: [f64; 3]) -> MomentumState {
    let omega = rot.matrix() * V3::from(omega_body);
    body.to_momentum(&VelocityState { rot, omega, ..VelocityState::AT_REST })
}

fn run(body: &FreeBody, mut s: MomentumState, dt: f64, steps: u32) -> MomentumState {
    for k in 0..steps {
        Exact.step(body, &NoLoad, f64::from(k) * dt, dt, &mut s).unwrap();
    }
    s
}

/// Attitudes at t = 100 s: mpmath with 40 digits (Jacobi functions and quadrature), checked by extrapolation.
const DZHANIBEKOV_100: [[f64; 3]; 3] = [
    [-0.491604574418214, -0.010697307057550468, -0.8707528409559186],
    [0.010572869065672175, -0.9999241645807537, 0.006315023927270836],
    [-0.8707543607991905, -0.006101861125782176, 0.4916803946060843],
];
const BOX_100: [[f64; 3]; 3] = [
    [-0.05157954250193436, -0.367051741104795, 0.928769384802939],
    [0.8441885249645934, 0.4808501281590593, 0.23691536161152624],
    [-0.5335590736866867, 0.7962764429526688, 0.2850588382865019],
];
const BOX: [f64; 3] = [0.09666666666666666, 0.08416666666666667, 0.014166666666666666];

#[test]
fn attitude_after_100_s_whatever_the_step() {
    let dzhanibekov = body([1.0, 2.0, 3.0]);
    let slab = body(BOX);
    let cases = [
        (&dzhanibekov, start(&dzhanibekov, Quat::IDENTITY, [0.01, 2.0, 0.01]), DZHANIBEKOV_100),
        (&slab, start(&slab, Quat::exp(V3::Z * 0.5), [0.5, 5.0, 0.2]), BOX_100),
    ];
    for (body, s, reference) in cases {
        for (dt, steps) in [(1e-3, 100_000), (1e-2, 10_000), (0.1, 1000), (1.0, 100), (100.0, 1)] {
            let end = run(body, s, dt, steps);
            let error = (end.rot.matrix() - M3::from_rows(reference)).max_abs();
            println!("{:?}: dt = {dt}: attitude error {error:.2e} (<= 1e-9)", body.principal().moments);
            assert!(error <= 1e-9);
        }
    }
}

#[test]
fn period_and_precession() {
    let b = body([1.0, 2.0, 3.0]);
    let rotor = FreeRotor::new(&b, Quat::IDENTITY, V3::new(0.01, 4.0, 0.03));
    let turns = |x: f64| (x / std::f64::consts::TAU).fract().rem_euclid(1.0);
    assert!((rotor.period().unwrap() / 21.955_145_879_353_93 - 1.0).abs() < 1e-12);
    assert!((turns(rotor.precession_per_period().unwrap()) - turns(48.100_201_356_517_72)).abs() < 1e-12);
    let b = body(BOX);
    let s = start(&b, Quat::exp(V3::Z * 0.5), [0.5, 5.0, 0.2]);
    let rotor = FreeRotor::new(&b, s.rot, s.angular);
    assert!((rotor.period().unwrap() / 3.600_929_738_900_717 - 1.0).abs() < 1e-12);
    assert!((turns(rotor.precession_per_period().unwrap()) - turns(23.753_637_152_450_414)).abs() < 1e-12);
}

/// Name, principal moments, body angular velocity: every kind of body and motion.
fn zoo() -> Vec<(&'static str, [f64; 3], [f64; 3])> {
    let separatrix = |i: [f64; 3]| {
        // M₁² (I₂ − I₁)/I₁ = M₃² (I₃ − I₂)/I₃
        let (m1, m3) = (((i[2] - i[1]) / i[2]).sqrt(), ((i[1] - i[0]) / i[0]).sqrt());
        [m1 / i[0], 0.7 / i[1], m3 / i[2]]
    };
    vec![
        ("asymmetric, Dzhanibekov", [1.0, 2.0, 3.0], [0.01, 2.0, 0.01]),
        ("asymmetric, about smallest", [1.0, 2.0, 3.0], [2.0, 0.3, -0.2]),
        ("asymmetric, about largest", [1.0, 2.0, 3.0], [0.3, -0.2, -2.0]),
        ("axes permuted", [3.0, 1.0, 2.0], [1.0, -0.6, 0.8]),
        ("nearly prolate", [1.0, 2.0, 2.0 + 1e-9], [0.3, 1.0, 0.5]),
        ("nearly oblate", [2.0 - 1e-13, 2.0, 3.0], [0.3, 1.0, 0.5]),
        ("prolate", [1.0, 2.0, 2.0], [0.3, 1.0, 0.5]),
        ("oblate", [2.0, 2.0, 3.0], [0.3, 1.0, 0.5]),
        ("oblate, spin across", [2.0, 2.0, 3.0], [0.3, 1.0, 0.0]),
        ("nearly oblate, spin across", [2.0, 2.0 + 1e-12, 3.0], [0.3, 1.0, 1e-9]),
        ("sphere", [2.0, 2.0, 2.0], [0.3, 1.0, 0.5]),
        ("nearly a sphere", [2.0, 2.0 + 1e-15, 2.0 + 1e-14], [0.3, 1.0, 0.5]),
        ("m1 = 5e-9", [1.0, 2.0, 3.0], [1e-4, 2.0, 1e-4]),
        ("m1 = 5e-15, fast", [1.0, 2.0, 3.0], [1e-5, 200.0, 1e-5]),
        ("m1 = 5e-15", [1.0, 2.0, 3.0], [1e-7, 2.0, 1e-7]),
        ("separatrix", [1.0, 2.0, 3.0], separatrix([1.0, 2.0, 3.0])),
        ("separatrix of a slab", [0.2, 0.9, 1.0], separatrix([0.2, 0.9, 1.0])),
        ("smallest axis", [1.0, 2.0, 3.0], [2.0, 0.0, 0.0]),
        ("middle axis", [1.0, 2.0, 3.0], [0.0, -2.0, 0.0]),
        ("largest axis", [1.0, 2.0, 3.0], [0.0, 0.0, 2.0]),
        ("almost largest axis", [1.0, 2.0, 3.0], [1e-12, 1e-13, 2.0]),
        ("at rest", [1.0, 2.0, 3.0], [0.0, 0.0, 0.0]),
        ("thin rod", [1e-9, 1.0, 1.0 + 1e-9], [0.3, 1.0, 0.5]),
        ("thin rod spinning", [1e-6, 1.0, 1.0], [3e3, 1.0, 0.5]),
        ("flat disc", [1.0, 1.0, 2.0], [0.3, 1.0, 4.0]),
        ("flat plate", [1.0, 1.7, 2.7], [0.3, 2.0, 0.1]),
        ("tiny", [1e-12, 2e-12, 2.5e-12], [0.3, 2.0, 0.1]),
        ("slow", [1.0, 2.0, 3.0], [3e-9, 2e-8, 1e-9]),
    ]
}

fn a_million_steps(dt: f64) {
    let attitude = Quat::exp(V3::new(0.4, -1.1, 0.7));
    for (name, i, omega) in zoo() {
        let b = body(i);
        let s = start(&b, attitude, omega);
        let energy = b.kinetic_energy(&s);
        let end = run(&b, s, dt, 1_000_000);
        assert_eq!(end.angular, s.angular, "{name}: L is stored, not computed");
        let l = s.angular.norm().max(f64::MIN_POSITIVE);
        let turned = (end.rot.matrix().tr_mul(end.angular).norm() - l).abs() / l;
        let drift = (b.kinetic_energy(&end) - energy).abs() / energy.max(f64::MIN_POSITIVE);
        println!("{name:26} dt = {dt}: drift of energy {drift:.1e}, of |RᵀL| {turned:.1e} (<= 1e-12)");
        assert!(drift <= 1e-12 && (turned <= 1e-12 || s.angular == V3::ZERO), "{name}");
    }
}

#[test]
fn a_million_short_steps_at_round_off() {
    a_million_steps(1e-3);
}

#[test]
fn a_million_long_steps_at_round_off() {
    a_million_steps(1.0);
}

/// RK4 with small steps is an independent solution of the same equations.
#[test]
fn agrees_with_runge_kutta_in_all_cases() {
    let attitude = Quat::exp(V3::new(0.4, -1.1, 0.7));
    for (name, i, omega) in zoo() {
        if ["thin rod spinning", "m1 = 5e-15, fast", "tiny"].contains(&name) {
            continue; // too fast for RK4, too small for absolute tolerances
        }
        let b = body(i);
        let s = start(&b, attitude, omega);
        let t = 3.0;
        let mut rk = QuatEntries::from(b.to_velocity(&s));
        for _ in 0..12_000 {
            rk = Rk4.advance(&b, &NoLoad, 0.0, t / 12_000.0, rk).unwrap();
        }
        // the spin about a thin axis is L's component along it, with the round-off of L, over a small moment
        let moments = b.principal().moments;
        let rounding = 1e-15 * t * moments.x / moments.z;
        let tolerance = 2e-11 + rounding;
        for steps in [1, 3, 100] {
            let end = run(&b, s, t / f64::from(steps), steps);
            let error = (end.rot.matrix() - rk.rot.matrix()).max_abs();
            let back = run(&b, end, -t / f64::from(steps), steps);
            let there_and_back = (back.rot.matrix() - s.rot.matrix()).max_abs();
            println!(
                "{name:26} {steps:3} steps: {error:.1e} from RK4 (<= {tolerance:.1e}), back {there_and_back:.1e}"
            );
            assert!(error <= tolerance, "{name}");
            assert!(there_and_back <= 1e-12 + rounding, "{name}");
        }
    }
}

#[test]
fn spin_about_the_middle_axis_stays_there() {
    let b = body([1.0, 2.0, 3.0]);
    let s = start(&b, Quat::IDENTITY, [0.0, 2.0, 0.0]);
    let end = run(&b, s, 1.0, 10_000);
    let m = end.rot.matrix().tr_mul(end.angular);
    assert!(m.x.abs() + m.z.abs() < 1e-12 && (m.y - 4.0).abs() < 1e-12, "{m:?}");
}

#[test]
fn rods_and_points_are_refused() {
    let rod = Inertia::new(1.0, V3::ZERO, Sym3::diagonal(0.0, 1.0, 1.0)).unwrap();
    let message = FreeBody::new(&rod).unwrap_err().to_string();
    assert!(message.contains("thickness"), "{message}");
    assert_eq!(FreeBody::new(&Inertia::ZERO).unwrap_err(), FreeBodyError::Massless);
}

/// A general inertia about a point off the centre of mass: nothing depends on axes being the body's.
#[test]
fn products_of_inertia() {
    let turn = Quat::exp(V3::new(0.3, 0.5, -0.8));
    let plain = body([1.0, 2.0, 3.0]);
    let tilted_inertia = Sym3::diagonal(1.0, 2.0, 3.0).rotated(turn.matrix());
    let tilted = FreeBody::new(&Inertia::new(1.0, V3::new(0.3, -2.0, 0.1), tilted_inertia).unwrap()).unwrap();
    let s = start(&plain, turn, [0.2, 1.0, -0.4]);
    // the tilted body in attitude R turnᵀ has the same mass at the same places
    let mut same = s;
    same.rot = s.rot * turn.conjugate();
    let (a, b) = (run(&plain, s, 0.3, 100), run(&tilted, same, 0.3, 100));
    let error = (a.rot.matrix() - (b.rot * turn).matrix()).max_abs();
    assert!(error < 1e-12, "{error:e}");
}

/// Prints the cost of a step: without load (the stride is remembered) and with one (it is not).
#[test]
fn cost_of_a_step() {
    let b = body([1.0, 2.0, 3.0]);
    let weight = PivotWeight { com: V3::new(0.1, 0.2, 0.1), weight: V3::Z * -9.81 };
    for (name, loads) in [("without load", &NoLoad as &dyn Loads), ("with torque", &weight)] {
        for dt in [0.001, 0.1] {
            let mut s = start(&b, Quat::IDENTITY, [0.01, 2.0, 0.01]);
            let n = 200_000;
            let began = std::time::Instant::now();
            for k in 0..n {
                Exact.step(&b, loads, f64::from(k) * dt, dt, &mut s).unwrap();
            }
            let cost = began.elapsed().as_secs_f64() / f64::from(n) * 1e9;
            println!("exact step {name}, dt = {dt}: {cost:.0} ns");
            assert!(cost < 20_000.0);
        }
    }
}

/// One long step and many short ones are the same motion: phase, precession and whole periods add up.
#[test]
fn steps_add_up() {
    let attitude = Quat::exp(V3::new(0.4, -1.1, 0.7));
    for (name, i, omega) in zoo() {
        let b = body(i);
        let s = start(&b, attitude, omega);
        let once = run(&b, s, 100.0, 1);
        let gap = |n: u32| (run(&b, s, 100.0 / f64::from(n), n).rot.matrix() - once.rot.matrix()).max_abs();
        println!(
            "{name:26} 100 s in one step or 7: {:.1e}, or 10 000: {:.1e} (<= 1e-9)",
            gap(7),
            gap(10_000)
        );
        assert!(gap(7).max(gap(10_000)) <= 1e-9, "{name}");
    }
}
