//! The rows of bounds: limits and dry friction.
//!
//! With x the bounded coordinate,
//!
//! ```math
//! lower end: C = x − end      upper end: C = end − x      friction: Ċ = ẋ
//! ```
//! In the coordinates of the model x is one of them, a sum of some (a tendon), or the angle θ = |log q| of an attitude, whose axis n is
//! instantaneously fixed in both bodies: `θ̇ = n·ω`, and with ω⊥ the part of ω at right angles to n, `θ̈ = n·ω̇ + ½ cot(θ/2) |ω⊥|²`.
//! Between free bodies x is [measured](super::measured).

use super::law::{Law, Terms, Unit};
use super::measured::Measured;
use super::rows::{Owner, RowKind, Rows, above};
use crate::algebra::V3;
use crate::model::{Bound, BoundKind, Bounded, Joint, JointKind, Model};
use crate::spatial::Quat;

impl Bound {
    /// The unit of its row, and its law.
    fn terms(&self) -> Terms {
        let law = match (self.kind, self.stop.softness) {
            (BoundKind::Friction(force), _) => return Terms { unit: Unit::Rate, law: Law::Within { force } },
            (_, Some((stiffness, damping))) => Law::Soft { stiffness, damping },
            (_, None) => Law::AtLeast { restitution: self.stop.restitution },
        };
        Terms { unit: Unit::Length, law }
    }

    /// The sign of x in C.
    pub(super) fn sign(&self) -> f64 {
        if matches!(self.kind, BoundKind::Upper(_)) { -1.0 } else { 1.0 }
    }
    /// The x at which C = 0.
    fn end(&self) -> f64 {
        match self.kind {
            BoundKind::Lower(end) | BoundKind::Upper(end) => end,
            BoundKind::Friction(_) => 0.0,
        }
    }

    /// The degrees of freedom that x depends on, in order.
    fn dofs(&self, model: &Model) -> Vec<usize> {
        let mut dofs = match &self.on {
            Bounded::Coordinate { joint, index } => vec![model.joints()[joint.index()].dofs().start + index],
            Bounded::Swing { joint } => model.joints()[joint.index()].dofs().collect(),
            Bounded::Tendon(tendon) => {
                let terms = &model.tendons()[tendon.index()].terms;
                terms.iter().map(|(joint, _)| model.joints()[joint.index()].dofs().start).collect()
            }
            Bounded::Between(terms) => terms
                .iter()
                .flat_map(|(t, _)| [t.a.body, t.b.body])
                .flat_map(|body| above(model, body))
                .collect(),
        };
        dofs.sort_unstable();
        dofs.dedup();
        dofs
    }
}

/// A bound on one coordinate, or on a tendon over one joint: C = ±(c q − end), Ċ = ±c v.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnCoordinate {
    pub row: usize,
    q: usize,
    pub dof: usize,
    /// ±c: the only entry of the row.
    pub entry: f64,
    coefficient: f64,
    sign: f64,
    end: f64,
}

impl OnCoordinate {
    /// The bound, if its row of J never changes.
    fn of(model: &Model, row: usize, bound: &Bound) -> Option<OnCoordinate> {
        let (joint, index, coefficient) = match &bound.on {
            Bounded::Coordinate { joint, index } => (*joint, *index, 1.0),
            Bounded::Tendon(tendon) => match model.tendons()[tendon.index()].terms[..] {
                [(joint, coefficient)] if coefficient != 0.0 => (joint, 0, coefficient),
                _ => return None,
            },
            _ => return None,
        };
        let joint = &model.joints()[joint.index()];
        let linear = match joint.kind {
            JointKind::Spherical => false,
            JointKind::Free => index < 3,
            _ => true,
        };
        let sign = bound.sign();
        (linear && !bound.terms().is_soft()).then(|| OnCoordinate {
            row,
            q: joint.coordinates().start + index,
            dof: joint.dofs().start + index,
            entry: sign * coefficient,
            coefficient,
            sign,
            end: bound.end(),
        })
    }
}

impl Rows {
    /// Makes room for the bounds of a model, after the rows of its constraints.
    pub(super) fn push_bounds(&mut self, model: &Model) {
        for (index, bound) in model.bounds().iter().enumerate() {
            let row = self.kinds.len();
            if let Bounded::Between(terms) = &bound.on {
                self.measured.extend(terms.iter().map(|(term, _)| Measured::new(model, row, *term)));
            }
            self.kinds.push(RowKind { owner: Owner::Bound(index), terms: bound.terms() });
            self.links.push([0; 2]);
            self.push_dofs(bound.dofs(model));
            self.on_coordinates.extend(OnCoordinate::of(model, row, bound));
        }
        let mut others = (0..model.bounds().len()).map(|k| self.first_bound + k).collect::<Vec<_>>();
        others.retain(|row| self.on_coordinates.binary_search_by_key(row, |on| on.row).is_err());
        self.other_bounds = others;
    }

