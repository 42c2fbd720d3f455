//! The report of a step.

use crate::algebra::V3;
use crate::constraint::{Collision, ContactResult, ContactWork, EventKind, Inequality, Pivots};
use crate::contact::Certificate;
use crate::spatial::Force;

/// The report of the last step: impulses of the rows, events, corrections by projection.
///
/// ```
/// use poinsot_core::{algebra::V3, dynamics::State, integrate::{self, EventKind, System}, model::*};
/// let mut b = ModelBuilder::new("a slider that meets its stop");
/// let block = b.body(BodyId::WORLD, BodySpec::new("block").solid(&Shape::Sphere { radius: 0.1 }, 2.0)?);
/// b.joint(block, Joint::prismatic(V3::X).limits(-1.0, 0.5));
/// let model = b.build()?;
/// let (mut system, mut state) = (System::new(&model), State { v: vec![3.0], ..State::new(&model) });
/// let mut rkmk4 = integrate::by_name("rkmk4", &model)?;
/// system.step(&mut *rkmk4, &mut state, 0.25)?;
/// let impact = &system.report().events[0];
/// assert!((impact.time - 0.5 / 3.0).abs() < 1e-12 && impact.kind == EventKind::Impact);
/// assert!((system.report().impulses[1] - 2.0 * 3.0).abs() < 1e-9); // the upper end, the second bound
/// assert!((state.q[0] - 0.5).abs() < 1e-12 && state.v[0].abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// The impulse of each row in the direction of increasing C, N s or N m s: the rows of the constraints, then the bounds. Event-driven
    /// methods report those of inequalities only.
    pub impulses: Vec<f64>,
    /// The events in order of time; time-stepping methods report impacts only, at the end of the step.
    pub events: Vec<Event>,
    /// The change made by the projection onto the constraints, if a ledger is kept.
    pub correction: Correction,
    /// The momentum from impacts at limits and from collisions, about the world's origin; it comes from the world, through joints,
    /// constraints and contacts. Only if a ledger is kept.
    pub impact: Force,
    /// The work of limits: the energy lost in impacts at limits, J.
    pub limit_work: f64,
    /// The work of dry friction, of joints, tendons and contacts, J.
    pub friction_work: f64,
    /// True if there were so many collisions that those of the rest of the step were resolved at its end, or that it was made without sweeps.
    pub crowded: bool,
    /// True if links turned farther in the step than a method with velocity-dependent forces at its start resolves, so energy may have
    /// grown.
    pub turned: bool,
    /// True if events accumulated, and the rest of the step was made by time stepping.
    pub accumulated: bool,
    /// The pivoting result for the inequalities: the worst in the step.
    pub pivots: Pivots,
    /// The number of substeps of a method that chooses them itself (`leapfrog`); 0 for others.
    pub substeps: usize,
    /// The energy that such a method has added to the motion even with its smallest substeps, J. If it is not 0, the step is too long for
    /// this motion.
    pub gained: f64,
    /// The contacts of the step, sorted by key, with their impulses: those of all parts of the step, if it was made in parts; contacts of
    /// earlier parts without impulses are left out.
    pub contacts: Vec<ContactResult>,
    /// The number of parts in which contacts were detected, and where those of the last part start; scratch for merging them.
    pub(super) parts: usize,
    pub(super) last_part: usize,
    order: Vec<usize>,
    joined: Vec<ContactResult>,
    /// The collisions in order of time.
    pub collisions: Vec<Collision>,
    /// The accuracy of the contact impulses: the worst in the step; `None` if nothing touched.
    pub certificate: Option<Certificate>,
    /// The largest penetration depth, m.
    pub penetration: f64,
    /// Overlaps were not pushed out as far as a step may: bodies are still inside one another.
    pub overlapping: bool,
    /// How many contacts that could have rebounded came to rest instead, because they approached more slowly than
    /// [γ](crate::constraint::ContactSettings::resting).
    pub rested: usize,
    /// The work of normal impulses of contacts, J.
    pub contact_work: f64,
    /// How many contacts rebounded with less than their restitution because more would have added energy: Newton's law with friction may do
    /// so, and is then replaced by [Poisson's](crate::constraint::Restitution).
    pub bounded: usize,
    /// The work of forces, if the method reports it and a ledger is kept.
    pub(crate) exerted: Option<Exerted>,
}

/// The works of dampers, actuators, medium, elements and constraints, J, and the impulses of gravity and of the world about the world's
/// origin, without those of impacts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Exerted {
    pub works: [f64; 5],
    /// The work of resting contacts in a smooth motion, and of their friction.
    pub contacts: [f64; 2],
    pub gravity: Force,
    pub world: Force,
}

impl Exerted {
    pub(super) fn add(&mut self, o: &Exerted) {
        self.works.iter_mut().zip(o.works).for_each(|(sum, work)| *sum += work);
        self.contacts.iter_mut().zip(o.contacts).for_each(|(sum, work)| *sum += work);
        self.gravity = self.gravity + o.gravity;
        self.world = self.world + o.world;
    }
}

