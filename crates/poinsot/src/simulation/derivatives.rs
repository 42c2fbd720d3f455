//! Derivatives of a whole step, on the active set that the step has identified.
//!
//! If nothing collides and no limit is active, they come from the [equations of the step](crate::integrate::NoEquations), with contacts resting,
//! sliding and sticking as the step has found them: exact to round-off, and compared with differences along one direction, in
//! which all of state, controls and forces change together. Otherwise, and if the two disagree, they are differences:
//!
//! A step is a smooth function of state, controls and forces as long as the same contacts are closed, stick or slide, the same limits are
//! reached and the same joints slip. The steps from neighbouring states are computed by the same code; if all of them have the active set
//! of the step itself, their fourth-order differences are its derivatives, and differences over twice the distance estimate the error. If
//! they do not, even nearby, the step has a kink there, and what changes is named.

use super::{Simulation, SimulationError, Snapshot};
use crate::constraint::{ContactKey, ContactResult, Multipliers};
use crate::dynamics::State;
use crate::integrate::{NoEquations, StepMatrices, StepReport};
use crate::model::Model;
use nalgebra::{DMatrix, DVector};

/// The result of [`Simulation::step_derivatives`]. The rows are those of q⁺ along the velocities, then those of v⁺.
#[derive(Clone, Debug)]
pub struct StepDerivatives {
    /// The state at the end of the step.
    pub next: State,
    /// With respect to q, along the velocities: 2 nv × nv.
    pub by_position: DMatrix<f64>,
    /// With respect to v.
    pub by_velocity: DMatrix<f64>,
    /// With respect to the controls, one column for each actuator.
    pub by_control: DMatrix<f64>,
    /// With respect to forces along the degrees of freedom, as for [`Simulation::apply_forces`].
    pub by_force: DMatrix<f64>,
    /// Where they come from.
    pub origin: Origin,
    /// The estimated error of an entry. Of the equations' derivatives: how much they and differences disagree along one direction, mostly
    /// the error of the differences. Of differences: the largest difference from derivatives over twice the distance.
    pub error: f64,
    /// The kinks that keep the step from being differentiable; empty if it is. The columns of these directions are one-sided at best.
    pub kinks: Vec<Kink>,
}

/// Where derivatives of a step come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The equations of the step were differentiated.
    Equations,
    /// Steps from neighbouring states were compared.
    Differences(&'static str),
}

impl StepDerivatives {
    /// True if the active set is the same in the whole neighbourhood.
    pub fn is_differentiable(&self) -> bool {
        self.kinks.is_empty()
    }
}

/// A direction in which the active set changes immediately.
#[derive(Clone, Debug, PartialEq)]
pub struct Kink {
    /// The direction, as "q of hinge".
    pub along: String,
    /// What changes.
    pub what: String,
}

/// A direction of a column.
#[derive(Clone, Copy)]
enum Along<'d> {
    Position(usize),
    Velocity(usize),
    Control(usize),
    Force(usize),
    /// All of them, one after the other.
    All(&'d [f64]),
}

/// The entries of a direction in which everything changes: 1 and −1, by turns of no simple order.
fn mixed(k: usize) -> f64 {
    if (k * k + 3 * k / 2) % 5 < 2 { -1.0 } else { 1.0 }
}

impl Along<'_> {
    fn name(self, model: &Model) -> String {
        match self {
            Along::Position(k) => format!("q of {}", model.dof_name(k)),
            Along::Velocity(k) => format!("v of {}", model.dof_name(k)),
            Along::Control(k) => format!("the control of {}", model.actuators()[k].name),
            Along::Force(k) => format!("the force along {}", model.dof_name(k)),
            Along::All(_) => "all together".into(),
        }
    }
}

/// The active set of a step.
#[derive(Clone, Debug, PartialEq)]
struct ActiveSet {
    /// The sign of the impulse of each inequality, 0 for equalities.
    rows: Vec<i8>,
    /// Contacts that are closed at the end of the step, pushing or not: which of several push need not be unique, even if the motion is.
    contacts: Vec<Closed>,
    /// Collisions, events and parts of the step.
    counts: [usize; 3],
}

/// A contact that is closed at the end of a step.
#[derive(Clone, Debug, PartialEq)]
struct Closed {
    key: ContactKey,
    slides: bool,
}

/// A slower contact sticks, m/s.
const STICKS: f64 = 1e-6;
/// Gaps within this count as equal, m.
const SAME: f64 = 1e-6;

