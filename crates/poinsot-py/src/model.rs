//! `poinsot.Model`: its parts. Its dynamics are in `dynamics.rs`.

use crate::array::{read_only, read_only_array};
use crate::constraint;
use crate::diagnostic;
use crate::error::warn_of_step;
use crate::geom;
use crate::scratch::Pool;
use numpy::{PyArray1, PyArrayDyn};
use poinsot::dynamics::State;
use poinsot::formats::{Description, Keyframe, LoadOptions, Loaded, Report, refused_sensors};
use poinsot::integrate::Method;
use poinsot::model::{Body, Joint, Model};
use poinsot::scenes::Scene;
use poinsot::{Contact, Simulation, note_integrator};
use poinsot_view::look::Look;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyList, PyMappingProxy, PyTuple};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What to do about links that overlap from the start.
const PASSING: &str =
    "where they do not overlap they touch again: make the simulation with q=…, or set sim.q";

/// The source of a model: a pickle holds this, not the model.
pub enum Origin {
    File {
        path: PathBuf,
        options: LoadOptions,
    },
    Text {
        text: String,
        name: PathBuf,
        options: LoadOptions,
    },
    Scene(String),
    /// The calls that built it.
    Built(Py<PyAny>),
    /// A model, and the arguments of its `replace`.
    Replaced(Py<PyModel>, Py<PyDict>),
}

/// Bodies, joints and actuators, and the dynamics of the whole. A model never changes, and its arrays are read-only: replace() makes
/// another one with other masses, joints, surfaces or gravity.
///
/// Made by load, loads, scene and ModelBuilder. Coordinates are laid out joint by joint, in the order of joint_names, as in MuJoCo:
/// quaternions are w x y z; the velocity of a free joint is that of the body's origin in world axes, then the angular velocity in body
/// axes. Units are SI: metres, kilograms, seconds, radians.
///
/// Each method that takes a configuration q also takes one in each row, and then returns one result for each row; other Python threads run
/// meanwhile.
#[pyclass(name = "Model", module = "poinsot", frozen)]
pub struct PyModel {
    pub model: Arc<Model>,
    pub pool: Pool,
    /// The initial state of a simulation, its step and its integrator.
    pub begin: State,
    pub timestep: f64,
    pub integrator: Method,
    /// The initial control signals, one for each actuator.
    pub control: Vec<f64>,
    /// How bodies in contact are kept apart by default; for a scene, as it says.
    pub touches: bool,
    pub contact: Option<Contact>,
    pub keyframes: Vec<Keyframe>,
    /// The sensors of the file that are not evaluated, and why.
    pub refused: Vec<(String, String)>,
    /// Its shapes as they are drawn, read on first use.
    pub look: OnceLock<Look>,
    /// Its shapes as they collide, likewise.
    pub shapes: OnceLock<poinsot_collide::Scene>,
    /// The contents of the file that are not in the model: colours, materials, textures. `None` if there is no file.
    pub description: Option<Description>,
    report: Report,
    pub origin: Origin,
    /// Warnings already given: each is given once per model, however many simulations and episodes it has.
    warned: Mutex<HashSet<String>>,
}

impl PyModel {
    /// A model from a file.
    pub fn loaded(loaded: Loaded, origin: Origin) -> PyModel {
        let Loaded { model, description, mut report } = loaded;
        let integrator = note_integrator(&description, &model, &mut report);
        PyModel {
            refused: refused_sensors(&description),
            touches: !description.options.no_contact(),
            begin: State::new(&model),
            timestep: description.options.timestep,
            integrator,
            keyframes: description.keyframes.clone(),
            description: Some(description),
            report,
            origin,
            ..PyModel::bare(model, Origin::Scene(String::new()))
        }
    }

