//! The methods by name, their state, and a step.

use super::error::finite;
use super::variational::VARIATIONAL_4;
use super::{EquationsOfMotion, LagrangeError, Lagrangian, Rule, rk4, semi_implicit};
use std::fmt;
use std::str::FromStr;

/// A method for stepping a Lagrangian system; the table of the [chapter](super) says what each conserves.
///
/// ```
/// use poinsot_core::lagrange::LagrangeMethod;
/// assert_eq!("verlet".parse(), Ok(LagrangeMethod::Verlet));
/// assert!("euler".parse::<LagrangeMethod>().unwrap_err().contains("midpoint"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LagrangeMethod {
    /// `q̇⁺ = q̇ + h q̈, q⁺ = q + h q̇⁺`.
    SemiImplicit,
    /// The classical Runge–Kutta method.
    Rk4,
    /// Variational, with the discrete Lagrangian of the midpoint: the implicit midpoint rule of Hamilton's equations.
    Midpoint,
    /// Variational, with that of the trapezium: the Störmer–Verlet method.
    Verlet,
    /// Five steps of `Midpoint`, composed to fourth order.
    Variational4,
}

impl LagrangeMethod {
    /// All of them.
    pub const ALL: [LagrangeMethod; 5] = [
        LagrangeMethod::SemiImplicit,
        LagrangeMethod::Rk4,
        LagrangeMethod::Midpoint,
        LagrangeMethod::Verlet,
        LagrangeMethod::Variational4,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            LagrangeMethod::SemiImplicit => "semi-implicit",
            LagrangeMethod::Rk4 => "rk4",
            LagrangeMethod::Midpoint => "midpoint",
            LagrangeMethod::Verlet => "verlet",
            LagrangeMethod::Variational4 => "variational-4",
        }
    }

    /// The order of convergence.
    pub fn order(self) -> u32 {
        match self {
            LagrangeMethod::SemiImplicit => 1,
            LagrangeMethod::Midpoint | LagrangeMethod::Verlet => 2,
            LagrangeMethod::Rk4 | LagrangeMethod::Variational4 => 4,
        }
    }
}

impl fmt::Display for LagrangeMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for LagrangeMethod {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        let found = LagrangeMethod::ALL.into_iter().find(|m| m.name() == word);
        let names = LagrangeMethod::ALL.map(LagrangeMethod::name).join(", ");
        found.ok_or_else(|| format!("there is no method {word:?}; those for energies are {names}"))
    }
}

/// A state: coordinates and velocities, and the momenta that variational methods step.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Time, s.
    pub time: f64,
    /// Coordinates.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Momenta ∂K/∂q̇.
    pub p: Vec<f64>,
}

impl Phase {
    /// The state at time 0 with these coordinates and velocities, projected onto the constraints if there are any.
    pub fn new<L: Lagrangian>(
        equations: &mut EquationsOfMotion<L>,
        q: &[f64],
        v: &[f64],
    ) -> Result<Self, LagrangeError> {
        let expected = equations.coordinates();
        for (what, list) in [("q", q), ("v", v)] {
            if list.len() != expected {
                return Err(LagrangeError::Length { what, expected, found: list.len() });
            }
            finite(what, list, q)?;
        }
        let mut phase = Phase { time: 0.0, q: q.to_vec(), v: v.to_vec(), p: vec![0.0; expected] };
        equations.project(&mut phase.q, &mut phase.v)?;
        equations.momentum(&phase.q, &phase.v, &mut phase.p);
        finite("the momentum", &phase.p, q)?;
        // ln(q) at a negative q is not a number, though its derivative 1/q is
        finite("the Lagrangian", &[equations.lagrangian(&phase.q, &phase.v)], &phase.q)?;
        Ok(phase)
    }
}

impl<L: Lagrangian> EquationsOfMotion<L> {
    /// Takes one step of size `dt`; if it fails, `phase` is unchanged.
    pub fn step(&mut self, method: LagrangeMethod, phase: &mut Phase, dt: f64) -> Result<(), LagrangeError> {
        if !dt.is_finite() || dt == 0.0 {
            return Err(LagrangeError::Step(dt));
        }
        match method {
            LagrangeMethod::SemiImplicit => semi_implicit::step(self, phase, dt),
            LagrangeMethod::Rk4 => rk4::step(self, phase, dt),
            LagrangeMethod::Midpoint => self.variational_step(Rule::Midpoint, &[1.0], phase, dt),
            LagrangeMethod::Verlet => self.variational_step(Rule::Trapezium, &[1.0], phase, dt),
            LagrangeMethod::Variational4 => self.variational_step(Rule::Midpoint, &VARIATIONAL_4, phase, dt),
        }
    }

    /// The states of `steps` steps from (q, v), including the initial one.
    ///
    /// ```
    /// use poinsot_core::lagrange::{EquationsOfMotion, LagrangeMethod, FormulaLagrangian};
    /// let spring = FormulaLagrangian::parse(&["x"], "0.5*x_dot^2", "0.5*k*x^2", &[("k", 4.0)])?;
    /// let path = EquationsOfMotion::new(spring).simulate(LagrangeMethod::Rk4, &[1.0], &[0.0], 1e-3, 1000)?;
    /// assert!((path[1000].q[0] - 2f64.cos()).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn simulate(
        &mut self,
        method: LagrangeMethod,
        q: &[f64],
        v: &[f64],
        dt: f64,
        steps: usize,
    ) -> Result<Vec<Phase>, LagrangeError> {
        let mut phase = Phase::new(self, q, v)?;
        let mut path = Vec::with_capacity(steps.min(1 << 20) + 1);
        path.push(phase.clone());
        for _ in 0..steps {
            self.step(method, &mut phase, dt)?;
            path.push(phase.clone());
        }
        Ok(path)
    }

    /// Replaces the old state by the result of a velocity-based method, projected onto the constraints.
    pub(super) fn accept(
        &mut self,
        phase: &mut Phase,
        dt: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) -> Result<(), LagrangeError> {
        finite("the step", q, &phase.q)?;
        finite("the step", v, &phase.q)?;
        self.project(q, v)?;
        phase.q.copy_from_slice(q);
        phase.v.copy_from_slice(v);
        let Phase { q, v, p, .. } = phase;
        self.momentum(q, v, p);
        phase.time += dt;
        Ok(())
    }
}
