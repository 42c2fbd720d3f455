//! Warm-start check: if the impulses of the last step also solve this one, no matrix is built.
//!
//! ```math
//! u = J (v_free + M⁻¹ Jᵀ λ) + c n      d ‖λ − P_K(λ − û/d)‖ ≤ tolerance
//! ```
//! d is the mean response of a contact to its own impulses, from the last solve. It only scales impulses to velocities for the comparison,
//! so any similar value would do.

use super::island::{STILL, TOLERANCE};
use super::settings::ContactSolver;
use super::step_rows::Of;
use super::{ContactKey, ContactPoint, ContactWorkspace, Warm};
use crate::algebra::V3;
use crate::constraint::Multipliers;
use crate::constraint::rows::Rows;
use crate::contact::{Certificate, Law, Stage, Status};
use crate::dynamics::Workspace;
use crate::model::Model;

impl Multipliers {
    /// True if the warm-start impulses solve the problem of the rows of the step; `change` and `velocity` are then computed from them.
    pub(super) fn is_unchanged(
        &mut self,
        t: &mut ContactWorkspace,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
    ) -> bool {
        t.rest.clear();
        let exact = t.settings.solver == ContactSolver::Exact && !t.precise && !t.by_rows;
        t.resting = exact && !t.step_rows.groups.is_empty() && t.rests() && t.begin_unchanged();
        if !t.resting {
            return false;
        }
        self.move_by_impulses(t, model, ws, q);
        let ContactWorkspace { step_rows, change, velocity, .. } = &mut *t;
        step_rows.times(change, velocity);
        t.resting = !t.measure_unchanged();
        !t.resting
    }
}

impl ContactWorkspace {
    /// True if no contact moves faster than the resting threshold.
    fn rests(&self) -> bool {
        let slow = |row: usize| self.all_before[row].abs() <= self.settings.gamma();
        self.step_rows.groups.iter().all(|group| match group.of {
            Of::Contact(at) => self.all.groups[at].rows.clone().all(slow),
            Of::Bound(_) => true,
        })
    }

    /// Projects the impulses onto their cones; false if the response of a row with an impulse is unknown.
    fn begin_unchanged(&mut self) -> bool {
        for (group, law) in self.step_rows.groups.iter().zip(&self.laws) {
            let own = group.rows.clone();
            let impulse = &mut self.impulse[own.clone()];
            if self.response[own.start] > 0.0 {
                law.project(impulse);
            } else if impulse.iter().any(|x| *x != 0.0) || matches!(law, Law::Interval { .. }) {
                return false;
            }
        }
        true
    }

    /// Computes the impulses that would hold the resting contacts had they not moved at all, as the warm start of the next step. The
    /// impulses of this step have also stopped a small motion; applied again, they would reverse it.
    pub(super) fn find_rest(&mut self, rows: &Rows) {
        let [free, velocity] = &mut self.room;
        free.clone_from(&self.free);
        velocity.clone_from(&self.velocity);
        self.rest.clone_from(&self.impulse);
        for group in &self.step_rows.groups {
            match group.of {
                Of::Bound(row) => self.free[group.rows.start] -= rows.rate[row],
                Of::Contact(at) => {
                    let before = &self.all_before[self.all.groups[at].rows.clone()];
                    self.free[group.rows.clone()].iter_mut().zip(before).for_each(|(u, v)| *u -= v);
                }
            }
        }
        let found = self.found.take();
        // so small a motion is within the default tolerance
        let precise = std::mem::replace(&mut self.precise, true);
        let outcome = self.solve_islands(self.settings.solver);
        self.precise = precise;
        std::mem::swap(&mut self.rest, &mut self.impulse);
        let [free, velocity] = &mut self.room;
        std::mem::swap(free, &mut self.free);
        std::mem::swap(velocity, &mut self.velocity);
        let solved = outcome.is_ok() && self.found.is_some_and(|found| found.status.is_solved());
        self.found = found;
        if !solved {
            self.rest.clear();
        }
    }

    /// Completes `velocity`, which holds J M⁻¹ Jᵀ λ, and checks the solution.
    fn measure_unchanged(&mut self) -> bool {
        let mut found =
            Certificate { status: Status::Solved, stage: Stage::WarmStart, ..Certificate::default() };
        let (mut speed, mut squares) = (0.0f64, 0.0);
        for (group, law) in self.step_rows.groups.iter().zip(&self.laws) {
            let own = group.rows.clone();
            for row in own.clone() {
                self.velocity[row] += self.compliance[row].mul_add(self.impulse[row], self.free[row]);
            }
            speed = speed.max(law.speed(&self.free[own.clone()]));
            let (impulse, velocity) = (&self.impulse[own.clone()], &self.velocity[own.clone()]);
            let residual = law.residual(self.response[own.start], impulse, velocity);
            found.residual = found.residual.max(residual);
            found.add(law, impulse, velocity);
            squares += residual * residual;
            // NaN is not a solution
            if !residual.is_finite() {
                return false;
            }
        }
        found.residual_rms = (squares / self.step_rows.groups.len().max(1) as f64).sqrt();
        let enough = found.residual <= 0.02 * (TOLERANCE * speed).max(STILL);
        if enough {
            self.found = Some(found);
        }
        enough
    }

    /// Records the response of each live bound, for the next step.
    pub(super) fn note_responses(&mut self) {
        for group in &self.step_rows.groups {
            if let Of::Bound(row) = group.of {
                self.warm_responses[row] = self.response[group.rows.start];
            }
        }
    }
}

impl ContactWorkspace {
    /// The warm start of a contact: that of the last step with the same key, or else the nearest one of the same two geoms whose key no
    /// longer exists. If edges coincide, as between the boxes of a wall, round-off decides which features name a corner.
    pub(super) fn warm_of(&self, point: &ContactPoint) -> Option<&Warm> {
        self.warm_from(&mut self.warm.partition_point(|(key, _)| key.geoms < point.key.geoms), point)
    }

    /// As [`ContactWorkspace::warm_of`] for contacts in the order of their keys, walking through those of the last step in parallel.
    pub(super) fn warm_from(&self, from: &mut usize, point: &ContactPoint) -> Option<&Warm> {
        let geoms = point.key.geoms;
        while self.warm.get(*from).is_some_and(|(key, _)| key.geoms < geoms) {
            *from += 1;
        }
        let own = self.warm[*from..].iter().take_while(|(key, _)| key.geoms == geoms);
        if let Some((_, warm)) = own.clone().find(|(key, _)| *key == point.key) {
            return Some(warm);
        }
        let gone = |key: &ContactKey| self.list.binary_search_by(|other| other.key.cmp(key)).is_err();
        let distance = |warm: &Warm| (warm.position - point.position).norm();
        let left = own.filter(|(key, _)| gone(key)).map(|(_, warm)| warm);
        left.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }
}

impl Warm {
    /// As numbers, for a snapshot.
    pub fn numbers(&self) -> [f64; 10] {
        let (p, m, x) = (self.impulse, self.moment, self.position);
        [p.x, p.y, p.z, m.x, m.y, m.z, x.x, x.y, x.z, self.response]
    }
    /// The inverse of [`Warm::numbers`].
    pub fn of_numbers([a, b, c, d, e, f, x, y, z, response]: [f64; 10]) -> Warm {
        let (impulse, moment, position) = (V3::new(a, b, c), V3::new(d, e, f), V3::new(x, y, z));
        Warm { impulse, moment, response, position }
    }
}
