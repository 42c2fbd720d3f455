//! The residual of a single law: how far impulses and velocities of its rows are from satisfying it, without the rest of the problem.
//!
//! In the variables `λ' = (λ_n, λ_k μ/μ_k)` and `u' = (u_n, u_k μ_k/μ)` the friction ellipse is a circle, and the residual is that of a
//! [`Certificate`](super::Certificate): `‖d λ' − P_K(d λ' − û')‖`, or the velocity of closing.

use super::cone::{Rows, corrected, norm, project};
use super::problem::{Law, MOST_ROWS};
use super::scaled::ROUGHEST;

/// The cone of a contact: μ, its rows, and μ_k/μ of each; frictionless rows are left out.
struct Circle {
    mu: f64,
    rows: [usize; MOST_ROWS],
    ratio: Rows,
    len: usize,
}

impl Circle {
    fn new(friction: &[f64]) -> Circle {
        let mu = friction.iter().copied().find(|mu| *mu > 0.0).unwrap_or(0.0).min(ROUGHEST);
        let (mut rows, mut ratio, mut len) = ([0; MOST_ROWS], [1.0; MOST_ROWS], 1);
        for (k, own) in friction.iter().enumerate().filter(|(_, mu)| **mu > 0.0) {
            (rows[len], ratio[len]) = (k + 1, own.min(ROUGHEST) / mu);
            len += 1;
        }
        Circle { mu, rows, ratio, len }
    }
    fn of_impulse(&self, x: &[f64]) -> Rows {
        let mut out = [0.0; MOST_ROWS];
        (0..self.len).for_each(|k| out[k] = x[self.rows[k]] / self.ratio[k]);
        out
    }
    fn of_velocity(&self, u: &[f64]) -> Rows {
        let mut out = [0.0; MOST_ROWS];
        (0..self.len).for_each(|k| out[k] = u[self.rows[k]] * self.ratio[k]);
        out
    }
    fn nearest(&self, z: &Rows) -> Rows {
        if self.len > 1 {
            return project(self.mu, z, self.len);
        }
        let mut out = [0.0; MOST_ROWS];
        out[0] = z[0].max(0.0);
        out
    }
}

impl Law {
    /// Projects the impulse onto the law's admissible set.
    pub(crate) fn project(&self, impulse: &mut [f64]) {
        match *self {
            Law::Interval { lower, upper } => impulse[0] = impulse[0].max(lower).min(upper),
            Law::Contact { count, friction } => {
                let circle = Circle::new(&friction[..count]);
                let nearest = circle.nearest(&circle.of_impulse(impulse));
                impulse.fill(0.0);
                (0..circle.len).for_each(|k| impulse[circle.rows[k]] = nearest[k] * circle.ratio[k]);
            }
        }
    }

    /// The size of a velocity in the units of the residual.
    pub(crate) fn speed(&self, u: &[f64]) -> f64 {
        match *self {
            Law::Interval { .. } => u[0].abs(),
            Law::Contact { count, friction } => norm(&Circle::new(&friction[..count]).of_velocity(u)),
        }
    }

    /// How far λ and u are from the law, in m/s, for rows with the mean response d to their own impulses.
    pub(crate) fn residual(&self, d: f64, impulse: &[f64], u: &[f64]) -> f64 {
        match *self {
            Law::Interval { lower, upper } => {
                let pushed = impulse[0].mul_add(d, -u[0]).max(d * lower).min(d * upper);
                (d * impulse[0] - pushed).abs()
            }
            Law::Contact { count, friction } => {
                let circle = Circle::new(&friction[..count]);
                let x = circle.of_impulse(impulse).map(|x| d * x);
                let hat = corrected(circle.mu, &circle.of_velocity(u), circle.len);
                let mut z = x;
                (0..circle.len).for_each(|k| z[k] -= hat[k]);
                let nearest = circle.nearest(&z);
                let mut off = x;
                (0..circle.len).for_each(|k| off[k] -= nearest[k]);
                let off = norm(&off[..circle.len]);
                if circle.mu > 1.0 { off.max(-u[0]) } else { off }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block that slides, one that sticks and one that separates, at μ = ½ and with a friction ellipse.
    #[test]
    fn a_law_alone_knows_its_solutions() {
        let law = Law::contact(0.5);
        for (impulse, u) in [
            ([2.0, -1.0, 0.0], [0.0, 3.0, 0.0]),
            ([2.0, 0.6, 0.7], [0.0, 0.0, 0.0]),
            ([0.0, 0.0, 0.0], [0.1, 5.0, -2.0]),
        ] {
            for d in [0.1, 1.0, 7.0] {
                assert!(law.residual(d, &impulse, &u) < 1e-15, "{impulse:?} {u:?}");
            }
        }
        // closing at 0.3 m/s without any impulse, without friction and with a friction ellipse
        assert!((Law::contact(0.0).residual(2.0, &[0.0; 3], &[-0.3, 1.0, 0.0]) - 0.3).abs() < 1e-15);
        let ellipse = Law::elliptic(&[0.5, 0.25]);
        assert!(ellipse.residual(1.0, &[4.0, 0.0, 1.0], &[0.0, 0.0, -2.0]) < 1e-15);
        let mut outside = [1.0, 3.0, 0.0];
        ellipse.project(&mut outside);
        assert!((outside[1] - 0.5 * outside[0]).abs() < 1e-15 && outside[0] > 1.0);
        assert!(Law::within(2.0).residual(1.0, &[2.0], &[-4.0]) == 0.0);
        assert!(Law::within(2.0).residual(1.0, &[1.0], &[-4.0]) == 1.0);
    }
}
