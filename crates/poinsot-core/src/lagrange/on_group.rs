//! The equation of motion on a product of rotations, poses and translations [MarsdenRatiu99, chapter 13].
//!
//! A variation of a path g(t) changes its velocity ξ = g⁻¹ġ by `δξ = η̇ + ξ × η` with η = g⁻¹δg; the second term arises because rotations
//! about different axes do not commute. With it, `δ∫(K − U) dt = 0` gives
//!
//! ```math
//! d/dt ∂K/∂ξ = ad*_ξ ∂K/∂ξ + ∂(K − U)/∂g          SO(3):  d/dt (IΩ) = IΩ × Ω + torque
//! b ∇ξ/dt    = b ξ̇ − ad*_ξ bξ = −dU               for K = ½ ξᵀbξ with constant b
//! ```
//! the Euler–Poincaré equation. Naively replacing q̇ by Ω in (3) gives `d/dt ∂K/∂Ω = ∂(K − U)/∂g`, which conserves the momentum in the
//! rotating body axes instead of that in space: [`GroupEquation::WithoutBracket`] integrates it, for demonstration.

use super::error::finite;
use super::{Factor, GroupLagrangian, LagrangeError};
use crate::algebra::{Analytic, Dual, Real, V3};
use crate::contact::Lu;
use crate::spatial::{Force, Motion, Pose, Quat, exp_so3, left_jacobian_inverse};
use nalgebra::DMatrix;
use std::fmt;
use std::str::FromStr;

/// The equation that is integrated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupEquation {
    /// The Euler–Poincaré equation.
    #[default]
    EulerPoincare,
    /// `d/dt ∂K/∂ξ = ∂(K − U)/∂g`: wrong. It omits ad*_ξ, and does not conserve the momentum in space.
    WithoutBracket,
}

impl GroupEquation {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            GroupEquation::EulerPoincare => "euler-poincare",
            GroupEquation::WithoutBracket => "without-bracket",
        }
    }
}

impl fmt::Display for GroupEquation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for GroupEquation {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        let all = [GroupEquation::EulerPoincare, GroupEquation::WithoutBracket];
        let found = all.into_iter().find(|e| e.name() == word);
        let names = all.map(GroupEquation::name).join(", ");
        found.ok_or_else(|| format!("there is no equation {word:?}; those on groups are {names}"))
    }
}

/// A state on the group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupPhase {
    /// Time, s.
    pub time: f64,
    /// One pose for each factor.
    pub g: Vec<Pose>,
    /// Velocities, factor by factor.
    pub xi: Vec<f64>,
}

/// The mechanics of a [`GroupLagrangian`].
///
/// ```
/// use poinsot_core::{algebra::{Analytic, V3}, lagrange::*, spatial::{Motion, Pose}};
/// struct Top;
/// impl GroupLagrangian for Top {
///     fn factors(&self) -> &[Factor] { &[Factor::Rotation] }
///     fn kinetic<T: Analytic>(&self, _g: &[Pose<T>], xi: &[Motion<T>]) -> T {
///         let w = xi[0].ang;
///         T::from_f64(0.5) * (w.x * w.x + T::from_f64(2.0) * w.y * w.y + T::from_f64(3.0) * w.z * w.z)
///     }
/// }
/// let drift = |equation| -> Result<f64, LagrangeError> {
///     let mut top = OnGroup::new(Top).equation(equation);
///     let mut phase = GroupPhase { time: 0.0, g: vec![Pose::IDENTITY], xi: vec![0.3, 1.0, 0.2] };
///     let before = top.spatial_momentum(&phase)[0].moment;
///     for _ in 0..1000 {
///         top.step(&mut phase, 1e-2)?;
///     }
///     Ok((top.spatial_momentum(&phase)[0].moment - before).norm())
/// };
/// assert!(drift(GroupEquation::EulerPoincare)? < 1e-8);
/// assert!(drift(GroupEquation::WithoutBracket)? > 0.5); // of 2.1: it turns with the body
/// # Ok::<(), LagrangeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OnGroup<L> {
    energies: L,
    equation: GroupEquation,
    n: usize,
    lu: Lu,
    right: Vec<f64>,
}

type First = Dual<1>;
type Second = Dual<1, Dual<1>>;

impl<L: GroupLagrangian> OnGroup<L> {
    /// The equations for these energies.
    pub fn new(energies: L) -> Self {
        let n = energies.factors().iter().map(|f| f.dimension()).sum();
        let (equation, lu) = (GroupEquation::default(), Lu::default());
        OnGroup { energies, equation, n, lu, right: vec![0.0; n] }
    }

    /// Selects the equation to integrate.
    pub fn equation(mut self, equation: GroupEquation) -> Self {
        self.equation = equation;
        self
    }

    /// Selects the equation to integrate from now on.
    pub fn set_equation(&mut self, equation: GroupEquation) {
        self.equation = equation;
    }

    /// The energies.
    pub fn energies(&self) -> &L {
        &self.energies
    }

    /// The number of velocities.
    pub fn dimension(&self) -> usize {
        self.n
    }

