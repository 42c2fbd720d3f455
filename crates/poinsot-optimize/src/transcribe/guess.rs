//! The initial guess.

use super::{Sizes, Transcription};
use crate::problem::{Guess, Quantity, TrajectoryRow, interpolate};

impl Transcription<'_> {
    /// The variables of the guess.
    pub fn first(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.bounds.len()];
        let spans = &self.start.durations;
        for (slot, span) in self.durations.iter().zip(spans) {
            if let Some(k) = slot {
                x[*k] = *span;
            }
        }
        let whole: f64 = spans.iter().sum();
        for node in &self.nodes {
            let passed = spans[..node.phase].iter().sum::<f64>() + node.part * spans[node.phase];
            for (slot, value) in node.variables.iter().zip(self.guessed(passed / whole, whole)) {
                if let Some(k) = slot {
                    x[*k] = value;
                }
            }
        }
        self.centre_controls(&mut x);
        self.fill_slacks(&mut x);
        x
    }

    /// Controls without a guess start in the middle of their bounds.
    fn centre_controls(&self, x: &mut [f64]) {
        let Sizes { q, v, u, .. } = self.sizes;
        let Guess::Lines(hints) = &self.start.guess else { return };
        for c in (0..u).filter(|c| hints.iter().all(|h| h.1 != Quantity::U(*c))) {
            for k in self.nodes.iter().filter_map(|n| n.variables[q + 2 * v + c]) {
                let (low, high) = self.bounds[k];
                if (low + high).is_finite() {
                    x[k] = 0.5 * (low + high);
                }
            }
        }
    }

    /// z at a fraction of the whole duration.
    fn guessed(&self, part: f64, whole: f64) -> Vec<f64> {
        let Sizes { q, v, u, .. } = self.sizes;
        let mut z = vec![0.0; self.sizes.z()];
        match &self.start.guess {
            Guess::Lines(_) => {
                for (k, neutral) in self.problem.equations.neutral().into_iter().enumerate() {
                    let points = self.given(Quantity::Q(k));
                    z[k] = if points.is_empty() { neutral } else { interpolate(&points, part) };
                }
                for k in 0..v {
                    z[q + k] = interpolate(&self.given(Quantity::V(k)), part);
                }
                for k in 0..u {
                    z[q + 2 * v + k] = interpolate(&self.given(Quantity::U(k)), part);
                }
            }
            Guess::Trajectory(rows) => {
                let of = |pick: &dyn Fn(&TrajectoryRow) -> Option<f64>| {
                    let points: Vec<(f64, f64)> = rows.iter().filter_map(|r| Some((r.0, pick(r)?))).collect();
                    interpolate(&points, part)
                };
                (0..q).for_each(|k| z[k] = of(&|r| r.1.get(k).copied()));
                (0..v).for_each(|k| z[q + k] = of(&|r| r.2.get(k).copied()));
                (0..u).for_each(|k| z[q + 2 * v + k] = of(&|r| r.3.get(k).copied()));
                self.slopes_of_trajectory(rows, part, whole, &mut z);
            }
        }
        z
    }

    /// Velocities of a trajectory without them: differences of its coordinates.
    fn slopes_of_trajectory(&self, rows: &[TrajectoryRow], part: f64, whole: f64, z: &mut [f64]) {
        let Sizes { q, v, .. } = self.sizes;
        if q != v || rows.iter().any(|r| !r.2.is_empty()) {
            return;
        }
        let d = 0.5 / rows.len().max(2) as f64;
        let (from, to) = ((part - d).max(0.0), (part + d).min(1.0));
        for k in 0..q {
            let points: Vec<(f64, f64)> = rows.iter().filter_map(|r| Some((r.0, *r.1.get(k)?))).collect();
            z[q + k] = (interpolate(&points, to) - interpolate(&points, from)) / ((to - from) * whole);
        }
    }

    /// The values of a quantity in conditions and hints, over fractions of the whole duration.
    fn given(&self, quantity: Quantity) -> Vec<(f64, f64)> {
        let spans = &self.start.durations;
        let whole: f64 = spans.iter().sum();
        let mut points: Vec<(f64, f64)> = Vec::new();
        for c in self.problem.conditions.iter().filter(|c| c.quantity == quantity) {
            let passed = spans[..c.at.phase].iter().sum::<f64>() + c.at.part * spans[c.at.phase];
            let (low, high) = c.range;
            let value = match (low.is_finite(), high.is_finite()) {
                (true, true) => (low + high) / 2.0,
                (true, false) => low.max(0.0),
                (false, true) => high.min(0.0),
                (false, false) => continue,
            };
            points.push((passed / whole, value));
        }
        if let Guess::Lines(hints) = &self.start.guess {
            let mine = hints.iter().filter(|h| h.1 == quantity);
            points.extend(mine.map(|(part, _, value)| (*part, *value)));
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    }

    /// Sets slack variables so that their rows hold.
    fn fill_slacks(&self, x: &mut [f64]) {
        use crate::program::Program;
        let mut rows = vec![0.0; self.rows.len()];
        self.values(x, &mut rows);
        for (row, off) in self.rows.iter().zip(rows) {
            if let Some(k) = row.sum.slack {
                x[k] = if off.is_finite() { off } else { 0.0 };
            }
        }
    }
}
