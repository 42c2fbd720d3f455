//! Statically indeterminate supports: forces within their cones, of all that give the same accelerations.
//!
//! If contacts depend on one another, as at the two ends of a ladder with friction, the forces of least norm λ₀ may pull or leave their
//! cones although others do not. Admissible forces with the same accelerations solve the convex problem
//!
//! ```math
//! min ½ (λ − λ₀)ᵀ G (λ − λ₀),   λ in its cones
//! ```
//! if and only if its minimum is 0. An [interior-point method](crate::contact::Conic) ends in the middle of its solutions, away from the
//! boundaries of the cones.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::modes::{Thresholds, accelerate, revise};
use super::{Mode, Resting, RestingSolver};
use crate::contact::delassus::Dense;
use crate::contact::problem::Problem;

impl RestingSolver {
    /// Replaces forces that leave their cones by others with the same accelerations, if all closed contacts stick; false if there are
    /// none. The modes have just been held.
    pub(super) fn share(
        &mut self,
        g: &[f64],
        contacts: &[Resting],
        force: &mut [f64],
        acceleration: &mut [f64],
        b: &[f64],
        ties: Thresholds,
    ) -> bool {
        if contacts.iter().any(|one| one.mode == Mode::Slide) {
            return false;
        }
        let n = b.len();
        self.laws.clear();
        self.rows.clear();
        for (k, one) in contacts.iter().enumerate().filter(|(_, one)| one.mode == Mode::Stick) {
            self.laws.push(one.law());
            self.rows.extend(self.first[k]..self.first[k] + one.rows());
        }
        let rows = std::mem::take(&mut self.rows);
        let m = rows.len();
        self.matrix.clear();
        self.right.clear();
        for &row in &rows {
            self.matrix.extend(rows.iter().map(|column| g[row * n + column]));
            let moved = (0..n).fold(0.0, |sum, column| g[row * n + column].mul_add(force[column], sum));
            self.right.push(-moved);
        }
        let (mut f, mut a) =
            (std::mem::take(&mut self.other_force), std::mem::take(&mut self.other_acceleration));
        for x in [&mut f, &mut a] {
            x.clear();
            x.resize(m.max(n), 0.0);
        }
        let found = Dense::new(m, &self.matrix).is_ok_and(|matrix| {
            let problem = Problem { matrix: &matrix, free: &self.right, laws: &self.laws, compliance: &[] };
            self.conic.get_or_insert_default().solve(&problem, &mut f[..m], &mut a[..m]).is_ok()
        });
        if found {
            self.right.clear();
            self.right.resize(n, 0.0);
            rows.iter().zip(&f).for_each(|(row, f)| self.right[*row] = *f);
            f[..n].copy_from_slice(&self.right);
            self.rows = rows;
            accelerate(g, b, &f[..n], &mut a[..n]);
            self.refine(g, b, contacts, &mut f[..n], &mut a[..n]);
        } else {
            self.rows = rows;
        }
        let agrees = found
            && contacts.iter().enumerate().all(|(k, one)| {
                let rows = self.first[k]..self.first[k] + one.rows();
                revise(one, &f[rows.clone()], &a[rows], ties).is_none()
            })
            && acceleration.iter().zip(&a).all(|(x, y)| (x - y).abs() <= ties.acceleration);
        if agrees {
            force.copy_from_slice(&f[..n]);
            acceleration.copy_from_slice(&a[..n]);
        }
        (self.other_force, self.other_acceleration) = (f, a);
        agrees
    }
}
