//! # The viewer of Poinsot
//!
//! What is visible of a model, in layers, each of which uses only those above it:
//!
//! 1. [`look`]: the shapes of bodies, from a file or derived from their inertias; [`surface`]: shapes as triangles, with [`picture`]s on them and [`bones`] that deform them
//! 2. [`show`]: everything visible, split into what is constant ([`show::Scenery`]) and what changes ([`show::Frame`]), and its encoding
//! 3. [`way`]: how a track is stepped, in its own or in maximal coordinates; [`instrument`]: drawings and plots in addition to
//!    the bodies: energies, momenta, loads, Poinsot's ellipsoids
//! 4. [`projector`]: from states to frames; [`stretch`]: likewise for nodes that stretch; [`raster`]: from frames to pictures; [`film`], [`glb`],
//!    [`replay`]: files of them
//! 5. [`cast`]: the models of a show and their initial states; [`gallery`]: shows that each make one law visible; [`thumbnail`]: their pictures
//! 6. [`live`]: a show that runs in a thread, takes commands and publishes frames
//! 7. [`page`]: the embedded page; [`serve`]: the server that connects it to the show
#![forbid(unsafe_code)]

pub mod bones;
pub mod cast;
pub mod diagnostics;
pub mod film;
pub mod gallery;
pub mod glb;
pub mod instrument;
pub mod live;
pub mod look;
pub mod page;
pub mod picture;
pub mod projector;
pub mod raster;
pub mod replay;
pub mod serve;
pub mod show;
pub mod stretch;
pub mod surface;
pub mod thumbnail;
pub mod track_settings;
