//! The Python package `poinsot`: models from files, their dynamics on NumPy arrays, and simulations.
//!
//! The classes and functions are documented for Python, in their docstrings and in `python/poinsot/_poinsot.pyi`.

#![forbid(unsafe_code)]

mod affine;
mod array;
mod audit;
mod builder;
mod builder_geoms;
mod builder_sensors;
mod constraint;
mod contact;
mod contacts;
mod copying;
mod derivatives;
mod diagnostic;
mod dynamics;
mod error;
mod geom;
mod group;
mod guarded;
mod inverse_contact;
mod kinematics;
mod lagrange;
mod load;
mod model;
mod motion;
mod optimize;
mod queries;
mod replace;
mod scratch;
mod seeing;
mod signals;
mod simulation;
mod snapshot;
mod states;
mod stepping;
mod touching;

use pyo3::prelude::*;

/// Rigid and articulated body dynamics. Use the package `poinsot`, which has all of this.
#[pymodule]
mod _poinsot {
    #[pymodule_export]
    use crate::affine::{PyAffineHierarchy, PyAffinePath};
    #[pymodule_export]
    use crate::builder::PyModelBuilder;
    #[pymodule_export]
    use crate::contact::{PyContactSolution, PyLcpSolution, solve_contact, solve_lcp};
    #[pymodule_export]
    use crate::error::{AssemblyError, ModelError, ModelWarning, PoinsotError, StepError, StepWarning};
    #[pymodule_export]
    use crate::group::{PyGroupLagrangian, PyGroupPath};
    #[pymodule_export]
    use crate::guarded::_forked;
    #[pymodule_export]
    use crate::kinematics::PyIkSolution;
    #[pymodule_export]
    use crate::lagrange::{PyLagrangian, PyLagrangianPath};
    #[pymodule_export]
    use crate::load::{load, loads, scene, scenes};
    #[pymodule_export]
    use crate::model::PyModel;
    #[pymodule_export]
    use crate::optimize::{_optimize, PyMotion, explain};
    #[pymodule_export]
    use crate::queries::PyScene;
    #[pymodule_export]
    use crate::seeing::{_serve, PyReplay, PyViewer};
    #[pymodule_export]
    use crate::simulation::PySimulation;
    #[pymodule_export]
    use crate::snapshot::PySnapshot;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let names = poinsot::integrate::Method::ALL.map(poinsot::integrate::Method::word);
        module.add("INTEGRATORS", pyo3::types::PyTuple::new(module.py(), names)?)?;
        crate::guarded::watch_forks(module)?;
        // an exception to which nobody has attached diagnostics has none
        module
            .py()
            .get_type::<ModelError>()
            .setattr("diagnostics", pyo3::types::PyTuple::empty(module.py()))?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
