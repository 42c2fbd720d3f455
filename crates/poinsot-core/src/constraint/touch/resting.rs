//! Contacts that rest, in a smooth motion: `u̇ = G f + b` of the contacts given, limits and loops being held as they stand.
//!
//! ```math
//! G = J M⁻¹ Jᵀ      b = J v̇₀ + J̇ v
//! ```
//! v̇₀ is the acceleration without contacts, and J̇ v has the normal that turns and the point that moves over both surfaces: who knows the
//! surfaces gives it. Velocities and positions that have drifted are put back with the same G.

use super::live::Of;
use super::step::Rows;
use super::{ContactPoint, ContactResult, ContactWorkspace};
use crate::algebra::V3;
use crate::constraint::law::RowSystem;
use crate::constraint::{ContactWork, Multipliers, Stabilisation};
use crate::contact::{Certificate, MOST_ROWS, Mode, Resting, RestingSolver};
use crate::dynamics::Workspace;
use crate::model::Model;

/// The small addition to velocities with which contacts jam, of the fastest: impulses that grow from there are those of the limit.
const DISTURBANCE: f64 = 1e-7;

/// The problem of the contacts that rest, and the room to solve it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RestProblem {
    g: Vec<f64>,
    b: Vec<f64>,
    pub force: Vec<f64>,
    pub acceleration: Vec<f64>,
    /// What the contacts do as the motion at hand holds them; and what they would do.
    pub held: Vec<Resting>,
    pub truth: Vec<Resting>,
    true_force: Vec<f64>,
    true_acceleration: Vec<f64>,
    others: Vec<usize>,
    free: Vec<f64>,
    solver: RestingSolver,
}

/// A contact that rests: where it is, the velocity of its rows and J̇ v, and what it does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest {
    pub point: ContactPoint,
    pub velocity: [f64; MOST_ROWS],
    pub bias: [f64; MOST_ROWS],
    pub resting: Resting,
    /// What its gap is less than that of its surfaces.
    pub offset: f64,
    /// The direction in which it slid when the motion at hand began: velocities of the point and of turning, in the world.
    pub slip: [V3; 2],
    /// Metres a second: the direction of what slides more slowly is that of `slip`.
    pub directed: f64,
    /// The features that touched do so no longer.
    pub lost: bool,
}

impl RestProblem {
    /// How far the modes at hand are from what would be: 0 where they agree, infinite where nothing would. And whether forces are within their
    /// cones by more than nothing: by how much of the largest.
    pub fn judge(&mut self) -> (f64, f64, Certificate) {
        self.truth.clone_from(&self.held);
        let n = self.b.len();
        self.true_force.resize(n, 0.0);
        self.true_acceleration.resize(n, 0.0);
        let (f, a) = (&mut self.true_force, &mut self.true_acceleration);
        let found = self.solver.solve(&self.g, &self.b, &mut self.truth, f, a);
        let slack = slack(&self.held, &self.force);
        if !found.status.is_solved() {
            return (f64::INFINITY, slack, found);
        }
        let size = self.b.iter().chain(&self.acceleration).fold(1e-300f64, |most, x| most.max(x.abs()));
        let apart = (self.acceleration.iter().zip(&self.true_acceleration))
            .fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
        (apart / size, slack, found)
    }
    /// The largest acceleration without forces.
    pub fn largest_free(&self) -> f64 {
        self.b.iter().fold(0.0, |most, b| most.max(b.abs()))
    }
    /// The largest acceleration of a row by its own force.
    pub fn largest_push(&self) -> f64 {
        let n = self.force.len();
        let own = |k: usize| self.g.get(k * n + k).map_or(0.0, |g| (g * self.force[k]).abs());
        (0..n).map(own).fold(0.0, f64::max)
    }
    /// Takes the modes that would be, and their forces.
    pub fn accept(&mut self) {
        self.held.clone_from(&self.truth);
        self.force.clone_from(&self.true_force);
        self.acceleration.clone_from(&self.true_acceleration);
    }
    fn hold(&mut self) {
        let n = self.b.len();
        self.force.resize(n, 0.0);
        self.acceleration.resize(n, 0.0);
        self.solver.hold(&self.g, &self.b, &self.held, &mut self.force, &mut self.acceleration);
    }
}

