//! The model a command is about: a built-in scene, or a file.

use crate::draw::{self, Least};
use crate::failure::{Failure, Outcome, failure};
use crate::report::count;
use clap::Args;
use poinsot::dynamics::State;
use poinsot::formats::{
    self, ConvexParts, Description, Format, Ground, LoadOptions, Motors, Report, Severity, TriangleMesh,
    did_you_mean,
};
use poinsot::integrate::Method;
use poinsot::model::Model;
use poinsot::scenes::{self, SCENES, Scene, SceneError};
use poinsot::{Contact, note_integrator};
use poinsot_collide::{Decomposition, decompose};
use poinsot_view::diagnostics;
use poinsot_view::gallery::EXHIBITS;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// How model files are read.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reading files")]
pub struct FileOptions {
    /// URDF: the root link moves freely instead of being fixed to the world
    #[arg(long)]
    floating_base: bool,
    /// URDF: merge links on fixed joints into their parents
    #[arg(long)]
    merge_fixed: bool,
    /// MJCF: joint limits yield according to solreflimit instead of being rigid
    #[arg(long)]
    soft_limits: bool,
    /// URDF: give every hinge and slide that does not mimic another a motor; its control is the force or torque, within the joint's effort limit
    #[arg(long)]
    motors: bool,
    /// Put a floor under the model: at the lowest point of its collision shapes in the reference configuration, or at the height Z, m
    #[arg(long, value_name = "Z", num_args = 0..=1, require_equals = true, default_missing_value = "below", allow_negative_numbers = true, value_parser = Ground::from_str)]
    ground: Option<Ground>,
    /// Decompose concave meshes into convex parts for contact, instead of using their hulls or triangles
    #[arg(long)]
    decompose: bool,
    /// Also look for meshes and package://NAME/… in this folder (may be given several times)
    #[arg(long, value_name = "DIR")]
    package_path: Vec<PathBuf>,
    /// Read nothing outside this folder, whatever the model names: for untrusted models
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

fn convex_parts() -> ConvexParts {
    let by = |mesh: &TriangleMesh| decompose(mesh, Decomposition::default()).map_err(|e| e.to_string());
    ConvexParts { meshes: None, by }
}

impl FileOptions {
    fn for_loading(&self) -> LoadOptions {
        LoadOptions {
            format: None,
            search: self.package_path.clone(),
            root: self.root.clone(),
            floating_base: self.floating_base,
            merge_fixed: self.merge_fixed,
            soft_limits: self.soft_limits,
            motors: if self.motors { Motors::All } else { Motors::None },
            ground: self.ground,
            convex_parts: self.decompose.then(convex_parts),
        }
    }
    /// The first of these options that was given, if any.
    pub fn given(&self) -> Option<&'static str> {
        let flags = [
            (self.floating_base, "--floating-base"),
            (self.merge_fixed, "--merge-fixed"),
            (self.soft_limits, "--soft-limits"),
            (self.motors, "--motors"),
            (self.ground.is_some(), "--ground"),
            (self.decompose, "--decompose"),
            (!self.package_path.is_empty(), "--package-path"),
            (self.root.is_some(), "--root"),
        ];
        flags.into_iter().find(|(given, _)| *given).map(|(_, flag)| flag)
    }
}

/// A model with its initial state and the facts about its source.
pub struct Subject {
    /// What the user typed.
    pub name: String,
    /// The model.
    pub model: Model,
    /// The initial state.
    pub state: State,
    /// Its source.
    pub origin: Origin,
}

/// The source of a model.
pub enum Origin {
    /// Built in, with its own settings.
    Scene {
        /// How long a run is, s.
        duration: f64,
        /// The step, s.
        dt: f64,
        /// The integrator.
        integrator: Method,
        /// The settings of its model file, if it has one.
        description: Option<Box<Description>>,
        /// The control signals at the beginning; empty: all 0.
        control: Vec<f64>,
        /// How bodies in contact are kept apart.
        contact: Option<Contact>,
    },
    /// Read from files.
    File {
        /// All their contents.
        description: Box<Description>,
        /// Their diagnostics.
        report: Report,
    },
}

impl Subject {
    /// How bodies in contact are kept apart by default: as in the scene; for files exactly, if the integrator supports contact and the file
    /// does not switch it off.
    pub fn usual_contact(&self, integrator: Method) -> Option<Contact> {
        match &self.origin {
            Origin::Scene { contact, .. } => contact.filter(|_| Contact::is_stepped_by(integrator)),
            Origin::File { description, .. } if description.options.no_contact() => None,
            Origin::File { .. } => Contact::usual(&self.model, integrator),
        }
    }

    /// The scene of this name, or the model of this file.
    pub fn load(name: &OsStr, options: &FileOptions) -> Outcome<Subject> {
        match name.to_str().filter(|name| !is_path(name)) {
            Some(name) => Subject::from_scene(name, options),
            None => Subject::from_file(Path::new(name), options),
        }
    }

    fn from_scene(name: &str, options: &FileOptions) -> Outcome<Subject> {
        let scene = scenes::by_name(name).map_err(|e| unknown_scene(&e))?;
        if let Some(flag) = options.given() {
            return Err(failure(format!("{flag} is for model files, and \"{name}\" is a built-in scene")));
        }
        let Scene { model, state, duration, dt, integrator, description, control, contact } = scene;
        let origin = Origin::Scene { duration, dt, integrator, description, control, contact };
        Ok(Subject { name: name.to_string(), model, state, origin })
    }

