//! Inertias of bodies: given, or computed from their geoms; then the adjustments that `<compiler>` requests.

use super::Reader;
use super::compiler::FromGeoms;
use crate::description::Geom;
use poinsot_core::algebra::{M3, Sym3, V3};
use poinsot_core::model::{Mesh, Shape, TriangleMesh, convex_hull};
use poinsot_core::spatial::{Inertia, Pose};
use std::f64::consts::PI;
use std::sync::Arc;

impl Reader<'_> {
    /// Sets the inertia of every body except the world.
    pub(super) fn find_inertias(&mut self) {
        for k in 1..self.d.bodies.len() {
            let given = self.inertials[k].filter(|_| self.compiler.from_geoms != FromGeoms::Always);
            self.d.bodies[k].inertia = match given {
                Some(inertia) => inertia,
                None if self.compiler.from_geoms == FromGeoms::Never => Inertia::ZERO,
                None => self.sum_of_geoms(k),
            };
        }
        self.adjust();
    }

    fn sum_of_geoms(&mut self, body: usize) -> Inertia {
        let (first, last) = self.compiler.groups;
        let mut sum = Inertia::ZERO;
        for k in 0..self.d.bodies[body].geoms.len() {
            let geom = self.d.bodies[body].geoms[k].clone();
            if (first..=last).contains(&i64::from(geom.geom.group)) && geom.mass != Some(0.0) {
                sum = sum + self.of_geom(&geom);
            }
        }
        sum
    }

    /// The inertia of a geom in the frame of its body.
    fn of_geom(&mut self, geom: &Geom) -> Inertia {
        let solid = match &geom.geom.shape {
            Shape::Plane { .. } | Shape::HeightField(_) => return Inertia::ZERO,
            Shape::Hull(mesh) | Shape::Mesh(mesh) => self.solid_of(mesh, geom.shell),
            shape => match of_shape(shape, geom.shell) {
                Ok(solid) => solid,
                Err(why) => {
                    self.report.error("mjcf::bad-size", why).at(geom.place);
                    return Inertia::ZERO;
                }
            },
        };
        if solid.volume <= 0.0 {
            return Inertia::ZERO;
        }
        let factor = match geom.mass {
            Some(mass) => mass / solid.volume,
            None => geom.density,
        };
        scaled(solid.unit, factor).seen_from(geom.geom.pose)
    }

    /// The solid inside a mesh, or its surface.
    fn solid_of(&mut self, mesh: &Arc<Mesh>, as_shell: bool) -> Solid {
        let key = (Arc::as_ptr(mesh), as_shell);
        if let Some(known) = self.solids.get(&key) {
            return *known;
        }
        let solid = self.find_solid(mesh, as_shell);
        self.solids.insert(key, solid);
        solid
    }

    /// A simple shape fitted to a mesh: that of the box with the inertia of the solid inside, in the frame of its principal
    /// axes, the longest edge along z.
    pub(super) fn fit(&mut self, word: &str, mesh: usize, scale: f64) -> (Shape, Pose) {
        let Solid { volume, unit } = self.solid_of(&self.d.meshes[mesh].clone(), false);
        let ([low, middle, high], axes) = unit.principal_axes();
        let half = |i: f64| scale * 0.5 * (6.0 * i.max(0.0) / volume.max(1e-300)).sqrt();
        let (x, y, z) = (half(middle + low - high), half(high + low - middle), half(high + middle - low));
        let radius = 0.5 * (x + y);
        let shape = match word {
            "capsule" => Shape::Capsule { radius, length: 2.0 * (z - 0.5 * radius).max(0.0) },
            "cylinder" => Shape::Cylinder { radius, length: 2.0 * z },
            "ellipsoid" => Shape::Ellipsoid { radii: V3::new(x, y, z) },
            "box" => Shape::Box { size: V3::new(x, y, z) * 2.0 },
            _ => Shape::Sphere { radius: (x + y + z) / 3.0 },
        };
        (shape, Pose { rot: M3::columns(axes.z, -axes.y, axes.x), pos: unit.com() })
    }

    /// Reads the mesh from its file if necessary.
    fn find_solid(&mut self, asset: &Arc<Mesh>, as_shell: bool) -> Solid {
        let (mode, place) = self.mesh_modes.get(&Arc::as_ptr(asset)).copied().unwrap_or_default();
        let mut mesh = match asset.read() {
            Ok(mesh) => mesh,
            Err(why) => {
                self.report.error("mjcf::bad-mesh", why.to_string()).at(place);
                return Solid::NOTHING;
            }
        };
        // in single precision, as MuJoCo stores vertices; in its reference frame, then scaled
        let (back, scale) = (asset.reference.inverse(), asset.scale);
        let single = |x: f64| f64::from(x as f32);
        for v in &mut mesh.vertices {
            let V3 { x, y, z } = back.point(V3::from(v.array().map(single)));
            *v = V3::new(x * scale.x, y * scale.y, z * scale.z);
        }
        let mode = if as_shell { "shell" } else { mode };
        let solid = match mode {
            "convex" => solid(&convex_hull(&mesh.vertices), f64::abs),
            "exact" => solid(&mesh, |v| v),
            "shell" => shell(&mesh),
            _ => solid(&mesh, f64::abs),
        };
        if !(solid.volume > 0.0 && solid.volume.is_finite()) {
            let message =
                format!("mesh \"{}\" encloses no volume, so its inertia cannot be found", asset.name);
            let help = "close the mesh, give the body an <inertial>, or the geom mass=\"0\"";
            self.report.error("mjcf::bad-mesh", message).at(place).help(help);
        }
        solid
    }

    /// `boundmass`, `boundinertia`, `balanceinertia`, `settotalmass`.
    fn adjust(&mut self) {
        let c = self.compiler;
        for body in &mut self.d.bodies[1..] {
            if c.bound_mass <= 0.0 && c.bound_inertia <= 0.0 && !c.balance_inertia {
                break;
            }
            let (moments, axes) = body.inertia.principal_axes();
            let mut moments = moments.map(|m| m.max(c.bound_inertia));
            let [x, y, z] = moments;
            if c.balance_inertia && (x + y < z || x + z < y || y + z < x) {
                moments = [(x + y + z) / 3.0; 3];
            }
            let mass = body.inertia.mass.max(c.bound_mass);
            let [x, y, z] = moments;
            let own = Inertia { mass, first_moment: V3::ZERO, rotational: Sym3::diagonal(x, y, z) };
            body.inertia = own.seen_from(Pose { rot: axes, pos: body.inertia.com() });
        }
        if c.total_mass > 0.0 {
            let total: f64 = self.d.bodies[1..].iter().map(|b| b.inertia.mass).sum();
            let factor = c.total_mass / total.max(1e-15);
            for body in &mut self.d.bodies[1..] {
                body.inertia = scaled(body.inertia, factor);
            }
        }
    }
}

