//! Two boxes, by the separating axis test with fifteen axes: face normals and cross products of edges [Gottschalk96].
//!
//! With c the centre of B in A, R its rotation and a, b the half edges, the gap along the unit vector n is `|n·c| − Σ aᵢ|nᵢ| − Σ bⱼ|n·Rⱼ|`.
//! If the boxes overlap, the largest of the fifteen gaps is the negative depth. If they are apart it is a lower bound of the distance, and
//! equals the distance if the features facing each other there are opposite.

use crate::convex::{Convex, Core};
use crate::math::{Frame, Mat3, Vec3};
use crate::narrow::Scratch;

/// Edges are parallel, and define no axis, if the sine of their angle is below this.
const PARALLEL: f64 = 1e-6;

pub(crate) fn touch(scratch: &mut Scratch, a: Vec3, b: Vec3, x: &Frame, most: f64) {
    let (normal, gap) = part(a, b, x, most);
    if gap > most {
        scratch.axis = normal;
        return;
    }
    let cuboid = |half: Vec3| Convex { core: Core::Box { half }, round: 0.0 };
    scratch.face_or_search(&cuboid(a), &cuboid(b), x, most, normal, gap);
}

/// The axis of the largest gap, from A to B, and that gap; or the first that exceeds `most`.
fn part(a: Vec3, b: Vec3, x: &Frame, most: f64) -> (Vec3, f64) {
    let (r, c) = (x.rot, x.pos);
    let turned = Mat3::from_cols(r.x_axis.abs(), r.y_axis.abs(), r.z_axis.abs());
    let signed = |n: Vec3, along: f64| if along < 0.0 { -n } else { n };

    // faces of A
    let gaps = c.abs() - a - turned * b;
    let (axis, mut gap) = largest(gaps);
    let mut normal = signed(Vec3::AXES[axis], c[axis]);
    if gap > most {
        return (normal, gap);
    }

    // faces of B
    let along = Vec3::new(r.x_axis.dot(c), r.y_axis.dot(c), r.z_axis.dot(c));
    let of_a = Vec3::new(turned.x_axis.dot(a), turned.y_axis.dot(a), turned.z_axis.dot(a));
    let gaps = along.abs() - b - of_a;
    let (axis, found) = largest(gaps);
    if found > gap {
        (gap, normal) = (found, signed(r.col(axis), along[axis]));
    }
    if gap > most {
        return (normal, gap);
    }

    // eᵢ × Rⱼ, of length √(1 − Rᵢⱼ²)
    let tie = gap + 1e-12 * (a + b).max_element();
    let mut best = (tie, usize::MAX, 0.0);
    for j in 0..3 {
        let (e, f) = (r.col(j), turned.col(j));
        let (k, l) = ((j + 1) % 3, (j + 2) % 3);
        let crosses = [c.z * e.y - c.y * e.z, c.x * e.z - c.z * e.x, c.y * e.x - c.x * e.y];
        for i in 0..3 {
            let squared = 1.0 - e[i] * e[i];
            if squared < PARALLEL * PARALLEL {
                continue;
            }
            let (m, n) = ((i + 1) % 3, (i + 2) % 3);
            let of_a = a[m] * f[n] + a[n] * f[m];
            let of_b = b[k] * turned.col(l)[i] + b[l] * turned.col(k)[i];
            let open = crosses[i].abs() - of_a - of_b;
            // compare without a root: open/√s > best
            if open > 0.0 || open * open < best.0 * best.0 * squared || best.0 > 0.0 {
                let found = open / squared.sqrt();
                if found > best.0 {
                    best = (found, 3 * i + j, crosses[i]);
                }
            }
        }
    }
    if best.1 != usize::MAX {
        let n = Vec3::AXES[best.1 / 3].cross(r.col(best.1 % 3)).normalize();
        (gap, normal) = (best.0, signed(n, n.dot(c)));
    }
    (normal, gap)
}

fn largest(v: Vec3) -> (usize, f64) {
    if v.x >= v.y && v.x >= v.z {
        (0, v.x)
    } else if v.y >= v.z {
        (1, v.y)
    } else {
        (2, v.z)
    }
}
