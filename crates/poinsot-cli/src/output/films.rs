//! Films and recordings of a run: which there are, and when each needs its next frame.

use super::frame_sink::{FrameSink, Medium, Painted, Recorded};
use super::{Target, ending};
use crate::failure::{Outcome, failure};
use crate::plan::Plan;
use crate::report::tell;
use clap::Args;
use poinsot::Simulation;
use poinsot::dynamics::State;
use poinsot_view::projector::{Now, Projector};
use poinsot_view::raster::{Options, Painter};
use poinsot_view::show::{Frame, Recording, Scenery};
use poinsot_view::surface::Surface;
use poinsot_view::{film, page};
use std::path::{Path, PathBuf};

/// How runs are filmed.
#[derive(Args)]
#[command(next_help_heading = "Films and replays")]
pub struct FilmOptions {
    /// Write the frames of a film to this folder as PNG files
    #[arg(long, value_name = "DIR")]
    frames: Option<PathBuf>,
    /// Frames per second [default: 30; 60 in .html]
    #[arg(long, value_name = "N", value_parser = rate, allow_negative_numbers = true)]
    fps: Option<f64>,
    /// Width and height in pixels [default: 800x500]
    #[arg(long, value_name = "WxH", value_parser = dots)]
    size: Option<(usize, usize)>,
    /// Simulated seconds per second of film [default: 1]
    #[arg(long, value_name = "X", value_parser = rate, allow_negative_numbers = true)]
    playback_speed: Option<f64>,
}

fn rate(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|x| (SLOWEST..=1e3).contains(x));
    number.ok_or_else(|| "give a number from 0.001 to 1000".into())
}

fn dots(text: &str) -> Result<(usize, usize), String> {
    let side = |word: &str| word.parse().ok().filter(|n| (16..=8192).contains(n));
    let sides = text.split_once('x').and_then(|(w, h)| side(w).zip(side(h)));
    sides.ok_or_else(|| "give width and height from 16 to 8192, as in 800x500".into())
}

/// Extensions of outputs that show frames: as scenes that can be seen from anywhere, and as pictures.
const RECORDINGS: [&str; 2] = ["html", "glb"];
const PICTURES: [&str; 2] = ["gif", "mp4"];
const RATE: f64 = 30.0;
const RATE_OF_PAGES: f64 = 60.0;
const SIZE: (usize, usize) = (800, 500);
/// Recordings are kept in memory until the end.
const MOST_BYTES: f64 = 2e9;
/// The camera of a long film is chosen once the frames recorded so far take this much memory.
const MOST_WAITING: f64 = 5e8;
/// A film with fewer frames than this shows hardly any motion.
const FEW_FRAMES: f64 = 10.0;
/// The slowest playback, in simulated seconds per second.
const SLOWEST: f64 = 1e-3;
/// A hint suggests a speed at which the film lasts this long, s.
const GOOD_LENGTH: f64 = 5.0;

/// True for files that show frames, by their extensions.
pub fn shows_frames(path: &Path) -> bool {
    let ending = &*ending(path);
    RECORDINGS.contains(&ending) || PICTURES.contains(&ending)
}

fn usual_rate(path: &Path) -> f64 {
    if ending(path) == "html" { RATE_OF_PAGES } else { RATE }
}

impl FilmOptions {
    /// Whether these files or the options request any frames.
    pub fn wanted(&self, out: &[PathBuf]) -> Outcome<bool> {
        let made = |ending_of: fn(&str) -> bool| out.iter().any(|p| ending_of(&ending(p)));
        let pictures = self.frames.is_some() || made(|e| PICTURES.contains(&e));
        let any = pictures || made(|e| RECORDINGS.contains(&e));
        let flags = [
            (self.fps.is_some() && !any, "--fps", "films", ".gif, .mp4, .html or .glb"),
            (self.playback_speed.is_some() && !any, "--playback-speed", "films", ".gif, .mp4, .html or .glb"),
            (self.size.is_some() && !pictures, "--size", "films made of pictures", ".gif or .mp4"),
        ];
        match flags.into_iter().find(|(useless, ..)| *useless) {
            Some((_, flag, what, endings)) => {
                Err(failure(format!("{flag} is for {what}, and none is to be made"))
                    .help(format!("add --out run{endings}, or --frames DIR")))
            }
            None => Ok(any),
        }
    }

