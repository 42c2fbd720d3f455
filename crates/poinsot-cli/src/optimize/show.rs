//! The result, in words, as JSON, and drawn.

use crate::plot::sheet::{Axis, Curve, Panel, Pen, Sheet};
use poinsot_optimize::{Exceeded, Problem, Solution};
use serde_json::json;
use std::fmt::Write;
use std::path::Path;

pub fn summary(problem: &Problem, found: &Solution, as_json: bool) -> String {
    if as_json { format!("{:#}\n", as_object(problem, found)) } else { words(problem, found) }
}

fn as_object(problem: &Problem, found: &Solution) -> serde_json::Value {
    let violated: Vec<_> =
        found.violated.iter().map(|v| json!({"what": v.what, "time": v.time, "by": v.by})).collect();
    let exceeded: Vec<_> = found
        .exceeded
        .iter()
        .map(|e| json!({"what": e.what, "bound": e.bound, "value": e.value, "time": e.time}))
        .collect();
    let phases: Vec<_> = problem.phases.iter().map(|p| p.name.clone()).collect();
    json!({
        "status": found.word(),
        "solved": found.is_solved(),
        "cost": found.cost,
        "costs": found.costs,
        "duration": found.durations.iter().sum::<f64>(),
        "durations": found.durations,
        "phases": phases,
        "scheme": problem.scheme.to_string(),
        "intervals": problem.phases.iter().map(|p| p.intervals).collect::<Vec<_>>(),
        "iterations": found.iterations,
        "kkt_residual": found.residual(),
        "slope": found.slope,
        "constraint_violation": found.violation,
        "complementarity": found.complementarity,
        "violated": violated,
        "exceeded": exceeded,
        "names": {"q": found.names.q, "v": found.names.v, "u": found.names.u, "f": found.names.f},
        "time": found.time,
        "q": found.q,
        "v": found.v,
        "a": found.a,
        "u": found.u,
        "f": found.f,
    })
}

fn words(problem: &Problem, found: &Solution) -> String {
    let mut text = String::new();
    let lines = [
        ("status", found.sentence().to_string()),
        ("cost", rounded(found.cost).to_string()),
        ("duration", format!("{} s", rounded(found.durations.iter().sum()))),
        ("scheme", format!("{}, {} times", problem.scheme, found.time.len())),
        ("iterations", found.iterations.to_string()),
        (
            "residual",
            format!(
                "{:.1e} (slope {:.1e}, violation {:.1e}, complementarity {:.1e})",
                found.residual(),
                found.slope,
                found.violation,
                found.complementarity
            ),
        ),
    ];
    for (name, value) in lines {
        // writing to a String cannot fail
        let _ = writeln!(text, "{name:<11} {value}");
    }
    if problem.phases.len() > 1 {
        for (phase, span) in problem.phases.iter().zip(&found.durations) {
            let _ = writeln!(text, "  {:<9} {} s", phase.name, rounded(*span));
        }
    }
    if !found.is_solved() {
        obstacles(found, &mut text);
    }
    text
}

/// What stands in the way of a motion: the conditions that are violated, and the bounds that it would exceed.
fn obstacles(found: &Solution, text: &mut String) {
    if !found.violated.is_empty() {
        let _ = writeln!(text, "what is violated most:");
    }
    for v in &found.violated {
        let _ = writeln!(text, "  at {:.4} s: {}: off by {:.3e}", v.time, v.what, v.by);
    }
    if !found.exceeded.is_empty() {
        let _ = writeln!(text, "without the bounds of controls there is a motion, which needs:");
    }
    for e in &found.exceeded {
        let Exceeded { what, bound, value, time } = e;
        let _ = writeln!(text, "  at {time:.4} s: {what} = {value:.4} (bound {bound})");
    }
}

/// Twelve significant digits: what the solver's tolerance leaves, without round-off.
fn rounded(x: f64) -> f64 {
    format!("{x:.11e}").parse().unwrap_or(x)
}

/// Coordinates, velocities, controls and forces over time.
pub fn sheet(found: &Solution, problem: &Path) -> Sheet {
    let panel = |label: &str, names: &[String], rows: &[Vec<f64>]| {
        let curve = |(k, name): (usize, &String)| Curve {
            name: name.clone(),
            points: found.time.iter().zip(rows).map(|(t, row)| (*t, row[k])).collect(),
            pen: Pen::number(k),
        };
        let axis = |label: &str| Axis { label: label.into(), logarithmic: false, range: None };
        Panel {
            x: axis("time, s"),
            y: axis(label),
            curves: names.iter().enumerate().map(curve).collect(),
            legend: true,
            marks: false,
        }
    };
    let names = &found.names;
    let all = [
        panel("coordinates", &names.q, &found.q),
        panel("velocities", &names.v, &found.v),
        panel("controls", &names.u, &found.u),
        panel("forces of contacts, N", &names.f, &found.f),
    ];
    let panels = all.into_iter().filter(|p| !p.curves.is_empty()).collect();
    let name = problem.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    Sheet { title: format!("{name}: cost {:.9}", found.cost), panels, panel_height: 220.0 }
}
