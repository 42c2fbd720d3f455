//! The builder: returns typed ids as bodies and joints are added, and checks everything at the end.

use super::actuator::pose_fault;
use super::bound::bounds_of;
use super::joint::AxisFault;
use super::sensor::{Parts, check_sensors, check_sites};
use super::tendon::is_range;
use super::{
    Actuator, ActuatorDynamics, ActuatorId, Body, BodyId, Bound, Constraint, ConstraintId, ContactPair,
    ContactRules, FixedTendon, Geom, GeomId, Geometry, Hull, Joint, JointId, JointKind, Layout, Medium,
    Model, ModelError, Sensor, SensorId, Shape, ShapeError, Site, SiteId, TendonId, Tree,
};
use crate::algebra::V3;
use crate::spatial::{Inertia, InertiaError, Pose};
use std::collections::HashSet;
use std::sync::Arc;

/// A body to be added: name, pose in the parent, inertia, geoms.
#[derive(Clone, Debug)]
pub struct BodySpec {
    name: String,
    pose: Pose,
    pub(super) inertia: Inertia,
    gravity_compensation: f64,
    geoms: Vec<Geom>,
}

impl BodySpec {
    /// A massless body at its parent's frame.
    pub fn new(name: impl Into<String>) -> BodySpec {
        BodySpec {
            name: name.into(),
            pose: Pose::IDENTITY,
            inertia: Inertia::ZERO,
            gravity_compensation: 0.0,
            geoms: Vec::new(),
        }
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
    /// Compensates this part of the body's weight: a passive force −factor · m g at its centre of mass. It is added with the springs and
    /// dampers, and is not part of the gravity term.
    pub fn gravity_compensation(mut self, factor: f64) -> BodySpec {
        self.gravity_compensation = factor;
        self
    }
    /// Adds a homogeneous solid of the given mass, centred at the body frame: its inertia, and its shape as a geom.
    pub fn solid(self, shape: &Shape, mass: f64) -> Result<BodySpec, ShapeError> {
        self.solid_at(shape, mass, Pose::IDENTITY)
    }
    /// Adds a homogeneous solid of the given mass with this pose in the body frame.
    pub fn solid_at(self, shape: &Shape, mass: f64, pose: Pose) -> Result<BodySpec, ShapeError> {
        self.solid_geom(Geom::new(shape.clone()).pose(pose), mass)
    }
    /// Adds a geom and the inertia of a homogeneous solid of its shape and this mass.
    pub fn solid_geom(self, geom: Geom, mass: f64) -> Result<BodySpec, ShapeError> {
        let inertia = geom.shape.inertia(mass)?.seen_from(geom.pose);
        Ok(self.inertia(inertia).geom(geom))
    }
    /// Adds a geom without mass.
    pub fn geom(mut self, geom: Geom) -> BodySpec {
        self.geoms.push(geom);
        self
    }
}

/// Collects bodies, joints, tendons and actuators; [`ModelBuilder::build`] checks and compiles them. Example: [`Model`].
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    name: String,
    gravity: V3,
    pub(super) bodies: Vec<(BodyId, BodySpec, Vec<Joint>)>,
    /// The number of joints, and the body of the last one.
    joints: (usize, BodyId),
    /// A joint added to a body that already had later joints, which is an error.
    late: Option<(String, BodyId)>,
    pub(super) tendons: Vec<FixedTendon>,
    pub(super) actuators: Vec<Actuator>,
    pub(super) constraints: Vec<Constraint>,
    pub(super) sites: Vec<Site>,
    pub(super) sensors: Vec<Sensor>,
    /// Bounds in addition to those of joints and tendons.
    bounds: Vec<Bound>,
    pub(super) geoms: Vec<Geom>,
    pub(super) touching: ContactRules,
    medium: Option<Medium>,
    /// A joint on no body of this model or on the world, which is an error.
    misplaced: Option<(String, usize)>,
    defects: Defects,
}

/// Errors in a model that leave its equations well-defined.
#[derive(Clone, Debug, Default)]
pub(crate) struct Defects {
    lenient: bool,
    pub(super) list: Vec<ModelError>,
}

impl Defects {
    /// Keeps the error for [`Model::defects`], or returns it if the builder is strict.
    pub(super) fn meet(&mut self, error: ModelError) -> Result<(), ModelError> {
        if !self.lenient {
            return Err(error);
        }
        self.list.push(error);
        Ok(())
    }
}

