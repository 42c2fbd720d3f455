//! The ledger: the sources of the energy of the motion.

use super::{Instrument, Moment, Place};
use crate::show::{ChannelInfo, Frame, Scenery};
use crate::track_settings::EnergyAccount;
use poinsot::algebra::V3;
use poinsot::audit::Line;
use poinsot::model::{BoundKind, Model};

/// Plots the lines of the ledger that a simulation keeps while it is watched: the work of each kind of force, the change of kinetic energy
/// that they add up to, and also the error of the method and the imbalance.
#[derive(Default)]
pub struct Ledger {
    lines: Vec<Line>,
}

impl Ledger {
    /// The groups for which a ledger must be kept.
    pub const GROUPS: [&str; 2] = ["ledger", "ledger error"];
}

impl Instrument for Ledger {
    fn declare(&mut self, model: &Model, place: Place, scenery: &mut Scenery) {
        self.lines = Line::ALL.into_iter().filter(|line| may_work(*line, model)).collect();
        let [all, error] = Self::GROUPS;
        let mut channel = |name: &str, group: &str| {
            let (name, group) = (name.to_string(), group.to_string());
            scenery.channels.push(ChannelInfo { name, unit: "J", group, track: place.track });
        };
        self.lines.iter().for_each(|line| channel(line.word(), all));
        channel("change of kinetic energy", all);
        channel("error of the method", error);
        channel("imbalance", error);
        scenery.on_demand.extend(Self::GROUPS);
        if !scenery.logarithmic.iter().any(|g| g == error) {
            scenery.logarithmic.push(error.to_string());
        }
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        let Some(EnergyAccount { work, kinetic }) = now.inside.and_then(|i| i.account) else {
            frame.channels.extend(std::iter::repeat_n(f64::NAN, self.lines.len() + 3));
            return;
        };
        frame.channels.extend(self.lines.iter().map(|line| work[*line as usize]));
        let imbalance = kinetic - work.iter().sum::<f64>();
        frame.channels.extend([kinetic, work[Line::Integration as usize], imbalance]);
    }
}

/// Whether a line can ever be anything but 0: a hand may pull any model, and any may be run in maximal coordinates, where joints are
/// constraints and their internal forces are external.
fn may_work(line: Line, model: &Model) -> bool {
    let (joints, tendons) = (model.joints(), model.tendons());
    let soft = |f: fn(f64, f64) -> bool| {
        model.constraints().iter().filter_map(|c| c.softness).any(|s| f(s.stiffness, s.damping))
    };
    // soft limits
    let end =
        |f: fn(f64, f64) -> bool| model.bounds().iter().filter_map(|b| b.stop.softness).any(|(k, c)| f(k, c));
    let touches = model.geoms().iter().any(|g| g.touches());
    match line {
        Line::Gravity => model.gravity() != V3::ZERO,
        Line::Springs => {
            joints.iter().any(|j| j.stiffness != 0.0)
                || tendons.iter().any(|t| t.stiffness != 0.0)
                || soft(|k, _| k != 0.0)
                || end(|k, _| k != 0.0)
        }
        Line::Dampers => {
            joints.iter().any(|j| j.damping != 0.0)
                || tendons.iter().any(|t| t.damping != 0.0)
                || soft(|_, c| c != 0.0)
                || end(|_, c| c != 0.0)
        }
        Line::Actuators => !model.actuators().is_empty(),
        Line::Medium => model.medium().is_some(),
        Line::Limits => model.bounds().iter().any(|b| !matches!(b.kind, BoundKind::Friction(_))),
        Line::Contact => touches,
        Line::Friction => touches || model.bounds().iter().any(|b| matches!(b.kind, BoundKind::Friction(_))),
        _ => true,
    }
}
