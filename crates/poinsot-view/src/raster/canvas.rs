//! The canvas: a brightness and a depth for each sample, of which every pixel of the picture has several.

use super::light::{Light, Paint};
use super::spans::{FAR, Span, spans};
use super::tint::Pyramid;
use super::vector::{Vector, dot, mix, sub};
use super::view::View;

/// A vertex in camera coordinates.
#[derive(Clone, Copy)]
pub(super) struct Corner {
    /// Right, up, ahead.
    pub seen: Vector,
    /// In world axes.
    pub normal: Vector,
    /// The tint there.
    pub tint: Tint,
}

/// The tint of a vertex: a colour that multiplies the paint, and texture coordinates.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Tint {
    pub colour: Vector,
    pub at: [f32; 2],
}

impl Tint {
    pub const NONE: Tint = Tint { colour: [1.0; 3], at: [0.0; 2] };

    fn mix(a: Tint, b: Tint, t: f32) -> Tint {
        let at = [0, 1].map(|k| a.at[k] + (b.at[k] - a.at[k]) * t);
        Tint { colour: mix(a.colour, b.colour, t), at }
    }
}

/// A triangle on the screen: column, row, 1/depth, normal and tint of each corner.
#[derive(Clone, Copy)]
pub(super) struct Triangle {
    pub screen: [Vector; 3],
    pub normals: [Vector; 3],
    pub tints: [Tint; 3],
}

impl Triangle {
    /// The fraction of the texture's area in a sample.
    fn spread(&self) -> f32 {
        let area =
            |[a, b, c]: [[f32; 2]; 3]| ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs();
        area(self.tints.map(|t| t.at)) / area(self.screen.map(|p| [p[0], p[1]])).max(1e-6)
    }

    /// The tint where the weights of the second and third corner are these, and 1/depth is `near`: it is linear in
    /// space, not on the screen.
    fn tint(&self, [u, v]: [f32; 2], near: f32) -> Tint {
        let share = |k: usize, w: f32| w * self.screen[k][2] / near;
        let weights = [share(0, 1.0 - u - v), share(1, u), share(2, v)];
        let sum = |of: &dyn Fn(&Tint) -> f32| (0..3).map(|k| weights[k] * of(&self.tints[k])).sum::<f32>();
        let colour = [0, 1, 2].map(|c| sum(&|t| t.colour[c]));
        Tint { colour, at: [0, 1].map(|c| sum(&|t| t.at[c])) }
    }
}

/// Samples with their brightness and 1/depth.
pub(super) struct Canvas {
    pub size: [usize; 2],
    pub colour: Vec<Vector>,
    pub near: Vec<f32>,
}

impl Canvas {
    pub fn new(width: usize, height: usize) -> Canvas {
        let count = width * height;
        Canvas { size: [width, height], colour: vec![[0.0; 3]; count], near: vec![0.0; count] }
    }

    /// Sets the number of rows of samples.
    pub fn set_height(&mut self, height: usize) {
        let count = self.size[0] * height;
        self.size[1] = height;
        self.colour.resize(count, [0.0; 3]);
        self.near.resize(count, 0.0);
    }

    /// Paints a triangle: opaque paint hides what is behind it, other paint is blended with it.
    pub fn fill(
        &mut self,
        triangle: &Triangle,
        both: bool,
        light: &Light,
        paint: &Paint,
        picture: Option<&Pyramid>,
    ) {
        let Triangle { screen: [a, b, c], normals: [n, p, q], tints } = *triangle;
        let tinted = picture.is_some() || tints != [Tint::NONE; 3];
        let level = picture.map_or(0, |p| p.level(triangle.spread()));
        let (to_b, to_c) = (b[2] - a[2], c[2] - a[2]);
        let (to_p, to_q) = (sub(p, n), sub(q, n));
        let flat = to_p == [0.0; 3] && to_q == [0.0; 3];
        let shade =
            |normal: Vector| light.shade(paint, if both { Light::facing(paint, normal) } else { normal });
        let even = shade(n);
        spans([a, b, c].map(|p| [p[0], p[1]]), self.size, both, |span: Span| {
            let dots = span.start..span.start + span.length;
            let samples = self.colour[dots.clone()].iter_mut().zip(&mut self.near[dots]);
            for (k, (colour, near)) in samples.enumerate() {
                let u = span.weights[0] + k as f32 * span.steps[0];
                let v = span.weights[1] + k as f32 * span.steps[1];
                let here = a[2] + u * to_b + v * to_c;
                if here <= *near {
                    continue;
                }
                let normal = [0, 1, 2].map(|k| n[k] + u * to_p[k] + v * to_q[k]);
                let bright = if tinted {
                    let tint = triangle.tint([u, v], here);
                    let picture = picture.map_or([1.0; 3], |p| p.at(tint.at, level));
                    let colour = [0, 1, 2].map(|k| paint.colour[k] * tint.colour[k] * picture[k]);
                    let facing = if both { Light::facing(paint, normal) } else { normal };
                    light.shade(&paint.with(colour), facing)
                } else if flat {
                    even
                } else {
                    shade(normal)
                };
                if paint.opacity >= 1.0 {
                    (*colour, *near) = (bright, here);
                } else {
                    *colour = mix(*colour, bright, paint.opacity_along(normal));
                }
            }
        });
    }