impl ModelBuilder {
    /// An empty model with gravity 9.81 m/s² along −z.
    pub fn new(name: impl Into<String>) -> ModelBuilder {
        let world = (BodyId::WORLD, BodySpec::new("world"), Vec::new());
        ModelBuilder {
            name: name.into(),
            gravity: V3::new(0.0, 0.0, -9.81),
            bodies: vec![world],
            joints: (0, BodyId::WORLD),
            late: None,
            tendons: Vec::new(),
            actuators: Vec::new(),
            constraints: Vec::new(),
            sites: Vec::new(),
            sensors: Vec::new(),
            bounds: Vec::new(),
            geoms: Vec::new(),
            touching: ContactRules::default(),
            medium: None,
            misplaced: None,
            defects: Defects::default(),
        }
    }
    /// Sets the acceleration of gravity.
    pub fn gravity(&mut self, g: V3) -> &mut Self {
        self.gravity = g;
        self
    }
    /// Accepts inertias that no mass distribution has, and joints that move no mass, which files often contain: inverse dynamics and the
    /// mass matrix still work. [`Model::defects`] lists them; forward dynamics may fail.
    ///
    /// ```
    /// use poinsot_core::{algebra::{Sym3, V3}, model::*, spatial::Inertia};
    /// let mut b = ModelBuilder::new("frame on a hinge");
    /// let frame = b.body(BodyId::WORLD, BodySpec::new("frame"));
    /// b.joint(frame, Joint::revolute(V3::Z));
    /// assert!(b.clone().build().is_err());
    /// assert_eq!(b.lenient().clone().build()?.defects().len(), 1);
    /// # Ok::<(), ModelError>(())
    /// ```
    pub fn lenient(&mut self) -> &mut Self {
        self.defects.lenient = true;
        self
    }
    /// Adds a body attached to `parent`. Without a joint it is fixed there.
    pub fn body(&mut self, parent: BodyId, mut spec: BodySpec) -> BodyId {
        let (id, geoms) = (BodyId(self.bodies.len()), std::mem::take(&mut spec.geoms));
        self.bodies.push((parent, spec, Vec::new()));
        geoms.into_iter().for_each(|geom| _ = self.geom(id, geom));
        id
    }
    /// Fixes a geom to a body, or to the world. It has no mass: see [`BodySpec::solid_geom`].
    pub fn geom(&mut self, body: BodyId, geom: Geom) -> GeomId {
        self.geoms.push(Geom { body, ..geom });
        GeomId(self.geoms.len() - 1)
    }
    /// Adds a geom to a body, and the inertia of a homogeneous solid of its shape and this mass.
    ///
    /// # Panics
    /// If the body is not from this builder.
    pub fn solid(&mut self, body: BodyId, geom: Geom, mass: f64) -> Result<GeomId, ShapeError> {
        let inertia = geom.shape.inertia(mass)?.seen_from(geom.pose);
        let spec = &mut self.bodies[body.0].1;
        spec.inertia = spec.inertia + inertia;
        Ok(self.geom(body, geom))
    }
    /// Sets whether anything touches at all; the default is true.
    pub fn contact(&mut self, on: bool) -> &mut Self {
        self.touching.on = on;
        self
    }
    /// Sets whether a body touches its parent; the default is false. Contact with the world as a parent is always allowed.
    pub fn contact_with_parents(&mut self, on: bool) -> &mut Self {
        self.touching.parents = on;
        self
    }
    /// Lets two geoms touch whatever their masks say.
    pub fn contact_pair(&mut self, pair: ContactPair) -> &mut Self {
        self.touching.pairs.push(pair);
        self
    }
    /// Excludes contact between the geoms of two bodies.
    pub fn exclude_contact(&mut self, a: BodyId, b: BodyId) -> &mut Self {
        self.touching.excludes.push([a, b]);
        self
    }
    /// Copies all geometry of a model, the geoms of body k to `bodies[k]`.
    pub(crate) fn geometry_of(&mut self, model: &Model, bodies: &[BodyId]) {
        let first = self.geoms.len();
        (self.touching.on, self.touching.parents) = (model.has_contact(), model.parents_touch());
        for geom in model.geoms() {
            self.geom(bodies[geom.body.0], geom.clone());
        }
        for pair in model.contact_pairs() {
            let geoms = pair.geoms.map(|g| GeomId(first + g.0));
            self.contact_pair(ContactPair { geoms, ..pair.clone() });
        }
        for pair in model.contact_excludes() {
            self.touching.excludes.push(pair.map(|b| bodies[b.0]));
        }
    }
    /// Adds a joint between `body` and its parent, after the joints already there.
    pub fn joint(&mut self, body: BodyId, joint: Joint) -> JointId {
        let (count, last) = self.joints;
        if body < last {
            self.late = Some((joint.name.clone(), body));
        }
        match self.bodies.get_mut(body.0) {
            Some((_, _, joints)) if body != BodyId::WORLD => {
                // most bodies have one, and a list makes room for four from the start
                if joints.is_empty() {
                    joints.reserve_exact(1);
                }
                joints.push(joint);
            }
            _ => self.misplaced = Some((joint.name, body.0)),
        }
        self.joints = (count + 1, last.max(body));
        JointId(count)
    }
    /// Adds a tendon.
    pub fn tendon(&mut self, tendon: FixedTendon) -> TendonId {
        self.tendons.push(tendon);
        TendonId(self.tendons.len() - 1)
    }
    /// Adds an actuator.
    pub fn actuator(&mut self, actuator: Actuator) -> ActuatorId {
        self.actuators.push(actuator);
        ActuatorId(self.actuators.len() - 1)
    }

