//! The elimination, from the leaves to the root.
//!
//! A node is one block elimination of its body's six unknowns and of its rows, which also updates the columns of the parent. The rows of a
//! matrix lie across lanes: pivot k of D with multipliers l_j = D_kj / d_k subtracts l_j times row k from row j, in D, in W = L⁻¹ Aᵀ and in
//! L⁻¹ K, and adds W_k W_kᵀ / d_k to S. The same for S with V = L_S⁻¹ P adds V_a V_aᵀ / s_a to the parent.
//!
//! A node stores six rows of D, six of W/d, then its rows of S and of V/s; see `pivots` for the layout of a row.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::pivots::{Pivot, Rows};
use super::{Node, Parent, SingularNode, TreeKkt, factor_size};
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
    let Some(last) = kkt.nodes.len().checked_sub(1) else { return Ok(()) };
    // D of the current body
    let mut d = own::<I>(kkt, last);
    for i in (0..=last).rev() {
        let parent = kkt.nodes[i].parent;
        let above = if parent == Parent::Before { own::<I>(kkt, i - 1) } else { [I::F64x8::zero(); 6] };
        let up = match kkt.nodes[i].rows {
            0 => node::<I, 0, CROSS>(kkt, i, d, above),
            1 => node::<I, 1, CROSS>(kkt, i, d, above),
            2 => node::<I, 2, CROSS>(kkt, i, d, above),
            3 => node::<I, 3, CROSS>(kkt, i, d, above),
            4 => node::<I, 4, CROSS>(kkt, i, d, above),
            5 => node::<I, 5, CROSS>(kkt, i, d, above),
            _ => node::<I, 6, CROSS>(kkt, i, d, above),
        }?;
        if parent == Parent::Before {
            d = up;
            continue;
        }
        if let Parent::Other { deposit, .. } = parent {
            for (to, x) in kkt.deposits[deposit].iter_mut().zip(up) {
                (I::F64x8::load(to) + x).store(to);
            }
        }
        if i > 0 {
            d = own::<I>(kkt, i - 1);
        }
    }
    Ok(())
}

/// M of a body plus its deposits. All its children except the one right after it have been eliminated.
#[inline(always)]
fn own<I: Isa>(kkt: &TreeKkt, i: usize) -> [I::F64x8; 6] {
    let mut d = [I::F64x8::zero(); 6];
    for k in 0..6 {
        d[k] = I::F64x8::load_some(&kkt.masses[i][k]);
    }
    if let Some(place) = kkt.nodes[i].deposit {
        for k in 0..6 {
            d[k] += I::F64x8::load(&kkt.deposits[place][k]);
        }
    }
    d
}

/// Eliminates a body with the `R` rows of its edge; sets `above` to its contribution to D of the parent.
#[inline(always)]
fn node<I: Isa, const R: usize, const CROSS: bool>(
    kkt: &mut TreeKkt,
    i: usize,
    d: [I::F64x8; 6],
    above: [I::F64x8; 6],
) -> Result<[I::F64x8; 6], SingularNode> {
    let Node { parent, row, factor, .. } = kkt.nodes[i];
    let rows = &kkt.rows[row..row + R];
    let zero = I::F64x8::zero();
    let (mut w, mut s, mut v, mut cross) = ([zero; 8], [zero; R], [zero; R], [zero; 6]);
    for a in 0..R {
        w[a] = I::F64x8::load_some(&rows[a].child);
        s[a] = zero.with_lane(a, rows[a].compliance);
        if parent != Parent::World {
            v[a] = I::F64x8::load_some(&rows[a].parent);
        }
    }
    if CROSS && parent != Parent::World {
        for k in 0..6 {
            cross[k] = I::F64x8::load_some(&kkt.crosses[i][k]);
        }
    }
    let [w0, w1, w2, w3, w4, w5, ..] = I::F64x8::transpose(w);
    let out = &mut kkt.factors[factor..factor + factor_size(R)];
    let mut front =
        Front::<I, R> { d: Rows::new(d), w: [w0, w1, w2, w3, w4, w5], cross, s: Rows::new(s), v, up: above };
    // unrolled: with constant pivot indices, all arrays stay in registers
    let sound = [
        front.unknown::<0, CROSS>(out),
        front.unknown::<1, CROSS>(out),
        front.unknown::<2, CROSS>(out),
        front.unknown::<3, CROSS>(out),
        front.unknown::<4, CROSS>(out),
        front.unknown::<5, CROSS>(out),
    ];
    for k in 0..6 {
        if !sound[k] {
            return Err(SingularNode::Body { body: i, unknown: k });
        }
    }
    if CROSS {
        for k in 0..6 {
            front.cross[k].store_some(&mut kkt.cross_factors[i][k]);
        }
    }
    front.s.begin();
    let sound = [
        front.row::<0>(out),
        front.row::<1>(out),
        front.row::<2>(out),
        front.row::<3>(out),
        front.row::<4>(out),
        front.row::<5>(out),
    ];
    for a in 0..6 {
        if !sound[a] {
            return Err(SingularNode::Edge { body: i, row: a });
        }
    }
    Ok(front.up)
}

