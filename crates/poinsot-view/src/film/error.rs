//! Why a film could not be made.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a film could not be made.
#[derive(Debug, Error)]
pub enum FilmError {
    /// A folder that has a film already.
    #[error("{} has pictures of another film; give another folder, or take them away", folder.display())]
    Used {
        /// The folder.
        folder: PathBuf,
    },
    /// A file or folder that cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A name that does not identify the kind of film.
    #[error(
        "\"{}\": films are .gif or .mp4 files, as in film.gif, or folders of PNG files (a name without ending)",
        path.display()
    )]
    Ending {
        /// The name.
        path: PathBuf,
    },
    /// A wrong number of pictures a second.
    #[error("{rate} pictures a second: give a number above 0 and up to 1000")]
    Rate {
        /// The number.
        rate: f64,
    },
    /// A picture of another size than the first.
    #[error(
        "a picture of {} × {} dots in a film of {} × {}: all must have the size of the first, with at least one dot",
        size.0, size.1, expected.0, expected.1
    )]
    Size {
        /// Its width and height.
        size: (usize, usize),
        /// Those of the first.
        expected: (usize, usize),
    },
    /// A picture larger than a GIF can be.
    #[error("a GIF has at most 65535 dots a side; make the picture smaller, or write an .mp4")]
    TooLarge,
    /// A film without pictures.
    #[error("{}: a film needs at least one picture", path.display())]
    Empty {
        /// The film.
        path: PathBuf,
    },
    /// ffmpeg is not installed.
    #[error("{}: films in .mp4 are made by ffmpeg, which was not found; install ffmpeg, or use .gif", path.display())]
    NoFfmpeg {
        /// The film.
        path: PathBuf,
    },
    /// ffmpeg failed.
    #[error("{}: ffmpeg could not make the film: {said}; try .gif instead", path.display())]
    Ffmpeg {
        /// The film.
        path: PathBuf,
        /// Its message.
        said: String,
    },
}
