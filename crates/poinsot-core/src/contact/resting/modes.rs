//! Solves for forces with given modes of all contacts, and revises modes until there are no contradictions.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::{ALL_AT_ONCE, DEPENDENT, Mode, ROUNDS, Resting, RestingSolver, SAME, TIE};
use crate::contact::problem::MOST_ROWS;

/// Thresholds below which forces and accelerations count as zero.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Thresholds {
    pub force: f64,
    pub acceleration: f64,
}

impl RestingSolver {
    /// Computes forces and accelerations for the current modes, whatever their signs; if contacts depend on one another, those of least
    /// norm. Returns whether other forces give the same result.
    pub(super) fn hold_island(
        &mut self,
        g: &[f64],
        b: &[f64],
        contacts: &[Resting],
        force: &mut [f64],
        acceleration: &mut [f64],
    ) -> bool {
        let n = b.len();
        self.choose(contacts);
        self.scale.clear();
        self.scale.extend((0..n).map(|k| if g[k * n + k] > 0.0 { 1.0 / g[k * n + k].sqrt() } else { 0.0 }));
        let m = self.unknowns.len();
        self.matrix.clear();
        self.matrix.resize(m * m, 0.0);
        self.x.clear();
        self.x.resize(m, 0.0);
        for (j, &(contact, row, slides)) in self.unknowns.iter().enumerate() {
            for (i, &(_, other, _)) in self.unknowns.iter().enumerate() {
                let mut sum = g[other * n + row];
                if slides {
                    let one = &contacts[contact];
                    (0..one.count).for_each(|k| sum = one.along[k].mul_add(g[other * n + row + 1 + k], sum));
                }
                self.matrix[i * m + j] = self.scale[other] * sum * self.scale[row];
            }
        }
        self.factor.factor(&self.matrix, m, DEPENDENT);
        force.fill(0.0);
        acceleration.copy_from_slice(b);
        // iterative refinement
        for _ in 0..2 {
            self.right.clear();
            self.right.extend(self.unknowns.iter().map(|(_, row, _)| -self.scale[*row] * acceleration[*row]));
            self.factor.solve(&self.right, &mut self.x);
            for (&(contact, row, slides), x) in self.unknowns.iter().zip(&self.x) {
                let x = x * self.scale[row];
                force[row] += x;
                if slides {
                    let one = &contacts[contact];
                    (0..one.count).for_each(|k| force[row + 1 + k] += one.along[k] * x);
                }
            }
            accelerate(g, b, force, acceleration);
        }
        self.factor.rank() < m
    }

    pub(super) fn choose(&mut self, contacts: &[Resting]) {
        self.unknowns.clear();
        self.first.clear();
        let mut row = 0;
        for (k, one) in contacts.iter().enumerate() {
            self.first.push(row);
            match one.mode {
                Mode::Open => {}
                Mode::Slide => self.unknowns.push((k, row, true)),
                Mode::Stick => {
                    self.unknowns.push((k, row, false));
                    let rubs = (0..one.count).filter(|r| one.friction[*r] > 0.0);
                    self.unknowns.extend(rubs.map(|r| (k, row + 1 + r, false)));
                }
            }
            row += one.rows();
        }
    }

    /// Revises contradicted modes; returns the thresholds if no contradictions are left.
    #[allow(clippy::too_many_arguments)] // each is a different quantity
    pub(super) fn pivot(
        &mut self,
        g: &[f64],
        b: &[f64],
        contacts: &mut [Resting],
        force: &mut [f64],
        acceleration: &mut [f64],
        pivots: &mut usize,
        loose: &mut Option<bool>,
    ) -> Option<Thresholds> {
        for round in 0..ROUNDS {
            *loose = Some(self.hold_island(g, b, contacts, force, acceleration));
            let ties = ties(b, force, acceleration, g);
            let mut revised = std::mem::take(&mut self.revised);
            revised.clear();
            for (k, one) in contacts.iter().enumerate() {
                let rows = self.first[k]..self.first[k] + one.rows();
                revised.extend(
                    revise(one, &force[rows.clone()], &acceleration[rows], ties).map(|next| (k, next)),
                );
            }
            let some = if round < ALL_AT_ONCE { revised.len() } else { revised.len().min(1) };
            // the last first: if two contradict each other, they take turns in giving way
            let from = if round < ALL_AT_ONCE || round % 2 == 0 { 0 } else { revised.len() - some };
            revised[from..from + some].iter().for_each(|(k, next)| contacts[*k] = *next);
            let done = revised.is_empty();
            self.revised = revised;
            if done {
                return Some(ties);
            }
            *pivots += some;
        }
        None
    }
}

/// `u̇ = G f + b`.
pub(super) fn accelerate(g: &[f64], b: &[f64], force: &[f64], acceleration: &mut [f64]) {
    let n = b.len();
    for i in 0..n {
        acceleration[i] = (0..n).fold(b[i], |sum, j| g[i * n + j].mul_add(force[j], sum));
    }
}

pub(super) fn ties(b: &[f64], force: &[f64], acceleration: &[f64], g: &[f64]) -> Thresholds {
    let most = |x: &[f64]| x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let n = b.len();
    let push = (0..n).fold(0.0f64, |most, k| most.max((g[k * n + k] * force[k]).abs()));
    Thresholds { force: TIE * most(force), acceleration: TIE * most(b).max(most(acceleration)).max(push) }
}

/// The mode to try next if a contact contradicts its current one.
pub(super) fn revise(one: &Resting, force: &[f64], acceleration: &[f64], off: Thresholds) -> Option<Resting> {
    let known = one.slides;
    let next = |mode, along| Some(Resting { mode, along, ..*one });
    match one.mode {
        Mode::Open if acceleration[0] >= -off.acceleration => None,
        Mode::Open => next(if known { Mode::Slide } else { Mode::Stick }, one.along),
        _ if force[0] < -off.force => next(Mode::Open, one.along),
        Mode::Slide if known => None,
        Mode::Slide => {
            let push = (0..one.count).fold(0.0, |sum, k| one.along[k].mul_add(acceleration[1 + k], sum));
            if push > off.acceleration {
                return next(Mode::Stick, one.along);
            }
            let size = one.size(&acceleration[1..], |mu| f64::from(mu > 0.0));
            let along = one.against(&acceleration[1..]).filter(|_| size > 10.0 * off.acceleration)?;
            let turned = (0..one.count).fold(0.0f64, |most, k| most.max((along[k] - one.along[k]).abs()));
            // the direction is not known more accurately if the tangential acceleration is tiny
            if turned > SAME + 1e-3 * off.acceleration / size { next(Mode::Slide, along) } else { None }
        }
        Mode::Stick => {
            let pull = one.pull(&force[1..]);
            if pull <= force[0] + off.force {
                return None;
            }
            let mut along = [0.0; MOST_ROWS - 1];
            (0..one.count).for_each(|k| along[k] = force[1 + k] / pull);
            next(Mode::Slide, along)
        }
    }
}