/// A body, its edge and the columns of its parent during elimination.
struct Front<I: Isa, const R: usize> {
    d: Rows<I, 6>,
    /// L⁻¹ Aᵀ
    w: [I::F64x8; 6],
    /// L⁻¹ K, divided by the pivots already processed.
    cross: [I::F64x8; 6],
    s: Rows<I, R>,
    /// L_S⁻¹ P
    v: [I::F64x8; R],
    /// The partial D of the parent.
    up: [I::F64x8; 6],
}

impl<I: Isa, const R: usize> Front<I, R> {
    /// Eliminates unknown K of the body; false if its pivot is round-off.
    #[inline(always)]
    fn unknown<const K: usize, const CROSS: bool>(&mut self, out: &mut [f64]) -> bool {
        let Pivot { by, minus, sound } = self.d.eliminate::<K>(&mut self.w, out);
        let w = self.w[K];
        let w_by = w * by;
        for a in 0..R {
            // the first row of S is on the critical path
            self.s.upper[a] = if K == 5 && a == 0 {
                (w * w.splat(a)).mul_add(by, self.s.upper[a])
            } else {
                w_by.mul_add(w.splat(a), self.s.upper[a])
            };
        }
        w_by.store_some(&mut out[36 + R * K..36 + R * K + R]);
        if CROSS {
            let cross = self.cross[K];
            let cross_by = cross * by;
            for j in K + 1..6 {
                self.cross[j] = cross.mul_add(minus.splat(j), self.cross[j]);
            }
            for a in 0..R {
                self.v[a] = cross_by.mul_add(-w.splat(a), self.v[a]);
            }
            for j in 0..6 {
                self.up[j] = cross_by.mul_add(-cross.splat(j), self.up[j]);
            }
            self.cross[K] = cross_by;
        }
        sound
    }

    /// Eliminates row A of the edge, if there is one; false if its pivot is round-off.
    #[inline(always)]
    fn row<const A: usize>(&mut self, out: &mut [f64]) -> bool {
        if A >= R {
            return true;
        }
        let (s_at, v_at) = (36 + 6 * R, 36 + 6 * R + R * R);
        let Pivot { by, sound, .. } = self.s.eliminate::<A>(&mut self.v, &mut out[s_at..v_at]);
        let v = self.v[A];
        let v_by = v * by;
        for j in 0..6 {
            // the first row of the parent is on the critical path
            self.up[j] = if A + 1 == R && j == 0 {
                (v * v.splat(j)).mul_add(by, self.up[j])
            } else {
                v_by.mul_add(v.splat(j), self.up[j])
            };
        }
        v_by.store_some(&mut out[v_at + 6 * A..v_at + 6 * A + 6]);
        sound
    }
}
