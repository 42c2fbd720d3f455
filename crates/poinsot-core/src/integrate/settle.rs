//! The end of a step: positions are projected onto the constraints, and limits that were reached cause impacts.

use super::path::Path;
use super::{Correction, Event, System};
use crate::constraint::{ConstraintError, EventKind, ImpulseWork, Owner, Stabilisation};
use crate::dynamics::State;
use crate::spatial::Force;

/// How often a projection that pushes a joint beyond its limit is repeated with the limit active.
const MOST_PROJECTIONS: usize = 8;

/// A larger violation of a limit does not come from a step; in metres or radians.
const BEYOND: f64 = 1e-9;

impl System<'_> {
    /// Projects a state onto the active rows, if stabilisation is by projection; afterwards the rates of active rows are 0.
    pub fn settle(&mut self, state: &mut State) -> Result<(), ConstraintError> {
        self.multipliers.iter_mut().for_each(|multipliers| multipliers.forget_factor());
        self.settle_near(state)
    }

    /// As [`System::settle`], with the factor of the step's dynamics, whose rows belong to a nearby state: for methods whose own errors
    /// exceed the difference.
    fn settle_near(&mut self, state: &mut State) -> Result<(), ConstraintError> {
        self.settle_with(state, false, |system, state| {
            let projected = system.stabilisation == Stabilisation::Projection;
            let (model, ws) = (&system.model, &mut system.workspace);
            if let Some(multipliers) = system.multipliers.as_mut().filter(|h| h.any_active()) {
                if projected {
                    multipliers.settle_velocity(model, ws, &state.q, &mut state.v);
                } else if multipliers.any_active_inequality() {
                    multipliers.project_velocity(model, ws, &state.q, &mut state.v);
                }
            }
        })
    }

    /// As [`System::settle`], for a step in which rows may have reached their limits, where they rebound or come to rest.
    pub(crate) fn settle_impacts(&mut self, state: &mut State) -> Result<(), ConstraintError> {
        if !self.multipliers.as_ref().is_some_and(|h| h.any_inequality() || h.any_contact()) {
            return self.settle_near(state);
        }
        self.settle_with(state, true, |system, state| {
            let Some(multipliers) = &mut system.multipliers else { return };
            let (model, ws) = (&system.model, &mut system.workspace);
            multipliers.rows.evaluate(model, ws, &state.q, None);
            multipliers.release(&state.v);
            if multipliers.any_contact() {
                return system.settle_contacts(state);
            }
            if multipliers.any_closing(&state.v) {
                let event =
                    |owner: Owner| Event { time: state.time, kind: EventKind::Impact, on: owner.into() };
                system.report.events.extend(multipliers.arrived().map(event));
                return system.impact(state);
            }
            if multipliers.any_rigid() && system.stabilisation == Stabilisation::Projection {
                multipliers.settle_velocity(model, ws, &state.q, &mut state.v);
            }
        })
    }

    fn settle_with(
        &mut self,
        state: &mut State,
        impacts: bool,
        velocities: impl FnOnce(&mut Self, &mut State),
    ) -> Result<(), ConstraintError> {
        let Some(multipliers) = self.multipliers.as_ref() else { return Ok(()) };
        let project = self.stabilisation == Stabilisation::Projection;
        let resting_contacts = self.any_resting();
        if !(multipliers.any_inequality()
            || multipliers.any_contact()
            || resting_contacts
            || (project && multipliers.any_rigid()))
        {
            return Ok(());
        }
        self.noted(state, |system, state| {
            if project {
                if let Some(multipliers) = system.multipliers.as_mut().filter(|h| impacts && h.any_contact())
                {
                    multipliers.push_out(&system.model, &mut system.workspace, &mut state.q);
                }
                system.project(state, impacts)?;
            }
            velocities(system, state);
            system.settle_resting(state);
            Ok(())
        })
    }

    /// Runs an action whose changes are recorded as corrections, except those of impacts.
    pub(super) fn noted<R>(&mut self, state: &mut State, act: impl FnOnce(&mut Self, &mut State) -> R) -> R {
        if self.path.is_none() {
            return act(self, state);
        }
        let (energy, momentum) = self.total(state);
        let (work, impact) = (self.report.work_of_rows(), self.report.impact);
        let out = act(self, state);
        let (after, moved) = self.total(state);
        let (work, impact) = (self.report.work_of_rows() - work, self.report.impact - impact);
        let settled = &mut self.report.correction;
        settled.energy += after - energy - work;
        settled.momentum = settled.momentum + (moved - momentum - impact);
        out
    }

    /// Applies impacts to the rows that approach their limits, whose speeds have been recorded.
    pub(super) fn impact(&mut self, state: &mut State) {
        self.struck(state, |system, state| {
            let (model, (ws, Some(multipliers))) = (system.model(), system.constraints()) else {
                return ImpulseWork::default();
            };
            multipliers.impact(&model, ws, &state.q, &mut state.v)
        });
    }

    /// Runs an action that changes velocities by impacts. All momentum from impacts comes from the world, because the impulses between
    /// bodies cancel.
    fn struck(&mut self, state: &mut State, act: impl FnOnce(&mut Self, &mut State) -> ImpulseWork) {
        let before = self.path.is_some().then(|| self.at(state).momentum());
        let given = act(self, state);
        self.report.limit_work += given.limits;
        self.report.note(given.pivots);
        if let Some(before) = before {
            self.report.impact = self.report.impact + (self.at(state).momentum() - before);
        }
    }

    /// Projects positions onto the active rows; if impacts are considered, a limit that this would violate becomes active too.
    fn project(&mut self, state: &mut State, impacts: bool) -> Result<(), ConstraintError> {
        let Some(multipliers) = &mut self.multipliers else { return Ok(()) };
        let (model, ws) = (&self.model, &mut self.workspace);
        for _ in 0..MOST_PROJECTIONS {
            if multipliers.any_active() && !(impacts && multipliers.meets_ends(model, ws, &state.q)) {
                multipliers.settle_configuration(model, ws, &mut state.q)?;
            }
            if !impacts
                || !multipliers.any_inequality()
                || !multipliers.activate_violated(model, ws, &state.q)
            {
                break;
            }
        }
        Ok(())
    }

    fn total(&mut self, state: &State) -> (f64, Force) {
        (self.energy(state), self.at(state).momentum())
    }

    /// True if a state violates a limit by more than steps leave.
    pub(super) fn is_beyond(&mut self, state: &State) -> bool {
        let (model, ws) = (&self.model, &mut self.workspace);
        let Some(multipliers) = self.multipliers.as_mut().filter(|multipliers| multipliers.any_inequality())
        else {
            return false;
        };
        multipliers.limit_violation(model, ws, &state.q).is_some_and(|passed| passed.size > BEYOND)
    }

    /// From now on records the changes made by projections, and everything else that a ledger needs.
    pub fn note_corrections(&mut self) {
        if self.path.is_none() {
            self.path = Some(Box::new(Path::new(&self.model)));
        }
    }
    /// The change made by the projection of the last step; zero if there was none or it was not recorded.
    pub fn correction(&self) -> Correction {
        self.report.correction
    }
}
