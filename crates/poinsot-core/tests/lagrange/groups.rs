//! Equations on rotations and poses: compared with Euler's equations and with trees; and the equation that is wrong.

use super::*;
use poinsot_core::algebra::{Sym3, V3};
use poinsot_core::dynamics::Workspace;
use poinsot_core::lagrange::{Factor, FormulaOnGroup, GroupEquation, GroupLagrangian, GroupPhase, OnGroup};
use poinsot_core::model::{BodyId, BodySpec, Joint, ModelBuilder};
use poinsot_core::spatial::{Inertia, Motion, Pose, Quat, exp_so3};

const MASS: f64 = 2.0;
const CENTRE: V3 = V3::new(0.1, -0.2, 0.4);
const MOMENTS: [f64; 3] = [0.3, 0.5, 0.6];

/// ½ ∫ |ẋ|² dm of a body with its mass off its origin.
fn kinetic<T: Analytic>(xi: Motion<T>) -> T {
    let (w, half) = (xi.ang, T::from_f64(0.5));
    let at_centre = xi.lin + w.cross(CENTRE.lift());
    let [a, b, c] = MOMENTS.map(T::from_f64);
    half * (T::from_f64(MASS) * at_centre.dot(at_centre) + a * w.x * w.x + b * w.y * w.y + c * w.z * w.z)
}

fn weight<T: Analytic>(g: Pose<T>) -> T {
    T::from_f64(MASS * G) * g.point(CENTRE.lift()).z
}

fn inertia() -> Inertia {
    Inertia::new(MASS, CENTRE, Sym3::diagonal(MOMENTS[0], MOMENTS[1], MOMENTS[2])).unwrap()
}

/// A top on a fixed point.
struct Top;
impl GroupLagrangian for Top {
    fn factors(&self) -> &[Factor] {
        &[Factor::Rotation]
    }
    fn kinetic<T: Analytic>(&self, _: &[Pose<T>], xi: &[Motion<T>]) -> T {
        kinetic(xi[0])
    }
    fn potential<T: Analytic>(&self, g: &[Pose<T>]) -> T {
        weight(g[0])
    }
}

/// The body of `Top`, thrown, and a ball of mass 1 on a spring to its centre.
struct Thrown {
    gravity: bool,
}
impl GroupLagrangian for Thrown {
    fn factors(&self) -> &[Factor] {
        &[Factor::Pose, Factor::Shift]
    }
    fn kinetic<T: Analytic>(&self, _: &[Pose<T>], xi: &[Motion<T>]) -> T {
        kinetic(xi[0]) + T::from_f64(0.5) * xi[1].lin.dot(xi[1].lin)
    }
    fn potential<T: Analytic>(&self, g: &[Pose<T>]) -> T {
        let d = g[0].point(V3::new(0.0, 0.3, 0.0).lift()) - g[1].pos;
        let spring = T::from_f64(10.0) * d.dot(d);
        if self.gravity { spring + weight(g[0]) + T::from_f64(G) * g[1].pos.z } else { spring }
    }
}

#[test]
fn a_top_accelerates_as_the_tree_does() {
    let mut b = ModelBuilder::new("top");
    b.gravity(V3::new(0.0, 0.0, -G));
    let body = b.body(BodyId::WORLD, BodySpec::new("top").inertia(inertia()));
    b.joint(body, Joint::spherical());
    let model = b.build().unwrap();
    let mut top = OnGroup::new(Top);
    for k in 0..20 {
        let phi = V3::new(0.3 * k as f64, 1.0 - 0.2 * k as f64, 0.5);
        let (xi, mut rate, mut tree) = ([1.0, -2.0 + 0.3 * k as f64, 3.0], [0.0; 3], [0.0; 3]);
        let g = Pose { rot: exp_so3(phi), ..Pose::IDENTITY };
        top.acceleration(&[g], &xi, &mut rate).unwrap();
        let q = Quat::exp(phi).array();
        Workspace::new(&model).forward_dynamics(&model, &q, &xi, &[0.0; 3], &mut tree);
        assert!((0..3).all(|i| (rate[i] - tree[i]).abs() < 1e-11), "{rate:?} {tree:?}");
        // b ∇ξ/dt = −dU
        let (inertial, force) = (top.covariant_force(&[g], &xi, &rate), top.potential_force(&[g]));
        assert!((0..3).all(|i| (inertial[i] - force[i]).abs() < 1e-11));
    }
}

#[test]
fn a_thrown_body_keeps_its_momenta_in_space_and_the_wrong_equation_does_not() {
    let start = GroupPhase {
        time: 0.0,
        g: vec![Pose { rot: exp_so3(V3::new(0.4, 0.2, -0.3)), pos: V3::new(1.0, 0.0, 0.5) }, Pose::IDENTITY],
        xi: vec![2.0, -1.0, 0.5, 0.3, 0.1, -0.2, 0.0, 0.5, 0.0],
    };
    let drift = |equation: GroupEquation| {
        let mut body = OnGroup::new(Thrown { gravity: false }).equation(equation);
        let total = |body: &OnGroup<Thrown>, phase: &GroupPhase| {
            body.spatial_momentum(phase)
                .iter()
                .fold((V3::ZERO, V3::ZERO), |(p, l), f| (p + f.force, l + f.moment))
        };
        let (before, energy) = (total(&body, &start), body.energy(&start));
        let mut phase = start.clone();
        (0..1000).for_each(|_| body.step(&mut phase, 2e-3).unwrap());
        let after = total(&body, &phase);
        ((after.0 - before.0).norm(), (after.1 - before.1).norm(), (body.energy(&phase) - energy).abs())
    };
    let (p, l, e) = drift(GroupEquation::EulerPoincare);
    assert!(p < 1e-8 && l < 1e-8 && e < 1e-8, "{p:e} {l:e} {e:e}");
    let (p, l, _) = drift(GroupEquation::WithoutBracket);
    assert!(p > 0.1 && l > 0.1, "{p:e} {l:e}");
}

