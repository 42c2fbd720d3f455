//! Contacts of balls and capsules in closed form.

use crate::contact::Feature;
use crate::convex::{Convex, Core};
use crate::manifold::Point;
use crate::math::{Frame, Vec3, across};
use crate::narrow::{Distance, Scratch};
use crate::polytope::Polytope;

const SURFACE: Feature = Feature::Face(0);

/// Two points with radii around them, the first at the origin.
fn points(b: Vec3, radii: [f64; 2], most: f64, features: [Feature; 2]) -> Option<Point> {
    let squared = b.length_squared();
    let reach = most + radii[0] + radii[1];
    if squared > reach * reach || reach < 0.0 {
        return None;
    }
    let length = squared.sqrt();
    let normal = if length > 0.0 { b / length } else { Vec3::Z };
    let gap = length - radii[0] - radii[1];
    Some(Point { position: normal * (radii[0] + 0.5 * gap), normal, gap, features })
}

pub(crate) fn sphere_sphere(r: f64, s: f64, x: &Frame, most: f64, out: &mut Vec<Point>) {
    out.extend(points(x.pos, [r, s], most, [SURFACE, SURFACE]));
}

/// The point of a capsule's axis nearest to p, along the axis, and its feature.
fn on_axis(p: f64, half: f64) -> (f64, Feature) {
    if p <= -half {
        (-half, Feature::Vertex(0))
    } else if p >= half {
        (half, Feature::Vertex(1))
    } else {
        (p, Feature::Edge(0))
    }
}

pub(crate) fn sphere_capsule(r: f64, half: f64, s: f64, x: &Frame, most: f64, out: &mut Vec<Point>) {
    let axis = x.rot.z_axis;
    let (t, part) = on_axis(-x.pos.dot(axis), half);
    let found = points(x.pos + axis * t, [r, s], most, [SURFACE, part]);
    // the centre is on the axis: out perpendicular to it
    out.extend(found.map(|p| if p.gap == -r - s { Point { normal: across(axis).0, ..p } } else { p }));
}

/// The feature of a box on which a clamped point lies: `outside` tells which coordinates were clamped.
pub(crate) fn part_of_box(outside: [f64; 3]) -> Feature {
    let up = |k: usize| (outside[k] > 0.0) as u32;
    let clamped = outside.map(|x| x != 0.0);
    match clamped.iter().filter(|c| **c).count() {
        3 => Feature::Vertex(up(0) | up(1) << 1 | up(2) << 2),
        2 => {
            let axis = clamped.iter().position(|c| !c).unwrap_or(0);
            Feature::Edge(4 * axis as u32 + up((axis + 1) % 3) + 2 * up((axis + 2) % 3))
        }
        _ => {
            let axis = clamped.iter().position(|c| *c).unwrap_or(0);
            Feature::Face(2 * axis as u32 + up(axis))
        }
    }
}

pub(crate) fn sphere_box(r: f64, half: Vec3, x: &Frame, most: f64, out: &mut Vec<Point>) {
    // the centre of the ball in the frame of the box
    let p = x.point_back(Vec3::ZERO);
    let q = p.clamp(-half, half);
    let d = p - q;
    let squared = d.length_squared();
    let reach = r + most;
    if squared > reach * reach {
        return;
    }
    let (outward, distance, part) = if squared > 0.0 {
        let length = squared.sqrt();
        (d / length, length, part_of_box(d.to_array()))
    } else {
        // inside: out through the nearest face
        let depths = (half - p.abs()).to_array();
        let axis = if depths[0] <= depths[1] && depths[0] <= depths[2] {
            0
        } else if depths[1] <= depths[2] {
            1
        } else {
            2
        };
        let mut n = [0.0; 3];
        n[axis] = if p.to_array()[axis] < 0.0 { -1.0 } else { 1.0 };
        (Vec3::from_array(n), -depths[axis], part_of_box(n))
    };
    if distance - r > most {
        return;
    }
    let normal = -x.vector(outward);
    let gap = distance - r;
    out.push(Point { position: normal * (r + 0.5 * gap), normal, gap, features: [SURFACE, part] });
}

