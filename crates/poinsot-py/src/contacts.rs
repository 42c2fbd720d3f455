//! `poinsot.Model.contacts`: the contacts at a configuration.

use crate::array::{Rows, array};
use crate::dynamics::{Object, Q};
use crate::error::ModelError;
use crate::model::PyModel;
use crate::states::take;
use numpy::PyArray1;
use poinsot_collide::{Contact, Contacts, Feature, Scene, body_poses};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The fields of the array.
const FIELDS: [(&str, &str, &[usize]); 9] = [
    ("row", "i8", &[]),
    ("geoms", "i8", &[2]),
    ("bodies", "i8", &[2]),
    ("features", "U6", &[2]),
    ("numbers", "i8", &[2]),
    ("ordinal", "i8", &[]),
    ("position", "f8", &[3]),
    ("normal", "f8", &[3]),
    ("gap", "f8", &[]),
];

fn feature(f: Feature) -> (&'static str, i64) {
    match f {
        Feature::Vertex(k) => ("vertex", k.into()),
        Feature::Edge(k) => ("edge", k.into()),
        Feature::Face(k) => ("face", k.into()),
    }
}

/// A structured array of contacts, each with the row of q that it was found at.
fn structured<'py>(py: Python<'py>, found: &[(usize, Contact)]) -> PyResult<Object<'py>> {
    let numpy = py.import("numpy")?;
    let fields: Vec<_> = FIELDS.iter().map(|(name, kind, shape)| (*name, *kind, shape.to_vec())).collect();
    let fields = fields
        .into_iter()
        .map(|(name, kind, shape)| (name, kind, pyo3::types::PyTuple::new(py, shape)?).into_pyobject(py))
        .collect::<PyResult<Vec<_>>>()?;
    let out = numpy.call_method1("zeros", (found.len(), fields))?;
    let count = found.len();
    let whole = |of: &dyn Fn(&Contact) -> i64| found.iter().map(|(_, c)| of(c)).collect::<Vec<_>>();
    let pairs = |of: &dyn Fn(&Contact) -> [i64; 2]| {
        let numbers: Vec<i64> = found.iter().flat_map(|(_, c)| of(c)).collect();
        PyArray1::from_vec(py, numbers).call_method1("reshape", ((count, 2),))
    };
    let vectors = |of: &dyn Fn(&Contact) -> [f64; 3]| {
        array(py, found.iter().flat_map(|(_, c)| of(c)).collect(), &[count, 3])
    };
    let rows: Vec<i64> = found.iter().map(|(row, _)| *row as i64).collect();
    out.set_item("row", PyArray1::from_vec(py, rows))?;
    out.set_item("geoms", pairs(&|c| c.key.geoms.map(|g| g.index() as i64))?)?;
    out.set_item("bodies", pairs(&|c| c.bodies.map(|b| b.index() as i64))?)?;
    let words: Vec<[&str; 2]> = found.iter().map(|(_, c)| c.key.features.map(|f| feature(f).0)).collect();
    if count > 0 {
        out.set_item("features", words)?;
    }
    out.set_item("numbers", pairs(&|c| c.key.features.map(|f| feature(f).1))?)?;
    out.set_item("ordinal", PyArray1::from_vec(py, whole(&|c| c.key.ordinal.into())))?;
    out.set_item("position", vectors(&|c| c.position.array())?)?;
    out.set_item("normal", vectors(&|c| c.normal.array())?)?;
    let gaps: Vec<f64> = found.iter().map(|(_, c)| c.gap).collect();
    out.set_item("gap", PyArray1::from_vec(py, gaps))?;
    Ok(out)
}

#[pymethods]
impl PyModel {
    /// The contacts at a configuration q, or at one in each row, as a structured array sorted by row and pair: `geoms` and `bodies` (indices,
    /// the geom with the lower one first), `position` (midway between the surfaces), `normal` (from the first geom to the second),
    /// `gap` (negative: how far they overlap), and what identifies a contact from step to step: `features` and their `numbers`, `ordinal`. Contacts
    /// are found up to the margins in the model, plus `margin`. Geoms that cannot be read have no contact, and StepWarning names them.
    #[pyo3(signature = (q, margin = 0.0))]
    fn contacts<'py>(&self, q: &Object<'py>, margin: f64) -> PyResult<Object<'py>> {
        let rows: Rows<'py> = take(&self.model, Q, "q", q)?;
        let (width, count) = (rows.width, rows.count.unwrap_or(1));
        let numbers = rows.numbers()?.to_vec();
        let found = q.py().detach(|| -> Result<_, poinsot_collide::CollideError> {
            let (mut scene, left_out) = Scene::of_readable(&self.model);
            let (mut contacts, mut poses, mut found) = (Contacts::new(), Vec::new(), Vec::new());
            for row in 0..count {
                self.pool.with(|model, s| {
                    s.state.q.copy_from_slice(&numbers[row * width..(row + 1) * width]);
                    s.state.v.fill(0.0);
                    body_poses(model, &s.workspace.at(model, &s.state), &mut poses);
                });
                scene.detect(&poses, margin, &mut contacts)?;
                found.extend(contacts.iter().map(|c| (row, *c)));
            }
            Ok((found, left_out))
        });
        let refused = |e: poinsot_collide::CollideError| match e {
            poinsot_collide::CollideError::Margin { .. } => PyValueError::new_err(e.to_string()),
            _ => ModelError::new_err(e.to_string()),
        };
        let (found, left_out) = found.map_err(refused)?;
        for why in left_out {
            self.warn_once(q.py(), why.to_string(), format!("these contacts are not found: {why}"))?;
        }
        structured(q.py(), &found)
    }
}
