//! The linear complementarity problem: `w = M z + q`, `w ≥ 0`, `z ≥ 0`, `wᵀ z = 0`.
//!
//! Resting contact without friction is such a problem, between forces and accelerations or impulses and velocities [Baraff94]; so is
//! friction with a [polyhedral cone](super::polyhedral). Two pivoting methods find which variable of each pair is zero: [Lemke's](lemke),
//! which processes every M for which it is proved to do so, and [principal pivoting](dantzig) for M positive semidefinite or with positive
//! principal minors. z is then solved for once more with the original M, so that its accuracy is that of one solve, not of all pivots. Where rounding
//! errors misled the exchanges, the method [continues](refine) from where they led, at the scale of the error.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

mod basis;
mod dantzig;
mod lemke;
mod others;
mod refine;
mod transform;

use super::certificate::Status;
use super::problem::{ProblemError, finite};
use basis::Basis;
use dantzig::Dantzig;
use lemke::Lemke;
use std::str::FromStr;
use transform::Transform;

/// The pivoting method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Lemke's complementary pivoting, with the lexicographic rule against cycling.
    #[default]
    Lemke,
    /// The principal pivoting of Dantzig, Cottle and Baraff, with the least-index rule against cycling. What it cannot decide is left to
    /// Lemke's method.
    Dantzig,
}

impl FromStr for Method {
    type Err = String;
    fn from_str(word: &str) -> Result<Method, String> {
        match word {
            "lemke" => Ok(Method::Lemke),
            "dantzig" => Ok(Method::Dantzig),
            _ => Err(format!("unknown method '{word}': use 'lemke' or 'dantzig'")),
        }
    }
}

/// How a linear complementarity problem ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LcpSolution {
    /// How it ended.
    pub status: Status,
    /// Why there is no solution; empty if there is one.
    pub reason: &'static str,
    /// The largest |min(z, w)|.
    pub residual: f64,
    /// The residual that rounding errors can cause with M, z and q of this size.
    pub floor: f64,
    /// The number of pivots.
    pub pivots: usize,
}

/// Solves linear complementarity problems. Reuses its memory between problems.
///
/// ```
/// use poinsot_core::contact::{Lcp, LcpMethod, Status};
/// let mut lcp = Lcp::default();
/// let answer = lcp.solve(&[2.0, 1.0, 1.0, 2.0], &[-5.0, -6.0], LcpMethod::Lemke)?;
/// assert_eq!(answer.status, Status::Solved);
/// assert!((lcp.z()[0] - 4.0 / 3.0).abs() < 1e-15 && (lcp.z()[1] - 7.0 / 3.0).abs() < 1e-15);
/// // two legs at the same place: either may carry the load
/// assert_eq!(lcp.solve(&[1.0; 4], &[-1.0, -1.0], LcpMethod::Dantzig)?.status, Status::NotUnique);
/// # Ok::<(), poinsot_core::contact::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lcp {
    /// M times `scale` on both sides has a unit diagonal.
    scaled: Vec<f64>,
    scale: Vec<f64>,
    q: Vec<f64>,
    perturbed: Vec<f64>,
    /// Which z may be nonzero.
    basic: Vec<bool>,
    /// A direction in which the method could continue forever.
    ray: Vec<f64>,
    lemke: Lemke,
    dantzig: Dantzig,
    basis: Basis,
    transform: Transform,
    /// The basic variables from which the method continues.
    origin: Vec<bool>,
    /// The most pivots of all runs of a solve, in multiples of its size; without it, that of each run alone is bounded.
    pub(super) patience: Option<usize>,
    /// The residual that counts as solved, whatever the rounding errors.
    pub(super) enough: f64,
    z: Vec<f64>,
    w: Vec<f64>,
    best: Best,
}

/// The answer with the smallest residual so far.
#[derive(Clone, Debug, Default)]
struct Best {
    z: Vec<f64>,
    w: Vec<f64>,
    residual: f64,
    floor: f64,
}

/// How a pivoting method ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Found,
    /// On a ray, which is left in `ray`.
    Ray,
    /// After too many exchanges, or at one that M does not allow.
    Stuck,
}

/// Problems up to this size are solved by enumeration if a method fails, and to check for other solutions.
const FEW: usize = 10;

/// Relative perturbations of q, for when rounding errors mislead a method at degenerate pivots. Only the choice of basic variables is kept
/// from a perturbed problem, and only if it also solves the original one.
const PERTURBATIONS: [f64; 4] = [0.0, 1e-11, 1e-9, 1e-7];

