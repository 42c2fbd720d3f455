//! Files that are there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that is written next to its place and moved there when it is whole: until then, and if it never is, what was there
/// before stays. What is no file, as a pipe or a terminal, is written as it comes.
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
    /// Where it is written, and where it goes; none for what is no file.
    way: Option<(PathBuf, PathBuf)>,
}

/// So many names for the temporary file are tried.
const MOST_NAMES: u32 = 1000;

impl WholeFile {
    /// Begins to write what is to be at this path.
    pub fn create(path: impl AsRef<Path>) -> io::Result<WholeFile> {
        let path = path.as_ref();
        // a link stays one: what it leads to is replaced
        let goal = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        match fs::metadata(&goal) {
            Ok(about) if about.is_file() => {
                // what must not be written must not be replaced either
                OpenOptions::new().append(true).open(&goal)?;
            }
            Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => return Ok(WholeFile { out: BufWriter::new(File::create(&goal)?), way: None }),
            // a link that leads nowhere yet
            Err(_) if path.is_symlink() => {
                return Ok(WholeFile { out: BufWriter::new(File::create(path)?), way: None });
            }
            Err(_) => {}
        }
        let (beside, file) = new_beside(&goal)?;
        Ok(WholeFile { out: BufWriter::new(file), way: Some((beside, goal)) })
    }

    /// Where it is written until it is whole.
    pub fn path_now(&self) -> Option<&Path> {
        self.way.as_ref().map(|(beside, _)| beside.as_path())
    }

    /// Moves it to its place: it is whole.
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

/// A new file in the folder of another.
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
            // where it cannot be taken away nothing worse happens than that it stays
            let _ = fs::remove_file(beside);
        }
    }
}
