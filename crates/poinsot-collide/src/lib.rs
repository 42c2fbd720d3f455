//! # Collision detection
//!
//! Finds contacts from the geoms of a [`poinsot_core::model::Model`] and the poses of its bodies: [`Scene::detect`]. Input and output are
//! plain data; nothing here involves forces.
//!
//! A detection has these stages: the broad phase finds the pairs of geoms whose boxes overlap (`broad`) and that may touch
//! ([`pairs_that_may_touch`]). The narrow phase computes the signed distance and the normal of each (closed forms in `planes`, `round`,
//! `capsule_box`, `cuboids`; otherwise a guess by `gjk` that is verified by `proof`, or a search by `epa`, `depth` and `polish`), then the
//! features that face each other along the normal (`patch`), their overlap (`overlay`), and at most four points of it (`manifold`).
#![forbid(unsafe_code)]

mod between;
mod broad;
mod capsule_box;
mod contact;
mod convex;
mod cuboids;
mod cylinder;
#[cfg(feature = "decompose")]
mod decompose;
mod depth;
mod epa;
mod error;
mod extent;
mod filter;
mod gjk;
mod manifold;
mod math;
mod meshes;
mod narrow;
mod overlay;
mod patch;
mod planes;
mod polish;
mod polytope;
mod proof;
mod query;
mod range;
mod ray;
mod round;
mod scene;
mod separation;
mod solid;
mod surface;
mod sweep;
mod touch;
mod tree;

pub use contact::{Contact, ContactKey, Contacts, Feature};
#[cfg(feature = "decompose")]
pub use decompose::{Decomposition, decompose};
pub use error::CollideError;
pub use filter::{pairs_that_may_touch, some_may_touch, some_may_touch_world};
pub use query::{ClosestPoints, RayHit, SweepHit, ray_meets};
pub use scene::{Scene, body_poses};
pub use sweep::{Impact, Sweep, SweepRule};
