//! The background, and the floor with its grid and the shadows on it.
//!
//! A shadow is the bodies' triangles projected along the key light l on the floor z = h, `p − l (p_z − h)/l_z`, and blurred.

use super::canvas::{Canvas, Corner, Tint, projected};
use super::light::linear;
use super::spans::spans;
use super::vector::{Vector, add, mix, norm, scale};
use super::view::View;

// as on the page
const TOP: [f64; 3] = [0.957, 0.965, 0.976];
const BOTTOM: [f64; 3] = [0.765, 0.800, 0.847];
const FLOOR: [f64; 3] = [0.851, 0.871, 0.898];
const LINES: [f64; 3] = [0.604, 0.643, 0.702];
/// The fraction of light in a shadow.
const DIM: f32 = 0.5;
/// Less than this counts as no shadow: blurring leaves round-off.
const UNSEEN: f32 = 1e-3;

/// The darkness of each pixel of the floor.
pub(super) struct Shadow {
    size: [usize; 2],
    /// Rows above the picture, and the same number below: shadows there blur into it.
    margin: usize,
    dark: Vec<f32>,
}

impl Shadow {
    pub fn new(width: usize, height: usize, margin: usize) -> Shadow {
        let height = height + 2 * margin;
        Shadow { size: [width, height], margin, dark: vec![0.0; width * height] }
    }

    /// The radius of blurring in a picture of this width, in pixels.
    pub fn blurs(width: usize) -> usize {
        2 * reach(width) + 1
    }

    /// The rows of the picture.
    fn inside(&self) -> &[f32] {
        let outside = self.margin * self.size[0];
        &self.dark[outside..self.dark.len() - outside]
    }

    /// Adds the shadow of a triangle whose corners have been projected onto the floor.
    pub fn add(&mut self, view: &View, corners: [Vector; 3], both: bool) {
        let view = &view.below_row(-(self.margin as f32));
        let corners = corners.map(|p| Corner { seen: view.seen(p), normal: [0.0; 3], tint: Tint::NONE });
        let (size, dark) = (self.size, &mut self.dark);
        projected(view, corners, |t| {
            spans(t.screen.map(|p| [p[0], p[1]]), size, both, |span| {
                dark[span.start..span.start + span.length].fill(1.0);
            });
        });
    }

    /// Makes its edges soft: twice the mean of the neighbours, along rows and along columns.
    pub fn soften(&mut self) {
        let reach = reach(self.size[0]);
        for _ in 0..2 {
            self.blur_rows(reach);
            self.blur_columns(reach);
        }
    }

    fn blur_rows(&mut self, reach: usize) {
        let share = 1.0 / (2 * reach + 1) as f32;
        let mut old = Vec::new();
        for row in self.dark.chunks_exact_mut(self.size[0]).filter(|row| row.iter().any(|x| *x > 0.0)) {
            old.clear();
            old.extend_from_slice(row);
            let at = |k: usize| old.get(k.wrapping_sub(reach)).copied().unwrap_or(0.0);
            let mut sum: f32 = (reach..2 * reach).map(at).sum();
            for (k, x) in row.iter_mut().enumerate() {
                sum += at(k + 2 * reach);
                *x = share * sum.max(0.0);
                sum -= at(k);
            }
        }
    }

    fn blur_columns(&mut self, reach: usize) {
        let [width, height] = self.size;
        let share = 1.0 / (2 * reach + 1) as f32;
        let old = self.dark.clone();
        let mut sums = vec![0.0_f32; width];
        let add = |sums: &mut [f32], row: usize, sign: f32| {
            let row = old.get(row.wrapping_mul(width)..).filter(|_| row < height).unwrap_or_default();
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += sign * x);
        };
        (0..reach).for_each(|row| add(&mut sums, row, 1.0));
        for (y, row) in self.dark.chunks_exact_mut(width).enumerate() {
            add(&mut sums, y + reach, 1.0);
            row.iter_mut().zip(&sums).for_each(|(x, sum)| *x = share * sum.max(0.0));
            add(&mut sums, y.wrapping_sub(reach), -1.0);
        }
    }
}

fn reach(width: usize) -> usize {
    (width / 200).max(1)
}

/// Paints the background of `height` rows from row `first` on, brighter above.
pub(super) fn background(canvas: &mut Canvas, first: usize, height: usize) {
    let width = canvas.size[0];
    for (y, row) in canvas.colour.chunks_exact_mut(width.max(1)).enumerate() {
        row.fill(sky(((y + first) as f32 + 0.5) / height as f32));
    }
    canvas.near.fill(0.0);
}

