//! `poinsot.Model.replace`: the same model with other masses, joints, surfaces or gravity.

use crate::array::{float64, read_only_array};
use crate::builder::{Given, Object};
use crate::error::ModelError;
use crate::model::{Origin, PyModel};
use numpy::{PyArrayMethods, PyUntypedArrayMethods};
use poinsot::algebra::{Sym3, V3};
use poinsot::formats::did_you_mean;
use poinsot::model::{Actuator, GeomId, Joint, Model, ModelBuilder};
use poinsot::spatial::Inertia;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;

/// Parts of one kind, and the shape of what a keyword says of each.
struct Parts<'a> {
    keyword: &'static str,
    kind: &'static str,
    names: Vec<&'a str>,
    shape: &'static [usize],
}

/// What a keyword gives: the numbers of some parts.
type Values = BTreeMap<usize, Vec<f64>>;

impl Parts<'_> {
    /// The number of a part with this name or number.
    fn number(&self, key: &Object<'_>) -> PyResult<usize> {
        let Parts { keyword, kind, names, .. } = self;
        if let Ok(name) = key.extract::<String>() {
            let found = names.iter().position(|n| *n == name);
            let near = || did_you_mean(&name, names.iter().copied().filter(|n| !n.is_empty()));
            let hint = || near().map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            return found.ok_or_else(|| {
                PyValueError::new_err(format!("{keyword}: there is no {kind} \"{name}\"{}", hint()))
            });
        }
        let number = key.extract::<usize>().ok().filter(|k| *k < names.len());
        number.ok_or_else(|| {
            let last = names.len().saturating_sub(1);
            PyValueError::new_err(format!(
                "{keyword}: {key} is not a {kind}; give a name, or a number from 0 to {last}"
            ))
        })
    }

    /// The numbers of an array of this shape; only the first of each part where the rest of a shape is missing and may be.
    fn numbers(&self, x: &Object<'_>, count: Option<usize>) -> PyResult<Vec<f64>> {
        let keyword = self.keyword;
        let array = float64(keyword, x)?.try_readonly()?;
        let wanted: Vec<usize> = count.iter().chain(self.shape).copied().collect();
        let sliding = keyword == "geom_friction" && array.shape() == &wanted[..wanted.len() - 1];
        if array.shape() != wanted && !sliding {
            let text = format!("{keyword} has the shape {:?}; give {wanted:?}", array.shape());
            return Err(PyValueError::new_err(text));
        }
        let numbers = array.as_slice().map_err(|e| PyValueError::new_err(format!("{keyword}: {e}")))?;
        match numbers.iter().find(|x| !x.is_finite()) {
            Some(bad) => Err(PyValueError::new_err(format!("{keyword} has {bad}; give finite numbers"))),
            None => Ok(numbers.to_vec()),
        }
    }

    /// What the keyword gives: an array of all parts, or a dict of some.
    fn given(&self, x: Given<'_, '_>) -> PyResult<Values> {
        let Some(x) = x else { return Ok(Values::new()) };
        let mut all = Values::new();
        if let Ok(some) = x.cast::<PyDict>() {
            for (key, value) in some.iter() {
                all.insert(self.number(&key)?, self.numbers(&value, None)?);
            }
            return Ok(all);
        }
        let count = self.names.len();
        let numbers = self.numbers(x, Some(count))?;
        let each = numbers.len().checked_div(count).unwrap_or(0).max(1);
        all.extend(numbers.chunks(each).map(<[f64]>::to_vec).enumerate());
        Ok(all)
    }
}

