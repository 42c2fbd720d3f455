//! Convex polyhedra: vertices, the faces between them with coplanar triangles joined, and edges.

use crate::math::{Aabb, Vec3};
use std::collections::HashMap;

/// A face: vertices counter-clockwise from outside, and the edge after each of them.
#[derive(Clone, Debug)]
pub(crate) struct Face {
    pub normal: Vec3,
    pub vertices: Vec<u32>,
    pub edges: Vec<u32>,
}

/// A convex polyhedron.
#[derive(Clone, Debug)]
pub(crate) struct Polytope {
    pub vertices: Vec<Vec3>,
    pub faces: Vec<Face>,
    /// The two vertices of each edge, the lower first.
    pub edges: Vec<[u32; 2]>,
    /// The two faces at each edge; `u32::MAX` where one is missing.
    pub beside: Vec<[u32; 2]>,
    pub aabb: Aabb,
    /// The mean of the vertices.
    pub middle: Vec3,
    /// The distance of the farthest vertex from the origin.
    pub reach: f64,
    /// The faces at each vertex, those of vertex k at `first[k]..first[k + 1]`.
    around: Vec<u32>,
    first: Vec<u32>,
    /// For each vertex, the vertices connected to it by an edge.
    neighbours: Vec<u32>,
    first_neighbour: Vec<u32>,
}

/// From this number of vertices on, the support vertex is found by hill climbing along edges.
const WALK_FROM: usize = 48;

impl Polytope {
    /// Builds the polyhedron with these triangles, counter-clockwise from outside. Neighbours whose normals differ by less than `flat`
    /// radians are merged to one face.
    pub fn from_triangles(points: &[Vec3], triangles: &[[usize; 3]], flat: f64) -> Polytope {
        let mut number = HashMap::new();
        let mut vertices = Vec::new();
        for &k in triangles.iter().flatten() {
            number.entry(k).or_insert_with(|| {
                vertices.push(points[k]);
                vertices.len() as u32 - 1
            });
        }
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|k| number[&k])).collect();
        let loops = join_coplanar(&vertices, &triangles, flat);
        Polytope::from_loops(vertices, loops)
    }

    pub fn from_loops(vertices: Vec<Vec3>, loops: Vec<(Vec3, Vec<u32>)>) -> Polytope {
        let (mut number, mut edges) = (HashMap::new(), Vec::new());
        let mut faces = Vec::with_capacity(loops.len());
        for (normal, ring) in loops {
            let follow = |k: usize| {
                let (a, b) = (ring[k], ring[(k + 1) % ring.len()]);
                let ends = [a.min(b), a.max(b)];
                *number.entry(ends).or_insert_with(|| {
                    edges.push(ends);
                    edges.len() as u32 - 1
                })
            };
            let ring_edges = (0..ring.len()).map(follow).collect();
            faces.push(Face { normal, vertices: ring, edges: ring_edges });
        }
        let mut beside = vec![[u32::MAX; 2]; edges.len()];
        for (f, face) in faces.iter().enumerate() {
            for &e in &face.edges {
                let [first, second] = &mut beside[e as usize];
                *(if *first == u32::MAX { first } else { second }) = f as u32;
            }
        }
        let corners =
            faces.iter().enumerate().flat_map(|(f, face)| face.vertices.iter().map(move |v| (*v, f as u32)));
        let (first, around) = grouped(vertices.len(), corners.collect());
        let ends = edges.iter().flat_map(|&[a, b]| [(a, b), (b, a)]);
        let (first_neighbour, neighbours) = grouped(vertices.len(), ends.collect());
        let reach = vertices.iter().fold(0.0, |r: f64, v| r.max(v.length()));
        let aabb = Aabb::of(vertices.iter().copied());
        let middle = vertices.iter().sum::<Vec3>() / vertices.len().max(1) as f64;
        Polytope {
            vertices,
            faces,
            edges,
            beside,
            aabb,
            middle,
            reach,
            around,
            first,
            neighbours,
            first_neighbour,
        }
    }

    /// True if every edge lies between two faces.
    pub fn is_closed(&self) -> bool {
        self.beside.iter().all(|[_, second]| *second != u32::MAX)
    }

    pub fn faces_at(&self, vertex: u32) -> &[u32] {
        &self.around[self.first[vertex as usize] as usize..self.first[vertex as usize + 1] as usize]
    }

    fn neighbours_of(&self, vertex: u32) -> &[u32] {
        let k = vertex as usize;
        &self.neighbours[self.first_neighbour[k] as usize..self.first_neighbour[k + 1] as usize]
    }

    /// The support vertex along d; if there are several, the one with the lowest number unless hill climbing is used.
    #[inline]
    pub fn support(&self, d: Vec3) -> u32 {
        if self.vertices.len() < WALK_FROM { self.farthest(d) } else { self.walk(d) }
    }

    fn farthest(&self, d: Vec3) -> u32 {
        let (mut best, mut index) = (f64::NEG_INFINITY, 0);
        for (k, v) in self.vertices.iter().enumerate() {
            let height = v.dot(d);
            if height > best {
                (best, index) = (height, k as u32);
            }
        }
        index
    }

    /// Hill climbing along edges from a fixed vertex: on a convex body a vertex without a higher neighbour is the highest.
    fn walk(&self, d: Vec3) -> u32 {
        let (mut at, mut best) = (0, self.vertices[0].dot(d));
        loop {
            let mut next = at;
            for &k in self.neighbours_of(at) {
                let height = self.vertices[k as usize].dot(d);
                if height > best {
                    (best, next) = (height, k);
                }
            }
            if next == at {
                return at;
            }
            at = next;
        }
    }

    /// The radius of the inner ball that touches the face with normal n at p; 0 if no face has that normal. With its centre at p − ρ n it
    /// is on the inner side of face g if `n_g·(v_g − p) ≥ ρ (1 − n·n_g)`.
    pub fn ball_at(&self, p: Vec3, n: Vec3) -> f64 {
        let face = self.face_along(self.support(n), n);
        if self.faces[face as usize].normal.dot(n) <= 1.0 - 1e-12 {
            return 0.0;
        }
        let others = self.faces.iter().enumerate().filter(|(k, _)| *k != face as usize);
        let room = others.map(|(_, g)| {
            let apart = g.normal.dot(self.vertices[g.vertices[0] as usize] - p);
            apart / (1.0 - n.dot(g.normal)).max(1e-12)
        });
        room.fold(f64::INFINITY, f64::min)
    }

    /// The face at a vertex whose normal is nearest to d.
    pub fn face_along(&self, vertex: u32, d: Vec3) -> u32 {
        let (mut best, mut index) = (f64::NEG_INFINITY, 0);
        for &f in self.faces_at(vertex) {
            let along = self.faces[f as usize].normal.dot(d);
            if along > best {
                (best, index) = (along, f);
            }
        }
        index
    }
}

