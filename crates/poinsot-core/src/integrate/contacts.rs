//! Contact detection in a step, and the treatment of contacts at its end.

use super::pile::Pile;
use super::resting::RestingContacts;
use super::{Event, EventKind, Inequality, MemoryReader, StepError, System, copy};
use crate::algebra::V3;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::constraint::{
    ContactResult, ContactSettings, ContactSolver, ContactSource, Multipliers, Stabilisation,
};
use crate::dynamics::State;
use crate::model::{BodyId, GeomId, Model};
use crate::spatial::{Force, Motion, Pose};

/// The contact source, with the scratch that detection needs.
pub(crate) struct Contacts<'a> {
    pub source: Box<dyn ContactSource + 'a>,
    /// The poses of all bodies at some q, and their velocities.
    pub poses: Vec<Pose>,
    pub placed_at: Vec<f64>,
    pub motions: Vec<Motion>,
    /// The poses at another state that is being examined.
    pub there: Vec<Pose>,
    /// The state to which bodies were last moved: the end of a step is the start of the next.
    pub moved: Moved,
    /// Bodies with geoms, and the largest rotation for which each can be swept.
    pub turning: Vec<(BodyId, f64)>,
    /// Why the last detection failed.
    pub failed: Option<String>,
    /// True while a step is made in parts, which share one report.
    pub in_parts: bool,
    /// The final state of the last step.
    pub left: State,
    /// The memory of integrator and system at the start of a part.
    pub memory: Vec<f64>,
    pub begun: State,
    /// The state at the start of the whole step.
    pub start: State,
    /// For `pgs` if all bodies are loose.
    pub pile: Option<Pile>,
    /// Resting contacts in the smooth motion of event-driven methods.
    pub resting_contacts: RestingContacts,
}

/// The poses and velocities of all bodies at (q, v).
#[derive(Default)]
pub(crate) struct Moved {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub poses: Vec<Pose>,
    pub motions: Vec<Motion>,
}

/// Allowance for the velocity gained within a step, as a multiple of gravity's part, plus an allowance in metres: for motors.
const SPEED_UP: f64 = 5.0;
const NEAR: f64 = 1e-4;

/// The largest rotation of a link in a part of a step, and that of a loose body, in radians. Nothing tunnels at half a radian either, but
/// velocity-dependent forces evaluated at the start of a part, as in `semi-implicit` and `implicit`, would let the energy of an arm grow
/// without bound.
const LINKS_TURN: f64 = 0.2;
const LOOSE_TURN: f64 = 3.0;

/// The largest rotation for which the end poses determine the path of each body with geoms. A loose body turns about one axis by less than
/// half a turn; the path of a link is a screw only in the limit of small rotations, since it is composed of the motions of its joints.
fn turning(model: &Model) -> Vec<(BodyId, f64)> {
    let (tree, link) = (&model.tree, |body: BodyId| model[body].link);
    let mut tied = vec![false; tree.links()];
    let constraints = model.constraints().iter().filter_map(|c| c.bodies());
    constraints.flatten().for_each(|body| tied[link(body)] = true);
    let mut bodies: Vec<BodyId> = model.geoms().iter().map(|geom| geom.body()).collect();
    bodies.sort_unstable();
    bodies.dedup();
    bodies.retain(|body| link(*body) != 0);
    let most = |body| if tree.is_loose(link(body)) && !tied[link(body)] { LOOSE_TURN } else { LINKS_TURN };
    bodies.into_iter().map(|body| (body, most(body))).collect()
}

/// The time in which no body turns further than it may, and whether a link is what limits it.
struct Followed<'a> {
    turning: &'a [(BodyId, f64)],
    motions: &'a [Motion],
    left: f64,
}

impl Kernel for Followed<'_> {
    type Output = (f64, bool);
    #[inline(always)]
    fn run<I: Isa>(self) -> (f64, bool) {
        let mut least = (self.left, false);
        for (body, most) in self.turning {
            let time = most / self.motions[body.index()].ang.norm();
            if time < least.0 {
                least = (time, *most == LINKS_TURN);
            }
        }
        least
    }
}

