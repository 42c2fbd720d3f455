//! The triangles of everything drawn: of parts, each shape once, and of marks.

use super::tint::Pyramid;
use crate::bones::pose_of;
use crate::picture::Picture;
use crate::show::{Frame, PartInfo, Scenery};
use crate::surface::Surface;
use std::collections::HashMap;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Surfaces with their numbers.
pub(super) struct Shapes {
    pub surfaces: Vec<Surface>,
    /// The surface of each part of the scenery; `None` if there is nothing to draw.
    pub of_parts: Vec<Option<usize>>,
    /// The picture on each surface; there is none beyond the end of the list.
    pub pictures: Vec<Option<Arc<Pyramid>>>,
    /// Surfaces that deform, in their bind poses.
    skins: Vec<(usize, Surface)>,
}

/// A ball of radius 1.
pub(super) const BALL: usize = 0;
/// A disc of radius 1, normal to z.
pub(super) const DISC: usize = 1;
/// A cylinder of radius 1 from 0 to z.
pub(super) const SHAFT: usize = 2;
/// A cone of radius 1 from 0 to its tip at z.
pub(super) const HEAD: usize = 3;

impl Shapes {
    pub fn of(scenery: &Scenery, meshes: &[Surface]) -> Shapes {
        let mut surfaces = vec![ball(), disc(), shaft(), head()];
        let first_mesh = surfaces.len();
        surfaces.extend_from_slice(meshes);
        let mut drawn: HashMap<*const Picture, Arc<Pyramid>> = HashMap::new();
        let mut pyramid = |picture: &Arc<Picture>| {
            drawn.entry(Arc::as_ptr(picture)).or_insert_with(|| Arc::new(Pyramid::of(picture))).clone()
        };
        let pictures = surfaces.iter().map(|s| s.picture.as_ref().map(&mut pyramid)).collect();
        let mut known: HashMap<(&str, Vec<u64>), Option<usize>> = HashMap::new();
        let mut number = |part: &PartInfo| {
            if let Some(mesh) = part.mesh {
                return (mesh < meshes.len()).then_some(first_mesh + mesh);
            }
            let key = (part.form(), part.size().into_iter().map(f64::to_bits).collect());
            *known.entry(key).or_insert_with(|| {
                surfaces.push(Surface::of(&part.shape)?);
                Some(surfaces.len() - 1)
            })
        };
        let of_parts = scenery.parts.iter().map(&mut number).collect();
        let given = surfaces.iter().enumerate().filter(|(_, s)| s.bones.is_some());
        let skins = given.map(|(k, s)| (k, s.clone())).collect();
        Shapes { surfaces, of_parts, pictures, skins }
    }

    /// Deforms skins with the bodies of a frame.
    pub fn bend(&mut self, frame: &Frame) {
        for (number, given) in &self.skins {
            let pose = |body: usize| frame.poses.get(body).and_then(|p| pose_of(*p));
            if let Some(bones) = &given.bones {
                self.surfaces[*number] = given.bent(bones, pose);
            }
        }
    }
}

/// A surface of revolution about z: each station has radius, height, and the normal's components outward and up. It is visible from
/// outside if the stations go up.
fn revolved(stations: &[[f64; 4]], around: usize) -> Surface {
    let mut surface = Surface::default();
    for [radius, height, outward, up] in stations {
        for k in 0..=around {
            let (s, c) = libm::sincos(TAU * k as f64 / around as f64);
            let single = |r: f64, z: f64| [r * c, r * s, z].map(|x| x as f32);
            surface.points.push(single(*radius, *height));
            surface.normals.push(single(*outward, *up));
        }
    }
    for (row, pair) in stations.windows(2).enumerate() {
        for k in 0..around {
            let corner = |r: usize, k: usize| ((row + r) * (around + 1) + k) as u32;
            let (a, b, d, e) = (corner(0, k), corner(0, k + 1), corner(1, k), corner(1, k + 1));
            // at a pole one of the two has no area
            if pair[0][0] > 0.0 {
                surface.triangles.push([a, b, e]);
            }
            if pair[1][0] > 0.0 {
                surface.triangles.push([a, e, d]);
            }
        }
    }
    surface
}

fn ball() -> Surface {
    let rows = 32;
    let station = |k: usize| {
        let (s, c) = libm::sincos(PI * k as f64 / rows as f64);
        let radius = if k.is_multiple_of(rows) { 0.0 } else { s };
        [radius, -c, radius, -c]
    };
    revolved(&(0..=rows).map(station).collect::<Vec<_>>(), 64)
}

/// In rings, so that depth is sorted piece by piece.
fn disc() -> Surface {
    let rings = 12;
    let station = |k: usize| [1.0 - k as f64 / rings as f64, 0.0, 0.0, 1.0];
    revolved(&(0..=rings).map(station).collect::<Vec<_>>(), 64)
}

fn shaft() -> Surface {
    revolved(&[[0.0, 0.0, 0.0, -1.0], [1.0, 0.0, 0.0, -1.0], [1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0]], 24)
}

fn head() -> Surface {
    let base = [[0.0, 0.0, 0.0, -1.0], [1.0, 0.0, 0.0, -1.0]];
    let side = [[1.0, 0.0, 1.0, 0.3], [0.0, 1.0, 1.0, 0.3]];
    revolved(&[base[0], base[1], side[0], side[1]], 24)
}
