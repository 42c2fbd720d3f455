//! The rows of [relations](super::kinds): each term is measured between its bodies, then the polynomial applies.

use super::kinds::{Pair, coordinate, coordinate_rate, polynomial};
use super::law::Status;
use super::rows::{Rows, moved, rate};
use super::{Maximal, Multipliers};
use crate::dynamics::Workspace;
use crate::model::{Bounded, Model, Relation, Relative};
use crate::spatial::{Force, Motion, Pose};

/// A term of a relation at a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    /// Its row.
    pub row: usize,
    /// The coordinate; angles are unwrapped to the turn nearest to the last value.
    pub value: f64,
    term: Relative,
    rate: f64,
    /// ẍ for zero joint acceleration.
    bias: f64,
    links: [usize; 2],
    /// The wrenches on the two links, about their origins, whose power is the rate; and their factor in the row.
    on: [Force; 2],
    factor: f64,
}

impl Measured {
    pub fn new(model: &Model, row: usize, term: Relative) -> Measured {
        let links = [term.a, term.b].map(|m| model.bodies[m.body.index()].link);
        let (value, on) = (term.near, [Force::default(); 2]);
        Measured { row, value, term, rate: 0.0, bias: 0.0, links, on, factor: 0.0 }
    }

    /// Its part of the row's wrenches per λ: the links, and wrenches about their origins.
    pub fn wrenches(&self) -> [(usize, Force); 2] {
        [(self.links[0], self.on[0] * self.factor), (self.links[1], self.on[1] * self.factor)]
    }

    fn measure(&mut self, model: &Model, ws: &Workspace, free: &[Motion], moving: bool) {
        let Relative { a, b, .. } = self.term;
        let (x_a, x_b) = (ws.body_pose(model, a.body), ws.body_pose(model, b.body));
        let pair = Pair::new(x_a, a.pose, x_b, b.pose);
        self.value = coordinate(&self.term, &pair, self.value);
        let w = coordinate_rate(&self.term, &pair);
        let to_link = |link: usize, x: Pose| ws.link_pose(link).pos - x.pos;
        self.on =
            [w.on_a[0].about(to_link(self.links[0], x_a)), w.on_b[0].about(to_link(self.links[1], x_b))];
        if moving {
            let (v_a, v_b) = (ws.body_velocity(model, a.body), ws.body_velocity(model, b.body));
            let dual = Pair::new(moved(x_a, v_a), a.pose, moved(x_b, v_b), b.pose);
            let dw = coordinate_rate(&self.term, &dual);
            let free = |body| ws.body_acceleration(model, body, free);
            self.rate = v_a.power(w.on_a[0]) + v_b.power(w.on_b[0]);
            let turned = v_a.power(rate(dw.on_a[0])) + v_b.power(rate(dw.on_b[0]));
            self.bias = turned + free(a.body).power(w.on_a[0]) + free(b.body).power(w.on_b[0]);
        }
    }
}

/// x, ẋ and ẍ₀ of a sum of terms.
fn sum(terms: &[Measured], factors: &[(Relative, f64)]) -> [f64; 3] {
    terms.iter().zip(factors).fold([0.0; 3], |[x, dx, ddx], (m, (_, c))| {
        [c.mul_add(m.value, x), c.mul_add(m.rate, dx), c.mul_add(m.bias, ddx)]
    })
}

impl Rows {
    /// Copies the turns counted by other rows of the same model.
    pub(super) fn count_turns_as(&mut self, other: &Rows) {
        self.forget();
        self.measured.iter_mut().zip(&other.measured).for_each(|(own, other)| own.value = other.value);
    }

    pub(super) fn measure(&mut self, model: &Model, ws: &Workspace, moving: bool) {
        for term in &mut self.measured {
            term.measure(model, ws, &self.accelerations, moving);
        }
    }

