//! `poinsot explain`: inverse dynamics of a given motion.

use crate::Screen;
use crate::failure::{Outcome, failure};
use crate::output::{self, Target, quote};
use crate::plot::{
    self,
    sheet::{Axis, Curve, Panel, Pen, Sheet},
};
use crate::report::{count, print};
use crate::subject::{FileOptions, Subject};
use clap::Args;
use poinsot::names::{Space, labels};
use poinsot::spatial::Force;
use poinsot_optimize::Explained;
use serde_json::json;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

/// Compute the forces that a given motion requires, and whether anything could exert them
///
/// CLIP is a .csv with a column `time` and a column for each coordinate, or an .npz with `time` and `qpos`, as `poinsot run --out` and
/// `poinsot optimize --out` write them. The clip is resampled at equal steps and smoothed (Whittaker, third differences); velocities and
/// accelerations are those of polynomials of fourth degree through five rows. Forces along degrees of freedom that nothing drives must come
/// from outside, or the motion is not physical.
#[derive(Args)]
pub struct Explain {
    /// A built-in scene, or the path of an MJCF or URDF file
    model: OsString,
    /// The motion: a .csv or .npz file
    clip: PathBuf,
    /// The frequency at which smoothing halves a sine, Hz [default: a tenth of the rows in a second]
    #[arg(long, value_name = "HZ", value_parser = hertz)]
    cutoff: Option<f64>,
    /// Use the clip as it is
    #[arg(long, conflicts_with = "cutoff")]
    no_smoothing: bool,
    /// Write time, coordinates, velocities, accelerations, joint forces and the external force to this .csv file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the forces over time into this .svg or .png file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    files: FileOptions,
}

fn hertz(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|x: &f64| *x > 0.0 && x.is_finite());
    number.ok_or_else(|| "give a positive number of Hz".into())
}

impl Explain {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        let subject = Subject::load(&self.model, &self.files)?;
        let model = &subject.model;
        if let Some(first) = model.constraints().first() {
            crate::report::tell(&format!(
                "note: {} ({}): their forces cannot be separated from those of their joints and are included in them\n",
                count(model.constraints().len(), "constraint", "constraints"),
                first.name
            ));
        }
        if let Some(path) = self.out.as_deref().filter(|p| p.extension().is_none_or(|e| e != "csv")) {
            return Err(failure(format!("--out {}: rows are written as .csv", path.display()))
                .help("use this file extension; `--json` prints all of it as JSON"));
        }
        if let Some(path) = &self.plot {
            plot::check_ending("--plot", path)?;
        }
        let out = self.out.as_deref().map(Target::create).transpose()?;
        let mut found = poinsot_optimize::explain(model, &self.clip, self.cutoff)?;
        if !self.no_smoothing && self.cutoff.is_none() {
            let rows = (found.time.len() - 1) as f64;
            let rate = rows / (found.time[found.time.len() - 1] - found.time[0]);
            found = poinsot_optimize::explain(model, &self.clip, Some(rate / 10.0))?;
        }
        if let Some(mut file) = out {
            file.write(|file| rows(&found, &labels(model, Space::Position), file))?;
            output::place([file.complete()?])?;
        }
        if let Some(path) = &self.plot {
            plot::write(&sheet(&found, model.name()), path)?;
        }
        print(&if screen.json { format!("{:#}\n", object(&found)) } else { words(&found) })?;
        Ok(0)
    }
}

/// The time in the interior at which something is largest, and how large it is there.
fn peak(found: &Explained, of: impl Fn(usize) -> f64) -> (f64, f64) {
    let most = found.interior().max_by(|a, b| of(*a).abs().total_cmp(&of(*b).abs())).unwrap_or(0);
    (found.time[most], of(most))
}