impl ActiveSet {
    fn of(report: &StepReport, rows: Option<&Multipliers>) -> ActiveSet {
        let pushes = |c: &&ContactResult| c.impulse.norm() > 0.0;
        let apart = |c: &ContactResult| c.point.normal.dot(c.velocity[1]);
        // one of several contacts that carry a body, which can share the load in more than one way
        let moves_as = |c: &ContactResult, other: &ContactResult| {
            c.point.key.geoms == other.point.key.geoms
                && (c.point.gap - other.point.gap).abs() <= SAME
                && (apart(c) - apart(other)).abs() <= STICKS
        };
        let closed = |c: &ContactResult| {
            let slides = (c.velocity[1] - c.point.normal * apart(c)).norm() > STICKS;
            let is = report.contacts.iter().filter(pushes).any(|other| moves_as(c, other));
            is.then_some(Closed { key: c.point.key, slides })
        };
        let bounds = |row: usize| rows.is_some_and(|rows| rows.is_inequality(row));
        let sign = |(row, x): (usize, &f64)| if bounds(row) && *x != 0.0 { x.signum() as i8 } else { 0 };
        ActiveSet {
            rows: report.impulses.iter().enumerate().map(sign).collect(),
            contacts: report.contacts.iter().filter_map(closed).collect(),
            counts: [report.collisions.len(), report.events.len(), report.substeps],
        }
    }

    /// Something has collided or met the end of its range.
    fn struck(&self) -> bool {
        self.counts[0] + self.counts[1] > 0
    }

    /// What is otherwise in the other.
    fn change(&self, other: &ActiveSet, model: &Model) -> String {
        if let Some(k) = (0..self.rows.len()).find(|k| other.rows.get(*k) != Some(&self.rows[*k])) {
            let word = |s: i8| if s == 0 { "does nothing" } else { "acts" };
            let now = other.rows.get(k).copied().unwrap_or(0);
            return format!(
                "row {k} of constraints and bounds: {} here, {} beside",
                word(self.rows[k]),
                word(now)
            );
        }
        let named = |closed: &Closed, what: &str| {
            let [a, b] = closed.key.geoms.map(|g| model[model[g].body()].name.as_str());
            format!("a contact of {a} and {b} {what}")
        };
        for one in &self.contacts {
            match other.contacts.iter().find(|c| c.key == one.key) {
                None => return named(one, "opens"),
                Some(c) if c.slides && !one.slides => return named(one, "begins to slide"),
                Some(c) if !c.slides && one.slides => return named(one, "comes to stick"),
                Some(_) => {}
            }
        }
        match other.contacts.iter().find(|c| self.contacts.iter().all(|one| one.key != c.key)) {
            Some(closed) => named(closed, "closes"),
            None => "collisions, events or parts of the step".into(),
        }
    }
}

/// The distances to try: if the active set changes within one, the next is tried.
const DISTANCES: [f64; 3] = [1e-3, 3e-5, 1e-6];

/// Derivatives with a larger relative error are computed again at a smaller distance.
const UNSURE: f64 = 1e-4;
/// Derivatives and differences whose relative difference is below this are the same.
const CONFIRMED: f64 = 1e-7;
/// Relative differences of the slopes on both sides above this are examined.
const BENT: f64 = 1e-4;

