//! The commands of a page, carried out by the session.

use super::command::Command;
use super::hand::Target;
use super::runner::Runner;
use super::session::{Client, Problem, Pull, Session};
use crate::cast::Start;
use crate::gallery;
use crate::track_settings::TrackError;
use poinsot::Contact;
use poinsot::algebra::V3;
use poinsot::integrate::IntegratorError;
use poinsot::model::BodyId;
use serde_json::json;
use std::time::{Duration, Instant};

/// A single step of tracks with very different step sizes ends after this, so that other commands are handled.
const LONGEST_STEP: Duration = Duration::from_millis(250);

/// The largest number of parts of a scene that a page may open.
const MOST_PARTS: usize = 5000;

impl Session {
    /// Carries out a command; the error says why it cannot.
    pub(super) fn execute(&mut self, command: Command, by: &Client) -> Problem {
        match command {
            Command::Play {} => self.playing = true,
            Command::Pause {} => self.playing = false,
            Command::Step {} => self.step()?,
            Command::Reset {} => self.restart(None)?,
            Command::Key { index } => self.restart(Some(index))?,
            Command::Speed { value } => self.speed = within("speed", value, 0.01, 100.0)?,
            Command::Seek { time } => self.seek(time)?,
            Command::Grab { body, point } => self.grab(body, point, by)?,
            Command::Pull { to } => self.pull(to, by)?,
            Command::Release {} if self.is_pulled_by(by) => self.release()?,
            Command::Release {} => {}
            Command::Joint { joint, value } => self.set_joint(joint, value)?,
            Command::Watch { joint } => self.watch(joint)?,
            Command::Control { actuator, value } => self.set_control(actuator, value)?,
            Command::Integrator { track, name } => {
                let method = name.parse().map_err(|e: IntegratorError| e.to_string())?;
                self.each(track, |r| r.set_integrator(method))?;
            }
            Command::Dt { track, value } => {
                let dt = within("step", value, 1e-9, 10.0)?;
                self.each(track, |r| {
                    (r.dt, r.stopped) = (dt, None);
                    Ok(())
                })?;
            }
            Command::Formulation { track, name } => self.each(track, |r| r.set_formulation(name))?,
            Command::Contact { track, name } => {
                let contact = (name != "none").then(|| name.parse::<Contact>()).transpose()?;
                self.each(track, |r| r.set_contact(contact))?;
            }
            Command::Gains { track, stiffness, damping } => {
                let gains =
                    [within("stiffness", stiffness, 1e-3, 1e15)?, within("damping", damping, 0.0, 1e12)?];
                self.each(track, |r| r.set_gains(gains))?;
            }
            Command::Mass { body, value } => self.set_mass(body, value)?,
            Command::Stiffness { constraint, value } => self.set_stiffness(constraint, value)?,
            Command::Want { what, on } => self.want(what, on, by)?,
            Command::Gravity { on } => self.set_gravity(on)?,
            Command::Open { name } => {
                refuse_many(&name)?;
                let show = gallery::by_name(&name).map_err(|e| e.to_string())?;
                self.open(show, json!([]))?;
            }
        }
        self.until = self.time();
        Ok(())
    }

    fn step(&mut self) -> Problem {
        self.playing = false;
        self.past = false;
        self.forget_what_comes();
        // tracks with small steps make as many as fit into the largest step
        let before = self.time();
        let until = before + self.runners.iter().map(|r| r.dt).fold(0.0, f64::max);
        let deadline = Instant::now() + LONGEST_STEP;
        for runner in &mut self.runners {
            while !runner.advance(until) && Instant::now() < deadline {}
        }
        self.put_back(before);
        match self.runners.iter().any(|r| r.interrupted) {
            true => Err("the step took long and was interrupted by the next command".into()),
            false => Ok(()),
        }
    }

    fn restart(&mut self, key: Option<usize>) -> Problem {
        let start = |runner: &Runner| match key {
            None => Some(runner.setup.start.clone()),
            Some(k) => runner.setup.keyframes.get(k).cloned(),
        };
        let starts: Option<Vec<Start>> = self.runners.iter().map(start).collect();
        let starts = starts.ok_or_else(|| format!("there is no keyframe {}", key.unwrap_or(0)))?;
        for (runner, start) in self.runners.iter_mut().zip(&starts) {
            runner.begin_at(start).map_err(|e| e.to_string())?;
        }
        self.begin_again();
        Ok(())
    }

    fn seek(&mut self, time: f64) -> Problem {
        let Some(moment) = self.history.nearest(time) else { return Err("there is no history yet".into()) };
        for (runner, track) in self.runners.iter_mut().zip(&moment.tracks) {
            runner.go_to(track).map_err(|e| e.to_string())?;
        }
        (self.playing, self.past) = (false, true);
        Ok(())
    }

    fn grab(&mut self, body: usize, point: [f64; 3], by: &Client) -> Problem {
        if !self.playing {
            return Err("the simulation is paused: press play, and pull again".into());
        }
        let info =
            self.projector.scenery().bodies.get(body).ok_or_else(|| format!("there is no body {body}"))?;
        if !info.moves {
            return Err(format!("\"{}\" is fixed to the world", info.name));
        }
        let track = info.track;
        let first = self.projector.scenery().bodies.iter().position(|b| b.track == track).unwrap_or(0);
        self.release()?;
        let point = finite(point)?;
        let (runner, target) = (&mut self.runners[track], Target::default());
        let id = runner.model().body_ids().nth(body - first).ok_or("there is no such body")?;
        let pose = self.frame.poses.get(body).copied().unwrap_or_default();
        target.set(place(pose, point) - runner.setup.offset);
        runner.set_grip(Some((id, point, target.clone()))).map_err(|e| e.to_string())?;
        self.pulling = Some(Pull { track, body, target, by: by.clone() });
        Ok(())
    }

