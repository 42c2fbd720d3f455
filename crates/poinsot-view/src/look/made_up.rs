//! Looks made up from inertias and joints.

use super::{COLOURS, Form, Layer, Look, Part};
use poinsot::algebra::{M3, V3};
use poinsot::model::{BodyId, JointKind, Model};
use poinsot::spatial::{Inertia, Pose, Quat};

impl Look {
    /// A look for a model that has none: bones from joint to joint, and what has the mass and moments of the body.
    pub fn of_model(model: &Model) -> Look {
        let mut look = Look::default();
        let size = extent(model);
        let bodies = model.bodies();
        let mut ends = ends(model);
        for (k, id) in model.body_ids().enumerate().skip(1) {
            let [r, g, b] = own_colour(k - 1, bodies.len() - 1);
            let mut part = |form: Form, pose: Pose, dim: f64| {
                let rgba = [r * dim, g * dim, b * dim, 1.0];
                look.parts.push(Part { body: id, form, pose, rgba, layer: Layer::Visual });
            };
            let joints = &model.joints()[bodies[k].joints.clone()];
            let tied = joints.iter().any(|j| turns_about_its_anchor(j.kind));
            let begin = joints.first().filter(|_| tied).map(|j| j.anchor);
            let ends = std::mem::take(&mut ends[k]);
            let mass = mass_form(&bodies[k].inertia, size);
            // a rod of which both ends are known goes from one to the other
            let rod = match mass {
                Some((Form::Capsule { radius, .. }, _)) if begin.is_some() && ends.len() == 1 => Some(radius),
                _ => None,
            };
            let mut boned = false;
            for end in ends {
                if let Some((length, pose)) = begin.and_then(|b| between(b, end)) {
                    let radius = rod.map_or((0.06 * length).min(0.02 * size), |r| r.min(0.3 * length));
                    part(Form::Capsule { radius: radius.max(0.004 * size), length }, pose, 1.0);
                    boned = true;
                }
            }
            let Some((form, pose)) = mass.filter(|_| !(boned && rod.is_some())) else { continue };
            if let (Some(begin), Form::Sphere { .. } | Form::Box { .. } | Form::Cylinder { .. }) =
                (begin, &form)
                && let Some((length, bone)) = between(begin, pose.pos)
                && !boned
                && !inside(&form, pose, begin)
            {
                part(Form::Capsule { radius: 0.012 * size, length }, bone, 0.6);
            }
            let alone = match form {
                Form::Box { size } if begin.is_none() && bodies.len() == 2 => Some(size),
                _ => None,
            };
            part(form, pose, if boned { 0.8 } else { 1.0 });
            if let Some(size) = alone {
                mark(&mut look, id, size, pose);
            }
        }
        look
    }
}

/// For each body, where the joints are on which others hang on it.
fn ends(model: &Model) -> Vec<Vec<V3>> {
    let mut ends = vec![Vec::new(); model.bodies().len()];
    for child in model.bodies().iter().skip(1) {
        let first = model.joints()[child.joints.clone()].first();
        if let Some(joint) = first.filter(|j| turns_about_its_anchor(j.kind)) {
            ends[child.parent.index()].push(child.pose.point(joint.anchor));
        }
    }
    ends
}

/// Each body its own colour; of many, from blue over green to orange along the tree.
fn own_colour(k: usize, count: usize) -> [f64; 3] {
    if count <= 20 {
        return COLOURS[k % COLOURS.len()];
    }
    let along = 2.0 * k as f64 / (count - 1) as f64;
    let (from, to, t) =
        if along < 1.0 { (COLOURS[0], COLOURS[2], along) } else { (COLOURS[2], COLOURS[1], along - 1.0) };
    [0, 1, 2].map(|i| from[i] + t * (to[i] - from[i]))
}

/// A handle at one end of a lone free body, along its middle axis: when it turns over, one sees it.
fn mark(look: &mut Look, body: BodyId, size: V3, pose: Pose) {
    let [r, g, b] = COLOURS[1];
    let radius = (0.06 * size.x.max(size.y)).max(0.5 * size.z);
    let length = 0.25 * size.y;
    let end = pose.point(V3::Y * (0.5 * (size.y + length)));
    let mut part = |form: Form, rot: M3, pos: V3| {
        let rgba = [r, g, b, 1.0];
        look.parts.push(Part { body, form, pose: Pose { rot, pos }, rgba, layer: Layer::Visual });
    };
    part(Form::Capsule { radius: 0.6 * radius, length }, z_to(pose.rot.y), end);
    part(Form::Sphere { radius }, pose.rot, end + pose.rot.y * (0.5 * length));
}

