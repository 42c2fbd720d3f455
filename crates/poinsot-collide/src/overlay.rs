//! The overlap of two facing patches, projected along the normal.
//!
//! The corners of the overlap of two convex polygons are vertices of one inside the other (vertex and face) and crossings of edges (edge
//! and edge). The gap at each is the difference of the heights of the two along the normal.

use crate::contact::Feature;
use crate::manifold::Point;
use crate::math::{Vec2, Vec3, across};
use crate::patch::Patch;

/// A projected patch: points in the plane, and heights.
#[derive(Clone, Debug, Default)]
struct Flat {
    points: Vec<Vec2>,
    heights: Vec<f64>,
    /// For a polygon: the change of height along the two axes.
    slope: Vec2,
    /// 1 if the points run counter-clockwise, −1 if clockwise.
    turn: f64,
    disc: Option<(Vec2, f64)>,
}

impl Flat {
    fn see(&mut self, patch: &Patch, u: Vec3, v: Vec3, n: Vec3) {
        self.points.clear();
        self.heights.clear();
        for p in &patch.points {
            self.points.push(Vec2::new(p.dot(u), p.dot(v)));
            self.heights.push(p.dot(n));
        }
        let up = patch.normal.dot(n);
        // a tilted disc projects to an ellipse: then its samples are used
        let disc = patch.disc.filter(|_| up.abs() > 1.0 - 1e-9);
        self.disc = disc.map(|(c, radius)| (Vec2::new(c.dot(u), c.dot(v)), radius));
        self.turn = if up < 0.0 { -1.0 } else { 1.0 };
        self.slope = -Vec2::new(patch.normal.dot(u), patch.normal.dot(v)) / up;
    }
    fn height(&self, p: Vec2) -> f64 {
        if self.points.len() == 1 {
            return self.heights[0];
        }
        let d = p - self.points[0];
        if self.points.len() > 2 {
            return self.heights[0] + self.slope.dot(d);
        }
        let along = self.points[1] - self.points[0];
        let t = (d.dot(along) / along.length_squared()).clamp(0.0, 1.0);
        self.heights[0] + t * (self.heights[1] - self.heights[0])
    }
    fn edges(&self) -> usize {
        if self.points.len() > 2 { self.points.len() } else { 1 }
    }
    fn next(&self, k: usize) -> usize {
        if k + 1 == self.points.len() { 0 } else { k + 1 }
    }
    /// The distance of p inside edge k.
    fn inside(&self, k: usize, p: Vec2) -> f64 {
        let (a, b) = (self.points[k], self.points[self.next(k)]);
        let e = b - a;
        let length = e.length();
        if length == 0.0 { 0.0 } else { self.turn * e.perp_dot(p - a) / length }
    }
    /// The position in this patch of a corner of the other: the corner itself, or a point on the rim if it is outside by at most `edge`.
    fn hold(&self, p: Vec2, sides: &[f64], edge: f64) -> Option<Vec2> {
        if let Some((centre, radius)) = self.disc {
            let far = (p - centre).length();
            return (far <= radius + edge).then(|| centre + (p - centre) * (radius / far.max(radius)));
        }
        if self.points.len() > 2 {
            if sides.iter().any(|s| *s < -edge) {
                return None;
            }
            return Some(if sides.iter().any(|s| *s < 0.0) { self.pushed_in(p) } else { p });
        }
        let e = self.points[1] - self.points[0];
        let (along, length) = ((p - self.points[0]).dot(e), e.length());
        let near = sides[0].abs() <= edge && along >= -edge * length && along <= (length + edge) * length;
        near.then(|| self.points[0] + e * (along / (length * length)).clamp(0.0, 1.0))
    }
    /// A point just outside, moved back across the edges that it violates.
    fn pushed_in(&self, mut p: Vec2) -> Vec2 {
        for _ in 0..2 {
            for k in 0..self.edges() {
                let out = -self.inside(k, p);
                if out > 0.0 {
                    let e = self.points[self.next(k)] - self.points[k];
                    p += e.perp() * (self.turn * out / e.length());
                }
            }
        }
        p
    }
    /// True if a point is inside to round-off.
    fn contains(&self, p: Vec2, tiny: f64) -> bool {
        match self.disc {
            Some((centre, radius)) => (p - centre).length() <= radius + tiny,
            None if self.points.len() > 2 => (0..self.edges()).all(|k| self.inside(k, p) >= -tiny),
            None => self.hold(p, &[self.inside(0, p)], tiny).is_some(),
        }
    }
    fn width(&self) -> f64 {
        let first = self.points[0];
        self.points.iter().fold(0.0f64, |w, p| w.max((*p - first).length()))
    }
}

/// Scratch for overlays, reused between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay {
    a: Flat,
    b: Flat,
    /// The distance of each corner of A inside each edge of B, corner by corner; and of B in A.
    a_in_b: Vec<f64>,
    b_in_a: Vec<f64>,
    /// The corners of A that lie in B.
    held: Vec<Vec2>,
}

/// Corners outside the other patch by up to this fraction of its width still count, so that aligned edges do not flicker.
const EDGE: f64 = 1e-4;

