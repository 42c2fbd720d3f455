//! From a description to the model that is simulated.

mod constraint;
mod geometry;
mod names;
mod sensor;

pub(crate) use names::Names;
pub use sensor::refused_sensors;

use crate::description::{Actuator, Description, Joint, JointType, Target, Tendon, TendonPath};
use crate::diagnostic::Report;
use names::Places;
use poinsot_core::model::{
    self, ActuatorDynamics, ActuatorId, Bias, BodyId, BodySpec, FixedTendon, Gain, GeomId, JointId, Medium,
    Model, ModelBuilder, ModelError, TendonId, Transmission,
};

/// The numbers of coordinates and velocities of the joints.
pub(crate) fn sizes(description: &Description) -> (usize, usize) {
    let size = |kind: JointType| match kind {
        JointType::Hinge | JointType::Slide => (1, 1),
        JointType::Planar => (3, 3),
        JointType::Ball => (4, 3),
        JointType::Free => (7, 6),
    };
    let all = description.joints().map(|(_, j)| size(j.kind));
    all.fold((0, 0), |(q, v), (nq, nv)| (q + nq, v + nv))
}

/// The model; `None`, with errors in the report, if the description does not define one.
pub(crate) fn model(description: &Description, report: &mut Report) -> Option<Model> {
    let names = Names::new(description);
    let mut builder = ModelBuilder::new(description.name.clone());
    let o = &description.options;
    builder.gravity(o.gravity).lenient();
    builder.medium(Medium { density: o.density, viscosity: o.viscosity, wind: o.wind });
    let mut ids = add_bodies(&mut builder, description, &names);
    ids.geoms = geometry::add(&mut builder, description, &ids.bodies);
    let tendons = add_tendons(&mut builder, description, &names, &ids);
    let actuators = add_actuators(&mut builder, description, &names, &ids, &tendons);
    sensor::add(&mut builder, description, &names, &ids, (&tendons, &actuators), report);
    constraint::add(&mut builder, description, &names, &ids, &tendons, report);
    match builder.build() {
        Ok(model) => {
            // the readers report impossible inertias in more detail, at the element itself
            let beyond = |e: &&ModelError| !matches!(e, ModelError::Inertia { .. });
            let defects: Vec<&ModelError> = model.defects().iter().filter(beyond).collect();
            let places = Places::new(description, &names, !defects.is_empty());
            for defect in defects {
                let place = places.of(defect);
                let d = report.warning("model::defect", defect.to_string());
                d.place = place;
            }
            Some(model)
        }
        Err(error) => {
            let place = Places::new(description, &names, true).of(&error);
            report.error("model::impossible", error.to_string()).place = place;
            None
        }
    }
}

/// The ids that the builder assigned.
struct Ids {
    bodies: Vec<BodyId>,
    joints: Vec<JointId>,
    geoms: Vec<GeomId>,
}

fn add_bodies(builder: &mut ModelBuilder, description: &Description, names: &Names) -> Ids {
    let mut ids = Ids { bodies: vec![BodyId::WORLD], joints: Vec::new(), geoms: Vec::new() };
    let disabled = |flag: &str| description.options.is_disabled(flag);
    let (no_springs, no_dampers) = (disabled("spring"), disabled("damper"));
    for (k, body) in description.bodies.iter().enumerate().skip(1) {
        let spec = BodySpec::new(names.bodies[k].clone()).pose(body.pose).inertia(body.inertia);
        let id = builder.body(ids.bodies[body.parent], spec.gravity_compensation(body.gravity_compensation));
        for joint in &body.joints {
            let mut made = core_joint(joint).named(names.joints[ids.joints.len()].clone());
            if joint.kind == JointType::Free && joint.stiffness != 0.0 {
                made = made.spring_to(joint.stiffness, body.pose);
            }
            if no_springs {
                made.stiffness = 0.0;
            }
            if no_dampers {
                made.damping = 0.0;
            }
            if description.options.no_limits() {
                made.limits = None;
            }
            if description.options.no_dry_friction() {
                made.friction_loss = 0.0;
            }
            ids.joints.push(builder.joint(id, made));
        }
        ids.bodies.push(id);
    }
    ids
}

/// The tendons that are simulated: the fixed ones.
fn add_tendons(
    builder: &mut ModelBuilder,
    description: &Description,
    names: &Names,
    ids: &Ids,
) -> Vec<Option<TendonId>> {
    let references: Vec<f64> = description.joints().map(|(_, j)| j.reference).collect();
    let tendons = description.tendons.iter().zip(&names.tendons);
    tendons
        .map(|(tendon, name)| {
            let mut made = core_tendon(tendon, &references, ids)?;
            if description.options.is_disabled("spring") {
                made.stiffness = 0.0;
            }
            if description.options.is_disabled("damper") {
                made.damping = 0.0;
            }
            if description.options.no_limits() {
                made.limits = None;
            }
            if description.options.no_dry_friction() {
                made.friction_loss = 0.0;
            }
            Some(builder.tendon(made.named(name.clone())))
        })
        .collect()
}

