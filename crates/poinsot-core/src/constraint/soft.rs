//! Soft constraints: springs and dampers along C.
//!
//! ```math
//! (1)  E = ½ k C²         λ = −k C − c Ċ          forces Jᵀ λ
//! (2)  ∂(Jᵀλ)/∂q = −k Jᵀ J + Σ λ ∂²C/∂q²          −∂(Jᵀλ)/∂v = c Jᵀ J
//! ```
//! The first term of (2) is the Gauss–Newton term; the second, the geometric stiffness, comes from the second derivatives of rotations and
//! is proportional to the force, not to the stiffness. In an implicit step of size h, where `C⁺ = C + h J v⁺`, a soft row is a rigid one
//! with a compliance:
//!
//! ```math
//! (3)  J v⁺ + λ/(h k + c) = −k C/(h k + c)
//! ```
//! which for k → ∞ is `J v⁺ = −C/h`. (Game engines write h λ for λ, γ = 1/(h (c + h k)) and β = h k/(c + h k).)

use super::Multipliers;
use super::law::{RowSystem, Status};
use crate::dynamics::{ExternalForces, Workspace};
use crate::model::{BodyId, Model};
use crate::spatial::Force;

impl Multipliers {
    /// True if some constraint is soft.
    pub fn any_soft(&self) -> bool {
        self.soft
    }
    /// True if some constraint is a rigid equality, or a rotor.
    pub fn any_rigid(&self) -> bool {
        self.rigid
    }

    /// True if some constraint is a rotor.
    pub(crate) fn any_rotor(&self) -> bool {
        self.rotors
    }

    /// Adds the forces of soft constraints and of slipping dry friction at (q, v) to τ.
    pub(crate) fn add_row_forces(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        v: &[f64],
        tau: &mut [f64],
    ) {
        self.rows.evaluate_rates(model, ws, q, v);
        for row in 0..self.rows.len() {
            let gives_way = matches!(self.rows.status[row], Status::Slipping(_));
            if gives_way || self.rows.kinds[row].terms.is_soft() {
                self.rows.add(row, self.force(row), tau);
            }
        }
    }

    /// Adds the forces of soft constraints at (q, v) to τ.
    pub fn add_soft_forces(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        v: &[f64],
        tau: &mut [f64],
    ) {
        self.rows.evaluate_rates(model, ws, q, v);
        for row in 0..self.rows.len() {
            if self.rows.kinds[row].terms.is_soft() {
                self.rows.add(row, self.force(row), tau);
            }
        }
    }

    /// The force of a row in the direction of increasing C, N or N m: its multiplier from the last solve, or for a soft row `−k C − c Ċ` at
    /// the last state evaluated.
    pub fn force(&self, row: usize) -> f64 {
        let rows = &self.rows;
        rows.kinds[row].terms.force(rows.measured_at(row), rows.status[row], self.lambda[row])
    }

    /// Adds the forces of soft constraints on the bodies, at the last state evaluated, to `out`: forces that joints do not transmit.
    pub fn push_soft_forces(&self, out: &mut ExternalForces) {
        let rows = &self.rows;
        for row in (0..rows.len()).filter(|row| rows.kinds[*row].terms.is_soft()) {
            let ([a, b], force) = (rows.links[row], self.force(row));
            out.push_on_link(a, rows.link_a[row] * force);
            out.push_on_link(b, rows.link_b[row] * force);
        }
        for term in rows.measured.iter().filter(|t| rows.kinds[t.row].terms.is_soft()) {
            let force = self.force(term.row);
            term.wrenches().into_iter().for_each(|(link, wrench)| out.push_on_link(link, wrench * force));
        }
    }

