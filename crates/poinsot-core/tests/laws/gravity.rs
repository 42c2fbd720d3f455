//! The gravity term is the gradient of the potential energy.

use crate::common::*;
use poinsot_core::dynamics::{State, Workspace};

#[test]
fn the_gravity_term_is_the_gradient_of_potential_energy() {
    let mut law = Law::new("g(q) = ∂V/∂q", 1e-10);
    for model in models() {
        let mut w = Workspace::new(&model);
        for s in samples(&model) {
            let (mut g, mut gradient) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
            w.gravity(&model, &s.q, &mut g);
            for k in 0..model.nv() {
                let mut unit = vec![0.0; model.nv()];
                unit[k] = 1.0;
                gradient[k] = derivative(0.02, |h| {
                    let mut state = State { q: s.q.clone(), ..State::new(&model) };
                    model.integrate(&mut state.q, &unit, h);
                    vec![w.at(&model, &state).gravity_energy()]
                })[0];
            }
            law.equal(model.name(), &g, &gradient);
        }
    }
}
