//! The geometry of a model: all geoms, in order and by body, and the pairs explicitly included in or excluded from contact.

use super::builder::{Defects, check_names};
use super::material::{check_condim, check_distances, check_solver};
use super::{Body, BodyId, Geom, GeomId, Model, ModelError, SolverParameters};
use std::ops::Index;

/// Two geoms that may touch regardless of their masks, with their own parameters; those that are `None` follow from their two materials.
///
/// ```
/// use poinsot_core::{algebra::V3, model::*};
/// let mut b = ModelBuilder::new("a block on ice");
/// let ice = b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).filter(0, 0));
/// let cube = Shape::Box { size: V3::new(0.1, 0.1, 0.1) };
/// let block = b.body(BodyId::WORLD, BodySpec::new("block").at(V3::Z).solid(&cube, 1.0)?);
/// b.joint(block, Joint::free());
/// let below = b.geom(block, Geom::new(cube).filter(0, 0));
/// b.contact_pair(ContactPair { condim: Some(1), ..ContactPair::new(ice, below) });
/// assert_eq!(b.build()?.contact_pairs()[0].geoms, [ice, below]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ContactPair {
    /// The name; empty if it has none.
    pub name: String,
    /// The two geoms.
    pub geoms: [GeomId; 2],
    /// The number of directions in which the contact acts: 1, 3, 4 or 6.
    pub condim: Option<u8>,
    /// Sliding along two directions, torsional (m), rolling about two directions (m).
    pub friction: Option<[f64; 5]>,
    /// The distance below which the contact is considered, m.
    pub margin: Option<f64>,
    /// The part of the margin within which it does not yet exert a force, m.
    pub gap: Option<f64>,
    /// MJCF's softness parameters.
    pub solver: Option<SolverParameters>,
}

impl ContactPair {
    /// Two geoms that may touch, with the parameters that follow from their materials.
    pub fn new(a: GeomId, b: GeomId) -> ContactPair {
        let (condim, friction, margin, gap, solver) = (None, None, None, None, None);
        ContactPair { name: String::new(), geoms: [a, b], condim, friction, margin, gap, solver }
    }

    fn check(&self, geoms: usize, defects: &mut Defects) -> Result<(), ModelError> {
        let wrong = |why: String| ModelError::ContactPair { pair: self.name.clone(), why };
        if let Some(missing) = self.geoms.iter().find(|g| g.0 >= geoms) {
            let why = "use the id returned by this builder's `geom`";
            return Err(wrong(format!("there is no geom number {}; {why}", missing.0)));
        }
        if self.geoms[0] == self.geoms[1] {
            return Err(wrong("a geom does not touch itself; give two".into()));
        }
        self.check_numbers().or_else(|why| defects.meet(wrong(why)))
    }

    fn check_numbers(&self) -> Result<(), String> {
        let bad = |x: &&f64| !(**x >= 0.0 && x.is_finite());
        if let Some(value) = self.friction.iter().flatten().find(bad) {
            return Err(format!("its friction has {value}; give finite numbers of 0 or more"));
        }
        check_distances(self.margin.unwrap_or(0.0), self.gap.unwrap_or(0.0))?;
        self.solver.as_ref().map_or(Ok(()), check_solver)?;
        self.condim.map_or(Ok(()), check_condim)
    }
}

/// All geoms and contact rules. Shared by the copies of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Geometry {
    geoms: Vec<Geom>,
    /// The geoms of body k are those at `first[k]..first[k + 1]` of `by_body`.
    first: Vec<usize>,
    by_body: Vec<GeomId>,
    touching: ContactRules,
}

/// Contact rules in addition to the masks of the geoms.
#[derive(Clone, Debug)]
pub(crate) struct ContactRules {
    /// Whether anything touches at all.
    pub(super) on: bool,
    /// Whether a body touches its parent.
    pub(super) parents: bool,
    pub(super) pairs: Vec<ContactPair>,
    pub(super) excludes: Vec<[BodyId; 2]>,
}

impl Default for ContactRules {
    fn default() -> ContactRules {
        ContactRules { on: true, parents: false, pairs: Vec::new(), excludes: Vec::new() }
    }
}

impl Geometry {
    pub(super) fn new(
        geoms: Vec<Geom>,
        touching: ContactRules,
        bodies: &[Body],
        defects: &mut Defects,
    ) -> Result<Geometry, ModelError> {
        for (number, geom) in geoms.iter().enumerate() {
            let Some(body) = bodies.get(geom.body.0) else {
                let why = "it was put on a body that does not belong to this model; use the id returned by this builder's `body`";
                let (geom, body) = (number.to_string(), geom.body.0.to_string());
                return Err(ModelError::Geom { geom, body, number, why: why.into() });
            };
            geom.check(number, &body.name, defects)?;
        }
        check_names("geoms", geoms.iter().map(|g| g.name.as_str()).filter(|name| !name.is_empty()))?;
        touching.pairs.iter().try_for_each(|pair| pair.check(geoms.len(), defects))?;
        if let Some(body) = touching.excludes.iter().flatten().find(|b| b.0 >= bodies.len()) {
            return Err(ModelError::Exclude { body: body.0 });
        }
        let mut by_body: Vec<GeomId> = (0..geoms.len()).map(GeomId).collect();
        by_body.sort_by_key(|g| geoms[g.0].body);
        let before = |k: usize| by_body.partition_point(|g| geoms[g.0].body.0 < k);
        let first = (0..=bodies.len()).map(before).collect();
        Ok(Geometry { geoms, first, by_body, touching })
    }
}

impl Model {
    /// All geoms, in the order they were added.
    pub fn geoms(&self) -> &[Geom] {
        &self.geometry.geoms
    }
    /// The ids of all geoms, in the order of [`Model::geoms`].
    pub fn geom_ids(&self) -> impl ExactSizeIterator<Item = GeomId> + use<> {
        (0..self.geometry.geoms.len()).map(GeomId)
    }
    /// The geom with this name.
    pub fn geom(&self, name: &str) -> Option<GeomId> {
        self.geoms().iter().position(|g| !name.is_empty() && g.name == name).map(GeomId)
    }
    /// The geoms of a body, in the order they were added.
    pub fn geoms_of(&self, body: BodyId) -> impl ExactSizeIterator<Item = (GeomId, &Geom)> {
        let Geometry { geoms, first, by_body, .. } = &*self.geometry;
        by_body[first[body.0]..first[body.0 + 1]].iter().map(|id| (*id, &geoms[id.0]))
    }
    /// Whether anything touches; see [`super::ModelBuilder::contact`].
    pub fn has_contact(&self) -> bool {
        self.geometry.touching.on
    }
    /// Whether a body touches its parent; see [`super::ModelBuilder::contact_with_parents`].
    pub fn parents_touch(&self) -> bool {
        self.geometry.touching.parents
    }
    /// Pairs of geoms that may touch regardless of their masks.
    pub fn contact_pairs(&self) -> &[ContactPair] {
        &self.geometry.touching.pairs
    }
    /// Pairs of bodies that do not touch.
    pub fn contact_excludes(&self) -> &[[BodyId; 2]] {
        &self.geometry.touching.excludes
    }
}

impl Index<GeomId> for Model {
    type Output = Geom;
    fn index(&self, id: GeomId) -> &Geom {
        &self.geometry.geoms[id.0]
    }
}
