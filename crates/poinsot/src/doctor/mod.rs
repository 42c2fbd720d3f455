//! A lint for physics: finds what is impossible, suspicious or unstable in a model, with names, places and advice.
//!
//! ```
//! use poinsot::doctor::{Patient, examine};
//! let scene = poinsot::scenes::by_name("humanoid")?;
//! let findings = examine(&Patient { model: &scene.model, description: None, dt: 0.001 });
//! assert!(findings.is_empty(), "{findings:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | checks |
//! |---|---|
//! | `defects` | what the builder accepted: impossible inertias, joints that move no mass |
//! | `inertia` | sizes of inertias against masses and shapes, masses of neighbours |
//! | `limits` | ranges of joints, and whether the start is in them |
//! | `keyframes` | lengths, attitudes and ranges of the file's keyframes |
//! | `overlap`, `shapes` | shapes that overlap at the start |
//! | `touching` | shapes for contact that cannot be read |
//! | `stability` | springs, dampers and servos against the time step |
//! | `conditioning` | the mass matrix at the start |
//! | `loops` | whether constraints are met at the start, can be met, and leave any freedom |

mod conditioning;
mod defects;
mod inertia;
mod keyframes;
mod limits;
mod loops;
mod overlap;
mod shapes;
mod stability;
mod touching;

use crate::formats::{Description, Diagnostic, Place, Severity};
use crate::model::{GeomId, Model};

/// A finding: severity, a stable code such as `doctor::mass-ratio`, message, place and help.
pub type Finding = Diagnostic;

/// The model to examine, with its context.
#[derive(Clone, Copy, Debug)]
pub struct Patient<'a> {
    /// The model.
    pub model: &'a Model,
    /// The contents of the file, if the model is from one: places, options, keyframes.
    pub description: Option<&'a Description>,
    /// The time step it will be run with, s.
    pub dt: f64,
}

/// Runs all checks.
pub fn examine(patient: &Patient) -> Vec<Finding> {
    [
        defects::check,
        inertia::check,
        limits::check,
        keyframes::check,
        overlap::check,
        conditioning::check,
        stability::check,
        loops::check,
        touching::check,
    ]
    .iter()
    .flat_map(|check| check(patient))
    .collect()
}

fn finding(severity: Severity, code: &'static str, message: String) -> Finding {
    Finding { severity, code, message, place: None, help: None }
}

/// Adds place and help to a finding.
trait With {
    fn with(self, place: Option<Place>, help: impl Into<String>) -> Self;
}

impl With for Finding {
    fn with(mut self, place: Option<Place>, help: impl Into<String>) -> Finding {
        self.place = place;
        self.help = Some(help.into());
        self
    }
}

impl Patient<'_> {
    /// The place of a body in the file; bodies of file and model have the same numbers.
    fn place_of_body(&self, body: usize) -> Option<Place> {
        let bodies = &self.description?.bodies;
        (bodies.len() == self.model.bodies().len()).then(|| bodies[body].place)
    }
    /// The place of a geom in the file; geoms of file and model have the same numbers.
    fn place_of_geom(&self, geom: GeomId) -> Option<Place> {
        let description = self.description?;
        let same = description.geoms().count() == self.model.geoms().len();
        description.geoms().nth(geom.index()).filter(|_| same).map(|(_, g)| g.place)
    }
    /// The place of a joint in the file.
    fn place_of_joint(&self, joint: usize) -> Option<Place> {
        let description = self.description?;
        let same = description.joints().count() == self.model.joints().len();
        description.joints().nth(joint).filter(|_| same).map(|(_, j)| j.place)
    }
}

/// Formats a number for messages.
fn short(x: f64) -> String {
    if x == 0.0 || (1e-3..1e5).contains(&x.abs()) {
        let text = format!("{x:.4}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        return text.to_string();
    }
    format!("{x:.2e}")
}