/// The report as it was before a part of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    events: usize,
    correction: Correction,
    impact: Force,
    of_rows: [f64; 3],
    contacts: usize,
    parts: usize,
    collisions: usize,
    certificate: Option<Certificate>,
    penetration: f64,
    exerted: Option<Exerted>,
    pivots: Pivots,
    substeps: usize,
    gained: f64,
    bounded: usize,
    rested: usize,
    overlapping: bool,
}

impl Mark {
    /// The work of limits, contacts and friction up to that point.
    pub fn work_of_rows(self) -> f64 {
        self.of_rows.iter().sum()
    }
    /// The number of events.
    pub fn events(self) -> usize {
        self.events
    }
}

impl StepReport {
    pub(super) fn clear(&mut self) {
        self.impulses.fill(0.0);
        self.events.clear();
        (self.correction, self.pivots) = (Correction::default(), Pivots::default());
        self.impact = Force::default();
        (self.limit_work, self.friction_work, self.contact_work) = (0.0, 0.0, 0.0);
        self.contacts.clear();
        self.parts = 0;
        self.collisions.clear();
        (self.certificate, self.penetration) = (None, 0.0);
        (self.accumulated, self.crowded, self.turned) = (false, false, false);
        (self.substeps, self.gained, self.bounded, self.exerted) = (0, 0.0, 0, None);
        (self.rested, self.overlapping) = (0, false);
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            events: self.events.len(),
            contacts: self.contacts.len(),
            parts: self.parts,
            collisions: self.collisions.len(),
            certificate: self.certificate,
            penetration: self.penetration,
            correction: self.correction,
            impact: self.impact,
            of_rows: [self.limit_work, self.friction_work, self.contact_work],
            exerted: self.exerted,
            pivots: self.pivots,
            substeps: self.substeps,
            gained: self.gained,
            bounded: self.bounded,
            rested: self.rested,
            overlapping: self.overlapping,
        }
    }

    pub(super) fn back_to(&mut self, mark: Mark) {
        self.events.truncate(mark.events);
        self.contacts.truncate(mark.contacts);
        self.parts = mark.parts;
        self.collisions.truncate(mark.collisions);
        (self.certificate, self.penetration) = (mark.certificate, mark.penetration);
        (self.correction, self.impact) = (mark.correction, mark.impact);
        (self.pivots, self.exerted) = (mark.pivots, mark.exerted);
        (self.substeps, self.gained, self.bounded) = (mark.substeps, mark.gained, mark.bounded);
        (self.rested, self.overlapping) = (mark.rested, mark.overlapping);
        [self.limit_work, self.friction_work, self.contact_work] = mark.of_rows;
    }

    /// Starts another part of the step, whose contacts are appended to the returned list.
    pub(super) fn begin_part(&mut self) -> &mut Vec<ContactResult> {
        let StepReport { contacts, parts, last_part, .. } = self;
        (*parts, *last_part) = (*parts + 1, contacts.len());
        contacts.iter_mut().for_each(|one| one.pushes = false);
        contacts
    }

    /// Merges the results that the parts of a step have for the same contacts.
    pub(super) fn join_contacts(&mut self) {
        if self.parts <= 1 {
            return;
        }
        let StepReport { contacts, order, joined, last_part, .. } = self;
        order.clear();
        order.extend(0..contacts.len());
        order.sort_unstable_by_key(|k| (contacts[*k].point.key, *k));
        joined.clear();
        for same in order.chunk_by(|a, b| contacts[*a].point.key == contacts[*b].point.key) {
            let mut one = contacts[same[0]];
            same[1..].iter().for_each(|k| one.join(&contacts[*k]));
            let near = same[same.len() - 1] >= *last_part;
            if near || one.impulse != V3::ZERO {
                joined.push(one);
            }
        }
        std::mem::swap(contacts, joined);
    }

    /// The work of limits, contacts and friction.
    pub(super) fn work_of_rows(&self) -> f64 {
        self.limit_work + self.contact_work + self.friction_work
    }

    pub(super) fn note_contact(&mut self, works: ContactWork) {
        self.contact_work += works.normal;
        self.friction_work += works.friction;
    }

    pub(super) fn note(&mut self, pivots: Pivots) {
        let worse = pivots.unsolved > self.pivots.unsolved;
        self.pivots = Pivots {
            rounds: self.pivots.rounds.max(pivots.rounds),
            unsolved: self.pivots.unsolved.max(pivots.unsolved),
            at: if worse { pivots.at } else { self.pivots.at },
        };
    }

    /// The ways in which the step departed from its method, each with the inequality concerned.
    pub fn fallbacks(&self) -> impl Iterator<Item = (Fallback, Option<Inequality>)> + '_ {
        let fell_back = move |fallback: &Fallback| match fallback {
            Fallback::Accumulated => self.accumulated,
            Fallback::Unsolved => self.pivots.unsolved > 0,
            Fallback::Gained => self.gained != 0.0,
            Fallback::Contact => self.certificate.is_some_and(|c| !c.status.is_solved()),
            Fallback::Crowded => self.crowded,
            Fallback::Bounded => self.bounded > 0,
            Fallback::Turned => self.turned,
            Fallback::Overlapping => self.overlapping,
        };
        let at = move |fallback: Fallback| match fallback {
            Fallback::Accumulated => self.events.last().map(|e| e.on),
            Fallback::Unsolved => self.pivots.at.map(Inequality::from),
            Fallback::Gained | Fallback::Contact | Fallback::Turned | Fallback::Overlapping => None,
            Fallback::Crowded | Fallback::Bounded => {
                self.collisions.last().map(|c| Inequality::Contact(c.point.key.geoms))
            }
        };
        Fallback::ALL.into_iter().filter(fell_back).map(move |f| (f, at(f)))
    }
}

