//! Files of a motion that was found.

use crate::failure::{Outcome, failure};
use crate::lagrange::picture;
use crate::output::{self, Archive, FilmOptions, Films, Target, quote};
use crate::plan::Plan;
use crate::subject::{FileOptions, Subject};
use poinsot::Formulation;
use poinsot::constraint::Stabilisation;
use poinsot::dynamics::State;
use poinsot::hierarchy::{AffineDynamics, AffineModel};
use poinsot::integrate::Method;
use poinsot_optimize::{Problem, Solution};
use poinsot_view::stretch;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Pictures are taken this often, s.
const FINE: f64 = 1.0 / 240.0;

/// The output files: if any cannot be written, there is an error before the search begins.
pub struct Files<'a> {
    rows: Vec<Target>,
    out: &'a [PathBuf],
    film: &'a FilmOptions,
    shown: Option<Shown>,
}

/// What films and replays show.
enum Shown {
    Model(Box<Subject>),
    Nodes(AffineModel),
}

impl<'a> Files<'a> {
    pub fn new(out: &'a [PathBuf], film: &'a FilmOptions, problem: &Problem) -> Outcome<Files<'a>> {
        output::check_endings(out)?;
        let shown = match (film.wanted(out)?, &problem.model, &problem.nodes) {
            (false, ..) => None,
            (true, Some(name), _) => {
                Some(Shown::Model(Box::new(Subject::load(name.as_os_str(), &FileOptions::default())?)))
            }
            (true, None, Some(nodes)) => Some(Shown::Nodes(nodes.clone())),
            (true, None, None) => {
                return Err(failure("this system is given by formulas and has no shapes to show")
                    .help("write .csv, .npz or .json, or draw it with --plot"));
            }
        };
        let rows = out
            .iter()
            .filter(|p| output::takes_rows(p))
            .map(|p| Target::create(p))
            .collect::<Outcome<_>>()?;
        Ok(Files { rows, out, film, shown })
    }

    pub fn write(self, found: &Solution) -> Outcome<()> {
        let mut files: Vec<Target> =
            self.rows.into_iter().map(|file| rows(found, file)).collect::<Outcome<_>>()?;
        match &self.shown {
            Some(Shown::Model(subject)) => files.extend(filmed(self.film, self.out, subject, found)?),
            Some(Shown::Nodes(nodes)) => files.extend(stretched(self.film, self.out, nodes, found)?),
            None => {}
        }
        output::place(files)
    }
}

/// A moving picture of nodes.
pub struct Picture {
    file: Target,
    nodes: AffineDynamics,
}

impl Picture {
    pub fn new(path: &Path, problem: &Problem) -> Outcome<Picture> {
        let nodes = problem.nodes.clone().ok_or_else(|| {
            failure("--picture shows nodes that stretch; this system has none")
                .help("films of models: --out FILE.gif")
        })?;
        Ok(Picture { file: Target::create(path)?, nodes: AffineDynamics::new(nodes) })
    }

    pub fn write(mut self, found: &Solution) -> Outcome<()> {
        let whole = found.time.last().copied().unwrap_or(0.0);
        let frames = (whole * 30.0).ceil().max(1.0) as usize;
        let dt = whole / frames as f64;
        let scenes: Result<Vec<_>, _> =
            (0..=frames).map(|k| self.nodes.transforms(&found.at(k as f64 * dt).0)).collect();
        self.file.fill(picture::svg(self.nodes.model(), &scenes?, dt).as_bytes())
    }
}

fn rows(found: &Solution, mut file: Target) -> Outcome<Target> {
    let ending =
        |path: &Path| path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    match ending(file.path()).as_str() {
        "csv" => file.write(|file| csv(found, file))?,
        "npz" => file.write(|file| npz(found, file))?,
        _ => file.write(|file| writeln!(file, "{}", object(found)))?,
    }
    file.complete()
}

/// A kind of numbers: its word, names and rows.
type Kind<'a> = (&'static str, &'a [String], &'a [Vec<f64>]);

fn kinds(found: &Solution) -> [Kind<'_>; 5] {
    let names = &found.names;
    let a: &[String] = if names.v.is_empty() { &names.q } else { &names.v };
    [
        ("qpos", &names.q, &found.q),
        ("qvel", &names.v, &found.v),
        ("qacc", a, &found.a),
        ("control", &names.u, &found.u),
        ("force", &names.f, &found.f),
    ]
}

fn csv(found: &Solution, file: &mut impl Write) -> std::io::Result<()> {
    write!(file, "time,phase")?;
    for (word, names, _) in kinds(found) {
        for name in names {
            write!(file, ",{}", quote(&format!("{name}.{word}")))?;
        }
    }
    writeln!(file)?;
    for (k, time) in found.time.iter().enumerate() {
        write!(file, "{time},{}", found.phase[k])?;
        for (_, _, rows) in kinds(found) {
            for x in &rows[k] {
                write!(file, ",{x}")?;
            }
        }
        writeln!(file)?;
    }
    Ok(())
}

fn npz(found: &Solution, file: &mut impl Write) -> std::io::Result<()> {
    let (n, mut archive) = (found.time.len(), Archive::new(file));
    archive.numbers("time", &found.time, &[n])?;
    for (word, names, rows) in kinds(found) {
        archive.numbers(word, &rows.concat(), &[n, names.len()])?;
        archive.strings(&format!("{word}_names"), names)?;
    }
    archive.finish()
}

fn object(found: &Solution) -> Value {
    let mut object = json!({"cost": found.cost, "time": found.time, "phase": found.phase});
    for (word, names, rows) in kinds(found) {
        object[word] = json!(rows);
        object[format!("{word}_names")] = json!(names);
    }
    object
}

/// Films and replays, from states between the times of the solution.
fn filmed(film: &FilmOptions, out: &[PathBuf], subject: &Subject, found: &Solution) -> Outcome<Vec<Target>> {
    let whole = found.time.last().copied().unwrap_or(0.0);
    let steps = (whole / FINE).ceil().max(1.0) as usize;
    let dt = whole / steps as f64;
    let plan = Plan {
        dt,
        steps,
        rest: 0.0,
        integrator: Method::default(),
        formulation: Formulation::default(),
        stabilisation: Stabilisation::default(),
        contact: None,
    };
    let state = |k: usize| {
        let (q, v) = found.at(k as f64 * dt);
        State { time: k as f64 * dt, q, v, ..State::new(&subject.model) }
    };
    let mut films: Films = film.films(out, &plan, output::projector(subject, &plan, &state(0)))?;
    // the forces of a solution act on the joints: the actuators of the file are off
    let rest = vec![0.0; subject.model.actuators().len()];
    for k in 0..=steps {
        films.take_state(&state(k), &rest, k, dt)?;
    }
    films.complete_state(&state(steps), &rest)
}

/// Films and replays of nodes that stretch.
fn stretched(
    film: &FilmOptions,
    out: &[PathBuf],
    nodes: &AffineModel,
    found: &Solution,
) -> Outcome<Vec<Target>> {
    let whole = found.time.last().copied().unwrap_or(0.0);
    film.write_frames(out, |interval| {
        let mut nodes = AffineDynamics::new(nodes.clone());
        let times = (0..).map(|k| f64::from(k) * interval).take_while(|t| *t < whole).chain([whole]);
        let scenes: Outcome<Vec<_>> = times.map(|t| Ok((t, nodes.transforms(&found.at(t).0)?))).collect();
        Ok(stretch::recording(nodes.model(), "optimal motion", &scenes?))
    })
}
