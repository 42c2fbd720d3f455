//! Sensors that look at shapes: range finders, and distances between geoms.

use super::Simulation;
use crate::algebra::V3;
use crate::model::{BoundKind, Bounded, Frame, GeomId, JointId, LimitQuantity, Model, NearestQuantity};
use poinsot_collide::{ClosestPoints, Scene, body_poses};

/// The shapes that sensors look at, compiled when one first does.
#[derive(Default)]
pub(super) struct SensorScenes {
    visible: Option<Box<Scene>>,
    all: Option<Box<Scene>>,
}

impl Simulation<'_> {
    /// The distance along the z axis of a frame to the nearest surface of another body; −1: there is none.
    pub(super) fn range(&mut self, model: &Model, frame: Frame) -> f64 {
        let mut poses = Vec::new();
        body_poses(model, &self.at(), &mut poses);
        let place = poses[frame.body.index()] * frame.pose;
        let scene = self.sensor_scenes.visible.get_or_insert_with(|| Box::new(Scene::of_visible(model)));
        let met = scene.range(model, &poses, place.pos, place.rot.z, frame.body);
        // poses that are not finite see nothing
        met.ok().flatten().unwrap_or(-1.0)
    }

    /// The nearest points of two sets of geoms.
    pub(super) fn nearest(
        &mut self,
        model: &Model,
        quantity: NearestQuantity,
        sets: [&[GeomId]; 2],
        within: f64,
    ) -> Vec<f64> {
        let mut poses = Vec::new();
        body_poses(model, &self.at(), &mut poses);
        let scene = self.sensor_scenes.all.get_or_insert_with(|| Box::new(Scene::of_all(model)));
        let mut best: Option<ClosestPoints> = None;
        for a in sets[0] {
            for b in sets[1] {
                let most = best.as_ref().map_or(within, |best| best.distance);
                let found = scene.closest_points(&poses, [*a, *b], most).ok().flatten();
                best = found.filter(|found| found.distance < most).or(best);
            }
        }
        match quantity {
            NearestQuantity::Distance => vec![best.map_or(within, |best| best.distance)],
            NearestQuantity::Normal => best.map_or(V3::ZERO, |best| best.normal).array().to_vec(),
            _ => best.map_or([V3::ZERO; 2], |best| best.points).map(V3::array).concat(),
        }
    }

    /// The limit at which a joint is; 0 while it is at none.
    pub(super) fn joint_limit(&mut self, model: &Model, joint: JointId, quantity: LimitQuantity) -> f64 {
        let (x, rate) =
            (self.state.q[model[joint].coordinates().start], self.state.v[model[joint].dofs().start]);
        let stepped = self.system.model();
        let impulses = &self.system.report().impulses;
        // those of constraints come first
        let first = impulses.len().saturating_sub(stepped.bounds().len());
        for (k, bound) in model.bounds().iter().enumerate() {
            if !matches!(bound.on, Bounded::Coordinate { joint: of, .. } if of == joint) {
                continue;
            }
            let (left, rate) = match bound.kind {
                BoundKind::Lower(end) => (x - end, rate),
                BoundKind::Upper(end) => (end - x, -rate),
                _ => continue,
            };
            let force = impulses.get(first + k).map_or(0.0, |impulse| impulse / self.dt);
            if left < 0.0 || force > 0.0 {
                return match quantity {
                    LimitQuantity::Distance => left.min(0.0),
                    LimitQuantity::Rate => rate,
                    _ => force,
                };
            }
        }
        0.0
    }
}
