//! Consumers of frames: recordings, which are written at the end, and films, which are painted during the run.

use super::Target;
use crate::failure::Outcome;
use indicatif::{ProgressBar, ProgressStyle};
use poinsot_view::film::{Film, Framing};
use poinsot_view::raster::Painter;
use poinsot_view::show::{Frame, Recording};
use poinsot_view::{glb, replay};
use std::io::Write;

/// A file or folder that receives frames.
pub trait FrameSink {
    /// Receives a frame that is due.
    fn frame(&mut self, frame: &Frame) -> Outcome<()>;
    /// Receives the last frame of the run, whether due or not, and completes the file. `None`: the files are already in place.
    fn complete(self: Box<Self>, last: &Frame) -> Outcome<Option<Target>>;
}

/// The format of a recording.
pub enum Medium {
    /// A replay page with this text.
    Page(String),
    /// Animated glTF.
    Glb,
}

/// A recording in progress.
pub struct Recorded {
    pub file: Target,
    pub medium: Medium,
    /// Simulated seconds per second.
    pub speed: f64,
    pub recording: Recording,
}

impl Recorded {
    fn write(mut self) -> Outcome<Target> {
        let (recording, speed, medium) = (&self.recording, self.speed, &self.medium);
        self.file.write(|file| match medium {
            Medium::Page(template) => file.write_all(replay::page(template, recording, speed)?.as_bytes()),
            Medium::Glb => glb::write(recording, speed, file),
        })?;
        self.file.complete()
    }
}

impl FrameSink for Recorded {
    fn frame(&mut self, frame: &Frame) -> Outcome<()> {
        // if frames are due more often than steps, each moment is used once
        if self.recording.frames.last().is_none_or(|last| last.time < frame.time) {
            self.recording.frames.push(frame.clone());
        }
        Ok(())
    }
    fn complete(mut self: Box<Self>, last: &Frame) -> Outcome<Option<Target>> {
        self.frame(last)?;
        self.write().map(Some)
    }
}

/// A film in progress. Frames are buffered until the camera can be chosen so that it sees the whole motion.
pub struct Painted {
    pub painter: Painter,
    pub film: Box<dyn Film>,
    /// The scenery, and the buffered frames.
    pub recording: Recording,
    /// The camera, once frames have been painted.
    pub framing: Option<Framing>,
    /// The largest number of buffered frames.
    pub most: usize,
}

impl Painted {
    /// Paints the buffered frames.
    fn paint_all(&mut self) -> Outcome<()> {
        let Recording { scenery, surfaces, frames } = &mut self.recording;
        let frames = std::mem::take(frames);
        let framing = Framing::of(scenery, surfaces, &frames);
        let bar = ProgressBar::new(frames.len() as u64).with_message("painting the film");
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} frames, {eta} left");
        let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        for frame in &frames {
            *self.painter.camera_mut() = framing.camera(frame);
            self.film.frame(&self.painter.paint(frame))?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        self.framing = Some(framing);
        Ok(())
    }
}

impl FrameSink for Painted {
    fn frame(&mut self, frame: &Frame) -> Outcome<()> {
        if let Some(framing) = &self.framing {
            *self.painter.camera_mut() = framing.camera(frame);
            return Ok(self.film.frame(&self.painter.paint(frame))?);
        }
        self.recording.frames.push(frame.clone());
        if self.recording.frames.len() < self.most { Ok(()) } else { self.paint_all() }
    }
    fn complete(mut self: Box<Self>, _: &Frame) -> Outcome<Option<Target>> {
        if self.framing.is_none() {
            self.paint_all()?;
        }
        let path = self.film.path().to_path_buf();
        Ok(self.film.complete()?.map(|file| Target::of(&path, file)))
    }
}
