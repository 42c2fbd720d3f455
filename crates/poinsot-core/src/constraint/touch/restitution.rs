//! Restitution: the effect of e on simultaneous collisions, and a proof that it adds no energy.
//!
//! *Newton*: one problem, in which normals separate with e times their approach speed. *Poisson* [AnitescuPotra97], [Glocker01]: two,
//!
//! ```text
//! (1)  u_c = u⁻ + G P₁      compression: no rebound, Coulomb's cone
//! (2)  u⁺ = u_c + G P₂      expansion:   P_N₂ ≥ e P_N₁,  u_N⁺ ≥ 0,  one of them equal      ‖P_T₂‖ ≤ μ P_N₂, against u_T⁺
//! ```
//! If the normal impulse of (2) is p = e P_N₁ plus x, its friction is the sum of those of two contacts at the same point: one with the
//! normal impulse x, and one whose normal impulse p moves nothing. The disc of radius μ(p + x) is the sum of their discs. The normal of the
//! second contact has no entry in J, and obeys `E (λ − p) ≥ 0, λ ≥ 0`.
//!
//! *Energy.* (1) removes at least ½ P₁·G P₁. With one e for all contacts and x = 0, the friction of (2) leaves the least energy, so it
//! leaves no more than P₂ = e P₁ would, which returns e² of that. Newton's law has no such bound: if friction turns bodies during
//! compression, the prescribed rebound may need more energy than there was [Glocker13]. Therefore:
//!
//! ```text
//! (3)  where Newton's impulses would raise T: (1) and (2) instead          (4)  where (2) would: P = P₁ + s P₂,  T(s) = T⁻
//! ```
//! (3) also applies if Newton's problem has no solution: a pendulum that friction jams against a wall cannot rebound from it. T(s) is a
//! parabola with T(0) ≤ T⁻; cones and u_N ≥ 0 hold for every s from 0 to 1. Limits keep Newton's law in (2).

use super::response::keep_worse;
use super::settings::Restitution;
use super::step_rows::Of;
use super::{ContactWorkspace, Multipliers};
use crate::contact::{Certificate, Dense, Law, MOST_ROWS, Problem};
use crate::dynamics::Workspace;
use crate::model::Model;

/// Relative to the work of all impulses: a smaller gain of energy is round-off, or within the tolerance of a solver.
const GAIN: f64 = 1e-10;

/// Scratch for the phases of a collision.
#[derive(Clone, Debug, Default)]
pub(super) struct Phases {
    /// For each group of rows: e, and the normal impulse already applied by the step; 0 if it does not rebound.
    rebounds: Vec<[f64; 2]>,
    /// P₁, and the change of velocity that it causes.
    impulse: Vec<f64>,
    change: Vec<f64>,
    /// For each group of rows: p.
    given: Vec<f64>,
    /// In sequential collisions: the accumulated impulses, and the current velocities.
    pub total: Vec<f64>,
    pub now: Vec<f64>,
}

/// The change of kinetic energy by impulses, and the sum of the magnitudes of its terms.
#[derive(Clone, Copy, Debug, Default)]
struct Gain {
    given: f64,
    size: f64,
}

impl Gain {
    fn add(&mut self, impulse: f64, before: f64, change: f64) {
        self.given += impulse * (0.5f64).mul_add(change, before);
        self.size += impulse.abs() * (0.5f64).mul_add(change.abs(), before.abs());
    }
    fn is_more_than(self, allowed: f64) -> bool {
        self.given > GAIN.mul_add(self.size, allowed)
    }
}

/// The largest s ≤ 1 with `first + s a + s² b ≤ allowed`; `first` itself does not exceed `allowed`.
fn largest_part(first: f64, a: f64, b: f64, allowed: f64) -> f64 {
    let left = (allowed - first).max(0.0);
    if a + b <= left || b <= 0.0 {
        return 1.0;
    }
    let root = a.mul_add(a, 4.0 * b * left).max(0.0).sqrt();
    // the form of the root without cancellation
    let s = if a > 0.0 { 2.0 * left / (a + root) } else { (root - a) / (2.0 * b) };
    s.clamp(0.0, 1.0)
}

impl Phases {
    pub fn begin(&mut self) {
        self.rebounds.clear();
    }
    pub fn push(&mut self, e: f64, pressed: f64) {
        self.rebounds.push([e, pressed]);
    }
}

