//! Builds the maximal model: from a tree to free bodies and constraints.

use super::{Hinge, JointMap, Maximal, Source};
use crate::model::{
    Body, BodyId, BodySpec, Bound, Bounded, Constraint, ConstraintId, ConstraintKind, Joint, JointId,
    JointKind, Model, ModelBuilder, ModelError, Mount, Part, Relation, Relative, TendonId, Transmission,
};
use crate::spatial::Pose;

impl Maximal {
    /// Converts a model to maximal coordinates.
    pub fn of(model: &Model) -> Result<Maximal, ModelError> {
        Maximal::beginning_at(model, &model.neutral())
    }

    /// As [`Maximal::of`], for motions that start at the coordinates q. The pose of a body does not tell how many turns it has made; where
    /// that matters (springs, servos, couplings), angles are counted from q.
    ///
    /// # Panics
    /// If q does not fit the model.
    pub fn beginning_at(model: &Model, q: &[f64]) -> Result<Maximal, ModelError> {
        assert_eq!(q.len(), model.nq(), "the number of coordinates is not that of this model");
        let mut made = Build::new(model);
        for (index, body) in model.bodies().iter().enumerate().skip(1) {
            made.body(model, index, body);
        }
        let constraints = made.carry_constraints(model, q);
        made.carry_bounds(model, q);
        made.builder.geometry_of(model, &made.bodies);
        let built = made.builder.build()?;
        let places = built.bodies().iter().map(|b| place(&built, b)).collect();
        Ok(Maximal {
            places,
            joint_maps: made.joint_maps,
            bodies: made.bodies,
            begin: q.to_vec(),
            measured: measured(model),
            nv: model.nv(),
            constraints,
            sources: made.sources,
            map_of: made.map_of,
            model: built,
        })
    }
}

/// For each term of the relations: the coordinate of the original that it equals; `None` if it was measured between bodies there, too.
fn measured(model: &Model) -> Vec<Option<usize>> {
    let joint = |joint: JointId| Some(model.joints()[joint.index()].coordinates().start);
    let terms = |tendon: TendonId| model.tendons()[tendon.index()].terms.iter().map(move |t| joint(t.0));
    let mut places = Vec::new();
    for constraint in model.constraints() {
        match &constraint.kind {
            ConstraintKind::Coupling { joint: own, other, .. } => {
                places.extend([Some(*own), other.map(|o| o.0)].into_iter().flatten().map(joint));
            }
            ConstraintKind::Tendon { tendon, other, .. } => {
                places.extend([Some(*tendon), other.map(|o| o.0)].into_iter().flatten().flat_map(terms));
            }
            ConstraintKind::Relation(relation) => places.extend(relation.terms().map(|_| None)),
            _ => {}
        }
    }
    for bound in model.bounds() {
        match &bound.on {
            Bounded::Coordinate { joint, index } => {
                let j = &model.joints()[joint.index()];
                let attitude = j.coordinates().len() != j.dofs().len();
                places.push((!attitude).then_some(j.coordinates().start + index));
            }
            Bounded::Swing { .. } => places.push(None),
            Bounded::Tendon(tendon) => places.extend(terms(*tendon)),
            Bounded::Between(own) => places.extend(own.iter().map(|_| None)),
        }
    }
    places
}

/// For each joint: true if it has a rotor, or something that an implicit step evaluates at its end.
fn resisted(model: &Model) -> Vec<bool> {
    let resists = |j: &Joint| j.armature > 0.0 || j.stiffness > 0.0 || j.damping > 0.0;
    let mut out: Vec<bool> = model.joints().iter().map(resists).collect();
    for actuator in model.actuators() {
        if let Transmission::Joint { joint, .. } = actuator.transmission {
            out[joint.index()] |= model[joint].kind.nv() == 1;
        }
    }
    out
}

fn place(model: &Model, body: &Body) -> Option<(usize, usize)> {
    let joint = model.joints()[body.joints.clone()].first()?;
    Some((joint.coordinates().start, joint.dofs().start))
}

struct Build {
    builder: ModelBuilder,
    joint_maps: Vec<JointMap>,
    map_of: Vec<Option<usize>>,
    sources: Vec<Source>,
    bodies: Vec<BodyId>,
    /// For each body of the original: its pose in the world at the reference.
    poses: Vec<Pose>,
    /// For each joint of the original: true if its rates are rows.
    rates: Vec<bool>,
}

