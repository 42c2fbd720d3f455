//! The bicycle of Whipple: how upright riding grows or dies away, by differences of the forward dynamics.
//!
//! Of the nine rates of the model, six rows of rolling leave three: of lean φ, steer δ and the rear wheel. About upright
//! motion at speed v the last keeps to itself, and for small x = (φ, δ)
//!
//! ```math
//! M ẍ + v C₁ ẋ + (g K₀ + v² K₂) x = f
//! ```
//! M comes from the accelerations that torques f on lean and steer give at rest, the others from those that x and ẋ give.

use crate::entry::{Ledger, Worst};
use crate::read::{number, numbers, read, source};
use nalgebra::{DVector, Matrix2, Matrix4, SMatrix, Vector2};
use poinsot_core::algebra::{M3, Sym3, V3};
use poinsot_core::constraint::Stabilisation;
use poinsot_core::dynamics::State;
use poinsot_core::integrate::System;
use poinsot_core::model::*;
use poinsot_core::spatial::{Inertia, Pose, Quat};
use serde_json::Value;

/// The rates that are given: of lean, steer and the rear wheel.
const LEAN: usize = 3;
const WHEEL: usize = 6;
const STEER: usize = 7;
/// The step of the differences: their error is its square, and round-off over it.
const STEP: f64 = 1e-4;

pub fn enter(ledger: &mut Ledger) {
    let file = read("bicycle_eigenvalues");
    let digits = file["digits"].as_str().unwrap();
    ledger.problem(
        "bicycle_eigenvalues",
        format!("{}. {digits} digits, of which central differences at 1e-4 leave eight", source(&file)),
    );
    let model = bicycle(&file["parameters"]);
    let mut ride =
        Ride { system: System::new(&model), radius: number(&file["parameters"]["rear_wheel"]["r"]) };
    let expected = &file["reference"];
    let masses = ride.masses();
    let matrix = |name: &str| {
        let n = numbers(&expected[name]);
        Matrix2::new(n[0], n[1], n[2], n[3])
    };
    let mut worst = Worst::default();
    worst.relative(masses.as_slice(), matrix("M").as_slice());
    ledger.error("M, relative", worst.0, 1e-10);
    let g = number(&file["parameters"]["g"]);
    let [mut damping, mut standing, mut riding] = [(); 3].map(|()| Worst::default());
    for speed in [2.0, 5.0, 10.0] {
        let [still, moving] = [0.0, speed].map(|v| ride.linear(v));
        standing.relative((-masses * still.0 / g).as_slice(), matrix("K0").as_slice());
        riding
            .relative((-masses * (moving.0 - still.0) / (speed * speed)).as_slice(), matrix("K2").as_slice());
        damping.relative((-masses * moving.1 / speed).as_slice(), matrix("C1").as_slice());
    }
    ledger.error("K₀, relative", standing.0, 1e-6);
    ledger.error("K₂, relative", riding.0, 1e-6);
    ledger.error("C₁, relative", damping.0, 1e-6);
    for speed in ["0", "2", "5", "10"] {
        let mut worst = Worst::default();
        let listed = numbers(&expected["eigenvalues_re_im"][speed]);
        worst.relative(&ride.eigenvalues(speed.parse().unwrap()), &listed);
        ledger.error(format!("eigenvalues at {speed} m/s, relative"), worst.0, 1e-6);
    }
    for (name, what) in [("weave_speed", "weave"), ("capsize_speed", "capsize")] {
        let v = number(&expected[name]);
        let growth = |v: f64, ride: &mut Ride| least_growth(&ride.eigenvalues(v), name == "weave_speed");
        ledger.error(
            format!("growth of the {what} at its critical speed, 1/s"),
            growth(v, &mut ride).abs(),
            1e-5,
        );
    }
}

/// The real part of the pair with an imaginary part, or of the eigenvalue nearest 0 without one.
fn least_growth(values: &[f64], pair: bool) -> f64 {
    let of_kind = values.chunks_exact(2).filter(|z| (z[1] != 0.0) == pair).map(|z| z[0]);
    of_kind.fold(f64::INFINITY, |best, re| if re.abs() < best.abs() { re } else { best })
}

struct Ride<'a> {
    system: System<'a>,
    radius: f64,
}

