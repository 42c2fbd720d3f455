//! MuJoCo's binary meshes: four counts, then vertices, normals, texture coordinates and triangles, all in words of four
//! bytes, little-endian.

use super::painted::{Look, PaintedMesh};
use super::stl::point;
use poinsot_core::algebra::V3;
use poinsot_core::model::TriangleMesh;

pub(super) fn read(bytes: &[u8], paint: bool) -> Result<PaintedMesh, String> {
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
    let vertices: Vec<V3> = bytes[16..].chunks_exact(12).take(vertices).map(point).collect();
    let triangles = indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]);
    // texture coordinates belong to vertices if there are as many of both
    if !paint || texture as usize != vertices.len() {
        return Ok(PaintedMesh::bare(TriangleMesh { vertices, triangles: triangles.collect() }));
    }
    let begin = 4 * (before - 2 * texture as usize);
    let number = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let at: Vec<[f32; 2]> =
        bytes[begin..].chunks_exact(8).take(texture as usize).map(|b| [number(b), number(&b[4..])]).collect();
    let mut painted = PaintedMesh::default();
    for t in triangles {
        let texture_at = Some(t.map(|k| at.get(k).copied().unwrap_or_default()));
        painted.push(t, &Look { texture_at, ..Look::default() });
    }
    painted.mesh.vertices = vertices;
    Ok(painted)
}
