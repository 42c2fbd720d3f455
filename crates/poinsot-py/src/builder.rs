//! `poinsot.ModelBuilder`: models made in Python. The class in `python/poinsot/_builder.py` records the calls for pickles.

use crate::array::Rows;
use crate::error::ModelError;
use crate::model::{Origin, PyModel};
use poinsot::algebra::{Sym3, V3};
use poinsot::formats::did_you_mean;
use poinsot::model::{
    Actuator, ActuatorDynamics, ActuatorId, BodyId, BodySpec, Constraint, FixedTendon, Frame, Gain, Joint,
    JointId, JointKind, Medium, ModelBuilder, Mount, Softness, TendonId, Transmission,
};
use poinsot::spatial::{Inertia, Pose, Quat};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashMap;
use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, TryLockError};

pub type Object<'py> = Bound<'py, PyAny>;
pub type Given<'a, 'py> = Option<&'a Object<'py>>;

/// The parts added so far.
#[derive(Clone)]
pub struct Parts {
    pub builder: ModelBuilder,
    bodies: Register<BodyId>,
    joints: Register<JointId>,
    pub tendons: Register<TendonId>,
    pub actuators: Register<ActuatorId>,
    pub sites: Register<Frame>,
    pub sensors: usize,
    constraints: usize,
}

/// Parts of one kind, by number and by name; if two have the same name, which the model refuses, the first.
#[derive(Clone)]
pub struct Register<T> {
    all: Vec<(String, T)>,
    by_name: HashMap<String, usize>,
}

impl<T> Default for Register<T> {
    fn default() -> Self {
        Register { all: Vec::new(), by_name: HashMap::new() }
    }
}

impl<T> Register<T> {
    /// Adds a part; returns its number.
    pub fn push(&mut self, name: String, id: T) -> usize {
        let number = self.all.len();
        self.by_name.entry(name.clone()).or_insert(number);
        self.all.push((name, id));
        number
    }
    fn len(&self) -> usize {
        self.all.len()
    }
}

