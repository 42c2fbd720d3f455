//! `poinsot lagrange`: motion from energies, and of hierarchies that stretch, given in a small file.

mod file;
pub mod picture;

use crate::Screen;
use crate::failure::{Outcome, failure};
use crate::output::{self, FilmOptions, Target};
use crate::report::{count, print};
use clap::Args;
use file::{Content, Energies};
use poinsot::hierarchy::{AffineDynamics, AffineMethod};
use poinsot::lagrange::{EquationsOfMotion, LagrangeMethod, Phase};
use poinsot_optimize::Nodes;
use poinsot_view::stretch;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Simulate a system given by its energies, or a hierarchy of nodes that stretch
///
/// FILE is a TOML file with coordinates, kinetic and potential (docs/energies.md), or with nodes; or one of double-pendulum, hoop,
/// kepler, spherical-pendulum, squash.
#[derive(Args)]
pub struct Lagrange {
    /// The file, or a built-in system
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Simulated seconds
    #[arg(long, default_value_t = 10.0)]
    time: f64,
    /// The size of a step, s
    #[arg(long, default_value_t = 1e-3)]
    dt: f64,
    /// Energies: variational-4, midpoint, verlet, rk4, semi-implicit [default: variational-4]; nodes: rk4, semi-implicit [default: rk4]
    #[arg(long)]
    method: Option<String>,
    /// Write time, coordinates, velocities and energy of every step
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write an animated picture of the nodes, seen along y: an SVG file for the browser
    #[arg(long, value_name = "FILE.svg")]
    picture: Option<PathBuf>,
    /// Write a replay, film or glTF scene of the nodes: .html, .glb, .gif or .mp4
    #[arg(long, short, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Print the file of a built-in system, as a starting point, and do nothing else
    #[arg(long)]
    show: bool,
    #[command(flatten)]
    film: FilmOptions,
}

/// The result of a run.
struct Found {
    method: String,
    names: Vec<String>,
    /// Time, q, v and energy of each state.
    rows: Vec<(f64, Vec<f64>, Vec<f64>, f64)>,
    /// The greatest |C| at the end.
    open: f64,
}

impl Lagrange {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        let (name, text) = file::text(&self.file)?;
        if self.show {
            print(&text)?;
            return Ok(0);
        }
        let (steps, filmed) = (self.steps()?, self.filmed()?);
        let content = file::read(&name, &text)?;
        if filmed && matches!(content, Content::Energies(_)) {
            return Err(failure("only nodes can be shown; a system of energies has no shapes")
                .help("write its numbers with --csv FILE"));
        }
        let mut files = Vec::new();
        let (found, picture) = match content {
            Content::Energies(energies) => (self.run_energies(&energies, steps)?, None),
            Content::Nodes(nodes) => {
                let (found, picture) = self.run_nodes(&nodes, steps)?;
                if filmed {
                    files.extend(self.show_nodes(&name, &nodes, &found)?);
                }
                (found, picture)
            }
        };
        if let Some(path) = &self.csv {
            files.push(Target::create(path)?.filled(found.csv().as_bytes())?);
        }
        match (&self.picture, picture) {
            (Some(path), Some(picture)) => {
                files.push(Target::create(path)?.filled(picture.as_bytes())?);
            }
            (Some(_), None) => {
                return Err(failure("only nodes can be drawn; a system of energies has no shapes"));
            }
            (None, _) => {}
        }
        output::place(files)?;
        let text = if screen.json { format!("{:#}\n", found.json(&name)) } else { found.said(&name) };
        print(&text)?;
        Ok(0)
    }

    /// Whether films and replays are requested, in formats that show something.
    fn filmed(&self) -> Outcome<bool> {
        match self.out.iter().find(|path| !output::shows_frames(path)) {
            Some(path) => Err(failure(format!("{}: .html, .glb, .gif or .mp4 can be shown", path.display()))
                .help("the numbers go to --csv FILE, outlines to --picture FILE.svg")),
            None => self.film.wanted(&self.out),
        }
    }

    /// Films and replays, from the nearest state before each frame.
    fn show_nodes(&self, name: &str, nodes: &Nodes, found: &Found) -> Outcome<Vec<Target>> {
        let (model, ..) = nodes.model()?;
        let mut dynamics = AffineDynamics::new(model.clone());
        let mut all = Vec::with_capacity(found.rows.len());
        for (time, q, ..) in &found.rows {
            all.push((*time, dynamics.transforms(q)?));
        }
        self.film.write_frames(&self.out, |interval| {
            let every = ((interval / self.dt).round() as usize).max(1);
            let scenes: Vec<_> = all.iter().step_by(every).cloned().collect();
            Ok(stretch::recording(&model, name, &scenes))
        })
    }

    fn steps(&self) -> Outcome<usize> {
        let steps = (self.time / self.dt).round();
        if self.dt > 0.0 && (1.0..=1e8).contains(&steps) {
            Ok(steps as usize)
        } else {
            let (time, dt) = (self.time, self.dt);
            Err(failure(format!("{time} s in steps of {dt} s are {steps} steps"))
                .help("give --time and --dt so that there are between 1 and 1e8"))
        }
    }

    fn run_energies(&self, energies: &Energies, steps: usize) -> Outcome<Found> {
        let method = self.method.as_deref().unwrap_or("variational-4");
        let method: LagrangeMethod = method.parse().map_err(failure)?;
        let mut equations = EquationsOfMotion::new(energies.written()?);
        let mut phase = Phase::new(&mut equations, &energies.start.q, &energies.start.v)?;
        let mut rows = Vec::with_capacity(steps + 1);
        for step in 0..=steps {
            if step > 0 {
                equations.step(method, &mut phase, self.dt)?;
            }
            let energy = equations.energy(&phase.q, &phase.v);
            rows.push((phase.time, phase.q.clone(), phase.v.clone(), energy));
        }
        let open = equations.constraint_values(&phase.q).iter().fold(0.0f64, |m, c| m.max(c.abs()));
        let names = equations.energies().names().to_vec();
        Ok(Found { method: method.to_string(), names, rows, open })
    }

    fn run_nodes(&self, nodes: &Nodes, steps: usize) -> Outcome<(Found, Option<String>)> {
        let method = self.method.as_deref().unwrap_or("rk4");
        let method: AffineMethod = method.parse().map_err(failure)?;
        let (model, mut state, names) = nodes.model()?;
        let mut dynamics = AffineDynamics::new(model);
        dynamics.project(&mut state)?;
        let every = ((1.0 / (30.0 * self.dt)).round() as usize).max(1);
        let (mut rows, mut scenes) = (Vec::with_capacity(steps + 1), Vec::new());
        for step in 0..=steps {
            if step > 0 {
                dynamics.step(method, &mut state, self.dt)?;
            }
            let energy = dynamics.energy(&state.q, &state.v)?;
            rows.push((state.time, state.q.clone(), state.v.clone(), energy));
            if step % every == 0 && self.picture.is_some() {
                scenes.push(dynamics.transforms(&state.q)?);
            }
        }
        let mut c = vec![0.0; dynamics.model().rows()];
        dynamics.model().constraint_values(&state.q, &mut c);
        let open = c.iter().fold(0.0f64, |m, c| m.max(c.abs()));
        let picture = picture::svg(dynamics.model(), &scenes, every as f64 * self.dt);
        Ok((Found { method: method.to_string(), names, rows, open }, Some(picture)))
    }
}

