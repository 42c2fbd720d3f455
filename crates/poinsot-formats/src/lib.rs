//! # Models from files
//!
//! Reads MJCF and URDF, with their meshes, into a [`Description`] of all their contents and a
//! [`Model`](poinsot_core::model::Model) of what is simulated; whatever is wrong, unknown or not simulated is listed in the
//! [`Report`], with file, line and column.
//!
//! ```
//! let arm = r#"<mujoco><worldbody><body name="arm">
//!     <joint name="hinge" axis="0 1 0" dampng="1"/>
//!     <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05"/>
//! </body></worldbody></mujoco>"#;
//! let loaded = poinsot_formats::load_text("arm.xml", arm, &Default::default())?;
//! assert_eq!(loaded.model.nv(), 1);
//! assert!(loaded.report.to_string().contains("did you mean `damping`?"));
//! # Ok::<(), poinsot_formats::LoadError>(())
//! ```
#![forbid(unsafe_code)]

mod build;
mod description;
mod diagnostic;
mod encoding;
mod gains;
mod ground;
mod group;
mod heights;
mod inertia;
mod load;
mod mesh;
mod mjcf;
mod mocap;
mod parts;
mod root;
mod soft_limits;
mod source;
mod survey;
mod unsimulated;
mod urdf;
mod writer;
mod xml;

pub use build::refused_sensors;
pub use description::*;
pub use diagnostic::{Diagnostic, Location, Place, Report, Severity, did_you_mean};
pub use ground::Ground;
pub use group::{Group, groups};
pub use load::{LoadError, LoadOptions, Loaded, Motors, load, load_text, load_with};
pub use mesh::{
    MeshFileError, MeshMaterial, PaintedMesh, SkinBone, SkinMesh, parse_mesh, parse_skin, read_mesh,
    read_painted_mesh, read_skin,
};
pub use mjcf::to_mjcf;
pub use parts::ConvexParts;
pub use poinsot_core::model::{
    Filter, HeightField, Mesh, Role, Shape, SolverParameters, TriangleMesh, convex_hull,
};
pub use source::Source;
pub use urdf::to_urdf;
