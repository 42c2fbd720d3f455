//! An inequality of a model, as answers name it.

use super::rows::Owner;
use crate::model::{BoundKind, ConstraintId, Model};

/// An inequality: of an event, or of what is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Inequality {
    /// A rope.
    Constraint(ConstraintId),
    /// The place in the [bounds](crate::model::Model::bounds) of the model.
    Bound(usize),
}

impl Inequality {
    /// The name of the rope, or of the joint or tendon that brings the bound.
    pub fn name(self, model: &Model) -> &str {
        match self {
            Inequality::Constraint(id) => &model.constraints()[id.index()].name,
            Inequality::Bound(k) => &model.bounds()[k].name,
        }
    }
    /// Which inequality of it this is, in words.
    pub fn place(self, model: &Model) -> &'static str {
        match self {
            Inequality::Constraint(_) => "rope",
            Inequality::Bound(k) => match model.bounds()[k].kind {
                BoundKind::Lower(_) => "lower end",
                BoundKind::Upper(_) => "upper end",
                BoundKind::Friction(_) => "friction",
            },
        }
    }
}

impl From<Owner> for Inequality {
    fn from(owner: Owner) -> Inequality {
        match owner {
            Owner::Constraint(k) => Inequality::Constraint(ConstraintId(k)),
            Owner::Bound(k) => Inequality::Bound(k),
        }
    }
}