/// The kinds of joint.
const JOINTS: [&str; 9] =
    ["fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "free"];
/// The keywords of every joint in addition to its axes.
const OF_JOINTS: [&str; 11] = [
    "name",
    "anchor",
    "reference",
    "stiffness",
    "rest",
    "damping",
    "friction",
    "armature",
    "limits",
    "restitution",
    "force_range",
];
/// The keywords of every constraint in addition to its sizes.
const OF_CONSTRAINTS: [&str; 9] = [
    "a_pos",
    "a_quat",
    "b_pos",
    "b_quat",
    "name",
    "stiffness",
    "damping",
    "turning_stiffness",
    "turning_damping",
];

/// Collects bodies, joints, solids, tendons, actuators and constraints; build() checks them and makes a Model.
#[pyclass(name = "_ModelBuilder", module = "poinsot", subclass, frozen)]
pub struct PyModelBuilder(Mutex<Parts>);

pub fn wrong(part: impl Display, what: impl Display) -> PyErr {
    PyValueError::new_err(format!("{part}: {what}"))
}

/// The required number of numbers.
pub fn numbers<const N: usize>(part: &str, name: &'static str, x: &Object<'_>) -> PyResult<[f64; N]> {
    let found = maybe_infinite(part, name, x)?;
    match found.iter().find(|x| !x.is_finite()) {
        Some(bad) => Err(wrong(part, format!("{name} has {bad}; give finite numbers"))),
        None => Ok(found),
    }
}

/// As above, for numbers that may be infinite.
fn maybe_infinite<const N: usize>(part: &str, name: &'static str, x: &Object<'_>) -> PyResult<[f64; N]> {
    let rows = Rows::new(name, x).map_err(|e| wrong(part, e.value(x.py())))?;
    let found = rows.numbers()?;
    if let Some(count) = rows.count {
        return Err(wrong(part, format!("{name} has {count} rows; give one vector of {N} numbers")));
    }
    <[f64; N]>::try_from(found)
        .map_err(|_| wrong(part, format!("{name} has {} numbers; give {N}", found.len())))
}

pub fn vector(part: &str, name: &'static str, x: Given<'_, '_>, default: V3) -> PyResult<V3> {
    x.map_or(Ok(default), |x| numbers::<3>(part, name, x).map(V3::from))
}

fn range(part: &str, name: &'static str, x: Given<'_, '_>) -> PyResult<Option<(f64, f64)>> {
    x.map(|x| numbers::<2>(part, name, x).map(|[low, high]| (low, high))).transpose()
}

/// The range of a coordinate or a length: an end may be infinite.
fn limits_of(part: &str, x: Given<'_, '_>) -> PyResult<Option<(f64, f64)>> {
    let Some(x) = x else { return Ok(None) };
    let [low, high] = maybe_infinite::<2>(part, "limits", x)?;
    if low.is_nan() || high.is_nan() {
        return Err(wrong(part, "limits has NaN; give two numbers, the lower one first"));
    }
    Ok(Some((low, high)))
}

/// A pose from a position and a quaternion w x y z.
pub fn pose(part: &str, pos: Given<'_, '_>, quat: Given<'_, '_>) -> PyResult<Pose> {
    let pos = vector(part, "pos", pos, V3::ZERO)?;
    let [w, x, y, z] = quat.map_or(Ok([1.0, 0.0, 0.0, 0.0]), |q| numbers::<4>(part, "quat", q))?;
    // the square of a large number is infinite, that of a small one 0
    let largest = [w, x, y, z].into_iter().fold(0.0f64, |most, x| most.max(x.abs()));
    if largest == 0.0 {
        return Err(wrong(part, "quat is 0, which is not an attitude; give w x y z, as in 1 0 0 0"));
    }
    let quat = Quat { w: w / largest, x: x / largest, y: y / largest, z: z / largest };
    Ok(Pose { rot: quat.normalized().matrix(), pos })
}

/// A part given by its name or number.
pub fn find<T: Copy>(part: &str, what: &str, among: &Register<T>, given: &Object<'_>) -> PyResult<T> {
    if let Ok(name) = given.extract::<String>() {
        if let Some(k) = among.by_name.get(&name) {
            return Ok(among.all[*k].1);
        }
        let names: Vec<&str> = among.all.iter().map(|(n, _)| n.as_str()).collect();
        let hint = did_you_mean(&name, names.iter().copied()).map(|n| format!("; did you mean \"{n}\"?"));
        let hint = hint.unwrap_or_else(|| "; add it first".into());
        return Err(wrong(part, format!("there is no {what} \"{name}\"{hint}")));
    }
    let Ok(k) = given.extract::<usize>() else {
        return Err(PyTypeError::new_err(format!("{part}: give a {what} by its name or number")));
    };
    let found = among.all.get(k).map(|(_, id)| *id);
    found.ok_or_else(|| wrong(part, format!("there is no {what} {k}; their number is {}", among.len())))
}

fn named(name: Option<String>, kind: &str, number: usize) -> (String, String) {
    let part = match &name {
        Some(name) => format!("{kind} \"{name}\""),
        None => format!("{kind} {number}"),
    };
    (name.unwrap_or_default(), part)
}

impl PyModelBuilder {
    /// The contents, unless a call is working on them: one made by a conversion of its own arguments, or one of another thread.
    pub fn parts(&self) -> PyResult<MutexGuard<'_, Parts>> {
        match self.0.try_lock() {
            Ok(parts) => Ok(parts),
            Err(TryLockError::Poisoned(broken)) => Ok(broken.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "another call is at work on this ModelBuilder; give each thread a builder of its own",
            )),
        }
    }
}

impl Parts {
    pub fn body(&self, part: &str, given: &Object<'_>) -> PyResult<BodyId> {
        find(part, "body", &self.bodies, given)
    }
    /// The name of a body: bodies have the numbers that they were added with.
    pub fn body_name(&self, id: BodyId) -> &str {
        self.bodies.all.get(id.index()).map_or("", |(name, _)| name)
    }
    pub fn joint(&self, part: &str, given: &Object<'_>) -> PyResult<JointId> {
        find(part, "joint", &self.joints, given)
    }
}

