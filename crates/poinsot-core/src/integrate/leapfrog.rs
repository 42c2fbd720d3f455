//! Leapfrog: half a drift, a kick by the forces at the midpoint, half a drift; with an energy guard.
//!
//! ```math
//! (1)  q_M = q ⊕ ½h v                      v̂ = v + ½h a₋
//! (2)  (M + h D + ½h² K) (v⁺ − v) = h [τ(q_M, v) − ½h K v − c(q_M, v̂)] + h Jᵀ λ          M, J at q_M
//! (3)  q⁺ = q_M ⊕ ½h v⁺                    a₋ ← (v⁺ − v)/h
//! ```
//!
//! | letter | what |
//! |---|---|
//! | q, v; q⁺, v⁺ | positions and velocities at the start and at the end |
//! | q_M | positions at the midpoint |
//! | a₋, v̂ | acceleration of the last step; the velocity at the midpoint that follows from it |
//! | M, c | mass matrix; velocity-dependent forces and gravity |
//! | τ | forces of springs, dampers, actuators, medium, elements |
//! | D, K | joint dampers and springs, and servos, which are evaluated at the end of the step ([`super::stiff`]); likewise the drag of the medium ([`super::implicit_drag`]) |
//! | J, λ | rows of constraints, limits and dry friction, and their forces |
//!
//! If M is constant this is the Störmer–Verlet method [Hairer06, section I.1.4]: symplectic, second order, one evaluation. In general two
//! errors add energy to a tumbling robot: evaluating forces at one end of the step instead of its midpoint, whose effect is bounded, and
//! evaluating c at the initial velocity, which lets energy grow until the motion diverges. Evaluating c at v̂ costs nothing and leaves a
//! second-order error. D and K are first order, and remove energy.
//!
//! *Rows.* Rigid rows satisfy `J (v + v⁺) = 0`, then positions and velocities are projected. Soft rows are implicit. Limits and dry
//! friction follow Moreau's midpoint rule [Moreau88], (2) and (4) of [unilateral constraints](crate::constraint). An impact is at the
//! midpoint or at the end of the step.
//!
//! *Memory.* a₋ belongs to the final state of the last step. From any other state (the first one, or after an impact at a limit, whose
//! impulse is not a force) it costs one more evaluation, with v̂ = v. Loose bodies do not need it: their v̂ is that of [`super::spin`]. a₋
//! may be far off if a motor has changed its force: a step that the guard rejects is repeated once with the new acceleration before it is
//! shortened.
//!
//! *Contact in a₋.* Lasting contact forces belong to a₋: without them v̂ would move resting bodies by ½h a into their supports, and the
//! Coriolis forces of that motion spin up a turntable on which an arm rests. The impulses of a collision do not: they act in one step
//! only. With a₀ the acceleration without contacts and limits, and d = a − a₀ what these add,
//!
//! ```math
//! (5)  a₋ = a₀ + minmod(d, d₋)
//! ```
//! coordinate by coordinate: zero if d and its value in the step before, d₋, have opposite signs, else the smaller of the two [LeVeque02,
//! section 6.9].
//!
//! *Guard.* A step with an unexplained gain of energy is divided into substeps: [`super::guard`]. Their number, and the gain that remains,
//! are in the [report](super::StepReport).

use super::guard::{Done, Floating, Guard, PIECES, RESTING, energies, gained};
use super::powers::Kick;
use super::spin::{CORRECTED, LooseBodies};
use super::{
    CoordinateMap, Event, EventKind, Inequality, Integrator, MemoryReader, StepEquations, StepError, System,
    accept_impacts, copy, kick,
};
use crate::algebra::V3;
use crate::constraint::RowTiming;
use crate::dynamics::{Energies, State};
use crate::integrate::report::Mark;
use crate::model::Model;

/// The most corrections of the spins of loose bodies, if there are few contacts; and the fraction of their energy below which they stop.
const SPIN_CORRECTIONS: usize = 4;
const FEW_CONTACTS: usize = 32;
const SPIN_OFF: f64 = 1e-4;

