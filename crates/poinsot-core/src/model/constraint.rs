//! Constraints outside the tree: they close loops, couple joints, or roll without slipping.
//!
//! These are the definitions; C and its derivatives are in [`crate::constraint`].

use super::actuator::pose_fault;
use super::{Body, BodyId, FixedTendon, Joint, JointId, JointKind, ModelError, Relation, TendonId};
use crate::algebra::V3;
use crate::spatial::Pose;

/// A frame fixed to a body, at which a constraint acts on it.
///
/// ```
/// use poinsot_core::{algebra::V3, model::{BodyId, Mount}};
/// let hook = Mount::new(BodyId::WORLD, V3::new(0.0, 0.0, 2.0));
/// assert_eq!(hook.pose.pos.z, 2.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mount {
    /// The body; the world for a fixed frame.
    pub body: BodyId,
    /// The pose of the frame in the body frame.
    pub pose: Pose,
}

impl Mount {
    /// The point `at` of the body frame, with the body's axes.
    pub fn new(body: BodyId, at: V3) -> Mount {
        Mount { body, pose: Pose::translation(at) }
    }
    /// A frame of any pose in the body frame.
    pub fn framed(body: BodyId, pose: Pose) -> Mount {
        Mount { body, pose }
    }
}

/// The condition that a constraint imposes.
///
/// | kind | requires that | rows |
/// |---|---|---|
/// | point | the origins of both mounts coincide | 3 |
/// | joint | the mounts move relative to one another as the joint allows; `Fixed` is a weld | 6 − its freedoms |
/// | distance | the origins are `length` apart | 1 |
/// | rope | the origins are not further apart than `length` | 1 |
/// | coupling | `q − q₀ = c₀ + c₁ x + c₂ x² + …` with x = other − its reference | 1 |
/// | tendon | as for a coupling, with lengths of tendons | 1 |
/// | relation | as for a coupling, with coordinates measured between bodies | 1 |
/// | plane | the origin of `b` is in the x–y plane of `a` | 1 |
/// | rotor | nothing: a rotor of this inertia turns with the joint and resists its acceleration | the joint's freedoms |
/// | rolling | a wheel touches the x–y plane of `ground` and does not slip there | 3, two of them on velocities only |
#[derive(Clone, Debug)]
#[allow(missing_docs)] // the table above
#[non_exhaustive]
pub enum ConstraintKind {
    Point {
        a: Mount,
        b: Mount,
    },
    /// Axes of `kind` are in the axes of the mounts, which coincide at the joint's zero.
    Joint {
        kind: JointKind,
        a: Mount,
        b: Mount,
    },
    Distance {
        a: Mount,
        b: Mount,
        length: f64,
    },
    Rope {
        a: Mount,
        b: Mount,
        length: f64,
    },
    /// `reference` and the number next to `other` are the references q₀ and x₀ of the polynomial.
    Coupling {
        joint: JointId,
        reference: f64,
        other: Option<(JointId, f64)>,
        coefficients: [f64; 5],
    },
    Tendon {
        tendon: TendonId,
        reference: f64,
        other: Option<(TendonId, f64)>,
        coefficients: [f64; 5],
    },
    Relation(Relation),
    Plane {
        a: Mount,
        b: Mount,
    },
    /// The `armature` of a joint between free bodies: kg m² or kg for each of its rates.
    Rotor {
        kind: JointKind,
        a: Mount,
        b: Mount,
        inertia: f64,
    },
    /// A ring of radius `ring` about the z axis of the mount `wheel`, with a tube of radius `tube`: a ball has no ring, a knife-edged disc
    /// no tube.
    Rolling {
        wheel: Mount,
        ring: f64,
        tube: f64,
        ground: Mount,
    },
}

/// The compliance of a constraint: springs and dampers instead of rigid rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness {
    /// For rows of length, N/m; of a coupling in the unit of its row.
    pub stiffness: f64,
    /// N s/m.
    pub damping: f64,
    /// For rows of angle, N m/rad.
    pub turning_stiffness: f64,
    /// N m s/rad.
    pub turning_damping: f64,
}

