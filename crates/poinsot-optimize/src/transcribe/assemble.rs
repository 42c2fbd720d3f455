//! Values and derivatives of the rows and costs of a transcription.

use super::Transcription;
use super::terms::{Sum, What};
use crate::program::Program;

type Entries = Vec<(usize, usize, f64)>;

/// The equations at a node.
#[derive(Default)]
struct Local {
    z: Vec<f64>,
    out: Vec<f64>,
    jacobian: Vec<f64>,
}

/// The states at the nodes, and the durations of the phases.
struct Here {
    locals: Vec<Local>,
    spans: Vec<f64>,
}

/// tᵖ, with the same bits everywhere.
fn power(t: f64, p: i32) -> f64 {
    match p {
        0 => 1.0,
        p if p > 0 => (1..p).fold(t, |x, _| x * t),
        p => 1.0 / power(t, -p),
    }
}

impl Transcription<'_> {
    fn look(&self, x: &[f64], slopes: bool) -> Here {
        let equations = &self.problem.equations;
        let (n, m) = (self.sizes.z(), self.sizes.out());
        let local = |node: usize| {
            let (z, mut out) = (self.z(x, node), vec![0.0; m]);
            let mut jacobian = vec![0.0; if slopes { n * m } else { 0 }];
            if slopes {
                equations.jacobian(&z, &mut out, &mut jacobian);
            } else {
                equations.values(&z, &mut out);
            }
            Local { z, out, jacobian }
        };
        Here { locals: (0..self.nodes.len()).map(local).collect(), spans: self.spans(x) }
    }

    fn value(&self, here: &Here, node: usize, what: What) -> f64 {
        match what {
            What::Z(k) => here.locals[node].z[k],
            What::Out(k) => here.locals[node].out[k],
        }
    }

    fn sum(&self, here: &Here, x: &[f64], sum: &Sum) -> f64 {
        let t = here.spans[sum.phase];
        let terms =
            sum.terms.iter().map(|m| m.coefficient * power(t, m.power) * self.value(here, m.node, m.what));
        terms.sum::<f64>() + sum.constant - sum.slack.map_or(0.0, |k| x[k])
    }

    /// Visits ∂value/∂x, variable by variable.
    fn slope_of(&self, here: &Here, node: usize, what: What, mut each: impl FnMut(usize, f64)) {
        let variables = &self.nodes[node].variables;
        match what {
            What::Z(k) => variables[k].into_iter().for_each(|x| each(x, 1.0)),
            What::Out(k) => {
                let n = variables.len();
                let row = &here.locals[node].jacobian[k * n..(k + 1) * n];
                let there = row.iter().zip(variables).filter(|(slope, _)| **slope != 0.0);
                there.for_each(|(slope, x)| x.iter().for_each(|x| each(*x, *slope)));
            }
        }
    }

    /// ∇ of a sum, each variable once, in order.
    fn slopes_of_sum(&self, here: &Here, sum: &Sum) -> Vec<(usize, f64)> {
        let t = here.spans[sum.phase];
        let mut slopes: Vec<(usize, f64)> = Vec::new();
        for m in &sum.terms {
            let factor = m.coefficient * power(t, m.power);
            self.slope_of(here, m.node, m.what, |x, s| slopes.push((x, factor * s)));
            if let (Some(x), true) = (self.durations[sum.phase], m.power != 0) {
                let rate = f64::from(m.power) * m.coefficient * power(t, m.power - 1);
                slopes.push((x, rate * self.value(here, m.node, m.what)));
            }
        }
        slopes.extend(sum.slack.map(|k| (k, -1.0)));
        slopes.sort_by_key(|(x, _)| *x);
        slopes.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 += later.1;
            }
            same
        });
        slopes
    }

    /// Adds `weight` times the second derivatives of a sum; those of the equations are accumulated at the nodes.
    fn bend(&self, here: &Here, sum: &Sum, weight: f64, nodes: &mut [Vec<f64>], entries: &mut Entries) {
        let t = here.spans[sum.phase];
        for m in &sum.terms {
            if let What::Out(k) = m.what {
                nodes[m.node][k] += weight * m.coefficient * power(t, m.power);
            }
            let (Some(span), true) = (self.durations[sum.phase], m.power != 0) else { continue };
            let p = f64::from(m.power);
            let rate = weight * p * m.coefficient * power(t, m.power - 1);
            self.slope_of(here, m.node, m.what, |x, s| entries.push((span, x, rate * s)));
            if m.power != 1 {
                let value = self.value(here, m.node, m.what);
                entries.push((
                    span,
                    span,
                    weight * p * (p - 1.0) * m.coefficient * power(t, m.power - 2) * value,
                ));
            }
        }
    }

    /// The second derivatives of the cost.
    fn bend_costs(&self, here: &Here, x: &[f64], scale: f64, nodes: &mut [Vec<f64>], entries: &mut Entries) {
        for part in &self.parts {
            let (sum, t) = (&part.sum, here.spans[part.sum.phase]);
            let (value, slopes) = (self.sum(here, x, sum), self.slopes_of_sum(here, sum));
            let weight = scale * part.weight;
            let (of_sum, by_value) = if part.squared { (2.0 * value, value * value) } else { (1.0, value) };
            let now = weight * power(t, part.power);
            self.bend(here, sum, now * of_sum, nodes, entries);
            if part.squared {
                for (i, (a, s)) in slopes.iter().enumerate() {
                    entries.extend(slopes[..=i].iter().map(|(b, r)| (*a, *b, 2.0 * now * s * r)));
                }
            }
            let (Some(span), true) = (self.durations[sum.phase], part.power != 0) else { continue };
            let p = f64::from(part.power);
            let rate = weight * p * power(t, part.power - 1) * of_sum;
            let twice = |a: usize| if a == span { 2.0 } else { 1.0 };
            entries.extend(slopes.iter().map(|(a, s)| (span, *a, twice(*a) * rate * s)));
            if part.power != 1 {
                entries.push((span, span, weight * p * (p - 1.0) * power(t, part.power - 2) * by_value));
            }
        }
    }

    /// The value of each cost term of the problem.
    pub fn costs(&self, x: &[f64]) -> Vec<f64> {
        let here = self.look(x, false);
        let mut costs = vec![0.0; self.problem.costs.len()];
        for part in &self.parts {
            let value = self.sum(&here, x, &part.sum);
            let value = if part.squared { value * value } else { value };
            costs[part.cost] += part.weight * power(here.spans[part.sum.phase], part.power) * value;
        }
        costs
    }
}