    /// The forces of constraints, rigid and soft, on the bodies that they join, at the last state evaluated: in world axes about the world's
    /// origin.
    pub fn forces_on_bodies(&self, model: &Model, ws: &Workspace) -> Vec<(BodyId, Force)> {
        let (rows, mut forces) = (&self.rows, Vec::new());
        for (k, constraint) in model.constraints().iter().enumerate() {
            let Some([a, b]) = constraint.bodies() else { continue };
            for row in rows.of(k) {
                let origins = rows.links[row].map(|link| ws.link_pose(link).pos);
                for (body, wrench, origin) in
                    [(a, rows.link_a[row], origins[0]), (b, rows.link_b[row], origins[1])]
                {
                    forces.push((body, (wrench * self.force(row)).about(-origin)));
                }
            }
        }
        forces
    }

    /// The energy of the constraints: in the springs of soft ones and in the motion of rotors.
    pub fn energy(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &[f64]) -> f64 {
        let (soft, rotors) = self.energies(model, ws, q, v);
        soft + rotors
    }

    /// The two energies separately: springs, rotors.
    pub(crate) fn energies(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &[f64]) -> (f64, f64) {
        if !self.any_soft() && !self.any_rotor() {
            return (0.0, 0.0);
        }
        self.rows.evaluate_rates(model, ws, q, v);
        let rows = &self.rows;
        let (mut soft, mut rotors) = (0.0, 0.0);
        for (row, kind) in rows.kinds.iter().enumerate() {
            let (in_spring, in_rotor) = kind.terms.energies(rows.measured_at(row));
            (soft, rotors) = (soft + in_spring, rotors + in_rotor);
        }
        (soft, rotors)
    }

    /// The power of the dampers of soft constraints at (q, v): never positive.
    pub(crate) fn damping_power(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &[f64]) -> f64 {
        if !self.any_soft() {
            return 0.0;
        }
        self.rows.evaluate_rates(model, ws, q, v);
        self.rows.kinds.iter().zip(&self.rows.rate).map(|(kind, rate)| kind.terms.damping_power(*rate)).sum()
    }

    /// The power of the dampers of soft constraints at the velocity v along another, for the current rows.
    pub(crate) fn damping_along(&self, v: &[f64], along: &[f64]) -> f64 {
        let soft = (0..self.rows.len()).filter(|row| self.rows.kinds[*row].terms.is_soft());
        soft.map(|row| {
            let terms = self.rows.kinds[row].terms;
            terms.damping_power(1.0) * self.rows.dot(row, v) * self.rows.dot(row, along)
        })
        .sum()
    }

    /// The power λ·Ċ of the constraint forces from the last solve: 0 if the constraints are met.
    pub(crate) fn power(&self) -> f64 {
        self.lambda.iter().zip(&self.rows.rate).map(|(l, rate)| l * rate).sum()
    }

    /// As [`Multipliers::power`], of rigid equalities alone.
    pub(crate) fn rigid_power(&self) -> f64 {
        let rigid = |row: &usize| {
            let terms = self.rows.kinds[*row].terms;
            terms.is_always_active() && !terms.is_rotor()
        };
        (0..self.rows.len()).filter(rigid).map(|row| self.lambda[row] * self.rows.rate[row]).sum()
    }

    /// Solves for the acceleration over a step of size h that is implicit in the constraints, with `diagonal` in place of the rotor
    /// inertias and other implicit terms.
    #[allow(clippy::too_many_arguments)] // each is a different physical quantity
    pub(crate) fn implicit_dynamics(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        diagonal: &[f64],
        h: f64,
        a: &mut [f64],
    ) {
        self.rows.evaluate_for_end(model, ws, q, v);
        self.factor(model, ws, q, RowSystem::Soft { stiffness: h * h, damping: h }, diagonal);
        self.set_implicit_targets(h);
        ws.bias(model, q, v, &mut self.force);
        for (f, tau) in self.force.iter_mut().zip(tau) {
            *f = tau - *f;
        }
        self.solve_for_targets(model, ws, q, a);
    }

    /// Sets the right-hand side of (3) and of its limit, for accelerations.
    fn set_implicit_targets(&mut self, h: f64) {
        for (row, g) in self.targets.iter_mut().enumerate() {
            *g = self.rows.kinds[row].terms.implicit_target(self.rows.measured_at(row), h, h);
        }
    }
}