/// See the module page.
///
/// ```
/// # use poinsot_core::{algebra::V3, dynamics::State, integrate::{self, System}, model::*};
/// # let rod = Shape::Capsule { radius: 0.03, length: 1.0 };
/// # let mut b = ModelBuilder::new("double pendulum");
/// # let upper = b.body(BodyId::WORLD, BodySpec::new("upper").at(V3::Z * -0.5).solid(&rod, 1.0)?);
/// # b.joint(upper, Joint::revolute(V3::Y).anchor(V3::Z * 0.5));
/// # let lower = b.body(upper, BodySpec::new("lower").at(-V3::Z).solid(&rod, 1.0)?);
/// # b.joint(lower, Joint::revolute(V3::Y).anchor(V3::Z * 0.5));
/// # let model = b.build()?;
/// let (mut system, mut state) = (System::new(&model), State { q: vec![2.0, 1.0], ..State::new(&model) });
/// let mut leapfrog = integrate::by_name("leapfrog", &model)?;
/// let before = system.energy(&state);
/// for _ in 0..1000 {
///     leapfrog.step(&mut system, &mut state, 2e-3)?;
///     assert!(system.report().substeps == 1); // the step resolves the motion
/// }
/// assert!((system.energy(&state) - before).abs() < 2e-2); // J, of some 30 that move
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Leapfrog {
    /// The final state of the last substep, and its energies if known.
    now: State,
    energies: Option<Energies>,
    /// a₋, and whether it belongs to the motion that led to `now`.
    before: Vec<f64>,
    /// d₋ of (5).
    pushed: Vec<f64>,
    smooth: bool,
    /// True if the last step led to `now`.
    known: bool,
    /// True if `now` violates a limit, to which the next substep moves it back: that displacement is not motion.
    beyond: bool,
    guard: Guard,
    floats: Option<Floating>,
    loose: LooseBodies,
    middle: State,
    next: State,
    free: State,
    v_hat: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
    diagonal: Vec<f64>,
    /// The memory of the system before a substep.
    memory: Vec<f64>,
    impulses: Vec<f64>,
}

