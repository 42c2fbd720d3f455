//! Solids: the form of geoms in the narrow phase, compiled once from the shapes of a model.

use crate::convex::{Convex, Core};
use crate::math::{Aabb, Frame, Vec3, vec3};
use crate::polytope::Polytope;
use crate::surface::{Field, Triangles};
use poinsot_core::model::{Mesh, Shape, convex_hull};
use std::collections::HashMap;
use std::sync::Arc;

/// A shape with halved sizes; the order of the variants is that of pairs.
#[derive(Clone, Debug)]
pub(crate) enum Solid {
    Plane,
    Sphere { radius: f64 },
    Capsule { half: f64, radius: f64 },
    Box { half: Vec3 },
    Cylinder { half: f64, radius: f64 },
    Ellipsoid { radii: Vec3 },
    Hull(Arc<Polytope>),
    Mesh(Arc<Triangles>),
    Field(Arc<Field>),
}

impl Solid {
    /// The body for the convex algorithms; `None` for planes, meshes and height fields.
    #[inline]
    pub fn convex(&self) -> Option<Convex<'_>> {
        let sharp = |core| Some(Convex { core, round: 0.0 });
        match self {
            Solid::Sphere { radius } => Some(Convex { core: Core::Point, round: *radius }),
            Solid::Capsule { half, radius } => {
                Some(Convex { core: Core::Segment { half: *half }, round: *radius })
            }
            Solid::Box { half } => sharp(Core::Box { half: *half }),
            Solid::Cylinder { half, radius } => sharp(Core::Cylinder { half: *half, radius: *radius }),
            Solid::Ellipsoid { radii } => sharp(Core::Ellipsoid { radii: *radii }),
            Solid::Hull(polytope) => sharp(Core::Polytope(polytope)),
            Solid::Plane | Solid::Mesh(_) | Solid::Field(_) => None,
        }
    }

    /// The bounding box of the solid in the frame in which it has pose x.
    #[inline]
    pub fn aabb(&self, x: &Frame) -> Aabb {
        let about = |half: Vec3| Aabb::about(x.pos, half);
        match self {
            Solid::Plane => Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY },
            Solid::Sphere { radius } => about(Vec3::splat(*radius)),
            Solid::Capsule { half, radius } => about(x.rot.z_axis.abs() * *half + Vec3::splat(*radius)),
            Solid::Box { half } => {
                let r = x.rot;
                about(r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z)
            }
            Solid::Mesh(mesh) => mesh.aabb.seen(x),
            Solid::Field(field) => field.aabb.seen(x),
            Solid::Hull(polytope) if polytope.vertices.len() > 64 => polytope.aabb.seen(x),
            _ => self.convex().map_or(Aabb::EMPTY, |c| c.aabb(x)),
        }
    }

    /// The radius of a ball about the origin of the frame that contains the solid.
    pub fn reach(&self) -> f64 {
        match self {
            Solid::Plane => f64::INFINITY,
            Solid::Mesh(mesh) => mesh.aabb.min.abs().max(mesh.aabb.max.abs()).length(),
            Solid::Field(field) => field.aabb.min.abs().max(field.aabb.max.abs()).length(),
            _ => self.convex().map_or(0.0, |c| c.reach()),
        }
    }
}

/// Compiles the shapes of a model; shared meshes are compiled once.
#[derive(Default)]
pub(crate) struct Compiler {
    hulls: HashMap<*const Mesh, Arc<Polytope>>,
    meshes: HashMap<*const Mesh, Arc<Triangles>>,
}

impl Compiler {
    /// Compiles a shape; the error says why it is invalid.
    pub fn solid(&mut self, shape: &Shape) -> Result<Solid, String> {
        shape.check().map_err(|e| e.to_string())?;
        Ok(match shape {
            Shape::Plane { .. } => Solid::Plane,
            Shape::Sphere { radius } => Solid::Sphere { radius: *radius },
            Shape::Capsule { radius, length } => Solid::Capsule { half: 0.5 * length, radius: *radius },
            Shape::Box { size } => Solid::Box { half: 0.5 * vec3(*size) },
            Shape::Cylinder { radius, length } => Solid::Cylinder { half: 0.5 * length, radius: *radius },
            Shape::Ellipsoid { radii } => Solid::Ellipsoid { radii: vec3(*radii) },
            Shape::Hull(mesh) => match self.hulls.get(&Arc::as_ptr(mesh)) {
                Some(known) => Solid::Hull(known.clone()),
                None => {
                    let made = Arc::new(hull(mesh)?);
                    self.hulls.insert(Arc::as_ptr(mesh), made.clone());
                    Solid::Hull(made)
                }
            },
            Shape::Mesh(mesh) => match self.meshes.get(&Arc::as_ptr(mesh)) {
                Some(known) => Solid::Mesh(known.clone()),
                None => {
                    let made = Arc::new(Triangles::new(mesh.surface().map_err(|e| e.to_string())?)?);
                    self.meshes.insert(Arc::as_ptr(mesh), made.clone());
                    Solid::Mesh(made)
                }
            },
            Shape::HeightField(field) => {
                let heights = field.heights().map_err(|e| e.to_string())?;
                Solid::Field(Arc::new(Field::new(field.size, heights)))
            }
        })
    }
}

/// Faces of hulls are merged if they differ by less than this angle.
const FLAT: f64 = 1e-7;

/// The hull of a mesh; the error says why it has none.
fn hull(mesh: &Mesh) -> Result<Polytope, String> {
    let points = &mesh.surface().map_err(|e| e.to_string())?.vertices;
    if let Some(k) = points.iter().position(|p| !p.is_finite()) {
        return Err(format!("vertex {k} of mesh \"{}\" is not finite; give numbers", mesh.name));
    }
    let hull = convex_hull(points);
    if hull.triangles.is_empty() {
        return Err(format!(
            "all {} vertices of mesh \"{}\" lie in a plane, so that their hull has no volume; give it thickness, or a mesh geom",
            points.len(),
            mesh.name
        ));
    }
    let points: Vec<Vec3> = hull.vertices.iter().map(|p| vec3(*p)).collect();
    Ok(Polytope::from_triangles(&points, &hull.triangles, FLAT))
}
