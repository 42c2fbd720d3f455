//! The configuration space: difference undoes integrate, and integrate composes along one velocity.

use crate::common::*;

#[test]
fn difference_undoes_integrate() {
    let mut law = Law::new("difference(q, integrate(q, v)) = v", 1e-12);
    let mut halves = Law::new("two half steps = one step", 1e-12);
    for model in models() {
        for s in samples(&model) {
            let (mut to, mut v) = (s.q.clone(), vec![0.0; model.nv()]);
            model.integrate(&mut to, &s.v, 1.5);
            model.difference(&s.q, &to, &mut v);
            let expected: Vec<f64> = s.v.iter().map(|v| 1.5 * v).collect();
            law.equal(model.name(), &v, &expected);
            let mut twice = s.q.clone();
            model.integrate(&mut twice, &s.v, 0.75);
            model.integrate(&mut twice, &s.v, 0.75);
            halves.equal(model.name(), &twice, &to);
        }
    }
}
