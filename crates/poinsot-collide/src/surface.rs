//! Surfaces: triangle meshes, with contacts by triangle, and height fields, with contacts by column.
//!
//! A contact of one triangle counts only if its normal n belongs to its position, so that a body sliding over an inner edge of a flat floor
//! does not catch on it. In the interior of the triangle any normal is valid. On an edge n must not point into the neighbour behind it, and
//! at a vertex not along any edge that leaves it: otherwise the neighbour is nearer. If the body has already penetrated, the contact uses
//! the triangle's own normal instead.

use crate::convex::{Convex, Core};
use crate::math::{Aabb, Vec3, vec3};
use crate::tree::Tree;
use poinsot_core::model::{Heights, TriangleMesh};
use std::collections::HashMap;

/// The triangles of a mesh.
#[derive(Clone, Debug)]
pub(crate) struct Triangles {
    pub vertices: Vec<Vec3>,
    pub corners: Vec<[u32; 3]>,
    pub normals: Vec<Vec3>,
    /// The number of the edge after each corner.
    pub edges: Vec<[u32; 3]>,
    /// The triangle behind each of these edges; `u32::MAX` at the rim of an open mesh.
    pub behind: Vec<[u32; 3]>,
    pub closed: bool,
    /// The vertices used by triangles.
    pub used: Vec<u32>,
    /// For each vertex, the vertices connected to it by an edge.
    leaving: Vec<Vec<u32>>,
    pub aabb: Aabb,
    tree: Tree,
}

impl Triangles {
    /// Compiles a mesh. Triangles without area are dropped; a closed mesh that is inside out is reversed.
    pub fn new(mesh: &TriangleMesh) -> Result<Triangles, String> {
        let vertices: Vec<Vec3> = mesh.vertices.iter().map(|v| vec3(*v)).collect();
        if let Some(k) = vertices.iter().position(|v| !v.is_finite()) {
            return Err(format!("vertex {k} of its mesh is not finite; give numbers"));
        }
        let mut corners = Vec::with_capacity(mesh.triangles.len());
        for (number, t) in mesh.triangles.iter().enumerate() {
            if let Some(k) = t.iter().find(|k| **k >= vertices.len()) {
                return Err(format!(
                    "triangle {number} names vertex {k}, but there are only {}",
                    vertices.len()
                ));
            }
            let [a, b, c] = t.map(|k| vertices[k]);
            if (b - a).cross(c - a).try_normalize().is_some() {
                corners.push(t.map(|k| k as u32));
            }
        }
        if corners.is_empty() {
            return Err("its mesh has no triangle with an area; give one, or another shape".into());
        }
        let mut out = Triangles::joined(vertices, corners);
        if out.closed && out.volume() < 0.0 {
            let turned = out.corners.iter().map(|t| [t[0], t[2], t[1]]).collect();
            out = Triangles::joined(out.vertices, turned);
        }
        Ok(out)
    }

