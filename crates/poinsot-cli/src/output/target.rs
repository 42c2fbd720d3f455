//! An output file of a run: written next to its destination, moved there at the end; every error names it.

use crate::failure::{Failure, Outcome, all, failure};
use poinsot::AtomicFile;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file being written.
pub struct Target {
    path: PathBuf,
    file: AtomicFile,
}

impl Target {
    /// Begins to write the file at this path.
    pub fn create(path: &Path) -> Outcome<Target> {
        let file = AtomicFile::create(path).map_err(|e| unwritten(path, &e))?;
        Ok(Target::of(path, file))
    }
    /// A file for this path that something else has written.
    pub fn of(path: &Path, file: AtomicFile) -> Target {
        Target { path: path.to_path_buf(), file }
    }
    /// The path that the user gave.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Writes with a function whose errors are reported with the name of the file.
    pub fn write<T>(&mut self, write: impl FnOnce(&mut AtomicFile) -> io::Result<T>) -> Outcome<T> {
        write(&mut self.file).map_err(|e| unwritten(&self.path, &e))
    }
    /// Makes sure that all of it is written. It is moved by [`place`], with the other files of the command.
    pub fn complete(mut self) -> Outcome<Target> {
        self.write(AtomicFile::complete)?;
        Ok(self)
    }
    /// Writes the whole file at once.
    pub fn filled(mut self, bytes: &[u8]) -> Outcome<Target> {
        self.write(|file| file.write_all(bytes))?;
        self.complete()
    }
    /// Writes the whole file at once and moves it to its destination.
    pub fn fill(self, bytes: &[u8]) -> Outcome<()> {
        place([self.filled(bytes)?])
    }
}

/// Moves complete files to their destinations. If any file of a command cannot be completed, this is not called, and all old files stay.
pub fn place(files: impl IntoIterator<Item = Target>) -> Outcome<()> {
    all(files.into_iter().map(|Target { path, file }| file.finish().map_err(|e| unwritten(&path, &e))))
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    failure(format!("cannot write {}: {error}", path.display()))
}