/// The inertia of a body, with what is given in place of its own: a new mass alone scales the moments of inertia.
fn inertia(
    own: Inertia,
    mass: Option<f64>,
    com: Option<V3>,
    about_com: Option<Sym3>,
) -> Result<Inertia, String> {
    let of = mass.unwrap_or(own.mass);
    let part = if own.mass > 0.0 { of / own.mass } else { 0.0 };
    if of == own.mass && com.is_none() && about_com.is_none() {
        return Ok(own);
    }
    if own.mass > 0.0 && com.is_none() && about_com.is_none() {
        let (first_moment, rotational) = (own.first_moment * part, own.rotational.scaled(part));
        return Ok(Inertia { mass: of, first_moment, rotational });
    }
    let about_com = about_com.unwrap_or_else(|| own.about_com().scaled(part));
    Inertia::new(of, com.unwrap_or(own.com()), about_com).map_err(|e| e.to_string())
}

/// The matrix with these rows, if it is symmetric.
fn symmetric(m: &[f64]) -> Option<Sym3> {
    let [xx, xy, xz, yx, yy, yz, zx, zy, zz] = *m else { return None };
    let size = m.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let equal = |a: f64, b: f64| (a - b).abs() <= 1e-12 * size;
    (equal(xy, yx) && equal(xz, zx) && equal(yz, zy)).then_some(Sym3 { xx, xy, xz, yy, yz, zz })
}

/// One of the numbers of a joint.
type OfJoint = fn(&mut Joint) -> &mut f64;

