//! Steps a pile of loose bodies by [soft substeps](crate::contact::SoftSubsteps): the `pgs` solver for models of loose bodies only.
//!
//! Contacts are detected once, at the start; the substeps update bodies and gaps from their velocities. The gyroscopic torque `−ω̂ × I ω̂` is
//! that of [`super::spin`], constant over the step. It only tells how the body turns; what is kept, at the new orientation, is the angular momentum:
//!
//! ```math
//! I⁺ ω⁺ = I ω + Σ r × p + h τ
//! ```
//! The work of contacts is the part of the energy change that nothing else explains.
//!
//! How many substeps a stack needs grows with the load on its bodies. That is told from the masses: of bodies that lie on lighter ones, the
//! largest ratio of masses. Above [`BORNE`] the substeps grow in proportion.

use super::powers::Kick;
use super::spin::LooseBodies;
use super::{StepError, System, copy};
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::algebra::{M3, V3};
use crate::contact::{PileBody, PileContact, SoftSubsteps};
use crate::dynamics::State;
use crate::model::{Model, Tree};
use crate::spatial::{Pose, Quat, exp_so3};

/// The number of substeps in a step.
const SUBSTEPS: usize = 6;
/// The ratio of masses up to which they are enough; and how many times as many there are at most.
const BORNE: f64 = 25.0;
const MOST_TIMES: f64 = 16.0;
/// The least cosine between normal and vertical at which a body lies on another.
const UPRIGHT: f64 = 0.5;

/// The bodies of a pile, with scratch for a step.
pub(crate) struct Pile {
    loose: LooseBodies,
    solver: SoftSubsteps,
    bodies: Vec<PileBody>,
    contacts: Vec<PileContact>,
    before: Vec<[f64; 6]>,
    /// h ω̂ × I ω̂ of each body, in world axes.
    gyroscopic: Vec<V3>,
    rotations: Vec<M3>,
    centres: Vec<V3>,
    links: Vec<Link>,
    tau: Vec<f64>,
    v_hat: Vec<f64>,
    moved: Vec<f64>,
    next: State,
}

/// A loose body: its indices in q and v, the pose of its joint in the world, and its inertia.
struct Link {
    q: usize,
    v: usize,
    frame: Pose,
    com: V3,
    inverse_mass: f64,
    inertia: M3,
    inverse_inertia: M3,
}

impl Link {
    fn new(tree: &Tree, link: usize) -> Option<Link> {
        let inertia = tree.inertia_of(link);
        let central = inertia.about_com();
        let inverse_inertia = central.inverse()?.full();
        let com = inertia.com();
        let (q, v, frame) = (tree.q[link], tree.v[link], tree.frame_of(link));
        let inverse_mass = 1.0 / inertia.mass;
        Some(Link { q, v, frame, com, inverse_mass, inertia: central.full(), inverse_inertia })
    }

    #[inline(always)]
    fn rotation(&self, q: &[f64]) -> M3 {
        let turn = Quat { w: q[self.q + 3], x: q[self.q + 4], y: q[self.q + 5], z: q[self.q + 6] };
        self.frame.rot * turn.matrix()
    }

    #[inline(always)]
    fn centre(&self, q: &[f64], rotation: M3) -> V3 {
        self.frame.point(three(q, self.q)) + rotation * self.com
    }

    /// Angular, then linear velocity of the centre of mass, in world axes.
    #[inline(always)]
    fn velocity(&self, v: &[f64], rotation: M3) -> [f64; 6] {
        let omega = rotation * three(v, self.v + 3);
        join(omega, omega.cross_add(rotation * self.com, self.frame.rot * three(v, self.v)))
    }

    /// The inverse of [`Link::velocity`].
    #[inline(always)]
    fn set_velocity(&self, velocity: [f64; 6], rotation: M3, v: &mut [f64]) {
        let (omega, linear) = (three(&velocity, 0), three(&velocity, 3));
        let origin = linear - omega.cross(rotation * self.com);
        v[self.v..self.v + 6].copy_from_slice(&join(self.frame.rot.tr_mul(origin), rotation.tr_mul(omega)));
    }
}

#[inline(always)]
fn three(x: &[f64], at: usize) -> V3 {
    V3::new(x[at], x[at + 1], x[at + 2])
}

