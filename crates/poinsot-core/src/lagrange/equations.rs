//! The equations of motion (3) of a Lagrangian, and related quantities.
//!
//! Written out, with the metric b = ∂²K/∂q̇² and multipliers for the conditions C(q) = 0 differentiated twice:
//!
//! ```math
//! b q̈ − Jᵀλ = ∂L/∂q − ∂²K/∂q̇∂q q̇
//! J q̈       = −J̇ q̇
//! ```
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::derivatives::{ALONG_Q, ALONG_V, Derivatives, Part};
use super::error::finite;
use super::{LagrangeError, Lagrangian};
use crate::contact::Lu;
use nalgebra::DMatrix;

/// The most corrections of a Newton iteration.
pub(super) const MOST_ROUNDS: usize = 50;

/// True if a Newton iteration has converged: nothing changes, or the change near the solution is no smaller than the previous one. For
/// coordinates that are pure round-off, changes up to 1e-15 in their units count as near.
pub(super) fn settled(change: f64, size: f64, last: &mut f64) -> bool {
    let near = change <= 1e-6 * size + 1e-15;
    if change <= 4.0 * f64::EPSILON * size || (near && change >= *last) {
        return true;
    }
    *last = if near { change } else { f64::INFINITY };
    false
}

/// The mechanics of a [`Lagrangian`]: momenta, forces, metric, accelerations, and [steps](EquationsOfMotion::step).
///
/// ```
/// use poinsot_core::{algebra::Analytic, lagrange::{EquationsOfMotion, LagrangeMethod, Lagrangian, Phase}};
/// /// Polar coordinates of a free particle: nothing but the fictitious force ∂K/∂r = r φ̇².
/// struct Polar;
/// impl Lagrangian for Polar {
///     fn coordinates(&self) -> usize { 2 }
///     fn kinetic<T: Analytic>(&self, q: &[T], v: &[T]) -> T {
///         T::from_f64(0.5) * (v[0] * v[0] + q[0] * q[0] * v[1] * v[1])
///     }
/// }
/// let mut particle = EquationsOfMotion::new(Polar);
/// let mut force = [0.0; 2];
/// particle.fictitious_force(&[2.0, 0.0], &[0.0, 3.0], &mut force);
/// assert_eq!(force, [18.0, 0.0]);
/// // pure inertial motion is a straight line: x = r cos φ = 2 t
/// let mut phase = Phase::new(&mut particle, &[1.0, 0.0], &[2.0, 0.0])?;
/// for _ in 0..100 {
///     particle.step(LagrangeMethod::Midpoint, &mut phase, 0.01)?;
/// }
/// assert!((phase.q[0] - 3.0).abs() < 1e-12 && phase.q[1] == 0.0);
/// # Ok::<(), poinsot_core::lagrange::LagrangeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct EquationsOfMotion<L> {
    pub(super) energies: L,
    n: usize,
    m: usize,
    pub(super) derivatives: Derivatives,
    /// `[b −Jᵀ; J 0]`, or another system of its size.
    pub(super) kkt: Lu,
    /// Its right-hand side and solution.
    pub(super) unknown: Vec<f64>,
    /// λ of the last accelerations or of the last step.
    pub(super) lambda: Vec<f64>,
    pub(super) scratch: Scratch,
}

/// Scratch for vectors of n and of m entries.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    pub force: Vec<f64>,
    pub drift: Vec<f64>,
    pub middle: Vec<f64>,
    pub rate: Vec<f64>,
    pub displacement: Vec<f64>,
    pub stages: [Vec<f64>; 7],
    pub jacobian: Vec<f64>,
    pub c: Vec<f64>,
    pub impulses: Vec<f64>,
    /// S of the scaled system S A S that is factored: it makes the diagonal and the rows of size 1, whatever their units.
    pub scale: Vec<f64>,
}

