//! T = ½ vᵀ M v: the energy summed body by body equals the quadratic form of the mass matrix.

use crate::common::*;
use poinsot_core::dynamics::{MassMatrix, State, Workspace};

#[test]
fn kinetic_energy_is_half_v_m_v() {
    let mut law = Law::new("T = ½ vᵀMv", 1e-10);
    for model in models() {
        let (mut w, mut m) = (Workspace::new(&model), MassMatrix::new(&model));
        for s in samples(&model) {
            let mut momentum = vec![0.0; model.nv()];
            w.mass_matrix(&model, &s.q, &mut m);
            m.multiply(&s.v, &mut momentum);
            let quadratic = 0.5 * dot(&s.v, &momentum);
            let state = State { q: s.q.clone(), v: s.v.clone(), ..State::new(&model) };
            let at = w.at(&model, &state);
            let mut sum = 0.0;
            for id in bodies(&model) {
                let (x, v) = (at.pose(id), at.velocity(id));
                let own =
                    poinsot_core::spatial::Motion { ang: x.rot.tr_mul(v.ang), lin: x.rot.tr_mul(v.lin) };
                sum += 0.5 * own.power(model.bodies()[id.index()].inertia.momentum(own));
            }
            for j in model.joints() {
                sum += j.dofs().map(|k| 0.5 * j.armature * s.v[k] * s.v[k]).sum::<f64>();
            }
            law.equal(model.name(), &[sum, at.kinetic_energy()], &[quadratic, quadratic]);
        }
    }
}
