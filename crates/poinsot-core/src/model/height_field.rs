//! Height fields over a rectangle.

use super::MeshError;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Heights over a grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heights {
    /// The number of points along y.
    pub rows: usize,
    /// The number of points along x.
    pub columns: usize,
    /// Row by row from the smallest y, each row from the smallest x; fractions of the largest height, 0 to 1.
    pub elevation: Vec<f64>,
}

/// A height field over a rectangle about the origin: its heights, or the file from which they are read on first use.
///
/// ```
/// use poinsot_core::model::{HeightField, Heights};
/// let slope = Heights { rows: 2, columns: 2, elevation: vec![0.0, 0.0, 1.0, 1.0] };
/// let field = HeightField::new("slope", [5.0, 5.0, 0.3, 0.1], slope);
/// assert_eq!(field.heights()?.elevation[3], 1.0);
/// # Ok::<(), poinsot_core::model::MeshError>(())
/// ```
#[derive(Clone, Debug)]
pub struct HeightField {
    /// Its name.
    pub name: String,
    /// Half extents in x and y, height of the highest point, thickness below 0, m.
    pub size: [f64; 4],
    source: FieldSource,
    heights: OnceLock<Result<Heights, MeshError>>,
}

#[derive(Clone, Debug)]
enum FieldSource {
    Given(Heights),
    File { path: PathBuf, read: fn(&Path) -> Result<Heights, String> },
    Missing { why: String },
}

impl HeightField {
    /// A height field with these heights.
    pub fn new(name: impl Into<String>, size: [f64; 4], heights: Heights) -> HeightField {
        let source = FieldSource::Given(heights);
        HeightField { name: name.into(), size, source, heights: OnceLock::new() }
    }
    /// A height field in a file, read by `read`; its errors name the file.
    pub fn in_file(
        name: impl Into<String>,
        size: [f64; 4],
        path: impl Into<PathBuf>,
        read: fn(&Path) -> Result<Heights, String>,
    ) -> HeightField {
        let source = FieldSource::File { path: path.into(), read };
        HeightField { name: name.into(), size, source, heights: OnceLock::new() }
    }
    /// A height field that is not available: a request for its heights returns the reason.
    pub fn missing(name: impl Into<String>, size: [f64; 4], why: impl Into<String>) -> HeightField {
        let source = FieldSource::Missing { why: why.into() };
        HeightField { name: name.into(), size, source, heights: OnceLock::new() }
    }
    /// The file; `None` if the heights were given directly or are missing.
    pub fn file(&self) -> Option<&Path> {
        match &self.source {
            FieldSource::Given(_) | FieldSource::Missing { .. } => None,
            FieldSource::File { path, .. } => Some(path),
        }
    }
    /// The heights. A file is read on the first call only.
    pub fn heights(&self) -> Result<&Heights, MeshError> {
        self.heights.get_or_init(|| self.read()).as_ref().map_err(Clone::clone)
    }
    fn read(&self) -> Result<Heights, MeshError> {
        let heights = match &self.source {
            FieldSource::Given(heights) => heights.clone(),
            FieldSource::File { path, read } => read(path).map_err(|why| MeshError::Unreadable { why })?,
            FieldSource::Missing { why } => return Err(MeshError::Unreadable { why: why.clone() }),
        };
        let wrong = |what: String| MeshError::Unreadable {
            why: format!("the height field \"{}\" has {what}", self.name),
        };
        let Heights { rows, columns, elevation } = &heights;
        if *rows < 2 || *columns < 2 || rows.checked_mul(*columns) != Some(elevation.len()) {
            let count = elevation.len();
            return Err(wrong(format!(
                "{count} heights for {rows} rows and {columns} columns; give two of each or more"
            )));
        }
        match elevation.iter().position(|h| !(0.0..=1.0).contains(h)) {
            Some(k) => Err(wrong(format!("a height of {} at {k}; give parts from 0 to 1", elevation[k]))),
            None => Ok(heights),
        }
    }
}

/// Height fields are equal if they come from the same source.
impl PartialEq for HeightField {
    fn eq(&self, other: &HeightField) -> bool {
        let given = |f: &HeightField| match &f.source {
            FieldSource::Given(heights) => Some(heights.clone()),
            FieldSource::File { .. } | FieldSource::Missing { .. } => None,
        };
        (&self.name, self.size, self.file()) == (&other.name, other.size, other.file())
            && given(self) == given(other)
    }
}