impl Program for Transcription<'_> {
    fn blocks_of_variables(&self) -> &[usize] {
        &self.variable_blocks
    }
    fn blocks_of_rows(&self) -> &[usize] {
        &self.row_blocks
    }
    fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    fn values(&self, x: &[f64], rows: &mut [f64]) -> f64 {
        let here = self.look(x, false);
        for (c, row) in rows.iter_mut().zip(&self.rows) {
            *c = self.sum(&here, x, &row.sum);
        }
        let cost = |part: &super::Part| {
            let value = self.sum(&here, x, &part.sum);
            let value = if part.squared { value * value } else { value };
            part.weight * power(here.spans[part.sum.phase], part.power) * value
        };
        self.parts.iter().map(cost).sum()
    }

    fn slopes(&self, x: &[f64], gradient: &mut [f64], jacobian: &mut Entries) {
        let here = self.look(x, true);
        for (r, row) in self.rows.iter().enumerate() {
            jacobian.extend(self.slopes_of_sum(&here, &row.sum).into_iter().map(|(k, s)| (r, k, s)));
        }
        gradient.fill(0.0);
        for part in &self.parts {
            let (sum, t) = (&part.sum, here.spans[part.sum.phase]);
            let value = self.sum(&here, x, sum);
            let (of_sum, by_value) = if part.squared { (2.0 * value, value * value) } else { (1.0, value) };
            let factor = part.weight * power(t, part.power) * of_sum;
            for (k, s) in self.slopes_of_sum(&here, sum) {
                gradient[k] += factor * s;
            }
            if let (Some(span), true) = (self.durations[sum.phase], part.power != 0) {
                gradient[span] += part.weight * f64::from(part.power) * power(t, part.power - 1) * by_value;
            }
        }
    }

    fn curvature(&self, x: &[f64], scale: f64, multipliers: &[f64], hessian: &mut Entries) {
        let here = self.look(x, true);
        let (n, m) = (self.sizes.z(), self.sizes.out());
        let mut weights = vec![vec![0.0; m]; self.nodes.len()];
        for (row, multiplier) in self.rows.iter().zip(multipliers) {
            self.bend(&here, &row.sum, *multiplier, &mut weights, hessian);
        }
        self.bend_costs(&here, x, scale, &mut weights, hessian);
        let mut local = vec![0.0; n * n];
        for (node, weights) in weights.iter().enumerate() {
            if weights.iter().all(|w| *w == 0.0) {
                continue;
            }
            self.problem.equations.hessian(&here.locals[node].z, weights, &mut local);
            let variables = &self.nodes[node].variables;
            for i in 0..n {
                for j in 0..=i {
                    if let (Some(a), Some(b), true) = (variables[i], variables[j], local[i * n + j] != 0.0) {
                        hessian.push((a, b, local[i * n + j]));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Condition, Cost, Guess, Phase, Problem, Quantity, Scheme, Target, When};
    use crate::program::Settings;
    use crate::restart::Start;
    use crate::system::{CartPole, Taped};

    /// Compares gradient, Jacobian and Hessian with central differences, with free durations and every kind of cost.
    #[test]
    fn derivatives_are_those_of_the_values() {
        for scheme in [Scheme::Trapezoidal, Scheme::HermiteSimpson, Scheme::CentralDifference] {
            let cart = CartPole { cart_mass: 1.0, pole_mass: 0.3, length: 0.5, gravity: 9.81 };
            let phase = |name: &str| Phase {
                name: name.into(),
                duration: (0.5, 2.0),
                guess: 1.1,
                intervals: 3,
                forces: Vec::new(),
                zero: Vec::new(),
            };
            let phases = if scheme == Scheme::CentralDifference {
                vec![phase("a")]
            } else {
                vec![phase("a"), phase("b")]
            };
            let end = When { phase: phases.len() - 1, part: 1.0 };
            let problem = Problem {
                equations: Box::new(Taped::new(&cart)),
                model: None,
                nodes: None,
                phases,
                conditions: vec![Condition { at: end, quantity: Quantity::Q(1), range: (1.0, 2.0) }],
                bounds: vec![crate::problem::Bound {
                    phase: None,
                    quantity: Quantity::V(0),
                    range: (-3.0, 4.0),
                }],
                costs: vec![
                    Cost::Square { quantity: Quantity::U(0), weight: 1.5, target: Target::Value(0.1) },
                    Cost::Rate { quantity: Quantity::U(0), weight: 0.2 },
                    Cost::Duration { weight: 0.7 },
                    Cost::At { at: end, quantity: Quantity::V(1), weight: 0.4, target: Some(0.3) },
                    Cost::At { at: end, quantity: Quantity::Q(0), weight: -0.4, target: None },
                ],
                scheme,
                guess: Guess::default(),
                settings: Settings::default(),
            };
            let start = Start::of(&problem);
            let t = Transcription::new(&problem, &start).unwrap();
            compare(&t);
        }
    }

    fn compare(t: &Transcription) {
        let (n, m) = (t.bounds.len(), t.rows.len());
        let x: Vec<f64> = (0..n).map(|k| 1.0 + 0.8 * libm::sin(3.0 * k as f64)).collect();
        let multipliers: Vec<f64> = (0..m).map(|k| libm::cos(2.0 * k as f64)).collect();
        // ∇(1.3 f + λ·c)
        let lagrangian = |x: &[f64]| {
            let (mut g, mut jacobian) = (vec![0.0; n], Vec::new());
            t.slopes(x, &mut g, &mut jacobian);
            g.iter_mut().for_each(|g| *g *= 1.3);
            jacobian.iter().for_each(|(r, k, s)| g[*k] += multipliers[*r] * s);
            g
        };
        let value = |x: &[f64]| {
            let mut rows = vec![0.0; m];
            let f = t.values(x, &mut rows);
            1.3 * f + rows.iter().zip(&multipliers).map(|(c, l)| c * l).sum::<f64>()
        };
        let mut entries = Vec::new();
        t.curvature(&x, 1.3, &multipliers, &mut entries);
        let mut dense = vec![0.0; n * n];
        for (i, j, a) in entries {
            dense[i * n + j] += a;
            if i != j {
                dense[j * n + i] += a;
            }
        }
        let (slope, h) = (lagrangian(&x), 1e-5);
        for k in 0..n {
            let moved = |by: f64| {
                let mut y = x.clone();
                y[k] += by;
                y
            };
            let (plus, minus) = (moved(h), moved(-h));
            let rate = (value(&plus) - value(&minus)) / (2.0 * h);
            assert!((rate - slope[k]).abs() < 1e-7 * (1.0 + rate.abs()), "slope {k}: {rate} {}", slope[k]);
            for (j, (a, b)) in lagrangian(&plus).iter().zip(lagrangian(&minus)).enumerate() {
                let rate = (a - b) / (2.0 * h);
                assert!(
                    (rate - dense[j * n + k]).abs() < 1e-7 * (1.0 + rate.abs()),
                    "curvature {j} {k}: {rate} {}",
                    dense[j * n + k]
                );
            }
        }
    }
}
