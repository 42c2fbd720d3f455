//! Resting contact between forces and accelerations: `u̇ = G f + b`, as [Baraff94] has it, with contacts that slide.
//!
//! All contacts touch and do not approach. One that *slides* has its friction opposite to its slip u_T, so that all of its force is its
//! normal force times a known direction; one that is *still* keeps Coulomb's law between its force and its acceleration:
//!
//! ```math
//! (1)  0 ≤ f_n ⟂ u̇_n ≥ 0
//! (2)  slides:  f_T = −μ f_n u_T/‖u_T‖        still:  ‖f_T‖ ≤ μ f_n,  f_T = −μ f_n u̇_T/‖u̇_T‖ where it begins to slide
//! ```
//! With the [mode](Mode) of each contact given, (1) and (2) are a linear system. Its matrix is `J M⁻¹ (n − μ û)`, not symmetric where something
//! slides. Modes that its answer contradicts are revised until none is. Where friction pushes what slides into
//! the ground harder than the normal force lifts it, there may be no answer at all, or several: Painlevé's paradox [Stewart00].
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::certificate::{Certificate, Level, Stage, Status};
use super::delassus::Dense;
use super::exact::{Exact, Options};
use super::lcp::{Lcp, Method};
use super::problem::{Law, MOST_ROWS, Problem};
use crate::algebra::LeastNorm;

/// Columns of the scaled matrix that are shorter, of the longest, depend on the others.
const DEPENDENT: f64 = 1e-10;
/// Of the largest force and acceleration: less contradicts nothing.
const TIE: f64 = 1e-10;
/// Rounds in which all modes are revised that are contradicted; then one at a time.
const ALL_AT_ONCE: usize = 8;
const ROUNDS: usize = 64;
/// A direction in which something begins to slide is known when it changes by less.
const SAME: f64 = 1e-13;

/// What a contact does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It leaves: no force.
    Open,
    /// It rests, and does not slide.
    #[default]
    Stick,
    /// It rests on its normal and slides, or begins to.
    Slide,
}

/// A contact that touches: its friction, and what it does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resting {
    /// How many rows there are beside the normal, and μ of each.
    pub count: usize,
    /// See `count`.
    pub friction: [f64; MOST_ROWS - 1],
    /// It slides already, so that the direction of its friction is known.
    pub slides: bool,
    /// What it does: the first guess, and the answer.
    pub mode: Mode,
    /// Its friction for a normal force of 1, where it slides or begins to.
    pub along: [f64; MOST_ROWS - 1],
}

impl Resting {
    /// A contact whose slip, in its rows beside the normal, is `slip`; still where that is 0.
    pub fn new(friction: &[f64], slip: &[f64]) -> Resting {
        let mut one = Resting { count: friction.len().min(MOST_ROWS - 1), ..Resting::default() };
        one.friction[..one.count].copy_from_slice(&friction[..one.count]);
        if let Some(along) = one.against(slip) {
            (one.slides, one.mode, one.along) = (true, Mode::Slide, along);
        }
        one
    }
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        1 + self.count
    }
    /// The friction for a normal force of 1 that takes the most power from a slip: `−μ_k² s_k/√Σ(μ_j s_j)²`.
    pub fn against(&self, slip: &[f64]) -> Option<[f64; MOST_ROWS - 1]> {
        let size = self.size(slip, |mu| mu);
        let mut along = [0.0; MOST_ROWS - 1];
        for k in 0..self.count.min(slip.len()) {
            along[k] = -self.friction[k] * self.friction[k] * slip[k] / size;
        }
        (size > 0.0 && size.is_finite()).then_some(along)
    }
    fn size(&self, x: &[f64], weight: impl Fn(f64) -> f64) -> f64 {
        let terms = (0..self.count.min(x.len())).map(|k| weight(self.friction[k]) * x[k]);
        terms.fold(0.0, |sum: f64, term| term.mul_add(term, sum)).sqrt()
    }
    /// `√Σ(f_k/μ_k)²` of a friction force: it is within the cone up to f_n.
    pub fn pull(&self, force: &[f64]) -> f64 {
        self.size(force, |mu| if mu > 0.0 { 1.0 / mu } else { 0.0 })
    }
    fn law(&self) -> Law {
        Law::elliptic(&self.friction[..self.count])
    }
}

/// What counts as nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Ties {
    force: f64,
    acceleration: f64,
}

