//! The files of `poinsot lagrange`, and the systems that are built in.

use crate::failure::{Failure, Outcome, failure};
use poinsot::lagrange::FormulaLagrangian;
use poinsot_optimize::{NodeStart as Start, Nodes};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

const BUILT_IN: [(&str, &str); 5] = [
    ("double-pendulum", include_str!("../../models/double-pendulum.toml")),
    ("hoop", include_str!("../../models/hoop.toml")),
    ("kepler", include_str!("../../models/kepler.toml")),
    ("spherical-pendulum", include_str!("../../models/spherical-pendulum.toml")),
    ("squash", include_str!("../../models/squash.toml")),
];

/// The contents of a file.
pub enum Content {
    Energies(Energies),
    Nodes(Nodes),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Energies {
    coordinates: Vec<String>,
    kinetic: Option<String>,
    potential: Option<String>,
    #[serde(default)]
    parameters: BTreeMap<String, f64>,
    #[serde(default)]
    atoms: Vec<Atom>,
    density: Option<String>,
    #[serde(default)]
    constraints: Vec<String>,
    pub start: Start,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Atom {
    mass: f64,
    at: [String; 3],
}

/// The name and the text of a file or of a built-in system.
pub fn text(file: &Path) -> Outcome<(String, String)> {
    let name = file.display().to_string();
    if let Some((_, text)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
        return Ok((name, (*text).to_string()));
    }
    match std::fs::read_to_string(file) {
        Ok(text) => Ok((name, text)),
        Err(error) => {
            let names = BUILT_IN.map(|(name, _)| name).join(", ");
            Err(failure(format!("{name}: {error}")).help(format!("give a TOML file, or one of {names}")))
        }
    }
}

/// The contents of a text.
pub fn read(name: &str, text: &str) -> Outcome<Content> {
    let table: toml::Table = toml::from_str(text).map_err(|e| wrong(name, &e))?;
    if table.contains_key("node") {
        toml::from_str(text).map(Content::Nodes).map_err(|e| wrong(name, &e))
    } else {
        toml::from_str(text).map(Content::Energies).map_err(|e| wrong(name, &e))
    }
}

fn wrong(name: &str, error: &toml::de::Error) -> Failure {
    failure(format!("{name}: {error}"))
        .help("`poinsot lagrange double-pendulum --show` and `… squash --show` print files to start from")
}

impl Energies {
    pub fn written(&self) -> Outcome<FormulaLagrangian> {
        let parameters: Vec<(String, f64)> = self.parameters.iter().map(|(n, x)| (n.clone(), *x)).collect();
        let nothing = "0".to_string();
        let of = |formula: &Option<String>| formula.clone().unwrap_or_else(|| nothing.clone());
        let mut written = FormulaLagrangian::new(&self.coordinates, &parameters)?
            .kinetic_energy(&of(&self.kinetic))?
            .potential_energy(&of(&self.potential))?
            .density(&of(&self.density))?;
        for atom in &self.atoms {
            let [x, y, z] = &atom.at;
            written = written.atom(atom.mass, [x, y, z])?;
        }
        Ok(self.constraints.iter().try_fold(written, |w, c| w.constraint(c))?)
    }
}
