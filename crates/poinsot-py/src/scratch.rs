//! Scratch for the dynamics, shared by all calls on one model.

use poinsot::constraint::Multipliers;
use poinsot::dynamics::{
    BatchWorkspace, ForwardDynamicsDerivatives, InverseDynamicsDerivatives, MassMatrix, Regressor, State,
    Workspace,
};
use poinsot::hierarchy::Hierarchy;
use poinsot::model::Model;
use std::sync::{Arc, Mutex};

/// What the dynamics of one model needs.
pub struct Scratch {
    pub workspace: Workspace,
    pub state: State,
    mass: Option<MassMatrix>,
    batch: Option<BatchWorkspace>,
    multipliers: Option<Box<Multipliers>>,
    hierarchy: Option<Box<Hierarchy>>,
    inverse: Option<Box<InverseDynamicsDerivatives>>,
    forward: Option<Box<ForwardDynamicsDerivatives>>,
    regressor: Option<Box<Regressor>>,
}

impl Scratch {
    fn new(model: &Model) -> Scratch {
        Scratch {
            workspace: Workspace::new(model),
            state: State::new(model),
            mass: None,
            batch: None,
            multipliers: None,
            hierarchy: None,
            inverse: None,
            forward: None,
            regressor: None,
        }
    }

    /// The mass matrix at q, row after row.
    pub fn mass_matrix(&mut self, model: &Model, q: &[f64], out: &mut [f64]) {
        let mass = self.mass.get_or_insert_with(|| MassMatrix::new(model));
        self.workspace.mass_matrix(model, q, mass);
        // it is symmetric: columns are rows
        out.copy_from_slice(mass.dense().as_slice());
    }

    /// The constraints, and scratch for sweeps.
    pub fn constraints(&mut self, model: &Model) -> (&mut Workspace, &mut Multipliers) {
        (&mut self.workspace, self.multipliers.get_or_insert_with(|| Box::new(Multipliers::new(model))))
    }

    /// The trace form.
    pub fn hierarchy(&mut self, model: &Model) -> &mut Hierarchy {
        self.hierarchy.get_or_insert_with(|| Box::new(Hierarchy::new(model)))
    }

    /// Derivatives of inverse dynamics, and scratch for sweeps.
    pub fn inverse_derivatives(
        &mut self,
        model: &Model,
    ) -> (&mut Workspace, &mut InverseDynamicsDerivatives) {
        let make = || Box::new(InverseDynamicsDerivatives::new(model));
        (&mut self.workspace, self.inverse.get_or_insert_with(make))
    }

    /// Derivatives of forward dynamics, and scratch for sweeps.
    pub fn forward_derivatives(
        &mut self,
        model: &Model,
    ) -> (&mut Workspace, &mut ForwardDynamicsDerivatives) {
        let make = || Box::new(ForwardDynamicsDerivatives::new(model));
        (&mut self.workspace, self.forward.get_or_insert_with(make))
    }

    /// The regressor, and scratch for sweeps.
    pub fn regressor(&mut self, model: &Model) -> (&mut Workspace, &mut Regressor) {
        (&mut self.workspace, self.regressor.get_or_insert_with(|| Box::new(Regressor::new(model))))
    }

    /// Scratch for eight states.
    pub fn batch(&mut self, model: &Model) -> &mut BatchWorkspace {
        self.batch.get_or_insert_with(|| BatchWorkspace::new(model))
    }
}

/// Scratch that is not in use: calls of several threads take one each.
pub struct Pool {
    model: Arc<Model>,
    spare: Mutex<Vec<Scratch>>,
}

impl Pool {
    pub fn new(model: Arc<Model>) -> Pool {
        Pool { model, spare: Mutex::new(Vec::new()) }
    }

    /// Lends scratch to `f`.
    pub fn with<R>(&self, f: impl FnOnce(&Model, &mut Scratch) -> R) -> R {
        // in the child of a fork another thread may hold the list for ever
        let taken = self.spare.try_lock().ok().and_then(|mut spare| spare.pop());
        let mut scratch = taken.unwrap_or_else(|| Scratch::new(&self.model));
        let result = f(&self.model, &mut scratch);
        if let Ok(mut spare) = self.spare.try_lock() {
            spare.push(scratch);
        }
        result
    }
}
