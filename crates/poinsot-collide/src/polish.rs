//! Refines a good direction to the best one.
//!
//! The signed distance of two convex bodies is `−min h(n)` over unit vectors n, with h the support function of A − B: if they are apart the
//! least h is the negative distance, if they overlap it is the depth. Near the minimum h is smooth, or has a kink along the circle
//! perpendicular to an edge, or at one point, the normal of a face or the common normal of two edges:
//!
//! - free: Newton's method on the sphere. With t in the tangent plane, `h(n + t) ≈ h + s·t + ½ tᵀ(H − h)t`, where s is the support point;
//! - on the circle perpendicular to an edge e: the same along `e × n`;
//! - `n = e × f` for two edges.
//!
//! Each gives a candidate, and the one with the least h is used: h itself is exact for any n.

use crate::convex::{Core, Pair, Support};
use crate::math::{Vec3, across};

/// Directions perpendicular to which h may have a kink: edges of both cores near the contact.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Edges {
    list: [Vec3; 16],
    count: usize,
}

/// The sizes of the neighbourhoods in which other vertices are looked for: at first, and close to the minimum.
pub(crate) const TURNS: [f64; 3] = [3e-3, 1e-5, 1e-7];

/// How often a direction that is worse than one of its neighbours is polished again.
const AGAIN: usize = 4;

/// The distances of the neighbours with which the best direction is compared.
const AROUND: [f64; 2] = [1e-4, 1e-6];

/// The angles from the axis of a cylinder at which a search for a minimum starts.
const TILTS: [f64; 3] = [1e-1, 1e-3, 1e-5];

/// A distance from a kink that is enough to be on one side of it.
const BESIDE: f64 = 1e-8;

impl Edges {
    /// Lists the edges between the vertices that span the nearest part of A − B or are highest in directions within about `turn` of n, and
    /// the axes of round bodies.
    pub fn near(pair: &Pair, points: &[Support], n: Vec3, turn: f64) -> Edges {
        let mut edges = Edges::default();
        let mut between = |p: &Support, q: &Support| {
            if !pair.a.is_curved() && p.ids[0] != q.ids[0] {
                edges.add(p.a - q.a);
            }
            if !pair.b.is_curved() && p.ids[1] != q.ids[1] {
                edges.add(p.b - q.b);
            }
        };
        for (i, p) in points.iter().enumerate() {
            points[..i].iter().for_each(|q| between(p, q));
        }
        if pair.is_curved() {
            // neighbouring vertices span the edges of the faces there
            let around = around(pair, n, turn);
            for k in 0..8 {
                between(&around[k], &around[(k + 1) % 8]);
            }
        }
        if let Core::Cylinder { .. } | Core::Segment { .. } = pair.a {
            edges.add(Vec3::Z);
        }
        if let Core::Cylinder { .. } | Core::Segment { .. } = pair.b {
            edges.add(pair.x.rot.z_axis);
        }
        edges
    }

    fn add(&mut self, d: Vec3) {
        let Some(e) = d.try_normalize() else { return };
        if self.count < self.list.len() && self.all().iter().all(|o| o.cross(e).length_squared() > 1e-20) {
            self.list[self.count] = e;
            self.count += 1;
        }
    }

    fn all(&self) -> &[Vec3] {
        &self.list[..self.count]
    }
}

/// Eight directions perpendicular to n, in a circle.
fn ring(n: Vec3) -> [Vec3; 8] {
    let (u, v) = across(n);
    [u, u + v, v, v - u, -u, -u - v, -v, u - v]
}

/// The support points in a circle of directions around n.
fn around(pair: &Pair, n: Vec3, turn: f64) -> [Support; 8] {
    ring(n).map(|d| pair.support((n + d * turn).normalize()))
}

/// The best direction found so far, and its h.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Best {
    pub normal: Vec3,
    pub overlap: f64,
}

