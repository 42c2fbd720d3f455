//! Bodies that spin on a floor.

use super::{Scene, SceneError, begin, floor, sin_cos};
use crate::algebra::{Sym3, V3};
use crate::model::{BodyId, BodySpec, Geom, Joint, Material, ModelBuilder, Shape};
use crate::spatial::{Inertia, Pose, exp_so3};

/// Euler's disk: a heavy disc wobbles on its rim, ever flatter and faster.
///
/// It starts with its centre at rest, inclined by α. The angular velocity is along the line from the contact point, at c from the centre of
/// mass, to that centre, and the disc precesses with Ω about the vertical such that `Ω ẑ × L = c × m g ẑ` turns the angular momentum L.
/// With the radius R, the thickness t and the moments I across the axis and J along it
///
/// ```math
/// Ω² = m g (R cos α − ½ t sin α)/(sin α (I cos α − J t sin α/(2 R)))
/// ```
pub fn euler_disk() -> Result<Scene, SceneError> {
    let (radius, thick, mass, lean) = (0.075, 0.0127, 1.0, 0.35);
    let shape = Shape::Cylinder { radius, length: thick };
    let inertia = shape.inertia(mass)?.about_com();
    let (sin, cos) = sin_cos(lean);
    let rolling = Material { friction: [0.4, 0.0, 4e-5], condim: 6, ..Material::default() };
    let mut b = ModelBuilder::new("euler-disk");
    floor(&mut b, rolling);
    let (axis, up) = (V3::new(sin, 0.0, cos), V3::new(-cos, 0.0, sin));
    let contact = up * -radius - axis * (0.5 * thick);
    let pose = Pose { rot: exp_so3(V3::Y * lean), pos: V3::Z * -contact.z };
    let spec = BodySpec::new("disk").pose(pose).solid_geom(Geom::new(shape).material(rolling), mass)?;
    let disk = b.body(BodyId::WORLD, spec);
    b.joint(disk, Joint::free().named("disk"));
    // a mark that shows the rotation
    b.geom(disk, spot(0.012, V3::new(0.7 * radius, 0.0, 0.5 * thick)));
    let (along, across) = (inertia.zz, inertia.xx);
    let part = thick / (2.0 * radius);
    let weight = mass * 9.81 * (radius * cos - 0.5 * thick * sin);
    let precession = (weight / (sin * (across * cos - along * part * sin))).sqrt();
    let spin = (up + axis * part) * (precession * sin);
    Ok(begin(b.build()?, 10.0, 2.5e-4).thrown(disk, V3::ZERO, spin))
}

/// Tippe top: a ball with an eccentric centre of mass. Spun upright it turns over, because of sliding friction.
pub fn tippe_top() -> Result<Scene, SceneError> {
    let (radius, off, mass) = (0.02, 0.004, 0.015);
    let mut b = ModelBuilder::new("tippe-top");
    floor(&mut b, Material::with_friction(0.0));
    let moment = 0.35 * mass * radius * radius;
    let inertia = Inertia::new(mass, V3::Z * -off, Sym3::diagonal(moment, moment, moment))?;
    let body = Geom::new(Shape::Sphere { radius }).material(Material::with_friction(0.3));
    let pose = Pose { rot: exp_so3(V3::Y * 0.1), pos: V3::Z * radius };
    let spec = BodySpec::new("top").pose(pose).inertia(inertia).geom(body);
    let top = b.body(BodyId::WORLD, spec);
    b.joint(top, Joint::free().named("top"));
    let stem = Geom::new(Shape::Capsule { radius: 0.003, length: 0.014 }).at(V3::Z * (radius + 0.005));
    b.geom(top, stem.visual());
    Ok(begin(b.build()?, 10.0, 5e-4).thrown(top, V3::ZERO, V3::Z * 180.0))
}

/// A rattleback: an ellipsoid whose principal axes of inertia are not aligned with its geometric axes. Spun one way it continues; spun the
/// other way it starts to rattle and reverses.
pub fn rattleback() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("rattleback");
    let rough = Material::with_friction(1.0);
    floor(&mut b, rough);
    let [long, wide, deep] = [0.2, 0.03, 0.02];
    let about = Sym3 { xx: 2e-4, xy: 2e-5, xz: 0.0, yy: 1.6e-3, yz: 0.0, zz: 1.7e-3 };
    let inertia = Inertia::new(1.0, V3::Z * -0.01, about)?;
    let skin = Geom::new(Shape::Ellipsoid { radii: V3::new(long, wide, deep) }).material(rough);
    let pose = Pose::translation(V3::Z * deep);
    let spec = BodySpec::new("celt").pose(pose).inertia(inertia).geom(skin);
    let celt = b.body(BodyId::WORLD, spec);
    b.joint(celt, Joint::free().named("celt"));
    Ok(begin(b.build()?, 10.0, 5e-4).thrown(celt, V3::ZERO, V3::new(0.0, 0.5, 5.0)))
}

fn spot(radius: f64, at: V3) -> Geom {
    let shape = Shape::Cylinder { radius, length: 0.001 };
    Geom::new(shape).at(at).rgba([0.9, 0.62, 0.0, 1.0]).visual()
}
