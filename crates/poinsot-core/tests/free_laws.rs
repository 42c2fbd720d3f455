//! Statements about one rigid body on SE(3): frames, inertia, invariance, momenta.

#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use poinsot_core::algebra::{M3, Sym3, V3};
use poinsot_core::free::*;
use poinsot_core::spatial::{Inertia, Quat, exp_so3};

const INERTIA: Sym3 = Sym3 { xx: 2.0, xy: 0.3, xz: -0.2, yy: 2.5, yz: 0.4, zz: 3.0 };
const MASS: f64 = 1.5;

fn body() -> FreeBody {
    FreeBody::new(&Inertia::new(MASS, V3::ZERO, INERTIA).unwrap()).unwrap()
}

fn tumbling(body: &FreeBody) -> MomentumState {
    body.to_momentum(&VelocityState {
        pos: V3::new(1.0, 2.0, 3.0),
        rot: Quat::exp(V3::new(0.4, -1.0, 0.2)),
        vel: V3::new(-1.0, 0.5, 2.0),
        omega: V3::new(0.3, 0.7, -0.9),
    })
}

fn advanced(body: &FreeBody, s: MomentumState, h: f64) -> MomentumState {
    let mut s = s;
    Exact.step(body, &NoLoad, 0.0, h, &mut s).unwrap();
    s
}

/// Ṙ = R [Ω]× = [ω]× R along the motion itself, and ω = R Ω.
#[test]
fn body_and_world_angular_velocity() {
    let body = body();
    let s = tumbling(&body);
    let h = 1e-4;
    // fourth-order difference of the attitude along the exact motion
    let r = |k: f64| advanced(&body, s, k * h).rot.matrix();
    let rate = (r(1.0) - r(-1.0)).scale(8.0) - (r(2.0) - r(-2.0));
    let rate = rate.scale(1.0 / (12.0 * h));
    let rot = s.rot.matrix();
    let omega = body.to_velocity(&s).omega;
    let spin = QuatEntries::from(body.to_velocity(&s)).spin;
    assert!((rate - M3::skew(omega) * rot).max_abs() < 1e-10);
    assert!((rate - rot * M3::skew(spin)).max_abs() < 1e-10);
    assert!((omega - rot * spin).norm() < 1e-15);
}

/// I_W = R I Rᵀ is the second moment of the same atoms seen in the world, and gives the same energy.
#[test]
fn world_inertia_co_rotates() {
    // a body of atoms
    let atoms: [(f64, V3); 5] = [
        (0.3, V3::new(1.0, 0.2, -0.5)),
        (0.5, V3::new(-0.4, 0.9, 0.3)),
        (0.2, V3::new(0.1, -1.2, 0.8)),
        (0.7, V3::new(-0.3, -0.1, -0.6)),
        (0.4, V3::new(0.6, 0.5, 0.4)),
    ];
    let second_moment = |x: &dyn Fn(V3) -> V3| {
        atoms.iter().fold(Sym3::zero(), |sum, (m, p)| {
            let x = x(*p);
            sum + Sym3::scalar(m * x.dot(x)) - Sym3::outer(x, *m)
        })
    };
    let rot = exp_so3(V3::new(0.7, 0.2, -1.4));
    let (in_body, in_world) = (second_moment(&|p| p), second_moment(&|p| rot * p));
    let body =
        FreeBody::about_pivot(&Inertia { mass: 2.1, first_moment: V3::ZERO, rotational: in_body }).unwrap();
    assert!((body.world_inertia(rot) - in_world).array().iter().all(|x| x.abs() < 1e-15));
    let spin = V3::new(0.3, -0.8, 1.1);
    let omega = rot * spin;
    let atomic: f64 =
        atoms.iter().map(|(m, p)| 0.5 * m * omega.cross(rot * *p).dot(omega.cross(rot * *p))).sum();
    assert!((0.5 * omega.dot(in_world * omega) - atomic).abs() < 1e-15);
    assert!((0.5 * spin.dot(in_body * spin) - atomic).abs() < 1e-15);
}