/// A homogeneous solid of density 1 (a shell: of surface density 1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid {
    volume: f64,
    unit: Inertia,
}

impl Solid {
    const NOTHING: Solid = Solid { volume: 0.0, unit: Inertia::ZERO };
}

fn scaled(i: Inertia, k: f64) -> Inertia {
    Inertia { mass: i.mass * k, first_moment: i.first_moment * k, rotational: i.rotational.scaled(k) }
}

fn of_shape(shape: &Shape, as_shell: bool) -> Result<Solid, String> {
    let unit = shape.inertia_from_density(1.0).map_err(|e| e.to_string())?;
    if !as_shell {
        return Ok(Solid { volume: unit.mass, unit });
    }
    let (area, moments) = shell_of(shape)?;
    let unit = Inertia { mass: area, first_moment: V3::ZERO, rotational: moments };
    Ok(Solid { volume: area, unit })
}

/// Area and moments of a surface of density 1.
fn shell_of(shape: &Shape) -> Result<(f64, Sym3), String> {
    // (area, second moments ∫x² dA, ∫y² dA, ∫z² dA)
    let (area, x, y, z) = match *shape {
        Shape::Sphere { radius: r } => {
            let (area, second) = (4.0 * PI * r * r, 4.0 * PI / 3.0 * r.powi(4));
            (area, second, second, second)
        }
        Shape::Box { size } => {
            let (a, b, c) = (size.x, size.y, size.z);
            let area = 2.0 * (a * b + b * c + c * a);
            // of the two faces normal to u at ±u/2, and of the four others, over which u runs along the edge
            let along = |u: f64, v: f64, w: f64| 0.5 * u * u * v * w + u.powi(3) * (v + w) / 6.0;
            (area, along(a, b, c), along(b, c, a), along(c, a, b))
        }
        Shape::Cylinder { radius: r, length: l } => {
            let (side, caps) = (2.0 * PI * r * l, 2.0 * PI * r * r);
            let across = 0.5 * side * r * r + 0.25 * caps * r * r;
            (side + caps, across, across, side * l * l / 12.0 + caps * l * l / 4.0)
        }
        Shape::Capsule { radius: r, length: l } => {
            let (side, caps) = (2.0 * PI * r * l, 4.0 * PI * r * r);
            let across = 0.5 * side * r * r + caps * r * r / 3.0;
            // half a sphere: mean height r/2, mean square r²/3, above the end at l/2
            let h = 0.5 * l;
            (side + caps, across, across, side * l * l / 12.0 + caps * (h * h + h * r + r * r / 3.0))
        }
        _ => {
            let word = shape.word();
            return Err(format!("the shell of a shape of type {word} (shellinertia) is not supported"));
        }
    };
    Ok((area, Sym3::diagonal(y + z, x + z, x + y)))
}