impl<'a> System<'a> {
    /// Enables contacts: they are detected by `source`, and take part in every step of `semi-implicit`, `implicit` and `leapfrog`, and from
    /// event to event in those of `rkmk4`, `adaptive` and `midpoint`.
    pub fn touch(&mut self, source: impl ContactSource + 'a, settings: ContactSettings) {
        let model = self.model.clone();
        let multipliers = self.multipliers.get_or_insert_with(|| Box::new(Multipliers::new(&model)));
        multipliers.touch(&model, settings);
        self.contacts = Some(Box::new(Contacts {
            source: Box::new(source),
            poses: Vec::new(),
            placed_at: Vec::new(),
            motions: Vec::new(),
            there: Vec::new(),
            moved: Moved::default(),
            turning: turning(&model),
            failed: None,
            in_parts: false,
            left: State::new(&model),
            memory: Vec::new(),
            begun: State::new(&model),
            start: State::new(&model),
            resting_contacts: RestingContacts::default(),
            pile: (settings.solver == ContactSolver::Pgs).then(|| Pile::of(&model)).flatten(),
        }));
    }
    /// Discards everything that previous steps have left for the next one, for a state that does not follow from the last.
    pub fn forget_steps(&mut self) {
        self.multipliers.iter_mut().for_each(|multipliers| multipliers.forget_steps());
        if let Some(contacts) = &mut self.contacts {
            contacts.left = State::new(&self.model);
        }
    }
    /// Lets contacts begin at q, which does not follow from the last step: the pairs that are left out because they overlap there, if
    /// that depends on q.
    pub fn begin_contacts_at(&mut self, q: &[f64]) -> Option<Vec<[GeomId; 2]>> {
        let contacts = self.contacts.as_mut()?;
        self.workspace.poses(&self.model, q);
        self.workspace.body_poses(&self.model, &mut contacts.there);
        contacts.source.begin_at(&contacts.there)
    }
    /// Writes what contacts remember in addition to their impulses: where the last step has led, and what their source does.
    pub(super) fn contact_memory(&self, out: &mut Vec<f64>) {
        if let Some(contacts) = &self.contacts {
            out.extend(contacts.left.q.iter().chain(&contacts.left.v));
            contacts.resting_contacts.memory(out);
            contacts.source.memory(out);
        }
    }
    /// Restores it.
    pub(super) fn restore_contact_memory(&mut self, from: &mut MemoryReader<'_>) {
        if let Some(contacts) = &mut self.contacts {
            from.fill(&mut contacts.left.q);
            from.fill(&mut contacts.left.v);
            contacts.resting_contacts.restore_memory(&mut || from.number());
            contacts.source.restore_memory(&mut || from.number());
        }
    }
    /// Continues from `state` in place of the system of a model with other bodies: contacts are warm-started with the impulses they had
    /// there. `geoms` gives, for each geom of that model, the corresponding geom of this one.
    pub fn remap_contacts(&mut self, from: &System, state: &State, geoms: &[Option<GeomId>]) {
        let (Some(own), Some(other)) = (&mut self.contacts, &from.contacts) else { return };
        copy(&mut own.left, state);
        let mut memory = Vec::new();
        other.source.memory(&mut memory);
        own.source.remap(&memory, geoms);
        let touching = from.multipliers.as_ref().and_then(|h| h.touching.as_ref());
        let Some(warm) = touching.map(|t| t.warm_by(geoms)) else { return };
        if let Some(t) = self.multipliers.as_mut().and_then(|h| h.touching.as_mut()) {
            t.set_warm(warm);
        }
    }
    /// True in all parts of a step except the first.
    pub(super) fn is_within_step(&self, state: &State) -> bool {
        self.contacts.as_ref().is_some_and(|c| c.in_parts && state.time > c.start.time)
    }
    /// True if contacts are enabled.
    pub fn touches(&self) -> bool {
        self.contacts.is_some()
    }
    /// The contact settings; `None` if contacts are not enabled.
    pub fn contact_settings(&self) -> Option<ContactSettings> {
        self.multipliers.as_ref().and_then(|h| h.touching.as_ref()).map(|t| t.settings)
    }

