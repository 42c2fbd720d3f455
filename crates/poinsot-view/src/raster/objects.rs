//! The surfaces of a frame: parts, solids and arrows.

use super::shapes::{BALL, DISC, HEAD, SHAFT, Shapes};
use super::vector::{Placement, across, add, cross, dot, norm, scale, sub};
use super::view::View;
use crate::show::{Frame, PartInfo, Scenery};
use poinsot::model::Shape;

/// A surface to be drawn.
pub(super) struct Object {
    pub shape: usize,
    pub placement: Placement,
    pub rgba: [f64; 4],
    /// Visible from inside too.
    pub both: bool,
    /// It casts a shadow.
    pub shadow: bool,
    /// A plane of the world: shadows fall on it.
    pub ground: bool,
}

/// The radius of an arrow's shaft, as a fraction of the picture's height.
const SHAFT_RADIUS: f32 = 0.0045;
/// All surfaces of a frame whose layers are shown; infinite planes are left out if there is a floor.
pub(super) fn objects(
    (scenery, shapes): (&Scenery, &Shapes),
    frame: &Frame,
    view: &View,
    floor: bool,
    shows: impl Fn(&str) -> bool,
) -> Vec<Object> {
    let mut objects = Vec::with_capacity(scenery.parts.len());
    for (part, shape) in scenery.parts.iter().zip(&shapes.of_parts) {
        let body = frame.poses.get(part.body).and_then(|p| Placement::of(*p));
        let own = Placement::of(part.pose.map(|x| x as f32));
        let (Some(shape), Some(body), Some(own)) = (*shape, body, own) else { continue };
        let plane = matches!(part.shape, Shape::Plane { .. });
        // a plane with a picture shows more than the floor
        let covered = floor && is_endless(part) && part.mesh.is_none();
        if shows(part.layer) && !covered && part.rgba[3] > 0.0 {
            let open = plane || part.mesh.is_some();
            // a skin moves with its bodies
            let skin = shapes.surfaces[shape].bones.is_some();
            let at_rest = Placement::of([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]).filter(|_| skin);
            let placement = at_rest.unwrap_or_else(|| body.then(&own));
            let ground = plane && scenery.bodies.get(part.body).is_some_and(|b| b.parent.is_none());
            objects.push(Object { shape, placement, rgba: part.rgba, both: open, shadow: !plane, ground });
        }
    }
    for (info, solid) in scenery.solids.iter().zip(&frame.solids) {
        let [x, y, z, w, i, j, k, a, b, c] = *solid;
        let Some(placement) = Placement::of([x, y, z, w, i, j, k]) else { continue };
        if shows(info.layer) && [a, b, c].iter().all(|r| r.is_finite()) {
            let (shape, half) = match info.form {
                "disc" => (DISC, [a, b, a.max(b)]),
                // the shaft goes up from its end
                "rod" => (SHAFT, [a, b, 2.0 * c]),
                _ => (BALL, [a, b, c]),
            };
            let mut placement = placement.with_half_axes(half);
            if shape == SHAFT {
                placement.at = placement.point([0.0, 0.0, -0.5]);
            }
            objects.push(Object {
                shape,
                placement,
                rgba: info.rgba,
                both: true,
                shadow: false,
                ground: false,
            });
        }
    }
    for (info, arrow) in scenery.arrows.iter().zip(&frame.arrows) {
        if shows(info.layer) {
            objects.extend(arrow_of(*arrow, info.colour, view, 2.0 * SHAFT_RADIUS * view.centre[1]));
        }
    }
    objects
}

fn is_endless(part: &PartInfo) -> bool {
    matches!(part.shape, Shape::Plane { x, y } if x <= 0.0 && y <= 0.0)
}

/// The height of the infinite horizontal plane without a picture among the parts, which the floor replaces.
pub(super) fn ground_plane(scenery: &Scenery) -> Option<f64> {
    let plane = |p: &&PartInfo| is_level(scenery, p) && is_endless(p) && p.mesh.is_none();
    scenery.parts.iter().find(plane).map(|p| p.pose[2])
}

/// The height of the highest horizontal plane of the world that is drawn itself.
pub(super) fn own_ground(scenery: &Scenery) -> Option<f64> {
    let planes = scenery.parts.iter().filter(|p| is_level(scenery, p) && p.rgba[3] > 0.5);
    planes.map(|p| p.pose[2]).max_by(f64::total_cmp)
}

fn is_level(scenery: &Scenery, part: &PartInfo) -> bool {
    let level = part.pose[4].abs() < 1e-6 && part.pose[5].abs() < 1e-6;
    let fixed = scenery.bodies.get(part.body).is_some_and(|b| b.parent.is_none());
    level && fixed && part.layer == "visual" && matches!(part.shape, Shape::Plane { .. })
}

/// Shaft and head, with the same thickness on the screen for all arrows.
fn arrow_of([a, b, c, d, e, f]: [f32; 6], colour: [f64; 3], view: &View, dots: f32) -> Vec<Object> {
    let (tail, tip) = ([a, b, c], [d, e, f]);
    let along = sub(tip, tail);
    let length = norm(along);
    let depth = dot(sub(tail, view.eye), view.ahead).max(view.near());
    let radius = (dots * depth / view.focal).min(0.08 * length);
    if !(length.is_finite() && norm(tail).is_finite() && radius > 0.0) {
        return Vec::new();
    }
    let ahead = scale(along, 1.0 / length);
    let side = across(ahead);
    let other = cross(ahead, side);
    let part = |shape: usize, from: f32, to: f32, radius: f32| {
        let at = add(tail, scale(ahead, from));
        let axes = [scale(side, radius), scale(other, radius), scale(ahead, to - from)];
        let [r, g, b] = colour;
        let placement = Placement::stretched(at, axes);
        Object { shape, placement, rgba: [r, g, b, 1.0], both: false, shadow: false, ground: false }
    };
    let head = (7.0 * radius).min(0.45 * length);
    vec![part(SHAFT, 0.0, length - head, radius), part(HEAD, length - head, length, 2.6 * radius)]
}
