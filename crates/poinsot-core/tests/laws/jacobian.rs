//! The Jacobian is the derivative of the pose, and its derivative that of the Jacobian along the motion.

use crate::common::*;
use nalgebra::DMatrix;
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::spatial::{Motion, Pose};

/// The motion of a frame that passes through `x` with the derivative `rate` (rotation by rows, position).
fn motion(x: Pose, rate: &[f64]) -> Motion {
    let rot = poinsot_core::algebra::M3::from_rows([
        [rate[0], rate[1], rate[2]],
        [rate[3], rate[4], rate[5]],
        [rate[6], rate[7], rate[8]],
    ]);
    let skew = rot * x.rot.transpose();
    Motion { ang: skew.vex2() * 0.5, lin: [rate[9], rate[10], rate[11]].into() }
}

fn flat(x: Pose) -> Vec<f64> {
    [x.rot.rows().as_flattened(), &x.pos.array()].concat()
}

#[test]
fn jacobians_are_derivatives_of_poses() {
    let mut law = Law::new("J = ∂(pose)/∂q", 1e-10);
    let mut columns = Law::new("all Jacobians at once = one body's", 1e-12);
    let mut moving = Law::new("J v = velocity", 1e-12);
    for (n, model) in models().iter().enumerate() {
        let (mut w, mut r) = (Workspace::new(model), Random(n as u64));
        let ids = bodies(model);
        for s in samples(model) {
            let body = ids[r.below(ids.len())];
            let here = State { q: s.q.clone(), v: s.v.clone(), ..State::new(model) };
            let at = w.at(model, &here);
            let (j, x, v) = (at.jacobian(body), at.pose(body), at.velocity(body));
            let jv = &j * nalgebra::DVector::from_column_slice(&s.v);
            moving.equal_at_scale(
                model.name(),
                jv.as_slice(),
                &of_motion(v),
                size(j.as_slice()).max(size(jv.as_slice())),
            );
            let mut all = vec![Motion::default(); model.nv()];
            w.jacobians(model, &s.q, &mut all);
            let mut expected = DMatrix::zeros(6, model.nv());
            for k in 0..model.nv() {
                let mut unit = vec![0.0; model.nv()];
                unit[k] = 1.0;
                let rate = derivative(0.02, |h| {
                    let mut state = here.clone();
                    model.integrate(&mut state.q, &unit, h);
                    flat(w.at(model, &state).pose(body))
                });
                expected.set_column(k, &nalgebra::DVector::from_column_slice(&of_motion(motion(x, &rate))));
                if size(j.column(k).into_owned().as_slice()) > 0.0 {
                    let column = j.column(k).into_owned();
                    columns.equal_at_scale(
                        model.name(),
                        &of_motion(all[k].at(x.pos)),
                        column.as_slice(),
                        1.0 + x.pos.norm(),
                    );
                }
            }
            law.equal(model.name(), j.as_slice(), expected.as_slice());
        }
    }
}

#[test]
fn the_jacobian_derivative_is_the_derivative_of_the_jacobian() {
    let mut law = Law::new("dJ/dt", 1e-10);
    for (n, model) in models().iter().enumerate() {
        let (mut w, mut r) = (Workspace::new(model), Random(n as u64 + 9));
        let ids = bodies(model);
        for s in samples(model) {
            let body = ids[r.below(ids.len())];
            let rate = derivative(2e-3, |h| {
                let mut state = State { q: s.q.clone(), v: s.v.clone(), ..State::new(model) };
                model.integrate(&mut state.q, &s.v, h);
                w.at(model, &state).jacobian(body).as_slice().to_vec()
            });
            let here = State { q: s.q.clone(), v: s.v.clone(), ..State::new(model) };
            let at = w.at(model, &here);
            let (j, dj) = (at.jacobian(body), at.jacobian_derivative(body));
            let scale = size(j.as_slice()).max(size(dj.as_slice()));
            law.equal_at_scale(model.name(), dj.as_slice(), &rate, scale);
        }
    }
}
