//! Gears, mimics and polynomials between joints, or between lengths of tendons.
//!
//! With y the coordinate (or length), x that of the other side and P the polynomial, both measured from their references,
//!
//! ```math
//! C = y − y₀ − P(x − x₀)      Ċ = ẏ − P′ ẋ      J̇ v = −P″ ẋ²
//! ```
//! Lengths are sums of coordinates, so J has an entry for each joint that takes part.

use crate::model::{ConstraintKind, Model};

/// C, J̇v, and J as `visit(degree of freedom, entry)`.
pub(crate) fn coupling(
    kind: &ConstraintKind,
    model: &Model,
    q: &[f64],
    v: &[f64],
    mut visit: impl FnMut(usize, f64),
) -> (f64, f64) {
    let joint = |id: crate::model::JointId| &model.joints()[id.index()];
    match kind {
        ConstraintKind::Coupling { joint: own, reference, other, coefficients } => {
            let y = q[joint(*own).first_q] - reference;
            visit(joint(*own).first_v, 1.0);
            let Some((other, x_0)) = other else { return (y - coefficients[0], 0.0) };
            let (x, rate) = (q[joint(*other).first_q] - x_0, v[joint(*other).first_v]);
            let [p, dp, ddp] = polynomial(coefficients, x);
            visit(joint(*other).first_v, -dp);
            (y - p, -ddp * rate * rate)
        }
        ConstraintKind::Tendon { tendon, reference, other, coefficients } => {
            let own = &model.tendons()[tendon.index()];
            let y = own.length(model, q) - reference;
            own.terms.iter().for_each(|(j, c)| visit(joint(*j).first_v, *c));
            let Some((other, x_0)) = other else { return (y - coefficients[0], 0.0) };
            let other = &model.tendons()[other.index()];
            let (x, rate) = (other.length(model, q) - x_0, other.rate(model, v));
            let [p, dp, ddp] = polynomial(coefficients, x);
            other.terms.iter().for_each(|(j, c)| visit(joint(*j).first_v, -dp * c));
            (y - p, -ddp * rate * rate)
        }
        _ => (0.0, 0.0),
    }
}

/// P, P′ and P″ by Horner's rule.
pub(in crate::constraint) fn polynomial(c: &[f64; 5], x: f64) -> [f64; 3] {
    c.iter()
        .rev()
        .fold([0.0; 3], |[p, dp, ddp], c| [p.mul_add(x, *c), dp.mul_add(x, p), ddp.mul_add(x, 2.0 * dp)])
}
