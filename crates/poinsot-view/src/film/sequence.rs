//! Numbered PNG files in a folder.

use super::{Film, FilmError, check_size};
use crate::raster::Image;
use poinsot::AtomicFile;
use std::path::{Path, PathBuf};

/// Writes `frame_00001.png`, `frame_00002.png` … into a folder.
pub struct Sequence {
    folder: PathBuf,
    count: usize,
    size: Option<(usize, usize)>,
}

impl Sequence {
    /// Creates the folder if it does not exist; one that contains another film is refused.
    pub fn create(folder: &Path) -> Result<Sequence, FilmError> {
        let failed = |source| FilmError::Write { path: folder.to_path_buf(), source };
        std::fs::create_dir_all(folder).map_err(failed)?;
        if folder.join(name(1)).exists() {
            return Err(FilmError::Used { folder: folder.to_path_buf() });
        }
        Ok(Sequence { folder: folder.to_path_buf(), count: 0, size: None })
    }
}

fn name(number: usize) -> String {
    format!("frame_{number:05}.png")
}

impl Film for Sequence {
    fn frame(&mut self, image: &Image) -> Result<(), FilmError> {
        check_size(&mut self.size, image)?;
        self.count += 1;
        let path = self.folder.join(name(self.count));
        std::fs::write(&path, image.png()).map_err(|source| FilmError::Write { path, source })
    }

    fn complete(self: Box<Self>) -> Result<Option<AtomicFile>, FilmError> {
        Ok(None)
    }

    fn path(&self) -> &Path {
        &self.folder
    }
}
