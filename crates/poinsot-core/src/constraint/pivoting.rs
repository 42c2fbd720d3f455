//! Which inequalities are active: a linear complementarity problem with bounds, by principal pivoting.
//!
//! For given statuses of all inequalities, the active rows are equalities and are [solved](super::solver) as such. The result either agrees
//! with the statuses,
//!
//! ```math
//! at least, held: λ ≥ 0      off: slack ≥ 0      within, held: |λ| ≤ F      giving way: λ = ∓F with Ċ ≷ 0
//! ```
//! and solves the problem, or some rows contradict theirs. Their statuses are revised, all at once while the number of contradictions
//! falls, otherwise only that of the first. With independent rows `J M⁻¹ Jᵀ` is positive definite, the solution is unique, and the
//! least-index rule finds it after a finite number of rounds [Murty74]; revising all at once usually gets there faster [JudicePires94].
//! Statuses persist, so a motion that does not change them takes one round.

use super::Multipliers;
use super::law::{Status, Tolerance};
use super::rows::{Owner, Rows};

/// How many times revising all rows may fail to reduce the contradictions before only the first is revised.
const PATIENCE: usize = 4;

/// The outcome of choosing statuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pivots {
    /// The number of revisions of the statuses.
    pub rounds: usize,
    /// How many inequalities still contradict their status: 0 if the problem is solved.
    pub unsolved: usize,
    /// The owner of the first of them.
    pub(crate) at: Option<Owner>,
}

impl Rows {
    /// True if some row is an inequality.
    pub fn any_inequality(&self) -> bool {
        !(self.ends.is_empty() && self.frictions.is_empty())
    }
    /// True if an inequality is active.
    pub fn any_active_inequality(&self) -> bool {
        let held = |row: &usize| self.status[*row] == Status::Active;
        self.ends.iter().any(held) || self.frictions.iter().any(held)
    }
    /// True if dry friction slips somewhere.
    pub fn any_slipping(&self) -> bool {
        self.frictions.iter().any(|row| matches!(self.status[*row], Status::Slipping(_)))
    }
    /// Initial statuses of dry friction, from the rates.
    pub(super) fn guess_friction(&mut self, still: f64) {
        for &row in &self.frictions {
            if self.status[row] == Status::Inactive {
                self.status[row] = self.kinds[row].terms.guess(self.rate[row], still);
            }
        }
    }
}

impl Multipliers {
    /// Solves, and revises statuses until there are no contradictions. `slack` is the residual of a row in a solution, given its change J
    /// x.
    pub(super) fn pivot(
        &mut self,
        mut solve: impl FnMut(&mut Multipliers),
        takes_part: impl Fn(&Rows, usize) -> bool,
        slack: impl Fn(&Multipliers, usize, f64) -> f64,
        tolerance: impl Fn(&Multipliers) -> Tolerance,
    ) -> Pivots {
        let inequalities = self.rows.ends.len() + self.rows.frictions.len();
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        let mut rounds = 0;
        loop {
            solve(self);
            let mut along = std::mem::take(&mut self.along);
            self.rows.along(&self.change, &mut along);
            self.along = along;
            let off = tolerance(self);
            let contradicted = |m: &Multipliers, row: usize, slack: f64| {
                let revise = || m.rows.kinds[row].terms.revise(m.rows.status[row], m.force(row), slack, off);
                Some((row, takes_part(&m.rows, row).then(revise)??))
            };
            let left = |m: &Multipliers, row: usize| match m.rows.status[row] {
                Status::Active => 0.0,
                _ => slack(m, row, m.along[row]),
            };
            let mut revised = std::mem::take(&mut self.revised);
            revised.clear();
            // most limits are inactive and stay so
            let end = |row: &usize| match left(self, *row) {
                slack if slack >= 0.0 && self.rows.status[*row] != Status::Active => None,
                slack => contradicted(self, *row, slack),
            };
            revised.extend(self.rows.ends.iter().filter_map(end));
            let friction = |row: &usize| contradicted(self, *row, left(self, *row));
            revised.extend(self.rows.frictions.iter().filter_map(friction));
            revised.sort_unstable_by_key(|(row, _)| *row);
            let wrong = revised.len();
            self.revised = revised;
            if wrong == 0 || rounds >= 40 + 4 * inequalities {
                let at = self.revised.first().map(|(row, _)| self.rows.kinds[*row].owner);
                return Pivots { rounds, unsolved: wrong, at };
            }
            if wrong < fewest {
                (fewest, patience) = (wrong, PATIENCE);
            } else {
                patience = patience.saturating_sub(1);
            }
            let at_once = if patience > 0 { usize::MAX } else { 1 };
            for &(row, status) in self.revised.iter().take(at_once) {
                self.rows.status[row] = status;
            }
            rounds += 1;
        }
    }
}