/// Finds forces and modes of resting contacts. Keeps its memory from one problem to the next.
///
/// Painlevé's rod: 1 kg, 1 m, at 60° to the ground with μ = 1.6. Its end slides so that friction turns it into the ground; no
/// force keeps the end from going there.
/// ```
/// use poinsot_core::contact::{Mode, Resting, RestingSolver, Status};
/// let (mu, angle, g) = (1.6, std::f64::consts::FRAC_PI_3, 9.81);
/// let (s, c) = (angle.sin(), angle.cos());
/// let matrix = [1.0 + 3.0 * c * c, -3.0 * s * c, 0.0, -3.0 * s * c, 1.0 + 3.0 * s * s, 0.0, 0.0, 0.0, 1.0];
/// let (mut force, mut acceleration) = ([0.0; 3], [0.0; 3]);
/// let mut solver = RestingSolver::default();
/// let mut rod = [Resting::new(&[mu; 2], &[-1.0, 0.0])];
/// let found = solver.solve(&matrix, &[-g, 0.0, 0.0], &mut rod, &mut force, &mut acceleration);
/// assert_eq!(found.status, Status::NoSolution);
/// // the other way friction lifts it
/// let mut rod = [Resting::new(&[mu; 2], &[1.0, 0.0])];
/// let found = solver.solve(&matrix, &[-g, 0.0, 0.0], &mut rod, &mut force, &mut acceleration);
/// assert_eq!((found.status, rod[0].mode), (Status::Solved, Mode::Slide));
/// assert!((force[0] - g / (1.0 + 3.0 * c * c + 3.0 * mu * s * c)).abs() < 1e-14);
/// ```
#[derive(Clone, Debug, Default)]
pub struct RestingSolver {
    factor: LeastNorm,
    /// For each unknown: its contact, its row, and whether it is the force along the direction of sliding.
    unknowns: Vec<(usize, usize, bool)>,
    first: Vec<usize>,
    scale: Vec<f64>,
    matrix: Vec<f64>,
    right: Vec<f64>,
    x: Vec<f64>,
    tried: Vec<Resting>,
    revised: Vec<(usize, Resting)>,
    laws: Vec<Law>,
    other_force: Vec<f64>,
    other_acceleration: Vec<f64>,
    exact: Exact,
    lcp: Lcp,
}