impl Best {
    pub fn new(pair: &Pair, normal: Vec3) -> Best {
        Best { normal, overlap: pair.overlap(normal) }
    }
    fn offer(&mut self, pair: &Pair, normal: Vec3) {
        let overlap = pair.overlap(normal);
        if overlap < self.overlap {
            *self = Best { normal, overlap };
        }
    }
    /// Tries the normals of faces, the common normals of two edges, and the axes of cylinders.
    pub fn try_kinks(&mut self, pair: &Pair, edges: &Edges) {
        self.try_kinks_at(pair, edges, self.normal);
    }
    /// As [`Best::try_kinks`], in the hemisphere of `near`.
    pub fn try_kinks_at(&mut self, pair: &Pair, edges: &Edges, near: Vec3) {
        for (i, e) in edges.all().iter().enumerate() {
            for f in &edges.all()[..i] {
                if let Some(n) = e.cross(*f).try_normalize() {
                    self.offer(pair, if n.dot(near) < 0.0 { -n } else { n });
                }
            }
        }
        let caps = [(pair.a, Vec3::Z), (pair.b, pair.x.rot.z_axis)];
        for (_, axis) in caps.into_iter().filter(|(core, _)| matches!(core, Core::Cylinder { .. })) {
            self.offer(pair, if axis.dot(near) < 0.0 { -axis } else { axis });
        }
    }
    /// Tries all of these, near the best direction so far.
    pub fn polish(&mut self, pair: &Pair, points: &[Support]) {
        for turn in TURNS {
            let edges = Edges::near(pair, points, self.normal, turn);
            self.try_kinks(pair, &edges);
            self.try_smooth(pair, &edges, self.normal);
        }
        self.try_vertices(pair);
    }
    /// The final round: also next to the axes of cylinders, continuing from wherever h is smaller.
    pub fn finish(&mut self, pair: &Pair, points: &[Support]) {
        for _ in 0..AGAIN {
            self.polish(pair, points);
            self.try_rims(pair);
            if !self.try_neighbours(pair) {
                break;
            }
        }
    }
    /// Moves to the best of the neighbouring directions, if it is better.
    fn try_neighbours(&mut self, pair: &Pair) -> bool {
        let (n, least) = (self.normal, self.overlap - 1e-14 * pair.size());
        for turn in AROUND {
            for d in ring(n) {
                self.offer(pair, (n + d * turn).normalize());
            }
        }
        self.overlap < least
    }
    /// At the axis of a cylinder h is like the tip of a cone. If the other body meets the plane of the cap outside its rim, the minimum is
    /// not at the axis but next to it, on the side where they meet: Newton's method starts from there.
    fn try_rims(&mut self, pair: &Pair) {
        let frames = [(pair.a, Vec3::Z, Vec3::ZERO), (pair.b, pair.x.rot.z_axis, pair.x.pos)];
        for (side, (core, axis, centre)) in frames.into_iter().enumerate() {
            let Core::Cylinder { radius, .. } = core else { continue };
            let n = if self.normal.dot(axis) < 0.0 { -axis } else { axis };
            if n.cross(self.normal).length_squared() > TURNS[1] * TURNS[1] {
                continue;
            }
            let s = pair.support(n);
            let far = [s.b, s.a][side] - centre;
            let across = far - n * n.dot(far);
            let length = across.length();
            if length > radius {
                let beside = across * ([1.0, -1.0][side] / length);
                for tilt in TILTS {
                    self.newton(pair, (n + beside * tilt).normalize(), None);
                }
            }
        }
    }
    /// Newton's method with a polyhedron replaced by one of its vertices, for minima so close to a kink that h does not distinguish its two
    /// sides: if that vertex is the highest, this is the minimum.
    fn try_vertices(&mut self, pair: &Pair) {
        let all = around(pair, self.normal, TURNS[2]);
        let tiny = 1e-15 * pair.size();
        for side in [0, 1] {
            let id = |p: &Support| p.ids[side];
            if [pair.a, pair.b][side].is_curved() || all.iter().all(|p| id(p) == id(&all[0])) {
                continue;
            }
            let first = |k: usize| all[..k].iter().all(|o| id(o) != id(&all[k]));
            for p in (0..8).filter(|k| first(*k)).map(|k| &all[k]) {
                let alone = pair.with_point(side, [p.a, p.b][side]);
                let mut local = Best::new(&alone, self.normal);
                local.newton(&alone, self.normal, None);
                let (n, found) = (local.normal, alone.support(local.normal).w);
                let stationary = (found - n * n.dot(found)).length() <= 1e-11 * pair.size();
                let overlap = pair.overlap(n);
                if stationary && overlap <= local.overlap.min(self.overlap) + 4.0 * tiny {
                    *self = Best { normal: n, overlap };
                    return;
                }
            }
        }
    }
    /// Newton's method, free and on the circles perpendicular to edges.
    pub fn try_smooth(&mut self, pair: &Pair, edges: &Edges, from: Vec3) {
        self.newton(pair, from, None);
        for e in edges.all() {
            let Some(start) = (from - *e * e.dot(from)).try_normalize() else { continue };
            let before = self.overlap;
            self.newton(pair, start, Some(*e));
            // if another kink crosses, h may decrease on either side of it
            let beside = e.cross(start) * BESIDE;
            self.newton(pair, (start + beside).normalize(), Some(*e));
            self.newton(pair, (start - beside).normalize(), Some(*e));
            if self.overlap < before {
                // the minimum may lie at either end of the edge
                let n = self.normal;
                self.newton(pair, (n + *e * 1e-4).normalize(), None);
                self.newton(pair, (n - *e * 1e-4).normalize(), None);
            }
        }
    }

