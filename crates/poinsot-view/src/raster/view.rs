//! The camera: from the world to the picture.
//!
//! ```math
//! x = cₓ + f (p − e)·r / (p − e)·d,    y = c_y − f (p − e)·u / (p − e)·d
//! ```
//! with the eye e, the unit vectors r to the right, u up and d ahead, and the focal length f in pixels.

use super::vector::{Vector, add, cross, dot, scale, sub, unit};
use crate::show::Camera;
use poinsot::algebra::V3;

/// tan of half the angle of view, 20°, across the smaller side of a picture of the shape [`ASPECT`].
const HALF_ANGLE: f32 = 0.363_970_23;
/// The aspect ratio that [`fit_camera`] fits into; narrower and wider pictures show all of it.
const ASPECT: f32 = 1.6;

/// A camera with the size of its picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    pub(super) eye: Vector,
    pub(super) right: Vector,
    pub(super) up: Vector,
    pub(super) ahead: Vector,
    pub(super) focal: f32,
    pub(super) centre: [f32; 2],
    /// From the eye to what it looks at.
    pub(super) distance: f32,
}

impl View {
    /// The view of `camera` in a picture of this size.
    pub fn new(camera: &Camera, width: usize, height: usize) -> View {
        let single = |v: [f64; 3]| v.map(|x| x as f32);
        let (eye, to) = (single(camera.from), single(camera.to));
        let ahead = unit(sub(to, eye), [0.0, 1.0, 0.0]);
        let right = unit(cross(ahead, single(camera.up)), super::vector::across(ahead));
        let (w, h) = (width as f32, height as f32);
        View {
            eye,
            right,
            up: cross(right, ahead),
            ahead,
            focal: 0.5 * h.min(w / ASPECT) / HALF_ANGLE,
            centre: [0.5 * w, 0.5 * h],
            distance: super::vector::norm(sub(to, eye)).max(1e-6),
        }
    }

    /// The view of the part of the picture from this row on, with rows counted from there.
    pub(super) fn below_row(&self, row: f32) -> View {
        View { centre: [self.centre[0], self.centre[1] - row], ..*self }
    }

    /// Right, up and ahead of the eye.
    pub(super) fn seen(&self, p: Vector) -> Vector {
        let d = sub(p, self.eye);
        [dot(d, self.right), dot(d, self.up), dot(d, self.ahead)]
    }

    /// Column, row and 1/depth of a point in camera coordinates.
    pub(super) fn screen(&self, seen: Vector) -> Vector {
        let near = 1.0 / seen[2];
        let f = self.focal * near;
        [self.centre[0] + f * seen[0], self.centre[1] - f * seen[1], near]
    }

    /// Nothing nearer than this is drawn.
    pub(super) fn near(&self) -> f32 {
        0.01 * self.distance
    }

    /// The direction through the pixel at column `x` and row `y`, one unit ahead.
    pub(super) fn ray(&self, x: f32, y: f32) -> Vector {
        let (a, b) = ((x - self.centre[0]) / self.focal, (self.centre[1] - y) / self.focal);
        add(self.ahead, add(scale(self.right, a), scale(self.up, b)))
    }

    /// The column and row of a point in the world; `None` behind the camera.
    pub fn project(&self, point: V3) -> Option<[f64; 2]> {
        let seen = self.seen(point.array().map(|x| x as f32));
        let [x, y, _] = self.screen(seen);
        (seen[2] > self.near() && x.is_finite() && y.is_finite()).then_some([f64::from(x), f64::from(y)])
    }
}

/// The fraction of the picture's height or width that is filled with what [`frame_points`] frames.
const FILLED: f64 = 0.7;

/// A camera that sees all of these points, from the front, the right and a little above; x is the front, as on robots. `None`
/// without points, or if all coincide.
///
/// A point p, with z towards the eye e, is between the left and the right side of the picture if `±(pₓ − eₓ) ≤ t (e_z − p_z)`. The
/// nearest eye for which that is so of all points is at `e_z = (a + b)/2`, `eₓ = t (a − b)/2` with a and b the greatest of
/// `p_z ± pₓ/t`; above and below are the same.
pub fn frame_points(points: &[V3], up: V3) -> Option<Camera> {
    let up = up.unit().unwrap_or(V3::Z);
    let front = if up.x.abs() < 0.9 { V3::X } else { V3::Z };
    let front = (front - up * front.dot(up)).unit()?;
    let right = front.cross(up);
    let back = (front * 0.72 + right * 0.62 + up * 0.34).unit()?;
    frame_points_from(points, up, back, FILLED)
}