impl Build {
    fn new(model: &Model) -> Build {
        let mut builder = ModelBuilder::new(model.name());
        builder.lenient().gravity(model.gravity());
        if let Some(medium) = model.medium() {
            builder.medium(medium);
        }
        let map_of = vec![None; model.joints().len()];
        let (joint_maps, sources) = (Vec::new(), Vec::new());
        let (bodies, poses) = (vec![BodyId::WORLD], vec![Pose::IDENTITY]);
        Build { builder, joint_maps, map_of, sources, bodies, poses, rates: resisted(model) }
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
        // the frame of the body before its current joint
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
            self.add_joint(number, joint, before, frame, next);
            (before, frame) = (next, Pose::IDENTITY);
        }
        debug_assert_eq!(self.bodies.len(), index);
        self.bodies.push(before);
    }

    /// Connects `before`, in which the body frame is at `frame`, and `next` by the joint.
    fn add_joint(&mut self, number: usize, joint: &Joint, before: BodyId, frame: Pose, next: BodyId) {
        let free = joint.kind == JointKind::Free;
        let anchor = Pose::translation(joint.anchor);
        // the coordinates of a free joint are the pose in the parent itself
        let a = Mount::framed(before, if free { Pose::IDENTITY } else { frame * anchor });
        let b = Mount::framed(next, if free { Pose::IDENTITY } else { anchor });
        let id = JointId(number);
        let constraint = (!free).then(|| {
            let held = Constraint::joint(joint.kind, a, b).named(joint.name.clone());
            self.add(Source::Joint(id), held)
        });
        let rotor = self.rates[number].then(|| {
            let kind = ConstraintKind::Rotor { kind: joint.kind, a, b, inertia: joint.armature };
            let rotor = Constraint::new(kind).named(format!("{}:rotor", joint.name));
            self.add(Source::Rotor(id), rotor)
        });
        let (q, v) = (joint.coordinates().start, joint.dofs().start);
        let (kind, reference) = (joint.kind, joint.reference);
        self.map_of[number] = Some(self.joint_maps.len());
        let hinge = Hinge::of(&kind, &a, &b);
        self.joint_maps.push(JointMap { kind, a, b, reference, q, v, hinge, constraint, rotor });
    }

    /// Converts the constraints of the original; returns the new ones.
    fn carry_constraints(&mut self, model: &Model, q: &[f64]) -> Vec<ConstraintId> {
        let carry = |constraint: &Constraint| {
            let mut carried = constraint.clone();
            carried.name = format!("{}:constraint", constraint.name);
            match &mut carried.kind {
                ConstraintKind::Point { a, b }
                | ConstraintKind::Joint { a, b, .. }
                | ConstraintKind::Distance { a, b, .. }
                | ConstraintKind::Rope { a, b, .. }
                | ConstraintKind::Rotor { a, b, .. }
                | ConstraintKind::Plane { a, b }
                | ConstraintKind::Rolling { wheel: a, ground: b, .. } => self.carry_mounts([a, b]),
                ConstraintKind::Relation(Relation { own, other, .. }) => {
                    let terms = own.iter_mut().chain(other.iter_mut().flat_map(|o| &mut o.0));
                    terms.for_each(|(t, _)| self.carry_mounts([&mut t.a, &mut t.b]));
                }
                ConstraintKind::Coupling { joint, reference, other, coefficients } => {
                    let term = |joint: JointId| vec![(self.relative(joint, q), 1.0)];
                    carried.kind = ConstraintKind::Relation(Relation {
                        own: term(*joint),
                        reference: *reference,
                        other: other.map(|(joint, x)| (term(joint), x)),
                        coefficients: *coefficients,
                    });
                }
                ConstraintKind::Tendon { tendon, reference, other, coefficients } => {
                    let terms = |tendon: TendonId| {
                        let terms = &model.tendons()[tendon.index()].terms;
                        terms.iter().map(|(joint, c)| (self.relative(*joint, q), *c)).collect()
                    };
                    carried.kind = ConstraintKind::Relation(Relation {
                        own: terms(*tendon),
                        reference: *reference,
                        other: other.map(|(tendon, x)| (terms(tendon), x)),
                        coefficients: *coefficients,
                    });
                }
            }
            carried
        };
        let carried: Vec<Constraint> = model.constraints().iter().map(carry).collect();
        let ids = model.constraint_ids();
        carried.into_iter().zip(ids).map(|(c, id)| self.add(Source::Constraint(id), c)).collect()
    }

    fn add(&mut self, source: Source, constraint: Constraint) -> ConstraintId {
        self.sources.push(source);
        self.builder.constraint(constraint)
    }

    /// Converts the bounds of joints and tendons to bounds between the bodies that these connect.
    fn carry_bounds(&mut self, model: &Model, q: &[f64]) {
        for bound in model.bounds() {
            let terms = match &bound.on {
                Bounded::Coordinate { joint, index } => vec![(self.part(*joint, *index, q), 1.0)],
                Bounded::Swing { joint } => {
                    vec![(Relative { part: Part::Swing, near: 0.0, ..self.relative(*joint, q) }, 1.0)]
                }
                Bounded::Tendon(tendon) => {
                    let terms = &model.tendons()[tendon.index()].terms;
                    terms.iter().map(|(joint, c)| (self.relative(*joint, q), *c)).collect()
                }
                Bounded::Between(terms) => {
                    let mut terms = terms.clone();
                    terms.iter_mut().for_each(|(t, _)| self.carry_mounts([&mut t.a, &mut t.b]));
                    terms
                }
            };
            self.builder.bound(Bound { on: Bounded::Between(terms), ..bound.clone() });
        }
    }

    /// The relative coordinate of one degree of freedom of a joint.
    fn part(&self, joint: JointId, index: usize, q: &[f64]) -> Relative {
        let whole = self.relative(joint, q);
        if whole.kind.nq() == whole.kind.nv() {
            let first = self.joint_maps[self.map_of[joint.index()].unwrap_or_default()].q;
            Relative { part: Part::Coordinate(index), near: q[first + index], ..whole }
        } else {
            Relative { part: Part::Rate(index), near: 0.0, ..whole }
        }
    }

    fn carry_mounts(&self, mounts: [&mut Mount; 2]) {
        mounts.into_iter().for_each(|m| m.body = self.bodies[m.body.index()]);
    }

    /// The coordinate of a joint of the original between the bodies that it connects; such a joint has one coordinate, and so a map.
    fn relative(&self, joint: JointId, q: &[f64]) -> Relative {
        let map = &self.joint_maps[self.map_of[joint.index()].unwrap_or_default()];
        let JointMap { kind, a, b, reference, .. } = *map;
        Relative { kind, part: Part::Coordinate(0), a, b, reference, near: q[map.q] }
    }
}
