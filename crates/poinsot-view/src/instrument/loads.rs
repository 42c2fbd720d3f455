//! Joint reactions and constraint forces.

use super::{Instrument, Moment, Place};
use crate::show::{ArrowInfo, ChannelInfo, Frame, Scenery};
use poinsot::algebra::V3;
use poinsot::constraint::Reactions;
use poinsot::dynamics::ExternalForces;
use poinsot::integrate::{ForceElement, ModelRef, System};
use poinsot::model::{BodyId, Constraint, ConstraintKind, JointId, JointKind, Model};
use poinsot::spatial::Force;
use std::sync::{Arc, Mutex, PoisonError};

/// The force and torque that each joint exerts on its body, as arrows at the joint and as magnitudes; and the magnitude of the force of
/// each constraint. Free joints transmit nothing.
///
/// Arrows are drawn to one scale for the whole run: the weight of the model, or without weight the largest initial force, is an arrow of a
/// third of the model's size. A torque is drawn like a force that exerts it with a lever arm of half that size. No arrow is longer than the
/// size of the model.
#[derive(Default)]
pub struct Loads {
    probe: Option<Probe>,
    joints: Vec<(JointId, BodyId, V3)>,
    constraints: usize,
    size: f64,
    /// The force drawn as an arrow of a third of the model's size.
    unit: Option<f64>,
}

/// The force of a wrench, or its moment.
type Part = fn(&Force) -> V3;

/// Models with more joints than this get no arrows, and only the largest of their reactions is plotted.
const MOST: usize = 60;
const LAYER: &str = "joint reactions";
const FORCES: &str = "reaction forces";
const TORQUES: &str = "reaction torques";
const HOLDING: &str = "constraint forces";
const FORCE: [f64; 3] = [0.835, 0.369, 0.0];
const TORQUE: [f64; 3] = [0.337, 0.706, 0.914];

impl Instrument for Loads {
    fn set_model(&mut self, model: &Arc<Model>) {
        self.probe = Some(Probe::new(model));
    }

    fn declare(&mut self, model: &Model, place: Place, scenery: &mut Scenery) {
        let weight = model.mass() * model.gravity().norm();
        self.unit = self.unit.or((weight > 0.0).then_some(weight));
        self.size = place.size;
        self.joints = transmitting(model);
        self.constraints = model.constraints().len().min(MOST);
        let name = |joint: &JointId| model.joints()[joint.index()].name.clone();
        for (what, colour) in [("force", FORCE), ("torque", TORQUE)] {
            for (joint, ..) in self.drawn() {
                let name = format!("{what} of {}", name(joint));
                scenery.arrows.push(ArrowInfo { name, colour, layer: LAYER });
            }
        }
        let mut channel = |name: String, unit: &'static str, group: &str| {
            let (group, track) = (group.to_string(), place.track);
            scenery.channels.push(ChannelInfo { name, unit, group, track });
        };
        for (group, unit) in [(FORCES, "N"), (TORQUES, "N m")] {
            if self.joints.len() > MOST {
                channel("largest".into(), unit, group);
            }
            self.drawn().iter().for_each(|(joint, ..)| channel(name(joint), unit, group));
        }
        let constraints = model.constraints().iter().take(self.constraints);
        constraints.for_each(|c| channel(c.name.clone(), unit_of(c), HOLDING));
        scenery.on_demand.extend([LAYER, FORCES, TORQUES, HOLDING]);
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        // a film does not include activations
        let known = now.inside.is_some() || now.model.activations() == 0;
        let wanted = known && now.wants.any(&[LAYER, FORCES, TORQUES, HOLDING]);
        let Some(probe) = self.probe.as_mut().filter(|_| wanted) else {
            self.read_nothing(frame);
            return;
        };
        probe.look(now);
        let wrenches = self.joints.iter().map(|(joint, ..)| probe.reactions.of(*joint));
        let largest = |part: Part| wrenches.clone().map(|w| part(&w).norm()).fold(0.0, f64::max);
        let (force, moment): (Part, Part) = (|w| w.force, |w| w.moment);
        let most = largest(force);
        if self.unit.is_none() && most > 1e-9 {
            self.unit = Some(most);
        }
        let scale = self.unit.map_or(0.0, |unit| self.size / (3.0 * unit));
        for (part, metres) in [(force, scale), (moment, 2.0 * scale / self.size)] {
            if self.joints.len() > MOST {
                frame.channels.push(largest(part));
                continue;
            }
            for ((_, body, anchor), wrench) in self.joints.iter().zip(wrenches.clone()) {
                let along = part(&wrench) * metres;
                let shorter = (self.size / along.norm()).min(1.0);
                frame.arrow(now.offset + now.at.pose(*body).point(*anchor), along * shorter);
                frame.channels.push(part(&wrench).norm());
            }
        }
        let constraints = now.model.constraints().iter().take(self.constraints).enumerate();
        frame.channels.extend(constraints.map(|(k, c)| probe.holding(now.model, k, c)));
    }
}

