//! M⁻¹ as the solution of `M x = b` for all unit vectors b at once, by the factor `M = Lᵀ D L` of a tree [Featherstone05].
//!
//! L has entries only on the paths to the root:
//!
//! ```math
//! (1)  y_t = b_t − Σ L_st y_s   over the subtree of t, leaves first
//! (2)  x_t = y_t/D_t − Σ L_tj x_j   over the path to the root, root first
//! ```
//! Both work on tiles: a few degrees of freedom of a chain without forks and a few cells of their rows, which stay in registers. Everything
//! outboard of the last degree of freedom of such a run is outboard of all of it, and the whole run has the same path to the root. So each
//! row of another run is read once for the whole tile.
//!
//! Row y_t has entries only in the subtree of t, so (1) skips the runs without entries in a strip of columns. The order of each sum, and so
//! its bits, does not depend on the tiles: s goes from the nearest leaf, j from the root.

use super::Rows;
use super::chain::Chain;
use crate::algebra::lanes::{Eight, Isa, Kernel, flat};
use crate::algebra::{Lanes, Real};

/// The most degrees of freedom of a tile on this processor.
pub(super) struct MostRows;

impl Kernel for MostRows {
    type Output = usize;
    #[inline(always)]
    fn run<I: Isa>(self) -> usize {
        if I::REGISTERS >= 32 { 4 } else { 2 }
    }
}

/// The most cells of a row in a tile.
const MOST_CELLS: usize = 3;

/// The order in which the tiles are computed.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    runs: Vec<Run>,
    strips: Vec<Strip>,
}

/// A section of a chain without forks.
#[derive(Clone, Debug)]
struct Run {
    first: usize,
    end: usize,
    /// The runs on the path to the root, root first.
    way: Vec<(usize, usize)>,
}

/// A few cells of all rows.
#[derive(Clone, Debug)]
struct Strip {
    /// The first of the cells, counted in a row of all three matrices, and their number.
    first: usize,
    cells: usize,
    /// The nonempty runs in (1), and where those of the subtree of each end in this list.
    inward: Vec<(usize, usize)>,
    /// The nonempty runs in (2), and whether they were nonempty in (1).
    outward: Vec<(usize, bool)>,
}

impl Plan {
    pub fn new(chain: &Chain, most_rows: usize) -> Plan {
        let (runs, blocks) = (runs(chain, most_rows), chain.blocks());
        let parts = blocks.div_ceil(MOST_CELLS);
        let piece = |k: usize| (2 * blocks + k * blocks / parts, 2 * blocks + (k + 1) * blocks / parts);
        let strip = |(first, end)| Strip::new(chain, &runs, first, end);
        let strips = (0..parts).map(piece).map(strip).collect();
        Plan { runs, strips }
    }

    /// M⁻¹.
    #[inline(always)]
    pub fn invert<I: Isa>(&self, factor: &[Lanes<8>], x: &mut Rows) {
        for strip in &self.strips {
            strip.substitute::<I>(&self.runs, factor, x);
        }
    }
}

/// Divides the chain into runs of at most `most` degrees of freedom, as equal as possible.
fn runs(chain: &Chain, most: usize) -> Vec<Run> {
    let (n, mut runs) = (chain.end.len(), Vec::<Run>::new());
    // for each degree of freedom, its run
    let mut of = vec![0; n];
    let mut first = 0;
    while first < n {
        let mut end = first + 1;
        while end < n && chain.parent[end] == end && chain.end[end] == chain.end[first] {
            end += 1;
        }
        let parts = (end - first).div_ceil(most);
        for k in 0..parts {
            let (a, b) = (first + k * (end - first) / parts, first + (k + 1) * (end - first) / parts);
            let mut way = Vec::new();
            if let Some(above) = chain.parent[a].checked_sub(1) {
                let run = &runs[of[above]];
                way.clone_from(&run.way);
                way.push((run.first, run.end));
            }
            of[a..b].fill(runs.len());
            runs.push(Run { first: a, end: b, way });
        }
        first = end;
    }
    runs
}

impl Strip {
    fn new(chain: &Chain, runs: &[Run], first: usize, end: usize) -> Strip {
        let columns = chain.dofs_in(first..end);
        let begins = |run: &Run| columns.iter().any(|k| chain.is_in_subtree(*k, run.first));
        let some: Vec<usize> = (0..runs.len()).filter(|r| begins(&runs[*r])).collect();
        let beyond = |r: usize| some.partition_point(|s| runs[*s].first < chain.end[runs[r].first]);
        let reached = |run: &Run| columns.iter().any(|k| chain.root[*k] == chain.root[run.first]);
        Strip {
            first,
            cells: end - first,
            inward: some.iter().map(|r| (*r, beyond(*r))).collect(),
            outward: (0..runs.len())
                .filter(|r| reached(&runs[*r]))
                .map(|r| (r, some.binary_search(&r).is_ok()))
                .collect(),
        }
    }

    #[inline(always)]
    fn substitute<I: Isa>(&self, runs: &[Run], factor: &[Lanes<8>], x: &mut Rows) {
        match self.cells {
            1 => self.substitute_cells::<I, 1>(runs, factor, x),
            2 => self.substitute_cells::<I, 2>(runs, factor, x),
            _ => self.substitute_cells::<I, MOST_CELLS>(runs, factor, x),
        }
    }

