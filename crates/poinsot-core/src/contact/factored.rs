//! The Delassus matrix of trees in factored form: `G = Y Yᵀ` with `Y = J L⁻¹ D^−½` where `M = Lᵀ D L`.
//!
//! A row of Y has entries only on the paths from its degrees of freedom to the root. Applying G costs as much as Y has entries, however
//! many rows share a tree.

use super::delassus::Delassus;
use super::dense::dot;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use std::ops::Range;

/// Y, row by row. Its memory is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factored {
    /// The length of a full row.
    pub(super) width: usize,
    pub(super) groups: Vec<Group>,
    group_of: Vec<usize>,
    /// The places of the entries of a group's rows, in order.
    pub(super) path: Vec<usize>,
    /// Where the entries of each row start.
    pub(super) begin: Vec<usize>,
    pub(super) y: Vec<f64>,
}

/// The rows of one law.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub rows: Range<usize>,
    pub path: Range<usize>,
}

impl Factored {
    /// Starts a new matrix without rows.
    pub fn begin(&mut self, width: usize) {
        self.width = width;
        self.groups.clear();
        self.group_of.clear();
        self.path.clear();
        self.begin.clear();
        self.y.clear();
    }

    /// Adds rows with entries at the same places, in order; `number` returns them by row and position on the path.
    pub fn push(
        &mut self,
        rows: usize,
        path: impl Iterator<Item = usize>,
        number: impl Fn(usize, usize) -> f64,
    ) {
        let (first, from) = (self.begin.len(), self.path.len());
        self.path.extend(path);
        let count = self.path.len() - from;
        for row in 0..rows {
            self.group_of.push(self.groups.len());
            self.begin.push(self.y.len());
            self.y.extend((0..count).map(|k| number(row, k)));
        }
        self.groups.push(Group { rows: first..first + rows, path: from..from + count });
    }

    /// The entries of a row.
    #[inline(always)]
    pub(super) fn numbers(&self, row: usize) -> &[f64] {
        let count = self.groups[self.group_of[row]].path.len();
        &self.y[self.begin[row]..self.begin[row] + count]
    }

    /// The places of a row.
    #[inline(always)]
    pub(super) fn places(&self, row: usize) -> &[usize] {
        &self.path[self.groups[self.group_of[row]].path.clone()]
    }
}

/// out += a y at these places.
#[inline(always)]
pub(super) fn spread(places: &[usize], y: &[f64], a: f64, out: &mut [f64]) {
    match (places.first(), places.last()) {
        (Some(&first), Some(&last)) if last - first + 1 == places.len() => {
            for (out, y) in out[first..=last].iter_mut().zip(y) {
                *out = a.mul_add(*y, *out);
            }
        }
        _ => places.iter().zip(y).for_each(|(at, y)| out[*at] = a.mul_add(*y, out[*at])),
    }
}

/// y · w at these places.
#[inline(always)]
pub(super) fn gathered(places: &[usize], y: &[f64], w: &[f64]) -> f64 {
    match (places.first(), places.last()) {
        (Some(&first), Some(&last)) if last - first + 1 == places.len() => dot(y, &w[first..=last]),
        _ => places.iter().zip(y).fold(0.0, |sum, (at, y)| y.mul_add(w[*at], sum)),
    }
}

impl Delassus for Factored {
    fn size(&self) -> usize {
        self.begin.len()
    }
    fn row(&self, row: usize, mut see: impl FnMut(usize, &[f64])) {
        (0..self.size()).for_each(|column| see(column, &[self.entry(row, column)]));
    }
    fn entry(&self, row: usize, column: usize) -> f64 {
        let (a, b) = (self.numbers(row), self.numbers(column));
        if self.group_of[row] == self.group_of[column] {
            return a.iter().zip(b).fold(0.0, |sum, (a, b)| a.mul_add(*b, sum));
        }
        let (p, q) = (self.places(row), self.places(column));
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        while i < p.len() && j < q.len() {
            if p[i] == q[j] {
                sum = a[i].mul_add(b[j], sum);
            }
            let (here, there) = (p[i], q[j]);
            i += usize::from(here <= there);
            j += usize::from(there <= here);
        }
        sum
    }
    fn apply(&self, lambda: &[f64], u: &mut [f64], sizes: &mut [f64], room: &mut Vec<f64>) {
        room.clear();
        room.resize(2 * self.width, 0.0);
        dispatch(Apply { of: self, lambda, u, sizes, room });
    }
    fn factored(&self) -> Option<&Factored> {
        Some(self)
    }
}

struct Apply<'a> {
    of: &'a Factored,
    lambda: &'a [f64],
    u: &'a mut [f64],
    sizes: &'a mut [f64],
    room: &'a mut [f64],
}

impl Kernel for Apply<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let (w, large) = self.room.split_at_mut(self.of.width);
        for (row, lambda) in self.lambda.iter().enumerate().filter(|(_, lambda)| **lambda != 0.0) {
            for (at, y) in self.of.places(row).iter().zip(self.of.numbers(row)) {
                w[*at] = lambda.mul_add(*y, w[*at]);
                large[*at] = lambda.abs().mul_add(y.abs(), large[*at]);
            }
        }
        for row in 0..self.u.len() {
            let (places, y) = (self.of.places(row), self.of.numbers(row));
            self.u[row] = gathered(places, y, w);
            self.sizes[row] = places.iter().zip(y).fold(0.0, |sum, (at, y)| y.abs().mul_add(large[*at], sum));
        }
    }
}
