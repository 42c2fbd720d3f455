//! The part of the check with contact.

use super::Check;
use crate::failure::{Outcome, failure};
use crate::subject::Subject;
use poinsot::audit::CheckOptions;
use poinsot::dynamics::State;
use poinsot::integrate::Method;
use poinsot::{ContactCheck, ContactCheckOptions, check_contact};
use serde_json::{Value, json};

/// The largest ratio allowed between the distances from the events with half the step and with the whole one; at first order it is a half.
const APPROACHES: f64 = 0.75;

/// Metres: distances below this are round-off.
const ROUND_OFF: f64 = 1e-11;

/// What was found, and what is allowed.
pub struct Contacts {
    found: ContactCheck,
    method: Method,
    tolerance: f64,
    motion_tolerance: f64,
}

impl Check {
    /// Follows the motion with contact in all ways from the same initial state.
    pub(super) fn check_contact(
        &self,
        subject: &Subject,
        state: &State,
        control: &[f64],
        options: CheckOptions,
    ) -> Outcome<Option<Contacts>> {
        let method = Method::Leapfrog;
        let usual = subject.usual_contact(method).filter(|_| !self.no_contact && options.steps > 0);
        let Some(contact) = usual.filter(|_| poinsot::collide::some_may_touch(&subject.model)) else {
            return Ok(None);
        };
        let time = options.dt * options.steps as f64;
        let options = ContactCheckOptions { time, dt: options.dt, method, ..ContactCheckOptions::default() };
        let found = check_contact(&subject.model, state, control, contact, options).map_err(failure)?;
        let (tolerance, motion_tolerance) = (self.tolerance, self.motion_tolerance);
        Ok(Some(Contacts { found, method, tolerance, motion_tolerance }))
    }
}

impl Contacts {
    /// Each comparison: its name, its result and its tolerance.
    fn rows(&self) -> Vec<(&'static str, f64, f64)> {
        let ContactCheck { maximal, forces, trace, .. } = &self.found;
        [
            ("positions of bodies, m: event-driven, reduced and maximal", *maximal, self.motion_tolerance),
            (
                "net contact forces, relative: event-driven, reduced and maximal",
                *forces,
                self.motion_tolerance,
            ),
            (
                "generalised force equation with contact forces, relative: inverse contact and trace form",
                *trace,
                self.tolerance,
            ),
        ]
        .into_iter()
        .filter_map(|(what, number, most)| Some((what, number?, most)))
        .collect()
    }

    /// Time stepping converges to the events, or has reached them.
    fn approaches(&self) -> bool {
        match self.found.steps[..] {
            [.., (_, before), (_, last)] => last <= APPROACHES * before || last <= self.motion_tolerance,
            _ => true,
        }
    }

    pub fn count(&self) -> usize {
        self.rows().len() + usize::from(!self.found.steps.is_empty())
    }

    pub fn failed(&self) -> usize {
        let off = self.rows().iter().filter(|(_, number, most)| number.is_nan() || number > most).count();
        off + usize::from(!self.approaches())
    }

    pub fn text(&self) -> String {
        let ContactCheck { most, events, steps, left_out, .. } = &self.found;
        let mut out = format!("  with contact: at most {most} simultaneous contacts, {events} events\n");
        for (what, number, most) in self.rows() {
            let verdict = if number <= most { "ok" } else { "FAILS" };
            out.push_str(&format!("    {what}: {number:.1e}, tolerance {most:.0e}  {verdict}\n"));
        }
        for (k, (dt, distance)) in steps.iter().enumerate() {
            let order = match k.checked_sub(1).map(|before| steps[before].1) {
                // round-off has no order
                Some(before) if before > ROUND_OFF && *distance > ROUND_OFF => {
                    format!(", order {:.2}", (before / distance).log2())
                }
                _ => String::new(),
            };
            out.push_str(&format!(
                "    `{}` at {dt} s: {distance:.1e} m from the event-driven motion{order}\n",
                self.method
            ));
        }
        if !steps.is_empty() {
            let verdict = if self.approaches() {
                "converges to the event-driven motion  ok"
            } else {
                "does not converge to the event-driven motion  FAILS"
            };
            out.push_str(&format!("    time stepping {verdict}\n"));
        }
        for why in left_out {
            out.push_str(&format!("    not compared: {why}\n"));
        }
        out.push_str("    not compared: forces of single contacts, which need not be unique; solvers other than `exact`\n");
        out
    }

    pub fn json(&self) -> Value {
        let ContactCheck { most, events, steps, left_out, .. } = &self.found;
        let rows = self.rows().into_iter().map(|(what, number, most)| {
            json!({ "quantity": what, "worst": number, "tolerance": most, "ok": number <= most })
        });
        json!({
            "most": most,
            "events": events,
            "method": self.method.word(),
            "steps": steps.iter().map(|(dt, off)| json!({ "dt": dt, "distance": off })).collect::<Value>(),
            "order": self.found.order(),
            "approaches": self.approaches(),
            "comparisons": rows.collect::<Value>(),
            "not_compared": left_out,
            "ok": self.failed() == 0,
        })
    }
}
