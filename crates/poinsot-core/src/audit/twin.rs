//! The twin check: one model in reduced coordinates, in maximal coordinates and as a hierarchy of 4×4 transforms.
//!
//! At a state, under the generalised forces τ, each formulation computes accelerations and multipliers from its own equations:
//! - *reduced*: the articulated-body algorithm, with loops by `J M⁻¹ Jᵀ`;
//! - *maximal*: free bodies whose joints are constraints, eliminated along the tree of bodies;
//! - *trace*: the generalised force equation of [`crate::hierarchy`] with multipliers as forces at points, solved by iterative refinement:
//!   the reduced solver computes corrections until the residual vanishes, so the solution is that of the trace form whatever the solver.
//!
//! Accelerations are compared body by body in world axes, relative to the largest in the model (planar machines have no moments, so these
//! are compared with force times length); reactions joint by joint.

use super::{Quantity, Report};
use crate::algebra::V3;
use crate::constraint::{Maximal, Multipliers, Pair, Reactions, Stabilisation, rates};
use crate::dynamics::{State, Workspace};
use crate::hierarchy::{Hierarchy, PointForce};
use crate::integrate::InverseContactSolution;
use crate::model::{Body, BodyId, ConstraintId, JointId, JointKind, Model, ModelError};
use crate::spatial::{Force, Motion};

/// Corrections of the trace form: each leaves only the round-off of the one before.
const REFINEMENTS: usize = 4;

/// One model in three formulations.
///
/// ```
/// use poinsot_core::{algebra::V3, audit::{Report, Twin}, dynamics::State, model::*};
/// let mut b = ModelBuilder::new("pendulum");
/// let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// b.joint(bob, Joint::revolute(V3::Y).anchor(V3::new(0.0, 0.0, 1.0)));
/// let model = b.build()?;
/// let (mut twin, mut report) = (Twin::new(&model)?, Report::default());
/// twin.compare(&State { q: vec![0.4], v: vec![2.0], ..State::new(&model) }, &[0.3], &mut report);
/// assert!(report.worst().unwrap().worst < 1e-13);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Twin<'m> {
    model: &'m Model,
    ws: Workspace,
    multipliers: Multipliers,
    reactions: Reactions,
    maximal: Maximal,
    there: State,
    max_ws: Workspace,
    max_held: Multipliers,
    max_reactions: Reactions,
    hierarchy: Hierarchy,
    /// A length of the model, to compare moments with forces, and angular accelerations with linear ones.
    reach: f64,
}

/// The results of one formulation.
struct Found {
    bodies: Vec<Motion>,
    joints: Vec<Force>,
    lambda: Vec<f64>,
    qacc: Vec<f64>,
}

