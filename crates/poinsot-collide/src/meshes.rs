//! Two triangle meshes.
//!
//! Triangles that are apart touch along the direction between their nearest points, if it points out of both surfaces. If triangles cross,
//! one surface has penetrated the other, and the penetrating feature is searched for: a vertex below a face, or two crossing edges. All of
//! these count only with a normal n that belongs to both surfaces: no edge that leaves the vertex may rise along n, and no face at an edge.
//! So a vertex in the middle of a flat face never touches what stands next to it.

use crate::contact::Feature;
use crate::manifold::Point;
use crate::math::{Aabb, Frame, Vec3};
use crate::narrow::Scratch;
use crate::surface::{TURN, Triangles, beside};

/// Edges with a smaller sine of their angle are parallel and do not cross.
const PARALLEL: f64 = 1e-6;

/// How far outside a triangle a point may be and still count as below it, relative to its size.
const EDGE: f64 = 1e-9;

/// Normals with a larger cosine are equal.
const ALIKE: f64 = 0.999;

impl Scratch {
    pub fn mesh_mesh(&mut self, a: &Triangles, b: &Triangles, x: &Frame, most: f64) {
        let mut near = std::mem::take(&mut self.numbers);
        let (back, grow) = (x.inverse(), most.max(0.0));
        a.near(&b.aabb.seen(x).grown(grow), &mut self.stack, &mut near);
        let mut of_b = std::mem::take(&mut self.others);
        self.crossings.clear();
        for &i in &near {
            let first = a.triangle(i);
            b.near(&first.aabb(&back).grown(grow), &mut self.stack, &mut of_b);
            for &j in &of_b {
                self.two_triangles([a, b], [i, j], x, most);
            }
        }
        (self.numbers, self.others) = (near, of_b);
        let crossings = std::mem::take(&mut self.crossings);
        let from = self.points.len();
        crossings.iter().for_each(|pair| self.passed([a, b], *pair, [x, &back]));
        if self.points.len() == from {
            crossings.iter().for_each(|pair| self.through([a, b], *pair, x, most));
        }
        self.crossings = crossings;
        self.gather();
    }

    /// Two triangles that are apart, with the normal between them if it belongs to both meshes there; crossing ones are recorded.
    fn two_triangles(&mut self, [a, b]: [&Triangles; 2], [i, j]: [u32; 2], x: &Frame, most: f64) {
        let (first, second) = (a.triangle(i), b.triangle(j));
        let Some(found) = self.distance(&first, &second, x, most) else { return };
        let [p, q] = found.witnesses;
        let (n, back) = (found.normal, -x.vector_back(found.normal));
        let own = |mesh: &Triangles, k: u32, p: Vec3, n: Vec3| {
            let wrong_side = mesh.closed && n.dot(mesh.normals[k as usize]) < -TURN;
            !wrong_side && mesh.owns(k, p, n)
        };
        if own(a, i, p, n) && own(b, j, x.point_back(q), back) {
            let from = self.points.len();
            self.face(&first, &second, x, most, found);
            for p in &mut self.points[from..] {
                p.features = [a.name(i, p.features[0]), b.name(j, p.features[1])];
            }
        } else if found.gap <= 0.0 {
            self.crossings.push([i, j]);
        }
    }

    /// The feature of two crossing triangles that has penetrated the other surface, with the shortest way out.
    fn passed(&mut self, [a, b]: [&Triangles; 2], [i, j]: [u32; 2], [x, back]: [&Frame; 2]) {
        let mut found = std::mem::take(&mut self.group);
        found.clear();
        for v in a.corners[i as usize] {
            found.extend(self.below(a, v, b, j, back).map(|p| seen(p.swapped(), x)));
        }
        for v in b.corners[j as usize] {
            found.extend(self.below(b, v, a, i, x));
        }
        for e in 0..3 {
            for f in 0..3 {
                found.extend(edges([a, b], [i, j], [e, f], x));
            }
        }
        let least = found.iter().max_by(|p, q| p.gap.total_cmp(&q.gap));
        if let Some(normal) = least.map(|p| p.normal) {
            self.points.extend(found.iter().filter(|p| p.normal.dot(normal) > ALIKE));
        }
        self.group = found;
    }

    /// A vertex of `from` that lies below triangle k of `to`: returns the triangle with the shortest way out, in the frame of `to`, which
    /// comes first; x is the pose of `from` there.
    fn below(&mut self, from: &Triangles, v: u32, to: &Triangles, k: u32, x: &Frame) -> Option<Point> {
        let p = x.point(from.vertices[v as usize]);
        let deep = -to.height(k, p, x.point(from.aabb.centre()));
        if deep < 0.0 {
            return None;
        }
        let mut near = std::mem::take(&mut self.numbers);
        to.near(&Aabb { min: p, max: p }.grown(deep * (1.0 + EDGE)), &mut self.stack, &mut near);
        let mut best: Option<(f64, Vec3, u32)> = None;
        for &t in &near {
            let out = to.outward(t, x.point(from.aabb.centre()));
            let corners = to.corners[t as usize].map(|k| to.vertices[k as usize]);
            let height = out.dot(p - corners[0]);
            let less = best.is_none_or(|(least, ..)| height > least);
            if height <= 0.0 && less && covers(corners, p) && from.is_extreme(v, -x.vector_back(out)) {
                best = Some((height, out, t));
            }
        }
        self.numbers = near;
        let (gap, normal, t) = best?;
        let features = [Feature::Face(t), Feature::Vertex(v)];
        Some(Point { position: p - normal * (0.5 * gap), normal, gap, features })
    }