    /// A built-in one.
    pub fn of_scene(scene: Scene, origin: Origin) -> PyModel {
        let Scene { model, state, dt, integrator, description, control, contact, .. } = scene;
        let bare = PyModel::bare(model, origin);
        let mut made = PyModel { begin: state, timestep: dt, integrator, contact, ..bare };
        if !control.is_empty() {
            made.control = control;
        }
        if let Some(description) = description {
            made.refused = refused_sensors(&description);
            made.keyframes = description.keyframes.clone();
            made.description = Some(*description);
        }
        made
    }

    pub fn bare(model: Model, origin: Origin) -> PyModel {
        let (begin, control) = (State::new(&model), vec![0.0; model.actuators().len()]);
        let model = Arc::new(model);
        PyModel {
            pool: Pool::new(model.clone()),
            model,
            begin,
            timestep: 0.002,
            integrator: Method::default(),
            control,
            touches: matches!(origin, Origin::Built(..)),
            contact: None,
            keyframes: Vec::new(),
            refused: Vec::new(),
            look: OnceLock::new(),
            shapes: OnceLock::new(),
            description: None,
            report: Report::default(),
            origin,
            warned: Mutex::default(),
        }
    }

    /// All of this with another compiled model of the same parts, and its initial control signals.
    pub fn with(&self, model: Model, control: Vec<f64>, origin: Origin) -> PyModel {
        PyModel {
            begin: self.begin.clone(),
            timestep: self.timestep,
            integrator: self.integrator,
            control,
            touches: self.touches,
            contact: self.contact,
            keyframes: self.keyframes.clone(),
            refused: self.refused.clone(),
            description: self.description.clone(),
            report: self.report.clone(),
            ..PyModel::bare(model, origin)
        }
    }

    /// Warns of behaviour of a simulation that may be unexpected, unless this model was warned of it before: `key` identifies the warning.
    pub fn warn_once(&self, py: Python<'_>, key: impl Into<String>, text: String) -> PyResult<()> {
        // unlocked before Python runs again, because that may call us again
        let new = self.warned.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).insert(key.into());
        if new { warn_of_step(py, text) } else { Ok(()) }
    }

    /// Messages about geoms left out of contact and about bodies that overlap initially.
    pub fn said_of_contact(&self, simulation: &Simulation<'_>) -> [(&'static str, Option<String>); 4] {
        [
            ("left out", simulation.left_out_sentence()),
            ("overlap", simulation.overlap_sentence()),
            ("passing", simulation.passing_sentence().map(|said| format!("{said}; {PASSING}"))),
            ("rigid", simulation.rigid_sentence("soft_contact=True has it yield")),
        ]
    }
    /// Warns of these, once for each.
    pub fn warn_of_contact(&self, py: Python<'_>, all: [(&'static str, Option<String>); 4]) -> PyResult<()> {
        all.into_iter().try_for_each(|(key, text)| text.map_or(Ok(()), |text| self.warn_once(py, key, text)))
    }

    /// How bodies in contact are kept apart by default, for an integrator.
    pub fn usual_contact(&self, method: Method) -> Option<Contact> {
        let usual = self.touches.then(|| Contact::usual(&self.model, method)).flatten();
        usual.or(self.contact.filter(|_| Contact::is_stepped_by(method)))
    }

    /// The name of keyframe k: that of the file, or "key" and its number.
    pub fn keyframe_name(&self, k: usize) -> String {
        match self.keyframes[k].name.as_str() {
            "" => format!("key{k}"),
            name => name.to_string(),
        }
    }

    /// qpos, qvel, act and ctrl of keyframe k.
    pub fn keyframe(&self, k: usize) -> [(&'static str, Vec<f64>); 4] {
        let (key, model) = (&self.keyframes[k], &self.model);
        let or = |given: &[f64], default: Vec<f64>| if given.is_empty() { default } else { given.to_vec() };
        let zeros = |n: usize| vec![0.0; n];
        // servos that were added later have no signal in the file
        let mut control = or(&key.ctrl, zeros(model.actuators().len()));
        control.extend(self.control.iter().skip(control.len()));
        [
            ("qpos", or(&key.qpos, model.neutral())),
            ("qvel", or(&key.qvel, zeros(model.nv()))),
            ("act", or(&key.act, zeros(model.activations()))),
            ("ctrl", control),
        ]
    }

    /// The diagnostics of the file, for the page.
    pub fn said(&self) -> serde_json::Value {
        poinsot_view::diagnostics::json(&self.report)
    }

    fn names<T>(&self, of: &[T], name: impl Fn(&T) -> &str) -> Vec<String> {
        of.iter().map(|x| name(x).to_string()).collect()
    }

    /// An array with one number for each joint.
    fn of_joints<'py>(
        &self,
        py: Python<'py>,
        number: impl Fn(&Joint) -> f64,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        read_only_array(py, self.model.joints().iter().map(number).collect(), &[self.njnt()])
    }

    /// An array with several numbers for each body.
    fn of_bodies<'py, const N: usize>(
        &self,
        py: Python<'py>,
        shape: &[usize],
        numbers: impl Fn(&Body) -> [f64; N],
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let all = self.model.bodies().iter().flat_map(numbers).collect();
        read_only_array(py, all, &[&[self.model.bodies().len()], shape].concat())
    }
}

