//! The report at the end of a run.

use super::fail_if::Condition;
use super::happened;
use crate::plan::Plan;
use crate::report::count;
use crate::subject::Subject;
use poinsot::algebra::Digits;
use poinsot::audit::{Account, Line};
use poinsot::constraint::Source;
use poinsot::model::Model;
use poinsot::spatial::Force;
use poinsot::{ContactStatistics, EnergyGain, Formulation, InitialProjection, OutOfRange, Simulation};
use serde_json::{Map, Value, json};

/// A run that is over.
pub struct FinishedRun<'a> {
    pub subject: &'a Subject,
    pub plan: &'a Plan,
    /// When it began, s.
    pub begin: f64,
    /// The number of steps made before, if the run continues another.
    pub steps_before: usize,
    /// How the initial state was projected onto the constraints.
    pub moved: Option<InitialProjection>,
    /// The limit that the initial state exceeded by most.
    pub beyond: Option<OutOfRange>,
    /// The largest violation of a constraint so far, and the constraint.
    pub violation: Option<(Source, f64)>,
    pub conditions: &'a [Condition],
    /// The energy gained by errors of the integrator.
    pub given: EnergyGain,
    pub interrupted: bool,
    /// True if events are listed one by one.
    pub verbose: bool,
}

/// The changes made to the initial state.
pub fn moved_words(model: &Model, moved: &InitialProjection) -> String {
    let (InitialProjection { violation, distance, rate, .. }, constraint) =
        (moved, &model[moved.constraint].name);
    if *distance == 0.0 {
        return format!(
            "the velocities violated the constraints; they were changed by up to {rate:.2e} (m/s or rad/s)"
        );
    }
    format!(
        "the initial state violated constraints (\"{constraint}\" by {violation:.2e} m or rad) and was corrected, by \
         {distance:.2e} √kg m"
    )
}

/// The changes as JSON.
pub fn moved_json(model: &Model, moved: &InitialProjection) -> Value {
    let (InitialProjection { violation, distance, rate, .. }, constraint) =
        (moved, &model[moved.constraint].name);
    json!({"constraint": constraint, "violation": violation, "distance": distance, "velocity_change": rate})
}

/// Geoms left out of contact, and bodies that overlap initially: the severity, and a line.
pub fn remarks(simulation: &Simulation) -> Vec<(&'static str, String)> {
    let all = [
        ("warning", simulation.left_out_sentence()),
        ("warning", simulation.overlap_sentence()),
        ("note", simulation.passing_sentence()),
        ("note", simulation.rigid_sentence("--soft-contact has it yield")),
    ];
    all.into_iter().filter_map(|(word, text)| Some((word, text?))).collect()
}

fn beyond_json(OutOfRange { at, place, size, others, put_back }: &OutOfRange) -> Value {
    json!({"at": at, "place": place, "by": size, "others": others, "put_back": put_back})
}

