//! The two substitutions: the right-hand sides from the leaves to the root, the unknowns from the root to the leaves.
//!
//! ```math
//! z = L⁻¹ f      h = L_S⁻¹ (g − W̄ᵀ z)      f_p ← f_p + V̄ᵀ h − K̄ᵀ z          W̄ = W/d, V̄ = V/s, K̄ = L⁻¹K/d
//! λ = L_S⁻ᵀ (h/s − V̄ a_p)      a = L⁻ᵀ (z/d + W̄ λ − K̄ a_p)
//! ```
//! Between the sweeps f contains z/d, and g contains h/s.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::{Node, Parent, TreeKkt, factor_size};
use crate::algebra::Real;
use crate::algebra::lanes::{Eight, Isa, Kernel};
use std::ops::Range;

pub(super) struct Solve<'a> {
    pub(super) kkt: &'a TreeKkt,
    pub(super) part: Range<usize>,
    pub(super) f: &'a mut [[f64; 6]],
    pub(super) g: &'a mut [[f64; 6]],
}

impl Kernel for Solve<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Solve { kkt, part, f, g } = self;
        if kkt.crosses.is_empty() {
            inward::<I, false>(kkt, part.clone(), f, g);
            outward::<I, false>(kkt, part, f, g);
        } else {
            inward::<I, true>(kkt, part.clone(), f, g);
            outward::<I, true>(kkt, part, f, g);
        }
    }
}

#[inline(always)]
fn inward<I: Isa, const CROSS: bool>(
    kkt: &TreeKkt,
    part: Range<usize>,
    f: &mut [[f64; 6]],
    g: &mut [[f64; 6]],
) {
    let mut handed = I::F64x8::zero();
    for i in part.rev() {
        let (f_i, g_i) = (&mut f[i], &mut g[i]);
        handed = match kkt.nodes[i].rows {
            0 => eliminate::<I, 0, CROSS>(kkt, i, handed, f_i, g_i),
            1 => eliminate::<I, 1, CROSS>(kkt, i, handed, f_i, g_i),
            2 => eliminate::<I, 2, CROSS>(kkt, i, handed, f_i, g_i),
            3 => eliminate::<I, 3, CROSS>(kkt, i, handed, f_i, g_i),
            4 => eliminate::<I, 4, CROSS>(kkt, i, handed, f_i, g_i),
            5 => eliminate::<I, 5, CROSS>(kkt, i, handed, f_i, g_i),
            _ => eliminate::<I, 6, CROSS>(kkt, i, handed, f_i, g_i),
        };
        match kkt.nodes[i].parent {
            Parent::Before => continue,
            Parent::World => {}
            Parent::Other { body, .. } => {
                (I::F64x8::load_some(&f[body]) + handed).store_some(&mut f[body]);
            }
        }
        handed = I::F64x8::zero();
    }
}

#[inline(always)]
fn outward<I: Isa, const CROSS: bool>(
    kkt: &TreeKkt,
    part: Range<usize>,
    f: &mut [[f64; 6]],
    g: &mut [[f64; 6]],
) {
    let mut before = I::F64x8::zero();
    for i in part {
        let above = match kkt.nodes[i].parent {
            Parent::Before => before,
            Parent::World => I::F64x8::zero(),
            Parent::Other { body, .. } => I::F64x8::load_some(&f[body]),
        };
        let (f_i, g_i) = (&mut f[i], &mut g[i]);
        before = match kkt.nodes[i].rows {
            0 => substitute::<I, 0, CROSS>(kkt, i, above, f_i, g_i),
            1 => substitute::<I, 1, CROSS>(kkt, i, above, f_i, g_i),
            2 => substitute::<I, 2, CROSS>(kkt, i, above, f_i, g_i),
            3 => substitute::<I, 3, CROSS>(kkt, i, above, f_i, g_i),
            4 => substitute::<I, 4, CROSS>(kkt, i, above, f_i, g_i),
            5 => substitute::<I, 5, CROSS>(kkt, i, above, f_i, g_i),
            _ => substitute::<I, 6, CROSS>(kkt, i, above, f_i, g_i),
        };
    }
}

/// The factor of a node, and where its four parts start.
#[inline(always)]
fn factor_of<const R: usize>(kkt: &TreeKkt, i: usize) -> (&[f64], usize, usize, usize) {
    let Node { factor, .. } = kkt.nodes[i];
    (&kkt.factors[factor..factor + factor_size(R)], 36, 36 + 6 * R, 36 + 6 * R + R * R)
}

