//! The distance between two tracks that show the same model.

use super::{Instrument, Moment, Place};
use crate::show::{ChannelInfo, Frame, Scenery};
use poinsot::algebra::V3;
use poinsot::model::Model;
use std::sync::{Arc, Mutex, PoisonError};

/// Two instruments for two tracks of one model, the first before the second: log₁₀ of the largest distance between a body of one and the
/// same body of the other. While one track lags behind the other, it is that of the last common time.
#[derive(Default)]
pub struct Deviation {
    /// The time of the first track, and the positions of its bodies.
    places: Arc<Mutex<(f64, Vec<V3>)>>,
    second: bool,
    last: f64,
}

/// Smaller distances are round-off, m.
const NEAR: f64 = 1e-16;

impl Deviation {
    /// For the first track and for the second.
    pub fn pair() -> (Deviation, Deviation) {
        let first = Deviation::default();
        let second = Deviation { places: first.places.clone(), second: true, last: 0.0 };
        (first, second)
    }
}

impl Instrument for Deviation {
    fn declare(&mut self, _: &Model, place: Place, scenery: &mut Scenery) {
        if self.second {
            let (name, group) = ("log₁₀ of largest distance in m".to_string(), "separation".to_string());
            scenery.channels.push(ChannelInfo { name, unit: "", group, track: place.track });
        }
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        let mut first = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let here = now.model.body_ids().map(|id| now.at.pose(id).pos);
        if !self.second {
            first.0 = now.state.time;
            first.1.clear();
            first.1.extend(here);
            return;
        }
        if (now.state.time - first.0).abs() < 1e-9 {
            self.last = here.zip(&first.1).map(|(a, b)| (a - *b).norm()).fold(NEAR, f64::max);
        }
        frame.channels.push(self.last.max(NEAR).log10());
    }
}
