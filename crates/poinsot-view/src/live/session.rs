//! The thread that runs a show, and what it publishes.

use super::command::Envelope;
use super::event_log::EventLog;
use super::followed::{Followed, Source};
use super::hand::Target;
use super::history::History;
use super::interrupt::{Commands, Interrupt};
use super::runner::Runner;
use crate::cast::Show;
use crate::projector::Projector;
use crate::show::{Frame, Stamp};
use crate::surface::Surface;
use serde::Serialize;
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;

/// What is sent to one page.
#[derive(Clone, Debug)]
pub enum Message {
    /// JSON.
    Text(Arc<str>),
    /// Values of the past, for plots.
    Bytes(Arc<[u8]>),
}

/// The sending end of a page's channel.
pub type Client = UnboundedSender<Message>;

/// A pull by a page.
pub(super) struct Pull {
    /// The track of the body.
    pub track: usize,
    /// The body, by its index over all tracks.
    pub body: usize,
    /// Where it is pulled to.
    pub target: Target,
    /// The page.
    pub by: Client,
}

/// Triangles of meshes, and the range of scenery versions they belong to.
pub type Meshes = Arc<Mutex<(RangeInclusive<u32>, Arc<Vec<Surface>>)>>;

/// The data shared with other threads.
#[derive(Clone)]
pub struct Shared {
    /// The newest frame.
    pub frames: watch::Receiver<Arc<[u8]>>,
    /// The triangles of the meshes, and the versions of the scenery that have them.
    pub meshes: Meshes,
    /// The channel for commands.
    pub commands: Commands,
    /// Statistics so far.
    pub work: Arc<Mutex<Work>>,
}

/// Statistics of a session.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Work {
    /// Seconds spent in steps.
    pub stepping: f64,
    /// How many frames were made.
    pub frames: u32,
}

/// Frames in a second.
const RATE: f64 = 60.0;
/// Events are sent every so many ticks.
const TICKS_BETWEEN_NEWS: u32 = 12;
/// The largest number of past rows sent to a page that opens late.
const MOST_ROWS: usize = 2000;

/// Starts a show in its own thread.
pub fn start(show: Show, diagnostics: Value, playing: bool) -> Result<Shared, String> {
    begin(show, diagnostics, playing, None)
}

/// As [`start`], for a show of one model whose simulation is stepped elsewhere: the page follows it.
pub fn start_following(
    show: Show,
    diagnostics: Value,
    playing: bool,
    source: Source,
) -> Result<Shared, String> {
    begin(show, diagnostics, playing, Some(Followed { source, seen: None }))
}

fn begin(
    show: Show,
    diagnostics: Value,
    playing: bool,
    followed: Option<Followed>,
) -> Result<Shared, String> {
    let ((commands, inbox), interrupt) = (channel(), Interrupt::default());
    let (sender, frames) = watch::channel(Arc::from(Vec::new()));
    let meshes = Arc::new(Mutex::new((0..=0, Arc::new(Vec::new()))));
    let commands = Commands::new(commands, interrupt.clone());
    let shared = Shared { frames, meshes, commands, work: Arc::default() };
    let mut session = Session::new(show, diagnostics, (sender, interrupt), &shared)?;
    (session.playing, session.followed) = (playing, followed);
    let thread = std::thread::Builder::new().name("simulation".into());
    thread.spawn(move || session.run(&inbox)).map_err(|e| format!("cannot start a thread: {e}"))?;
    Ok(shared)
}

/// A show that runs.
pub struct Session {
    pub(super) projector: Projector,
    pub(super) runners: Vec<Runner>,
    /// The simulation being followed.
    pub(super) followed: Option<Followed>,
    pub(super) history: History,
    event_log: EventLog,
    diagnostics: Value,
    scene: u32,
    number: u32,
    pub(super) playing: bool,
    /// True while a moment of the history is shown from which the run has not continued.
    pub(super) past: bool,
    pub(super) gravity: bool,
    pub(super) speed: f64,
    /// Simulated seconds per second, as reached.
    reached: f64,
    /// The time to which to step the tracks.
    pub(super) until: f64,
    pub(super) pulling: Option<Pull>,
    /// The costly quantities that pages show.
    pub(super) asks: Vec<(Client, String)>,
    clients: Vec<Client>,
    pub(super) frame: Frame,
    frames: watch::Sender<Arc<[u8]>>,
    interrupt: Interrupt,
    meshes: Meshes,
    work: Arc<Mutex<Work>>,
    /// Seconds that earlier shows spent in steps.
    before: f64,
}

pub(super) type Problem = Result<(), String>;

impl Session {
    fn new(
        show: Show,
        diagnostics: Value,
        (frames, interrupt): (watch::Sender<Arc<[u8]>>, Interrupt),
        shared: &Shared,
    ) -> Result<Session, String> {
        let mut session = Session {
            projector: Projector::new(Default::default(), Vec::new()),
            runners: Vec::new(),
            followed: None,
            history: History::default(),
            event_log: EventLog::default(),
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
            asks: Vec::new(),
            clients: Vec::new(),
            frame: Frame::default(),
            frames,
            interrupt,
            meshes: shared.meshes.clone(),
            work: shared.work.clone(),
            before: 0.0,
        };
        session.open(show, diagnostics)?;
        Ok(session)
    }

