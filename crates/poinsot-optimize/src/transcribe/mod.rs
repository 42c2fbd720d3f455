//! Direct collocation: transcribes a problem to a nonlinear program.
//!
//! Every node has z = (q, v, a, u, f) as variables; the equations of motion are rows at the nodes, as inverse dynamics in a. The coupling
//! of the nodes is linear in z and q̇, times the duration of the phase:
//! ```math
//! trapezoidal      x₁ − x₀ − ½h (ẋ₀ + ẋ₁) = 0
//! Hermite–Simpson  x₁ − x₀ − h/6 (ẋ₀ + 4ẋₘ + ẋ₁) = 0,   xₘ − ½(x₀ + x₁) − h/8 (ẋ₀ − ẋ₁) = 0
//! central          2h v = q₊ − q₋,   h² a = q₊ − 2q + q₋,   h v = q₁ − q₀ at the ends
//! ```

mod assemble;
mod guess;
mod rows;
mod terms;

use crate::error::OptimizeError;
use crate::problem::{Phase, Problem, Quantity, Scheme, When};
use crate::program::BORDER;
use crate::restart::Start;
use crate::system::Names;
use terms::{Part, Sum};
pub(crate) use terms::{Row, What};

/// What a phase may have, so that a slip of the hand does not take all memory.
const MOST_INTERVALS: usize = 1_000_000;

/// A time with its variables.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub phase: usize,
    /// The fraction of the phase that has passed.
    pub part: f64,
    /// Its quadrature weight, as a fraction of the phase's duration.
    pub weight: f64,
    /// For each entry of z its variable; `None` if it is fixed at 0.
    pub variables: Vec<Option<usize>>,
    /// True if the equations of motion are imposed here.
    pub moves: bool,
    /// Its block of the chain.
    pub block: usize,
}

/// A problem as a nonlinear program.
pub(crate) struct Transcription<'a> {
    pub problem: &'a Problem,
    /// The mesh and the guess.
    pub start: &'a Start,
    pub sizes: Sizes,
    pub nodes: Vec<Node>,
    /// For each phase, its nodes.
    pub phases: Vec<std::ops::Range<usize>>,
    /// For each phase, the variable of its duration; `None` if it is fixed.
    pub durations: Vec<Option<usize>>,
    pub rows: Vec<Row>,
    pub parts: Vec<Part>,
    pub bounds: Vec<(f64, f64)>,
    pub variable_blocks: Vec<usize>,
    pub row_blocks: Vec<usize>,
}

/// The dimensions of a system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub q: usize,
    pub v: usize,
    pub u: usize,
    pub f: usize,
    pub outputs: usize,
}

impl Sizes {
    fn of(names: &Names) -> Sizes {
        let [q, v, u, f, outputs] = [&names.q, &names.v, &names.u, &names.f, &names.outputs].map(Vec::len);
        Sizes { q, v, u, f, outputs }
    }
    pub fn z(&self) -> usize {
        self.q + 2 * self.v + self.u + self.f
    }
    pub fn out(&self) -> usize {
        self.q + self.v + self.outputs
    }
    pub fn place(&self, quantity: Quantity) -> What {
        let Sizes { q, v, u, .. } = *self;
        match quantity {
            Quantity::Q(k) => What::Z(k),
            Quantity::V(k) => What::Z(q + k),
            Quantity::A(k) => What::Z(q + v + k),
            Quantity::U(k) => What::Z(q + 2 * v + k),
            Quantity::F(k) => What::Z(q + 2 * v + u + k),
            Quantity::Output(k) => What::Out(q + v + k),
        }
    }
}

impl<'a> Transcription<'a> {
    pub fn new(problem: &'a Problem, start: &'a Start) -> Result<Self, OptimizeError> {
        let mut t = Transcription {
            problem,
            start,
            sizes: Sizes::of(problem.equations.names()),
            nodes: Vec::new(),
            phases: Vec::new(),
            durations: Vec::new(),
            rows: Vec::new(),
            parts: Vec::new(),
            bounds: Vec::new(),
            variable_blocks: Vec::new(),
            row_blocks: Vec::new(),
        };
        t.check()?;
        for k in 0..problem.phases.len() {
            t.lay_phase(k)?;
        }
        for phase in &problem.phases {
            t.lay_duration(phase);
        }
        t.write_rows()?;
        t.write_costs();
        t.row_blocks = t.rows.iter().map(|r| r.block).collect();
        Ok(t)
    }

    fn check(&self) -> Result<(), OptimizeError> {
        let problem = self.problem;
        if problem.phases.is_empty() {
            return Err(OptimizeError::NoPhase);
        }
        for phase in &problem.phases {
            let (least, most) = phase.duration;
            if !(least >= 0.0 && most >= least && phase.guess > 0.0 && most > 0.0 && phase.guess.is_finite())
            {
                return Err(OptimizeError::Duration { phase: phase.name.clone() });
            }
        }
        for (phase, intervals) in problem.phases.iter().zip(&self.start.intervals) {
            if !(1..=MOST_INTERVALS).contains(intervals) {
                return Err(OptimizeError::Intervals { phase: phase.name.clone(), intervals: *intervals });
            }
        }
        if problem.scheme == Scheme::CentralDifference {
            let names = problem.equations.names();
            let plain = self.sizes.q == self.sizes.v && self.sizes.v > 0;
            if !plain || problem.phases.len() > 1 || self.start.intervals[0] < 3 {
                return Err(OptimizeError::CentralDifference {
                    coordinates: names.q.len(),
                    velocities: names.v.len(),
                });
            }
        }
        Ok(())
    }

