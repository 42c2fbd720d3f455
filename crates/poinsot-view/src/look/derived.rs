//! Shapes derived from inertias and joints.

use super::{COLOURS, Look, Part};
use poinsot::algebra::{M3, V3};
use poinsot::model::{BodyId, JointKind, Model, Shape};
use poinsot::spatial::{Inertia, Pose, Quat};

/// The ratio of brightness of a body to its bones, and of the bone that leads to a body to the body.
const BONED: f64 = 0.8;
const LEADING: f64 = 0.6;

impl Look {
    /// The shapes of a model: the geoms of its bodies, for bodies without any a shape with their mass and
    /// moments, and bones from joint to joint.
    pub fn of_model(model: &Model) -> Look {
        let mut look = Look::of_geoms(model);
        let size = extent(model);
        let ends = ends(model);
        for (body, ends) in model.body_ids().zip(ends).skip(1) {
            let begin = begin(model, body);
            if model.geoms_of(body).len() > 0 {
                look.bones_around_geoms(model, body, begin, &ends, size);
            } else {
                look.add_derived_shape(model, body, begin, &ends, size);
            }
            mark_if_alone(&mut look, model, body, size);
        }
        look
    }

    /// Bones to the joints outside the geoms of a body.
    fn bones_around_geoms(&mut self, model: &Model, body: BodyId, begin: Option<V3>, ends: &[V3], size: f64) {
        let Some(begin) = begin else { return };
        let covered = |p: V3| model.geoms_of(body).any(|(_, g)| inside(&g.shape, g.pose, p, 1e-6 * size));
        let bare: Vec<V3> = ends.iter().copied().filter(|end| !(covered(begin) && covered(*end))).collect();
        for end in &bare {
            self.bone(
                model,
                body,
                [begin, *end],
                |length| (0.06 * length).min(0.02 * size).max(0.004 * size),
                1.0,
            );
        }
        if bare.is_empty() && !covered(begin) {
            let centre = model.bodies()[body.index()].inertia.com();
            self.bone(model, body, [begin, centre], |_| 0.012 * size, LEADING);
        }
    }

    /// A shape with the mass and moments of a body, and bones between its joints.
    fn add_derived_shape(&mut self, model: &Model, body: BodyId, begin: Option<V3>, ends: &[V3], size: f64) {
        let mass = mass_shape(&model.bodies()[body.index()].inertia, size);
        // a rod with both ends known extends from one to the other
        let rod = match mass {
            Some((Shape::Capsule { radius, .. }, _)) if begin.is_some() && ends.len() == 1 => Some(radius),
            _ => None,
        };
        let mut boned = false;
        for end in ends {
            let Some(begin) = begin else { continue };
            let radius = |length: f64| {
                let thin = rod.map_or((0.06 * length).min(0.02 * size), |r| r.min(0.3 * length));
                thin.max(0.004 * size)
            };
            boned |= self.bone(model, body, [begin, *end], radius, 1.0);
        }
        let Some((shape, pose)) = mass.filter(|_| !(boned && rod.is_some())) else { return };
        if let (Some(begin), Shape::Sphere { .. } | Shape::Box { .. } | Shape::Cylinder { .. }) =
            (begin, &shape)
            && !boned
            && !(matches!(shape, Shape::Box { .. }) && inside(&shape, pose, begin, 0.0))
        {
            self.bone(model, body, [begin, pose.pos], |_| 0.012 * size, LEADING);
        }
        let rgba = dimmed(model, body, if boned { BONED } else { 1.0 });
        self.parts.push(Part::seen(body, shape, pose, rgba));
    }

    /// Adds a rod between two points of a body; false if they coincide.
    fn bone(
        &mut self,
        model: &Model,
        body: BodyId,
        [a, b]: [V3; 2],
        radius: impl Fn(f64) -> f64,
        dim: f64,
    ) -> bool {
        let Some((length, pose)) = between(a, b) else { return false };
        let shape = Shape::Capsule { radius: radius(length), length };
        self.parts.push(Part::seen(body, shape, pose, dimmed(model, body, dim)));
        true
    }
}

fn dimmed(model: &Model, body: BodyId, dim: f64) -> [f64; 4] {
    let [r, g, b] = own_colour(model, body);
    [r * dim, g * dim, b * dim, 1.0]
}

/// The joint that connects a body to its parent, if it turns about it.
fn begin(model: &Model, body: BodyId) -> Option<V3> {
    let joints = &model.joints()[model.bodies()[body.index()].joints.clone()];
    let tied = joints.iter().any(|j| turns_about_its_anchor(j.kind));
    joints.first().filter(|_| tied).map(|j| j.anchor)
}

/// For each body, the positions of its children's joints.
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

