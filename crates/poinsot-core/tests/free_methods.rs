//! The methods for one free body: measured orders, reference errors, who conserves what, both choices of state.

#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use poinsot_core::algebra::{M3, Sym3, V3};
use poinsot_core::free::*;
use poinsot_core::spatial::{Force, Inertia, Quat};

fn body() -> FreeBody {
    FreeBody::new(&Inertia::new(1.5, V3::ZERO, Sym3::diagonal(1.0, 2.0, 3.0)).unwrap()).unwrap()
}

fn start(body: &FreeBody) -> MomentumState {
    body.to_momentum(&VelocityState { omega: V3::new(1.0, -0.6, 0.8), ..VelocityState::AT_REST })
}

fn method(name: &str) -> &'static dyn FreeIntegrator {
    free_integrator(name).unwrap()
}

/// The state after time T = n h.
fn run(m: &dyn FreeIntegrator, loads: &dyn Loads, s: MomentumState, t: f64, n: u32) -> MomentumState {
    let (body, h) = (body(), t / f64::from(n));
    let mut s = s;
    for k in 0..n {
        m.step(&body, loads, f64::from(k) * h, h, &mut s).unwrap();
    }
    s
}

/// R(10) of the free top: Jacobi functions with 30 digits.
const R_EXACT: [[f64; 3]; 3] = [
    [0.31624995121751837, 0.9468356134041832, -0.05906174349307208],
    [-0.9370892465071715, 0.3020809629116727, -0.17495952653964902],
    [-0.14781648228644462, 0.11067706644052686, 0.982802561315639],
];

fn error_at_10(name: &str, n: u32) -> f64 {
    let end = run(method(name), &NoLoad, start(&body()), 10.0, n);
    (end.rot.matrix() - M3::from_rows(R_EXACT)).max_abs()
}

/// Largest entry of R(10) − R_exact at h = 0.1, 0.05, 0.025, 0.0125 of independent implementations.
const REFERENCE: [(&str, [f64; 4]); 4] = [
    ("momentum", [1.6051785027576266, 1.48094756273775, 0.5298926677463697, 0.258487170878917]),
    ("buss", [0.027482895132727392, 0.007434921768364841, 0.0019268875336414387, 0.000489961866858471]),
    (
        "buss-augmented",
        [0.037537510640349825, 0.010355513347379754, 0.00270999291706759, 0.0006921831800482947],
    ),
    ("rk4", [6.7857401121196315e-06, 4.1486119289890766e-07, 2.561376513665614e-08, 1.590613557533871e-09]),
];

#[test]
fn error_constants_of_the_literature() {
    for (name, expected) in REFERENCE {
        for (k, expected) in expected.into_iter().enumerate() {
            let error = error_at_10(name, 100 << k);
            println!(
                "{name:15} h = {:<7} error {error:.6e}, reference {expected:.6e} (3 digits)",
                0.1 / f64::from(1 << k)
            );
            assert!((error / expected - 1.0).abs() < 5e-4, "{name}");
        }
    }
}

/// A load with force, torque, time and velocity in it: nothing about the methods' orders may hide.
fn busy(body: &FreeBody, at: &Kinematics) -> Force {
    let thruster =
        PointForce { point: V3::new(0.2, -0.1, 0.3), force: ForceAxes::Body(V3::new(0.5, 0.2, -0.4)) };
    let spring = Force::at_point(at.pos * -0.7, at.rot * V3::new(0.1, 0.3, 0.0));
    let drag = Force { moment: at.omega * -0.2, force: at.vel * -0.3 };
    let shaker =
        Force { moment: V3::new(0.0, 0.3, 0.1) * libm::sin(2.0 * at.t), force: V3::X * libm::cos(at.t) };
    thruster.load(body, at) + UniformGravity::EARTH.load(body, at) + spring + drag + shaker
}

fn distance(a: &MomentumState, b: &MomentumState) -> f64 {
    (a.rot.matrix() - b.rot.matrix()).max_abs()
        + (a.pos - b.pos).norm()
        + (a.linear - b.linear).norm()
        + (a.angular - b.angular).norm()
}

#[test]
fn measured_orders_without_and_with_loads() {
    let t = 2.0;
    for loads in [&NoLoad as &dyn Loads, &busy] {
        let truth = run(method("rk4"), loads, start(&body()), t, 8000);
        for m in free_integrators() {
            let n = if m.order() == 1 { 3200 } else { 100 };
            let errors = [n, 2 * n].map(|n| distance(&run(m, loads, start(&body()), t, n), &truth));
            if errors[0] < 1e-11 {
                assert!(m.name().starts_with("exact"));
                println!("{:24} error {:.1e}: exact", m.name(), errors[0]);
                continue;
            }
            let order = libm::log2(errors[0] / errors[1]);
            println!("{:24} order {order:.3}, expected {} ± 0.1", m.name(), m.order());
            assert!((order - f64::from(m.order())).abs() <= 0.1, "{}", m.name());
        }
    }
}

