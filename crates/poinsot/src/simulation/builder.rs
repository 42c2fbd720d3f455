//! The builder of simulations.

use super::{Contact, Formulation, STEPS, Simulation, SimulationError};
use crate::constraint::Stabilisation;
use crate::dynamics::State;
use crate::integrate::{Method, ModelRef, Stepping};

/// The settings of a new simulation, created by [`Simulation::builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct SimulationBuilder<'a> {
    model: ModelRef<'a>,
    state: Option<State>,
    control: Vec<f64>,
    method: Option<Method>,
    stepping: Option<Stepping>,
    formulation: Formulation,
    stabilisation: Stabilisation,
    dt: f64,
    ledger: bool,
    contact: Option<Contact>,
    lenient: bool,
}

impl<'a> SimulationBuilder<'a> {
    pub(super) fn new(model: ModelRef<'a>) -> SimulationBuilder<'a> {
        SimulationBuilder {
            control: vec![0.0; model.actuators().len()],
            model,
            state: None,
            method: None,
            stepping: None,
            formulation: Formulation::default(),
            stabilisation: Stabilisation::default(),
            dt: 1e-3,
            ledger: false,
            contact: None,
            lenient: false,
        }
    }
    /// The initial state [default: at rest in the neutral configuration].
    pub fn state(mut self, state: State) -> Self {
        self.state = Some(state);
        self
    }
    /// The initial control signals [default: 0].
    pub fn control(mut self, control: Vec<f64>) -> Self {
        self.control = control;
        self
    }
    /// The integrator [default: leapfrog; from event to event, adaptive].
    pub fn integrator(mut self, method: Method) -> Self {
        self.method = Some(method);
        self
    }
    /// How it steps through contact [default: that of the integrator].
    ///
    /// ```
    /// use poinsot::prelude::*;
    /// let mut b = ModelBuilder::new("a ball bounces");
    /// b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
    /// let rubber = Material { restitution: 0.8, ..Material::default() };
    /// let skin = Geom::new(Shape::Sphere { radius: 0.1 }).material(rubber);
    /// let ball = b.body(BodyId::WORLD, BodySpec::new("ball").at(V3::Z * 1.1).solid_geom(skin, 1.0)?);
    /// b.joint(ball, Joint::free());
    /// let model = b.build()?;
    /// let mut simulation =
    ///     Simulation::builder(&model).stepping(Stepping::Events).contact(Contact::default()).build()?;
    /// simulation.run(420, 0.01)?;
    /// let impacts = simulation.events();
    /// let (fall, e) = ((2.0f64 / 9.81).sqrt(), 0.8f64);
    /// for (n, impact) in impacts[..10].iter().enumerate() {
    ///     let exact = fall * (1.0 + (0..n).map(|k| 2.0 * e.powi(k as i32 + 1)).sum::<f64>());
    ///     assert!((impact.time - exact).abs() < 1e-11);
    /// }
    /// // after all bounces, which are over at 9 fall, it rests
    /// assert!((simulation.at().pose(ball).pos.z - 0.1).abs() < 1e-12 && simulation.state().time > 9.0 * fall);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stepping(mut self, stepping: Stepping) -> Self {
        self.stepping = Some(stepping);
        self
    }
    /// The coordinates that are stepped [default: those of the joints].
    pub fn formulation(mut self, formulation: Formulation) -> Self {
        self.formulation = formulation;
        self
    }
    /// How constraint drift is prevented [default: projection].
    pub fn stabilisation(mut self, by: Stabilisation) -> Self {
        self.stabilisation = by;
        self
    }
    /// The step size of [`Simulation::step`], s [default: 1e-3].
    pub fn dt(mut self, dt: f64) -> Self {
        self.dt = dt;
        self
    }
    /// Whether to keep a ledger of every step, as [`Simulation::keep_ledger`] does [default: no].
    pub fn ledger(mut self, kept: bool) -> Self {
        self.ledger = kept;
        self
    }
    /// The contact settings [default: no contact].
    pub fn contact(mut self, contact: impl Into<Option<Contact>>) -> Self {
        self.contact = contact.into();
        self
    }
    /// Accepts geoms that cannot be prepared for contact, for example because the file of a mesh is missing or damaged: they have no
    /// contact, and [`Simulation::left_out`] names them [default: such a geom is an error].
    pub fn lenient(mut self) -> Self {
        self.lenient = true;
        self
    }
    /// Builds the simulation; the error says what does not fit.
    pub fn build(self) -> Result<Simulation<'a>, SimulationError> {
        if !STEPS.contains(&self.dt) {
            return Err(SimulationError::BadStep(self.dt));
        }
        let state = self.state.unwrap_or_else(|| State::new(&self.model));
        let method = match (self.method, self.stepping) {
            (None, Some(stepping)) => stepping.method(Method::default()),
            (None, _) => Method::default(),
            (Some(method), Some(stepping)) if method.stepping() != Some(stepping) => {
                return Err(SimulationError::WrongStepping { method, stepping });
            }
            (Some(method), _) => method,
        };
        let mut simulation = Simulation::begin(self.model, state, method, self.formulation)?;
        simulation.dt = self.dt;
        if let Some(contact) = self.contact {
            simulation.touch(contact, self.lenient)?;
        }
        simulation.stabilise(self.stabilisation);
        simulation.set_control(&self.control)?;
        if self.ledger {
            simulation.keep_ledger();
        }
        Ok(simulation)
    }
}