/// Groups values by key: those of key k are at `first[k]..first[k + 1]`.
fn grouped(keys: usize, mut pairs: Vec<(u32, u32)>) -> (Vec<u32>, Vec<u32>) {
    pairs.sort_unstable();
    let first = (0..=keys).map(|k| pairs.partition_point(|p| (p.0 as usize) < k) as u32).collect();
    (first, pairs.into_iter().map(|p| p.1).collect())
}

/// Merges triangles across edges at which the surface is flat; returns the normal and the ring of vertices of each face. Triangles without
/// area become part of a neighbour.
fn join_coplanar(vertices: &[Vec3], triangles: &[[u32; 3]], flat: f64) -> Vec<(Vec3, Vec<u32>)> {
    let wide = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|k| vertices[k as usize]);
        (b - a).cross(c - a)
    };
    let areas: Vec<Vec3> = triangles.iter().map(wide).collect();
    let mut behind = HashMap::new();
    for (f, t) in triangles.iter().enumerate() {
        for k in 0..3 {
            behind.insert((t[k], t[(k + 1) % 3]), f);
        }
    }
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&a, &b| areas[b].length_squared().total_cmp(&areas[a].length_squared()).then(a.cmp(&b)));
    let mut group = vec![usize::MAX; triangles.len()];
    let mut out = Vec::new();
    for &seed in &order {
        let normal = areas[seed].normalize_or_zero();
        if group[seed] != usize::MAX || normal == Vec3::ZERO {
            continue;
        }
        let (id, mut members, mut next) = (out.len(), vec![seed], 0);
        group[seed] = id;
        let base = vertices[triangles[seed][0] as usize];
        let tiny = flat * areas[seed].length().sqrt();
        while next < members.len() {
            let t = triangles[members[next]];
            next += 1;
            for k in 0..3 {
                let Some(&f) = behind.get(&(t[(k + 1) % 3], t[k])) else { continue };
                let in_plane =
                    triangles[f].iter().all(|&v| (vertices[v as usize] - base).dot(normal).abs() <= tiny);
                if group[f] == usize::MAX && in_plane && areas[f].dot(normal) >= 0.0 {
                    group[f] = id;
                    members.push(f);
                }
            }
        }
        out.push((normal, rim(vertices, triangles, &behind, &group, &members)));
    }
    out
}

/// The ring around merged triangles, without vertices in the middle of straight edges; if it is not a simple ring, the first triangle.
fn rim(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    behind: &HashMap<(u32, u32), usize>,
    group: &[usize],
    members: &[usize],
) -> Vec<u32> {
    let id = group[members[0]];
    let mut after = HashMap::new();
    let mut start = u32::MAX;
    for t in members.iter().map(|&f| triangles[f]) {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            if behind.get(&(b, a)).is_none_or(|&f| group[f] != id) {
                if after.insert(a, b).is_some() {
                    return triangles[members[0]].to_vec();
                }
                start = start.min(a);
            }
        }
    }
    let (mut ring, mut at) = (vec![], start);
    loop {
        ring.push(at);
        let Some(&next) = after.get(&at) else { return triangles[members[0]].to_vec() };
        at = next;
        if at == start {
            break;
        }
        if ring.len() > after.len() {
            return triangles[members[0]].to_vec();
        }
    }
    if ring.len() != after.len() {
        return triangles[members[0]].to_vec();
    }
    let corner = |k: usize| {
        let n = ring.len();
        let [a, b, c] = [ring[(k + n - 1) % n], ring[k], ring[(k + 1) % n]].map(|v| vertices[v as usize]);
        (b - a).cross(c - b).length() > 1e-9 * (b - a).length() * (c - b).length()
    };
    let kept: Vec<u32> = (0..ring.len()).filter(|&k| corner(k)).map(|k| ring[k]).collect();
    if kept.len() >= 3 { kept } else { triangles[members[0]].to_vec() }
}
