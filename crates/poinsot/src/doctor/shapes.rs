//! Geometry of shapes: sizes, and penetration depths where they are exact.

use crate::algebra::V3;
use crate::model::{BodyId, Geom, Model, Shape};
use crate::spatial::Pose;

/// Half the edges of the bounding box of a shape, in the shape's frame; `None` for planes, height fields and meshes.
pub fn half_box(shape: &Shape) -> Option<V3> {
    Some(match *shape {
        Shape::Sphere { radius: r } => V3::new(r, r, r),
        Shape::Capsule { radius: r, length } => V3::new(r, r, 0.5 * length + r),
        Shape::Cylinder { radius: r, length } => V3::new(r, r, 0.5 * length),
        Shape::Ellipsoid { radii } => radii,
        Shape::Box { size } => size * 0.5,
        Shape::Plane { .. } | Shape::Hull(_) | Shape::Mesh(_) | Shape::HeightField(_) => return None,
    })
}

/// The largest distance of a body's shapes from a point of it; `None` if there are none, or meshes.
pub fn extent(model: &Model, body: BodyId, from: V3) -> Option<f64> {
    let reach = |g: &Geom| Some((g.pose.pos - from).norm() + half_box(&g.shape)?.norm());
    let reaches: Option<Vec<f64>> = model.geoms_of(body).map(|(_, g)| reach(g)).collect();
    reaches?.into_iter().reduce(f64::max).filter(|x| *x > 0.0)
}

/// The penetration depth of two shapes, negative if they are apart; `None` if it is not known exactly.
pub fn depth(a: (&Shape, Pose), b: (&Shape, Pose)) -> Option<f64> {
    match (a, b) {
        ((Shape::Plane { .. }, plane), (shape, pose)) | ((shape, pose), (Shape::Plane { .. }, plane)) => {
            below_plane(plane, shape, pose)
        }
        ((Shape::Box { size }, pose), (Shape::Sphere { radius }, at))
        | ((Shape::Sphere { radius }, at), (Shape::Box { size }, pose)) => {
            Some(radius - outside_box(*size * 0.5, pose.inverse().point(at.pos)))
        }
        ((Shape::Box { size: s }, x), (Shape::Box { size: t }, y)) => Some(boxes(*s * 0.5, x, *t * 0.5, y)),
        (a, b) => {
            let ((p, r), (q, s)) = (rounded(a)?, rounded(b)?);
            Some(r + s - segments(p, q))
        }
    }
}

/// A sphere or capsule: the segment inside it, and the radius around that.
fn rounded((shape, pose): (&Shape, Pose)) -> Option<([V3; 2], f64)> {
    match *shape {
        Shape::Sphere { radius } => Some(([pose.pos; 2], radius)),
        Shape::Capsule { radius, length } => {
            let half = pose.rot.z * (0.5 * length);
            Some(([pose.pos - half, pose.pos + half], radius))
        }
        _ => None,
    }
}

/// The depth of the lowest point of a shape below a plane.
fn below_plane(plane: Pose, shape: &Shape, pose: Pose) -> Option<f64> {
    let normal = plane.rot.z;
    let height = normal.dot(pose.pos - plane.pos);
    // the normal in the frame of the shape
    let n = pose.rot.tr_mul(normal);
    let reach = match *shape {
        Shape::Sphere { radius } => radius,
        Shape::Capsule { radius, length } => radius + 0.5 * length * n.z.abs(),
        Shape::Cylinder { radius, length } => radius * n.x.hypot(n.y) + 0.5 * length * n.z.abs(),
        Shape::Ellipsoid { radii: r } => V3::new(r.x * n.x, r.y * n.y, r.z * n.z).norm(),
        Shape::Box { size: s } => 0.5 * (s.x * n.x.abs() + s.y * n.y.abs() + s.z * n.z.abs()),
        Shape::Plane { .. } | Shape::Hull(_) | Shape::Mesh(_) | Shape::HeightField(_) => return None,
    };
    Some(reach - height)
}

/// The distance of a point from a box; 0 inside.
fn outside_box(half: V3, p: V3) -> f64 {
    let off = |x: f64, h: f64| (x.abs() - h).max(0.0);
    V3::new(off(p.x, half.x), off(p.y, half.y), off(p.z, half.z)).norm()
}

