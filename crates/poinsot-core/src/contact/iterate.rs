//! Impulses on the way to a solution, with their velocities and how far they are from one.

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

/// A compliance ε that acts on the change of x from a centre: `u + ε (x − centre)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Soft<'a> {
    pub compliance: f64,
    pub centre: &'a [f64],
}

impl Iterate {
    /// ũ of x.
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

    /// ũ of x, and the distance of both from a solution. `room` is for rounding errors, which are asked for only where they decide.
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

    /// A copy in the memory that is there.
    pub fn clone_from_iterate(&mut self, other: &Iterate) {
        self.x.clone_from(&other.x);
        self.u.clone_from(&other.u);
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

/// Impulses λ and velocities `u = (G + E) λ + q` as the problem has them, with the rounding error `2ε (|G| |λ| + |q|)` of each u.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub lambda: Vec<f64>,
    pub u: Vec<f64>,
    pub floor: Vec<f64>,
    room: Vec<f64>,
}

impl Answer {
    /// u of λ.
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

    /// Takes x and measures it on the problem itself: ũ and the distance of `at` are those of the answer.
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

    /// Measures λ: x, ũ and the distance of `at` are those of the answer.
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
