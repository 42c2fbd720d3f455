//! The dynamics of a step with contacts.

use super::point::in_world;
use super::response::keep_worse;
use super::step_rows::Of;
use super::{CLOSED, ContactResult, ContactSoftness, ContactWorkspace, Restitution, Warm};
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::constraint::Multipliers;
use crate::constraint::law::{RowSystem, Status};
use crate::constraint::pivoting::Pivots;
use crate::constraint::stabilisation::Stabilisation;
use crate::constraint::unilateral::RowTiming;
use crate::contact::{Law, MOST_ROWS};
use crate::dynamics::Workspace;
use crate::model::Model;

/// The most rounds of adding rows that were left out but would be violated.
const ROUNDS: usize = 8;
/// A violation smaller than this, relative to the motion, does not count.
const ROUND_OFF: f64 = 1e-12;
/// Bodies that pass each other by so much of their thickness in the rest of a step, at a gap of so much of it, are left to be swept.
const PASSES: f64 = 0.5;
const NEAR: f64 = 1e-3;

/// The work of contacts over a step: of normal impulses, and of friction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ContactWork {
    pub normal: f64,
    pub friction: f64,
}

/// Selects contact rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rows {
    /// Those selected by `look`.
    Looked,
    /// The normal rows of these.
    Normals,
    /// All rows, at the current poses.
    All,
}

impl Multipliers {
    /// [`Multipliers::step_dynamics`] with contacts; the rows have been evaluated, and approach speeds recorded.
    #[allow(clippy::too_many_arguments)] // each is a different physical quantity
    pub(in crate::constraint) fn touch_dynamics(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        (q, v, v_bias): (&[f64], &[f64], &[f64]),
        tau: &[f64],
        diagonal: &[f64],
        (taken, stabilisation): (RowTiming, Stabilisation),
        h: f64,
        a: &mut [f64],
    ) -> Pivots {
        let Some(mut t) = self.touching.take() else { return Pivots::default() };
        let reach = taken.reach(h);
        t.midway = taken == RowTiming::Middle;
        let system = match taken {
            RowTiming::Begin => RowSystem::Velocities,
            RowTiming::End | RowTiming::Middle => RowSystem::Soft { stiffness: h * reach, damping: h },
        };
        let mut smooth = std::mem::take(&mut self.smooth);
        ws.bias(model, q, v_bias, &mut smooth);
        smooth.iter_mut().zip(tau).for_each(|(f, tau)| *f = tau - *f);
        self.begin_operator(&mut t, model, ws, q, system, diagonal);
        self.set_equality_targets(taken, h, stabilisation);
        t.measure(model, ws, v);
        t.push_explicit(&mut smooth);
        self.apply_operator(&t, model, ws, q, &smooth, a);
        t.free_velocity.iter_mut().enumerate().for_each(|(k, free)| *free = h.mul_add(a[k], v[k]));
        t.look(reach, h - reach);
        self.choose_bounds(&mut t, taken, h, stabilisation, a);
        let mut solved = true;
        t.rebounding = t.settings.restitution == Restitution::Newton;
        for round in 0..=ROUNDS {
            self.gather_step_rows(&mut t, model, ws, Rows::Looked);
            self.set_step_row_targets(&mut t, (taken, stabilisation), h, a);
            if !(round == 0 && self.is_unchanged(&mut t, model, ws, q)) {
                self.complete_step_rows(&mut t, model, ws, q);
                let outcome = t.solve_islands(t.settings.solver);
                solved = outcome.is_ok();
                t.failed = outcome.err();
                self.move_by_impulses(&mut t, model, ws, q);
            }
            if solved && self.take_in(&mut t, (taken, stabilisation), h, a) {
                continue;
            }
            if !(solved && t.rebounding && round < ROUNDS && t.rebounds_in_step() && t.adds_energy_in_step())
            {
                break;
            }
            (t.rebounding, t.bounded) = (false, true);
        }
        if solved && t.resting {
            t.find_rest(&self.rows);
        }
        if let Some(found) = t.found.take() {
            keep_worse(&mut t.certificate, found);
        }
        t.note_contacts(v, reach);
        t.note_explicit(h);
        if t.by_rows {
            // solved again for the multipliers of all rows
            self.set_equality_targets(taken, h, stabilisation);
            t.push(1.0 / h, &mut smooth);
            self.apply_operator(&t, model, ws, q, &smooth, a);
        } else {
            a.iter_mut().zip(&t.change).for_each(|(a, dv)| *a += dv / h);
        }
        self.note_bounds(&mut t, h);
        if !solved {
            a.fill(f64::NAN);
        }
        self.change.copy_from_slice(a);
        self.smooth = smooth;
        self.touching = Some(t);
        Pivots::default()
    }

