//! Bodies that come and go while a simulation runs: it goes on with another model.

use super::touching::Push;
use super::{Formulation, Load, Simulation, SimulationError};
use crate::dynamics::State;
use crate::integrate::{Carried, Inequality, ModelRef, Recall};
use crate::model::{GeomId, Model};

impl<'a> Simulation<'a> {
    /// This simulation, as it goes on with a model that has more bodies or fewer: [`ModelBuilder::of`] and [`Model::without`] make one. Joints, bodies and
    /// actuators are the same where their names are. They keep coordinates, velocities, controls, applied forces, the impulses that contacts begin with,
    /// and which contacts have begun; time, steps, tally and ledger go on. What is new is as `begin` has it, else at rest in its reference
    /// configuration. Energy and momentum are watched anew, and limits and dry friction decided anew; force elements that were pushed
    /// are to be pushed again.
    ///
    /// [`ModelBuilder::of`]: crate::model::ModelBuilder::of
    ///
    /// ```
    /// use poinsot::prelude::*;
    /// let skin = || Geom::new(Shape::Sphere { radius: 0.1 });
    /// let mut b = ModelBuilder::new("balls");
    /// b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
    /// let first = b.body(BodyId::WORLD, BodySpec::new("first").at(V3::Z * 0.1).solid_geom(skin(), 1.0)?);
    /// b.joint(first, Joint::free());
    /// let one = b.build()?;
    /// let mut s = Simulation::builder(&one).integrator(Method::Leapfrog).contact(Contact::default()).build()?;
    /// s.run(100, 1e-3)?;
    /// let mut b = ModelBuilder::of(&one);
    /// let second = b.body(BodyId::WORLD, BodySpec::new("second").at(V3::Z * 0.4).solid_geom(skin(), 1.0)?);
    /// b.joint(second, Joint::free());
    /// let two = b.build()?;
    /// let mut s = s.carry_to(&two, None)?;
    /// s.run(1000, 1e-3)?;
    /// assert!((s.state().time - 1.1).abs() < 1e-9);
    /// assert!((s.at().pose(second).pos.z - 0.3).abs() < 1e-6); // it lies on the first
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn carry_to<'b>(
        &self,
        model: impl Into<ModelRef<'b>>,
        begin: Option<&State>,
    ) -> Result<Simulation<'b>, SimulationError> {
        let model = model.into();
        let refused = |why: &str| SimulationError::NotCarried { model: model.name().into(), why: why.into() };
        let Some(method) = self.method else {
            return Err(refused("its integrator is your own; begin a simulation with another"));
        };
        let mut state = begin.cloned().unwrap_or_else(|| State::new(&model));
        super::error::check(&model, &state)?;
        state.time = self.state.time;
        let carried = carried(&self.model, &model);
        let copy = |places: &[Option<usize>], from: &[f64], to: &mut [f64]| {
            for (x, place) in to.iter_mut().zip(places) {
                *x = place.map_or(*x, |place| from[place]);
            }
        };
        copy(&carried.q, &self.state.q, &mut state.q);
        copy(&carried.v, &self.state.v, &mut state.v);
        let names =
            |model: &Model| -> Vec<String> { model.actuators().iter().map(|a| a.name.clone()).collect() };
        if names(&self.model) == names(&model) {
            state.activation.clone_from(&self.state.activation);
        } else if !(state.activation.is_empty() && self.state.activation.is_empty()) {
            return Err(refused("actuators with activations have come or gone; give it the same actuators"));
        }
        let builder = Simulation::builder(model.clone());
        let builder = if self.lenient { builder.lenient() } else { builder };
        let mut s = builder
            .state(state)
            .integrator(method)
            .formulation(self.formulation())
            .stabilisation(self.stabilisation())
            .contact(self.contact)
            .control(controls(self, &model))
            .dt(self.dt)
            .ledger(self.ledger.is_some())
            .build()?;
        s.go_on_from(self, &carried)?;
        Ok(s)
    }

    /// Takes up what the other remembers.
    fn go_on_from(&mut self, from: &Simulation, carried: &Carried) -> Result<(), SimulationError> {
        let geoms = same_geoms(&from.model, &self.model);
        let stepped = self.bodies.as_ref().map_or(&self.state, |b| &b.state);
        self.system.carry_contacts(&from.system, stepped, &geoms);
        if self.formulation() == Formulation::Reduced {
            let mut memory = Vec::new();
            from.integrator.memory(&mut memory);
            self.integrator.carry(&mut Recall::of(&memory), carried, &self.state);
        }
        let mut tau = vec![0.0; self.model.nv()];
        let applied = from.applied_forces();
        for (force, place) in tau.iter_mut().zip(&carried.v) {
            *force = place.map_or(0.0, |place| applied[place]);
        }
        if tau.iter().any(|force| *force != 0.0) {
            self.apply_forces(&tau)?;
        }
        for load in from.loads() {
            if let Some(body) = self.model.body(&from.model[load.body].name) {
                self.apply_load(Load { body, ..load })?;
            }
        }
        (self.clock, self.steps, self.substeps) = (from.clock, from.steps, from.substeps);
        let pair = |pair: [GeomId; 2]| match pair.map(|g| geoms[g.index()]) {
            [Some(a), Some(b)] => Some([a, b]),
            _ => None,
        };
        // limits and friction of joints have the numbers of their rows, which stay where joints are only added
        let joints = |model: &Model| model.joints().len();
        let added = joints(&self.model) >= joints(&from.model)
            && carried.q.iter().flatten().count() == from.model.nq();
        self.stepping = from.stepping;
        self.tally = from.tally.carried(|on| match on {
            Inequality::Contact(geoms) => pair(geoms).map(Inequality::Contact),
            other => added.then_some(other),
        });
        let pushes = from.pushes();
        let pushes = pushes.iter().filter_map(|push| Some(Push { geoms: pair(push.geoms)?, ..*push }));
        self.touching
            .take_up(pushes.collect(), from.touching.pairs.iter().filter_map(|p| pair(*p)).collect());
        if let (Some(own), Some(other)) = (&mut self.ledger, &from.ledger) {
            let mut memory = Vec::new();
            other.memory(&mut memory);
            own.recall(&mut Recall::of(&memory));
        }
        Ok(())
    }
}

