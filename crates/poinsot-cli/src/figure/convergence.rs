//! `poinsot figure convergence`: how fast errors shrink with the step, and what that costs.
//!
//! The error is |q ⊖ q*| at the end, in rad and m, relative to a reference q*: the integrator `exact` if halving its step changes nothing,
//! otherwise `adaptive`. A method of order p has errors C hᵖ for small h, a line of slope p in the first panel; slopes are fitted between
//! errors too large to follow the law and errors dominated by round-off.

use super::study::{Study, integrators, simulation};
use crate::Screen;
use crate::failure::Outcome;
use crate::plan::Defaults;
use crate::plot;
use crate::plot::sheet::{Axis, Curve, Panel, Pen, Sheet, panel_height};
use crate::report::print;
use crate::run::positive;
use crate::subject::Subject;
use clap::Args;
use poinsot::dynamics::State;
use poinsot::integrate::by_name;
use poinsot::model::Model;
use serde_json::{Value, json};

/// Error against step, and against cost, for all integrators
#[derive(Args)]
pub struct Convergence {
    #[command(flatten)]
    study: Study,
    /// The time at which errors are measured, s [default: 1000 steps of the scene]
    #[arg(long, value_parser = positive, allow_negative_numbers = true)]
    time: Option<f64>,
}

/// The fewest steps of a run; each next one has twice as many.
const FEWEST: usize = 25;
/// How many times the number of steps is doubled.
const DOUBLINGS: u32 = 12;
/// If an integrator takes this long for a run, s, no finer run is made.
const PATIENCE: f64 = 0.4;
/// A run is repeated until this much time has been measured, s: the times of short runs are noise.
const MEASURED: f64 = 0.01;
/// Errors below this may be round-off, rad or m.
const ROUND_OFF: f64 = 1e-11;
/// Errors above this are too large to follow the law, rad or m.
const LARGE: f64 = 0.5;
/// Slopes are fitted to this many points at the fine end, where the law holds best.
const FITTED: usize = 4;
/// Errors below this cannot be distinguished from it, rad or m.
const LEAST: f64 = 1e-16;
const LEAST_PANEL_HEIGHT: f64 = 400.0;

/// One run.
struct Point {
    dt: f64,
    error: f64,
    /// Computing time per simulated second.
    cost: f64,
}

/// All runs with one integrator.
struct Method {
    name: &'static str,
    order: u32,
    points: Vec<Point>,
}

impl Convergence {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        let (subject, out) = self.study.begin("convergence.svg")?;
        let defaults = Defaults::of(&subject);
        let time = self.time.unwrap_or(defaults.duration.min(1000.0 * defaults.dt));
        let reference = reference(&subject, time)?;
        let measure = |integrator: Box<dyn poinsot::integrate::Integrator>| {
            let (name, order) = (integrator.name(), integrator.order());
            let points = measured(&subject, name, time, &reference);
            Method { name, order, points }
        };
        let methods: Vec<Method> = integrators(&subject.model).into_iter().map(measure).collect();
        plot::write(&sheet(&subject, time, &methods), &out)?;
        self.study.write(&table(&methods))?;
        let object = || json(&subject, time, &methods);
        print(&if screen.json { format!("{:#}\n", object()) } else { text(&methods, &out) })?;
        Ok(0)
    }
}

/// The state at `time`.
fn end(subject: &Subject, name: &str, steps: usize, time: f64) -> Outcome<State> {
    let mut simulation = simulation(subject, by_name(name, &subject.model)?)?;
    simulation.run(steps, time / steps as f64)?;
    Ok(simulation.state().clone())
}

fn reference(subject: &Subject, time: f64) -> Outcome<State> {
    let model = &subject.model;
    if by_name("exact", model).is_ok() {
        let [coarse, fine] = [FEWEST, 2 * FEWEST].map(|n| end(subject, "exact", n, time));
        let (coarse, fine) = (coarse?, fine?);
        if distance(model, &coarse, &fine) < ROUND_OFF {
            return Ok(coarse);
        }
    }
    end(subject, "adaptive", FEWEST, time).map_err(|f| f.while_doing("the reference solution"))
}

