//! Joint forces in maximal coordinates: springs, dampers, tendons and actuators of the original act on the free bodies.
//!
//! A step that is implicit in them, as `implicit` is in reduced coordinates, replaces the inertia I of a joint's rotor by
//! `D = I + h d + h² k`: with s the rate of the joint, the force −k (x + h s⁺) − d s⁺ is the one at the start, minus h k s, minus
//! (h d + h² k) ṡ. So resisted rates are rows, like those of rotors, with or without inertia.

use super::powers::{damping_along, implicit_servo};
use super::{ForceElement, MemoryReader, SharedElements};
use crate::constraint::Maximal;
use crate::dynamics::{Control, State, Workspace};
use crate::model::{ConstraintId, Model};
use std::sync::{Arc, Mutex, PoisonError};

/// The forces in the joints of a model and of force elements, transferred to its free bodies: the forces on a [`Maximal`] model in addition
/// to its own (gravity, medium, constraints).
///
/// ```
/// use poinsot_core::{algebra::V3, constraint::Maximal, dynamics::State, integrate::*, model::*};
/// let mut b = ModelBuilder::new("spring pendulum");
/// let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// b.joint(bob, Joint::revolute(V3::Y).anchor(V3::Z).spring(20.0, 0.0));
/// let model = b.build()?;
/// let twin = Maximal::of(&model)?;
/// let mut system = System::new(twin.model());
/// system.push(JointForces::new(&model, &twin));
/// let mut state = twin.state(&State { q: vec![0.5], ..State::new(&model) });
/// let before = system.energy(&state);
/// let mut midpoint = by_name("midpoint", twin.model())?;
/// for _ in 0..100 { system.step(&mut *midpoint, &mut state, 1e-3)?; }
/// assert!((system.energy(&state) - before).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct JointForces<'a> {
    original: Arc<Model>,
    maximal: Arc<Maximal>,
    elements: SharedElements<'a>,
    /// True if there are no forces in the joints.
    loose: bool,
    /// For each degree of freedom of the original: the constraint that has its rate as a row, and the index of the row.
    rates: Vec<Option<(ConstraintId, usize)>>,
    inner: Arc<Mutex<Inner>>,
}

struct Inner {
    workspace: Workspace,
    /// The original at the last state of the free bodies; its coordinates give the turns of angles. Initially it is at the state from which
    /// maximal coordinates count turns.
    reduced: State,
    free: State,
    tau: Vec<f64>,
    /// Rates at two other velocities.
    rates: [Vec<f64>; 2],
    rest: Vec<f64>,
    control: Vec<f64>,
    activation: Vec<f64>,
}

/// Sets the control signals of a [`JointForces`] that a system owns.
#[derive(Clone)]
pub struct Signals(Arc<Mutex<Inner>>);

impl Signals {
    /// Sets controls and activations, in the order of the original's actuators.
    ///
    /// # Panics
    /// If a slice does not fit the original.
    pub fn set(&self, control: &[f64], activation: &[f64]) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.control.copy_from_slice(control);
        inner.activation.copy_from_slice(activation);
    }
    /// True if controls and activations are equal to these.
    pub fn are(&self, control: &[f64], activation: &[f64]) -> bool {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.control == control && inner.activation == activation
    }
    /// Makes angles count from the turns nearest to those in q.
    pub fn count_turns_near(&self, q: &[f64]) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.reduced.q.copy_from_slice(q);
    }
}