impl Found {
    fn csv(&self) -> String {
        let velocities = self.names.iter().map(|n| format!("{n}_dot"));
        let head: Vec<String> =
            ["time".to_string()].into_iter().chain(self.names.iter().cloned()).chain(velocities).collect();
        let mut text = format!("{},energy\n", head.join(","));
        for (time, q, v, energy) in &self.rows {
            let numbers =
                [*time].into_iter().chain(q.iter().copied()).chain(v.iter().copied()).chain([*energy]);
            let line: Vec<String> = numbers.map(|x| format!("{x:?}")).collect();
            text.push_str(&line.join(","));
            text.push('\n');
        }
        text
    }

    /// The initial energy, and its largest change.
    fn energies(&self) -> (f64, f64) {
        let first = self.rows.first().map_or(0.0, |r| r.3);
        (first, self.rows.iter().fold(0.0f64, |m, r| m.max((r.3 - first).abs())))
    }

    fn json(&self, name: &str) -> Value {
        let ((energy, change), last) = (self.energies(), self.rows.last());
        json!({
            "system": name,
            "method": self.method,
            "steps": self.rows.len() - 1,
            "time": last.map(|r| r.0),
            "coordinates": self.names,
            "q": last.map(|r| r.1.clone()),
            "v": last.map(|r| r.2.clone()),
            "energy": energy,
            "energy_change": change,
            "constraint_violation": self.open,
        })
    }

    fn said(&self, name: &str) -> String {
        let (energy, change) = self.energies();
        let steps = count(self.rows.len() - 1, "step", "steps");
        let mut text = format!("{name}: {steps} of {}\n", self.method);
        if let Some((time, q, v, _)) = self.rows.last() {
            text.push_str(&format!("at t = {time:.6} s\n"));
            // quaternions have one coordinate more than velocities, so they are printed side by side only if there are none
            for (k, coordinate) in self.names.iter().enumerate().take(q.len()) {
                let rate = v.get(k).map_or(String::new(), |v| format!("   rate {v:>14.9}"));
                text.push_str(&format!("  {coordinate:<24} {:>14.9}{rate}\n", q[k]));
            }
        }
        text.push_str(&format!("energy {energy:.9}, changed by at most {change:.2e}\n"));
        if self.open > 0.0 {
            text.push_str(&format!("constraints open by {:.1e}\n", self.open));
        }
        text
    }
}
