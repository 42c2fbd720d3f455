//! A floor for models that have none, and a warning where there is nothing below a body.

use crate::description::{Description, Format, Geom, JointType};
use crate::diagnostic::Report;
use poinsot_core::algebra::V3;
use poinsot_core::model::{self, Shape, TriangleMesh};
use poinsot_core::spatial::Pose;
use std::str::FromStr;

/// The colour of the floor.
const LIGHT_GREY: [f64; 4] = [0.8, 0.82, 0.84, 1.0];

/// Where to put a floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ground {
    /// At the lowest point of all collision shapes, in the reference configuration of the joints.
    Below,
    /// At this height, m.
    At(f64),
}

impl FromStr for Ground {
    type Err = String;
    /// `below`, or a height in metres.
    fn from_str(word: &str) -> Result<Ground, String> {
        match word.parse::<f64>() {
            _ if word == "below" => Ok(Ground::Below),
            Ok(z) if z.is_finite() => Ok(Ground::At(z)),
            _ => Err("give a height in metres, or below".into()),
        }
    }
}

/// Adds a floor to the world: a plane for display and contact.
pub(crate) fn add(d: &mut Description, ground: Ground, report: &mut Report) {
    let lowest = lowest_point(d);
    if lowest.is_none() {
        let message = "the ground touches nothing: the model has no shapes for contact that can be read";
        report.warning("model::ground-touches-nothing", message);
    }
    let z = match ground {
        Ground::At(z) => z,
        Ground::Below => lowest.unwrap_or(0.0),
    };
    let plane = model::Geom::new(Shape::Plane { x: 0.0, y: 0.0 });
    let world = &mut d.bodies[0];
    world.geoms.push(Geom {
        geom: plane.named("ground").at(V3::Z * z).rgba(LIGHT_GREY),
        mass: None,
        density: 0.0,
        shell: false,
        fluid_ellipsoid: false,
        material: None,
        place: world.place,
    });
}

/// Reports a model that falls forever: a warning for a robot on a floating base, a note for MJCF, where it may be intended.
pub(crate) fn report_nothing_below(d: &Description, report: &mut Report) {
    let mut fixed = Vec::with_capacity(d.bodies.len());
    for (k, body) in d.bodies.iter().enumerate() {
        fixed.push(k == 0 || body.joints.is_empty() && fixed[body.parent]);
    }
    let is_below = d.geoms().any(|(body, g)| fixed[body] && g.geom.touches());
    let held = d.options.no_contact() || !d.equalities.is_empty() || d.options.gravity == V3::ZERO;
    let loose: Vec<_> = d
        .bodies
        .iter()
        .filter(|b| b.joints.iter().any(|j| j.kind == JointType::Free) && b.gravity_compensation == 0.0)
        .collect();
    let Some(first) = loose.first().filter(|_| !is_below && !held) else { return };
    let who = match loose.len() {
        1 if first.name.is_empty() => "a free body falls".to_string(),
        1 => format!("the free body \"{}\" falls", first.name),
        n => format!("{n} free bodies fall"),
    };
    let below = if loose.len() == 1 { "it" } else { "them" };
    let message = format!("{who} forever: there is nothing below {below}");
    let help = "put a floor under it: --ground, in Python ground=True";
    let place = first.place;
    match d.format {
        Format::Urdf => report.warning("model::nothing-below", message).at(place).help(help),
        Format::Mjcf => report.note("model::nothing-below", message).at(place).help(help),
    };
}

/// The height of the lowest point of all collision shapes; `None` without such shapes.
fn lowest_point(d: &Description) -> Option<f64> {
    let mut poses: Vec<Pose> = Vec::with_capacity(d.bodies.len());
    for (k, body) in d.bodies.iter().enumerate() {
        poses.push(if k == 0 { Pose::IDENTITY } else { poses[body.parent] * body.pose });
    }
    let touching = d.geoms().filter(|(_, g)| g.geom.touches());
    let lowest = touching.filter_map(|(body, g)| lowest_of(&g.geom.shape, poses[body] * g.geom.pose));
    lowest.filter(|z| z.is_finite()).reduce(f64::min)
}

fn lowest_of(shape: &Shape, pose: Pose) -> Option<f64> {
    // the vertical in the frame of the shape
    let n = pose.rot.tr_mul(V3::Z);
    let of_vertices = |mesh: &TriangleMesh| mesh.vertices.iter().map(|v| -n.dot(*v)).reduce(f64::max);
    let reach = match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Capsule { radius, length } => radius + 0.5 * length * n.z.abs(),
        Shape::Cylinder { radius, length } => radius * n.x.hypot(n.y) + 0.5 * length * n.z.abs(),
        Shape::Ellipsoid { radii: r } => V3::new(r.x * n.x, r.y * n.y, r.z * n.z).norm(),
        Shape::Box { size: s } => 0.5 * (s.x * n.x.abs() + s.y * n.y.abs() + s.z * n.z.abs()),
        Shape::Hull(mesh) | Shape::Mesh(mesh) => of_vertices(mesh.surface().ok()?)?,
        Shape::Plane { .. } | Shape::HeightField(_) => return None,
    };
    Some(pose.pos.z - reach)
}
