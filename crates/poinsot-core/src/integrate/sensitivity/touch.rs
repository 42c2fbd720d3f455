//! Contacts of a step, in the modes that it has identified.
//!
//! With the velocity u of a contact at the end of the step, its impulse p, the normal and two tangents, and the gap g where the rows are,
//!
//! ```math
//! (1)  resting  u_n = 0          closing  u_n + g/r = 0
//! (2)  smooth  p_t = 0           sticking  u_t = 0          sliding  p_t = −μ p_n u_t/|u_t|
//! ```
//! are as many equations as there are impulses, linear in their differentials:
//!
//! ```math
//! (3)  du = J dv⁺ + ∂(J v⁺)/∂q dq_0          dp_t + μ \hat u dp_n + (μ p_n/|u_t|) (1 − \hat u \hat uᵀ) du_t = 0
//! ```
//! How J turns with q is that of points, normals and tangents where detection finds the same contacts beside: differences of geometry alone.
//! A contact that rests at a gap of 0 opens on one side, and is pushed out or collides on the other: where these differ, the derivatives are one-sided.

use super::NoEquations;
use super::forces::fourth;
use super::solve::pseudo_inverse;
use crate::constraint::{AXES, ContactKey, ContactResult};
use crate::dynamics::State;
use crate::integrate::System;
use nalgebra::{DMatrix, DVector};

/// Metres: no contact is lost by moving so far, for detection looks further.
const BESIDE: f64 = 1e-5;
/// Metres: a gap below this is none; the same as in the step.
const CLOSED: f64 = 1e-10;
/// Metres: what overlaps by more is pushed out, which these equations do not describe.
const OVERLAPS: f64 = 1e-9;
/// Slower than this a contact sticks, m/s.
const STICKS: f64 = 1e-6;
/// Friction nearer than this to its cone, in parts of it, may begin to slide.
const EDGE: f64 = 1e-6;

/// How friction acts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Friction {
    Smooth,
    Sticks,
    /// μ, the speed, and û.
    Slides {
        mu: f64,
        speed: f64,
        along: [f64; 2],
    },
}

/// What contacts with a gap of 0 do where the gap changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Resting {
    /// They rest.
    Stays,
    /// They are like those that close: the gap is 0 at the end of the step.
    Closes,
}

#[derive(Clone, Copy, Debug)]
struct Mode {
    key: ContactKey,
    closing: bool,
    friction: Friction,
    /// Along normal and tangents.
    impulse: [f64; 3],
}

/// The contacts that push.
pub(super) struct Modes(Vec<Mode>);

impl Modes {
    /// Those of the last step.
    pub fn of(system: &System) -> Result<Modes, NoEquations> {
        let pushing = system.report.contacts.iter().filter(|c| c.impulse.norm() > 0.0);
        pushing.map(mode).collect::<Result<Vec<Mode>, _>>().map(Modes)
    }

    pub fn are_any(&self) -> bool {
        !self.0.is_empty()
    }
}

fn mode(contact: &ContactResult) -> Result<Mode, NoEquations> {
    let (point, surface) = (&contact.point, &contact.point.surface);
    let rigid = surface.softness.is_none() && contact.moment.norm() == 0.0;
    let round = surface.count == 0 || surface.count == 2 && surface.friction[0] == surface.friction[1];
    if !rigid || !round || point.gap < -OVERLAPS {
        return Err(NoEquations::Contact);
    }
    let axes = point.frame();
    let impulse = axes.map(|axis| axis.dot(contact.impulse));
    let [_, u1, u2] = axes.map(|axis| axis.dot(contact.velocity[1]));
    let speed = u1.hypot(u2);
    let most = surface.friction[0] * impulse[0];
    let friction = if surface.count == 0 || surface.friction[0] == 0.0 {
        Friction::Smooth
    } else if speed > STICKS {
        Friction::Slides { mu: surface.friction[0], speed, along: [u1 / speed, u2 / speed] }
    } else if impulse[1].hypot(impulse[2]) < (1.0 - EDGE) * most {
        Friction::Sticks
    } else {
        return Err(NoEquations::Contact);
    };
    Ok(Mode { key: point.key, closing: point.gap > CLOSED, friction, impulse })
}

/// Contacts at q₀, with how their rows turn there.
pub(super) struct Touch<'m> {
    modes: &'m [Mode],
    j: DMatrix<f64>,
    /// ∂J/∂q, a matrix for each degree of freedom.
    turned: Vec<DMatrix<f64>>,
    impulse: DVector<f64>,
}

