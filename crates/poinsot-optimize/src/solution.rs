//! The result of an optimisation.

use crate::problem::Problem;
use crate::program::{self, Ending};
use crate::system::Names;
use crate::transcribe::{Row, Transcription};
use std::collections::HashSet;

/// A motion, and its quality.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Why the method stopped.
    pub ending: Ending,
    /// The names of the quantities.
    pub names: Names,
    /// The times of the rows, s; Hermite–Simpson also has the midpoints of intervals, and where phases meet there are two rows at the same
    /// time.
    pub time: Vec<f64>,
    /// The phase of each row.
    pub phase: Vec<usize>,
    /// Coordinates.
    pub q: Vec<Vec<f64>>,
    /// Velocities.
    pub v: Vec<Vec<f64>>,
    /// Accelerations; for a first-order system, the rates of q.
    pub a: Vec<Vec<f64>>,
    /// Controls. Central differences have none at the first and last times: these rows are 0.
    pub u: Vec<Vec<f64>>,
    /// Forces of contacts.
    pub f: Vec<Vec<f64>>,
    /// Further quantities.
    pub outputs: Vec<Vec<f64>>,
    /// The duration of each phase, s.
    pub durations: Vec<f64>,
    /// The cost.
    pub cost: f64,
    /// The value of each cost term of the problem.
    pub costs: Vec<f64>,
    /// The number of iterations.
    pub iterations: usize,
    /// The largest entry of the gradient of the Lagrangian.
    pub slope: f64,
    /// The largest violation of a row.
    pub violation: f64,
    /// The largest product of the distance to a bound and its multiplier.
    pub complementarity: f64,
    /// The largest violation of each condition that is violated, the worst first.
    pub violated: Vec<Violated>,
    /// If no motion was found, but there is one without the bounds of controls: how far it exceeds them.
    pub exceeded: Vec<Exceeded>,
    /// The multipliers of the equations of motion at each time: λ of the Newtonian constraint [WitkinKass88].
    pub multipliers: Vec<Vec<f64>>,
}

/// A violated row.
#[derive(Clone, Debug, PartialEq)]
pub struct Violated {
    /// Its condition.
    pub what: String,
    /// The time, s.
    pub time: f64,
    /// The violation, in its own units.
    pub by: f64,
}

/// A bound that a motion without the bounds of controls exceeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Exceeded {
    /// The control.
    pub what: String,
    /// Its bound.
    pub bound: f64,
    /// The value farthest beyond it.
    pub value: f64,
    /// The time of that value, s.
    pub time: f64,
}

/// The largest violation of each condition, at most ten.
fn worst(rows: &[Row], values: &[f64], time: &[f64]) -> Vec<Violated> {
    let mut violated: Vec<Violated> = rows
        .iter()
        .zip(values)
        .filter(|(_, c)| c.is_nan() || c.abs() > 1e-6)
        .map(|(row, c)| Violated { what: row.says.what.clone(), time: time[row.says.node], by: *c })
        .collect();
    violated.sort_by(|a, b| b.by.abs().total_cmp(&a.by.abs()));
    let mut seen = HashSet::new();
    violated.retain(|v| seen.insert(v.what.clone()));
    violated.truncate(10);
    violated
}

