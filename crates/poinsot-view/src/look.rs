//! The shapes of bodies: as a file gives them, or made up from inertias and joints where there is no file.

use crate::surface::Surface;
use poinsot::algebra::{M3, V3};
use poinsot::formats::{self, Description, Role};
use poinsot::model::{BodyId, JointKind, Model};
use poinsot::spatial::{Pose, Quat};
use std::collections::HashMap;

/// The shape of a part, around its own origin. Sizes are full edges, radii and whole lengths.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the names of the fields say what they are
pub enum Form {
    Sphere {
        radius: f64,
    },
    /// Along z; `length` of the cylinder between the caps.
    Capsule {
        radius: f64,
        length: f64,
    },
    /// Along z.
    Cylinder {
        radius: f64,
        length: f64,
    },
    Ellipsoid {
        radii: V3,
    },
    Box {
        size: V3,
    },
    /// z = 0; 0: endless.
    Plane {
        x: f64,
        y: f64,
    },
    /// A number in [`Look::surfaces`].
    Mesh {
        surface: usize,
    },
}

/// What a part is seen as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// What the body looks like.
    Visual,
    /// What it touches with.
    Collision,
}

/// A shape fixed to a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The body.
    pub body: BodyId,
    /// The shape.
    pub form: Form,
    /// Its pose in the body's frame.
    pub pose: Pose,
    /// Red, green, blue, opacity: 0 to 1.
    pub rgba: [f64; 4],
    /// What it is seen as.
    pub layer: Layer,
}

/// All shapes of a model.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// The shapes.
    pub parts: Vec<Part>,
    /// The triangles of those that are meshes.
    pub surfaces: Vec<Surface>,
    /// What could not be drawn, and why, for people.
    pub missing: Vec<String>,
}

/// Colours that people with any colour vision tell apart (Okabe and Ito).
pub const COLOURS: [[f64; 3]; 7] = [
    [0.0, 0.447, 0.698],
    [0.902, 0.624, 0.0],
    [0.0, 0.62, 0.451],
    [0.835, 0.369, 0.0],
    [0.8, 0.475, 0.655],
    [0.337, 0.706, 0.914],
    [0.941, 0.894, 0.259],
];

impl Look {
    /// What the file shows; bodies for which it shows nothing at all look as [`Look::of_model`] makes them look only
    /// when the file shows no shape of any body.
    pub fn of_description(description: &Description, model: &Model) -> Look {
        let mut look = Look::default();
        let mut known: HashMap<(usize, [u64; 3]), Option<usize>> = HashMap::new();
        for (id, body) in model.body_ids().zip(&description.bodies) {
            for geom in &body.geoms {
                let Some(form) = look.form(description, &geom.form, &mut known) else { continue };
                let layers: &[Layer] = match geom.role {
                    Role::Visual => &[Layer::Visual],
                    Role::Collision => &[Layer::Collision],
                    Role::Both => &[Layer::Visual, Layer::Collision],
                };
                for layer in layers {
                    let (form, rgba) = (form.clone(), colour(description, geom));
                    look.parts.push(Part { body: id, form, pose: geom.pose, rgba, layer: *layer });
                }
            }
        }
        // URDF links with collision shapes alone are seen by these
        for body in model.body_ids() {
            let of_body = |p: &&Part| p.body == body;
            if look.parts.iter().filter(of_body).all(|p| p.layer == Layer::Collision) {
                let seen: Vec<Part> = look.parts.iter().filter(of_body).cloned().collect();
                look.parts.extend(seen.into_iter().map(|p| Part { layer: Layer::Visual, ..p }));
            }
        }
        if look.parts.iter().all(|p| p.body == BodyId::WORLD) {
            look.parts.extend(Look::of_model(model).parts);
        }
        look
    }

