//! What is chosen before pictures are painted.

use crate::show::QUIET;

/// How pictures are painted.
#[derive(Clone, Debug)]
pub struct Options {
    /// Each dot is the mean of so many samples across and down.
    pub supersampling: usize,
    /// The layers that are not shown, unless the scenery shows them at first.
    pub hidden: Vec<String>,
    /// The time is written in the lower left corner.
    pub stamp: bool,
    /// Where there are several tracks their labels are written.
    pub labels: bool,
}

impl Default for Options {
    fn default() -> Self {
        let hidden = ["collision"].into_iter().chain(QUIET).map(String::from).collect();
        Options { supersampling: 2, hidden, stamp: true, labels: true }
    }
}
