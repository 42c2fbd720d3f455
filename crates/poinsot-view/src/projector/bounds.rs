//! How large a model is.

use crate::look::{Layer, Look};
use poinsot::algebra::V3;
use poinsot::dynamics::{State, Workspace};
use poinsot::model::{BodyId, Model, Shape};

/// How large a model is: from its look, as it stands at first.
pub fn extent(model: &Model, look: &Look) -> f64 {
    let (low, high) = bounds(model, &State::new(model), look);
    let size = (high - low).norm();
    if size > 0.0 && size.is_finite() { 0.5 * size } else { 1.0 }
}

/// The box around all shapes but planes without end, and around all centres of mass, at a state.
pub fn bounds(model: &Model, state: &State, look: &Look) -> (V3, V3) {
    let mut workspace = Workspace::new(model);
    let at = workspace.at(model, state);
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let mut empty = true;
    let mut take = |centre: V3, radius: f64| {
        for (k, x) in centre.array().into_iter().enumerate() {
            low[k] = low[k].min(x - radius);
            high[k] = high[k].max(x + radius);
        }
        empty = false;
    };
    for part in look.parts.iter().filter(|p| p.layer == Layer::Visual) {
        let radius = match &part.shape {
            Shape::Plane { .. } => continue,
            Shape::Sphere { radius } => *radius,
            Shape::Capsule { radius, length } | Shape::Cylinder { radius, length } => radius + 0.5 * length,
            Shape::Ellipsoid { radii } => radii.norm(),
            Shape::Box { size } => 0.5 * size.norm(),
            Shape::Hull(_) | Shape::Mesh(_) | Shape::HeightField(_) => {
                let far = |p: &[f32; 3]| V3::from(p.map(f64::from)).norm();
                let surface = part.surface.map(|k| &look.surfaces[k]);
                surface.iter().flat_map(|s| &s.points).map(far).fold(0.0, f64::max)
            }
        };
        // the ground and other furniture of the world is not the model
        if part.body != BodyId::WORLD {
            take(at.pose(part.body).point(part.pose.pos), radius);
        }
    }
    for (id, body) in model.body_ids().zip(model.bodies()).skip(1).filter(|(_, b)| b.inertia.mass > 0.0) {
        take(at.pose(id).point(body.inertia.com()), 0.0);
    }
    if empty {
        return (V3::new(-1.0, -1.0, -1.0), V3::new(1.0, 1.0, 1.0));
    }
    (V3::from(low), V3::from(high))
}