#[test]
fn who_keeps_the_momentum_and_who_gains_energy() {
    // relative energy change over 20 s at h = 0.02, momentum change, both without load
    let body = body();
    let s = start(&body);
    let (energy, l) = (body.kinetic_energy(&s), s.angular);
    let figure = |name| {
        let end = run(method(name), &NoLoad, s, 20.0, 1000);
        let gain = body.kinetic_energy(&end) / energy - 1.0;
        let turn = (end.angular - l).norm() / l.norm();
        println!("{name:24} energy {gain:+.2e}, L off by {turn:.1e}");
        (gain, turn)
    };
    let (gain, turn) = figure("euler-forward");
    assert!(gain > 0.05 && turn > 0.02, "forward Euler pumps energy in");
    let (gain, turn) = figure("euler-backward");
    assert!(gain < -0.05 && turn > 0.02, "backward Euler takes energy out");
    let (gain, turn) = figure("rk4");
    assert!(gain.abs() < 1e-8 && gain != 0.0 && turn < 1e-7 && turn > 1e-12, "RK4 drifts, slowly");
    for name in ["euler-forward-momenta", "euler-backward-momenta", "rk4-momenta"] {
        let (_, turn) = figure(name);
        assert_eq!(turn, 0.0, "{name}: L̇ = 0 is integrated exactly in momenta");
    }
    let (gain, turn) = figure("momentum");
    assert!(gain > 0.01 && turn == 0.0, "the first-order Lie method keeps L, not the energy");
    for name in ["buss", "buss-augmented"] {
        let (gain, turn) = figure(name);
        assert!(gain.abs() < 1e-3 && gain != 0.0 && turn == 0.0, "{name}");
    }
    for name in ["exact", "exact-4"] {
        let (gain, turn) = figure(name);
        assert!(gain.abs() <= 1e-15 && turn == 0.0, "{name}");
    }
}

#[test]
fn raw_matrix_entries_stop_being_a_rotation() {
    let body = body();
    let spinning = VelocityState { omega: V3::new(1.0, -0.6, 0.8), ..VelocityState::AT_REST };
    fn drift(scheme: impl Scheme, body: &FreeBody, s: VelocityState) -> (f64, f64) {
        let mut y = MatrixEntries::from(s);
        for _ in 0..500 {
            y = scheme.advance(body, &NoLoad, 0.0, 0.02, y).unwrap();
        }
        (y.orthogonality_error(), y.rot.determinant())
    }
    let forward = drift(ForwardEuler, &body, spinning);
    let backward = drift(BackwardEuler, &body, spinning);
    let rk4 = drift(Rk4, &body, spinning);
    println!("RᵀR − 1 and det R after 10 s: forward {forward:?}, backward {backward:?}, rk4 {rk4:?}");
    assert!(forward.0 > 0.1 && forward.1 > 1.1, "the matrix grows");
    assert!(backward.0 > 0.1 && backward.1 < 0.9, "the matrix shrinks");
    assert!(rk4.0 > 1e-12 && rk4.0 < 1e-6, "slowly, but it goes");
}

#[test]
fn matrix_entries_converge_at_the_same_orders() {
    let body = body();
    let spinning = VelocityState { omega: V3::new(1.0, -0.6, 0.8), ..VelocityState::AT_REST };
    let truth = run(method("exact"), &NoLoad, start(&body), 2.0, 1).rot.matrix();
    fn error(scheme: &impl Scheme, body: &FreeBody, s: VelocityState, n: u32, truth: M3) -> f64 {
        let mut y = MatrixEntries::from(s);
        for _ in 0..n {
            y = scheme.advance(body, &NoLoad, 0.0, 2.0 / f64::from(n), y).unwrap();
        }
        (y.rot - truth).max_abs()
    }
    fn check<S: Scheme>(scheme: S, body: &FreeBody, s: VelocityState, n: u32, truth: M3) {
        let errors = [n, 2 * n].map(|n| error(&scheme, body, s, n, truth));
        let order = libm::log2(errors[0] / errors[1]);
        println!("{} on matrix entries: order {order:.3}, expected {} ± 0.1", S::NAMES[0], S::ORDER);
        assert!((order - f64::from(S::ORDER)).abs() <= 0.1);
    }
    check(ForwardEuler, &body, spinning, 3200, truth);
    check(BackwardEuler, &body, spinning, 3200, truth);
    check(Rk4, &body, spinning, 100, truth);
}

