//! Pictures without a screen: triangles, lines and letters painted in software, so that the same frame gives the
//! same bytes on every machine.
//!
//! ```
//! use poinsot_view::raster::{Options, Painter};
//! use poinsot_view::show::{Frame, Scenery};
//! let mut painter = Painter::new(&Scenery::default(), &[], 64, 40, Options::default());
//! let image = painter.paint(&Frame::default());
//! assert_eq!((image.width, image.height, image.rgb.len()), (64, 40, 3 * 64 * 40));
//! ```

mod canvas;
mod ground;
mod image;
mod light;
mod memory;
mod objects;
mod options;
mod painter;
mod shapes;
mod signs;
mod spans;
#[cfg(test)]
mod tests;
mod text;
mod tint;
mod vector;
mod view;

pub use image::Image;
pub use options::Options;
pub use painter::Painter;
pub use text::Lettering;
pub(crate) use view::frame_points_from;
pub use view::{View, fit_camera, frame_points, reach};
