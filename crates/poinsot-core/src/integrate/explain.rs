//! The inverse side of contact: given a motion, the forces that explain it, or what none explain.

use super::contacts::Contacts;
use super::resting::{apart, rows};
use super::{StepError, System};
use crate::constraint::{Explained, Inequality, Rest, Still, Touched};
use crate::contact::{MOST_ROWS, Mode, Resting, Status};
use crate::dynamics::State;

/// What is taken for touching, still and explained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explaining {
    /// Metres: surfaces nearer than this touch.
    pub gap: f64,
    /// Metres a second: what leaves or slides more slowly does neither.
    pub speed: f64,
    /// Metres a second squared: the same of what begins to.
    pub acceleration: f64,
    /// What of the accelerations may be left, as a part of the largest.
    pub tolerance: f64,
}

impl Default for Explaining {
    fn default() -> Explaining {
        Explaining { gap: 1e-6, speed: 1e-6, acceleration: 1e-4, tolerance: 1e-8 }
    }
}

/// The forces that explain a motion.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The contacts, with the force on their second body, N, in the place of an impulse, and its moment about the point, N m.
    pub contacts: Vec<Touched>,
    /// The forces of ends of ranges that are reached, of taut ropes and of dry friction: N or N m.
    pub limits: Vec<(Inequality, f64)>,
    /// The multipliers of all rows of constraints, ranges and dry friction.
    pub multipliers: Vec<f64>,
    /// The acceleration that no forces explain, v̇ less what the forces give: of all forces allowed these leave the least, in the norm of
    /// the masses.
    pub residual: Vec<f64>,
    /// The generalised forces that are lacking: `M` times that.
    pub lacking: Vec<f64>,
    /// The largest entry of `residual`, as a part of the largest acceleration there is with and without contacts.
    pub relative: f64,
    /// Whether that is within the tolerance.
    pub explained: bool,
    /// Whether no other forces of contacts do the same; those of a table with four legs are not unique.
    pub unique: bool,
    /// The largest speed at which a contact closes, m/s: no force explains what is about to collide.
    pub closing: f64,
}

impl System<'_> {
    /// The forces of contacts, limits and dry friction that explain the acceleration `a` at a state: under the generalised forces τ, which
    /// have neither gravity nor any of these; none: those of springs, dampers, actuators and elements at the state.
    ///
    /// Contacts are looked for anew, so a system that is being stepped loses what it begins its next step with.
    pub fn explain(
        &mut self,
        state: &State,
        a: &[f64],
        tau: Option<&[f64]>,
        how: Explaining,
    ) -> Result<Explanation, StepError> {
        let mut own = vec![0.0; a.len()];
        match tau {
            Some(tau) => own.copy_from_slice(tau),
            None => self.forces_but_friction(state, &mut own),
        }
        self.list_touching(state, how)?;
        let failed = |why: String| StepError::Contact { time: state.time, dt: 0.0, why };
        let Some(mut contacts) = self.contacts.take() else { return Ok(Explanation::default()) };
        self.place_rests(&mut contacts, &state.q, &state.v, true);
        let mut found = Explained::default();
        let still = Still { speed: how.speed, acceleration: how.acceleration };
        let mut outcome = contacts.failed.take().map_or(Ok(()), |why| Err(failed(why)));
        let mut multipliers = Vec::new();
        if let Some(held) = &mut self.held {
            let (model, ws) = (&self.model, &mut self.workspace);
            let at = (&state.q[..], &state.v[..], a);
            let solved = held.explain(model, ws, at, &own, &contacts.rests.list, still, &mut found);
            outcome = outcome.and(solved.map_err(|e| failed(e.to_string())));
            multipliers.extend_from_slice(held.lambda());
        }
        let list = std::mem::take(&mut contacts.rests.list);
        self.contacts = Some(contacts);
        outcome?;
        Ok(Explanation::of(&list, found, multipliers, a, how))
    }

    /// What touches at a state, as contacts that rest.
    fn list_touching(&mut self, state: &State, how: Explaining) -> Result<(), StepError> {
        self.forget_rests();
        self.look_around(state, 0.0)?;
        let Some(contacts) = &mut self.contacts else { return Ok(()) };
        let Some(t) = self.held.as_ref().and_then(|h| h.touching.as_ref()) else { return Ok(()) };
        let Contacts { rests, poses, motions, .. } = &mut **contacts;
        for point in t.list.iter().filter(|point| point.gap <= how.gap) {
            let slip = apart(poses, motions, point);
            let velocity = rows(point, slip);
            let s = &point.surface;
            let mut resting = Resting { count: s.count, friction: s.friction, ..Resting::default() };
            let slides = velocity[1..=s.count].iter().any(|u| u.abs() > how.speed);
            if slides && let Some(along) = resting.against(&velocity[1..]) {
                (resting.slides, resting.mode, resting.along) = (true, Mode::Slide, along);
            }
            let (bias, offset, directed, lost) = ([0.0; MOST_ROWS], 0.0, 0.0, false);
            rests.list.push(Rest { point: *point, velocity, bias, resting, offset, slip, directed, lost });
        }
        contacts.find_offsets().map_err(|why| StepError::Contact { time: state.time, dt: 0.0, why })
    }
}

impl Explanation {
    fn of(list: &[Rest], found: Explained, multipliers: Vec<f64>, a: &[f64], how: Explaining) -> Explanation {
        let most = |x: &[f64]| x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let contacts = list.iter().zip(&found.force).map(|(one, force)| {
            let rows = one.resting.rows();
            let (impulse, moment) = one.point.in_world(&force[..rows]);
            let velocity = one.point.in_world(&one.velocity[..rows.max(3)]).0;
            Touched::pushed(one.point, impulse, moment, [velocity; 2])
        });
        let scale = most(a).max(most(&found.without)).max(1e-300);
        let relative = most(&found.left) / scale;
        Explanation {
            contacts: contacts.collect(),
            limits: found.bounds,
            multipliers,
            relative,
            explained: relative <= how.tolerance,
            unique: found.status == Status::Solved,
            closing: list.iter().fold(0.0f64, |most, one| most.max(-one.velocity[0])),
            residual: found.left,
            lacking: found.lacking,
        }
    }
}