impl<'a> JointForces<'a> {
    /// The joint forces of `original`, with all controls and activations 0.
    pub fn new(original: &Model, maximal: &Maximal) -> JointForces<'a> {
        JointForces::of(Arc::new(original.clone()), Arc::new(maximal.clone()))
    }
    /// As [`JointForces::new`], for shared models.
    pub fn of(original: Arc<Model>, maximal: Arc<Maximal>) -> JointForces<'a> {
        let inner = Inner {
            workspace: Workspace::new(&original),
            reduced: State { q: maximal.begin().to_vec(), ..State::new(&original) },
            free: State::new(maximal.model()),
            tau: vec![0.0; original.nv()],
            rates: [vec![0.0; original.nv()], vec![0.0; original.nv()]],
            rest: vec![0.0; maximal.model().nv()],
            control: vec![0.0; original.actuators().len()],
            activation: vec![0.0; original.activations()],
        };
        let elements = SharedElements::default();
        let loose = original.actuators().is_empty()
            && original.joints().iter().all(|j| j.stiffness == 0.0 && j.damping == 0.0)
            && original.tendons().iter().all(|t| t.stiffness == 0.0 && t.damping == 0.0);
        let rate = |joint: usize, k: usize| maximal.joint_constraints(joint)[1].map(|rotor| (rotor, k));
        let joints = original.joints().iter().enumerate();
        let rates = joints.flat_map(|(j, joint)| (0..joint.dofs().len()).map(move |k| (j, k)));
        let rates = rates.map(|(j, k)| rate(j, k)).collect();
        JointForces { original, maximal, elements, loose, rates, inner: Arc::new(Mutex::new(inner)) }
    }
    /// True if there are no forces.
    fn is_silent(&self) -> bool {
        self.loose && self.elements.is_empty()
    }
    /// Makes these force elements act on the original, too.
    pub fn with_elements(mut self, elements: SharedElements<'a>) -> JointForces<'a> {
        self.elements = elements;
        self
    }
    /// A handle on the control signals.
    pub fn signals(&self) -> Signals {
        Signals(self.inner.clone())
    }

    /// Sets the original to the state of the free bodies.
    fn reduce(&self, inner: &mut Inner, q: &[f64], v: &[f64]) {
        inner.free.q.copy_from_slice(q);
        inner.free.v.copy_from_slice(v);
        self.maximal.put_reduced(&inner.free, &mut inner.reduced);
    }
    fn reduce_at_rest(&self, inner: &mut Inner, q: &[f64]) {
        let rest = std::mem::take(&mut inner.rest);
        self.reduce(inner, q, &rest);
        inner.rest = rest;
    }
}

/// The additional interface of the joint-force element.
pub trait JointLaws {
    /// Calls `visit(rotor, rate, stiffness, damping)` for the rates of joints that springs, dampers and servos resist, at the last state
    /// whose forces were added.
    fn each_resistance(&self, visit: &mut dyn FnMut(ConstraintId, usize, f64, f64));
    /// Adds the change of spring and servo forces over a step of size h at constant velocity, −h k v, at the same state.
    fn add_ahead(&self, q: &[f64], h: f64, tau: &mut [f64]);
    /// The powers along a velocity of forces at (q, v). Dampers, springs and servos are evaluated at the end of a step, where the velocity
    /// is `end`, which moves positions for the time r.
    fn powers(&self, time: f64, q: &[f64], velocities: [&[f64]; 3], r: f64) -> JointPowers;
    /// The energy in springs and tendons at q.
    fn spring_energy(&self, q: &[f64]) -> f64;
}

/// The powers of dampers, actuators and elements of the original.
#[derive(Clone, Copy, Debug, Default)]
pub struct JointPowers {
    pub dampers: f64,
    pub actuators: f64,
    pub elements: f64,
}

impl JointForces<'_> {
    /// Calls `visit(degree of freedom, stiffness, damping)` at the last state whose forces were added.
    fn each_law(&self, inner: &Inner, mut visit: impl FnMut(usize, f64, f64)) {
        if self.loose {
            return;
        }
        for joint in self.original.joints() {
            joint.dofs().for_each(|k| visit(k, joint.stiffness, joint.damping));
        }
        let Inner { workspace, reduced, control, activation, .. } = inner;
        let control = Control { signal: control, activation };
        workspace.each_servo(&self.original, &reduced.q, &reduced.v, control, visit);
    }
}