impl Multipliers {
    /// Finds the impulses of all rows of the step at once, from the velocities `before`. The kinetic energy may grow by `allowed`, which was
    /// removed earlier.
    pub(super) fn strike_at_once(
        &mut self,
        t: &mut ContactWorkspace,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        allowed: f64,
    ) {
        if t.settings.restitution == Restitution::Newton {
            t.impulse.fill(0.0);
            let required = t.before.iter().zip(&t.shift);
            t.free.iter_mut().zip(required).for_each(|(free, (u, shift))| *free = u + shift);
            let found = self.solve_strike(t, model, ws, q);
            let rebounds = t.shift.iter().any(|shift| *shift != 0.0);
            let solved = found.is_none_or(|c| c.status.is_solved());
            if !rebounds || t.failed.is_some() || solved && !t.gain().is_more_than(allowed) {
                found.into_iter().for_each(|found| keep_worse(&mut t.certificate, found));
                return;
            }
            t.bounded = true;
        }
        self.strike_in_phases(t, model, ws, q, allowed);
    }

    /// Finds impulses from `free`, and the change of velocity that they cause.
    fn solve_strike(
        &mut self,
        t: &mut ContactWorkspace,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
    ) -> Option<Certificate> {
        t.failed = t.solve_islands(t.settings.solver).err();
        self.move_by_impulses(t, model, ws, q);
        t.found.take()
    }

    /// Solves (1) and (2), scaled by (4).
    fn strike_in_phases(
        &mut self,
        t: &mut ContactWorkspace,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        allowed: f64,
    ) {
        t.impulse.fill(0.0);
        t.free.copy_from_slice(&t.before);
        let found = self.solve_strike(t, model, ws, q);
        found.into_iter().for_each(|found| keep_worse(&mut t.certificate, found));
        if t.failed.is_some() || !t.begin_expansion() {
            return;
        }
        let spent = t.gain_of_compression();
        self.expand(t, model, ws, q);
        let (mut a, mut b, mut gain) = (0.0, 0.0, Gain::default());
        for group in &t.step_rows.groups {
            for (r, row) in group.rows.clone().enumerate() {
                let compressed = t.before[row] + t.step_rows.dot(group, r, &t.phases.change);
                let change = t.step_rows.dot(group, r, &t.change);
                a += t.impulse[row] * compressed;
                b += 0.5 * t.impulse[row] * change;
                gain.add(t.impulse[row], compressed, change);
            }
        }
        gain.given += spent.given;
        gain.size += spent.size;
        let mut s = 1.0;
        if gain.is_more_than(allowed) {
            (s, t.bounded) = (largest_part(spent.given, a, b, allowed), true);
        }
        let ContactWorkspace { impulse, change, phases, .. } = t;
        impulse.iter_mut().zip(&phases.impulse).for_each(|(p, first)| *p = s.mul_add(*p, *first));
        change.iter_mut().zip(&phases.change).for_each(|(dv, first)| *dv = s.mul_add(*dv, *first));
    }

    /// Solves (2): P₂ and the velocities after it, from those after compression.
    fn expand(&mut self, t: &mut ContactWorkspace, model: &Model, ws: &mut Workspace, q: &[f64]) {
        let (groups, rows) = (t.step_rows.groups.len(), t.step_rows.rows());
        // first the given normal impulses alone
        t.impulse.fill(0.0);
        for (group, given) in t.step_rows.groups.iter().zip(&t.phases.given) {
            t.impulse[group.rows.start] = *given;
        }
        self.move_by_impulses(t, model, ws, q);
        for group in &t.step_rows.groups {
            for (r, row) in group.rows.clone().enumerate() {
                let after = |change| t.step_rows.dot(group, r, change);
                t.free[row] = t.before[row] + after(&t.phases.change) + after(&t.change);
            }
            if matches!(group.of, Of::Bound(_)) {
                t.free[group.rows.start] += t.shift[group.rows.start];
            }
        }
        t.push_given(groups);
        t.carry();
        if t.by_rows {
            self.make_step_row_columns(t, model, ws, q);
        }
        t.failed = t.solve_islands(t.settings.solver).err();
        if let Some(found) = t.found.take() {
            keep_worse(&mut t.certificate, found);
        }
        t.take_given(groups, rows);
        self.move_by_impulses(t, model, ws, q);
    }
}

