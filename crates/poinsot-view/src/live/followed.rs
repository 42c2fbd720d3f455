//! A simulation stepped elsewhere, as a page sees it.

use poinsot::Snapshot;
use poinsot::dynamics::State;

/// Returns the present state of a simulation; none while it cannot be read.
pub type Source = Box<dyn FnMut() -> Option<Snapshot> + Send>;

/// A simulation that is followed, and its last known state.
pub(super) struct Followed {
    pub source: Source,
    pub seen: Option<(State, Vec<f64>)>,
}
