//! Unstable feedback: forces or signals that a user computes from the state once per call, with gains too stiff for the time they are held.
//!
//! A force τ = −k_p q − k_d v that is held for a time h on an inertia I leads from one call to the next by
//! ```math
//! q⁺ = q + h v + \tfrac{1}{2} h² τ/I,    v⁺ = v + h τ/I                              (1)
//! ```
//! With p = h² k_p/I and d = h k_d/I its characteristic polynomial is z² − (2 − d − p/2) z + 1 − d + p/2. Both roots are inside the unit
//! circle if and only if the polynomial is positive at z = ±1 and its constant term is less than 1:
//! ```math
//! d < 2,    0 < p < 2 d                                                               (2)
//! ```
//! Beyond the first bound the force reverses with every call and grows; well beyond the second it does so within a few calls. A robot that is
//! controlled well does not do this for long, and neither do random signals.

use super::Simulation;
use crate::algebra::Digits;
use crate::dynamics::Workspace;
use crate::model::{Model, Transmission};

/// A swing, from one turning point to the next, takes at most this many calls.
const LONGEST: usize = 8;
/// Feedback is unstable after so many swings, each larger than the one before, to a total of so many times the first; the largest of these
/// steps up is left out, since noise begins with a small swing now and then,
const SWINGS: [(usize, f64); 2] = [(12, 1e2), (6, 1e4)];
/// or after the force has reversed in so many calls, one after the other, and its swings have not become smaller: limited motors.
const REVERSALS: usize = 64;
const KEPT: f64 = 0.9;
/// When a step has failed, fewer swings are enough to name the likely cause.
const SWINGS_BEFORE_FAILURE: usize = 3;
const GROWTH_BEFORE_FAILURE: f64 = 10.0;

/// Feedback that is unstable: the swings of a force or signal.
#[derive(Clone, Debug, PartialEq)]
pub struct UnstableFeedback {
    /// What swings, as in `joint "elbow"` or `actuator "motor"`.
    pub at: String,
    /// When its swings began to grow, s.
    pub since: f64,
    /// The number of swings.
    pub swings: usize,
    /// The size of the last relative to that of the first.
    pub growth: f64,
    /// For how long each value was held, s.
    pub held: f64,
    /// The inertia that it moves, if this is a joint of one coordinate: kg m² of a hinge, kg of a slide.
    pub inertia: Option<f64>,
}

impl UnstableFeedback {
    /// For people: what happens, the likely cause, and what to do.
    pub fn sentence(&self) -> String {
        let UnstableFeedback { at, since, swings, growth, held, inertia } = self;
        let how = if *growth > 2.0 {
            format!(
                "swings back and forth ever farther: {swings} swings, the last {growth:.0e} times the first"
            )
        } else {
            format!("has reversed in each of {swings} calls")
        };
        let bounds = inertia.map_or_else(
            || "gains must stay below k_d = 2 I/h and k_p = 2 k_d/h, with the inertia I that they move".to_string(),
            |inertia| {
                let damping = 2.0 * inertia / held;
                format!(
                    "it moves an inertia of I = {inertia:.1e} here, so gains must stay below k_d = 2 I/h = {damping:.1e} and k_p = 2 k_d/h"
                )
            },
        );
        format!(
            "the feedback on {at} is unstable: since t = {} s it {how}. A force that is held for h = {} s acts late; {bounds} (SI units). \
             Take smaller gains, or a shorter step, or gains that follow the inertia (control.PD without kp and kd), or position actuators in the \
             model, which the step treats implicitly (Python: model.replace(servos=…))",
            Digits(*since),
            Digits(*held)
        )
    }
}

/// The recent values of all forces and signals that a user sets.
#[derive(Clone, Debug, Default)]
pub(super) struct FeedbackWatch {
    /// Generalised forces, then control signals.
    signals: Vec<Signal>,
    time: f64,
    held: f64,
    /// The first signal found to be unstable, as it was then.
    found: Option<(usize, Signal, f64)>,
}

