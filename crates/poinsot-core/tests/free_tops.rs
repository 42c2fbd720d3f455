//! Heavy tops: a body held at a pivot, `exact` splitting against reference solutions with 18 and more digits.

#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use poinsot_core::algebra::{M3, Sym3, V3};
use poinsot_core::free::*;
use poinsot_core::spatial::{Inertia, Quat};

struct Top {
    body: FreeBody,
    weight: PivotWeight,
    start: MomentumState,
}

/// A symmetric top about its pivot: axis z, tilted by θ₀ about x, spinning about its axis.
fn lagrange(transverse: f64, axial: f64, mgl: f64, theta0: f64, spin: f64) -> Top {
    // any mass and arm with the given m g l; the moments are about the pivot
    let (mass, arm) = (1.0, V3::Z * 0.1);
    let about_com = Sym3::diagonal(transverse - 0.01, transverse - 0.01, axial);
    let body = FreeBody::about_pivot(&Inertia::new(mass, arm, about_com).unwrap()).unwrap();
    let rot = Quat::exp(V3::X * theta0);
    let start = body.to_momentum(&VelocityState {
        rot,
        omega: rot.matrix() * V3::Z * spin,
        ..VelocityState::AT_REST
    });
    Top { body, weight: PivotWeight { com: arm, weight: V3::Z * (-mgl / arm.z) }, start }
}

/// The top of Brüls and Cardona: passes within 1e-6 rad of the downward vertical at 150 rad/s.
fn bruls_cardona() -> Top {
    let (mass, arm) = (15.0, V3::Y);
    let inertia = Inertia::new(mass, arm, Sym3::diagonal(0.234375, 0.46875, 0.234375)).unwrap();
    let body = FreeBody::about_pivot(&inertia).unwrap();
    let omega = V3::new(0.0, 150.0, -4.61538);
    let start = body.to_momentum(&VelocityState { omega, ..VelocityState::AT_REST });
    Top { body, weight: PivotWeight { com: arm, weight: V3::Z * (-9.81 * mass) }, start }
}

impl Top {
    fn after(&self, method: &dyn FreeIntegrator, t: f64, steps: u32) -> MomentumState {
        let h = t / f64::from(steps);
        let mut s = self.start;
        for k in 0..steps {
            method.step(&self.body, &self.weight, f64::from(k) * h, h, &mut s).unwrap();
        }
        s
    }
    fn energy(&self, s: &MomentumState) -> f64 {
        self.body.kinetic_energy(s) + self.weight.potential(s.rot.matrix())
    }
    /// Order ± 0.1 and the finest error below the tolerance.
    fn check(&self, name: &str, t: f64, steps: u32, reference: [[f64; 3]; 3], tolerance: f64) {
        let reference = M3::from_rows(reference);
        let error = |n| (self.after(&Exact, t, n).rot.matrix() - reference).max_abs();
        let errors = [error(steps), error(2 * steps), error(4 * steps)];
        let orders = [libm::log2(errors[0] / errors[1]), libm::log2(errors[1] / errors[2])];
        println!(
            "{name}, t = {t}: errors {:.2e} {:.2e} {:.2e} (<= {tolerance:e}), orders {orders:.3?} (2 ± 0.1)",
            errors[0], errors[1], errors[2]
        );
        assert!((orders[1] - 2.0).abs() <= 0.1 && errors[2] <= tolerance);
    }
}

#[test]
fn lagrange_top_with_cusps() {
    let top = lagrange(1.0, 0.4, 1.5, std::f64::consts::FRAC_PI_6, 10.0);
    top.check("cusps", 1.0, 200, LOOP_1, 1e-6);
    top.check("cusps", 5.0, 1000, LOOP_5, 1e-5);
    top.check("cusps", 10.0, 2000, LOOP_10, 1e-5);
}

#[test]
fn simo_wong_top() {
    let top = lagrange(5.0, 1.0, 20.0, 0.05, 50.0);
    top.check("Simo–Wong", 1.0, 400, SIMO_1, 1e-6);
    top.check("Simo–Wong", 10.0, 4000, SIMO_10, 1e-5);
    assert!((top.energy(&top.start) - (1250.0 + 20.0 * libm::cos(0.05))).abs() < 1e-10);
}

#[test]
fn bruls_cardona_top() {
    let top = bruls_cardona();
    top.check("Brüls–Cardona", 0.1, 200, BRULS_01, 1e-4);
    top.check("Brüls–Cardona", 0.5, 1000, BRULS_05, 1e-3);
    top.check("Brüls–Cardona", 2.0, 8000, BRULS_2, 1e-3);
}