/// K(QR, Qc + d, QṘ, Qċ) = K(R, c, Ṙ, ċ); K(RQ, c + Rd, ṘQ, ċ) is not, unless Q is a symmetry of the inertia.
#[test]
fn kinetic_energy_is_left_invariant_and_not_right_invariant() {
    let energy = |body: &FreeBody, v: &VelocityState| body.kinetic_energy(&body.to_momentum(v));
    let body = body();
    let v = body.to_velocity(&tumbling(&body));
    let q = Quat::exp(V3::new(-0.6, 1.2, 0.5));
    let moved = |q: Quat, d: V3| VelocityState {
        pos: q.matrix() * v.pos + d,
        rot: q * v.rot,
        vel: q.matrix() * v.vel,
        omega: q.matrix() * v.omega,
    };
    let k = energy(&body, &v);
    assert!((energy(&body, &moved(q, V3::new(5.0, -1.0, 2.0))) - k).abs() < 1e-14);
    // turning the body before placing it: ω is unchanged
    let relabelled = |q: Quat| VelocityState { rot: v.rot * q, ..v };
    let change = (energy(&body, &relabelled(q)) - k).abs();
    println!("right translation changes the energy by {change:.3} of {k:.3}");
    assert!(change > 1e-2);
    let top = FreeBody::new(&Inertia::new(MASS, V3::ZERO, Sym3::diagonal(2.0, 2.0, 3.0)).unwrap()).unwrap();
    let about_its_axis = Quat::exp(V3::Z * 0.9);
    assert!((energy(&top, &relabelled(about_its_axis)) - energy(&top, &v)).abs() < 1e-14);
}

/// Without torque L in world axes is constant, RᵀL is not; |RᵀL| and the energy are: Poinsot's two surfaces.
#[test]
fn world_momentum_is_conserved_and_body_momentum_is_not() {
    let body = body();
    let s = tumbling(&body);
    let in_body = |s: &MomentumState| s.rot.matrix().tr_mul(s.angular);
    let mut wandered: f64 = 0.0;
    for k in 1..=50 {
        let later = advanced(&body, s, 0.2 * f64::from(k));
        assert_eq!(later.angular, s.angular);
        assert!((in_body(&later).norm() / s.angular.norm() - 1.0).abs() < 1e-15);
        assert!((body.kinetic_energy(&later) / body.kinetic_energy(&s) - 1.0).abs() < 1e-15);
        wandered = wandered.max((in_body(&later) - in_body(&s)).norm());
    }
    println!("body momentum wandered by {wandered:.3} of {:.3}", s.angular.norm());
    assert!(wandered > 0.1);
}

/// Euler's equation I_W ω̇ = τ − ω × I_W ω, by differences along the exact motion (τ = 0).
#[test]
fn euler_equation() {
    let body = body();
    let s = tumbling(&body);
    let h = 1e-3;
    let omega = |k: f64| body.to_velocity(&advanced(&body, s, k * h)).omega;
    let rate = ((omega(1.0) - omega(-1.0)) * 8.0 - (omega(2.0) - omega(-2.0))) * (1.0 / (12.0 * h));
    let inertia = body.world_inertia(s.rot.matrix());
    let residual = inertia * rate + omega(0.0).cross(inertia * omega(0.0));
    assert!(residual.norm() < 1e-11, "{:e}", residual.norm());
}

/// d/dt P = F and d/dt L = τ for a force at a point, and power = force · velocity of the point.
#[test]
fn a_force_at_a_point() {
    let body = body();
    let s = tumbling(&body);
    let push =
        PointForce { point: V3::new(0.3, -0.2, 0.5), force: ForceAxes::World(V3::new(1.0, 2.0, -1.0)) };
    let at = Kinematics::of(&body, &s, 0.0);
    let load = push.load(&body, &at);
    let arm = at.rot * push.point;
    let power = load.force.dot(at.vel) + load.moment.dot(at.omega);
    assert!((power - load.force.dot(at.vel + at.omega.cross(arm))).abs() < 1e-15);
    let h = 1e-4;
    let step = |h| {
        let mut s = s;
        InMomenta(Rk4).step(&body, &push, 0.0, h, &mut s).unwrap();
        body.kinetic_energy(&s)
    };
    assert!(((step(h) - step(-h)) / (2.0 * h) - power).abs() < 1e-7);
}
