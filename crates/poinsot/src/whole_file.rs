//! Atomic file writes: files are written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that is written next to its destination and moved there when complete; until then, or if that never happens, the previous file
/// remains. Anything that is not a regular file, such as a pipe or a terminal, is written directly.
///
/// ```
/// use std::io::Write;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("run.csv");
/// std::fs::write(&path, "old")?;
/// let mut file = poinsot::WholeFile::create(&path)?;
/// file.write_all(b"new")?;
/// assert_eq!(std::fs::read_to_string(&path)?, "old");
/// file.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "new");
/// drop(poinsot::WholeFile::create(&path)?); // never finished
/// assert_eq!((std::fs::read_to_string(&path)?, std::fs::read_dir(&folder)?.count()), ("new".into(), 1));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct WholeFile {
    out: BufWriter<File>,
    /// The temporary file and its destination; `None` if it is not a regular file.
    way: Option<(PathBuf, PathBuf)>,
}

/// The most names tried for the temporary file.
const MOST_NAMES: u32 = 1000;

impl WholeFile {
    /// Starts writing the file at this path.
    pub fn create(path: impl AsRef<Path>) -> io::Result<WholeFile> {
        let path = path.as_ref();
        // a symbolic link is kept: its target is replaced
        let goal = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        match fs::metadata(&goal) {
            Ok(about) if about.is_file() => {
                // a file that must not be written must not be replaced either
                OpenOptions::new().append(true).open(&goal)?;
            }
            Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => return Ok(WholeFile { out: BufWriter::new(File::create(&goal)?), way: None }),
            // a link whose target does not exist yet
            Err(_) if path.is_symlink() => {
                return Ok(WholeFile { out: BufWriter::new(File::create(path)?), way: None });
            }
            Err(_) => {}
        }
        let (beside, file) = new_beside(&goal)?;
        Ok(WholeFile { out: BufWriter::new(file), way: Some((beside, goal)) })
    }

    /// The path of the temporary file.
    pub fn path_now(&self) -> Option<&Path> {
        self.way.as_ref().map(|(beside, _)| beside.as_path())
    }

    /// Moves the complete file to its destination.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        let Some((beside, goal)) = &self.way else { return Ok(()) };
        if let Ok(old) = fs::metadata(goal) {
            self.out.get_ref().set_permissions(old.permissions())?;
        }
        fs::rename(beside, goal)?;
        self.way = None;
        Ok(())
    }
}

/// Creates a new file in the folder of another.
fn new_beside(goal: &Path) -> io::Result<(PathBuf, File)> {
    let name = goal.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut tried = 0;
    loop {
        let mut own = std::ffi::OsString::from(format!(".{}-{tried}.", std::process::id()));
        own.push(name);
        let beside = goal.with_file_name(own);
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && tried < MOST_NAMES => tried += 1,
            outcome => return Ok((beside, outcome?)),
        }
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.way {
            // if it cannot be removed, it stays
            let _ = fs::remove_file(beside);
        }
    }
}
