//! Continues from an approximate answer.
//!
//! Where many contacts share the load, the basic variables found may solve the problem only to 1e-12 or 1e-9, because ties were broken by
//! rounding errors or sought too coarsely. [Exchanging](super::transform) these variables gives a problem that z = 0 solves except for that
//! error, and the method starts anew from there. In the first round, and in every other one, ties are sought at the scale of the error. The
//! way may then end on a ray, since M' need not be copositive where M is; the rounds between use the scale of the problem.

use super::transform::Transform;
use super::{End, Lcp, LcpSolution};

const ROUNDS: usize = 6;

impl Lcp {
    /// Begins with a guess at z; true if it leads to a solution.
    pub(super) fn improve(&mut self, m: &[f64], q: &[f64], guess: &[f64], answer: &mut LcpSolution) -> bool {
        self.basic.iter_mut().zip(guess).for_each(|(basic, z)| *basic = *z > 0.0);
        if self.basis.solve(&self.scaled, &self.q, &self.basic, &mut self.z) {
            self.unscale();
            self.measure(m, q, answer);
            if answer.status.is_solved() {
                return true;
            }
        }
        // all four corners of a box may push: the nearest z that is a solution, or the guess itself
        for corrected in [true, false] {
            self.z.iter_mut().zip(guess).zip(&self.scale).for_each(|((z, guess), scale)| *z = guess / scale);
            if corrected {
                self.basis.correct(&self.scaled, &self.q, &self.basic, &mut self.z);
            }
            self.unscale();
            self.measure(m, q, answer);
            if answer.status.is_solved() {
                return true;
            }
        }
        self.refine(m, q, answer);
        answer.status.is_solved()
    }

    /// Improves an answer until it is solved, or nothing more can be done.
    pub(super) fn refine(&mut self, m: &[f64], q: &[f64], answer: &mut LcpSolution) {
        for round in 0..ROUNDS {
            if answer.status.is_solved() || !self.transform.compute(&self.scaled, &self.q, &self.basic) {
                return;
            }
            self.origin.clone_from(&self.basic);
            let Transform { m: matrix, q: right, .. } = &self.transform;
            let error = right.iter().fold(0.0f64, |most, q| most.max(-q));
            let unit = if round % 2 == 0 { error } else { 1.0 };
            let most = self.most_pivots(answer);
            let (end, pivots) = self.lemke.run(matrix, right, unit, most, &mut self.basic, &mut self.ray);
            answer.pivots += pivots;
            self.basic.iter_mut().zip(&self.origin).for_each(|(basic, origin)| *basic ^= origin);
            if end == End::Found && self.basis.solve(&self.scaled, &self.q, &self.basic, &mut self.z) {
                self.unscale();
                self.measure(m, q, answer);
            } else {
                self.basic.clone_from(&self.origin);
            }
            if end == End::Stuck {
                return;
            }
        }
    }
}