/// A colour for each body, grey for the world; for many bodies, from blue through green to orange along the tree.
pub(super) fn own_colour(model: &Model, body: BodyId) -> [f64; 3] {
    let Some(k) = body.index().checked_sub(1) else { return [0.5; 3] };
    let count = model.bodies().len() - 1;
    if count <= 20 {
        return COLOURS[k % COLOURS.len()];
    }
    let along = 2.0 * k as f64 / (count - 1) as f64;
    let (from, to, t) =
        if along < 1.0 { (COLOURS[0], COLOURS[2], along) } else { (COLOURS[2], COLOURS[1], along - 1.0) };
    [0, 1, 2].map(|i| from[i] + t * (to[i] - from[i]))
}

/// A mark at one end of a single free box, along its intermediate axis, to show when it turns over.
fn mark_if_alone(look: &mut Look, model: &Model, body: BodyId, size: f64) {
    let alone = model.bodies().len() == 2 && begin(model, body).is_none() && model.geoms_of(body).len() <= 1;
    let Some((Shape::Box { size }, pose)) =
        mass_shape(&model.bodies()[body.index()].inertia, size).filter(|_| alone)
    else {
        return;
    };
    let [r, g, b] = COLOURS[1];
    let radius = (0.06 * size.x.max(size.y)).max(0.5 * size.z);
    let length = 0.25 * size.y;
    let end = pose.point(V3::Y * (0.5 * (size.y + length)));
    let mut part = |shape: Shape, rot: M3, pos: V3| {
        look.parts.push(Part::seen(body, shape, Pose { rot, pos }, [r, g, b, 1.0]));
    };
    part(Shape::Capsule { radius: 0.6 * radius, length }, z_to(pose.rot.y), end);
    part(Shape::Sphere { radius }, pose.rot, end + pose.rot.y * (0.5 * length));
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

/// The size of the whole model, from which the lengths of derived shapes follow.
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

/// A capsule's length and pose from `a` to `b`; `None` if they coincide.
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
fn mass_shape(inertia: &Inertia, size: f64) -> Option<(Shape, Pose)> {
    let mass = inertia.mass;
    if mass <= 0.0 {
        return None;
    }
    let ([a, b, c], axes) = inertia.principal_axes();
    let pos = inertia.com();
    let equal = |x: f64, y: f64, within: f64| (x - y).abs() <= within * x.max(y);
    if c <= 1e-9 * mass * size * size {
        return Some((Shape::Sphere { radius: 0.04 * size }, Pose { rot: axes, pos }));
    }
    if equal(a, c, 0.01) {
        // m 2r²/5
        return Some((Shape::Sphere { radius: (2.5 * c / mass).sqrt() }, Pose { rot: axes, pos }));
    }
    if a <= 0.4 * b && equal(b, c, 0.25) {
        // long and round along its first axis: m r²/2 and m (3r² + l²)/12, the caps within its length
        let radius = (2.0 * a / mass).max(0.0).sqrt();
        let length = (6.0 * (b + c) / mass - 3.0 * radius * radius).max(0.0).sqrt();
        let radius = radius.clamp(0.01 * length, 0.35 * length);
        let between = (length - radius).max(0.0);
        return Some((Shape::Capsule { radius, length: between }, Pose { rot: z_to(axes.x), pos }));
    }
    for (round, own, axis) in [((b, c), a, axes.x), ((a, b), c, axes.z)] {
        if equal(round.0, round.1, 0.01) {
            let radius = (2.0 * own / mass).sqrt();
            let square = 12.0 * round.0 / mass - 3.0 * radius * radius;
            let length = square.max(0.0).sqrt().max(0.06 * radius);
            return Some((Shape::Cylinder { radius, length }, Pose { rot: z_to(axis), pos }));
        }
    }
    // edges of the box: m (y² + z²)/12 = a and so on
    let edge = |x: f64, y: f64, z: f64| (6.0 * (y + z - x) / mass).max(0.0).sqrt();
    let size = V3::new(edge(a, b, c), edge(b, c, a), edge(c, a, b));
    let least = 0.03 * size.x.max(size.y).max(size.z);
    let size = V3::new(size.x.max(least), size.y.max(least), size.z.max(least));
    Some((Shape::Box { size }, Pose { rot: axes, pos }))
}

/// True if a point of the body is inside a shape or no farther than `near` from it; not determined for meshes.
fn inside(shape: &Shape, pose: Pose, point: V3, near: f64) -> bool {
    let p = pose.inverse().point(point);
    let across = p.x.hypot(p.y);
    match *shape {
        Shape::Box { size } => {
            let within = |x: f64, edge: f64| x.abs() < 0.5 * edge + near;
            within(p.x, size.x) && within(p.y, size.y) && within(p.z, size.z)
        }
        Shape::Sphere { radius } => p.norm() < radius + near,
        Shape::Capsule { radius, length } => {
            across.hypot((p.z.abs() - 0.5 * length).max(0.0)) < radius + near
        }
        Shape::Cylinder { radius, length } => across < radius + near && p.z.abs() < 0.5 * length + near,
        Shape::Ellipsoid { radii: r } => V3::new(p.x / r.x, p.y / r.y, p.z / r.z).norm() < 1.0 + near,
        Shape::Plane { .. } => p.z < near,
        Shape::Hull(_) | Shape::Mesh(_) | Shape::HeightField(_) => true,
    }
}