    /// Replaces this show with another; on an error this one continues.
    pub(super) fn open(&mut self, show: Show, diagnostics: Value) -> Problem {
        let speed = show.speed;
        let (projector, setups) = show.live().begin();
        let made: Result<Vec<Runner>, _> =
            setups.into_iter().map(|setup| Runner::new(setup, self.interrupt.clone())).collect();
        let made = made.map_err(|e| e.to_string())?;
        self.before = self.stepping();
        let diagnostics = with_notes(diagnostics, &made);
        (self.runners, self.followed) = (made, None);
        self.projector = projector;
        (self.speed, self.diagnostics, self.pulling) = (speed, diagnostics, None);
        (self.past, self.gravity, self.playing, self.reached) = (false, true, true, 0.0);
        self.asks.clear();
        self.read_watched()?;
        self.scene += 1;
        let surfaces = Arc::new(self.projector.surfaces().to_vec());
        *self.meshes.lock().unwrap_or_else(PoisonError::into_inner) = (self.scene..=self.scene, surfaces);
        self.begin_again();
        self.tell_all(self.scenery());
        Ok(())
    }

    /// Sends the scenery and the past again to all pages, after the channels have changed.
    pub(super) fn show_again(&mut self) {
        self.scene += 1;
        let mut meshes = self.meshes.lock().unwrap_or_else(PoisonError::into_inner);
        meshes.0 = *meshes.0.start()..=self.scene;
        drop(meshes);
        self.tell_all(self.scenery());
        self.tell_all(self.past_of_plots());
        self.tell_all(text(&self.event_log.all(self.scene)));
    }

    pub(super) fn begin_again(&mut self) {
        self.history.clear();
        self.event_log = EventLog::default();
        self.projector.reset();
        self.until = self.time();
        self.past = false;
        self.record();
    }

    /// Of the running tracks, the one that is farthest behind.
    pub(super) fn time(&self) -> f64 {
        let going = self.runners.iter().filter(|r| r.stopped.is_none()).map(|r| r.state().time);
        let all = self.runners.iter().map(|r| r.state().time).fold(0.0, f64::max);
        going.reduce(f64::min).unwrap_or(all)
    }

    fn run(&mut self, inbox: &Receiver<Envelope>) {
        let tick = Duration::from_secs_f64(1.0 / RATE);
        let mut next = Instant::now();
        loop {
            let wait = match (self.playing, &self.followed) {
                (true, _) => next.saturating_duration_since(Instant::now()),
                (false, Some(_)) => tick,
                (false, None) => Duration::from_secs(3600),
            };
            let mut heard = match inbox.recv_timeout(wait) {
                Ok(envelope) => Some(envelope),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let changed = heard.is_some();
            self.interrupt.clear();
            while let Some(envelope) = heard {
                self.take(envelope);
                heard = inbox.try_recv().ok();
            }
            if changed {
                self.tell_all(self.status());
                self.tell_what_happened();
            }
            if self.follow() {
                self.tell_all(self.status());
                self.publish();
                continue;
            }
            let now = Instant::now();
            if self.playing && now >= next {
                self.tick(now + tick.mul_f64(0.8));
                next = (next + tick).max(now);
            } else if changed && !self.playing {
                self.record();
                next = now;
            } else if changed || self.followed.is_some() {
                continue;
            }
            self.publish();
        }
    }

    /// A sixtieth of a second: steps until the tracks have caught up or the time is over.
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
        self.forget_what_comes();
        loop {
            let there: Vec<bool> = self.runners.iter_mut().map(|r| r.advance(self.until)).collect();
            if there.iter().all(|t| *t) || Instant::now() >= deadline {
                break;
            }
        }
        self.reached = 0.95 * self.reached + 0.05 * (self.time() - before) * RATE;
        if stopped != self.stopped() {
            self.put_back(before);
            self.tell_all(self.status());
        }
        self.record();
        if self.number.is_multiple_of(TICKS_BETWEEN_NEWS) {
            self.tell_what_happened();
        }
    }

    /// Puts tracks that have stopped back to the moment shown at this time: steps on the way to a divergence are not shown.
    pub(super) fn put_back(&mut self, time: f64) {
        let Some(moment) = self.history.nearest(time) else { return };
        for (runner, saved) in
            self.runners.iter_mut().zip(&moment.tracks).filter(|(r, _)| r.stopped.is_some())
        {
            // if that fails, it stays as it is
            let _ = runner.stop_at(saved);
        }
    }

    /// Drops the future of the previous course of events.
    pub(super) fn forget_what_comes(&mut self) {
        self.event_log.forget_later(&mut self.runners);
    }