    /// Prepares M⁻¹ at q: that of the trees or, if there are equalities, the one subject to their rows. Rows have been evaluated at q.
    pub(super) fn begin_operator(
        &mut self,
        t: &mut ContactWorkspace,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        system: RowSystem,
        diagonal: &[f64],
    ) {
        t.by_rows = self.needs_rows();
        if t.by_rows {
            for row in 0..self.rows.len() {
                if self.rows.kinds[row].terms.is_inequality() {
                    self.rows.status[row] = Status::Inactive;
                }
            }
            self.factor_masses(model, ws, q, system, diagonal);
            self.factor_rows(model, ws, q);
            ws.poses(model, q);
        } else {
            // this also computes the poses
            ws.mass_matrix(model, q, &mut t.mass);
            t.mass.add_diagonal(|k| diagonal[k] - model.tree.armature[k]);
            t.mass.factor();
            t.mass.write_out();
            self.lambda.fill(0.0);
        }
    }

    /// Solves x = M⁻¹ f, with equalities meeting their targets.
    pub(super) fn apply_operator(
        &mut self,
        t: &ContactWorkspace,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        force: &[f64],
        x: &mut [f64],
    ) {
        if t.by_rows {
            self.force.copy_from_slice(force);
            self.solve_for_targets(model, ws, q, x);
            ws.poses(model, q);
        } else {
            x.copy_from_slice(force);
            t.mass.solve_by_stretches(x);
        }
    }

    /// Sets the targets of equalities in a step.
    fn set_equality_targets(&mut self, taken: RowTiming, h: f64, stabilisation: Stabilisation) {
        for row in 0..self.rows.len() {
            if !self.takes_part(row) {
                continue;
            }
            let (terms, at) = (self.rows.kinds[row].terms, self.rows.measured_at(row));
            self.targets[row] = match taken {
                RowTiming::Begin => terms.acceleration_target(at, stabilisation),
                RowTiming::End => terms.implicit_target(at, h, h),
                RowTiming::Middle => terms.midpoint_target(at, h, stabilisation),
            };
        }
    }

    /// Selects limits that the motion without impulses would violate or that were active, and all dry friction.
    fn choose_bounds(
        &mut self,
        t: &mut ContactWorkspace,
        taken: RowTiming,
        h: f64,
        stabilisation: Stabilisation,
        a: &[f64],
    ) {
        t.bounds_in.fill(false);
        self.rows.along(a, &mut self.along);
        for row in &self.rows.ends {
            let slack = self.slack(*row, taken, h, stabilisation);
            t.bounds_in[*row] = slack < 0.0 || self.kept[*row] == Status::Active;
        }
        self.rows.frictions.iter().for_each(|row| t.bounds_in[*row] = true);
    }

    /// The remaining slack of an open limit under the acceleration for which `along` holds J a.
    #[inline]
    fn slack(&self, row: usize, taken: RowTiming, h: f64, stabilisation: Stabilisation) -> f64 {
        // two roundings: outside of dispatched functions, a fused multiply-add is a library call
        let rate = h * self.along[row] + self.rows.rate[row];
        if rate >= 0.0 && self.rows.value[row] >= 0.0 {
            return rate;
        }
        self.closing_rate(row, taken, h, stabilisation) + rate
    }

    /// Builds the active rows, with M⁻¹ Jᵀ.
    pub(super) fn make_step_rows(
        &mut self,
        t: &mut ContactWorkspace,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        wanted: Rows,
    ) {
        self.gather_step_rows(t, model, ws, wanted);
        self.complete_step_rows(t, model, ws, q);
    }

    /// Collects the active rows.
    fn gather_step_rows(&mut self, t: &mut ContactWorkspace, model: &Model, ws: &Workspace, wanted: Rows) {
        t.step_rows.clear();
        for row in (0..self.rows.len()).filter(|row| t.bounds_in[*row]) {
            t.step_rows.push_bound(row, self.rows.row(row));
        }
        for k in (0..t.list.len()).filter(|k| t.in_play[*k]) {
            let point = &t.list[k];
            let rows = point.surface.rows();
            match wanted {
                Rows::Looked => t.step_rows.push_part(&t.all, Of::Contact(k), k, rows),
                Rows::Normals => t.step_rows.push_part(&t.all, Of::Contact(k), k, 1),
                Rows::All => t.step_rows.push_contact(model, ws, k, point, point.frame(), rows),
            }
        }
        let rows = t.step_rows.rows();
        for numbers in [&mut t.free, &mut t.shift, &mut t.impulse, &mut t.compliance, &mut t.response] {
            numbers.clear();
            numbers.resize(rows, 0.0);
        }
        t.laws.clear();
    }

