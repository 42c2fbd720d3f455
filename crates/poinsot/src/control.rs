//! Controllers: simple laws for the generalised forces applied to a model.
//!
//! ```math
//! PD                τ = kp (q_d ⊖ q) + kd (v_d − v) [+ g(q)]
//! computed torque   τ = M(q) [a_d + kp (q_d ⊖ q) + kd (v_d − v)] + c(q, v) + g(q)
//! ```
//! q_d ⊖ q is the velocity that leads from q to q_d in unit time, so both also work for ball and free joints. In the second law, with an
//! exact model, the error e obeys `ë + kd ė + kp e = 0` along each degree of freedom [Siciliano09, section 8.5.2].

use crate::dynamics::{MassMatrix, State, Workspace};
use crate::model::Model;

/// The target of a controller.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// q_d.
    pub q: Vec<f64>,
    /// v_d; empty means 0.
    pub v: Vec<f64>,
    /// a_d, for computed torque; empty means 0.
    pub a: Vec<f64>,
}

impl Target {
    /// The target of rest at a configuration.
    pub fn rest(q: &[f64]) -> Target {
        Target { q: q.to_vec(), ..Target::default() }
    }
}

fn entry(list: &[f64], k: usize) -> f64 {
    list.get(k).copied().unwrap_or(0.0)
}

/// Computes kp (q_d ⊖ q) + kd (v_d − v) in `out`.
fn pull(model: &Model, kp: &[f64], kd: &[f64], state: &State, target: &Target, out: &mut [f64]) {
    model.difference(&state.q, &target.q, out);
    for (k, out) in out.iter_mut().enumerate() {
        *out = kp[k].mul_add(*out, kd[k] * (entry(&target.v, k) - state.v[k]));
    }
}

/// A PD controller: a spring and damper on every degree of freedom, with or without gravity compensation.
///
/// ```
/// use poinsot::{Simulation, control::{Pd, Target}, integrate::Method};
/// let scene = poinsot::scenes::by_name("double-pendulum")?;
/// let mut simulation = Simulation::new(&scene.model, scene.state, Method::Leapfrog)?;
/// let (mut pd, target) = (Pd::new(&scene.model, 40.0, 12.0).carrying_weight(), Target::rest(&[0.5, -1.0]));
/// for _ in 0..10_000 {
///     let tau = pd.force(simulation.state(), &target);
///     simulation.apply_forces(&tau)?;
///     simulation.run(1, 1e-3)?;
/// }
/// assert!((simulation.state().q[1] + 1.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pd {
    model: Model,
    workspace: Workspace,
    /// Stiffness and damping along each degree of freedom.
    pub kp: Vec<f64>,
    /// See `kp`.
    pub kd: Vec<f64>,
    carries_weight: bool,
}

impl Pd {
    /// Equal gains along all degrees of freedom.
    pub fn new(model: &Model, kp: f64, kd: f64) -> Pd {
        let all = |gain: f64| vec![gain; model.nv()];
        let workspace = Workspace::new(model);
        Pd { model: model.clone(), workspace, kp: all(kp), kd: all(kd), carries_weight: false }
    }
    /// Gains that scale with the inertia m = M_ii(q) of each degree of freedom: kp = m ω², kd = 2 m ω. With the others at rest each is
    /// critically damped at ω, rad/s, and no light wrist gets a damper that is too strong to be constant over a step. ω = 10 holds every
    /// arm.
    ///
    /// ```
    /// use poinsot::{control::Pd, scenes};
    /// let scene = scenes::by_name("double-pendulum")?;
    /// let pd = Pd::critical(&scene.model, &scene.state.q, 10.0);
    /// assert!(pd.kp[0] > pd.kp[1] && (pd.kp[1] - 5.0 * pd.kd[1]).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If q does not fit the model.
    pub fn critical(model: &Model, q: &[f64], frequency: f64) -> Pd {
        let mut pd = Pd::new(model, frequency * frequency, 2.0 * frequency);
        let mut inertia = MassMatrix::new(model);
        pd.workspace.mass_matrix(model, q, &mut inertia);
        for (k, m) in inertia.dense().diagonal().iter().enumerate() {
            pd.kp[k] *= m;
            pd.kd[k] *= m;
        }
        pd
    }
    /// Adds gravity compensation.
    pub fn carrying_weight(self) -> Pd {
        Pd { carries_weight: true, ..self }
    }
    /// τ at a state.
    ///
    /// # Panics
    /// If state or target do not fit the model.
    pub fn force(&mut self, state: &State, target: &Target) -> Vec<f64> {
        let mut tau = vec![0.0; self.model.nv()];
        pull(&self.model, &self.kp, &self.kd, state, target, &mut tau);
        if self.carries_weight {
            let mut weight = vec![0.0; tau.len()];
            self.workspace.gravity(&self.model, &state.q, &mut weight);
            tau.iter_mut().zip(weight).for_each(|(tau, g)| *tau += g);
        }
        tau
    }
}

/// A computed-torque controller: the error decays like that of a damped oscillator, whatever the motion.
///
/// ```
/// use poinsot::{Simulation, control::{ComputedTorque, Target}, integrate::Method};
/// let scene = poinsot::scenes::by_name("double-pendulum")?;
/// let start = [0.1, 0.2];
/// let mut state = scene.state;
/// state.q.copy_from_slice(&start);
/// let mut simulation = Simulation::new(&scene.model, state, Method::Rkmk4)?;
/// let mut law = ComputedTorque::new(&scene.model, 10.0); // ω = 10 rad/s, critically damped
/// for _ in 0..1000 {
///     let tau = law.force(simulation.state(), &Target::rest(&[0.0, 0.0]));
///     simulation.apply_forces(&tau)?;
///     simulation.run(1, 1e-3)?;
/// }
/// // e = e₀ (1 + ω t) exp(−ω t), but for the force being held over each step
/// let exact = start[0] * 11.0 * (-10.0_f64).exp();
/// assert!((simulation.state().q[0] - exact).abs() < 2e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ComputedTorque {
    model: Model,
    workspace: Workspace,
    /// Gains along each degree of freedom, 1/s² and 1/s.
    pub kp: Vec<f64>,
    /// See `kp`.
    pub kd: Vec<f64>,
}

impl ComputedTorque {
    /// Errors decay with the frequency ω, rad/s, critically damped: kp = ω², kd = 2 ω.
    pub fn new(model: &Model, frequency: f64) -> ComputedTorque {
        let all = |gain: f64| vec![gain; model.nv()];
        let (kp, kd) = (all(frequency * frequency), all(2.0 * frequency));
        ComputedTorque { model: model.clone(), workspace: Workspace::new(model), kp, kd }
    }
    /// τ at a state. Springs, dampers and dry friction are not compensated.
    ///
    /// # Panics
    /// If state or target do not fit the model.
    pub fn force(&mut self, state: &State, target: &Target) -> Vec<f64> {
        let mut a = vec![0.0; self.model.nv()];
        pull(&self.model, &self.kp, &self.kd, state, target, &mut a);
        a.iter_mut().enumerate().for_each(|(k, a)| *a += entry(&target.a, k));
        let mut tau = vec![0.0; a.len()];
        self.workspace.inverse_dynamics(&self.model, &state.q, &state.v, &a, &mut tau);
        tau
    }
}