/// A camera that sees all of these points from the direction `back`; they fill this fraction of the picture's height or width.
pub(crate) fn frame_points_from(points: &[V3], up: V3, back: V3, filled: f64) -> Option<Camera> {
    let across = up.cross(back).unit()?;
    let over = back.cross(across);
    let tall = f64::from(HALF_ANGLE) * filled;
    let fit = |side: V3, t: f64| {
        let most = |sign: f64| {
            points.iter().map(|p| p.dot(back) + sign * p.dot(side) / t).fold(f64::NEG_INFINITY, f64::max)
        };
        (0.5 * t * (most(1.0) - most(-1.0)), 0.5 * (most(1.0) + most(-1.0)))
    };
    let ((x, wide), (y, high)) = (fit(across, tall * f64::from(ASPECT)), fit(over, tall));
    let away = wide.max(high);
    // where the distance is set by the other side, the middle is elsewhere
    let centre = |side: V3, mut at: f64| {
        for _ in 0..12 {
            let seen = points.iter().map(|p| (p.dot(side) - at) / (away - p.dot(back)));
            let (low, high) = seen.fold((f64::MAX, f64::MIN), |(l, h), s| (l.min(s), h.max(s)));
            let depth = away - points.iter().map(|p| p.dot(back)).fold(f64::MIN, f64::max);
            at += 0.5 * (low + high) * depth;
        }
        at
    };
    let (x, y) = (centre(across, x), centre(over, y));
    let middle = points.iter().map(|p| p.dot(back)).sum::<f64>() / points.len() as f64;
    let eye = across * x + over * y + back * away;
    let to = across * x + over * y + back * middle;
    let seen = eye.is_finite() && to.is_finite() && (eye - to).norm() > 0.0;
    seen.then(|| Camera { from: eye.array(), to: to.array(), up: up.array() })
}

/// How far points reach from the centre of the picture, horizontally and vertically; 1: to its edges. `None` if some are behind the camera.
pub fn reach(camera: &Camera, points: &[V3]) -> Option<[f64; 2]> {
    const HEIGHT: f64 = 1000.0;
    let width = f64::from(ASPECT) * HEIGHT;
    let view = View::new(camera, width as usize, HEIGHT as usize);
    points.iter().try_fold([0.0_f64; 2], |[x, y], point| {
        let [column, row] = view.project(*point)?;
        let (side, up) = (2.0 * column / width - 1.0, 2.0 * row / HEIGHT - 1.0);
        Some([x.max(side.abs()), y.max(up.abs())])
    })
}

/// A camera that sees the box from `low` to `high` in full, from the front, the right and a little above.
pub fn fit_camera(low: V3, high: V3, up: V3) -> Camera {
    let up = up.unit().unwrap_or(V3::Z);
    let ahead = if up.x.abs() + up.z.abs() > 0.5 { V3::Y } else { V3::Z };
    let ahead = (ahead - up * ahead.dot(up)).unit().unwrap_or(V3::Y);
    let right = ahead.cross(up);
    let (centre, half) = ((low + high) * 0.5, (high - low) * 0.5);
    let back = (right * 0.5 - ahead * 0.85 + up * 0.36).unit().unwrap_or(-V3::Y);
    let across = up.cross(back).unit().unwrap_or(right);
    let over = back.cross(across);
    let tangent = f64::from(HALF_ANGLE) * 0.86;
    let mut distance = 0.0_f64;
    for k in 0..8 {
        let side = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let corner = V3::new(half.x * side(0), half.y * side(1), half.z * side(2));
        let wide = corner.dot(across).abs() / (tangent * f64::from(ASPECT));
        let tall = corner.dot(over).abs() / tangent;
        distance = distance.max(corner.dot(back) + wide.max(tall));
    }
    if !(distance > 0.0 && distance.is_finite() && centre.is_finite()) {
        return Camera::default();
    }
    Camera { from: (centre + back * distance).array(), to: centre.array(), up: up.array() }
}