    /// The potential energy added by pushing bodies out of penetration in the last part of a step.
    pub(super) fn lifted(&self) -> f64 {
        self.multipliers.as_ref().and_then(|h| h.touching.as_ref()).map_or(0.0, |t| t.lifted)
    }
    /// True if the last contact impulses were not found to the tolerance: the energy of such a step is not meaningful.
    pub(super) fn contacts_unsolved(&self) -> bool {
        let touching = self.multipliers.as_ref().and_then(|h| h.touching.as_ref());
        touching.and_then(|t| t.certificate).is_some_and(|c| !c.status.is_solved())
    }

    /// Why the last detection of contacts failed, if it did.
    pub(super) fn contact_failure(&mut self, time: f64, dt: f64) -> Option<StepError> {
        let contacts = self.contacts.as_mut()?;
        let why = contacts.failed.take()?;
        let endless = |motion: &Motion| !(motion.lin.norm() + motion.ang.norm()).is_finite();
        Some(match contacts.motions.iter().position(endless) {
            Some(body) => {
                let what = format!("velocity of body \"{}\"", self.model.bodies()[body].name);
                StepError::NotFinite { time, dt, what }
            }
            None => StepError::Contact { time, dt, why },
        })
    }

    /// The time, up to `left` seconds, in which no body turns by more than can be swept; and whether a link is what limits it.
    pub(super) fn time_to_be_followed(&mut self, state: &State, left: f64) -> (f64, bool) {
        if self.contacts.is_none() {
            return (left, false);
        }
        // no body turns faster than the sum of all joint rates
        if left * state.v.iter().map(|v| v.abs()).sum::<f64>() < LINKS_TURN {
            return (left, false);
        }
        self.move_bodies_to(&state.q, &state.v);
        let Some(contacts) = &self.contacts else { return (left, false) };
        dispatch(Followed { turning: &contacts.turning, motions: &contacts.moved.motions, left })
    }

    /// Moves the bodies to (q, v), in `moved`.
    pub(super) fn move_bodies_to(&mut self, q: &[f64], v: &[f64]) {
        let Some(contacts) = &mut self.contacts else { return };
        let moved = &mut contacts.moved;
        if moved.q == q && moved.v == v {
            return;
        }
        let (model, ws) = (&self.model, &mut self.workspace);
        ws.move_to(model, q, v);
        ws.body_motions(model, &mut moved.poses, &mut moved.motions);
        for (own, x) in [(&mut moved.q, q), (&mut moved.v, v)] {
            own.clear();
            own.extend_from_slice(x);
        }
    }

    /// Detects the contacts at q for the current step of size h; its final velocity v⁺ moves positions for `reach` seconds from there.
    pub(crate) fn find_contacts(&mut self, q: &[f64], v: &[f64], reach: f64, h: f64) {
        self.move_bodies_to(q, v);
        let Some(contacts) = &mut self.contacts else { return };
        let Some(touching) = self.multipliers.as_mut().and_then(|h| h.touching.as_mut()) else { return };
        let (model, contacts) = (&self.model, &mut **contacts);
        contacts.poses.clone_from(&contacts.moved.poses);
        contacts.motions.clone_from(&contacts.moved.motions);
        contacts.placed_at.clone_from(&contacts.moved.q);
        contacts.source.begin_step(h);
        let extra = SPEED_UP * reach * h * model.gravity().norm() + NEAR;
        let (poses, motions) = (&contacts.poses, &contacts.motions);
        if let Err(why) = contacts.source.detect(poses, motions, reach, extra, &mut touching.list) {
            touching.list.clear();
            contacts.failed = Some(why);
        }
        touching.begin_step();
        touching.touched.clear();
        touching.deferred = 0;
        let thickness = touching.list.iter().map(|point| contacts.source.thickness(point.key.geoms));
        touching.thickness.clear();
        touching.thickness.extend(thickness);
        let half_space = touching.list.iter().map(|point| contacts.source.is_half_space(point.key.geoms));
        touching.half_space.clear();
        touching.half_space.extend(half_space);
    }

