//! Converts coordinates, velocities, accelerations and forces to and from the conventions of Pinocchio [Carpentier19].
//!
//! With R the attitude of a free joint and Ω its body angular velocity, ours on the left, Pinocchio's on the right:
//!
//! ```text
//! quaternion        w x y z                  x y z w
//! free joint        u = R u_b                u_b: velocity of the origin, in body axes
//!                   u̇ = R (u̇_b + Ω × u_b)   u̇_b: its components' rates
//!                   f = R f_b                f_b: force, in body axes
//! ```
//! Angular parts and all other joints are equal. Both list joints in the order they were added; a joint with several axes must be given to
//! Pinocchio as the chain of its axes. The vectors are converted in place: to convert a velocity, the configuration must be in our
//! convention, and for an acceleration the velocity as well.
//!
//! ```
//! use poinsot_core::{dynamics::pinocchio, model::*};
//! # let mut b = ModelBuilder::new("ball");
//! # let ball = b.body(BodyId::WORLD, BodySpec::new("ball").solid(&Shape::Sphere { radius: 1.0 }, 1.0)?);
//! # b.joint(ball, Joint::free());
//! # let model = b.build()?;
//! let mut q = [1.0, 2.0, 3.0, 0.0, 0.0, 1.0, 0.0]; // half a turn about z, by Pinocchio
//! let mut v = [1.0, 0.0, 0.0, 0.0, 0.0, 0.5];
//! pinocchio::configuration_from(&model, &mut q);
//! pinocchio::velocity_from(&model, &q, &mut v);
//! assert_eq!(q[3..], [0.0, 0.0, 0.0, 1.0]);
//! assert_eq!(v[..3], [-1.0, 0.0, 0.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::algebra::{M3, Real, V3};
use crate::model::{JointKind, Model};
use crate::spatial::Quat;

/// Converts a configuration from Pinocchio's convention to ours.
pub fn configuration_from<T: Real>(model: &Model, q: &mut [T]) {
    quaternions(model).for_each(|at| q[at..at + 4].rotate_right(1));
}

/// Converts a configuration from our convention to Pinocchio's.
pub fn configuration_to<T: Real>(model: &Model, q: &mut [T]) {
    quaternions(model).for_each(|at| q[at..at + 4].rotate_left(1));
}

/// Converts a velocity from Pinocchio's convention to ours; `q` is ours.
pub fn velocity_from<T: Real>(model: &Model, q: &[T], v: &mut [T]) {
    frees(model).for_each(|(at, k)| put(v, k, attitude(q, at) * three(v, k)));
}

/// Converts a velocity from our convention to Pinocchio's; `q` is ours.
pub fn velocity_to<T: Real>(model: &Model, q: &[T], v: &mut [T]) {
    frees(model).for_each(|(at, k)| put(v, k, attitude(q, at).tr_mul(three(v, k))));
}

/// Converts an acceleration from Pinocchio's convention to ours; `q` and `v` are ours.
pub fn acceleration_from<T: Real>(model: &Model, q: &[T], v: &[T], a: &mut [T]) {
    for (at, k) in frees(model) {
        let r = attitude(q, at);
        let (u_b, omega) = (r.tr_mul(three(v, k)), three(v, k + 3));
        put(a, k, r * omega.cross_add(u_b, three(a, k)));
    }
}

/// Converts an acceleration from our convention to Pinocchio's; `q` and `v` are ours.
pub fn acceleration_to<T: Real>(model: &Model, q: &[T], v: &[T], a: &mut [T]) {
    for (at, k) in frees(model) {
        let r = attitude(q, at);
        let (u_b, omega) = (r.tr_mul(three(v, k)), three(v, k + 3));
        put(a, k, r.tr_mul(three(a, k)) - omega.cross(u_b));
    }
}

/// Converts generalised forces from Pinocchio's convention to ours; `q` is ours. Power τ·v is the same in both.
pub fn force_from<T: Real>(model: &Model, q: &[T], tau: &mut [T]) {
    velocity_from(model, q, tau);
}

/// Converts generalised forces from our convention to Pinocchio's; `q` is ours.
pub fn force_to<T: Real>(model: &Model, q: &[T], tau: &mut [T]) {
    velocity_to(model, q, tau);
}

/// The indices of quaternions in q.
fn quaternions(model: &Model) -> impl Iterator<Item = usize> {
    model.joints().iter().filter_map(|j| match j.kind {
        JointKind::Spherical => Some(j.first_q),
        JointKind::Free => Some(j.first_q + 3),
        _ => None,
    })
}

/// For each free joint: the index of its quaternion in q and of its linear velocity in v.
fn frees(model: &Model) -> impl Iterator<Item = (usize, usize)> {
    let free = model.joints().iter().filter(|j| j.kind == JointKind::Free);
    free.map(|j| (j.first_q + 3, j.first_v))
}

fn attitude<T: Real>(q: &[T], at: usize) -> M3<T> {
    Quat { w: q[at], x: q[at + 1], y: q[at + 2], z: q[at + 3] }.matrix()
}

fn three<T: Real>(v: &[T], k: usize) -> V3<T> {
    V3::new(v[k], v[k + 1], v[k + 2])
}

fn put<T: Real>(v: &mut [T], k: usize, x: V3<T>) {
    v[k..k + 3].copy_from_slice(&x.array());
}