    #[inline(always)]
    fn substitute_cells<I: Isa, const N: usize>(&self, runs: &[Run], factor: &[Lanes<8>], x: &mut Rows) {
        let l = flat(factor);
        for (at, (r, _)) in self.inward.iter().enumerate().rev() {
            match runs[*r].end - runs[*r].first {
                1 => self.inward::<I, 1, N>(runs, at, l, x),
                2 => self.inward::<I, 2, N>(runs, at, l, x),
                3 => self.inward::<I, 3, N>(runs, at, l, x),
                _ => self.inward::<I, 4, N>(runs, at, l, x),
            }
        }
        for (r, begun) in &self.outward {
            let run = &runs[*r];
            match run.end - run.first {
                1 => self.outward::<I, 1, N>(run, *begun, l, x),
                2 => self.outward::<I, 2, N>(run, *begun, l, x),
                3 => self.outward::<I, 3, N>(run, *begun, l, x),
                _ => self.outward::<I, 4, N>(run, *begun, l, x),
            }
        }
    }

    /// Equation (1) for a run of `R` degrees of freedom, at position `at` of the list.
    #[inline(always)]
    fn inward<I: Isa, const R: usize, const N: usize>(
        &self,
        runs: &[Run],
        at: usize,
        l: &[f64],
        x: &mut Rows,
    ) {
        let (width, stride) = (x.width(), 8 * x.blocks);
        let (run, end) = self.inward[at];
        let t = runs[run].first;
        let mut sum = [[I::F64x8::zero(); N]; R];
        for (r, sum) in sum.iter_mut().enumerate() {
            for (k, sum) in sum.iter_mut().enumerate() {
                *sum = unit::<I>(t + r, self.first + k - 2 * x.blocks);
            }
        }
        for (below, _) in self.inward[at + 1..end].iter().rev() {
            for s in (runs[*below].first..runs[*below].end).rev() {
                let (row, l) = (&x.cells[s * width + self.first..][..N], &l[s * stride + t..][..R]);
                add_row::<I, R, N>(&mut sum, row, |r| l[r]);
            }
        }
        for s in (1..R).rev() {
            let (above, own) = sum.split_at_mut(s);
            let l = &l[(t + s) * stride + t..][..s];
            for (above, l) in above.iter_mut().zip(l) {
                add::<I, N>(above, &own[0], *l);
            }
        }
        store::<I, R, N>(sum, t, self.first, x);
    }

    /// Equation (2) for a run of `R` degrees of freedom, whose y is 0 unless `begun`.
    #[allow(clippy::needless_range_loop)] // the index is that of L, too
    #[inline(always)]
    fn outward<I: Isa, const R: usize, const N: usize>(
        &self,
        run: &Run,
        begun: bool,
        l: &[f64],
        x: &mut Rows,
    ) {
        let (width, stride, t) = (x.width(), 8 * x.blocks, run.first);
        let l: [&[f64]; R] = std::array::from_fn(|r| &l[(t + r) * stride..][..stride]);
        let mut sum = [[I::F64x8::zero(); N]; R];
        if begun {
            for (r, sum) in sum.iter_mut().enumerate() {
                let (row, scale) =
                    (&x.cells[(t + r) * width + self.first..][..N], I::F64x8::from_f64(l[r][t + r]));
                for (sum, cell) in sum.iter_mut().zip(row) {
                    *sum = I::F64x8::load(cell) * scale;
                }
            }
        }
        for (first, end) in &run.way {
            // no closures around lanes: where one is not inlined, each operation on lanes becomes a call
            for j in *first..*end {
                let row = &x.cells[j * width + self.first..][..N];
                add_row::<I, R, N>(&mut sum, row, |r| l[r][j]);
            }
        }
        for (r, l) in l.iter().enumerate().skip(1) {
            let (above, own) = sum.split_at_mut(r);
            for (above, l) in above.iter().zip(&l[t..]) {
                add::<I, N>(&mut own[0], above, *l);
            }
        }
        store::<I, R, N>(sum, t, self.first, x);
    }
}

/// One cell of row `t` of the unit matrix.
#[inline(always)]
fn unit<I: Isa>(t: usize, cell: usize) -> I::F64x8 {
    let zero = I::F64x8::zero();
    if t / 8 == cell { zero.with_lane(t % 8, 1.0) } else { zero }
}

/// `sum_r ← sum_r + l_r row`.
#[inline(always)]
fn add_row<I: Isa, const R: usize, const N: usize>(
    sum: &mut [[I::F64x8; N]; R],
    row: &[Lanes<8>],
    l: impl Fn(usize) -> f64,
) {
    let mut cells = [I::F64x8::zero(); N];
    for k in 0..N {
        cells[k] = I::F64x8::load(&row[k]);
    }
    for (r, sum) in sum.iter_mut().enumerate() {
        add::<I, N>(sum, &cells, l(r));
    }
}

#[inline(always)]
fn add<I: Isa, const N: usize>(sum: &mut [I::F64x8; N], cells: &[I::F64x8; N], l: f64) {
    let l = I::F64x8::from_f64(l);
    for k in 0..N {
        sum[k] = cells[k].mul_add(l, sum[k]);
    }
}

#[inline(always)]
fn store<I: Isa, const R: usize, const N: usize>(
    sum: [[I::F64x8; N]; R],
    t: usize,
    first: usize,
    x: &mut Rows,
) {
    let width = x.width();
    for (r, sum) in sum.into_iter().enumerate() {
        for (x, cell) in sum.into_iter().zip(&mut x.cells[(t + r) * width + first..][..N]) {
            x.store(cell);
        }
    }
}