    /// Adds a constraint between bodies or joints of this model.
    pub fn constraint(&mut self, constraint: Constraint) -> ConstraintId {
        self.constraints.push(constraint);
        ConstraintId(self.constraints.len() - 1)
    }

    /// Adds a site.
    pub fn site(&mut self, site: Site) -> SiteId {
        self.sites.push(site);
        SiteId(self.sites.len() - 1)
    }
    /// Adds a sensor.
    pub fn sensor(&mut self, sensor: Sensor) -> SensorId {
        self.sensors.push(sensor);
        SensorId(self.sensors.len() - 1)
    }

    /// Adds a bound in addition to those of joints and tendons.
    pub(crate) fn bound(&mut self, bound: Bound) {
        self.bounds.push(bound);
    }

    /// Sets the medium that the model moves through; without density and viscosity there is none.
    pub fn medium(&mut self, medium: Medium) -> &mut Self {
        self.medium = Some(medium);
        self
    }

    /// Checks the whole model and compiles it.
    pub fn build(mut self) -> Result<Model, ModelError> {
        if let Some((joint, body)) = self.misplaced {
            let world = body == BodyId::WORLD.0;
            return Err(if world {
                ModelError::JointOnWorld
            } else {
                ModelError::UnknownBody { joint, body }
            });
        }
        if let Some((joint, body)) = self.late {
            let body = self.bodies.swap_remove(body.0).1.name;
            return Err(ModelError::JointOrder { body, joint });
        }
        if let Some(medium) = &self.medium {
            medium.check()?;
        }
        let medium = self.medium.filter(|m| m.density > 0.0 || m.viscosity > 0.0);
        if !self.gravity.is_finite() {
            return Err(ModelError::BadGravity);
        }
        let mut defects = self.defects;
        let (mut bodies, mut joints) = (Vec::with_capacity(self.bodies.len()), Vec::new());
        let (mut nq, mut nv) = (0, 0);
        for (index, (parent, spec, own)) in self.bodies.into_iter().enumerate() {
            check_body(index, parent, &spec, &mut defects)?;
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
                gravity_compensation: spec.gravity_compensation,
                link: 0,
                pose_in_link: Pose::IDENTITY,
            });
        }
        check_names("bodies", bodies.iter().map(|b| b.name.as_str()))?;
        check_names("joints", joints.iter().map(|j| j.name.as_str()))?;
        name_and_check_tendons(&mut self.tendons, &joints)?;
        name_and_check_actuators(&mut self.actuators, &bodies, &joints, &self.tendons)?;
        name_and_check_constraints(&mut self.constraints, &bodies, &joints, &self.tendons)?;
        check_sites(&self.sites, &bodies)?;
        let (tendons, actuators) = (self.tendons.len(), self.actuators.len());
        let geoms = self.geoms.len();
        check_sensors(&self.sensors, &Parts { bodies: &bodies, joints: &joints, tendons, actuators, geoms })?;
        let geometry = Geometry::new(self.geoms, self.touching, &bodies, &mut defects)?;
        let tree = Tree::compile(&mut bodies, &joints, nq, nv, &mut defects)?;
        let hulls = medium.map(|_| bodies.iter().filter_map(Hull::new).collect()).unwrap_or_default();
        let carried = tree.carried(&bodies).map(Box::new);
        let layout = Layout::new(&joints);
        let mut bounds = bounds_of(&joints, &self.tendons);
        bounds.append(&mut self.bounds);
        let (tendons, actuators, constraints) = (self.tendons, self.actuators, self.constraints);
        Ok(Model {
            name: self.name,
            gravity: self.gravity,
            bodies,
            joints,
            tendons,
            actuators,
            constraints,
            sites: self.sites,
            sensors: self.sensors,
            bounds,
            geometry: Arc::new(geometry),
            tree,
            carried,
            medium,
            hulls,
            defects: defects.list,
            layout,
        })
    }
}