    /// Computes M⁻¹ Jᵀ of the active rows; for the contacts selected by `look` this happens once a step.
    fn complete_step_rows(&mut self, t: &mut ContactWorkspace, model: &Model, ws: &mut Workspace, q: &[f64]) {
        if t.by_rows {
            self.make_step_row_columns(t, model, ws, q);
            return;
        }
        let ContactWorkspace { all, step_rows, mass, in_play, .. } = &mut *t;
        if step_rows.is_part() {
            all.carry(mass, |k| in_play[k]);
            step_rows.adopt(all);
        }
        t.carry();
    }

    pub(super) fn make_step_row_columns(
        &mut self,
        t: &mut ContactWorkspace,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
    ) {
        let n = model.nv();
        self.targets.fill(0.0);
        let mut x = std::mem::take(&mut self.trial);
        for k in 0..t.step_rows.groups.len() {
            let group = t.step_rows.groups[k].clone();
            for row in 0..group.rows.len() {
                self.force.fill(0.0);
                t.step_rows.add(&group, row, 1.0, &mut self.force);
                self.solve_for_targets(model, ws, q, &mut x);
                t.step_rows.column(group.rows.start + row, n).copy_from_slice(&x);
            }
        }
        self.trial = x;
        ws.poses(model, q);
    }

    /// Sets the targets of the rows of the step at the end of the step.
    fn set_step_row_targets(
        &mut self,
        t: &mut ContactWorkspace,
        (taken, stabilisation): (RowTiming, Stabilisation),
        h: f64,
        a: &[f64],
    ) {
        let reach = taken.reach(h);
        for k in 0..t.step_rows.groups.len() {
            let group = t.step_rows.groups[k].clone();
            let first = group.rows.start;
            match group.of {
                Of::Bound(row) => {
                    let terms = self.rows.kinds[row].terms;
                    t.free[first] = h.mul_add(self.rows.dot(row, a), self.rows.rate[row]);
                    t.laws.push(match terms.within() {
                        Some(force) => Law::within(h * force),
                        None => {
                            t.shift[first] = self.closing_rate(row, taken, h, stabilisation);
                            Law::AT_LEAST
                        }
                    });
                    (t.impulse[first], t.response[first]) = (h * t.warm_bounds[row], t.warm_responses[row]);
                }
                Of::Contact(at) => {
                    let rows = t.all.groups[at].rows.clone();
                    t.free[group.rows.clone()].copy_from_slice(&t.all_free[rows.clone()]);
                    let before = t.all_before[rows.start];
                    let (shift, compliance) = t.normal_shift(at, before, reach, h, stabilisation);
                    (t.shift[first], t.compliance[first]) = (shift, compliance);
                    t.laws.push(t.list[at].surface.law());
                    t.begin_warm(at, first);
                }
            }
        }
        t.free.iter_mut().zip(&t.shift).for_each(|(free, shift)| *free += shift);
    }

    /// Computes the change of velocity caused by the impulses of the rows of the step.
    pub(super) fn move_by_impulses(
        &mut self,
        t: &mut ContactWorkspace,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
    ) {
        let mut force = std::mem::take(&mut self.trial);
        let mut change = std::mem::take(&mut t.change);
        force.fill(0.0);
        t.push(1.0, &mut force);
        self.targets.fill(0.0);
        self.apply_operator(t, model, ws, q, &force, &mut change);
        (self.trial, t.change) = (force, change);
    }

    /// Adds rows that were left out but are violated; true if there are any.
    fn take_in(
        &mut self,
        t: &mut ContactWorkspace,
        (taken, stabilisation): (RowTiming, Stabilisation),
        h: f64,
        a: &mut [f64],
    ) -> bool {
        let fastest = t.free_velocity.iter().chain(&t.change).fold(0.0f64, |most, v| most.max(v.abs()));
        let off = ROUND_OFF * fastest;
        let mut any = false;
        a.iter_mut().zip(&t.change).for_each(|(a, dv)| *a += dv / h);
        self.rows.along(a, &mut self.along);
        for row in &self.rows.ends {
            if !t.bounds_in[*row] && self.slack(*row, taken, h, stabilisation) < -off {
                (t.bounds_in[*row], any) = (true, true);
            }
        }
        a.iter_mut().zip(&t.change).for_each(|(a, dv)| *a -= dv / h);
        any | t.take_in_contacts(taken.reach(h), off)
    }

