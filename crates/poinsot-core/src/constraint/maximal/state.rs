//! Converts states and forces from the original to maximal coordinates and back.

use super::Maximal;
use super::joint::{coordinates, nearest, placed};
use crate::algebra::V3;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::constraint::kinds::{Pair, rates};
use crate::dynamics::State;
use crate::model::BodyId;
use crate::spatial::{Motion, Pose, Quat};

struct Reduce<'a> {
    maximal: &'a Maximal,
    state: &'a State,
    elapsed: f64,
    out: &'a mut State,
}

impl Kernel for Reduce<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.maximal.reduce(self.state, self.elapsed, self.out);
    }
}

impl Maximal {
    /// The state of the free bodies when the original is at `state`.
    ///
    /// # Panics
    /// If the state does not fit the original.
    pub fn state(&self, state: &State) -> State {
        let mut out = State::new(&self.model);
        self.put_state(state, &mut out);
        out
    }

    /// As [`Maximal::state`], in place.
    pub fn put_state(&self, state: &State, out: &mut State) {
        assert_eq!(
            (state.q.len(), state.v.len()),
            (self.begin.len(), self.nv),
            "the state does not belong to the original model"
        );
        out.time = state.time;
        for map in &self.joint_maps {
            let (nq, nv) = (map.kind.nq(), map.kind.nv());
            let (q, v) = (&state.q[map.q..map.q + nq], &state.v[map.v..map.v + nv]);
            let (x_ab, v_ab) = placed(&map.kind, map.reference, q, v);
            let (x_wp, v_p) = self.body_at(out, map.a.body);
            let x_wa = x_wp * map.a.pose;
            let x_wb = x_wa * x_ab;
            let x = x_wb * map.b.pose.inverse();
            // the point of the parent at the origin of b, the joint, and back to the origin of the body
            let carried = v_p.at(x_wb.pos - x_wp.pos);
            let own =
                Motion { ang: carried.ang + x_wa.rot * v_ab.ang, lin: carried.lin + x_wa.rot * v_ab.lin };
            self.put_body(out, map.b.body, x, own.at(x.pos - x_wb.pos));
        }
    }

    /// The state of the original nearest to that of the free bodies, exact if the joints are satisfied. Angles are unwrapped to the turns
    /// nearest to those in `near`.
    pub fn reduced(&self, state: &State, near: &[f64]) -> State {
        let mut out = State { q: near.to_vec(), v: vec![0.0; self.nv], ..State::default() };
        self.put_reduced(state, &mut out);
        out
    }

    /// As [`Maximal::reduced`], in place; the coordinates of the existing state decide which turns are nearest.
    pub fn put_reduced(&self, state: &State, out: &mut State) {
        dispatch(Reduce { maximal: self, state, elapsed: 0.0, out });
    }

    /// As [`Maximal::put_reduced`] after a step from the state in `out`. The nearest turns are those at the position predicted by the mean
    /// of both velocities, so that a step may exceed half a turn.
    pub fn follow(&self, state: &State, out: &mut State) {
        dispatch(Reduce { maximal: self, state, elapsed: state.time - out.time, out });
    }

    #[inline(always)]
    fn reduce(&self, state: &State, elapsed: f64, out: &mut State) {
        out.time = state.time;
        for map in &self.joint_maps {
            let ((x_a, v_a), (x_b, v_b)) = (self.body_at(state, map.a.body), self.body_at(state, map.b.body));
            if let Some(hinge) = &map.hinge {
                let [x, y, z] = hinge.in_a.map(|e| x_a.rot * e);
                let turned = x_b.rot * hinge.in_b;
                let rate = z.dot(v_b.ang - v_a.ang);
                let near = out.q[map.q] - map.reference + 0.5 * elapsed * (out.v[map.v] + rate);
                out.q[map.q] = map.reference + nearest(libm::atan2(y.dot(turned), x.dot(turned)), near);
                out.v[map.v] = rate;
                continue;
            }
            let x_ab = (x_a * map.a.pose).inverse() * (x_b * map.b.pose);
            let rows = rates(&map.kind, &Pair::new(x_a, map.a.pose, x_b, map.b.pose));
            for k in 0..rows.count {
                let rate = v_a.power(rows.on_a[k]) + v_b.power(rows.on_b[k]);
                if map.kind.nq() == map.kind.nv() {
                    out.q[map.q + k] += 0.5 * elapsed * (out.v[map.v + k] + rate);
                }
                out.v[map.v + k] = rate;
            }
            coordinates(&map.kind, map.reference, x_ab, &mut out.q[map.q..map.q + map.kind.nq()]);
        }
    }