impl<L: Lagrangian> EquationsOfMotion<L> {
    /// The equations of motion for these energies.
    pub fn new(energies: L) -> Self {
        let (n, m) = (energies.coordinates(), energies.constraints());
        let zeros = || vec![0.0; n];
        let scratch = Scratch {
            force: zeros(),
            drift: zeros(),
            middle: zeros(),
            rate: zeros(),
            displacement: zeros(),
            stages: std::array::from_fn(|_| zeros()),
            jacobian: vec![0.0; n * m],
            c: vec![0.0; m],
            impulses: vec![0.0; m],
            scale: vec![1.0; n + m],
        };
        let derivatives = Derivatives::new(n, m);
        EquationsOfMotion {
            energies,
            n,
            m,
            derivatives,
            kkt: Lu::default(),
            unknown: vec![0.0; n + m],
            lambda: vec![0.0; m],
            scratch,
        }
    }

    /// The user's Lagrangian.
    pub fn energies(&self) -> &L {
        &self.energies
    }
    /// The number of coordinates.
    pub fn coordinates(&self) -> usize {
        self.n
    }
    /// The number of constraints.
    pub fn constraints(&self) -> usize {
        self.m
    }

    /// K(q, q̇).
    pub fn kinetic_energy(&self, q: &[f64], v: &[f64]) -> f64 {
        self.energies.kinetic(q, v)
    }
    /// U(q).
    pub fn potential_energy(&self, q: &[f64]) -> f64 {
        self.energies.potential(q)
    }
    /// L = K − U.
    pub fn lagrangian(&self, q: &[f64], v: &[f64]) -> f64 {
        self.energies.kinetic(q, v) - self.energies.potential(q)
    }
    /// The energy `p·q̇ − L`, which is conserved; K + U if K is quadratic in the velocities.
    ///
    /// # Panics
    /// If a slice does not fit the system; also for the methods below.
    pub fn energy(&mut self, q: &[f64], v: &[f64]) -> f64 {
        let mut p = std::mem::take(&mut self.scratch.force);
        self.momentum(q, v, &mut p);
        let power: f64 = p.iter().zip(v).map(|(p, v)| p * v).sum();
        self.scratch.force = p;
        power - self.lagrangian(q, v)
    }

    /// p = ∂K/∂q̇, equation (4).
    pub fn momentum(&mut self, q: &[f64], v: &[f64], p: &mut [f64]) {
        self.derivatives.gradient(&self.energies, Part::Kinetic, (q, v), ALONG_V, p);
    }
    /// ∂K/∂q: the fictitious force.
    pub fn fictitious_force(&mut self, q: &[f64], v: &[f64], force: &mut [f64]) {
        self.derivatives.gradient(&self.energies, Part::Kinetic, (q, v), ALONG_Q, force);
    }
    /// −∂U/∂q.
    pub fn potential_force(&mut self, q: &[f64], force: &mut [f64]) {
        self.derivatives.gradient(&self.energies, Part::Potential, (q, q), ALONG_Q, force);
        force.iter_mut().for_each(|f| *f = -*f);
    }
    /// The metric b = ∂²K/∂q̇²: the mass matrix.
    pub fn metric(&mut self, q: &[f64], v: &[f64]) -> DMatrix<f64> {
        let mut b = DMatrix::zeros(self.n, self.n);
        self.derivatives
            .hessian(&self.energies, Part::Kinetic, (q, v), (ALONG_V, ALONG_V), |i, k, x| b[(i, k)] = x);
        b
    }

    /// C(q).
    pub fn constraint_values(&self, q: &[f64]) -> Vec<f64> {
        let mut c = vec![0.0; self.m];
        self.energies.constrain(q, &mut c);
        c
    }

    /// `d/dt ∂L/∂q̇ − ∂L/∂q` at these accelerations: the forces that must be applied, 0 along a free motion.
    pub fn euler_lagrange(&mut self, q: &[f64], v: &[f64], a: &[f64], out: &mut [f64]) {
        self.inertial_force(Part::Lagrangian, q, v, a, out);
    }