    /// K and U with g displaced by an infinitesimal d, at velocities ξ.
    fn energies_at<T: Analytic>(&self, g: &[Pose], d: &[T], xi: &[T]) -> (T, T) {
        let (mut poses, mut motions, mut at) = (Vec::new(), Vec::new(), 0);
        for (factor, g) in self.energies.factors().iter().zip(g) {
            let end = at + factor.dimension();
            poses.push(factor.displaced(*g, &d[at..end]));
            motions.push(factor.motion(&xi[at..end]));
            at = end;
        }
        (self.energies.kinetic(&poses, &motions), self.energies.potential(&poses))
    }

    /// K + U, which is conserved if K is quadratic in ξ.
    pub fn energy(&self, phase: &GroupPhase) -> f64 {
        let (k, u) = self.energies_at(&phase.g, &vec![0.0; self.n], &phase.xi);
        k + u
    }

    /// μ = ∂K/∂ξ: the momentum in body axes.
    pub fn momentum(&self, g: &[Pose], xi: &[f64]) -> Vec<f64> {
        let still = vec![First::zero(); self.n];
        let along = |k: usize| {
            let mut moving = lifted::<First>(xi);
            moving[k].eps[0] = 1.0;
            self.energies_at(g, &still, &moving).0.eps[0]
        };
        (0..self.n).map(along).collect()
    }

    /// The spatial momentum of each factor, Ad*: moment about the world's origin, and linear.
    pub fn spatial_momentum(&self, phase: &GroupPhase) -> Vec<Force> {
        let mu = self.momentum(&phase.g, &phase.xi);
        let (mut at, mut out) = (0, Vec::with_capacity(phase.g.len()));
        for (factor, g) in self.energies.factors().iter().zip(&phase.g) {
            let m = factor.motion(&mu[at..at + factor.dimension()]);
            out.push(match factor {
                Factor::Shift => Force { moment: g.pos.cross(m.lin), force: m.lin },
                Factor::Rotation => Force { moment: g.rot * m.ang, force: V3::ZERO },
                Factor::Pose => g.force(Force { moment: m.ang, force: m.lin }),
            });
            at += factor.dimension();
        }
        out
    }

    /// The metric b = ∂²K/∂ξ².
    pub fn metric(&self, g: &[Pose], xi: &[f64]) -> DMatrix<f64> {
        let still = vec![Second::zero(); self.n];
        DMatrix::from_fn(self.n, self.n, |i, k| {
            let mut moving = lifted::<Second>(xi);
            moving[i].re.eps[0] = 1.0;
            moving[k].eps[0].re = 1.0;
            self.energies_at(g, &still, &moving).0.eps[0].eps[0]
        })
    }

    /// `b ∇ξ/dt` at the rates ξ̇: 0 along a geodesic, −dU along a motion.
    pub fn covariant_force(&self, g: &[Pose], xi: &[f64], rate: &[f64]) -> Vec<f64> {
        let b = self.metric(g, xi);
        let other = self.velocity_forces(g, xi, GroupEquation::EulerPoincare);
        (0..self.n).map(|i| (0..self.n).map(|k| b[(i, k)] * rate[k]).sum::<f64>() - other[i]).collect()
    }

    /// −dU, along the velocities.
    pub fn potential_force(&self, g: &[Pose]) -> Vec<f64> {
        let still = vec![First::zero(); self.n];
        let along = |k: usize| {
            let mut d = still.clone();
            d[k].eps[0] = 1.0;
            -self.energies_at(g, &d, &still).1.eps[0]
        };
        (0..self.n).map(along).collect()
    }

    /// `ad*_ξ ∂K/∂ξ + ∂K/∂g − ∂²K/∂ξ∂g ξ`.
    fn velocity_forces(&self, g: &[Pose], xi: &[f64], equation: GroupEquation) -> Vec<f64> {
        let mut force = vec![0.0; self.n];
        for (k, force) in force.iter_mut().enumerate() {
            let mut d = vec![First::zero(); self.n];
            d[k].eps[0] = 1.0;
            let fictitious = self.energies_at(g, &d, &lifted(xi)).0.eps[0];
            let flow: Vec<Second> = xi.iter().map(|x| second(0.0, *x)).collect();
            let mut moving = lifted::<Second>(xi);
            moving[k].eps[0].re = 1.0;
            *force = fictitious - self.energies_at(g, &flow, &moving).0.eps[0].eps[0];
        }
        if equation == GroupEquation::EulerPoincare {
            let mu = self.momentum(g, xi);
            let mut at = 0;
            for factor in self.energies.factors() {
                let own = at..at + factor.dimension();
                let (v, m) = (factor.motion(&xi[own.clone()]), factor.motion(&mu[own.clone()]));
                add_bracket(*factor, v, m, &mut force[own]);
                at += factor.dimension();
            }
        }
        force
    }

