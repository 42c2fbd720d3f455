//! Linear and angular momentum of the whole model, as arrows at the centre of mass and as numbers.

use super::{Instrument, Moment, Place};
use crate::show::{ArrowInfo, ChannelInfo, Frame, Scenery};
use poinsot::algebra::V3;
use poinsot::model::{BodyId, JointKind, Model};

/// Models with more bodies than this get arrows of the whole only.
const MOST_BODIES: usize = 100;

/// The whole model's momentum, its angular momentum, and the momentum of each body. Angular momentum is about the centre of mass; for a
/// model that turns about one fixed point it is about that point, because there gravity leaves a part of it unchanged.
///
/// Arrows of a kind are drawn to one scale: the longest so far has about half the size of the model.
#[derive(Default)]
pub struct Momenta {
    size: f64,
    /// The fixed point, where there is one.
    fixed: Option<V3>,
    bodies: Vec<BodyId>,
    largest: [f64; 3],
}

const LINEAR: [f64; 3] = [0.0, 0.62, 0.451];
const ANGULAR: [f64; 3] = [0.8, 0.475, 0.655];

impl Instrument for Momenta {
    fn declare(&mut self, model: &Model, place: Place, scenery: &mut Scenery) {
        self.size = place.size;
        self.fixed = fixed_point(model);
        let massive = model.body_ids().zip(model.bodies()).skip(1).filter(|(_, b)| b.inertia.mass > 0.0);
        self.bodies = massive.map(|(id, _)| id).collect();
        if self.bodies.len() > MOST_BODIES || self.bodies.len() == 1 {
            self.bodies.clear();
        }
        let mut arrow = |name: String, colour: [f64; 3], layer: &'static str| {
            scenery.arrows.push(ArrowInfo { name, colour, layer });
        };
        arrow("momentum".into(), LINEAR, "momenta");
        arrow("angular momentum".into(), ANGULAR, "momenta");
        for body in &self.bodies {
            let name = &model.bodies()[body.index()].name;
            arrow(format!("momentum of {name}"), place.colour, "momenta of bodies");
        }
        let mut channel = |name: String, unit: &'static str, group: &str| {
            scenery.channels.push(ChannelInfo { name, unit, group: group.to_string(), track: place.track });
        };
        for (letter, group, unit) in [("P", "momentum", "kg m/s"), ("L", "angular momentum", "kg m²/s")] {
            ["x", "y", "z"].into_iter().for_each(|axis| channel(format!("{letter} {axis}"), unit, group));
        }
        channel("|L|".into(), "kg m²/s", "size of angular momentum");
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        let com = now.at.com();
        let about = now.at.momentum().about(self.fixed.unwrap_or(com));
        for (kind, vector) in [(0, about.force), (1, about.moment)] {
            let along = self.scaled(kind, vector);
            frame.arrow(now.offset + com, along);
            frame.channels.extend(vector.array());
        }
        frame.channels.push(about.moment.norm());
        for k in 0..self.bodies.len() {
            let (id, pose) = (self.bodies[k], now.at.pose(self.bodies[k]));
            let body = &now.model.bodies()[id.index()];
            let along = self.scaled(2, pose.rot * now.at.body_momentum(id).force);
            frame.arrow(now.offset + pose.point(body.inertia.com()), along);
        }
    }

    fn reset(&mut self) {
        self.largest = [0.0; 3];
    }
}

impl Momenta {
    fn scaled(&mut self, kind: usize, vector: V3) -> V3 {
        self.largest[kind] = self.largest[kind].max(vector.norm());
        // round-off counts as zero
        if self.largest[kind] < 1e-9 { V3::ZERO } else { vector * (0.5 * self.size / self.largest[kind]) }
    }
}

/// The point about which the whole model turns, if it is attached by a single ball joint.
fn fixed_point(model: &Model) -> Option<V3> {
    let mut roots = model.bodies().iter().skip(1).filter(|b| b.parent == BodyId::WORLD);
    let (root, None) = (roots.next()?, roots.next()) else { return None };
    match &model.joints()[root.joints.clone()] {
        [joint] if joint.kind == JointKind::Spherical => Some(root.pose.point(joint.anchor)),
        _ => None,
    }
}
