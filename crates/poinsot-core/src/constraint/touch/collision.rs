//! Collisions: impulses at one instant, between bodies that approach one another at their contacts.
//!
//! ```math
//! (1)  M (v⁺ − v⁻) = Jᵀ P      u_N⁺ ≥ −e u_N⁻,  P_N ≥ 0,  one of them 0      P_T within Coulomb's cone, against u_T⁺
//! ```
//! For one contact without friction that is `P = −(1 + e) u⁻/c` with `c = n·G n`. *Simultaneous*: (1) is solved for all contacts at once.
//! *Sequential*: one contact after another, the fastest approach first, until none approaches. (1) is Newton's law of restitution.
//! Poisson's law, and the fallback if (1) would add energy, are in [`restitution`](super::restitution).

use super::settings::{Impacts, Restitution};
use super::step::Rows;
use super::step_rows::Of;
use super::{CLOSED, ContactPoint, ContactResult, ContactWorkspace};
use crate::algebra::V3;
use crate::constraint::law::{RowSystem, Status};
use crate::constraint::unilateral::{ImpulseWork, TOUCHING};
use crate::constraint::{ContactWork, Multipliers};
use crate::contact::{Law, MOST_ROWS};
use crate::dynamics::Workspace;
use crate::model::Model;

/// At the time of an impact, contacts with a gap below this touch, in metres.
pub(crate) const AT_IMPACT: f64 = 1e-8;
/// The most collisions in sequence in a step; beyond it all contacts are solved at once.
const MOST_IN_SEQUENCE: usize = 2000;
/// A contact that approaches more slowly than this, relative to the fastest, does not collide again after others have.
const IN_SEQUENCE: f64 = 1e-12;
/// A contact slower than this, relative to the fastest, does not approach.
const ROUND_OFF: f64 = 1e-13;
/// This threshold as an absolute speed, in metres a second.
const STILL: f64 = 1e-14;

/// The state in which a contact enters a collision: its approach velocity (negative, or 0 if it does not rebound) and the normal impulse
/// that the step has already applied.
struct Approach {
    speed: f64,
    pressed: f64,
}

/// A joint is overdamped if its damper stops what moves with it in so much of the step.
const OVERDAMPED: f64 = 1e-6;

/// A collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// The time, s.
    pub time: f64,
    /// The point.
    pub point: ContactPoint,
    /// The velocity of the second body minus that of the first, before and after, m/s, in the world.
    pub velocity: [V3; 2],
    /// The impulse on the second body, N s, in the world.
    pub impulse: V3,
    /// 1/c: the effective mass along the normal, kg.
    pub effective_mass: f64,
}

impl Multipliers {
    /// Solves (1) at (q, v) for the listed contacts, which were detected there; v becomes v⁺. Returns the work and impulses of limits and
    /// contacts.
    pub(crate) fn collide(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        v: &mut [f64],
        time: f64,
        out: &mut Vec<Collision>,
    ) -> (ImpulseWork, ContactWork) {
        self.rows.evaluate_rates(model, ws, q, v);
        let Some(mut t) = self.touching.take() else { return Default::default() };
        t.find_diagonal(model, ws, q);
        let diagonal = std::mem::take(&mut t.diagonal);
        self.begin_operator(&mut t, model, ws, q, RowSystem::Velocities, &diagonal);
        t.diagonal = diagonal;
        t.in_play.clear();
        t.measure(model, ws, v);
        for (k, point) in t.list.iter().enumerate() {
            // a soft contact collides only if its spring could not stop it before the far side of the geom is nearer
            let fast = || -t.all_before[t.all.groups[k].rows.start] * t.whole_step > t.thickness[k];
            t.in_play.push(point.gap <= AT_IMPACT && (point.surface.softness.is_none() || fast()));
        }
        self.take_touching_ends(&mut t);
        self.make_step_rows(&mut t, model, ws, q, Rows::Looked);
        t.touched.clear();
        t.touched.extend(t.list.iter().map(|point| ContactResult::at_rest(*point)));
        let approach = |t: &ContactWorkspace, _, before: f64| {
            let speed = if before < -t.settings.gamma() { before } else { 0.0 };
            Approach { speed, pressed: 0.0 }
        };
        let done = self.strike(&mut t, model, ws, q, v, 0.0, approach);
        t.record(time, Some(out));
        v.iter_mut().zip(&t.change).for_each(|(v, dv)| *v += dv);
        self.touching = Some(t);
        done
    }

