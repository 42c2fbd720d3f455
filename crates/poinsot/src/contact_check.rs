//! Cross-checks of contact: event-driven against time stepping, in both formulations, and in the trace form.
//!
//! The contacts are simulated in two ways that have no step in common: from event to event with forces, where the integrator is the only source
//! of error, and by time stepping with impulses. As its steps shrink, the second must approach the first at first order. The event-driven
//! motion is computed in reduced and in maximal coordinates; and the generalised force equation of [the hierarchy](crate::hierarchy), with
//! contacts as forces at points, must have the residual that [inverse contact](crate::InverseContact) reports.

use crate::audit::Twin;
use crate::dynamics::State;
use crate::integrate::{InverseContactOptions, Method};
use crate::model::Model;
use crate::{Contact, Formulation, Simulation, SimulationError};
use std::time::{Duration, Instant};

/// The options of the check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactCheckOptions {
    /// How long to follow the motion, s.
    pub time: f64,
    /// The longest time step; half and a quarter of it are used as well.
    pub dt: f64,
    /// The integrator for time stepping.
    pub method: Method,
    /// The computing time allowed for each of the motions.
    pub patience: Duration,
}

impl Default for ContactCheckOptions {
    fn default() -> Self {
        let patience = Duration::from_secs(20);
        ContactCheckOptions { time: 0.1, dt: 1e-3, method: Method::Leapfrog, patience }
    }
}

/// The result of the check.
#[derive(Clone, Debug, Default)]
pub struct ContactCheck {
    /// The largest number of simultaneous contacts with force in the event-driven motion.
    pub most: usize,
    /// The number of events.
    pub events: usize,
    /// For each time step: the largest distance of a body from its place in the event-driven motion at the end, m.
    pub steps: Vec<(f64, f64)>,
    /// This distance for the event-driven motion in maximal coordinates.
    pub maximal: Option<f64>,
    /// The net contact force on any body: the difference between reduced and maximal coordinates, relative to the largest force.
    pub forces: Option<f64>,
    /// The difference between the residuals of the trace form and of inverse contact, relative to the largest generalised force.
    pub trace: Option<f64>,
    /// What could not be compared, and why.
    pub left_out: Vec<String>,
}

impl ContactCheck {
    /// The order at which time stepping approaches the event-driven motion, from the last two steps.
    pub fn order(&self) -> Option<f64> {
        let [.., (_, before), (_, last)] = self.steps[..] else { return None };
        (before > 0.0 && last > 0.0).then(|| libm::log2(before / last))
    }
}

/// Simulates a model through its contacts in all these ways. `None` if nothing may touch.
///
/// ```
/// use poinsot::{ContactCheckOptions, check_contact};
/// let scene = poinsot::scenes::by_name("oblique")?;
/// let options = ContactCheckOptions { time: 0.02, ..Default::default() };
/// let found = check_contact(&scene.model, &scene.state, &scene.control, Default::default(), options)?;
/// assert!(found.trace.unwrap() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_contact(
    model: &Model,
    start: &State,
    control: &[f64],
    contact: Contact,
    options: ContactCheckOptions,
) -> Result<ContactCheck, SimulationError> {
    let mut found = ContactCheck::default();
    let run = |method: Method, formulation, dt: f64| {
        let builder =
            Simulation::builder(model).state(start.clone()).control(control.to_vec()).integrator(method);
        let mut s = builder.formulation(formulation).contact(contact).dt(dt).build()?;
        let begun = Instant::now();
        s.interrupt_when(move || begun.elapsed() > options.patience);
        Ok::<_, SimulationError>(s)
    };
    let by_events = match run(Method::Adaptive, Formulation::Reduced, options.dt) {
        Ok(s) => s,
        Err(e @ (SimulationError::YieldsBetweenEvents { .. } | SimulationError::PgsBetweenEvents { .. })) => {
            found.left_out.push(e.to_string());
            return Ok(found);
        }
        Err(e) => return Err(e),
    };
    let Some(reduced) = follow(by_events, options, &mut found, Some(model)) else { return Ok(found) };
    match run(Method::Adaptive, Formulation::Maximal, options.dt) {
        Ok(s) => {
            if let Some(maximal) = follow(s, options, &mut found, None) {
                found.maximal = Some(apart(&reduced.places, &maximal.places));
                let largest = reduced.forces.iter().fold(1e-300, |most, f| f64::max(most, norm(f)));
                found.forces = Some(apart(&reduced.forces, &maximal.forces) / largest);
            }
        }
        Err(e) => found.left_out.push(format!("maximal coordinates: {e}")),
    }
    for share in [1.0, 0.5, 0.25] {
        let dt = share * options.dt;
        match run(options.method, Formulation::Reduced, dt) {
            Ok(mut s) => match s.run((options.time / dt).round() as usize, dt) {
                Ok(()) => found.steps.push((dt, apart(&reduced.places, &places(&mut s)))),
                Err(e) => found.left_out.push(format!("`{}` at {dt} s: {e}", options.method)),
            },
            Err(e) => found.left_out.push(format!("`{}`: {e}", options.method)),
        }
    }
    Ok(found)
}

