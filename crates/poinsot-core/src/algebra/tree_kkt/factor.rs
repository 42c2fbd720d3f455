//! The elimination, from the leaves to the root.
//!
//! A node is one block elimination of its body's six unknowns and of its rows, with the columns of the parent carried
//! along. The rows of a matrix lie across lanes: pivot k of D with multipliers l_j = D_kj / d_k takes l_j times row k
//! from row j, in D, in W = L⁻¹ Jᶜᵀ and in L⁻¹ K, and adds W_k W_kᵀ / d_k to S. The same for S with V = L_S⁻¹ P gives
//! V_a V_aᵀ / s_a to the parent.
//!
//! The lower triangle is free, and collects L⁻¹: with −l_j put where the elimination makes a zero, the unit matrix is
//! eliminated along. So a factored row holds what both substitutions need, in the lanes where they need it:
//!
//! ```math
//! row k of D:   (L⁻¹)_k0 … (L⁻¹)_k,k−1   1/d_k   −l_k+1,k … −l_5k
//! ```
//! A node keeps six rows of D, six of W/d, then its rows of S and of V/s.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::{Node, Parent, ROUND_OFF, SingularNode, TreeKkt, factor_size};
use crate::algebra::lanes::{Eight, Isa, Kernel};
use crate::algebra::{Lanes, Real};

pub(super) struct Factor<'a>(pub(super) &'a mut TreeKkt);

impl Kernel for Factor<'_> {
    type Output = Result<(), SingularNode>;
    #[inline(always)]
    fn run<I: Isa>(self) -> Self::Output {
        if self.0.crosses.is_empty() { sweep::<I, false>(self.0) } else { sweep::<I, true>(self.0) }
    }
}

#[inline(always)]
fn sweep<I: Isa, const CROSS: bool>(kkt: &mut TreeKkt) -> Result<(), SingularNode> {
    for deposit in &mut kkt.deposits {
        *deposit = [Lanes([0.0; 8]); 6];
    }
    // what the body after this one has handed to it
    let mut handed = [I::F64x8::zero(); 6];
    for i in (0..kkt.nodes.len()).rev() {
        handed = match kkt.nodes[i].rows {
            0 => node::<I, 0, CROSS>(kkt, i, handed),
            1 => node::<I, 1, CROSS>(kkt, i, handed),
            2 => node::<I, 2, CROSS>(kkt, i, handed),
            3 => node::<I, 3, CROSS>(kkt, i, handed),
            4 => node::<I, 4, CROSS>(kkt, i, handed),
            5 => node::<I, 5, CROSS>(kkt, i, handed),
            _ => node::<I, 6, CROSS>(kkt, i, handed),
        }?;
        match kkt.nodes[i].parent {
            Parent::Before => continue,
            Parent::World => {}
            Parent::Other { deposit, .. } => {
                for (to, x) in kkt.deposits[deposit].iter_mut().zip(handed) {
                    (I::F64x8::load(to) + x).store(to);
                }
            }
        }
        handed = [I::F64x8::zero(); 6];
    }
    Ok(())
}

/// Eliminates a body with the `R` rows of its edge; gives what is added to D of the parent.
#[inline(always)]
fn node<I: Isa, const R: usize, const CROSS: bool>(
    kkt: &mut TreeKkt,
    i: usize,
    handed: [I::F64x8; 6],
) -> Result<[I::F64x8; 6], SingularNode> {
    let Node { parent, row, factor, deposit, .. } = kkt.nodes[i];
    let out = &mut kkt.factors[factor..factor + factor_size(R)];
    let rows = &kkt.rows[row..row + R];
    let zero = I::F64x8::zero();

    let mut d = handed;
    for k in 0..6 {
        d[k] += I::F64x8::load_some(&kkt.masses[i][k]);
        if let Some(place) = deposit {
            d[k] += I::F64x8::load(&kkt.deposits[place][k]);
        }
    }
    let (mut w, mut s, mut v) = ([zero; 8], [zero; R], [zero; R]);
    for a in 0..R {
        w[a] = I::F64x8::load_some(&rows[a].child);
        s[a] = zero.with_lane(a, rows[a].compliance);
        if parent != Parent::World {
            v[a] = I::F64x8::load_some(&rows[a].parent);
        }
    }
    let mut w = I::F64x8::transpose(w);
    let mut up = [zero; 6];
    let mut cross = [zero; 6];
    if CROSS && parent != Parent::World {
        for k in 0..6 {
            cross[k] = I::F64x8::load_some(&kkt.crosses[i][k]);
        }
    }

    let mut began = [0.0; 6];
    for k in 0..6 {
        began[k] = d[k].lane(k);
    }
    for k in 0..6 {
        let pivot = d[k].lane(k);
        if !counts(pivot, began[k]) {
            return Err(SingularNode::Body { body: i, unknown: k });
        }
        let by = 1.0 / pivot;
        let minus = d[k] * I::F64x8::from_f64(-by);
        for j in k + 1..6 {
            let l = minus.splat(j);
            d[j] = d[k].mul_add(l, d[j]).with_lane_of(l, k);
            w[j] = w[k].mul_add(l, w[j]);
            if CROSS {
                cross[j] = cross[k].mul_add(l, cross[j]);
            }
        }
        let w_by = w[k] * I::F64x8::from_f64(by);
        for a in 0..R {
            let w_a = w[k].splat(a);
            s[a] = w_by.mul_add(w_a, s[a]);
        }
        d[k].join(minus, k + 1).with_lane(k, by).store_some(&mut out[6 * k..6 * k + 6]);
        w_by.store_some(&mut out[36 + R * k..36 + R * k + R]);
        if CROSS {
            let cross_by = cross[k] * I::F64x8::from_f64(by);
            for a in 0..R {
                v[a] = cross_by.mul_add(-w[k].splat(a), v[a]);
            }
            for j in 0..6 {
                up[j] = cross_by.mul_add(-cross[k].splat(j), up[j]);
            }
            cross_by.store_some(&mut kkt.cross_factors[i][k]);
        }
    }

    let mut began = [0.0; R];
    for a in 0..R {
        began[a] = s[a].lane(a);
    }
    let (s_at, v_at) = (36 + 6 * R, 36 + 6 * R + R * R);
    for a in 0..R {
        let pivot = s[a].lane(a);
        if !counts(pivot, began[a]) {
            return Err(SingularNode::Edge { body: i, row: a });
        }
        let by = 1.0 / pivot;
        let minus = s[a] * I::F64x8::from_f64(-by);
        for b in a + 1..R {
            let l = minus.splat(b);
            s[b] = s[a].mul_add(l, s[b]).with_lane_of(l, a);
            v[b] = v[a].mul_add(l, v[b]);
        }
        let v_by = v[a] * I::F64x8::from_f64(by);
        for j in 0..6 {
            up[j] = v_by.mul_add(v[a].splat(j), up[j]);
        }
        s[a].join(minus, a + 1).with_lane(a, by).store_some(&mut out[s_at + R * a..s_at + R * a + R]);
        v_by.store_some(&mut out[v_at + 6 * a..v_at + 6 * a + 6]);
    }
    Ok(up)
}

/// True for a pivot that is more than round-off of what it began as; not for NaN.
#[inline(always)]
fn counts(pivot: f64, began: f64) -> bool {
    pivot > ROUND_OFF * began
}