impl<'m> Twin<'m> {
    /// Creates the formulations of a model.
    pub fn new(model: &'m Model) -> Result<Twin<'m>, ModelError> {
        let maximal = Maximal::of(model)?;
        Ok(Twin {
            ws: Workspace::new(model),
            multipliers: Multipliers::new(model),
            reactions: Reactions::new(model),
            there: State::new(maximal.model()),
            max_ws: Workspace::new(maximal.model()),
            max_held: Multipliers::new(maximal.model()),
            max_reactions: Reactions::new(maximal.model()),
            hierarchy: Hierarchy::new(model),
            reach: reach(model),
            maximal,
            model,
        })
    }

    /// The model in maximal coordinates.
    pub fn maximal(&self) -> &Maximal {
        &self.maximal
    }

    /// Compares the formulations at a state, under the generalised forces τ.
    ///
    /// # Panics
    /// If state or τ do not fit the model.
    pub fn compare(&mut self, state: &State, tau: &[f64], report: &mut Report) {
        let reduced = self.reduced(state, tau);
        let maximal = self.in_maximal(state, tau);
        let trace = self.trace(state, tau);
        let time = state.time;
        let (scales, undetermined) = (self.acceleration_scales(&reduced), self.undetermined(&reduced));
        let bodies = |other: &Found, quantity: Quantity, report: &mut Report| {
            let pairs = reduced.bodies.iter().zip(&other.bodies).enumerate();
            for (p, part) in [|m: &Motion| m.ang, |m: &Motion| m.lin].into_iter().enumerate() {
                for (k, (a, b)) in pairs.clone() {
                    let (scale, unknown) = (scales[p], undetermined[k][p]);
                    let off = ((part(a) - part(b)).norm() - unknown).max(0.0);
                    report.note(quantity, time, off, scale, || self.model.bodies()[k + 1].name.clone());
                }
            }
        };
        bodies(&maximal, Quantity::MaximalAcceleration, report);
        bodies(&trace, Quantity::TraceAcceleration, report);
        self.compare_joints(&reduced, &maximal, time, report);
        self.compare_multipliers(&reduced, &maximal, &trace, time, report);
        self.compare_energies(state, report);
        self.residual(state, tau, &reduced, report);
    }

    /// The residual of the generalised force equation of the trace form, for a motion and the forces found for it: those of contacts and
    /// constraints act at points, and τ contains all other generalised forces. It is 0 if they produce the motion.
    ///
    /// # Panics
    /// If state, acceleration or τ do not fit the model.
    pub fn residual_force(
        &mut self,
        state: &State,
        a: &[f64],
        tau: &[f64],
        by: &InverseContactSolution,
    ) -> Vec<f64> {
        let (model, State { q, v, .. }) = (self.model, state);
        self.multipliers.evaluate(model, &mut self.ws, q, v);
        self.ws.poses(model, q);
        let lambda = &by.multipliers;
        let mut forces = self.point_forces(lambda);
        for contact in &by.contacts {
            for (body, sign) in contact.point.bodies.into_iter().zip([-1.0, 1.0]) {
                if body == BodyId::WORLD {
                    continue;
                }
                let pose = self.ws.body_pose(model, body);
                let arm = contact.point.position - pose.pos;
                let (force, moment) = (contact.impulse * sign, contact.moment * sign);
                let wrench = Force { moment: arm.cross(force) + moment, force };
                push_points(body, wrench, |v| pose.rot.tr_mul(v), &mut forces);
            }
        }
        let mut residual = vec![0.0; model.nv()];
        self.hierarchy.inverse_dynamics(q, v, a, &forces, &mut residual);
        residual.iter_mut().zip(tau).for_each(|(lack, tau)| *lack -= tau);
        let mut others = vec![0.0; model.nv()];
        self.add_couplings(lambda, &mut others);
        for row in (0..self.multipliers.len())
            .filter(|row| self.multipliers.rows.kinds[*row].owner.constraint().is_none())
        {
            self.multipliers.rows.add(row, lambda[row], &mut others);
        }
        residual.iter_mut().zip(&others).for_each(|(lack, other)| *lack -= other);
        residual
    }

    fn reduced(&mut self, state: &State, tau: &[f64]) -> Found {
        let (model, State { q, v, .. }) = (self.model, state);
        let mut qacc = vec![0.0; model.nv()];
        self.multipliers.forward_dynamics(model, &mut self.ws, q, v, tau, Stabilisation::Nothing, &mut qacc);
        self.reactions.find(model, &mut self.ws, q, v, &qacc, Some(&self.multipliers), None);
        let bodies =
            model.body_ids().skip(1).map(|b| self.reactions.acceleration(model, &self.ws, b)).collect();
        let joints = (0..model.joints().len()).map(|j| self.reactions.of(JointId(j))).collect();
        Found { bodies, joints, lambda: self.multipliers.lambda().to_vec(), qacc }
    }

    fn in_maximal(&mut self, state: &State, tau: &[f64]) -> Found {
        let (model, twin) = (self.model, self.maximal.model());
        self.maximal.put_state(state, &mut self.there);
        self.max_held.count_turns_near(&self.maximal, &state.q);
        let (mut force, mut a) = (vec![0.0; twin.nv()], vec![0.0; twin.nv()]);
        self.maximal.add_joint_forces(&self.there.q, tau, &mut force);
        let (q, v) = (&self.there.q, &self.there.v);
        self.max_held.forward_dynamics(twin, &mut self.max_ws, q, v, &force, Stabilisation::Nothing, &mut a);
        self.max_reactions.find(twin, &mut self.max_ws, q, v, &a, None, None);
        let acceleration = |b| self.max_reactions.acceleration(twin, &self.max_ws, self.maximal.body(b));
        let bodies = model.body_ids().skip(1).map(acceleration).collect();
        let lambda = model.constraint_ids().flat_map(|c| self.loop_lambda(c).to_vec()).collect::<Vec<_>>();
        // the forces of couplings act through the joints, like those of springs
        let mut tau = tau.to_vec();
        self.add_couplings(&lambda, &mut tau);
        let joints = (0..model.joints().len()).map(|j| self.transmitted(j, &tau)).collect();
        Found { bodies, joints, lambda, qacc: Vec::new() }
    }

    /// The reaction of a joint in maximal coordinates: the multipliers of its rows and of its rotor, and its own force.
    fn transmitted(&self, joint: usize, tau: &[f64]) -> Force {
        let Some(map) = self.maximal.joint_map(joint) else { return Force::default() };
        let twin = self.maximal.model();
        let (x_a, x_b) = (self.max_ws.body_pose(twin, map.a.body), self.max_ws.body_pose(twin, map.b.body));
        let pair = Pair::new(x_a, map.a.pose, x_b, map.b.pose);
        let own = rates(&map.kind, &pair);
        let mut sum = (0..own.count).fold(Force::default(), |s, k| s + own.on_b[k] * tau[map.v + k]);
        for id in [map.constraint, map.rotor].into_iter().flatten() {
            for row in self.max_held.rows_of(id) {
                sum = sum + self.max_held.rows.on_b[row] * self.max_held.lambda()[row];
            }
        }
        sum.about(pair.b.pos - x_b.pos)
    }

    /// The multipliers in maximal coordinates of a constraint of the original.
    fn loop_lambda(&self, constraint: ConstraintId) -> &[f64] {
        &self.max_held.lambda()[self.max_held.rows_of(self.maximal.constraint(constraint))]
    }

    fn trace(&mut self, state: &State, tau: &[f64]) -> Found {
        let (model, State { q, v, .. }) = (self.model, state);
        let n = model.nv();
        let (mut qacc, mut change, mut lack) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let mut lambda = vec![0.0; self.multipliers.len()];
        for _ in 0..REFINEMENTS {
            let forces = self.point_forces(&lambda);
            self.hierarchy.inverse_dynamics(q, v, &qacc, &forces, &mut lack);
            for (lack, tau) in lack.iter_mut().zip(tau) {
                *lack = tau - *lack;
            }
            self.add_couplings(&lambda, &mut lack);
            self.multipliers.refine(model, &mut self.ws, q, &qacc, &lack, &mut change);
            qacc.iter_mut().zip(&change).for_each(|(a, d)| *a += d);
            lambda.iter_mut().zip(self.multipliers.lambda()).for_each(|(l, d)| *l += d);
        }
        self.reactions.find(model, &mut self.ws, q, v, &qacc, None, None);
        let bodies =
            model.body_ids().skip(1).map(|b| self.reactions.acceleration(model, &self.ws, b)).collect();
        Found { bodies, joints: Vec::new(), lambda, qacc }
    }

    /// The forces of rigid constraints between bodies as forces at points; those of couplings have none.
    fn point_forces(&self, lambda: &[f64]) -> Vec<PointForce> {
        let rows = &self.multipliers.rows;
        let mut out = Vec::new();
        for (row, l) in lambda.iter().enumerate() {
            let constraint = rows.kinds[row].owner.constraint().map(|c| &self.model.constraints()[c]);
            let Some([a, b]) = constraint.and_then(|c| c.bodies()) else { continue };
            for (body, wrench) in [(a, rows.on_a[row] * *l), (b, rows.on_b[row] * *l)] {
                if body != BodyId::WORLD {
                    let rot = self.ws.body_pose(self.model, body).rot;
                    push_points(body, wrench, |v| rot.tr_mul(v), &mut out);
                }
            }
        }
        out
    }

    /// Adds the generalised forces of couplings of joints and tendons.
    fn add_couplings(&self, lambda: &[f64], tau: &mut [f64]) {
        for c in self.model.constraint_ids() {
            if self.model.constraints()[c.index()].bodies().is_none() {
                self.multipliers.rows_of(c).for_each(|row| self.multipliers.rows.add(row, lambda[row], tau));
            }
        }
    }

    /// The largest angular and linear acceleration, or the largest of the terms that sum to them: the accelerations of other bodies at the
    /// distance L, gravity, and centripetal terms.
    fn acceleration_scales(&self, found: &Found) -> [f64; 2] {
        let turning = |b: BodyId| self.ws.body_velocity(self.model, b).ang;
        let turning = self.model.body_ids().map(turning).fold(0.0, largest);
        let angular = found.bodies.iter().map(|m| m.ang).fold(turning * turning, largest);
        let linear = found.bodies.iter().map(|m| m.lin).fold(self.model.gravity().norm(), largest);
        [angular.max(linear / self.reach), linear.max(self.reach * angular)].map(|s| s.max(1e-300))
    }

    /// For each body: the angular and linear accelerations caused by the round-off of the largest forces in the model. A light link that
    /// carries a heavy load is moved by the difference of large forces.
    fn undetermined(&self, reduced: &Found) -> Vec<[f64; 2]> {
        // round-off of sums over all links
        let round_off = 64.0 * f64::EPSILON * self.model.tree.links() as f64;
        let largest = |part: fn(&Force) -> V3| {
            round_off * reduced.joints.iter().fold(0.0, |m: f64, f| m.max(part(f).norm()))
        };
        let (moment, force) = (largest(|f| f.moment), largest(|f| f.force));
        let per = |load: f64, inertia: f64| if inertia > 0.0 { load / inertia } else { 0.0 };
        let of = |b: &Body| {
            let inertia = self.model.tree.inertia_of(b.link);
            let mean = inertia.about_com().trace() / 3.0;
            let lever =
                if inertia.mass > 0.0 { (inertia.rotational.trace() / inertia.mass).sqrt() } else { 0.0 };
            [per(moment + lever * force, mean), per(force, inertia.mass)]
        };
        self.model.bodies().iter().skip(1).map(of).collect()
    }

    /// The size of the terms in sums of forces: `m (|a| + |g| + ω² L)` over all bodies, with L the length of the model.
    fn force_terms(&self, found: &Found) -> f64 {
        let g = self.model.gravity().norm();
        let of = |(b, moved): (BodyId, &Motion)| {
            let inertia = &self.model.bodies()[b.index()].inertia;
            let turning = self.ws.body_velocity(self.model, b).ang.norm();
            inertia.mass * (moved.lin.norm() + g + turning * turning * self.reach)
        };
        self.model.body_ids().skip(1).zip(&found.bodies).map(of).sum()
    }

    fn compare_joints(&self, reduced: &Found, maximal: &Found, time: f64, report: &mut Report) {
        // a free joint transmits only the forces applied to it
        let holds = |j: usize| self.model.joints()[j].kind != JointKind::Free;
        let largest = |part: fn(&Force) -> V3| reduced.joints.iter().map(part).fold(0.0, largest);
        let (moment, force) = (largest(|f| f.moment), largest(|f| f.force));
        let force = force.max(self.force_terms(reduced));
        let scales = [moment.max(self.reach * force), force.max(moment / self.reach)].map(|s| s.max(1e-300));
        for (part, scale) in [|f: &Force| f.moment, |f: &Force| f.force].into_iter().zip(scales) {
            let pairs = reduced.joints.iter().zip(&maximal.joints).enumerate();
            for (k, (a, b)) in pairs.filter(|(j, _)| holds(*j)) {
                let name = || self.model.joints()[k].name.clone();
                report.note(Quantity::Reaction, time, (part(a) - part(b)).norm(), scale, name);
            }
        }
    }

    fn compare_multipliers(
        &self,
        reduced: &Found,
        maximal: &Found,
        trace: &Found,
        time: f64,
        report: &mut Report,
    ) {
        let scale = reduced.lambda.iter().fold(1e-300, |s: f64, l| s.max(l.abs()));
        for (quantity, other) in [(Quantity::MaximalMultiplier, maximal), (Quantity::TraceMultiplier, trace)]
        {
            for (row, (a, b)) in reduced.lambda.iter().zip(&other.lambda).enumerate() {
                let name = || self.multipliers.rows.kinds[row].owner.name(self.model).to_string();
                report.note(quantity, time, (a - b).abs(), scale, name);
            }
        }
    }

    fn compare_energies(&mut self, state: &State, report: &mut Report) {
        let (time, name) = (state.time, || self.model.name().to_string());
        let at = self.ws.at(self.model, state);
        let (kinetic, potential) = (at.kinetic_energy(), at.gravity_energy());
        // heights are relative to the origin: the sum to be compared may cancel
        let heights: f64 = self
            .model
            .body_ids()
            .map(|b| {
                let body = &self.model.bodies()[b.index()];
                (at.pose(b).point(body.inertia.com()) * body.inertia.mass).norm()
            })
            .sum();
        let trace = self.hierarchy.kinetic_energy(&state.q, &state.v);
        report.note(Quantity::TraceKinetic, time, (kinetic - trace).abs(), kinetic.max(1e-300), name);
        let twin = self.maximal.model();
        let (_, rotors) = self.max_held.energies(twin, &mut self.max_ws, &self.there.q, &self.there.v);
        let at = self.max_ws.at(twin, &self.there);
        let off = (kinetic - at.kinetic_energy() - rotors).abs();
        report.note(Quantity::MaximalKinetic, time, off, kinetic.max(1e-300), name);
        let scale = (self.model.gravity().norm() * heights).max(1e-300);
        report.note(Quantity::Potential, time, (potential - at.gravity_energy()).abs(), scale, name);
    }

    /// The residual of the trace form's force equation at the solution of reduced coordinates.
    fn residual(&mut self, state: &State, tau: &[f64], reduced: &Found, report: &mut Report) {
        let (model, State { q, v, time, .. }) = (self.model, state);
        self.multipliers.evaluate(model, &mut self.ws, q, v);
        let forces = self.point_forces(&reduced.lambda);
        let mut found = vec![0.0; model.nv()];
        self.hierarchy.inverse_dynamics(q, v, &reduced.qacc, &forces, &mut found);
        let mut wanted = tau.to_vec();
        self.add_couplings(&reduced.lambda, &mut wanted);
        // the terms that cancel to this residual: weights and inertia
        let mut inertial = vec![0.0; model.nv()];
        self.ws.mass_times(model, q, &reduced.qacc, &mut inertial);
        let mut bias = vec![0.0; model.nv()];
        self.ws.bias(model, q, v, &mut bias);
        let terms = inertial.iter().chain(&bias).chain(tau);
        let weight = self.reach * model.mass() * model.gravity().norm();
        let moving = 2.0 * self.hierarchy.kinetic_energy(q, v);
        let scale = terms.fold(weight.max(moving).max(1e-300), |s: f64, x| s.max(x.abs()));
        for (k, (a, b)) in found.iter().zip(&wanted).enumerate() {
            report.note(Quantity::Residual, *time, (a - b).abs(), scale, || model.dof_name(k));
        }
    }
}

fn largest(so_far: f64, v: V3) -> f64 {
    so_far.max(v.norm())
}

/// The largest distance in a body: from its parent's origin to its own, to its centre of mass, or to a joint; a metre if there is none.
fn reach(model: &Model) -> f64 {
    let bodies = model.bodies().iter().skip(1).flat_map(|b| [b.pose.pos, b.inertia.com()]);
    let anchors = model.joints().iter().map(|j| j.anchor);
    let reach = bodies.chain(anchors).fold(0.0, largest);
    if reach > 0.0 { reach } else { 1.0 }
}

/// A wrench about the origin of a body as forces at points: the force at the origin, and a couple with the moment n:
/// `u × F − u × (−F) = 2 u × F = n` for `F = ½ n × u` and a unit vector u at right angles to n.
fn push_points(body: BodyId, wrench: Force, to_body: impl Fn(V3) -> V3, out: &mut Vec<PointForce>) {
    let Force { moment: n, force } = wrench;
    out.push(PointForce { body, point: V3::ZERO, force });
    let seed = if n.x.abs() <= n.y.abs().min(n.z.abs()) {
        V3::X
    } else if n.y.abs() <= n.z.abs() {
        V3::Y
    } else {
        V3::Z
    };
    let Some(u) = n.cross(seed).unit() else { return };
    let half = n.cross(u) * 0.5;
    out.push(PointForce { body, point: to_body(u), force: half });
    out.push(PointForce { body, point: to_body(-u), force: -half });
}
