//! # Poinsot to look at
//!
//! What is seen of a model, in layers that each use only those above them:
//!
//! 1. [`look`]: the shapes of bodies, from a file or made up from their inertias; [`surface`]: shapes as triangles
//! 2. [`show`]: all there is to see, as what stays ([`show::Scenery`]) and what changes ([`show::Frame`]), and its bytes
//! 3. [`instrument`]: what is drawn and plotted beside the bodies: energies, momenta, Poinsot's ellipsoids
//! 4. [`projector`]: from states to frames
//! 5. [`raster`]: from frames to pictures; [`film`]: from pictures to files
#![forbid(unsafe_code)]

pub mod cast;
pub mod film;
pub mod gallery;
pub mod glb;
pub mod instrument;
pub mod live;
pub mod look;
pub mod page;
pub mod projector;
pub mod raster;
pub mod replay;
pub mod show;
pub mod surface;