    /// Adds the limits that touch, and no other bounds.
    fn take_touching_ends(&self, t: &mut ContactWorkspace) {
        t.bounds_in.fill(false);
        for row in &self.rows.ends {
            t.bounds_in[*row] = self.rows.value[*row] <= TOUCHING;
        }
    }

    /// Solves (1) at the end of a step, for contacts that the step has closed and limits that it has reached. Without equalities, the
    /// normals and M are those of the step. If the rows of the step are those of its start, contacts and limits that just closed
    /// without rebound wait for the next step, which finds them closed; with rows of the midpoint they would be penetrating by then.
    /// Returns the work and impulses of limits and contacts.
    pub(crate) fn strike_at_end(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        v: &mut [f64],
        time: f64,
        out: &mut Vec<Collision>,
    ) -> (ImpulseWork, ContactWork) {
        let Some(mut t) = self.touching.take() else { return Default::default() };
        let fastest = v.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        let mut any = if t.midway { self.any_closing(v) } else { self.any_rebounding(v) };
        for k in 0..t.list.len() {
            let touches = t.end_gap[k] <= CLOSED && !t.touched[k].deferred;
            t.in_play[k] = touches && t.list[k].surface.softness.is_none();
            let closed = t.list[k].gap > CLOSED;
            let closing = || t.all.dot(&t.all.groups[k], 0, v) < -(ROUND_OFF * fastest).max(STILL);
            let rebounds = t.approach_in_step(k).speed != 0.0;
            any |= t.in_play[k] && (closed && (t.midway || rebounds) && closing() || rebounds && !closed);
        }
        let mut done = Default::default();
        if any {
            if t.by_rows {
                self.rows.evaluate_rates(model, ws, q, v);
                self.begin_operator(&mut t, model, ws, q, RowSystem::Velocities, &model.tree.armature);
            }
            ws.poses(model, q);
            self.take_touching_ends(&mut t);
            self.make_step_rows(&mut t, model, ws, q, Rows::All);
            let taken = t.touched.iter().fold(0.0, |sum, one| sum - one.work());
            done =
                self.strike(&mut t, model, ws, q, v, f64::max(taken, 0.0), |t, at, _| t.approach_in_step(at));
            t.record(time, None);
            v.iter_mut().zip(&t.change).for_each(|(v, dv)| *v += dv);
        }
        t.record_step(time, out);
        self.touching = Some(t);
        done
    }

    /// Computes the impulses of the rows of the step from the velocity v; `approach` gives the approach of each contact, for its rebound. The impulses
    /// of the step have removed the energy `taken`, which rebounds may return.
    #[allow(clippy::too_many_arguments)] // each is a different physical quantity
    fn strike(
        &mut self,
        t: &mut ContactWorkspace,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        v: &[f64],
        taken: f64,
        approach: impl Fn(&ContactWorkspace, usize, f64) -> Approach,
    ) -> (ImpulseWork, ContactWork) {
        t.phases.begin();
        for k in 0..t.step_rows.groups.len() {
            let group = t.step_rows.groups[k].clone();
            let first = group.rows.start;
            for (r, row) in group.rows.clone().enumerate() {
                t.free[row] = t.step_rows.dot(&group, r, v);
            }
            match group.of {
                Of::Bound(row) => {
                    t.shift[first] = -self.rebound(row);
                    t.laws.push(Law::AT_LEAST);
                    t.phases.push(0.0, 0.0);
                }
                Of::Contact(at) => {
                    let surface = t.list[at].surface;
                    let Approach { speed, pressed } = approach(t, at, t.free[first]);
                    t.shift[first] = surface.restitution * speed;
                    t.laws.push(surface.law());
                    t.phases.push(if speed < 0.0 { surface.restitution } else { 0.0 }, pressed);
                }
            }
        }
        t.before.clone_from(&t.free);
        let sequence = t.settings.impacts == Impacts::Sequential;
        if !(sequence && self.strike_in_sequence(t, model, ws, q)) {
            self.strike_at_once(t, model, ws, q, taken);
        }
        t.free.copy_from_slice(&t.before);
        self.note_strike(t)
    }

