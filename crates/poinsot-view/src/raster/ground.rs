//! The background, and the floor with its grid and the shadows on it.
//!
//! A shadow is the bodies' triangles projected along the key light l on the floor z = h, `p − l (p_z − h)/l_z`, and blurred.

use super::canvas::{Canvas, Corner, projected};
use super::light::linear;
use super::spans::spans;
use super::vector::{Vector, add, mix, norm, scale};
use super::view::View;

const TOP: [f64; 3] = [0.965, 0.975, 0.99];
const BOTTOM: [f64; 3] = [0.83, 0.86, 0.90];
const FLOOR: [f64; 3] = [0.90, 0.91, 0.925];
const LINES: [f64; 3] = [0.62, 0.65, 0.70];
/// How much light a shadow leaves.
const DIM: f32 = 0.5;

/// How dark each dot of the floor is.
pub(super) struct Shadow {
    size: [usize; 2],
    dark: Vec<f32>,
}

impl Shadow {
    pub fn new(width: usize, height: usize) -> Shadow {
        Shadow { size: [width, height], dark: vec![0.0; width * height] }
    }

    /// Adds the shadow of a triangle whose corners have been brought to the floor.
    pub fn add(&mut self, view: &View, corners: [Vector; 3], both: bool) {
        let corners = corners.map(|p| Corner { seen: view.seen(p), normal: [0.0; 3] });
        let (size, dark) = (self.size, &mut self.dark);
        projected(view, corners, |t| {
            spans(t.screen.map(|p| [p[0], p[1]]), size, both, |span| {
                dark[span.start..span.start + span.length].fill(1.0);
            });
        });
    }

    /// Makes its edges soft: twice the mean of the neighbours, along rows and along columns.
    pub fn soften(&mut self) {
        let [width, height] = self.size;
        let reach = (width / 200).max(1);
        let mut line = Vec::new();
        for _ in 0..2 {
            for y in 0..height {
                blur(&mut self.dark[y * width..(y + 1) * width], 1, reach, &mut line);
            }
            for x in 0..width {
                blur(&mut self.dark[x..], width, reach, &mut line);
            }
        }
    }
}

/// Replaces every `stride`-th number by the mean of those within `reach` of it.
fn blur(numbers: &mut [f32], stride: usize, reach: usize, line: &mut Vec<f32>) {
    line.clear();
    line.extend(numbers.iter().step_by(stride));
    if line.iter().all(|x| *x == line[0]) {
        return;
    }
    let share = 1.0 / (2 * reach + 1) as f32;
    let at = |k: isize| line[k.clamp(0, line.len() as isize - 1) as usize];
    for (k, x) in numbers.iter_mut().step_by(stride).enumerate() {
        let k = k as isize;
        *x = share * (k - reach as isize..=k + reach as isize).map(at).sum::<f32>();
    }
}

/// Paints the background, brighter above.
pub(super) fn background(canvas: &mut Canvas) {
    let [width, height] = canvas.size;
    for (y, row) in canvas.colour.chunks_exact_mut(width.max(1)).enumerate() {
        row.fill(sky(y as f32 / height as f32));
    }
    canvas.near.fill(0.0);
}

fn sky(down: f32) -> Vector {
    mix(linear(TOP), linear(BOTTOM), down)
}

/// Paints the floor at this height, as `view`, in whose dots the picture is, sees it from above.
pub(super) fn floor(canvas: &mut Canvas, samples: usize, view: &View, height: f32, shadow: &Shadow) {
    let drop = height - view.eye[2];
    let spacing = nice(0.12 * view.distance);
    let centre = add(view.eye, scale(view.ahead, view.distance));
    let [width, rows] = shadow.size;
    for y in 0..rows {
        for x in 0..width {
            let ray = view.ray(x as f32 + 0.5, y as f32 + 0.5);
            let depth = drop / ray[2];
            if !(drop < 0.0 && depth > view.near() && depth.is_finite()) {
                continue;
            }
            let hit = [0, 1].map(|k| view.eye[k] + depth * ray[k]);
            let off = norm([hit[0] - centre[0], hit[1] - centre[1], 0.0]) / view.distance;
            let share = 1.0 - smooth((off - 0.8) / 3.2);
            let grid = share * lines(view, ray, depth, hit, spacing);
            let bright = mix(linear(FLOOR), linear(LINES), grid);
            let dark = 1.0 - DIM * shadow.dark[y * width + x];
            let colour = mix(sky((y as f32 + 0.5) / rows as f32), scale(bright, dark), share);
            for row in y * samples..(y + 1) * samples {
                let first = row * canvas.size[0] + x * samples;
                canvas.colour[first..first + samples].fill(colour);
                canvas.near[first..first + samples].fill(1.0 / depth);
            }
        }
    }
}

/// How much of a dot lines of the grid cover: fine ones, and stronger ones five times as far apart.
fn lines(view: &View, ray: Vector, depth: f32, hit: [f32; 2], spacing: f32) -> f32 {
    let mut cover = 0.0_f32;
    for k in 0..2 {
        // what a dot measures on the floor
        let slide = |side: Vector| (side[k] - ray[k] * side[2] / ray[2]) * depth / view.focal;
        let dot = slide(view.right).abs() + slide(view.up).abs();
        for (apart, strength) in [(spacing, 0.35), (5.0 * spacing, 0.75)] {
            let turns = hit[k] / apart;
            let from = (turns - (turns + 0.5).floor()).abs() * apart;
            let width = 0.012 * spacing;
            let drawn = width.max(dot);
            let inside = (0.5 + (0.5 * drawn - from) / dot).clamp(0.0, 1.0);
            let crowded = (1.0 - 2.5 * dot / apart).clamp(0.0, 1.0);
            cover = cover.max(strength * inside * (width / drawn).max(0.6) * crowded);
        }
    }
    cover
}

fn smooth(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// The largest of 1, 2, 5 times a power of ten that is not above `x`.
fn nice(x: f32) -> f32 {
    let mut decade = 1.0_f32;
    while decade > x && decade > 1e-30 {
        decade *= 0.1;
    }
    while decade * 10.0 <= x && decade < 1e30 {
        decade *= 10.0;
    }
    [5.0, 2.0].into_iter().map(|k| k * decade).find(|s| *s <= x).unwrap_or(decade)
}