/// The least of what is left of all cones, of the largest force.
fn slack(contacts: &[Resting], force: &[f64]) -> f64 {
    let largest = force.iter().fold(1e-300f64, |most, f| most.max(f.abs()));
    let (mut row, mut least) = (0, f64::INFINITY);
    for one in contacts {
        let f = &force[row..row + one.rows()];
        least = match one.mode {
            Mode::Open => least,
            Mode::Stick if one.count > 0 => least.min(f[0] - one.pull(&f[1..])),
            _ => least.min(f[0]),
        };
        row += one.rows();
    }
    least / largest
}

impl Multipliers {
    /// The forces of the contacts given at (q, v) under the generalised forces τ, with what they do as it stands; these stay in `problem`. Their
    /// generalised forces are added to τ.
    #[allow(clippy::too_many_arguments)] // each is a different physical quantity
    pub(crate) fn rest_forces(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        (q, v): (&[f64], &[f64]),
        contacts: &[Rest],
        stabilisation: Stabilisation,
        problem: &mut RestProblem,
        tau: &mut [f64],
    ) {
        let Some(mut t) = self.touching.take() else { return };
        self.begin_rest(&mut t, model, ws, q, Some(v), contacts);
        let mut a = std::mem::take(&mut self.change);
        let mut f = std::mem::take(&mut self.smooth);
        ws.bias(model, q, v, &mut f);
        f.iter_mut().zip(&*tau).for_each(|(f, tau)| *f = tau - *f);
        for row in 0..self.rows.len() {
            let terms = self.rows.kinds[row].terms;
            self.asked[row] = terms.ask_acceleration(self.rows.measured_at(row), stabilisation);
        }
        self.apply_operator(&t, model, ws, q, &f, &mut a);
        // the bias was found in the frames of the links, where poses were
        ws.poses(model, q);
        self.make_live(&mut t, model, ws, q, Rows::All);
        t.live.times(&a, &mut problem.b);
        for (group, one) in t.live.groups.iter().zip(contacts) {
            for (k, row) in group.rows.clone().enumerate() {
                problem.b[row] += one.bias[k];
            }
        }
        (self.change, self.smooth) = (a, f);
        t.respond_all(&mut problem.g, &mut problem.others);
        problem.held.clear();
        problem.held.extend(contacts.iter().map(|one| one.resting));
        problem.hold();
        t.live.add_all(1.0, &problem.force, tau);
        self.touching = Some(t);
    }

    /// The operator M⁻¹ with rows held as they stand, and the contacts as the list.
    fn begin_rest(
        &mut self,
        t: &mut ContactWorkspace,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        v: Option<&[f64]>,
        contacts: &[Rest],
    ) {
        t.by_rows = self.needs_rows() || self.any_active();
        if t.by_rows {
            self.rows.evaluate(model, ws, q, v);
            self.factor(model, ws, q, RowSystem::Velocities, &model.tree.armature);
        } else {
            ws.mass_matrix(model, q, &mut t.mass);
            t.mass.factor();
            t.mass.write_out();
        }
        ws.poses(model, q);
        t.bounds_in.fill(false);
        t.list.clear();
        t.list.extend(contacts.iter().map(|one| one.point));
        t.in_play.clear();
        t.in_play.resize(t.list.len(), true);
    }

    /// Velocities at which contacts that rest close, and those that stick slide, are taken away.
    pub(crate) fn rest_velocities(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        v: &mut [f64],
        contacts: &[Rest],
        problem: &mut RestProblem,
    ) {
        let Some(mut t) = self.touching.take() else { return };
        self.begin_rest(&mut t, model, ws, q, None, contacts);
        self.make_live(&mut t, model, ws, q, Rows::All);
        t.live.times(v, &mut problem.b);
        self.put_back(&mut t, model, ws, q, contacts, problem);
        v.iter_mut().zip(&t.change).for_each(|(v, d)| *v += d);
        self.touching = Some(t);
    }

    /// Gaps of contacts that rest are closed; true where there were any.
    pub(crate) fn rest_positions(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &mut [f64],
        contacts: &[Rest],
        problem: &mut RestProblem,
    ) {
        let Some(mut t) = self.touching.take() else { return };
        self.begin_rest(&mut t, model, ws, q, None, contacts);
        self.make_live(&mut t, model, ws, q, Rows::All);
        problem.b.clear();
        problem.b.resize(t.live.rows(), 0.0);
        for (group, one) in t.live.groups.iter().zip(contacts) {
            problem.b[group.rows.start] = one.point.gap;
        }
        let normals = |one: &Rest| Rest { resting: frictionless(one.resting, Mode::Slide), ..*one };
        let contacts: Vec<Rest> = contacts.iter().map(normals).collect();
        self.put_back(&mut t, model, ws, q, &contacts, problem);
        model.integrate(q, &t.change, 1.0);
        self.touching = Some(t);
    }

