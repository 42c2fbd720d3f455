//! Atomic file writes: files are written whole or not at all.

use std::ffi::{OsStr, OsString};
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
/// let mut file = poinsot::AtomicFile::create(&path)?;
/// file.write_all(b"new")?;
/// assert_eq!(std::fs::read_to_string(&path)?, "old");
/// file.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "new");
/// drop(poinsot::AtomicFile::create(&path)?); // never finished
/// assert_eq!((std::fs::read_to_string(&path)?, std::fs::read_dir(&folder)?.count()), ("new".into(), 1));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    out: BufWriter<File>,
    /// The temporary file and its destination; `None` if it is not a regular file.
    way: Option<(PathBuf, PathBuf)>,
}

/// The most names tried for the temporary file.
const MOST_NAMES: u32 = 1000;

impl AtomicFile {
    /// Starts writing the file at this path.
    pub fn create(path: impl AsRef<Path>) -> io::Result<AtomicFile> {
        let path = path.as_ref();
        // a symbolic link is kept: its target is replaced
        let goal = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        match fs::metadata(&goal) {
            Ok(about) if about.is_file() => {
                // a file that must not be written must not be replaced either
                OpenOptions::new().append(true).open(&goal)?;
            }
            Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => return Ok(AtomicFile { out: BufWriter::new(File::create(&goal)?), way: None }),
            // a link whose target does not exist yet
            Err(_) if path.is_symlink() => {
                return Ok(AtomicFile { out: BufWriter::new(File::create(path)?), way: None });
            }
            Err(_) => {}
        }
        let (temporary, file) = new_temporary(&goal)?;
        Ok(AtomicFile { out: BufWriter::new(file), way: Some((temporary, goal)) })
    }

    /// The path of the temporary file.
    pub fn path_now(&self) -> Option<&Path> {
        self.way.as_ref().map(|(temporary, _)| temporary.as_path())
    }

    /// Makes sure that everything written is on the disk, which may be full. The file is not moved yet: files that belong together are
    /// completed first, so that none is moved if one fails.
    pub fn complete(&mut self) -> io::Result<()> {
        self.out.flush()?;
        match &self.way {
            Some(_) => self.out.get_ref().sync_all(),
            None => Ok(()),
        }
    }

    /// Completes the file and moves it to its destination.
    pub fn finish(mut self) -> io::Result<()> {
        self.complete()?;
        let Some((temporary, goal)) = &self.way else { return Ok(()) };
        if let Ok(old) = fs::metadata(goal) {
            self.out.get_ref().set_permissions(old.permissions())?;
        }
        fs::rename(temporary, goal)?;
        self.way = None;
        Ok(())
    }
}

/// Creates a new file in the folder of another.
fn new_temporary(goal: &Path) -> io::Result<(PathBuf, File)> {
    let name = goal.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let here = process_numbers();
    remove_orphans(goal, &here);
    let mut tried = 0;
    loop {
        let mut own = OsString::from(format!(".{}{here}-{tried}.", std::process::id()));
        own.push(name);
        let temporary = goal.with_file_name(own);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && tried < MOST_NAMES => tried += 1,
            outcome => return Ok((temporary, outcome?)),
        }
    }
}

/// Removes temporary files of this destination whose process was killed. If one cannot be removed, it stays.
fn remove_orphans(goal: &Path, here: &str) {
    let folder = goal.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(name) = goal.file_name().map(OsStr::to_string_lossy).filter(|_| !here.is_empty()) else {
        return;
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let owner = found.to_str().and_then(|found| owner(found, here, &name));
        if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The process that a temporary file of a destination belongs to.
fn owner(found: &str, here: &str, name: &str) -> Option<u32> {
    let (pid, rest) = found.strip_prefix('.')?.strip_suffix(name)?.strip_suffix('.')?.split_once('-')?;
    let (own, number) = rest.split_once('-')?;
    number.parse::<u32>().ok()?;
    (own == here.trim_start_matches('-')).then(|| pid.parse().ok()).flatten()
}

/// A word for the machine and the name space in which process numbers are unique, as in `-1a2b3c4d`: a folder may be shared with others.
/// Empty where /proc does not tell.
fn process_numbers() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let space = fs::read_link("/proc/self/ns/pid");
    let (Ok(boot), Ok(space)) = (boot, space) else { return String::new() };
    let words = format!("{boot}{}", space.display());
    let hash =
        words.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("-{hash:08x}")
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.way {
            // if it cannot be removed, it stays
            let _ = fs::remove_file(temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn temporary_files_of_killed_processes_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = process_numbers();
        let put = |name: String| {
            let path = folder.path().join(name);
            fs::write(&path, "x").expect("a file");
            path
        };
        // no process has a number this large
        let gone = 4_200_000_000_u32;
        let orphan = put(format!(".{gone}{here}-3.run.mp4"));
        let kept = [
            put(format!(".{}{here}-0.run.mp4", std::process::id())),
            put(format!(".{gone}-00000000-0.run.mp4")),
            put(format!(".{gone}{here}-0.other.mp4")),
            put(format!(".{gone}{here}-0-run.mp4")),
        ];
        let file = AtomicFile::create(folder.path().join("run.mp4")).expect("a file");
        assert!(!orphan.exists());
        assert!(kept.iter().all(|path| path.exists()));
        drop(file);
    }
}
