//! Films: pictures written one after another, as numbered PNG files, an animated GIF, or an MP4 made by ffmpeg.
//!
//! ```
//! use poinsot_view::{film, raster::Image};
//! let path = std::env::temp_dir().join(format!("poinsot-{}.gif", std::process::id()));
//! let mut film = film::create(&path, 25.0)?;
//! for grey in [0, 100, 200] {
//!     film.frame(&Image::plain(32, 20, [grey; 3]))?;
//! }
//! film.finish()?;
//! # std::fs::remove_file(path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod animation;
mod error;
mod framing;
mod movie;
mod mp4;
mod palette;
mod sequence;
#[cfg(test)]
mod tests;

pub use animation::Animation;
pub use error::FilmError;
pub use framing::Framing;
pub use movie::Movie;
pub use sequence::Sequence;

use crate::raster::Image;
use poinsot::AtomicFile;
use std::io;
use std::path::Path;

/// A film being written: it takes pictures, all of one size.
pub trait Film {
    /// Adds a picture.
    fn frame(&mut self, image: &Image) -> Result<(), FilmError>;
    /// Ends the film; without this it is incomplete. What is returned is the complete file next to its destination, to be moved there;
    /// none for a folder of pictures.
    fn complete(self: Box<Self>) -> Result<Option<AtomicFile>, FilmError>;
    /// The file, or the folder.
    fn path(&self) -> &Path;
    /// Ends the film and moves it to its destination.
    fn finish(self: Box<Self>) -> Result<(), FilmError> {
        let path = self.path().to_path_buf();
        self.complete()?.map_or(Ok(()), |file| file.finish().map_err(|e| unwritten(&path, e)))
    }
}

fn unwritten(path: &Path, source: io::Error) -> FilmError {
    FilmError::Write { path: path.to_path_buf(), source }
}

/// A film with this many pictures per second: .gif or .mp4 by its extension, or without one a folder of PNG files. Files are written next
/// to their destination and moved there when they are complete.
pub fn create(path: &Path, rate: f64) -> Result<Box<dyn Film>, FilmError> {
    // `.gif` is a name without an extension, and not meant as a folder
    let endings = [".gif", ".mp4", ".html", ".glb"];
    let hidden = path.file_name().is_some_and(|name| endings.iter().any(|e| name.eq_ignore_ascii_case(e)));
    if hidden || path.as_os_str().is_empty() {
        return Err(FilmError::Ending { path: path.to_path_buf() });
    }
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    Ok(match ending.as_deref() {
        None => Box::new(Sequence::create(path)?),
        Some("gif") => Box::new(Animation::create(path, rate)?),
        Some("mp4") => Box::new(Movie::create(path, rate)?),
        Some(_) => return Err(FilmError::Ending { path: path.to_path_buf() }),
    })
}

/// Refuses an impossible number of pictures a second.
fn check_rate(rate: f64) -> Result<(), FilmError> {
    if rate > 0.0 && rate <= 1000.0 { Ok(()) } else { Err(FilmError::Rate { rate }) }
}

/// Refuses a picture that differs in size from the first, or has none.
fn check_size(first: &mut Option<(usize, usize)>, image: &Image) -> Result<(), FilmError> {
    let size = (image.width, image.height);
    let expected = *first.get_or_insert(size);
    if size != expected || image.rgb.is_empty() || image.rgb.len() != 3 * size.0 * size.1 {
        return Err(FilmError::Size { size, expected });
    }
    Ok(())
}
