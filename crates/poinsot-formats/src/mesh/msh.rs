//! MuJoCo's binary meshes: four counts, then vertices, normals, texture coordinates and triangles, all in words of four
//! bytes, little-endian.

use super::stl::point;
use poinsot_core::model::TriangleMesh;

pub(super) fn read(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let words = bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let head: Vec<u64> = words.clone().take(4).map_while(|n| u64::try_from(n).ok()).collect();
    let [vertices, normals, texture, triangles] = head[..] else {
        return Err("it does not begin with four counts that are 0 or more".into());
    };
    let wanted = 16 + 12 * vertices + 12 * normals + 8 * texture + 12 * triangles;
    if wanted != bytes.len() as u64 {
        let n = bytes.len();
        return Err(format!(
            "its counts ask for {wanted} bytes, but it has {n}; it may be of another format"
        ));
    }
    // all counts fit into the file now
    let vertices = vertices as usize;
    let before = 4 + (3 * vertices as u64 + 3 * normals + 2 * texture) as usize;
    let indices: Vec<usize> = words.skip(before).map(|i| usize::try_from(i).unwrap_or(usize::MAX)).collect();
    Ok(TriangleMesh {
        vertices: bytes[16..].chunks_exact(12).take(vertices).map(point).collect(),
        triangles: indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
    })
}
