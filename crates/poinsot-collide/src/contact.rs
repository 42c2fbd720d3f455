//! Contacts as plain data.

use poinsot_core::algebra::V3;
use poinsot_core::model::{BodyId, GeomId};

/// The part of a geom that touches. For polyhedra the numbers are those of vertices, edges and faces; a box has vertex k at the signs of
/// the bits of k, x first. For round bodies: `Face(0)` is the surface of a ball or ellipsoid and the side of a cylinder; `Face(1)` and
/// `Face(2)` are the lower and upper cap of a cylinder, `Edge(1)` and `Edge(2)` their rims, and `Edge(0)` a line along its side;
/// `Vertex(0)` and `Vertex(1)` are the caps of a capsule and `Edge(0)` its side. A plane has only `Face(0)`; meshes and height fields
/// number all their vertices, edges and triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // said above
pub enum Feature {
    Vertex(u32),
    Edge(u32),
    Face(u32),
}

/// The identity of a contact from one step to the next: the pair, the touching features (vertex and face, edge and edge, …), and an ordinal
/// if these occur twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContactKey {
    /// The geoms, lower number first.
    pub geoms: [GeomId; 2],
    /// The feature of each.
    pub features: [Feature; 2],
    /// 0, 1, … among contacts of the same features.
    pub ordinal: u32,
}

/// A point where two geoms touch, or come near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Its identity from step to step.
    pub key: ContactKey,
    /// The bodies of the two geoms.
    pub bodies: [BodyId; 2],
    /// The index in [`poinsot_core::model::Model::contact_pairs`], if the pair is listed there.
    pub named_pair: Option<usize>,
    /// Midway between the two surfaces, in the world, m.
    pub position: V3,
    /// The unit vector from the first geom to the second, in the world.
    pub normal: V3,
    /// The distance of the surfaces along the normal, m; negative: the penetration depth.
    pub gap: f64,
}

/// The contacts found by [`crate::Scene::detect`], sorted by key; valid only for the same model.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    pub(crate) list: Vec<Contact>,
}

impl Contacts {
    /// An empty list.
    pub fn new() -> Contacts {
        Contacts::default()
    }
    /// The contact with this key.
    pub fn find(&self, key: &ContactKey) -> Option<&Contact> {
        self.list.binary_search_by(|c| c.key.cmp(key)).ok().map(|k| &self.list[k])
    }
    /// The contacts grouped by pair of geoms, in the order of their keys.
    pub fn manifolds(&self) -> impl Iterator<Item = &[Contact]> {
        self.list.chunk_by(|a, b| a.key.geoms == b.key.geoms)
    }
}

impl std::ops::Deref for Contacts {
    type Target = [Contact];
    fn deref(&self) -> &[Contact] {
        &self.list
    }
}

impl<'a> IntoIterator for &'a Contacts {
    type Item = &'a Contact;
    type IntoIter = std::slice::Iter<'a, Contact>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}
