//! The quality of a solution: the violation of every condition, computed afterwards from λ and u alone.

use super::cone::norm;
use super::delassus::Delassus;
use super::iterate::Iterate;
use super::problem::{Law, Problem};
use super::scaled::Scaled;
use std::fmt;

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// All conditions hold to the tolerance.
    Solved,
    /// They hold, and other impulses satisfy them as well, as on a table with four legs.
    NotUnique,
    /// No impulses satisfy them.
    NoSolution,
    /// None were found.
    #[default]
    Unsolved,
}

impl Status {
    /// True if the impulses satisfy all conditions, whether or not they are unique.
    pub fn is_solved(self) -> bool {
        matches!(self, Status::Solved | Status::NotUnique)
    }
    /// The status in words.
    pub fn word(self) -> &'static str {
        match self {
            Status::Solved => "solved",
            Status::NotUnique => "not unique",
            Status::NoSolution => "no solution",
            Status::Unsolved => "unsolved",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The method that found the solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// The initial impulses.
    #[default]
    WarmStart,
    /// Gauss–Seidel.
    Sweeps,
    /// Newton's method.
    Newton,
    /// Newton's method on softened problems.
    Proximal,
    /// An interior-point method, or Newton's method started there.
    Interior,
    /// Pivoting on a polyhedral cone.
    Pivoting,
}

impl Stage {
    /// The stage in words.
    pub fn word(self) -> &'static str {
        match self {
            Stage::WarmStart => "warm start",
            Stage::Sweeps => "sweeps",
            Stage::Newton => "Newton",
            Stage::Proximal => "proximal",
            Stage::Interior => "interior point",
            Stage::Pivoting => "pivoting",
        }
    }
}

/// The quantities of a problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Impulses, N s, and velocities, m/s.
    #[default]
    Velocity,
    /// Forces, N, and accelerations, m/s²: resting contact between events.
    Acceleration,
}

impl Level {
    /// The level in words.
    pub fn word(self) -> &'static str {
        match self {
            Level::Velocity => "velocity",
            Level::Acceleration => "acceleration",
        }
    }
    /// The units of forces or impulses, of accelerations or velocities, and of their product.
    pub fn units(self) -> [&'static str; 3] {
        match self {
            Level::Velocity => ["N s", "m/s", "J"],
            Level::Acceleration => ["N", "m/s²", "W/s"],
        }
    }
}

/// The violation of each condition, and the work of finding the solution. Velocities are in m/s and impulses in N s; in a problem between
/// accelerations and forces the same numbers are in m/s² and N: see `level`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Certificate {
    /// How it ended.
    pub status: Status,
    /// Why there is no solution, or not only one; otherwise empty.
    pub reason: &'static str,
    /// The method that found it.
    pub stage: Stage,
    /// The quantities of the numbers below.
    pub level: Level,
    /// The largest velocity at which a contact or a limit still closes, and the largest velocity of a row that should have none.
    pub normal_velocity: f64,
    /// The largest distance of an impulse from its cone or interval.
    pub cone: f64,
    /// The largest |λ_n u_n|: an impulse on a separating contact. In J.
    pub complementarity: f64,
    /// The largest `μ λ_n ‖u_T‖ + λ_T · u_T`: the shortfall of friction from maximal dissipation. In J.
    pub dissipation: f64,
    /// The largest `d ‖λ − P_K(λ − û/d)‖` over all contacts and rows, and with μ > 1 at least the velocity with which a contact still
    /// closes: a velocity that is 0 only in a solution.
    pub residual: f64,
    /// The root of the mean of its squares.
    pub residual_rms: f64,
    /// The part of `residual` that round-off can cause, for impulses of this size.
    pub floor: f64,
    /// Gauss–Seidel sweeps.
    pub sweeps: usize,
    /// Steps of Newton's method.
    pub newton_steps: usize,
    /// Steps of the interior-point method.
    pub interior_steps: usize,
    /// Pivots of a pivoting method.
    pub pivots: usize,
}

impl Certificate {
    /// The total number of steps of all methods.
    pub fn iterations(&self) -> usize {
        self.sweeps + self.newton_steps + self.interior_steps + self.pivots
    }

    /// Measures a solution; `at` is the same in scaled units.
    pub(super) fn measure<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        scaled: &Scaled,
        at: &Iterate,
        lambda: &[f64],
        u: &[f64],
    ) {
        (self.residual, self.residual_rms, self.floor) =
            (at.distance.residual, at.distance.rms, at.distance.floor);
        (self.normal_velocity, self.cone, self.complementarity, self.dissipation) = (0.0, 0.0, 0.0, 0.0);
        let mut row = 0;
        for law in problem.laws {
            let rows = row..row + law.rows();
            self.add(law, &lambda[rows.clone()], &u[rows.clone()]);
            row = rows.end;
        }
        for block in &scaled.blocks {
            let x = block.take(&at.x);
            let mut off = super::scaled::nearest(block, &x);
            for k in 0..block.len {
                off[k] -= x[k];
            }
            self.cone = self.cone.max(norm(&off[..block.len]) / block.root);
        }
    }

    /// Adds the impulses and velocities of one law to all measures except the residual.
    pub(crate) fn add(&mut self, law: &Law, lambda: &[f64], u: &[f64]) {
        let velocity = match *law {
            Law::Interval { lower, upper } => {
                let (up, down) = ((lambda[0] - lower).max(0.0), (upper - lambda[0]).max(0.0));
                // the distance of the impulse from the end it must be at for this u: zero at the end that u points to
                let slack = if u[0] > 0.0 { up } else { down };
                if slack.is_finite() {
                    self.complementarity = self.complementarity.max(slack * u[0].abs());
                }
                match (up > 0.0, down > 0.0) {
                    // for an interval with two finite ends, complementarity measures how far u is from 0
                    (true, true) if slack.is_finite() => 0.0,
                    (true, true) => u[0].abs(),
                    (false, true) => -u[0],
                    (true, false) => u[0],
                    (false, false) => 0.0,
                }
            }
            Law::Contact { count, friction } => {
                self.complementarity = self.complementarity.max((lambda[0] * u[0]).abs());
                let (mut squares, mut work) = (0.0, 0.0);
                for k in 0..count {
                    squares += (friction[k] * u[1 + k]).powi(2);
                    work += lambda[1 + k] * u[1 + k];
                }
                self.dissipation = self.dissipation.max(lambda[0] * squares.sqrt() + work);
                -u[0]
            }
        };
        self.normal_velocity = self.normal_velocity.max(velocity);
    }
}