#[inline(always)]
fn join(a: V3, b: V3) -> [f64; 6] {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

impl Pile {
    /// The pile of a model that consists of loose bodies without springs and dampers; `None` for others.
    pub fn of(model: &Model) -> Option<Pile> {
        let loose = LooseBodies::of(model);
        let plain = model.joints().iter().all(|j| j.damping == 0.0 && j.stiffness == 0.0);
        let bound = !model.tendons().is_empty() || !model.bounds().is_empty();
        if !loose.are_all() || !plain || bound {
            return None;
        }
        let links: Option<Vec<Link>> = (1..model.tree.links()).map(|k| Link::new(&model.tree, k)).collect();
        let zeros = || vec![0.0; model.nv()];
        Some(Pile {
            loose,
            solver: SoftSubsteps::default(),
            bodies: Vec::new(),
            contacts: Vec::new(),
            before: Vec::new(),
            gyroscopic: Vec::new(),
            rotations: Vec::new(),
            centres: Vec::new(),
            links: links?,
            tau: zeros(),
            v_hat: zeros(),
            moved: zeros(),
            next: State::new(model),
        })
    }

    /// Fills in the bodies at a state; `tau` and `v_hat` are up to date.
    #[inline(always)]
    fn fill(&mut self, gravity: V3, state: &State, h: f64) {
        self.bodies.clear();
        self.before.clear();
        self.gyroscopic.clear();
        for (link, &rotation) in self.links.iter().zip(&self.rotations) {
            let inverse = rotation * link.inverse_inertia * rotation.transpose();
            let mean = three(&self.v_hat, link.v + 3);
            let spin = (mean - three(&state.v, link.v + 3)) * (2.0 / h);
            self.gyroscopic.push(rotation * mean.cross(link.inertia * mean) * h);
            let force = link.frame.rot * three(&self.tau, link.v);
            let velocity = link.velocity(&state.v, rotation);
            self.before.push(velocity);
            self.bodies.push(PileBody {
                inverse_mass: link.inverse_mass,
                inverse_inertia: [
                    inverse.x.x,
                    inverse.x.y,
                    inverse.x.z,
                    inverse.y.y,
                    inverse.y.z,
                    inverse.z.z,
                ],
                velocity,
                acceleration: join(rotation * spin, gravity + force * link.inverse_mass),
                displacement: [0.0; 6],
            });
        }
    }

    #[inline(always)]
    fn place(&mut self, q: &[f64]) {
        self.rotations.clear();
        self.rotations.extend(self.links.iter().map(|link| link.rotation(q)));
        let placed = self.links.iter().zip(&self.rotations);
        self.centres.clear();
        self.centres.extend(placed.map(|(link, rotation)| link.centre(q, *rotation)));
    }

    /// The number of substeps for the largest ratio of masses of two bodies of which the heavier lies on the other.
    fn substeps(&self, gravity: V3) -> usize {
        let least = UPRIGHT * gravity.norm();
        let mut most = 1.0;
        for contact in &self.contacts {
            let [Some(a), Some(b)] = contact.bodies else { continue };
            // from the second body to the first, against gravity: how far the first lies on the second
            let upright = -gravity.dot(contact.normal.into());
            let [a, b] = [a, b].map(|body| self.bodies[body].inverse_mass);
            if upright > least {
                most = f64::max(most, b / a);
            } else if upright < -least {
                most = f64::max(most, a / b);
            }
        }
        (SUBSTEPS as f64 * (most / BORNE).clamp(1.0, MOST_TIMES)) as usize
    }

    /// Computes the displacements of the bodies, and writes their velocities into `next`.
    #[inline(always)]
    fn arrive(&mut self, substep: f64) {
        let bodies = self.bodies.iter().zip(&self.gyroscopic).zip(&self.rotations);
        for (link, ((body, gyroscopic), rotation)) in self.links.iter().zip(bodies) {
            let within = |m: M3, rotation: &M3, x: V3| *rotation * (m * rotation.tr_mul(x));
            // a torque that is constant over the substeps turns the body too far by half a substep
            let ahead = within(link.inverse_inertia, rotation, *gyroscopic) * (0.5 * substep);
            let (turned, moved) = (three(&body.displacement, 0) + ahead, three(&body.displacement, 3));
            let there = exp_so3(turned) * *rotation;
            let spin = within(link.inertia, rotation, three(&body.velocity, 0)) + *gyroscopic;
            let omega = within(link.inverse_inertia, &there, spin);
            let origin = moved + *rotation * link.com - there * link.com;
            let own = &mut self.moved[link.v..link.v + 6];
            own.copy_from_slice(&join(link.frame.rot.tr_mul(origin), rotation.tr_mul(turned)));
            link.set_velocity(join(omega, three(&body.velocity, 3)), there, &mut self.next.v);
        }
    }
}

/// Fills in the bodies at a state, for a step of size h.
struct Begin<'a> {
    pile: &'a mut Pile,
    gravity: V3,
    state: &'a State,
    h: f64,
}

impl Kernel for Begin<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Begin { pile, gravity, state, h } = self;
        pile.loose.mean(&state.q, &state.v, &pile.tau, h, &mut pile.v_hat);
        pile.place(&state.q);
        pile.fill(gravity, state, h);
    }
}