    /// Sets statuses and multipliers of limits and dry friction from the impulses.
    fn note_bounds(&mut self, t: &mut ContactWorkspace, h: f64) {
        for k in 0..self.rows.ends.len() {
            let row = self.rows.ends[k];
            (self.rows.status[row], self.lambda[row]) = (Status::Inactive, 0.0);
        }
        for group in &t.step_rows.groups {
            let Of::Bound(row) = group.of else { continue };
            let force = t.impulse[group.rows.start] / h;
            self.lambda[row] = force;
            self.rows.status[row] = match self.rows.kinds[row].terms.within() {
                Some(most) if force.abs() >= most => Status::Slipping(force),
                Some(_) => Status::Active,
                None if force > 0.0 => Status::Active,
                None => Status::Inactive,
            };
        }
        t.warm_bounds.copy_from_slice(&self.lambda);
        t.note_responses();
    }

    /// The work of contacts over the last step.
    pub(crate) fn contact_works(&self) -> ContactWork {
        let mut works = ContactWork::default();
        for one in self.touching.iter().flat_map(|t| &t.touched) {
            let (n, mean) = (one.point.normal, (one.velocity[0] + one.velocity[1]) * 0.5);
            let normal = n.dot(one.impulse) * n.dot(mean);
            works.normal += normal;
            works.friction += one.work() - normal;
        }
        works
    }
}

impl ContactWorkspace {
    /// Computes J of all contacts, and their velocities before the step; poses must be up to date.
    pub(super) fn measure(&mut self, model: &Model, ws: &Workspace, v: &[f64]) {
        self.all.clear();
        self.all.push_contacts(model, ws, &self.list, &mut self.frames);
        self.all.times(v, &mut self.all_before);
    }

    /// Adds the forces of contacts that are explicit springs and dampers: out += Jᵀ F.
    fn push_explicit(&mut self, out: &mut [f64]) {
        self.pressed.clear();
        if !self.list.iter().any(|point| point.surface.is_explicit()) {
            return;
        }
        self.pressed.resize(self.all.rows(), 0.0);
        for (k, point) in self.list.iter().enumerate() {
            let Some(ContactSoftness::Explicit { stiffness, damping }) = point.surface.softness else {
                continue;
            };
            let group = &self.all.groups[k];
            let rows = group.rows.clone();
            let u = &self.all_before[rows.clone()];
            let normal =
                if point.gap < 0.0 { (-stiffness * point.gap - damping * u[0]).max(0.0) } else { 0.0 };
            // friction as a damper, within its ellipsoid
            let friction = &point.surface.friction[..u.len() - 1];
            let wanted = |k: usize| -damping * u[1 + k];
            let part = |k: usize| if friction[k] > 0.0 { wanted(k) / (friction[k] * normal) } else { 0.0 };
            let size = (0..friction.len()).map(|k| part(k).powi(2)).sum::<f64>().sqrt();
            let less = if size > 1.0 { 1.0 / size } else { 1.0 };
            self.pressed[rows.start] = normal;
            for k in (0..friction.len()).filter(|k| normal > 0.0 && friction[*k] > 0.0) {
                self.pressed[rows.start + 1 + k] = less * wanted(k);
            }
            for (r, row) in rows.enumerate() {
                self.all.add(group, r, self.pressed[row], out);
            }
        }
    }

    /// Records the results of explicit contacts.
    fn note_explicit(&mut self, h: f64) {
        if self.pressed.is_empty() {
            return;
        }
        for (k, _) in self.list.iter().enumerate().filter(|(_, point)| point.surface.is_explicit()) {
            let (group, mut p, mut end) = (&self.all.groups[k], [0.0; MOST_ROWS], [0.0; MOST_ROWS]);
            let count = group.rows.len();
            for (r, row) in group.rows.clone().enumerate() {
                p[r] = h * self.pressed[row];
                end[r] = self.all_free[row] + self.all.dot(group, r, &self.change);
            }
            let one = &mut self.touched[k];
            one.held = true;
            (one.impulse, one.moment) = in_world(&self.frames[k], &p[..count]);
            one.velocity[1] = in_world(&self.frames[k], &end[..count]).0;
            let before = &self.all_before[group.rows.clone()];
            one.turned = (3..count).map(|r| 0.5 * p[r] * (before[r] + end[r])).sum();
        }
    }