/// A force or signal.
#[derive(Clone, Copy, Debug, Default)]
struct Signal {
    last: f64,
    /// Its last turning point, the number of calls since then, and its direction since then.
    turned: f64,
    calls: usize,
    rises: bool,
    /// The size of the swing that ended there.
    swing: f64,
    growing: Run,
    reversing: Run,
}

/// Consecutive swings with some property.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    swings: usize,
    /// The size of the first, and when it ended, s.
    first: f64,
    since: f64,
    /// The largest ratio of one to the one before.
    leap: f64,
}

impl Run {
    fn note(&mut self, goes_on: bool, [last, swing]: [f64; 2], time: f64) {
        if goes_on {
            self.swings += 1;
            self.leap = self.leap.max(swing / last);
        } else {
            *self = Run { swings: 1, first: swing, since: time, leap: 1.0 };
        }
    }
    /// True for at least so many swings, the last at least so many times as large as the first.
    fn reaches(&self, swings: usize, swing: f64, growth: f64) -> bool {
        self.swings >= swings && self.first > 0.0 && swing >= growth * self.first
    }
}

impl Signal {
    fn note(&mut self, value: f64, time: f64) {
        let change = value - self.last;
        if change != 0.0 && (change > 0.0) != self.rises {
            let swing = (self.last - self.turned).abs();
            let follows = self.swing > 0.0 && self.calls <= LONGEST;
            let reverses = follows && self.calls == 1 && self.last * self.turned < 0.0;
            let pair = [self.swing, swing];
            self.growing.note(follows && swing > self.swing, pair, time);
            self.reversing.note(reverses && swing >= KEPT * self.swing, pair, time);
            (self.swing, self.turned, self.calls) = (swing, self.last, 0);
            self.rises = change > 0.0;
        }
        self.last = value;
        self.calls += 1;
    }

    /// True if each swing was larger than the one before, for long enough.
    fn grows(&self) -> bool {
        SWINGS
            .iter()
            .any(|(swings, growth)| self.growing.reaches(*swings, self.swing, growth * self.growing.leap))
    }
    fn reverses(&self) -> bool {
        self.reversing.reaches(REVERSALS, self.swing, KEPT)
    }
    /// The run that shows it.
    fn run(&self) -> &Run {
        if self.reverses() && !self.grows() { &self.reversing } else { &self.growing }
    }
    fn growth(&self) -> f64 {
        self.swing / self.run().first
    }
    fn is_unstable(&self) -> bool {
        self.grows() || self.reverses()
    }
    /// True if its swings were growing when a step failed.
    fn grew(&self) -> bool {
        self.growing.reaches(SWINGS_BEFORE_FAILURE, self.swing, GROWTH_BEFORE_FAILURE)
    }
}

impl FeedbackWatch {
    pub fn forget(&mut self) {
        self.signals.clear();
        (self.time, self.held, self.found) = (0.0, 0.0, None);
    }
    /// Records the values that are held from `time` on.
    fn note<'a>(&mut self, time: f64, values: impl Iterator<Item = &'a f64>) {
        (self.held, self.time) = (time - self.time, time);
        for (k, value) in values.enumerate() {
            let Some(signal) = self.signals.get_mut(k) else {
                self.signals.push(Signal { last: *value, turned: *value, ..Signal::default() });
                continue;
            };
            signal.note(*value, time);
            if self.found.is_none() && signal.is_unstable() {
                self.found = Some((k, *signal, self.held));
            }
        }
    }
}

