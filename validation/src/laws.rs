//! The main laws of the core's tests, with their worst error over the zoo and random trees of up to 60 bodies.

use crate::common::{dot, models, samples};
use crate::entry::{Ledger, Worst};
use poinsot_core::dynamics::{MassMatrix, State, Workspace};
use poinsot_core::hierarchy::Hierarchy;

pub fn enter(ledger: &mut Ledger) {
    ledger.section("Laws");
    ledger.problem("random trees", "a law of mechanics; every joint type, up to 60 bodies: 1e-10, relative");
    let [mut there, mut trace, mut matrices, mut energy] = [(); 4].map(|()| Worst::default());
    for model in models() {
        let n = model.nv();
        let mut twin = Hierarchy::new(&model);
        let (mut w, mut m) = (Workspace::new(&model), MassMatrix::new(&model));
        for s in samples(&model) {
            let (mut tau, mut other) = (vec![0.0; n], vec![0.0; n]);
            w.inverse_dynamics(&model, &s.q, &s.v, &s.a, &mut tau);
            twin.inverse_dynamics(&s.q, &s.v, &s.a, &[], &mut other);
            trace.relative(&other, &tau);
            w.forward_dynamics(&model, &s.q, &s.v, &tau, &mut other);
            there.relative(&other, &s.a);
            w.mass_matrix(&model, &s.q, &mut m);
            matrices.relative(twin.mass_matrix(&s.q).as_slice(), m.dense().as_slice());
            m.multiply(&s.v, &mut other);
            let quadratic = 0.5 * dot(&s.v, &other);
            let state = State { q: s.q, v: s.v, ..State::new(&model) };
            energy.relative(&[w.at(&model, &state).kinetic_energy()], &[quadratic]);
        }
    }
    ledger.error("forward dynamics undoes inverse dynamics", there.0, 1e-10);
    ledger.error("inverse dynamics of the trace form and of the sweeps", trace.0, 1e-10);
    ledger.error("mass matrix of the trace form and of the sweeps", matrices.0, 1e-10);
    ledger.error("T = ½ vᵀ M v", energy.0, 1e-10);
}
