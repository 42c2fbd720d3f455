//! Sparse systems of 6×6 blocks, one block row for each body: block LU with a minimum-degree ordering.
//!
//! The block pattern is symmetric. The body with the fewest neighbours is eliminated first, which connects all its neighbours to each other
//! [George81, chapter 5]. The ordering is computed once for each graph. Pivoting happens only within diagonal blocks.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::dense::folded;
use super::free_bodies::{NONE, Six};
use crate::algebra::Real;
use crate::algebra::lanes::{Eight, Isa, Kernel, Lanes, dispatch};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Six rows of six entries, padded with two zeros.
pub(super) type Block6 = [Lanes<8>; 6];

const ZERO: Block6 = [Lanes([0.0; 8]); 6];

#[derive(Clone, Debug, Default)]
pub(super) struct BlockLu {
    /// The graph for which the ordering was computed.
    count: usize,
    pairs: Vec<[usize; 2]>,
    /// For each pair of bodies, its entry; NONE if one of the two is not a body.
    entry_of: Vec<usize>,
    /// The place of each body in the ordering.
    place: Vec<usize>,
    /// The places after k that couple to k: `others[starts[k]..starts[k + 1]]`, sorted.
    starts: Vec<usize>,
    others: Vec<usize>,
    /// Diagonal blocks, by place.
    diagonal: Vec<Block6>,
    factors: Vec<Factored>,
    /// Blocks (k, j) and (j, k) for each of `others`; after factoring, the blocks of U and L.
    upper: Vec<Block6>,
    lower: Vec<Block6>,
    symmetric: bool,
    right: Vec<Lanes<8>>,
}

impl BlockLu {
    /// Starts a zero matrix for `count` bodies with these coupled pairs.
    pub fn begin(&mut self, count: usize, pairs: &[[usize; 2]], symmetric: bool) {
        if self.count != count || self.pairs != pairs {
            self.count = count;
            self.pairs.clear();
            self.pairs.extend_from_slice(pairs);
            self.analyse();
        }
        self.symmetric = symmetric;
        self.diagonal.clear();
        self.diagonal.resize(count, ZERO);
        for half in [&mut self.upper, &mut self.lower] {
            half.clear();
            half.resize(self.others.len(), ZERO);
        }
    }

    /// Computes the ordering and the fill-in.
    fn analyse(&mut self) {
        self.least_degree();
        self.entry_of.clear();
        for k in 0..self.pairs.len() {
            let entry = match self.pairs[k] {
                [a, b] if a != NONE && b != NONE && a != b => {
                    let (a, b) = (self.place[a], self.place[b]);
                    let (low, high) = (a.min(b), a.max(b));
                    let row = &self.others[self.starts[low]..self.starts[low + 1]];
                    self.starts[low] + row.partition_point(|x| *x < high)
                }
                _ => NONE,
            };
            self.entry_of.push(entry);
        }
    }