/// A ball and a cylinder: in the half plane through the axis and the centre, the nearest point of a rectangle.
pub(crate) fn sphere_cylinder(r: f64, half: f64, radius: f64, x: &Frame, most: f64, out: &mut Vec<Point>) {
    let p = x.point_back(Vec3::ZERO);
    let across = (p.x * p.x + p.y * p.y).sqrt();
    let radial = if across > 0.0 { Vec3::new(p.x / across, p.y / across, 0.0) } else { Vec3::X };
    let axial = if p.z < 0.0 { Vec3::NEG_Z } else { Vec3::Z };
    let (beyond, above) = (across - radius, p.z.abs() - half);
    let cap = 1 + (p.z >= 0.0) as u32;
    let (outward, distance, part) = if beyond > 0.0 && above > 0.0 {
        let length = (beyond * beyond + above * above).sqrt();
        ((radial * beyond + axial * above) / length, length, Feature::Edge(cap))
    } else if beyond > above {
        (radial, beyond, Feature::Face(0))
    } else {
        (axial, above, Feature::Face(cap))
    };
    let gap = distance - r;
    if gap <= most {
        let normal = -x.vector(outward);
        out.push(Point { position: normal * (r + 0.5 * gap), normal, gap, features: [SURFACE, part] });
    }
}

/// A ball whose centre is in a hull is pushed out through the nearest face; false if the centre is outside.
pub(crate) fn sphere_in_hull(r: f64, hull: &Polytope, x: &Frame, most: f64, out: &mut Vec<Point>) -> bool {
    let p = x.point_back(Vec3::ZERO);
    let (mut highest, mut face) = (f64::NEG_INFINITY, 0);
    for (k, f) in hull.faces.iter().enumerate() {
        let height = f.normal.dot(p - hull.vertices[f.vertices[0] as usize]);
        if height > 0.0 {
            return false;
        }
        if height > highest {
            (highest, face) = (height, k);
        }
    }
    let gap = highest - r;
    if gap <= most {
        let normal = -x.vector(hull.faces[face].normal);
        let features = [SURFACE, Feature::Face(face as u32)];
        out.push(Point { position: normal * (r + 0.5 * gap), normal, gap, features });
    }
    true
}

/// The axes are nearest at two points, or parallel.
pub(crate) fn capsule_capsule(
    scratch: &mut Scratch,
    (half_a, r): (f64, f64),
    (half_b, s): (f64, f64),
    x: &Frame,
    most: f64,
) {
    let axis = x.rot.z_axis;
    // the axis of a is z: a point of it is (0, 0, t), one of b is pos + u axis
    let (k, c) = (axis.z, x.pos);
    let sine = 1.0 - k * k;
    let (down, up) = (c.z, axis.dot(c));
    let mut t = if sine > 1e-12 {
        ((down - k * up) / sine).clamp(-half_a, half_a)
    } else {
        0.0f64.clamp(-half_a, half_a)
    };
    let u = (t * k - up).clamp(-half_b, half_b);
    t = (down + u * k).clamp(-half_a, half_a);
    let u = (t * k - up).clamp(-half_b, half_b);
    let (p, q) = (Vec3::new(0.0, 0.0, t), c + axis * u);
    let d = q - p;
    let reach = most + r + s;
    if d.length_squared() > reach * reach {
        return;
    }
    let inner = t.abs() < half_a && u.abs() < half_b;
    let crossing = Vec3::Z.cross(axis);
    let normal = if inner && sine > 1e-6 {
        let n = crossing / crossing.length();
        if n.dot(d) < 0.0 { -n } else { n }
    } else {
        d.normalize_or(across(axis).0)
    };
    let gap = d.dot(normal) - r - s;
    if gap > most {
        return;
    }
    let witnesses = [p + normal * r, q - normal * s];
    if sine < 4e-4 {
        let body = |half: f64, round: f64| Convex { core: Core::Segment { half }, round };
        let found = Distance { normal, gap, witnesses };
        scratch.face(&body(half_a, r), &body(half_b, s), x, most, found);
        return;
    }
    let features = [on_axis(t, half_a).1, on_axis(u, half_b).1];
    scratch.points.push(Point::between(witnesses[0], witnesses[1], normal, gap, features));
}
