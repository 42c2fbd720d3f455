//! Resting contacts in a smooth motion: `u̇ = G f + b` for the given contacts, with limits and loops held in their current status.
//!
//! ```math
//! G = J M⁻¹ Jᵀ      b = J v̇₀ + J̇ v
//! ```
//! v̇₀ is the acceleration without contacts. J̇ v includes the rotation of the normal and the motion of the point over both surfaces, so it
//! must come from the code that knows the surfaces. Drift in velocities and positions is corrected with the same G.

use super::live::Of;
use super::step::Rows;
use super::{ContactPoint, ContactResult, ContactWorkspace};
use crate::algebra::V3;
use crate::constraint::law::RowSystem;
use crate::constraint::{ContactWork, Multipliers, Stabilisation};
use crate::contact::{Certificate, MOST_ROWS, Mode, Resting, RestingSolver};
use crate::dynamics::Workspace;
use crate::model::Model;

/// The small perturbation of the velocities, relative to the fastest, from which contacts jam: the impulses that grow from it are those of
/// the limit.
const DISTURBANCE: f64 = 1e-7;

/// The round-off of accelerations, relative to the sum of what the contact forces alone would cause.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The problem of the resting contacts, with scratch to solve it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RestProblem {
    g: Vec<f64>,
    b: Vec<f64>,
    pub force: Vec<f64>,
    pub acceleration: Vec<f64>,
    /// The modes of the contacts in the current motion; and the modes that the solution requires.
    pub held: Vec<Resting>,
    pub truth: Vec<Resting>,
    true_force: Vec<f64>,
    true_acceleration: Vec<f64>,
    /// For each degree of freedom, the round-off of its acceleration: contact forces cancel one another and gravity only to this, and that of
    /// a heavy body is known no better than that of the light ones it rests on. With equality rows, 0.
    pub noise: Vec<f64>,
    others: Vec<usize>,
    free: Vec<f64>,
    solver: RestingSolver,
}

/// A resting contact: the point, the velocity of its rows, J̇ v, and its mode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest {
    pub point: ContactPoint,
    pub velocity: [f64; MOST_ROWS],
    pub bias: [f64; MOST_ROWS],
    pub resting: Resting,
    /// How much its gap is less than that of the surfaces.
    pub offset: f64,
    /// The direction of slip when the current motion began: velocities of the point and of rotation, in world axes.
    pub slip: [V3; 2],
    /// Below this slip speed, in metres a second, the direction is that of `slip`.
    pub directed: f64,
    /// The features that touched no longer do.
    pub lost: bool,
}

impl RestProblem {
    /// How far the current modes are from the required ones: 0 if they agree, infinite if there is no solution. Also returns the margin of
    /// the forces within their cones, relative to the largest force, and the certificate.
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
    /// Reports admissible forces where the current modes agree with the required ones: contacts that share a load have many. The
    /// certificate becomes that of these forces.
    pub fn report_admissible(&mut self, slack: f64, found: &mut Certificate) {
        if slack < 0.0 {
            self.force.clone_from(&self.true_force);
        }
        RestingSolver::certify(&self.held, &self.force, &self.acceleration, found);
    }
    /// The largest acceleration without forces.
    pub fn largest_free(&self) -> f64 {
        self.b.iter().fold(0.0, |most, b| most.max(b.abs()))
    }
    /// The largest acceleration of a row under its own force.
    pub fn largest_push(&self) -> f64 {
        let n = self.force.len();
        let own = |k: usize| self.g.get(k * n + k).map_or(0.0, |g| (g * self.force[k]).abs());
        (0..n).map(own).fold(0.0, f64::max)
    }
    /// Adopts the required modes and their forces.
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

/// The smallest margin of all cones, relative to the largest force.
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
    /// Finds the forces of the given contacts at (q, v) under the generalised forces τ, in their current modes; the result stays in
    /// `problem`. Their generalised forces are added to τ.
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
        // the bias was computed with the poses in the frames of the links
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
        problem.noise.clear();
        problem.noise.resize(tau.len(), 0.0);
        if !t.by_rows {
            t.live.add_sizes(&problem.force, &mut problem.noise);
            for (place, dof) in t.mass.order().iter().enumerate() {
                problem.noise[*dof] *= ROUNDING * t.mass.inverse_pivot(place);
            }
            t.live.spread(&mut problem.noise);
        }
        self.touching = Some(t);
    }

    /// Prepares the operator M⁻¹ with rows in their current status, and the list of contacts.
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

    /// Removes the closing velocities of resting contacts, and the slip of sticking ones.
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

    /// Closes the gaps of resting contacts; true if there were any.
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

    /// Computes the change `t.change` that removes `problem.b` from the held rows.
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

    /// An impact without a collision: if no forces keep sliding contacts from closing, applies the impulses of the limit in which they
    /// start to close. Returns their work.
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
        // b belongs to the problem without a solution
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

/// The contact without friction, for corrections of velocities or positions.
fn frictionless(one: Resting, mode: Mode) -> Resting {
    Resting { along: [0.0; MOST_ROWS - 1], mode, ..one }
}

impl ContactWorkspace {
    /// Computes the dense G of all live rows.
    pub(super) fn respond_all(&mut self, g: &mut Vec<f64>, others: &mut Vec<usize>) {
        let n = self.live.rows();
        g.clear();
        g.resize(n * n, 0.0);
        let first: Vec<usize> = self.live.groups.iter().map(|group| group.rows.start).collect();
        let mass = (!self.by_rows).then_some(&self.mass);
        // a contact is on at most two trees: those on other trees do not respond, unless constraints connect them
        let ends = |group| {
            let dofs = self.live.dofs(group);
            [dofs.first(), dofs.last()].map(|dof| dof.map_or(usize::MAX, |dof| self.tree[*dof]))
        };
        let trees: Vec<[usize; 2]> = self.live.groups.iter().map(ends).collect();
        for k in 0..first.len() {
            let near = |o: &usize| mass.is_none() || trees[*o].iter().any(|tree| trees[k].contains(tree));
            others.clear();
            others.extend((0..first.len()).filter(near));
            self.live.respond(mass, k, others, &mut self.lead.spread, |other, width, block| {
                for (at, x) in block.iter().enumerate() {
                    g[(first[k] + at / width) * n + first[other] + at % width] = *x;
                }
            });
        }
    }
}
