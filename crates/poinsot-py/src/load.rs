//! Loading models.

use crate::error::{load_error, scene_error, warn};
use crate::model::{Origin, PyModel};
use poinsot::formats::{self, ConvexParts, Format, Ground, LoadOptions, Loaded, Motors, TriangleMesh};
use poinsot::scenes as ready_made;
use poinsot_collide::{Decomposition, decompose};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// Reads a model from an MJCF or URDF file, with all the files it names.
///
/// root: for untrusted files; nothing outside this folder is read, whatever the model names.
/// search: additional folders for package:// and relative mesh files.
/// floating_base: URDF; the root link moves freely instead of being fixed to the world.
/// merge_fixed: URDF; links behind fixed joints become part of their parent link.
/// soft_limits: MJCF; limits are soft according to solreflimit instead of rigid.
/// motors: URDF; True gives every hinge and slide that mimics no other a motor; "transmissions" only those that <transmission> elements
/// name. A motor has the name of the joint; its control is the force or torque, N or N m, within the joint's effort; an effort of 0 counts
/// as unknown.
/// ground: a floor for models that have none; True puts it at the lowest point of all collision shapes in the reference configuration, a
/// number at that height, m.
/// decompose: True decomposes concave meshes into convex parts for contact (V-HACD), instead of using their hulls or triangles; a list of
/// mesh names only those.
/// Raises ModelError if there is no model in the file.
#[pyfunction]
#[pyo3(signature = (path, *, root=None, search=Vec::new(), floating_base=false, merge_fixed=false, soft_limits=false, motors=None,
                    ground=None, decompose=None),
       text_signature = "(path, *, root=None, search=(), floating_base=False, merge_fixed=False, soft_limits=False, motors=False, \
                         ground=False, decompose=False)")]
#[allow(clippy::too_many_arguments)] // they are keywords of the call in Python
pub fn load(
    py: Python<'_>,
    path: PathBuf,
    root: Option<PathBuf>,
    search: Vec<PathBuf>,
    floating_base: bool,
    merge_fixed: bool,
    soft_limits: bool,
    motors: Option<&Bound<'_, PyAny>>,
    ground: Option<&Bound<'_, PyAny>>,
    decompose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyModel> {
    let (motors, ground, convex_parts) = (motors_of(motors)?, ground_of(ground)?, parts_of(decompose)?);
    let options = LoadOptions {
        format: None,
        root,
        search,
        floating_base,
        merge_fixed,
        soft_limits,
        motors,
        ground,
        convex_parts,
    };
    let loaded = py.detach(|| formats::load_with(&path, &options));
    let loaded = loaded.map_err(|e| load_error(py, &e))?;
    refuse_motors(&loaded, options.motors)?;
    warn(py, &loaded.report)?;
    Ok(PyModel::loaded(loaded, Origin::File { path, options }))
}

/// Reads a model from text. `name` stands for the path of the file: messages show it, and files that the text names are sought next to it.
/// floating_base, soft_limits, motors, ground and decompose are as in load.
#[pyfunction]
#[pyo3(signature = (text, name=PathBuf::from("model.xml"), *, floating_base=false, soft_limits=false, motors=None, ground=None,
                    decompose=None),
       text_signature = "(text, name='model.xml', *, floating_base=False, soft_limits=False, motors=False, ground=False, \
                         decompose=False)")]
