//! The size of a model.

use crate::look::{Layer, Look};
use crate::surface::Surface;
use poinsot::algebra::V3;
use poinsot::dynamics::{State, Workspace};
use poinsot::model::{BodyId, Model, Shape};

/// The size of a model: of its shapes in the initial state.
pub fn extent(model: &Model, look: &Look) -> f64 {
    let (low, high) = bounds(model, &State::new(model), look);
    let size = (high - low).norm();
    if size > 0.0 && size.is_finite() { 0.5 * size } else { 1.0 }
}

/// The corners of all visible shapes at a state, except planes and static objects.
pub fn outline(model: &Model, state: &State, look: &Look) -> Vec<V3> {
    corners(model, state, look).into_iter().map(|(_, point)| point).collect()
}

/// Where the corners of freely falling bodies land: in their initial attitude, on ground at this height.
pub fn landing(model: &Model, state: &State, look: &Look, ground: f64) -> Vec<V3> {
    let roots = roots(model);
    let free =
        |root: usize| model.joints()[model.bodies()[root].joints.clone()].iter().any(|j| j.kind.nv() == 6);
    let falling: Vec<(usize, V3)> = corners(model, state, look)
        .into_iter()
        .map(|(body, point)| (roots[body.index()], point))
        .filter(|(root, _)| free(*root))
        .collect();
    let mut lowest = vec![f64::INFINITY; roots.len()];
    falling.iter().for_each(|(root, point)| lowest[*root] = lowest[*root].min(point.z));
    falling.into_iter().map(|(root, point)| point - V3::Z * (lowest[root] - ground)).collect()
}

/// For each body, its ancestor that is a child of the world.
fn roots(model: &Model) -> Vec<usize> {
    let mut roots = vec![0; model.bodies().len()];
    for (k, body) in model.bodies().iter().enumerate().skip(1) {
        roots[k] = if body.parent == BodyId::WORLD { k } else { roots[body.parent.index()] };
    }
    roots
}

/// The corners of all visible shapes except planes and static objects, with their bodies.
fn corners(model: &Model, state: &State, look: &Look) -> Vec<(BodyId, V3)> {
    let mut workspace = Workspace::new(model);
    let at = workspace.at(model, state);
    let mut points = Vec::new();
    for part in look.parts.iter().filter(|p| p.layer == Layer::Visual) {
        let skin = part.surface.map(|k| &look.surfaces[k]).and_then(|s| Some((s, s.bones.as_ref()?)));
        if let Some((surface, bones)) = skin {
            let ids: Vec<BodyId> = model.body_ids().collect();
            let bent = surface.bent(bones, |body| ids.get(body).map(|id| at.pose(*id)));
            let bent = bent.points.iter().map(|p| V3::from(p.map(f64::from))).filter(|p| p.is_finite());
            points.extend(bent.map(|p| (part.body, p)));
        }
        if matches!(part.shape, Shape::Plane { .. }) || part.body == BodyId::WORLD {
            continue;
        }
        let pose = at.pose(part.body) * part.pose;
        let mut take = |surface: &Surface| {
            let corners = surface.points.iter().map(|p| pose.point(V3::from(p.map(f64::from))));
            points.extend(corners.filter(|p| p.is_finite()).map(|p| (part.body, p)));
        };
        match part.surface {
            Some(number) => take(&look.surfaces[number]),
            None => Surface::of(&part.shape).iter().for_each(take),
        }
    }
    points
}

/// Half the diagonal of the box around the shapes of each body; 0 if it has none.
pub(super) fn reaches(model: &Model, look: &Look) -> Vec<f64> {
    let nothing = (V3::new(1.0, 1.0, 1.0) * f64::INFINITY, V3::new(1.0, 1.0, 1.0) * f64::NEG_INFINITY);
    let mut boxes = vec![nothing; model.bodies().len()];
    for part in look.parts.iter().filter(|p| p.layer == Layer::Visual) {
        let (low, high) = &mut boxes[part.body.index()];
        let mut take = |surface: &Surface| {
            for p in surface.points.iter().map(|p| part.pose.point(V3::from(p.map(f64::from)))) {
                *low = V3::new(low.x.min(p.x), low.y.min(p.y), low.z.min(p.z));
                *high = V3::new(high.x.max(p.x), high.y.max(p.y), high.z.max(p.z));
            }
        };
        match part.surface {
            Some(number) => take(&look.surfaces[number]),
            None => Surface::of(&part.shape).iter().for_each(take),
        }
    }
    let half = |(low, high): &(V3, V3)| 0.5 * (*high - *low).norm();
    boxes.iter().map(|b| if b.0.x <= b.1.x && half(b).is_finite() { half(b) } else { 0.0 }).collect()
}

/// The box around all shapes except infinite planes, and around all centres of mass, at a state.
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
        // the ground and other static objects do not count
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
