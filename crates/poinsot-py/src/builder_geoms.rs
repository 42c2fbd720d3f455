//! `poinsot.ModelBuilder`: solids, geoms, and their contact properties.

use crate::builder::{Given, Keywords, Object, PyModelBuilder, numbers, pose, wrong};
use poinsot::model::{Geom, Material, Shape};
use pyo3::prelude::*;
use pyo3::types::PyDict;

pub fn shape(part: &str, kind: &str, k: &mut Keywords<'_, '_>) -> PyResult<Shape> {
    Ok(match kind {
        "box" => Shape::Box { size: k.vector("size")? },
        "sphere" => Shape::Sphere { radius: k.number("radius")? },
        "capsule" => Shape::Capsule { radius: k.number("radius")?, length: k.number("length")? },
        "cylinder" => Shape::Cylinder { radius: k.number("radius")?, length: k.number("length")? },
        "ellipsoid" => Shape::Ellipsoid { radii: k.vector("radii")? },
        // a plane is infinite
        "plane" => Shape::Plane { x: 0.0, y: 0.0 },
        _ => {
            let known = "box, sphere, capsule, cylinder, ellipsoid, plane";
            return Err(wrong(part, format!("there is no shape \"{kind}\"; there are: {known}")));
        }
    })
}

/// The contact properties: the model checks the numbers.
fn material(part: &str, k: &mut Keywords<'_, '_>) -> PyResult<Material> {
    let mut m = Material::default();
    if let Some(given) = k.get("friction")? {
        match given.extract::<f64>() {
            Ok(sliding) => m.friction[0] = sliding,
            Err(_) => m.friction = numbers::<3>(part, "friction", &given)?,
        }
    }
    if let Some(given) = k.get("condim")? {
        m.condim = given.extract().map_err(|_| wrong(part, "condim is 1, 3, 4 or 6"))?;
    }
    if let Some(given) = k.get("priority")? {
        m.priority = given.extract().map_err(|_| wrong(part, "priority is a whole number"))?;
    }
    m.restitution = k.number_or("restitution", m.restitution)?;
    m.margin = k.number_or("margin", m.margin)?;
    m.gap = k.number_or("gap", m.gap)?;
    for (name, to) in [("stiffness", &mut m.stiffness), ("damping", &mut m.damping)] {
        if k.get(name)?.is_some() {
            *to = Some(k.number(name)?);
        }
    }
    if m.damping.is_some() && m.stiffness.is_none() {
        return Err(wrong(
            part,
            "it has damping, but no stiffness: its contacts are rigid; give both, or neither",
        ));
    }
    Ok(m)
}

/// A geom from keywords.
fn geom(
    part: &str,
    kind: &str,
    (pos, quat): (Given<'_, '_>, Given<'_, '_>),
    name: Option<String>,
    given: Option<&Bound<'_, PyDict>>,
) -> PyResult<Geom> {
    let mut k = Keywords::of(part, given);
    let made =
        Geom::new(shape(part, kind, &mut k)?).pose(pose(part, pos, quat)?).named(name.unwrap_or_default());
    let made = made.material(material(part, &mut k)?);
    k.finish(&format!("a {kind}"), &["pos", "quat", "name"])?;
    Ok(made)
}

#[pymethods]
impl PyModelBuilder {
    /// Adds a homogeneous solid to a body: its mass, and its shape as a geom.
    ///
    /// shape: "box" (size: full edge lengths), "sphere" (radius), "capsule" or "cylinder" (radius, length), "ellipsoid" (radii); axes along
    /// z. pos, quat: its pose in the body's frame.
    ///
    /// For contact: friction (sliding; or sliding, torsional (m) and rolling (m)), restitution (0 to 1), stiffness (N/m) and damping (N
    /// s/m) of a soft contact, condim (1: no friction; 3; 4: also torsional; 6: also rolling), margin, gap (m), priority.
    #[pyo3(signature = (body, shape, mass, *, pos=None, quat=None, name=None, **sizes))]
    #[allow(clippy::too_many_arguments)] // Python has names for them
    fn solid(
        &self,
        body: &Object<'_>,
        shape: &str,
        mass: f64,
        pos: Given<'_, '_>,
        quat: Given<'_, '_>,
        name: Option<String>,
        sizes: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let mut parts = self.parts()?;
        let id = parts.body("solid", body)?;
        let part = format!("solid of body \"{}\"", parts.body_name(id));
        let made = geom(&part, shape, (pos, quat), name, sizes)?;
        parts.builder.solid(id, made, mass).map_err(|e| wrong(&part, e))?;
        Ok(())
    }

    /// Adds a shape without mass to a body or to the world (body 0, "world"), for contact. shape and keywords are those of solid, and also
    /// "plane": z = 0 and everything below, infinite.
    #[pyo3(signature = (body, shape, *, pos=None, quat=None, name=None, **sizes))]
    fn geom(
        &self,
        body: &Object<'_>,
        shape: &str,
        pos: Given<'_, '_>,
        quat: Given<'_, '_>,
        name: Option<String>,
        sizes: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let mut parts = self.parts()?;
        let id = parts.body("geom", body)?;
        let part = format!("geom of body \"{}\"", parts.body_name(id));
        let made = geom(&part, shape, (pos, quat), name, sizes)?;
        parts.builder.geom(id, made);
        Ok(())
    }
}
