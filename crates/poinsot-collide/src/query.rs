//! Queries on a scene at given poses: rays, distances, overlaps, swept shapes.

use crate::error::CollideError;
use crate::math::{Frame, v3, vec3};
use crate::ray::Line;
use crate::scene::Scene;
use crate::solid::{Compiler, Solid};
use crate::sweep::{Moving, Sweep, first_touch};
use poinsot_core::algebra::V3;
use poinsot_core::model::{GeomId, Shape};
use poinsot_core::spatial::Pose;

/// The first hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The geom.
    pub geom: GeomId,
    /// The distance from the start of the ray, m.
    pub distance: f64,
    /// The point, in the world.
    pub position: V3,
    /// The outward unit normal of the geom there; opposite to the ray if that starts inside.
    pub normal: V3,
}

/// The nearest or deepest points of two geoms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoints {
    /// On the first and the second geom, in the world.
    pub points: [V3; 2],
    /// From the first to the second.
    pub normal: V3,
    /// The distance, m; negative: the penetration depth.
    pub distance: f64,
}

/// The first hit of a swept shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepHit {
    /// The geom.
    pub geom: GeomId,
    /// The time, s; 0 if the shape overlaps the geom from the start.
    pub time: f64,
    /// The point, in the world.
    pub position: V3,
    /// From the shape to the geom.
    pub normal: V3,
}

fn argument(what: &'static str, value: impl ToString, needed: &'static str) -> CollideError {
    CollideError::Argument { what, value: value.to_string(), needed }
}

fn compiled(shape: &Shape) -> Result<Solid, CollideError> {
    let wrong = |why: String| argument("the shape", why, "give a shape with positive finite sizes");
    Compiler::default().solid(shape).map_err(wrong)
}

fn finite(pose: Pose) -> Result<Frame, CollideError> {
    let frame = Frame::from(pose);
    let wrong = || argument("the pose of the shape", "not finite", "give finite numbers");
    if frame.is_finite() { Ok(frame) } else { Err(wrong()) }
}

/// The distance at which a ray first meets a shape in a pose; 0 if it starts inside, `None` if it misses.
///
/// ```
/// use poinsot_core::{algebra::V3, model::Shape, spatial::Pose};
/// let (ball, up) = (Shape::Sphere { radius: 0.5 }, Pose::translation(V3::Z * 2.0));
/// assert_eq!(poinsot_collide::ray_meets(&ball, up, V3::ZERO, V3::Z)?, Some(1.5));
/// assert_eq!(poinsot_collide::ray_meets(&ball, up, V3::Z * 1.9, V3::X)?, Some(0.0));
/// assert_eq!(poinsot_collide::ray_meets(&ball, up, V3::ZERO, V3::X)?, None);
/// # Ok::<(), poinsot_collide::CollideError>(())
/// ```
pub fn ray_meets(shape: &Shape, pose: Pose, from: V3, direction: V3) -> Result<Option<f64>, CollideError> {
    let (solid, x) = (compiled(shape)?, finite(pose)?);
    let Some(along) = direction.unit() else {
        let value = format!("{direction:?}");
        return Err(argument("the direction of the ray", value, "give a finite vector that is not 0"));
    };
    let line = Line { from: vec3(from), along: vec3(along) }.seen(&x);
    Ok(line.meets(&solid, f64::INFINITY).map(|(distance, _)| distance))
}

