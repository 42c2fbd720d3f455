//! Bounds: limits and dry friction of joints and tendons, one inequality each.

use super::{FixedTendon, Joint, JointId, JointKind, Relative, TendonId};

/// The coordinate that a bound is on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Bounded {
    /// One of the distances or angles of a joint, or of its rates.
    Coordinate {
        /// The joint.
        joint: JointId,
        /// The index of the degree of freedom in the joint.
        index: usize,
    },
    /// The rotation angle of a spherical joint from its zero.
    Swing {
        /// The joint.
        joint: JointId,
    },
    /// The length of a tendon.
    Tendon(TendonId),
    /// A sum of coordinates measured between free bodies, each with its factor.
    Between(Vec<(Relative, f64)>),
}

/// What a bound requires of its coordinate x.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BoundKind {
    /// x ≥ end.
    Lower(f64),
    /// x ≤ end.
    Upper(f64),
    /// ẋ = 0 as far as a force of this size allows, N or N m.
    Friction(f64),
}

/// The behaviour at a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stop {
    /// The restitution: after an impact the rate is −e times the one before.
    pub restitution: f64,
    /// Stiffness and damping of a soft limit, N/m and N s/m or N m/rad and N m s/rad; `None` if rigid.
    pub softness: Option<(f64, f64)>,
}

impl Stop {
    /// The first error in it, if any.
    pub(super) fn fault(&self) -> Option<String> {
        let e = self.restitution;
        if !(0.0..=1.0).contains(&e) {
            return Some(format!("the restitution at its limits is {e}; give a number from 0 to 1"));
        }
        let (k, c) = self.softness?;
        let bad = [k, c].into_iter().find(|x| !(x.is_finite() && *x >= 0.0));
        bad.map(|x| {
            format!("its soft limits have the number {x}; give a finite stiffness and damping of 0 or more")
        })
    }
}

/// One inequality. [`Model::bounds`](super::Model::bounds) lists those of a model.
///
/// ```
/// use poinsot_core::{algebra::V3, model::*};
/// let mut b = ModelBuilder::new("door");
/// let door = b.body(BodyId::WORLD, BodySpec::new("door").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// b.joint(door, Joint::revolute(V3::Z).named("hinge").limits(0.0, 1.5).friction_loss(0.2));
/// let model = b.build()?;
/// let kinds: Vec<BoundKind> = model.bounds().iter().map(|bound| bound.kind).collect();
/// assert_eq!(kinds, [BoundKind::Lower(0.0), BoundKind::Upper(1.5), BoundKind::Friction(0.2)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bound {
    /// The name of its joint or tendon.
    pub name: String,
    /// The coordinate.
    pub on: Bounded,
    /// The condition.
    pub kind: BoundKind,
    /// The behaviour at a limit.
    pub stop: Stop,
}

/// The bounds of joints, then those of tendons.
pub(super) fn bounds_of(joints: &[Joint], tendons: &[FixedTendon]) -> Vec<Bound> {
    let mut out = Vec::new();
    for (k, joint) in joints.iter().enumerate() {
        let id = JointId(k);
        let mut push = |on: Bounded, kind: BoundKind| {
            out.push(Bound { name: joint.name.clone(), on, kind, stop: joint.stop });
        };
        if let Some(range) = joint.limits {
            match joint.kind {
                JointKind::Spherical => {
                    // the angle of a quaternion never exceeds π
                    if range.1 < std::f64::consts::PI {
                        push(Bounded::Swing { joint: id }, BoundKind::Upper(range.1));
                    }
                }
                JointKind::Free => {}
                kind => (0..kind.nv()).for_each(|index| {
                    ends(range).for_each(|end| push(Bounded::Coordinate { joint: id, index }, end));
                }),
            }
        }
        if joint.friction_loss > 0.0 {
            let kind = BoundKind::Friction(joint.friction_loss);
            (0..joint.kind.nv()).for_each(|index| push(Bounded::Coordinate { joint: id, index }, kind));
        }
    }
    for (k, tendon) in tendons.iter().enumerate() {
        let friction = (tendon.friction_loss > 0.0).then_some(BoundKind::Friction(tendon.friction_loss));
        for kind in tendon.limits.into_iter().flat_map(ends).chain(friction) {
            let on = Bounded::Tendon(TendonId(k));
            out.push(Bound { name: tendon.name.clone(), on, kind, stop: tendon.stop });
        }
    }
    out
}

/// The finite ends of a range.
fn ends((lower, upper): (f64, f64)) -> impl Iterator<Item = BoundKind> {
    let lower = lower.is_finite().then_some(BoundKind::Lower(lower));
    lower.into_iter().chain(upper.is_finite().then_some(BoundKind::Upper(upper)))
}
