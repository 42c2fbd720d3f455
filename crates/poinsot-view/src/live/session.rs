//! The thread that runs a show, and what it publishes.

use super::command::{Command, Envelope};
use super::hand::Target;
use super::history::{History, Snapshot};
use super::runner::{Grip, Runner};
use crate::cast::Show;
use crate::gallery;
use crate::projector::{Now, Projector};
use crate::show::{Frame, Stamp};
use crate::surface::Surface;
use poinsot::algebra::V3;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;

/// What is sent to one page.
#[derive(Clone, Debug)]
pub enum Message {
    /// JSON.
    Text(Arc<str>),
    /// Numbers of the past.
    Bytes(Arc<[u8]>),
}

/// Where messages for a page go.
pub type Client = UnboundedSender<Message>;

/// What other threads may look at.
#[derive(Clone)]
pub struct Shared {
    /// The newest frame.
    pub frames: watch::Receiver<Arc<[u8]>>,
    /// The scene's number, and the triangles of its meshes.
    pub meshes: Arc<Mutex<(u32, Arc<Vec<Surface>>)>>,
    /// Where commands go.
    pub commands: Sender<Envelope>,
    /// What was done so far.
    pub work: Arc<Mutex<Work>>,
}

/// What a session has done.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Work {
    /// Seconds spent in steps.
    pub stepping: f64,
    /// How many frames were made.
    pub frames: u32,
}

/// Frames in a second.
const RATE: f64 = 60.0;
/// A page that comes late gets no more rows than this for its plots.
const MOST_ROWS: usize = 2000;

/// Begins a show in a thread of its own.
pub fn start(show: Show, diagnostics: Value, playing: bool) -> Result<Shared, String> {
    let (commands, inbox) = channel();
    let (sender, frames) = watch::channel(Arc::from(Vec::new()));
    let meshes = Arc::new(Mutex::new((0, Arc::new(Vec::new()))));
    let shared = Shared { frames, meshes, commands, work: Arc::default() };
    let mut session = Session::new(show, diagnostics, sender, &shared)?;
    session.playing = playing;
    let thread = std::thread::Builder::new().name("simulation".into());
    thread.spawn(move || session.run(&inbox)).map_err(|e| format!("cannot start a thread: {e}"))?;
    Ok(shared)
}

/// A show that runs.
pub struct Session {
    projector: Projector,
    runners: Vec<Runner>,
    history: History,
    diagnostics: Value,
    scene: u32,
    number: u32,
    playing: bool,
    /// Shows a moment of the history from which nobody has gone on yet.
    past: bool,
    gravity: bool,
    speed: f64,
    /// Simulated seconds per second, as reached.
    reached: f64,
    /// The time to which the tracks are to be stepped.
    until: f64,
    pulling: Option<(usize, usize, Target)>,
    clients: Vec<Client>,
    frame: Frame,
    frames: watch::Sender<Arc<[u8]>>,
    meshes: Arc<Mutex<(u32, Arc<Vec<Surface>>)>>,
    work: Arc<Mutex<Work>>,
    /// Seconds that shows before this one spent in steps.
    before: f64,
}

type Problem = Result<(), String>;

impl Session {
    fn new(
        show: Show,
        diagnostics: Value,
        frames: watch::Sender<Arc<[u8]>>,
        shared: &Shared,
    ) -> Result<Session, String> {
        let mut session = Session {
            projector: Projector::new(Default::default(), Vec::new()),
            runners: Vec::new(),
            history: History::default(),
            diagnostics: Value::Null,
            scene: 0,
            number: 0,
            playing: true,
            past: false,
            gravity: true,
            speed: 1.0,
            reached: 0.0,
            until: 0.0,
            pulling: None,
            clients: Vec::new(),
            frame: Frame::default(),
            frames,
            meshes: shared.meshes.clone(),
            work: shared.work.clone(),
            before: 0.0,
        };
        session.open(show, diagnostics)?;
        Ok(session)
    }

    /// Puts another show in the place of this one; on an error this one goes on.
    fn open(&mut self, show: Show, diagnostics: Value) -> Problem {
        let speed = show.speed;
        let (projector, roles) = show.begin();
        let made: Result<Vec<Runner>, _> = roles.into_iter().map(Runner::new).collect();
        let made = made.map_err(|e| e.to_string())?;
        self.before = self.stepping();
        self.runners = made;
        self.projector = projector;
        (self.speed, self.diagnostics, self.pulling) = (speed, diagnostics, None);
        (self.past, self.gravity, self.playing) = (false, true, true);
        self.scene += 1;
        let surfaces = Arc::new(self.projector.surfaces().to_vec());
        *self.meshes.lock().unwrap_or_else(PoisonError::into_inner) = (self.scene, surfaces);
        self.begin_again();
        self.tell_all(self.scenery());
        Ok(())
    }

