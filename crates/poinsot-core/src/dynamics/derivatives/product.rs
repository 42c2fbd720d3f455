//! ∂q̈/∂q = −M⁻¹ ∂τ/∂q and ∂q̈/∂q̇ = −M⁻¹ ∂τ/∂q̇ as products, M⁻¹ being known.
//!
//! Row s of ∂τ/∂q has entries only on the path from the root to s and in the subtree of s, so a strip of columns reads only the rows with
//! entries there. Substitution needs about as many multiply-adds for a robot, but here no sum waits for another, and tiles can be as large
//! as the registers allow. The order of each sum, and so its bits, does not depend on the tiles.

use super::Rows;
use super::chain::Chain;
use crate::algebra::Real;
use crate::algebra::lanes::{Eight, Isa, flat};

/// The most cells of a row in a tile, and the most rows: with 32 registers, and with 16.
const MOST_CELLS: usize = 3;
const MOST_ROWS: usize = 8;
const FEW_ROWS: usize = 2;

/// The strips of columns.
#[derive(Clone, Debug)]
pub(super) struct Product(Vec<Strip>);

/// A few cells of all rows.
#[derive(Clone, Debug)]
struct Strip {
    /// The first of the cells, counted in a row of all three matrices, and their number.
    first: usize,
    cells: usize,
    /// The rows with entries there, as ranges.
    numbers: Vec<(usize, usize)>,
    /// The rows of their trees.
    rows: (usize, usize),
}

impl Product {
    pub fn new(chain: &Chain) -> Product {
        let blocks = chain.blocks();
        // the cells of both matrices go together where that fills the tiles better
        let pieces = |skip: usize, cells: usize| {
            let parts = cells.div_ceil(MOST_CELLS);
            (0..parts).map(move |k| (skip + k * cells / parts, skip + (k + 1) * cells / parts))
        };
        let strips = if 2 * blocks <= MOST_CELLS {
            pieces(0, 2 * blocks).collect::<Vec<_>>()
        } else {
            pieces(0, blocks).chain(pieces(blocks, blocks)).collect()
        };
        Product(strips.into_iter().map(|(first, end)| Strip::new(chain, first, end)).collect())
    }

    /// Into the first two matrices of `x`, whose third is M⁻¹; `rows` are the derivatives of τ.
    #[inline(always)]
    pub fn solve<I: Isa>(&self, rows: &Rows, x: &mut Rows) {
        for strip in &self.0 {
            match strip.cells {
                1 => strip.multiply::<I, 1>(rows, x),
                2 => strip.multiply::<I, 2>(rows, x),
                _ => strip.multiply::<I, MOST_CELLS>(rows, x),
            }
        }
    }
}

impl Strip {
    fn new(chain: &Chain, first: usize, end: usize) -> Strip {
        let columns = chain.dofs_in(first..end);
        let has_entries =
            |s: &usize| columns.iter().any(|k| chain.is_in_subtree(*k, *s) || chain.is_in_subtree(*s, *k));
        let mut numbers: Vec<(usize, usize)> = Vec::new();
        for s in (0..chain.end.len()).filter(has_entries) {
            match numbers.last_mut() {
                Some((_, end)) if *end == s => *end = s + 1,
                _ => numbers.push((s, s + 1)),
            }
        }
        let roots = columns.iter().map(|k| chain.root[*k]);
        let rows = (roots.clone().min().unwrap_or(0), roots.map(|root| chain.end[root]).max().unwrap_or(0));
        Strip { first, cells: end - first, numbers, rows }
    }

    #[inline(always)]
    fn multiply<I: Isa, const N: usize>(&self, rows: &Rows, x: &mut Rows) {
        if I::REGISTERS >= 32 {
            self.multiply_tiles::<I, MOST_ROWS, N>(rows, x);
        } else {
            self.multiply_tiles::<I, FEW_ROWS, N>(rows, x);
        }
    }

    #[inline(always)]
    fn multiply_tiles<I: Isa, const R: usize, const N: usize>(&self, rows: &Rows, x: &mut Rows) {
        let (begin, end) = self.rows;
        let mut t = begin;
        while t + R <= end {
            self.multiply_tile::<I, R, N>(t, rows, x);
            t += R;
        }
        if t < end && end - begin >= R {
            // some rows once more
            self.multiply_tile::<I, R, N>(end - R, rows, x);
        } else {
            for t in t..end {
                self.multiply_tile::<I, 1, N>(t, rows, x);
            }
        }
    }

    #[allow(clippy::needless_range_loop)] // plain loops: a closure that is not inlined makes calls of all operations on lanes
    #[inline(always)]
    fn multiply_tile<I: Isa, const R: usize, const N: usize>(&self, t: usize, rows: &Rows, x: &mut Rows) {
        let (width, blocks) = (x.width(), x.blocks);
        let mut sum = [[I::F64x8::zero(); N]; R];
        // row t of M⁻¹, and how far the next is
        let (inverse, stride) = (flat(&x.cells[t * width + 2 * blocks..]), 8 * width);
        for (first, end) in &self.numbers {
            for s in *first..*end {
                let row = &rows.cells[s * width + self.first..][..N];
                let mut cells = [I::F64x8::zero(); N];
                for k in 0..N {
                    cells[k] = I::F64x8::load(&row[k]);
                }
                for r in 0..R {
                    let factor = I::F64x8::from_f64(inverse[r * stride + s]);
                    for k in 0..N {
                        sum[r][k] = cells[k].mul_add(factor, sum[r][k]);
                    }
                }
            }
        }
        for r in 0..R {
            for k in 0..N {
                (-sum[r][k]).store(&mut x.cells[(t + r) * width + self.first + k]);
            }
        }
    }
}