    fn joined(vertices: Vec<Vec3>, corners: Vec<[u32; 3]>) -> Triangles {
        let of = |t: &[u32; 3]| t.map(|k| vertices[k as usize]);
        let normal = |t: &[u32; 3]| {
            let [a, b, c] = of(t);
            (b - a).cross(c - a).normalize()
        };
        let normals = corners.iter().map(normal).collect();
        let (mut number, mut owner) = (HashMap::new(), HashMap::new());
        for (f, t) in corners.iter().enumerate() {
            for k in 0..3 {
                owner.insert((t[k], t[(k + 1) % 3]), f as u32);
            }
        }
        let (mut edges, mut behind) = (Vec::new(), Vec::new());
        for t in &corners {
            let ends = |k: usize| (t[k], t[(k + 1) % 3]);
            edges.push([0, 1, 2].map(|k| {
                let (a, b) = ends(k);
                let next = number.len() as u32;
                *number.entry((a.min(b), a.max(b))).or_insert(next)
            }));
            behind.push([0, 1, 2].map(|k| {
                let (a, b) = ends(k);
                owner.get(&(b, a)).copied().unwrap_or(u32::MAX)
            }));
        }
        let closed = behind.iter().flatten().all(|b| *b != u32::MAX);
        let boxes: Vec<Aabb> = corners.iter().map(|t| Aabb::of(of(t))).collect();
        let mut tree = Tree::default();
        tree.build(&mut (0..boxes.len() as u32).collect::<Vec<_>>(), &boxes);
        let aabb = Aabb::of(corners.iter().flatten().map(|k| vertices[*k as usize]));
        let mut used: Vec<u32> = corners.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let mut leaving = vec![Vec::new(); vertices.len()];
        for (a, b) in number.keys() {
            leaving[*a as usize].push(*b);
            leaving[*b as usize].push(*a);
        }
        leaving.iter_mut().for_each(|l: &mut Vec<u32>| l.sort_unstable());
        Triangles { vertices, corners, normals, edges, behind, closed, used, leaving, aabb, tree }
    }

    fn volume(&self) -> f64 {
        let six = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| self.vertices[k as usize] - self.vertices[0]);
            a.dot(b.cross(c))
        };
        self.corners.iter().map(six).sum()
    }

    pub fn triangle(&self, number: u32) -> Convex<'static> {
        let corners = self.corners[number as usize].map(|k| self.vertices[k as usize]);
        Convex { core: Core::Triangle { corners, normal: self.normals[number as usize] }, round: 0.0 }
    }

    /// The normal of a triangle; for an open mesh, on the side of the point.
    pub fn outward(&self, number: u32, from: Vec3) -> Vec3 {
        let n = self.normals[number as usize];
        let away = from - self.vertices[self.corners[number as usize][0] as usize];
        if !self.closed && away.dot(n) < 0.0 { -n } else { n }
    }

    /// Lists the triangles whose boxes overlap this one, in order.
    pub fn near(&self, bounds: &Aabb, stack: &mut Vec<u32>, out: &mut Vec<u32>) {
        out.clear();
        self.tree.meet(bounds, stack, |k| {
            out.push(k);
            true
        });
        out.sort_unstable();
    }

    /// Visits the triangles whose boxes a ray intersects.
    pub fn along(&self, from: Vec3, along: Vec3, most: f64, stack: &mut Vec<u32>, each: impl FnMut(u32)) {
        self.tree.along(from, along, most, stack, each);
    }

    /// True if a contact of a triangle at its point p with normal n belongs to it, and not to a neighbour.
    pub fn owns(&self, number: u32, p: Vec3, n: Vec3) -> bool {
        let t = self.corners[number as usize];
        let corners = t.map(|k| self.vertices[k as usize]);
        match place(corners, p) {
            Place::Inside => true,
            Place::Edge(k) => self
                .apex_behind(number, k)
                .is_none_or(|apex| n.dot(beside(corners[k], corners[(k + 1) % 3], apex)) <= TURN),
            Place::Vertex(k) => self.is_extreme(t[k], n),
        }
    }

    /// The third corner of the triangle behind the edge after a corner; `None` at the rim of an open mesh.
    pub fn apex_behind(&self, number: u32, corner: usize) -> Option<Vec3> {
        let other = self.corners.get(self.behind[number as usize][corner] as usize)?;
        let t = self.corners[number as usize];
        let apex = other.iter().find(|v| **v != t[corner] && **v != t[(corner + 1) % 3]);
        Some(self.vertices[*apex.unwrap_or(&t[corner]) as usize])
    }

    /// True if no edge that leaves a vertex rises along n.
    pub fn is_extreme(&self, vertex: u32, n: Vec3) -> bool {
        let from = self.vertices[vertex as usize];
        self.leaving[vertex as usize].iter().all(|other| {
            let along = self.vertices[*other as usize] - from;
            n.dot(along) <= TURN * along.length()
        })
    }
}

