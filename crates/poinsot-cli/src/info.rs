//! `poinsot info`.

use crate::Screen;
use crate::constraints;
use crate::failure::Outcome;
use crate::report::{plain, print};
use crate::subject::{FileOptions, Subject};
use crate::tree;
use clap::Args;
use poinsot::formats::{Format, Severity};
use serde_json::{Map, Value, json};
use std::ffi::OsString;

/// Show what a model consists of
#[derive(Args)]
pub struct Info {
    /// A built-in scene, or the path of an MJCF or URDF file
    model: OsString,
    #[command(flatten)]
    files: FileOptions,
}

impl Info {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        let subject = Subject::load(&self.model, &self.files)?;
        if screen.json {
            print(&format!("{:#}\n", json(&subject)))?;
            return Ok(0);
        }
        subject.show_diagnostics(screen.verbose);
        print(&plain(&text(&subject)))?;
        Ok(0)
    }
}

fn format(subject: &Subject) -> &'static str {
    match subject.description().map(|d| d.format) {
        Some(Format::Mjcf) => "MJCF",
        Some(Format::Urdf) => "URDF",
        None => "built-in scene",
    }
}

/// The number of parts of each kind. Files may contain more than is simulated.
fn counts(subject: &Subject) -> Vec<(&'static str, usize)> {
    let model = &subject.model;
    let of_file = |count: fn(&poinsot::formats::Description) -> usize| subject.description().map_or(0, count);
    vec![
        ("bodies", model.bodies().len() - 1),
        ("joints", model.joints().len()),
        ("nq", model.nq()),
        ("nv", model.nv()),
        ("actuators", subject.description().map_or(model.actuators().len(), |d| d.actuators.len())),
        ("tendons", subject.description().map_or(model.tendons().len(), |d| d.tendons.len())),
        ("sensors", of_file(|d| d.sensors.len())),
        ("equalities", of_file(|d| d.equalities.len())),
        ("constraints", model.constraints().len()),
        ("keyframes", of_file(|d| d.keyframes.len())),
        ("geoms", of_file(|d| d.geoms().count())),
        ("sites", of_file(|d| d.sites().count())),
        ("meshes", of_file(|d| d.meshes.len())),
    ]
}

fn text(subject: &Subject) -> String {
    let model = &subject.model;
    let mut rows = vec![
        ("model", model.name().to_string()),
        ("format", format(subject).to_string()),
        ("total mass", format!("{} kg", tree::short(model.mass()))),
        ("gravity", tree::vector(model.gravity()) + " m/s²"),
    ];
    if let Some(d) = subject.description() {
        rows.push(("time step", format!("{} s", d.options.timestep)));
    }
    // the parts that every model has, and those that this one happens to have
    let shown = counts(subject).into_iter().enumerate().filter(|(k, (_, n))| *k < 4 || *n > 0);
    rows.extend(shown.map(|(_, (what, n))| (what, n.to_string())));
    let keys = subject.description().map_or(Vec::new(), |d| {
        d.keyframes.iter().filter(|k| !k.name.is_empty()).map(|k| k.name.as_str()).collect()
    });
    if !keys.is_empty() {
        rows.push(("keyframe names", keys.join(", ")));
    }
    if let Some(notes) = subject.report().map(|r| r.count(Severity::Note)).filter(|n| *n > 0) {
        rows.push(("notes", format!("{notes}; `poinsot doctor {}` shows them", subject.name)));
    }
    let mut out: String = rows.iter().map(|(name, value)| format!("  {name:16} {value}\n")).collect();
    out.push('\n');
    out.push_str(&tree::drawn(model));
    if !model.constraints().is_empty() {
        out.push('\n');
        out.push_str(&constraints::lines(model));
    }
    out
}

fn json(subject: &Subject) -> Value {
    let model = &subject.model;
    let counts: Map<String, Value> =
        counts(subject).into_iter().map(|(what, n)| (what.to_string(), json!(n))).collect();
    let mut object = json!({
        "name": model.name(),
        "format": subject.description().map_or("scene", |d| match d.format {
            Format::Mjcf => "mjcf",
            Format::Urdf => "urdf",
        }),
        "mass": model.mass(),
        "gravity": model.gravity().array(),
        "counts": counts,
        "bodies": tree::json(model),
        "constraints": constraints::json(model),
    });
    if let Some(d) = subject.description() {
        object["timestep"] = json!(d.options.timestep);
        object["keyframes"] = d.keyframes.iter().map(|k| json!(k.name)).collect();
    }
    object["diagnostics"] = subject.diagnostics_json();
    object
}
