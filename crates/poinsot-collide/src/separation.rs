//! The signed distance of any two solids.

use crate::convex::Convex;
use crate::math::{Frame, Vec3};
use crate::narrow::{Distance, Scratch};
use crate::solid::Solid;

impl Distance {
    fn swapped(self, x: &Frame) -> Distance {
        let [a, b] = self.witnesses.map(|p| x.point_back(p));
        Distance { normal: -x.vector_back(self.normal), gap: self.gap, witnesses: [b, a] }
    }
}

impl Scratch {
    /// The signed distance of a and b, which has pose x in the frame of a, if it is at most `most`, in the frame of a. For a mesh or a
    /// height field this is the minimum over its triangles or columns; two planes have none.
    pub fn separation(&mut self, a: &Solid, b: &Solid, x: &Frame, most: f64) -> Option<Distance> {
        match (a.convex(), b.convex()) {
            (Some(a), Some(b)) => self.distance(&a, &b, x, most),
            (Some(a), None) => self.convex_and(&a, b, x, most),
            (None, Some(b)) => self.convex_and(&b, a, &x.inverse(), most).map(|d| d.swapped(&x.inverse())),
            (None, None) => self.parts_and(a, b, x, most),
        }
    }

    /// A convex body, and a plane, mesh or height field.
    fn convex_and(&mut self, a: &Convex, b: &Solid, x: &Frame, most: f64) -> Option<Distance> {
        let bounds = a.aabb(&x.inverse()).grown(most.clamp(0.0, 1e30));
        let mut near = std::mem::take(&mut self.numbers);
        let best = match b {
            Solid::Plane => plane(a, x, most),
            Solid::Mesh(mesh) => {
                mesh.near(&bounds, &mut self.stack, &mut near);
                self.least(a, near.iter().map(|k| mesh.triangle(*k)), x, most)
            }
            Solid::Field(field) => {
                field.near(&bounds, &mut near);
                self.least(a, near.iter().map(|k| field.column(*k)), x, most)
            }
            _ => None,
        };
        self.numbers = near;
        best
    }

    fn least<'a>(
        &mut self,
        a: &Convex,
        parts: impl Iterator<Item = Convex<'a>>,
        x: &Frame,
        most: f64,
    ) -> Option<Distance> {
        let mut best: Option<Distance> = None;
        for part in parts {
            let limit = best.map_or(most, |b| b.gap);
            if let Some(found) = self.distance(a, &part, x, limit)
                && best.is_none_or(|b| found.gap < b.gap)
            {
                best = Some(found);
            }
        }
        best
    }

    /// Two of planes, meshes and height fields; the first is decomposed.
    fn parts_and(&mut self, a: &Solid, b: &Solid, x: &Frame, most: f64) -> Option<Distance> {
        let mut parts = std::mem::take(&mut self.others);
        let mut best: Option<Distance> = None;
        let limit = |best: &Option<Distance>| best.map_or(most, |b| b.gap);
        match a {
            Solid::Mesh(mesh) => {
                let bounds = b.aabb(x).grown(most.clamp(0.0, 1e30));
                mesh.near(&bounds, &mut self.stack, &mut parts);
                for k in &parts {
                    best = self.convex_and(&mesh.triangle(*k), b, x, limit(&best)).or(best);
                }
            }
            Solid::Field(field) => {
                field.near(&b.aabb(x).grown(most.clamp(0.0, 1e30)), &mut parts);
                for k in &parts {
                    best = self.convex_and(&field.column(*k), b, x, limit(&best)).or(best);
                }
            }
            Solid::Plane if !matches!(b, Solid::Plane) => {
                self.others = parts;
                let back = x.inverse();
                return self.parts_and(b, a, &back, most).map(|d| d.swapped(&back));
            }
            _ => {}
        }
        self.others = parts;
        best
    }
}

/// A convex body above the plane z = 0 of the frame with pose x.
fn plane(a: &Convex, x: &Frame, most: f64) -> Option<Distance> {
    let normal = -x.rot.z_axis;
    let lowest: Vec3 = a.core.support(normal).0 + normal * a.round;
    let gap = (x.pos - lowest).dot(normal);
    (gap <= most).then(|| Distance { normal, gap, witnesses: [lowest, lowest + normal * gap] })
}