impl Ride<'_> {
    /// The accelerations of lean and steer at (x, ẋ), at this speed, under torques on both.
    fn acceleration(
        &mut self,
        x: Vector2<f64>,
        rate: Vector2<f64>,
        speed: f64,
        torque: Vector2<f64>,
    ) -> Vector2<f64> {
        let model = &*self.system.model();
        let mut state = State::new(model);
        state.q[3..7].copy_from_slice(&Quat::exp(V3::X * x[0]).array());
        state.q[8] = x[1];
        let (ws, multipliers) = self.system.constraints();
        let multipliers = multipliers.unwrap();
        // wheels leave the ground by the square of lean and steer
        multipliers.project_configuration(model, ws, &mut state.q).unwrap();
        multipliers.evaluate(model, ws, &state.q, &state.v);
        let mut rows = SMatrix::<f64, 9, 9>::zeros();
        rows.fixed_view_mut::<6, 9>(0, 0).copy_from(&multipliers.jacobian());
        let mut asked = DVector::zeros(9);
        for (k, (dof, v)) in
            [(LEAN, rate[0]), (STEER, rate[1]), (WHEEL, -speed / self.radius)].into_iter().enumerate()
        {
            rows[(6 + k, dof)] = 1.0;
            asked[6 + k] = v;
        }
        let v = rows.lu().solve(&SMatrix::<f64, 9, 1>::from_column_slice(asked.as_slice())).unwrap();
        let (mut tau, mut a) = ([0.0; 9], [0.0; 9]);
        (tau[LEAN], tau[STEER]) = (torque[0], torque[1]);
        multipliers.forward_dynamics(model, ws, &state.q, v.as_slice(), &tau, Stabilisation::Nothing, &mut a);
        Vector2::new(a[LEAN], a[STEER])
    }

    fn masses(&mut self) -> Matrix2<f64> {
        let still = Vector2::zeros();
        let inverse = [Vector2::x(), Vector2::y()].map(|t| self.acceleration(still, still, 0.0, t));
        Matrix2::from_columns(&inverse).try_inverse().unwrap()
    }

    /// ∂ẍ/∂x and ∂ẍ/∂ẋ.
    fn linear(&mut self, speed: f64) -> (Matrix2<f64>, Matrix2<f64>) {
        let none = Vector2::zeros();
        let mut slope = |at: &dyn Fn(f64) -> [Vector2<f64>; 2]| {
            let mut end = |e: f64| {
                let [x, rate] = at(e);
                self.acceleration(x, rate, speed, none)
            };
            (end(STEP) - end(-STEP)) / (2.0 * STEP)
        };
        let units = [Vector2::x(), Vector2::y()];
        let places = units.map(|u| slope(&|e| [u * e, none]));
        let rates = units.map(|u| slope(&|e| [none, u * e]));
        (Matrix2::from_columns(&places), Matrix2::from_columns(&rates))
    }

    /// Real and imaginary parts, in order.
    fn eigenvalues(&mut self, speed: f64) -> Vec<f64> {
        let (places, rates) = self.linear(speed);
        let mut first_order = Matrix4::zeros();
        first_order.fixed_view_mut::<2, 2>(0, 2).copy_from(&Matrix2::identity());
        first_order.fixed_view_mut::<2, 2>(2, 0).copy_from(&places);
        first_order.fixed_view_mut::<2, 2>(2, 2).copy_from(&rates);
        let mut values: Vec<[f64; 2]> =
            first_order.complex_eigenvalues().iter().map(|z| [z.re, z.im]).collect();
        // the parts of a pair are equal but for round-off
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (a.abs() + b.abs());
        values.sort_by(|a, b| {
            let by_real = if near(a[0], b[0]) { 0.0 } else { a[0] - b[0] };
            by_real.total_cmp(&0.0).then(a[1].total_cmp(&b[1]))
        });
        values.as_flattened().to_vec()
    }
}

/// As listed: x forward, y to the right, z down, the origin at the rear contact. The frame is free; the wheels roll.
fn bicycle(given: &Value) -> Model {
    let p = |part: &str, name: &str| number(&given[part][name]);
    let [w, c, tilt, g] = ["w", "c", "lam", "g"].map(|n| number(&given[n]));
    let mut b = ModelBuilder::new("bicycle");
    b.gravity(V3::Z * g);
    let rear = V3::Z * -p("rear_wheel", "r");
    let front = V3::new(w, 0.0, -p("front_wheel", "r"));
    // bodies have the axes of the world, and origins where their joints are
    let part = |name: &str, origin: V3| {
        let about_com =
            Sym3 { xz: p(name, "Ixz"), ..Sym3::diagonal(p(name, "Ixx"), p(name, "Iyy"), p(name, "Izz")) };
        let com = V3::new(p(name, "x"), 0.0, p(name, "z")) - origin;
        Inertia::new(p(name, "m"), com, about_com).unwrap()
    };
    let wheel = |name: &str| {
        let (across, along) = (p(name, "Ixx"), p(name, "Iyy"));
        Inertia::new(p(name, "m"), V3::ZERO, Sym3::diagonal(across, along, across)).unwrap()
    };
    let frame = b.body(BodyId::WORLD, BodySpec::new("frame").at(rear).inertia(part("rear_body", rear)));
    b.joint(frame, Joint::free());
    let back = b.body(frame, BodySpec::new("rear_wheel").inertia(wheel("rear_wheel")));
    b.joint(back, Joint::revolute(V3::Y).named("rear_axle"));
    // the axis of the steer meets the ground by the trail before the front contact
    let (sin, cos) = libm::sincos(tilt);
    let head = V3::X * (w + c);
    let bar = b.body(frame, BodySpec::new("handlebar").at(head - rear).inertia(part("handlebar", head)));
    b.joint(bar, Joint::revolute(V3::new(sin, 0.0, cos)).named("steer"));
    let lead = b.body(bar, BodySpec::new("front_wheel").at(front - head).inertia(wheel("front_wheel")));
    b.joint(lead, Joint::revolute(V3::Y).named("front_axle"));
    // up is −z; the axle of a wheel is its y
    let ground = Pose { rot: M3::columns(V3::X, -V3::Y, -V3::Z), pos: V3::ZERO };
    let axle = Pose { rot: M3::columns(V3::Z, V3::X, V3::Y), pos: V3::ZERO };
    for (body, name) in [(back, "rear_wheel"), (lead, "front_wheel")] {
        let (rim, ground) = (Mount::framed(body, axle), Mount::framed(BodyId::WORLD, ground));
        b.constraint(Constraint::rolling_disc(rim, p(name, "r"), ground));
    }
    b.build().unwrap()
}
