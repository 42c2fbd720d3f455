//! Inverse dynamics with contact: the forces behind a given motion, or the part of it that no forces produce.

use super::contacts::Contacts;
use super::resting::{apart, rows};
use super::{StepError, System};
use crate::constraint::{ContactResult, Inequality, InverseForces, Rest, RestThresholds};
use crate::contact::{MOST_ROWS, Mode, Resting, Status};
use crate::dynamics::State;

/// Thresholds for contact, rest and feasibility.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InverseContactOptions {
    /// Surfaces closer than this touch, in metres.
    pub gap: f64,
    /// A contact that separates or slides more slowly than this does neither, in metres a second.
    pub speed: f64,
    /// A contact that begins to separate or slide with a smaller acceleration does neither, in metres a second squared.
    pub acceleration: f64,
    /// The residual that is tolerated, relative to the largest acceleration.
    pub tolerance: f64,
}

impl Default for InverseContactOptions {
    fn default() -> InverseContactOptions {
        InverseContactOptions { gap: 1e-6, speed: 1e-6, acceleration: 1e-4, tolerance: 1e-8 }
    }
}

/// The forces behind a motion.
#[derive(Clone, Debug, Default)]
pub struct InverseContactSolution {
    /// The contacts; in place of impulses, the force on the second body in N and its moment about the point in N m.
    pub contacts: Vec<ContactResult>,
    /// The forces of limits that are reached, of taut ropes and of dry friction: N or N m.
    pub limits: Vec<(Inequality, f64)>,
    /// The multipliers of all rows of constraints, ranges and dry friction.
    pub multipliers: Vec<f64>,
    /// The acceleration that no admissible forces produce: v̇ minus the result of the forces, which minimise it in the mass metric.
    pub residual: Vec<f64>,
    /// The generalised forces that are missing: `M` times the residual.
    pub residual_force: Vec<f64>,
    /// The largest entry of `residual`, relative to the largest acceleration with or without contacts.
    pub relative: f64,
    /// Whether it is within the tolerance.
    pub feasible: bool,
    /// Whether no other contact forces produce the same motion; those of a table with four legs are not unique.
    pub unique: bool,
    /// The largest speed at which a contact closes, m/s: no finite force prevents the collision.
    pub closing: f64,
}

impl System<'_> {
    /// Finds the forces of contacts, limits and dry friction that produce the acceleration `a` at a state, given the generalised forces τ,
    /// which include neither gravity nor any of these; without τ, those of springs, dampers, actuators and elements at the state are used.
    ///
    /// Contacts are detected anew, so a system that is being stepped loses its warm start.
    pub fn inverse_contact(
        &mut self,
        state: &State,
        a: &[f64],
        tau: Option<&[f64]>,
        how: InverseContactOptions,
    ) -> Result<InverseContactSolution, StepError> {
        let mut own = vec![0.0; a.len()];
        match tau {
            Some(tau) => own.copy_from_slice(tau),
            None => self.forces_but_friction(state, &mut own),
        }
        self.list_touching(state, how)?;
        let failed = |why: String| StepError::Contact { time: state.time, dt: 0.0, why };
        let Some(mut contacts) = self.contacts.take() else { return Ok(InverseContactSolution::default()) };
        self.place_rests(&mut contacts, &state.q, &state.v, true);
        let mut found = InverseForces::default();
        let still = RestThresholds { speed: how.speed, acceleration: how.acceleration };
        let mut outcome = contacts.failed.take().map_or(Ok(()), |why| Err(failed(why)));
        let mut multipliers = Vec::new();
        if let Some(held) = &mut self.held {
            let (model, ws) = (&self.model, &mut self.workspace);
            let at = (&state.q[..], &state.v[..], a);
            let solved = held.inverse_contact(model, ws, at, &own, &contacts.rests.list, still, &mut found);
            outcome = outcome.and(solved.map_err(|e| failed(e.to_string())));
            multipliers.extend_from_slice(held.lambda());
        }
        let list = std::mem::take(&mut contacts.rests.list);
        self.contacts = Some(contacts);
        outcome?;
        Ok(InverseContactSolution::of(&list, found, multipliers, a, how))
    }

    /// Lists the contacts at a state as resting contacts.
    fn list_touching(&mut self, state: &State, how: InverseContactOptions) -> Result<(), StepError> {
        self.forget_rests();
        self.look_around(state, 0.0)?;
        let Some(contacts) = &mut self.contacts else { return Ok(()) };
        let Some(t) = self.held.as_ref().and_then(|h| h.touching.as_ref()) else { return Ok(()) };
        let Contacts { rests, poses, motions, .. } = &mut **contacts;
        for point in t.list.iter().filter(|point| point.gap <= how.gap) {
            let slip = apart(poses, motions, point);
            let velocity = rows(point, slip);
            let s = &point.surface;
            let mut resting = Resting { count: s.count, friction: s.friction, ..Resting::default() };
            let slides = velocity[1..=s.count].iter().any(|u| u.abs() > how.speed);
            if slides && let Some(along) = resting.against(&velocity[1..]) {
                (resting.slides, resting.mode, resting.along) = (true, Mode::Slide, along);
            }
            let (bias, offset, directed, lost) = ([0.0; MOST_ROWS], 0.0, 0.0, false);
            rests.list.push(Rest { point: *point, velocity, bias, resting, offset, slip, directed, lost });
        }
        contacts.find_offsets().map_err(|why| StepError::Contact { time: state.time, dt: 0.0, why })
    }
}

impl InverseContactSolution {
    fn of(
        list: &[Rest],
        found: InverseForces,
        multipliers: Vec<f64>,
        a: &[f64],
        how: InverseContactOptions,
    ) -> InverseContactSolution {
        let most = |x: &[f64]| x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let contacts = list.iter().zip(&found.force).map(|(one, force)| {
            let rows = one.resting.rows();
            let (impulse, moment) = one.point.in_world(&force[..rows]);
            let velocity = one.point.in_world(&one.velocity[..rows.max(3)]).0;
            ContactResult::pushed(one.point, impulse, moment, [velocity; 2])
        });
        let scale = most(a).max(most(&found.without)).max(1e-300);
        let relative = most(&found.left) / scale;
        InverseContactSolution {
            contacts: contacts.collect(),
            limits: found.bounds,
            multipliers,
            relative,
            feasible: relative <= how.tolerance,
            unique: found.status == Status::Solved,
            closing: list.iter().fold(0.0f64, |most, one| most.max(-one.velocity[0])),
            residual: found.left,
            residual_force: found.residual_force,
        }
    }
}
