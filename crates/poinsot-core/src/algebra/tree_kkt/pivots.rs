//! The elimination of one positive definite matrix, pivot by pivot, with its rows across lanes.
//!
//! The substitutions need L⁻¹ below the diagonal, which is computed by eliminating the unit matrix along with it, and −l above; a factored
//! row stores both in the lanes where they are needed, with the reciprocal of the pivot between them:
//!
//! ```math
//! row k:   (L⁻¹)_k0 … (L⁻¹)_k,k−1   1/d_k   −l_k+1,k … −l_nk
//! ```
//! The divisions by the pivots are a chain that cannot be shortened. Only one multiply-add is between two of them: the next pivot is
//! computed ahead of its row, and the next row ahead of the others.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::ROUND_OFF;
use crate::algebra::Real;
use crate::algebra::lanes::{Eight, Isa};

/// The rows of a positive definite matrix during elimination.
pub(super) struct Rows<I: Isa, const N: usize> {
    /// The matrix; entries below the diagonal are meaningless.
    pub(super) upper: [I::F64x8; N],
    /// L⁻¹
    inverse: [I::F64x8; N],
    /// The original diagonal.
    began: [f64; N],
    pivot: f64,
}

/// A processed pivot.
pub(super) struct Pivot<V> {
    /// 1/d, in all lanes.
    pub(super) by: V,
    /// −l, in the lanes after the pivot.
    pub(super) minus: V,
    /// False if the pivot is round-off relative to its original value, or NaN.
    pub(super) sound: bool,
}

impl<I: Isa, const N: usize> Rows<I, N> {
    #[inline(always)]
    pub(super) fn new(upper: [I::F64x8; N]) -> Self {
        let mut rows = Rows { upper, inverse: [I::F64x8::zero(); N], began: [0.0; N], pivot: 0.0 };
        for k in 0..N {
            rows.inverse[k] = I::F64x8::zero().with_lane(k, 1.0);
        }
        rows.begin();
        rows
    }

    /// Stores the diagonal, after it has been changed from outside.
    #[inline(always)]
    pub(super) fn begin(&mut self) {
        for k in 0..N {
            self.began[k] = self.upper[k].lane(k);
        }
        if N > 0 {
            self.pivot = self.began[0];
        }
    }

    /// Eliminates pivot K from the rows below it and from `others`, and stores the factored row.
    #[inline(always)]
    pub(super) fn eliminate<const K: usize>(
        &mut self,
        others: &mut [I::F64x8; N],
        out: &mut [f64],
    ) -> Pivot<I::F64x8> {
        let Rows { upper, inverse, began, pivot } = self;
        let sound = *pivot > ROUND_OFF * began[K];
        let minus_by = -1.0 / *pivot;
        let wide = I::F64x8::from_f64(minus_by);
        let minus = upper[K] * wide;
        if K + 1 < N {
            let product = upper[K] * upper[K].splat(K + 1);
            *pivot = product.lane(K + 1).mul_add(minus_by, upper[K + 1].lane(K + 1));
            upper[K + 1] = product.mul_add(wide, upper[K + 1]);
        }
        for j in K + 1..N {
            let l = minus.splat(j);
            if j > K + 1 {
                upper[j] = upper[K].mul_add(l, upper[j]);
            }
            inverse[j] = inverse[K].mul_add(l, inverse[j]);
            others[j] = others[K].mul_add(l, others[j]);
        }
        inverse[K].join(minus, K + 1).with_lane(K, -minus_by).store_some(&mut out[N * K..N * K + N]);
        Pivot { by: -wide, minus, sound }
    }
}
