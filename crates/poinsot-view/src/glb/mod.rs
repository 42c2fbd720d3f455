//! A recording as animated glTF 2.0 in one binary file (.glb), for Blender and other programs.
//!
//! | node | below it |
//! |---|---|
//! | the scene's name, turned so that up is glTF's y | all others, in the scene's own axes |
//! | a body, moved by the animation | its shapes, one node each |
//! | a solid, moved by the animation | its ellipsoid or disc, scaled |
//! | a skin | nothing: it deforms with the bodies |
//! | a trace, below what it is drawn on | nothing: the whole path as lines |
//! | camera | nothing |
//!
//! Visual shapes only, and the marks that are shown by default. Arrows are left out: a growing arrow keeps its head, and glTF can only scale
//! the whole. Infinite planes are cut off far from the camera. A part that is NaN for a while stays where it was, or shrinks to
//! nothing if it is a solid.

mod file;
mod motion;
mod shapes;

use crate::look::z_to;
use crate::show::{Camera, On, Recording};
use file::File;
use motion::Motion;
use poinsot::algebra::{M3, V3};
use poinsot::spatial::{Pose, Quat};
use serde_json::json;
use shapes::Shapes;
use std::f64::consts::FRAC_PI_2;
use std::io::{Result, Write};

/// The vertical angle of the camera, rad.
const ANGLE: f64 = 0.8;
/// The least edge of an infinite plane, m.
const LEAST_EDGE: f64 = 10.0;
const FLOOR: [f64; 4] = [0.8, 0.8, 0.8, 1.0];

/// Writes the recording; the animation shows `speed` seconds of it in one second.
///
/// ```
/// use poinsot_view::{glb, show::Recording};
/// let mut bytes = Vec::new();
/// glb::write(&Recording::default(), 1.0, &mut bytes)?;
/// assert!(bytes.starts_with(b"glTF"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(recording: &Recording, speed: f64, out: &mut impl Write) -> Result<()> {
    let (scenery, camera) = (&recording.scenery, &recording.scenery.camera);
    let edge = LEAST_EDGE.max(4.0 * (V3::from(camera.from) - V3::from(camera.to)).norm());
    let hidden = crate::raster::Options::default().hidden;
    let seen = |layer: &str| !hidden.iter().any(|h| h == layer) || scenery.shown.iter().any(|s| s == layer);
    let mut shapes = Shapes::new(&recording.surfaces, edge);
    let mut file = File::new(&scenery.name);
    file.nodes[File::ROOT]["rotation"] = json!(turn(upright(camera)));
    let motion = Motion::new(&recording.frames, speed, &mut file);

    let bodies: Vec<usize> = scenery.bodies.iter().map(|b| file.child(File::ROOT, &b.name)).collect();
    for (k, node) in bodies.iter().enumerate() {
        motion.pose(&mut file, *node, |frame| frame.poses.get(k).copied());
    }
    for part in scenery.parts.iter().filter(|p| p.layer == "visual") {
        let (Some(body), Some(mesh)) = (bodies.get(part.body), shapes.part(&mut file, part)) else {
            continue;
        };
        let bones = part.mesh.and_then(|k| recording.surfaces.get(k)?.bones.as_ref());
        if let Some(bones) = bones {
            let joints: Vec<usize> =
                bones.bones.iter().filter_map(|(b, _)| bodies.get(*b).copied()).collect();
            let inverses: Vec<Pose> = bones.bones.iter().map(|(_, back)| *back).collect();
            let (node, skin) = (file.child(File::ROOT, "skin"), file.skin(&joints, &inverses));
            (file.nodes[node]["mesh"], file.nodes[node]["skin"]) = (json!(mesh), json!(skin));
            continue;
        }
        let node = file.child(*body, part.form());
        let [x, y, z, w, i, j, k] = part.pose;
        file.nodes[node]["mesh"] = json!(mesh);
        file.nodes[node]["translation"] = json!([x, y, z]);
        file.nodes[node]["rotation"] = json!(motion::unit([i, j, k, w]));
    }
    let solids: Vec<usize> = scenery.solids.iter().map(|s| file.child(File::ROOT, &s.name)).collect();
    for (k, (solid, node)) in
        scenery.solids.iter().zip(&solids).enumerate().filter(|(_, (s, _))| seen(s.layer))
    {
        let Some(mesh) = shapes.solid(&mut file, solid) else { continue };
        let shape = file.child(*node, solid.form);
        file.nodes[shape]["mesh"] = json!(mesh);
        motion.solid(&mut file, *node, shape, |frame| frame.solids.get(k).copied());
    }
    for (k, trace) in scenery.traces.iter().enumerate().filter(|(_, t)| seen(t.layer)) {
        let Some(mesh) = shapes.line(&mut file, trace, &motion.path(k)) else { continue };
        let on = match trace.on {
            On::World => Some(File::ROOT),
            On::Body(body) => bodies.get(body).copied(),
            On::Solid(solid) => solids.get(solid).copied(),
        };
        let node = file.child(on.unwrap_or(File::ROOT), &trace.name);
        file.nodes[node]["mesh"] = json!(mesh);
    }
    if let Some(height) = scenery.floor {
        let mesh = shapes.floor(&mut file, FLOOR);
        let (node, up) = (file.child(File::ROOT, "floor"), up(camera));
        file.nodes[node]["mesh"] = json!(mesh);
        file.nodes[node]["translation"] = json!((up * height).array());
        file.nodes[node]["rotation"] = json!(turn(z_to(up)));
    }
    look(&mut file, camera);
    file.write(out)
}

fn up(camera: &Camera) -> V3 {
    V3::from(camera.up).unit().unwrap_or(V3::Z)
}

/// Turns the scene's up into glTF's, which is y.
fn upright(camera: &Camera) -> M3 {
    let z_to_y = Quat::exp(V3::X * -FRAC_PI_2).matrix();
    z_to_y * z_to(up(camera)).transpose()
}

/// A rotation in glTF's order: x y z w.
fn turn(rotation: M3) -> [f64; 4] {
    let [w, x, y, z] = Quat::from_matrix(rotation).array();
    motion::unit([x, y, z, w])
}

/// The camera: it looks along its −z, and its y is up.
fn look(file: &mut File, camera: &Camera) {
    let (from, to) = (V3::from(camera.from), V3::from(camera.to));
    if !(from.is_finite() && to.is_finite()) {
        return;
    }
    let back = (from - to).unit().unwrap_or(V3::Z);
    let right = up(camera).cross(back).unit().unwrap_or(V3::X);
    let node = file.child(File::ROOT, "camera");
    file.nodes[node]["camera"] = json!(0);
    file.nodes[node]["translation"] = json!(camera.from);
    file.nodes[node]["rotation"] = json!(turn(M3 { x: right, y: back.cross(right), z: back }));
    let near = (0.01 * (from - to).norm()).max(1e-3);
    let perspective = json!({"yfov": ANGLE, "aspectRatio": 1.6, "znear": near});
    file.cameras.push(json!({"type": "perspective", "perspective": perspective}));
}
