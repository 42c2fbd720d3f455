//! The contact forces from step to step: for sensors, and for contact events.

use super::Simulation;
use crate::algebra::V3;
use crate::constraint::ContactResult;
use crate::dynamics::{At, ExternalForces, State, Workspace};
use crate::integrate::{ForceElement, Inequality, StepReport};
use crate::model::{BodyId, GeomId, Model};
use crate::spatial::Force;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most events stored by a call that makes steps.
const MOST_EVENTS: usize = 1_000_000;

/// A contact ends when its surfaces are further apart than this, in metres.
const APART: f64 = 1e-5;

/// A contact with a force in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Push {
    pub geoms: [GeomId; 2],
    /// In world axes.
    pub position: V3,
    pub normal: V3,
    /// The mean force over the step on the second body, with a moment about the point; the first has the opposite.
    pub force: V3,
    pub moment: V3,
}

impl Push {
    /// The force on each of the two bodies, about the world's origin.
    fn loads(&self, model: &Model) -> [(BodyId, Force); 2] {
        let [a, b] = self.geoms.map(|g| model[g].body());
        let mut on_second = Force::at_point(self.force, self.position);
        on_second.moment += self.moment;
        [(a, on_second * -1.0), (b, on_second)]
    }
    pub fn numbers(&self) -> [f64; 14] {
        let [a, b] = self.geoms.map(|g| g.index() as f64);
        let (p, n, f, m) = (self.position, self.normal, self.force, self.moment);
        [a, b, p.x, p.y, p.z, n.x, n.y, n.z, f.x, f.y, f.z, m.x, m.y, m.z]
    }
    pub fn of_numbers(ids: &[GeomId], x: &[f64; 14]) -> Option<Push> {
        let vector = |k: usize| V3::new(x[k], x[k + 1], x[k + 2]);
        Some(Push {
            geoms: [geom(ids, x[0])?, geom(ids, x[1])?],
            position: vector(2),
            normal: vector(5),
            force: vector(8),
            moment: vector(11),
        })
    }
}

/// The geom with this number, if there is one.
pub(super) fn geom(ids: &[GeomId], number: f64) -> Option<GeomId> {
    let whole = number >= 0.0 && number.fract() == 0.0;
    if whole { ids.get(number as usize).copied() } else { None }
}

/// The kinds of contact events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContactEventKind {
    /// They exert force, and did not touch in the step before.
    Begin,
    /// They have touched since before the call that made the last steps.
    Persist,
    /// They no longer touch: they exert no force, and are more than 10 µm apart.
    End,
    /// They collide.
    Impact,
}

impl ContactEventKind {
    /// The word shown to users.
    pub fn word(self) -> &'static str {
        match self {
            ContactEventKind::Begin => "begin",
            ContactEventKind::Persist => "persist",
            ContactEventKind::End => "end",
            ContactEventKind::Impact => "impact",
        }
    }
}

/// An event of a contact between two geoms. Example: [`Simulation::contact_events`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactEvent {
    /// The time, s: that of the impact for impacts and for contacts that begin with one, otherwise the end of the step.
    pub time: f64,
    /// The kind.
    pub kind: ContactEventKind,
    /// The geoms, the lower number first.
    pub geoms: [GeomId; 2],
    /// Their bodies.
    pub bodies: [BodyId; 2],
    /// For impacts: the position, in the world; for other events 0, like all that follows.
    pub position: V3,
    /// From the first geom to the second.
    pub normal: V3,
    /// The velocity of the second body minus that of the first at the point, before and after, m/s.
    pub velocity: [V3; 2],
    /// The impulse on the second body, N s.
    pub impulse: V3,
}

impl ContactEvent {
    /// The names of the geoms, in the same form as in other events.
    pub fn name(&self, model: &Model) -> String {
        Inequality::Contact(self.geoms).name(model).into_owned()
    }
}

/// The record of contacts from step to step.
#[derive(Default)]
pub(super) struct ContactHistory {
    /// True if the last report belongs to the step to the current state.
    fresh: bool,
    /// The forces of the last step, if the report does not contain them.
    kept: Vec<Push>,
    /// The pairs that touch, sorted.
    pub pairs: Vec<[GeomId; 2]>,
    before: Vec<[GeomId; 2]>,
    events: Vec<ContactEvent>,
    /// The contact forces for queries of the model.
    query_loads: Option<ContactLoads>,
}

