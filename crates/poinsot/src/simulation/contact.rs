//! Contact settings of a simulation.

use super::finder::Finder;
use super::overlap::Overlaps;
use super::surfaces::ContactCompliance;
use super::{Simulation, SimulationError};
use crate::constraint::{ContactResult, ContactSettings, ContactSolver, Impacts, Maximal, Restitution};
use crate::integrate::{Method, Stepping, System};
use crate::model::Model;
use crate::tally::ContactStatistics;
use poinsot_collide::{CollideError, Scene};
use std::fmt;
use std::str::FromStr;

/// The treatment of contact.
///
/// ```
/// use poinsot::prelude::*;
/// let mut b = ModelBuilder::new("a ball falls on the floor");
/// b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
/// let rubber = Geom::new(Shape::Sphere { radius: 0.1 })
///     .material(Material { restitution: 0.5, ..Material::default() });
/// let ball = b.body(BodyId::WORLD, BodySpec::new("ball").at(V3::Z * 1.1).solid_geom(rubber, 1.0)?);
/// b.joint(ball, Joint::free());
/// let model = b.build()?;
/// let mut simulation = Simulation::builder(&model).contact("exact".parse::<Contact>()?).build()?;
/// simulation.run(1000, 1e-3)?;
/// let hit = simulation.events()[0].time;
/// assert!((hit - (2.0f64 / 9.81).sqrt()).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// The solver of impulses, the law of restitution, and whether fast bodies are swept along their paths.
    pub settings: ContactSettings,
    /// If given, all contacts are springs with dampers; `None`: as their materials say.
    pub penalty: Option<Penalty>,
    /// If true, contacts have the compliance in MJCF's `solref` and `solimp` of their materials, unless these give a stiffness.
    pub soft: bool,
}

/// A contact as a spring with a damper: it pushes but never pulls, and friction is at most μ times the normal force. Unless gains are
/// given, they follow from the masses m₁ and m₂ of the bodies, with `m = m₁ m₂/(m₁ + m₂)`: `k_p = m/T²` and `k_d = 2 m/T`, critical damping
/// for any masses.
///
/// ```
/// use poinsot::{Contact, Penalty};
/// let stiff = Penalty { gains: Some([2e4, 30.0]), explicit: true, ..Penalty::default() };
/// let contact: Contact = "penalty:20000,30/explicit".parse()?;
/// assert_eq!(contact.penalty, Some(stiff));
/// assert_eq!(contact.to_string(), "penalty:20000,30/explicit");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// k_p, N/m, and k_d, N s/m.
    pub gains: Option<[f64; 2]>,
    /// T, s. If the force is explicit, T is at least 16 steps.
    pub time_constant: f64,
    /// If true, the force is that at the start of the step, which diverges if the gains are too large for masses and step; otherwise that
    /// at its end, which is stable with any gains.
    pub explicit: bool,
}

impl Default for Penalty {
    fn default() -> Penalty {
        Penalty { gains: None, time_constant: 0.01, explicit: false }
    }
}

/// `K,D`: a stiffness and a damping.
fn gains(text: &str) -> Option<[f64; 2]> {
    let (k, d) = text.split_once(',')?;
    let gains = [k.trim().parse().ok()?, d.trim().parse().ok()?];
    gains.iter().all(|x: &f64| x.is_finite() && *x >= 0.0).then_some(gains)
}

impl FromStr for Contact {
    type Err = String;
    /// `exact`, `lcp`, `lcp:EDGES`, `pgs`; `impulse`: the exact solver, with collisions one after the other; `penalty`: springs and
    /// dampers, with your own gains `penalty:K,D`. With the suffix `/discrete`, bodies are not swept along their paths; with `/poisson`, e
    /// is Poisson's; with `/soft`, contacts are compliant as `solref` says; `/resting:SPEED` is γ; `penalty/explicit` takes the forces at the beginning of the
    /// step.
    fn from_str(text: &str) -> Result<Contact, String> {
        let mut words = text.split('/');
        let word = words.next().unwrap_or_default();
        let mut contact = Contact::default();
        match word {
            "impulse" => contact.settings.impacts = Impacts::Sequential,
            "penalty" => contact.penalty = Some(Penalty::default()),
            word if word.starts_with("penalty:") => {
                let gains = gains(&word["penalty:".len()..]).ok_or_else(|| {
                    format!("\"{word}\" has no two gains; give a stiffness in N/m and a damping in N s/m, as in penalty:2e4,30")
                })?;
                contact.penalty = Some(Penalty { gains: Some(gains), ..Penalty::default() });
            }
            word => {
                contact.settings.solver = word.parse::<ContactSolver>().map_err(|_| {
                    let all = "exact, lcp, lcp:EDGES, pgs, impulse, penalty, penalty:K,D or none";
                    format!("there is no contact \"{word}\"; give {all}")
                })?;
            }
        }
        for choice in words {
            match choice {
                "swept" => contact.settings.swept = true,
                "discrete" => contact.settings.swept = false,
                "newton" => contact.settings.restitution = Restitution::Newton,
                "poisson" => contact.settings.restitution = Restitution::Poisson,
                "soft" => contact.soft = true,
                choice if choice.starts_with("resting:") => {
                    let speed = choice["resting:".len()..].parse().ok();
                    let speed = speed.filter(|x: &f64| x.is_finite() && *x >= 0.0);
                    contact.settings.resting = Some(speed.ok_or_else(|| {
                        format!("\"{choice}\" has no speed; give one of 0 or more, m/s, as in resting:1e-3")
                    })?);
                }
                "explicit" | "implicit" => match &mut contact.penalty {
                    Some(penalty) => penalty.explicit = choice == "explicit",
                    None => {
                        return Err(format!(
                            "\"{choice}\" is a choice of penalty alone, as in penalty/explicit"
                        ));
                    }
                },
                other => {
                    let all = "swept or discrete, newton or poisson, soft, resting:SPEED, and of penalty implicit or explicit";
                    return Err(format!("there is no choice \"{other}\" of contact; after / give {all}"));
                }
            }
        }
        Ok(contact)
    }
}

