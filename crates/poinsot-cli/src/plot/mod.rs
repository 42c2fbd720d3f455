//! Pictures of numbers, as SVG or PNG.

mod draw;
mod figure;
pub mod sheet;

pub use figure::Figure;

use crate::failure::{Outcome, failure};
use crate::output::{Target, place};
use sheet::Sheet;
use std::path::Path;

/// Refuses a file whose name does not end in .svg or .png, or whose folder does not exist.
pub fn check_ending(flag: &str, path: &Path) -> Outcome<()> {
    match ending(path).as_str() {
        "svg" | "png" => check_folder(path),
        _ => {
            let message = format!("{}: only .svg and .png pictures can be drawn", path.display());
            Err(failure(message).help(format!("use one of these file extensions for {flag}")))
        }
    }
}

/// Refuses a file whose folder does not exist.
pub fn check_folder(path: &Path) -> Outcome<()> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => {
            Err(failure(format!("cannot write {}: there is no such folder", path.display())))
        }
        _ => Ok(()),
    }
}

fn ending(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Draws the picture into a file.
pub fn write(sheet: &Sheet, path: &Path) -> Outcome<()> {
    place([drawn(sheet, Target::create(path)?)?])
}

/// Draws the picture into a file that is already open.
pub fn drawn(sheet: &Sheet, file: Target) -> Outcome<Target> {
    let path = file.path();
    let bytes = match ending(path).as_str() {
        "png" => draw::png(sheet).map_err(|e| failure(format!("cannot draw {}: {e}", path.display())))?,
        _ => draw::svg(sheet).into_bytes(),
    };
    file.filled(&bytes)
}
