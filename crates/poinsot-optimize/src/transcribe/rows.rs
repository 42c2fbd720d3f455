//! The rows and costs of a transcription.

use super::terms::{Part, Row, Says, Sum, What};
use super::{Sizes, Transcription};
use crate::error::OptimizeError;
use crate::problem::{Bound, Cost, Quantity, Scheme, Target};

impl Transcription<'_> {
    pub(super) fn write_rows(&mut self) -> Result<(), OptimizeError> {
        for node in 0..self.nodes.len() {
            if self.nodes[node].moves {
                self.write_motion(node);
            }
        }
        for k in 0..self.phases.len() {
            match self.problem.scheme {
                Scheme::Trapezoidal => self.write_trapezoids(k),
                Scheme::HermiteSimpson => self.write_simpson(k),
                Scheme::CentralDifference => self.write_differences(),
            }
        }
        self.write_joins();
        self.write_bounds()?;
        self.write_conditions()
    }

    fn push(&mut self, sum: Sum, node: usize, what: impl FnOnce(&Self) -> String) {
        let (says, block) = (Says { what: what(self), node }, self.nodes[node].block);
        self.rows.push(Row { sum, block, says });
    }

    /// Adds the equations of motion, and the equations of the phase.
    fn write_motion(&mut self, node: usize) {
        let Sizes { q, v, .. } = self.sizes;
        let phase = self.nodes[node].phase;
        for k in 0..v {
            let sum = Sum::new(phase).add(node, What::Out(q + k), 1.0, 0);
            self.push(sum, node, |t| format!("equation of motion of {}", t.problem.equations.names().v[k]));
        }
        for held in self.problem.phases[phase].zero.clone() {
            let sum = Sum::new(phase).less(held.constant);
            let add =
                |sum: Sum, (q, factor): &(Quantity, f64)| sum.add(node, self.sizes.place(*q), *factor, 0);
            let sum = held.terms.iter().fold(sum, add);
            let Some((first, _)) = held.terms.first().copied() else { continue };
            self.push(sum, node, |t| format!("{}: it stands", first.name(t.problem.equations.names())));
        }
    }

    /// The states: for each its index in z and that of its rate.
    fn states(&self) -> Vec<(What, What, String)> {
        let (Sizes { q, v, .. }, names) = (self.sizes, self.problem.equations.names());
        let places = (0..q).map(|k| (What::Z(k), What::Out(k), names.q[k].clone()));
        let speeds = (0..v).map(|k| (What::Z(q + k), What::Z(q + v + k), names.v[k].clone()));
        places.chain(speeds).collect()
    }

    fn write_trapezoids(&mut self, phase: usize) {
        for a in self.phases[phase].start..self.phases[phase].end - 1 {
            let h = self.nodes[a + 1].part - self.nodes[a].part;
            for (x, rate, name) in self.states() {
                let sum = Sum::new(phase)
                    .add(a + 1, x, 1.0, 0)
                    .add(a, x, -1.0, 0)
                    .add(a, rate, -h / 2.0, 1)
                    .add(a + 1, rate, -h / 2.0, 1);
                self.push(sum, a, |_| format!("change of {name} over an interval"));
            }
        }
    }

    fn write_simpson(&mut self, phase: usize) {
        for a in (self.phases[phase].start..self.phases[phase].end - 2).step_by(2) {
            let h = self.nodes[a + 2].part - self.nodes[a].part;
            for (x, rate, name) in self.states() {
                let whole = Sum::new(phase)
                    .add(a + 2, x, 1.0, 0)
                    .add(a, x, -1.0, 0)
                    .add(a, rate, -h / 6.0, 1)
                    .add(a + 1, rate, -4.0 * h / 6.0, 1)
                    .add(a + 2, rate, -h / 6.0, 1);
                self.push(whole, a + 1, |_| format!("change of {name} over an interval"));
                let middle = Sum::new(phase)
                    .add(a + 1, x, 1.0, 0)
                    .add(a, x, -0.5, 0)
                    .add(a + 2, x, -0.5, 0)
                    .add(a, rate, -h / 8.0, 1)
                    .add(a + 2, rate, h / 8.0, 1);
                self.push(middle, a + 1, |_| format!("{name} at the middle of an interval"));
            }
        }
    }

    fn write_differences(&mut self) {
        let (nodes, q) = (self.phases[0].clone(), self.sizes.q);
        let h = 1.0 / (nodes.len() - 1) as f64;
        for i in nodes.clone() {
            for k in 0..q {
                let (place, speed) = (What::Z(k), What::Z(q + k));
                let (a, b) = (i.saturating_sub(1).max(nodes.start), (i + 1).min(nodes.end - 1));
                let span = (b - a) as f64 * h;
                let sum = Sum::new(0).add(i, speed, span, 1).add(b, place, -1.0, 0).add(a, place, 1.0, 0);
                self.push(sum, i, |t| format!("velocity of {}", t.problem.equations.names().q[k]));
                if self.nodes[i].moves {
                    let sum = Sum::new(0)
                        .add(i, What::Z(2 * q + k), h * h, 2)
                        .add(b, place, -1.0, 0)
                        .add(i, place, 2.0, 0)
                        .add(a, place, -1.0, 0);
                    self.push(sum, i, |t| format!("acceleration of {}", t.problem.equations.names().q[k]));
                }
            }
        }
    }

    /// Adds the continuity of coordinates and velocities between phases.
    fn write_joins(&mut self) {
        for k in 1..self.phases.len() {
            let (before, after) = (self.phases[k].start - 1, self.phases[k].start);
            for (x, _, name) in self.states() {
                let sum = Sum::new(k).add(after, x, 1.0, 0).add(before, x, -1.0, 0);
                self.push(sum, after, |t| format!("{name} continues into {}", t.problem.phases[k].name));
            }
        }
    }

    fn write_bounds(&mut self) -> Result<(), OptimizeError> {
        let kept = |b: &Bound| self.start.bounded || !matches!(b.quantity, Quantity::U(_));
        for bound in self.problem.bounds.iter().filter(|b| kept(b)).copied().collect::<Vec<_>>() {
            for node in 0..self.nodes.len() {
                let mine = bound.phase.is_none_or(|p| p == self.nodes[node].phase);
                let there =
                    self.nodes[node].moves || matches!(bound.quantity, Quantity::Q(_) | Quantity::V(_));
                if mine && there {
                    self.keep(node, bound.quantity, bound.range, "")?;
                }
            }
        }
        Ok(())
    }

    fn write_conditions(&mut self) -> Result<(), OptimizeError> {
        for c in self.problem.conditions.clone() {
            let node = self.node_at(c.at);
            self.keep(node, c.quantity, c.range, "condition: ")?;
        }
        Ok(())
    }

    /// Adds a range for a quantity at a node.
    fn keep(
        &mut self,
        node: usize,
        quantity: Quantity,
        range: (f64, f64),
        why: &str,
    ) -> Result<(), OptimizeError> {
        let (low, high) = range;
        let name = quantity.name(self.problem.equations.names());
        if low.is_nan() || high.is_nan() || low > high || (low == high && low.is_infinite()) {
            return Err(OptimizeError::Range { quantity: name, low, high });
        }
        if low == high {
            let sum = self.sum_of(node, quantity).less(low);
            self.push(sum, node, |_| format!("{why}{name} = {low}"));
            return Ok(());
        }
        if low.is_infinite() && high.is_infinite() {
            return Ok(());
        }
        let direct = match self.sizes.place(quantity) {
            What::Z(k) => self.nodes[node].variables[k],
            What::Out(_) => None,
        };
        // a variable has its own bounds, narrowed by each range
        if let Some(x) = direct {
            let (l, h) = self.bounds[x];
            let both = (l.max(low), h.min(high));
            if both.0 < both.1 {
                self.bounds[x] = both;
                return Ok(());
            }
        }
        let slack = self.slack(node, range);
        let mut sum = self.sum_of(node, quantity);
        sum.slack = Some(slack);
        self.push(sum, node, |_| format!("{why}{name} from {low} to {high}"));
        Ok(())
    }

    pub(super) fn write_costs(&mut self) {
        for (cost, asked) in self.problem.costs.clone().into_iter().enumerate() {
            match asked {
                Cost::Square { quantity, weight, target } => {
                    self.cost_square(cost, quantity, weight, &target)
                }
                Cost::Rate { quantity, weight } => self.cost_rate(cost, quantity, weight),
                Cost::Duration { weight } => {
                    for phase in 0..self.phases.len() {
                        let sum = Sum { phase, constant: 1.0, ..Sum::default() };
                        self.parts.push(Part { sum, weight, power: 1, squared: false, cost });
                    }
                }
                Cost::At { at, quantity, weight, target } => {
                    let sum = self.sum_of(self.node_at(at), quantity).less(target.unwrap_or(0.0));
                    self.parts.push(Part { sum, weight, power: 0, squared: target.is_some(), cost });
                }
            }
        }
    }

    fn cost_square(&mut self, cost: usize, quantity: Quantity, weight: f64, target: &Target) {
        let guesses: Vec<f64> = self.problem.phases.iter().map(|p| p.guess).collect();
        let whole: f64 = guesses.iter().sum();
        for node in 0..self.nodes.len() {
            let n = &self.nodes[node];
            if n.weight > 0.0 {
                let passed: f64 = guesses[..n.phase].iter().sum();
                let part = (passed + n.part * guesses[n.phase]) / whole;
                let sum = self.sum_of(node, quantity).less(target.at(part));
                self.parts.push(Part { sum, weight: weight * n.weight, power: 1, squared: true, cost });
            }
        }
    }

    /// ∫ ẋ² of the piecewise linear interpolant; for Hermite–Simpson, of the parabola through three points:
    /// (x₁ − x₀)²/h + 16/3 (xₘ − ½(x₀ + x₁))²/h. Both differences are variables at the midpoint, so that no two nodes are coupled across a third.
    fn cost_rate(&mut self, cost: usize, quantity: Quantity, weight: f64) {
        let x = self.sizes.place(quantity);
        let halves = self.problem.scheme == Scheme::HermiteSimpson;
        let stride = if halves { 2 } else { 1 };
        for phase in 0..self.phases.len() {
            let nodes: Vec<usize> = self.phases[phase].clone().filter(|n| self.nodes[*n].moves).collect();
            for i in (0..nodes.len().saturating_sub(stride)).step_by(stride) {
                let (a, b) = (nodes[i], nodes[i + stride]);
                let weight = weight / (self.nodes[b].part - self.nodes[a].part);
                let rise = Sum::new(phase).add(b, x, 1.0, 0).add(a, x, -1.0, 0);
                if halves {
                    let bend = Sum::new(phase).add(a + 1, x, 1.0, 0).add(a, x, -0.5, 0).add(b, x, -0.5, 0);
                    self.cost_of_slack(cost, rise, a + 1, weight);
                    self.cost_of_slack(cost, bend, a + 1, 16.0 / 3.0 * weight);
                } else {
                    self.parts.push(Part { sum: rise, weight, power: -1, squared: true, cost });
                }
            }
        }
    }

    /// weight/T times the square of a sum, through a variable that equals it.
    fn cost_of_slack(&mut self, cost: usize, mut sum: Sum, node: usize, weight: f64) {
        sum.slack = Some(self.slack(node, (f64::NEG_INFINITY, f64::INFINITY)));
        let alone = Sum { slack: sum.slack, ..Sum::new(sum.phase) };
        self.push(sum, node, |_| "rate of a control".into());
        self.parts.push(Part { sum: alone, weight, power: -1, squared: true, cost });
    }
}
