//! Forces that a user applies: along degrees of freedom, and to bodies.

use super::{Simulation, SimulationError};
use crate::algebra::V3;
use crate::dynamics::{At, ExternalForces, State, Workspace};
use crate::integrate::ForceElement;
use crate::model::{BodyId, Model};
use crate::spatial::Force;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A force and a moment on a body: constant in world axes, at a point that moves with the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The body.
    pub body: BodyId,
    /// The point of application, in the body's frame.
    pub point: V3,
    /// The force, and an additional moment, in world axes.
    pub wrench: Force,
}

impl Load {
    /// The load about the world's origin.
    fn about_origin(&self, at: &At) -> Force {
        let place = at.pose(self.body).point(self.point);
        let by_force = Force::at_point(self.wrench.force, place);
        Force { moment: by_force.moment + self.wrench.moment, force: by_force.force }
    }
}

/// The applied forces; shared with the element that exerts them on the system.
#[derive(Clone)]
pub(super) struct Applied(Arc<Mutex<Inner>>);

struct Inner {
    tau: Vec<f64>,
    loads: Vec<Load>,
    scratch: (Workspace, State, ExternalForces),
}

impl Applied {
    pub fn new(model: &Model) -> Applied {
        let scratch = (Workspace::new(model), State::new(model), ExternalForces::new(model));
        Applied(Arc::new(Mutex::new(Inner { tau: vec![0.0; model.nv()], loads: Vec::new(), scratch })))
    }
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Passes the forces along the joints on.
    pub fn with_forces<R>(&self, read: impl FnOnce(&[f64]) -> R) -> R {
        read(&self.inner().tau)
    }
    /// Adds the loads to external forces.
    pub fn push_loads(&self, at: &At, outside: &mut ExternalForces) {
        self.inner().loads.iter().for_each(|load| outside.push(at, load.body, load.about_origin(at)));
    }
}

impl ForceElement for Applied {
    fn add_forces(&self, model: &Model, time: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        let Inner { tau: own, loads, scratch: (workspace, state, outside) } = &mut *self.inner();
        tau.iter_mut().zip(own).for_each(|(tau, own)| *tau += *own);
        if loads.is_empty() {
            return;
        }
        state.time = time;
        state.q.copy_from_slice(q);
        state.v.copy_from_slice(v);
        let at = workspace.at(model, state);
        outside.clear();
        loads.iter().for_each(|load| outside.push(&at, load.body, load.about_origin(&at)));
        workspace.add_external(model, q, outside, 1.0, tau);
    }
    fn is_steady(&self) -> bool {
        true
    }
}

impl Simulation<'_> {
    /// The generalised forces that are applied, one for each degree of freedom.
    pub fn applied_forces(&self) -> Vec<f64> {
        self.applied.as_ref().map_or_else(|| vec![0.0; self.model.nv()], |a| a.inner().tau.clone())
    }
    /// The forces applied to bodies.
    pub fn loads(&self) -> Vec<Load> {
        self.applied.as_ref().map_or_else(Vec::new, |a| a.inner().loads.clone())
    }

    /// Applies generalised forces, one for each degree of freedom, N or N m, in addition to those of the model itself; they act until they
    /// are set again. The ledger records their work in the line `elements`.
    ///
    /// ```
    /// use poinsot::{Simulation, integrate::Method};
    /// let scene = poinsot::scenes::by_name("double-pendulum")?;
    /// let mut simulation = Simulation::new(&scene.model, scene.state, Method::Rkmk4)?;
    /// let mut hold = vec![0.0; 2];
    /// let (model, q) = (simulation.model().clone(), simulation.state().q.clone());
    /// poinsot::dynamics::Workspace::new(&model).gravity(&model, &q, &mut hold);
    /// simulation.apply_forces(&hold)?;
    /// simulation.run(1000, 1e-3)?;
    /// assert!(simulation.state().v.iter().all(|v| v.abs() < 1e-9)); // they bear its weight
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply_forces(&mut self, tau: &[f64]) -> Result<(), SimulationError> {
        let (given, wanted) = (tau.len(), self.model.nv());
        if given != wanted {
            return Err(SimulationError::BadForce(format!("{given} forces for {wanted} degrees of freedom")));
        }
        if let Some(k) = tau.iter().position(|x| !x.is_finite()) {
            let what =
                format!("the force along {} is {}, which is not finite", self.model.dof_name(k), tau[k]);
            return Err(SimulationError::BadForce(what));
        }
        let none = self.applied.is_none() && tau.iter().all(|x| *x == 0.0);
        if !none && self.applied.as_ref().is_none_or(|a| a.inner().tau != tau) {
            self.applied().inner().tau.copy_from_slice(tau);
            self.forces_changed();
        }
        Ok(())
    }

    /// Applies a force to a body, in addition to those already applied, until [`Simulation::clear_loads`].
    ///
    /// ```
    /// use poinsot::{Load, Simulation, algebra::V3, integrate::Method, model::BodyId, spatial::Force};
    /// let scene = poinsot::scenes::by_name("pendulum")?;
    /// let mut simulation = Simulation::new(&scene.model, scene.state, Method::Rkmk4)?;
    /// let bob = scene.model.body_ids().last().unwrap();
    /// let point = scene.model[bob].inertia.com();
    /// let up = Force { moment: V3::ZERO, force: V3::Z * (9.81 * scene.model.mass()) };
    /// simulation.apply_load(Load { body: bob, point, wrench: up })?;
    /// simulation.run(1000, 1e-3)?;
    /// assert!(simulation.state().v[0].abs() < 1e-9); // it bears the weight
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply_load(&mut self, load: Load) -> Result<(), SimulationError> {
        let Some(body) = self.model.bodies().get(load.body.index()) else {
            return Err(SimulationError::BadForce(format!("there is no body {}", load.body.index())));
        };
        let Force { moment, force } = load.wrench;
        if !(moment.is_finite() && force.is_finite() && load.point.is_finite()) {
            return Err(SimulationError::BadForce(format!("the force on \"{}\" is not finite", body.name)));
        }
        self.applied().inner().loads.push(load);
        self.forces_changed();
        Ok(())
    }
    /// Removes all forces on bodies.
    pub fn clear_loads(&mut self) {
        if self.applied.as_ref().is_some_and(|a| !a.inner().loads.is_empty()) {
            self.applied().inner().loads.clear();
            self.forces_changed();
        }
    }

    /// The applied forces, as an element of the system from the first request on.
    fn applied(&mut self) -> Applied {
        if let Some(applied) = &self.applied {
            return applied.clone();
        }
        let applied = Applied::new(&self.model);
        match &self.bodies {
            Some(bodies) => bodies.push(applied.clone()),
            None => self.system.push(applied.clone()),
        }
        self.applied = Some(applied.clone());
        applied
    }

    /// Tells the ledger that the forces have changed.
    fn forces_changed(&mut self) {
        let stepped = self.bodies.as_ref().map_or(&self.state, |b| &b.state);
        if let Some(ledger) = &mut self.ledger {
            ledger.restart(&mut self.system, stepped);
        }
    }
}
