//! `poinsot ik`: a configuration that puts bodies at their targets.

use crate::Screen;
use crate::eval::body_named;
use crate::failure::{Outcome, failure};
use crate::numbers::{fitting, read};
use crate::report::{count, print};
use crate::subject::{FileOptions, Subject};
use clap::Args;
use poinsot::algebra::V3;
use poinsot::inverse_kinematics::{self, Search, Solution, Target, solve};
use poinsot::model::{Frame, Model};
use poinsot::names::{Space, labels};
use poinsot::spatial::{Pose, Quat};
use serde_json::json;
use std::ffi::OsString;

/// Inverse kinematics: find joint coordinates that put bodies where you want them
///
/// Exit code 0 if all targets are reached, 1 otherwise; the closest configuration found is printed either way.
#[derive(Args)]
pub struct Ik {
    /// A built-in scene, or the path of an MJCF or URDF file
    model: OsString,
    /// Target of a body or site in the world: NAME=x,y,z or NAME=x,y,z,qw,qx,qy,qz (may be given several times)
    #[arg(long = "target", value_name = "NAME=NUMBERS", allow_hyphen_values = true)]
    targets: Vec<String>,
    /// Target of the centre of mass
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    com: Option<String>,
    /// The initial coordinates [default: those of the file]
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    qpos: Option<String>,
    /// Coordinates to stay close to where the targets leave freedom
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    posture: Option<String>,
    /// The largest deviation that counts as reached, m and rad
    #[arg(long, value_name = "NUMBER", default_value = "1e-9")]
    tolerance: f64,
    /// How many starts to try: the first as given, the others random but the same in every run
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = at_least_one)]
    starts: usize,
    /// Ignore joint limits
    #[arg(long)]
    no_limits: bool,
    #[command(flatten)]
    files: FileOptions,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "give a number of 1 or more".into())
}

fn target(model: &Model, text: &str) -> Outcome<(String, Target)> {
    let Some((name, numbers)) = text.split_once('=') else {
        return Err(failure(format!("--target {text}: give NAME=x,y,z or NAME=x,y,z,qw,qx,qy,qz")));
    };
    let frame = match model.site(name).filter(|_| model.body(name).is_none()) {
        Some(site) => Frame::from(&model.sites()[site.index()]),
        None => Frame { body: body_named(model, name)?, pose: Pose::IDENTITY },
    };
    let wanted = match read("--target", numbers)?[..] {
        [x, y, z] => Target::Position(frame, V3::new(x, y, z)),
        [x, y, z, w, a, b, c] => {
            let q = Quat { w, x: a, y: b, z: c };
            if q.norm() == 0.0 || !q.norm().is_finite() {
                return Err(failure(format!(
                    "--target {text}: the quaternion is 0, which is not an attitude"
                )));
            }
            Target::Pose(frame, Pose { rot: q.normalized().matrix(), pos: V3::new(x, y, z) })
        }
        ref other => {
            let message = format!("--target {text}: {} numbers; give three, or seven", other.len());
            return Err(failure(message));
        }
    };
    Ok((name.to_string(), wanted))
}

impl Ik {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        let subject = Subject::load(&self.model, &self.files)?;
        let model = &subject.model;
        let mut targets =
            self.targets.iter().map(|t| target(model, t)).collect::<Outcome<Vec<(String, Target)>>>()?;
        if let Some(text) = &self.com {
            match read("--com", text)?[..] {
                [x, y, z] => targets.push(("centre of mass".into(), Target::CentreOfMass(V3::new(x, y, z)))),
                ref other => return Err(failure(format!("--com: {} numbers; give three", other.len()))),
            }
        }
        let q = |flag, text: Option<&str>| fitting(flag, text, model, Space::Position, model.neutral());
        let start = q("--qpos", self.qpos.as_deref())?;
        let posture = self.posture.as_deref().map(|text| q("--posture", Some(text))).transpose()?;
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return Err(failure(format!("--tolerance {}: give a positive number", self.tolerance)));
        }
        let search = Search {
            tolerance: self.tolerance,
            starts: self.starts,
            limits: !self.no_limits,
            posture,
            ..Search::default()
        };
        let wanted: Vec<Target> = targets.iter().map(|(_, t)| *t).collect();
        let found = solve(model, &wanted, &start, &search)
            .map_err(|e| failure(e.to_string()).help("give --target NAME=x,y,z"))?;
        let names: Vec<&str> = targets.iter().map(|(name, _)| name.as_str()).collect();
        let text =
            if screen.json { as_json(model, &names, &found) } else { as_text(model, &targets, &found) };
        print(&text)?;
        Ok(u8::from(found.outcome != inverse_kinematics::Outcome::Converged))
    }
}

fn word(found: &Solution) -> &'static str {
    match found.outcome {
        inverse_kinematics::Outcome::Converged => "converged",
        inverse_kinematics::Outcome::Unreachable => "unreachable",
        inverse_kinematics::Outcome::LocalMinimum => "local minimum",
    }
}

fn as_json(model: &Model, names: &[&str], found: &Solution) -> String {
    let of = |(name, d): (&&str, &inverse_kinematics::Deviation)| json!({"target": name, "distance": d.distance, "angle": d.angle});
    let object = json!({
        "model": model.name(),
        "status": word(found),
        "qpos": found.q,
        "qpos_names": labels(model, Space::Position),
        "targets": names.iter().zip(&found.deviations).map(of).collect::<Vec<_>>(),
        "constraints": found.gap,
        "iterations": found.iterations,
        "starts": found.starts,
        "at_limit": found.at_limit.iter().map(|k| model.dof_name(*k)).collect::<Vec<_>>(),
    });
    format!("{object:#}\n")
}

/// All digits, in exponential notation if small.
fn tidy(x: f64) -> String {
    if x != 0.0 && x.abs() < 1e-4 { format!("{x:e}") } else { x.to_string() }
}

fn as_text(model: &Model, targets: &[(String, Target)], found: &Solution) -> String {
    let (steps, starts) = (found.iterations, found.starts);
    let mut out = format!("{}: {steps} steps from {}\n", word(found), count(starts, "start", "starts"));
    for ((name, target), d) in targets.iter().zip(&found.deviations) {
        let turned = match target {
            Target::Pose(..) => format!(" and {:.3e} rad", d.angle),
            _ => String::new(),
        };
        out += &format!("  {name}: {:.3e} m{turned} from its target\n", d.distance);
    }
    if !model.constraints().is_empty() {
        out += &format!("  constraints of the model: {:.3e} m or rad from being met\n", found.gap);
    }
    for k in &found.at_limit {
        out += &format!("  {} is at its limit\n", model.dof_name(*k));
    }
    let labels = labels(model, Space::Position);
    let width = labels.iter().map(|n| n.chars().count()).max().unwrap_or(0);
    out.extend(labels.iter().zip(&found.q).map(|(name, x)| format!("  {name:width$}  {}\n", tidy(*x))));
    out
}
