//! N1: a particle with drag, each update against the exact solution at its order.

use poinsot_core::algebra::V3;
use poinsot_core::free::{DragParticle, Particle, ParticleUpdate};

const START: Particle = Particle { pos: V3::ZERO, vel: V3::new(10.0, 20.0, 10.0) };
const G: V3 = V3::new(0.0, -9.8, 0.0);

fn error(p: &DragParticle, update: ParticleUpdate, t: f64, n: u32) -> (f64, f64) {
    let end = (0..n).fold(START, |s, _| p.step(update, t / f64::from(n), s));
    let exact = p.exact(t, START);
    ((end.pos - exact.pos).norm(), (end.vel - exact.vel).norm())
}

#[test]
fn updates_converge_at_first_order_with_drag() {
    let p = DragParticle { mass: 2.0, drag: 0.8, gravity: G };
    for update in [ParticleUpdate::Euler, ParticleUpdate::EulerHalfA] {
        let (a, b) = (error(&p, update, 3.0, 1000), error(&p, update, 3.0, 2000));
        let orders = (libm::log2(a.0 / b.0), libm::log2(a.1 / b.1));
        println!("{update:?}: position error {:.2e}, orders {orders:.3?}, expected 1 ± 0.1", b.0);
        assert!((orders.0 - 1.0).abs() < 0.1 && (orders.1 - 1.0).abs() < 0.1);
    }
}

#[test]
fn one_step_of_each_has_its_local_order() {
    // local error of the position: ½ a h² against (1/6) ȧ h³
    let p = DragParticle { mass: 2.0, drag: 0.8, gravity: G };
    for (update, local) in [(ParticleUpdate::Euler, 2.0), (ParticleUpdate::EulerHalfA, 3.0)] {
        let order = libm::log2(error(&p, update, 2e-3, 1).0 / error(&p, update, 1e-3, 1).0);
        println!("{update:?}: local order {order:.3}, expected {local} ± 0.1");
        assert!((order - local).abs() < 0.1);
    }
}

#[test]
fn without_drag_the_second_update_is_exact() {
    let p = DragParticle { mass: 2.0, drag: 0.0, gravity: G };
    assert!(error(&p, ParticleUpdate::EulerHalfA, 3.0, 300).0 < 1e-12);
    let order = libm::log2(
        error(&p, ParticleUpdate::Euler, 3.0, 100).0 / error(&p, ParticleUpdate::Euler, 3.0, 200).0,
    );
    assert!((order - 1.0).abs() < 0.01);
}

#[test]
fn exact_solution_solves_the_equation_and_is_smooth_in_the_drag() {
    for drag in [0.0, 1e-9, 0.01, 0.3, 0.8, 5.0, 200.0] {
        let p = DragParticle { mass: 2.0, drag, gravity: G };
        let (t, h) = (1.3, 1e-4);
        let (before, now, after) = (p.exact(t - h, START), p.exact(t, START), p.exact(t + h, START));
        let vel = (after.pos - before.pos) * (0.5 / h);
        let acc = (after.vel - before.vel) * (0.5 / h);
        assert!((vel - now.vel).norm() < 1e-6, "drag {drag}");
        assert!((acc - p.acceleration(now.vel)).norm() < 1e-6, "drag {drag}");
    }
    // one flow: t then s is t + s, across the switch of formulas
    let p = DragParticle { mass: 2.0, drag: 0.8, gravity: G };
    let (once, twice) = (p.exact(1.6, START), p.exact(0.5, p.exact(1.1, START)));
    assert!((once.pos - twice.pos).norm() < 1e-14 && (once.vel - twice.vel).norm() < 1e-14);
    // terminal velocity m g / k
    assert!((p.exact(1e3, START).vel - G * (2.0 / 0.8)).norm() < 1e-12);
}
