//! The drift of constraints.

use super::{Instrument, Moment, Place};
use crate::show::{ChannelInfo, Frame, Scenery};
use poinsot::constraint::Multipliers;
use poinsot::dynamics::Workspace;
use poinsot::model::Model;
use std::sync::Arc;

/// Plots the violation of the worst rigid constraint. In a track in maximal coordinates joints are constraints, whose violation only its
/// simulation knows.
#[derive(Default)]
pub struct Drift {
    /// None for a model without constraints.
    multipliers: Option<(Workspace, Multipliers)>,
}

const GROUP: &str = "constraint drift";

impl Instrument for Drift {
    fn set_model(&mut self, model: &Arc<Model>) {
        let any = !model.constraints().is_empty();
        self.multipliers = any.then(|| (Workspace::new(model), Multipliers::new(model)));
    }

    fn declare(&mut self, _: &Model, place: Place, scenery: &mut Scenery) {
        let (name, group) = ("worst violation".to_string(), GROUP.to_string());
        scenery.channels.push(ChannelInfo { name, unit: "m or rad", group, track: place.track });
        scenery.on_demand.push(GROUP);
        if !scenery.logarithmic.iter().any(|g| g == GROUP) {
            scenery.logarithmic.push(GROUP.to_string());
        }
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        let drift = match (now.wants.any(&[GROUP]), now.inside, &mut self.multipliers) {
            (false, ..) => f64::NAN,
            (true, Some(inside), _) => inside.drift,
            (true, None, Some((workspace, multipliers))) => {
                multipliers.violation(now.model, workspace, &now.state.q).size
            }
            (true, None, None) => 0.0,
        };
        frame.channels.push(drift);
    }
}
