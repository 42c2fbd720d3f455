//! Gravity compensation.

use super::*;
use crate::common::{Law, derivative, models, samples};
use poinsot_core::dynamics::{State, Workspace};

/// A copy in which this fraction of every weight is compensated.
fn carried(model: &Model, factor: f64) -> Model {
    let mut b = ModelBuilder::new(model.name());
    b.gravity(model.gravity());
    for body in &model.bodies()[1..] {
        let parent = model.body(&model.bodies()[body.parent.index()].name).unwrap();
        let spec = BodySpec::new(&body.name).pose(body.pose).inertia(body.inertia);
        let id = b.body(parent, spec.gravity_compensation(factor));
        for joint in &model.joints()[body.joints.clone()] {
            b.joint(id, joint.clone());
        }
    }
    b.build().unwrap()
}

#[test]
fn carried_weights_leave_no_gravity() {
    let mut law = Law::new("bias − compensation = bias without gravity", 1e-12);
    for model in models() {
        let (model, n) = (carried(&model, 1.0), model.nv());
        let mut w = Workspace::new(&model);
        for s in samples(&model) {
            let (mut bias, mut held, mut gravity) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
            w.bias(&model, &s.q, &s.v, &mut bias);
            w.add_gravity_compensation(&model, &s.q, &mut held);
            w.gravity(&model, &s.q, &mut gravity);
            let without: Vec<f64> = bias.iter().zip(&held).map(|(b, h)| b - h).collect();
            let expected: Vec<f64> = bias.iter().zip(&gravity).map(|(b, g)| b - g).collect();
            law.equal_at_scale(model.name(), &without, &expected, crate::common::size(&gravity).max(1.0));
        }
    }
}

#[test]
fn compensation_is_the_gradient_of_its_energy() {
    let mut law = Law::new("compensation = −∂V/∂q", 1e-10);
    for model in models() {
        let (model, n) = (carried(&model, 0.3), model.nv());
        let mut w = Workspace::new(&model);
        for s in samples(&model).take(1) {
            let (mut force, mut gradient) = (vec![0.0; n], vec![0.0; n]);
            w.add_gravity_compensation(&model, &s.q, &mut force);
            for (k, slope) in gradient.iter_mut().enumerate() {
                let mut unit = vec![0.0; n];
                unit[k] = 1.0;
                *slope = -derivative(0.02, |h| {
                    let mut state = State { q: s.q.clone(), ..State::new(&model) };
                    model.integrate(&mut state.q, &unit, h);
                    vec![w.at(&model, &state).compensation_energy()]
                })[0];
            }
            law.equal(model.name(), &force, &gradient);
        }
    }
}
