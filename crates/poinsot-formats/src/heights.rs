//! Heights of landscapes: MuJoCo's binary files, and numbers in the model.

use crate::load::read_whole;
use poinsot_core::model::Heights;
use std::path::Path;

/// Reads a height field file in MuJoCo's own format: rows, columns (i32), then heights (f32), row by row from the least y.
pub(crate) fn read_heights(path: &Path) -> Result<Heights, String> {
    let name = path.display();
    let ending = path.extension().map_or(String::new(), |e| e.to_string_lossy().to_lowercase());
    if ending == "png" {
        return Err(format!("{name} is an image; heights are read from MuJoCo's binary files only"));
    }
    let bytes = read_whole(path, true).map_err(|why| format!("cannot read {name}: {why}"))?;
    parse(&bytes).ok_or_else(|| format!("{name} is not a height field: its counts do not fit its length"))
}

fn parse(bytes: &[u8]) -> Option<Heights> {
    let (words, []) = bytes.as_chunks::<4>() else { return None };
    let [rows, columns, heights @ ..] = words else { return None };
    let count = |word: &[u8; 4]| usize::try_from(i32::from_le_bytes(*word)).ok();
    let (rows, columns) = (count(rows)?, count(columns)?);
    let heights: Vec<f64> = heights.iter().map(|word| f64::from(f32::from_le_bytes(*word))).collect();
    (rows.checked_mul(columns)? == heights.len()).then(|| normalised(rows, columns, heights))
}

/// Heights moved and scaled to 0 to 1, as MuJoCo does; without any difference all 0.
pub(crate) fn normalised(rows: usize, columns: usize, mut elevation: Vec<f64>) -> Heights {
    let least = elevation.iter().copied().fold(f64::INFINITY, f64::min);
    let most = elevation.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let factor = if most > least { 1.0 / (most - least) } else { 0.0 };
    elevation.iter_mut().for_each(|h| *h = (*h - least) * factor);
    Heights { rows, columns, elevation }
}

/// The rows in the opposite order: MJCF gives the row of the greatest y first.
pub(crate) fn rows_reversed(columns: usize, elevation: &[f64]) -> Vec<f64> {
    elevation.chunks(columns.max(1)).rev().flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_two_rows() {
        let mut bytes = Vec::new();
        [2i32, 3].iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        [1f32, 2.0, 3.0, 3.0, 3.0, 5.0].iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        let read = parse(&bytes).expect("a height field");
        assert_eq!((read.rows, read.columns), (2, 3));
        assert_eq!(read.elevation, [0.0, 0.25, 0.5, 0.5, 0.5, 1.0]);
        assert_eq!(rows_reversed(3, &read.elevation), [0.5, 0.5, 1.0, 0.0, 0.25, 0.5]);
        for broken in [&bytes[..7], &bytes[..bytes.len() - 4], &[]] {
            assert_eq!(parse(broken), None);
        }
        let flat = normalised(1, 2, vec![3.0, 3.0]);
        assert_eq!(flat.elevation, [0.0, 0.0]);
    }
}