    /// Sets the entries that never change.
    pub(super) fn set_coordinate_entries(&mut self) {
        for k in 0..self.on_coordinates.len() {
            let OnCoordinate { row, entry, .. } = self.on_coordinates[k];
            self.set_entries(row, |entries| entries[0] = entry);
        }
    }

    /// Ċ of the bounds.
    #[inline(always)]
    pub(super) fn set_bound_rates(&mut self, v: &[f64]) {
        for on in &self.on_coordinates {
            self.rate[on.row] = on.entry * v[on.dof];
        }
        for k in 0..self.other_bounds.len() {
            let row = self.other_bounds[k];
            self.rate[row] = self.dot(row, v);
        }
    }

    /// J x of all inequalities.
    pub(super) fn along(&self, x: &[f64], out: &mut [f64]) {
        for on in &self.on_coordinates {
            out[on.row] = on.entry * x[on.dof];
        }
        for row in &self.other_inequalities {
            out[*row] = self.dot(*row, x);
        }
    }

    /// Evaluates C, J and J̇v of the bounds; those between free bodies are already measured.
    pub(super) fn evaluate_bounds(&mut self, model: &Model, q: &[f64], v: Option<&[f64]>) {
        for on in &self.on_coordinates {
            self.value[on.row] = on.sign * (on.coefficient * q[on.q] - on.end);
        }
        for k in 0..self.other_bounds.len() {
            let row = self.other_bounds[k];
            let bound = &model.bounds()[row - self.first_bound];
            let (x, bias) = match &bound.on {
                Bounded::Between(_) => continue,
                Bounded::Coordinate { joint, index } => {
                    self.set_entries(row, |entry| entry[0] = 1.0);
                    (coordinate(&model.joints()[joint.index()], q, *index), 0.0)
                }
                Bounded::Swing { joint } => self.swing(row, &model.joints()[joint.index()], q, v),
                Bounded::Tendon(tendon) => {
                    let tendon = &model.tendons()[tendon.index()];
                    self.clear_entries(row);
                    for (joint, c) in &tendon.terms {
                        self.add_entry(model.joints()[joint.index()].dofs().start, *c);
                    }
                    (tendon.length(model, q), 0.0)
                }
            };
            self.turn(row, bound, x, bias);
        }
    }

    /// Converts x to C; a soft limit that is not reached has neither C nor J.
    pub(super) fn turn(&mut self, row: usize, bound: &Bound, x: f64, bias: f64) {
        let sign = bound.sign();
        let c = sign * (x - bound.end());
        let untouched = self.kinds[row].terms.is_soft() && c >= 0.0;
        let sign = if untouched { 0.0 } else { sign };
        (self.value[row], self.bias[row]) = (if untouched { 0.0 } else { c }, sign * bias);
        if sign != 1.0 {
            self.set_entries(row, |entries| entries.iter_mut().for_each(|j| *j *= sign));
        }
    }

    /// θ, and the part of θ̈ that does not depend on accelerations.
    fn swing(&mut self, row: usize, joint: &Joint, q: &[f64], v: Option<&[f64]>) -> (f64, f64) {
        let at = joint.coordinates().start;
        let turn = Quat { w: q[at], x: q[at + 1], y: q[at + 2], z: q[at + 3] }.log();
        let angle = turn.norm();
        let axis = turn.unit().unwrap_or(V3::ZERO);
        self.set_entries(row, |entries| entries.copy_from_slice(&axis.array()));
        let Some(v) = v.map(|v| &v[joint.dofs()]) else { return (angle, 0.0) };
        let spin = V3::new(v[0], v[1], v[2]);
        let across = spin - axis * axis.dot(spin);
        let (sin, cos) = crate::algebra::sin_cos(0.5 * angle);
        let bias = if sin == 0.0 { 0.0 } else { 0.5 * cos / sin * across.dot(across) };
        (angle, bias)
    }
}

/// The coordinate of a degree of freedom of a joint; attitudes have none.
fn coordinate(joint: &Joint, q: &[f64], index: usize) -> f64 {
    match joint.kind {
        JointKind::Spherical => 0.0,
        JointKind::Free if index >= 3 => 0.0,
        _ => q[joint.coordinates().start + index],
    }
}
