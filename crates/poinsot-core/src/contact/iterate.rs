//! Iterates: impulses on the way to a solution, with their velocities and their distance from it.

use super::delassus::Delassus;
use super::operator::Operator;
use super::problem::Problem;
use super::scaled::{Distance, MOST_ROUNDING, Scaled};

/// Scaled impulses and velocities.
#[derive(Clone, Debug, Default)]
pub(super) struct Iterate {
    pub x: Vec<f64>,
    pub u: Vec<f64>,
    pub distance: Distance,
}

/// A compliance ε on the change of x from a centre: `u + ε (x − centre)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Soft<'a> {
    pub compliance: f64,
    pub centre: &'a [f64],
}

impl Iterate {
    /// Computes ũ of x.
    pub fn evaluate_velocities<O: Operator>(
        &mut self,
        operator: &mut O,
        scaled: &Scaled,
        soft: Option<Soft>,
    ) {
        self.u.resize(self.x.len(), 0.0);
        operator.velocities(scaled, &self.x, &mut self.u);
        if let Some(Soft { compliance, centre }) = soft {
            for ((u, x), c) in self.u.iter_mut().zip(&self.x).zip(centre) {
                *u = compliance.mul_add(x - c, *u);
            }
        }
    }

    /// Computes ũ of x, and the distance of both from a solution. `room` is scratch for rounding errors, which are computed only where they
    /// decide.
    pub fn evaluate<O: Operator>(
        &mut self,
        operator: &mut O,
        scaled: &Scaled,
        soft: Option<Soft>,
        tolerance: f64,
        room: &mut Vec<f64>,
    ) {
        self.evaluate_velocities(operator, scaled, soft);
        self.distance = scaled.distance(&self.x, &self.u, &[], tolerance);
        let Distance { excess, residual, .. } = self.distance;
        if excess > 1.0 && residual <= (MOST_ROUNDING + tolerance) * scaled.speed {
            room.resize(self.x.len(), 0.0);
            operator.sizes(scaled, &self.x, room);
            room.iter_mut().for_each(|size| *size *= 2.0 * f64::EPSILON);
            self.distance = scaled.distance(&self.x, &self.u, room, tolerance);
        }
    }

    /// Copies an iterate without allocating.
    pub fn clone_from_iterate(&mut self, other: &Iterate) {
        self.x.clone_from(&other.x);
        self.u.clone_from(&other.u);
        self.distance = other.distance;
    }

    /// Replaces `self` by the other iterate if that is closer to a solution.
    pub fn keep_better(&mut self, other: &Iterate) -> bool {
        let better = other.distance.excess < self.distance.excess;
        if better {
            self.clone_from_iterate(other);
        }
        better
    }
}

/// Unscaled impulses λ and velocities `u = (G + E) λ + q`, with the rounding error `2ε (|G| |λ| + |q|)` of each u.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub lambda: Vec<f64>,
    pub u: Vec<f64>,
    pub floor: Vec<f64>,
    room: Vec<f64>,
}

impl Answer {
    /// Computes u of λ.
    pub fn evaluate<D: Delassus>(&mut self, problem: &Problem<D>) {
        let n = self.lambda.len();
        self.u.resize(n, 0.0);
        self.floor.resize(n, 0.0);
        problem.matrix.apply(&self.lambda, &mut self.u, &mut self.floor, &mut self.room);
        for row in 0..n {
            let soft = problem.compliance.get(row).unwrap_or(&0.0) * self.lambda[row];
            let own = problem.free[row];
            self.u[row] += soft + own;
            self.floor[row] = 2.0 * f64::EPSILON * (self.floor[row] + soft.abs() + own.abs());
        }
    }

    /// Unscales x and measures it on the original problem; updates ũ and the distance of `at`.
    pub fn take<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        scaled: &Scaled,
        at: &mut Iterate,
        tolerance: f64,
    ) {
        scaled.unscaled(&at.x, &mut self.lambda);
        self.measure(problem, scaled, at, tolerance);
    }

    /// Measures λ on the original problem; updates x, ũ and the distance of `at`.
    pub fn measure<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        scaled: &Scaled,
        at: &mut Iterate,
        tolerance: f64,
    ) {
        self.evaluate(problem);
        scaled.impulses(&self.lambda, &mut at.x);
        scaled.velocities(&self.u, &mut at.u);
        scaled.velocities(&self.floor, &mut self.room);
        at.distance = scaled.distance(&at.x, &at.u, &self.room, tolerance);
    }
}