impl JointLaws for JointForces<'_> {
    fn each_resistance(&self, visit: &mut dyn FnMut(ConstraintId, usize, f64, f64)) {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        self.each_law(&inner, |dof, stiffness, damping| {
            if let Some((rotor, rate)) = self.rates[dof].filter(|_| stiffness + damping > 0.0) {
                visit(rotor, rate, stiffness, damping);
            }
        });
    }
    fn add_ahead(&self, q: &[f64], h: f64, tau: &mut [f64]) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let mut own = std::mem::take(&mut inner.tau);
        own.fill(0.0);
        self.each_law(&inner, |dof, stiffness, _| own[dof] -= h * stiffness * inner.reduced.v[dof]);
        self.maximal.add_joint_forces(q, &own, tau);
        inner.tau = own;
    }
    fn powers(&self, time: f64, q: &[f64], [v, end, along]: [&[f64]; 3], r: f64) -> JointPowers {
        if self.is_silent() {
            return JointPowers::default();
        }
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rates = std::mem::take(&mut inner.rates);
        for (rates, velocity) in rates.iter_mut().zip([end, along]) {
            self.reduce(&mut inner, q, velocity);
            rates.copy_from_slice(&inner.reduced.v);
        }
        self.reduce(&mut inner, q, v);
        let Inner { workspace, reduced, tau: own, control, activation, .. } = &mut *inner;
        let (State { q, v, .. }, [end, along]) = (&*reduced, &rates);
        let power = |tau: &[f64]| tau.iter().zip(along).fold(0.0, |sum: f64, (t, v)| t.mul_add(*v, sum));
        let control = Control { signal: control, activation };
        own.fill(0.0);
        workspace.add_actuator_forces(&self.original, q, v, control, own);
        let mut actuators = power(own);
        workspace.each_servo(&self.original, q, v, control, |k, stiffness, damping| {
            actuators -= implicit_servo(r, (stiffness, damping), v[k], end[k]) * along[k];
        });
        own.fill(0.0);
        self.elements.add_forces(&self.original, time, q, v, own);
        let dampers = damping_along(&self.original, v, end, along);
        let powers = JointPowers { dampers, actuators, elements: power(own) };
        inner.rates = rates;
        powers
    }
    fn spring_energy(&self, q: &[f64]) -> f64 {
        if self.loose {
            return 0.0;
        }
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        self.reduce_at_rest(&mut inner, q);
        self.original.spring_energy(&inner.reduced.q) + self.original.tendon_energy(&inner.reduced.q)
    }
}

impl ForceElement for JointForces<'_> {
    fn joints(&self) -> Option<&dyn JointLaws> {
        Some(self)
    }
    fn add_forces(&self, _: &Model, time: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        if self.is_silent() {
            return;
        }
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        self.reduce(&mut inner, q, v);
        let Inner { workspace, reduced, tau: own, control, activation, .. } = &mut *inner;
        own.fill(0.0);
        self.original.add_spring_forces(&reduced.q, own);
        self.original.add_damping_forces(&reduced.v, own);
        self.original.add_tendon_forces(&reduced.q, &reduced.v, own);
        let control = Control { signal: control, activation };
        workspace.add_actuator_forces(&self.original, &reduced.q, &reduced.v, control, own);
        self.elements.add_forces(&self.original, time, &reduced.q, &reduced.v, own);
        self.maximal.add_joint_forces(q, own, tau);
    }
    fn is_steady(&self) -> bool {
        self.elements.is_steady()
    }
    fn memory(&self, out: &mut Vec<f64>) {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        out.extend(&inner.reduced.q);
        self.elements.memory(out);
    }
    fn restore_memory(&mut self, from: &mut MemoryReader<'_>) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        from.fill(&mut inner.reduced.q);
        self.elements.restore_memory(from);
    }
    fn potential_energy(&self, _: &Model, time: f64, q: &[f64]) -> f64 {
        if self.is_silent() {
            return 0.0;
        }
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        self.reduce_at_rest(&mut inner, q);
        let q = &inner.reduced.q;
        let of_elements = self.elements.potential_energy(&self.original, time, q);
        self.original.spring_energy(q) + self.original.tendon_energy(q) + of_elements
    }
}
