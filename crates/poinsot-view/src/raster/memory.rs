//! The points of traces so far.

use super::vector::Vector;
use crate::show::{Frame, Scenery};
use std::collections::VecDeque;

/// The points of each trace with their times, in the frame of the body or solid that the trace belongs to.
#[derive(Default)]
pub(super) struct Memory {
    lines: Vec<VecDeque<(f64, Vector)>>,
    lasts: Vec<Option<f64>>,
    now: f64,
}

impl Memory {
    pub fn of(scenery: &Scenery) -> Memory {
        let lasts: Vec<Option<f64>> = scenery.traces.iter().map(|t| t.lasts).collect();
        Memory { lines: vec![VecDeque::new(); lasts.len()], lasts, now: 0.0 }
    }

    /// Adds the points of a frame. If time goes back, later points are dropped.
    pub fn note(&mut self, frame: &Frame) {
        self.now = frame.time;
        for ((line, lasts), point) in self.lines.iter_mut().zip(&self.lasts).zip(&frame.traces) {
            while line.back().is_some_and(|(time, _)| *time >= frame.time) {
                line.pop_back();
            }
            line.push_back((frame.time, *point));
            while lasts.is_some_and(|l| line.front().is_some_and(|(time, _)| frame.time - time > l)) {
                line.pop_front();
            }
        }
    }

    /// The segments of a trace: both ends, and its age from 0 (old) to 1 (new).
    pub fn pieces(&self, trace: usize) -> impl Iterator<Item = ([Vector; 2], f32)> + '_ {
        let lasts = self.lasts.get(trace).copied().flatten();
        let fresh = move |time: f64| lasts.map_or(1.0, |l| 1.0 - (self.now - time) / l.max(1e-12)) as f32;
        let line = self.lines.get(trace).into_iter();
        line.flat_map(move |line| {
            let pairs = line.iter().zip(line.iter().skip(1));
            pairs.map(move |(a, b)| ([a.1, b.1], fresh(b.0).clamp(0.0, 1.0)))
        })
    }
}
