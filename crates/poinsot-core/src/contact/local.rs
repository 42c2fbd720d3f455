//! Solves one block exactly: `u = A λ + b` with the cone of the block, all other blocks fixed.
//!
//! Separating: λ = 0 if b_n ≥ 0. Sticking: λ = −A⁻¹ b if that is in the cone. Otherwise it slides: u_n = 0 and u_T = −κ λ_T with a κ > 0
//! that puts λ on the cone. With λ_n eliminated,
//!
//! ```math
//! λ_T(κ) = −(Ā + κ I)⁻¹ b̄      λ_n(κ) = −(b_n + A_nT λ_T) / A_nn      g(κ) = μ λ_n / ‖λ_T‖ − 1 = 0
//! ```
//! where Ā, b̄ are the Schur complement of A_nn. g < 0 at κ = 0 and g eventually grows like κ, so Newton's method safeguarded by a bracket
//! finds a root [Bonnefon11].

use super::cone::{Rows, norm};
use super::problem::MOST_ROWS;
use super::scaled::{Block, Cone};

/// Regularisation for local matrices without full rank; it acts on the change of λ, so it does not change solutions.
const PROXIMAL: f64 = 1e-13;
const MOST_STEPS: usize = 60;

/// Computes λ of a block from its previous value and velocity. `a` is the scaled matrix of the block in row-major order.
#[inline(always)]
pub(super) fn solve(block: &Block, a: &[f64], before: &Rows, u: &Rows) -> Rows {
    match block.cone {
        Cone::Interval { lower, upper } => {
            let mut out = *before;
            if a[0] > 0.0 {
                out[0] -= u[0] / a[0];
            }
            out[0] = out[0].max(lower).min(upper);
            out
        }
        Cone::Friction { mu } => friction(mu, block.len, a, before, u),
    }
}

#[inline(always)]
fn friction(mu: f64, len: usize, a: &[f64], before: &Rows, u: &Rows) -> Rows {
    let mut b = *u;
    for i in 0..len {
        for j in 0..len {
            b[i] -= a[i * len + j] * before[j];
        }
    }
    let zero = [0.0; MOST_ROWS];
    if b[0] >= 0.0 || a[0] <= 0.0 {
        return zero;
    }
    let reduced = Reduced::new(len, a, &b, before);
    let stick = reduced.at(0.0);
    if norm(&stick[1..len]) <= mu * stick[0] {
        return stick;
    }
    let sliding = norm(&u[1..len]) / norm(&before[1..len]);
    reduced.slide(mu, if sliding.is_finite() { sliding } else { 0.0 })
}

/// The tangential part with λ_n eliminated.
struct Reduced {
    len: usize,
    a_nn: f64,
    b_n: f64,
    /// A_nT / A_nn.
    coupling: Rows,
    a: [[f64; MOST_ROWS - 1]; MOST_ROWS - 1],
    b: [f64; MOST_ROWS - 1],
}

impl Reduced {
    #[inline(always)]
    fn new(len: usize, a: &[f64], b: &Rows, before: &Rows) -> Reduced {
        let mut out = Reduced {
            len,
            a_nn: a[0],
            b_n: b[0],
            coupling: [0.0; MOST_ROWS],
            a: [[0.0; MOST_ROWS - 1]; MOST_ROWS - 1],
            b: [0.0; MOST_ROWS - 1],
        };
        for i in 1..len {
            out.coupling[i] = a[i] / a[0];
        }
        for i in 1..len {
            for j in 1..len {
                out.a[i - 1][j - 1] = a[i * len + j] - a[i] * out.coupling[j];
            }
            out.a[i - 1][i - 1] += PROXIMAL;
            out.b[i - 1] = b[i] - out.coupling[i] * b[0] - PROXIMAL * before[i];
        }
        out
    }

    /// x := (Ā + κ I)⁻¹ x, by LDLᵀ.
    #[inline(always)]
    fn shifted_solve(&self, kappa: f64, x: &mut [f64; MOST_ROWS - 1]) {
        let m = self.len - 1;
        let (mut l, mut d) = (self.a, [0.0; MOST_ROWS - 1]);
        for i in 0..m {
            let mut own = self.a[i][i] + kappa;
            for j in 0..i {
                let mut entry = self.a[i][j];
                for k in 0..j {
                    entry -= l[i][k] * d[k] * l[j][k];
                }
                l[i][j] = entry / d[j];
                own -= l[i][j] * entry;
            }
            d[i] = own.max(PROXIMAL);
            for j in 0..i {
                x[i] -= l[i][j] * x[j];
            }
        }
        for i in (0..m).rev() {
            x[i] /= d[i];
            for k in i + 1..m {
                x[i] -= l[k][i] * x[k];
            }
        }
    }

    /// λ(κ).
    #[inline(always)]
    fn at(&self, kappa: f64) -> Rows {
        let mut tangent = self.b.map(|b| -b);
        self.shifted_solve(kappa, &mut tangent);
        let mut out = [0.0; MOST_ROWS];
        out[0] = -self.b_n / self.a_nn;
        out[1..self.len].copy_from_slice(&tangent[..self.len - 1]);
        for i in 1..self.len {
            out[0] -= self.coupling[i] * out[i];
        }
        out
    }

    /// Finds λ on the cone, from an initial guess of κ.
    #[inline(always)]
    fn slide(&self, mu: f64, guess: f64) -> Rows {
        let (mut low, mut high) = (0.0f64, f64::INFINITY);
        let mut kappa = guess;
        let mut best = self.at(kappa);
        for _ in 0..MOST_STEPS {
            let size = norm(&best[1..self.len]);
            let g = mu * best[0] / size - 1.0;
            if size == 0.0 || g.abs() <= 4.0 * f64::EPSILON {
                break;
            }
            if g < 0.0 {
                low = kappa
            } else {
                high = kappa
            }
            // the derivative of λ_T is −(Ā + κ I)⁻¹ λ_T
            let mut change = [0.0; MOST_ROWS - 1];
            change[..self.len - 1].copy_from_slice(&best[1..self.len]);
            self.shifted_solve(kappa, &mut change);
            let (mut of_normal, mut of_size) = (0.0, 0.0);
            for i in 1..self.len {
                of_normal += self.coupling[i] * change[i - 1];
                of_size -= best[i] * change[i - 1] / size;
            }
            let slope = mu * (of_normal - best[0] * of_size / size) / size;
            let mut next = kappa - g / slope;
            if !(next > low && next < high) {
                next = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * kappa + 1.0 };
            }
            if next == kappa || !next.is_finite() {
                break;
            }
            kappa = next;
            best = self.at(kappa);
        }
        on_the_cone(mu, best, self.len)
    }
}

/// Keeps the normal impulse, and limits the tangential one to the cone.
#[inline(always)]
fn on_the_cone(mu: f64, mut x: Rows, len: usize) -> Rows {
    x[0] = x[0].max(0.0);
    let (size, most) = (norm(&x[1..len]), mu * x[0]);
    let shrink = if size > 0.0 { most / size } else { 0.0 };
    for x in &mut x[1..len] {
        *x *= shrink;
    }
    x
}
