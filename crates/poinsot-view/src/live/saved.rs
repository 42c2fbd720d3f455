//! What is kept of a track, to go on from an earlier moment.

use crate::instrument::Touch;
use crate::way::Books;
use poinsot::Snapshot;

/// All that is needed to go on from a moment.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The simulation.
    pub snapshot: Snapshot,
    /// The ledger until then, where one was kept.
    pub books: Option<Books>,
    /// Its contacts, where somebody watched them.
    pub touch: Option<Touch>,
}
