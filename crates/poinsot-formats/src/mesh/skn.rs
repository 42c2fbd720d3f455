//! MuJoCo's skins (.skn): a surface whose vertices follow several bodies at once.
//!
//! All words have four bytes, little-endian: numbers of vertices, texture coordinates, triangles and bones; the first three lists; then
//! for each bone the name of its body in 40 bytes, the pose of the body for which the vertices are given (position, quaternion w x
//! y z), the number of its vertices, their numbers, and their weights.

use super::painted::{Look, PaintedMesh};
use super::stl::point;
use super::{MeshFileError, read_whole};
use poinsot_core::algebra::V3;
use poinsot_core::spatial::{Pose, Quat};
use std::path::Path;

/// The bytes of a bone's name.
const NAME: usize = 40;

/// A surface that deforms with several bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinMesh {
    /// The surface in world coordinates, with every body at the pose given in its bone.
    pub painted: PaintedMesh,
    /// The bodies it follows.
    pub bones: Vec<SkinBone>,
}

/// A body that a skin follows.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinBone {
    /// The body's name.
    pub body: String,
    /// The body's pose for which the vertices are given.
    pub bind: Pose,
    /// Indices of vertices, and the weight with which each follows the body.
    pub weights: Vec<(usize, f32)>,
}

/// Reads a skin file.
pub fn read_skin(path: &Path) -> Result<SkinMesh, MeshFileError> {
    let name = || path.display().to_string();
    let bytes =
        read_whole(path, true).map_err(|source| MeshFileError::Unreadable { path: name(), source })?;
    parse_skin(&bytes).map_err(|why| MeshFileError::Malformed { path: name(), why })
}

/// Reads a skin in memory.
///
/// ```
/// assert!(poinsot_formats::parse_skin(b"no skin").is_err_and(|why| why.contains("ends too early")));
/// ```
pub fn parse_skin(bytes: &[u8]) -> Result<SkinMesh, String> {
    let mut rest = Rest(bytes);
    let [vertices, places, triangles, bones] = [rest.count()?, rest.count()?, rest.count()?, rest.count()?];
    let vertices: Vec<V3> = rest.take(12, vertices)?.map(point).collect();
    if vertices.iter().any(|v| !v.is_finite()) {
        return Err("a vertex is not finite".into());
    }
    let at: Vec<[f32; 2]> = rest.take(8, places)?.map(|b| [number(b), number(&b[4..])]).collect();
    let index =
        |b: &[u8]| usize::try_from(i32::from_le_bytes([b[0], b[1], b[2], b[3]])).unwrap_or(usize::MAX);
    let mut skin = SkinMesh::default();
    for t in rest.take(12, triangles)? {
        let t = [index(t), index(&t[4..]), index(&t[8..])];
        if let Some(bad) = t.iter().find(|k| **k >= vertices.len()) {
            return Err(format!("a triangle names vertex {bad}, but there are only {}", vertices.len()));
        }
        let texture_at = (at.len() == vertices.len()).then(|| t.map(|k| at[k]));
        skin.painted.push(t, &Look { texture_at, ..Look::default() });
    }
    for _ in 0..bones {
        skin.bones.push(rest.bone(vertices.len())?);
    }
    if !rest.0.is_empty() {
        return Err(format!("{} bytes are left over", rest.0.len()));
    }
    skin.painted.mesh.vertices = vertices;
    Ok(skin)
}

fn number(b: &[u8]) -> f32 {
    f32::from_le_bytes([b[0], b[1], b[2], b[3]])
}

/// The bytes not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    /// A number of rows of N bytes each.
    fn take(&mut self, width: usize, count: usize) -> Result<std::slice::ChunksExact<'a, u8>, String> {
        let length = width.checked_mul(count).filter(|n| *n <= self.0.len());
        let (taken, rest) = self.0.split_at(length.ok_or("it ends too early")?);
        self.0 = rest;
        Ok(taken.chunks_exact(width))
    }

    fn count(&mut self) -> Result<usize, String> {
        let word = self.take(4, 1)?.next().map_or(-1, |b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        usize::try_from(word).map_err(|_| "a count is negative".into())
    }

    fn bone(&mut self, vertices: usize) -> Result<SkinBone, String> {
        let name = self.take(NAME, 1)?.next().unwrap_or_default();
        let name = name.split(|b| *b == 0).next().unwrap_or_default();
        let n: Vec<f64> = self.take(4, 7)?.map(|b| f64::from(number(b))).collect();
        let quat = Quat { w: n[3], x: n[4], y: n[5], z: n[6] };
        if n.iter().any(|x| !x.is_finite()) || quat.norm() == 0.0 {
            return Err("the pose of a bone is none".into());
        }
        let bind = Pose { rot: quat.normalized().matrix(), pos: V3::new(n[0], n[1], n[2]) };
        let count = self.count()?;
        let numbers: Vec<usize> =
            self.take(4, count)?.map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize).collect();
        let weights: Vec<f32> = self.take(4, count)?.map(number).collect();
        if numbers.iter().any(|k| *k >= vertices) || weights.iter().any(|w| !w.is_finite()) {
            return Err(
                "a bone names a vertex that is not there, or has a weight that is not a number".into()
            );
        }
        let body = String::from_utf8_lossy(name).into_owned();
        Ok(SkinBone { body, bind, weights: numbers.into_iter().zip(weights).collect() })
    }
}
