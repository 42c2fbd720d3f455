//! Impulses on the way to a solution, with their velocities and how far they are from one.

use super::delassus::Delassus;
use super::problem::Problem;
use super::scaled::{Distance, Scaled, velocities};

#[derive(Clone, Debug, Default)]
pub(super) struct Iterate {
    pub lambda: Vec<f64>,
    pub u: Vec<f64>,
    /// The rounding error of each u.
    pub floor: Vec<f64>,
    pub distance: Distance,
}

impl Iterate {
    /// u of λ.
    pub fn evaluate_velocities<D: Delassus>(&mut self, problem: &Problem<D>) {
        let n = self.lambda.len();
        self.u.resize(n, 0.0);
        self.floor.resize(n, 0.0);
        velocities(problem, &self.lambda, &mut self.u, &mut self.floor);
    }

    /// u of λ, and the distance of both from a solution.
    pub fn evaluate<D: Delassus>(&mut self, problem: &Problem<D>, scaled: &Scaled, tolerance: f64) {
        self.evaluate_velocities(problem);
        self.distance = scaled.distance(&self.lambda, &self.u, &self.floor, tolerance);
    }

    /// A copy in the memory that is there.
    pub fn clone_from_iterate(&mut self, other: &Iterate) {
        self.lambda.clone_from(&other.lambda);
        self.u.clone_from(&other.u);
        self.floor.clone_from(&other.floor);
        self.distance = other.distance;
    }

    /// The nearer of the two to a solution.
    pub fn keep_better(&mut self, other: &Iterate) -> bool {
        let better = other.distance.excess < self.distance.excess;
        if better {
            self.clone_from_iterate(other);
        }
        better
    }
}