/// An actuator that is not simulated keeps its place and delivers no force, so that control signals are in the order of
/// the file; those that are simulated have an id in the result.
fn add_actuators(
    builder: &mut ModelBuilder,
    description: &Description,
    names: &Names,
    ids: &Ids,
    tendons: &[Option<TendonId>],
) -> Vec<Option<ActuatorId>> {
    let mut all = Vec::with_capacity(description.actuators.len());
    let actuated = !description.options.is_disabled("actuation");
    let unclamped = description.options.is_disabled("clampctrl");
    for (k, actuator) in description.actuators.iter().enumerate() {
        let mut made = core_actuator(actuator, tendons, ids).filter(|_| actuated);
        if let (Some(a), true) = (&mut made, unclamped) {
            a.control_range = None;
        }
        let idle = || {
            let nowhere =
                Transmission::Site { body: BodyId::WORLD, pose: poinsot_core::spatial::Pose::IDENTITY };
            model::Actuator::general(nowhere).gain(Gain::Fixed(0.0))
        };
        let simulated = made.is_some();
        let id = builder.actuator(made.unwrap_or_else(idle).named(names.actuators[k].clone()));
        all.push(simulated.then_some(id));
    }
    all
}

fn core_tendon(tendon: &Tendon, references: &[f64], ids: &Ids) -> Option<FixedTendon> {
    let TendonPath::Fixed(terms) = &tendon.path else { return None };
    let mut made = FixedTendon::new(terms.iter().map(|(joint, c)| (ids.joints[*joint], *c)));
    if tendon.stiffness != 0.0 {
        let length = reference_length(terms, references);
        let (lower, upper) = tendon.spring_length.unwrap_or((length, length));
        made = made.spring(tendon.stiffness, lower, upper);
    }
    if let Some((lower, upper)) = tendon.range {
        made = made.limits(lower, upper);
    }
    made.stop.softness = tendon.soft_limit;
    Some(made.damping(tendon.damping).friction_loss(tendon.friction_loss))
}

/// The length in the reference configuration.
fn reference_length(terms: &[(usize, f64)], references: &[f64]) -> f64 {
    terms.iter().map(|(joint, c)| c * references[*joint]).sum()
}

fn core_actuator(actuator: &Actuator, tendons: &[Option<TendonId>], ids: &Ids) -> Option<model::Actuator> {
    let transmission = match &actuator.target {
        Target::Joint { joint, in_parent } => {
            Transmission::Joint { joint: ids.joints[*joint], in_parent: *in_parent }
        }
        Target::Tendon(k) => Transmission::Tendon(tendons[*k]?),
        Target::Site { body, pose, reference: None } => {
            Transmission::Site { body: ids.bodies[*body], pose: *pose }
        }
        Target::Site { .. } | Target::SliderCrank { .. } | Target::Body(_) => return None,
    };
    let number = |list: &[f64], k: usize| list.get(k).copied().unwrap_or(0.0);
    let affine = |list: &[f64]| [number(list, 0), number(list, 1), number(list, 2)];
    let time_constant = number(&actuator.dynamics_parameters, 0);
    let dynamics = match actuator.dynamics.as_str() {
        "none" => ActuatorDynamics::None,
        "integrator" => ActuatorDynamics::Integrator,
        "filter" => ActuatorDynamics::Filter { time_constant },
        "filterexact" => ActuatorDynamics::FilterExact { time_constant },
        _ => return None,
    };
    let [constant, length, velocity] = affine(&actuator.gain_parameters);
    let gain = match actuator.gain.as_str() {
        "fixed" => Gain::Fixed(constant),
        "affine" => Gain::Affine { constant, length, velocity },
        _ => return None,
    };
    let [constant, length, velocity] = affine(&actuator.bias_parameters);
    let bias = match actuator.bias.as_str() {
        "none" => Bias::None,
        "affine" => Bias::Affine { constant, length, velocity },
        _ => return None,
    };
    let mut made = model::Actuator::general(transmission).gear(actuator.gear).dynamics(dynamics);
    (made.gain, made.bias) = (gain, bias);
    (made.control_range, made.force_range) = (actuator.control_range, actuator.force_range);
    made.activation_range = actuator.activation_range;
    Some(made)
}

fn core_joint(joint: &Joint) -> model::Joint {
    let kind = match joint.kind {
        JointType::Hinge => model::Joint::revolute(joint.axis),
        JointType::Slide => model::Joint::prismatic(joint.axis),
        JointType::Ball => model::Joint::spherical(),
        JointType::Free => model::Joint::free(),
        JointType::Planar => model::Joint::planar(joint.axis),
    };
    let mut made = kind.reference(joint.reference).armature(joint.armature).damping(joint.damping);
    // a free body has no place in its parent to turn about
    if joint.kind != JointType::Free {
        made = made.anchor(joint.anchor);
    }
    if joint.stiffness != 0.0 {
        made = made.spring(joint.stiffness, joint.spring_reference);
    }
    if let Some((lower, upper)) = joint.actuator_force_range {
        made = made.actuator_force_range(lower, upper);
    }
    made = made.friction_loss(joint.friction_loss);
    let limited = matches!(joint.kind, JointType::Hinge | JointType::Slide | JointType::Ball);
    if let (Some((lower, upper)), true) = (joint.range, limited) {
        made = made.limits(lower, upper);
    }
    made.stop.softness = joint.soft_limit;
    made
}
