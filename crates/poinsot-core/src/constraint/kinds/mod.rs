//! The kinds of constraints: for each its C, and the wrenches whose power is Ċ.
//!
//! A body moves by a *differential axis-angle*: θ rotates it about its own origin x, in world axes. For a point p fixed to it,
//!
//! ```math
//! (1)  ∂p/∂x = 1     ∂p/∂θ = −(p − x)×           ṗ = v + ω × (p − x)
//! ```
//! so a row of J on a body is a wrench: `Ċ = n·ω + f·v` with f = ∂C/∂x and the moment n = ∂C/∂θ about x. A force f at
//! the point p has n = (p − x) × f. Most rows are one of three: a force on one body at a point, a force and its
//! opposite at the same point, a torque and its opposite.
//!
//! The rows are written once, generic over the number type: on dual numbers that move with the bodies they give `J̇ v`, on dual numbers
//! along each of the twelve directions they give the geometric stiffness `∂(Jᵀλ)/∂(θ, x)`.

mod coupling;
mod distance;
mod joint;
mod plane;
mod point;
mod relation;
mod rolling;
mod rotor;

pub(super) use coupling::{coupling, polynomial};
pub(super) use joint::axes as joint_axes;
pub(super) use relation::{coordinate, rate as coordinate_rate};

use super::law::{Law, Terms, Unit};
use crate::algebra::{Real, V3};
use crate::model::{Constraint, ConstraintKind, JointKind};
use crate::spatial::{Force, Pose};

/// Two mounts in the world, and the origins of their bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<T> {
    pub a: Pose<T>,
    pub b: Pose<T>,
    pub origin_a: V3<T>,
    pub origin_b: V3<T>,
}

impl<T: Real> Pair<T> {
    #[inline(always)]
    pub fn new(body_a: Pose<T>, mount_a: Pose, body_b: Pose<T>, mount_b: Pose) -> Pair<T> {
        Pair {
            a: body_a * mount_a.lift(),
            b: body_b * mount_b.lift(),
            origin_a: body_a.pos,
            origin_b: body_b.pos,
        }
    }
}

/// The rows of one constraint: on a about its origin, on b about its origin, in world axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrenches<T> {
    pub count: usize,
    pub on_a: [Force<T>; 6],
    pub on_b: [Force<T>; 6],
}

impl<T: Real> Wrenches<T> {
    #[inline(always)]
    pub fn none() -> Self {
        let zero = Force { moment: V3::zero(), force: V3::zero() };
        Wrenches { count: 0, on_a: [zero; 6], on_b: [zero; 6] }
    }

    #[inline(always)]
    fn push(&mut self, on_a: Force<T>, on_b: Force<T>) {
        (self.on_a[self.count], self.on_b[self.count]) = (on_a, on_b);
        self.count += 1;
    }

    /// The force f on b at the point p, and −f on a at the same point: the rate of `f·(p − …)` seen from a.
    #[inline(always)]
    fn push_force(&mut self, x: &Pair<T>, f: V3<T>, p: V3<T>) {
        let (on_a, on_b) = (Force::at_point(-f, p - x.origin_a), Force::at_point(f, p - x.origin_b));
        self.push(on_a, on_b);
    }

    /// The torque n on b and −n on a: the rate `n·(ω_b − ω_a)`.
    #[inline(always)]
    fn push_torque(&mut self, n: V3<T>) {
        let torque = |moment: V3<T>| Force { moment, force: V3::zero() };
        self.push(torque(-n), torque(n));
    }
}