impl Simulation<'_> {
    /// Records the forces and signals of a call that makes steps.
    pub(super) fn note_feedback(&mut self) {
        let Simulation { applied, bodies, system, feedback, state, model, .. } = self;
        if applied.is_none() && model.actuators().is_empty() {
            return;
        }
        let control = bodies.as_ref().map_or(system.control(), |b| b.original.control());
        match applied {
            Some(applied) => applied.with_forces(|tau| feedback.note(state.time, control.iter().chain(tau))),
            None => feedback.note(state.time, control.iter()),
        }
    }

    /// Feedback that has become unstable: a force or control signal that is set again before every call, and whose swings grow because its
    /// gains are too stiff for the time it is held. `None` if there is none, or no step was made with it.
    ///
    /// ```
    /// use poinsot::prelude::*;
    /// let mut b = ModelBuilder::new("wheel");
    /// let wheel = b.body(BodyId::WORLD, BodySpec::new("wheel").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
    /// b.joint(wheel, Joint::revolute(V3::Y).named("axle"));
    /// let model = b.build()?;
    /// let mut simulation = Simulation::builder(&model).integrator(Method::Leapfrog).dt(0.01).build()?;
    /// let inertia = 0.4 * 1.0 * 0.1 * 0.1;
    /// simulation.apply_forces(&[1e-3])?;
    /// for _ in 0..30 {
    ///     simulation.step()?;
    ///     let kd = 1.5 * 2.0 * inertia / simulation.dt(); // a half more than can be stable
    ///     simulation.apply_forces(&[-kd * simulation.state().v[0]])?;
    /// }
    /// let found = simulation.unstable_feedback().unwrap();
    /// assert_eq!(found.at, "joint \"axle\"");
    /// assert!((found.inertia.unwrap() - inertia).abs() < 1e-12 && (found.held - 0.01).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unstable_feedback(&self) -> Option<UnstableFeedback> {
        let (k, signal, held) = self.feedback.found?;
        Some(self.described(k, &signal, held))
    }
    /// True if [`Simulation::unstable_feedback`] has something to tell.
    pub fn has_unstable_feedback(&self) -> bool {
        self.feedback.found.is_some()
    }

    /// As [`Simulation::unstable_feedback`], with less evidence: swings that were growing in the last calls. To be asked after a step has failed.
    pub fn feedback_before_failure(&self) -> Option<UnstableFeedback> {
        let FeedbackWatch { signals, held, .. } = &self.feedback;
        let grew = signals.iter().enumerate().filter(|(_, s)| s.grew());
        let worst = grew.max_by(|a, b| a.1.growth().total_cmp(&b.1.growth()));
        self.unstable_feedback().or_else(|| worst.map(|(k, signal)| self.described(k, signal, *held)))
    }

    fn described(&self, k: usize, signal: &Signal, held: f64) -> UnstableFeedback {
        let (model, actuators) = (&*self.model, self.model.actuators());
        let run = signal.run();
        let (at, dof) = match actuators.get(k) {
            Some(actuator) => {
                (format!("actuator \"{}\"", actuator.name), dof_of(model, &actuator.transmission))
            }
            None => (model.dof_name(k - actuators.len()), Some(k - actuators.len())),
        };
        let inertia = dof.and_then(|dof| inertia_of(model, &self.state.q, dof));
        UnstableFeedback { at, since: run.since, swings: run.swings, growth: signal.growth(), held, inertia }
    }
}

/// The degree of freedom that an actuator drives alone.
fn dof_of(model: &Model, transmission: &Transmission) -> Option<usize> {
    let Transmission::Joint { joint, .. } = transmission else { return None };
    Some(model[*joint].dofs().start)
}

/// The inertia I = 1/(M⁻¹)ₖₖ that a force along degree of freedom k moves, all others being free; of a joint of one coordinate.
fn inertia_of(model: &Model, q: &[f64], k: usize) -> Option<f64> {
    let joint = model.joints().iter().find(|j| j.dofs().contains(&k))?;
    if joint.dofs().len() != 1 {
        return None;
    }
    let (mut ws, rest, mut tau) = (Workspace::new(model), vec![0.0; model.nv()], vec![0.0; model.nv()]);
    let (mut free, mut pushed) = (rest.clone(), rest.clone());
    ws.forward_dynamics(model, q, &rest, &tau, &mut free);
    tau[k] = 1.0;
    ws.forward_dynamics(model, q, &rest, &tau, &mut pushed);
    let inertia = 1.0 / (pushed[k] - free[k]);
    (inertia > 0.0 && inertia.is_finite()).then_some(inertia)
}