/// Numbers by keyword: those that a kind of part needs; others are refused.
pub struct Keywords<'a, 'py> {
    part: &'a str,
    given: Option<&'a Bound<'py, PyDict>>,
    used: Vec<&'static str>,
}

impl<'a, 'py> Keywords<'a, 'py> {
    pub fn of(part: &'a str, given: Option<&'a Bound<'py, PyDict>>) -> Self {
        Keywords { part, given, used: Vec::new() }
    }
    pub fn get(&mut self, name: &'static str) -> PyResult<Option<Object<'py>>> {
        self.used.push(name);
        self.given.map_or(Ok(None), |d| d.get_item(name))
    }
    pub fn number(&mut self, name: &'static str) -> PyResult<f64> {
        let found = self.get(name)?;
        let found = found.ok_or_else(|| wrong(self.part, format!("give its {name}")))?;
        let bad = |_| wrong(self.part, format!("{name} must be a number"));
        found.extract::<f64>().map_err(bad)
    }
    pub fn number_or(&mut self, name: &'static str, default: f64) -> PyResult<f64> {
        if self.given.is_some_and(|d| d.contains(name).unwrap_or(false)) {
            return self.number(name);
        }
        self.used.push(name);
        Ok(default)
    }
    pub fn vector(&mut self, name: &'static str) -> PyResult<V3> {
        let found = self.get(name)?;
        let found = found.ok_or_else(|| wrong(self.part, format!("give its {name}")))?;
        numbers::<3>(self.part, name, &found).map(V3::from)
    }
    /// Refuses keywords that the kind does not use. `also` are the keywords that every part of this sort accepts.
    pub fn finish(self, what: &str, also: &[&str]) -> PyResult<()> {
        for key in self.given.map(|d| d.keys()).into_iter().flatten() {
            let key: String = key.extract()?;
            if !self.used.contains(&key.as_str()) {
                let all: Vec<&str> = self.used.iter().chain(also).copied().collect();
                let hint = match did_you_mean(&key, all.iter().copied()) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("it takes {}", all.join(", ")),
                };
                let text = format!("{}: {what} has no {key}; {hint}", self.part);
                return Err(PyTypeError::new_err(text));
            }
        }
        Ok(())
    }
}

/// The kind of a joint and, where it has one, its axis, second axis and pitch.
fn joint_kind(part: &str, kind: &str, k: &mut Keywords<'_, '_>) -> PyResult<JointKind> {
    Ok(match kind {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute { axis: k.vector("axis")? },
        "prismatic" => JointKind::Prismatic { axis: k.vector("axis")? },
        "helical" => JointKind::Helical { axis: k.vector("axis")?, pitch: k.number("pitch")? },
        "cylindrical" => JointKind::Cylindrical { axis: k.vector("axis")? },
        "universal" => JointKind::Universal { first: k.vector("axis")?, second: k.vector("second_axis")? },
        "planar" => JointKind::Planar { normal: k.vector("axis")? },
        "spherical" => JointKind::Spherical,
        "free" => JointKind::Free,
        _ => {
            let known = JOINTS.join(", ");
            return Err(wrong(part, format!("there is no joint \"{kind}\"; there are: {known}")));
        }
    })
}

#[pymethods]
impl PyModelBuilder {
    #[new]
    #[pyo3(signature = (name="model", *, gravity=None))]
    fn new(name: &str, gravity: Given<'_, '_>) -> PyResult<PyModelBuilder> {
        let mut builder = ModelBuilder::new(name);
        builder.gravity(vector("gravity", "gravity", gravity, V3::new(0.0, 0.0, -9.81))?);
        let mut bodies = Register::default();
        bodies.push("world".to_string(), BodyId::WORLD);
        let (joints, tendons) = (Register::default(), Register::default());
        let (actuators, sites) = (Register::default(), Register::default());
        let parts = Parts { builder, bodies, joints, tendons, actuators, sites, sensors: 0, constraints: 0 };
        Ok(PyModelBuilder(Mutex::new(parts)))
    }

