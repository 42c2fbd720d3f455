//! NumPy arrays in and out.

use numpy::{IntoPyArray, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// One vector, or one in each row.
pub struct Rows<'py> {
    /// The name of the argument.
    pub name: &'static str,
    array: PyReadonlyArrayDyn<'py, f64>,
    /// The length of a vector.
    pub width: usize,
    /// The number of rows; none for a single vector.
    pub count: Option<usize>,
}

impl<'py> Rows<'py> {
    /// Accepts anything that NumPy can convert to numbers; float64 in C order is not copied. Refuses numbers that are not finite.
    pub fn new(name: &'static str, x: &Bound<'py, PyAny>) -> PyResult<Rows<'py>> {
        let array = float64(name, x)?.try_readonly()?;
        let (width, count) = match *array.shape() {
            [width] => (width, None),
            [count, width] => (width, Some(count)),
            ref shape => {
                let text =
                    format!("{name} has {} dimensions; give one vector, or one in each row", shape.len());
                return Err(PyValueError::new_err(text));
            }
        };
        Ok(Rows { name, array, width, count })
    }

    /// All numbers, row after row.
    pub fn numbers(&self) -> PyResult<&[f64]> {
        self.array.as_slice().map_err(|e| PyValueError::new_err(format!("{}: {e}", self.name)))
    }
}

/// A float64 array in C order: the same object if it is one.
pub fn float64<'py>(name: &str, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    if let Ok(array) = x.cast::<PyArrayDyn<f64>>()
        && array.is_c_contiguous()
        && array.data().is_aligned()
    {
        return Ok(array.clone());
    }
    let numpy = x.py().import("numpy")?;
    let named = |e: PyErr| PyValueError::new_err(format!("{name}: {}", e.value(x.py())));
    let array = numpy.call_method1("asarray", (x,)).map_err(named)?;
    let dtype = array.getattr("dtype")?;
    // booleans, integers and floats; a complex number would silently lose a part
    if !"biuf".contains(dtype.getattr("kind")?.extract::<char>()?) {
        return Err(PyTypeError::new_err(format!("{name} must be real numbers, not {dtype}")));
    }
    let array = numpy.call_method1("require", (array, "float64", ["C", "A"])).map_err(named)?;
    Ok(array.cast_into::<PyArrayDyn<f64>>()?)
}

/// A new array of this shape.
pub fn array<'py>(
    py: Python<'py>,
    numbers: Vec<f64>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    numbers.into_pyarray(py).reshape(shape)
}

/// The same, read-only: writing to it would change nothing but the copy.
pub fn read_only_array<'py>(
    py: Python<'py>,
    numbers: Vec<f64>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let array = array(py, numbers, shape)?;
    array.call_method1("setflags", (false,))?;
    Ok(array)
}

/// A new read-only array of one dimension.
pub fn read_only<'py>(py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let array = PyArray1::from_slice(py, numbers);
    array.call_method1("setflags", (false,))?;
    Ok(array)
}