impl RestingSolver {
    /// Forces and accelerations with the modes as they stand, whatever their signs: of contacts that depend on one another, of least norm.
    /// Returns whether there are other forces that do the same.
    pub fn hold(
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
        // once more for what rounding left
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

    fn choose(&mut self, contacts: &[Resting]) {
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

    /// Forces that keep (1) and (2), and the modes that go with them, beginning with those given. The numbers of the certificate are in N and m/s².
    pub fn solve(
        &mut self,
        g: &[f64],
        b: &[f64],
        contacts: &mut [Resting],
        force: &mut [f64],
        acceleration: &mut [f64],
    ) -> Certificate {
        let mut found =
            Certificate { level: Level::Acceleration, stage: Stage::Pivoting, ..Certificate::default() };
        let finite = |x: &[f64]| x.iter().all(|x| x.is_finite());
        if !finite(g) || !finite(b) {
            found.reason = "not all numbers are finite";
            return found;
        }
        self.tried.clear();
        self.tried.extend_from_slice(contacts);
        let mut tried = std::mem::take(&mut self.tried);
        let any_slides = contacts.iter().any(|one| one.slides);
        let rubs =
            contacts.iter().any(|one| !one.slides && one.friction[..one.count].iter().any(|mu| *mu > 0.0));
        let mut loose = None;
        if let Some(ties) = self.pivot(g, b, &mut tried, force, acceleration, &mut found.pivots, &mut loose) {
            found.status = Status::Solved;
            self.prefer_leaving(g, b, &mut tried, force, acceleration, ties, &mut found);
        } else if !any_slides {
            self.solve_still(g, b, &mut tried, force, acceleration, &mut found);
        } else if !rubs {
            self.solve_normals(g, b, &mut tried, force, acceleration, &mut found);
        } else {
            found.status = Status::NoSolution;
            found.reason =
                "no modes of the contacts that slide and of those that are still were found that go together";
        }
        if found.status == Status::Solved && loose == Some(true) {
            (found.status, found.reason) = (Status::NotUnique, "other forces give the same accelerations");
        }
        if found.status.is_solved() {
            contacts.copy_from_slice(&tried);
        }
        measure(contacts, force, acceleration, &mut found);
        self.tried = tried;
        found
    }

    /// Revises modes that are contradicted; what counts as nothing where none is left.
    #[allow(clippy::too_many_arguments)] // each is a different quantity
    fn pivot(
        &mut self,
        g: &[f64],
        b: &[f64],
        contacts: &mut [Resting],
        force: &mut [f64],
        acceleration: &mut [f64],
        pivots: &mut usize,
        loose: &mut Option<bool>,
    ) -> Option<Ties> {
        for round in 0..ROUNDS {
            *loose = Some(self.hold(g, b, contacts, force, acceleration));
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
            // the last first: where two contradict each other, not always the same gives way
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

    /// Nothing slides: the problem is that of impulses and velocities.
    fn solve_still(
        &mut self,
        g: &[f64],
        b: &[f64],
        contacts: &mut [Resting],
        force: &mut [f64],
        acceleration: &mut [f64],
        found: &mut Certificate,
    ) {
        self.laws.clear();
        self.laws.extend(contacts.iter().map(Resting::law));
        let Ok(matrix) = Dense::new(b.len(), g) else { return };
        let problem = Problem { matrix: &matrix, free: b, laws: &self.laws, compliance: &[] };
        self.exact.options = Options { refine: true, tolerance: 1e-11, ..Options::default() };
        force.fill(0.0);
        let Ok(answer) = self.exact.solve(&problem, force, acceleration) else { return };
        let pivots = found.pivots + answer.pivots;
        *found = Certificate { level: Level::Acceleration, pivots, ..answer };
        if !answer.status.is_solved() {
            return;
        }
        let off = ties(b, force, acceleration, g);
        let (loose_force, loose) = (1e3 * off.force, 1e3 * off.acceleration);
        let mut row = 0;
        for one in contacts.iter_mut() {
            let (f, a) = (&force[row..row + one.rows()], &acceleration[row..row + one.rows()]);
            let begins = one.size(&a[1..], |mu| f64::from(mu > 0.0)) > loose;
            one.mode = match () {
                () if f[0] <= loose_force && a[0] > loose => Mode::Open,
                () if begins => Mode::Slide,
                () => Mode::Stick,
            };
            if let (Mode::Slide, Some(along)) = (one.mode, one.against(&a[1..])) {
                one.along = along;
            }
            row += one.rows();
        }
    }

    /// All that rubs slides: a linear complementarity problem of the normal forces.
    fn solve_normals(
        &mut self,
        g: &[f64],
        b: &[f64],
        contacts: &mut [Resting],
        force: &mut [f64],
        acceleration: &mut [f64],
        found: &mut Certificate,
    ) {
        let n = b.len();
        for one in contacts.iter_mut() {
            one.mode = Mode::Slide;
        }
        self.choose(contacts);
        let m = self.unknowns.len();
        self.matrix.clear();
        self.right.clear();
        for &(_, row, _) in &self.unknowns {
            self.right.push(b[row]);
            for &(other, column, _) in &self.unknowns {
                let one = &contacts[other];
                let rubbed = (0..one.count).map(|k| one.along[k] * g[row * n + column + 1 + k]);
                self.matrix.push(g[row * n + column] + rubbed.sum::<f64>());
            }
        }
        let Ok(answer) = self.lcp.solve(&self.matrix, &self.right, Method::Lemke) else { return };
        (found.status, found.reason) = (answer.status, answer.reason);
        found.pivots += answer.pivots;
        force.fill(0.0);
        let largest = self.lcp.z().iter().fold(0.0f64, |most, z| most.max(*z));
        for (k, one) in contacts.iter_mut().enumerate().take(m) {
            let (row, normal) = (self.first[k], self.lcp.z()[k]);
            force[row] = normal;
            (0..one.count).for_each(|r| force[row + 1 + r] = one.along[r] * normal);
            let leaves = normal <= TIE * largest && self.lcp.w()[k] > 0.0;
            one.mode = if leaves {
                Mode::Open
            } else if one.slides {
                Mode::Slide
            } else {
                Mode::Stick
            };
        }
        accelerate(g, b, force, acceleration);
        if !found.status.is_solved() && found.status != Status::NoSolution {
            // Lemke's method ends on a ray where nothing is proved: no answer is known
            found.status = Status::NoSolution;
        }
    }

    /// Where friction drives a sliding contact into the ground harder than its normal force lifts it, a force that holds it and leaving may both
    /// be answers. Held, it would grow away from there at the slightest disturbance: it leaves.
    #[allow(clippy::too_many_arguments)] // each is a different quantity
    fn prefer_leaving(
        &mut self,
        g: &[f64],
        b: &[f64],
        contacts: &mut [Resting],
        force: &mut [f64],
        acceleration: &mut [f64],
        ties: Ties,
        found: &mut Certificate,
    ) {
        let n = b.len();
        for k in 0..contacts.len() {
            let (one, row) = (contacts[k], self.first[k]);
            let own = (0..one.count)
                .fold(g[row * n + row], |sum, r| one.along[r].mul_add(g[row * n + row + 1 + r], sum));
            if !one.slides || own >= 0.0 {
                continue;
            }
            let other = if one.mode == Mode::Open { Mode::Slide } else { Mode::Open };
            contacts[k].mode = other;
            let (mut f, mut a) =
                (std::mem::take(&mut self.other_force), std::mem::take(&mut self.other_acceleration));
            f.resize(n, 0.0);
            a.resize(n, 0.0);
            self.hold(g, b, contacts, &mut f, &mut a);
            let agrees = contacts.iter().enumerate().all(|(k, one)| {
                let rows = self.first[k]..self.first[k] + one.rows();
                revise(one, &f[rows.clone()], &a[rows], ties).is_none()
            });
            if agrees {
                found.status = Status::NotUnique;
                found.reason = "Painlevé: a contact that slides may leave or stay; it leaves";
            }
            if agrees && other == Mode::Open {
                force.copy_from_slice(&f);
                acceleration.copy_from_slice(&a);
            } else {
                contacts[k].mode = one.mode;
            }
            (self.other_force, self.other_acceleration) = (f, a);
        }
    }
}

/// `u̇ = G f + b`.
fn accelerate(g: &[f64], b: &[f64], force: &[f64], acceleration: &mut [f64]) {
    let n = b.len();
    for i in 0..n {
        acceleration[i] = (0..n).fold(b[i], |sum, j| g[i * n + j].mul_add(force[j], sum));
    }
}

fn ties(b: &[f64], force: &[f64], acceleration: &[f64], g: &[f64]) -> Ties {
    let most = |x: &[f64]| x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let n = b.len();
    let push = (0..n).fold(0.0f64, |most, k| most.max((g[k * n + k] * force[k]).abs()));
    Ties { force: TIE * most(force), acceleration: TIE * most(b).max(most(acceleration)).max(push) }
}

/// Where a contact contradicts its mode, the mode to try next.
fn revise(one: &Resting, force: &[f64], acceleration: &[f64], off: Ties) -> Option<Resting> {
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
            // of what hardly speeds up the direction is known no better
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

/// How far an answer is from each condition.
fn measure(contacts: &[Resting], force: &[f64], acceleration: &[f64], out: &mut Certificate) {
    let (mut row, mut squares) = (0, 0.0);
    (out.normal_velocity, out.cone, out.complementarity, out.dissipation) = (0.0, 0.0, 0.0, 0.0);
    out.residual = 0.0;
    for one in contacts {
        let (f, a) = (&force[row..row + one.rows()], &acceleration[row..row + one.rows()]);
        let pull = one.pull(&f[1..]);
        out.normal_velocity = out.normal_velocity.max(-a[0]);
        out.cone = out.cone.max(-f[0]).max(if one.slides { (pull - f[0]).abs() } else { pull - f[0] });
        out.complementarity = out.complementarity.max((f[0] * a[0]).abs());
        if !one.slides {
            let work = (0..one.count).fold(0.0, |sum, k| f[1 + k].mul_add(a[1 + k], sum));
            out.dissipation = out.dissipation.max(f[0] * one.size(&a[1..], |mu| mu) + work);
        }
        let own = if f[0] > 0.0 { a[0].abs() } else { (-a[0]).max(0.0) };
        let held = one.mode == Mode::Stick && pull < f[0];
        let slips = if held { one.size(&a[1..], |mu| f64::from(mu > 0.0)) } else { 0.0 };
        out.residual = out.residual.max(own).max(slips);
        squares += own * own + slips * slips;
        row += one.rows();
    }
    out.residual_rms = (squares / force.len().max(1) as f64).sqrt();
}