    /// Adds a body attached to its parent; without a joint it is fixed there. Returns its number.
    ///
    /// parent: name or number of a body; pos, quat: its pose in the parent, quaternion w x y z.
    /// mass, com, inertia: in addition to those of its solids: the mass, its centre in the body's frame, and the inertia about that centre,
    /// a 3x3 matrix or its diagonal.
    /// gravity_compensation: the part of its weight that is compensated.
    #[pyo3(signature = (name, parent=None, *, pos=None, quat=None, mass=None, com=None, inertia=None,
                        gravity_compensation=0.0))]
    #[allow(clippy::too_many_arguments)] // Python has names for them
    fn body(
        &self,
        name: String,
        parent: Given<'_, '_>,
        pos: Given<'_, '_>,
        quat: Given<'_, '_>,
        mass: Option<f64>,
        com: Given<'_, '_>,
        inertia: Given<'_, '_>,
        gravity_compensation: f64,
    ) -> PyResult<usize> {
        let part = format!("body \"{name}\"");
        let mut parts = self.parts()?;
        let parent = parent.map_or(Ok(BodyId::WORLD), |p| parts.body(&part, p))?;
        let mut spec = BodySpec::new(&name).pose(pose(&part, pos, quat)?);
        spec = spec.gravity_compensation(gravity_compensation);
        match (mass, inertia) {
            (Some(mass), inertia) => {
                let com = vector(&part, "com", com, V3::ZERO)?;
                let about = inertia.map_or(Ok(Sym3::diagonal(0.0, 0.0, 0.0)), |i| symmetric(&part, i))?;
                spec = spec.inertia(Inertia::new(mass, com, about).map_err(|e| wrong(&part, e))?);
            }
            (None, None) if com.is_none() => {}
            _ => return Err(wrong(&part, "com and inertia are of a mass; give it, too")),
        }
        let id = parts.builder.body(parent, spec);
        Ok(parts.bodies.push(name, id))
    }

    /// Adds a joint between a body and its parent, after the joints it already has. Returns its number.
    ///
    /// kind: fixed, revolute, prismatic, helical (pitch: m per rad), cylindrical, universal (second_axis), planar (axis: the normal),
    /// spherical, free. axis, anchor: in the body's frame. reference: the coordinate at which the body has its pose. stiffness, rest: a
    /// spring; damping, friction (dry, N m or N), armature (the inertia of a rotor), limits, force_range (of actuators). restitution at the
    /// limits, 0 to 1.
    #[pyo3(signature = (body, kind, *, name=None, anchor=None, reference=0.0, stiffness=0.0, rest=0.0, damping=0.0,
                        friction=0.0, armature=0.0, limits=None, restitution=0.0, force_range=None, **axes))]
    #[allow(clippy::too_many_arguments)] // Python has names for them
    fn joint(
        &self,
        body: &Object<'_>,
        kind: &str,
        name: Option<String>,
        anchor: Given<'_, '_>,
        reference: f64,
        stiffness: f64,
        rest: f64,
        damping: f64,
        friction: f64,
        armature: f64,
        limits: Given<'_, '_>,
        restitution: f64,
        force_range: Given<'_, '_>,
        axes: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<usize> {
        let mut parts = self.parts()?;
        let (name, part) = named(name, "joint", parts.joints.len());
        let body = parts.body(&part, body)?;
        let mut keywords = Keywords::of(&part, axes);
        let kind_of = joint_kind(&part, kind, &mut keywords)?;
        keywords.finish(&format!("a {kind} joint"), &OF_JOINTS)?;
        let anchor = vector(&part, "anchor", anchor, V3::ZERO)?;
        let mut joint = Joint::new(kind_of).named(&name).anchor(anchor).reference(reference);
        joint = joint.spring(stiffness, rest).damping(damping).friction_loss(friction).armature(armature);
        joint = joint.restitution(restitution);
        if let Some((low, high)) = limits_of(&part, limits)? {
            joint = joint.limits(low, high);
        }
        if let Some((low, high)) = range(&part, "force_range", force_range)? {
            joint = joint.actuator_force_range(low, high);
        }
        let id = parts.builder.joint(body, joint);
        Ok(parts.joints.push(name, id))
    }

    /// Adds a tendon whose length is the sum of joint coordinates times coefficients. Returns its number.
    ///
    /// terms: a dict of joints, by name or number, and their coefficients. stiffness, rest: a spring, and its rest length, or the two
    /// lengths between which it is slack. limits: the range of its length. friction: dry friction, N.
    #[pyo3(signature = (terms, *, name=None, stiffness=0.0, rest=None, damping=0.0, limits=None, friction=0.0))]
    #[allow(clippy::too_many_arguments)] // Python has names for them
    fn tendon(
        &self,
        terms: &Bound<'_, PyDict>,
        name: Option<String>,
        stiffness: f64,
        rest: Given<'_, '_>,
        damping: f64,
        limits: Given<'_, '_>,
        friction: f64,
    ) -> PyResult<usize> {
        let mut parts = self.parts()?;
        let (name, part) = named(name, "tendon", parts.tendons.len());
        let mut list = Vec::new();
        for (joint, coefficient) in terms {
            let number = coefficient.extract::<f64>();
            let number = number
                .map_err(|_| wrong(&part, format!("the coefficient of joint {joint} must be a number")))?;
            list.push((parts.joint(&part, &joint)?, number));
        }
        if list.is_empty() {
            return Err(wrong(&part, "it has no joints; give a dict of joints and their coefficients"));
        }
        let mut tendon = FixedTendon::new(list).named(&name).damping(damping);
        let (low, high) = match rest.map(|r| r.extract::<f64>().map_err(|_| r)) {
            None => (0.0, 0.0),
            Some(Ok(at)) => (at, at),
            Some(Err(r)) => range(&part, "rest", Some(r))?.unwrap_or_default(),
        };
        tendon = tendon.spring(stiffness, low, high).friction_loss(friction);
        if let Some((low, high)) = limits_of(&part, limits)? {
            tendon = tendon.limits(low, high);
        }
        let id = parts.builder.tendon(tendon);
        Ok(parts.tendons.push(name, id))
    }

    /// Adds an actuator on a joint, a tendon, or a site of a body. Returns its number: its index in ctrl.
    ///
    /// kind: "motor" (force = gain u), "position" (gain (u - q), a servo) or "velocity" (gain (u - v)); damping: of a servo.
    /// pos, quat: the pose on the body at which it acts. gear: a ratio or six numbers, as in MJCF.
    /// dynamics: "none", "integrator", "filter" or "filterexact", the last two with a time_constant.
    #[pyo3(signature = (kind="motor", *, joint=None, tendon=None, body=None, pos=None, quat=None, name=None, gain=1.0,
                        damping=0.0, gear=None, ctrl_range=None, force_range=None, activation_range=None,
                        dynamics="none", time_constant=None))]
    #[allow(clippy::too_many_arguments)] // Python has names for them
    fn actuator(
        &self,
        kind: &str,
        joint: Given<'_, '_>,
        tendon: Given<'_, '_>,
        body: Given<'_, '_>,
        pos: Given<'_, '_>,
        quat: Given<'_, '_>,
        name: Option<String>,
        gain: f64,
        damping: f64,
        gear: Given<'_, '_>,
        ctrl_range: Given<'_, '_>,
        force_range: Given<'_, '_>,
        activation_range: Given<'_, '_>,
        dynamics: &str,
        time_constant: Option<f64>,
    ) -> PyResult<usize> {
        let mut parts = self.parts()?;
        let (name, part) = named(name, "actuator", parts.actuators.len());
        let on: Transmission = match (joint, tendon, body) {
            (Some(joint), None, None) => parts.joint(&part, joint)?.into(),
            (None, Some(tendon), None) => find(&part, "tendon", &parts.tendons, tendon)?.into(),
            (None, None, Some(body)) => {
                Transmission::Site { body: parts.body(&part, body)?, pose: pose(&part, pos, quat)? }
            }
            _ => return Err(wrong(&part, "give the joint, the tendon or the body that it acts on")),
        };
        let mut made = match kind {
            "motor" => Actuator::motor(on).gain(Gain::Fixed(gain)),
            "position" => Actuator::position(on, gain),
            "velocity" => Actuator::velocity(on, gain),
            _ => {
                let known = "motor, position, velocity";
                return Err(wrong(&part, format!("there is no kind \"{kind}\"; there are: {known}")));
            }
        };
        if damping != 0.0 {
            made = made.damping(damping);
        }
        made = made.named(name).dynamics(actuator_dynamics(&part, dynamics, time_constant)?);
        match gear.map(|g| g.extract::<f64>().map_err(|_| g)) {
            None => {}
            Some(Ok(ratio)) => made = made.gear_ratio(ratio),
            Some(Err(six)) => made = made.gear(numbers::<6>(&part, "gear", six)?),
        }
        made.control_range = range(&part, "ctrl_range", ctrl_range)?;
        made.force_range = range(&part, "force_range", force_range)?;
        made.activation_range = range(&part, "activation_range", activation_range)?;
        let (name, id) = (made.name.clone(), parts.builder.actuator(made));
        Ok(parts.actuators.push(name, id))
    }

    /// Adds a constraint between two bodies, or between two joints or tendons. Returns its number.
    ///
    /// kind: "point" (points a_pos of a and b_pos of b stay together), "weld", "distance" or "rope" (length), "plane" (b_pos stays in the
    /// plane through a_pos normal to the z axis of a_quat), "rolling_ball" or "rolling_disc" (b, of this radius, rolls on the plane z of
    /// a), a kind of joint (axis, ...) between the frames, or "gear" (a and b are joints: the coordinate of a is ratio times that of b plus
    /// offset).
    /// stiffness, damping, turning_stiffness, turning_damping: springs and dampers in place of rigid rows; without a
    /// stiffness it is rigid.
    #[pyo3(signature = (kind, a, b, *, a_pos=None, a_quat=None, b_pos=None, b_quat=None, name=None, stiffness=None,
                        damping=0.0, turning_stiffness=None, turning_damping=None, **sizes))]
    #[allow(clippy::too_many_arguments)] // Python has names for them
    fn constraint(
        &self,
        kind: &str,
        a: &Object<'_>,
        b: &Object<'_>,
        a_pos: Given<'_, '_>,
        a_quat: Given<'_, '_>,
        b_pos: Given<'_, '_>,
        b_quat: Given<'_, '_>,
        name: Option<String>,
        stiffness: Option<f64>,
        damping: f64,
        turning_stiffness: Option<f64>,
        turning_damping: Option<f64>,
        sizes: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<usize> {
        let mut parts = self.parts()?;
        let (name, part) = named(name, "constraint", parts.constraints);
        let mut k = Keywords::of(&part, sizes);
        let mut made = if kind == "gear" {
            let (one, other) = (parts.joint(&part, a)?, parts.joint(&part, b)?);
            Constraint::gear(one, other, k.number("ratio")?, k.number_or("offset", 0.0)?)
        } else {
            let a = Mount::framed(parts.body(&part, a)?, pose(&part, a_pos, a_quat)?);
            let b = Mount::framed(parts.body(&part, b)?, pose(&part, b_pos, b_quat)?);
            between(&part, kind, a, b, stiffness, damping, &mut k)?
        };
        k.finish(&format!("a {kind}"), &OF_CONSTRAINTS)?;
        if let Some(stiffness) = stiffness {
            made = made.yielding(Softness {
                stiffness,
                damping,
                turning_stiffness: turning_stiffness.unwrap_or(stiffness),
                turning_damping: turning_damping.unwrap_or(damping),
            });
        } else if damping != 0.0 || turning_stiffness.is_some() || turning_damping.is_some() {
            return Err(wrong(&part, "damping is of a constraint that yields; give its stiffness"));
        }
        parts.builder.constraint(made.named(name));
        parts.constraints += 1;
        Ok(parts.constraints - 1)
    }

    /// Lets the model move through a medium: density, kg/m3, viscosity, Pa s, and wind, m/s.
    #[pyo3(signature = (*, density=0.0, viscosity=0.0, wind=None))]
    fn medium(&self, density: f64, viscosity: f64, wind: Given<'_, '_>) -> PyResult<()> {
        let wind = vector("medium", "wind", wind, V3::ZERO)?;
        self.parts()?.builder.medium(Medium { density, viscosity, wind });
        Ok(())
    }

    /// The model made by the calls so far, which `recipe` lists for pickles.
    fn _build(&self, recipe: Py<PyAny>) -> PyResult<PyModel> {
        let builder = self.parts()?.builder.clone();
        let model = builder.build().map_err(|e| ModelError::new_err(e.to_string()))?;
        Ok(PyModel::bare(model, Origin::Built(recipe)))
    }
}

