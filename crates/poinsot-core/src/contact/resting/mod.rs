//! Resting contact between forces and accelerations: `u̇ = G f + b`, as in [Baraff94], with sliding contacts.
//!
//! All contacts touch and do not approach. A *sliding* contact has its friction opposite to its slip u_T, so its force is its normal force
//! times a known direction. A contact at *rest* satisfies Coulomb's law between its force and its acceleration:
//!
//! ```math
//! (1)  0 ≤ f_n ⟂ u̇_n ≥ 0
//! (2)  slides:  f_T = −μ f_n u_T/‖u_T‖        still:  ‖f_T‖ ≤ μ f_n,  f_T = −μ f_n u̇_T/‖u̇_T‖ where it begins to slide
//! ```
//! For given [modes](Mode) of the contacts, (1) and (2) are a linear system. Its matrix is `J M⁻¹ (n − μ û)`, which is not symmetric if
//! something slides. Modes that contradict the result are revised until none does. If friction presses a sliding contact into the ground
//! harder than the normal force lifts it, there may be no solution at all, or several: Painlevé's paradox [Stewart00].
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

mod islands;
mod modes;
mod others;
mod shared;

use super::certificate::{Certificate, Level, Stage, Status};
use super::conic::Conic;
use super::exact::Exact;
use super::lcp::Lcp;
use super::polyhedral::Polyhedral;
use super::problem::{Law, MOST_ROWS};
use crate::algebra::LeastNorm;
use islands::Islands;
use modes::{Thresholds, revise};

/// Columns of the scaled matrix shorter than this, relative to the longest, depend on the others.
const DEPENDENT: f64 = 1e-10;
/// Violations smaller than this, relative to the largest force and acceleration, are not contradictions.
const TIE: f64 = 1e-10;
/// Forces outside their cones by more than this, relative to the largest, are not a solution.
const OUTSIDE: f64 = 1e-8;
/// Rounds in which all contradicted modes are revised; after that, one at a time.
const ALL_AT_ONCE: usize = 8;
const ROUNDS: usize = 64;
/// The direction in which a contact starts to slide has converged when it changes by less than this.
const SAME: f64 = 1e-13;
/// Friction at least this large counts as infinite: a contact that sticks does not begin to slide, however small its normal force. One that
/// slides from the start is stopped by friction of this size.
const ROUGH: f64 = 1e6;

/// The mode of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It separates: no force.
    Open,
    /// It sticks.
    #[default]
    Stick,
    /// It slides, or starts to.
    Slide,
}

/// A closed contact: its friction, and its mode.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resting {
    /// The number of rows in addition to the normal, and μ of each.
    pub count: usize,
    /// See `count`.
    pub friction: [f64; MOST_ROWS - 1],
    /// It is already sliding, so that the direction of its friction is known.
    pub slides: bool,
    /// Its mode: the initial guess, then the result.
    pub mode: Mode,
    /// Its friction for a normal force of 1, if it slides or starts to.
    pub along: [f64; MOST_ROWS - 1],
}

impl Resting {
    /// A contact whose slip, in its rows other than the normal, is `slip`; sticking if that is 0.
    pub fn new(friction: &[f64], slip: &[f64]) -> Resting {
        let mut one = Resting { count: friction.len().min(MOST_ROWS - 1), ..Resting::default() };
        one.friction[..one.count].copy_from_slice(&friction[..one.count]);
        if let Some(along) = one.against(slip) {
            (one.slides, one.mode, one.along) = (true, Mode::Slide, along);
        }
        one
    }
    /// The number of its rows.
    pub fn rows(&self) -> usize {
        1 + self.count
    }
    /// The friction for a normal force of 1 that dissipates the most power for a slip: `−μ_k² s_k/√Σ(μ_j s_j)²`.
    pub fn against(&self, slip: &[f64]) -> Option<[f64; MOST_ROWS - 1]> {
        let size = self.size(slip, |mu| mu.min(ROUGH));
        let mut along = [0.0; MOST_ROWS - 1];
        for k in 0..self.count.min(slip.len()) {
            along[k] = -self.friction[k].min(ROUGH).powi(2) * slip[k] / size;
        }
        (size > 0.0 && size.is_finite()).then_some(along)
    }
    /// The largest μ, as it acts where the contact slides.
    pub(crate) fn roughest(&self) -> f64 {
        self.friction.iter().fold(0.0f64, |most, mu| most.max(*mu)).min(ROUGH)
    }
    fn size(&self, x: &[f64], weight: impl Fn(f64) -> f64) -> f64 {
        let terms = (0..self.count.min(x.len())).map(|k| weight(self.friction[k]) * x[k]);
        terms.fold(0.0, |sum: f64, term| term.mul_add(term, sum)).sqrt()
    }
    /// `√Σ(f_k/μ_k)²` of a friction force: at most f_n within the cone. Infinite friction is never exhausted.
    pub fn pull(&self, force: &[f64]) -> f64 {
        self.size(force, |mu| if mu > 0.0 && mu < ROUGH { 1.0 / mu } else { 0.0 })
    }
    fn law(&self) -> Law {
        Law::elliptic(&self.friction[..self.count])
    }
}

/// Finds forces and modes of resting contacts. Reuses its memory between problems.
///
/// Painlevé's rod: 1 kg, 1 m, at 60° to the ground with μ = 1.6. Friction on its sliding end turns it into the ground, and no force can
/// keep the end out.
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
    rows: Vec<usize>,
    conic: Option<Box<Conic>>,
    exact: Exact,
    lcp: Lcp,
    polyhedral: Option<Box<Polyhedral>>,
    islands: Islands,
}

impl RestingSolver {
    /// Solves one island.
    fn solve_island(
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
            self.solve_mixed(g, b, contacts, &mut tried, force, acceleration, &mut found, &mut loose);
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

    /// Measures the forces that are reported in place of those of [`RestingSolver::solve`], with the same accelerations.
    pub fn certify(contacts: &[Resting], force: &[f64], acceleration: &[f64], found: &mut Certificate) {
        let most = |x: &[f64]| x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        measure(contacts, force, acceleration, found);
        if found.cone > OUTSIDE * most(force) {
            (found.status, found.reason) = (Status::Unsolved, "forces leave their cones");
        }
    }

    /// If friction drives a sliding contact into the ground harder than its normal force lifts it, both contact and separation may be
    /// solutions. The former is unstable to the slightest disturbance, so the contact separates.
    #[allow(clippy::too_many_arguments)] // each is a different quantity
    fn prefer_leaving(
        &mut self,
        g: &[f64],
        b: &[f64],
        contacts: &mut [Resting],
        force: &mut [f64],
        acceleration: &mut [f64],
        ties: Thresholds,
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
            self.hold_island(g, b, contacts, &mut f, &mut a);
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

/// The violation of each condition.
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
