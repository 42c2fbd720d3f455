//! Vectors and frames inside this crate: those of glam, with separate products and sums. `V3` of the core uses fused multiply-adds, which
//! are library calls unless the processor's instruction is compiled in.

pub(crate) use glam::{DMat3 as Mat3, DVec2 as Vec2, DVec3 as Vec3};
use poinsot_core::algebra::{M3, V3};
use poinsot_core::spatial::Pose;

pub(crate) fn vec3(v: V3) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

pub(crate) fn v3(v: Vec3) -> V3 {
    V3::new(v.x, v.y, v.z)
}

/// The pose of a frame B in a frame A: `p_A = R p_B + t`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub rot: Mat3,
    pub pos: Vec3,
}

impl From<Pose> for Frame {
    #[inline]
    fn from(x: Pose) -> Frame {
        Frame { rot: Mat3::from_cols(vec3(x.rot.x), vec3(x.rot.y), vec3(x.rot.z)), pos: vec3(x.pos) }
    }
}

impl From<Frame> for Pose {
    fn from(x: Frame) -> Pose {
        let rot = M3::columns(v3(x.rot.x_axis), v3(x.rot.y_axis), v3(x.rot.z_axis));
        Pose { rot, pos: v3(x.pos) }
    }
}

impl Frame {
    pub const IDENTITY: Frame = Frame { rot: Mat3::IDENTITY, pos: Vec3::ZERO };

    #[inline]
    pub fn point(&self, p: Vec3) -> Vec3 {
        self.rot * p + self.pos
    }
    #[inline]
    pub fn vector(&self, v: Vec3) -> Vec3 {
        self.rot * v
    }
    /// A point of A, expressed in B.
    #[inline]
    pub fn point_back(&self, p: Vec3) -> Vec3 {
        self.vector_back(p - self.pos)
    }
    /// A vector of A, expressed in B: `Rᵀ v`.
    #[inline]
    pub fn vector_back(&self, v: Vec3) -> Vec3 {
        Vec3::new(self.rot.x_axis.dot(v), self.rot.y_axis.dot(v), self.rot.z_axis.dot(v))
    }
    /// `X_AC = X_AB X_BC`.
    #[inline]
    pub fn then(&self, o: &Frame) -> Frame {
        Frame { rot: self.rot * o.rot, pos: self.point(o.pos) }
    }
    /// `X_BC` from `self = X_AB` and `X_AC`.
    #[inline]
    pub fn to(&self, o: &Frame) -> Frame {
        let r = &o.rot;
        let rot = Mat3::from_cols(
            self.vector_back(r.x_axis),
            self.vector_back(r.y_axis),
            self.vector_back(r.z_axis),
        );
        Frame { rot, pos: self.point_back(o.pos) }
    }
    pub fn inverse(&self) -> Frame {
        self.to(&Frame::IDENTITY)
    }
    #[inline]
    pub fn is_finite(&self) -> bool {
        // 0 times a finite number is 0, and NaN for any other
        let r = &self.rot;
        let sum = r.x_axis * 0.0 + r.y_axis * 0.0 + r.z_axis * 0.0 + self.pos * 0.0;
        sum == Vec3::ZERO
    }
}

/// Two unit vectors that complete the unit vector n to a right-handed frame (u, v, n), with no branch except on the sign of n_z [Duff17].
#[inline]
pub(crate) fn across(n: Vec3) -> (Vec3, Vec3) {
    let sign = if n.z >= 0.0 { 1.0 } else { -1.0 };
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    (Vec3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x), Vec3::new(b, sign + n.y * n.y * a, -n.y))
}

/// An axis-aligned bounding box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Aabb {
    pub min: Vec3,
    pub max: Vec3,
}

impl Aabb {
    pub const EMPTY: Aabb = Aabb { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Aabb {
        points.into_iter().fold(Aabb::EMPTY, |b, p| Aabb { min: b.min.min(p), max: b.max.max(p) })
    }
    #[inline]
    pub fn about(centre: Vec3, half: Vec3) -> Aabb {
        Aabb { min: centre - half, max: centre + half }
    }
    #[inline]
    pub fn grown(&self, by: f64) -> Aabb {
        Aabb { min: self.min - Vec3::splat(by), max: self.max + Vec3::splat(by) }
    }
    #[inline]
    pub fn joined(&self, o: &Aabb) -> Aabb {
        Aabb { min: self.min.min(o.min), max: self.max.max(o.max) }
    }
    #[inline]
    pub fn meets(&self, o: &Aabb) -> bool {
        // branch-free: the outcomes are unpredictable
        let x = (self.min.x <= o.max.x) & (o.min.x <= self.max.x);
        let y = (self.min.y <= o.max.y) & (o.min.y <= self.max.y);
        let z = (self.min.z <= o.max.z) & (o.min.z <= self.max.z);
        x & y & z
    }
    #[inline]
    pub fn contains(&self, o: &Aabb) -> bool {
        self.min.cmple(o.min).all() && self.max.cmpge(o.max).all()
    }
    #[inline]
    pub fn centre(&self) -> Vec3 {
        0.5 * (self.min + self.max)
    }
    #[inline]
    pub fn half(&self) -> Vec3 {
        0.5 * (self.max - self.min)
    }
    /// The bounding box of this box in the frame in which its own frame has pose x.
    #[inline]
    pub fn seen(&self, x: &Frame) -> Aabb {
        let h = self.half();
        let r = x.rot;
        let half = r.x_axis.abs() * h.x + r.y_axis.abs() * h.y + r.z_axis.abs() * h.z;
        Aabb::about(x.point(self.centre()), half)
    }
    /// Half the surface area.
    #[inline]
    pub fn area(&self) -> f64 {
        let d = self.max - self.min;
        d.x * d.y + d.y * d.z + d.z * d.x
    }
    /// The interval within `most` in which a ray is inside the box.
    pub fn passed(&self, from: Vec3, along: Vec3, most: f64) -> Option<(f64, f64)> {
        let (mut enter, mut leave) = (0.0, most);
        for k in 0..3 {
            if along[k] == 0.0 {
                if from[k] < self.min[k] || from[k] > self.max[k] {
                    return None;
                }
                continue;
            }
            let (a, b) = ((self.min[k] - from[k]) / along[k], (self.max[k] - from[k]) / along[k]);
            enter = f64::max(enter, a.min(b));
            leave = f64::min(leave, a.max(b));
        }
        (enter <= leave).then_some((enter, leave))
    }
}