fn symmetric(part: &str, x: &Object<'_>) -> PyResult<Sym3> {
    let given = Rows::new("inertia", x).map_err(|e| wrong(part, e.value(x.py())))?;
    let found = given.numbers()?;
    if let Some(bad) = found.iter().find(|x| !x.is_finite()) {
        return Err(wrong(part, format!("inertia has {bad}; give finite numbers")));
    }
    let [r, s, t] = match (given.count, found) {
        (None, [x, y, z]) => return Ok(Sym3::diagonal(*x, *y, *z)),
        (Some(3), [a, b, c, d, e, f, g, h, i]) => [[*a, *b, *c], [*d, *e, *f], [*g, *h, *i]],
        _ => return Err(wrong(part, "inertia: give a 3x3 matrix or its diagonal")),
    };
    if (r[1], r[2], s[2]) != (s[0], t[0], t[1]) {
        return Err(wrong(part, "inertia is not symmetric"));
    }
    Ok(Sym3 { xx: r[0], xy: r[1], xz: r[2], yy: s[1], yz: s[2], zz: t[2] })
}

fn actuator_dynamics(part: &str, word: &str, time_constant: Option<f64>) -> PyResult<ActuatorDynamics> {
    Ok(match (word, time_constant) {
        ("none", None) => ActuatorDynamics::None,
        ("integrator", None) => ActuatorDynamics::Integrator,
        ("filter", Some(time_constant)) => ActuatorDynamics::Filter { time_constant },
        ("filterexact", Some(time_constant)) => ActuatorDynamics::FilterExact { time_constant },
        ("filter" | "filterexact", None) => return Err(wrong(part, "a filter wants its time_constant, s")),
        ("none" | "integrator", Some(_)) => return Err(wrong(part, "time_constant is of a filter")),
        _ => {
            let known = "none, integrator, filter, filterexact";
            return Err(wrong(part, format!("there are no dynamics \"{word}\"; there are: {known}")));
        }
    })
}