fn check_body(
    index: usize,
    parent: BodyId,
    spec: &BodySpec,
    defects: &mut Defects,
) -> Result<(), ModelError> {
    let body = || spec.name.clone();
    if index > 0 && parent.0 >= index {
        return Err(ModelError::UnknownParent { body: body(), parent: parent.0 });
    }
    if let Err(source) = spec.inertia.check() {
        let fatal = matches!(source, InertiaError::NotFinite { .. } | InertiaError::NegativeMass { .. });
        let error = ModelError::Inertia { body: body(), source };
        if fatal {
            return Err(error);
        }
        defects.meet(error)?;
    }
    let value = spec.gravity_compensation;
    if !value.is_finite() {
        return Err(ModelError::BadCompensation { body: body(), value });
    }
    pose_fault(spec.pose).map_err(|why| ModelError::BadPose { body: body(), why })
}

/// Gives default names, checks everything, and assigns an index to each activation.
fn name_and_check_actuators(
    actuators: &mut [Actuator],
    bodies: &[Body],
    joints: &[Joint],
    tendons: &[FixedTendon],
) -> Result<(), ModelError> {
    let mut activations = 0;
    for (k, actuator) in actuators.iter_mut().enumerate() {
        if actuator.name.is_empty() {
            actuator.name = format!("actuator{k}");
        }
        actuator.check(bodies, joints, tendons)?;
        let has_state = actuator.dynamics != ActuatorDynamics::None;
        actuator.activation = has_state.then_some(activations);
        activations += usize::from(has_state);
    }
    check_names("actuators", actuators.iter().map(|a| a.name.as_str()))
}

fn name_and_check_tendons(tendons: &mut [FixedTendon], joints: &[Joint]) -> Result<(), ModelError> {
    for (k, tendon) in tendons.iter_mut().enumerate() {
        if tendon.name.is_empty() {
            tendon.name = format!("tendon{k}");
        }
        tendon.check(joints)?;
    }
    check_names("tendons", tendons.iter().map(|t| t.name.as_str()))
}

fn name_and_check_constraints(
    constraints: &mut [Constraint],
    bodies: &[Body],
    joints: &[Joint],
    tendons: &[FixedTendon],
) -> Result<(), ModelError> {
    for (k, constraint) in constraints.iter_mut().enumerate() {
        if constraint.name.is_empty() {
            constraint.name = format!("constraint{k}");
        }
        constraint.check(bodies, joints, tendons)?;
    }
    check_names("constraints", constraints.iter().map(|c| c.name.as_str()))
}

fn check_joint(body: &str, joint: &mut Joint, joints_of_body: usize) -> Result<(), ModelError> {
    let (b, j) = (body.to_string(), joint.name.clone());
    match joint.kind.normalise() {
        Ok(()) => {}
        Err(AxisFault::NoDirection(V3 { x, y, z })) => {
            return Err(ModelError::BadAxis { body: b, joint: j, x, y, z });
        }
        Err(AxisFault::Parallel) => return Err(ModelError::ParallelAxes { body: b, joint: j }),
    }
    if joint.kind == JointKind::Free && joints_of_body > 1 {
        return Err(ModelError::FreeNotAlone { body: b, joint: j });
    }
    let pitch = if let JointKind::Helical { pitch, .. } = joint.kind { pitch } else { 0.0 };
    let positive = "a finite number of 0 or more";
    let finite = "a finite number";
    for (what, value, want) in [
        ("armature", joint.armature, positive),
        ("damping", joint.damping, positive),
        ("friction loss", joint.friction_loss, positive),
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
    if let Some(why) = joint.spring_pose.and_then(|rest| pose_fault(rest).err()) {
        let why = format!("the rest pose of joint \"{j}\": {why}");
        return Err(ModelError::BadPose { body: b, why });
    }
    if let Some(why) = joint.stop.fault() {
        return Err(ModelError::Limits { body: b, joint: j, why });
    }
    if joint.kind == JointKind::Free && joint.limits.is_some() {
        let why = "a free joint has no limits; use a joint with lines, or take the limits away".to_string();
        return Err(ModelError::Limits { body: b, joint: j, why });
    }
    let want = "a lower limit that is not above the upper one";
    for (range, lower_name, upper_name) in [
        (joint.limits, "lower limit", "upper limit"),
        (joint.actuator_force_range, "least actuator force", "greatest actuator force"),
    ] {
        if let Some((lower, upper)) = range.filter(|r| !is_range(*r)) {
            let (what, value) = if upper.is_nan() { (upper_name, upper) } else { (lower_name, lower) };
            return Err(ModelError::BadNumber { body: b, joint: j, what, value, want });
        }
    }
    Ok(())
}

pub(super) fn check_names<'a>(
    kind: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), ModelError> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(ModelError::DuplicateName { kind, name: name.to_string() });
        }
    }
    Ok(())
}
