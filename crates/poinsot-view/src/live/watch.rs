//! Plots additional joints: the scenery is declared again, and the past with it.

use super::session::{Problem, Session};
use crate::instrument::Joints;
use crate::show::ChannelInfo;

/// The source of a past value.
#[derive(Clone, Copy)]
enum Found {
    Channel(usize),
    Coordinate(usize),
    Velocity(usize),
}

impl Session {
    /// Plots a joint, given by its index over all tracks, whose values have not been sent so far.
    pub(super) fn watch(&mut self, number: usize) -> Problem {
        let (track, joint) = self.locate(number, "joint", |r| r.model().joints().len())?;
        let joint_now = &self.runners[track].model().joints()[joint];
        let (coordinates, velocities) = (joint_now.coordinates(), joint_now.dofs());
        let group = Joints::group(&joint_now.name);
        if coordinates.is_empty() {
            return Err(format!("joint \"{}\" is fixed: there is nothing to plot", joint_now.name));
        }
        let scenery = self.projector.scenery();
        let (sent, plotted) = (scenery.joints[number].channel.is_some(), scenery.plots.contains(&group));
        if sent && plotted {
            return Ok(());
        }
        if !sent {
            let before = self.projector.scenery().channels.clone();
            self.projector.watch(track, joint);
            let added = coordinates.map(Found::Coordinate).chain(velocities.map(Found::Velocity));
            let found = places(&before, &self.projector.scenery().channels, added);
            self.history.rearrange(|moment| {
                let state = moment.tracks[track].snapshot.state();
                let number = |place: &Found| match *place {
                    Found::Channel(k) => moment.channels[k],
                    Found::Coordinate(k) => state.q[k],
                    Found::Velocity(k) => state.v[k],
                };
                found.iter().map(number).collect()
            });
        }
        if !plotted {
            self.projector.scenery_mut().plots.push(group);
        }
        self.show_again();
        Ok(())
    }
}

/// For each channel the source of its past: earlier channels keep their order, the others are `added`.
fn places(before: &[ChannelInfo], now: &[ChannelInfo], mut added: impl Iterator<Item = Found>) -> Vec<Found> {
    let mut kept = 0;
    let place = |channel: &ChannelInfo| {
        if before.get(kept) == Some(channel) {
            kept += 1;
            return Some(Found::Channel(kept - 1));
        }
        added.next()
    };
    now.iter().filter_map(place).collect()
}
