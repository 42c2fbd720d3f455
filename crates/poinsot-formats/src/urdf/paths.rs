//! Where the files are that a URDF names: `package://NAME/rest`, `model://NAME/rest`, `file://path`, or a path.
//!
//! A package is a folder called NAME, or one whose `package.xml` gives that name. It is looked for among the folders to
//! search, those of `ROS_PACKAGE_PATH`, and all folders above the URDF.

use crate::load::LoadOptions;
use std::path::{Path, PathBuf};

pub(super) struct Paths {
    /// The folder of the URDF.
    home: PathBuf,
    /// Folders to search, then those above the URDF.
    roots: Vec<PathBuf>,
}

impl Paths {
    pub fn new(file: &Path, options: &LoadOptions) -> Paths {
        let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
        let home = whole.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let mut roots = options.search.clone();
        if let Some(list) = std::env::var_os("ROS_PACKAGE_PATH") {
            roots.extend(std::env::split_paths(&list).filter(|p| !p.as_os_str().is_empty()));
        }
        roots.extend(home.ancestors().map(Path::to_path_buf));
        Paths { home, roots }
    }

    /// The file, or all places where it is not.
    pub fn find(&self, name: &str) -> Result<PathBuf, Vec<PathBuf>> {
        let name = name.trim().replace('\\', "/");
        let mut tried = match name.split_once("://") {
            Some(("package" | "model", rest)) => self.in_package(rest),
            // file:///absolute, file://relative
            Some(("file", rest)) => self.plain(rest),
            _ => self.plain(&name),
        };
        match tried.iter().position(|p| p.is_file()) {
            Some(k) => Ok(tried.swap_remove(k)),
            None => Err(tried),
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
            let below = root.join(package);
            let named = root.file_name().is_some_and(|n| n == package) || package_name(root, package);
            if below.is_dir() {
                tried.push(below.join(rest));
            }
            if named {
                tried.push(root.join(rest));
            }
        }
        if tried.is_empty() {
            // a package that is nowhere: its name may have been left out of the path
            tried.push(self.home.join(rest));
            tried.push(self.home.join(package).join(rest));
        }
        tried
    }
}

/// True when a folder's `package.xml` gives this name.
fn package_name(folder: &Path, name: &str) -> bool {
    let text = std::fs::read_to_string(folder.join("package.xml"));
    text.is_ok_and(|t| t.contains(&format!("<name>{name}</name>")))
}
