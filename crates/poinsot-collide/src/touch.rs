//! Dispatch: selects the algorithm for a pair of solids.

use crate::capsule_box;
use crate::contact::Feature;
use crate::convex::Convex;
use crate::cuboids;
use crate::manifold::{Point, order, reduce};
use crate::math::{Frame, Mat3, Vec3};
use crate::narrow::{Distance, Scratch};
use crate::planes;
use crate::round;
use crate::solid::Solid;
use crate::surface::{Field, Triangles};

/// The rank of a solid in the order of pairs.
fn rank(solid: &Solid) -> u32 {
    match solid {
        Solid::Plane => 0,
        Solid::Sphere { .. } => 1,
        Solid::Capsule { .. } => 2,
        Solid::Box { .. } => 3,
        Solid::Cylinder { .. } | Solid::Ellipsoid { .. } | Solid::Hull(_) => 4,
        Solid::Mesh(_) => 5,
        Solid::Field(_) => 6,
    }
}

/// True if two convex solids are more than `most` apart along a direction in the frame of a, which proves that they are.
pub(crate) fn parted(a: &Solid, b: &Solid, x_a: &Frame, x_b: &Frame, axis: Vec3, most: f64) -> bool {
    let (Some(a), Some(b)) = (a.convex(), b.convex()) else { return false };
    let n = x_a.vector(axis);
    let (p, q) = (a.core.support(axis).0, b.core.support(-x_b.vector_back(n)).0);
    let gap = n.dot(x_b.pos - x_a.pos) + n.dot(x_b.vector(q)) - axis.dot(p) - a.round - b.round;
    // a margin for round-off: this decision must agree with that of the narrow phase
    gap > most + 1e-9 * (a.reach() + b.reach())
}

impl Scratch {
    /// Finds the points, in the frame of a, at which solids a and b, with these poses in the world, come within `most` of each other.
    pub fn contacts(&mut self, [a, b]: [&Solid; 2], [x_a, x_b]: [&Frame; 2], most: f64) {
        self.points.clear();
        self.axis = Vec3::ZERO;
        if let (Solid::Sphere { radius: r }, Solid::Sphere { radius: s }) = (a, b) {
            // their orientation does not matter
            let x = Frame { rot: Mat3::IDENTITY, pos: x_a.point_back(x_b.pos) };
            round::sphere_sphere(*r, *s, &x, most, &mut self.points);
        } else if rank(a) <= rank(b) {
            self.ordered(a, b, &x_a.to(x_b), most);
        } else {
            let x = x_b.to(x_a);
            self.ordered(b, a, &x, most);
            self.axis = -x.vector_back(self.axis);
            for p in &mut self.points {
                let back = p.swapped();
                *p = Point {
                    position: x.point_back(back.position),
                    normal: x.vector_back(back.normal),
                    ..back
                };
            }
        }
    }

    fn ordered(&mut self, a: &Solid, b: &Solid, x: &Frame, most: f64) {
        use Solid::*;
        match (a, b) {
            (Plane, _) => planes::touch(b, x, most, &mut self.points),
            (Sphere { radius: r }, Capsule { half, radius: s }) => {
                round::sphere_capsule(*r, *half, *s, x, most, &mut self.points);
            }
            (Sphere { radius }, Box { half }) => round::sphere_box(*radius, *half, x, most, &mut self.points),
            (Sphere { radius: r }, Cylinder { half, radius }) => {
                round::sphere_cylinder(*r, *half, *radius, x, most, &mut self.points);
            }
            (Sphere { radius: r }, Hull(hull))
                if round::sphere_in_hull(*r, hull, x, most, &mut self.points) => {}
            (Capsule { half, radius }, Box { half: b }) => {
                capsule_box::touch(self, (*half, *radius), *b, x, most);
            }
            (Capsule { half, radius: r }, Capsule { half: other, radius: s }) => {
                round::capsule_capsule(self, (*half, *r), (*other, *s), x, most);
            }
            (Box { half }, Box { half: other }) => cuboids::touch(self, *half, *other, x, most),
            (Mesh(m), Mesh(o)) => self.mesh_mesh(m, o, x, most),
            (Mesh(m), Field(f)) => self.mesh_field(m, f, x, most),
            (_, Mesh(m)) => {
                if let Some(a) = a.convex() {
                    self.convex_mesh(&a, m, x, most);
                }
            }
            (_, Field(f)) => {
                if let Some(a) = a.convex() {
                    self.convex_field(&a, f, x, most);
                }
            }
            _ => {
                if let (Some(a), Some(b)) = (a.convex(), b.convex()) {
                    self.touch(&a, &b, x, most);
                }
            }
        }
    }

