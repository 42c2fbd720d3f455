//! A⁻¹ and A⁻¹ B of the blocks of a step, for operators that solve in velocity space.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::operator::{Kind, Step};
use super::problem::MOST_ROWS;
use super::scaled::{Block, Scaled};

/// A⁻¹ and A⁻¹ B of each block, in row-major order, stored at the offset of its local matrix.
#[derive(Clone, Debug, Default)]
pub(super) struct Inverses {
    pub inverse: Vec<f64>,
    pub stiffness: Vec<f64>,
}

impl Inverses {
    /// Computes the inverses of a step; false if some block is singular.
    #[inline(always)]
    pub fn find(&mut self, scaled: &Scaled, step: &Step, compliance: &[f64]) -> bool {
        for matrix in [&mut self.inverse, &mut self.stiffness] {
            matrix.clear();
            matrix.resize(scaled.local.len(), 0.0);
        }
        for (block, kind) in scaled.blocks.iter().zip(&step.kinds) {
            if *kind == Kind::Fixed {
                continue;
            }
            let at = block.local..block.local + block.len * block.len;
            if *kind == Kind::Known && compliance[block.places()].iter().all(|e| *e == 0.0) {
                self.inverse[at.clone()].copy_from_slice(&step.inverse[at.clone()]);
                self.stiffness[at.clone()].copy_from_slice(&step.inverse[at]);
            } else if !self.invert(block, *kind, step, compliance) {
                return false;
            }
        }
        true
    }

    /// Computes A⁻¹ and A⁻¹ B of a block, with the compliance added to A.
    #[inline(always)]
    fn invert(&mut self, block: &Block, kind: Kind, step: &Step, compliance: &[f64]) -> bool {
        let len = block.len;
        if kind == Kind::Plain {
            for k in 0..len {
                let at = block.local + k * len + k;
                let own = 1.0 / (step.a[at] + compliance[block.first + k]);
                (self.inverse[at], self.stiffness[at]) = (own, own);
            }
            return true;
        }
        let at = block.local..block.local + len * len;
        let (a, b) = (&step.a[at.clone()], &step.b[at.clone()]);
        let mut whole = [[0.0; MOST_ROWS]; MOST_ROWS];
        for i in 0..len {
            for j in 0..len {
                whole[i][j] = b[i * len + j].mul_add(compliance[block.first + j], a[i * len + j]);
            }
        }
        let Some(inverse) = inverse(&whole, len) else { return false };
        for i in 0..len {
            for j in 0..len {
                self.inverse[block.local + i * len + j] = inverse[i][j];
                let mut sum = 0.0;
                for k in 0..len {
                    sum += inverse[i][k] * b[k * len + j];
                }
                self.stiffness[block.local + i * len + j] = sum;
            }
        }
        true
    }
}

/// A x of a block in row-major order.
#[inline(always)]
pub(super) fn multiply(a: &[f64], len: usize, x: &[f64; MOST_ROWS]) -> [f64; MOST_ROWS] {
    let mut out = [0.0; MOST_ROWS];
    for i in 0..len {
        for j in 0..len {
            out[i] = a[i * len + j].mul_add(x[j], out[i]);
        }
    }
    out
}

/// The inverse by Gauss–Jordan elimination with row pivoting; `None` if singular.
#[inline(always)]
fn inverse(a: &[[f64; MOST_ROWS]; MOST_ROWS], len: usize) -> Option<[[f64; MOST_ROWS]; MOST_ROWS]> {
    let (mut a, mut out) = (*a, [[0.0; MOST_ROWS]; MOST_ROWS]);
    (0..len).for_each(|k| out[k][k] = 1.0);
    for k in 0..len {
        let mut pivot = k;
        for i in k + 1..len {
            if a[i][k].abs() > a[pivot][k].abs() {
                pivot = i;
            }
        }
        if !(a[pivot][k] != 0.0 && a[pivot][k].is_finite()) {
            return None;
        }
        a.swap(k, pivot);
        out.swap(k, pivot);
        let by = 1.0 / a[k][k];
        for l in 0..len {
            a[k][l] *= by;
            out[k][l] *= by;
        }
        for i in (0..len).filter(|i| *i != k) {
            let factor = a[i][k];
            for l in 0..len {
                a[i][l] -= factor * a[k][l];
                out[i][l] -= factor * out[k][l];
            }
        }
    }
    Some(out)
}
