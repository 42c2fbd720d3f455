//! The reach and the thickness of geoms.

use crate::math::Frame;
use crate::scene::Scene;
use crate::solid::Solid;
use poinsot_core::model::GeomId;

impl Scene {
    /// The largest distance of a geom from the origin of its body, m; 0 for planes and for geoms without contact.
    pub fn reach(&self, geom: GeomId) -> f64 {
        match &self.solids[geom.index()] {
            None | Some(Solid::Plane) => 0.0,
            Some(solid) => self.geoms[geom.index()].local.pos.length() + solid.reach(),
        }
    }

    /// Half the least width of a geom, m: a body that moves by less in a step does not tunnel through it. Infinite for planes, which have
    /// an inside, and for geoms without contact. A height field is as thin as its lowest column. [Meshes](Scene::is_shell) count as shells
    /// whose thickness is a hundredth of their size.
    pub fn thinness(&self, geom: GeomId) -> f64 {
        match &self.solids[geom.index()] {
            None | Some(Solid::Plane) => f64::INFINITY,
            Some(Solid::Sphere { radius } | Solid::Capsule { radius, .. }) => *radius,
            Some(solid) => {
                let bounds = solid.aabb(&Frame::IDENTITY);
                let size = bounds.max - bounds.min;
                match solid {
                    Solid::Mesh(_) => 0.5 * SHELL * size.max_element(),
                    Solid::Field(field) => 0.5 * size.min_element().min(field.lowest_column()),
                    _ => 0.5 * size.min_element(),
                }
            }
        }
    }

    /// True if a geom is a mesh: its walls may be thin, or surfaces without an inside, whatever its size.
    pub fn is_shell(&self, geom: GeomId) -> bool {
        matches!(self.solids[geom.index()], Some(Solid::Mesh(_)))
    }
}

/// The thickness of a mesh, relative to its size.
const SHELL: f64 = 0.01;