    /// Sends events and notices since the last time, if there are any.
    pub(super) fn tell_what_happened(&mut self) {
        self.event_log.take(&mut self.runners);
        if let Some(news) = self.event_log.new_events(self.scene) {
            self.tell_all(text(&news));
        }
    }

    fn stopped(&self) -> usize {
        self.runners.iter().filter(|r| r.stopped.is_some()).count()
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
                let event_log = text(&self.event_log.all(self.scene));
                for message in [self.scenery(), self.status(), self.past_of_plots(), event_log] {
                    // a page that has closed again needs nothing
                    let _ = client.send(message);
                }
                self.clients.push(client);
            }
            Envelope::Bye => {
                self.clients.retain(|client| !client.is_closed());
                self.asks.retain(|(page, _)| !page.is_closed());
                if let Err(problem) = self.read_watched() {
                    self.tell_all(text(&json!({"problem": problem})));
                }
                // a closed page no longer pulls
                if self.pulling.as_ref().is_some_and(|pull| pull.by.is_closed())
                    && let Err(problem) = self.release()
                {
                    self.tell_all(text(&json!({"problem": problem})));
                }
            }
            Envelope::Command(command, reply) => {
                if let Err(problem) = self.execute(command, &reply) {
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

    fn past_of_plots(&self) -> Message {
        let scenery = self.projector.scenery();
        let peaks: Vec<bool> = scenery.channels.iter().map(|c| scenery.peaks.contains(&c.group)).collect();
        Message::Bytes(Arc::from(self.history.bytes_for_plots(self.scene, MOST_ROWS, &peaks)))
    }

    fn scenery(&self) -> Message {
        let mut scenery = self.projector.scenery().clone();
        for (track, runner) in scenery.tracks.iter_mut().zip(&self.runners) {
            (track.integrator, track.dt) = (runner.settings.integrator.to_string(), runner.dt);
        }
        text(&json!({"scene": self.scene, "scenery": scenery, "diagnostics": self.diagnostics}))
    }

    fn status(&self) -> Message {
        let all = |f: fn(&Runner) -> Value| self.runners.iter().map(f).collect::<Vec<Value>>();
        let controls: Vec<f64> = self.runners.iter().flat_map(|r| r.control().iter().copied()).collect();
        let stiffness: Vec<f64> = self.runners.iter().flat_map(|r| r.stiffness().iter().copied()).collect();
        let mass = |r: &Runner| r.model().bodies().iter().map(|b| b.inertia.mass).collect::<Vec<f64>>();
        let masses: Vec<f64> = self.runners.iter().flat_map(mass).collect();
        let pulling = self
            .pulling
            .as_ref()
            .map(|Pull { body, .. }| json!({"body": body, "integrator": all(|r| json!(r.integrator_now()))}));
        text(&json!({"status": {
            "scene": self.scene,
            "playing": self.playing,
            "speed": self.speed,
            "dt": all(|r| json!(r.dt)),
            "integrator": all(|r| json!(r.settings.integrator.word())),
            "formulation": all(|r| json!(r.settings.formulation.word())),
            "contact": all(|r| json!(r.contact_now().map_or("none".to_string(), |c| c.to_string()))),
            "gains": all(|r| json!(r.settings.contact.and_then(|c| c.penalty).and_then(|p| p.gains))),
            "untouched": all(|r| json!(r.untouched)),
            "masses": masses,
            "gravity": self.gravity,
            "controls": controls,
            "stiffness": stiffness,
            "pulling": pulling,
            "stopped": all(|r| json!(r.stopped)),
            "clients": self.clients.len(),
        }}))
    }
}

/// The diagnostics of a show, with notes on initial states that were moved onto constraints or exceed limits.
fn with_notes(mut diagnostics: Value, runners: &[Runner]) -> Value {
    if let Some(list) = diagnostics.as_array_mut() {
        let moved = runners.iter().filter_map(|r| r.moved.as_ref().map(|m| (r, m)));
        for (runner, moved) in moved.filter(|(_, m)| m.distance > 0.0) {
            let message = format!(
                "the initial state violated constraints (\"{}\" by {:.2e} m or rad) and was corrected",
                runner.model()[moved.constraint].name,
                moved.violation
            );
            list.push(json!({"severity": "note", "code": "view::assembled", "message": message}));
        }
        for message in runners.iter().filter_map(|r| r.untouched.as_ref()) {
            list.push(json!({"severity": "warning", "code": "view::no-contact", "message": message}));
        }
        for (severity, message) in runners.iter().flat_map(Runner::remarks) {
            list.push(json!({"severity": severity, "code": "view::contact", "message": message}));
        }
        for (runner, beyond) in runners.iter().filter_map(|r| r.beyond.as_ref().map(|b| (r, b))) {
            let message = beyond.sentence(runner.settings.stabilisation);
            list.push(json!({"severity": "note", "code": "view::beyond-range", "message": message}));
        }
    }
    diagnostics
}

fn text(value: &Value) -> Message {
    Message::Text(Arc::from(value.to_string()))
}
