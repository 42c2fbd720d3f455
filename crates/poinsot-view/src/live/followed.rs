//! A simulation that somebody else steps, as a page sees it.

use poinsot::Snapshot;
use poinsot::dynamics::State;

/// Tells where a simulation is; nothing while it cannot be looked at.
pub type Source = Box<dyn FnMut() -> Option<Snapshot> + Send>;

/// A simulation that is followed, and where it was seen last.
pub(super) struct Followed {
    pub source: Source,
    pub seen: Option<(State, Vec<f64>)>,
}
