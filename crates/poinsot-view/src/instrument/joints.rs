//! Coordinates and velocities of joints, and control signals.

use super::{Instrument, Moment, Place};
use crate::show::{ChannelInfo, Frame, Scenery};
use poinsot::model::{Joint, Model};
use poinsot::names::{Space, parts, unit};

/// The first joints and control signals, and the joints that a user asks for.
#[derive(Default)]
pub struct Joints {
    watched: Vec<usize>,
    /// The joints that were declared.
    shown: Vec<usize>,
}

/// How many coordinates and control signals are sent by default: thousands would be more than a page can show.
const MOST: usize = 500;

impl Joints {
    /// The group of the coordinates of a joint.
    pub fn group(joint: &str) -> String {
        format!("joint {joint}")
    }
}

fn channels(joint: &Joint, space: Space, track: usize) -> impl Iterator<Item = ChannelInfo> + '_ {
    let parts = parts(joint.kind, space);
    parts.iter().enumerate().map(move |(k, part)| {
        let name = if parts.len() == 1 { joint.name.clone() } else { format!("{}.{part}", joint.name) };
        let group = match space {
            Space::Position => Joints::group(&joint.name),
            Space::Velocity => format!("velocity of {}", joint.name),
        };
        ChannelInfo { name, unit: unit(joint.kind, space, k), group, track }
    })
}

impl Instrument for Joints {
    fn declare(&mut self, model: &Model, place: Place, scenery: &mut Scenery) {
        let (joints, track) = (model.joints(), place.track);
        let first = joints.iter().take_while(|j| j.coordinates().end <= MOST).count();
        self.watched.retain(|k| (first..joints.len()).contains(k));
        self.shown = (0..first).chain(self.watched.iter().copied()).collect();
        for space in [Space::Position, Space::Velocity] {
            scenery.channels.extend(self.shown.iter().flat_map(|k| channels(&joints[*k], space, track)));
        }
        let control =
            |name: &String| ChannelInfo { name: name.clone(), unit: "", group: "controls".into(), track };
        scenery.channels.extend(model.actuators().iter().take(MOST).map(|a| control(&a.name)));
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        let joints = || self.shown.iter().map(|k| &now.model.joints()[*k]);
        frame.channels.extend(joints().flat_map(|j| &now.state.q[j.coordinates()]));
        frame.channels.extend(joints().flat_map(|j| &now.state.v[j.dofs()]));
        frame.channels.extend(now.control.iter().take(MOST));
    }

    fn watch(&mut self, joint: usize) {
        if !self.watched.contains(&joint) {
            self.watched.push(joint);
        }
    }
}