    fn pull(&mut self, to: [f64; 3], by: &Client) -> Problem {
        let to = finite(to)?;
        if let Some(pull) = self.pulling.as_ref().filter(|p| p.by.same_channel(by)) {
            pull.target.set(to - self.runners[pull.track].setup.offset);
        }
        Ok(())
    }

    fn is_pulled_by(&self, page: &Client) -> bool {
        self.pulling.as_ref().is_some_and(|p| p.by.same_channel(page))
    }

    /// Releases the pulled body.
    pub(super) fn release(&mut self) -> Problem {
        match self.pulling.take() {
            Some(pull) => self.runners[pull.track].set_grip(None).map_err(|e| e.to_string()),
            None => Ok(()),
        }
    }

    /// The track of a joint or actuator with an index over all tracks, and its index there.
    pub(super) fn locate(
        &self,
        number: usize,
        what: &str,
        count: impl Fn(&Runner) -> usize,
    ) -> Result<(usize, usize), String> {
        let mut left = number;
        for (track, runner) in self.runners.iter().enumerate() {
            if left < count(runner) {
                return Ok((track, left));
            }
            left -= count(runner);
        }
        Err(format!("there is no {what} {number}"))
    }

    fn set_joint(&mut self, joint: usize, value: f64) -> Problem {
        let (track, joint) = self.locate(joint, "joint", |r| r.model().joints().len())?;
        let runner = &mut self.runners[track];
        if runner.model().joints()[joint].kind.nq() != 1 {
            return Err(format!("joint \"{}\" has several coordinates", runner.model().joints()[joint].name));
        }
        self.past = false;
        runner.set_joint(joint, value).map_err(|e| e.to_string())
    }

    fn set_control(&mut self, actuator: usize, value: f64) -> Problem {
        let (track, actuator) = self.locate(actuator, "actuator", |r| r.model().actuators().len())?;
        let value = within("control signal", value, -1e12, 1e12)?;
        self.runners[track].set_control(actuator, value);
        Ok(())
    }

    fn each(
        &mut self,
        track: Option<usize>,
        mut change: impl FnMut(&mut Runner) -> Result<(), TrackError>,
    ) -> Problem {
        let count = self.runners.len();
        let chosen = match track {
            None => 0..count,
            Some(k) if k < count => k..k + 1,
            Some(k) => return Err(format!("there is no track {k}")),
        };
        self.runners[chosen].iter_mut().try_for_each(|r| change(r).map_err(|e| e.to_string()))
    }

    fn set_gravity(&mut self, on: bool) -> Problem {
        for (k, runner) in self.runners.iter_mut().enumerate() {
            runner.set_gravity(on).map_err(|e| e.to_string())?;
            self.projector.set_model(k, runner.model().clone());
        }
        self.gravity = on;
        Ok(())
    }

    fn set_mass(&mut self, body: usize, value: f64) -> Problem {
        let value = within("mass", value, 1e-6, 1e6)?;
        let bodies = &self.projector.scenery().bodies;
        let track = bodies.get(body).map(|b| b.track).ok_or_else(|| format!("there is no body {body}"))?;
        let own = body - bodies.iter().position(|b| b.track == track).unwrap_or(0);
        let runner = &mut self.runners[track];
        let id = runner
            .model()
            .body_ids()
            .nth(own)
            .filter(|id| *id != BodyId::WORLD && runner.model()[*id].inertia.mass > 0.0);
        runner.set_mass(id.ok_or("it has no mass")?, value).map_err(|e| e.to_string())?;
        self.projector.set_model(track, runner.model().clone());
        Ok(())
    }

    fn set_stiffness(&mut self, soft: usize, value: f64) -> Problem {
        let (track, own) = self.locate(soft, "soft constraint", |r| r.stiffness().len())?;
        let (low, high) = self.projector.scenery().softs[soft].range;
        let value = within("stiffness", value, low, high)?;
        let runner = &mut self.runners[track];
        runner.set_stiffness(own, value).map_err(|e| e.to_string())?;
        self.projector.set_model(track, runner.model().clone());
        Ok(())
    }
}

/// A scene of very many parts takes gigabytes of memory: it may be opened on the command line, but not from a page.
fn refuse_many(name: &str) -> Problem {
    // the number in the name of this scene is a mass
    let counted = name.split_once(':').filter(|(scene, _)| *scene != "mass-ratio");
    let parts = counted.and_then(|(_, n)| n.parse().ok());
    match parts.filter(|n: &usize| *n > MOST_PARTS) {
        Some(_) => Err(format!(
            "a page opens scenes of at most {MOST_PARTS} parts; start `poinsot view {name}` to look at this one"
        )),
        None => Ok(()),
    }
}

fn within(what: &str, value: f64, low: f64, high: f64) -> Result<f64, String> {
    let fits = (low..=high).contains(&value);
    fits.then_some(value).ok_or_else(|| format!("the {what} is {value}; give a number from {low} to {high}"))
}

fn finite(v: [f64; 3]) -> Result<V3, String> {
    let v = V3::from(v);
    if v.is_finite() { Ok(v) } else { Err("a coordinate is not finite".into()) }
}

/// A point of a body in the world, from the body's pose in a frame.
fn place(pose: [f32; 7], point: V3) -> V3 {
    let [x, y, z, w, i, j, k] = pose.map(f64::from);
    let turn = poinsot::spatial::Quat { w, x: i, y: j, z: k };
    V3::new(x, y, z) + turn.matrix() * point
}