impl Leapfrog {
    /// Scratch for `model`.
    pub fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.nv()];
        Leapfrog {
            now: State::new(model),
            energies: None,
            before: zeros(),
            pushed: zeros(),
            smooth: false,
            known: false,
            beyond: false,
            guard: Guard::default(),
            floats: Floating::of(model),
            loose: LooseBodies::of(model),
            middle: State::new(model),
            next: State::new(model),
            free: State::new(model),
            v_hat: zeros(),
            a: zeros(),
            tau: zeros(),
            diagonal: zeros(),
            memory: Vec::new(),
            impulses: Vec::new(),
        }
    }

    /// Starts a step at a state; memory of another state is discarded. A collision within a step is not a new motion: the guard's account
    /// continues.
    fn begin(&mut self, system: &mut System, state: &State) {
        let goes_on = self.known && self.now.q == state.q && self.now.v == state.v;
        let collided = self.known && system.is_within_step(state);
        copy(&mut self.now, state);
        if !goes_on {
            (self.energies, self.smooth) = (None, false);
            if !collided {
                self.guard = Guard::default();
                self.pushed.fill(0.0);
            }
            self.beyond = system.is_beyond(state);
            system.multipliers.iter_mut().for_each(|multipliers| multipliers.release_all());
        }
    }

    /// Computes a₋ by an evaluation with v̂ = v; 0 if a limit will be met.
    fn find_before(&mut self, system: &mut System, h: f64) {
        self.before.fill(0.0);
        self.drift(system, h);
        self.find_acceleration(system, h);
        let met = system.multipliers().is_some_and(|multipliers| multipliers.any_met());
        if !met && self.a.iter().all(|a| a.is_finite()) {
            self.before.copy_from_slice(&self.a);
        }
        // undo this trial: rows met in it were not active before the substep
        system.restore_memory(&mut MemoryReader::of(&self.memory));
        self.smooth = true;
    }

    /// Drifts, (1).
    fn drift(&mut self, system: &System, h: f64) {
        copy(&mut self.middle, &self.now);
        self.middle.time += 0.5 * h;
        system.model().integrate(&mut self.middle.q, &self.now.v, 0.5 * h);
        self.v_hat.copy_from_slice(&self.now.v);
        kick(&mut self.v_hat, &self.before, 0.5 * h);
    }

    /// Computes (2) divided by h.
    fn find_acceleration(&mut self, system: &mut System, h: f64) {
        system.stiff_forces(&self.middle, (h, 0.5 * h), &mut self.tau, &mut self.diagonal);
        system.delay_drag(&self.middle, &self.v_hat, h, &self.diagonal, &mut self.tau);
        self.loose.mean(&self.middle.q, &self.now.v, &self.tau, h, &mut self.v_hat);
        system.find_contacts(&self.middle.q, &self.now.v, 0.5 * h, h);
        self.solve(system, h);
        let touching = system.multipliers.as_ref().and_then(|multipliers| multipliers.touching.as_ref());
        let few = touching.is_some_and(|t| (1..=FEW_CONTACTS).contains(&t.list.len()));
        if few && self.loose.are_all() {
            self.correct_spins(system, h);
        }
    }

    /// Solves the linear system of (2).
    fn solve(&mut self, system: &mut System, h: f64) {
        let (model, stabilisation) = (&*system.model(), system.stabilisation());
        let (q, v, v_hat) = (&self.middle.q[..], &self.now.v[..], &self.v_hat[..]);
        match system.constraints() {
            (ws, None) => {
                ws.forward_dynamics_with(model, q, v_hat, &self.tau, Some(&self.diagonal), None, &mut self.a);
            }
            (ws, Some(multipliers)) => {
                let (at, taken) = ((q, v, v_hat), (RowTiming::Middle, stabilisation));
                let pivots = multipliers.step_dynamics(
                    model,
                    ws,
                    at,
                    &self.tau,
                    &self.diagonal,
                    taken,
                    h,
                    &mut self.a,
                );
                system.report.note(pivots);
            }
        }
    }

    /// Corrects ω̂ of loose bodies for the contacts.
    fn correct_spins(&mut self, system: &mut System, h: f64) {
        let mut off = self.loose.off(&self.now.v, &self.a, h, &self.v_hat);
        for _ in 0..SPIN_CORRECTIONS {
            if off <= CORRECTED {
                return;
            }
            self.loose.take_means(&self.now.v, &self.a, h, &mut self.v_hat);
            self.solve(system, h);
            let next = self.loose.off(&self.now.v, &self.a, h, &self.v_hat);
            if next.is_nan() || next > 0.5 * off {
                off = f64::INFINITY; // this changes with the contacts
                break;
            }
            off = next;
        }
        if off > SPIN_OFF {
            // restart from a value with which energy cannot grow
            self.loose.mean(&self.middle.q, &self.now.v, &self.tau, h, &mut self.v_hat);
            self.solve(system, h);
        }
    }

    /// Takes one substep of size h from `now` into `now`; `next` is then its end. Returns the work of everything except gravity, and what
    /// it would be without contacts.
    fn substep(&mut self, system: &mut System, h: f64) -> Result<(Done, Option<Done>), StepError> {
        self.drift(system, h);
        self.find_acceleration(system, h);
        copy(&mut self.next, &self.middle);
        kick(&mut self.next.v, &self.a, h);
        system.model().integrate(&mut self.next.q, &self.next.v, 0.5 * h);
        self.next.time = self.now.time + h;
        let done = (self.work(system, h), self.work_without_contacts(system, h));
        let (v_bias, from, to, a) = (&self.v_hat[..], &self.now.v[..], &self.next.v[..], &self.a[..]);
        let kick = Kick { at: &self.middle, v_bias, from, to, a, h, reach: Some(0.5 * h) };
        system.note_kick(&kick, &mut self.tau);
        system.note_impulses(h, &self.next.v);
        if let Some(multipliers) = &mut system.multipliers {
            let (time, events) = (self.next.time, &mut system.report.events);
            multipliers
                .visit_reached(|on| events.push(Event { time, kind: EventKind::Impact, on: on.into() }));
        }
        accept_impacts(system, &mut self.now, &mut self.next, h)?;
        self.energies = None;
        Ok(done)
    }

    /// ½ (v + v⁺) · P of a substep of size h from v: forces as applied, D and K at its end, and all rows.
    fn work(&self, system: &System, h: f64) -> Done {
        let rows = system.multipliers().map_or(0.0, |multipliers| multipliers.work(h, &self.next.v));
        let contacts =
            system.multipliers().map_or(V3::ZERO, |multipliers| multipliers.contact_push(&system.model()));
        self.work_of(system, h, [&self.now.v, &self.next.v], (rows, contacts))
    }

    fn work_of(&self, system: &System, h: f64, [v, end]: [&[f64]; 2], (rows, contacts): (f64, V3)) -> Done {
        let model = &*system.model();
        let armature = &model.tree.armature;
        let force = |k: usize| (armature[k] - self.diagonal[k]) * (end[k] - v[k]) / h + self.tau[k];
        let power = |k: usize| force(k) * (v[k] + end[k]);
        let forces: f64 = (0..v.len()).map(power).sum();
        let work = 0.5 * h * forces + rows;
        let flow = 0.5 * h * (0..v.len()).map(|k| power(k).abs()).sum::<f64>();
        let forces: f64 = (0..v.len()).map(|k| force(k).abs()).sum();
        let rest = h * RESTING * (forces + model.mass() * model.gravity().norm());
        let Some(root) = self.floats else { return Done { work, push: V3::ZERO, flow, rest } };
        let (push, moved) = (root.of_root(force) * h + contacts, root.of_root(|k| v[k] + end[k]));
        Done { work: work - 0.5 * push.dot(moved), push, flow, rest }
    }

    /// Takes substeps until the step of size dt is complete.
    fn march(&mut self, system: &mut System, begun: f64, dt: f64) -> Result<(), StepError> {
        let part = |pieces: u32| f64::from(pieces) / f64::from(PIECES);
        let (mut done, mut corrected, mut refused) = (0, false, None);
        let mut tried = false;
        while done < PIECES {
            // not before the first substep: an interruption must not lose what a step of one substep remembers
            if std::mem::replace(&mut tried, true) {
                system.go_on(begun)?;
            }
            let pieces = self.guard.size.min(PIECES - done);
            let (h, mark) = (dt * part(pieces), self.keep(system));
            self.now.time = begun + dt * part(done);
            let before = self.energies_now(system);
            if !self.smooth && !self.loose.are_all() {
                self.find_before(system, h);
            }
            let (mut worked, free) = match self.substep(system, h) {
                Ok(done) => done,
                Err(why) if pieces > 1 => {
                    refused.get_or_insert(why);
                    self.undo(system, mark);
                    self.guard.halve(pieces);
                    continue;
                }
                // of the longest that failed
                Err(why) => return Err(refused.unwrap_or(why)),
            };
            if self.floats.is_none() {
                worked.work += system.lifted();
            }
            let after = self.energies_now(system);
            // contacts are accounted for, and energy is lost if bodies collide at the end of the substep
            let new = &system.report.events[mark.events()..];
            let struck = new.iter().any(|e| matches!(e.on, Inequality::Contact(_)));
            let met = new.iter().any(|e| !matches!(e.on, Inequality::Contact(_)));
            let met = met | std::mem::take(&mut self.beyond);
            let valid = !met && !struck && !system.contacts_unsolved();
            let whole = valid.then(|| gained(before, after, worked, self.floats));
            let gain = match free {
                _ if self.loose.are_all() => None, // they gain nothing
                // v̂ is the mean of the whole motion if contacts last, else of the motion without them: the gain is that of the better match
                Some(done) => {
                    let model = &*system.model();
                    let there = energies(model, system.workspace(), &self.free, self.floats, &mut self.v_hat);
                    let without = gained(before, there, done, self.floats);
                    Some(whole.filter(|whole| whole.rho < without.rho).unwrap_or(without))
                }
                None => {
                    (!met && !system.contacts_unsolved()).then(|| gained(before, after, worked, self.floats))
                }
            };
            let refused_gain = gain.filter(|gain| self.guard.refuses(*gain, part(pieces)));
            if refused_gain.is_some() && (pieces > 1 || !corrected) {
                std::mem::swap(&mut self.now, &mut self.next);
                self.energies = Some(before);
                self.undo(system, mark);
                if corrected {
                    self.guard.halve(pieces);
                } else {
                    // a motor may have changed its force: the new acceleration is a better guess than the last
                    self.before.copy_from_slice(&self.a);
                    if free.is_some() {
                        for (k, a) in self.before.iter_mut().enumerate() {
                            let apart = (self.free.v[k] - self.now.v[k]) / h;
                            *a = apart + minmod(*a - apart, self.pushed[k]);
                        }
                    }
                    corrected = true;
                }
                continue;
            }
            let apart = system.multipliers().and_then(|multipliers| multipliers.velocity_without_contacts());
            for (k, a) in self.before.iter_mut().enumerate() {
                let (from, to) = (self.next.v[k], self.now.v[k]);
                let apart = apart.map_or(to, |apart| apart[k]);
                let push = (to - apart) / h;
                *a = (apart - from) / h + minmod(push, self.pushed[k]);
                self.pushed[k] = push;
            }
            self.smooth = !met;
            system.report.gained += refused_gain.map_or(0.0, |gain| gain.rho);
            system.report.substeps += 1;
            self.guard.lost += (mark.work_of_rows() - system.report.work_of_rows()).max(0.0);
            self.guard.go_on(gain.filter(|_| !struck));
            (done, corrected, refused) = (done + pieces, false, None);
        }
        Ok(())
    }

    /// The work over the motion without contacts and limits, which leads to `free`; `None` if there are no contacts, or other rows as well.
    fn work_without_contacts(&mut self, system: &System, h: f64) -> Option<Done> {
        let free = system.multipliers().and_then(|multipliers| multipliers.velocity_without_contacts())?;
        copy(&mut self.free, &self.middle);
        self.free.v.copy_from_slice(free);
        system.model().integrate(&mut self.free.q, &self.free.v, 0.5 * h);
        Some(self.work_of(system, h, [&self.now.v, &self.free.v], (0.0, V3::ZERO)))
    }

    /// The energies at `now`.
    fn energies_now(&mut self, system: &mut System) -> Energies {
        let (model, floats) = (system.model(), self.floats);
        let (state, scratch) = (&self.now, &mut self.v_hat);
        *self.energies.get_or_insert_with(|| energies(&model, system.workspace(), state, floats, scratch))
    }

    /// Saves the part of the system that a substep changes.
    fn keep(&mut self, system: &mut System) -> Mark {
        // for the rows, each substep is a step
        system.multipliers.iter_mut().for_each(|multipliers| multipliers.forget_factor());
        self.memory.clear();
        system.memory(&mut self.memory);
        self.impulses.clear();
        self.impulses.extend(system.multipliers.iter().flat_map(|multipliers| &multipliers.impulse));
        system.report.mark()
    }

    /// Restores it.
    fn undo(&self, system: &mut System, mark: Mark) {
        system.restore_memory(&mut MemoryReader::of(&self.memory));
        if let Some(multipliers) = &mut system.multipliers {
            multipliers.impulse.copy_from_slice(&self.impulses);
        }
        system.report.back_to(mark);
    }
}