    /// b ∇q̇/dt of (5): as [`EquationsOfMotion::euler_lagrange`] for K alone; 0 along a geodesic and −dU along a motion.
    pub fn covariant_force(&mut self, q: &[f64], v: &[f64], a: &[f64], out: &mut [f64]) {
        self.inertial_force(Part::Kinetic, q, v, a, out);
    }

    /// `∂²K/∂q̇² a + ∂²K/∂q̇∂q q̇ − ∂(part)/∂q`.
    fn inertial_force(&mut self, part: Part, q: &[f64], v: &[f64], a: &[f64], out: &mut [f64]) {
        let EquationsOfMotion { energies, derivatives, scratch, .. } = self;
        derivatives.drift(&*energies, Part::Kinetic, (q, v), ALONG_V, out);
        derivatives.gradient(&*energies, part, (q, v), ALONG_Q, &mut scratch.force);
        out.iter_mut().zip(&scratch.force).for_each(|(out, f)| *out -= f);
        derivatives.hessian(&*energies, Part::Kinetic, (q, v), (ALONG_V, ALONG_V), |i, k, x| {
            out[i] = x.mul_add(a[k], out[i]);
        });
    }

    /// q̈ of (3).
    pub fn acceleration(&mut self, q: &[f64], v: &[f64], a: &mut [f64]) -> Result<(), LagrangeError> {
        self.forced_acceleration(q, v, &[], a)
    }

    /// q̈ of (3) with additional generalised forces τ on its right-hand side.
    pub fn forced_acceleration(
        &mut self,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        a: &mut [f64],
    ) -> Result<(), LagrangeError> {
        let EquationsOfMotion { energies, derivatives, scratch, unknown, n, .. } = &mut *self;
        derivatives.gradient(&*energies, Part::Lagrangian, (q, v), ALONG_Q, &mut scratch.force);
        derivatives.drift(&*energies, Part::Kinetic, (q, v), ALONG_V, &mut scratch.drift);
        let inertial = scratch.force.iter().zip(&scratch.drift).map(|(force, drift)| force - drift);
        unknown.iter_mut().zip(inertial).for_each(|(x, f)| *x = f);
        unknown[..*n].iter_mut().zip(tau).for_each(|(x, tau)| *x += tau);
        derivatives.curvature(&*energies, (q, v), &mut scratch.c);
        for (row, c) in scratch.c.iter().enumerate() {
            unknown[*n + row] = -c;
        }
        self.factor_metric(q, v)?;
        self.solve();
        a.copy_from_slice(&self.unknown[..self.n]);
        self.lambda.copy_from_slice(&self.unknown[self.n..]);
        finite("the acceleration", &self.unknown, q)
    }

    /// λ, the force in the direction of increasing C: of the last accelerations, or over the last step of a variational method.
    pub fn multipliers(&self) -> &[f64] {
        &self.lambda
    }

    /// The velocity for a momentum, the sharp of (4): `∂K/∂q̇(q, v) = p`, by Newton's method from the given v, subject to J v = 0.
    pub fn velocity(&mut self, q: &[f64], p: &[f64], v: &mut [f64]) -> Result<(), LagrangeError> {
        let mut last = f64::INFINITY;
        for _ in 0..MOST_ROUNDS {
            let EquationsOfMotion { energies, derivatives, scratch, unknown, n, m, .. } = &mut *self;
            derivatives.gradient(&*energies, Part::Kinetic, (q, v), ALONG_V, &mut scratch.force);
            for i in 0..*n {
                unknown[i] = p[i] - scratch.force[i];
            }
            derivatives.jacobian(&*energies, q, |row, k, x| scratch.jacobian[row * *n + k] = x);
            for row in 0..*m {
                let rate: f64 = (0..*n).map(|k| scratch.jacobian[row * *n + k] * v[k]).sum();
                unknown[*n + row] = -rate;
            }
            self.factor_metric(q, v)?;
            self.solve();
            let (change, size) = self.correct(v);
            finite("the velocity", v, q)?;
            if settled(change, size, &mut last) {
                return Ok(());
            }
        }
        Err(LagrangeError::Singular { q: q.to_vec() })
    }