/// The end of a motion.
struct End {
    places: Vec<[f64; 3]>,
    /// The net force of contacts on each body in the last step.
    forces: Vec<[f64; 3]>,
}

/// Simulates an event-driven motion to its end, and compares the trace form along the way if a model is given.
fn follow(
    mut s: Simulation,
    options: ContactCheckOptions,
    found: &mut ContactCheck,
    model: Option<&Model>,
) -> Option<End> {
    const LOOKS: usize = 5;
    let steps = (options.time / options.dt).round() as usize;
    let mut trace = model.and_then(|model| Twin::new(model).ok());
    for look in 0..LOOKS {
        let steps = (look + 1) * steps / LOOKS - look * steps / LOOKS;
        if let Err(e) = s.run(steps, options.dt) {
            found.left_out.push(format!("events, {} coordinates: {e}", s.formulation()));
            return None;
        }
        if let Some(twin) = &mut trace {
            found.most = found.most.max(s.contacts().iter().filter(|c| c.impulse.norm() > 0.0).count());
            found.events += s.events().len();
            let off = residual_force(&mut s, twin);
            found.trace = Some(found.trace.unwrap_or(0.0).max(off?));
        }
    }
    let mut forces = vec![[0.0; 3]; s.model().bodies().len()];
    for c in s.contacts() {
        let bodies = c.point.key.geoms.map(|g| s.model()[g].body().index());
        for (body, sign) in bodies.into_iter().zip([-1.0, 1.0]) {
            let push = (c.impulse * (sign / s.dt())).array();
            forces[body].iter_mut().zip(push).for_each(|(sum, f)| *sum += f);
        }
    }
    // the force on the world is the negative sum of all others
    forces[0] = [0.0; 3];
    Some(End { places: places(&mut s), forces })
}

/// The difference between the residuals of the trace form and of inverse contact, relative.
fn residual_force(s: &mut Simulation, twin: &mut Twin) -> Option<f64> {
    let (a, mut tau) = (s.acceleration(), vec![0.0; s.model().nv()]);
    let by = s.contact_forces(&a, InverseContactOptions::default()).ok()?;
    s.known_forces(&mut tau);
    let residual = twin.residual_force(s.state(), &a, &tau, &by);
    let weight = s.model().mass() * s.model().gravity().norm();
    let pushes = by.contacts.iter().map(|c| c.impulse.norm());
    // forces, moments and inertial forces of the same size
    let moving = 2.0 * s.energies().0;
    let scale = pushes.fold(weight.max(moving).max(1e-300), f64::max);
    Some(
        residual.iter().zip(&by.residual_force).fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()))
            / scale,
    )
}

fn places(s: &mut Simulation) -> Vec<[f64; 3]> {
    let bodies: Vec<_> = s.model().body_ids().collect();
    let at = s.at();
    bodies.into_iter().map(|body| at.pose(body).pos.array()).collect()
}

fn norm(x: &[f64; 3]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn apart(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let off = |(a, b): (&[f64; 3], &[f64; 3])| norm(&std::array::from_fn(|k| a[k] - b[k]));
    a.iter().zip(b).map(off).fold(0.0, f64::max)
}