impl ContactWorkspace {
    fn gain(&self) -> Gain {
        self.gain_of(&self.impulse, &self.change)
    }
    fn gain_of_compression(&self) -> Gain {
        self.gain_of(&self.phases.impulse, &self.phases.change)
    }
    /// The energy gained by impulses that cause a change of velocity from the velocities `before`.
    fn gain_of(&self, impulse: &[f64], change: &[f64]) -> Gain {
        let mut gain = Gain::default();
        for group in &self.step_rows.groups {
            for (r, row) in group.rows.clone().enumerate() {
                gain.add(impulse[row], self.before[row], self.step_rows.dot(group, r, change));
            }
        }
        gain
    }

    /// True if the contacts of a step added energy relative to the velocities before it, or if their impulses were not found. `velocity`
    /// holds the velocities at the end, with shifts.
    pub(super) fn adds_energy_in_step(&self) -> bool {
        if self.found.is_some_and(|found| !found.status.is_solved()) {
            return true;
        }
        let mut gain = Gain::default();
        for group in &self.step_rows.groups {
            let Of::Contact(at) = group.of else { continue };
            let before = &self.all_before[self.all.groups[at].rows.clone()];
            for (row, before) in group.rows.clone().zip(before) {
                let (p, given) = (self.impulse[row], self.compliance[row] * self.impulse[row]);
                gain.add(p, *before, self.velocity[row] - self.shift[row] - given - before);
            }
        }
        gain.is_more_than(0.0)
    }

    /// Stores the impulses of compression, and computes p; false if nothing rebounds.
    fn begin_expansion(&mut self) -> bool {
        let Phases { rebounds, impulse, change, given, .. } = &mut self.phases;
        impulse.clone_from(&self.impulse);
        change.clone_from(&self.change);
        given.clear();
        for (group, [e, pressed]) in self.step_rows.groups.iter().zip(rebounds) {
            given.push(*e * (*pressed + impulse[group.rows.start]).max(0.0));
        }
        given.iter().chain(&self.shift).any(|x| *x != 0.0)
    }

    /// For each contact with a given normal impulse, adds a second contact that carries the friction of that impulse.
    fn push_given(&mut self, groups: usize) {
        let fastest = self.free.iter().fold(0.0f64, |most, u| most.max(u.abs()));
        let largest = self.phases.given.iter().fold(0.0f64, |most, p| most.max(*p));
        let softness = if fastest > 0.0 && largest > 0.0 { fastest / largest } else { 1.0 };
        self.impulse.fill(0.0);
        for k in 0..groups {
            let (rows, given) = (self.step_rows.groups[k].rows.clone(), self.phases.given[k]);
            if given == 0.0 || rows.len() == 1 {
                continue;
            }
            self.step_rows.push_friction_of(k);
            self.laws.push(self.laws[k]);
            self.free.push(-softness * given);
            self.free.extend_from_within(rows.start + 1..rows.end);
            self.compliance.push(softness);
            self.compliance.resize(self.step_rows.rows(), 0.0);
            self.impulse.push(given);
            self.impulse.resize(self.step_rows.rows(), 0.0);
        }
    }

    /// Merges the added contacts into the original ones, and removes them.
    fn take_given(&mut self, groups: usize, rows: usize) {
        let mut other = rows;
        for k in 0..groups {
            let (own, given) = (self.step_rows.groups[k].rows.clone(), self.phases.given[k]);
            self.impulse[own.start] += given;
            if given == 0.0 || own.len() == 1 {
                continue;
            }
            for (r, row) in own.clone().enumerate().skip(1) {
                self.impulse[row] += self.impulse[other + r];
            }
            other += own.len();
        }
        self.step_rows.groups.truncate(groups);
        self.laws.truncate(groups);
        for numbers in [&mut self.free, &mut self.impulse, &mut self.compliance, &mut self.velocity] {
            numbers.truncate(rows);
        }
    }