    fn least_degree(&mut self) {
        let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); self.count];
        for &[a, b] in &self.pairs {
            if a != NONE && b != NONE && a != b {
                neighbours[a].push(b);
                neighbours[b].push(a);
            }
        }
        let mut heap = BinaryHeap::new();
        for (body, list) in neighbours.iter_mut().enumerate() {
            list.sort_unstable();
            list.dedup();
            heap.push(Reverse((list.len(), body)));
        }
        self.place.clear();
        self.place.resize(self.count, NONE);
        let (mut order, mut merged): (Vec<usize>, Vec<usize>) = Default::default();
        while let Some(Reverse((degree, body))) = heap.pop() {
            if self.place[body] != NONE || degree != neighbours[body].len() {
                continue;
            }
            self.place[body] = order.len();
            order.push(body);
            let own = std::mem::take(&mut neighbours[body]);
            for &other in &own {
                merge(&neighbours[other], &own, [body, other], &mut merged);
                std::mem::swap(&mut neighbours[other], &mut merged);
                heap.push(Reverse((neighbours[other].len(), other)));
            }
            neighbours[body] = own;
        }
        self.starts.clear();
        self.others.clear();
        self.starts.push(0);
        for &body in &order {
            let begin = self.others.len();
            self.others.extend(neighbours[body].iter().map(|other| self.place[*other]));
            self.others[begin..].sort_unstable();
            self.starts.push(self.others.len());
        }
    }

    /// Adds `Yᵀ H Y` for some rows of the pair `k`: `y[..][0]` on its first body, `y[..][1]` on its second; `hy` is H Y.
    #[inline(always)]
    pub fn add<I: Isa>(&mut self, k: usize, y: &[[Six; 2]], hy: &[[Six; 2]]) {
        let [a, b] = self.pairs[k];
        if a != NONE {
            accumulate::<I>(&mut self.diagonal[self.place[a]], y, 0, hy, 0);
        }
        if b != NONE {
            accumulate::<I>(&mut self.diagonal[self.place[b]], y, 1, hy, 1);
        }
        let entry = self.entry_of[k];
        if entry != NONE {
            let (low, high) = if self.place[a] < self.place[b] { (0, 1) } else { (1, 0) };
            accumulate::<I>(&mut self.upper[entry], y, low, hy, high);
            if !self.symmetric {
                accumulate::<I>(&mut self.lower[entry], y, high, hy, low);
            }
        }
    }

    /// Adds 1 to the diagonal.
    pub fn add_one(&mut self) {
        for block in &mut self.diagonal {
            (0..6).for_each(|k| block[k].0[k] += 1.0);
        }
    }

    /// Factors the matrix; false if it is singular.
    pub fn factor(&mut self) -> bool {
        dispatch(Factor(self))
    }

    /// x := A⁻¹ x, six entries for each body, in the order of the bodies.
    pub fn solve(&mut self, x: &mut [Six]) {
        dispatch(Solve(self, x));
    }

    #[inline(always)]
    fn factor_here<I: Isa>(&mut self) -> bool {
        self.factors.clear();
        for k in 0..self.count {
            let Some(own) = Factored::new(&self.diagonal[k]) else { return false };
            let (begin, end) = (self.starts[k], self.starts[k + 1]);
            for e in begin..end {
                let right = if self.symmetric { self.upper[e] } else { transposed(&self.lower[e]) };
                self.lower[e] = transposed(&own.solve_transposed::<I>(right));
            }
            self.factors.push(own);
            for e in begin..end {
                let i = self.others[e];
                subtract_product::<I>(&mut self.diagonal[i], &self.lower[e], &self.upper[e]);
                let mut t = self.starts[i];
                for f in e + 1..end {
                    let j = self.others[f];
                    while self.others[t] != j {
                        t += 1;
                    }
                    // the entries of row i come after those of row k
                    let (own, target) = self.upper.split_at_mut(t);
                    subtract_product::<I>(&mut target[0], &self.lower[e], &own[f]);
                    if !self.symmetric {
                        let (own, target) = self.lower.split_at_mut(t);
                        subtract_product::<I>(&mut target[0], &own[f], &self.upper[e]);
                    }
                }
            }
        }
        true
    }

    #[inline(always)]
    fn solve_here(&mut self, x: &mut [Six]) {
        self.right.clear();
        self.right.resize(self.count, Lanes::default());
        for (body, x) in x.iter().enumerate() {
            self.right[self.place[body]] = Lanes(*x);
        }
        for k in 0..self.count {
            let own = self.right[k];
            for e in self.starts[k]..self.starts[k + 1] {
                let part = times(&self.lower[e], &own);
                let to = &mut self.right[self.others[e]];
                (0..6).for_each(|r| to.0[r] -= part[r]);
            }
        }
        for k in (0..self.count).rev() {
            let mut own = self.right[k];
            for e in self.starts[k]..self.starts[k + 1] {
                let part = times(&self.upper[e], &self.right[self.others[e]]);
                (0..6).for_each(|r| own.0[r] -= part[r]);
            }
            self.right[k].0[..6].copy_from_slice(&self.factors[k].solve(&own));
        }
        for (body, x) in x.iter_mut().enumerate() {
            *x = self.right[self.place[body]].0;
        }
    }
}

/// Merges two sorted lists, leaving out two elements.
fn merge(a: &[usize], b: &[usize], without: [usize; 2], out: &mut Vec<usize>) {
    out.clear();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) => *x.min(y),
            (x, y) => *x.or(y).unwrap_or(&NONE),
        };
        i += (a.get(i) == Some(&next)) as usize;
        j += (b.get(j) == Some(&next)) as usize;
        if !without.contains(&next) {
            out.push(next);
        }
    }
}

/// C += Σ_r y_r hy_rᵀ.
#[inline(always)]
fn accumulate<I: Isa>(c: &mut Block6, y: &[[Six; 2]], left: usize, hy: &[[Six; 2]], right: usize) {
    for (y, hy) in y.iter().zip(hy) {
        let row = I::F64x8::from_array(hy[right]);
        for (k, c) in c.iter_mut().enumerate() {
            Real::mul_add(<I::F64x8 as Real>::from_f64(y[left][k]), row, I::F64x8::load(c)).store(c);
        }
    }
}