    /// Computes the velocities of all contacts without impulses, and decides which take part and which are left to the sweep. `reach` is
    /// how long v⁺ moves positions, `since` the time from the start of the step to that of the rows.
    fn look(&mut self, reach: f64, since: f64) {
        self.all.times(&self.free_velocity, &mut self.all_free);
        dispatch(Look { own: self, reach, since });
    }

    #[inline(always)]
    fn look_here(&mut self, reach: f64, since: f64) {
        self.touched.clear();
        self.in_play.clear();
        self.end_gap.clear();
        self.deferred = 0;
        for k in 0..self.list.len() {
            let point = &self.list[k];
            let rows = self.all.groups[k].rows.clone();
            let (before, free) = (self.all_before[rows.start], self.all_free[rows.start]);
            let velocity = in_world(&self.frames[k], &self.all_before[rows.clone()]).0;
            let fastest = velocity.norm().max(in_world(&self.frames[k], &self.all_free[rows]).0.norm());
            let opened = point.gap - since * before > CLOSED;
            // nearer contacts that arrive after the time of the rows are closed by the rows, at any speed
            let fast = -before * since > self.thickness[k] || self.passes(k, reach * fastest);
            let approach = before.min(free);
            let rebounds =
                !self.plastic && point.surface.restitution > 0.0 && approach < -self.settings.gamma();
            let deferred = self.sweeping && opened && (fast || rebounds && point.surface.softness.is_none())
                || self.followed.contains(&point.key.geoms);
            self.deferred += usize::from(deferred);
            self.penetration = self.penetration.max(-point.gap);
            let meets = point.gap <= CLOSED || point.gap + reach * free.min(before) < 0.0;
            self.in_play.push(!deferred && !point.surface.is_explicit() && meets);
            self.end_gap.push(reach.mul_add(free, point.gap));
            self.touched.push(ContactResult {
                velocity: [velocity; 2],
                deferred,
                ..ContactResult::at_rest(*point)
            });
        }
    }

    /// The shift c of a contact, and its compliance: (3) and (4) of the module page.
    fn normal_shift(
        &self,
        at: usize,
        before: f64,
        reach: f64,
        h: f64,
        stabilisation: Stabilisation,
    ) -> (f64, f64) {
        let (gap, surface) = (self.list[at].gap, &self.list[at].surface);
        match surface.softness {
            Some(ContactSoftness::Implicit { stiffness: k, damping: d }) => {
                let resistance = reach.mul_add(k, d);
                if resistance > 0.0 {
                    return (k * gap / resistance, 1.0 / (h * resistance));
                }
            }
            Some(ContactSoftness::Reference { stiffness: k, damping: b, impedance: i, mass }) => {
                return (h * k * gap - (1.0 - h * b) * before, (1.0 - i) / (i * mass));
            }
            Some(ContactSoftness::Explicit { .. }) | None => {}
        }
        if gap > CLOSED {
            return (gap / reach, 0.0);
        }
        if self.rebounding && !self.plastic && surface.restitution > 0.0 && before < -self.settings.gamma() {
            return (surface.restitution * before, 0.0);
        }
        match stabilisation {
            Stabilisation::Baumgarte { time_constant } if gap < 0.0 => (gap / time_constant, 0.0),
            _ => (0.0, 0.0),
        }
    }

    /// True if a closed contact rebounds in the step.
    fn rebounds_in_step(&self) -> bool {
        self.step_rows.groups.iter().any(|group| match group.of {
            Of::Contact(at) => {
                let point = &self.list[at];
                let rigid = point.gap <= CLOSED && point.surface.softness.is_none();
                rigid && point.surface.restitution > 0.0 && self.shift[group.rows.start] < 0.0
            }
            Of::Bound(_) => false,
        })
    }

    /// Sets the initial guess from the impulse of the last step.
    fn begin_warm(&mut self, at: usize, first: usize) {
        let point = &self.list[at];
        let Some(&Warm { impulse, moment, response, .. }) = self.warm_of(point) else { return };
        let [n, t1, t2] = self.frames[at];
        let all =
            [n.dot(impulse), t1.dot(impulse), t2.dot(impulse), n.dot(moment), t1.dot(moment), t2.dot(moment)];
        let rows = point.surface.rows();
        self.impulse[first..first + rows].copy_from_slice(&all[..rows]);
        self.response[first] = response;
    }