#[allow(clippy::too_many_arguments)] // they are keywords of the call in Python
pub fn loads(
    py: Python<'_>,
    text: String,
    name: PathBuf,
    floating_base: bool,
    soft_limits: bool,
    motors: Option<&Bound<'_, PyAny>>,
    ground: Option<&Bound<'_, PyAny>>,
    decompose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyModel> {
    let (motors, ground, convex_parts) = (motors_of(motors)?, ground_of(ground)?, parts_of(decompose)?);
    let options =
        LoadOptions { floating_base, soft_limits, motors, ground, convex_parts, ..LoadOptions::default() };
    let loaded = py.detach(|| formats::load_text(&name, &text, &options));
    let loaded = loaded.map_err(|e| load_error(py, &e))?;
    refuse_motors(&loaded, options.motors)?;
    warn(py, &loaded.report)?;
    Ok(PyModel::loaded(loaded, Origin::Text { text, name, options }))
}

/// MJCF files have their own actuators.
fn refuse_motors(loaded: &Loaded, motors: Motors) -> PyResult<()> {
    if motors == Motors::None || loaded.description.format == Format::Urdf {
        return Ok(());
    }
    let text =
        "motors is for URDF files; an MJCF file has its own: add <motor joint=\"…\"/> to its <actuator>";
    Err(PyValueError::new_err(text))
}

/// A built-in scene: a model with an initial state, a time step and an integrator. scenes() lists them.
#[pyfunction]
pub fn scene(name: &str) -> PyResult<PyModel> {
    let scene = ready_made::by_name(name).map_err(|e| scene_error(&e))?;
    Ok(PyModel::of_scene(scene, Origin::Scene(name.to_string())))
}

/// The built-in scenes: a dict of name and description.
#[pyfunction]
pub fn scenes(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, sentence) in ready_made::SCENES {
        dict.set_item(name, sentence)?;
    }
    Ok(dict)
}

fn motors_of(given: Option<&Bound<'_, PyAny>>) -> PyResult<Motors> {
    let Some(given) = given.filter(|g| !g.is_none()) else { return Ok(Motors::None) };
    match (given.extract::<bool>(), given.extract::<String>().as_deref()) {
        (Ok(true), _) => Ok(Motors::All),
        (Ok(false), _) => Ok(Motors::None),
        (_, Ok("transmissions")) => Ok(Motors::Transmissions),
        _ => Err(PyValueError::new_err(format!("motors is {given}; give True, False or \"transmissions\""))),
    }
}

fn parts_of(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<ConvexParts>> {
    let Some(given) = given.filter(|g| !g.is_none()) else { return Ok(None) };
    let by = |mesh: &TriangleMesh| decompose(mesh, Decomposition::default()).map_err(|e| e.to_string());
    match (given.extract::<bool>(), given.extract::<Vec<String>>()) {
        (Ok(all), _) => Ok(all.then_some(ConvexParts { meshes: None, by })),
        (_, Ok(names)) => Ok(Some(ConvexParts { meshes: Some(names), by })),
        _ => Err(PyValueError::new_err(format!(
            "decompose is {given}; give True, False or a list of the names of meshes"
        ))),
    }
}

/// What [`load`] is given for it.
pub fn parts_word<'py>(py: Python<'py>, parts: Option<&ConvexParts>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match parts {
        None => false.into_pyobject(py)?.to_owned().into_any(),
        Some(ConvexParts { meshes: None, .. }) => true.into_pyobject(py)?.to_owned().into_any(),
        Some(ConvexParts { meshes: Some(names), .. }) => names.into_pyobject(py)?.into_any(),
    })
}

fn ground_of(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Ground>> {
    let Some(given) = given.filter(|g| !g.is_none()) else { return Ok(None) };
    match (given.extract::<bool>(), given.extract::<f64>()) {
        (Ok(below), _) => Ok(below.then_some(Ground::Below)),
        (_, Ok(z)) if z.is_finite() => Ok(Some(Ground::At(z))),
        _ => Err(PyValueError::new_err(format!("ground is {given}; give True, False or a height in metres"))),
    }
}

/// What [`load`] is given for it.
pub fn ground_word<'py>(py: Python<'py>, ground: Option<Ground>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match ground {
        None => false.into_pyobject(py)?.to_owned().into_any(),
        Some(Ground::Below) => true.into_pyobject(py)?.to_owned().into_any(),
        Some(Ground::At(z)) => z.into_pyobject(py)?.into_any(),
    })
}

/// What [`load`] is given for it.
pub fn motors_word<'py>(py: Python<'py>, motors: Motors) -> PyResult<Bound<'py, PyAny>> {
    Ok(match motors {
        Motors::None => false.into_pyobject(py)?.to_owned().into_any(),
        Motors::All => true.into_pyobject(py)?.to_owned().into_any(),
        Motors::Transmissions => "transmissions".into_pyobject(py)?.into_any(),
    })
}
