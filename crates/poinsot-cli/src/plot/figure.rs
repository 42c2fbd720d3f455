//! Pictures of a run: the quantities drawn, and their numbers.

use super::sheet::{self, Axis, Pen, Sheet};
use crate::failure::{Outcome, failure};
use crate::probe::{Probe, Reading, Source, by_name, of_joint};
use poinsot::audit::Line;
use poinsot::model::Model;
use poinsot::names::Space;

/// A picture in preparation: panels below one another with a common time axis.
pub struct Figure {
    title: String,
    times: Vec<f64>,
    panels: Vec<Panel>,
}

/// Curves over one axis.
struct Panel {
    /// The label of the axis: a name and a unit.
    axis: String,
    curves: Vec<Curve>,
    /// Values are shown as changes since the beginning.
    changes: bool,
}

struct Curve {
    name: String,
    source: Source,
    values: Vec<f64>,
}

/// The largest number of candidates recorded.
const MOST_CURVES: usize = 1000;
/// The largest number of curves that can be told apart in one panel.
const MOST_IN_PANEL: usize = 8;
const PANEL_HEIGHT: f64 = 270.0;

impl Figure {
    /// A picture of these quantities.
    pub fn new(model: &Model, of: &[String], title: String) -> Outcome<Figure> {
        let mut panels = Vec::new();
        let mut named = Vec::new();
        for word in of.iter().map(|w| w.trim()) {
            match word {
                "energies" => panels.extend(energies()),
                "momenta" => panels.extend(momenta()),
                "positions" => panels.extend(grouped(&all(model, Space::Position)?)),
                "velocities" => panels.extend(grouped(&all(model, Space::Velocity)?)),
                "ledger" if model.joint(word).is_none() => {
                    let works = Line::ALL.iter().map(|line| curve(line.word(), Source::Work(*line)));
                    panels.push(panel("work since the beginning, J", works.collect()));
                }
                _ => named.extend(joint(model, word)?),
            }
        }
        // everything requested by name is shown, in as many panels as it takes
        panels.extend(named.chunks(MOST_IN_PANEL).flat_map(grouped));
        if panels.is_empty() {
            return Err(failure("--plot: the model has no coordinate to draw").help("draw energies"));
        }
        Ok(Figure { title, times: Vec::new(), panels })
    }

    /// Records the numbers of a moment, once.
    pub fn look(&mut self, now: &Reading) {
        if self.times.last() == Some(&now.state.time) {
            return;
        }
        self.times.push(now.state.time);
        for curve in self.panels.iter_mut().flat_map(|p| &mut p.curves) {
            curve.values.push(curve.source.read(now));
        }
    }

    /// The picture of the recorded numbers.
    pub fn sheet(&self) -> Sheet {
        let range = self.times.first().zip(self.times.last()).map(|(a, b)| (*a, *b));
        let time = |last: bool| Axis {
            label: if last { "time, s".into() } else { String::new() },
            logarithmic: false,
            range: range.filter(|(a, b)| b > a),
        };
        let count = self.panels.len();
        let panels = self.panels.iter().enumerate();
        let panels = panels.map(|(k, panel)| panel.drawn(&self.times, time(k + 1 == count))).collect();
        Sheet { title: self.title.clone(), panels, panel_height: PANEL_HEIGHT }
    }
}

impl Panel {
    /// If there are too many curves, those that move most are drawn, and the axis says so.
    fn drawn(&self, times: &[f64], x: Axis) -> sheet::Panel {
        let mut chosen: Vec<usize> = (0..self.curves.len()).collect();
        if chosen.len() > MOST_IN_PANEL {
            chosen.sort_by(|a, b| range(&self.curves[*b]).total_cmp(&range(&self.curves[*a])));
            chosen.truncate(MOST_IN_PANEL);
            chosen.sort_unstable();
        }
        let label = match self.curves.len() {
            n if n > MOST_IN_PANEL => format!("{} (top {MOST_IN_PANEL} of {n})", self.axis),
            _ => self.axis.clone(),
        };
        let curves = chosen.iter().map(|k| &self.curves[*k]).enumerate().map(|(n, curve)| {
            let first = if self.changes { curve.values.first().copied().unwrap_or(0.0) } else { 0.0 };
            let points = times.iter().zip(&curve.values).map(|(t, x)| (*t, x - first)).collect();
            // the sum of the others is black
            let pen = if curve.name == "total" { Pen::BLACK } else { Pen::number(n) };
            sheet::Curve { name: curve.name.clone(), points, pen }
        });
        let y = Axis { label, logarithmic: false, range: None };
        sheet::Panel { x, y, curves: curves.collect(), legend: true, marks: false }
    }
}

fn range(curve: &Curve) -> f64 {
    let (low, high) =
        curve.values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
    high - low
}

fn curve(name: &str, source: Source) -> Curve {
    Curve { name: name.to_string(), source, values: Vec::new() }
}

fn panel(axis: &str, curves: Vec<Curve>) -> Panel {
    Panel { axis: axis.to_string(), curves, changes: false }
}

fn energies() -> [Panel; 2] {
    let all = vec![
        curve("kinetic", Source::Kinetic),
        curve("potential", Source::Potential),
        curve("total", Source::Energy),
    ];
    let drift = panel("change of total, J", vec![curve("total", Source::Energy)]);
    [panel("energy, J", all), Panel { changes: true, ..drift }]
}

fn momenta() -> [Panel; 2] {
    let axes = ["x", "y", "z"];
    let angular = axes.iter().enumerate().map(|(k, a)| curve(a, Source::Angular(k))).collect();
    let linear = axes.iter().enumerate().map(|(k, a)| curve(a, Source::Linear(k))).collect();
    [panel("angular momentum, kg m²/s", angular), panel("momentum, kg m/s", linear)]
}

fn all(model: &Model, space: Space) -> Outcome<Vec<Probe>> {
    if space.size(model) > MOST_CURVES {
        let n = space.size(model);
        return Err(failure(format!("--plot-of: {n} numbers are too many for a picture"))
            .help("name the joints you want to see, as in --plot-of elbow,wrist"));
    }
    Ok(model.joints().iter().flat_map(|j| of_joint(j, space)).collect())
}

fn joint(model: &Model, word: &str) -> Outcome<Vec<Probe>> {
    let words = ["energies", "momenta", "positions", "velocities", "ledger"];
    if model.joint(word).is_none() && !word.contains('.') {
        return Err(crate::probe::unknown(model, word, &words).while_doing("--plot-of"));
    }
    by_name(model, word).map_err(|f| f.while_doing("--plot-of"))
}

/// A panel for each unit.
fn grouped(probes: &[Probe]) -> Vec<Panel> {
    let names = [
        ("m", "distance, m"),
        ("rad", "angle, rad"),
        ("–", "attitude, quaternion"),
        ("m/s", "velocity, m/s"),
        ("rad/s", "angular velocity, rad/s"),
        ("J", "work since the beginning, J"),
        ("N s", "error of momentum, N s"),
        ("N m s", "error of angular momentum, N m s"),
    ];
    let of_unit = |unit: &str| -> Vec<Curve> {
        probes.iter().filter(|p| p.unit == unit).map(|p| curve(&p.name, p.source)).collect()
    };
    names
        .iter()
        .map(|(unit, axis)| panel(axis, of_unit(unit)))
        .filter(|panel| !panel.curves.is_empty())
        .collect()
}
