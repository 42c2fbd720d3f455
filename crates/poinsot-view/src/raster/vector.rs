//! Three-vectors and placements in single precision, by multiplication, addition and square root alone: the same
//! bits on every machine.

pub(super) type Vector = [f32; 3];

pub(super) fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn scale(a: Vector, s: f32) -> Vector {
    [a[0] * s, a[1] * s, a[2] * s]
}

pub(super) fn mix(a: Vector, b: Vector, t: f32) -> Vector {
    add(scale(a, 1.0 - t), scale(b, t))
}

pub(super) fn norm(a: Vector) -> f32 {
    dot(a, a).sqrt()
}

/// The unit vector along `a`, or `otherwise` if it has none.
pub(super) fn unit(a: Vector, otherwise: Vector) -> Vector {
    let n = norm(a);
    if n > 0.0 && n.is_finite() { scale(a, 1.0 / n) } else { otherwise }
}

/// Any unit vector perpendicular to the unit vector `a`.
pub(super) fn across(a: Vector) -> Vector {
    let least = if a[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    unit(cross(a, least), [0.0, 0.0, 1.0])
}

/// How a shape is rotated, scaled and placed in the world.
#[derive(Clone, Copy)]
pub(super) struct Placement {
    /// The images of its axes, scaled.
    axes: [Vector; 3],
    /// The matrix for normals: the inverse transpose.
    normals: [Vector; 3],
    /// The image of its origin.
    pub at: Vector,
}

impl Placement {
    /// From x y z, w x y z; `None` if a number is not finite.
    pub fn of(pose: [f32; 7]) -> Option<Placement> {
        let [x, y, z, w, i, j, k] = pose;
        let size = w * w + i * i + j * j + k * k;
        if !pose.iter().all(|x| x.is_finite()) || !size.is_finite() || size <= 0.0 {
            return None;
        }
        let s = 2.0 / size;
        let axes = [
            [1.0 - s * (j * j + k * k), s * (i * j + w * k), s * (i * k - w * j)],
            [s * (i * j - w * k), 1.0 - s * (i * i + k * k), s * (j * k + w * i)],
            [s * (i * k + w * j), s * (j * k - w * i), 1.0 - s * (i * i + j * j)],
        ];
        Some(Placement { axes, normals: axes, at: [x, y, z] })
    }

    /// From an origin and orthogonal axes of any length.
    pub fn stretched(at: Vector, axes: [Vector; 3]) -> Placement {
        let normals = axes.map(|a| scale(a, 1.0 / dot(a, a).max(1e-30)));
        Placement { axes, normals, at }
    }

    /// The placement with its axes scaled to these half axes.
    pub fn with_half_axes(&self, half: Vector) -> Placement {
        let axes = [0, 1, 2].map(|k| scale(self.axes[k], half[k].max(1e-9)));
        Placement::stretched(self.at, axes)
    }

    pub fn point(&self, p: Vector) -> Vector {
        add(self.at, combine(&self.axes, p))
    }

    pub fn normal(&self, n: Vector) -> Vector {
        combine(&self.normals, n)
    }

    /// The composition with `inner`.
    pub fn then(&self, inner: &Placement) -> Placement {
        Placement {
            axes: inner.axes.map(|a| combine(&self.axes, a)),
            normals: inner.normals.map(|n| combine(&self.normals, n)),
            at: self.point(inner.at),
        }
    }
}

fn combine(axes: &[Vector; 3], p: Vector) -> Vector {
    add(add(scale(axes[0], p[0]), scale(axes[1], p[1])), scale(axes[2], p[2]))
}
