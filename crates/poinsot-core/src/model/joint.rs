//! Joints: the allowed motions of a body relative to its parent.

use super::Stop;
use crate::algebra::V3;
use crate::spatial::Pose;
use std::ops::Range;
use thiserror::Error;

/// The motions a joint allows. Axes are in the body frame, at the reference configuration.
///
/// | kind | coordinates | velocities |
/// |---|---|---|
/// | fixed | – | – |
/// | revolute | angle | rate |
/// | prismatic | distance | rate |
/// | helical | angle; distance = pitch · angle | rate |
/// | cylindrical | distance, angle | rates |
/// | universal | angle about `first`, then about `second` | rates |
/// | spherical | quaternion w x y z | angular velocity in body axes |
/// | planar | two distances in the plane, angle about its normal | rates |
/// | free | position in the parent, quaternion w x y z | linear in parent axes, angular in body axes |
///
/// The first axis of a planar joint is the unit axis after the largest component of the normal (y after x, z after
/// y, x after z), projected into the plane; the second is normal × first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the table above
pub enum JointKind {
    Fixed,
    Revolute { axis: V3 },
    Prismatic { axis: V3 },
    Helical { axis: V3, pitch: f64 },
    Cylindrical { axis: V3 },
    Universal { first: V3, second: V3 },
    Spherical,
    Planar { normal: V3 },
    Free,
}

/// A joint with its frame, its passive properties and its limits.
///
/// ```
/// use poinsot_core::{algebra::V3, model::Joint};
/// let knee = Joint::revolute(V3::Y).named("knee").damping(0.2).limits(-2.0, 0.1);
/// assert_eq!(knee.damping, 0.2);
/// ```
#[derive(Clone, Debug)]
pub struct Joint {
    /// The name, unique in the model; by default `body_joint`.
    pub name: String,
    /// The allowed motions.
    pub kind: JointKind,
    /// The anchor: the point of the body frame about which the joint turns.
    pub anchor: V3,
    /// The coordinate at which the body has the pose of the model, the same for each scalar coordinate of the joint. Attitudes have none:
    /// at the identity the body has the pose of the model.
    pub reference: f64,
    /// Rotor inertia added to the diagonal of the mass matrix, kg m² or kg, for each degree of freedom.
    pub armature: f64,
    /// Viscous damping, N m s/rad or N s/m.
    pub damping: f64,
    /// Spring stiffness, N m/rad or N/m.
    pub stiffness: f64,
    /// The coordinate at which the spring is at rest, the same for each scalar coordinate of the joint. The spring of an attitude is at
    /// rest at the identity.
    pub spring_reference: f64,
    /// The rest position of the spring of a free or spherical joint (position and attitude; attitude), if it is not `spring_reference` and
    /// the identity. In MJCF the spring of a free joint is at rest at the pose of the model.
    pub spring_pose: Option<Pose>,
    /// Dry friction of each degree of freedom, N m or N.
    pub friction_loss: f64,
    /// The range to which the sum of all actuators on the joint, which must have one coordinate, is clamped: the `actuatorfrcrange` of
    /// MJCF.
    pub actuator_force_range: Option<(f64, f64)>,
    /// The allowed range, the same for each scalar coordinate of the joint; for a spherical joint the upper end is the largest rotation
    /// angle from its zero.
    pub limits: Option<(f64, f64)>,
    /// The behaviour at the limits.
    pub stop: Stop,
    pub(crate) first_q: usize,
    pub(crate) first_v: usize,
}