    fn convex_mesh(&mut self, a: &Convex, mesh: &Triangles, x: &Frame, most: f64) {
        let bounds = a.aabb(&x.inverse()).grown(most.max(0.0));
        let mut near = std::mem::take(&mut self.numbers);
        mesh.near(&bounds, &mut self.stack, &mut near);
        let mut far = Separations::default();
        for &k in &near {
            if far.any(mesh, k) {
                continue;
            }
            let from = self.points.len();
            self.axis = Vec3::ZERO;
            self.convex_triangle(a, mesh, k, x, most);
            far.learn(a, self.axis, x, most);
            for p in &mut self.points[from..] {
                p.features[1] = mesh.name(k, p.features[1]);
            }
        }
        self.axis = far.last;
        self.numbers = near;
        self.gather();
    }

    /// Contacts with one triangle: along the normal found if it belongs to the triangle, or after penetration along the triangle's own.
    fn convex_triangle(&mut self, a: &Convex, mesh: &Triangles, k: u32, x: &Frame, most: f64) {
        let triangle = mesh.triangle(k);
        let Some(found) = self.distance(a, &triangle, x, most) else { return };
        let n = -x.vector_back(found.normal);
        let wrong_side = mesh.closed && n.dot(mesh.normals[k as usize]) < -1e-6;
        if !wrong_side && mesh.owns(k, x.point_back(found.witnesses[1]), n) {
            self.face(a, &triangle, x, most, found);
        } else if found.gap < 0.0 {
            let out = mesh.outward(k, x.point_back(Vec3::ZERO));
            self.along(a, &triangle, x, most, -x.vector(out));
        }
    }

    /// Finds points along a given normal, if the two face each other.
    pub fn along(&mut self, a: &Convex, b: &Convex, x: &Frame, most: f64, normal: Vec3) {
        let from = self.points.len();
        let top = normal.dot(a.core.support(normal).0) + a.round;
        let bottom = normal.dot(x.point(b.core.support(x.vector_back(-normal)).0)) - b.round;
        let tiny = 1e-11 * (a.reach() + b.reach());
        self.overlay(a, b, x, most, normal, bottom - top, tiny);
        reduce(&mut self.points, from, normal, None);
    }

    fn convex_field(&mut self, a: &Convex, field: &Field, x: &Frame, most: f64) {
        let bounds = a.aabb(&x.inverse()).grown(most.max(0.0));
        let mut near = std::mem::take(&mut self.numbers);
        field.near(&bounds, &mut near);
        for &k in &near {
            let from = self.points.len();
            let column = field.column(k);
            if let Some(found) = self.distance(a, &column, x, most) {
                if field.owns(k, x.point_back(found.witnesses[1]), -x.vector_back(found.normal)) {
                    self.face(a, &column, x, most, found);
                } else if found.gap < 0.0 {
                    self.along(a, &column, x, most, -x.vector(field.normal(k)));
                }
            }
            for p in &mut self.points[from..] {
                p.features[1] = field.name(k, p.features[1]);
            }
        }
        self.numbers = near;
        self.gather();
    }

    fn mesh_field(&mut self, mesh: &Triangles, field: &Field, x: &Frame, most: f64) {
        let mut near = std::mem::take(&mut self.numbers);
        let (back, grow) = (x.inverse(), most.max(0.0));
        mesh.near(&field.aabb.seen(x).grown(grow), &mut self.stack, &mut near);
        let mut columns = std::mem::take(&mut self.others);
        for &i in &near {
            let triangle = mesh.triangle(i);
            field.near(&triangle.aabb(&back).grown(grow), &mut columns);
            for &j in &columns {
                let (from, column) = (self.points.len(), field.column(j));
                let found: Option<Distance> = self.distance(&triangle, &column, x, most);
                if let Some(found) = found
                    && field.owns(j, x.point_back(found.witnesses[1]), -x.vector_back(found.normal))
                {
                    self.face(&triangle, &column, x, most, found);
                }
                for p in &mut self.points[from..] {
                    p.features = [mesh.name(i, p.features[0]), field.name(j, p.features[1])];
                }
            }
        }
        (self.numbers, self.others) = (near, columns);
        self.gather();
    }
}

