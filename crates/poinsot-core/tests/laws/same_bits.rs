//! One source, one result: a batch of eight states, the machine's instruction set and plain f64 give the same bits.

use crate::common::*;
use poinsot_core::dynamics::{BatchWorkspace, GenericWorkspace, Workspace};

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn batch_dispatch_and_plain_numbers_give_the_same_bits() {
    for model in models() {
        let (n, nq) = (model.nv(), model.nq());
        let all = |f: &dyn Fn(u64) -> Vec<f64>| (0..8).flat_map(f).collect::<Vec<f64>>();
        let q = all(&|k| model.random_configuration(k));
        let (v, a) = (all(&|k| model.random_velocity(k + 10)), all(&|k| model.random_velocity(k + 20)));
        let (mut tau, mut acc) = (vec![0.0; 8 * n], vec![0.0; 8 * n]);
        let mut batch = BatchWorkspace::new(&model);
        batch.inverse_dynamics(&model, &q, &v, &a, &mut tau);
        batch.forward_dynamics(&model, &q, &v, &a, &mut acc);
        let (mut w, mut plain) = (Workspace::new(&model), GenericWorkspace::<f64>::new(&model));
        for k in 0..8 {
            let (q, v, a) = (&q[k * nq..][..nq], &v[k * n..][..n], &a[k * n..][..n]);
            let (mut one, mut other) = (vec![0.0; n], vec![0.0; n]);
            w.inverse_dynamics(&model, q, v, a, &mut one);
            plain.inverse_dynamics(&model, q, v, a, &mut other);
            assert_eq!(bits(&one), bits(&tau[k * n..][..n]), "inverse dynamics of {}: batch", model.name());
            assert_eq!(bits(&one), bits(&other), "inverse dynamics of {}: portable", model.name());
            w.forward_dynamics(&model, q, v, a, &mut one);
            plain.forward_dynamics(&model, q, v, a, &mut other);
            assert_eq!(bits(&one), bits(&acc[k * n..][..n]), "forward dynamics of {}: batch", model.name());
            assert_eq!(bits(&one), bits(&other), "forward dynamics of {}: portable", model.name());
        }
    }
}
