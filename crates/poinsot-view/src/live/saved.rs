//! The saved state of a track, to continue from an earlier moment.

use crate::instrument::Touch;
use crate::track_settings::EnergyAccount;
use poinsot::Snapshot;

/// Everything needed to continue from a moment.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The simulation.
    pub snapshot: Snapshot,
    /// The ledger until then, if one was kept.
    pub account: Option<EnergyAccount>,
    /// Its contacts, if they were shown.
    pub touch: Option<Touch>,
}