/// The rows of a block, in registers.
#[inline(always)]
fn six<I: Isa>(b: &Block6) -> [I::F64x8; 6] {
    [
        I::F64x8::load(&b[0]),
        I::F64x8::load(&b[1]),
        I::F64x8::load(&b[2]),
        I::F64x8::load(&b[3]),
        I::F64x8::load(&b[4]),
        I::F64x8::load(&b[5]),
    ]
}

/// C −= A B.
#[inline(always)]
fn subtract_product<I: Isa>(c: &mut Block6, a: &Block6, b: &Block6) {
    let b = six::<I>(b);
    for (c, a) in c.iter_mut().zip(a) {
        let mut sum = I::F64x8::load(c);
        for k in 0..6 {
            sum = Real::mul_add(<I::F64x8 as Real>::from_f64(-a.0[k]), b[k], sum);
        }
        sum.store(c);
    }
}

/// A x.
#[inline(always)]
fn times(a: &Block6, x: &Lanes<8>) -> [f64; 6] {
    let mut out = [0.0; 6];
    for r in 0..6 {
        let mut p = [0.0; 8];
        for k in 0..8 {
            p[k] = a[r].0[k] * x.0[k];
        }
        out[r] = folded(&p);
    }
    out
}

#[inline(always)]
fn transposed(a: &Block6) -> Block6 {
    let mut out = ZERO;
    for i in 0..6 {
        for j in 0..6 {
            out[i].0[j] = a[j].0[i];
        }
    }
    out
}

/// A factored diagonal block: P A = L U. An explicit inverse would lose digits in the blocks of stiff contacts.
#[derive(Clone, Copy, Debug)]
struct Factored {
    lu: Block6,
    order: [usize; 6],
    /// One over the diagonal of U.
    pivots: [f64; 6],
}

impl Factored {
    /// `None` if the block is singular.
    #[inline(always)]
    fn new(a: &Block6) -> Option<Factored> {
        let mut out = Factored { lu: *a, order: [0, 1, 2, 3, 4, 5], pivots: [0.0; 6] };
        let lu = &mut out.lu;
        for k in 0..6 {
            let mut pivot = k;
            for i in k + 1..6 {
                if lu[i].0[k].abs() > lu[pivot].0[k].abs() {
                    pivot = i;
                }
            }
            let size = lu[pivot].0[k].abs();
            if !(size > 0.0 && size.is_finite()) {
                return None;
            }
            lu.swap(k, pivot);
            out.order.swap(k, pivot);
            out.pivots[k] = 1.0 / lu[k].0[k];
            for i in k + 1..6 {
                let factor = lu[i].0[k] * out.pivots[k];
                for l in k + 1..6 {
                    lu[i].0[l] = (-factor).mul_add(lu[k].0[l], lu[i].0[l]);
                }
                lu[i].0[k] = factor;
            }
        }
        Some(out)
    }

    /// A⁻¹ b.
    #[inline(always)]
    fn solve(&self, b: &Lanes<8>) -> [f64; 6] {
        let mut x = [0.0; 6];
        for i in 0..6 {
            x[i] = b.0[self.order[i]];
        }
        for i in 0..6 {
            for j in 0..i {
                x[i] = (-self.lu[i].0[j]).mul_add(x[j], x[i]);
            }
        }
        for i in (0..6).rev() {
            for j in i + 1..6 {
                x[i] = (-self.lu[i].0[j]).mul_add(x[j], x[i]);
            }
            x[i] *= self.pivots[i];
        }
        x
    }

    /// A⁻ᵀ B.
    #[inline(always)]
    fn solve_transposed<I: Isa>(&self, b: Block6) -> Block6 {
        let mut x = six::<I>(&b);
        for i in 0..6 {
            for j in 0..i {
                x[i] = Real::mul_add(<I::F64x8 as Real>::from_f64(-self.lu[j].0[i]), x[j], x[i]);
            }
            x[i] = x[i] * <I::F64x8 as Real>::from_f64(self.pivots[i]);
        }
        for i in (0..6).rev() {
            for j in i + 1..6 {
                x[i] = Real::mul_add(<I::F64x8 as Real>::from_f64(-self.lu[j].0[i]), x[j], x[i]);
            }
        }
        let mut out = ZERO;
        for (x, k) in x.into_iter().zip(self.order) {
            x.store(&mut out[k]);
        }
        out
    }
}

struct Factor<'a>(&'a mut BlockLu);
impl Kernel for Factor<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<I: Isa>(self) -> bool {
        self.0.factor_here::<I>()
    }
}
struct Solve<'a>(&'a mut BlockLu, &'a mut [Six]);
impl Kernel for Solve<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.solve_here(self.1);
    }
}
