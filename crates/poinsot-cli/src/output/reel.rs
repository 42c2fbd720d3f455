//! What takes frames: recordings that are written at the end, and films that are painted as the run goes.

use crate::failure::{Outcome, failure};
use poinsot::algebra::V3;
use poinsot::spatial::Quat;
use poinsot_view::film::Film;
use poinsot_view::raster::Painter;
use poinsot_view::show::{Camera, Frame, Recording, Scenery};
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
    /// Where the camera goes.
    pub following: Following,
}

/// Moves the camera with the centre of mass of models that are free to fly away.
pub struct Following {
    /// The masses of bodies and their centres, where one of them is free; else none.
    masses: Vec<(f64, V3)>,
    last: Option<V3>,
}

impl Following {
    pub fn new(scenery: &Scenery) -> Following {
        let free = scenery.tracks.len() == 1 && scenery.joints.iter().any(|j| j.kind == "free");
        let masses = scenery.bodies.iter().map(|b| (b.mass, V3::from(b.com))).collect();
        Following { masses: if free { masses } else { Vec::new() }, last: None }
    }

    fn follow(&mut self, frame: &Frame, camera: &mut Camera) {
        let total: f64 = self.masses.iter().map(|(m, _)| m).sum();
        if total <= 0.0 {
            return;
        }
        let weighted = |((m, com), pose): (&(f64, V3), &[f32; 7])| {
            let [x, y, z, w, i, j, k] = pose.map(f64::from);
            (V3::new(x, y, z) + Quat { w, x: i, y: j, z: k }.matrix() * *com) * (m / total)
        };
        let centre = self.masses.iter().zip(&frame.poses).map(weighted).fold(V3::ZERO, |sum, c| sum + c);
        let step = centre - self.last.replace(centre).unwrap_or(centre);
        for end in [&mut camera.from, &mut camera.to] {
            *end = (V3::from(*end) + step).array();
        }
    }
}

impl Reel for Painted {
    fn frame(&mut self, frame: &Frame) -> Outcome<()> {
        self.following.follow(frame, self.painter.camera_mut());
        Ok(self.film.frame(&self.painter.paint(frame))?)
    }
    fn finish(self: Box<Self>, _: &Frame) -> Outcome<()> {
        Ok(self.film.finish()?)
    }
}
