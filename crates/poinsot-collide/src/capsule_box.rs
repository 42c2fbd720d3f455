//! A capsule and a box, in closed form.
//!
//! With the axis of the capsule `p + t d`, |t| ≤ h, in the frame of a box of half edges b, the squared distance of a point of the axis from
//! the box is `Σ max(|pᵢ + t dᵢ| − bᵢ, 0)²`, convex in t. Its derivative is increasing, and linear between the six t at which the axis
//! crosses a plane of the box, which are searched for the minimum. If the axis enters the box, the segment is separated from it along one
//! of six directions: the face normals of the box, and the common normals of its edges and the axis.

use crate::contact::Feature;
use crate::convex::{Convex, Core};
use crate::manifold::Point;
use crate::math::{Frame, Vec3};
use crate::narrow::{Distance, Scratch};

/// Finds the contacts of a capsule and a box, where x is the pose of the box in the frame of the capsule.
pub(crate) fn touch(scratch: &mut Scratch, (half, radius): (f64, f64), b: Vec3, x: &Frame, most: f64) {
    // the axis in the frame of the box
    let (p, d) = (x.point_back(Vec3::ZERO), x.vector_back(Vec3::Z));
    let t = nearest(p, d, half, b);
    let on_axis = p + d * t;
    let apart = on_axis - on_axis.clamp(-b, b);
    let length = apart.length();
    if length > most + radius {
        scratch.axis = -x.vector(apart / length);
        return;
    }
    let (outward, core) = if length > 1e-9 * (half + b.max_element()) {
        (apart / length, length)
    } else {
        deepest(p, d, half, b)
    };
    let gap = core - radius;
    if gap > most {
        return;
    }
    // from the capsule to the box
    let normal = -x.vector(outward);
    let alone = outward.abs().max_element() < 1.0 - 1e-9 && normal.z.abs() > 0.02;
    if alone && core > 0.0 {
        let end = if t <= -half {
            Feature::Vertex(0)
        } else if t >= half {
            Feature::Vertex(1)
        } else {
            Feature::Edge(0)
        };
        let surface = Vec3::new(0.0, 0.0, t) + normal * radius;
        let part = crate::round::part_of_box(apart.to_array());
        let position = surface + normal * (0.5 * gap);
        scratch.points.push(Point { position, normal, gap, features: [end, part] });
        return;
    }
    let capsule = Convex { core: Core::Segment { half }, round: radius };
    let cuboid = Convex { core: Core::Box { half: b }, round: 0.0 };
    if core > 0.0 {
        let surface = Vec3::new(0.0, 0.0, t) + normal * radius;
        let found = Distance { normal, gap, witnesses: [surface, surface + normal * gap] };
        scratch.face(&capsule, &cuboid, x, most, found);
    } else {
        scratch.face_or_search(&capsule, &cuboid, x, most, normal, gap);
    }
}

/// The t, |t| ≤ h, at which `p + t d` is nearest to the box; the middle if there are several.
fn nearest(p: Vec3, d: Vec3, h: f64, b: Vec3) -> f64 {
    let slope = |t: f64| {
        let q = p + d * t;
        d.dot(q - q.clamp(-b, b))
    };
    let (low, high) = (slope(-h), slope(h));
    if low >= 0.0 && high > 0.0 {
        return -h;
    }
    if high <= 0.0 && low < 0.0 {
        return h;
    }
    // from both ends towards the middle: the last crossing with a negative slope, the first with a positive one
    let (mut left, mut at_left, mut right, mut at_right) = (-h, low, h, high);
    for k in 0..3 {
        if d[k] == 0.0 {
            continue;
        }
        for plane in [-b[k], b[k]] {
            let t = (plane - p[k]) / d[k];
            if t <= left || t >= right {
                continue;
            }
            let s = slope(t);
            if s < 0.0 {
                (left, at_left) = (t, s);
            } else if s > 0.0 {
                (right, at_right) = (t, s);
            }
        }
    }
    if at_right > at_left && at_left <= 0.0 && at_right >= 0.0 && (at_left < 0.0 || at_right > 0.0) {
        if at_left == 0.0 {
            return flat(slope, left, right, p, d, b);
        }
        // linear between the two unless the slope is 0 in between
        let t = left - at_left * (right - left) / (at_right - at_left);
        return if slope(t).abs() <= 1e-12 * (at_right - at_left) {
            t
        } else {
            flat(slope, left, right, p, d, b)
        };
    }
    0.5 * (left + right)
}

/// The middle of the interval within `left..right` in which the slope is 0: it is bounded by crossings of the axis with planes of the box.
fn flat(slope: impl Fn(f64) -> f64, left: f64, right: f64, p: Vec3, d: Vec3, b: Vec3) -> f64 {
    let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
    let crossings = (0..3).flat_map(|k| [(k, -b[k]), (k, b[k])]).filter(|(k, _)| d[*k] != 0.0);
    for t in crossings.map(|(k, plane)| (plane - p[k]) / d[k]).chain([left, right]) {
        if t >= left && t <= right && slope(t) == 0.0 {
            (first, last) = (first.min(t), last.max(t));
        }
    }
    if first <= last { 0.5 * (first + last) } else { 0.5 * (left + right) }
}

/// The direction, out of the box, in which box and segment overlap least, and the negative overlap.
fn deepest(p: Vec3, d: Vec3, h: f64, b: Vec3) -> (Vec3, f64) {
    let mut best = (Vec3::X, f64::NEG_INFINITY);
    let crossings = Vec3::AXES.map(|e| e.cross(d));
    for n in Vec3::AXES.into_iter().chain(crossings) {
        let length = n.length();
        if length < 1e-6 {
            continue;
        }
        let n = n / length;
        let height = n.dot(p);
        let gap = height.abs() - n.abs().dot(b) - h * n.dot(d).abs();
        // faces have precedence: an edge must be better by more than round-off
        if gap > best.1 + 1e-14 * b.max_element() {
            best = (if height < 0.0 { -n } else { n }, gap);
        }
    }
    best
}