    /// The change `t.change` after which the rows that are held have lost their `problem.b`.
    fn put_back(
        &mut self,
        t: &mut ContactWorkspace,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        contacts: &[Rest],
        problem: &mut RestProblem,
    ) {
        t.respond_all(&mut problem.g, &mut problem.others);
        problem.held.clear();
        problem.held.extend(contacts.iter().map(|one| frictionless(one.resting, one.resting.mode)));
        problem.hold();
        t.impulse.copy_from_slice(&problem.force);
        self.move_by_impulses(t, model, ws, q);
    }

    /// An impact without a collision: where no forces keep contacts that slide from closing, the impulses of the limit in which they begin to.
    /// Returns their work.
    #[allow(clippy::too_many_arguments)] // each is a different physical quantity
    pub(crate) fn jam(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        v: &mut [f64],
        contacts: &[Rest],
        problem: &mut RestProblem,
    ) -> ContactWork {
        let Some(mut t) = self.touching.take() else { return ContactWork::default() };
        self.begin_rest(&mut t, model, ws, q, None, contacts);
        self.make_live(&mut t, model, ws, q, Rows::All);
        t.live.times(v, &mut problem.free);
        let most = |x: &[f64]| x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        // b is that of the problem without an answer
        let h = DISTURBANCE * most(&problem.free) / most(&problem.b).max(1e-300);
        t.free.copy_from_slice(&problem.free);
        for (group, one) in t.live.groups.iter().zip(contacts) {
            let row = group.rows.start;
            t.free[row] = h.mul_add(problem.b[row], t.free[row]);
            t.laws.push(one.point.surface.law());
        }
        let solver = t.settings.solver;
        t.failed = t.solve_islands(solver).err();
        t.found = None;
        self.move_by_impulses(&mut t, model, ws, q);
        let mut works = ContactWork::default();
        t.touched.clear();
        for group in &t.live.groups {
            let Of::Contact(at) = group.of else { continue };
            let end = |r: usize| problem.free[group.rows.start + r] + t.live.dot(group, r, &t.change);
            let work = |r: usize| {
                let row = group.rows.start + r;
                0.5 * t.impulse[row] * (problem.free[row] + end(r))
            };
            works.normal += work(0);
            works.friction += (1..group.rows.len()).map(work).sum::<f64>();
            let point = t.list[at];
            let mut after = [0.0; MOST_ROWS];
            (0..group.rows.len()).for_each(|r| after[r] = end(r));
            let (impulse, moment) = point.in_world(&t.impulse[group.rows.clone()]);
            let before = point.in_world(&problem.free[group.rows.clone()]).0;
            let velocity = [before, point.in_world(&after[..group.rows.len()]).0];
            t.touched.push(ContactResult { impulse, moment, velocity, ..ContactResult::at_rest(point) });
        }
        v.iter_mut().zip(&t.change).for_each(|(v, d)| *v += d);
        self.touching = Some(t);
        works
    }
}

/// The same contact without friction, for where only velocities or places are put back.
fn frictionless(one: Resting, mode: Mode) -> Resting {
    Resting { along: [0.0; MOST_ROWS - 1], mode, ..one }
}

impl ContactWorkspace {
    /// G of all live rows, dense.
    pub(super) fn respond_all(&mut self, g: &mut Vec<f64>, others: &mut Vec<usize>) {
        let n = self.live.rows();
        g.clear();
        g.resize(n * n, 0.0);
        others.clear();
        others.extend(0..self.live.groups.len());
        let first: Vec<usize> = self.live.groups.iter().map(|group| group.rows.start).collect();
        let mass = (!self.by_rows).then_some(&self.mass);
        for k in 0..first.len() {
            self.live.respond(mass, k, others, |other, width, block| {
                for (at, x) in block.iter().enumerate() {
                    g[(first[k] + at / width) * n + first[other] + at % width] = *x;
                }
            });
        }
    }
}
