//! STL, ASCII and binary.

use poinsot_core::algebra::V3;
use poinsot_core::model::TriangleMesh;

/// Header and number of triangles of a binary file.
const HEAD: usize = 84;
/// A normal, three vertices, and two bytes more.
const TRIANGLE: usize = 50;

pub(super) fn read(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let count = bytes.get(80..HEAD).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let fits = |n: u32| HEAD as u64 + TRIANGLE as u64 * u64::from(n) == bytes.len() as u64;
    match count {
        // whatever its first word is
        Some(n) if fits(n) => Ok(binary(&bytes[HEAD..])),
        _ if starts_as_ascii(bytes) => ascii(&String::from_utf8_lossy(bytes)),
        Some(n) => Err(format!(
            "its header says {n} triangles, which take {} bytes, but it has {}",
            HEAD as u64 + TRIANGLE as u64 * u64::from(n),
            bytes.len()
        )),
        None => Err("it is too short for an STL file".into()),
    }
}

fn starts_as_ascii(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
}

fn binary(triangles: &[u8]) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    for triangle in triangles.chunks_exact(TRIANGLE) {
        let first = mesh.vertices.len();
        mesh.vertices.extend(triangle[12..48].chunks_exact(12).map(point));
        mesh.triangles.push([first, first + 1, first + 2]);
    }
    mesh
}

/// Every three `vertex x y z` are a triangle; nothing else in the text matters.
fn ascii(text: &str) -> Result<TriangleMesh, String> {
    let mut mesh = TriangleMesh::default();
    let mut words = text.split_ascii_whitespace();
    while words.by_ref().any(|word| word.eq_ignore_ascii_case("vertex")) {
        let mut number = || words.next().and_then(|word| word.parse::<f64>().ok());
        let (Some(x), Some(y), Some(z)) = (number(), number(), number()) else {
            return Err(format!("vertex {} does not have three numbers", mesh.vertices.len()));
        };
        mesh.vertices.push(V3::new(x, y, z));
    }
    if mesh.vertices.len() % 3 != 0 {
        return Err(format!(
            "it has {} vertices, which are not three for each triangle",
            mesh.vertices.len()
        ));
    }
    mesh.triangles = (0..mesh.vertices.len() / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    Ok(mesh)
}

/// Twelve bytes as three little-endian numbers.
pub(super) fn point(bytes: &[u8]) -> V3 {
    let number = |k: usize| f64::from(f32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[k + i])));
    V3::new(number(0), number(4), number(8))
}
