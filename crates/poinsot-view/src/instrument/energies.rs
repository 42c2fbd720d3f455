//! The energies by kind, and the change of their sum since the beginning.

use super::{Instrument, Moment, Place};
use crate::show::{ChannelInfo, Frame, Scenery};
use poinsot::algebra::V3;
use poinsot::constraint::Multipliers;
use poinsot::dynamics::Workspace;
use poinsot::model::Model;
use std::sync::Arc;

/// Kinetic energy, that of gravity and of springs (including soft constraints), their sum, and its change.
#[derive(Default)]
pub struct Energies {
    gravity: bool,
    springs: bool,
    /// Soft constraints, if there are any.
    soft: Option<(Workspace, Multipliers)>,
    first: Option<f64>,
}

impl Instrument for Energies {
    fn set_model(&mut self, model: &Arc<Model>) {
        let soft = model.constraints().iter().any(|c| c.softness.is_some());
        self.soft = soft.then(|| (Workspace::new(model), Multipliers::new(model)));
    }

    fn declare(&mut self, model: &Model, place: Place, scenery: &mut Scenery) {
        self.gravity = model.gravity() != V3::ZERO;
        self.springs = model.joints().iter().any(|j| j.stiffness != 0.0)
            || model.tendons().iter().any(|t| t.stiffness != 0.0)
            || model.constraints().iter().any(|c| c.softness.is_some());
        let mut channel = |name: &str, group: &str| {
            let (name, group) = (name.to_string(), group.to_string());
            scenery.channels.push(ChannelInfo { name, unit: "J", group, track: place.track });
        };
        channel("kinetic", "energy");
        if self.gravity {
            channel("gravity", "energy");
        }
        if self.springs {
            channel("springs", "energy");
        }
        channel("total", "energy");
        channel("change of energy", "energy change");
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        let in_soft = self.soft.as_mut().map_or(0.0, |(workspace, multipliers)| {
            multipliers.energy(now.model, workspace, &now.state.q, &now.state.v)
        });
        let (kinetic, potential) = (now.at.kinetic_energy(), now.at.potential_energy() + in_soft);
        frame.channels.push(kinetic);
        let weight = now.at.gravity_energy() + now.at.compensation_energy();
        if self.gravity {
            frame.channels.push(weight);
        }
        if self.springs {
            frame.channels.push(potential - weight);
        }
        let total = kinetic + potential;
        frame.channels.push(total);
        frame.channels.push(total - *self.first.get_or_insert(total));
    }

    fn reset(&mut self) {
        self.first = None;
    }
}
