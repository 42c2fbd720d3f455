//! What takes frames: recordings that are written at the end, and films that are painted as the run goes.

use super::Target;
use crate::failure::{Failure, Outcome, failure};
use poinsot::algebra::V3;
use poinsot::spatial::Quat;
use poinsot_view::film::{Film, FilmError};
use poinsot_view::raster::Painter;
use poinsot_view::show::{Camera, Frame, Recording, Scenery};
use poinsot_view::{glb, replay};
use std::io::Write;

/// A file, or a folder, that takes frames.
pub trait Reel {
    /// Takes a frame that is due.
    fn frame(&mut self, frame: &Frame) -> Outcome<()>;
    /// Takes the last frame of the run, whether due or not, and makes sure that everything is written.
    fn finish(self: Box<Self>, last: &Frame) -> Outcome<()>;
}

/// The format of a recording.
pub enum Medium {
    /// The page of this text.
    Page(String),
    /// Animated glTF.
    Glb,
}

/// A recording under way.
pub struct Recorded {
    pub file: Target,
    pub medium: Medium,
    /// Simulated seconds for a second.
    pub speed: f64,
    pub recording: Recording,
}

impl Recorded {
    fn write(mut self) -> Outcome<()> {
        let (recording, speed, medium) = (&self.recording, self.speed, &self.medium);
        self.file.write(|file| match medium {
            Medium::Page(template) => file.write_all(replay::page(template, recording, speed)?.as_bytes()),
            Medium::Glb => glb::write(recording, speed, file),
        })?;
        self.file.finish()
    }
}

impl Reel for Recorded {
    fn frame(&mut self, frame: &Frame) -> Outcome<()> {
        // if frames are due more often than steps are made, one moment is used once
        if self.recording.frames.last().is_none_or(|last| last.time < frame.time) {
            self.recording.frames.push(frame.clone());
        }
        Ok(())
    }
    fn finish(mut self: Box<Self>, last: &Frame) -> Outcome<()> {
        self.frame(last)?;
        self.write()
    }
}

/// A film under way.
pub struct Painted {
    pub painter: Painter,
    pub film: Box<dyn Film>,
    /// The file that the film is to be, where it is one.
    pub file: Option<Target>,
    /// Where the camera goes.
    pub following: Following,
}

/// Moves the camera with the centre of mass of models that can float away.
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
        let painted = self.film.frame(&self.painter.paint(frame));
        painted.map_err(|e| named(&e, self.file.as_ref()))
    }
    fn finish(self: Box<Self>, _: &Frame) -> Outcome<()> {
        self.film.finish().map_err(|e| named(&e, self.file.as_ref()))?;
        self.file.map_or(Ok(()), Target::finish)
    }
}

/// The message for an error in a film, with the name that the user gave it.
pub fn named(error: &FilmError, file: Option<&Target>) -> Failure {
    let said = error.to_string();
    failure(match file {
        Some(file) => {
            said.replace(&file.path_now().display().to_string(), &file.path().display().to_string())
        }
        None => said,
    })
}