impl Lcp {
    /// z of the last problem.
    pub fn z(&self) -> &[f64] {
        &self.z
    }
    /// w of the last problem.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// Solves the problem of the row-major matrix `m`.
    pub fn solve(&mut self, m: &[f64], q: &[f64], method: Method) -> Result<LcpSolution, ProblemError> {
        let answer = self.pivot(m, q, method)?;
        Ok(self.look_for_others(m, q, answer))
    }

    /// As [`Lcp::solve`], without checking whether there are other solutions.
    pub fn pivot(&mut self, m: &[f64], q: &[f64], method: Method) -> Result<LcpSolution, ProblemError> {
        self.pivot_from(m, q, method, &[])
    }

    /// As [`Lcp::pivot`], first from a guess at z; an empty guess is none.
    pub(super) fn pivot_from(
        &mut self,
        m: &[f64],
        q: &[f64],
        method: Method,
        guess: &[f64],
    ) -> Result<LcpSolution, ProblemError> {
        let n = q.len();
        if n.checked_mul(n) != Some(m.len()) {
            return Err(ProblemError::Numbers { size: n, count: m.len() });
        }
        finite("q", q)?;
        if n > 0 {
            m.chunks_exact(n).try_for_each(|row| finite("M", row))?;
        }
        self.prepare(m, q);
        let mut answer = LcpSolution {
            status: Status::Unsolved,
            reason: "",
            residual: f64::INFINITY,
            floor: 0.0,
            pivots: 0,
        };
        // z = 0 is the answer to improve on
        self.measure(m, q, &mut answer);
        answer.status = Status::Unsolved;
        if guess.len() == n && guess.iter().any(|z| *z > 0.0) && self.improve(m, q, guess, &mut answer) {
            return Ok(answer);
        }
        let mut end = End::Stuck;
        let methods: &[Method] = match method {
            Method::Lemke => &[Method::Lemke],
            Method::Dantzig => &[Method::Dantzig, Method::Lemke],
        };
        for (method, size) in methods.iter().flat_map(|method| PERTURBATIONS.map(|size| (*method, size))) {
            self.perturb(size);
            let most = self.most_pivots(&answer);
            let (basic, ray) = (&mut self.basic, &mut self.ray);
            let (ended, pivots) = match method {
                Method::Lemke => self.lemke.run(&self.scaled, &self.perturbed, 1.0, most, basic, ray),
                Method::Dantzig => self.dantzig.run(&self.scaled, &self.perturbed, most, basic, ray),
            };
            end = ended;
            answer.pivots += pivots;
            if end == End::Found {
                self.values(method);
                self.measure(m, q, &mut answer);
                self.refine(m, q, &mut answer);
            }
            if answer.status.is_solved() {
                return Ok(answer);
            }
            if end == End::Ray && self.is_proof() {
                self.z.fill(0.0);
                self.measure(m, q, &mut answer);
                (answer.status, answer.reason) = (Status::NoSolution, "no z ≥ 0 makes M z + q ≥ 0");
                return Ok(answer);
            }
        }
        if n <= FEW {
            self.try_all(m, q, &mut answer);
        }
        if !answer.status.is_solved() {
            self.take_best(&mut answer);
            answer.reason = match end {
                End::Ray => {
                    "the method ended on a ray, which with this M does not prove that there is no solution"
                }
                End::Stuck => "the exchanges do not come to an end, or not within the work allowed",
                End::Found => "rounding errors: the exchanges made do not solve the problem given",
            };
        }
        Ok(answer)
    }

    /// How many pivots a run may still make.
    fn most_pivots(&self, answer: &LcpSolution) -> usize {
        let n = self.q.len() + 10;
        self.patience.map_or(100 * n, |times| (times * n).saturating_sub(answer.pivots))
    }

    /// Computes `S M S` and `S q`, with a unit diagonal where that of M is positive, and largest entries near 1 elsewhere.
    fn prepare(&mut self, m: &[f64], q: &[f64]) {
        let n = q.len();
        for list in [&mut self.z, &mut self.w, &mut self.ray, &mut self.best.z, &mut self.best.w] {
            list.clear();
            list.resize(n, 0.0);
        }
        self.best.residual = f64::INFINITY;
        self.basic.clear();
        self.basic.resize(n, false);
        self.scale.clear();
        self.scale.extend((0..n).map(|i| {
            let own = m[i * n + i].abs();
            if own > 0.0 { 1.0 / own.sqrt() } else { 0.0 }
        }));
        for i in 0..n {
            if self.scale[i] == 0.0 {
                let most = (0..n).fold(0.0f64, |most, j| {
                    let other = if self.scale[j] > 0.0 { self.scale[j] } else { 1.0 };
                    most.max((m[i * n + j] * other).abs()).max((m[j * n + i] * other).abs())
                });
                self.scale[i] = if most > 0.0 { 1.0 / most } else { 1.0 };
            }
        }
        self.scaled.clear();
        self.scaled.extend((0..n * n).map(|k| self.scale[k / n] * m[k] * self.scale[k % n]));
        self.q.clear();
        self.q.extend((0..n).map(|i| self.scale[i] * q[i]));
    }