    /// The mesh of a phase: equal parts, with the nearest points moved to the moments of conditions.
    fn mesh(&self, k: usize) -> Result<Vec<f64>, OptimizeError> {
        let (problem, n) = (self.problem, self.start.intervals[k]);
        let mut mesh: Vec<f64> = (0..=n).map(|i| i as f64 / n as f64).collect();
        let mut taken = vec![false; n + 1];
        (taken[0], taken[n]) = (true, true);
        let conditions = problem.conditions.iter().map(|c| c.at);
        let costs = problem.costs.iter().filter_map(|c| match c {
            crate::problem::Cost::At { at, .. } => Some(*at),
            _ => None,
        });
        for at in conditions.chain(costs).filter(|at| at.phase == k) {
            if !(0.0..=1.0).contains(&at.part) {
                return Err(OptimizeError::Moment { phase: problem.phases[k].name.clone(), part: at.part });
            }
            let near = (at.part * n as f64).round() as usize;
            if (mesh[near] - at.part).abs() < 1e-12 {
                taken[near] = true;
            } else if taken[near] || problem.scheme == Scheme::CentralDifference {
                return Err(OptimizeError::Mesh {
                    phase: problem.phases[k].name.clone(),
                    part: at.part,
                    intervals: n,
                });
            } else {
                (mesh[near], taken[near]) = (at.part, true);
            }
        }
        Ok(mesh)
    }

    fn lay_phase(&mut self, k: usize) -> Result<(), OptimizeError> {
        let (mesh, scheme, first) = (self.mesh(k)?, self.problem.scheme, self.nodes.len());
        let n = mesh.len() - 1;
        for i in 0..=n {
            let before = if i > 0 { mesh[i] - mesh[i - 1] } else { 0.0 };
            let after = if i < n { mesh[i + 1] - mesh[i] } else { 0.0 };
            let (inner, weight) = match scheme {
                Scheme::Trapezoidal => (true, (before + after) / 2.0),
                Scheme::HermiteSimpson => (true, (before + after) / 6.0),
                Scheme::CentralDifference if i == 0 || i == n => (false, 0.0),
                Scheme::CentralDifference => (true, 1.0 / n as f64),
            };
            self.lay_node(k, mesh[i], weight, inner);
            if scheme == Scheme::HermiteSimpson && i < n {
                self.lay_node(k, (mesh[i] + mesh[i + 1]) / 2.0, 4.0 * after / 6.0, true);
            }
        }
        self.phases.push(first..self.nodes.len());
        Ok(())
    }

    fn lay_node(&mut self, phase: usize, part: f64, weight: f64, moves: bool) {
        let Sizes { q, v, u, f, .. } = self.sizes;
        let block = self.nodes.len();
        let forces = &self.problem.phases[phase].forces;
        let there =
            |i: usize| i < q + v || (moves && (i < q + 2 * v + u || forces.contains(&(i - q - 2 * v - u))));
        let mut variables = vec![None; q + 2 * v + u + f];
        for (i, slot) in variables.iter_mut().enumerate() {
            if there(i) {
                *slot = Some(self.bounds.len());
                self.bounds.push((f64::NEG_INFINITY, f64::INFINITY));
                self.variable_blocks.push(block);
            }
        }
        self.nodes.push(Node { phase, part, weight, variables, moves, block });
    }

    fn lay_duration(&mut self, phase: &Phase) {
        let free = phase.duration.0 < phase.duration.1;
        self.durations.push(free.then(|| {
            self.bounds.push(phase.duration);
            self.variable_blocks.push(BORDER);
            self.bounds.len() - 1
        }));
    }

    /// The node of a moment.
    fn node_at(&self, at: When) -> usize {
        let nodes = self.phases[at.phase].clone();
        let off = |n: &usize| (self.nodes[*n].part - at.part).abs();
        nodes.clone().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(nodes.start)
    }

    /// Adds a variable in an interval at a node, with a row of its own.
    fn slack(&mut self, node: usize, range: (f64, f64)) -> usize {
        let block = self.nodes[node].block;
        self.bounds.push(range);
        self.variable_blocks.push(block);
        self.bounds.len() - 1
    }

    fn sum_of(&self, node: usize, quantity: Quantity) -> Sum {
        Sum::new(self.nodes[node].phase).add(node, self.sizes.place(quantity), 1.0, 0)
    }

    /// The duration of each phase.
    pub fn spans(&self, x: &[f64]) -> Vec<f64> {
        let given = |(phase, slot): (&Phase, &Option<usize>)| slot.map_or(phase.duration.0, |k| x[k]);
        self.problem.phases.iter().zip(&self.durations).map(given).collect()
    }

    /// The time of each node.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        let spans = self.spans(x);
        let begins: Vec<f64> = (0..spans.len()).map(|k| spans[..k].iter().sum()).collect();
        self.nodes.iter().map(|n| begins[n.phase] + spans[n.phase] * n.part).collect()
    }

    /// The multipliers of the equations of motion, node by node; 0 at nodes without these.
    pub fn motion_multipliers(&self, multipliers: &[f64]) -> Vec<Vec<f64>> {
        let mut all = vec![vec![0.0; self.sizes.v]; self.nodes.len()];
        let motion = self.sizes.q..self.sizes.q + self.sizes.v;
        for (row, multiplier) in self.rows.iter().zip(multipliers) {
            if let [terms::Term { node, what: What::Out(k), power: 0, .. }] = row.sum.terms[..]
                && motion.contains(&k)
            {
                all[node][k - self.sizes.q] = *multiplier;
            }
        }
        all
    }

    /// z of a node.
    pub fn z(&self, x: &[f64], node: usize) -> Vec<f64> {
        self.nodes[node].variables.iter().map(|v| v.map_or(0.0, |k| x[k])).collect()
    }
}