/// The smaller of two numbers of the same sign, else 0.
fn minmod(a: f64, b: f64) -> f64 {
    if a * b <= 0.0 {
        0.0
    } else if a.abs() < b.abs() {
        a
    } else {
        b
    }
}

impl Integrator for Leapfrog {
    fn name(&self) -> &'static str {
        "leapfrog"
    }
    fn order(&self) -> u32 {
        2
    }
    fn memory(&self, out: &mut Vec<f64>) {
        out.extend([self.known, self.smooth].map(f64::from));
        out.extend([self.guard.size, self.guard.good].map(f64::from));
        out.extend([self.guard.given, self.guard.largest, self.guard.lost]);
        out.extend(self.now.q.iter().chain(&self.now.v).chain(&self.before).chain(&self.pushed));
    }
    fn restore_memory(&mut self, from: &mut MemoryReader<'_>) {
        (self.known, self.smooth) = (from.flag(), from.flag());
        (self.guard.size, self.guard.good) = (from.number() as u32, from.number() as u32);
        (self.guard.given, self.guard.largest) = (from.number(), from.number());
        self.guard.lost = from.number();
        from.fill(&mut self.now.q);
        from.fill(&mut self.now.v);
        from.fill(&mut self.before);
        from.fill(&mut self.pushed);
        (self.energies, self.beyond) = (None, false);
    }
    fn remap(&mut self, from: &mut MemoryReader<'_>, map: &CoordinateMap, state: &State) {
        (self.known, self.smooth) = (from.flag(), from.flag());
        (self.guard.size, self.guard.good) = (from.number() as u32, from.number() as u32);
        (self.guard.given, self.guard.largest) = (from.number(), from.number());
        self.guard.lost = from.number();
        let [nq, nv] = map.from;
        (0..nq + nv).for_each(|_| _ = from.number());
        for numbers in [&mut self.before, &mut self.pushed] {
            let mut old = vec![0.0; nv];
            from.fill(&mut old);
            for (a, place) in numbers.iter_mut().zip(&map.v) {
                *a = place.map_or(0.0, |place| old[place]);
            }
        }
        // no history for new joints
        self.smooth &= map.v.iter().all(Option::is_some);
        copy(&mut self.now, state);
        (self.energies, self.beyond) = (None, false);
    }
    fn vary(&mut self, state: &State) {
        copy(&mut self.now, state);
        self.energies = None;
    }
    fn equations(&mut self, system: &mut System, state: &State, dt: f64) -> Option<StepEquations> {
        system.begin_step();
        self.begin(system, state);
        self.keep(system);
        let found = !self.smooth && !self.loose.are_all();
        if found {
            self.find_before(system, dt);
        }
        self.drift(system, dt);
        self.find_acceleration(system, dt);
        Some(StepEquations {
            timing: RowTiming::Middle,
            stiff: true,
            a: self.a.clone(),
            v_hat: self.v_hat.clone(),
            found_before: found.then(|| self.before.clone()),
            loose: self.loose.are_any().then(|| self.loose.clone()),
            spins_corrected: self.loose.are_all() && self.loose.are_means(&state.v, &self.a, dt, &self.v_hat),
        })
    }
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        system.begin_step();
        self.begin(system, state);
        self.known = false;
        self.march(system, state.time, dt)?;
        self.known = true;
        self.now.time = state.time + dt;
        copy(state, &self.now);
        Ok(())
    }
}