fn turns_about_its_anchor(kind: JointKind) -> bool {
    matches!(
        kind,
        JointKind::Revolute { .. }
            | JointKind::Spherical
            | JointKind::Universal { .. }
            | JointKind::Helical { .. }
    )
}

/// The size of the whole model: from where the lengths of what is made up are taken.
fn extent(model: &Model) -> f64 {
    let mut positions = vec![V3::ZERO; model.bodies().len()];
    let mut size: f64 = 0.0;
    for (k, body) in model.bodies().iter().enumerate().skip(1) {
        positions[k] = positions[body.parent.index()] + body.pose.pos;
        let (inertia, at) = (&body.inertia, positions[k]);
        if inertia.mass > 0.0 {
            let gyration = (inertia.principal_moments()[2].max(0.0) / inertia.mass).sqrt();
            size = size.max((at + inertia.com()).norm() + gyration);
        }
    }
    if size > 0.0 { size } else { 1.0 }
}

/// A capsule's length and pose from `a` to `b`; none where they are one point.
pub(crate) fn between(a: V3, b: V3) -> Option<(f64, Pose)> {
    let along = b - a;
    let length = along.norm();
    (length > 0.0 && length.is_finite())
        .then(|| (length, Pose { rot: z_to(along * (1.0 / length)), pos: (a + b) * 0.5 }))
}

/// A rotation that takes z to the unit vector `u`.
pub(crate) fn z_to(u: V3) -> M3 {
    let axis = V3::Z.cross(u);
    let (s, c) = (axis.norm(), u.z);
    if s < 1e-12 {
        return if c > 0.0 { M3::IDENTITY } else { Quat::exp(V3::X * std::f64::consts::PI).matrix() };
    }
    Quat::exp(axis * (s.atan2(c) / s)).matrix()
}

/// The simplest thing with this mass and these moments: a point, a ball, a rod, a disc or drum, or a box.
fn mass_form(inertia: &Inertia, size: f64) -> Option<(Form, Pose)> {
    let mass = inertia.mass;
    if mass <= 0.0 {
        return None;
    }
    let ([a, b, c], axes) = inertia.principal_axes();
    let pos = inertia.com();
    let equal = |x: f64, y: f64, within: f64| (x - y).abs() <= within * x.max(y);
    if c <= 1e-9 * mass * size * size {
        return Some((Form::Sphere { radius: 0.04 * size }, Pose { rot: axes, pos }));
    }
    if equal(a, c, 0.01) {
        // m 2r²/5
        return Some((Form::Sphere { radius: (2.5 * c / mass).sqrt() }, Pose { rot: axes, pos }));
    }
    if a <= 0.4 * b && equal(b, c, 0.25) {
        // long and round along its first axis: m r²/2 and m (3r² + l²)/12, the caps within its length
        let radius = (2.0 * a / mass).max(0.0).sqrt();
        let length = (6.0 * (b + c) / mass - 3.0 * radius * radius).max(0.0).sqrt();
        let radius = radius.clamp(0.01 * length, 0.35 * length);
        let between = (length - radius).max(0.0);
        return Some((Form::Capsule { radius, length: between }, Pose { rot: z_to(axes.x), pos }));
    }
    for (round, own, axis) in [((b, c), a, axes.x), ((a, b), c, axes.z)] {
        if equal(round.0, round.1, 0.01) {
            let radius = (2.0 * own / mass).sqrt();
            let square = 12.0 * round.0 / mass - 3.0 * radius * radius;
            let length = square.max(0.0).sqrt().max(0.06 * radius);
            return Some((Form::Cylinder { radius, length }, Pose { rot: z_to(axis), pos }));
        }
    }
    // edges of the box: m (y² + z²)/12 = a and so on
    let edge = |x: f64, y: f64, z: f64| (6.0 * (y + z - x) / mass).max(0.0).sqrt();
    let size = V3::new(edge(a, b, c), edge(b, c, a), edge(c, a, b));
    let least = 0.03 * size.x.max(size.y).max(size.z);
    let size = V3::new(size.x.max(least), size.y.max(least), size.z.max(least));
    Some((Form::Box { size }, Pose { rot: axes, pos }))
}

fn inside(form: &Form, pose: Pose, point: V3) -> bool {
    let p = pose.inverse().point(point);
    match form {
        Form::Box { size } => {
            p.x.abs() < 0.5 * size.x && p.y.abs() < 0.5 * size.y && p.z.abs() < 0.5 * size.z
        }
        _ => false,
    }
}
