//! An output file of a run: written next to its destination, moved there at the end; every error names it.

use crate::failure::{Failure, Outcome, failure};
use poinsot::WholeFile;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file under way.
pub struct Target {
    path: PathBuf,
    file: WholeFile,
}

impl Target {
    /// Begins to write the file at this path.
    pub fn create(path: &Path) -> Outcome<Target> {
        let file = WholeFile::create(path).map_err(|e| unwritten(path, &e))?;
        Ok(Target { path: path.to_path_buf(), file })
    }
    /// The path that the user gave.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// The path for other writers: the temporary file, or the destination itself if it is not a regular file.
    pub fn path_now(&self) -> &Path {
        self.file.path_now().unwrap_or(&self.path)
    }
    /// Writes with a function whose errors are reported with the name of the file.
    pub fn write<T>(&mut self, write: impl FnOnce(&mut WholeFile) -> io::Result<T>) -> Outcome<T> {
        write(&mut self.file).map_err(|e| unwritten(&self.path, &e))
    }
    /// Moves it to its destination.
    pub fn finish(self) -> Outcome<()> {
        let path = self.path;
        self.file.finish().map_err(|e| unwritten(&path, &e))
    }
    /// Writes the whole file at once.
    pub fn fill(mut self, bytes: &[u8]) -> Outcome<()> {
        self.write(|file| file.write_all(bytes))?;
        self.finish()
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    failure(format!("cannot write {}: {error}", path.display()))
}