    /// Resolves one contact after another; false if this does not terminate.
    fn strike_in_sequence(
        &mut self,
        t: &mut ContactWorkspace,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
    ) -> bool {
        t.phases.total.clear();
        t.phases.total.resize(t.step_rows.rows(), 0.0);
        let fastest = t.before.iter().fold(0.0f64, |most, u| most.max(u.abs()));
        for _ in 0..MOST_IN_SEQUENCE {
            t.impulse.copy_from_slice(&t.phases.total);
            self.move_by_impulses(t, model, ws, q);
            let Some(k) = t.next_in_sequence(IN_SEQUENCE * fastest) else { return true };
            let rows = t.step_rows.groups[k].rows.clone();
            let mut u = [0.0; MOST_ROWS];
            u[..rows.len()].copy_from_slice(&t.phases.now[rows.clone()]);
            let e = match t.step_rows.groups[k].of {
                Of::Contact(at) if u[0] < -t.settings.gamma() => t.list[at].surface.restitution,
                Of::Contact(_) => 0.0,
                Of::Bound(row) => self.rows.kinds[row].terms.at_least().unwrap_or(0.0),
            };
            let Some(found) = t.strike_alone(k, &u[..rows.len()], e) else { return false };
            rows.zip(found).for_each(|(row, p)| t.phases.total[row] += p);
        }
        false
    }

    /// Records the work and impulses of limits, and returns the work of contacts.
    fn note_strike(&mut self, t: &mut ContactWorkspace) -> (ImpulseWork, ContactWork) {
        let (mut given, mut works) = (ImpulseWork::default(), ContactWork::default());
        for group in &t.step_rows.groups {
            let after = |r: usize| t.free[group.rows.start + r] + t.step_rows.dot(group, r, &t.change);
            let work = |r: usize| {
                let row = group.rows.start + r;
                0.5 * t.impulse[row] * (t.free[row] + after(r))
            };
            match group.of {
                Of::Bound(row) => {
                    given.limits += work(0);
                    self.impulse[row] += t.impulse[group.rows.start];
                    let held = t.impulse[group.rows.start] > 0.0 && after(0) <= 0.0;
                    self.rows.status[row] = if held { Status::Active } else { Status::Inactive };
                }
                Of::Contact(_) => {
                    works.normal += work(0);
                    works.friction += (1..group.rows.len()).map(work).sum::<f64>();
                }
            }
        }
        (given, works)
    }
}

impl ContactWorkspace {
    /// Finds what is added to M in a collision: the armature and, where next to nothing moves with a joint, `h D` of its damper, as in an
    /// implicit step of size h. The damper stops such a joint long before the step ends; without it, M⁻¹ would be round-off there.
    fn find_diagonal(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) {
        let h = self.whole_step;
        if h > 0.0 && model.joints().iter().any(|joint| joint.damping > 0.0) {
            ws.mass_matrix(model, q, &mut self.mass);
            self.mass.factor();
            self.mass.write_out();
            self.mass.pivots(&mut self.diagonal);
        } else {
            self.diagonal.clear();
            self.diagonal.resize(model.nv(), f64::INFINITY);
        }
        for joint in model.joints() {
            for k in joint.dofs() {
                let damper = h * joint.damping;
                // a pivot that is round-off may have either sign
                let overdamped = self.diagonal[k].abs() < OVERDAMPED * damper;
                self.diagonal[k] = joint.armature + if overdamped { damper } else { 0.0 };
            }
        }
    }