    /// Forgets the contacts that were found.
    pub(super) fn forget_contacts(&mut self) {
        if let Some(touching) =
            self.multipliers.as_mut().and_then(|multipliers| multipliers.touching.as_mut())
        {
            touching.list.clear();
            touching.touched.clear();
        }
    }

    /// Ends a step with contacts: contacts that have closed and limits that were reached come to rest or rebound.
    pub(super) fn settle_contacts(&mut self, state: &mut State) {
        let projected = self.stabilisation == Stabilisation::Projection;
        let momentum = self.path.is_some().then(|| self.at(state).momentum());
        let Some(multipliers) = &mut self.multipliers else { return };
        let (model, ws) = (&self.model, &mut self.workspace);
        let (begun, collisions) = (self.report.collisions.len(), &mut self.report.collisions);
        if multipliers.any_closing(&state.v) {
            let event = |on: Inequality| Event { time: state.time, kind: EventKind::Impact, on };
            self.report.events.extend(multipliers.arrived().map(|owner| event(owner.into())));
        }
        let (given, works) =
            multipliers.strike_at_end(model, ws, &state.q, &mut state.v, state.time, collisions);
        self.note_impulse_since(momentum, state);
        self.report.limit_work += given.limits;
        self.report.note_contact(works);
        if let Some(multipliers) = self.multipliers.as_mut().filter(|h| projected && h.any_rigid()) {
            multipliers.settle_velocity(&self.model, &mut self.workspace, &state.q, &mut state.v);
        }
        self.note_impacts_from(begun);
        self.report_contacts();
    }

    /// If there is a ledger, records the change of momentum at this instant as the impulse of impacts.
    pub(super) fn note_impulse_since(&mut self, momentum: Option<Force>, state: &State) {
        if let Some(before) = momentum {
            self.report.impact = self.report.impact + (self.at(state).momentum() - before);
        }
    }

    /// Records events for the collisions reported since `begun`.
    pub(super) fn note_impacts_from(&mut self, begun: usize) {
        for c in &self.report.collisions[begun..] {
            let on = Inequality::Contact(c.point.key.geoms);
            let again = self.report.events.last().is_some_and(|e| e.on == on && e.time == c.time);
            if !again {
                self.report.events.push(Event { time: c.time, kind: EventKind::Impact, on });
            }
        }
    }

    /// Reports the contacts of the step, or of the current part.
    pub(super) fn report_contacts(&mut self) {
        let Some(t) = self.multipliers.as_ref().and_then(|h| h.touching.as_ref()) else { return };
        self.report.rested += t.rested();
        let contacts = self.report.begin_part();
        contacts
            .extend(t.touched.iter().map(|one| ContactResult { pushes: one.impulse != V3::ZERO, ..*one }));
        self.report_certificate();
    }

    /// As [`System::report_contacts`] at the end of the step: the list is moved, not copied.
    pub(super) fn report_contacts_at_last(&mut self) {
        let Some(t) = self.multipliers.as_mut().and_then(|h| h.touching.as_mut()) else { return };
        self.report.rested += t.rested();
        let contacts = self.report.begin_part();
        t.touched.iter_mut().for_each(|one| one.pushes = one.impulse != V3::ZERO);
        if contacts.is_empty() {
            std::mem::swap(contacts, &mut t.touched);
            // the two lists alternate: both have capacity for the longest
            t.touched.clear();
            t.touched.reserve_exact(contacts.capacity());
        } else {
            contacts.append(&mut t.touched);
        }
        self.report_certificate();
    }

    fn report_certificate(&mut self) {
        let Some(t) = self.multipliers.as_ref().and_then(|h| h.touching.as_ref()) else { return };
        self.report.penetration = self.report.penetration.max(t.penetration);
        self.report.bounded += usize::from(t.bounded);
        self.report.overlapping |= t.overlapping;
        let worse = |a: &crate::contact::Certificate, b: &crate::contact::Certificate| {
            (!a.status.is_solved(), a.residual) > (!b.status.is_solved(), b.residual)
        };
        if let Some(found) = &t.certificate
            && self.report.certificate.as_ref().is_none_or(|c| worse(found, c))
        {
            self.report.certificate = Some(*found);
        }
    }
}