/// N2: a body under forces at points, in velocities and in momenta.
#[test]
fn both_choices_of_state_agree() {
    let s = start(&body());
    for (scheme, order) in [("euler-forward", 1), ("euler-backward", 1), ("rk4", 4)] {
        let momenta = format!("{scheme}-momenta");
        let n = if order == 1 { 1600 } else { 50 };
        let gap =
            |n| distance(&run(method(scheme), &busy, s, 1.0, n), &run(method(&momenta), &busy, s, 1.0, n));
        let measured = libm::log2(gap(n) / gap(2 * n));
        println!("{scheme}: states differ by {:.1e}, vanishing with order {measured:.2}", gap(2 * n));
        assert!((measured - f64::from(order)).abs() < 0.15);
    }
    // translation alone is the same arithmetic in both: P = m v
    let thrown = VelocityState { vel: V3::new(3.0, 1.0, 4.0), ..VelocityState::AT_REST };
    let s = body().to_momentum(&thrown);
    for scheme in ["euler-forward", "euler-backward", "rk4"] {
        let momenta = format!("{scheme}-momenta");
        let gravity = UniformGravity::EARTH;
        let (a, b) =
            (run(method(scheme), &gravity, s, 1.0, 100), run(method(&momenta), &gravity, s, 1.0, 100));
        assert!(distance(&a, &b) < 1e-12, "{scheme}: {:e}", distance(&a, &b));
    }
}

#[test]
fn conversions_undo_each_other() {
    let inertia = Sym3 { xx: 2.0, xy: 0.3, xz: -0.2, yy: 2.5, yz: 0.4, zz: 3.0 };
    let body = FreeBody::new(&Inertia::new(1.5, V3::new(0.2, 0.1, -0.3), inertia).unwrap()).unwrap();
    let s = VelocityState {
        pos: V3::new(1.0, 2.0, 3.0),
        rot: Quat::exp(V3::new(0.4, -1.0, 0.2)),
        vel: V3::new(-1.0, 0.5, 2.0),
        omega: V3::new(0.3, 0.7, -0.9),
    };
    let back = body.to_velocity(&body.to_momentum(&s));
    assert!((back.vel - s.vel).norm() < 1e-15 && (back.omega - s.omega).norm() < 1e-15);
}

#[test]
fn gravity_is_a_parabola() {
    let s = body().to_momentum(&VelocityState { vel: V3::new(3.0, 1.0, 4.0), ..VelocityState::AT_REST });
    for name in ["buss", "buss-augmented", "exact", "exact-4", "rk4"] {
        let end = run(method(name), &UniformGravity::EARTH, s, 2.0, 40);
        let exact = V3::new(6.0, 2.0, 8.0 - 0.5 * 9.81 * 4.0);
        assert!((end.pos - exact).norm() < 1e-13, "{name}: {:e}", (end.pos - exact).norm());
    }
}

#[test]
fn implicit_step_that_cannot_be_solved_is_an_error_and_changes_nothing() {
    let body = body();
    let mut s = start(&body);
    let before = s;
    let broken =
        |_: &FreeBody, at: &Kinematics| Force { moment: V3::ZERO, force: V3::X * at.vel.dot(at.vel).exp() };
    let result = method("euler-backward").step(&body, &broken, 0.0, 10.0, &mut s);
    assert!(matches!(result, Err(FreeStepError::NotConverged { .. })), "{result:?}");
    assert_eq!(s, before);
    let nan = |_: &FreeBody, _: &Kinematics| Force { moment: V3::X * f64::NAN, force: V3::ZERO };
    for m in free_integrators() {
        let mut s = before;
        assert!(m.step(&body, &nan, 0.0, 0.1, &mut s).is_err(), "{}", m.name());
        assert_eq!(s, before, "{}", m.name());
    }
}

/// Without renormalisation |q| grows by √(1 + h²ω²/4) a step, and the matrix made of q with it; a force fixed in the body grows, too.
#[test]
fn an_unnormalised_quaternion_stretches_the_body() {
    let body = FreeBody::new(&Inertia::new(1.0, V3::ZERO, Sym3::diagonal(1.0, 1.0, 1.0)).unwrap()).unwrap();
    let start = body.to_momentum(&VelocityState { omega: V3::Z * 2.0, ..VelocityState::AT_REST });
    let (h, n) = (0.01, 1000);
    let run = |m: &dyn FreeIntegrator, loads: &dyn Loads| {
        let mut s = start;
        for _ in 0..n {
            m.step(&body, loads, 0.0, h, &mut s).unwrap();
        }
        s
    };
    let grown = run(method("lecture-unnormalised"), &NoLoad);
    // a spin about z: q = √(1 + h²ω²/4)ⁿ (cos, 0, 0, sin), and the matrix has 1 − 2 z² on its diagonal
    let squared = (1.0 + h * h).powi(n);
    let z = grown.rot.z * squared.sqrt();
    assert!((grown.attitude().x.x - (1.0 - 2.0 * z * z)).abs() < 1e-12, "{:?}", grown.attitude());
    assert!((grown.attitude().z.z - 1.0).abs() < 1e-15 && grown.orthogonality_error() > 0.05);
    let kept = run(method("lecture"), &NoLoad);
    assert!(kept.orthogonality_error() < 1e-15);
    let thruster = PointForce { point: V3::ZERO, force: ForceAxes::Body(V3::new(1.0, 0.0, 0.0)) };
    let off =
        run(method("lecture-unnormalised"), &thruster).linear - run(method("lecture"), &thruster).linear;
    assert!(off.norm() > 1e-3, "the force was stretched: {off:?}");
}