    /// Newton's method, free or on the circle perpendicular to an edge.
    pub fn newton(&mut self, pair: &Pair, start: Vec3, edge: Option<Vec3>) {
        let (mut n, mut overlap) = (start, pair.overlap(start));
        // h is flat at its minimum: there round-off must not stop the last steps
        let tiny = 1e-15 * pair.size();
        let mut converged = false;
        for _ in 0..30 {
            let Some(step) = step(pair, n, edge) else { break };
            let mut scale = 1.0;
            let next = loop {
                let tried = (n + step * scale).normalize();
                let found = pair.overlap(tried);
                if found <= overlap + tiny {
                    break Some((tried, found));
                }
                scale *= 0.25;
                if scale < 1e-9 {
                    break None;
                }
            };
            let Some((better, least)) = next else { break };
            (n, overlap) = (better, least);
            converged = step.length_squared() < 1e-26;
            if converged {
                break;
            }
        }
        // at a kink h does not distinguish small wrong steps from the minimum: only a converged iteration may end at equal h
        if overlap < self.overlap + if converged { 2.0 * tiny } else { -tiny } {
            *self = Best { normal: n, overlap };
        }
    }
}

/// Newton's step from n, in its tangent plane or along a circle; steepest descent if h has negative curvature.
fn step(pair: &Pair, n: Vec3, edge: Option<Vec3>) -> Option<Vec3> {
    let s = pair.support(n).w;
    let (h, hessian) = (s.dot(n), pair.hessian(n));
    let limited = |t: Vec3| if t.length() > 0.5 { t * (0.5 / t.length()) } else { t };
    if let Some(e) = edge {
        let t = e.cross(n).try_normalize()?;
        let (slope, bend) = (s.dot(t), t.dot(hessian * t) - h);
        let along = if bend > 1e-9 * slope.abs() { -slope / bend } else { -0.1 * slope.signum() };
        return Some(limited(t * along));
    }
    let (u, v) = across(n);
    let (gu, gv) = (s.dot(u), s.dot(v));
    let (hu, hv) = (hessian * u, hessian * v);
    let (a, b, c) = (u.dot(hu) - h, u.dot(hv), v.dot(hv) - h);
    let determinant = a * c - b * b;
    if a > 0.0 && determinant > 1e-14 * (a * a + c * c) {
        let (x, y) = ((b * gv - c * gu) / determinant, (b * gu - a * gv) / determinant);
        return Some(limited(u * x + v * y));
    }
    let downhill = -(u * gu + v * gv);
    Some(downhill.try_normalize()? * 0.1)
}
