//! `poinsot.Simulation`: steps, and the controls and forces on them.

use crate::builder::{Given, vector};
use crate::error::{simulation_error, simulation_error_because};
use crate::guarded::{Recorded, Running};
use crate::simulation::{Object, PySimulation, given};
use poinsot::algebra::V3;
use poinsot::integrate::StepError;
use poinsot::spatial::Force;
use poinsot::{Load, SimulationError};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::atomic::Ordering::Relaxed;

/// Calls that take less than this, s, keep Python to themselves: letting other threads in costs about as much.
const SHORT: f64 = 2e-5;

impl PySimulation {
    /// Makes n steps under the controls and forces of the user; those on bodies are removed afterwards.
    fn make_steps(&self, py: Python<'_>, n: usize) -> PyResult<()> {
        let (control, tau) = self.signals(py)?;
        let dt = self.dt;
        self.alarm.set();
        let go = |running: &mut Running| {
            let simulation = &mut running.simulation;
            simulation.control_mut().copy_from_slice(&control);
            let applied = simulation.apply_forces(&tau);
            let before = simulation.stepping_time();
            let outcome = applied.and_then(|()| running.go(n, dt));
            running.simulation.clear_loads();
            let simulation = &running.simulation;
            let took = (simulation.stepping_time() - before).as_secs_f64() / n.max(1) as f64;
            self.pace.store(took.to_bits(), Relaxed);
            let fell_back = simulation.tally().fallbacks().next().is_some();
            let unstable = match &outcome {
                Ok(()) => running.new_unstable_feedback(),
                Err(_) => simulation.feedback_before_failure().map(|found| found.sentence()),
            };
            (outcome.map(|()| (fell_back, running.energy_given())), unstable)
        };
        let short = n as f64 * f64::from_bits(self.pace.load(Relaxed)) < SHORT;
        let (outcome, unstable) = if short {
            go(&mut self.guarded.stepping(py)?.running)
        } else {
            self.guarded.detached(py, go)?
        };
        match outcome {
            Ok((fell_back, given)) => {
                unstable.map_or(Ok(()), |text| self.model.get().warn_once(py, "feedback", text))?;
                if fell_back {
                    self.warn_of_fallbacks(py)?;
                }
                given.map_or(Ok(()), |text| self.model.get().warn_once(py, "energy", text))?;
                py.check_signals()
            }
            Err(SimulationError::Step(StepError::Interrupted { .. })) => Err(self
                .alarm
                .error(py)
                .unwrap_or_else(|| pyo3::exceptions::PyKeyboardInterrupt::new_err(()))),
            Err(error) => {
                let said = unstable.clone();
                said.map_or(Ok(()), |text| self.model.get().warn_once(py, "feedback", text))?;
                self.warn_of_fallbacks(py)?;
                Err(simulation_error_because(&error, unstable))
            }
        }
    }

    /// Calls a function of the user, and uses its result, if any.
    fn ask(this: &Bound<'_, Self>, f: &Object<'_>, name: &'static str) -> PyResult<Option<Vec<f64>>> {
        let answer = f.call1((this,))?;
        if answer.is_none() {
            return Ok(None);
        }
        let model = &this.get().model.get().model;
        let wanted = if name == "tau" { ("nv", model.nv()) } else { ("nu", model.actuators().len()) };
        given(&answer, name, wanted).map(Some)
    }
}

/// How many steps of dt come nearest to a duration.
pub fn steps_of(duration: f64, dt: f64) -> PyResult<usize> {
    let steps = (duration / dt).round();
    if duration >= 0.0 && steps <= 1e15 {
        return Ok(steps as usize);
    }
    Err(PyValueError::new_err(format!("duration is {duration} s; give a number of 0 or more")))
}

#[pymethods]
impl PySimulation {
    /// Makes n steps with controls and forces constant. Other Python threads run meanwhile, unless the steps take only an instant.
    ///
    /// Raises StepError if a step fails; the state is then the last good one. Warns, once for each way, of steps that could not follow
    /// their method: see tally.
    #[pyo3(signature = (n=1))]
    fn step(&self, py: Python<'_>, n: i64) -> PyResult<()> {
        let Ok(n) = usize::try_from(n) else {
            return Err(PyValueError::new_err(format!("n is {n}; give a number of steps")));
        };
        self.make_steps(py, n)
    }

