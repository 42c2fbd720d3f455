//! Pictures of a run: what is drawn, and its numbers.

mod draw;

use crate::failure::{Outcome, failure};
use crate::run::probe::{Probe, Reading, Source, by_name, of_joint};
use poinsot::model::Model;
use poinsot::names::Space;
use std::path::Path;

/// A picture under way: panels below one another, over one axis of time.
pub struct Figure {
    title: String,
    times: Vec<f64>,
    panels: Vec<Panel>,
}

/// Curves over one axis.
struct Panel {
    /// What the axis says: a name and a unit.
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

/// More candidates than this are not followed.
const MOST_CURVES: usize = 1000;
/// More curves than this in one panel cannot be told apart.
pub(crate) const MOST_IN_PANEL: usize = 8;

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
                _ => named.extend(joint(model, word)?),
            }
        }
        // what was asked for by name is all shown, in as many panels as it takes
        panels.extend(named.chunks(MOST_IN_PANEL).flat_map(grouped));
        if panels.is_empty() {
            return Err(failure("--plot: the model has no coordinate to draw").help("draw energies"));
        }
        Ok(Figure { title, times: Vec::new(), panels })
    }

    /// Takes the numbers of a moment; the same moment twice is taken once.
    pub fn look(&mut self, now: &Reading) {
        if self.times.last() == Some(&now.state.time) {
            return;
        }
        self.times.push(now.state.time);
        for curve in self.panels.iter_mut().flat_map(|p| &mut p.curves) {
            curve.values.push(curve.source.read(now));
        }
    }
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
    let words = ["energies", "momenta", "positions", "velocities"];
    if model.joint(word).is_none() && !word.contains('.') {
        return Err(crate::run::probe::unknown(model, word, &words).while_doing("--plot-of"));
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

/// Refuses a file whose name does not end in .svg or .png.
pub fn check_ending(path: &Path) -> Outcome<()> {
    match ending(path).as_str() {
        "svg" | "png" => Ok(()),
        _ => {
            let message = format!("{}: only .svg and .png pictures can be drawn", path.display());
            Err(failure(message).help("give --plot a name with one of these endings"))
        }
    }
}

fn ending(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Draws the picture into a file.
pub fn write(figure: &Figure, path: &Path) -> Outcome<()> {
    let bytes = match ending(path).as_str() {
        "png" => draw::png(figure).map_err(|e| failure(format!("cannot draw {}: {e}", path.display())))?,
        _ => draw::svg(figure).into_bytes(),
    };
    std::fs::write(path, bytes).map_err(|e| failure(format!("cannot write {}: {e}", path.display())))
}