    /// out += scale Jᵀ λ of all rows of the step.
    pub(super) fn push(&self, scale: f64, out: &mut [f64]) {
        self.step_rows.add_all(scale, &self.impulse, out);
    }

    fn take_in_contacts(&mut self, reach: f64, off: f64) -> bool {
        dispatch(TakeIn { own: self, reach, off })
    }

    #[inline(always)]
    fn take_in_contacts_here(&mut self, reach: f64, off: f64) -> bool {
        let mut any = false;
        for k in 0..self.list.len() {
            if self.in_play[k] || self.touched[k].deferred || self.list[k].surface.is_explicit() {
                continue;
            }
            let point = self.list[k];
            let group = &self.all.groups[k];
            let u = self.all_free[group.rows.start] + self.all.dot(group, 0, &self.change);
            self.end_gap[k] = reach.mul_add(u, point.gap);
            if self.end_gap[k] < -(off * reach).max(CLOSED) {
                let end =
                    |r: usize| self.all_free[group.rows.start + r] + self.all.dot(group, r, &self.change);
                let way = reach * (0..group.rows.len().min(3)).map(|r| end(r).powi(2)).sum::<f64>().sqrt();
                if self.sweeping && self.passes(k, way) {
                    self.touched[k].deferred = true;
                    self.deferred += 1;
                } else {
                    (self.in_play[k], any) = (true, true);
                }
            }
        }
        any
    }

    /// True if two geoms that move by `way` relative to each other are so far apart that they may meet at another normal, or not at all. A
    /// half-space is met at the same normal wherever a body moves, but rows of the midpoint would find the body inside it.
    fn passes(&self, k: usize, way: f64) -> bool {
        let thickness = self.thickness[k];
        let certain = self.half_space[k] && !self.midway;
        !certain && self.list[k].gap > NEAR * thickness && way > PASSES * thickness
    }

    /// Records the result of each contact: impulses in world axes, and velocities at the end.
    fn note_contacts(&mut self, v: &[f64], reach: f64) {
        dispatch(Note { own: self, v, reach });
    }

    #[inline(always)]
    fn note_contacts_here(&mut self, v: &[f64], reach: f64) {
        self.warm.clear();
        for group in &self.step_rows.groups {
            let Of::Contact(at) = group.of else { continue };
            let point = &self.list[at];
            let first = group.rows.start;
            let given = self.shift[first] + self.compliance[first] * self.impulse[first];
            self.velocity[first] -= given;
            let (p, u) = (&self.impulse[group.rows.clone()], &self.velocity[group.rows.clone()]);
            let normal = u[0];
            let one = &mut self.touched[at];
            one.held = true;
            let frame = &self.frames[at];
            (one.impulse, one.moment) = in_world(frame, p);
            one.velocity[1] = in_world(frame, u).0;
            let turned = |k: usize| 0.5 * p[k] * (self.step_rows.dot(group, k, v) + u[k]);
            one.turned = (3..p.len()).map(turned).sum();
            self.end_gap[at] = reach.mul_add(normal, point.gap);
            let response = self.response[first];
            let rest = self.rest.get(group.rows.clone()).map(|rest| in_world(frame, rest));
            let ((impulse, moment), position) = (rest.unwrap_or((one.impulse, one.moment)), point.position);
            self.warm.push((point.key, Warm { impulse, moment, response, position }));
        }
    }
}

/// The kernel of [`ContactWorkspace::look`].
struct Look<'a> {
    own: &'a mut ContactWorkspace,
    reach: f64,
    since: f64,
}

impl Kernel for Look<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.own.look_here(self.reach, self.since);
    }
}

/// The kernel of [`ContactWorkspace::take_in_contacts`].
struct TakeIn<'a> {
    own: &'a mut ContactWorkspace,
    reach: f64,
    off: f64,
}

impl Kernel for TakeIn<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<I: Isa>(self) -> bool {
        self.own.take_in_contacts_here(self.reach, self.off)
    }
}

/// The kernel of [`ContactWorkspace::note_contacts`].
struct Note<'a> {
    own: &'a mut ContactWorkspace,
    v: &'a [f64],
    reach: f64,
}

impl Kernel for Note<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.own.note_contacts_here(self.v, self.reach);
    }
}
