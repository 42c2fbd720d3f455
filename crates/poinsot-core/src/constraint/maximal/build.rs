//! From a tree to free bodies and constraints.

use super::{Maximal, Tie};
use crate::model::{
    Body, BodyId, BodySpec, Constraint, ConstraintId, ConstraintKind, Joint, JointKind, Model, ModelBuilder,
    ModelError, Mount,
};
use crate::spatial::Pose;

impl Maximal {
    /// The maximal coordinates of a model.
    pub fn of(model: &Model) -> Result<Maximal, ModelError> {
        let mut made = Build::new(model);
        for (index, body) in model.bodies().iter().enumerate().skip(1) {
            made.body(model, index, body);
        }
        let (constraints, left_out) = made.carry_constraints(model);
        let built = made.builder.build()?;
        let places = built.bodies().iter().map(|b| place(&built, b)).collect();
        Ok(Maximal {
            places,
            ties: made.ties,
            bodies: made.bodies,
            nq: model.nq(),
            nv: model.nv(),
            constraints,
            tie_of: made.tie_of,
            left_out,
            model: built,
        })
    }
}

fn place(model: &Model, body: &Body) -> Option<(usize, usize)> {
    let joint = model.joints()[body.joints.clone()].first()?;
    Some((joint.coordinates().start, joint.dofs().start))
}

struct Build {
    builder: ModelBuilder,
    ties: Vec<Tie>,
    tie_of: Vec<Option<usize>>,
    bodies: Vec<BodyId>,
    /// For each body of the original: its pose in the world at the reference.
    poses: Vec<Pose>,
}

impl Build {
    fn new(model: &Model) -> Build {
        let mut builder = ModelBuilder::new(model.name());
        builder.lenient().gravity(model.gravity());
        if let Some(medium) = model.medium() {
            builder.medium(medium);
        }
        let tie_of = vec![None; model.joints().len()];
        Build { builder, ties: Vec::new(), tie_of, bodies: vec![BodyId::WORLD], poses: vec![Pose::IDENTITY] }
    }

    fn body(&mut self, model: &Model, index: usize, body: &Body) {
        let joints: Vec<(usize, &Joint)> = (body.joints.clone())
            .map(|j| (j, &model.joints()[j]))
            .filter(|(_, j)| j.kind != JointKind::Fixed)
            .collect();
        let x_w = self.poses[body.parent.index()] * body.pose;
        self.poses.push(x_w);
        let parent = self.bodies[body.parent.index()];
        let spec = |name: String, pose: Pose| {
            BodySpec::new(name)
                .pose(pose)
                .inertia(body.inertia)
                .gravity_compensation(body.gravity_compensation)
        };
        if joints.is_empty() {
            let fixed = self.builder.body(parent, spec(body.name.clone(), body.pose));
            self.bodies.push(fixed);
            return;
        }
        // the frame of the body before its joint at hand
        let (mut before, mut frame) = (parent, body.pose);
        for (k, &(number, joint)) in joints.iter().enumerate() {
            let last = k + 1 == joints.len();
            let made = if last {
                spec(body.name.clone(), x_w)
            } else {
                BodySpec::new(format!("{}:{}", body.name, joint.name)).pose(x_w)
            };
            let next = self.builder.body(BodyId::WORLD, made);
            self.builder.joint(next, Joint::free().named(format!("{}:free", model.joints()[number].name)));
            self.tie(number, joint, before, frame, next);
            (before, frame) = (next, Pose::IDENTITY);
        }
        debug_assert_eq!(self.bodies.len(), index);
        self.bodies.push(before);
    }

    /// The joint between `before`, in which the body frame is at `frame`, and `next`.
    fn tie(&mut self, number: usize, joint: &Joint, before: BodyId, frame: Pose, next: BodyId) {
        let free = joint.kind == JointKind::Free;
        let anchor = Pose::translation(joint.anchor);
        // the coordinates of a free joint are the pose in the parent itself
        let a = Mount::framed(before, if free { Pose::IDENTITY } else { frame * anchor });
        let b = Mount::framed(next, if free { Pose::IDENTITY } else { anchor });
        let constraint = (!free)
            .then(|| self.builder.constraint(Constraint::joint(joint.kind, a, b).named(joint.name.clone())));
        let rotor = (joint.armature > 0.0).then(|| {
            let kind = ConstraintKind::Rotor { kind: joint.kind, a, b, inertia: joint.armature };
            self.builder.constraint(Constraint::new(kind).named(format!("{}:rotor", joint.name)))
        });
        let (q, v) = (joint.coordinates().start, joint.dofs().start);
        let (kind, reference) = (joint.kind, joint.reference);
        self.tie_of[number] = Some(self.ties.len());
        self.ties.push(Tie { kind, a, b, reference, q, v, constraint, rotor });
    }

    /// The constraints of the original between bodies; returns what they became, and those between joints.
    fn carry_constraints(&mut self, model: &Model) -> (Vec<Option<ConstraintId>>, Vec<ConstraintId>) {
        let (mut became, mut left_out) = (vec![None; model.constraints().len()], Vec::new());
        for (k, constraint) in model.constraints().iter().enumerate() {
            let mut carried = constraint.clone();
            carried.name = format!("{}:constraint", constraint.name);
            match &mut carried.kind {
                ConstraintKind::Point { a, b }
                | ConstraintKind::Joint { a, b, .. }
                | ConstraintKind::Distance { a, b, .. }
                | ConstraintKind::Rope { a, b, .. }
                | ConstraintKind::Rotor { a, b, .. }
                | ConstraintKind::Plane { a, b }
                | ConstraintKind::Rolling { wheel: a, ground: b, .. } => {
                    a.body = self.bodies[a.body.index()];
                    b.body = self.bodies[b.body.index()];
                    became[k] = Some(self.builder.constraint(carried));
                }
                ConstraintKind::Coupling { .. } | ConstraintKind::Tendon { .. } => {
                    left_out.push(ConstraintId(k));
                }
            }
        }
        (became, left_out)
    }
}
