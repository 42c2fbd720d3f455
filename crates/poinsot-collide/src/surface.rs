//! Surfaces: triangle meshes, touched triangle by triangle, and landscapes, column by column.
//!
//! A contact of one triangle counts only when its normal lies between those of the triangle and of its neighbours: a body that
//! slides over an inner edge of a flat floor does not stumble. A normal that leans over an edge farther than the neighbour behind
//! it belongs to that neighbour; where the body is already inside, the contact is taken along the triangle's own normal.

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
    /// The number of the edge that follows each corner.
    pub edges: Vec<[u32; 3]>,
    /// The triangle behind each of these edges; `u32::MAX` at the rim of an open mesh.
    pub behind: Vec<[u32; 3]>,
    pub closed: bool,
    /// The vertices that triangles name.
    pub used: Vec<u32>,
    pub aabb: Aabb,
    tree: Tree,
}

impl Triangles {
    /// Compiles a mesh. Triangles without area are left out; a closed mesh that is inside out is turned.
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
        Triangles { vertices, corners, normals, edges, behind, closed, used, aabb, tree }
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

    /// The numbers of the triangles whose boxes meet this one, in order.
    pub fn near(&self, bounds: &Aabb, stack: &mut Vec<u32>, out: &mut Vec<u32>) {
        out.clear();
        self.tree.meet(bounds, stack, |k| {
            out.push(k);
            true
        });
        out.sort_unstable();
    }

    /// Hands over the triangles whose boxes a ray passes through.
    pub fn along(&self, from: Vec3, along: Vec3, most: f64, stack: &mut Vec<u32>, each: impl FnMut(u32)) {
        self.tree.along(from, along, most, stack, each);
    }

    /// Whether a contact of a triangle with a normal n, on the side of its own normal or (for open meshes) the other, is its own
    /// and not that of a neighbour.
    pub fn owns(&self, number: u32, n: Vec3) -> bool {
        const TURN: f64 = 1e-6;
        let t = self.corners[number as usize];
        let side = if n.dot(self.normals[number as usize]) < 0.0 { -1.0 } else { 1.0 };
        let m = self.normals[number as usize] * side;
        (0..3).all(|k| {
            let other = self.behind[number as usize][k];
            if other == u32::MAX {
                return true;
            }
            let along = self.vertices[t[(k + 1) % 3] as usize] - self.vertices[t[k] as usize];
            // out of the triangle, in its plane
            let out = (along.cross(self.normals[number as usize])).normalize_or_zero();
            let lean = n.dot(out);
            let there = self.normals[other as usize] * side;
            // angles from m towards `out` compared by the sine of their difference
            lean <= TURN
                || (there.dot(out) >= 0.0 && n.dot(m) * there.dot(out) - lean * there.dot(m) >= -TURN)
        })
    }
}

/// A landscape: columns of triangular section from its surface down to its base.
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

    /// The number of points of the grid.
    pub fn points(&self) -> u32 {
        self.heights.len() as u32
    }

    /// The numbers of the columns whose boxes meet this one: two for each cell, row by row.
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

    /// The grid points at the top of a column, counter-clockwise from above. The diagonal of a cell runs from its lower left to its
    /// upper right corner, as MuJoCo has it.
    pub fn corners(&self, number: u32) -> [u32; 3] {
        let cell = number as usize / 2;
        let (row, column) = (cell / (self.columns - 1), cell % (self.columns - 1));
        let at = |r: usize, c: usize| ((row + r) * self.columns + column + c) as u32;
        if number % 2 == 0 { [at(0, 0), at(1, 1), at(1, 0)] } else { [at(0, 0), at(0, 1), at(1, 1)] }
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

    /// Whether a contact with this normal may be one of the column: its sides lie within the landscape, except at its rim.
    pub fn owns(&self, number: u32, n: Vec3) -> bool {
        let rim = |k: u32| {
            let (row, column) = (k as usize / self.columns, k as usize % self.columns);
            row == 0 || column == 0 || row + 1 == self.rows || column + 1 == self.columns
        };
        n.z > 0.2 || self.corners(number).into_iter().filter(|k| rim(*k)).count() >= 2
    }
}
