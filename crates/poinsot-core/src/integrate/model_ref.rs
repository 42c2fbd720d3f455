//! A model that is borrowed or shared.

use crate::model::Model;
use std::ops::Deref;
use std::sync::Arc;

/// A reference to a model: `&Model`, or an `Arc` if the lifetime of the model is not known, as in Python.
///
/// ```
/// # use poinsot_core::{integrate::{ModelRef, System}, model::ModelBuilder};
/// # use std::sync::Arc;
/// let model = Arc::new(ModelBuilder::new("nothing").build()?);
/// let system: System<'static> = System::of(ModelRef::Shared(model));
/// assert_eq!(system.model().name(), "nothing");
/// # Ok::<(), poinsot_core::model::ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub enum ModelRef<'a> {
    /// Borrowed from its owner.
    Borrowed(&'a Model),
    /// Shared ownership.
    Shared(Arc<Model>),
}

impl<'a> From<&'a Model> for ModelRef<'a> {
    fn from(model: &'a Model) -> ModelRef<'a> {
        ModelRef::Borrowed(model)
    }
}

impl From<Arc<Model>> for ModelRef<'_> {
    fn from(model: Arc<Model>) -> Self {
        ModelRef::Shared(model)
    }
}

impl From<&Arc<Model>> for ModelRef<'_> {
    fn from(model: &Arc<Model>) -> Self {
        ModelRef::Shared(model.clone())
    }
}

impl Deref for ModelRef<'_> {
    type Target = Model;
    fn deref(&self) -> &Model {
        match self {
            ModelRef::Borrowed(model) => model,
            ModelRef::Shared(model) => model,
        }
    }
}
