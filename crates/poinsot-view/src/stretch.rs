//! Nodes that stretch and shear, in a form that can be [shown](crate::show).
//!
//! Pages, films and glTF support rigid bodies, and surfaces that deform with several of them. A point of a shape is a weighted mean of the
//! corners of a tetrahedron around it, and an affine map W preserves means:
//!
//! ```math
//! (1)  p = Σ wᵢ cᵢ          W p = Σ wᵢ W cᵢ          wᵢ ≥ 0,   Σ wᵢ = 1
//! (2)  wᵢ = ¼ + ¾ p·cᵢ/c²          for a regular tetrahedron about the origin
//! ```
//! So a shape is a surface with four [bones](crate::bones), one for each corner, and is placed exactly, however far it is
//! stretched or sheared. All four are turned by the rotation nearest to W, and the normals with them.

use crate::bones::Bones;
use crate::show::{BodyInfo, Camera, Frame, MeshInfo, PartInfo, Recording, Scenery, TrackInfo, pose7};
use crate::surface::Surface;
use poinsot::algebra::{M3, V3};
use poinsot::hierarchy::{Affine, AffineModel, Primitive};
use poinsot::model::Shape;
use poinsot::spatial::Pose;
use std::sync::Arc;

const COLOURS: [[f64; 3]; 6] = [
    [0.88, 0.48, 0.37],
    [0.24, 0.35, 0.50],
    [0.51, 0.70, 0.60],
    [0.95, 0.80, 0.56],
    [0.60, 0.55, 0.60],
    [0.34, 0.46, 0.56],
];
/// The polar decomposition converges quadratically: a dozen iterations are enough for stretches by a thousand.
const ROUNDS: usize = 24;

/// A shape on its node: the corners of the tetrahedron around it, in the node's axes.
struct Shown {
    node: usize,
    corners: [V3; 4],
}

/// The recording of a model whose nodes have these transforms at these times; shapes that cannot be drawn, and primitives without one, are
/// not in it.
pub fn recording(model: &AffineModel, title: &str, scenes: &[(f64, Vec<Affine>)]) -> Recording {
    let mut scenery =
        Scenery { name: title.into(), title: title.into(), floor: Some(0.0), ..Scenery::default() };
    scenery.gravity = model.gravity() != V3::ZERO;
    scenery.tracks.push(track(title));
    scenery.bodies.push(body("world".into(), None, 0.0));
    let (mut surfaces, mut shown) = (Vec::new(), Vec::new());
    for primitive in model.primitives() {
        let Some((shape, surface)) = primitive.shape.as_ref().and_then(|s| Some((s, Surface::of(s)?))) else {
            continue;
        };
        let name = model.name(primitive.node).unwrap_or("node");
        let surface = add(&mut scenery, name, primitive, shape, surface, &mut shown);
        scenery.meshes.push(info(&surface));
        surfaces.push(surface);
    }
    let frames: Vec<Frame> = scenes.iter().map(|(time, w)| frame(*time, w, &shown)).collect();
    scenery.camera = camera(scenes, &shown);
    Recording { scenery, surfaces, frames }
}

/// Adds four bodies, the corners, and a part that deforms with them.
fn add(
    scenery: &mut Scenery,
    name: &str,
    primitive: &Primitive,
    shape: &Shape,
    mut surface: Surface,
    shown: &mut Vec<Shown>,
) -> Surface {
    let Pose { rot, pos } = primitive.pose;
    let single = |v: V3| v.array().map(|x| x as f32);
    let double = |v: &[f32; 3]| V3::from(v.map(f64::from));
    let radius = surface.points.iter().map(|p| double(p).norm()).fold(0.0, f64::max).max(1e-9);
    // the inscribed sphere of a tetrahedron has a third of the radius of the circumscribed one
    let corner = |x: f64, y: f64, z: f64| V3::new(x, y, z) * (radius * 3.0f64.sqrt() * 1.001);
    let about =
        [corner(1.0, 1.0, 1.0), corner(1.0, -1.0, -1.0), corner(-1.0, 1.0, -1.0), corner(-1.0, -1.0, 1.0)];
    let first = scenery.bodies.len();
    let mut bones = Bones::default();
    for (k, c) in about.iter().enumerate() {
        scenery.bodies.push(body(format!("{name}, corner {}", k + 1), Some(0), radius));
        let bind = Pose { rot: M3::IDENTITY, pos: rot * *c + pos };
        bones.bones.push((first + k, bind.inverse()));
    }
    for p in &surface.points {
        let weight = |c: &V3| (0.25 + 0.75 * double(p).dot(*c) / c.dot(*c)) as f32;
        bones.push(about.iter().enumerate().map(|(k, c)| (k as u16, weight(c))).collect());
    }
    surface.points.iter_mut().for_each(|p| *p = single(rot * double(p) + pos));
    surface.normals.iter_mut().for_each(|n| *n = single(rot * double(n)));
    surface.bones = Some(Arc::new(bones));
    let [r, g, b] = COLOURS[shown.len() % COLOURS.len()];
    scenery.parts.push(PartInfo {
        body: 0,
        shape: shape.clone(),
        mesh: Some(scenery.meshes.len()),
        pose: pose7(Pose::IDENTITY),
        rgba: [r, g, b, 1.0],
        layer: "visual",
    });
    shown.push(Shown { node: primitive.node.index(), corners: about.map(|c| rot * c + pos) });
    surface
}

fn frame(time: f64, transforms: &[Affine], shown: &[Shown]) -> Frame {
    let mut frame = Frame { time, ..Frame::default() };
    frame.pose(Pose::IDENTITY);
    for Shown { node, corners } in shown {
        let w = transforms[*node];
        let rot = nearest_rotation(w.linear);
        corners.iter().for_each(|c| frame.pose(Pose { rot, pos: w.point(*c) }));
    }
    frame
}

