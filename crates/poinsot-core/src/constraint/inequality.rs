//! An inequality of a model, as named in reports.

use super::rows::Owner;
use crate::model::{BoundKind, ConstraintId, GeomId, Model};
use std::borrow::Cow;

/// An inequality that an event or a violation belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Inequality {
    /// A rope.
    Constraint(ConstraintId),
    /// The index in the [bounds](crate::model::Model::bounds) of the model.
    Bound(usize),
    /// Two geoms that touch.
    Contact([GeomId; 2]),
}

impl Inequality {
    /// The name of the rope, of the joint or tendon that has the bound, or of the two geoms.
    pub fn name(self, model: &Model) -> Cow<'_, str> {
        match self {
            Inequality::Constraint(id) => Cow::from(&model.constraints()[id.index()].name),
            Inequality::Bound(k) => Cow::from(&model.bounds()[k].name),
            Inequality::Contact(geoms) => {
                let [a, b] = geoms.map(|id| geom_name(model, id));
                Cow::from(format!("{a} and {b}"))
            }
        }
    }
    /// Which of its inequalities this is, in words.
    pub fn place(self, model: &Model) -> &'static str {
        match self {
            Inequality::Constraint(_) => "rope",
            Inequality::Contact(_) => "contact",
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

/// The name of a geom, or of its body.
fn geom_name(model: &Model, id: GeomId) -> Cow<'_, str> {
    let geom = &model[id];
    if geom.name.is_empty() {
        let number = model.geoms_of(geom.body()).position(|(own, _)| own == id).unwrap_or(0);
        let body = &model[geom.body()].name;
        return Cow::from(if number == 0 { body.clone() } else { format!("{body}[{number}]") });
    }
    Cow::from(&geom.name)
}