/// J of a constraint between two bodies.
#[inline(always)]
pub(super) fn wrenches<T: Real>(constraint: &Constraint, x: &Pair<T>) -> Wrenches<T> {
    let mut out = Wrenches::none();
    match &constraint.kind {
        ConstraintKind::Point { .. } => point::wrenches(x, &mut out),
        ConstraintKind::Joint { kind, .. } => joint::wrenches(kind, x, &mut out),
        ConstraintKind::Distance { .. } | ConstraintKind::Rope { .. } => distance::wrenches(x, &mut out),
        ConstraintKind::Rotor { kind, .. } => rotor::wrenches(kind, x, &mut out),
        ConstraintKind::Plane { .. } => plane::wrenches(x, &mut out),
        ConstraintKind::Rolling { ring, tube, .. } => rolling::wrenches(*ring, *tube, x, &mut out),
        ConstraintKind::Coupling { .. } | ConstraintKind::Tendon { .. } | ConstraintKind::Relation(_) => {}
    }
    if is_inextensible(constraint) {
        let turned = |f: Force<T>| Force { moment: -f.moment, force: -f.force };
        (out.on_a[0], out.on_b[0]) = (turned(out.on_a[0]), turned(out.on_b[0]));
    }
    out
}

/// True for an inextensible rope: C = length − distance ≥ 0.
#[inline(always)]
fn is_inextensible(constraint: &Constraint) -> bool {
    matches!(constraint.kind, ConstraintKind::Rope { .. }) && constraint.softness.is_none()
}

/// The wrenches whose powers are the rates of a joint's coordinates.
#[inline(always)]
pub(crate) fn rates<T: Real>(kind: &JointKind, x: &Pair<T>) -> Wrenches<T> {
    let mut out = Wrenches::none();
    rotor::wrenches(kind, x, &mut out);
    out
}

/// C of a constraint between two bodies; 0 for rows that have none.
#[inline(always)]
pub(super) fn values(constraint: &Constraint, x: &Pair<f64>) -> [f64; 6] {
    match &constraint.kind {
        ConstraintKind::Point { .. } => point::values(x),
        ConstraintKind::Joint { kind, .. } => joint::values(kind, x),
        ConstraintKind::Distance { length, .. } => distance::values(*length, x),
        ConstraintKind::Rope { length, .. } if is_inextensible(constraint) => {
            distance::values(*length, x).map(|c| -c)
        }
        ConstraintKind::Rope { length, .. } => distance::values(*length, x).map(|c| c.max(0.0)),
        ConstraintKind::Plane { .. } => plane::values(x),
        ConstraintKind::Rolling { ring, tube, .. } => rolling::values(*ring, *tube, x),
        ConstraintKind::Rotor { .. }
        | ConstraintKind::Coupling { .. }
        | ConstraintKind::Tendon { .. }
        | ConstraintKind::Relation(_) => [0.0; 6],
    }
}

/// True for a soft rope that is slack: C = 0 and J = 0.
#[inline(always)]
pub(super) fn is_slack(constraint: &Constraint, c: &[f64; 6]) -> bool {
    matches!(constraint.kind, ConstraintKind::Rope { .. }) && constraint.softness.is_some() && c[0] == 0.0
}

/// What the row `row` of a constraint measures, and its law if the constraint is rigid.
pub(super) fn terms(constraint: &Constraint, row: usize) -> Terms {
    match &constraint.kind {
        ConstraintKind::Joint { kind, .. } if row >= joint::lengths(kind) => {
            Terms { unit: Unit::Angle, law: Law::Rigid }
        }
        ConstraintKind::Rolling { .. } if row > 0 => Terms { unit: Unit::Rate, law: Law::Rigid },
        ConstraintKind::Rotor { inertia, .. } => {
            Terms { unit: Unit::Rate, law: Law::Rotor { inertia: *inertia } }
        }
        ConstraintKind::Rope { .. } => Terms { unit: Unit::Length, law: Law::AtLeast { restitution: 0.0 } },
        _ => Terms { unit: Unit::Length, law: Law::Rigid },
    }
}

/// The first three numbers of six.
#[inline(always)]
fn three(v: V3) -> [f64; 6] {
    [v.x, v.y, v.z, 0.0, 0.0, 0.0]
}
