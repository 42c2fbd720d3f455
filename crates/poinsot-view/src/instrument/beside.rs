//! How far two tracks that show the same model have parted.

use super::{Instrument, Moment, Place};
use crate::show::{ChannelInfo, Frame, Scenery};
use poinsot::algebra::V3;
use poinsot::model::Model;
use std::sync::{Arc, Mutex, PoisonError};

/// Two instruments for two tracks of one model, the first before the second: log₁₀ of the largest distance between a body of
/// the one and the same body of the other.
#[derive(Default)]
pub struct Beside {
    /// Where the bodies of the first are.
    places: Arc<Mutex<Vec<V3>>>,
    second: bool,
}

impl Beside {
    /// For the first track and for the second.
    pub fn pair() -> (Beside, Beside) {
        let first = Beside::default();
        let second = Beside { places: first.places.clone(), second: true };
        (first, second)
    }
}

impl Instrument for Beside {
    fn declare(&mut self, _: &Model, place: Place, scenery: &mut Scenery) {
        if self.second {
            let (name, group) = ("log₁₀ of largest distance in m".to_string(), "separation".to_string());
            scenery.channels.push(ChannelInfo { name, unit: "", group, track: place.track });
        }
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let here = now.model.body_ids().map(|id| now.at.pose(id).pos);
        if self.second {
            let apart = here.zip(places.iter()).map(|(a, b)| (a - *b).norm()).fold(1e-16, f64::max);
            frame.channels.push(apart.log10());
        } else {
            places.clear();
            places.extend(here);
        }
    }
}