#[pymethods]
impl PyModel {
    /// The same model with other numbers, for what-if questions and domain randomisation. A model never changes; this makes another one.
    ///
    /// Each argument is named as the property it replaces, and is either an array of the shape of that property, or a dict that says it of
    /// some bodies, joints or geoms, by name or number:
    ///
    ///     model.replace(body_mass=model.body_mass * rng.uniform(0.8, 1.2, model.nbody))
    ///     model.replace(body_mass={"hand": 1.5}, joint_damping={"elbow": 0.2}, geom_friction={"floor": 0.4})
    ///
    /// A body whose mass alone changes keeps its centre of mass, and its moments of inertia grow in proportion. One number for the friction
    /// of a geom is its sliding friction.
    ///
    /// servos adds position actuators, after those of the model: a dict of joint and (kp, kd), or an array of shape (njnt, 2). The control of
    /// each is the coordinate that it pulls to, at first that of the initial state. Like joint springs and dampers they are implicit in
    /// the step (`leapfrog`, `implicit`, `backward`), so that any gains are stable.
    ///
    /// Numbers that no body has raise ModelError, with the name of the body or joint.
    #[allow(clippy::too_many_arguments)] // keywords
    #[pyo3(signature = (*, gravity_vector=None, body_mass=None, body_com=None, body_inertia=None, joint_damping=None, joint_stiffness=None,
        joint_friction=None, joint_armature=None, geom_friction=None, geom_restitution=None, servos=None))]
    fn replace<'py>(
        this: &Bound<'py, Self>,
        gravity_vector: Option<Object<'py>>,
        body_mass: Option<Object<'py>>,
        body_com: Option<Object<'py>>,
        body_inertia: Option<Object<'py>>,
        joint_damping: Option<Object<'py>>,
        joint_stiffness: Option<Object<'py>>,
        joint_friction: Option<Object<'py>>,
        joint_armature: Option<Object<'py>>,
        geom_friction: Option<Object<'py>>,
        geom_restitution: Option<Object<'py>>,
        servos: Option<Object<'py>>,
    ) -> PyResult<PyModel> {
        let (py, own) = (this.py(), this.get());
        let model: &Model = &own.model;
        let mut b = ModelBuilder::of(model);
        let changes = PyDict::new(py);
        let note = |parts: Parts<'_>, x: &Option<Object<'py>>| -> PyResult<Values> {
            let values = parts.given(x.as_ref())?;
            if !values.is_empty() {
                let kept = PyDict::new(py);
                for (k, numbers) in &values {
                    let shape = if numbers.len() == 1 { &[] } else { parts.shape };
                    kept.set_item(k, read_only_array(py, numbers.clone(), shape)?)?;
                }
                changes.set_item(parts.keyword, kept)?;
            }
            Ok(values)
        };

        if let Some(g) = &gravity_vector {
            let parts = Parts { keyword: "gravity_vector", kind: "", names: Vec::new(), shape: &[3] };
            let numbers = parts.numbers(g, None)?;
            b.gravity(V3::new(numbers[0], numbers[1], numbers[2]));
            changes.set_item("gravity_vector", read_only_array(py, numbers, &[3])?)?;
        }

        let bodies = |keyword, shape| {
            let names = model.bodies().iter().map(|b| b.name.as_str()).collect();
            Parts { keyword, kind: "body", names, shape }
        };
        let mass = note(bodies("body_mass", &[]), &body_mass)?;
        let com = note(bodies("body_com", &[3]), &body_com)?;
        let about_com = note(bodies("body_inertia", &[3, 3]), &body_inertia)?;
        for (id, body) in model.body_ids().zip(model.bodies()) {
            let (k, old) = (id.index(), body.inertia);
            let com = com.get(&k).map(|c| V3::new(c[0], c[1], c[2])).filter(|c| *c != old.com());
            let wrong = |why: String| PyErr::new::<ModelError, _>(format!("body \"{}\": {why}", body.name));
            let about = about_com.get(&k).map(|m| symmetric(m).ok_or("its body_inertia is not symmetric"));
            let about = about.transpose().map_err(|why| wrong(why.into()))?.filter(|i| *i != old.about_com());
            *b.inertia_mut(id) = inertia(old, mass.get(&k).map(|m| m[0]), com, about).map_err(wrong)?;
        }

        let joints: [(&'static str, &Option<Object<'py>>, OfJoint); 4] = [
            ("joint_damping", &joint_damping, |j| &mut j.damping),
            ("joint_stiffness", &joint_stiffness, |j| &mut j.stiffness),
            ("joint_friction", &joint_friction, |j| &mut j.friction_loss),
            ("joint_armature", &joint_armature, |j| &mut j.armature),
        ];
        let ids: Vec<_> = model.joint_ids().collect();
        for (keyword, given, of) in joints {
            let names = model.joints().iter().map(|j| j.name.as_str()).collect();
            for (k, numbers) in note(Parts { keyword, kind: "joint", names, shape: &[] }, given)? {
                *of(b.joint_mut(ids[k])) = numbers[0];
            }
        }

        let names = model.joints().iter().map(|j| j.name.as_str()).collect();
        let mut control = own.control.clone();
        for (k, gains) in note(Parts { keyword: "servos", kind: "joint", names, shape: &[2] }, &servos)? {
            let joint = &model.joints()[k];
            if joint.kind.nv() != 1 {
                let (name, kind) = (&joint.name, joint.kind.word());
                let text = format!("servos: joint \"{name}\" is {kind}; give one of one coordinate");
                return Err(PyValueError::new_err(text));
            }
            b.actuator(Actuator::position(ids[k], gains[0]).damping(gains[1]).named(joint.name.clone()));
            control.push(own.begin.q[joint.coordinates().start]);
        }

        let geoms = |keyword, shape| {
            let names = model.geoms().iter().map(|g| g.name.as_str()).collect();
            Parts { keyword, kind: "geom", names, shape }
        };
        let ids: Vec<GeomId> = model.geom_ids().collect();
        for (k, numbers) in note(geoms("geom_friction", &[3]), &geom_friction)? {
            b.geom_mut(ids[k]).material.friction[..numbers.len()].copy_from_slice(&numbers);
        }
        for (k, numbers) in note(geoms("geom_restitution", &[]), &geom_restitution)? {
            b.geom_mut(ids[k]).material.restitution = numbers[0];
        }

        let changed = b.build().map_err(|e| PyErr::new::<ModelError, _>(e.to_string()))?;
        Ok(own.with(changed, control, Origin::Replaced(this.clone().unbind(), changes.unbind())))
    }
}
