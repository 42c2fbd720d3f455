//! Decides contacts at an event, and measures how far a smooth motion is from the next.
//!
//! At an event, approaching contacts [collide](crate::constraint::Collision), and those that touch and neither approach nor separate rest:
//! their modes and forces follow from accelerations. These modes are kept in the smooth motion that follows until a margin is used up: see
//! [`super::events`].

use super::contacts::Contacts;
use super::resting::{DIRECTED, Rests, apart, fastest, is_same, rows};
use super::{Event, EventKind, Inequality, StepError, System};
use crate::constraint::{AT_IMPACT, ContactKey, ContactWork, Rest};
use crate::contact::{Certificate, MOST_ROWS, Mode, Resting};
use crate::dynamics::State;

/// A contact with a smaller normal velocity rests, in metres a second; also relative to the fastest one.
const STILL: f64 = 3e-8;
/// A contact with a smaller tangential velocity sticks, in metres a second; also relative to the fastest one.
const STUCK: f64 = 1e-9;
/// The round-off of accelerations, relative to the largest acceleration that a contact force alone would cause.
const ROUNDING: f64 = 256.0 * f64::EPSILON;
/// How often forces are recomputed after an impact without a collision.
const JAMS: usize = 3;
/// If no modes reproduce the accelerations to this relative accuracy, there is an event.
const FEASIBLE: f64 = 1e-9;

/// A condition for a smooth motion to continue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kept {
    /// The gap of a contact that does not rest stays open.
    Gap(ContactKey),
    /// A contact slides in the same direction.
    Slip(ContactKey),
    /// No other features touch.
    Features,
    /// Forces stay within their cones.
    Forces,
}

/// The margin of a condition, the size that counts as zero, and the rate of a gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactMargin {
    pub of: Kept,
    pub margin: f64,
    pub least: f64,
    pub rate: f64,
}

/// How far the modes of resting contacts are from the required ones, the margin of their forces within their cones, and the certificate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    apart: f64,
    slack: f64,
    found: Certificate,
}

impl ContactMargin {
    pub fn is_lost(&self) -> bool {
        // NaN counts as lost
        self.margin.is_nan() || self.margin < -self.least
    }
}