/// |a ⊖ b| of the coordinates.
fn distance(model: &Model, a: &State, b: &State) -> f64 {
    let mut off = vec![0.0; model.nv()];
    model.difference(&a.q, &b.q, &mut off);
    off.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Finer and finer runs, until errors are round-off or the time is up. A run that fails, for example because its steps are too large for
/// the method, gives no point.
fn measured(subject: &Subject, name: &str, time: f64, reference: &State) -> Vec<Point> {
    let model = &subject.model;
    let mut points: Vec<Point> = Vec::new();
    for steps in (0..DOUBLINGS).map(|k| FEWEST << k) {
        let (mut spent, mut runs, mut last) = (0.0, 0, None);
        while spent < MEASURED {
            let begun = by_name(name, model).map_err(Into::into).and_then(|i| simulation(subject, i));
            let Ok(mut simulation) = begun else { return points };
            if simulation.run(steps, time / steps as f64).is_err() {
                break;
            }
            spent += simulation.stepping_time().as_secs_f64().max(1e-9);
            runs += 1;
            last = Some(simulation.state().clone());
        }
        if let Some(last) = last {
            let (error, cost) = (distance(model, reference, &last), spent / f64::from(runs) / time);
            points.push(Point { dt: time / steps as f64, error, cost });
        }
        let at_round_off = points.iter().filter(|p| p.error < 0.1 * ROUND_OFF).count() >= 4;
        if spent / f64::from(runs.max(1)) > PATIENCE || at_round_off {
            break;
        }
    }
    points
}

impl Method {
    /// The slope of log error over log step, by least squares; none if fewer than three points follow the law.
    fn slope(&self) -> Option<f64> {
        let lawful = |p: &&Point| p.error > ROUND_OFF && p.error < LARGE;
        // finer than at the least error, round-off grows
        let least =
            (0..self.points.len()).min_by(|a, b| self.points[*a].error.total_cmp(&self.points[*b].error))?;
        let finest = self.points[..=least].iter().rev().filter(lawful).take(FITTED);
        let logs: Vec<(f64, f64)> = finest.map(|p| (p.dt.ln(), p.error.ln())).collect();
        let n = logs.len() as f64;
        let (x, y) = logs.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
        let (xx, xy) =
            logs.iter().fold((0.0, 0.0), |(a, b), p| (a + (p.0 - x).powi(2), b + (p.0 - x) * (p.1 - y)));
        (logs.len() >= 3).then(|| xy / xx)
    }

    fn label(&self) -> String {
        let all_small = self.points.iter().all(|p| p.error < ROUND_OFF);
        match self.slope() {
            Some(slope) => format!("{}: {slope:.2}", self.name),
            None if all_small && !self.points.is_empty() => format!("{}: round-off", self.name),
            None => format!("{}: –", self.name),
        }
    }
}

fn sheet(subject: &Subject, time: f64, methods: &[Method]) -> Sheet {
    let logarithmic = |label: &str| Axis { label: label.into(), logarithmic: true, range: None };
    let panel = |x: &str, legend: bool, of: fn(&Point) -> f64| {
        let curve = |(k, method): (usize, &Method)| Curve {
            name: method.label(),
            points: method.points.iter().map(|p| (of(p), p.error.max(LEAST))).collect(),
            pen: Pen::narrowing(k, methods.len()),
        };
        let curves = methods.iter().enumerate().map(curve).collect();
        let y = logarithmic("error, rad and m");
        Panel { x: logarithmic(x), y, curves, legend, marks: true }
    };
    let panels = vec![
        panel("step, s (in the legend: fitted slopes)", true, |p| p.dt),
        panel("cost: seconds for a simulated second", false, |p| p.cost),
    ];
    let title = format!("{}: errors at t = {time} s", subject.model.name());
    Sheet { title, panel_height: panel_height(LEAST_PANEL_HEIGHT, &panels), panels }
}

fn table(methods: &[Method]) -> String {
    let mut out = String::from("integrator,order,fitted_order,dt,error,seconds_per_simulated_second\n");
    for method in methods {
        let slope = method.slope().map_or(String::new(), |s| s.to_string());
        for p in &method.points {
            out += &format!("{},{},{slope},{},{},{}\n", method.name, method.order, p.dt, p.error, p.cost);
        }
    }
    out
}

fn json(subject: &Subject, time: f64, methods: &[Method]) -> Value {
    let point = |p: &Point| json!({"dt": p.dt, "error": p.error, "seconds_per_simulated_second": p.cost});
    let method = |m: &Method| {
        let points: Vec<Value> = m.points.iter().map(point).collect();
        json!({"integrator": m.name, "order": m.order, "fitted_order": m.slope(), "points": points})
    };
    let integrators: Vec<Value> = methods.iter().map(method).collect();
    json!({
        "scene": subject.name, "time": time, "integrators": integrators,
        "diagnostics": subject.diagnostics_json(),
    })
}

fn text(methods: &[Method], out: &std::path::Path) -> String {
    let mut text = format!("  {:24} {:>5}  {:>6}  {:>11}\n", "integrator", "order", "fitted", "least error");
    for m in methods {
        let slope = m.slope().map_or("–".into(), |s| format!("{s:.2}"));
        let least = m.points.iter().map(|p| p.error).fold(f64::NAN, f64::min);
        text += &format!("  {:24} {:>5}  {slope:>6}  {least:>11.1e}\n", m.name, m.order);
    }
    text + &format!("  drawn in {}\n", out.display())
}