    /// Adds the solution to x; returns the largest change, and the largest entry of x.
    pub(super) fn correct(&self, x: &mut [f64]) -> (f64, f64) {
        let (mut change, mut size) = (0.0f64, f64::MIN_POSITIVE);
        for (x, d) in x.iter_mut().zip(&self.unknown) {
            *x += d;
            change = change.max(d.abs());
            size = size.max(x.abs());
        }
        (change, size)
    }

    /// Factors `[b −Jᵀ; J 0]` at (q, v).
    fn factor_metric(&mut self, q: &[f64], v: &[f64]) -> Result<(), LagrangeError> {
        let EquationsOfMotion { energies, derivatives, kkt, n, m, .. } = &mut *self;
        let (n, width) = (*n, *n + *m);
        let a = kkt.begin(width);
        derivatives.hessian(&*energies, Part::Kinetic, (q, v), (ALONG_V, ALONG_V), |i, k, x| {
            a[i * width + k] = x;
        });
        derivatives.jacobian(&*energies, q, |row, k, x| {
            a[(n + row) * width + k] = x;
            a[k * width + n + row] = -x;
        });
        self.factor(q)
    }

    /// Factors the system that was filled in.
    pub(super) fn factor(&mut self, q: &[f64]) -> Result<(), LagrangeError> {
        let (n, width) = (self.n, self.unknown.len());
        let (a, scale) = (&mut self.kkt.a, &mut self.scratch.scale);
        for i in 0..width {
            let row = &a[i * width..(i + 1) * width];
            let size = if i < n {
                row[i].abs().sqrt()
            } else {
                row[..n].iter().zip(&*scale).map(|(x, s)| (x * s).powi(2)).sum::<f64>().sqrt()
            };
            scale[i] = if size > 0.0 { 1.0 / size } else { 1.0 };
        }
        for i in 0..width {
            for k in 0..width {
                a[i * width + k] *= scale[i] * scale[k];
            }
        }
        if self.kkt.factor() && !self.kkt.is_nearly_singular() {
            Ok(())
        } else {
            Err(LagrangeError::Singular { q: q.to_vec() })
        }
    }

    /// Replaces the right-hand side of the factored system by its solution.
    pub(super) fn solve(&mut self) {
        let scale = &self.scratch.scale;
        self.unknown.iter_mut().zip(scale).for_each(|(x, s)| *x *= s);
        self.kkt.solve(&mut self.unknown);
        self.unknown.iter_mut().zip(scale).for_each(|(x, s)| *x *= s);
    }

    /// Projects q onto C = 0 and v onto J v = 0, nearest in the metric.
    pub(super) fn project(&mut self, q: &mut [f64], v: &mut [f64]) -> Result<(), LagrangeError> {
        if self.m == 0 {
            return Ok(());
        }
        let mut last = f64::INFINITY;
        let mut rounds = 0;
        loop {
            self.energies.constrain(&*q, &mut self.scratch.c);
            self.unknown[..self.n].fill(0.0);
            for (row, c) in self.scratch.c.iter().enumerate() {
                self.unknown[self.n + row] = -c;
            }
            self.factor_metric(q, v)?;
            self.solve();
            let (change, size) = self.correct(q);
            finite("the projection", q, q)?;
            if settled(change, size, &mut last) {
                break;
            }
            rounds += 1;
            if rounds == MOST_ROUNDS {
                return Err(LagrangeError::OffConstraints { q: q.to_vec() });
            }
        }
        let mut p = std::mem::take(&mut self.scratch.middle);
        self.momentum(q, v, &mut p);
        let done = self.velocity(q, &p, v);
        self.scratch.middle = p;
        done
    }
}
