//! The builder: hands out typed ids as bodies and joints are added, and checks everything at the end.

use super::{Body, BodyId, Joint, JointKind, Layout, Model, ModelError, Shape, ShapeError, Tree};
use crate::algebra::{M3, V3};
use crate::spatial::{Inertia, Pose};
use std::collections::HashSet;

/// A body to be added: name, pose in the parent, inertia.
#[derive(Clone, Debug)]
pub struct BodySpec {
    name: String,
    pose: Pose,
    inertia: Inertia,
}

impl BodySpec {
    /// A massless body at its parent's frame.
    pub fn new(name: impl Into<String>) -> BodySpec {
        BodySpec { name: name.into(), pose: Pose::IDENTITY, inertia: Inertia::ZERO }
    }
    /// Sets the pose in the parent's frame.
    pub fn pose(mut self, pose: Pose) -> BodySpec {
        self.pose = pose;
        self
    }
    /// Sets the position in the parent's frame.
    pub fn at(mut self, pos: V3) -> BodySpec {
        self.pose.pos = pos;
        self
    }
    /// Adds an inertia, given in the body frame.
    pub fn inertia(mut self, inertia: Inertia) -> BodySpec {
        self.inertia = self.inertia + inertia;
        self
    }
    /// Adds a homogeneous solid of the given mass, centred at the body frame.
    pub fn solid(self, shape: &Shape, mass: f64) -> Result<BodySpec, ShapeError> {
        self.solid_at(shape, mass, Pose::IDENTITY)
    }
    /// Adds a homogeneous solid of the given mass with this pose in the body frame.
    pub fn solid_at(self, shape: &Shape, mass: f64, pose: Pose) -> Result<BodySpec, ShapeError> {
        let inertia = shape.inertia(mass)?.seen_from(pose);
        Ok(self.inertia(inertia))
    }
}

/// Collects bodies and joints; [`ModelBuilder::build`] checks and compiles them. Example: [`Model`].
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    name: String,
    gravity: V3,
    bodies: Vec<(BodyId, BodySpec, Vec<Joint>)>,
    /// A joint put on no body of this model, or on the world.
    misplaced: Option<(String, usize)>,
}

impl ModelBuilder {
    /// An empty model with gravity 9.81 m/s² along −z.
    pub fn new(name: impl Into<String>) -> ModelBuilder {
        let world = (BodyId::WORLD, BodySpec::new("world"), Vec::new());
        ModelBuilder {
            name: name.into(),
            gravity: V3::new(0.0, 0.0, -9.81),
            bodies: vec![world],
            misplaced: None,
        }
    }
    /// Sets the acceleration of gravity.
    pub fn gravity(&mut self, g: V3) -> &mut Self {
        self.gravity = g;
        self
    }
    /// Adds a body hanging on `parent`. Without a joint it is fixed there.
    pub fn body(&mut self, parent: BodyId, spec: BodySpec) -> BodyId {
        self.bodies.push((parent, spec, Vec::new()));
        BodyId(self.bodies.len() - 1)
    }
    /// Adds a joint between `body` and its parent, after the joints already there.
    pub fn joint(&mut self, body: BodyId, joint: Joint) {
        match self.bodies.get_mut(body.0) {
            Some((_, _, joints)) if body != BodyId::WORLD => joints.push(joint),
            _ => self.misplaced = Some((joint.name, body.0)),
        }
    }