/// The rotation of the polar decomposition, by Newton's iteration [Higham86]; the identity for a map that mirrors or flattens.
fn nearest_rotation(a: M3) -> M3 {
    if a.determinant() <= 0.0 {
        return M3::IDENTITY;
    }
    let mut r = a;
    for _ in 0..ROUNDS {
        let Some(inverse) = r.inverse() else { return M3::IDENTITY };
        r = (r + inverse.transpose()).scale(0.5);
    }
    r
}

/// A camera at the side that sees all corners in all frames.
fn camera(scenes: &[(f64, Vec<Affine>)], shown: &[Shown]) -> Camera {
    let places = scenes.iter().flat_map(|(_, w)| shown.iter().map(|s| middle(w[s.node], &s.corners)));
    let boxes = places.map(|(middle, reach)| {
        let reach: V3 = V3::new(reach, reach, reach);
        (middle - reach, middle + reach)
    });
    let around = |(low, high): (V3, V3), (a, b): (V3, V3)| {
        (
            V3::new(low.x.min(a.x), low.y.min(a.y), low.z.min(a.z)),
            V3::new(high.x.max(b.x), high.y.max(b.y), high.z.max(b.z)),
        )
    };
    let (low, high) = boxes.reduce(around).unwrap_or((V3::ZERO, V3::ZERO));
    let (to, size) = ((low + high) * 0.5, (high - low).norm().max(0.1));
    Camera { from: (to + V3::new(0.35, -1.2, 0.3) * size).array(), to: to.array(), up: [0.0, 0.0, 1.0] }
}

/// The centre of a deformed shape, and its extent.
fn middle(w: Affine, corners: &[V3; 4]) -> (V3, f64) {
    let at = corners.map(|c| w.point(c));
    let middle = at.iter().fold(V3::ZERO, |sum, c| sum + *c) * 0.25;
    (middle, at.iter().map(|c| (*c - middle).norm()).fold(0.0, f64::max) / 3.0)
}

fn track(label: &str) -> TrackInfo {
    TrackInfo {
        label: label.into(),
        colour: COLOURS[0],
        integrator: String::new(),
        dt: 0.0,
        integrators: Vec::new(),
        maximal: Vec::new(),
        refused: None,
        touches: false,
    }
}

fn body(name: String, parent: Option<usize>, size: f64) -> BodyInfo {
    BodyInfo {
        track: 0,
        name,
        parent,
        mass: 0.0,
        com: [0.0; 3],
        ellipsoid: [0.0; 3],
        axes: [1.0, 0.0, 0.0, 0.0],
        moves: false,
        size,
    }
}

fn info(surface: &Surface) -> MeshInfo {
    let bones = surface.bones.iter().flat_map(|b| b.bones.iter());
    MeshInfo {
        points: surface.points.len(),
        triangles: surface.triangles.len(),
        picture: None,
        bones: bones.map(|(body, back)| (*body, pose7(*back))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bones::pose_of;
    use poinsot::algebra::Sym3;
    use poinsot::spatial::MassTensor;

    /// A ball and a box that are turned, stretched and sheared: the deformed surface is the image of each point under the map.
    #[test]
    fn shapes_are_deformed_as_their_nodes_are() {
        let linear = M3::from_rows([[0.3, -1.1, 0.4], [0.9, 0.2, 0.7], [-0.2, 0.1, 1.7]]);
        let w = Affine { linear, shift: V3::new(0.5, -0.2, 1.0) };
        assert!(linear.determinant() > 0.1);
        for shape in [Shape::Sphere { radius: 0.4 }, Shape::Box { size: V3::new(0.2, 0.5, 1.1) }] {
            let mut scenery = Scenery::default();
            let (mut shown, plain) = (Vec::new(), Surface::of(&shape).unwrap());
            let rot = poinsot::spatial::Quat { w: 0.8, x: 0.0, y: 0.6, z: 0.0 }.matrix();
            let pose = Pose { rot, pos: V3::new(0.1, 0.2, 0.3) };
            let primitive = Primitive {
                node: poinsot::model::BodyId::WORLD,
                shape: Some(shape.clone()),
                pose,
                tensor: MassTensor { second_moments: Sym3::zero(), first_moment: V3::ZERO, mass: 0.0 },
            };
            let surface = add(&mut scenery, "n", &primitive, &shape, plain.clone(), &mut shown);
            let frame = frame(0.0, &[w], &shown);
            // the world is the first pose of a frame, and here the corners are the only bodies
            let bent = surface.bent(surface.bones.as_ref().unwrap(), |body| pose_of(frame.poses[body + 1]));
            for (p, bent) in plain.points.iter().zip(&bent.points) {
                let p = w.point(pose.rot * V3::from(p.map(f64::from)) + pose.pos);
                assert!((p - V3::from(bent.map(f64::from))).norm() < 2e-6, "{p:?} {bent:?}");
            }
        }
    }

    #[test]
    fn the_nearest_rotation_of_a_stretched_turn_is_the_turn() {
        let turn = poinsot::spatial::Quat { w: 0.6, x: 0.0, y: 0.0, z: 0.8 }.matrix();
        let stretch = M3::from_rows([[5.0, 1.0, 0.0], [1.0, 0.3, 0.0], [0.0, 0.0, 40.0]]);
        assert!(
            (nearest_rotation(turn * stretch).rows().concat().iter())
                .zip(turn.rows().concat())
                .all(|(a, b)| (a - b).abs() < 1e-13)
        );
        assert_eq!(
            nearest_rotation(M3::from_rows([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])),
            M3::IDENTITY
        );
    }
}
