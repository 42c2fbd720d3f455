//! How the files named in a URDF are found: `package://NAME/rest`, `model://NAME/rest`, `file://path`, or a path.
//!
//! A package is a folder called NAME, or one whose `package.xml` gives that name. It is searched for among the given
//! folders, those of `ROS_PACKAGE_PATH`, and all folders above the URDF; if there is a root, only as far as they are
//! inside it, and then matching the end of the path is enough.

use crate::load::{LoadOptions, read_text};
use crate::root::Root;
use std::path::{Path, PathBuf};

/// Where to look for files.
pub(crate) struct Paths {
    /// The folder of the URDF.
    home: PathBuf,
    /// Folders to search, then those above the URDF.
    roots: Vec<PathBuf>,
    confined_to: Root,
}

/// Why a file was not found.
pub(super) enum NotFound {
    /// It is in none of these places.
    In(Vec<PathBuf>),
    /// All its places are outside the root.
    Outside,
}

impl Paths {
    /// The search paths for the URDF at this path.
    pub fn new(file: &Path, confined_to: &Root, options: &LoadOptions) -> Paths {
        let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
        let home = whole.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let mut roots = options.search.clone();
        let listed = std::env::var_os("ROS_PACKAGE_PATH").filter(|_| !confined_to.is_given());
        if let Some(list) = listed {
            roots.extend(std::env::split_paths(&list).filter(|p| !p.as_os_str().is_empty()));
        }
        roots.extend(home.ancestors().map(Path::to_path_buf));
        let roots = roots.into_iter().filter_map(|r| {
            // the user's own folders may be reached through links
            let real = if confined_to.is_given() { r.canonicalize().unwrap_or(r) } else { r };
            confined_to.admit(&real).ok()
        });
        Paths { home, roots: roots.collect(), confined_to: confined_to.clone() }
    }

    /// The file, or why it was not found.
    pub(super) fn find(&self, name: &str) -> Result<PathBuf, NotFound> {
        let name = name.trim().replace('\\', "/");
        let tried = match name.split_once("://") {
            Some(("package" | "model", rest)) => self.in_package(rest),
            // file:///absolute, file://relative
            Some(("file", rest)) => self.plain(rest),
            _ => self.plain(&name),
        };
        let mut tried: Vec<PathBuf> =
            tried.into_iter().filter_map(|p| self.confined_to.admit(&p).ok()).collect();
        match tried.iter().position(|p| p.is_file()) {
            Some(k) => Ok(tried.swap_remove(k)),
            None if tried.is_empty() => Err(NotFound::Outside),
            None => Err(NotFound::In(tried)),
        }
    }

    /// Advice for a missing file.
    pub(super) fn advice(&self) -> &'static str {
        match self.confined_to.is_given() {
            true => "give the folder that has it together with the model: no other files are read",
            false => "name a folder with the search path or ROS_PACKAGE_PATH",
        }
    }

    fn plain(&self, path: &str) -> Vec<PathBuf> {
        // joining an absolute path gives that path
        let mut all: Vec<PathBuf> = vec![self.home.join(path)];
        let searched = self.roots.iter().filter(|r| !self.home.starts_with(r));
        all.extend(searched.map(|r| r.join(path)));
        all.dedup();
        all
    }

    fn in_package(&self, path: &str) -> Vec<PathBuf> {
        let (package, rest) = path.split_once('/').unwrap_or((path, ""));
        let mut tried = Vec::new();
        for root in &self.roots {
            let below = self.confined_to.admit(&root.join(package));
            let named = root.file_name().is_some_and(|n| n == package) || self.is_package(root, package);
            tried.extend(below.ok().filter(|b| b.is_dir()).map(|b| b.join(rest)));
            if named {
                tried.push(root.join(rest));
            }
        }
        if self.confined_to.is_given() {
            tried.extend(self.by_end(path));
        }
        if tried.is_empty() {
            // an unknown package: its name may be missing from the path
            tried.push(self.home.join(rest));
            tried.push(self.home.join(package).join(rest));
        }
        tried
    }

    /// The file at the longest end of this path that exists: a package's folder is often passed on without the folders above it.
    fn by_end(&self, path: &str) -> Option<PathBuf> {
        let ends = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
        let mut all = ends.flat_map(|end| self.roots.iter().map(move |root| root.join(end)));
        all.find(|file| self.confined_to.admit(file).is_ok_and(|file| file.is_file()))
    }

    /// True if a folder's `package.xml` gives this name.
    fn is_package(&self, folder: &Path, name: &str) -> bool {
        let file = self.confined_to.admit(&folder.join("package.xml"));
        let text = file.ok().and_then(|file| read_text(&file, true).ok());
        text.is_some_and(|t| t.text.contains(&format!("<name>{name}</name>")))
    }
}