    /// Adds the forces on the free bodies equivalent to the generalised forces τ of the original.
    ///
    /// # Panics
    /// If a slice does not fit.
    pub fn add_joint_forces(&self, q: &[f64], tau: &[f64], out: &mut [f64]) {
        for map in &self.joint_maps {
            let (x_a, x_b) = (self.pose_at(q, map.a.body), self.pose_at(q, map.b.body));
            let rows = rates(&map.kind, &Pair::new(x_a, map.a.pose, x_b, map.b.pose));
            for k in 0..rows.count {
                let t = tau[map.v + k];
                for (body, wrench) in [(map.a.body, rows.on_a[k]), (map.b.body, rows.on_b[k])] {
                    if let Some((carrier, x, x_c)) = self.carrier(q, body) {
                        let moved = wrench.about(x_c.pos - x.pos);
                        let own = x_c.rot.tr_mul(moved.moment);
                        for (c, f) in moved.force.array().into_iter().chain(own.array()).enumerate() {
                            out[carrier + c] = t.mul_add(f, out[carrier + c]);
                        }
                    }
                }
            }
        }
    }

    /// The free body that a body is or is fixed to: where its velocities start, the pose of the body, and that of the free body.
    #[inline(always)]
    fn carrier(&self, q: &[f64], body: BodyId) -> Option<(usize, Pose, Pose)> {
        let x = self.pose_at(q, body);
        let mut at = body;
        while at != BodyId::WORLD {
            if let Some((_, v)) = self.places[at.index()] {
                return Some((v, x, self.pose_at(q, at)));
            }
            at = self.model.bodies()[at.index()].parent;
        }
        None
    }

    #[inline(always)]
    fn pose_at(&self, q: &[f64], body: BodyId) -> Pose {
        let (mut x, mut at) = (Pose::IDENTITY, body);
        while at != BodyId::WORLD {
            if let Some((k, _)) = self.places[at.index()] {
                let rot = Quat { w: q[k + 3], x: q[k + 4], y: q[k + 5], z: q[k + 6] }.normalized();
                return Pose { rot: rot.matrix(), pos: V3::new(q[k], q[k + 1], q[k + 2]) } * x;
            }
            let b = &self.model.bodies()[at.index()];
            (x, at) = (b.pose * x, b.parent);
        }
        x
    }

    /// Pose and velocity of a body at its origin.
    #[inline(always)]
    fn body_at(&self, state: &State, body: BodyId) -> (Pose, Motion) {
        let x = self.pose_at(&state.q, body);
        let three = |k: usize| V3::new(state.v[k], state.v[k + 1], state.v[k + 2]);
        if let Some((_, v)) = self.places[body.index()] {
            return (x, Motion { ang: x.rot * three(v + 3), lin: three(v) });
        }
        let mut at = body;
        while at != BodyId::WORLD {
            if let Some((_, v)) = self.places[at.index()] {
                let x_c = self.pose_at(&state.q, at);
                let own = Motion { ang: x_c.rot * three(v + 3), lin: three(v) };
                return (x, own.at(x.pos - x_c.pos));
            }
            at = self.model.bodies()[at.index()].parent;
        }
        (x, Motion::default())
    }

    fn put_body(&self, state: &mut State, body: BodyId, x: Pose, v: Motion) {
        let Some((q_at, v_at)) = self.places[body.index()] else { return };
        state.q[q_at..q_at + 3].copy_from_slice(&x.pos.array());
        state.q[q_at + 3..q_at + 7].copy_from_slice(&Quat::from_matrix(x.rot).array());
        state.v[v_at..v_at + 3].copy_from_slice(&v.lin.array());
        state.v[v_at + 3..v_at + 6].copy_from_slice(&x.rot.tr_mul(v.ang).array());
    }
}
