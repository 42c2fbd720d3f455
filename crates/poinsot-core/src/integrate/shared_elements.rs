//! Force elements shared by several systems.

use super::{ForceElement, MemoryReader};
use crate::model::Model;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A list of force elements that can be pushed onto several systems of the same model; an element added later acts in all of them.
#[derive(Clone, Default)]
pub struct SharedElements<'a>(Arc<Mutex<Vec<Box<dyn ForceElement + 'a>>>>);

impl<'a> SharedElements<'a> {
    /// Adds an element.
    pub fn push(&self, element: impl ForceElement + 'a) {
        self.list().push(Box::new(element));
    }
    pub(super) fn is_empty(&self) -> bool {
        self.list().is_empty()
    }
    fn list(&self) -> MutexGuard<'_, Vec<Box<dyn ForceElement + 'a>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ForceElement for SharedElements<'_> {
    fn add_forces(&self, model: &Model, time: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        self.list().iter().for_each(|element| element.add_forces(model, time, q, v, tau));
    }
    fn is_steady(&self) -> bool {
        self.list().iter().all(|element| element.is_steady())
    }
    fn memory(&self, out: &mut Vec<f64>) {
        self.list().iter().for_each(|element| element.memory(out));
    }
    fn restore_memory(&mut self, from: &mut MemoryReader<'_>) {
        self.list().iter_mut().for_each(|element| element.restore_memory(from));
    }
    fn potential_energy(&self, model: &Model, time: f64, q: &[f64]) -> f64 {
        self.list().iter().map(|element| element.potential_energy(model, time, q)).sum()
    }
}