/// A constraint between bodies or joints of a model.
///
/// ```
/// use poinsot_core::{algebra::V3, model::*};
/// let ball = Shape::Sphere { radius: 0.1 };
/// let mut b = ModelBuilder::new("two on a string");
/// let one = b.body(BodyId::WORLD, BodySpec::new("one").solid(&ball, 1.0)?);
/// b.joint(one, Joint::free());
/// let two = b.body(BodyId::WORLD, BodySpec::new("two").at(V3::X).solid(&ball, 1.0)?);
/// b.joint(two, Joint::free());
/// b.constraint(Constraint::distance(Mount::new(one, V3::ZERO), Mount::new(two, V3::ZERO), 1.0).named("bar"));
/// assert_eq!(b.build()?.constraints()[0].name, "bar");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The name, unique in the model; by default `constraint` and its number.
    pub name: String,
    /// The condition.
    pub kind: ConstraintKind,
    /// Its compliance; `None` if rigid.
    pub softness: Option<Softness>,
}

impl Constraint {
    /// A rigid constraint of the given kind.
    pub fn new(kind: ConstraintKind) -> Constraint {
        Constraint { name: String::new(), kind, softness: None }
    }
    /// The origins of both mounts coincide: a ball joint.
    pub fn point(a: Mount, b: Mount) -> Constraint {
        Constraint::new(ConstraintKind::Point { a, b })
    }
    /// Both mounts coincide.
    pub fn weld(a: Mount, b: Mount) -> Constraint {
        Constraint::joint(JointKind::Fixed, a, b)
    }
    /// The mounts move relative to one another as a joint of this kind allows; its axes are given in the axes of the mounts.
    pub fn joint(kind: JointKind, a: Mount, b: Mount) -> Constraint {
        Constraint::new(ConstraintKind::Joint { kind, a, b })
    }
    /// The origins of the mounts are `length` apart, which must be positive.
    pub fn distance(a: Mount, b: Mount, length: f64) -> Constraint {
        Constraint::new(ConstraintKind::Distance { a, b, length })
    }
    /// The origins of the mounts are at most `length` apart, held by an inextensible rope.
    pub fn inextensible_rope(a: Mount, b: Mount, length: f64) -> Constraint {
        Constraint::new(ConstraintKind::Rope { a, b, length })
    }
    /// The origins of the mounts are held by a rope of this length, stiffness (N/m) and damping (N s/m).
    pub fn rope(a: Mount, b: Mount, length: f64, stiffness: f64, damping: f64) -> Constraint {
        Constraint::new(ConstraintKind::Rope { a, b, length }).soft(stiffness, damping)
    }
    /// A gear: `q = ratio · x + offset` for two joints of one coordinate.
    pub fn gear(joint: JointId, other: JointId, ratio: f64, offset: f64) -> Constraint {
        let coefficients = [offset, ratio, 0.0, 0.0, 0.0];
        let kind =
            ConstraintKind::Coupling { joint, reference: 0.0, other: Some((other, 0.0)), coefficients };
        Constraint::new(kind)
    }
    /// The origin of `b` stays in the x–y plane of `a`.
    pub fn plane(a: Mount, b: Mount) -> Constraint {
        Constraint::new(ConstraintKind::Plane { a, b })
    }
    /// A ball of this radius about the origin of `wheel` rolls on the x–y plane of `ground`.
    pub fn rolling_ball(wheel: Mount, radius: f64, ground: Mount) -> Constraint {
        Constraint::new(ConstraintKind::Rolling { wheel, ring: 0.0, tube: radius, ground })
    }
    /// A knife-edged disc of this radius about the z axis of `wheel` rolls on the x–y plane of `ground`.
    pub fn rolling_disc(wheel: Mount, radius: f64, ground: Mount) -> Constraint {
        Constraint::new(ConstraintKind::Rolling { wheel, ring: radius, tube: 0.0, ground })
    }
    /// Sets the name.
    pub fn named(mut self, name: impl Into<String>) -> Constraint {
        self.name = name.into();
        self
    }
    /// Makes it soft: k in N/m and c in N s/m for rows of length, in N m/rad and N m s/rad for rows of angle.
    pub fn soft(self, stiffness: f64, damping: f64) -> Constraint {
        let softness =
            Softness { stiffness, damping, turning_stiffness: stiffness, turning_damping: damping };
        Constraint { softness: Some(softness), ..self }
    }
    /// As [`Constraint::soft`], with separate values for the rows of angle.
    pub fn yielding(self, softness: Softness) -> Constraint {
        Constraint { softness: Some(softness), ..self }
    }