    /// The last resort if triangles cross and no feature has penetrated: separates along the normal of the one that the other passes less
    /// far through.
    fn through(&mut self, [a, b]: [&Triangles; 2], [i, j]: [u32; 2], x: &Frame, most: f64) {
        let (first, second) = (a.triangle(i), b.triangle(j));
        let out_of_a = a.outward(i, x.point(b.aabb.centre()));
        let out_of_b = -x.vector(b.outward(j, x.point_back(a.aabb.centre())));
        let far = |n: Vec3| {
            let top = n.dot(first.core.support(n).0);
            top - n.dot(x.point(second.core.support(x.vector_back(-n)).0))
        };
        let (less, more) =
            if far(out_of_b) <= far(out_of_a) { (out_of_b, out_of_a) } else { (out_of_a, out_of_b) };
        let from = self.points.len();
        self.along(&first, &second, x, most, less);
        if self.points.len() == from {
            self.along(&first, &second, x, most, more);
        }
        for p in &mut self.points[from..] {
            p.features = [a.name(i, p.features[0]), b.name(j, p.features[1])];
        }
    }
}

/// Transforms a point from the frame with pose x to the frame in which x is given.
fn seen(p: Point, x: &Frame) -> Point {
    Point { position: x.point(p.position), normal: x.vector(p.normal), ..p }
}

/// True if the projection of a point along the normal is inside a triangle.
fn covers(corners: [Vec3; 3], p: Vec3) -> bool {
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a);
    let part = |u: Vec3, v: Vec3| (u - p).cross(v - p).dot(normal);
    let least = -EDGE * normal.length_squared();
    part(a, b) >= least && part(b, c) >= least && part(c, a) >= least
}

/// Edges e and f of two triangles that have passed each other, if their common normal belongs to both surfaces.
fn edges([a, b]: [&Triangles; 2], [i, j]: [u32; 2], [e, f]: [usize; 2], x: &Frame) -> Option<Point> {
    let [p, p2] = a.edge(i, e);
    let [q, q2] = b.edge(j, f).map(|v| x.point(v));
    let (d, k) = (p2 - p, q2 - q);
    let cross = d.cross(k);
    let normal = cross.try_normalize().filter(|_| cross.length() > PARALLEL * d.length() * k.length())?;
    let owned = |n: &Vec3| a.is_outward(i, e, *n) && b.is_outward(j, f, -x.vector_back(*n));
    let n = [normal, -normal].into_iter().find(owned)?;
    let gap = n.dot(q - p);
    // their crossing, seen along n
    let square = cross.length_squared();
    let (s, t) = ((q - p).cross(k).dot(cross) / square, (q - p).cross(d).dot(cross) / square);
    let within = |t: f64| (0.0..=1.0).contains(&t);
    let features = [Feature::Edge(a.edges[i as usize][e]), Feature::Edge(b.edges[j as usize][f])];
    let position = p + d * s + n * (0.5 * gap);
    (gap <= 0.0 && within(s) && within(t)).then_some(Point { position, normal: n, gap, features })
}

impl Triangles {
    /// The ends of the edge after a corner.
    fn edge(&self, number: u32, corner: usize) -> [Vec3; 2] {
        let t = self.corners[number as usize];
        [t[corner], t[(corner + 1) % 3]].map(|k| self.vertices[k as usize])
    }

    /// The height of a point above a triangle, on the side of `from`.
    fn height(&self, number: u32, p: Vec3, from: Vec3) -> f64 {
        let corner = self.vertices[self.corners[number as usize][0] as usize];
        self.outward(number, from).dot(p - corner)
    }

    /// True if n points out of the surface at an edge: neither adjacent face may rise along it. False for flat edges, whose faces touch
    /// instead.
    fn is_outward(&self, number: u32, corner: usize, n: Vec3) -> bool {
        let [p, q] = self.edge(number, corner);
        let own = beside(p, q, self.vertices[self.corners[number as usize][(corner + 2) % 3] as usize]);
        let Some(apex) = self.apex_behind(number, corner) else { return n.dot(own) <= TURN };
        let other = beside(p, q, apex);
        own.dot(other) > TURN - 1.0 && n.dot(own) <= TURN && n.dot(other) <= TURN
    }
}
