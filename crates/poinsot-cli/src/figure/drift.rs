//! `poinsot figure drift`: the deviation of energy and momentum from their initial values over time.
//!
//! Both axes are logarithmic: errors that stay bounded become horizontal, errors proportional to time have slope 1.

use super::study::{Study, integrators, simulation};
use crate::Screen;
use crate::failure::{Outcome, failure};
use crate::plan::Defaults;
use crate::plot;
use crate::plot::sheet::{Axis, Curve, Panel, Pen, Sheet, panel_height};
use crate::report::{print, tell};
use crate::run::positive;
use crate::subject::Subject;
use clap::Args;
use poinsot::integrate::Integrator;
use serde_json::{Value, json};

/// Errors of energy and momentum over time, for all integrators
#[derive(Args)]
pub struct Drift {
    #[command(flatten)]
    study: Study,
    /// How long to simulate, s [default: the scene's; 10 for files]
    #[arg(long, value_parser = positive, allow_negative_numbers = true)]
    time: Option<f64>,
    /// The time step, s [default: the scene's or the file's]
    #[arg(long, value_parser = positive, allow_negative_numbers = true)]
    dt: Option<f64>,
}

/// Points per factor e of time.
const DENSITY: f64 = 12.0;
/// An integrator that takes longer than this is stopped, s.
const PATIENCE: f64 = 2.0;
const LEAST_PANEL_HEIGHT: f64 = 380.0;
/// Less than one unit in the last place cannot be measured.
const LEAST: f64 = 1e-17;

/// The worst errors up to some time.
struct Point {
    time: f64,
    energy: f64,
    momentum: Option<f64>,
}

struct Method {
    name: &'static str,
    points: Vec<Point>,
    /// Why it was stopped.
    ended: Option<String>,
}

impl Drift {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        let (subject, out) = self.study.begin("drift.svg")?;
        let defaults = Defaults::of(&subject);
        let (dt, time) = (self.dt.unwrap_or(defaults.dt), self.time.unwrap_or(defaults.duration));
        if dt > time {
            return Err(failure(format!("the step of {dt:?} s is longer than the run of {time:?} s"))
                .help("give a smaller --dt, or a longer --time"));
        }
        let integrators = integrators(&subject.model);
        let follow = |integrator| followed(&subject, integrator, dt, (time / dt).round() as usize);
        let methods: Vec<Method> = integrators.into_iter().map(follow).collect::<Outcome<_>>()?;
        plot::write(&sheet(&subject, dt, &methods), &out)?;
        self.study.write(&table(&methods))?;
        if screen.json {
            print(&format!("{:#}\n", json(&subject, dt, &methods)))?;
        } else {
            let early = methods.iter().filter_map(|m| Some((m, m.ended.as_ref()?)));
            early.for_each(|(m, why)| tell(&format!("  {} ends early: {why}\n", m.name)));
            print(&text(&methods, &out))?;
        }
        Ok(0)
    }
}

fn followed(subject: &Subject, integrator: Box<dyn Integrator>, dt: f64, steps: usize) -> Outcome<Method> {
    let name = integrator.name();
    let mut simulation = simulation(subject, integrator)?;
    let (mut points, mut ended, mut done) = (Vec::new(), None, 0);
    while done < steps && ended.is_none() {
        // every step at first, then this many per factor e
        let next = ((done as f64 * (1.0 + 1.0 / DENSITY)) as usize).clamp(done + 1, steps);
        // recorded ten times on the way, since the worst may lie in between
        let stride = (next - done).div_ceil(10);
        while done < next && ended.is_none() {
            let some = stride.min(next - done);
            ended = simulation.run(some, dt).err().map(|e| e.to_string());
            done += some;
        }
        let drift = simulation.drift();
        points.push(Point { time: done as f64 * dt, energy: drift.energy, momentum: drift.momentum });
        if done < steps && simulation.stepping_time().as_secs_f64() > PATIENCE {
            ended = Some(format!("{PATIENCE} s have passed; give a shorter --time or a larger --dt"));
        }
    }
    Ok(Method { name, points, ended })
}

fn sheet(subject: &Subject, dt: f64, methods: &[Method]) -> Sheet {
    let logarithmic = |label: &str| Axis { label: label.into(), logarithmic: true, range: None };
    let panel = |y: &str, legend: bool, of: fn(&Point) -> f64| {
        let curve = |(k, method): (usize, &Method)| Curve {
            name: method.name.into(),
            points: method.points.iter().map(|p| (p.time, of(p).max(LEAST))).collect(),
            pen: Pen::narrowing(k, methods.len()),
        };
        let curves = methods.iter().enumerate().map(curve).collect();
        Panel { x: logarithmic("time, s"), y: logarithmic(y), curves, legend, marks: false }
    };
    // dampers and motors change the energy, which is not an error
    let kept = subject.model.is_conservative() && subject.model.actuators().is_empty();
    let energy = if kept { "worst energy error (relative)" } else { "largest change of energy (relative)" };
    let mut panels = vec![panel(energy, true, |p| p.energy)];
    if methods.iter().flat_map(|m| &m.points).any(|p| p.momentum.is_some()) {
        let momentum = |p: &Point| p.momentum.unwrap_or(0.0);
        panels.push(panel("worst momentum error (relative)", false, momentum));
    }
    let title = format!("{}: steps of {dt} s", subject.model.name());
    Sheet { title, panel_height: panel_height(LEAST_PANEL_HEIGHT, &panels), panels }
}

fn table(methods: &[Method]) -> String {
    let mut out = String::from("integrator,time,energy_error,momentum_error\n");
    for (name, p) in methods.iter().flat_map(|m| m.points.iter().map(|p| (m.name, p))) {
        let momentum = p.momentum.map_or(String::new(), |x| x.to_string());
        out += &format!("{name},{},{},{momentum}\n", p.time, p.energy);
    }
    out
}

fn json(subject: &Subject, dt: f64, methods: &[Method]) -> Value {
    let point = |p: &Point| json!({"time": p.time, "energy_error": p.energy, "momentum_error": p.momentum});
    let method = |m: &Method| {
        let points: Vec<Value> = m.points.iter().map(point).collect();
        json!({"integrator": m.name, "points": points, "ended_early": m.ended})
    };
    let integrators: Vec<Value> = methods.iter().map(method).collect();
    json!({
        "scene": subject.name, "dt": dt, "integrators": integrators,
        "diagnostics": subject.diagnostics_json(),
    })
}

fn text(methods: &[Method], out: &std::path::Path) -> String {
    let mut text = format!("  {:24} {:>12}  {:>14}\n", "integrator", "energy error", "momentum error");
    for (m, last) in methods.iter().filter_map(|m| Some((m, m.points.last()?))) {
        let momentum = last.momentum.map_or("–".into(), |x| format!("{x:.1e}"));
        text += &format!("  {:24} {:>12.1e}  {momentum:>14}\n", m.name, last.energy);
    }
    text + &format!("  drawn in {}\n", out.display())
}
