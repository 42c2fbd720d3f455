//! Power = dE/dt: what the actuators and gravity put in is what the kinetic energy gains.
//!
//! Ṫ by dual numbers along the motion (q̇, v̇) that forward dynamics predicts, with T = ½ v·M(q)v; the power of
//! gravity is g·P with P the linear momentum.

use crate::common::*;
use poinsot_core::algebra::{Dual, Real};
use poinsot_core::dynamics::{GenericWorkspace, State, Workspace};

#[test]
fn power_is_the_rate_of_energy() {
    let mut law = Law::new("τ·v + g·P = dT/dt", 1e-10);
    for sketch in sketches() {
        let (model, weightless) = (sketch.build(), sketch.without_gravity().build());
        let mut w = Workspace::new(&model);
        for s in samples(&model) {
            let mut acc = vec![0.0; model.nv()];
            w.forward_dynamics(&model, &s.q, &s.v, &s.tau, &mut acc);
            let v: Vec<Dual<1>> = s.v.iter().zip(&acc).map(|(v, a)| Dual { re: *v, eps: [*a] }).collect();
            let (zero, mut p) = (lift::<1>(&vec![0.0; model.nv()]), lift::<1>(&acc));
            let q = flow(&model, &s.q, &s.v);
            GenericWorkspace::new(&weightless).inverse_dynamics(&weightless, &q, &zero, &v, &mut p);
            let half = Dual::from_f64(0.5);
            let energy = v.iter().zip(&p).fold(Dual::<1>::default(), |e, (v, p)| e + *v * *p * half);
            let state = State { q: s.q.clone(), v: s.v.clone(), ..State::new(&model) };
            let falling = model.gravity().dot(w.at(&model, &state).momentum().force);
            let momenta: Vec<f64> = p.iter().map(|p| p.re).collect();
            let scale = dot_size(&s.tau, &s.v) + dot_size(&momenta, &acc);
            law.equal_at_scale(model.name(), &[energy.eps[0]], &[dot(&s.tau, &s.v) + falling], scale);
        }
    }
}
