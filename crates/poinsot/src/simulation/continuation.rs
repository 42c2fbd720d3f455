//! Adding or removing bodies while a simulation runs: it continues with another model.

use super::touching::Push;
use super::{Formulation, Load, Simulation, SimulationError};
use crate::dynamics::State;
use crate::integrate::{CoordinateMap, Inequality, MemoryReader, ModelRef};
use crate::model::{GeomId, Model};

impl<'a> Simulation<'a> {
    /// Continues this simulation with a model that has more bodies or fewer, made by [`ModelBuilder::of`] or [`Model::without`]. Joints,
    /// bodies and actuators are identified by their names. They keep their coordinates, velocities, controls and applied forces, the warm
    /// start of contact impulses, and the record of which contacts have begun; time, steps, tally and ledger continue. New joints start as
    /// in `begin`, or at rest in their reference configuration. Monitoring of energy and momentum starts again, and so do the decisions on
    /// limits and dry friction; force elements must be pushed again.
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
    /// let mut s = Simulation::builder(&one).contact(Contact::default()).build()?;
    /// s.run(100, 1e-3)?;
    /// let mut b = ModelBuilder::of(&one);
    /// let second = b.body(BodyId::WORLD, BodySpec::new("second").at(V3::Z * 0.4).solid_geom(skin(), 1.0)?);
    /// b.joint(second, Joint::free());
    /// let two = b.build()?;
    /// let mut s = s.continue_with(&two, None)?;
    /// s.run(1000, 1e-3)?;
    /// assert!((s.state().time - 1.1).abs() < 1e-9);
    /// assert!((s.at().pose(second).pos.z - 0.3).abs() < 1e-6); // it lies on the first
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn continue_with<'b>(
        &self,
        model: impl Into<ModelRef<'b>>,
        begin: Option<&State>,
    ) -> Result<Simulation<'b>, SimulationError> {
        let model = model.into();
        let refused =
            |why: &str| SimulationError::CannotContinue { model: model.name().into(), why: why.into() };
        let Some(method) = self.method else {
            return Err(refused("its integrator is your own; begin a simulation with another"));
        };
        let mut state = begin.cloned().unwrap_or_else(|| State::new(&model));
        super::error::refuse_singular(&model)?;
        super::error::check(&model, &state)?;
        state.time = self.state.time;
        let map = coordinate_map(&self.model, &model);
        let copy = |places: &[Option<usize>], from: &[f64], to: &mut [f64]| {
            for (x, place) in to.iter_mut().zip(places) {
                *x = place.map_or(*x, |place| from[place]);
            }
        };
        copy(&map.q, &self.state.q, &mut state.q);
        copy(&map.v, &self.state.v, &mut state.v);
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
        s.continue_from(self, &map)?;
        Ok(s)
    }

    /// Copies the memory of the other simulation.
    fn continue_from(&mut self, from: &Simulation, map: &CoordinateMap) -> Result<(), SimulationError> {
        let geoms = same_geoms(&from.model, &self.model);
        let stepped = self.bodies.as_ref().map_or(&self.state, |b| &b.state);
        self.system.remap_contacts(&from.system, stepped, &geoms);
        if self.formulation() == Formulation::Reduced {
            let mut memory = Vec::new();
            from.integrator.memory(&mut memory);
            self.integrator.remap(&mut MemoryReader::of(&memory), map, &self.state);
        }
        let mut tau = vec![0.0; self.model.nv()];
        let applied = from.applied_forces();
        for (force, place) in tau.iter_mut().zip(&map.v) {
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
        // limits and friction of joints are numbered by their rows, which keep their numbers if joints are only added
        let joints = |model: &Model| model.joints().len();
        let added =
            joints(&self.model) >= joints(&from.model) && map.q.iter().flatten().count() == from.model.nq();
        self.stepping = from.stepping;
        self.tally = from.tally.remapped(|on| match on {
            Inequality::Contact(geoms) => pair(geoms).map(Inequality::Contact),
            other => added.then_some(other),
        });
        let pushes = from.pushes();
        let pushes = pushes.iter().filter_map(|push| Some(Push { geoms: pair(push.geoms)?, ..*push }));
        let pairs: Vec<[GeomId; 2]> = from.touching.pairs.iter().filter_map(|p| pair(*p)).collect();
        self.touching.take_up(pushes.collect(), &pairs);
        if let (Some(own), Some(other)) = (&mut self.ledger, &from.ledger) {
            let mut memory = Vec::new();
            other.memory(&mut memory);
            own.restore_memory(&mut MemoryReader::of(&memory));
        }
        Ok(())
    }
}

/// The corresponding coordinates and velocities: those of joints of the same name and kind.
fn coordinate_map(from: &Model, to: &Model) -> CoordinateMap {
    let mut map =
        CoordinateMap { q: vec![None; to.nq()], v: vec![None; to.nv()], from: [from.nq(), from.nv()] };
    for joint in to.joints() {
        let Some(other) = from.joint(&joint.name).map(|id| &from[id]) else { continue };
        if std::mem::discriminant(&other.kind) == std::mem::discriminant(&joint.kind) {
            joint.coordinates().zip(other.coordinates()).for_each(|(k, place)| map.q[k] = Some(place));
            joint.dofs().zip(other.dofs()).for_each(|(k, place)| map.v[k] = Some(place));
        }
    }
    map
}

/// For each geom, the corresponding geom of the other model: on the body of the same name, in the same position among its geoms.
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
