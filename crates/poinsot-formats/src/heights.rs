//! Height fields: MuJoCo's binary files, pictures, and numbers in the model.

use crate::load::read_whole;
use poinsot_core::model::Heights;
use std::io::Cursor;
use std::path::Path;

/// Bytes: a larger picture is refused.
const MOST_PIXELS: usize = 1 << 28;

/// Reads a height field file: a picture, or MuJoCo's own format: rows, columns (i32), then heights (f32), row by row from the least y.
pub(crate) fn read_heights(path: &Path) -> Result<Heights, String> {
    let name = path.display();
    let ending = path.extension().map_or(String::new(), |e| e.to_string_lossy().to_lowercase());
    let bytes = read_whole(path, true).map_err(|why| format!("cannot read {name}: {why}"))?;
    if ending == "png" {
        return picture(&bytes).map_err(|why| format!("{name} has no heights: {why}"));
    }
    parse(&bytes).ok_or_else(|| format!("{name} is not a height field: its counts do not fit its length"))
}

/// Heights from a picture, as MuJoCo reads them: the upper eight bits of the first channel, from black to white; the top row of the
/// picture has the greatest y.
fn picture(bytes: &[u8]) -> Result<Heights, String> {
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: MOST_PIXELS });
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let wrong = |why: png::DecodingError| why.to_string();
    let mut reader = decoder.read_info().map_err(wrong)?;
    let size = reader.output_buffer_size().filter(|size| *size <= MOST_PIXELS);
    let mut pixels = vec![0; size.ok_or("the picture is too large")?];
    let frame = reader.next_frame(&mut pixels).map_err(wrong)?;
    let (rows, columns) = (frame.height as usize, frame.width as usize);
    let first = pixels.chunks_exact(frame.color_type.samples()).map(|pixel| f64::from(pixel[0]));
    let heights: Vec<f64> = first.take(rows * columns).collect();
    Ok(normalised(rows, columns, rows_reversed(columns, &heights)))
}

fn parse(bytes: &[u8]) -> Option<Heights> {
    let (words, []) = bytes.as_chunks::<4>() else { return None };
    let [rows, columns, heights @ ..] = words else { return None };
    let count = |word: &[u8; 4]| usize::try_from(i32::from_le_bytes(*word)).ok();
    let (rows, columns) = (count(rows)?, count(columns)?);
    let heights: Vec<f64> = heights.iter().map(|word| f64::from(f32::from_le_bytes(*word))).collect();
    (rows.checked_mul(columns)? == heights.len()).then(|| normalised(rows, columns, heights))
}

/// Heights shifted and scaled to the range 0 to 1, as in MuJoCo; all 0 if they are equal.
pub(crate) fn normalised(rows: usize, columns: usize, mut elevation: Vec<f64>) -> Heights {
    let least = elevation.iter().copied().fold(f64::INFINITY, f64::min);
    let most = elevation.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let factor = if most > least { 1.0 / (most - least) } else { 0.0 };
    elevation.iter_mut().for_each(|h| *h = (*h - least) * factor);
    Heights { rows, columns, elevation }
}

/// The rows in reverse order: MJCF gives the row of the greatest y first.
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