/// A symmetric method on a reversible system: the energy error oscillates and does not grow; L_z is exact.
#[test]
fn energy_does_not_drift() {
    let top = lagrange(1.0, 0.4, 1.5, std::f64::consts::FRAC_PI_6, 10.0);
    let energy = top.energy(&top.start);
    let mut s = top.start;
    let mut worst = [0.0_f64; 2];
    let h = 0.01;
    for k in 0..200_000_u32 {
        Exact.step(&top.body, &top.weight, f64::from(k) * h, h, &mut s).unwrap();
        let half = usize::from(k >= 100_000);
        worst[half] = worst[half].max((top.energy(&s) / energy - 1.0).abs());
    }
    println!("energy error within {:.2e} in the first 1000 s, {:.2e} in the second", worst[0], worst[1]);
    assert!(worst[1] <= 1.05 * worst[0] && worst[0] < 1e-5);
    assert!((s.angular.z - top.start.angular.z).abs() < 1e-11);
    let axial = |s: &MomentumState| (s.rot.matrix() * V3::Z).dot(s.angular);
    assert!((axial(&s) - axial(&top.start)).abs() < 1e-11, "symmetric body: L along the axis is kept too");
}

/// Every method steps a pivoted body, at its order.
#[test]
fn other_methods_converge_to_the_same_motion() {
    let top = lagrange(1.0, 0.4, 1.5, std::f64::consts::FRAC_PI_6, 10.0);
    for m in free_integrators() {
        let error = |n| (top.after(m, 1.0, n).rot.matrix() - M3::from_rows(LOOP_1)).max_abs();
        // fine enough for the order to show, coarse enough to stay above round-off
        let n = match m.name() {
            "exact-4" => 25,
            _ if m.order() == 1 => 20_000,
            _ => 400,
        };
        let order = libm::log2(error(n) / error(2 * n));
        println!(
            "{:24} h = {:.0e}: error {:.1e}, order {order:.3} on the Lagrange top, expected {} ± 0.1",
            m.name(),
            1.0 / f64::from(n),
            error(n),
            m.order()
        );
        assert!((order - f64::from(m.order())).abs() <= 0.1, "{}", m.name());
    }
}

/// Reference attitude at t = 1 s.
const LOOP_1: [[f64; 3]; 3] = [
    [-0.8121308143285749, 0.5273109475172691, 0.24977330731374303],
    [-0.5675794694930189, -0.6147196075784427, -0.5476982288346647],
    [-0.1352667225448633, -0.5865688098484655, 0.7985236033361355],
];
/// Reference attitude at t = 5 s.
const LOOP_5: [[f64; 3]; 3] = [
    [0.847171750544079, -0.19373563371915656, 0.4947388496040286],
    [0.03725324530440848, 0.950519117645558, 0.3084243873376413],
    [-0.5300115289259002, -0.24285780040539492, 0.8124702259085456],
];
/// Reference attitude at t = 10 s.
const LOOP_10: [[f64; 3]; 3] = [
    [0.9005782430516351, -0.08849851586618904, -0.42558999146069204],
    [0.26723671615831246, 0.8849046224047978, 0.3814817777870178],
    [0.34284597952863843, -0.45728746094344636, 0.8205759028785481],
];
/// Reference attitude at t = 1 s.
const SIMO_1: [[f64; 3]; 3] = [
    [0.9647524186765302, 0.2622760977563012, 0.02154110497426397],
    [-0.2609687659275702, 0.9640509683388538, -0.05001033548337186],
    [-0.03388323874759034, 0.042626036534557786, 0.9985163729961208],
];
/// Reference attitude at t = 10 s.
const SIMO_10: [[f64; 3]; 3] = [
    [-0.8803532082467932, 0.4719711659507154, -0.04713223144198188],
    [-0.47343918466276824, -0.8804202668066748, 0.026748686358709885],
    [-0.028871563092973333, 0.04586253707750627, 0.9985304504807967],
];
/// Reference attitude at t = 0.1 s.
const BRULS_01: [[f64; 3]; 3] = [
    [-0.7168895366514764, 0.421296658925402, 0.5554984405179955],
    [0.22774300755533175, 0.894571974345593, -0.3845440224799754],
    [-0.6589404485606295, -0.14916470056189962, -0.7372566563666925],
];
/// Reference attitude at t = 0.5 s.
const BRULS_05: [[f64; 3]; 3] = [
    [0.6652792324396802, -0.7024682970565856, 0.25286722704789266],
    [-0.3746628825214055, -0.021165184701923325, 0.9269194999660353],
    [-0.6457795810841509, -0.7114002576517344, -0.27726955488806293],
];
/// Reference attitude at t = 2 s.
const BRULS_2: [[f64; 3]; 3] = [
    [-0.4874490822362657, -0.15041682274564175, 0.8600977686647772],
    [-0.5379397438441506, -0.7241655916368956, -0.43151480609832443],
    [0.6877602956117138, -0.6730222695604441, 0.27207866593284563],
];