impl fmt::Display for Contact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.penalty, self.settings.impacts, self.settings.solver) {
            (Some(Penalty { gains: Some([k, d]), .. }), ..) => write!(f, "penalty:{k},{d}"),
            (Some(_), ..) => f.write_str("penalty"),
            (None, Impacts::Sequential, ContactSolver::Exact) => f.write_str("impulse"),
            (None, _, solver) => solver.fmt(f),
        }?;
        let poisson = self.settings.restitution == Restitution::Poisson;
        let explicit = self.penalty.is_some_and(|penalty| penalty.explicit);
        for (choice, chosen) in [
            ("/discrete", !self.settings.swept),
            ("/poisson", poisson),
            ("/soft", self.soft),
            ("/explicit", explicit),
        ] {
            if chosen {
                f.write_str(choice)?;
            }
        }
        self.settings.resting.map_or(Ok(()), |speed| write!(f, "/resting:{speed}"))
    }
}

impl Contact {
    /// The default contact settings of a model: the exact solver if geoms may touch and the method supports contacts, otherwise `None`.
    pub fn usual(model: &Model, method: Method) -> Option<Contact> {
        // `midpoint` does not support contacts together with constraints and limits
        let alone = model.constraints().is_empty() && model.bounds().is_empty();
        let stepped = Contact::is_stepped_by(method) && (method != Method::Midpoint || alone);
        (stepped && poinsot_collide::some_may_touch(model)).then(Contact::default)
    }

    /// Why nothing can ever touch in a model, if that is so.
    ///
    /// ```
    /// use poinsot::Contact;
    /// let text = r#"<mujoco><option><flag contact="disable"/></option><worldbody><geom type="plane" size="0 0 1"/>
    ///   <body><freejoint/><geom size="1"/></body></worldbody></mujoco>"#;
    /// let off = poinsot::formats::load_text("off.xml", text, &Default::default())?.model;
    /// assert!(Contact::nothing_touches(&off).is_some_and(|why| why.contains("switched off")));
    /// # Ok::<(), poinsot::formats::LoadError>(())
    /// ```
    pub fn nothing_touches(model: &Model) -> Option<&'static str> {
        if !model.has_contact() {
            return Some("contact is switched off in the model (MJCF: the flags `contact` and `constraint`)");
        }
        let none =
            "no two of its geoms may touch (contype, conaffinity, exclude; parents and children never do)";
        (!poinsot_collide::some_may_touch(model)).then_some(none)
    }

    /// True for the methods that support contacts.
    pub fn is_stepped_by(method: Method) -> bool {
        method.stepping().is_some()
    }

    /// The warning for bodies that may touch and an integrator that does not support contact.
    pub fn not_stepped_sentence(integrator: &str) -> String {
        let others = "leapfrog and rkmk4 do, among others";
        format!(
            "not simulated: contact: bodies pass through each other; `{integrator}` does not support contact; {others}"
        )
    }

    /// Checks and adapts the settings for event-driven motion, which has no compliant contacts and uses a lower threshold for rebounds.
    fn between_events(mut self, model: &Model, integrator: &'static str) -> Result<Contact, SimulationError> {
        if self.settings.solver == ContactSolver::Pgs {
            return Err(SimulationError::PgsBetweenEvents { integrator });
        }
        let yields = model.geoms().iter().any(|geom| geom.material.stiffness.is_some());
        if self.penalty.is_some() || yields {
            return Err(SimulationError::YieldsBetweenEvents { integrator });
        }
        self.settings.resting.get_or_insert(ContactSettings::RESTING_BETWEEN_EVENTS);
        Ok(self)
    }

    /// Enables contact between the bodies of a system, which is that of the model or of its free bodies; returns the geoms that cannot be
    /// read, and so have no contact, and those that overlap.
    pub(super) fn begin(
        self,
        model: &Model,
        q: &[f64],
        maximal: Option<&Maximal>,
        system: &mut System,
    ) -> Result<(Vec<CollideError>, Overlaps), CollideError> {
        let (scene, left_out) = Scene::of_readable(model);
        let mut finder = Finder::new(scene, model, maximal, ContactCompliance::of(self, model));
        let overlaps = finder.leave_out(model, q)?;
        system.touch(finder, self.settings);
        Ok((left_out, overlaps))
    }
}