/// Computes their new velocities and displacements.
struct Arrive<'a> {
    pile: &'a mut Pile,
    substep: f64,
}

impl Kernel for Arrive<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.pile.arrive(self.substep);
    }
}

impl System<'_> {
    /// Takes a step by soft substeps, in enough parts that nothing is fast enough to tunnel through another body in one; false if that does
    /// not succeed.
    pub(super) fn pile_step(&mut self, state: &mut State, dt: f64) -> Result<bool, StepError> {
        let Some(mut pile) = self.contacts.as_mut().and_then(|c| c.pile.take()) else { return Ok(false) };
        self.contacts.iter_mut().for_each(|c| copy(&mut c.start, state));
        let mark = self.report.mark();
        let mut done = Ok(false);
        for parts in [1, 2, 4, 8] {
            done = self.pile_in_parts(&mut pile, state, dt, parts);
            if done != Ok(false) {
                break;
            }
            self.report.back_to(mark);
            self.contacts.iter().for_each(|c| copy(state, &c.start));
        }
        if let Some(contacts) = &mut self.contacts {
            match done {
                Ok(true) => copy(&mut contacts.left, state),
                _ => copy(state, &contacts.start),
            }
            contacts.pile = Some(pile);
        }
        done
    }

    fn pile_in_parts(
        &mut self,
        pile: &mut Pile,
        state: &mut State,
        dt: f64,
        parts: usize,
    ) -> Result<bool, StepError> {
        let (begun, h) = (state.time, dt / parts as f64);
        for part in 1..=parts {
            self.contacts.iter_mut().for_each(|c| copy(&mut c.begun, state));
            if !self.try_pile(pile, state, h)? || self.touches_on_the_way(&pile.next, h)? {
                return Ok(false);
            }
            self.report_contacts_at_last();
            copy(state, &pile.next);
            state.time = begun + dt * part as f64 / parts as f64;
        }
        Ok(true)
    }

    fn try_pile(&mut self, pile: &mut Pile, state: &State, dt: f64) -> Result<bool, StepError> {
        let model = &*self.model();
        self.forces_but_soft(state, &mut pile.tau);
        self.find_contacts(&state.q, &state.v, dt, dt);
        let failed = |why: String| StepError::Contact { time: state.time, dt, why };
        if let Some(why) = self.contact_failure(state.time, dt) {
            return Err(why);
        }
        dispatch(Begin { pile, gravity: model.gravity(), state, h: dt });
        let Some(t) = self.multipliers.as_mut().and_then(|h| h.touching.as_mut()) else { return Ok(false) };
        if !t.fill_pile(model, &pile.centres, dt, &mut pile.contacts) {
            return Ok(false);
        }
        pile.solver.softness.least_impact = t.settings.gamma();
        let substeps = pile.substeps(model.gravity());
        let found = pile.solver.step(&mut pile.bodies, &mut pile.contacts, dt, substeps);
        let found = found.map_err(|why| failed(why.to_string()))?;
        t.take_pile((&pile.before, &pile.bodies), &pile.contacts, (dt, substeps), found);
        copy(&mut pile.next, state);
        dispatch(Arrive { pile, substep: dt / substeps as f64 });
        model.integrate(&mut pile.next.q, &pile.moved, 1.0);
        pile.next.time = state.time + dt;
        if let Some(what) = pile.next.first_not_finite(model) {
            return Err(StepError::NotFinite { time: state.time, dt, what });
        }
        self.report.substeps += substeps;
        self.note_pile(pile, state, dt);
        Ok(true)
    }

    /// If there is a ledger, records the work of forces and of contacts.
    fn note_pile(&mut self, pile: &mut Pile, state: &State, dt: f64) {
        if self.path.is_none() {
            return;
        }
        let gained = self.energy(&pile.next) - self.energy(state);
        let change = |k: usize| (pile.next.v[k] - state.v[k]) / dt;
        pile.moved.iter_mut().enumerate().for_each(|(k, a)| *a = change(k));
        let (from, to, v_bias) = (&state.v[..], &pile.next.v[..], &pile.v_hat[..]);
        let kick = Kick { at: state, v_bias, from, to, a: &pile.moved, h: dt, reach: None };
        let before: f64 = self.report.exerted.iter().flat_map(|sum| sum.works).sum();
        self.note_kick(&kick, &mut pile.tau);
        let others: f64 = self.report.exerted.iter().flat_map(|sum| sum.works).sum::<f64>() - before;
        let Some(multipliers) = &self.multipliers else { return };
        let mut works = multipliers.contact_works();
        works.normal = gained - others - works.friction;
        self.report.note_contact(works);
    }
}