fn words(found: &Explained) -> String {
    let mut text = String::new();
    // writing to a String cannot fail
    let _ = match found.cutoff {
        Some(cutoff) => {
            writeln!(text, "{} rows, smoothed with a cut-off of {cutoff:.4} Hz", found.time.len())
        }
        None => writeln!(text, "{} rows, not smoothed", found.time.len()),
    };
    let inside = found.interior();
    if inside.len() < found.time.len() {
        let (from, to) = (found.time[inside.start], found.time[inside.end - 1]);
        let _ = writeln!(text, "from {from:.4} to {to:.4} s: nearer to the ends, smoothing bends the motion");
    }
    let _ = writeln!(text, "{:<24} {:>12} {:>10}", "largest force, N or N m", "", "at, s");
    for (k, (name, driven)) in found.dofs.iter().enumerate() {
        let (time, value) = peak(found, |row| found.tau[row][k]);
        let note = if *driven { "" } else { "  nothing drives it" };
        let _ = writeln!(text, "{name:<24} {value:>12.5} {time:>10.4}{note}");
    }
    let _ = writeln!(
        text,
        "{:<24} {:>12} {:>10} {:>12} {:>10}",
        "largest reaction of", "force, N", "at, s", "moment, N m", "at, s"
    );
    for (k, body) in found.bodies.iter().enumerate() {
        let (time, force) = peak(found, |row| found.reactions[row][k].force.norm());
        let (later, moment) = peak(found, |row| found.reactions[row][k].moment.norm());
        let _ = writeln!(text, "{body:<24} {force:>12.5} {time:>10.4} {moment:>12.5} {later:>10.4}");
    }
    let residual = found.residual();
    let (time, value) = peak(found, |row| residual[row]);
    if found.dofs.iter().any(|(_, driven)| !driven) {
        let part = if found.weight > 0.0 {
            format!(", {:.3} of the weight", value / found.weight)
        } else {
            String::new()
        };
        let _ = writeln!(
            text,
            "largest residual: {value:.5} at {time:.4} s{part}: something outside must exert it, or the motion is not physical"
        );
    }
    match found.pulls().first() {
        Some((time, pull)) => {
            let count = found.pulls().len();
            let _ = writeln!(
                text,
                "not physical on ground alone: at {count} of the times it would have to pull, most at {time:.4} s with {pull:.3} N"
            );
        }
        None if found.floats => {
            let _ = writeln!(text, "ground that only pushes could exert the vertical force at all times");
        }
        None => {}
    }
    text
}

fn object(found: &Explained) -> serde_json::Value {
    json!({
        "cutoff": found.cutoff,
        "interior": [found.interior().start, found.interior().end],
        "dofs": found.dofs.iter().map(|(name, driven)| json!({"name": name, "driven": driven})).collect::<Vec<_>>(),
        "time": found.time,
        "qpos": found.q,
        "qvel": found.v,
        "qacc": found.a,
        "tau": found.tau,
        "residual": found.residual(),
        "external_force": found.force,
        "bodies": found.bodies,
        "reactions": reactions(found),
        "weight": found.weight,
        "pulls": found.pulls(),
    })
}

/// A list for each time, of force and moment for each body.
fn reactions(found: &Explained) -> serde_json::Value {
    let of = |row: &Vec<Force>| -> Vec<_> {
        row.iter().map(|f| json!({"force": f.force.array(), "moment": f.moment.array()})).collect()
    };
    json!(found.reactions.iter().map(of).collect::<Vec<_>>())
}

fn rows(found: &Explained, coordinates: &[String], file: &mut impl Write) -> std::io::Result<()> {
    write!(file, "time")?;
    for name in coordinates {
        write!(file, ",{}", quote(&format!("{name}.qpos")))?;
    }
    for word in ["qvel", "qacc", "tau"] {
        for (name, _) in &found.dofs {
            write!(file, ",{}", quote(&format!("{name}.{word}")))?;
        }
    }
    writeln!(file, ",external_force.x,external_force.y,external_force.z,residual")?;
    let residual = found.residual();
    for (k, time) in found.time.iter().enumerate() {
        write!(file, "{time}")?;
        for x in [&found.q[k], &found.v[k], &found.a[k], &found.tau[k]]
            .into_iter()
            .flatten()
            .chain(&found.force[k])
        {
            write!(file, ",{x}")?;
        }
        writeln!(file, ",{}", residual[k])?;
    }
    Ok(())
}

fn sheet(found: &Explained, name: &str) -> Sheet {
    let axis = |label: &str| Axis { label: label.into(), logarithmic: false, range: None };
    let panel = |label: &str, curves: Vec<Curve>| Panel {
        x: axis("time, s"),
        y: axis(label),
        curves,
        legend: true,
        marks: false,
    };
    let curve = |k: usize, name: String, of: &dyn Fn(usize) -> f64| Curve {
        name,
        points: found.time.iter().enumerate().map(|(row, t)| (*t, of(row))).collect(),
        pen: Pen::number(k),
    };
    let joints = found.dofs.iter().enumerate().filter(|(_, (_, driven))| *driven);
    let joints = joints
        .enumerate()
        .map(|(pen, (k, (name, _)))| curve(pen, name.clone(), &|row| found.tau[row][k]))
        .collect();
    let axes = ["x", "y", "z"].into_iter().enumerate();
    let outside =
        axes.map(|(k, a)| curve(k, format!("from outside, {a}"), &|row| found.force[row][k])).collect();
    let panels = vec![panel("forces of joints, N or N m", joints), panel("force from outside, N", outside)];
    Sheet { title: format!("{name}: forces of a given motion"), panels, panel_height: 240.0 }
}