    /// Checks the whole model and compiles it.
    pub fn build(self) -> Result<Model, ModelError> {
        if let Some((joint, body)) = self.misplaced {
            let world = body == BodyId::WORLD.0;
            return Err(if world {
                ModelError::JointOnWorld
            } else {
                ModelError::UnknownBody { joint, body }
            });
        }
        if !self.gravity.is_finite() {
            return Err(ModelError::BadGravity);
        }
        let (mut bodies, mut joints) = (Vec::with_capacity(self.bodies.len()), Vec::new());
        let (mut nq, mut nv) = (0, 0);
        for (index, (parent, spec, own)) in self.bodies.into_iter().enumerate() {
            check_body(index, parent, &spec)?;
            let first = joints.len();
            let count = own.len();
            for (k, mut joint) in own.into_iter().enumerate() {
                if joint.name.is_empty() {
                    let suffix = if count > 1 { format!("_joint{k}") } else { "_joint".into() };
                    joint.name = format!("{}{suffix}", spec.name);
                }
                check_joint(&spec.name, &mut joint, count)?;
                (joint.first_q, joint.first_v) = (nq, nv);
                nq += joint.kind.nq();
                nv += joint.kind.nv();
                joints.push(joint);
            }
            bodies.push(Body {
                name: spec.name,
                parent,
                pose: spec.pose,
                inertia: spec.inertia,
                joints: first..joints.len(),
                link: 0,
                pose_in_link: Pose::IDENTITY,
            });
        }
        check_names("bodies", bodies.iter().map(|b| b.name.as_str()))?;
        check_names("joints", joints.iter().map(|j| j.name.as_str()))?;
        let tree = Tree::compile(&mut bodies, &joints, nq, nv)?;
        let layout = Layout::new(&joints);
        Ok(Model { name: self.name, gravity: self.gravity, bodies, joints, tree, layout })
    }
}

fn check_body(index: usize, parent: BodyId, spec: &BodySpec) -> Result<(), ModelError> {
    let body = || spec.name.clone();
    if index > 0 && parent.0 >= index {
        return Err(ModelError::UnknownParent { body: body(), parent: parent.0 });
    }
    spec.inertia.check().map_err(|source| ModelError::Inertia { body: body(), source })?;
    let r = spec.pose.rot;
    let off = (r.transpose() * r - M3::IDENTITY).max_abs();
    let why = if !(spec.pose.pos.is_finite()) {
        "the position is not finite".to_string()
    } else if off.is_nan() || off >= 1e-9 {
        format!("RᵀR differs from 1 by {off:.1e}")
    } else if r.determinant() < 0.0 {
        "the rotation is a reflection".to_string()
    } else {
        return Ok(());
    };
    Err(ModelError::BadPose { body: body(), why })
}

fn check_joint(body: &str, joint: &mut Joint, joints_of_body: usize) -> Result<(), ModelError> {
    let (b, j) = (body.to_string(), joint.name.clone());
    let unit = |axis: V3| {
        let V3 { x, y, z } = axis;
        axis.unit().ok_or(ModelError::BadAxis { body: b.clone(), joint: j.clone(), x, y, z })
    };
    match &mut joint.kind {
        JointKind::Revolute { axis }
        | JointKind::Prismatic { axis }
        | JointKind::Helical { axis, .. }
        | JointKind::Cylindrical { axis }
        | JointKind::Planar { normal: axis } => *axis = unit(*axis)?,
        JointKind::Universal { first, second } => {
            (*first, *second) = (unit(*first)?, unit(*second)?);
            if first.cross(*second).norm() < 1e-9 {
                return Err(ModelError::ParallelAxes { body: b, joint: j });
            }
        }
        JointKind::Free if joints_of_body > 1 => return Err(ModelError::FreeNotAlone { body: b, joint: j }),
        JointKind::Fixed | JointKind::Spherical | JointKind::Free => {}
    }
    let pitch = if let JointKind::Helical { pitch, .. } = joint.kind { pitch } else { 0.0 };
    let positive = "a finite number of 0 or more";
    let finite = "a finite number";
    for (what, value, want) in [
        ("armature", joint.armature, positive),
        ("damping", joint.damping, positive),
        ("stiffness", joint.stiffness, positive),
        ("spring reference", joint.spring_reference, finite),
        ("reference", joint.reference, finite),
        ("pitch", pitch, finite),
        ("anchor", joint.anchor.x + joint.anchor.y + joint.anchor.z, finite),
    ] {
        let bad = !value.is_finite() || (want != finite && value < 0.0);
        if bad {
            return Err(ModelError::BadNumber { body: b, joint: j, what, value, want });
        }
    }
    match joint.limits {
        Some((lower, upper)) if lower.is_nan() || upper.is_nan() || lower > upper => {
            let want = "a lower limit that is not above the upper one";
            let (what, value) = if upper.is_nan() { ("upper limit", upper) } else { ("lower limit", lower) };
            Err(ModelError::BadNumber { body: b, joint: j, what, value, want })
        }
        _ => Ok(()),
    }
}

fn check_names<'a>(kind: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), ModelError> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(ModelError::DuplicateName { kind, name: name.to_string() });
        }
    }
    Ok(())
}
