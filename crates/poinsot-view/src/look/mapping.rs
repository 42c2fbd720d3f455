//! How pictures are mapped onto shapes without texture coordinates, as in MJCF: projected along z, or onto the six faces of a cube around the
//! centre.

use crate::surface::Surface;

/// How a picture is mapped onto a shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mapping {
    /// Projected along z: from coordinates to widths and heights of the picture.
    Flat([f64; 2]),
    /// On a cube; coordinates are divided by the half sizes of the shape.
    Cube { half: [f64; 3], faces: Grid },
}

/// Where the faces of a cube are in a picture: columns, rows, and the cell of each face +x −x +y −y +z −z; `None` if the picture is
/// the same on every face.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grid(Option<(f64, f64, Cells)>);

/// Column and row of the cell of each face.
type Cells = [Option<(f64, f64)>; 6];

/// MJCF's letters of the faces: right, left, up, down, front, back.
const LETTERS: [char; 6] = ['R', 'L', 'U', 'D', 'F', 'B'];

impl Grid {
    /// From `gridsize` ("rows columns") and `gridlayout` (a letter for each cell, row by row).
    pub fn of(size: &str, layout: &str) -> Grid {
        let numbers: Vec<usize> = size.split_whitespace().filter_map(|w| w.parse().ok()).collect();
        let [rows, columns] = numbers[..] else { return Grid(None) };
        if rows * columns <= 1 {
            return Grid(None);
        }
        let cell = |letter: char| {
            let place = layout.chars().position(|c| c == letter)?;
            Some(((place % columns) as f64, (place / columns) as f64))
        };
        Grid(Some((columns as f64, rows as f64, LETTERS.map(cell))))
    }
}

/// The triangles with texture coordinates at each corner.
pub(super) fn mapped(surface: &Surface, mapping: &Mapping) -> Surface {
    match mapping {
        Mapping::Flat(scale) => {
            let at = |p: &[f32; 3]| {
                // the middle of the picture is at the origin, its upper edge towards +y
                [(f64::from(p[0]) * scale[0] + 0.5) as f32, (0.5 - f64::from(p[1]) * scale[1]) as f32]
            };
            Surface { texture_at: surface.points.iter().map(at).collect(), ..surface.clone() }
        }
        Mapping::Cube { half, faces } => cube(surface, *half, faces),
    }
}

/// Each triangle is mapped to the face nearest to its centre.
fn cube(surface: &Surface, half: [f64; 3], grid: &Grid) -> Surface {
    let mut out = Surface::default();
    for triangle in &surface.triangles {
        let corners = triangle.map(|k| {
            let p = surface.points[k as usize];
            [0, 1, 2].map(|k| f64::from(p[k]) / half[k].max(1e-12))
        });
        let middle = [0, 1, 2].map(|k| corners.iter().map(|c| c[k]).sum::<f64>());
        let axis = (0..3).max_by(|a, b| middle[*a].abs().total_cmp(&middle[*b].abs())).unwrap_or(0);
        let face = 2 * axis + usize::from(middle[axis] < 0.0);
        let numbers = [0, 1, 2].map(|c| {
            let k = triangle[c] as usize;
            out.points.push(surface.points[k]);
            out.normals.push(surface.normals[k]);
            out.texture_at.push(on_face(face, corners[c], grid));
            out.points.len() as u32 - 1
        });
        out.triangles.push(numbers);
    }
    out
}

/// Where a point is on a face, as OpenGL lays its cube maps, and then in the picture.
fn on_face(face: usize, [x, y, z]: [f64; 3], grid: &Grid) -> [f32; 2] {
    let (s, t, m) = match face {
        0 => (-z, -y, x),
        1 => (z, -y, x),
        2 => (x, z, y),
        3 => (x, -z, y),
        4 => (x, -y, z),
        _ => (-x, -y, z),
    };
    let m = m.abs().max(1e-12);
    // just inside the face, so that pixels of its neighbours in the picture are not used
    let part = |a: f64| (0.5 + 0.5 * a / m).clamp(0.002, 0.998);
    let (u, v) = (part(s), part(t));
    match &grid.0 {
        None => [u as f32, v as f32],
        Some((columns, rows, cells)) => {
            let (column, row) = cells[face].unwrap_or_default();
            [((column + u) / columns) as f32, ((row + v) / rows) as f32]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use poinsot::algebra::V3;
    use poinsot::model::Shape;

    #[test]
    fn each_face_of_a_box_has_its_own_cell() {
        let surface = Surface::of(&Shape::Box { size: V3::new(0.2, 0.4, 0.6) }).unwrap();
        let faces = Grid::of("3 4", ".U..LFRB.D..");
        let mapped = mapped(&surface, &Mapping::Cube { half: [0.1, 0.2, 0.3], faces });
        for (cell, normal) in
            [((2, 1), [1.0, 0.0, 0.0]), ((1, 0), [0.0, 1.0, 0.0]), ((3, 1), [0.0, 0.0, -1.0])]
        {
            let on = mapped.normals.iter().zip(&mapped.texture_at).filter(|(n, _)| **n == normal);
            let cells: Vec<(usize, usize)> =
                on.map(|(_, at)| ((at[0] * 4.0) as usize, (at[1] * 3.0) as usize)).collect();
            assert_eq!(cells, [cell; 6]);
        }
    }
}