impl ContactHistory {
    /// Discards the record.
    pub fn forget(&mut self) {
        self.take_up(Vec::new(), &[]);
    }
    /// Continues from the given contacts; allocated memory is kept.
    pub fn take_up(&mut self, pushes: Vec<Push>, pairs: &[[GeomId; 2]]) {
        (self.fresh, self.kept) = (false, pushes);
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        self.pairs.sort_unstable();
        self.events.clear();
    }
    pub fn begin_call(&mut self) {
        self.events.clear();
    }

    /// After a step to `time`: records which contacts have begun, and which have ended.
    pub fn note(&mut self, model: &Model, report: &StepReport, time: f64) {
        self.fresh = true;
        std::mem::swap(&mut self.before, &mut self.pairs);
        self.pairs.clear();
        let ContactHistory { pairs, before, events, .. } = self;
        // contacts are sorted by geoms, and so are pairs
        let mut known = Sorted::of(before);
        for c in &report.contacts {
            let pair = c.point.key.geoms;
            let is_new = pairs.last() != Some(&pair);
            if is_new && (c.pushes || c.point.gap <= APART && known.has(&pair)) {
                pairs.push(pair);
            }
        }
        let begun = events.len();
        let mut push = |event: ContactEvent| {
            if events.len() < MOST_EVENTS {
                events.push(event);
            }
        };
        for c in &report.collisions {
            push(ContactEvent {
                position: c.point.position,
                normal: c.point.normal,
                velocity: c.velocity,
                impulse: c.impulse,
                ..event(model, c.time, ContactEventKind::Impact, c.point.key.geoms)
            });
        }
        let mut known = Sorted::of(before);
        for pair in pairs.iter().filter(|pair| !known.has(pair)) {
            let struck = report.collisions.iter().rev().find(|c| c.point.key.geoms == *pair);
            let at = struck.map_or(time, |c| c.time);
            push(event(model, at, ContactEventKind::Begin, *pair));
        }
        let mut known = Sorted::of(pairs);
        for pair in before.iter().filter(|pair| !known.has(pair)) {
            push(event(model, time, ContactEventKind::End, *pair));
        }
        // an impact comes before the contact that it begins; a stable sort would allocate
        let order = |e: &ContactEvent| match e.kind {
            ContactEventKind::Impact => 0,
            ContactEventKind::Begin => 1,
            ContactEventKind::Persist | ContactEventKind::End => 2,
        };
        events[begun..].sort_unstable_by(|a, b| {
            a.time.total_cmp(&b.time).then(order(a).cmp(&order(b))).then(a.geoms.cmp(&b.geoms))
        });
    }
}

/// A sorted list with queries in the same order.
struct Sorted<'a> {
    left: &'a [[GeomId; 2]],
}

impl Sorted<'_> {
    fn of(pairs: &[[GeomId; 2]]) -> Sorted<'_> {
        Sorted { left: pairs }
    }
    fn has(&mut self, pair: &[GeomId; 2]) -> bool {
        while let Some((first, rest)) = self.left.split_first() {
            if first >= pair {
                return first == pair;
            }
            self.left = rest;
        }
        false
    }
}

fn event(model: &Model, time: f64, kind: ContactEventKind, geoms: [GeomId; 2]) -> ContactEvent {
    let (bodies, zero) = (geoms.map(|g| model[g].body()), V3::ZERO);
    ContactEvent {
        time,
        kind,
        geoms,
        bodies,
        position: zero,
        normal: zero,
        velocity: [zero; 2],
        impulse: zero,
    }
}

/// The contact forces on a model whose acceleration is queried; none while steps are made.
#[derive(Clone)]
struct ContactLoads(Arc<Mutex<Inner>>);

struct Inner {
    loads: Vec<(BodyId, Force)>,
    scratch: (Workspace, State, ExternalForces),
}

