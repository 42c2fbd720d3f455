//! Forward and inverse dynamics undo each other.

use crate::common::*;
use poinsot_core::dynamics::Workspace;

#[test]
fn forward_dynamics_undoes_inverse_dynamics() {
    let mut there = Law::new("FD(ID(a)) = a", 1e-10);
    let mut back = Law::new("ID(FD(τ)) = τ", 1e-10);
    for model in models() {
        let mut w = Workspace::new(&model);
        for s in samples(&model) {
            let (mut tau, mut acc) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
            w.inverse_dynamics(&model, &s.q, &s.v, &s.a, &mut tau);
            w.forward_dynamics(&model, &s.q, &s.v, &tau, &mut acc);
            there.equal(model.name(), &acc, &s.a);
            w.forward_dynamics(&model, &s.q, &s.v, &s.tau, &mut acc);
            w.inverse_dynamics(&model, &s.q, &s.v, &acc, &mut tau);
            let mut bias = vec![0.0; model.nv()];
            w.bias(&model, &s.q, &s.v, &mut bias);
            back.equal_at_scale(model.name(), &tau, &s.tau, size(&bias).max(size(&s.tau)));
        }
    }
}