    /// The approach of a contact that was met in the step. Contacts that were apart at the start rebound; under Poisson's law those that
    /// touched do too, since the step compresses them and they expand at its end.
    fn approach_in_step(&self, at: usize) -> Approach {
        let ContactResult { point, impulse, velocity, .. } = &self.touched[at];
        let (before, pressed) = (point.normal.dot(velocity[0]), point.normal.dot(*impulse));
        let rebounds =
            self.list[at].gap > CLOSED || self.settings.restitution == Restitution::Poisson && pressed > 0.0;
        let bounces = point.surface.restitution > 0.0 && before < -self.settings.gamma();
        Approach { speed: if rebounds && bounces { before } else { 0.0 }, pressed }
    }

    /// The velocities of all groups after the current change; returns the group that approaches the fastest.
    fn next_in_sequence(&mut self, still: f64) -> Option<usize> {
        let ContactWorkspace { step_rows, before, change, phases, .. } = self;
        phases.now.clone_from(before);
        for group in &step_rows.groups {
            for (r, row) in group.rows.clone().enumerate() {
                phases.now[row] += step_rows.dot(group, r, change);
            }
        }
        let approach = |k: usize| phases.now[step_rows.groups[k].rows.start];
        let first = (0..step_rows.groups.len()).min_by(|a, b| approach(*a).total_cmp(&approach(*b)));
        first.filter(|k| approach(*k) < -still)
    }

    /// Records the contacts that came to rest or rebounded in the step: those that approached at its start, with the impulses of the whole
    /// step.
    fn record_step(&mut self, time: f64, out: &mut Vec<Collision>) {
        for k in 0..self.step_rows.groups.len() {
            let Of::Contact(at) = self.step_rows.groups[k].of else { continue };
            let Some(&ContactResult { point, impulse, velocity, .. }) = self.touched.get(at) else {
                continue;
            };
            let n = point.normal;
            if n.dot(velocity[0]) < -self.settings.gamma() && n.dot(impulse) > 0.0 {
                let c = self.step_rows.own_response((!self.by_rows).then_some(&self.mass), k);
                out.push(Collision { time, point, velocity, impulse, effective_mass: 1.0 / c });
            }
        }
    }

    /// Records the collisions: `free` holds the velocities before, to which the change of v is added.
    fn record(&mut self, time: f64, mut out: Option<&mut Vec<Collision>>) {
        for k in 0..self.step_rows.groups.len() {
            let group = self.step_rows.groups[k].clone();
            let Of::Contact(at) = group.of else { continue };
            let first = group.rows.start;
            if self.impulse[first] <= 0.0 {
                continue;
            }
            let point = self.list[at];
            let collides = self.free[first] < -self.settings.gamma();
            let mut end = [0.0; MOST_ROWS];
            for (r, row) in group.rows.clone().enumerate() {
                end[r] = self.free[row] + self.step_rows.dot(&group, r, &self.change);
            }
            let before = point.in_world(&self.free[group.rows.clone()]).0;
            let after = point.in_world(&end[..group.rows.len()]).0;
            let impulse = point.in_world(&self.impulse[group.rows.clone()]).0;
            let c = self.step_rows.own_response((!self.by_rows).then_some(&self.mass), k);
            if let Some(one) = self.touched.get_mut(at) {
                one.impulse += impulse;
                one.velocity[1] = after;
            }
            if let Some(out) = out.as_mut().filter(|_| collides) {
                let effective_mass = 1.0 / c;
                out.push(Collision { time, point, velocity: [before, after], impulse, effective_mass });
            }
        }
    }
}