    /// Steps for a duration in seconds, to the nearest whole step.
    ///
    /// control: a function that is called with the simulation before each step; its result, unless None, is put into ctrl. tau: likewise
    /// for tau. A force that one of them applies by apply_force acts for that step.
    #[pyo3(signature = (duration, *, control=None, tau=None))]
    fn run(
        this: &Bound<'_, Self>,
        duration: f64,
        control: Option<&Object<'_>>,
        tau: Option<&Object<'_>>,
    ) -> PyResult<()> {
        let (py, own) = (this.py(), this.get());
        let steps = steps_of(duration, own.dt)?;
        for (name, f) in [("control", control), ("tau", tau)] {
            if f.is_some_and(|f| !f.is_callable()) {
                let text = format!(
                    "{name} must be a function that takes the simulation; for a constant, set sim.{}",
                    if name == "tau" { "tau" } else { "ctrl" }
                );
                return Err(PyTypeError::new_err(text));
            }
        }
        if control.is_none() && tau.is_none() {
            return own.make_steps(py, steps);
        }
        for _ in 0..steps {
            if let Some(numbers) = control.map(|f| Self::ask(this, f, "ctrl")).transpose()?.flatten() {
                own.set_ctrl_numbers(py, &numbers)?;
            }
            if let Some(numbers) = tau.map(|f| Self::ask(this, f, "tau")).transpose()?.flatten() {
                own.set_tau_numbers(py, &numbers)?;
            }
            own.make_steps(py, 1)?;
        }
        Ok(())
    }

    /// Applies a force to a body, given by name or index, in all steps of the next call of step or run; afterwards it is removed. Several
    /// forces add up. In run with a function it acts for one step.
    ///
    /// force, torque: in world axes, N and N m; they stay the same while the body turns.
    /// point: where the force acts, in the body's frame, moving with it; by default the body's centre of mass.
    ///
    /// The ledger books the work in the line "elements".
    #[pyo3(signature = (body, force=None, torque=None, point=None),
           text_signature = "($self, body, force=(0.0, 0.0, 0.0), torque=(0.0, 0.0, 0.0), point=None)")]
    fn apply_force(
        &self,
        body: &Object<'_>,
        force: Given<'_, '_>,
        torque: Given<'_, '_>,
        point: Given<'_, '_>,
    ) -> PyResult<()> {
        let (py, model) = (body.py(), self.model.get());
        let body = model.body(body)?;
        let part = "apply_force";
        let [force, moment] =
            [("force", force), ("torque", torque)].map(|(name, x)| vector(part, name, x, V3::ZERO));
        let point = point.map(|point| vector(part, "point", Some(point), V3::ZERO)).transpose()?;
        let com = || match model.model[body].inertia {
            inertia if inertia.mass > 0.0 => inertia.com(),
            _ => V3::ZERO,
        };
        let wrench = Force { moment: moment?, force: force? };
        let load = Load { body, point: point.unwrap_or_else(com), wrench };
        self.lock(py)?.simulation.apply_load(load).map_err(|e| simulation_error(&e))
    }
    /// Removes all forces that apply_force has applied for the next steps.
    fn clear_forces(&self, py: Python<'_>) -> PyResult<()> {
        self.lock(py)?.simulation.clear_loads();
        Ok(())
    }

    /// Records moments for a replay from now on, fps of them per simulated second; poinsot.replay shows them. None stops recording and
    /// discards them.
    #[pyo3(signature = (fps=Some(30.0)), text_signature = "($self, fps=30.0)")]
    fn record(&self, py: Python<'_>, fps: Option<f64>) -> PyResult<()> {
        let running = &mut *self.lock(py)?;
        running.recording = match fps {
            None => None,
            Some(fps) if fps > 0.0 && fps.is_finite() => {
                let every = (1.0 / (fps * self.dt)).round().max(1.0) as usize;
                let now = (running.simulation.state().clone(), running.simulation.control().to_vec());
                Some(Recorded { every, moments: vec![now] })
            }
            Some(fps) => {
                return Err(PyValueError::new_err(format!("fps is {fps}; give a positive number")));
            }
        };
        Ok(())
    }
}
