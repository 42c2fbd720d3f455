//! What is said at the end of a run.

use super::fail_if::Condition;
use super::plan::Plan;
use crate::report::count;
use crate::subject::Subject;
use poinsot::Simulation;
use serde_json::{Value, json};

/// A run that is over.
pub struct Ending<'a> {
    pub subject: &'a Subject,
    pub plan: &'a Plan,
    /// When it began, s.
    pub begin: f64,
    pub conditions: &'a [Condition],
    pub interrupted: bool,
}

impl Ending<'_> {
    /// For people, or for a program.
    pub fn shown(&self, simulation: &Simulation, as_json: bool) -> String {
        if as_json { format!("{:#}\n", self.json(simulation)) } else { self.text(simulation) }
    }

    fn json(&self, simulation: &Simulation) -> Value {
        let (state, drift) = (simulation.state(), simulation.drift());
        let wall = simulation.stepping_time().as_secs_f64();
        json!({
            "scene": self.subject.name,
            "integrator": simulation.integrator(),
            "dt": self.plan.dt,
            "steps": simulation.steps(),
            "interrupted": self.interrupted,
            "wall_seconds": wall,
            "real_time_factor": (state.time - self.begin) / wall,
            "energy_drift": drift.energy,
            "momentum_drift": drift.momentum,
            "final": {"time": state.time, "qpos": state.q, "qvel": state.v},
            "conditions": self.conditions.iter().map(Condition::json).collect::<Value>(),
            "diagnostics": self.subject.diagnostics_json(),
        })
    }

    fn text(&self, simulation: &Simulation) -> String {
        let (model, drift) = (&self.subject.model, simulation.drift());
        let wall = simulation.stepping_time().as_secs_f64();
        let (simulated, steps) = (simulation.state().time - self.begin, simulation.steps());
        let (name, nv) = (model.name(), model.nv());
        let bodies = count(model.bodies().len() - 1, "body", "bodies");
        let whole = (simulated / self.plan.dt - steps as f64).abs() < 1e-6;
        let shorter = if whole { "" } else { ", the last one shorter" };
        let momentum =
            drift.momentum.map_or("held by the world".into(), |m| format!("{m:.1e} (relative, worst)"));
        let kind = if self.subject.report().is_some() { "model" } else { "scene" };
        let mut rows = vec![
            (kind, format!("{name}: {bodies}, {}", count(nv, "degree of freedom", "degrees of freedom"))),
            ("integrator", simulation.integrator().to_string()),
            ("steps", format!("{steps} of {} s{shorter}", self.plan.dt)),
            ("wall time", format!("{wall:.3} s, {:.0} ns a step", 1e9 * wall / (steps.max(1) as f64))),
            ("real-time factor", format!("{:.0}", simulated / wall)),
            (self.energy_word(), format!("{:.1e} (relative, worst)", drift.energy)),
            ("momentum drift", momentum),
        ];
        if self.interrupted {
            rows.push(("interrupted", format!("at t = {} s", simulation.state().time)));
        }
        rows.iter().map(|(name, value)| format!("  {name:18} {value}\n")).collect()
    }

    /// Dampers and motors change the energy: that is no error.
    fn energy_word(&self) -> &'static str {
        let model = &self.subject.model;
        match (model.actuators().is_empty(), model.is_conservative()) {
            (false, _) => "energy change",
            (true, false) => "energy lost",
            (true, true) => "energy drift",
        }
    }
}