/// Volume and inertia from the pyramids between a point inside and the triangles; `sign` takes their signed volumes.
/// With |V| every pyramid counts as solid, which gives meshes that are not closed a volume, as in MuJoCo.
fn solid(mesh: &TriangleMesh, sign: fn(f64) -> f64) -> Solid {
    let corners = |t: &[usize; 3]| t.map(|k| mesh.vertices[k]);
    let (mut area, mut middle) = (0.0, V3::ZERO);
    for t in &mesh.triangles {
        let [a, b, c] = corners(t);
        let size = 0.5 * (b - a).cross(c - a).norm();
        area += size;
        middle += (a + b + c) * (size / 3.0);
    }
    if area <= 0.0 {
        return Solid::NOTHING;
    }
    let apex = middle * (1.0 / area);
    let (mut volume, mut moment) = (0.0, V3::ZERO);
    for t in &mesh.triangles {
        let [a, b, c] = corners(t);
        let v = sign(pyramid(a, b, c, apex));
        volume += v;
        moment += ((a + b + c) * 0.25 + apex * 0.25) * v;
    }
    let com = moment * (1.0 / volume);
    // a second time from the centre of mass, as |V| depends on the apex
    let (mut volume, mut second) = (0.0, Sym3::zero());
    for t in &mesh.triangles {
        let [a, b, c] = corners(t).map(|x| x - com);
        let (v, s) = (sign(pyramid(a, b, c, V3::ZERO)), a + b + c);
        volume += v;
        second = [a, b, c, s].iter().fold(second, |sum, x| sum + Sym3::outer(*x, v / 20.0));
    }
    let about_com = Sym3::scalar(second.trace()) - second;
    let own = Inertia { mass: volume, first_moment: V3::ZERO, rotational: about_com };
    Solid { volume, unit: own.seen_from(Pose { rot: Pose::IDENTITY.rot, pos: com }) }
}

fn pyramid(a: V3, b: V3, c: V3, apex: V3) -> f64 {
    (a - apex).dot((b - apex).cross(c - apex)) / 6.0
}

/// Area and inertia of the surface: `∫ x xᵀ dA = A/12 (Σ v vᵀ + s sᵀ)` over a triangle, with s = Σ v.
fn shell(mesh: &TriangleMesh) -> Solid {
    let (mut area, mut first, mut second) = (0.0, V3::ZERO, Sym3::zero());
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|k| mesh.vertices[k]);
        let (size, s) = (0.5 * (b - a).cross(c - a).norm(), a + b + c);
        area += size;
        first += s * (size / 3.0);
        second = [a, b, c, s].iter().fold(second, |sum, x| sum + Sym3::outer(*x, size / 12.0));
    }
    let rotational = Sym3::scalar(second.trace()) - second;
    Solid { volume: area, unit: Inertia { mass: area, first_moment: first, rotational } }
}
