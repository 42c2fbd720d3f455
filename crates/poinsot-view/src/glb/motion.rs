//! The motion: the rows of the animation, all at the same times.

use super::file::{File, View};
use crate::show::Frame;

/// The frames of a recording at their times.
pub struct Motion<'a> {
    frames: Vec<&'a Frame>,
    times: Option<usize>,
}

impl<'a> Motion<'a> {
    /// The frames whose times, counted from the first, ascend in single precision.
    pub fn new(all: &'a [Frame], speed: f64, file: &mut File) -> Motion<'a> {
        let begin = all.first().map_or(0.0, |f| f.time);
        let (mut frames, mut times): (Vec<&Frame>, Vec<[f32; 1]>) = (Vec::new(), Vec::new());
        for frame in all {
            let time = ((frame.time - begin) / speed) as f32;
            if time.is_finite() && times.last().is_none_or(|[last]| time > *last) {
                frames.push(frame);
                times.push([time]);
            }
        }
        let times = moves(&frames).then(|| file.rows(View::Motion, &times));
        Motion { frames, times }
    }

    /// Animates a node by poses x y z, w x y z.
    pub fn pose(&self, file: &mut File, node: usize, of: impl Fn(&Frame) -> Option<[f32; 7]>) {
        let all = self.frames.iter().map(|f| of(f).unwrap_or([f32::NAN; 7]));
        let places: Vec<[f32; 3]> = held(all.clone().map(|[x, y, z, ..]| [x, y, z]), [0.0; 3]);
        let turns = held(all.map(|[_, _, _, w, x, y, z]| unit_single([x, y, z, w])), [0.0, 0.0, 0.0, 1.0]);
        self.animate(file, node, "translation", &places);
        self.animate(file, node, "rotation", &one_hemisphere(turns));
    }

    /// Animates a node by a solid's pose, and the node below it by its half axes, which are 0 while it is hidden.
    pub fn solid(
        &self,
        file: &mut File,
        node: usize,
        shape: usize,
        of: impl Fn(&Frame) -> Option<[f32; 10]>,
    ) {
        self.pose(file, node, |frame| of(frame).and_then(|s| s.first_chunk().copied()));
        let flat = |axis: f32| if axis == 0.0 { 1.0 } else { axis };
        let scale = |frame: &&Frame| match of(frame) {
            Some(all) if all.iter().all(|x| x.is_finite()) => [flat(all[7]), flat(all[8]), flat(all[9])],
            _ => [0.0; 3],
        };
        self.animate(file, shape, "scale", &self.frames.iter().map(scale).collect::<Vec<_>>());
    }

    /// The path of a trace, interrupted where it is hidden.
    pub fn path(&self, trace: usize) -> Vec<Vec<[f32; 3]>> {
        let points = self.frames.iter().map(|f| f.traces.get(trace).copied().unwrap_or([f32::NAN; 3]));
        let points: Vec<[f32; 3]> = points.collect();
        let pieces = points.split(|p| p.iter().any(|x| !x.is_finite()));
        pieces.filter(|piece| piece.len() > 1).map(<[_]>::to_vec).collect()
    }

    fn animate<const N: usize>(&self, file: &mut File, node: usize, path: &str, rows: &[[f32; N]]) {
        match self.times {
            Some(times) => file.animate(node, path, times, rows),
            None => file.animate(node, path, 0, &rows[..rows.len().min(1)]),
        }
    }
}

/// Whether there is an animation at all.
fn moves(frames: &[&Frame]) -> bool {
    let differs = |pair: &[&Frame]| pair[0].poses != pair[1].poses || pair[0].solids != pair[1].solids;
    frames.windows(2).any(differs)
}

/// Replaces a number that is not finite with the previous finite one, or with the first.
fn held<const N: usize>(rows: impl Iterator<Item = [f32; N]> + Clone, rest: [f32; N]) -> Vec<[f32; N]> {
    let seen = |row: &[f32; N]| row.iter().all(|x| x.is_finite());
    let mut last = rows.clone().find(seen).unwrap_or(rest);
    let hold = |row: [f32; N]| {
        if seen(&row) {
            last = row;
        }
        last
    };
    rows.map(hold).collect()
}

/// q and −q are the same rotation, but the path between neighbours should be the short one.
fn one_hemisphere(mut turns: Vec<[f32; 4]>) -> Vec<[f32; 4]> {
    for k in 1..turns.len() {
        let dot: f32 = (0..4).map(|i| turns[k - 1][i] * turns[k][i]).sum();
        if dot < 0.0 {
            turns[k] = turns[k].map(|x| -x);
        }
    }
    turns
}

/// Of length 1; NaN for zero.
pub fn unit(q: [f64; 4]) -> [f64; 4] {
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / norm)
}

fn unit_single(q: [f32; 4]) -> [f32; 4] {
    unit(q.map(f64::from)).map(|x| x as f32)
}