    fn from_file(path: &Path, options: &FileOptions) -> Outcome<Subject> {
        let loaded = match formats::load_with(path, &options.for_loading()) {
            Ok(loaded) => loaded,
            Err(error) => return Err(unloadable(path, error.report)),
        };
        let name = path.display();
        let description = Box::new(loaded.description);
        let of_urdf = [
            (
                options.floating_base,
                "--floating-base",
                "put <freejoint/> into a body of the file to let it move freely",
            ),
            (
                options.merge_fixed,
                "--merge-fixed",
                "leave it out: bodies without joints are fixed to their parents",
            ),
            (options.motors, "--motors", "add <motor joint=\"…\"/> to the <actuator> of the file"),
        ];
        let given = of_urdf.into_iter().find(|(given, ..)| *given);
        if let (Format::Mjcf, Some((_, flag, help))) = (description.format, given) {
            return Err(failure(format!("{flag} is for URDF files, and {name} is MJCF")).help(help));
        }
        if description.format == Format::Urdf && options.soft_limits {
            return Err(failure(format!("--soft-limits is for MJCF files, and {name} is URDF"))
                .help("leave it out: URDF does not describe soft limits"));
        }
        let (model, mut report) = (loaded.model, loaded.report);
        note_integrator(&description, &model, &mut report);
        let state = State::new(&model);
        Ok(Subject { name: name.to_string(), state, model, origin: Origin::File { description, report } })
    }

    /// The description in the file, if there is one.
    pub fn description(&self) -> Option<&Description> {
        match &self.origin {
            Origin::File { description, .. } => Some(description),
            Origin::Scene { description, .. } => description.as_deref(),
        }
    }
    /// The initial control signals, if it has any.
    pub fn control(&self) -> Option<Vec<f64>> {
        match &self.origin {
            Origin::Scene { control, .. } if !control.is_empty() => Some(control.clone()),
            _ => None,
        }
    }
    /// The diagnostics of the file, if there is one.
    pub fn report(&self) -> Option<&Report> {
        match &self.origin {
            Origin::File { report, .. } => Some(report),
            Origin::Scene { .. } => None,
        }
    }
    /// Shows warnings, and notes if requested, on standard error.
    pub fn show_diagnostics(&self, verbose: bool) {
        let Some(report) = self.report() else { return };
        let doctor = format!("`poinsot doctor {}`", self.name);
        let (least, most) =
            if verbose { (Least::Notes, None) } else { (Least::Warnings, Some((5, &*doctor))) };
        draw::to_stderr(report, least, most);
    }
    /// The diagnostics as JSON.
    pub fn diagnostics_json(&self) -> Value {
        self.report().map_or_else(|| json!([]), diagnostics::json)
    }
    /// Refuses a model whose accelerations are not determined, with the names of its joints.
    pub fn refuse_singular(&self, what: &str) -> Outcome<()> {
        let Some(why) = poinsot::singular_sentence(&self.model) else { return Ok(()) };
        let message = format!("{what} \"{}\" is not possible: {why}", self.name);
        Err(failure(message).help(format!("`poinsot doctor {}` shows where", self.name)))
    }
}

/// Scenes have neither separators nor extensions; a scene's name takes precedence over a file of the same name.
fn is_path(name: &str) -> bool {
    let path = Path::new(name);
    let known = |e: &std::ffi::OsStr| ["xml", "urdf", "mjcf"].iter().any(|k| e.eq_ignore_ascii_case(k));
    let scene = SCENES.iter().any(|(s, _)| *s == name);
    name.contains(std::path::is_separator)
        || path.extension().is_some_and(known)
        || (!scene && path.is_file())
}

fn unknown_scene(error: &SceneError) -> Failure {
    let SceneError::Unknown { name } = error else { return failure(error) };
    if Path::new(name).is_dir() {
        return failure(format!("{name} is a folder")).help("give the path of a model file, .xml or .urdf");
    }
    if EXHIBITS.iter().any(|e| e.name == name) {
        return failure(format!("\"{name}\" is an exhibit with several simulations, only for viewing"))
            .help(format!("`poinsot view {name}` shows it"));
    }
    let exhibits = EXHIBITS.iter().map(|e| e.name).filter(|n| SCENES.iter().all(|(s, _)| s != n));
    let names: Vec<&str> = SCENES.iter().map(|(n, _)| *n).chain(exhibits).collect();
    let help = format!(
        "scenes: {}; a model file is given by its path, as in robot.xml, robot.urdf or ./robot",
        names.join(", ")
    );
    failure(format!("{error}; and there is no file of this name")).help(help)
}

fn unloadable(path: &Path, report: Report) -> Failure {
    let errors = count(report.count(Severity::Error), "error", "errors");
    let fail = failure(format!("there is no model in {}: {errors}", path.display()));
    let fail = match neighbour(path) {
        Some(near) if !path.exists() => fail.help(format!("did you mean {}?", near.display())),
        _ => fail,
    };
    fail.with_report(report)
}

/// A file next to `path` with nearly the same name.
fn neighbour(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let names: Vec<String> = entries.filter_map(|e| e.file_name().into_string().ok()).collect();
    let near = did_you_mean(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near))
}