    /// Paints a line `radius` samples to either side, over the surface it lies on.
    pub fn line(&mut self, view: &View, ends: [Vector; 2], radius: f32, colour: Vector) {
        let Some([a, b]) = clip_line(ends, view.near()).map(|ends| ends.map(|p| view.screen(p))) else {
            return;
        };
        let [width, height] = self.size.map(|n| n as f32);
        let low = |k: usize| a[k].min(b[k]) - radius;
        let high = |k: usize| a[k].max(b[k]) + radius;
        if !(high(0) >= 0.0 && low(0) <= width && high(1) >= 0.0 && low(1) <= height) {
            return;
        }
        // in pieces, so that the boxes around them are not much larger than the pieces
        let pieces =
            ((high(0) - low(0)).max(high(1) - low(1)) / (8.0 * radius + 8.0)).clamp(1.0, 4096.0) as usize;
        for k in 0..pieces {
            let at = |k: usize| mix(a, b, k as f32 / pieces as f32);
            self.piece([at(k), at(k + 1)], radius, colour);
        }
    }

    fn piece(&mut self, [a, b]: [Vector; 2], radius: f32, colour: Vector) {
        let range = |k: usize| {
            let (low, high) = (a[k].min(b[k]) - radius, a[k].max(b[k]) + radius);
            (low.max(0.0) as usize)..(high.max(-1.0) + 1.0).min(self.size[k] as f32) as usize
        };
        let along = [b[0] - a[0], b[1] - a[1]];
        let square = (along[0] * along[0] + along[1] * along[1]).max(1e-12);
        for y in range(1) {
            for x in range(0) {
                let d = [x as f32 + 0.5 - a[0], y as f32 + 0.5 - a[1]];
                let t = ((d[0] * along[0] + d[1] * along[1]) / square).clamp(0.0, 1.0);
                let off = [d[0] - t * along[0], d[1] - t * along[1]];
                let here = (a[2] + t * (b[2] - a[2])) * OVER;
                let sample = y * self.size[0] + x;
                if off[0] * off[0] + off[1] * off[1] <= radius * radius && here > self.near[sample] {
                    (self.colour[sample], self.near[sample]) = (colour, here);
                }
            }
        }
    }

    /// Adds its rows to the bytes of a picture: the mean of `samples` × `samples` for each pixel.
    pub fn append_to(&self, rgb: &mut Vec<u8>, samples: usize) {
        let (width, height) = (self.size[0] / samples, self.size[1] / samples);
        let share = 1.0 / (samples * samples) as f32;
        for y in 0..height {
            for x in 0..width {
                let mut sum = [0.0_f32; 3];
                for row in y * samples..(y + 1) * samples {
                    let first = row * self.size[0] + x * samples;
                    for colour in &self.colour[first..first + samples] {
                        (0..3).for_each(|k| sum[k] += colour[k].min(1.0));
                    }
                }
                rgb.extend(sum.map(|s| ((s * share).sqrt() * 255.0 + 0.5) as u8));
            }
        }
    }
}

/// Lines are drawn this much nearer than they are, so that a line on a surface is visible.
const OVER: f32 = 1.004;

/// The part of a triangle in front of the camera, as triangles on the screen.
pub(super) fn projected(view: &View, corners: [Corner; 3], mut draw: impl FnMut(Triangle)) {
    let near = view.near();
    let mut put = |corners: [Corner; 3]| {
        let screen = corners.map(|c| view.screen(c.seen));
        if screen.iter().all(|p| p[0].abs() < FAR && p[1].abs() < FAR) {
            let (normals, tints) = (corners.map(|c| c.normal), corners.map(|c| c.tint));
            draw(Triangle { screen, normals, tints });
        }
    };
    if corners.iter().all(|c| c.seen[2] > near) {
        return put(corners);
    }
    let mut kept: Vec<Corner> = Vec::with_capacity(4);
    for (k, one) in corners.iter().enumerate() {
        let next = &corners[(k + 1) % 3];
        if one.seen[2] > near {
            kept.push(*one);
        }
        if (one.seen[2] > near) != (next.seen[2] > near) {
            let t = (near - one.seen[2]) / (next.seen[2] - one.seen[2]);
            let mut seen = mix(one.seen, next.seen, t);
            seen[2] = near;
            let (normal, tint) = (mix(one.normal, next.normal, t), Tint::mix(one.tint, next.tint, t));
            kept.push(Corner { seen, normal, tint });
        }
    }
    for k in 2..kept.len() {
        put([kept[0], kept[k - 1], kept[k]]);
    }
}

/// The part of a line in front of the camera.
fn clip_line([a, b]: [Vector; 2], near: f32) -> Option<[Vector; 2]> {
    let finite = dot(a, a).is_finite() && dot(b, b).is_finite();
    let cut = |inside: Vector, outside: Vector| {
        let mut at = mix(inside, outside, (near - inside[2]) / (outside[2] - inside[2]));
        at[2] = near;
        at
    };
    match (finite, a[2] > near, b[2] > near) {
        (true, true, true) => Some([a, b]),
        (true, true, false) => Some([a, cut(a, b)]),
        (true, false, true) => Some([cut(b, a), b]),
        _ => None,
    }
}