impl System<'_> {
    /// At an event or at the start of a step: resolves collisions, then finds the resting contacts and their modes.
    pub(super) fn decide_contacts(
        &mut self,
        state: &mut State,
        dt: f64,
        tau: &mut [f64],
    ) -> Result<(), StepError> {
        if self.contacts.is_none() {
            return Ok(());
        }
        if let Some(t) = self.held.as_mut().and_then(|h| h.touching.as_mut()) {
            t.precise = true;
        }
        if self.approaches(state, dt)? {
            self.collide(state)?;
        }
        for jam in 0..=JAMS {
            self.find_rests(state, dt)?;
            if !self.any_rests() {
                break;
            }
            self.noted(state, |system, state| system.settle_rests(state));
            self.forces_but_friction(state, tau);
            if let Some(held) = self.held.as_mut().filter(|h| h.any_slipping()) {
                held.add_row_forces(&self.model, &mut self.workspace, &state.q, &state.v, tau);
            }
            self.add_rest_forces(state, tau);
            let Some(contacts) = &mut self.contacts else { break };
            let (_, _, found) = contacts.rests.problem.judge();
            if found.status.is_solved() || jam == JAMS {
                if found.status.is_solved() {
                    contacts.rests.problem.accept();
                }
                self.note_certificate(found);
                break;
            }
            self.jam(state)?;
        }
        self.take_modes(state.time);
        self.contact_failure(state.time, 0.0).map_or(Ok(()), Err)
    }

    /// Detects all contacts near a state, `reach` seconds ahead.
    pub(super) fn look_around(&mut self, state: &State, reach: f64) -> Result<(), StepError> {
        self.find_contacts(&state.q, &state.v, reach, reach);
        self.contact_failure(state.time, reach).map_or(Ok(()), Err)
    }

    /// True if a touching contact continues to close.
    fn approaches(&mut self, state: &State, dt: f64) -> Result<bool, StepError> {
        self.look_around(state, 0.0)?;
        let Some(contacts) = &self.contacts else { return Ok(false) };
        let Some(t) = self.held.as_ref().and_then(|h| h.touching.as_ref()) else { return Ok(false) };
        let noise = ROUNDING * dt * contacts.rests.push;
        let slow = STILL + 1e-9 * fastest(&state.v) + noise;
        Ok(t.list.iter().any(|point| {
            let u = apart(&contacts.poses, &contacts.motions, point)[0];
            point.gap <= AT_IMPACT && point.normal.dot(u) < -slow
        }))
    }

    /// Finds the contacts that touch and neither approach nor separate, for a step of length dt.
    fn find_rests(&mut self, state: &State, dt: f64) -> Result<(), StepError> {
        self.look_around(state, 0.0)?;
        let Some(contacts) = &mut self.contacts else { return Ok(()) };
        let Some(t) = self.held.as_ref().and_then(|h| h.touching.as_ref()) else { return Ok(()) };
        let Contacts { rests, poses, motions, .. } = &mut **contacts;
        let known = if rests.list.is_empty() { &rests.hints } else { &rests.list };
        rests.before.clone_from(known);
        rests.hints.clear();
        rests.list.clear();
        let quick = fastest(&state.v);
        // velocities caused by the round-off of forces: a light body under a heavy one is moved by the difference of large forces
        let noise = ROUNDING * dt * rests.push;
        for point in &t.list {
            let u = apart(poses, motions, point);
            if point.gap > AT_IMPACT || point.normal.dot(u[0]).abs() > STILL + 1e-8 * quick + noise {
                continue;
            }
            let all = rows(point, u);
            let s = &point.surface;
            let mut resting = Resting { count: s.count, friction: s.friction, ..Resting::default() };
            let slips = all[1..=s.count].iter().fold(0.0f64, |most, u| most.max(u.abs()))
                > STUCK + 1e-11 * quick + noise;
            let known = rests.before.iter().find(|one| one.point.key == point.key);
            if slips && let Some(along) = resting.against(&all[1..]) {
                (resting.slides, resting.mode, resting.along) = (true, Mode::Slide, along);
            } else if let Some(one) =
                known.filter(|one| one.resting.mode == Mode::Slide && !one.resting.slides)
            {
                (resting.mode, resting.along) = (Mode::Slide, one.resting.along);
            }
            if rests.leaving.contains(&point.key) {
                resting.mode = Mode::Open;
            }
            let (velocity, bias) = (all, [0.0; MOST_ROWS]);
            // slow sliding keeps its direction: explicit steps would amplify any error of it
            let speed = u[0].norm();
            let goes_on = |one: &&Rest| {
                let [was, _] = one.slip;
                slips && speed <= one.directed && was.dot(u[0]) > 0.9 * was.norm() * speed
            };
            let (slip, directed) = known.filter(goes_on).map_or((u, 0.0), |one| (one.slip, one.directed));
            let (offset, lost) = (0.0, false);
            rests.list.push(Rest { point: *point, velocity, bias, resting, offset, slip, directed, lost });
        }
        let outcome = contacts.find_offsets();
        outcome.map_err(|why| StepError::Contact { time: state.time, dt: 0.0, why })
    }

    /// Adopts the computed modes for the coming motion; events are their changes.
    fn take_modes(&mut self, time: f64) {
        let Some(contacts) = &mut self.contacts else { return };
        let Rests { list, leaving, starting, problem, before, .. } = &mut contacts.rests;
        leaving.clear();
        let largest = problem.largest_free();
        let mut row = 0;
        for (one, mode) in list.iter_mut().zip(&problem.held) {
            let a = &problem.acceleration[row..row + mode.rows()];
            row += mode.rows();
            let begins = mode.mode == Mode::Slide && !mode.slides;
            let slip = if begins { a } else { &one.velocity[..mode.rows()] };
            let mut all = [0.0; MOST_ROWS];
            all[1..slip.len()].copy_from_slice(&slip[1..]);
            let (lin, ang) = one.point.in_world(&all[..slip.len()]);
            one.resting = *mode;
            if begins || one.directed == 0.0 {
                one.slip = [lin, ang];
            }
            if mode.mode == Mode::Open {
                leaving.push(one.point.key);
            }
            let was = before.iter().find(|was| was.point.key == one.point.key).map(|was| was.resting);
            // a contact at the edge of its cone without any motion does not slide: how redundant contacts share a load is not an event
            let moves = !begins || a[1..].iter().any(|a| a.abs() > FEASIBLE * largest);
            let stuck = starting.contains(&one.point.key);
            let was = was.map(|was| if stuck { (Mode::Stick, false) } else { (was.mode, was.slides) });
            let kind = match (was, mode.mode) {
                (Some((Mode::Stick | Mode::Slide, _)), Mode::Open) => EventKind::Release,
                (Some((Mode::Stick, _)), Mode::Slide) if moves => EventKind::Slip,
                (Some((Mode::Slide, true)), Mode::Stick) if mode.count > 0 => EventKind::Stick,
                _ => continue,
            };
            let on = Inequality::Contact(one.point.key.geoms);
            let event = Event { time, kind, on };
            if self.report.events.last() != Some(&event) {
                self.report.events.push(event);
            }
        }
        starting.clear();
        list.retain(|one| one.resting.mode != Mode::Open);
    }

    fn note_certificate(&mut self, found: Certificate) {
        let kept = &mut self.report.certificate;
        let rank = |c: &Certificate| (!c.status.is_solved(), c.residual);
        if kept.as_ref().is_none_or(|c| rank(&found) > rank(c)) {
            *kept = Some(found);
        }
    }

    /// Applies an impact without a collision.
    fn jam(&mut self, state: &mut State) -> Result<(), StepError> {
        let momentum = self.path.is_some().then(|| self.at(state).momentum());
        let Some(mut contacts) = self.contacts.take() else { return Ok(()) };
        let mut works = ContactWork::default();
        if let Some(held) = &mut self.held {
            let Rests { list, problem, .. } = &mut contacts.rests;
            works = held.jam(&self.model, &mut self.workspace, &state.q, &mut state.v, list, problem);
        }
        let jammed = contacts.rests.list.iter().find(|one| one.resting.slides).map(|one| one.point.key.geoms);
        let event = |geoms| Event { time: state.time, kind: EventKind::Jam, on: Inequality::Contact(geoms) };
        self.report.events.extend(jammed.map(event));
        contacts.rests.leaving.clear();
        self.contacts = Some(contacts);
        self.note_impulse_since(momentum, state);
        self.report.note_contact(works);
        self.report_contacts();
        let failed = self.held.as_mut().and_then(|h| h.touching.as_mut()).and_then(|t| t.failed.take());
        failed
            .map_or(Ok(()), |why| Err(StepError::Contact { time: state.time, dt: 0.0, why: why.to_string() }))
    }

    /// After an event, adopts the modes of the solution for contacts that separate or start to slide.
    pub(super) fn expect_modes(&mut self) {
        let Some(contacts) = &mut self.contacts else { return };
        let Rests { list, leaving, starting, problem, .. } = &mut contacts.rests;
        if problem.truth.len() != list.len() {
            return;
        }
        for (one, mode) in list.iter_mut().zip(&problem.truth) {
            if mode.mode == Mode::Open {
                leaving.push(one.point.key);
            } else if !mode.slides && mode.mode == Mode::Slide {
                if one.resting.mode == Mode::Stick {
                    starting.push(one.point.key);
                }
                (one.resting.mode, one.resting.along) = (mode.mode, mode.along);
            }
        }
    }

    /// Discards all resting contacts.
    pub(super) fn forget_rests(&mut self) {
        if let Some(contacts) = &mut self.contacts {
            contacts.rests.list.clear();
            contacts.rests.hints.clear();
            contacts.rests.leaving.clear();
            contacts.rests.starting.clear();
            contacts.rests.push = 0.0;
        }
    }

    /// Judges the forces at a state, which have been computed: how far the modes are from those that are required, the margin of the forces
    /// within their cones, and their certificate. `None` if nothing rests.
    pub(super) fn judge_rests(&mut self) -> Option<Judged> {
        let contacts = self.contacts.as_mut().filter(|c| !c.rests.list.is_empty())?;
        let problem = &mut contacts.rests.problem;
        let (apart, slack, mut found) = problem.judge();
        if apart <= FEASIBLE {
            problem.report_admissible(slack, &mut found);
        }
        Some(Judged { apart, slack, found })
    }

    /// The margins of all contact conditions at a state, with detection `reach` seconds ahead. The forces at the state have been judged.
    pub(super) fn contact_margins(
        &mut self,
        state: &State,
        reach: f64,
        judged: Option<Judged>,
        out: &mut Vec<ContactMargin>,
    ) -> Result<(), StepError> {
        out.clear();
        if self.contacts.is_none() {
            return Ok(());
        }
        self.look_around(state, reach)?;
        let Some(contacts) = &mut self.contacts else { return Ok(()) };
        let Some(t) = self.held.as_ref().and_then(|h| h.touching.as_ref()) else { return Ok(()) };
        let Contacts { rests, poses, motions, .. } = &mut **contacts;
        for point in &t.list {
            let held = |one: &Rest| {
                let near =
                    (one.point.position - point.position).norm() <= 1e-6 + 1e-9 * point.position.norm();
                one.point.key == point.key || (is_same(&one.point.key, &point.key) && near)
            };
            if rests.list.iter().any(held) {
                continue;
            }
            let rate = point.normal.dot(apart(poses, motions, point)[0]);
            // a rebounding contact would gain speed from an unnoticed fall
            let rests_too = point.gap.abs() <= AT_IMPACT
                && rate.abs() <= 100.0 * STILL
                && point.surface.restitution == 0.0;
            let leaves = rests.leaving.contains(&point.key) || rests_too;
            let least = if leaves { 1e-10 } else { 1e-13 };
            out.push(ContactMargin { of: Kept::Gap(point.key), margin: point.gap, least, rate });
        }
        let rate = 0.0;
        for one in &rests.list {
            if one.resting.mode == Mode::Slide && one.resting.count > 0 {
                let margin = one.along_slip();
                out.push(ContactMargin { of: Kept::Slip(one.point.key), margin, least: 1e-13, rate });
            }
            if one.lost {
                out.push(ContactMargin { of: Kept::Features, margin: -1.0, least: 0.0, rate });
            }
        }
        if let Some(Judged { apart, slack, found }) = judged {
            let feasible = apart <= FEASIBLE;
            let margin = match feasible {
                true => slack.max(0.0),
                false if slack < 0.0 => slack,
                false => -apart.min(1.0),
            };
            let least = if feasible { 0.0 } else { -f64::MIN_POSITIVE };
            out.push(ContactMargin { of: Kept::Forces, margin, least, rate });
            self.note_certificate(found);
        }
        Ok(())
    }

    /// Before a smooth motion of length h, sets the speed below which the direction of sliding is held, since it would follow the velocity
    /// in less than h.
    pub(super) fn hold_directions(&mut self, h: f64) {
        let Some(contacts) = &mut self.contacts else { return };
        let Rests { list, problem, .. } = &mut contacts.rests;
        let held = 0.5 * h * problem.largest_free();
        // rolling goes on: its friction must follow the slip, however slow, that comes with it
        let of = |one: &Rest| if one.rolls() { DIRECTED } else { held.max(DIRECTED) };
        list.iter_mut().for_each(|one| one.directed = of(one));
    }

    /// The shortest time in which a sliding contact comes to rest at the current accelerations.
    pub(super) fn slides_to_stop(&self) -> Option<f64> {
        let rests = &self.contacts.as_ref()?.rests;
        let mut row = 0;
        let times = rests.list.iter().filter_map(|one| {
            let a = &rests.problem.acceleration[row..row + one.resting.rows()];
            row += a.len();
            let (u, a) = (&one.velocity[1..a.len()], &a[1..]);
            let (forward, speed) = u.iter().zip(a).fold((0.0, 0.0), |(f, s), (u, a)| (f + u * a, s + u * u));
            (one.resting.slides && forward < 0.0).then(|| -speed / forward)
        });
        times.reduce(f64::min)
    }
}
