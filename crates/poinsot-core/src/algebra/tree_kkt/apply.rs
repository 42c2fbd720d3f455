//! Multiplies the system by (a, λ), block by block.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::{Parent, TreeKkt};
use crate::algebra::lanes::{Isa, Kernel};
use std::ops::Range;

pub(super) struct Apply<'a> {
    pub(super) kkt: &'a TreeKkt,
    pub(super) part: Range<usize>,
    pub(super) a: &'a [[f64; 6]],
    pub(super) lambda: &'a [[f64; 6]],
    pub(super) f: &'a mut [[f64; 6]],
    pub(super) g: &'a mut [[f64; 6]],
}

impl Kernel for Apply<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Apply { kkt, part, a, lambda, f, g } = self;
        for i in part {
            f[i] = mass_times(&kkt.masses[i], &a[i]);
            let parent = match kkt.nodes[i].parent {
                Parent::World => None,
                Parent::Before => Some(i - 1),
                Parent::Other { body, .. } => Some(body),
            };
            for (r, row) in kkt.rows(i).iter().enumerate() {
                let l = lambda[i][r];
                g[i][r] = dot(&row.child, &a[i], row.compliance * l);
                add(&row.child, -l, &mut f[i]);
                if let Some(p) = parent {
                    g[i][r] = dot(&row.parent, &a[p], g[i][r]);
                    add(&row.parent, -l, &mut f[p]);
                }
            }
            if let (Some(p), Some(cross)) = (parent, kkt.crosses.get(i)) {
                for (k, row) in cross.iter().enumerate() {
                    f[i][k] = dot(row, &a[p], f[i][k]);
                    add(row, a[i][k], &mut f[p]);
                }
            }
        }
    }
}

/// A symmetric matrix times a; only the upper triangle is read.
#[inline(always)]
fn mass_times(mass: &[[f64; 6]; 6], a: &[f64; 6]) -> [f64; 6] {
    let mut out = [0.0; 6];
    for k in 0..6 {
        out[k] = mass[k][k].mul_add(a[k], out[k]);
        for j in k + 1..6 {
            out[k] = mass[k][j].mul_add(a[j], out[k]);
            out[j] = mass[k][j].mul_add(a[k], out[j]);
        }
    }
    out
}

/// `start + x · y`
#[inline(always)]
fn dot(x: &[f64; 6], y: &[f64; 6], start: f64) -> f64 {
    let mut sum = start;
    for k in 0..6 {
        sum = x[k].mul_add(y[k], sum);
    }
    sum
}

/// `to ← to + x factor`
#[inline(always)]
fn add(x: &[f64; 6], factor: f64, to: &mut [f64; 6]) {
    for k in 0..6 {
        to[k] = x[k].mul_add(factor, to[k]);
    }
}