fn sky(down: f32) -> Vector {
    mix(linear(TOP), linear(BOTTOM), down)
}

/// Paints the floor at this height as `view` sees it from above, in the pixels of `view`: without a shadow all of it,
/// with one only where it falls. The rows are those from `first` on of a picture with `tall` rows.
pub(super) fn floor(
    canvas: &mut Canvas,
    samples: usize,
    (view, first, tall): (&View, usize, usize),
    height: f32,
    shadow: Option<&Shadow>,
) {
    let drop = height - view.eye[2];
    let spacing = nice(0.12 * view.distance);
    let centre = add(view.eye, scale(view.ahead, view.distance));
    let [width, rows] = canvas.size.map(|n| n / samples);
    let step = scale(view.right, 1.0 / view.focal);
    let (plain, ruled) = (linear(FLOOR), linear(LINES));
    for y in 0..rows {
        let left = view.ray(0.5, y as f32 + 0.5);
        let behind = sky(((y + first) as f32 + 0.5) / tall as f32);
        for x in 0..width {
            let dark = shadow.map_or(0.0, |s| s.inside()[y * width + x]);
            if shadow.is_some() && dark < UNSEEN {
                continue;
            }
            let ray = add(left, scale(step, x as f32));
            let depth = drop / ray[2];
            if !(drop < 0.0 && depth > view.near() && depth.is_finite()) {
                continue;
            }
            let hit = [0, 1].map(|k| view.eye[k] + depth * ray[k]);
            let off = norm([hit[0] - centre[0], hit[1] - centre[1], 0.0]) / view.distance;
            let share = 1.0 - smooth((off - 0.8) / 3.2);
            let grid = if share > 0.01 { share * lines(view, ray, depth, hit, spacing) } else { 0.0 };
            let colour = mix(behind, scale(mix(plain, ruled, grid), 1.0 - DIM * dark), share);
            let near = 1.0 / depth;
            for row in y * samples..(y + 1) * samples {
                let first = row * canvas.size[0] + x * samples;
                canvas.colour[first..first + samples].fill(colour);
                canvas.near[first..first + samples].fill(near);
            }
        }
    }
}

/// Darkens a plane of the model at this height where a shadow falls on it.
pub(super) fn darken(canvas: &mut Canvas, samples: usize, view: &View, height: f32, shadow: &Shadow) {
    let drop = height - view.eye[2];
    let [width, _] = shadow.size;
    for (k, dark) in shadow.inside().iter().enumerate().filter(|(_, dark)| **dark >= UNSEEN) {
        let (x, y) = (k % width, k / width);
        for row in y * samples..(y + 1) * samples {
            for column in x * samples..(x + 1) * samples {
                let at = |k: usize| (k as f32 + 0.5) / samples as f32;
                let ahead = drop / view.ray(at(column), at(row))[2];
                let sample = row * canvas.size[0] + column;
                // at the distance of the plane, within round-off
                if (canvas.near[sample] * ahead - 1.0).abs() < 1e-3 {
                    canvas.colour[sample] = scale(canvas.colour[sample], 1.0 - DIM * dark);
                }
            }
        }
    }
}

/// The fraction of a pixel covered by grid lines: fine ones, and stronger ones five times as far apart.
fn lines(view: &View, ray: Vector, depth: f32, hit: [f32; 2], spacing: f32) -> f32 {
    let (steep, far) = (1.0 / ray[2], depth / view.focal);
    let width = 0.012 * spacing;
    let mut cover = 0.0_f32;
    for k in 0..2 {
        // the size of a pixel on the floor
        let slide = |side: Vector| (side[k] - ray[k] * side[2] * steep) * far;
        let dot = slide(view.right).abs() + slide(view.up).abs();
        let (drawn, sharp) = (width.max(dot), 1.0 / dot);
        for (apart, strength) in [(spacing, 0.35), (5.0 * spacing, 0.75)] {
            let from = from_nearest(hit[k] / apart) * apart;
            let inside = (0.5 + (0.5 * drawn - from) * sharp).clamp(0.0, 1.0);
            let crowded = (1.0 - 2.5 * dot / apart).clamp(0.0, 1.0);
            if inside > 0.0 {
                cover = cover.max(strength * inside * (width / drawn).max(0.6) * crowded);
            }
        }
    }
    cover
}

/// The distance to the nearest whole number, by truncation, which is fast on every machine.
fn from_nearest(x: f32) -> f32 {
    let rest = (x - x as i32 as f32).abs();
    rest.min(1.0 - rest)
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