/// The tolerance for a normal that leans towards a neighbour.
pub(crate) const TURN: f64 = 1e-6;

/// The position of a point on a triangle.
enum Place {
    Inside,
    /// On the edge after this corner.
    Edge(usize),
    Vertex(usize),
}

fn place([a, b, c]: [Vec3; 3], p: Vec3) -> Place {
    let normal = (b - a).cross(c - a);
    let area = normal.length_squared();
    let part = |u: Vec3, v: Vec3| (u - p).cross(v - p).dot(normal) / area;
    let parts = [part(b, c), part(c, a), part(a, b)];
    let gone = parts.map(|k| k <= 1e-6);
    match gone {
        [false, false, false] => Place::Inside,
        [true, false, false] => Place::Edge(1),
        [false, true, false] => Place::Edge(2),
        [false, false, true] => Place::Edge(0),
        _ => Place::Vertex((0..3).max_by(|&i, &j| parts[i].total_cmp(&parts[j])).unwrap_or(0)),
    }
}

/// The direction from an edge into the triangle with this apex, perpendicular to the edge.
pub(crate) fn beside(a: Vec3, b: Vec3, apex: Vec3) -> Vec3 {
    let along = (b - a).normalize_or_zero();
    let d = apex - a;
    (d - along * along.dot(d)).normalize_or_zero()
}

/// A height field: columns of triangular section from its surface down to its base.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    rows: usize,
    columns: usize,
    half: [f64; 2],
    base: f64,
    heights: Vec<f64>,
    pub aabb: Aabb,
}

impl Field {
    pub fn new(size: [f64; 4], heights: &Heights) -> Field {
        let z: Vec<f64> = heights.elevation.iter().map(|h| h * size[2]).collect();
        let top = z.iter().fold(0.0f64, |a, b| a.max(*b));
        let (min, max) = (Vec3::new(-size[0], -size[1], -size[3]), Vec3::new(size[0], size[1], top));
        let half = [size[0], size[1]];
        let aabb = Aabb { min, max };
        Field { rows: heights.rows, columns: heights.columns, half, base: -size[3], heights: z, aabb }
    }

    /// The height of the lowest column from the base to its lowest corner, m.
    pub fn lowest_column(&self) -> f64 {
        self.heights.iter().fold(f64::INFINITY, |least, z| least.min(*z)) - self.base
    }

    /// The number of points of the grid.
    pub fn points(&self) -> u32 {
        self.heights.len() as u32
    }

    /// Lists the columns whose boxes overlap this one: two for each cell, row by row.
    pub fn near(&self, bounds: &Aabb, out: &mut Vec<u32>) {
        out.clear();
        if !bounds.meets(&self.aabb) {
            return;
        }
        let range = |low: f64, high: f64, half: f64, count: usize| {
            let cells = (count - 1) as f64;
            let at = |x: f64| ((x + half) / (2.0 * half) * cells).floor().clamp(0.0, cells - 1.0) as usize;
            at(low)..at(high) + 1
        };
        let columns = range(bounds.min.x, bounds.max.x, self.half[0], self.columns);
        for row in range(bounds.min.y, bounds.max.y, self.half[1], self.rows) {
            for column in columns.clone() {
                let cell = row * (self.columns - 1) + column;
                for half in 0..2 {
                    let number = (2 * cell + half) as u32;
                    let top = self.corners(number).map(|k| self.heights[k as usize]);
                    if top[0].max(top[1]).max(top[2]) >= bounds.min.z {
                        out.push(number);
                    }
                }
            }
        }
    }