impl Scene {
    /// The first geom that a ray from `from` meets within `most` metres; geoms without contact are ignored.
    ///
    /// ```
    /// use poinsot_collide::Scene;
    /// use poinsot_core::{algebra::V3, model::*, spatial::Pose};
    /// let mut b = ModelBuilder::new("a floor");
    /// let floor = b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
    /// let mut scene = Scene::new(&b.build()?)?;
    /// let hit = scene.cast_ray(&[Pose::IDENTITY], V3::Z * 2.0, V3::new(3.0, 0.0, -4.0), 100.0)?.unwrap();
    /// assert_eq!((hit.geom, hit.distance, hit.normal), (floor, 2.5, V3::Z));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_ray(
        &mut self,
        poses: &[Pose],
        from: V3,
        direction: V3,
        most: f64,
    ) -> Result<Option<RayHit>, CollideError> {
        let Some(along) = direction.unit() else {
            return Err(argument(
                "the direction of the ray",
                format!("{direction:?}"),
                "give a finite vector that is not 0",
            ));
        };
        if !from.is_finite() {
            return Err(argument("the start of the ray", format!("{from:?}"), "give finite numbers"));
        }
        self.place(poses)?;
        let ray = Line { from: vec3(from), along: vec3(along) };
        let mut best: Option<RayHit> = None;
        for (k, solid) in self.solids.iter().enumerate() {
            let Some(solid) = solid else { continue };
            let limit = best.map_or(most, |b| b.distance);
            let x = &self.frames[k];
            if !matches!(solid, Solid::Plane) && solid.aabb(x).passed(ray.from, ray.along, limit).is_none() {
                continue;
            }
            if let Some((distance, normal)) = ray.seen(x).meets(solid, limit)
                && best.is_none_or(|b| distance < b.distance)
            {
                let (position, normal) = (along.mul_add(distance, from), v3(x.vector(normal)));
                best = Some(RayHit { geom: self.geoms[k].id, distance, position, normal });
            }
        }
        Ok(best)
    }

    /// The nearest points of two geoms, if they are within `most` metres of each other. For a mesh or a height field, those of its nearest
    /// triangle or column. `None` also for geoms without contact, and for two planes.
    pub fn closest_points(
        &mut self,
        poses: &[Pose],
        geoms: [GeomId; 2],
        most: f64,
    ) -> Result<Option<ClosestPoints>, CollideError> {
        self.place(poses)?;
        let [a, b] = geoms.map(|g| g.index());
        let (Some(first), Some(second)) = (&self.solids[a], &self.solids[b]) else { return Ok(None) };
        let (x_a, x_b) = (self.frames[a], self.frames[b]);
        let found = self.scratch.separation(first, second, &x_a.to(&x_b), most);
        Ok(found.map(|d| ClosestPoints {
            points: d.witnesses.map(|p| v3(x_a.point(p))),
            normal: v3(x_a.vector(d.normal)),
            distance: d.gap,
        }))
    }

    /// The geoms that a shape at this pose overlaps, in the order of their numbers.
    pub fn overlaps(
        &mut self,
        poses: &[Pose],
        shape: &Shape,
        pose: Pose,
    ) -> Result<Vec<GeomId>, CollideError> {
        let (solid, x) = (compiled(shape)?, finite(pose)?);
        self.place(poses)?;
        let bounds = solid.aabb(&x);
        let mut out = Vec::new();
        for (k, other) in self.solids.iter().enumerate() {
            let Some(other) = other else { continue };
            let near = other.aabb(&self.frames[k]).meets(&bounds);
            if near && self.scratch.separation(&solid, other, &x.to(&self.frames[k]), 0.0).is_some() {
                out.push(self.geoms[k].id);
            }
        }
        Ok(out)
    }

    /// The first geom that a shape meets while it moves along a sweep for the time h in a static scene.
    pub fn sweep_shape(
        &mut self,
        poses: &[Pose],
        shape: &Shape,
        sweep: Sweep,
        h: f64,
    ) -> Result<Option<SweepHit>, CollideError> {
        let solid = compiled(shape)?;
        finite(sweep.at(0.0))?;
        if !(h >= 0.0 && h.is_finite() && Frame::from(sweep.at(h)).is_finite()) {
            return Err(argument(
                "the sweep",
                format!("not finite after {h} s"),
                "give finite motions and times",
            ));
        }
        self.place(poses)?;
        let moving = Moving::new(&solid, Frame::IDENTITY, sweep);
        let mut best: Option<SweepHit> = None;
        for (k, other) in self.solids.iter().enumerate() {
            let Some(other) = other else { continue };
            let still = Moving::new(other, Frame::IDENTITY, Sweep::still(self.frames[k].into()));
            let limit = best.map_or(h, |b| b.time);
            if let Some(t) = first_touch(&mut self.scratch, &moving, &still, limit, 0.0)
                && best.is_none_or(|b| t.time < b.time)
            {
                let geom = self.geoms[k].id;
                best = Some(SweepHit { geom, time: t.time, position: t.position, normal: t.normal });
            }
        }
        Ok(best)
    }
}
