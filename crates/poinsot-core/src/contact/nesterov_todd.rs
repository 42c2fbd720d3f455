//! Nesterov–Todd scaling for the cone `L = { x : ‖x_T‖ ≤ x_0 }`.
//!
//! For x and y in the interior of L there is a unique symmetric automorphism W of L with `W y = W⁻¹ x = ℓ` [NesterovTodd97]:
//!
//! ```math
//! W² = η² (2 w wᵀ − J)      J = diag(1, −1, …, −1)      wᵀJw = 1
//! ```

use super::cone::{Rows, norm};
use super::problem::MOST_ROWS;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scaling {
    w: Rows,
    eta: f64,
    /// W y = W⁻¹ x.
    pub point: Rows,
    len: usize,
}

/// xᵀ J x, as a product without cancellation.
fn square(x: &Rows, len: usize) -> f64 {
    let tangent = norm(&x[1..len]);
    (x[0] - tangent) * (x[0] + tangent)
}

pub(super) fn inner(a: &Rows, b: &Rows, len: usize) -> f64 {
    (0..len).map(|k| a[k] * b[k]).sum()
}

impl Scaling {
    /// `None` if x or y is not in the interior of the cone.
    pub fn new(x: &Rows, y: &Rows, len: usize) -> Option<Scaling> {
        let (xx, yy) = (square(x, len), square(y, len));
        if !(xx > 0.0 && yy > 0.0 && x[0] > 0.0 && y[0] > 0.0) {
            return None;
        }
        let (x1, y1) = (x.map(|x| x / xx.sqrt()), y.map(|y| y / yy.sqrt()));
        let gamma = (0.5 * (1.0 + inner(&x1, &y1, len))).sqrt();
        let mut w = [0.0; MOST_ROWS];
        w[0] = (x1[0] + y1[0]) / (2.0 * gamma);
        for k in 1..len {
            w[k] = (x1[k] - y1[k]) / (2.0 * gamma);
        }
        // normalise so that wᵀJw = 1 to the last digit; otherwise W and W⁻¹ disagree near the boundary
        let tangent = norm(&w[1..len]);
        w[0] = tangent.hypot(1.0);
        let mut out = Scaling { w, eta: (xx / yy).sqrt().sqrt(), point: [0.0; MOST_ROWS], len };
        out.point = out.times(y);
        (out.point[0].is_finite() && out.eta > 0.0).then_some(out)
    }

    /// W z.
    pub fn times(&self, z: &Rows) -> Rows {
        self.apply(z, self.eta, 1.0)
    }
    /// W⁻¹ z.
    pub fn divide(&self, z: &Rows) -> Rows {
        self.apply(z, 1.0 / self.eta, -1.0)
    }
    fn apply(&self, z: &Rows, eta: f64, sign: f64) -> Rows {
        let along = (1..self.len).map(|k| self.w[k] * z[k]).sum::<f64>();
        let mut out = [0.0; MOST_ROWS];
        out[0] = eta * (self.w[0] * z[0] + sign * along);
        let share = sign * z[0] + along / (1.0 + self.w[0]);
        for k in 1..self.len {
            out[k] = eta * (z[k] + share * self.w[k]);
        }
        out
    }

    /// Entry (i, j) of W².
    pub fn square(&self, i: usize, j: usize) -> f64 {
        (2.0 * self.w[i] * self.w[j] - metric(i, j)) * (self.eta * self.eta)
    }
    /// Entry (i, j) of W⁻².
    pub fn inverse_square(&self, i: usize, j: usize) -> f64 {
        let flip = |k: usize| if k == 0 { self.w[0] } else { -self.w[k] };
        (2.0 * flip(i) * flip(j) - metric(i, j)) / (self.eta * self.eta)
    }

    /// The z with ℓ ∘ z = r, in the Jordan algebra of the cone.
    pub fn quotient(&self, r: &Rows) -> Rows {
        let l = &self.point;
        let along = (1..self.len).map(|k| l[k] * r[k]).sum::<f64>();
        let mut out = [0.0; MOST_ROWS];
        out[0] = (l[0] * r[0] - along) / square(l, self.len);
        for k in 1..self.len {
            out[k] = (r[k] - out[0] * l[k]) / l[0];
        }
        out
    }
}

/// Entry (i, j) of J.
fn metric(i: usize, j: usize) -> f64 {
    match (i, j) {
        (0, 0) => 1.0,
        _ if i == j => -1.0,
        _ => 0.0,
    }
}

/// a ∘ b.
pub(super) fn product(a: &Rows, b: &Rows, len: usize) -> Rows {
    let mut out = [0.0; MOST_ROWS];
    out[0] = inner(a, b, len);
    for k in 1..len {
        out[k] = a[0] * b[k] + b[0] * a[k];
    }
    out
}

/// The largest step length along d for which x stays in the cone.
pub(super) fn reach(x: &Rows, d: &Rows, len: usize) -> f64 {
    let a = square(d, len);
    let b = x[0] * d[0] - (1..len).map(|k| x[k] * d[k]).sum::<f64>();
    let c = square(x, len);
    let root = b * b - a * c;
    if root < 0.0 {
        return f64::INFINITY;
    }
    let below = root.sqrt() - b;
    if below > 0.0 { c / below } else { f64::INFINITY }
}