impl Simulation<'_> {
    /// The derivatives of the next step, and the state at its end. The simulation itself is not changed. The memory of the integrator is
    /// held fixed.
    ///
    /// ```
    /// use poinsot::{Simulation, integrate::Method};
    /// let scene = poinsot::scenes::by_name("double-pendulum")?;
    /// let mut simulation = Simulation::builder(&scene.model).state(scene.state).integrator(Method::SemiImplicit).dt(1e-2).build()?;
    /// let d = simulation.step_derivatives()?;
    /// assert!(d.is_differentiable() && d.error < 1e-9);
    /// // q⁺ = q + h v⁺
    /// assert!((d.by_velocity[(0, 1)] - 1e-2 * d.by_velocity[(2, 1)]).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the step itself, or a neighbouring one, fails; in maximal coordinates, where coordinates cannot be varied one by one.
    pub fn step_derivatives(&mut self) -> Result<StepDerivatives, SimulationError> {
        if self.bodies.is_some() {
            return Err(SimulationError::Derivatives);
        }
        let kept =
            (self.watch.clone(), self.tally.clone(), self.events.clone(), self.stepping, self.substeps);
        let here = self.snapshot();
        let found = self.differentiate(&here);
        self.restore(&here)?;
        (self.watch, self.tally, self.events, self.stepping, self.substeps) = kept;
        found
    }

    fn differentiate(&mut self, here: &Snapshot) -> Result<StepDerivatives, SimulationError> {
        let begin = self.state.clone();
        let equations = self.integrator.equations(&mut self.system, &begin, self.dt);
        self.restore(here)?;
        self.step()?;
        let (next, set) = (self.state.clone(), self.active_set());
        let matrices = match equations {
            None => Err(NoEquations::Method),
            Some(_) if self.report().substeps > 1 => Err(NoEquations::Parts),
            Some(_) if set.struck() => Err(NoEquations::Contact),
            Some(equations) => self.system.step_matrices(&equations, &begin, &next, self.dt),
        };
        match matrices {
            Ok(matrices) => match self.confirm(here, &matrices, &next, &set)? {
                Some(error) => {
                    let kinks = self.one_sided(here, &matrices, &next, &set)?;
                    Ok(StepDerivatives {
                        next,
                        by_position: matrices.by_position,
                        by_velocity: matrices.by_velocity,
                        by_control: matrices.by_control,
                        by_force: matrices.by_force,
                        origin: Origin::Equations,
                        error,
                        kinks,
                    })
                }
                None => self.difference(here, next, &set, "the equations of the step do not confirm them"),
            },
            Err(why) => self.difference(here, next, &set, why.reason()),
        }
    }

    /// How much derivatives and differences disagree along one direction; none where that is more than differences err, or there is a kink.
    fn confirm(
        &mut self,
        here: &Snapshot,
        matrices: &StepMatrices,
        next: &State,
        set: &ActiveSet,
    ) -> Result<Option<f64>, SimulationError> {
        let count = 3 * self.model.nv() + self.model.actuators().len();
        // not along what opens a contact
        let nv = self.model.nv();
        let still = |k: usize| k < 2 * nv && matrices.one_sided.contains(&(k % nv));
        let direction: Vec<f64> = (0..count).map(|k| if still(k) { 0.0 } else { mixed(k) }).collect();
        let (column, off, kink) = self.column(here, Along::All(&direction), next, set)?;
        let parts = [&matrices.by_position, &matrices.by_velocity, &matrices.by_control, &matrices.by_force];
        let (mut along, mut first) = (DVector::zeros(column.len()), 0);
        for part in parts {
            along += part * DVector::from_column_slice(&direction[first..first + part.ncols()]);
            first += part.ncols();
        }
        let error = along.iter().zip(&column).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        let scale = along.amax().max(1.0);
        Ok((kink.is_none() && error <= (CONFIRMED * scale).max(2.0 * off)).then_some(error))
    }

    /// The kinks of contacts that rest: by q always, for they open on one side alone; by v where differences of both sides disagree with the
    /// equations.
    fn one_sided(
        &mut self,
        here: &Snapshot,
        matrices: &StepMatrices,
        next: &State,
        set: &ActiveSet,
    ) -> Result<Vec<Kink>, SimulationError> {
        let mut kinks = Vec::new();
        for k in matrices.one_sided.iter().copied() {
            let what = || "a contact that rests opens on one side".to_owned();
            kinks.push(Kink { along: Along::Position(k).name(&self.model), what: what() });
            let (column, off, kink) = self.column(here, Along::Velocity(k), next, set)?;
            let own = matrices.by_velocity.column(k);
            let error = own.iter().zip(&column).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            if kink.is_some() || error > (CONFIRMED * own.amax().max(1.0)).max(2.0 * off) {
                kinks.push(Kink { along: Along::Velocity(k).name(&self.model), what: what() });
            }
        }
        Ok(kinks)
    }

    fn active_set(&self) -> ActiveSet {
        ActiveSet::of(self.report(), self.system.multipliers())
    }

    /// By differences, since there is nothing better.
    fn difference(
        &mut self,
        here: &Snapshot,
        next: State,
        set: &ActiveSet,
        why: &'static str,
    ) -> Result<StepDerivatives, SimulationError> {
        let (nv, nu) = (self.model.nv(), self.model.actuators().len());
        let (mut error, mut kinks) = (0.0f64, Vec::new());
        let mut matrix = |simulation: &mut Self, n: usize, of: fn(usize) -> Along<'static>| {
            let mut out = DMatrix::zeros(2 * nv, n);
            for k in 0..n {
                let (column, off, kink) = simulation.column(here, of(k), &next, set)?;
                out.set_column(k, &nalgebra::DVector::from_vec(column));
                error = error.max(off);
                kinks.extend(kink);
            }
            Ok::<_, SimulationError>(out)
        };
        let by_position = matrix(self, nv, Along::Position)?;
        let by_velocity = matrix(self, nv, Along::Velocity)?;
        let by_control = matrix(self, nu, Along::Control)?;
        let by_force = matrix(self, nv, Along::Force)?;
        let origin = Origin::Differences(why);
        Ok(StepDerivatives { next, by_position, by_velocity, by_control, by_force, origin, error, kinks })
    }

    /// Computes a column, its error, and any kink.
    fn column(
        &mut self,
        here: &Snapshot,
        along: Along<'_>,
        next: &State,
        set: &ActiveSet,
    ) -> Result<(Vec<f64>, f64, Option<Kink>), SimulationError> {
        let mut found = (Vec::new(), 0.0, None);
        for distance in DISTANCES {
            let mut changed = None;
            let mut beside = |simulation: &mut Self, by: f64| {
                let (moved, other) = simulation.beside(here, along, by * distance, next)?;
                if other != *set && changed.is_none() {
                    changed = Some(set.change(&other, &simulation.model));
                }
                Ok::<_, SimulationError>(moved)
            };
            let (mut pairs, mut bends) = (Vec::new(), Vec::new());
            for by in [1.0, 2.0, 4.0] {
                let (plus, minus) = (beside(self, by)?, beside(self, -by)?);
                let bent = plus.iter().zip(&minus).fold(0.0f64, |m, (p, n)| m.max((p + n).abs()));
                bends.push(bent / (by * distance));
                let slope = |(p, m): (f64, f64)| (p - m) / (2.0 * by * distance);
                pairs.push(plus.into_iter().zip(minus).map(slope).collect::<Vec<f64>>());
            }
            let fourth = |a: &[f64], b: &[f64]| -> Vec<f64> {
                a.iter().zip(b).map(|(a, b)| (4.0 * a - b) / 3.0).collect()
            };
            let (near, far) = (fourth(&pairs[0], &pairs[1]), fourth(&pairs[1], &pairs[2]));
            let off = near.iter().zip(&far).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            // if there is a bend nearby, derivatives over two distances differ
            let scale = near.iter().fold(1.0f64, |m, x| m.max(x.abs()));
            let smooth = changed.is_none() && off <= UNSURE * scale;
            // the difference of the slopes on both sides is proportional to the distance if the step is smooth, and stays finite at a kink
            let bent = bends[0] > BENT * scale && bends[0] > 0.75 * bends[1];
            if changed.is_none() && bent {
                changed = Some("the slopes on both sides differ".into());
            } else if changed.is_none() && !smooth {
                changed = Some(format!("it bends close by: derivatives are sure to {off:.1e} alone"));
            }
            found = (near, off, changed.map(|what| Kink { along: along.name(&self.model), what }));
            if smooth {
                break;
            }
        }
        Ok(found)
    }

    /// State, controls and forces, moved along a direction.
    fn move_all(&mut self, direction: &[f64], by: f64) -> Result<(), SimulationError> {
        let (nv, nu) = (self.model.nv(), self.model.actuators().len());
        let part = |first: usize, n: usize| direction[first..first + n].iter().map(move |x| by * x);
        let model = &*self.model;
        model.integrate(&mut self.state.q, &part(0, nv).collect::<Vec<f64>>(), 1.0);
        self.state.v.iter_mut().zip(part(nv, nv)).for_each(|(v, x)| *v += x);
        self.control_mut().iter_mut().zip(part(2 * nv, nu)).for_each(|(u, x)| *u += x);
        let tau = self.applied_forces().into_iter().zip(part(2 * nv + nu, nv)).map(|(t, x)| t + x);
        self.apply_forces(&tau.collect::<Vec<f64>>())
    }

    /// The step from a neighbouring state: where it ends, from `next`, and its active set.
    fn beside(
        &mut self,
        here: &Snapshot,
        along: Along<'_>,
        by: f64,
        next: &State,
    ) -> Result<(Vec<f64>, ActiveSet), SimulationError> {
        self.restore(here)?;
        let nv = self.model.nv();
        match along {
            Along::Position(k) => {
                let mut unit = vec![0.0; nv];
                unit[k] = 1.0;
                let model = &*self.model;
                model.integrate(&mut self.state.q, &unit, by);
            }
            Along::Velocity(k) => self.state.v[k] += by,
            Along::Control(k) => self.control_mut()[k] += by,
            Along::Force(k) => {
                let mut tau = self.applied_forces();
                tau[k] += by;
                self.apply_forces(&tau)?;
            }
            Along::All(direction) => self.move_all(direction, by)?,
        }
        self.integrator.vary(&self.state);
        self.step()?;
        let mut moved = vec![0.0; 2 * nv];
        self.model.difference(&next.q, &self.state.q, &mut moved[..nv]);
        for k in 0..nv {
            moved[nv + k] = self.state.v[k] - next.v[k];
        }
        Ok((moved, self.active_set()))
    }
}