    fn begin_again(&mut self) {
        self.history.clear();
        self.projector.reset();
        self.until = self.time();
        self.past = false;
        self.record();
    }

    /// Of the tracks that go on, the one that is last.
    fn time(&self) -> f64 {
        let going = self.runners.iter().filter(|r| r.stopped.is_none()).map(|r| r.state().time);
        let all = self.runners.iter().map(|r| r.state().time).fold(0.0, f64::max);
        going.reduce(f64::min).unwrap_or(all)
    }

    fn run(&mut self, inbox: &Receiver<Envelope>) {
        let tick = Duration::from_secs_f64(1.0 / RATE);
        let mut next = Instant::now();
        loop {
            let wait =
                if self.playing { next.saturating_duration_since(Instant::now()) } else { Duration::MAX };
            let mut heard = match inbox.recv_timeout(wait.min(Duration::from_secs(3600))) {
                Ok(envelope) => Some(envelope),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let changed = heard.is_some();
            while let Some(envelope) = heard {
                self.take(envelope);
                heard = inbox.try_recv().ok();
            }
            if changed {
                self.tell_all(self.status());
            }
            let now = Instant::now();
            if self.playing && now >= next {
                self.tick(now + tick.mul_f64(0.8));
                next = (next + tick).max(now);
            } else if changed && !self.playing {
                self.record();
                next = now;
            } else if changed {
                continue;
            }
            self.publish();
        }
    }

    /// A sixtieth of a second: steps until the tracks are where they should be, or the time is up.
    fn tick(&mut self, deadline: Instant) {
        let before = self.time();
        if self.runners.iter().all(|r| r.stopped.is_some()) {
            self.playing = false;
            self.tell_all(self.status());
            return;
        }
        let stopped = self.stopped();
        let behind =
            self.runners.iter().any(|r| r.stopped.is_none() && r.state().time + 0.5 * r.dt < self.until);
        if !behind {
            self.until += self.speed / RATE;
        }
        self.past = false;
        loop {
            let there: Vec<bool> = self.runners.iter_mut().map(|r| r.advance(self.until)).collect();
            if there.iter().all(|t| *t) || Instant::now() >= deadline {
                break;
            }
        }
        self.reached = 0.95 * self.reached + 0.05 * (self.time() - before) * RATE;
        if stopped != self.stopped() {
            self.tell_all(self.status());
        }
        self.record();
    }

    fn stopped(&self) -> usize {
        self.runners.iter().filter(|r| r.stopped.is_some()).count()
    }

    /// Projects the frame of now, and keeps it in the history unless it is from there.
    fn record(&mut self) {
        let now: Vec<Now> =
            self.runners.iter().map(|r| Now { state: r.state(), control: r.control() }).collect();
        self.projector.project(&now, &mut self.frame);
        self.frame.time = self.time();
        if !self.past {
            let tracks = self.runners.iter().map(Runner::snapshot).collect();
            self.history.push(Snapshot {
                time: self.frame.time,
                tracks,
                channels: self.frame.channels.clone(),
            });
        }
    }

    fn stepping(&self) -> f64 {
        self.before + self.runners.iter().map(|r| r.spent.as_secs_f64()).sum::<f64>()
    }

    fn publish(&mut self) {
        self.number = self.number.wrapping_add(1);
        let work = Work { stepping: self.stepping(), frames: self.number };
        *self.work.lock().unwrap_or_else(PoisonError::into_inner) = work;
        if self.frames.receiver_count() < 2 && self.clients.is_empty() && self.number > 1 {
            return;
        }
        let (playing, past) = (self.playing, self.past);
        let speed = if playing { self.reached } else { 0.0 };
        let history = self.history.span();
        let stamp = Stamp { scene: self.scene, number: self.number, playing, past, speed, history };
        self.frames.send_replace(Arc::from(self.frame.bytes(&stamp)));
    }

    fn take(&mut self, envelope: Envelope) {
        match envelope {
            Envelope::Hello(client) => {
                let past = self.history.bytes_for_plots(self.scene, MOST_ROWS);
                for message in [self.scenery(), self.status(), Message::Bytes(Arc::from(past))] {
                    // a page that has gone again needs nothing
                    let _ = client.send(message);
                }
                self.clients.push(client);
            }
            Envelope::Bye => self.clients.retain(|client| !client.is_closed()),
            Envelope::Command(command, reply) => {
                if let Err(problem) = self.obey(command) {
                    let _ = reply.send(text(&json!({"problem": problem})));
                }
            }
            Envelope::Show(show, diagnostics) => {
                if let Err(problem) = self.open(*show, diagnostics) {
                    self.tell_all(text(&json!({"problem": problem})));
                }
            }
        }
    }

    fn tell_all(&mut self, message: Message) {
        self.clients.retain(|client| client.send(message.clone()).is_ok());
    }

    fn scenery(&self) -> Message {
        let mut scenery = self.projector.scenery().clone();
        for (track, runner) in scenery.tracks.iter_mut().zip(&self.runners) {
            (track.integrator, track.dt) = (runner.integrator.clone(), runner.dt);
        }
        text(&json!({"scene": self.scene, "scenery": scenery, "diagnostics": self.diagnostics}))
    }

    fn status(&self) -> Message {
        let all = |f: fn(&Runner) -> Value| self.runners.iter().map(f).collect::<Vec<Value>>();
        let controls: Vec<f64> = self.runners.iter().flat_map(|r| r.control().iter().copied()).collect();
        let pulling = self
            .pulling
            .as_ref()
            .map(|(_, body, _)| json!({"body": body, "integrator": all(|r| json!(r.integrator_now()))}));
        text(&json!({"status": {
            "scene": self.scene,
            "playing": self.playing,
            "speed": self.speed,
            "dt": all(|r| json!(r.dt)),
            "integrator": all(|r| json!(r.integrator)),
            "gravity": self.gravity,
            "controls": controls,
            "pulling": pulling,
            "stopped": all(|r| json!(r.stopped)),
            "clients": self.clients.len(),
        }}))
    }

    fn obey(&mut self, command: Command) -> Problem {
        match command {
            Command::Play {} => self.playing = true,
            Command::Pause {} => self.playing = false,
            Command::Step {} => self.step(),
            Command::Reset {} => self.restart(None)?,
            Command::Key { index } => self.restart(Some(index))?,
            Command::Speed { value } => self.speed = within("speed", value, 0.01, 100.0)?,
            Command::Seek { time } => self.seek(time)?,
            Command::Grab { body, point } => self.grab(body, point)?,
            Command::Pull { to } => self.pull(to)?,
            Command::Release {} => self.release()?,
            Command::Joint { joint, value } => self.set_joint(joint, value)?,
            Command::Control { actuator, value } => self.set_control(actuator, value)?,
            Command::Integrator { track, name } => self.each(track, |r| r.set_integrator(&name))?,
            Command::Dt { track, value } => {
                let dt = within("step", value, 1e-9, 10.0)?;
                self.each(track, |r| {
                    r.dt = dt;
                    Ok(())
                })?;
            }
            Command::Gravity { on } => self.set_gravity(on)?,
            Command::Open { name } => {
                let show = gallery::by_name(&name).map_err(|e| e.to_string())?;
                self.open(show, json!([]))?;
            }
        }
        self.until = self.time();
        Ok(())
    }

    fn step(&mut self) {
        self.playing = false;
        self.past = false;
        // tracks of small steps make as many as it takes to be where the largest step leads
        let until = self.time() + self.runners.iter().map(|r| r.dt).fold(0.0, f64::max);
        for runner in &mut self.runners {
            let steps = ((until - runner.state().time) / runner.dt).round().max(1.0);
            if runner.stopped.is_none() {
                runner.steps(steps as usize);
            }
        }
    }

    fn restart(&mut self, key: Option<usize>) -> Problem {
        for runner in &mut self.runners {
            let start = match key {
                None => runner.role.start.clone(),
                Some(k) => runner
                    .role
                    .keyframes
                    .get(k)
                    .cloned()
                    .ok_or_else(|| format!("there is no keyframe {k}"))?,
            };
            runner.begin_at(&start).map_err(|e| e.to_string())?;
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

    fn grab(&mut self, body: usize, point: [f64; 3]) -> Problem {
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
        target.set(place(pose, point) - runner.role.offset);
        let grip = Grip { body: id, point, target: target.clone() };
        runner.set_grip(Some(grip)).map_err(|e| e.to_string())?;
        self.pulling = Some((track, body, target));
        Ok(())
    }

    fn pull(&mut self, to: [f64; 3]) -> Problem {
        let to = finite(to)?;
        if let Some((track, _, target)) = &self.pulling {
            target.set(to - self.runners[*track].role.offset);
        }
        Ok(())
    }

    fn release(&mut self) -> Problem {
        match self.pulling.take() {
            Some((track, _, _)) => self.runners[track].set_grip(None).map_err(|e| e.to_string()),
            None => Ok(()),
        }
    }

    /// The track of a joint or actuator that is numbered over all, and its number there.
    fn locate(
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
        mut change: impl FnMut(&mut Runner) -> Result<(), poinsot::SimulationError>,
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
        self.gravity = on;
        for (k, runner) in self.runners.iter_mut().enumerate() {
            let given = &runner.role.model;
            let model = if on { given.clone() } else { Arc::new(given.with_gravity(V3::ZERO)) };
            self.projector.set_model(k, model.clone());
            runner.set_model(model).map_err(|e| e.to_string())?;
        }
        Ok(())
    }
}

fn text(value: &Value) -> Message {
    Message::Text(Arc::from(value.to_string()))
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
