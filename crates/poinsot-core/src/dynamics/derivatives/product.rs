//! ∂q̈/∂q = −M⁻¹ ∂τ/∂q and ∂q̈/∂q̇ = −M⁻¹ ∂τ/∂q̇ as products, for M⁻¹ is known.
//!
//! Row s of ∂τ/∂q has numbers only on the way of s and in its subtree: a strip of eight columns reads the rows with numbers there, of both
//! matrices at once, for both have theirs in the same places. Unlike substitution, which needs about as many multiply-adds for a robot, no
//! sum waits for another, and tiles can be as large as registers allow. Each sum is taken in the same order whatever the tiles are: so are
//! the bits.

use super::Rows;
use super::chain::Chain;
use crate::algebra::Real;
use crate::algebra::lanes::{Eight, Isa, flat};

/// How many rows a tile has where there are 32 registers, and where there are 16; what is left is done by tiles of half as many.
const MOST_ROWS: usize = 8;
const FEW_ROWS: usize = 2;

/// The cells of a tile in a row: one of each matrix.
const BOTH: usize = 2;

/// The strips of columns.
#[derive(Clone, Debug)]
pub(super) struct Product(Vec<Strip>);

/// Eight columns of both matrices.
#[derive(Clone, Debug)]
struct Strip {
    /// The cell of a row with these columns.
    cell: usize,
    /// The rows with numbers there, in pieces.
    numbers: Vec<(usize, usize)>,
    /// The rows of their trees.
    rows: (usize, usize),
}

impl Product {
    pub fn new(chain: &Chain) -> Product {
        Product((0..chain.blocks()).map(|cell| Strip::new(chain, cell)).collect())
    }

    /// Into the first two matrices of `x`, whose third is M⁻¹; `rows` are the derivatives of τ.
    #[inline(always)]
    pub fn solve<I: Isa>(&self, rows: &Rows, x: &mut Rows) {
        for strip in &self.0 {
            strip.multiply::<I>(rows, x);
        }
    }
}

impl Strip {
    fn new(chain: &Chain, cell: usize) -> Strip {
        let n = chain.end.len();
        let columns = 8 * cell..n.min(8 * cell + 8);
        let hangs = |k: usize, t: usize| (t..chain.end[t]).contains(&k);
        let mut numbers: Vec<(usize, usize)> = Vec::new();
        for s in (0..n).filter(|s| columns.clone().any(|k| hangs(k, *s) || hangs(*s, k))) {
            match numbers.last_mut() {
                Some((_, end)) if *end == s => *end = s + 1,
                _ => numbers.push((s, s + 1)),
            }
        }
        let roots = columns.map(|k| chain.root[k]);
        let rows = (roots.clone().min().unwrap_or(0), roots.map(|root| chain.end[root]).max().unwrap_or(0));
        Strip { cell, numbers, rows }
    }

    #[inline(always)]
    fn multiply<I: Isa>(&self, rows: &Rows, x: &mut Rows) {
        if I::REGISTERS >= 32 {
            self.multiply_tiles::<I, MOST_ROWS, { MOST_ROWS / 2 }>(rows, x);
        } else {
            self.multiply_tiles::<I, FEW_ROWS, { FEW_ROWS / 2 }>(rows, x);
        }
    }

    #[inline(always)]
    fn multiply_tiles<I: Isa, const R: usize, const HALF: usize>(&self, rows: &Rows, x: &mut Rows) {
        let (begin, end) = self.rows;
        let mut t = begin;
        while t + R <= end {
            self.multiply_tile::<I, R>(t, rows, x);
            t += R;
        }
        while t + HALF <= end {
            self.multiply_tile::<I, HALF>(t, rows, x);
            t += HALF;
        }
        if t < end && end - begin >= HALF {
            // some rows once more
            self.multiply_tile::<I, HALF>(end - HALF, rows, x);
        } else {
            for t in t..end {
                self.multiply_tile::<I, 1>(t, rows, x);
            }
        }
    }

    #[allow(clippy::needless_range_loop)] // plain loops: a closure that is not inlined makes calls of all operations on lanes
    #[inline(always)]
    fn multiply_tile<I: Isa, const R: usize>(&self, t: usize, rows: &Rows, x: &mut Rows) {
        let (width, blocks) = (x.width(), x.blocks);
        let mut sum = [[I::F64x8::zero(); BOTH]; R];
        // row t of M⁻¹, and how far the next is
        let (inverse, stride) = (flat(&x.cells[t * width + 2 * blocks..]), 8 * width);
        for (first, end) in &self.numbers {
            for s in *first..*end {
                let row = &rows.cells[s * width + self.cell..][..=blocks];
                let cells = [I::F64x8::load(&row[0]), I::F64x8::load(&row[blocks])];
                for r in 0..R {
                    let factor = I::F64x8::from_f64(inverse[r * stride + s]);
                    for k in 0..BOTH {
                        sum[r][k] = cells[k].mul_add(factor, sum[r][k]);
                    }
                }
            }
        }
        for r in 0..R {
            for k in 0..BOTH {
                (-sum[r][k]).store(&mut x.cells[(t + r) * width + self.cell + k * blocks]);
            }
        }
    }
}