    /// Evaluates C, J and J̇v of a relation whose terms are measured.
    pub(super) fn relate(&mut self, model: &Model, ws: &Workspace, index: usize, relation: &Relation) {
        let row = self.first[index];
        let first = self.measured.partition_point(|m| m.row < row);
        let (middle, end) = (first + relation.own.len(), first + relation.terms().count());
        let [y, _, ddy] = sum(&self.measured[first..middle], &relation.own);
        let y = y - relation.reference;
        let slope = match &relation.other {
            None => {
                (self.value[row], self.bias[row]) = (y - relation.coefficients[0], ddy);
                0.0
            }
            Some((terms, x_0)) => {
                let [x, dx, ddx] = sum(&self.measured[middle..end], terms);
                let [p, dp, ddp] = polynomial(&relation.coefficients, x - x_0);
                self.value[row] = y - p;
                self.bias[row] = ddy - dp * ddx - ddp * dx * dx;
                dp
            }
        };
        self.clear_entries(row);
        for (k, (_, c)) in relation.terms().enumerate() {
            self.measured[first + k].factor = if first + k < middle { *c } else { -slope * c };
            for (link, wrench) in self.measured[first + k].wrenches() {
                self.add_wrench(model, ws, link, wrench);
            }
        }
    }
}

impl Rows {
    /// Evaluates C, J and J̇v of bounds between free bodies, whose terms are measured.
    pub(super) fn relate_bounds(&mut self, model: &Model, ws: &Workspace) {
        for (k, bound) in model.bounds().iter().enumerate() {
            let Bounded::Between(terms) = &bound.on else { continue };
            let row = self.first_bound + k;
            let first = self.measured.partition_point(|m| m.row < row);
            let [x, _, ddx] = sum(&self.measured[first..first + terms.len()], terms);
            self.clear_entries(row);
            for (k, (_, c)) in terms.iter().enumerate() {
                self.measured[first + k].factor = *c;
                for (link, wrench) in self.measured[first + k].wrenches() {
                    self.add_wrench(model, ws, link, wrench);
                }
            }
            self.turn(row, bound, x, ddx);
            let sign = bound.sign();
            self.measured[first..first + terms.len()].iter_mut().for_each(|m| m.factor *= sign);
        }
    }
}

impl Multipliers {
    /// Writes what the next step needs: counted turns, statuses of inequalities, and their closing speeds.
    pub(crate) fn memory(&self, out: &mut Vec<f64>) {
        out.extend(self.rows.measured.iter().map(|m| m.value));
        out.extend(self.rows.status.iter().flat_map(|status| status.numbers()));
        out.extend(&self.approach);
        self.touch_memory(out);
    }
    /// Restores what [`Multipliers::memory`] wrote, number by number.
    pub(crate) fn restore_memory(&mut self, mut next: impl FnMut() -> f64) {
        self.rows.forget();
        self.rows.measured.iter_mut().for_each(|m| m.value = next());
        self.rows.status.iter_mut().for_each(|status| *status = Status::of_numbers([next(), next()]));
        self.approach.iter_mut().for_each(|rate| *rate = next());
        self.restore_touch_memory(&mut next);
    }

    /// Discards what the steps so far have left: statuses, approach speeds and initial guesses of impulses.
    pub(crate) fn forget_steps(&mut self) {
        self.rows.forget();
        for (status, kind) in self.rows.status.iter_mut().zip(&self.rows.kinds) {
            *status = kind.terms.first_status();
        }
        self.kept.copy_from_slice(&self.rows.status);
        self.approach.fill(0.0);
        if let Some(t) = &mut self.touching {
            t.forget_steps();
        }
    }

    /// Sets the turns of relations to those nearest to the coordinates q of the original, for states that do not follow one another.
    pub(crate) fn count_turns_near(&mut self, maximal: &Maximal, q: &[f64]) {
        self.rows.forget();
        for (term, place) in self.rows.measured.iter_mut().zip(&maximal.measured) {
            term.value = place.map_or(term.value, |k| q[k]);
        }
    }
}