    /// The grid points at the top of a column, counter-clockwise from above. The diagonal of a cell runs from its lower left to its upper
    /// right corner, as in MuJoCo.
    pub fn corners(&self, number: u32) -> [u32; 3] {
        let cell = number as usize / 2;
        let (row, column) = (cell / (self.columns - 1), cell % (self.columns - 1));
        let at = |r: usize, c: usize| ((row + r) * self.columns + column + c) as u32;
        if number.is_multiple_of(2) { [at(0, 0), at(1, 1), at(1, 0)] } else { [at(0, 0), at(0, 1), at(1, 1)] }
    }

    fn point(&self, k: u32) -> Vec3 {
        let (row, column) = (k as usize / self.columns, k as usize % self.columns);
        let along = |k: usize, count: usize, half: f64| half * (2.0 * k as f64 / (count - 1) as f64 - 1.0);
        Vec3::new(
            along(column, self.columns, self.half[0]),
            along(row, self.rows, self.half[1]),
            self.heights[k as usize],
        )
    }

    pub fn column(&self, number: u32) -> Convex<'static> {
        let [a, b, c] = self.corners(number).map(|k| self.point(k));
        let down = |p: Vec3| Vec3::new(p.x, p.y, self.base);
        Convex { core: Core::Prism { corners: [a, b, c, down(a), down(b), down(c)] }, round: 0.0 }
    }

    /// The normal of the top of a column.
    pub fn normal(&self, number: u32) -> Vec3 {
        let [a, b, c] = self.corners(number).map(|k| self.point(k));
        (b - a).cross(c - a).normalize()
    }

    /// True if a contact of a column at its point p with normal n belongs to it, and not to a neighbour. Sides and bottom count only at the
    /// rim of the height field.
    pub fn owns(&self, number: u32, p: Vec3, n: Vec3) -> bool {
        let t = self.corners(number);
        let corners = t.map(|k| self.point(k));
        let up = self.normal(number);
        let (thick, depth) = (corners[0].z - self.base, up.dot(corners[0] - p));
        if depth > 1e-6 * thick || n.z < -TURN {
            let rim = t.iter().filter(|k| self.is_rim(**k)).count();
            return rim >= 2 || n.z < -0.5;
        }
        match place(corners, p) {
            Place::Inside => n.dot(up) > 0.999_999,
            Place::Edge(k) => self
                .behind(t[k], t[(k + 1) % 3], t[(k + 2) % 3])
                .is_none_or(|apex| n.dot(beside(corners[k], corners[(k + 1) % 3], self.point(apex))) <= TURN),
            Place::Vertex(k) => self.around(t[k]).all(|other| {
                let along = self.point(other) - corners[k];
                n.dot(along) <= TURN * along.length()
            }),
        }
    }

    fn row_and_column(&self, k: u32) -> [i64; 2] {
        [k as i64 / self.columns as i64, k as i64 % self.columns as i64]
    }

    fn number(&self, [row, column]: [i64; 2]) -> Option<u32> {
        let there = (0..self.rows as i64).contains(&row) && (0..self.columns as i64).contains(&column);
        there.then_some((row * self.columns as i64 + column) as u32)
    }

    fn is_rim(&self, k: u32) -> bool {
        let [row, column] = self.row_and_column(k);
        row == 0 || column == 0 || row + 1 == self.rows as i64 || column + 1 == self.columns as i64
    }

    /// The apex of the column beyond an edge: the triangles on both sides form a parallelogram.
    fn behind(&self, a: u32, b: u32, apex: u32) -> Option<u32> {
        let [p, q, r] = [a, b, apex].map(|k| self.row_and_column(k));
        self.number([p[0] + q[0] - r[0], p[1] + q[1] - r[1]])
    }

    /// The grid points connected to a point by an edge.
    fn around(&self, k: u32) -> impl Iterator<Item = u32> {
        let [row, column] = self.row_and_column(k);
        const STEPS: [[i64; 2]; 6] = [[0, 1], [0, -1], [1, 0], [-1, 0], [1, 1], [-1, -1]];
        STEPS.into_iter().filter_map(move |[r, c]| self.number([row + r, column + c]))
    }
}