/// Known separating planes of a body: a triangle beyond one is too far away, which takes three products to decide instead of about a
/// hundred times as long by GJK. Neighbours are usually beyond the same plane.
#[derive(Default)]
struct Separations {
    /// The last planes found, in the frame of the mesh: everything above the height along the normal is too far.
    planes: [(Vec3, f64); 4],
    found: usize,
    /// The last axis from which a plane was derived, in the frame of the body; or zero.
    last: Vec3,
}

impl Separations {
    /// True if a triangle is beyond one of the planes.
    fn any(&self, mesh: &Triangles, triangle: u32) -> bool {
        let corners = mesh.corners[triangle as usize].map(|k| mesh.vertices[k as usize]);
        let beyond = |(n, height): &(Vec3, f64)| corners.iter().all(|c| n.dot(*c) > *height);
        self.planes[..self.found.min(self.planes.len())].iter().any(beyond)
    }

    /// Derives the plane beyond which everything is more than `most` from a, from the separating axis of a triangle; an axis of 0 is
    /// ignored.
    fn learn(&mut self, a: &Convex, axis: Vec3, x: &Frame, most: f64) {
        if axis == Vec3::ZERO {
            return;
        }
        let top = axis.dot(a.core.support(axis).0) + a.round;
        // anything this near to the plane is left to GJK
        let unsure = 1e-9 * (a.reach() + x.pos.length());
        self.planes[self.found % self.planes.len()] =
            (x.vector_back(axis), top + most + unsure - axis.dot(x.pos));
        (self.found, self.last) = (self.found + 1, axis);
    }
}

impl Triangles {
    /// Maps a feature of a triangle to that of the mesh.
    pub fn name(&self, triangle: u32, feature: Feature) -> Feature {
        match feature {
            Feature::Vertex(k) => Feature::Vertex(self.corners[triangle as usize][k as usize]),
            Feature::Edge(k) => Feature::Edge(self.edges[triangle as usize][k as usize]),
            Feature::Face(_) => Feature::Face(triangle),
        }
    }
}

impl Field {
    /// Maps a feature of a column to that of the height field: points of the grid, and those below them.
    fn name(&self, column: u32, feature: Feature) -> Feature {
        match feature {
            Feature::Vertex(k) => {
                let below = if k < 3 { 0 } else { self.points() };
                Feature::Vertex(self.corners(column)[k as usize % 3] + below)
            }
            Feature::Edge(k) => Feature::Edge(9 * column + k),
            Feature::Face(k) => Feature::Face(5 * column + k),
        }
    }
}

impl Scratch {
    /// Reduces the points of many triangles: for each pair of features the deepest, and for each normal four.
    pub fn gather(&mut self) {
        let points = &mut self.points;
        if points.len() <= 1 {
            return;
        }
        points.sort_unstable_by(|a, b| {
            let gaps = a.gap.total_cmp(&b.gap);
            a.features.cmp(&b.features).then(gaps).then(order(a.position, b.position))
        });
        points.dedup_by(|b, a| a.features == b.features && a.normal.dot(b.normal) > ALIKE);
        let (mut done, mut kept) = (0, 0);
        while done < points.len() {
            // move those with the normal of the first to the front
            let n = points[done].normal;
            let mut end = done + 1;
            for k in done + 1..points.len() {
                if points[k].normal.dot(n) > ALIKE {
                    points.swap(k, end);
                    end += 1;
                }
            }
            self.group.clear();
            self.group.extend_from_slice(&points[done..end]);
            reduce(&mut self.group, 0, n, None);
            for p in &self.group {
                points[kept] = *p;
                kept += 1;
            }
            done = end;
        }
        points.truncate(kept);
    }
}

/// Normals with a larger cosine are equal.
const ALIKE: f64 = 0.999;
