//! A geom of a model as a dict that cannot be written to.

use crate::array::read_only_array as array;
use poinsot::model::{Geom, Model, Role};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMappingProxy};

/// Its shape, its pose, and its contact properties.
pub fn dict<'py>(py: Python<'py>, model: &Model, geom: &Geom) -> PyResult<Bound<'py, PyMappingProxy>> {
    let (out, m) = (PyDict::new(py), &geom.material);
    let sizes = geom.shape.sizes();
    let count = sizes.len();
    out.set_item("name", &geom.name)?;
    out.set_item("body", &model.bodies()[geom.body().index()].name)?;
    out.set_item("type", geom.shape.word())?;
    out.set_item("size", array(py, sizes, &[count])?)?;
    out.set_item("position", array(py, geom.pose.pos.array().to_vec(), &[3])?)?;
    out.set_item("rotation", array(py, geom.pose.rot.rows().concat(), &[3, 3])?)?;
    out.set_item(
        "role",
        match geom.role {
            Role::Visual => "visual",
            Role::Collision => "collision",
            Role::Both => "both",
        },
    )?;
    out.set_item("friction", array(py, m.friction.to_vec(), &[3])?)?;
    out.set_item("condim", m.condim)?;
    out.set_item("restitution", m.restitution)?;
    out.set_item("margin", m.margin)?;
    out.set_item("gap", m.gap)?;
    out.set_item("priority", m.priority)?;
    out.set_item("contype", geom.filter.contype)?;
    out.set_item("conaffinity", geom.filter.conaffinity)?;
    out.set_item("group", geom.group)?;
    out.set_item("rgba", geom.rgba.map(|c| array(py, c.to_vec(), &[4])).transpose()?)?;
    Ok(PyMappingProxy::new(py, out.as_mapping()))
}
