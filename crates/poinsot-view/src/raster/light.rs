//! Shading: the light from a surface under a key light, a sky brighter than the ground [Phong75; hemisphere ambient], a weak
//! light from the eye, and a soft highlight halfway between key and eye.
//!
//! Brightness is linear here; displayed values are about its square root.

use super::vector::{Vector, add, dot, scale, sub, unit};
use super::view::View;

const SKY: Vector = [0.46, 0.48, 0.51];
const GROUND: Vector = [0.26, 0.25, 0.24];
const KEY: Vector = [0.56, 0.55, 0.52];
const FROM_EYE: f32 = 0.10;
const HIGHLIGHT: f32 = 0.20;

/// The lights of a picture.
#[derive(Clone, Copy)]
pub(super) struct Light {
    /// The direction to the key light.
    pub key: Vector,
    up: Vector,
}

/// A colour with its opacity, seen from one direction.
#[derive(Clone, Copy)]
pub(super) struct Paint {
    pub colour: Vector,
    pub opacity: f32,
    half: Vector,
    eye: Vector,
}

impl Paint {
    /// This paint in another colour.
    pub fn with(self, colour: Vector) -> Paint {
        Paint { colour, ..self }
    }
    /// The opacity where the surface has this normal: like glass, more opaque at grazing angles.
    pub fn opacity_along(&self, normal: Vector) -> f32 {
        let facing = dot(normal, self.eye).abs() / dot(normal, normal).max(1e-30).sqrt();
        let edge = 1.0 - facing.min(1.0);
        self.opacity + (1.0 - self.opacity) * 0.45 * edge * edge * edge
    }
}

/// From displayed to linear brightness, 0 to 1.
pub(super) fn linear(seen: [f64; 3]) -> Vector {
    seen.map(|x| (x.clamp(0.0, 1.0) * x.clamp(0.0, 1.0)) as f32)
}

impl Light {
    /// The key light from above, to the left of the camera and behind it.
    pub fn of(view: &View, up: Vector) -> Light {
        let level = |v: Vector| unit(sub(v, scale(up, dot(v, up))), [0.0; 3]);
        let (left, back) = (scale(level(view.right), -0.55), scale(level(view.ahead), -0.5));
        Light { key: unit(add(up, add(left, back)), up), up }
    }

    /// The paint of something at `at` seen by `view`.
    pub fn paint(&self, rgba: [f64; 4], at: Vector, view: &View) -> Paint {
        let eye = unit(sub(view.eye, at), scale(view.ahead, -1.0));
        let [r, g, b, opacity] = rgba;
        let opacity = if opacity.is_finite() { opacity.clamp(0.0, 1.0) as f32 } else { 1.0 };
        Paint { colour: linear([r, g, b]), opacity, half: unit(add(self.key, eye), eye), eye }
    }

    /// The brightness of `paint` where the surface has this normal, of any length.
    pub fn shade(&self, paint: &Paint, normal: Vector) -> Vector {
        let n = scale(normal, 1.0 / dot(normal, normal).max(1e-30).sqrt());
        let above = 0.5 + 0.5 * dot(n, self.up);
        let key = dot(n, self.key).max(0.0);
        let own = FROM_EYE * dot(n, paint.eye).max(0.0);
        let mut shine = dot(n, paint.half).max(0.0);
        for _ in 0..5 {
            shine *= shine;
        }
        let shine = HIGHLIGHT * shine;
        let channel = |k: usize| {
            let ambient = GROUND[k] + (SKY[k] - GROUND[k]) * above;
            paint.colour[k] * (ambient + KEY[k] * key + own) + shine
        };
        [channel(0), channel(1), channel(2)]
    }

    /// The normal or its opposite, whichever faces the eye.
    pub fn facing(paint: &Paint, normal: Vector) -> Vector {
        if dot(normal, paint.eye) < 0.0 { scale(normal, -1.0) } else { normal }
    }
}