impl<'m> Touch<'m> {
    /// At a place, where the velocity at the end moves positions for the time `reach`.
    pub fn at(
        system: &mut System,
        modes: &'m Modes,
        place: &State,
        (reach, h): (f64, f64),
    ) -> Result<Touch<'m>, NoEquations> {
        let (model, modes) = (system.model(), &modes.0[..]);
        let keys: Vec<ContactKey> = modes.iter().map(|mode| mode.key).collect();
        let mut rows = |q: &[f64]| {
            system.find_contacts(q, &place.v, reach, h);
            let (ws, multipliers) = system.constraints();
            ws.poses(&model, q);
            multipliers.and_then(|multipliers| multipliers.contact_rows(&model, ws, &keys))
        };
        let j = rows(&place.q).ok_or(NoEquations::Contact)?;
        let (n, mut lost, mut unit) = (model.nv(), false, vec![0.0; model.nv()]);
        let mut turned = Vec::with_capacity(n);
        for k in 0..n {
            unit.fill(0.0);
            unit[k] = 1.0;
            let slope = fourth(BESIDE, |by| {
                let mut q = place.q.clone();
                model.integrate(&mut q, &unit, by);
                let there = rows(&q);
                lost |= there.is_none();
                there.unwrap_or_else(|| j.clone()).as_slice().to_vec()
            });
            turned.push(DMatrix::from_vec(j.nrows(), n, slope));
        }
        if lost {
            return Err(NoEquations::Contact);
        }
        let impulse = DVector::from_iterator(j.nrows(), modes.iter().flat_map(|mode| mode.impulse));
        Ok(Touch { modes, j, turned, impulse })
    }

    /// ∂(Jᵀ p)/∂q.
    pub fn loaded(&self) -> DMatrix<f64> {
        let columns: Vec<DVector<f64>> = self.turned.iter().map(|j| j.tr_mul(&self.impulse)).collect();
        DMatrix::from_columns(&columns)
    }

    /// The degrees of freedom that open or close a contact which rests.
    pub fn opened(&self) -> Vec<usize> {
        let normals = self.modes.iter().enumerate().filter(|(_, mode)| !mode.closing);
        let normals: Vec<usize> = normals.map(|(at, _)| AXES * at).collect();
        let moves = |k: &usize| normals.iter().any(|row| self.j[(*row, *k)].abs() > CLOSED);
        (0..self.j.ncols()).filter(moves).collect()
    }

    /// dv⁺ of (3), from that without changes of impulses, `free`, the differentials of the place, and v⁺. `solve` is M⁻¹.
    pub fn hold(
        &self,
        (free, place, v): (&DMatrix<f64>, &DMatrix<f64>, &[f64]),
        reach: f64,
        resting: Resting,
        solve: impl Fn(&DMatrix<f64>) -> DMatrix<f64>,
    ) -> Result<DMatrix<f64>, NoEquations> {
        let v = DVector::from_column_slice(v);
        let by_place: Vec<DVector<f64>> = self.turned.iter().map(|j| j * &v).collect();
        let open = &self.j * free + DMatrix::from_columns(&by_place) * place;
        let columns = solve(&self.j.transpose());
        let response = &self.j * &columns;
        let (rows, count) = (self.j.nrows(), place.ncols());
        let (mut left, mut right) = (DMatrix::zeros(rows, rows), DMatrix::zeros(rows, count));
        for (k, mode) in self.modes.iter().enumerate() {
            let (n, t) = (AXES * k, AXES * k + 1);
            left.row_mut(n).copy_from(&response.row(n));
            right.row_mut(n).copy_from(&open.row(n));
            if mode.closing || resting == Resting::Closes {
                let nearer = self.j.row(n) * place / reach;
                let mut row = right.row_mut(n);
                row += nearer;
            }
            match mode.friction {
                Friction::Smooth => (t..t + 2).for_each(|row| left[(row, row)] = 1.0),
                Friction::Sticks => {
                    left.rows_mut(t, 2).copy_from(&response.rows(t, 2));
                    right.rows_mut(t, 2).copy_from(&open.rows(t, 2));
                }
                Friction::Slides { mu, speed, along: [a, b] } => {
                    let turn = mu * mode.impulse[0] / speed;
                    let across = [[b * b, -a * b], [-a * b, a * a]];
                    for (c, (direction, weights)) in [a, b].into_iter().zip(across).enumerate() {
                        for (i, weight) in weights.into_iter().enumerate() {
                            let (part, given) = (response.row(t + i) * (turn * weight), open.row(t + i));
                            let mut row = left.row_mut(t + c);
                            row += part;
                            let mut row = right.row_mut(t + c);
                            row += given * (turn * weight);
                        }
                        left[(t + c, t + c)] += 1.0;
                        left[(t + c, n)] += mu * direction;
                    }
                }
            }
        }
        Ok(free - columns * (pseudo_inverse(left)? * right))
    }
}
