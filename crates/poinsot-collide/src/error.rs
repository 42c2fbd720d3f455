//! Errors in the geometry, with the name of the geom.

use poinsot_core::model::{GeomId, Model};
use thiserror::Error;

/// Why a scene cannot be created, or contacts cannot be found.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs)] // the messages say what the fields are
#[non_exhaustive]
pub enum CollideError {
    #[error("geom {geom} ({shape}) of body \"{body}\": {why}")]
    Geom { geom: String, number: usize, shape: &'static str, body: String, why: String },
    #[error("{given} poses for {bodies} bodies; give one for each body of the model, the world's first")]
    Poses { given: usize, bodies: usize },
    #[error(
        "the pose of body \"{body}\" is not finite; look at the state before this one: the step has left the numbers"
    )]
    NotFinite { body: String },
    #[error("the margin is {margin}; give a finite distance in metres")]
    Margin { margin: f64 },
    #[error(
        "more than {limit} pairs of geoms overlap or are so fast that they may meet within the step, most at geom {geom} ({of_it} pairs); \
         spread the bodies out at the start, let their masks keep some from touching, or take shorter steps"
    )]
    TooManyPairs { limit: usize, geom: String, of_it: usize },
    #[error("{what} is {value}; {needed}")]
    Argument { what: &'static str, value: String, needed: &'static str },
}

/// The name of a geom in messages: its name in quotes, or its number.
pub(crate) fn geom_name(model: &Model, id: GeomId) -> String {
    let name = &model[id].name;
    if name.is_empty() { id.index().to_string() } else { format!("\"{name}\"") }
}

impl CollideError {
    pub(crate) fn geom(model: &Model, id: GeomId, why: impl Into<String>) -> CollideError {
        let geom = &model[id];
        CollideError::Geom {
            geom: geom_name(model, id),
            number: id.index(),
            shape: geom.shape.word(),
            body: model.bodies()[geom.body().index()].name.clone(),
            why: why.into(),
        }
    }
}
