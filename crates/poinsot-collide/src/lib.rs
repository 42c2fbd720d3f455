//! # Collision detection
//!
//! From the geoms of a [`poinsot_core::model::Model`] and the poses of its bodies to contacts: [`Scene::detect`]. Plain data in, plain data
//! out; nothing here knows about forces.
//!
//! A detection is: boxes around all geoms and the pairs whose boxes meet (`broad`), of these the ones that may touch
//! ([`pairs_that_may_touch`]), the signed distance and normal of each (closed forms in `planes`, `round`, `capsule_box`, `cuboids`; else a guess by
//! `gjk` that proves itself, `proof`, or a search by `epa`, `depth` and `polish`), the parts of the two that face each other along the normal (`patch`), where these overlap (`overlay`), and of the points found there at
//! most four (`manifold`).
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
