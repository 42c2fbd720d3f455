//! The action (2) of a path sampled at equal times, and its first variation [MarsdenWest01, § 1.3].
//!
//! Between two points the path is a straight line, and the integral of L a quadrature with nodes α and weights w:
//!
//! ```text
//! L_d(q⁰, q¹) = h Σ w L((1 − α) q⁰ + α q¹, (q¹ − q⁰)/h)          S_d = Σ_k L_d(q_k, q_k₊₁)
//! ∂S_d/∂q_k   = D₂L_d(q_k₋₁, q_k) + D₁L_d(q_k, q_k₊₁)             with fixed ends; 0 along a solution
//! p⁻ = −D₁L_d(q⁰, q¹)     p⁺ = D₂L_d(q⁰, q¹)                      the discrete momenta: one momentum from both sides
//! ```

use super::derivatives::{Line, Part};
use super::{EquationsOfMotion, LagrangeError, Lagrangian};

/// The quadrature of the discrete Lagrangian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// L at the midpoint.
    Midpoint,
    /// The mean of L at both ends.
    Trapezium,
}

impl Rule {
    /// (w, α).
    pub(super) fn nodes(self) -> &'static [(f64, f64)] {
        match self {
            Rule::Midpoint => &[(1.0, 0.5)],
            Rule::Trapezium => &[(0.5, 0.0), (0.5, 1.0)],
        }
    }
}

/// The lines in (q, q̇) along which q⁰ and q¹ move the node α.
pub(super) fn ends(alpha: f64, h: f64) -> (Line, Line) {
    ((1.0 - alpha, -1.0 / h), (alpha, 1.0 / h))
}

impl<L: Lagrangian> EquationsOfMotion<L> {
    /// L_d(q⁰, q¹).
    pub fn discrete_lagrangian(&mut self, rule: Rule, q0: &[f64], q1: &[f64], h: f64) -> f64 {
        let d: Vec<f64> = q0.iter().zip(q1).map(|(q0, q1)| q1 - q0).collect();
        let mut sum = 0.0;
        for (weight, alpha) in rule.nodes() {
            self.place_node(*alpha, q0, &d, h);
            sum += weight * self.lagrangian(&self.scratch.middle, &self.scratch.rate);
        }
        h * sum
    }

    /// S_d of a path of points at intervals of h.
    ///
    /// ```
    /// use poinsot_core::lagrange::{EquationsOfMotion, Rule, FormulaLagrangian};
    /// let mut thrown = EquationsOfMotion::new(FormulaLagrangian::parse(&["z"], "0.5*z_dot^2", "9.81*z", &[])?);
    /// let h = 0.01;
    /// let path = |bend: f64| -> Vec<Vec<f64>> {
    ///     (0..=100).map(|k| h * k as f64).map(|t| vec![0.5 * 9.81 * t * (1.0 - t) + bend * t * (1.0 - t)]).collect()
    /// };
    /// let least = thrown.action(Rule::Trapezium, &path(0.0), h)?;
    /// assert!(least < thrown.action(Rule::Trapezium, &path(0.1), h)?);
    /// assert!(least < thrown.action(Rule::Trapezium, &path(-0.1), h)?);
    /// let forces = thrown.first_variation(Rule::Trapezium, &path(0.0), h)?;
    /// assert!(forces.iter().all(|f| f[0].abs() < 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn action<Q: AsRef<[f64]>>(&mut self, rule: Rule, path: &[Q], h: f64) -> Result<f64, LagrangeError> {
        self.check_path(path, h)?;
        let parts = path.windows(2).map(|w| self.discrete_lagrangian(rule, w[0].as_ref(), w[1].as_ref(), h));
        Ok(parts.sum())
    }

    /// ∂S_d/∂q_k at every point of the path except its ends.
    pub fn first_variation<Q: AsRef<[f64]>>(
        &mut self,
        rule: Rule,
        path: &[Q],
        h: f64,
    ) -> Result<Vec<Vec<f64>>, LagrangeError> {
        self.check_path(path, h)?;
        let zeros = || vec![0.0; self.coordinates()];
        let (mut before, mut after, mut arriving) = (zeros(), zeros(), zeros());
        let mut variation = Vec::with_capacity(path.len().saturating_sub(2));
        for (k, w) in path.windows(2).enumerate() {
            self.discrete_momenta(rule, w[0].as_ref(), w[1].as_ref(), h, &mut before, &mut after);
            if k > 0 {
                variation.push(arriving.iter().zip(&before).map(|(arriving, p)| arriving - p).collect());
            }
            std::mem::swap(&mut arriving, &mut after);
        }
        Ok(variation)
    }

    /// p⁻ at the start and p⁺ at the end of the line from q⁰ to q¹.
    pub fn discrete_momenta(
        &mut self,
        rule: Rule,
        q0: &[f64],
        q1: &[f64],
        h: f64,
        before: &mut [f64],
        after: &mut [f64],
    ) {
        let mut displacement = std::mem::take(&mut self.scratch.displacement);
        displacement.iter_mut().zip(q0.iter().zip(q1)).for_each(|(d, (q0, q1))| *d = q1 - q0);
        self.momenta_along(rule, q0, &displacement, h, before, after);
        self.scratch.displacement = displacement;
    }

    /// Takes the displacement d = q¹ − q⁰ instead of q¹: rounding d to the digits of q¹ would make the error of the momenta accumulate.
    pub(super) fn momenta_along(
        &mut self,
        rule: Rule,
        q0: &[f64],
        d: &[f64],
        h: f64,
        before: &mut [f64],
        after: &mut [f64],
    ) {
        before.fill(0.0);
        after.fill(0.0);
        for (weight, alpha) in rule.nodes() {
            self.place_node(*alpha, q0, d, h);
            let (first, second) = ends(*alpha, h);
            for (line, sign, out) in [(first, -1.0, &mut *before), (second, 1.0, &mut *after)] {
                let EquationsOfMotion { energies, derivatives, scratch, .. } = self;
                let at = (&*scratch.middle, &*scratch.rate);
                derivatives.gradient(&*energies, Part::Lagrangian, at, line, &mut scratch.force);
                for (out, d) in out.iter_mut().zip(&scratch.force) {
                    *out = (sign * h * weight).mul_add(*d, *out);
                }
            }
        }
    }

    /// (q, q̇) at the node α of the line.
    pub(super) fn place_node(&mut self, alpha: f64, q0: &[f64], d: &[f64], h: f64) {
        for k in 0..self.coordinates() {
            self.scratch.middle[k] = alpha.mul_add(d[k], q0[k]);
            self.scratch.rate[k] = d[k] / h;
        }
    }

    fn check_path<Q: AsRef<[f64]>>(&self, path: &[Q], h: f64) -> Result<(), LagrangeError> {
        if !h.is_finite() || h == 0.0 {
            return Err(LagrangeError::Step(h));
        }
        let expected = self.coordinates();
        match path.iter().map(|q| q.as_ref().len()).find(|found| *found != expected) {
            Some(found) => Err(LagrangeError::Length { what: "a point of the path", expected, found }),
            None => Ok(()),
        }
    }
}