impl Overlay {
    /// Adds the points at which patches a and b, facing each other along n, have gaps of at most `most`. The gap of the two bodies is
    /// known: none is smaller. True if one of the points has it, and lies on both patches to `tiny`.
    pub fn points(
        &mut self,
        [a, b]: [&Patch; 2],
        n: Vec3,
        gap: f64,
        most: f64,
        tiny: f64,
        out: &mut Vec<Point>,
    ) -> bool {
        if a.points.len() == 1 || b.points.len() == 1 {
            return self.single(a, b, n, gap, tiny, out);
        }
        let (u, v) = across(n);
        self.a.see(a, u, v, n);
        self.b.see(b, u, v, n);
        sides(&self.a, &self.b, &mut self.a_in_b);
        sides(&self.b, &self.a, &mut self.b_in_a);
        let mut attained = false;
        let mut put = |p: Vec2, heights: [f64; 2], features: [Feature; 2], on_both: bool| {
            let raw = heights[1] - heights[0];
            let found = if raw <= gap + tiny { gap } else { raw };
            attained |= found == gap && on_both;
            if found <= most {
                let height = 0.5 * (heights[0] + heights[1]);
                out.push(Point { position: u * p.x + v * p.y + n * height, normal: n, gap: found, features });
            }
        };
        let (fa, fb) = (&self.a, &self.b);
        let (ea, eb) = (fa.edges(), fb.edges());
        let edge = EDGE * fa.width().min(fb.width());
        self.held.clear();
        for (k, &p) in fa.points.iter().enumerate() {
            if let Some(q) = fb.hold(p, &self.a_in_b[k * eb..(k + 1) * eb], edge) {
                self.held.push(p);
                let height = if q == p { fa.heights[k] } else { fa.height(q) };
                put(q, [height, fb.height(q)], [a.vertices[k], b.inside], q == p || fa.contains(q, tiny));
            }
        }
        if fa.points.len() > 2 || fb.points.len() == 2 {
            for (k, &p) in fb.points.iter().enumerate() {
                // a vertex on a vertex counts once
                let known = self.held.iter().any(|q| (*q - p).length() <= 2.0 * edge);
                let held = if known { None } else { fa.hold(p, &self.b_in_a[k * ea..(k + 1) * ea], edge) };
                if let Some(q) = held {
                    let height = if q == p { fb.heights[k] } else { fb.height(q) };
                    put(q, [fa.height(q), height], [a.inside, b.vertices[k]], q == p || fb.contains(q, tiny));
                }
            }
        }
        for i in 0..ea {
            let i2 = fa.next(i);
            for j in 0..eb {
                let (s, s2) = (self.a_in_b[i * eb + j], self.a_in_b[i2 * eb + j]);
                let j2 = fb.next(j);
                let (t, t2) = (self.b_in_a[j * ea + i], self.b_in_a[j2 * ea + i]);
                let clear = s.abs().min(s2.abs()).min(t.abs()).min(t2.abs()) > edge;
                if clear && s * s2 < 0.0 && t * t2 < 0.0 {
                    let (k, m) = (s / (s - s2), t / (t - t2));
                    let p = fa.points[i].lerp(fa.points[i2], k);
                    let height_a = fa.heights[i] + k * (fa.heights[i2] - fa.heights[i]);
                    let height_b = fb.heights[j] + m * (fb.heights[j2] - fb.heights[j]);
                    put(p, [height_a, height_b], [a.edges[i], b.edges[j]], true);
                }
            }
        }
        attained
    }

    /// A vertex, or a point of a round surface, opposite anything.
    fn single(&mut self, a: &Patch, b: &Patch, n: Vec3, gap: f64, tiny: f64, out: &mut Vec<Point>) -> bool {
        let position = match (a.points.len(), b.points.len()) {
            (1, _) => a.points[0] + n * (0.5 * gap),
            _ => b.points[0] - n * (0.5 * gap),
        };
        let (u, v) = across(n);
        let p = Vec2::new(position.dot(u), position.dot(v));
        let mut within = [f64::INFINITY; 2];
        for (k, (flat, patch)) in [(&mut self.a, a), (&mut self.b, b)].into_iter().enumerate() {
            flat.see(patch, u, v, n);
            within[k] = match flat.points[..] {
                [only] => tiny.max(1e-6 * gap.abs()) - (only - p).length(),
                _ if flat.contains(p, tiny) => f64::INFINITY,
                _ if flat.contains(p, EDGE * flat.width()) => 0.0,
                _ => -1.0,
            };
        }
        if within[0].min(within[1]) >= 0.0 {
            out.push(Point { position, normal: n, gap, features: [a.inside, b.inside] });
        }
        // a tilted face has its highest point elsewhere
        let raw = self.b.height(p) - self.a.height(p);
        within[0].min(within[1]) > 0.0 && raw <= gap + tiny
    }
}

/// The distance of each corner of `of` inside each edge of `within`.
fn sides(of: &Flat, within: &Flat, out: &mut Vec<f64>) {
    out.clear();
    for &p in &of.points {
        out.extend((0..within.edges()).map(|k| within.inside(k, p)));
    }
}