/// A way in which a step may depart from its method. A new variant is counted, printed and warned of by simulation, command line, Python
/// and viewer, which use [`Fallback::ALL`] alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fallback {
    /// See [`StepReport::accumulated`].
    Accumulated,
    /// See [`Pivots::unsolved`].
    Unsolved,
    /// See [`StepReport::gained`].
    Gained,
    /// The impulses of contacts do not meet all conditions: see [`StepReport::certificate`].
    Contact,
    /// See [`StepReport::crowded`].
    Crowded,
    /// See [`StepReport::bounded`].
    Bounded,
    /// See [`StepReport::turned`].
    Turned,
    /// See [`StepReport::overlapping`].
    Overlapping,
}

impl Fallback {
    /// All of them.
    pub const ALL: [Fallback; 8] = [
        Fallback::Accumulated,
        Fallback::Unsolved,
        Fallback::Gained,
        Fallback::Contact,
        Fallback::Crowded,
        Fallback::Bounded,
        Fallback::Turned,
        Fallback::Overlapping,
    ];
    /// The word shown to users and parsed.
    pub fn word(self) -> &'static str {
        match self {
            Fallback::Accumulated => "accumulated",
            Fallback::Unsolved => "unsolved",
            Fallback::Gained => "gained",
            Fallback::Contact => "contact",
            Fallback::Crowded => "crowded",
            Fallback::Bounded => "bounded",
            Fallback::Turned => "turned",
            Fallback::Overlapping => "overlapping",
        }
    }
    /// What happened, in a clause about the step.
    pub fn meaning(self) -> &'static str {
        match self {
            Fallback::Accumulated => {
                "events accumulated, or contact moved too abruptly to be followed, and the rest of the step was made by time stepping, at first order"
            }
            Fallback::Unsolved => {
                "some limits or dry friction were left undecided: forces there may be wrong"
            }
            Fallback::Gained => "the motion gained energy even in the smallest parts of the step",
            Fallback::Contact => {
                "the impulses of contacts were not found to the tolerance; the best that were found were used"
            }
            Fallback::Crowded => {
                "too many collisions for each to be at its own time: the others were resolved at the end of the step"
            }
            Fallback::Bounded => {
                "bodies rebounded with less than their restitution, which with friction would have added energy"
            }
            Fallback::Turned => {
                "links turned by more than 0.2 rad in a step, from which `semi-implicit` and `implicit` may gain energy"
            }
            Fallback::Overlapping => {
                "bodies lie so deep or in such numbers inside one another that a step could not push them apart; they are pushed a part of the way in each"
            }
        }
    }
    /// What to do about it.
    pub fn help(self) -> &'static str {
        match self {
            Fallback::Accumulated => {
                "shorter steps have fewer events each; `semi-implicit` and `implicit` do not look for them"
            }
            Fallback::Unsolved => {
                "try shorter steps; look for limits that contradict one another or a constraint"
            }
            Fallback::Gained => "take shorter steps",
            Fallback::Contact => {
                "the certificate says how far off they are; try shorter steps, smaller ratios of mass, or another solver"
            }
            Fallback::Crowded => "take shorter steps, or less restitution",
            Fallback::Turned => "use `leapfrog`, or shorter steps",
            Fallback::Overlapping => "start with bodies that are apart",
            Fallback::Bounded => {
                "choose Poisson's law of restitution (contact exact/poisson), which rarely needs this"
            }
        }
    }
}

/// The change made by a projection onto the constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Correction {
    /// Kinetic and potential energy together, J.
    pub energy: f64,
    /// The momentum, its angular part about the world's origin.
    pub momentum: Force,
}

/// A point at which a motion is not smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When, s.
    pub time: f64,
    /// What.
    pub kind: EventKind,
    /// Where.
    pub on: Inequality,
}
