//! Patches: the feature of a convex surface that faces a direction, which is a vertex, an edge or a face.

use crate::contact::Feature;
use crate::convex::{Convex, Core, farthest};
use crate::math::{Frame, Vec3};

/// A polygon, segment or point, with the features it consists of.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    pub points: Vec<Vec3>,
    pub vertices: Vec<Feature>,
    /// The edge from each point to the next; a segment has one.
    pub edges: Vec<Feature>,
    /// The feature between the edges.
    pub inside: Feature,
    /// The normal of a polygon.
    pub normal: Vec3,
    /// The centre and radius of a disc, of whose rim the points are samples.
    pub disc: Option<(Vec3, f64)>,
}

impl Default for Patch {
    fn default() -> Patch {
        let (points, vertices, edges) = Default::default();
        Patch { points, vertices, edges, inside: Feature::Face(0), normal: Vec3::Z, disc: None }
    }
}

/// How far a face may be tilted from the direction and still face it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Facing {
    /// Within a fiftieth of a radian.
    Nearly,
    /// The face or edge that faces it best.
    Best,
}

impl Facing {
    /// The smallest cosine for a face, the largest sine for an edge.
    fn limits(self) -> (f64, f64) {
        match self {
            Facing::Nearly => (0.9998, 0.02),
            Facing::Best => (0.2, 0.8),
        }
    }
}

/// The number of samples of the rim of a cylinder.
const RIM: usize = 8;
const RIM_X: [f64; RIM] = {
    const S: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [1.0, S, 0.0, -S, -1.0, -S, 0.0, S]
};

impl Patch {
    fn clear(&mut self) {
        self.points.clear();
        self.vertices.clear();
        self.edges.clear();
        self.disc = None;
    }
    fn vertex(&mut self, point: Vec3, name: Feature) {
        self.points.push(point);
        self.vertices.push(name);
        self.inside = name;
    }
    fn segment(&mut self, ends: [(Vec3, u32); 2], name: Feature) {
        for (p, k) in ends {
            self.vertex(p, Feature::Vertex(k));
        }
        self.edges.push(name);
        self.inside = name;
    }
    fn ring(&mut self, points: &[Vec3], numbers: &[u32], edges: &[u32], face: u32, normal: Vec3) {
        for (&k, &e) in numbers.iter().zip(edges) {
            self.vertex(points[k as usize], Feature::Vertex(k));
            self.edges.push(Feature::Edge(e));
        }
        self.inside = Feature::Face(face);
        self.normal = normal;
    }

    /// Computes the patch of `body` that faces the unit vector n, both in the frame in which the body has pose x.
    pub fn of(&mut self, body: &Convex, x: &Frame, n: Vec3, facing: Facing) {
        self.clear();
        let local = x.vector_back(n);
        self.core(&body.core, local, facing);
        for p in &mut self.points {
            *p = x.point(*p) + n * body.round;
        }
        self.normal = x.vector(self.normal);
        self.disc = self.disc.map(|(centre, radius)| (x.point(centre), radius));
    }

    fn core(&mut self, core: &Core, n: Vec3, facing: Facing) {
        let (face, edge) = facing.limits();
        match *core {
            Core::Point => self.vertex(Vec3::ZERO, Feature::Face(0)),
            Core::Segment { half } if n.z.abs() < edge || facing == Facing::Best => {
                let end = Vec3::new(0.0, 0.0, half);
                self.segment([(-end, 0), (end, 1)], Feature::Edge(0));
            }
            Core::Box { half } => self.cuboid(half, n, facing),
            Core::Cylinder { half, radius } => self.cylinder(half, radius, n, facing),
            Core::Ellipsoid { .. } => self.vertex(core.support(n).0, Feature::Face(0)),
            Core::Triangle { corners, normal } => {
                let up = n.dot(normal);
                if up.abs() >= face {
                    let order: &[u32] = if up > 0.0 { &[0, 1, 2] } else { &[0, 2, 1] };
                    let edges: &[u32] = if up > 0.0 { &[0, 1, 2] } else { &[2, 1, 0] };
                    self.ring(&corners, order, edges, 0, normal * up.signum());
                } else {
                    let name = |i: u32, j: u32| if (i + 1) % 3 == j { i } else { j };
                    self.edge_or_vertex(&corners, &[[0, 1], [1, 2], [2, 0]], name, n, edge);
                }
            }
            Core::Prism { corners } => self.prism(&corners, n, facing),
            Core::Polytope(polytope) => {
                let k = polytope.support(n);
                let f = polytope.face_along(k, n);
                let best = &polytope.faces[f as usize];
                if best.normal.dot(n) >= face {
                    self.ring(&polytope.vertices, &best.vertices, &best.edges, f, best.normal);
                    return;
                }
                let p = polytope.vertices[k as usize];
                let slope = |e: &u32| {
                    let other = polytope.edges[*e as usize];
                    let d = polytope.vertices[(other[0] ^ other[1] ^ k) as usize] - p;
                    d.dot(n).abs() / d.length()
                };
                let at = polytope.faces_at(k).iter().flat_map(|f| &polytope.faces[*f as usize].edges);
                let at = at.filter(|e| polytope.edges[**e as usize].contains(&k));
                match at.min_by(|a, b| slope(a).total_cmp(&slope(b)).then(a.cmp(b))) {
                    Some(e) if slope(e) < edge => {
                        let ends = polytope.edges[*e as usize].map(|v| (polytope.vertices[v as usize], v));
                        self.segment(ends, Feature::Edge(*e));
                    }
                    _ => self.vertex(p, Feature::Vertex(k)),
                }
            }
            _ => {
                let (p, k) = core.support(n);
                self.vertex(p, Feature::Vertex(k));
            }
        }
    }