#[pymethods]
impl PyModel {
    /// The number of coordinates.
    #[getter]
    fn nq(&self) -> usize {
        self.model.nq()
    }
    /// The number of degrees of freedom.
    #[getter]
    fn nv(&self) -> usize {
        self.model.nv()
    }
    /// The number of actuators, which is the length of Simulation.ctrl.
    #[getter]
    fn nu(&self) -> usize {
        self.model.actuators().len()
    }
    /// The number of bodies, including the world.
    #[getter]
    fn nbody(&self) -> usize {
        self.model.bodies().len()
    }
    /// The number of joints.
    #[getter]
    fn njnt(&self) -> usize {
        self.model.joints().len()
    }
    /// The name of the model.
    #[getter]
    fn name(&self) -> &str {
        self.model.name()
    }
    /// The mass of all bodies that can move.
    #[getter]
    fn mass(&self) -> f64 {
        self.model.mass()
    }
    /// The acceleration of gravity. (gravity(q) is the generalised force of gravity.)
    #[getter]
    fn gravity_vector<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        read_only(py, &self.model.gravity().array())
    }
    /// The time step of the file or scene, s: the default of a Simulation.
    #[getter]
    fn timestep(&self) -> f64 {
        self.timestep
    }
    /// The name of the default integrator of a Simulation.
    #[getter]
    fn integrator(&self) -> &'static str {
        self.integrator.word()
    }

    /// The names of the joints, in the order of their coordinates.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.names(self.model.joints(), |j| &j.name)
    }
    /// The names of the bodies; the first is the world.
    #[getter]
    fn body_names(&self) -> Vec<String> {
        self.names(self.model.bodies(), |b| &b.name)
    }
    /// The names of the actuators, in the order of Simulation.ctrl.
    #[getter]
    fn actuator_names(&self) -> Vec<String> {
        self.names(self.model.actuators(), |a| &a.name)
    }
    /// The names of the constraints outside the tree, in the order of the file.
    #[getter]
    fn constraint_names(&self) -> Vec<String> {
        self.names(self.model.constraints(), |c| &c.name)
    }
    /// The names of the sites: named frames on bodies.
    #[getter]
    fn site_names(&self) -> Vec<String> {
        self.names(self.model.sites(), |s| &s.name)
    }
    /// The names of the sensors that are evaluated; Simulation.sensors has their readings.
    #[getter]
    fn sensor_names(&self) -> Vec<String> {
        self.names(self.model.sensors(), |s| &s.name)
    }
    /// The sensors of the file that are not evaluated: a dict of name and the reason.
    #[getter]
    fn refused_sensors(&self) -> std::collections::BTreeMap<String, String> {
        self.refused.iter().cloned().collect()
    }
    /// Lowest and highest control of each actuator, shape (nu, 2); infinite without a range.
    #[getter]
    fn actuator_ranges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let endless = (f64::NEG_INFINITY, f64::INFINITY);
        let ranges = self.model.actuators().iter().map(|a| a.control_range.unwrap_or(endless));
        read_only_array(py, ranges.flat_map(|(lower, upper)| [lower, upper]).collect(), &[self.nu(), 2])
    }
    /// What each joint allows: fixed, revolute, prismatic, helical, cylindrical, universal, spherical, planar, free.
    #[getter]
    fn joint_types(&self) -> Vec<&'static str> {
        self.model.joints().iter().map(|j| j.kind.word()).collect()
    }
    /// Lower and upper limit of each joint, shape (njnt, 2); infinite without a limit.
    #[getter]
    fn joint_ranges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let endless = (f64::NEG_INFINITY, f64::INFINITY);
        let limits = self.model.joints().iter().map(|j| j.limits.unwrap_or(endless));
        read_only_array(py, limits.flat_map(|(lower, upper)| [lower, upper]).collect(), &[self.njnt(), 2])
    }
    /// For each joint, the index of its first coordinate in q.
    #[getter]
    fn joint_qposadr(&self) -> Vec<usize> {
        self.model.joints().iter().map(|j| j.coordinates().start).collect()
    }
    /// For each joint, the index of its first degree of freedom in v.
    #[getter]
    fn joint_dofadr(&self) -> Vec<usize> {
        self.model.joints().iter().map(|j| j.dofs().start).collect()
    }

    /// The damping of each joint, N m s/rad or N s/m.
    #[getter]
    fn joint_damping<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.of_joints(py, |j| j.damping)
    }
    /// The stiffness of the spring of each joint, N m/rad or N/m.
    #[getter]
    fn joint_stiffness<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.of_joints(py, |j| j.stiffness)
    }
    /// The dry friction of each joint, N m or N.
    #[getter]
    fn joint_friction<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.of_joints(py, |j| j.friction_loss)
    }
    /// The rotor inertia of each joint, kg m² or kg.
    #[getter]
    fn joint_armature<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.of_joints(py, |j| j.armature)
    }
    /// The friction of each geom, shape (number of geoms, 3): sliding, torsional (m), rolling (m).
    #[getter]
    fn geom_friction<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let geoms = self.model.geoms();
        read_only_array(py, geoms.iter().flat_map(|g| g.material.friction).collect(), &[geoms.len(), 3])
    }
    /// The coefficient of restitution of each geom.
    #[getter]
    fn geom_restitution<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let geoms = self.model.geoms();
        read_only_array(py, geoms.iter().map(|g| g.material.restitution).collect(), &[geoms.len()])
    }

    /// The mass of each body.
    #[getter]
    fn body_mass<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.of_bodies(py, &[], |b| [b.inertia.mass])
    }
    /// The centre of mass of each body, in its own frame, shape (nbody, 3).
    #[getter]
    fn body_com<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.of_bodies(py, &[3], |b| b.inertia.com().array())
    }
    /// The inertia of each body about its centre of mass, in its own axes, shape (nbody, 3, 3).
    #[getter]
    fn body_inertia<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.of_bodies(py, &[3, 3], |b| {
            let [x, y, z] = b.inertia.about_com().full().rows();
            [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]]
        })
    }
    /// The index of the parent of each body; 0, the world, for the world itself.
    #[getter]
    fn body_parent(&self) -> Vec<usize> {
        self.model.bodies().iter().map(|b| b.parent.index()).collect()
    }

    /// The constraints outside the tree: a dict of name and a dict of kind, rows (how many numbers it keeps at 0), and the parts it acts
    /// on. Between bodies: the names of the two, and positions, shape (2, 3), and rotations, shape (2, 3, 3), of the frames that it
    /// connects, each in the frame of its body. Between joints or tendons: their names, their references q0 and x0, and the five
    /// coefficients c of q - q0 = c[0] + c[1] (x - x0) + ... A soft constraint also has stiffness, damping, turning_stiffness and
    /// turning_damping.
    #[getter]
    fn constraints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for c in self.model.constraints() {
            all.set_item(&c.name, constraint::dict(py, &self.model, c)?)?;
        }
        Ok(all)
    }
    /// The shapes of the bodies, in the order of the file: a list of dicts of name (empty if there is none), body, type (sphere, capsule,
    /// cylinder, ellipsoid, box, plane, hull, mesh, hfield) and size (radii, whole lengths and edges; a hull is a mesh whose convex hull is
    /// used for contact, as in MJCF), position and rotation in the body's frame, role (visual, collision, both), friction (sliding,
    /// torsional, rolling), condim, restitution, margin, gap, priority, contype, conaffinity, group and rgba.
    #[getter]
    fn geoms<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyMappingProxy>>> {
        self.model.geoms().iter().map(|g| geom::dict(py, &self.model, g)).collect()
    }
    /// The configuration in which every body has the pose of the file; copy it to change it.
    #[getter]
    fn qpos0<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        read_only(py, &self.model.neutral())
    }
    /// The states in the file, or in the file of a scene: a dict of name and a dict of time, qpos, qvel, act and ctrl. Anything missing is
    /// qpos0, or 0; a state without a name is called "key" and its number.
    #[getter]
    fn keyframes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (k, key) in self.keyframes.iter().enumerate() {
            let one = PyDict::new(py);
            one.set_item("time", key.time)?;
            for (name, numbers) in self.keyframe(k) {
                one.set_item(name, PyArray1::from_vec(py, numbers))?;
            }
            all.set_item(self.keyframe_name(k), one)?;
        }
        Ok(all)
    }
    /// The diagnostics of the file: warnings and notes.
    #[getter]
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        diagnostic::list(py, &self.report)
    }

    fn __repr__(&self) -> String {
        let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        format!(
            "<poinsot.Model \"{}\": {}, {}, {}>",
            self.name(),
            count(self.nbody() - 1, "body", "bodies"),
            count(self.nv(), "degree of freedom", "degrees of freedom"),
            count(self.nu(), "actuator", "actuators"),
        )
    }
    /// A model never changes, so it is its own copy.
    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }
    /// A model never changes, so it is its own copy.
    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }
    /// A pickle holds the path, the text, the scene's name, the calls of the builder, or the changes to another model; the model is made
    /// again from it.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let again = |name: &str| py.import("poinsot._pickle")?.getattr(name);
        let words = |o: &LoadOptions| -> PyResult<_> {
            Ok((
                crate::load::motors_word(py, o.motors)?,
                crate::load::ground_word(py, o.ground)?,
                crate::load::parts_word(py, o.convex_parts.as_ref())?,
            ))
        };
        match &self.origin {
            Origin::File { path, options } => {
                let LoadOptions { search, floating_base, merge_fixed, soft_limits, root, .. } = options;
                let (motors, ground, parts) = words(options)?;
                let arguments =
                    (path, search, *floating_base, *merge_fixed, *soft_limits, motors, root, ground, parts)
                        .into_pyobject(py)?;
                (again("load")?, arguments).into_pyobject(py)
            }
            Origin::Text { text, name, options } => {
                let (motors, ground, parts) = words(options)?;
                let arguments =
                    (text, name, options.soft_limits, motors, options.floating_base, ground, parts);
                (again("loads")?, arguments).into_pyobject(py)
            }
            Origin::Scene(name) => (again("scene")?, (name,)).into_pyobject(py),
            Origin::Built(recipe) => (again("build")?, (recipe,)).into_pyobject(py),
            Origin::Replaced(model, changes) => (again("replace")?, (model, changes)).into_pyobject(py),
        }
    }
}
