//! The options of painting.

use crate::show::QUIET;

/// How pictures are painted.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of samples per pixel in each direction.
    pub supersampling: usize,
    /// Layers not shown, unless the scenery shows them by default.
    pub hidden: Vec<String>,
    /// The time is written in the lower left corner.
    pub stamp: bool,
    /// With several tracks, their labels are written.
    pub labels: bool,
}

impl Default for Options {
    fn default() -> Self {
        let hidden = ["collision"].into_iter().chain(QUIET).map(String::from).collect();
        Options { supersampling: 2, hidden, stamp: true, labels: true }
    }
}
