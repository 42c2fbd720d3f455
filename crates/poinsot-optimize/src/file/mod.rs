//! Problem files: TOML, or the same as JSON.

mod build;
mod model;
mod values;

use crate::error::OptimizeError;
use crate::problem::Problem;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use values::{Group, Number, Spec};

/// A whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    scheme: Option<String>,
    intervals: Option<usize>,
    tolerance: Option<Number>,
    iterations: Option<usize>,
    barrier: Option<Number>,
    system: SystemSheet,
    time: Option<TimeSheet>,
    #[serde(default)]
    phase: Vec<PhaseSheet>,
    #[serde(default)]
    at: Vec<AtSheet>,
    #[serde(default)]
    bounds: Vec<BoundSheet>,
    #[serde(default)]
    minimize: Vec<CostSheet>,
    guess: Option<GuessSheet>,
}

/// The system: one given by formulas, or a model.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SystemSheet {
    kind: Option<String>,
    mass: Option<Number>,
    cart_mass: Option<Number>,
    pole_mass: Option<Number>,
    length: Option<Number>,
    damping: Option<Number>,
    gravity: Option<Gravity>,
    model: Option<String>,
    nodes: Option<String>,
    actuated: Option<Vec<String>>,
    points: Option<BTreeMap<String, PointSheet>>,
    ground: Option<GroundSheet>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PointSheet {
    body: String,
    at: [Number; 3],
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroundSheet {
    axes: Option<String>,
    friction: Option<Number>,
    height: Option<Number>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Gravity {
    One(Number),
    Vector(Vec<Number>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TimeSheet {
    duration: Spec,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PhaseSheet {
    name: String,
    duration: Spec,
    intervals: Option<usize>,
    #[serde(default)]
    contacts: Vec<String>,
}

/// A moment: "start", "end", "50%", or seconds.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Moment {
    Seconds(f64),
    Words(String),
}

/// Prescribed values for quantities of each kind.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct AtSheet {
    time: Option<Moment>,
    phase: Option<String>,
    q: Option<Group>,
    v: Option<Group>,
    a: Option<Group>,
    u: Option<Group>,
    f: Option<Group>,
    points: Option<Group>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundSheet {
    phase: Option<String>,
    q: Option<Group>,
    v: Option<Group>,
    a: Option<Group>,
    u: Option<Group>,
    f: Option<Group>,
    points: Option<Group>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CostSheet {
    term: String,
    weight: Option<Number>,
    of: Option<Vec<String>>,
    time: Option<Moment>,
    phase: Option<String>,
    file: Option<String>,
    q: Option<Group>,
    v: Option<Group>,
    points: Option<Group>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GuessSheet {
    file: Option<String>,
    start: Option<PointGuess>,
    end: Option<PointGuess>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PointGuess {
    q: Option<Group>,
    v: Option<Group>,
    u: Option<Group>,
}

impl Problem {
    /// Reads a problem file; paths in it are relative to its folder.
    ///
    /// # Errors
    /// If the file is invalid; says what is wrong, and where.
    pub fn read(path: impl AsRef<Path>) -> Result<Problem, OptimizeError> {
        let path = path.as_ref();
        let told = |e: &dyn std::fmt::Display| OptimizeError::File(format!("{}: {e}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|e| told(&e))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let sheet: Sheet = if path.extension().is_some_and(|e| e == "json") {
            serde_json::from_str(&text).map_err(|e| told(&e))?
        } else {
            toml::from_str(&text).map_err(|e| told(&e))?
        };
        build::build(&sheet, folder).map_err(|e| told(&e))
    }

    /// Reads a problem from TOML; paths in it are relative to the current folder.
    ///
    /// # Errors
    /// If the text is invalid; says what is wrong, and where.
    pub fn from_toml(text: &str) -> Result<Problem, OptimizeError> {
        let sheet = toml::from_str(text).map_err(|e| OptimizeError::File(e.to_string()))?;
        build::build(&sheet, Path::new("."))
    }

    /// Reads a problem from JSON with the same keys; paths in it are relative to the current folder.
    ///
    /// # Errors
    /// If the text is invalid; says what is wrong, and where.
    pub fn from_json(text: &str) -> Result<Problem, OptimizeError> {
        let sheet = serde_json::from_str(text).map_err(|e| OptimizeError::File(e.to_string()))?;
        build::build(&sheet, Path::new("."))
    }
}