impl Loads {
    /// The joints that have their own arrows and channels.
    fn drawn(&self) -> &[(JointId, BodyId, V3)] {
        if self.joints.len() > MOST { &[] } else { &self.joints }
    }

    fn read_nothing(&self, frame: &mut Frame) {
        let own = if self.joints.len() > MOST { 1 } else { self.joints.len() };
        frame.channels.extend(std::iter::repeat_n(f64::NAN, 2 * own + self.constraints));
        frame.arrows.extend(std::iter::repeat_n([f32::NAN; 6], 2 * self.drawn().len()));
    }
}

/// The joints that transmit forces, the bodies they move, and their positions on these.
fn transmitting(model: &Model) -> Vec<(JointId, BodyId, V3)> {
    let joints: Vec<JointId> = model.joint_ids().collect();
    let mut all = Vec::new();
    for (id, body) in model.body_ids().zip(model.bodies()) {
        for k in body.joints.clone() {
            let joint = &model.joints()[k];
            if !matches!(joint.kind, JointKind::Free | JointKind::Fixed) {
                all.push((joints[k], id, joint.anchor));
            }
        }
    }
    all
}

/// A system of its own next to the simulation, which computes accelerations at the states that are shown.
struct Probe {
    system: System<'static>,
    reactions: Reactions,
    acceleration: Vec<f64>,
    outside: ExternalForces,
    pull: Arc<Mutex<Vec<f64>>>,
}

/// Generalised forces as set by the user.
struct Given(Arc<Mutex<Vec<f64>>>);

impl ForceElement for Given {
    fn add_forces(&self, _: &Model, _: f64, _: &[f64], _: &[f64], tau: &mut [f64]) {
        let given = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tau.iter_mut().zip(given.iter()).for_each(|(t, g)| *t += g);
    }
}

impl Probe {
    fn new(model: &Arc<Model>) -> Probe {
        let pull = Arc::new(Mutex::new(vec![0.0; model.nv()]));
        let mut system = System::of(ModelRef::Shared(model.clone()));
        system.push(Given(pull.clone()));
        Probe {
            system,
            reactions: Reactions::new(model),
            acceleration: vec![0.0; model.nv()],
            outside: ExternalForces::new(model),
            pull,
        }
    }

    /// Computes accelerations, multipliers and reactions.
    fn look(&mut self, now: &Moment) {
        let (q, v) = (&now.state.q, &now.state.v);
        self.system.control_mut().copy_from_slice(now.control);
        self.outside.clear();
        let mut pull = self.pull.lock().unwrap_or_else(PoisonError::into_inner);
        pull.fill(0.0);
        if let Some((body, point, force)) = now.inside.and_then(|i| i.pull) {
            self.outside.push_at(&now.at, body, force, point);
            self.system.workspace().add_external(now.model, q, &self.outside, 1.0, &mut pull);
        }
        drop(pull);
        self.system.acceleration(now.state, &mut self.acceleration);
        let (workspace, multipliers) = self.system.constraints();
        let (a, multipliers) = (&self.acceleration, multipliers.map(|h| &*h));
        multipliers.iter().for_each(|h| h.push_soft_forces(&mut self.outside));
        self.reactions.find(now.model, workspace, q, v, a, multipliers, Some(&self.outside));
    }

    /// The magnitude of the force of constraint `k`; for a coupling and a rotor that of its rows.
    fn holding(&self, model: &Model, k: usize, constraint: &Constraint) -> f64 {
        let (Some(multipliers), Some(id)) = (self.system.multipliers(), model.constraint_ids().nth(k)) else {
            return 0.0;
        };
        let rows = multipliers.rows_of(id).take(force_rows(constraint));
        rows.map(|row| multipliers.force(row) * multipliers.force(row)).sum::<f64>().sqrt()
    }
}

/// The number of rows of a constraint that are forces; these come first.
fn force_rows(constraint: &Constraint) -> usize {
    match &constraint.kind {
        ConstraintKind::Joint { kind, .. } => match kind {
            JointKind::Prismatic { .. } | JointKind::Cylindrical { .. } => 2,
            JointKind::Planar { .. } => 1,
            JointKind::Free => 0,
            _ => 3,
        },
        _ => constraint.rows(),
    }
}

fn unit_of(constraint: &Constraint) -> &'static str {
    match constraint.kind {
        ConstraintKind::Coupling { .. }
        | ConstraintKind::Tendon { .. }
        | ConstraintKind::Relation(_)
        | ConstraintKind::Rotor { .. } => "",
        _ => "N",
    }
}