    /// The films among these files.
    pub fn films(&self, out: &[PathBuf], plan: &Plan, projector: Projector) -> Outcome<Films> {
        let mut films = Films { projector, frame: Frame::default(), sinks: Vec::new() };
        for path in out.iter().filter(|p| shows_frames(p)) {
            let recorded = RECORDINGS.contains(&&*ending(path));
            let sink = if recorded {
                self.record(path, plan, &films)?
            } else {
                self.film(path, films.projector.scenery(), films.projector.surfaces())?
            };
            let interval = self.interval(usual_rate(path));
            if !recorded {
                hint_at_speed(path, interval, plan.duration());
            }
            films.add(sink, interval, plan.duration());
        }
        if let Some(folder) = &self.frames {
            let film = Box::new(film::Sequence::create(folder)?);
            let (scenery, surfaces) = (films.projector.scenery(), films.projector.surfaces());
            let sink = Box::new(self.painted(scenery, surfaces, film));
            hint_at_speed(folder, self.interval(RATE), plan.duration());
            films.add(sink, self.interval(RATE), plan.duration());
        }
        Ok(films)
    }

    /// Films and replays of a motion that `recorded` gives with frames at an interval: of nodes that stretch, which no projector supports.
    pub fn write_frames(
        &self,
        out: &[PathBuf],
        recorded: impl Fn(f64) -> Outcome<Recording>,
    ) -> Outcome<Vec<Target>> {
        let mut files = Vec::new();
        for path in out.iter().filter(|p| shows_frames(p)) {
            let mut recording = recorded(self.interval(usual_rate(path)))?;
            let frames = std::mem::take(&mut recording.frames);
            let sink: Box<dyn FrameSink> = if RECORDINGS.contains(&&*ending(path)) {
                let (file, medium) = (Target::create(path)?, medium(path)?);
                Box::new(Recorded { file, medium, speed: self.speed(), recording })
            } else {
                self.film(path, &recording.scenery, &recording.surfaces)?
            };
            files.extend(write_all(sink, &frames)?);
        }
        if let Some(folder) = &self.frames {
            let Recording { scenery, surfaces, frames } = recorded(self.interval(RATE))?;
            let film = Box::new(film::Sequence::create(folder)?);
            write_all(Box::new(self.painted(&scenery, &surfaces, film)), &frames)?;
        }
        Ok(files)
    }

    fn speed(&self) -> f64 {
        self.playback_speed.unwrap_or(1.0)
    }

    /// The simulated time between frames; `usual` frames per second unless the user has chosen a rate.
    fn interval(&self, usual: f64) -> f64 {
        self.speed() / self.fps.unwrap_or(usual)
    }

    fn record(&self, path: &Path, plan: &Plan, films: &Films) -> Outcome<Box<dyn FrameSink>> {
        let medium = medium(path)?;
        let scenery = films.projector.scenery();
        let frames = (plan.duration() / self.interval(usual_rate(path))).min(plan.steps as f64) + 2.0;
        let bytes = frames * bytes_per_frame(scenery);
        if bytes > MOST_BYTES {
            let message =
                format!("{}: {frames:.0} frames are {:.1} GB, too many to hold", path.display(), bytes / 1e9);
            return Err(failure(message).help("take fewer with --fps, or write a .gif or .mp4 film"));
        }
        let file = Target::create(path)?;
        let surfaces = films.projector.surfaces().to_vec();
        let recording = Recording { scenery: scenery.clone(), surfaces, frames: Vec::new() };
        Ok(Box::new(Recorded { file, medium, speed: self.speed(), recording }))
    }

    fn film(&self, path: &Path, scenery: &Scenery, surfaces: &[Surface]) -> Outcome<Box<dyn FrameSink>> {
        let film = film::create(path, self.fps.unwrap_or(RATE))?;
        let (width, height) = self.size.unwrap_or(SIZE);
        if ending(path) == "mp4" && (width % 2 > 0 || height % 2 > 0) {
            let (wide, tall) = (width.next_multiple_of(2), height.next_multiple_of(2));
            let name = path.display();
            tell(&format!(
                "note: {name} is {wide}x{tall} instead of {width}x{height}: sides of .mp4 films are even, and a black edge is added\n"
            ));
        }
        Ok(Box::new(self.painted(scenery, surfaces, film)))
    }

    fn painted(&self, scenery: &Scenery, surfaces: &[Surface], film: Box<dyn film::Film>) -> Painted {
        let (width, height) = self.size.unwrap_or(SIZE);
        let painter = Painter::new(scenery, surfaces, width, height, Options::default());
        let most = ((MOST_WAITING / bytes_per_frame(scenery)) as usize).max(1);
        let recording =
            Recording { scenery: scenery.clone(), surfaces: surfaces.to_vec(), frames: Vec::new() };
        Painted { painter, film, recording, framing: None, most }
    }
}