#[test]
fn steps_on_groups_are_of_fourth_order_and_refuse_what_does_not_fit() {
    let mut body = OnGroup::new(Thrown { gravity: true });
    let mut end = |steps: usize| {
        let mut phase = GroupPhase {
            time: 0.0,
            g: vec![Pose::IDENTITY, Pose { pos: V3::new(0.0, 0.5, 0.0), ..Pose::IDENTITY }],
            xi: vec![2.0, -1.0, 0.5, 0.3, 0.1, -0.2, 0.0, 0.5, 0.0],
        };
        (0..steps).for_each(|_| body.step(&mut phase, 0.5 / steps as f64).unwrap());
        phase
    };
    let exact = end(2000);
    let mut error = |steps| {
        let phase = end(steps);
        (phase.g[0].rot - exact.g[0].rot).max_abs() + (phase.g[0].pos - exact.g[0].pos).norm()
    };
    let order = (error(25) / error(50)).log2();
    assert!((order - 4.0).abs() < 0.3, "{order}");
    let mut body = OnGroup::new(Top);
    let mut phase = GroupPhase { time: 0.0, g: vec![], xi: vec![0.0; 3] };
    assert!(body.step(&mut phase, 0.1).is_err());
    let mut phase = GroupPhase { time: 0.0, g: vec![Pose::IDENTITY], xi: vec![0.0; 3] };
    assert!(body.step(&mut phase, f64::NAN).is_err());
}

/// The thrown body and its ball in text accelerate as they do in Rust, and so does the top, by the entries of its rotation.
#[test]
fn formulas_on_groups_mean_what_they_say() {
    let centre = [("cx", CENTRE.x), ("cy", CENTRE.y), ("cz", CENTRE.z), ("m", MASS), ("g", G)];
    let at_centre = |name: &str| {
        let velocity = [("x", "y", "z"), ("y", "z", "x"), ("z", "x", "y")];
        let squares = velocity.map(|(i, j, k)| {
            let linear = if name == "top" { String::new() } else { format!("{name}_v{i} + ") };
            format!("({linear}{name}_w{j}*c{k} - {name}_w{k}*c{j})^2")
        });
        format!("0.5*m*({})", squares.join(" + "))
    };
    let turning = |name: &str| {
        let [a, b, c] = MOMENTS;
        format!("0.5*({a}*{name}_wx^2 + {b}*{name}_wy^2 + {c}*{name}_wz^2)")
    };
    let kinetic = format!("{} + {}", at_centre("top"), turning("top"));
    let weight = "m*g*(top_rzx*cx + top_rzy*cy + top_rzz*cz)";
    let text = FormulaOnGroup::parse(&[("top", Factor::Rotation)], &kinetic, weight, &centre).unwrap();
    let (mut text, mut rust) = (OnGroup::new(text), OnGroup::new(Top));
    let g = [Pose { rot: exp_so3(V3::new(0.3, 1.0, 0.5)), ..Pose::IDENTITY }];
    let (xi, mut a, mut b) = ([1.0, -2.0, 3.0], [0.0; 3], [0.0; 3]);
    text.acceleration(&g, &xi, &mut a).unwrap();
    rust.acceleration(&g, &xi, &mut b).unwrap();
    assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-12), "{a:?} {b:?}");

    let kinetic =
        format!("{} + {} + 0.5*(ball_vx^2 + ball_vy^2 + ball_vz^2)", at_centre("body"), turning("body"));
    let spring = ["x", "y", "z"].map(|i| format!("(body_{i} + 0.3*body_r{i}y - ball_{i})^2"));
    let factors = [("body", Factor::Pose), ("ball", Factor::Shift)];
    let spring = format!("10*({})", spring.join(" + "));
    let text = FormulaOnGroup::parse(&factors, &kinetic, &spring, &centre).unwrap();
    let (mut text, mut rust) = (OnGroup::new(text), OnGroup::new(Thrown { gravity: false }));
    let g = [
        Pose { pos: V3::new(1.0, 0.0, 0.5), ..g[0] },
        Pose { pos: V3::new(0.0, 0.4, 0.1), ..Pose::IDENTITY },
    ];
    let (xi, mut a, mut b) = ([2.0, -1.0, 0.5, 0.3, 0.1, -0.2, 0.0, 0.5, 0.0], [0.0; 9], [0.0; 9]);
    text.acceleration(&g, &xi, &mut a).unwrap();
    rust.acceleration(&g, &xi, &mut b).unwrap();
    assert!((0..9).all(|k| (a[k] - b[k]).abs() < 1e-11), "{a:?} {b:?}");

    for (factors, kinetic, potential) in [
        (&[][..], "0", "0"),
        (&[("a", Factor::Rotation)][..], "a_vx^2", "0"), // a rotation goes nowhere
        (&[("a", Factor::Shift)][..], "a_vx^2", "a_vx"), // U has no velocities
        (&[("a", Factor::Shift), ("a", Factor::Shift)][..], "0", "0"),
    ] {
        assert!(FormulaOnGroup::parse(factors, kinetic, potential, &[]).is_err(), "{kinetic} {potential}");
    }
}