    /// Faces −x, x, −y, y, −z, z; edges along x, y, z by the signs of the other two.
    fn cuboid(&mut self, half: Vec3, n: Vec3, facing: Facing) {
        let (face, edge) = facing.limits();
        let (size, up) = (n.abs().to_array(), n.to_array().map(|x| (x >= 0.0) as u32));
        let corner = |k: u32| {
            let s = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            half * Vec3::new(s(0), s(1), s(2))
        };
        let along = |axis: usize, k: u32| {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            Feature::Edge(4 * axis as u32 + (k >> i & 1) + 2 * (k >> j & 1))
        };
        let axis = if size[0] >= size[1] && size[0] >= size[2] {
            0
        } else if size[1] >= size[2] {
            1
        } else {
            2
        };
        if size[axis] >= face || facing == Facing::Best {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut ring = [0, 1 << i, (1 << i) | (1 << j), 1 << j];
            let mut axes = [i, j, i, j];
            if up[axis] == 0 {
                ring = [ring[0], ring[3], ring[2], ring[1]];
                axes = [j, i, j, i];
            }
            for (k, a) in ring.into_iter().zip(axes) {
                let k = k | up[axis] << axis;
                self.vertex(corner(k), Feature::Vertex(k));
                self.edges.push(along(a, k));
            }
            self.inside = Feature::Face(2 * axis as u32 + up[axis]);
            let mut normal = [0.0; 3];
            normal[axis] = if up[axis] == 1 { 1.0 } else { -1.0 };
            self.normal = Vec3::from_array(normal);
            return;
        }
        let k = up[0] | up[1] << 1 | up[2] << 2;
        let least = (0..3).min_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(0);
        if size[least] < edge {
            let (low, high) = (k & !(1 << least), k | 1 << least);
            self.segment([(corner(low), low), (corner(high), high)], along(least, k));
        } else {
            self.vertex(corner(k), Feature::Vertex(k));
        }
    }

    fn cylinder(&mut self, half: f64, radius: f64, n: Vec3, facing: Facing) {
        let (face, edge) = facing.limits();
        let upper = n.z >= 0.0;
        let z = if upper { half } else { -half };
        let across = Vec3::new(n.x, n.y, 0.0).normalize_or(Vec3::X) * radius;
        if n.z.abs() >= if facing == Facing::Best { 0.7 } else { face } {
            for k in 0..RIM {
                // counter-clockwise from outside
                let turn = if upper { k } else { RIM - 1 - k };
                let p = Vec3::new(radius * RIM_X[turn], radius * RIM_X[(turn + 6) % RIM], z);
                self.vertex(p, Feature::Vertex((turn + if upper { RIM } else { 0 }) as u32));
                self.edges.push(Feature::Edge(1 + upper as u32));
            }
            self.inside = Feature::Face(1 + upper as u32);
            self.disc = Some((Vec3::new(0.0, 0.0, z), radius));
            self.normal = if upper { Vec3::Z } else { Vec3::NEG_Z };
        } else if n.z.abs() < edge || facing == Facing::Best {
            let end = Vec3::new(0.0, 0.0, half);
            self.segment(
                [(across - end, 2 * RIM as u32), (across + end, 2 * RIM as u32 + 1)],
                Feature::Edge(0),
            );
        } else {
            self.vertex(across + Vec3::new(0.0, 0.0, z), Feature::Edge(1 + upper as u32));
        }
    }

    /// The upper triangle of a column; its sides and bottom only if they face best.
    fn prism(&mut self, corners: &[Vec3; 6], n: Vec3, facing: Facing) {
        const FACES: [&[u32]; 5] = [&[0, 1, 2], &[3, 5, 4], &[0, 3, 4, 1], &[1, 4, 5, 2], &[2, 5, 3, 0]];
        const EDGES: [[u32; 2]; 9] = [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [0, 3], [1, 4], [2, 5]];
        let (face, edge) = facing.limits();
        let number =
            |i: u32, j: u32| EDGES.iter().position(|e| *e == [i, j] || *e == [j, i]).unwrap_or(0) as u32;
        let normal = |f: &[u32]| {
            let [a, b, c] = [f[0], f[1], f[2]].map(|k| corners[k as usize]);
            (b - a).cross(c - a).normalize_or_zero()
        };
        let normals = FACES.map(normal);
        let best = (0..5).max_by(|&a, &b| normals[a].dot(n).total_cmp(&normals[b].dot(n))).unwrap_or(0);
        if normals[best].dot(n) >= face {
            let ring = FACES[best];
            let mut edges = [0; 4];
            for k in 0..ring.len() {
                edges[k] = number(ring[k], ring[(k + 1) % ring.len()]);
            }
            self.ring(corners, ring, &edges[..ring.len()], best as u32, normals[best]);
        } else {
            self.edge_or_vertex(corners, &EDGES, number, n, edge);
        }
    }

    /// The edge at the farthest vertex that is most nearly perpendicular to n, if it is nearly so; otherwise the vertex.
    fn edge_or_vertex(
        &mut self,
        corners: &[Vec3],
        edges: &[[u32; 2]],
        number: impl Fn(u32, u32) -> u32,
        n: Vec3,
        limit: f64,
    ) {
        let (p, k) = farthest(corners, n);
        let slope = |e: &&[u32; 2]| {
            let d = corners[e[0] as usize] - corners[e[1] as usize];
            d.dot(n).abs() / d.length()
        };
        let at = edges.iter().filter(|e| e.contains(&k));
        match at.min_by(|a, b| slope(a).total_cmp(&slope(b))) {
            Some(e) if slope(&e) < limit => {
                self.segment(e.map(|v| (corners[v as usize], v)), Feature::Edge(number(e[0], e[1])));
            }
            _ => self.vertex(p, Feature::Vertex(k)),
        }
    }
}
