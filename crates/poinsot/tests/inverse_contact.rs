//! Inverse dynamics with contact: the forces behind a motion, or the part of it that no forces produce.
#![allow(clippy::unwrap_used)]

#[path = "contact_events/bodies.rs"]
#[allow(dead_code)]
mod bodies;

use bodies::*;
use poinsot::audit::Twin;
use poinsot::integrate::{InverseContactOptions, InverseContactSolution};
use poinsot::prelude::*;
use poinsot::{Formulation, InverseContact};

fn total(found: &InverseContactSolution) -> V3 {
    found.contacts.iter().fold(V3::ZERO, |sum, c| sum + c.impulse)
}

/// The trace form's force equation lacks what is said to be lacking.
fn agrees_with_the_trace_form(s: &mut Simulation, a: &[f64], found: &InverseContactSolution) {
    let model = s.model().clone();
    let mut tau = vec![0.0; model.nv()];
    s.known_forces(&mut tau);
    let residual = Twin::new(&model).unwrap().residual_force(s.state(), a, &tau, found);
    let scale = found.contacts.iter().fold(1.0, |most, c| f64::max(most, c.impulse.norm()));
    for (a, b) in residual.iter().zip(&found.residual_force) {
        near(*a / scale, *b / scale, 1e-9);
    }
}

/// A ball on three others: every force is unique, and the forward step's are found again, by all methods.
#[test]
fn forces_of_a_step_are_found_again() {
    let mut b = ModelBuilder::new("tripod");
    plane(&mut b, Pose::translation(V3::Z * -POINT), rubs(0.0));
    let body = heavy(&mut b, "stool", 4.0, [0.3, 0.2, 0.4], Pose::translation(V3::new(0.0, 0.0, 1.0)));
    for (k, (x, y)) in [(0.5, 0.1), (-0.4, 0.3), (-0.1, -0.6)].into_iter().enumerate() {
        point(&mut b, body, V3::new(x, y, -1.0), &format!("leg {k}"), rubs(0.0));
    }
    let model = b.build().unwrap();
    for method in [Method::SemiImplicit, Method::Implicit, Method::Leapfrog, Method::Rkmk4, Method::Adaptive]
    {
        for formulation in [Formulation::Reduced, Formulation::Maximal] {
            let builder = Simulation::builder(&model).integrator(method).formulation(formulation).dt(1e-3);
            let mut s = builder.contact(Contact::default()).build().unwrap();
            s.run(5, 1e-3).unwrap();
            let a = s.acceleration();
            let found = s.contact_forces(&a, InverseContactOptions::default()).unwrap();
            assert!(found.feasible && found.unique, "{method}: {found:?}");
            for touched in s.contacts() {
                let same =
                    found.contacts.iter().find(|c| c.point.key.geoms == touched.point.key.geoms).unwrap();
                near(same.impulse.z, touched.impulse.z / 1e-3, 1e-7);
            }
            near(total(&found).z, 4.0 * G, 1e-8);
            agrees_with_the_trace_form(&mut s, &a, &found);
        }
    }
}