fn medium(path: &Path) -> Outcome<Medium> {
    Ok(match &*ending(path) {
        "html" => Medium::Page(page::replay_template().ok_or_else(|| failure(page::MISSING))?),
        _ => Medium::Glb,
    })
}

/// The number of frames of a run.
fn frames(duration: f64, interval: f64) -> f64 {
    (duration / interval + 1e-9).floor() + 1.0
}

/// A run of a fraction of a second is over in a few frames, unless it is slowed down.
fn hint_at_speed(path: &Path, interval: f64, duration: f64) {
    let count = frames(duration, interval);
    if count < FEW_FRAMES && duration < GOOD_LENGTH {
        let (name, speed) = (path.display(), (duration / GOOD_LENGTH).max(SLOWEST));
        let words = if count == 1.0 { "1 frame".to_string() } else { format!("{count} frames") };
        let digits = (1.0 - speed.log10()).ceil() as usize;
        let duration = (duration * 1e6).round() / 1e6;
        tell(&format!(
            "note: {name} shows {duration} s in {words}; --playback-speed {speed:.digits$} makes the film {:.1} s long\n",
            duration / speed
        ));
    }
}

/// Writes all frames to a film.
fn write_all(mut sink: Box<dyn FrameSink>, frames: &[Frame]) -> Outcome<Option<Target>> {
    for frame in frames {
        sink.frame(frame)?;
    }
    sink.complete(frames.last().unwrap_or(&Frame::default()))
}

fn bytes_per_frame(scenery: &Scenery) -> f64 {
    let Scenery { bodies, arrows, traces, solids, channels, .. } = scenery;
    let singles = 7 * bodies.len() + 6 * arrows.len() + 3 * traces.len() + 10 * solids.len();
    (200 + 4 * singles + 8 * channels.len()) as f64
}

/// All films and recordings of a run.
pub struct Films {
    projector: Projector,
    frame: Frame,
    sinks: Vec<Timed>,
}

struct Timed {
    sink: Box<dyn FrameSink>,
    /// Simulated seconds between frames.
    interval: f64,
    /// The number of frames.
    frames: f64,
    taken: f64,
}

impl Timed {
    /// The step nearest to the time of the next frame; beyond all steps if there is none.
    fn due(&self, dt: f64) -> usize {
        if self.taken < self.frames { (self.taken * self.interval / dt).round() as usize } else { usize::MAX }
    }
}

impl Films {
    fn add(&mut self, sink: Box<dyn FrameSink>, interval: f64, duration: f64) {
        let frames = frames(duration, interval);
        self.sinks.push(Timed { sink, interval, frames, taken: 0.0 });
    }

    /// After how many steps the next frame is due.
    pub fn next(&self, dt: f64) -> usize {
        self.sinks.iter().map(|r| r.due(dt)).min().unwrap_or(usize::MAX)
    }

    /// Takes the frames that are due after `done` steps.
    pub fn take(&mut self, simulation: &Simulation, done: usize, dt: f64) -> Outcome<()> {
        self.take_state(simulation.state(), simulation.control(), done, dt)
    }

    /// As above, for a motion that does not come from a simulation.
    pub fn take_state(&mut self, state: &State, control: &[f64], done: usize, dt: f64) -> Outcome<()> {
        if self.next(dt) > done {
            return Ok(());
        }
        self.look(state, control);
        for timed in &mut self.sinks {
            while timed.due(dt) <= done {
                timed.sink.frame(&self.frame)?;
                timed.taken += 1.0;
            }
        }
        Ok(())
    }

    /// Ends the run and returns the complete files, to be moved to their destinations.
    pub fn complete(self, simulation: &Simulation) -> Outcome<Vec<Target>> {
        self.complete_state(simulation.state(), simulation.control())
    }

    /// As above, for a motion that does not come from a simulation.
    pub fn complete_state(mut self, state: &State, control: &[f64]) -> Outcome<Vec<Target>> {
        self.look(state, control);
        let files = self.sinks.into_iter().filter_map(|timed| timed.sink.complete(&self.frame).transpose());
        files.collect()
    }

    fn look(&mut self, state: &State, control: &[f64]) {
        self.projector.project(&[Now { state, control }], &mut self.frame);
    }
}
