//! Coordinates and velocities of joints, and control signals.

use super::{Instrument, Moment, Place};
use crate::show::{ChannelInfo, Frame, Scenery};
use poinsot::model::Model;
use poinsot::names::{Space, parts, unit};

/// The first coordinates, velocities and control signals: so many of each.
pub struct Joints;

/// How many numbers of each kind are sent: thousands of joints would be more than a page can show.
const MOST: usize = 500;

impl Joints {
    /// The group of the coordinates of a joint.
    pub fn group(joint: &str) -> String {
        format!("joint {joint}")
    }
}

impl Instrument for Joints {
    fn declare(&mut self, model: &Model, place: Place, scenery: &mut Scenery) {
        let track = place.track;
        for space in [Space::Position, Space::Velocity] {
            let all = model.joints().iter().flat_map(|joint| {
                let parts = parts(joint.kind, space);
                parts.iter().enumerate().map(move |(k, part)| {
                    let name =
                        if parts.len() == 1 { joint.name.clone() } else { format!("{}.{part}", joint.name) };
                    let group = match space {
                        Space::Position => Joints::group(&joint.name),
                        Space::Velocity => format!("velocity of {}", joint.name),
                    };
                    ChannelInfo { name, unit: unit(joint.kind, space, k), group, track }
                })
            });
            scenery.channels.extend(all.take(MOST));
        }
        let control =
            |name: &String| ChannelInfo { name: name.clone(), unit: "", group: "controls".into(), track };
        scenery.channels.extend(model.actuators().iter().take(MOST).map(|a| control(&a.name)));
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        frame.channels.extend(now.state.q.iter().take(MOST));
        frame.channels.extend(now.state.v.iter().take(MOST));
        frame.channels.extend(now.control.iter().take(MOST));
    }
}