/// More threads than this are taken for a mistake.
const MOST_THREADS: usize = 256;

impl Simulation<'_> {
    /// Enables contact; a geom that cannot be read is an error, or skipped if `lenient`.
    pub(super) fn touch(&mut self, contact: Contact, lenient: bool) -> Result<(), SimulationError> {
        let Some(stepping) = self.method.and_then(Method::stepping) else {
            return Err(SimulationError::NotForContact { integrator: self.integrator.name() });
        };
        if let Some(bad) = contact.settings.resting.filter(|gamma| !(gamma.is_finite() && *gamma >= 0.0)) {
            return Err(SimulationError::BadRestingSpeed(bad));
        }
        if !(1..=MOST_THREADS).contains(&contact.settings.threads) {
            return Err(SimulationError::BadThreads(contact.settings.threads));
        }
        let contact = match stepping {
            Stepping::Time => contact,
            Stepping::Events => contact.between_events(&self.model, self.integrator.name())?,
        };
        let maximal = self.bodies.as_ref().map(|b| &*b.maximal);
        let (left_out, overlaps) = contact.begin(&self.model, &self.state.q, maximal, &mut self.system)?;
        if let (Some(error), false) = (left_out.first(), lenient) {
            return Err(error.clone().into());
        }
        (self.left_out, self.overlaps, self.lenient) = (left_out, overlaps, lenient);
        self.contact = Some(contact);
        self.add_query_loads();
        self.begin_watch();
        Ok(())
    }
    /// The contact settings; `None`: bodies pass through one another.
    pub fn contact(&self) -> Option<Contact> {
        self.contact
    }
    /// The worst values of all contacts since energy and momentum have been monitored; `None` without contact.
    ///
    /// ```
    /// use poinsot::prelude::*;
    /// let mut b = ModelBuilder::new("a block on the floor");
    /// b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
    /// let cube = Geom::new(Shape::Box { size: V3::new(0.2, 0.2, 0.2) });
    /// let block = b.body(BodyId::WORLD, BodySpec::new("block").at(V3::Z * 0.1).solid_geom(cube, 1.0)?);
    /// b.joint(block, Joint::free());
    /// let model = b.build()?;
    /// let contact = Contact::default();
    /// let mut simulation = Simulation::builder(&model).contact(contact).build()?;
    /// simulation.run(100, 1e-3)?;
    /// let touched = simulation.contact_statistics().unwrap();
    /// assert_eq!((touched.most, touched.collisions, touched.unsolved), (4, 0, 0));
    /// assert!(touched.residual < 1e-9 && touched.penetration < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contact_statistics(&self) -> Option<ContactStatistics> {
        self.contact.map(|_| self.tally.touched())
    }
    /// The geoms without contact because they cannot be read, if [`SimulationBuilder::lenient`] accepted them, with the reasons.
    ///
    /// [`SimulationBuilder::lenient`]: crate::SimulationBuilder::lenient
    pub fn left_out(&self) -> &[CollideError] {
        &self.left_out
    }
    /// As [`Simulation::left_out`], in one line for people; `None` if no geom was skipped.
    ///
    /// ```
    /// use poinsot::{formats::{Ground, LoadOptions, load_text}, prelude::*};
    /// let text = r#"<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    ///   <collision><geometry><mesh filename="gone.stl"/></geometry></collision>
    ///   <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"#;
    /// let options = LoadOptions { floating_base: true, ground: Some(Ground::At(-1.0)), ..LoadOptions::default() };
    /// let model = load_text("r.urdf", text, &options)?.model;
    /// let builder = Simulation::builder(&model).contact(Contact::default());
    /// assert!(builder.clone().build().is_err());
    /// let mut simulation = builder.lenient().build()?;
    /// assert!(simulation.left_out_sentence().unwrap().contains("gone.stl"));
    /// simulation.run(2000, 1e-3)?;
    /// assert!((simulation.state().q[2] + 0.9).abs() < 1e-6); // the ball lies on the ground
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn left_out_sentence(&self) -> Option<String> {
        const MOST: usize = 3;
        let (n, all) = (self.left_out.len(), self.left_out.iter().map(ToString::to_string));
        let mut named: Vec<String> = all.take(MOST).collect();
        if n > MOST {
            named.push(format!("and {} more", n - MOST));
        }
        let what = if n == 1 { "this geom" } else { &format!("{n} geoms") };
        (n > 0).then(|| {
            format!("not simulated: contact of {what}, which everything passes through: {}", named.join("; "))
        })
    }
    /// The contacts of the last step, with their impulses. Bodies are those of the model.
    pub fn contacts(&self) -> &[ContactResult] {
        &self.system.report().contacts
    }
}