    /// Computes ξ̇.
    ///
    /// # Panics
    /// If the slices do not fit the factors.
    pub fn acceleration(&mut self, g: &[Pose], xi: &[f64], rate: &mut [f64]) -> Result<(), LagrangeError> {
        let (b, velocity) = (self.metric(g, xi), self.velocity_forces(g, xi, self.equation));
        let potential = self.potential_force(g);
        let a = self.lu.begin(self.n);
        for i in 0..self.n {
            for k in 0..self.n {
                a[i * self.n + k] = b[(i, k)];
            }
            self.right[i] = velocity[i] + potential[i];
        }
        if !self.lu.factor() || self.lu.is_nearly_singular() {
            return Err(LagrangeError::Singular { q: xi.to_vec() });
        }
        self.lu.solve(&mut self.right);
        rate.copy_from_slice(&self.right);
        finite("the acceleration", rate, xi)
    }

    /// Takes a fourth-order step: the classical Runge–Kutta method in the coordinates `R exp(u)`, c [MuntheKaas98].
    pub fn step(&mut self, phase: &mut GroupPhase, dt: f64) -> Result<(), LagrangeError> {
        self.check(phase, dt)?;
        let n = self.n;
        let (mut du, mut dxi) = (vec![0.0; n], vec![0.0; n]);
        let (mut sum_u, mut sum_xi) = (vec![0.0; n], vec![0.0; n]);
        for (node, weight) in [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)] {
            let h = node * dt;
            let u: Vec<f64> = du.iter().map(|x| h * x).collect();
            let xi: Vec<f64> = phase.xi.iter().zip(&dxi).map(|(x, d)| h.mul_add(*d, *x)).collect();
            let g = self.moved(&phase.g, &u);
            self.acceleration(&g, &xi, &mut dxi)?;
            self.chart_rates(&g, &u, &xi, &mut du);
            for k in 0..n {
                sum_u[k] = (weight * dt).mul_add(du[k], sum_u[k]);
                sum_xi[k] = (weight * dt).mul_add(dxi[k], sum_xi[k]);
            }
        }
        let g = self.moved(&phase.g, &sum_u);
        finite("the step", &sum_u, &phase.xi)?;
        phase.g = g;
        phase.xi.iter_mut().zip(&sum_xi).for_each(|(x, d)| *x += d);
        phase.time += dt;
        Ok(())
    }

    fn check(&self, phase: &GroupPhase, dt: f64) -> Result<(), LagrangeError> {
        let expected = self.energies.factors().len();
        if phase.g.len() != expected {
            return Err(LagrangeError::Length { what: "g", expected, found: phase.g.len() });
        }
        if phase.xi.len() != self.n {
            return Err(LagrangeError::Length { what: "xi", expected: self.n, found: phase.xi.len() });
        }
        if dt.is_finite() && dt != 0.0 { Ok(()) } else { Err(LagrangeError::Step(dt)) }
    }

    /// `R exp(u)` and `c + u`.
    fn moved(&self, g: &[Pose], u: &[f64]) -> Vec<Pose> {
        let mut at = 0;
        let mut one = |(factor, g): (&Factor, &Pose)| {
            let d = factor.motion(&u[at..at + factor.dimension()]);
            at += factor.dimension();
            let turned = Quat::from_matrix(g.rot * exp_so3(d.ang)).normalized().matrix();
            let rot = if *factor == Factor::Shift { g.rot } else { turned };
            Pose { rot, pos: g.pos + d.lin }
        };
        self.energies.factors().iter().zip(g).map(&mut one).collect()
    }

    /// `u̇ = J(−u)⁻¹ Ω`, `ċ = R V`.
    fn chart_rates(&self, g: &[Pose], u: &[f64], xi: &[f64], out: &mut [f64]) {
        let mut at = 0;
        for (factor, g) in self.energies.factors().iter().zip(g) {
            let own = at..at + factor.dimension();
            let (u, v) = (factor.motion(&u[own.clone()]), factor.motion(&xi[own.clone()]));
            let turning = left_jacobian_inverse(-u.ang) * v.ang;
            match factor {
                Factor::Rotation => out[own].copy_from_slice(&turning.array()),
                Factor::Shift => out[own].copy_from_slice(&v.lin.array()),
                Factor::Pose => {
                    out[at..at + 3].copy_from_slice(&turning.array());
                    out[at + 3..at + 6].copy_from_slice(&(g.rot * v.lin).array());
                }
            }
            at += factor.dimension();
        }
    }
}

/// ad*_ξ μ: `(π × Ω + p × V, p × Ω)`.
fn add_bracket(factor: Factor, xi: Motion, mu: Motion, force: &mut [f64]) {
    let f = xi.cross_force(Force { moment: mu.ang, force: mu.lin });
    let mut subtract = |from: usize, v: V3| {
        force[from..from + 3].iter_mut().zip(v.array()).for_each(|(f, x)| *f -= x);
    };
    match factor {
        Factor::Shift => {}
        Factor::Rotation => subtract(0, f.moment),
        Factor::Pose => {
            subtract(0, f.moment);
            subtract(3, f.force);
        }
    }
}

fn lifted<T: Analytic>(x: &[f64]) -> Vec<T> {
    x.iter().map(|x| T::from_f64(*x)).collect()
}

/// `value + d ε` in the first direction.
fn second(value: f64, d: f64) -> Second {
    Dual { re: Dual { re: value, eps: [d] }, eps: [Dual::zero()] }
}
