//! What a range finder sees: the surface of every geom, from outside and from within, whether it touches anything or not.

use crate::error::CollideError;
use crate::math::{Frame, v3, vec3};
use crate::ray::Line;
use crate::scene::Scene;
use crate::solid::Solid;
use poinsot_core::algebra::V3;
use poinsot_core::model::{BodyId, Geom, Model, Shape};
use poinsot_core::spatial::Pose;

impl Scene {
    /// All geoms of a model, those that touch nothing among them, as they collide: for distances. Geoms that cannot be read are not there.
    pub fn of_all(model: &Model) -> Scene {
        Scene::compile(model, |_| true, |geom| geom.shape.clone()).0
    }

    /// All geoms that can be seen, as they are drawn, for [`Scene::range`]: meshes by their triangles even where their hulls touch, and
    /// without what is wholly transparent.
    pub fn of_visible(model: &Model) -> Scene {
        let visible = |k: usize| model.geoms()[k].rgba.is_none_or(|c| c[3] > 0.0);
        let drawn = |geom: &Geom| match &geom.shape {
            Shape::Hull(mesh) => Shape::Mesh(mesh.clone()),
            shape => shape.clone(),
        };
        Scene::compile(model, visible, drawn).0
    }

    /// The distance from a point to the surface that a ray meets first, those of one body left out. A ray that begins inside a solid
    /// meets its surface from within; planes are met from above alone, and only as far as they are drawn.
    ///
    /// ```
    /// use poinsot_collide::Scene;
    /// use poinsot_core::{algebra::V3, model::*, spatial::Pose};
    /// let mut b = ModelBuilder::new("in a ball");
    /// let ball = b.body(BodyId::WORLD, BodySpec::new("ball").solid_geom(Geom::new(Shape::Sphere { radius: 2.0 }), 1.0)?);
    /// let model = b.build()?;
    /// let (mut scene, poses) = (Scene::of_visible(&model), [Pose::IDENTITY; 2]);
    /// assert_eq!(scene.range(&model, &poses, V3::Z, V3::Z, BodyId::WORLD)?, Some(1.0));
    /// assert_eq!(scene.range(&model, &poses, V3::Z, V3::Z, ball)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn range(
        &mut self,
        model: &Model,
        poses: &[Pose],
        from: V3,
        along: V3,
        without: BodyId,
    ) -> Result<Option<f64>, CollideError> {
        self.place(poses)?;
        let ray = Line { from: vec3(from), along: vec3(along) };
        let mut nearest = f64::INFINITY;
        for (k, solid) in self.solids.iter().enumerate() {
            let Some(solid) = solid.as_ref().filter(|_| self.geoms[k].body != without) else { continue };
            let x = &self.frames[k];
            let plane = matches!(solid, Solid::Plane);
            if !plane && solid.aabb(x).passed(ray.from, ray.along, nearest).is_none() {
                continue;
            }
            let met = if plane {
                plane_from_above(ray, x, &model.geoms()[k].shape)
            } else {
                surface(ray, x, solid)
            };
            nearest = met.map_or(nearest, |distance| nearest.min(distance));
        }
        Ok((nearest < f64::INFINITY).then_some(nearest))
    }
}

/// The part of a plane that is drawn, from above.
fn plane_from_above(ray: Line, x: &Frame, shape: &Shape) -> Option<f64> {
    let Shape::Plane { x: width, y: depth } = *shape else { return None };
    let own = ray.seen(x);
    if own.from.z < 0.0 || own.along.z >= 0.0 {
        return None;
    }
    let distance = -own.from.z / own.along.z;
    let at = own.from + own.along * distance;
    let within = |edge: f64, x: f64| edge == 0.0 || x.abs() <= 0.5 * edge;
    (within(width, at.x) && within(depth, at.y)).then_some(distance)
}

/// The surface of a solid, from outside or from within.
fn surface(ray: Line, x: &Frame, solid: &Solid) -> Option<f64> {
    let own = ray.seen(x);
    let (distance, _) = own.meets(solid, f64::INFINITY)?;
    if distance > 0.0 || matches!(solid, Solid::Mesh(_) | Solid::Field(_)) {
        return Some(distance);
    }
    // from within: the first point of the way back from beyond it
    let beyond = 2.0 * (v3(own.from).norm() + solid.reach());
    let back = Line { from: own.from + own.along * beyond, along: -own.along };
    let (distance, _) = back.meets(solid, f64::INFINITY)?;
    Some((beyond - distance).max(0.0))
}