    fn form(
        &mut self,
        description: &Description,
        form: &formats::Form,
        known: &mut HashMap<(usize, [u64; 3]), Option<usize>>,
    ) -> Option<Form> {
        Some(match *form {
            formats::Form::Plane { x, y } => Form::Plane { x, y },
            formats::Form::Sphere { radius } => Form::Sphere { radius },
            formats::Form::Capsule { radius, length } => Form::Capsule { radius, length },
            formats::Form::Cylinder { radius, length } => Form::Cylinder { radius, length },
            formats::Form::Ellipsoid { radii } => Form::Ellipsoid { radii },
            formats::Form::Box { size } => Form::Box { size },
            formats::Form::Mesh { mesh, scale } => {
                let key = (mesh, scale.array().map(f64::to_bits));
                let surface =
                    *known.entry(key).or_insert_with(|| self.mesh(&description.meshes[mesh], scale));
                Form::Mesh { surface: surface? }
            }
            formats::Form::HeightField { field } => {
                let surface = Surface::of_height_field(&description.height_fields[field]);
                match surface {
                    Some(surface) => Form::Mesh { surface: self.add(surface) },
                    None => {
                        let name = &description.height_fields[field].name;
                        self.missing.push(format!(
                            "the height field \"{name}\" is not drawn: its heights are in a file"
                        ));
                        return None;
                    }
                }
            }
        })
    }

    fn add(&mut self, surface: Surface) -> usize {
        self.surfaces.push(surface);
        self.surfaces.len() - 1
    }

    fn mesh(&mut self, mesh: &formats::Mesh, scale: V3) -> Option<usize> {
        let triangles = match &mesh.file {
            Some(file) => match formats::read_mesh(file) {
                Ok(read) => read,
                Err(error) => {
                    self.missing.push(format!("the mesh \"{}\" is not drawn: {error}", mesh.name));
                    return None;
                }
            },
            None if mesh.triangles.is_empty() => formats::convex_hull(&mesh.vertices),
            None => {
                formats::TriangleMesh { vertices: mesh.vertices.clone(), triangles: mesh.triangles.clone() }
            }
        };
        let back = mesh.reference.inverse();
        let place = |v: V3| {
            let V3 { x, y, z } = back.point(v);
            V3::new(x * mesh.scale.x * scale.x, y * mesh.scale.y * scale.y, z * mesh.scale.z * scale.z)
        };
        let vertices: Vec<V3> = triangles.vertices.iter().map(|v| place(*v)).collect();
        // a mirror turns triangles inside out
        let mirrored = mesh.scale.x * mesh.scale.y * mesh.scale.z * scale.x * scale.y * scale.z < 0.0;
        let turned =
            triangles.triangles.iter().map(|&[a, b, c]| if mirrored { [a, c, b] } else { [a, b, c] });
        Some(self.add(Surface::creased(&vertices, &turned.collect::<Vec<_>>())))
    }

    /// A look for a model that has none: bones from joint to joint, and what has the mass and moments of the body.
    pub fn of_model(model: &Model) -> Look {
        let mut look = Look::default();
        let size = extent(model);
        let bodies = model.bodies();
        for (k, id) in model.body_ids().enumerate().skip(1) {
            let [r, g, b] = own_colour(k - 1, bodies.len() - 1);
            let mut part = |form: Form, pose: Pose, dim: f64| {
                let rgba = [r * dim, g * dim, b * dim, 1.0];
                look.parts.push(Part { body: id, form, pose, rgba, layer: Layer::Visual });
            };
            let joints = &model.joints()[bodies[k].joints.clone()];
            let tied = joints.iter().any(|j| turns_about_its_anchor(j.kind));
            let begin = joints.first().filter(|_| tied).map(|j| j.anchor);
            let ends = bodies.iter().skip(1).filter(|c| c.parent == id).filter_map(|child| {
                let first = model.joints().get(child.joints.clone())?.first()?;
                turns_about_its_anchor(first.kind).then(|| child.pose.point(first.anchor))
            });
            let ends: Vec<V3> = ends.collect();
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

fn colour(description: &Description, geom: &formats::Geom) -> [f64; 4] {
    let of_geom = geom.rgba;
    let material = geom.material.and_then(|m| description.materials.get(m));
    match material {
        // MJCF: the geom's own colour wins when it is not the default
        Some(material) if of_geom == [0.5, 0.5, 0.5, 1.0] => {
            let texture = material.texture.and_then(|t| description.textures.get(t));
            match texture.filter(|t| t.builtin != "none") {
                Some(t) => {
                    let mean = |k: usize| 0.5 * (t.rgb1[k] + t.rgb2[k]) * material.rgba[k];
                    [mean(0), mean(1), mean(2), material.rgba[3]]
                }
                None => material.rgba,
            }
        }
        _ => of_geom,
    }
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
fn between(a: V3, b: V3) -> Option<(f64, Pose)> {
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
fn mass_form(inertia: &poinsot::spatial::Inertia, size: f64) -> Option<(Form, Pose)> {
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