/// A constraint between two bodies.
fn between(
    part: &str,
    kind: &str,
    a: Mount,
    b: Mount,
    stiffness: Option<f64>,
    damping: f64,
    k: &mut Keywords<'_, '_>,
) -> PyResult<Constraint> {
    Ok(match kind {
        "point" => Constraint::point(a, b),
        "weld" => Constraint::weld(a, b),
        "distance" => Constraint::distance(a, b, k.number("length")?),
        "rope" => match stiffness {
            Some(stiffness) => Constraint::rope(a, b, k.number("length")?, stiffness, damping),
            None => Constraint::inextensible_rope(a, b, k.number("length")?),
        },
        "plane" => Constraint::plane(a, b),
        "rolling_ball" => Constraint::rolling_ball(b, k.number("radius")?, a),
        "rolling_disc" => Constraint::rolling_disc(b, k.number("radius")?, a),
        _ if JOINTS.contains(&kind) => Constraint::joint(joint_kind(part, kind, k)?, a, b),
        _ => {
            let own = ["point", "weld", "distance", "rope", "plane", "rolling_ball", "rolling_disc", "gear"];
            let known = [&own[..], &JOINTS].concat().join(", ");
            return Err(wrong(part, format!("there is no constraint \"{kind}\"; there are: {known}")));
        }
    })
}
