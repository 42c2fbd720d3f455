//! Where constraints act.

use super::{Instrument, Moment, Place};
use crate::look::z_to;
use crate::show::{Frame, On, Scenery, SolidInfo, TraceInfo};
use poinsot::algebra::V3;
use poinsot::dynamics::At;
use poinsot::model::{Constraint, ConstraintKind, JointId, Model, Mount};
use poinsot::spatial::Pose;

/// Marks the points where constraints act on their bodies, and draws a rod between them: the bar of a distance, the rope, the gap of a soft
/// joint. A rolling wheel is marked where it touches, and draws its path there. Couplings and tendons are drawn from joint to joint.
#[derive(Default)]
pub struct Anchors {
    marks: Vec<Mark>,
    radius: f64,
}

/// A rod between two places, with a ball at each.
enum Mark {
    Between(Mount, Mount),
    Touch { wheel: Mount, ring: f64, tube: f64, ground: Mount },
}

/// More marks than this would hide the model.
const MOST: usize = 60;
/// How long the path of a wheel on the ground stays, s.
const PATH: f64 = 20.0;
const LAYER: &str = "constraints";
const RIGID: [f64; 4] = [0.835, 0.369, 0.0, 0.85];
const SOFT: [f64; 4] = [0.0, 0.62, 0.451, 0.85];

impl Instrument for Anchors {
    fn declare(&mut self, model: &Model, place: Place, scenery: &mut Scenery) {
        self.radius = 0.04 * place.size;
        self.marks.clear();
        for constraint in model.constraints() {
            for mark in marks(model, constraint) {
                if self.marks.len() == MOST {
                    return;
                }
                let rgba = if constraint.softness.is_some() { SOFT } else { RIGID };
                for form in ["ellipsoid", "ellipsoid", "rod"] {
                    scenery.solids.push(SolidInfo {
                        name: constraint.name.clone(),
                        form,
                        rgba,
                        layer: LAYER,
                    });
                }
                if let Mark::Touch { .. } = mark {
                    scenery.traces.push(TraceInfo {
                        name: format!("path of {}", constraint.name),
                        colour: place.colour,
                        layer: "trails",
                        on: On::World,
                        lasts: Some(PATH),
                    });
                }
                self.marks.push(mark);
            }
        }
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        for mark in &self.marks {
            let [a, b] = mark.ends(&now.at).map(|p| now.offset + p);
            for end in [a, b] {
                frame.solid(Pose::translation(end), V3::new(self.radius, self.radius, self.radius));
            }
            let (way, thin) = (b - a, 0.22 * self.radius);
            let length = way.norm();
            if length > 1e-3 * self.radius {
                let pose = Pose { rot: z_to(way * (1.0 / length)), pos: (a + b) * 0.5 };
                frame.solid(pose, V3::new(thin, thin, 0.5 * length));
            } else {
                frame.solids.push([f32::NAN; 10]);
            }
            if let Mark::Touch { .. } = mark {
                frame.trace(a);
            }
        }
    }
}

fn marks(model: &Model, constraint: &Constraint) -> Vec<Mark> {
    match &constraint.kind {
        ConstraintKind::Point { a, b }
        | ConstraintKind::Joint { a, b, .. }
        | ConstraintKind::Distance { a, b, .. }
        | ConstraintKind::Rope { a, b, .. }
        | ConstraintKind::Plane { a, b } => vec![Mark::Between(*a, *b)],
        ConstraintKind::Rolling { wheel, ring, tube, ground } => {
            vec![Mark::Touch { wheel: *wheel, ring: *ring, tube: *tube, ground: *ground }]
        }
        ConstraintKind::Coupling { joint, other, .. } => {
            let joints: Vec<JointId> = [Some(*joint), other.map(|o| o.0)].into_iter().flatten().collect();
            along(model, &joints)
        }
        ConstraintKind::Tendon { tendon, other, .. } => {
            let both = [Some(*tendon), other.map(|o| o.0)].into_iter().flatten();
            let joints = |t: usize| model.tendons()[t].terms.iter().map(|(joint, _)| *joint).collect();
            both.flat_map(|t| along(model, &joints(t.index()) as &Vec<JointId>)).collect()
        }
        ConstraintKind::Relation(relation) => {
            relation.terms().map(|(t, _)| Mark::Between(t.a, t.b)).collect()
        }
        _ => Vec::new(),
    }
}

/// From joint to joint.
fn along(model: &Model, joints: &[JointId]) -> Vec<Mark> {
    let mount = |joint: JointId| {
        let place = model.bodies().iter().position(|b| b.joints.contains(&joint.index()));
        let body = place.and_then(|k| model.body_ids().nth(k))?;
        Some(Mount::new(body, model.joints()[joint.index()].anchor))
    };
    let places: Vec<Mount> = joints.iter().filter_map(|j| mount(*j)).collect();
    places.windows(2).map(|pair| Mark::Between(pair[0], pair[1])).collect()
}

impl Mark {
    /// Where it is in the world.
    fn ends(&self, at: &At) -> [V3; 2] {
        let place = |mount: &Mount| at.pose(mount.body) * mount.pose;
        match self {
            Mark::Between(a, b) => [place(a).pos, place(b).pos],
            Mark::Touch { wheel, ring, tube, ground } => {
                let (ground, wheel) = (place(ground), place(wheel));
                let (n, u) = (ground.rot.z, wheel.rot.z);
                let across = n - u * n.dot(u);
                let length = across.norm();
                let down = if length > 0.0 { across * (ring / length) } else { V3::ZERO };
                let touch = wheel.pos - n * *tube - down;
                [touch, touch]
            }
        }
    }
}