impl FinishedRun<'_> {
    /// As text or JSON.
    pub fn shown(&self, simulation: &Simulation, as_json: bool) -> String {
        if as_json { format!("{:#}\n", self.json(simulation)) } else { self.text(simulation) }
    }

    fn json(&self, simulation: &Simulation) -> Value {
        let (state, model) = (simulation.state(), simulation.model());
        let drift = simulation.drift_seen();
        let wall = simulation.stepping_time().as_secs_f64();
        let (events, fallbacks) = happened::json(simulation.tally());
        json!({
            "scene": self.subject.name,
            "integrator": simulation.integrator(),
            "formulation": simulation.formulation().word(),
            "dt": self.plan.dt,
            "steps": simulation.steps() - self.steps_before,
            "interrupted": self.interrupted,
            "wall_seconds": wall,
            "real_time_factor": (state.time - self.begin) / wall,
            "energy_drift": drift.energy,
            "momentum_drift": drift.momentum,
            "orthogonality_error": simulation.orthogonality_error(),
            "given_by_integrator": gained(&self.given),
            "assembled": self.moved.as_ref().map(|m| moved_json(model, m)),
            "beyond_range": self.beyond.as_ref().map(beyond_json),
            "violation": self.violation.map(|(of, size)| json!({"constraint": of.name(model), "worst": size})),
            "contact": simulation.contact().map(|c| c.to_string()),
            "remarks": remarks(simulation).into_iter().map(|(_, text)| text).collect::<Vec<_>>(),
            "contacts": simulation.contact_statistics().as_ref().map(contact_json),
            "events": events,
            "fallbacks": fallbacks,
            "ledger": simulation.ledger().map(|l| ledger_json(l.total())),
            "final": {"time": state.time, "qpos": state.q, "qvel": state.v},
            "conditions": self.conditions.iter().map(Condition::json).collect::<Value>(),
            "diagnostics": self.subject.diagnostics_json(),
        })
    }

    /// Settings of the file that differ from those of the run.
    fn asked_for(&self, simulation: &Simulation) -> String {
        let asked = self.subject.description().map_or("", |d| d.options.integrator.as_str());
        let same = asked.is_empty() || (asked == "RK4" && simulation.integrator() == "rkmk4");
        if same { String::new() } else { format!(" (the file asks for {asked})") }
    }

    fn text(&self, simulation: &Simulation) -> String {
        let model = &self.subject.model;
        let drift = simulation.drift_seen();
        let wall = simulation.stepping_time().as_secs_f64();
        let simulated = simulation.state().time - self.begin;
        let steps = simulation.steps() - self.steps_before;
        let (name, nv) = (model.name(), model.nv());
        let bodies = count(model.bodies().len() - 1, "body", "bodies");
        let whole = (simulated / self.plan.dt - steps as f64).abs() < 1e-6;
        let shorter = if whole { "" } else { ", the last one shorter" };
        let momentum =
            drift.momentum.map_or("no component is conserved: the world acts on the model".into(), |m| {
                format!("{m:.1e} (relative, worst)")
            });
        let kind = if self.subject.report().is_some() { "model" } else { "scene" };
        let coordinates =
            if simulation.formulation() == Formulation::Maximal { ", in maximal coordinates" } else { "" };
        let mut rows = vec![
            (kind, format!("{name}: {bodies}, {}", count(nv, "degree of freedom", "degrees of freedom"))),
            ("integrator", format!("{}{coordinates}{}", simulation.integrator(), self.asked_for(simulation))),
            ("steps", format!("{steps} of {} s{shorter}", Digits(self.plan.dt))),
            ("wall time", format!("{wall:.3} s, {:.0} ns per step", 1e9 * wall / (steps.max(1) as f64))),
            ("real-time factor", two_digits(simulated / wall)),
            self.energy_row(simulation),
            ("momentum drift", momentum),
        ];
        rows.extend(
            simulation
                .orthogonality_error()
                .map(|e| ("RᵀR − 1", format!("{e:.1e} at the end (largest entry)"))),
        );
        rows.extend(simulation.contact_statistics().map(|touched| ("contact", contact_words(&touched))));
        if let Some((source, size)) = self.violation {
            let name = source.name(model);
            rows.push(("constraints", format!("{size:.1e} m or rad, largest violation (\"{name}\")")));
        }
        rows.extend(happened::rows(simulation.tally(), self.verbose));
        if let Some(ledger) = simulation.ledger() {
            rows.extend(ledger_rows(ledger.total()));
        }
        if let Some(moved) = self.moved.as_ref().filter(|m| m.distance > 0.0) {
            let (InitialProjection { violation, distance, .. }, constraint) =
                (moved, &model[moved.constraint].name);
            let off = format!("\"{constraint}\" was off by {violation:.2e} m or rad");
            rows.push(("assembled", format!("moved by {distance:.2e} √kg m; {off}")));
        }
        if self.interrupted {
            rows.push(("interrupted", format!("at t = {} s", Digits(simulation.state().time))));
        }
        rows.iter().map(|(name, value)| format!("  {name:18} {value}\n")).collect()
    }

    /// Dampers, motors, limits and contact change the energy, which is not an error. With contact, the ledger shows what did.
    fn energy_row(&self, simulation: &Simulation) -> (&'static str, String) {
        let touched = simulation.contact_statistics().is_some_and(|t| t.most > 0);
        if let (true, Some(ledger)) = (touched, simulation.ledger()) {
            return ("energy, J", energy_words(ledger.total()));
        }
        let kept = self.subject.model.is_conservative() && !touched;
        let word = if kept { "energy drift" } else { "energy change" };
        (word, format!("{:.1e} (relative, worst)", simulation.drift_seen().energy))
    }
}

/// The work of contact, and the energy that the errors of the method have added or removed.
fn energy_words(total: &Account) -> String {
    let lines =
        [("contact", Line::Contact), ("friction", Line::Friction), ("integration", Line::Integration)];
    lines.map(|(word, line)| work_words(word, total.work(line))).join(", ")
}

fn work_words(word: &str, work: f64) -> String {
    match work {
        0.0 => format!("0 from {word}"),
        work if work > 0.0 => format!("{work:.1e} from {word}"),
        work => format!("{:.1e} lost to {word}", -work),
    }
}