    /// The two different bodies it acts on; `None` for couplings, tendons and relations.
    pub fn bodies(&self) -> Option<[BodyId; 2]> {
        self.kind.mounts().map(|pair| pair.map(|m| m.body))
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        match &self.kind {
            ConstraintKind::Point { .. } | ConstraintKind::Rolling { .. } => 3,
            ConstraintKind::Joint { kind, .. } => 6 - kind.nv(),
            ConstraintKind::Rotor { kind, .. } => kind.nv(),
            ConstraintKind::Distance { .. }
            | ConstraintKind::Rope { .. }
            | ConstraintKind::Plane { .. }
            | ConstraintKind::Coupling { .. }
            | ConstraintKind::Tendon { .. }
            | ConstraintKind::Relation(_) => 1,
        }
    }

    /// The word shown to users for the kind.
    pub fn word(&self) -> &'static str {
        match &self.kind {
            ConstraintKind::Point { .. } => "point",
            ConstraintKind::Joint { kind, .. } => kind.word(),
            ConstraintKind::Rotor { .. } => "rotor",
            ConstraintKind::Distance { .. } => "distance",
            ConstraintKind::Rope { .. } => "rope",
            ConstraintKind::Coupling { .. } => "coupling",
            ConstraintKind::Tendon { .. } => "tendon",
            ConstraintKind::Relation(_) => "relation",
            ConstraintKind::Plane { .. } => "plane",
            ConstraintKind::Rolling { .. } => "rolling",
        }
    }

    /// Checks it; returns the first error. Normalises axes.
    pub(super) fn check(
        &mut self,
        bodies: &[Body],
        joints: &[Joint],
        tendons: &[FixedTendon],
    ) -> Result<(), ModelError> {
        let name = self.name.clone();
        let wrong = |why: String| Err(ModelError::Constraint { constraint: name.clone(), why });
        for [a, b] in self.all_mounts() {
            for body in [a.body, b.body] {
                if body.0 >= bodies.len() {
                    return wrong(format!(
                        "there is no body number {}; use the id returned by `body`",
                        body.0
                    ));
                }
            }
            if a.body == b.body {
                let body = &bodies[a.body.0].name;
                return wrong(format!("it ties body \"{body}\" to itself; give two different bodies"));
            }
        }
        for pose in self.all_mounts().into_iter().flatten().map(|m| m.pose) {
            if let Err(why) = pose_fault(pose) {
                return wrong(format!(
                    "a mount is not a rigid motion ({why}); give a unit rotation and a finite position"
                ));
            }
        }
        if let Some(s) = self.softness {
            for (what, value) in [
                ("stiffness", s.stiffness),
                ("damping", s.damping),
                ("turning stiffness", s.turning_stiffness),
                ("turning damping", s.turning_damping),
            ] {
                if !(value.is_finite() && value >= 0.0) {
                    return wrong(format!("its {what} is {value}; give a finite number of 0 or more"));
                }
            }
        }
        match &mut self.kind {
            ConstraintKind::Rotor { inertia, .. } if !(inertia.is_finite() && *inertia >= 0.0) => {
                return wrong(format!("its rotor has the inertia {inertia}; give one of 0 or more"));
            }
            ConstraintKind::Joint { kind, .. } | ConstraintKind::Rotor { kind, .. } => {
                if let Err(fault) = kind.normalise() {
                    return wrong(fault.to_string());
                }
            }
            ConstraintKind::Distance { length, .. } | ConstraintKind::Rope { length, .. }
                if !(length.is_finite() && *length > 0.0) =>
            {
                return wrong(format!("its length is {length}; give one above 0, or use a point constraint"));
            }
            ConstraintKind::Rolling { ring, tube, .. } => {
                let radii = [*ring, *tube];
                if radii.iter().any(|r| !(r.is_finite() && *r >= 0.0)) || radii == [0.0; 2] {
                    return wrong(format!(
                        "its ring has radius {ring}, its tube {tube}; give radii of 0 or more, not both 0"
                    ));
                }
            }
            ConstraintKind::Coupling { joint, reference, other, coefficients } => {
                for joint in [Some(*joint), other.map(|o| o.0)].into_iter().flatten() {
                    let Some(j) = joints.get(joint.0) else {
                        return wrong(format!(
                            "there is no joint number {}; use the id returned by `joint`",
                            joint.0
                        ));
                    };
                    if j.kind.nv() != 1 {
                        let (name, kind) = (&j.name, j.kind.word());
                        return wrong(format!("joint \"{name}\" is {kind}; couple joints of one coordinate"));
                    }
                }
                if other.is_some_and(|o| o.0 == *joint) {
                    return wrong("it couples a joint to itself; name two joints".into());
                }
                if let Some(why) = polynomial_fault(*reference, other.map(|o| o.1), coefficients) {
                    return wrong(why);
                }
            }
            ConstraintKind::Relation(relation) => {
                let near = relation.other.as_ref().map(|o| o.1);
                let bad = polynomial_fault(relation.reference, near, &relation.coefficients);
                if let Some(why) = bad.or_else(|| relation.fault()) {
                    return wrong(why);
                }
            }
            ConstraintKind::Tendon { tendon, reference, other, coefficients } => {
                for tendon in [Some(*tendon), other.map(|o| o.0)].into_iter().flatten() {
                    if tendon.0 >= tendons.len() {
                        return wrong(format!(
                            "there is no tendon number {}; use the id returned by `tendon`",
                            tendon.0
                        ));
                    }
                }
                if let Some(why) = polynomial_fault(*reference, other.map(|o| o.1), coefficients) {
                    return wrong(why);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// All mounts on bodies, in pairs.
    fn all_mounts(&self) -> Vec<[Mount; 2]> {
        match &self.kind {
            ConstraintKind::Relation(relation) => relation.terms().map(|(t, _)| [t.a, t.b]).collect(),
            kind => kind.mounts().into_iter().collect(),
        }
    }
}

impl ConstraintKind {
    /// The mounts of a constraint between two bodies, a first.
    pub(crate) fn mounts(&self) -> Option<[Mount; 2]> {
        match *self {
            ConstraintKind::Point { a, b }
            | ConstraintKind::Joint { a, b, .. }
            | ConstraintKind::Distance { a, b, .. }
            | ConstraintKind::Rope { a, b, .. }
            | ConstraintKind::Rotor { a, b, .. }
            | ConstraintKind::Plane { a, b } => Some([a, b]),
            ConstraintKind::Rolling { wheel, ground, .. } => Some([ground, wheel]),
            ConstraintKind::Coupling { .. } | ConstraintKind::Tendon { .. } | ConstraintKind::Relation(_) => {
                None
            }
        }
    }
}

fn polynomial_fault(reference: f64, other: Option<f64>, coefficients: &[f64; 5]) -> Option<String> {
    let all = [reference, other.unwrap_or(0.0)].into_iter().chain(*coefficients);
    let bad = all.into_iter().find(|x| !x.is_finite())?;
    Some(format!("its polynomial has the number {bad}; give finite numbers"))
}
