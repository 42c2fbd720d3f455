//! Wavefront OBJ: vertices `v` and faces `f`. Normals, texture coordinates, groups and materials are passed over, so that
//! a mesh names no other files.

use poinsot_core::algebra::V3;
use poinsot_core::model::TriangleMesh;

pub(super) fn read(bytes: &[u8]) -> Result<TriangleMesh, String> {
    // a backslash at the end joins lines
    let text = String::from_utf8_lossy(bytes).replace("\\\r\n", " ").replace("\\\n", " ");
    let mut mesh = TriangleMesh::default();
    for (k, line) in text.lines().enumerate() {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let done = match words.next() {
            Some("v") => vertex(words).map(|v| mesh.vertices.push(v)),
            Some("f") => face(words, mesh.vertices.len()).map(|f| mesh.triangles.extend(f)),
            _ => Ok(()),
        };
        done.map_err(|why| format!("line {}: {why}", k + 1))?;
    }
    Ok(mesh)
}

fn vertex<'a>(words: impl Iterator<Item = &'a str>) -> Result<V3, String> {
    let numbers: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
    match numbers[..] {
        // with a weight; more numbers are a colour
        [x, y, z, w] if w != 0.0 => Ok(V3::new(x, y, z) * (1.0 / w)),
        [x, y, z, ..] => Ok(V3::new(x, y, z)),
        _ => Err("a vertex has fewer than 3 numbers".into()),
    }
}

/// The fan of triangles of a polygon. Corners are counted from 1, or back from the newest vertex.
fn face<'a>(words: impl Iterator<Item = &'a str>, count: usize) -> Result<Vec<[usize; 3]>, String> {
    let corner = |word: &'a str| {
        let number = word.split('/').next().and_then(|n| n.parse::<i64>().ok());
        let index = number.map(|n| if n < 0 { n.saturating_add_unsigned(count as u64) } else { n - 1 });
        index
            .and_then(|k| usize::try_from(k).ok())
            .filter(|k| *k < count)
            .ok_or_else(|| format!("\"{word}\" names none of the {count} vertices before it"))
    };
    let corners = words.map(corner).collect::<Result<Vec<usize>, String>>()?;
    Ok(match &corners[..] {
        [first, rest @ ..] => rest.windows(2).map(|t| [*first, t[0], t[1]]).collect(),
        [] => Vec::new(),
    })
}