/// Inward: computes z/d and h/s of one node; returns its contribution to f of the parent.
#[inline(always)]
fn eliminate<I: Isa, const R: usize, const CROSS: bool>(
    kkt: &TreeKkt,
    i: usize,
    handed: I::F64x8,
    f: &mut [f64; 6],
    g: &mut [f64; 6],
) -> I::F64x8 {
    let (factor, w_at, s_at, v_at) = factor_of::<R>(kkt, i);
    let zero = I::F64x8::zero();
    let (mut z, mut h) = (I::F64x8::load_some(f) + handed, I::F64x8::load_some(&g[..R]));
    let (mut by, mut up) = (zero, zero);
    for k in 0..6 {
        let row = I::F64x8::load_some(&factor[6 * k..6 * k + 6]);
        let z_k = z.splat(k);
        z = zero.join(row, k + 1).mul_add(z_k, z);
        by = by.join(row, k);
        h = I::F64x8::load_some(&factor[w_at + R * k..w_at + R * k + R]).mul_add(-z_k, h);
        if CROSS {
            up = I::F64x8::load_some(&kkt.cross_factors[i][k]).mul_add(-z_k, up);
        }
    }
    (z * by).store_some(f);
    by = zero;
    for a in 0..R {
        let row = I::F64x8::load_some(&factor[s_at + R * a..s_at + R * a + R]);
        let h_a = h.splat(a);
        h = zero.join(row, a + 1).mul_add(h_a, h);
        by = by.join(row, a);
        up = I::F64x8::load_some(&factor[v_at + 6 * a..v_at + 6 * a + 6]).mul_add(h_a, up);
    }
    (h * by).store_some(&mut g[..R]);
    up
}

/// Outward: computes λ and a of one node, from a of the parent.
#[inline(always)]
fn substitute<I: Isa, const R: usize, const CROSS: bool>(
    kkt: &TreeKkt,
    i: usize,
    above: I::F64x8,
    f: &mut [f64; 6],
    g: &mut [f64; 6],
) -> I::F64x8 {
    let (factor, w_at, s_at, v_at) = factor_of::<R>(kkt, i);
    let zero = I::F64x8::zero();
    let mut y = I::F64x8::load_some(f);
    if R > 0 {
        let (mut v, mut w) = ([zero; 8], [zero; 8]);
        for a in 0..R {
            v[a] = I::F64x8::load_some(&factor[v_at + 6 * a..v_at + 6 * a + 6]);
        }
        for k in 0..6 {
            w[k] = I::F64x8::load_some(&factor[w_at + R * k..w_at + R * k + R]);
        }
        let (v, w) = (I::F64x8::transpose(v), I::F64x8::transpose(w));
        let mut mu = [I::F64x8::load_some(&g[..R]), zero];
        for j in 0..6 {
            mu[j % 2] = v[j].mul_add(-above.splat(j), mu[j % 2]);
        }
        let mu = mu[0] + mu[1];
        let mut lambda = [mu, zero];
        for a in 1..R {
            let row = I::F64x8::load_some(&factor[s_at + R * a..s_at + R * a + R]);
            lambda[a % 2] = row.join(zero, a).mul_add(mu.splat(a), lambda[a % 2]);
        }
        let lambda = lambda[0] + lambda[1];
        lambda.store_some(&mut g[..R]);
        let mut sums = [y, zero];
        for a in 0..R {
            sums[a % 2] = w[a].mul_add(lambda.splat(a), sums[a % 2]);
        }
        y = sums[0] + sums[1];
    }
    if CROSS {
        let mut cross = [zero; 8];
        for k in 0..6 {
            cross[k] = I::F64x8::load_some(&kkt.cross_factors[i][k]);
        }
        let cross = I::F64x8::transpose(cross);
        for j in 0..6 {
            y = cross[j].mul_add(-above.splat(j), y);
        }
    }
    let mut a = [y, zero];
    for k in 1..6 {
        let row = I::F64x8::load_some(&factor[6 * k..6 * k + 6]);
        a[k % 2] = row.join(zero, k).mul_add(y.splat(k), a[k % 2]);
    }
    let a = a[0] + a[1];
    a.store_some(f);
    a
}