/// A block that slides, and one that is braked: friction against the slip, and no other way.
#[test]
fn friction_goes_against_the_slip() {
    let mu = 0.3;
    let mut b = ModelBuilder::new("block");
    plane(&mut b, Pose::IDENTITY, rubs(mu));
    let at = Pose::translation(V3::Z * 0.05);
    free(&mut b, "block", Shape::Box { size: V3::new(0.4, 0.4, 0.1) }, 2.0, at, rubs(mu));
    let model = b.build().unwrap();
    let mut inverse = InverseContact::new(&model).unwrap();
    let state = State { v: vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0], ..State::new(&model) };
    let mut explain = |ax: f64| {
        inverse.solve(&state, &[ax, 0.0, 0.0, 0.0, 0.0, 0.0], None, InverseContactOptions::default()).unwrap()
    };
    let braked = explain(-mu * G);
    assert!(braked.feasible, "{:e}", braked.relative);
    near(total(&braked).x, -mu * 2.0 * G, 1e-8);
    near(total(&braked).z, 2.0 * G, 1e-8);
    // nothing brakes it harder, and nothing drives it on
    for ax in [-2.0 * mu * G, 0.0, 1.0] {
        let found = explain(ax);
        assert!(!found.feasible && found.relative > 0.05, "{ax}: {:e}", found.relative);
    }
    // at rest any friction within the cone will do
    let still = State::new(&model);
    let found = inverse.solve(
        &still,
        &[0.0; 6],
        Some(&[-4.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        InverseContactOptions::default(),
    );
    let found = found.unwrap();
    assert!(found.feasible && !found.unique);
    near(total(&found).x, 4.0, 1e-8);
    let pushed = [-1.1 * mu * 2.0 * G, 0.0, 0.0, 0.0, 0.0, 0.0];
    let found = inverse.solve(&still, &[0.0; 6], Some(&pushed), InverseContactOptions::default()).unwrap();
    assert!(!found.feasible);
}

/// A motion that needs a contact to pull has a residual: what is left of it is what the pull would have to give.
#[test]
fn contacts_do_not_pull() {
    let mut b = ModelBuilder::new("ball");
    plane(&mut b, Pose::IDENTITY, rubs(0.5));
    free(&mut b, "ball", Shape::Sphere { radius: 0.1 }, 3.0, Pose::translation(V3::Z * 0.1), rubs(0.5));
    let model = b.build().unwrap();
    let mut inverse = InverseContact::new(&model).unwrap();
    let down = [0.0, 0.0, -G - 2.0, 0.0, 0.0, 0.0];
    let found = inverse.solve(&State::new(&model), &down, None, InverseContactOptions::default()).unwrap();
    assert!(!found.feasible);
    near(found.residual[2], -2.0, 1e-9);
    near(found.residual_force[2], -6.0, 1e-9);
    near(total(&found).norm(), 0.0, 1e-9);
    // what leaves has no force: 1 m/s² upwards is not the ground's doing
    let up = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let found = inverse.solve(&State::new(&model), &up, None, InverseContactOptions::default()).unwrap();
    assert!(!found.feasible && total(&found).norm() < 1e-9);
    // with the force that lifts it known, all is explained
    let lift = [0.0, 0.0, 3.0 * (G + 1.0), 0.0, 0.0, 0.0];
    let found =
        inverse.solve(&State::new(&model), &up, Some(&lift), InverseContactOptions::default()).unwrap();
    assert!(found.feasible && found.unique);
    assert!(inverse.solve(&State::new(&model), &[0.0; 5], None, InverseContactOptions::default()).is_err());
    assert!(
        inverse.solve(&State::new(&model), &[f64::NAN; 6], None, InverseContactOptions::default()).is_err()
    );
}

/// Loops, limits and dry friction take part.
#[test]
fn loops_and_limits_take_part() {
    let scene = poinsot::scenes::by_name("stepladder").unwrap();
    let builder = Simulation::builder(&scene.model).state(scene.state.clone()).integrator(Method::Leapfrog);
    let mut s = builder.dt(2e-3).contact(Contact::default()).build().unwrap();
    s.run(20, 2e-3).unwrap();
    let (before, a) = (s.state().clone(), s.acceleration());
    let found =
        s.contact_forces(&a, InverseContactOptions { tolerance: 1e-6, ..Default::default() }).unwrap();
    assert!(found.feasible, "{:e}", found.relative);
    near(total(&found).norm(), scene.model.mass() * G, 1e-5);
    agrees_with_the_trace_form(&mut s, &a, &found);
    // asking changes nothing
    let mut other = Simulation::builder(&scene.model).state(scene.state.clone()).integrator(Method::Leapfrog);
    other = other.dt(2e-3).contact(Contact::default());
    let mut other = other.build().unwrap();
    other.run(20, 2e-3).unwrap();
    assert_eq!(&before, other.state());
    s.run(10, 2e-3).unwrap();
    other.run(10, 2e-3).unwrap();
    assert_eq!(s.state(), other.state());
}

/// Joints at the ends of their ranges, and dry friction, are among what explains.
#[test]
fn ends_and_dry_friction_explain() {
    let mut b = ModelBuilder::new("slide");
    let ball = Geom::new(Shape::Sphere { radius: 0.1 }).named("ball");
    let body = b.body(BodyId::WORLD, BodySpec::new("ball").at(V3::Z).solid_geom(ball, 2.0).unwrap());
    b.joint(body, Joint::prismatic(V3::Z).limits(0.0, 1.0).friction_loss(3.0));
    let model = b.build().unwrap();
    let mut inverse = InverseContact::new(&model).unwrap();
    let at_end = inverse.solve(&State::new(&model), &[0.0], None, InverseContactOptions::default()).unwrap();
    assert!(at_end.feasible);
    near(at_end.limits.iter().map(|(_, f)| f).sum::<f64>(), 2.0 * G, 1e-9);
    let falling = State { q: vec![0.5], v: vec![-1.0], ..State::new(&model) };
    let found = inverse.solve(&falling, &[-G + 1.5], None, InverseContactOptions::default()).unwrap();
    assert!(found.feasible, "{found:?}");
    let found = inverse.solve(&falling, &[-G], None, InverseContactOptions::default()).unwrap();
    assert!(!found.feasible);
}