/// The worst values of contacts.
fn contact_words(touched: &ContactStatistics) -> String {
    let ContactStatistics { most, collisions, residual, penetration, unsolved, rested } = touched;
    if *most == 0 {
        return "nothing touched".into();
    }
    let solved = match unsolved {
        0 => "every step solved".to_string(),
        n => format!("{} unsolved", count(*n, "step", "steps")),
    };
    let mut collided = count(*collisions, "collision", "collisions");
    if *rested > 0 {
        collided += &format!(", {rested} too slow to rebound");
    }
    format!(
        "at most {most} at once, {collided}; residual {residual:.1e} m/s, penetration {penetration:.1e} m at worst; {solved}"
    )
}

fn contact_json(touched: &ContactStatistics) -> Value {
    let ContactStatistics { most, collisions, residual, penetration, unsolved, rested } = touched;
    json!({"most": most, "collisions": collisions, "rested": rested, "residual": residual, "penetration": penetration, "unsolved": unsolved})
}

/// The sources of kinetic energy and momentum; zeros are left out.
fn ledger_rows(total: &Account) -> Vec<(&'static str, String)> {
    let works = Line::ALL.into_iter().map(|line| (line.word(), total.work(line)));
    let works: Vec<String> =
        works.filter(|(_, w)| *w != 0.0).map(|(word, w)| format!("{word} {w:+.3e}")).collect();
    let sum = if works.is_empty() { "0".into() } else { works.join(", ") };
    let impulses: Vec<String> = impulses(total)
        .into_iter()
        .filter(|(_, f)| f.force.norm() > 0.0 || f.moment.norm() > 0.0)
        .map(|(word, f)| format!("{word} {:.1e} ({:.1e} N m s)", f.force.norm(), f.moment.norm()))
        .collect();
    let mut rows = vec![
        ("work, J", sum),
        ("kinetic energy, J", format!("{:+.3e}; imbalance {:.0e}", total.kinetic, total.imbalance())),
    ];
    if !impulses.is_empty() {
        rows.push(("momentum, N s", impulses.join(", ")));
    }
    rows
}

fn impulses(total: &Account) -> [(&'static str, Force); 4] {
    [
        ("gravity", total.gravity),
        ("reactions", total.reactions),
        ("stabilisation", total.stabilisation),
        ("integration", total.integration),
    ]
}

fn ledger_json(total: &Account) -> Value {
    let work: Map<String, Value> =
        Line::ALL.iter().map(|line| (line.word().to_string(), json!(total.work(*line)))).collect();
    let six = |f: Force| json!([f.moment.array(), f.force.array()].concat());
    let momentum: Map<String, Value> = impulses(total)
        .into_iter()
        .chain([("change", total.momentum)])
        .map(|(word, f)| (word.to_string(), six(f)))
        .collect();
    json!({"work": work, "kinetic_energy": total.kinetic, "imbalance": total.imbalance(), "momentum": momentum})
}

/// A number with two significant digits or, if it is large, all those before the point.
fn two_digits(x: f64) -> String {
    let places = if x >= 10.0 || x <= 0.0 { 0 } else { (1.0 - x.log10().floor()).min(9.0) as usize };
    format!("{x:.places$}")
}

/// The message for a run whose energy comes from errors of the integrator.
pub fn wild(given: &EnergyGain, integrator: &str, dt: f64) -> Option<String> {
    let advice =
        if integrator == "leapfrog" { "a smaller step" } else { "--integrator leapfrog, or a smaller step" };
    given.sentence(integrator, dt, advice).map(|text| format!("warning: {text}"))
}

fn gained(given: &EnergyGain) -> Value {
    json!({"energy": given.energy(), "of_largest_kinetic": given.share(), "means_nothing": given.is_all()})
}

#[cfg(test)]
mod tests {
    use super::{two_digits, work_words};

    #[test]
    fn slow_runs_have_a_real_time_factor_too() {
        let factors = [6724.3, 15.2, 8.73, 0.391, 0.0, f64::INFINITY, f64::NAN];
        assert_eq!(factors.map(two_digits), ["6724", "15", "8.7", "0.39", "0", "inf", "NaN"]);
    }

    #[test]
    fn no_work_has_no_sign() {
        assert_eq!(work_words("friction", 0.0), "0 from friction");
        assert_eq!(work_words("friction", -0.0), "0 from friction");
        assert_eq!(work_words("friction", -2.0), "2.0e0 lost to friction");
    }
}