impl ContactLoads {
    fn new(model: &Model) -> ContactLoads {
        let scratch = (Workspace::new(model), State::new(model), ExternalForces::new(model));
        ContactLoads(Arc::new(Mutex::new(Inner { loads: Vec::new(), scratch })))
    }
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ForceElement for ContactLoads {
    fn add_forces(&self, model: &Model, time: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        let Inner { loads, scratch: (workspace, state, outside) } = &mut *self.inner();
        if loads.is_empty() {
            return;
        }
        state.time = time;
        state.q.copy_from_slice(q);
        state.v.copy_from_slice(v);
        let at = workspace.at(model, state);
        outside.clear();
        loads.iter().for_each(|(body, force)| outside.push(&at, *body, *force));
        workspace.add_external(model, q, outside, 1.0, tau);
    }
}

impl Simulation<'_> {
    /// The contact events of the last call that made steps, in order of time: the first million; at the end, the contacts that have
    /// persisted.
    ///
    /// ```
    /// use poinsot::prelude::*;
    /// use poinsot::ContactEventKind::{Begin, Impact, Persist};
    /// let mut b = ModelBuilder::new("a ball falls on the floor");
    /// b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
    /// let skin = Geom::new(Shape::Sphere { radius: 0.1 });
    /// let ball = b.body(BodyId::WORLD, BodySpec::new("ball").at(V3::Z * 0.2).solid_geom(skin, 1.0)?);
    /// b.joint(ball, Joint::free());
    /// let model = b.build()?;
    /// let contact = Contact::default();
    /// let mut simulation = Simulation::builder(&model).contact(contact).build()?;
    /// let kinds = |s: &Simulation| -> Vec<_> { s.contact_events().iter().map(|e| e.kind).collect() };
    /// simulation.run(200, 1e-3)?;
    /// assert_eq!(kinds(&simulation), [Impact, Begin]);
    /// simulation.run(1, 1e-3)?;
    /// assert_eq!(kinds(&simulation), [Persist]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contact_events(&self) -> Vec<ContactEvent> {
        let t = &self.touching;
        if !t.fresh {
            return Vec::new();
        }
        let begins = t.events.iter().filter(|e| e.kind == ContactEventKind::Begin);
        let mut begun: Vec<[GeomId; 2]> = begins.map(|e| e.geoms).collect();
        begun.sort_unstable();
        let lasting = t.pairs.iter().filter(|pair| begun.binary_search(pair).is_err());
        let persist =
            lasting.map(|pair| event(&self.model, self.state.time, ContactEventKind::Persist, *pair));
        t.events.iter().copied().chain(persist).collect()
    }

    /// The mean forces of contacts in the last step, including collisions.
    pub(super) fn pushes(&self) -> Vec<Push> {
        if !self.touching.fresh {
            return self.touching.kept.clone();
        }
        let each = 1.0 / self.dt;
        let pushing = self.system.report().contacts.iter().filter(|c| c.impulse != V3::ZERO);
        let push = |c: &ContactResult| Push {
            geoms: c.point.key.geoms,
            position: c.point.position,
            normal: c.point.normal,
            force: c.impulse * each,
            moment: c.moment * each,
        };
        pushing.map(push).collect()
    }

    /// The contact forces as forces on bodies, about the world's origin.
    pub(super) fn contact_loads(&self) -> Vec<(BodyId, Force)> {
        self.pushes().iter().flat_map(|push| push.loads(&self.model)).collect()
    }
    /// Adds contact forces to external forces.
    pub(super) fn push_contacts(loads: &[(BodyId, Force)], at: &At, outside: &mut ExternalForces) {
        loads.iter().for_each(|(body, force)| outside.push(at, *body, *force));
    }

    /// Prepares the model for queries under contact forces.
    pub(super) fn add_query_loads(&mut self) {
        if self.touching.query_loads.is_none() {
            let loads = ContactLoads::new(&self.model);
            match &mut self.bodies {
                Some(bodies) => bodies.original.push(loads.clone()),
                None => self.system.push(loads.clone()),
            }
            self.touching.query_loads = Some(loads);
        }
    }
    /// Queries the model under contact forces.
    pub(super) fn under_contacts<R>(&mut self, query: impl FnOnce(&mut Self) -> R) -> R {
        let Some(loads) = self.touching.query_loads.clone() else { return query(self) };
        loads.inner().loads = self.contact_loads();
        let answer = query(self);
        loads.inner().loads.clear();
        answer
    }
}
