//! The folder that an untrusted model may read from.
//!
//! A path named in a file is made absolute, and its `..` are resolved lexically. What then lies outside the root is
//! refused whether or not there is such a file, so that a refusal reveals nothing; what lies inside is refused if a symbolic
//! link leads out.

use std::io;
use std::path::{Component, Path, PathBuf};

/// The only folder that may be read; without one every file may be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Root(Option<PathBuf>);

/// A path that leads out of the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outside;

impl Outside {
    pub const CODE: &'static str = "file::outside-root";
    pub const HELP: &'static str = "files that the model names are read only from inside its root: put them there, and name them by relative paths";

    /// The message for a file with this path.
    pub fn message(name: &str) -> String {
        format!("\"{name}\" is outside the folder that may be read")
    }
}

impl Root {
    /// The root at this folder, which must exist; `None`: everywhere.
    pub fn new(folder: Option<&Path>) -> io::Result<Root> {
        let Some(folder) = folder else { return Ok(Root(None)) };
        let real = folder.canonicalize()?;
        if real.is_dir() { Ok(Root(Some(real))) } else { Err(io::Error::other("it is not a folder")) }
    }

    /// True if there is a root.
    pub fn is_given(&self) -> bool {
        self.0.is_some()
    }

    /// The path of the model itself, as the user gave it: links into the root are the user's own.
    pub fn admit_model(&self, path: &Path) -> Result<PathBuf, Outside> {
        if self.0.is_none() {
            return Ok(path.to_path_buf());
        }
        let name = path.file_name().ok_or(Outside)?;
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        self.admit(&folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf()).join(name))
    }

    /// The path without links, if it stays inside the root; without a root, the path as it is.
    pub fn admit(&self, path: &Path) -> Result<PathBuf, Outside> {
        let Some(root) = &self.0 else { return Ok(path.to_path_buf()) };
        let path = plain(&std::path::absolute(path).map_err(|_| Outside)?);
        let below = path.strip_prefix(root).map_err(|_| Outside)?;
        match path.canonicalize() {
            Ok(real) => real.starts_with(root).then_some(real).ok_or(Outside),
            // a dangling link must look the same as any other
            Err(_) if leads_by_link(root, below) => Err(Outside),
            Err(_) => Ok(path),
        }
    }
}

/// The path without `.` and `..`, resolved lexically.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

/// True when one of the folders on the way down from `root`, or the file, is a symbolic link.
fn leads_by_link(root: &Path, below: &Path) -> bool {
    let mut at = root.to_path_buf();
    below.components().any(|part| {
        at.push(part);
        at.is_symlink()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_is_admitted() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("in");
        std::fs::create_dir_all(inside.join("deep")).unwrap();
        for file in ["secret", "in/a", "in/deep/b"] {
            std::fs::write(folder.path().join(file), "x").unwrap();
        }
        let root = Root::new(Some(&inside)).unwrap();
        let admits = |path: &str| root.admit(&inside.join(path)).is_ok();
        assert!(
            admits("a") && admits("deep/b") && admits("deep/../a") && admits("not-there") && admits("..a")
        );
        for bad in ["../secret", "deep/../../secret", "/etc/passwd", "../in2/a", "..", "../not-there"] {
            assert!(!admits(bad), "{bad}");
        }
        assert!(Root::default().admit(Path::new("/etc/passwd")).is_ok());
        assert!(Root::new(Some(&folder.path().join("secret"))).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_inside_only() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("in");
        std::fs::create_dir(&inside).unwrap();
        std::fs::write(inside.join("a"), "x").unwrap();
        std::fs::write(folder.path().join("secret"), "x").unwrap();
        for (to, link) in [("a", "b"), ("../secret", "c"), ("../nothing", "d"), ("..", "up")] {
            symlink(to, inside.join(link)).unwrap();
        }
        let root = Root::new(Some(&inside)).unwrap();
        let admits = |path: &str| root.admit(&inside.join(path)).is_ok();
        assert!(admits("b") && !admits("c") && !admits("d") && !admits("up/secret") && !admits("up/nothing"));
        // the user's own path into the root
        symlink("in", folder.path().join("way")).unwrap();
        assert!(root.admit_model(&folder.path().join("way/a")).is_ok());
        assert!(root.admit_model(&folder.path().join("in/c")).is_err());
    }
}
