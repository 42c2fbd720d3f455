//! How far geoms reach, and how thin they are.

use crate::math::Frame;
use crate::scene::Scene;
use crate::solid::Solid;
use poinsot_core::model::GeomId;

impl Scene {
    /// The largest distance of a geom from the origin of its body, m; 0 for planes and for what touches nothing.
    pub fn reach(&self, geom: GeomId) -> f64 {
        match &self.solids[geom.index()] {
            None | Some(Solid::Plane) => 0.0,
            Some(solid) => self.geoms[geom.index()].local.pos.length() + solid.reach(),
        }
    }

    /// Half the least width of a geom, m: what moves by less in a step does not pass through it unnoticed. Infinite for planes, which have
    /// an inside, and for what touches nothing; of meshes and landscapes, which have no inside, that of the box around them.
    pub fn thinness(&self, geom: GeomId) -> f64 {
        match &self.solids[geom.index()] {
            None | Some(Solid::Plane) => f64::INFINITY,
            Some(Solid::Sphere { radius } | Solid::Capsule { radius, .. }) => *radius,
            Some(solid) => {
                let size = solid.aabb(&Frame::IDENTITY);
                0.5 * (size.max - size.min).min_element()
            }
        }
    }
}