impl Joint {
    /// A joint of the given kind at the origin of the body, without friction, spring or limits.
    pub fn new(kind: JointKind) -> Joint {
        Joint {
            name: String::new(),
            kind,
            anchor: V3::ZERO,
            reference: 0.0,
            armature: 0.0,
            damping: 0.0,
            stiffness: 0.0,
            spring_reference: 0.0,
            spring_pose: None,
            friction_loss: 0.0,
            actuator_force_range: None,
            limits: None,
            stop: Stop::default(),
            first_q: 0,
            first_v: 0,
        }
    }
    /// Rotates about `axis`.
    pub fn revolute(axis: V3) -> Joint {
        Joint::new(JointKind::Revolute { axis })
    }
    /// Translates along `axis`.
    pub fn prismatic(axis: V3) -> Joint {
        Joint::new(JointKind::Prismatic { axis })
    }
    /// Rotates about `axis` and advances `pitch` metres per radian.
    pub fn helical(axis: V3, pitch: f64) -> Joint {
        Joint::new(JointKind::Helical { axis, pitch })
    }
    /// Translates along and rotates about `axis`.
    pub fn cylindrical(axis: V3) -> Joint {
        Joint::new(JointKind::Cylindrical { axis })
    }
    /// Rotates about `first`, fixed in the parent, then about `second`, fixed in the body.
    pub fn universal(first: V3, second: V3) -> Joint {
        Joint::new(JointKind::Universal { first, second })
    }
    /// Rotates freely about its anchor.
    pub fn spherical() -> Joint {
        Joint::new(JointKind::Spherical)
    }
    /// Translates in the plane with this normal and rotates about the normal.
    pub fn planar(normal: V3) -> Joint {
        Joint::new(JointKind::Planar { normal })
    }
    /// Moves freely.
    pub fn free() -> Joint {
        Joint::new(JointKind::Free)
    }
    /// Sets the name.
    pub fn named(mut self, name: impl Into<String>) -> Joint {
        self.name = name.into();
        self
    }
    /// Sets the anchor, in the body frame.
    pub fn anchor(mut self, anchor: V3) -> Joint {
        self.anchor = anchor;
        self
    }
    /// Sets the coordinate at which the body has the pose of the model.
    pub fn reference(mut self, q: f64) -> Joint {
        self.reference = q;
        self
    }
    /// Sets the rotor inertia.
    pub fn armature(mut self, a: f64) -> Joint {
        self.armature = a;
        self
    }
    /// Sets the viscous damping.
    pub fn damping(mut self, d: f64) -> Joint {
        self.damping = d;
        self
    }
    /// Sets a spring of stiffness `k` at rest at coordinate `at`.
    pub fn spring(mut self, k: f64, at: f64) -> Joint {
        self.stiffness = k;
        self.spring_reference = at;
        self
    }
    /// Sets a spring of stiffness `k` of a free or spherical joint, at rest at this pose.
    pub fn spring_to(mut self, k: f64, rest: Pose) -> Joint {
        self.stiffness = k;
        self.spring_pose = Some(rest);
        self
    }
    /// Sets the dry friction.
    pub fn friction_loss(mut self, f: f64) -> Joint {
        self.friction_loss = f;
        self
    }
    /// Clamps the sum of all actuators on it.
    pub fn actuator_force_range(mut self, lower: f64, upper: f64) -> Joint {
        self.actuator_force_range = Some((lower, upper));
        self
    }
    /// Sets the range of the coordinate.
    pub fn limits(mut self, lower: f64, upper: f64) -> Joint {
        self.limits = Some((lower, upper));
        self
    }
    /// Sets the restitution at the limits, from 0 (the default) to 1.
    pub fn restitution(mut self, restitution: f64) -> Joint {
        self.stop.restitution = restitution;
        self
    }
    /// Makes the limits soft, with this stiffness and damping.
    pub fn soft_limits(mut self, stiffness: f64, damping: f64) -> Joint {
        self.stop.softness = Some((stiffness, damping));
        self
    }
    /// Its range in qpos.
    pub fn coordinates(&self) -> Range<usize> {
        self.first_q..self.first_q + self.kind.nq()
    }
    /// Its range in qvel.
    pub fn dofs(&self) -> Range<usize> {
        self.first_v..self.first_v + self.kind.nv()
    }
}

/// An error in the axes of a joint.
#[derive(Debug, Error)]
pub(super) enum AxisFault {
    #[error("axis ({}, {}, {}) has no direction; give a finite non-zero axis", .0.x, .0.y, .0.z)]
    NoDirection(V3),
    #[error("the two axes of a universal joint are parallel; give axes that cross")]
    Parallel,
}

impl JointKind {
    /// Normalises the axes.
    pub(super) fn normalise(&mut self) -> Result<(), AxisFault> {
        let unit = |axis: &mut V3| {
            *axis = axis.unit().ok_or(AxisFault::NoDirection(*axis))?;
            Ok(())
        };
        match self {
            JointKind::Revolute { axis }
            | JointKind::Prismatic { axis }
            | JointKind::Helical { axis, .. }
            | JointKind::Cylindrical { axis }
            | JointKind::Planar { normal: axis } => unit(axis),
            JointKind::Universal { first, second } => {
                unit(first)?;
                unit(second)?;
                if first.cross(*second).norm() < 1e-9 { Err(AxisFault::Parallel) } else { Ok(()) }
            }
            JointKind::Fixed | JointKind::Spherical | JointKind::Free => Ok(()),
        }
    }
    /// The number of coordinates.
    pub fn nq(&self) -> usize {
        match self {
            JointKind::Spherical => 4,
            JointKind::Free => 7,
            other => other.nv(),
        }
    }
    /// The number of degrees of freedom.
    pub fn nv(&self) -> usize {
        match self {
            JointKind::Fixed => 0,
            JointKind::Revolute { .. } | JointKind::Prismatic { .. } | JointKind::Helical { .. } => 1,
            JointKind::Cylindrical { .. } | JointKind::Universal { .. } => 2,
            JointKind::Spherical | JointKind::Planar { .. } => 3,
            JointKind::Free => 6,
        }
    }
    /// The word shown to users for the kind.
    pub fn word(&self) -> &'static str {
        match self {
            JointKind::Fixed => "fixed",
            JointKind::Revolute { .. } => "revolute",
            JointKind::Prismatic { .. } => "prismatic",
            JointKind::Helical { .. } => "helical",
            JointKind::Cylindrical { .. } => "cylindrical",
            JointKind::Universal { .. } => "universal",
            JointKind::Spherical => "spherical",
            JointKind::Planar { .. } => "planar",
            JointKind::Free => "free",
        }
    }
}