    /// The impulses of a single group, with the velocity u and restitution e.
    pub(super) fn strike_alone(&mut self, k: usize, u: &[f64], e: f64) -> Option<[f64; MOST_ROWS]> {
        let (n, law) = (u.len(), self.laws[k]);
        let mut block = [0.0; MOST_ROWS * MOST_ROWS];
        let mass = (!self.by_rows).then_some(&self.mass);
        self.step_rows.respond(mass, k, &[k], &mut self.lead.spread, |_, _, found| {
            block[..found.len()].copy_from_slice(found)
        });
        let g = |i: usize, j: usize| block[i * n + j];
        let times = |p: &[f64], i: usize| (0..n).fold(0.0, |sum, j| g(i, j).mul_add(p[j], sum));
        let gain = |p: &[f64], from: &[f64]| {
            let mut gain = Gain::default();
            (0..n).for_each(|i| gain.add(p[i], from[i], times(p, i)));
            gain
        };
        let mut free = [0.0; MOST_ROWS];
        free[..n].copy_from_slice(u);
        let newton = self.settings.restitution == Restitution::Newton;
        if newton || e == 0.0 || n == 1 {
            free[0] += e * u[0];
            let (p, solved) = self.solve_one(&block[..n * n], &free[..n], law)?;
            if e == 0.0 || n == 1 || solved && !gain(&p, u).is_more_than(0.0) {
                return Some(p);
            }
            (self.bounded, free[0]) = (true, u[0]);
        }
        let (first, _) = self.solve_one(&block[..n * n], &free[..n], law)?;
        let spent = gain(&first, u);
        let mut compressed = [0.0; MOST_ROWS];
        (0..n).for_each(|i| compressed[i] = u[i] + times(&first, i));
        let given = e * first[0].max(0.0);
        let second = self.expand_one(&block[..n * n], &compressed[..n], given, law)?;
        let mut both = gain(&second, &compressed);
        both.given += spent.given;
        both.size += spent.size;
        let mut s = 1.0;
        if both.is_more_than(0.0) {
            let a = (0..n).map(|i| second[i] * compressed[i]).sum();
            let b = (0..n).map(|i| 0.5 * second[i] * times(&second, i)).sum();
            (s, self.bounded) = (largest_part(spent.given, a, b, 0.0), true);
        }
        Some(std::array::from_fn(|i| s.mul_add(second[i], first[i])))
    }

    /// The impulses of one group, and whether they satisfy its law.
    fn solve_one(&mut self, g: &[f64], free: &[f64], law: Law) -> Option<([f64; MOST_ROWS], bool)> {
        let (mut impulse, mut velocity) = ([0.0; MOST_ROWS], [0.0; MOST_ROWS]);
        let n = free.len();
        let g = Dense::new(n, g).ok()?;
        let problem = Problem { matrix: &g, free, laws: &[law], compliance: &[] };
        let found = self.lead.solvers.exact.solve(&problem, &mut impulse[..n], &mut velocity[..n]).ok()?;
        Some((impulse, found.status.is_solved()))
    }

    /// Solves (2) for one contact.
    fn expand_one(
        &mut self,
        g: &[f64],
        compressed: &[f64],
        given: f64,
        law: Law,
    ) -> Option<[f64; MOST_ROWS]> {
        const TWICE: usize = 2 * MOST_ROWS;
        let n = compressed.len();
        let (mut matrix, mut free) = ([0.0; TWICE * TWICE], [0.0; TWICE]);
        for i in 0..2 * n {
            for j in (0..2 * n).filter(|j| i != n && *j != n) {
                matrix[i * 2 * n + j] = g[i % n * n + j % n];
            }
            free[i] = g[i % n * n].mul_add(given, compressed[i % n]);
        }
        let fastest = free[..n].iter().fold(0.0f64, |most, u| most.max(u.abs()));
        let softness = if fastest > 0.0 && given > 0.0 { fastest / given } else { 1.0 };
        let mut compliance = [0.0; TWICE];
        (free[n], compliance[n]) = (-softness * given, softness);
        let (mut impulse, mut velocity) = ([0.0; TWICE], [0.0; TWICE]);
        impulse[n] = given;
        let all = ..2 * n;
        let matrix = Dense::new(2 * n, &matrix[..4 * n * n]).ok()?;
        let problem =
            Problem { matrix: &matrix, free: &free[all], laws: &[law, law], compliance: &compliance[all] };
        self.lead.solvers.exact.solve(&problem, &mut impulse[all], &mut velocity[all]).ok()?;
        let mut both = [0.0; MOST_ROWS];
        (1..n).for_each(|i| both[i] = impulse[i] + impulse[n + i]);
        both[0] = impulse[0] + given;
        Some(both)
    }
}
