//! What takes frames: recordings that are written at the end, and films that are painted as the run goes.

use crate::failure::{Outcome, failure};
use poinsot_view::film::Film;
use poinsot_view::raster::Painter;
use poinsot_view::show::{Frame, Recording};
use poinsot_view::{glb, replay};
use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::PathBuf;

/// A file, or a folder, that takes frames.
pub trait Reel {
    /// Takes a frame whose turn it is.
    fn frame(&mut self, frame: &Frame) -> Outcome<()>;
    /// Takes the last frame of the run, whose turn it need not be, and makes sure that all is written.
    fn finish(self: Box<Self>, last: &Frame) -> Outcome<()>;
}

/// What a recording becomes.
pub enum Medium {
    /// The page of this text.
    Page(String),
    /// Animated glTF.
    Glb,
}

/// A recording under way.
pub struct Recorded {
    pub path: PathBuf,
    pub file: BufWriter<File>,
    pub medium: Medium,
    /// Simulated seconds for a second.
    pub speed: f64,
    pub recording: Recording,
}

impl Recorded {
    fn write(mut self) -> Result<()> {
        match &self.medium {
            Medium::Page(template) => {
                self.file.write_all(replay::page(template, &self.recording, self.speed)?.as_bytes())?;
            }
            Medium::Glb => glb::write(&self.recording, self.speed, &mut self.file)?,
        }
        self.file.flush()
    }
}

impl Reel for Recorded {
    fn frame(&mut self, frame: &Frame) -> Outcome<()> {
        // where frames are due more often than steps are made, one moment is taken once
        if self.recording.frames.last().is_none_or(|last| last.time < frame.time) {
            self.recording.frames.push(frame.clone());
        }
        Ok(())
    }
    fn finish(mut self: Box<Self>, last: &Frame) -> Outcome<()> {
        self.frame(last)?;
        let path = self.path.clone();
        self.write().map_err(|e| failure(format!("cannot write {}: {e}", path.display())))
    }
}

/// A film under way.
pub struct Painted {
    pub painter: Painter,
    pub film: Box<dyn Film>,
}

impl Reel for Painted {
    fn frame(&mut self, frame: &Frame) -> Outcome<()> {
        Ok(self.film.frame(&self.painter.paint(frame))?)
    }
    fn finish(self: Box<Self>, _: &Frame) -> Outcome<()> {
        Ok(self.film.finish()?)
    }
}