/// The least overlap of two boxes over the separating axes [Gottschalk96]; negative if they are apart.
pub fn boxes(a: V3, x: Pose, b: V3, y: Pose) -> f64 {
    let (u, v) = ([x.rot.x, x.rot.y, x.rot.z], [y.rot.x, y.rot.y, y.rot.z]);
    let crosses = u.iter().flat_map(|p| v.iter().map(|q| p.cross(*q)));
    let axes = u.iter().chain(&v).copied().chain(crosses).filter_map(|axis| {
        // parallel edges define no axis
        if axis.norm() > 1e-9 { axis.unit() } else { None }
    });
    let reach = |half: V3, e: &[V3; 3], n: V3| {
        half.x * n.dot(e[0]).abs() + half.y * n.dot(e[1]).abs() + half.z * n.dot(e[2]).abs()
    };
    let apart = y.pos - x.pos;
    axes.map(|n| reach(a, &u, n) + reach(b, &v, n) - n.dot(apart).abs()).fold(f64::INFINITY, f64::min)
}

/// The distance of two segments [Ericson05].
fn segments([p, p1]: [V3; 2], [q, q1]: [V3; 2]) -> f64 {
    let (d, e, r) = (p1 - p, q1 - q, p - q);
    let (a, c, f) = (d.dot(d), e.dot(e), e.dot(r));
    let (b, g) = (d.dot(e), d.dot(r));
    let clamp = |x: f64| if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) };
    // the closest point on the second to the first's, then back to the first if that had to be clamped
    let det = a * c - b * b;
    let mut s = if det > 1e-12 * a * c { clamp((b * f - g * c) / det) } else { 0.0 };
    let mut t = (b * s + f) / c;
    if c == 0.0 {
        (t, s) = (0.0, clamp(-g / a));
    } else if !(0.0..=1.0).contains(&t) {
        t = clamp(t);
        s = clamp((b * t - g) / a);
    }
    (r + d * s - e * t).norm()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64, z: f64) -> Pose {
        Pose { pos: V3::new(x, y, z), ..Pose::IDENTITY }
    }

    #[test]
    fn depths_by_hand() {
        let ball = Shape::Sphere { radius: 1.0 };
        let rod = Shape::Capsule { radius: 0.1, length: 2.0 };
        let cube = Shape::Box { size: V3::new(2.0, 2.0, 2.0) };
        let floor = Shape::Plane { x: 0.0, y: 0.0 };
        let lying = Pose::rotation_vector(V3::Y * std::f64::consts::FRAC_PI_2);
        for (a, x, b, y, depth_expected) in [
            (&ball, at(0.0, 0.0, 0.0), &ball, at(1.5, 0.0, 0.0), 0.5),
            (&ball, at(0.0, 0.0, 0.0), &rod, at(1.05, 0.0, 5.0), 1.1 - (1.05f64.powi(2) + 16.0).sqrt()),
            (&rod, at(0.0, 0.0, 0.0), &rod, at(0.15, 0.0, 0.5), 0.05),
            (&rod, at(0.0, 0.0, 0.0), &rod, Pose { pos: V3::new(0.0, 0.15, 0.3), ..lying }, 0.05),
            (&cube, at(0.0, 0.0, 0.0), &cube, at(1.9, 0.0, 0.0), 0.1),
            (&cube, at(0.0, 0.0, 0.0), &cube, at(0.0, 2.5, 0.0), -0.5),
            (&cube, at(0.0, 0.0, 0.0), &ball, at(1.8, 0.0, 0.0), 0.2),
            (&floor, at(0.0, 0.0, 0.0), &ball, at(9.0, 9.0, 0.9), 0.1),
            (&floor, at(0.0, 0.0, 0.0), &rod, at(0.0, 0.0, 1.0), 0.1),
            (&floor, at(0.0, 0.0, 0.0), &rod, Pose { pos: V3::new(0.0, 0.0, 1.0), ..lying }, -0.9),
        ] {
            for found in [depth((a, x), (b, y)), depth((b, y), (a, x))] {
                let found = found.expect("exact");
                assert!((found - depth_expected).abs() < 1e-12, "{a:?} {b:?}: {found} for {depth_expected}");
            }
        }
        assert_eq!(
            depth((&Shape::Ellipsoid { radii: V3::X }, at(0.0, 0.0, 0.0)), (&ball, at(0.0, 0.0, 0.0))),
            None
        );
    }
}
