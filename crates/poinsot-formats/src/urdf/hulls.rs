//! Meshes of `<collision>` elements: those of moving links collide as their convex hulls, as in MuJoCo, Bullet and Drake. Two surfaces
//! without an inside would have to be intersected triangle by triangle, and what has passed through one is inside nothing. Links that
//! are fixed to the world keep their triangles, for they may be terrain, and so do elements with `concave="yes"`, as in Bullet.

use super::Reader;
use crate::description::Geom;
use crate::diagnostic::Place;
use poinsot_core::model::{Role, Shape};

impl Reader<'_> {
    /// Reports their number once.
    pub fn touch_as_hulls(&mut self) {
        let mut moves = Vec::with_capacity(self.d.bodies.len());
        let mut places: Vec<Place> = Vec::new();
        for body in &mut self.d.bodies {
            moves.push(!body.joints.is_empty() || moves.get(body.parent).is_some_and(|m| *m));
            let geoms = body.geoms.iter_mut().filter(|g| g.geom.role == Role::Collision);
            for Geom { geom, place, .. } in geoms.filter(|_| moves.last() == Some(&true)) {
                if let (Shape::Mesh(mesh), false) = (&geom.shape, self.concave.contains(place)) {
                    geom.shape = Shape::Hull(mesh.clone());
                    places.push(*place);
                }
            }
        }
        if let Some(first) = places.first() {
            let message = match places.len() {
                1 => "a collision mesh of a link that moves touches as its convex hull".to_string(),
                n => format!("{n} collision meshes of links that move touch as their convex hulls"),
            };
            let help = "concave=\"yes\" in a <collision> element keeps its triangles, which takes far longer where two meshes meet";
            self.report.note("urdf::hulls", message).at(*first).help(help);
        }
    }
}