impl Solution {
    /// True if the motion satisfies the problem, and is a (local) optimum.
    pub fn is_solved(&self) -> bool {
        matches!(self.ending, Ending::Solved | Ending::Nearly)
    }
    /// The residual of the optimality conditions: the largest of slope, violation and complementarity.
    pub fn residual(&self) -> f64 {
        self.slope.max(self.violation).max(self.complementarity)
    }
    /// Coordinates and velocities at a time, by cubic interpolation between the neighbouring rows. Quaternions are only approximately
    /// normalised.
    pub fn at(&self, time: f64) -> (Vec<f64>, Vec<f64>) {
        let after = self.time.partition_point(|t| *t <= time).clamp(1, self.time.len() - 1);
        let (a, b) = (after - 1, after);
        let h = self.time[b] - self.time[a];
        let s = if h > 0.0 { ((time - self.time[a]) / h).clamp(0.0, 1.0) } else { 0.0 };
        let line = |from: &[f64], to: &[f64]| {
            from.iter().zip(to).map(|(x, y)| x + s * (y - x)).collect::<Vec<f64>>()
        };
        if self.names.q.len() != self.names.v.len() {
            return (line(&self.q[a], &self.q[b]), line(&self.v[a], &self.v[b]));
        }
        let cubic = |x: &[Vec<f64>], slope: &[Vec<f64>], k: usize| {
            let (p, m) = (s * s * (3.0 - 2.0 * s), h * s * (1.0 - s));
            x[a][k] + p * (x[b][k] - x[a][k]) + m * ((1.0 - s) * slope[a][k] - s * slope[b][k])
        };
        let of = |x, slope| (0..self.names.q.len()).map(|k| cubic(x, slope, k)).collect();
        (of(&self.q, &self.v), of(&self.v, &self.a))
    }

    /// Why the method stopped, in one word.
    pub fn word(&self) -> &'static str {
        match self.ending {
            Ending::Solved => "solved",
            Ending::Nearly => "nearly",
            Ending::Infeasible => "infeasible",
            Ending::Unbounded => "unbounded",
            Ending::Iterations => "iterations",
            Ending::Interrupted => "interrupted",
            Ending::Failed => "failed",
        }
    }
    /// Why the method stopped, in words.
    pub fn sentence(&self) -> &'static str {
        match self.ending {
            Ending::Solved => "solved",
            Ending::Nearly => "solved to the limit of double precision",
            Ending::Infeasible => "infeasible: no motion was found that satisfies all conditions",
            Ending::Unbounded => "unbounded: the cost falls without limit; bound what it rewards",
            Ending::Iterations => "not solved: more iterations are needed",
            Ending::Interrupted => "interrupted",
            Ending::Failed => "not solved: no step could be found",
        }
    }
}

impl Problem {
    pub(crate) fn gather(&self, t: &Transcription, found: &program::Optimum) -> Solution {
        use program::Program;
        let (names, sizes, x) = (self.equations.names().clone(), t.sizes, &found.x);
        let time = t.times(x);
        let mut rows = vec![0.0; t.rows.len()];
        t.values(x, &mut rows);
        let violated = worst(&t.rows, &rows, &time);
        let mut solution = Solution {
            ending: found.ending,
            phase: t.nodes.iter().map(|n| n.phase).collect(),
            q: Vec::new(),
            v: Vec::new(),
            a: Vec::new(),
            u: Vec::new(),
            f: Vec::new(),
            outputs: Vec::new(),
            durations: t.spans(x),
            // 0 and not −0 where nothing costs
            cost: found.step.cost + 0.0,
            costs: t.costs(x),
            iterations: found.step.iteration,
            slope: found.step.slope,
            violation: found.step.violation,
            complementarity: found.complementarity,
            violated,
            exceeded: Vec::new(),
            multipliers: t.motion_multipliers(&found.multipliers),
            names,
            time,
        };
        for node in 0..t.nodes.len() {
            let (z, mut out) = (t.z(x, node), vec![0.0; sizes.out()]);
            self.equations.values(&z, &mut out);
            let (q, rest) = z.split_at(sizes.q);
            let (v, rest) = rest.split_at(sizes.v);
            let (a, rest) = rest.split_at(sizes.v);
            let (u, f) = rest.split_at(sizes.u);
            solution.q.push(q.to_vec());
            solution.v.push(v.to_vec());
            solution.a.push(if sizes.v == 0 { out[..sizes.q].to_vec() } else { a.to_vec() });
            solution.u.push(u.to_vec());
            solution.f.push(f.to_vec());
            solution.outputs.push(out[sizes.q + sizes.v..].to_vec());
        }
        solution
    }
}