/// Which coordinates and velocities are the same: those of joints of the same name and kind.
fn carried(from: &Model, to: &Model) -> Carried {
    let mut carried =
        Carried { q: vec![None; to.nq()], v: vec![None; to.nv()], from: [from.nq(), from.nv()] };
    for joint in to.joints() {
        let Some(other) = from.joint(&joint.name).map(|id| &from[id]) else { continue };
        if std::mem::discriminant(&other.kind) == std::mem::discriminant(&joint.kind) {
            joint.coordinates().zip(other.coordinates()).for_each(|(k, place)| carried.q[k] = Some(place));
            joint.dofs().zip(other.dofs()).for_each(|(k, place)| carried.v[k] = Some(place));
        }
    }
    carried
}

/// For each geom the one of the other model that is on the body of the same name, at the same place among its geoms.
fn same_geoms(from: &Model, to: &Model) -> Vec<Option<GeomId>> {
    let place = |model: &Model, id: GeomId| {
        let before = &model.geoms()[..id.index()];
        before.iter().filter(|g| g.body() == model[id].body()).count()
    };
    let same = |id: GeomId| {
        let body = to.body(&from[from[id].body()].name)?;
        let k = place(from, id);
        to.geom_ids().filter(|g| to[*g].body() == body).nth(k)
    };
    from.geom_ids().map(same).collect()
}

fn controls(from: &Simulation, to: &Model) -> Vec<f64> {
    let old = from.model().actuators();
    let place = |name: &str| old.iter().position(|a| a.name == name);
    to.actuators().iter().map(|a| place(&a.name).map_or(0.0, |k| from.control()[k])).collect()
}