    /// Sets q with a small perturbation that breaks all ties.
    fn perturb(&mut self, size: f64) {
        let most = self.q.iter().fold(0.0f64, |m, q| m.max(q.abs()));
        self.perturbed.clear();
        // multiples of the golden ratio are evenly distributed
        self.perturbed.extend(
            self.q
                .iter()
                .enumerate()
                .map(|(i, q)| q + size * most * (1.0 + (0.618 * (i + 1) as f64).fract())),
        );
    }

    /// Computes z for the basic variables: by a new solve, or if that is singular, from the tableau.
    fn values(&mut self, method: Method) {
        if !self.basis.solve(&self.scaled, &self.q, &self.basic, &mut self.z) {
            self.z.copy_from_slice(match method {
                Method::Lemke => self.lemke.values(),
                Method::Dantzig => self.dantzig.values(),
            });
            self.basis.correct(&self.scaled, &self.q, &self.basic, &mut self.z);
        }
        self.unscale();
    }

    fn unscale(&mut self) {
        for (z, scale) in self.z.iter_mut().zip(&self.scale) {
            *z = (*z * scale).max(0.0);
        }
    }

    /// Computes w of z, and how far both are from a solution. Here alone an answer is called solved: if all numbers are finite and the
    /// residual is one of rounding errors.
    fn measure(&mut self, m: &[f64], q: &[f64], answer: &mut LcpSolution) {
        let n = q.len();
        let (mut residual, mut floor, mut off, mut greatest) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
        let mut sound = true;
        for i in 0..n {
            let (mut sum, mut size) = (q[i], q[i].abs());
            for j in 0..n {
                sum += m[i * n + j] * self.z[j];
                size += (m[i * n + j] * self.z[j]).abs();
            }
            // min and max pass over NaN; the sum of the sizes does not
            sound &= size.is_finite() && self.z[i].is_finite();
            let own = sum.min(self.z[i]).abs();
            // the rounding error of a w that should be 0, which the residual is compared with
            let rounding = 4.0 * f64::EPSILON * (n as f64).sqrt() * size;
            if self.basic[i] && sum.abs() <= rounding {
                sum = 0.0;
            }
            self.w[i] = sum;
            // in the units of w: a z that should be 0 counts by its effect on w
            residual = residual.max(own);
            floor = floor.max(rounding);
            off = off.max(own - 1e-12 * size - 16.0 * rounding);
            greatest = greatest.max(size);
        }
        let solved = sound && (off <= 4.0 * f64::EPSILON * greatest || residual <= self.enough);
        answer.status = if solved { Status::Solved } else { Status::Unsolved };
        (answer.residual, answer.floor) = (if sound { residual } else { f64::INFINITY }, floor);
        if sound && residual < self.best.residual {
            self.best.z.copy_from_slice(&self.z);
            self.best.w.copy_from_slice(&self.w);
            (self.best.residual, self.best.floor) = (residual, floor);
        }
    }

    /// Returns to the best answer met.
    fn take_best(&mut self, answer: &mut LcpSolution) {
        self.z.copy_from_slice(&self.best.z);
        self.w.copy_from_slice(&self.best.w);
        (answer.residual, answer.floor) = (self.best.residual, self.best.floor);
    }

    /// Farkas' lemma: y ≥ 0 with Mᵀ y ≤ 0 and qᵀ y < 0 proves that no z ≥ 0 makes M z + q ≥ 0.
    fn is_proof(&self) -> bool {
        let n = self.q.len();
        let y = &self.ray;
        let most = y.iter().fold(0.0f64, |m, y| m.max(y.abs()));
        if !(most > 0.0 && y.iter().all(|y| *y >= -1e-10 * most)) {
            return false;
        }
        let pull: f64 = (0..n).map(|i| self.q[i] * y[i]).sum();
        let size: f64 = (0..n).map(|i| (self.q[i] * y[i]).abs()).sum();
        pull < -1e-9 * size
            && (0..n).all(|j| {
                let (mut sum, mut size) = (0.0, 0.0);
                for i in 0..n {
                    sum += self.scaled[i * n + j] * y[i];
                    size += (self.scaled[i * n + j] * y[i]).abs();
                }
                sum <= 1e-10 * size.max(most)
            })
    }
}
