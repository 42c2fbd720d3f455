//! The past: states to return to, and the numbers of the plots.

use super::saved::Saved;
use crate::instrument::Touch;
use std::collections::VecDeque;

/// Everything needed to continue from a moment.
#[derive(Clone, Debug)]
pub struct Moment {
    /// s.
    pub time: f64,
    /// State, control signals and everything else of each track.
    pub tracks: Vec<Saved>,
    /// The numbers of the plots.
    pub channels: Vec<f64>,
}

impl Moment {
    fn bytes(&self) -> usize {
        let track = |t: &Saved| 8 * (t.snapshot.len() + 40) + t.touch.as_ref().map_or(0, Touch::bytes);
        self.tracks.iter().map(track).sum::<usize>() + 8 * (self.channels.len() + 16)
    }
}

/// Beyond this size, in bytes, the oldest moments are dropped.
const MOST_BYTES: usize = 256 << 20;

/// Moments in the order of their times.
#[derive(Default)]
pub struct History {
    moments: VecDeque<Moment>,
    bytes: usize,
}

impl History {
    /// Drops everything.
    pub fn clear(&mut self) {
        *self = History::default();
    }
    /// Adds a moment; anything recorded at its time or later belongs to another future, and is dropped.
    pub fn push(&mut self, moment: Moment) {
        self.forget_from(moment.time);
        self.bytes += moment.bytes();
        self.moments.push_back(moment);
        while self.bytes > MOST_BYTES && self.moments.len() > 1 {
            let first = self.moments.pop_front();
            self.bytes -= first.map_or(0, |m| m.bytes());
        }
    }
    fn forget_from(&mut self, time: f64) {
        while self.moments.back().is_some_and(|m| m.time >= time) {
            let last = self.moments.pop_back();
            self.bytes -= last.map_or(0, |m| m.bytes());
        }
    }
    /// Replaces the plotted values of every moment.
    pub fn rearrange(&mut self, channels: impl Fn(&Moment) -> Vec<f64>) {
        self.moments.iter_mut().for_each(|m| m.channels = channels(m));
        self.bytes = self.moments.iter().map(Moment::bytes).sum();
    }
    /// The moment nearest to a time.
    pub fn nearest(&self, time: f64) -> Option<&Moment> {
        let after = self.moments.partition_point(|m| m.time < time);
        let candidates = [after.checked_sub(1), Some(after)];
        let moments = candidates.into_iter().flatten().filter_map(|k| self.moments.get(k));
        moments.min_by(|a, b| (a.time - time).abs().total_cmp(&(b.time - time).abs()))
    }
    /// The first and the last time.
    pub fn span(&self) -> (f64, f64) {
        let time = |m: Option<&Moment>| m.map_or(0.0, |m| m.time);
        (time(self.moments.front()), time(self.moments.back()))
    }

    /// The numbers of the plots for a page that opens late: PROTOCOL.md, binary 2. No more than this many rows; of channels that are peaks, each
    /// has the largest of those it stands for.
    pub fn bytes_for_plots(&self, scene: u32, most: usize, peaks: &[bool]) -> Vec<u8> {
        let stride = self.moments.len().div_ceil(most.max(1)).max(1);
        let channels = self.moments.back().map_or(0, |m| m.channels.len());
        let kept: Vec<&Moment> = self.moments.iter().filter(|m| m.channels.len() == channels).collect();
        let rows = kept.chunks(stride);
        let mut out = Vec::with_capacity(16 + rows.len() * 8 * (channels + 1));
        [2, scene, rows.len() as u32, channels as u32].iter().for_each(|x| out.extend(x.to_le_bytes()));
        for row in rows {
            let number = |k: usize| match peaks.get(k) {
                Some(true) => row.iter().map(|m| m.channels[k]).fold(f64::NAN, f64::max),
                _ => row[0].channels[k],
            };
            out.extend(row[0].time.to_le_bytes());
            (0..channels).for_each(|k| out.extend(number(k).to_le_bytes()));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_past_is_found_and_changed() {
        let mut history = History::default();
        let moment = |k: u32| Moment { time: f64::from(k), tracks: Vec::new(), channels: vec![f64::from(k)] };
        (0..10).for_each(|k| history.push(moment(k)));
        assert_eq!(history.nearest(3.4).map(|m| m.time), Some(3.0));
        assert_eq!(history.nearest(99.0).map(|m| m.time), Some(9.0));
        assert_eq!(history.nearest(-5.0).map(|m| m.time), Some(0.0));
        history.push(moment(4));
        assert_eq!(history.span(), (0.0, 4.0));
        assert_eq!(history.bytes_for_plots(1, 100, &[false]).len(), 16 + 5 * 16);
        let rows = |peaks: &[bool]| {
            let bytes = history.bytes_for_plots(1, 2, peaks);
            let number = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
            [number(24), number(40)]
        };
        assert_eq!((rows(&[false]), rows(&[true])), ([0.0, 3.0], [2.0, 4.0]), "thinned out, peaks stay");
    }
}
