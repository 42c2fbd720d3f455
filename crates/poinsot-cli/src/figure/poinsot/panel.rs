//! The contents of the two halves of the figure, in units of the longest half axis of the energy ellipsoid.

use super::course::Course;
use poinsot::algebra::{M3, V3};
use poinsot_view::look::COLOURS;
use poinsot_view::raster::fit_camera;
use poinsot_view::show::Camera;

/// An ellipsoid with lines on it and around it.
pub struct Panel {
    pub title: &'static str,
    pub camera: Camera,
    /// The attitude of the ellipsoid, whose centre is the origin.
    pub attitude: M3,
    pub half_axes: V3,
    /// Height and radius of the plane.
    pub plane: Option<(f64, f64)>,
    pub curves: Vec<Curve>,
    pub arrows: Vec<Arrow>,
    /// The tip of ω.
    pub tip: V3,
    /// The meaning of the colours.
    pub legend: Vec<(&'static str, [f64; 3])>,
}

/// A line through these points.
pub struct Curve {
    pub points: Vec<V3>,
    pub colour: [f64; 3],
}

/// An arrow from the origin.
pub struct Arrow {
    pub to: V3,
    pub colour: [f64; 3],
    pub name: &'static str,
}

pub const ELLIPSOID: [f64; 3] = COLOURS[0];
pub const PLANE: [f64; 3] = [0.45, 0.47, 0.5];
const POLHODE: [f64; 3] = COLOURS[1];
const HERPOLHODE: [f64; 3] = COLOURS[3];
const MOMENTUM: [f64; 3] = COLOURS[4];
const SEPARATRIX: [f64; 3] = COLOURS[3];
const OTHERS: [f64; 3] = [0.05, 0.24, 0.40];
const AXES: [f64; 3] = [0.35, 0.37, 0.4];

fn unit_of(course: &Course) -> f64 {
    let half = course.half_axes();
    1.0 / half.x.max(half.y).max(half.z)
}

/// The number of the sample after a `share` of all.
fn sample(course: &Course, share: f64) -> usize {
    let last = course.spins.len() - 1;
    ((share * last as f64) as usize).min(last)
}

/// The share of the motion, near its end, after which the polhode of [`rolling`] is turned to the side and somewhat towards
/// the camera: so that both it and the herpolhode are visible.
pub fn best_seen(course: &Course) -> f64 {
    let camera = rolling(course, 0.0).camera;
    let back = V3::from(camera.from) - V3::from(camera.to);
    let towards = back * 0.5 + V3::Z.cross(back) * 0.8;
    let middle = course.spins.iter().fold(V3::ZERO, |sum, w| sum + *w);
    let last = course.spins.len() - 1;
    let facing = |k: &usize| (course.attitudes[*k] * middle).dot(towards);
    let best = (last * 3 / 4..=last).max_by(|a, b| facing(a).total_cmp(&facing(b)));
    best.map_or(1.0, |k| k as f64 / last as f64)
}

/// The ellipsoid on its plane after a `share` of the motion.
pub fn rolling(course: &Course, share: f64) -> Panel {
    let (s, now) = (unit_of(course), sample(course, share));
    let attitude = course.attitudes[now];
    let spins = &course.spins[..=now];
    let polhode = spins.iter().map(|w| attitude * (*w * s)).collect();
    let herpolhode: Vec<V3> = spins.iter().zip(&course.attitudes).map(|(w, rot)| *rot * (*w * s)).collect();
    let off_axis = |w: &V3, rot: &M3| (*rot * (*w * s) - V3::Z * (*rot * (*w * s)).z).norm();
    let reach =
        course.spins.iter().zip(&course.attitudes).map(|(w, rot)| off_axis(w, rot)).fold(0.0, f64::max);
    let height = -s * course.twice / course.momentum;
    let radius = (1.15 * reach).max(0.8);
    let wide = radius.max(1.0);
    let tip = herpolhode[now];
    Panel {
        title: "the ellipsoid rolls on the plane",
        camera: nearer(fit_camera(V3::new(-wide, -wide, height), V3::new(wide, wide, 0.95), V3::Z)),
        attitude,
        half_axes: course.half_axes() * s,
        plane: Some((height, radius)),
        curves: vec![
            Curve { points: herpolhode, colour: HERPOLHODE },
            Curve { points: polhode, colour: POLHODE },
        ],
        arrows: vec![
            Arrow { to: tip, colour: POLHODE, name: "ω" },
            Arrow { to: V3::Z * (height - 0.35), colour: MOMENTUM, name: "L" },
        ],
        tip,
        legend: vec![
            ("energy ellipsoid", ELLIPSOID),
            ("invariable plane", PLANE),
            ("polhode", POLHODE),
            ("herpolhode", HERPOLHODE),
        ],
    }
}

/// A box leaves room around round shapes, and a panel is narrower than a picture.
fn nearer(camera: Camera) -> Camera {
    let (from, to) = (V3::from(camera.from), V3::from(camera.to));
    Camera { from: (to + (from - to) * 0.6).array(), ..camera }
}

/// All polhodes of this energy, in the body, and the position on its polhode after a `share` of the motion.
pub fn family(course: &Course, share: f64) -> Panel {
    let (s, now) = (unit_of(course), sample(course, share));
    let drawn =
        |points: &[V3], colour: [f64; 3]| Curve { points: points.iter().map(|w| *w * s).collect(), colour };
    let mut curves: Vec<Curve> = course.closed().iter().map(|points| drawn(points, OTHERS)).collect();
    curves.extend(course.separatrix().iter().map(|points| drawn(points, SEPARATRIX)));
    curves.push(drawn(&course.spins, POLHODE));
    let [small, middle, large] = course.axes();
    let half = course.half_axes();
    let axis =
        |axis: V3, name: &'static str| Arrow { to: axis * (axis.dot(half) * s + 0.3), colour: AXES, name };
    let from = (middle * 1.1 + small * 0.6 + large * 0.55) * 2.1;
    Panel {
        title: "all motions of this energy",
        camera: Camera { from: from.array(), to: [0.0; 3], up: large.array() },
        attitude: M3::IDENTITY,
        half_axes: half * s,
        plane: None,
        curves,
        arrows: vec![axis(small, "1"), axis(middle, "2"), axis(large, "3")],
        tip: course.spins[now] * s,
        legend: vec![("polhodes", OTHERS), ("separatrix", SEPARATRIX), ("this motion", POLHODE)],
    }
}
