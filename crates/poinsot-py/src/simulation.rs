//! `poinsot.Simulation`: stepping a model.

use crate::array::{Rows, read_only};
use crate::audit;
use crate::error::simulation_error;
use crate::guarded::{Alarm, Guarded, Running, numbers_of};
use crate::model::PyModel;
use crate::seeing::Studio;
use crate::snapshot::PySnapshot;
use crate::states::{Kind, take_one};
use numpy::{PyArray1, PyArrayMethods};
use poinsot::constraint::{Restitution, Stabilisation};
use poinsot::dynamics::State;
use poinsot::integrate::{Fallback, Method, Stepping};
use poinsot::{
    Contact, ContactEvent, ContactEventKind, Formulation, Simulation, SimulationError, fallback_sentence,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard};

pub const Q: Kind = Kind::Configuration;
pub const V: Kind = Kind::Tangent("velocity");

pub type Object<'py> = Bound<'py, PyAny>;
pub type Vector<'py> = Bound<'py, PyArray1<f64>>;

/// A model that is stepped, with its energy and momentum monitored.
///
/// dt: the time step, s; by default model.timestep.
/// integrator: one of INTEGRATORS; by default model.integrator.
/// formulation: the coordinates that are stepped: "reduced", those of the joints, or "maximal", where every body is free and every joint a
/// constraint. States and results are in the model's own coordinates either way.
/// q, v: the initial state; by default that of the scene, or model.qpos0 at rest.
/// ledger: True accounts for every step, which takes several times as long as the steps do.
/// stabilisation: how rigid constraints are kept from drifting: "projection" after each step, "baumgarte:SECONDS", where
/// errors decay with this time constant, or "nothing".
///
/// The initial controls are those of the scene, or else 0. A state that violates rigid constraints is projected onto them by the first
/// step; model.assemble finds the nearest that does not. A hinge or slide of the model that begins beyond its range is moved to its limit,
/// and nothing else; a q that is given is left as it is, and corrected by the first step. A StepWarning says so.
///
/// It can be pickled and copied: the copy continues from the same moment, bit for bit, with its own ledger and monitoring.
/// Ctrl-C ends steps within a fifth of a second; the state is then that after the last whole step.
///
/// contact: how bodies in contact are kept apart: "exact" (Coulomb's law to round-off), "lcp" or "lcp:EDGES" (polyhedral cones), "pgs"
/// (sweeps), "impulse" (exact, with collisions one after the other), "penalty" (springs and dampers; "penalty:K,D" with gains in N/m and N
/// s/m, "penalty/explicit" with the force at the beginning of a step), or None: they pass through one another. "auto" is "exact" for models
/// of files and of ModelBuilder whose geoms may touch, with the integrators that time-step contacts: leapfrog, implicit, semi-implicit.
/// detection: "swept" follows fast bodies along their paths, so that most do not pass through others (docs/contact.md says which still do);
/// "discrete" detects contacts at the ends of steps only.
/// restitution: the law of e. "newton": bodies separate with e times the speed of approach; "poisson": they are pushed apart by e times the
/// normal impulse that stopped them. Where Newton's law would add energy, which is possible with friction, Poisson's takes its place, and
/// tally["fallbacks"]["bounded"] counts such steps.
/// resting: γ, m/s: contacts that approach more slowly come to rest instead of rebounding; tally["contacts"]["rested"] counts them. By default
/// 1e-3, and 2e-6 from event to event.
/// soft_contact: contacts are compliant as MJCF's solref and solimp say, unless a material gives a stiffness, instead of rigid.
///
/// Limits and dry friction of joints and tendons are enforced exactly.
#[pyclass(name = "Simulation", module = "poinsot", frozen)]
pub struct PySimulation {
    pub model: Py<PyModel>,
    pub guarded: Guarded,
    pub alarm: Arc<Alarm>,
    /// Seconds that a step takes, as bits.
    pub pace: AtomicU64,
    pub begin: State,
    pub dt: f64,
    pub settings: Settings,
    /// The user's arrays: their contents when a step is made apply to it.
    ctrl: Py<PyArray1<f64>>,
    tau: Py<PyArray1<f64>>,
    /// The painter of pictures, made on first use.
    pub studio: Mutex<Option<Studio>>,
}

/// How it is stepped.
#[derive(Clone, Copy)]
pub struct Settings {
    pub method: Method,
    pub formulation: Formulation,
    pub ledger: bool,
    pub contact: Option<Contact>,
}

impl PySimulation {
    pub fn begin(
        py: Python<'_>,
        model: Py<PyModel>,
        begin: State,
        dt: f64,
        settings: Settings,
        by: Stabilisation,
    ) -> PyResult<PySimulation> {
        let of = model.get();
        let simulation = Simulation::builder(&of.model)
            .state(begin.clone())
            .control(of.control.clone())
            .integrator(settings.method)
            .formulation(settings.formulation)
            .stabilisation(by)
            .dt(dt)
            .ledger(settings.ledger)
            .contact(settings.contact)
            .lenient()
            .build()
            .map_err(|e| simulation_error(&e))?;
        Ok(PySimulation::around(py, model, simulation, begin, settings))
    }

    fn around(
        py: Python<'_>,
        model: Py<PyModel>,
        mut simulation: Simulation<'static>,
        begin: State,
        settings: Settings,
    ) -> PySimulation {
        let dt = simulation.dt();
        let ctrl = PyArray1::from_slice(py, simulation.control()).unbind();
        let tau = PyArray1::from_vec(py, simulation.applied_forces()).unbind();
        let (alarm, pace) = (Alarm::new(), AtomicU64::new(f64::INFINITY.to_bits()));
        let rings = alarm.clone();
        simulation.interrupt_when(move || rings.rings());
        let guarded = Guarded::new(Running::new(simulation));
        let studio = Mutex::new(None);
        PySimulation { model, guarded, alarm, pace, begin, dt, settings, ctrl, tau, studio }
    }

    pub fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Running>> {
        self.guarded.lock(py)
    }

    /// The controls and forces set by the user, checked.
    pub fn signals(&self, py: Python<'_>) -> PyResult<(Vec<f64>, Vec<f64>)> {
        let model = &self.model.get().model;
        let actuator = |k: usize| format!("the control of actuator \"{}\"", model.actuators()[k].name);
        let ctrl = numbers_of(self.ctrl.bind(py), "ctrl", model.actuators().len(), actuator)?;
        let along = |k: usize| format!("the force along {}", model.dof_name(k));
        Ok((ctrl, numbers_of(self.tau.bind(py), "tau", model.nv(), along)?))
    }

    /// Queries the simulation for something that depends on controls and forces.
    pub fn under_controls<R>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&mut Simulation<'static>) -> R,
    ) -> PyResult<R> {
        let (controls, tau) = self.signals(py)?;
        let simulation = &mut self.lock(py)?.simulation;
        simulation.control_mut().copy_from_slice(&controls);
        simulation.apply_forces(&tau).map_err(|e| simulation_error(&e))?;
        Ok(ask(simulation))
    }

    pub fn set_ctrl_numbers(&self, py: Python<'_>, numbers: &[f64]) -> PyResult<()> {
        self.ctrl.bind(py).try_readwrite()?.as_slice_mut()?.copy_from_slice(numbers);
        Ok(())
    }
    pub fn set_tau_numbers(&self, py: Python<'_>, numbers: &[f64]) -> PyResult<()> {
        self.tau.bind(py).try_readwrite()?.as_slice_mut()?.copy_from_slice(numbers);
        Ok(())
    }

    fn change_state(&self, py: Python<'_>, change: impl FnOnce(&mut State)) -> PyResult<()> {
        let running = &mut *self.lock(py)?;
        let mut state = running.simulation.state().clone();
        change(&mut state);
        running.simulation.set_state(state).map_err(|e| simulation_error(&e))?;
        running.begin_anew();
        Ok(())
    }

    /// Warns of geoms left out of contact, and of bodies that overlap initially.
    fn warn_of_contact(&self, py: Python<'_>) -> PyResult<()> {
        let said = self.model.get().said_of_contact(&self.lock(py)?.simulation);
        self.model.get().warn_of_contact(py, said)
    }

    /// Warns, once for each and per model, of the ways in which steps could not follow their method.
    pub fn warn_of_fallbacks(&self, py: Python<'_>) -> PyResult<()> {
        let said: Vec<(Fallback, String)> = {
            let running = self.lock(py)?;
            let all = running.simulation.tally().fallbacks();
            all.map(|(f, times)| (f, format!("{}: {}", f.word(), fallback_sentence(f, times)))).collect()
        };
        let model = self.model.get();
        said.into_iter().try_for_each(|(fallback, text)| model.warn_once(py, fallback.word(), text))
    }
}

/// Moves joints beyond their ranges to their limits, where steps would correct them in another way, and warns of it.
fn put_within(py: Python<'_>, of: &PyModel, state: &mut State, by: Stabilisation) -> PyResult<()> {
    let beyond = match by {
        Stabilisation::Projection => poinsot::begin_within_ranges(&of.model, state),
        _ => poinsot::beyond_range(&of.model, state),
    };
    match beyond {
        Some(beyond) => of.warn_once(py, format!("{} of {}", beyond.place, beyond.at), beyond.sentence(by)),
        None => Ok(()),
    }
}

/// Numbers for a whole array; a wrong number of them, or one that is not finite, is refused.
pub fn given(x: &Object<'_>, name: &'static str, (letters, wanted): (&str, usize)) -> PyResult<Vec<f64>> {
    let rows = Rows::new(name, x)?;
    let numbers = rows.numbers()?.to_vec();
    if rows.count.is_some() || numbers.len() != wanted {
        let (n, each) = (numbers.len(), if letters == "nu" { "actuator" } else { "degree of freedom" });
        let text =
            format!("{name} has {n} numbers, the model has {letters} = {wanted}: give one for each {each}");
        return Err(PyValueError::new_err(text));
    }
    match numbers.iter().position(|x| !x.is_finite()) {
        None => Ok(numbers),
        Some(k) => Err(PyValueError::new_err(format!("{name}[{k}] is {}; it must be finite", numbers[k]))),
    }
}

fn vector(model: &PyModel, kind: Kind, name: &'static str, x: &Object<'_>) -> PyResult<Vec<f64>> {
    Ok(take_one(&model.model, kind, name, x)?.numbers()?.to_vec())
}

/// The model to be simulated, or a hint what to pass instead.
fn model_given(given: &Object<'_>) -> PyResult<Py<PyModel>> {
    if let Ok(model) = given.cast::<PyModel>() {
        return Ok(model.clone().unbind());
    }
    let found = given.get_type().name()?;
    let how = "poinsot.load(path), loads(text), scene(name) and ModelBuilder.build() give one";
    Err(PyTypeError::new_err(format!("model is of type {found}; give a poinsot.Model: {how}")))
}

/// Parses a word.
pub fn parsed<T: FromStr<Err: Display>>(name: &str, word: &str) -> PyResult<T> {
    word.parse().map_err(|e: T::Err| PyValueError::new_err(format!("{name} is \"{word}\": {e}")))
}

/// The integrator, from the user's words: if none is named, one that steps through contact as requested.
fn method_given(model: &PyModel, integrator: Option<&str>, stepping: Option<&str>) -> PyResult<Method> {
    let named = integrator.map(|name| parsed::<Method>("integrator", name)).transpose()?;
    let stepping = stepping.map(|word| parsed::<Stepping>("stepping", word)).transpose()?;
    Ok(match (named, stepping) {
        (Some(method), Some(stepping)) if method.stepping() != Some(stepping) => {
            return Err(simulation_error(&SimulationError::WrongStepping { method, stepping }));
        }
        (Some(method), _) => method,
        (None, Some(stepping)) => stepping.method(model.integrator),
        (None, None) => model.integrator,
    })
}

/// How bodies in contact are kept apart, from the user's words.
fn contact_given(
    model: &PyModel,
    word: Option<&str>,
    (detection, restitution): (&str, &str),
    method: Method,
) -> PyResult<Option<Contact>> {
    let mut contact = match word {
        None | Some("none") => None,
        Some("auto") => model.usual_contact(method),
        Some(word) => Some(parsed::<Contact>("contact", word)?),
    };
    let swept = match detection {
        "swept" => true,
        "discrete" => false,
        other => {
            let text = format!("detection is \"{other}\": give \"swept\" or \"discrete\"");
            return Err(PyValueError::new_err(text));
        }
    };
    let restitution = parsed::<Restitution>("restitution", restitution)?;
    if let Some(contact) = &mut contact {
        contact.settings.swept &= swept;
        if restitution == Restitution::Poisson {
            contact.settings.restitution = restitution;
        }
    }
    Ok(contact)
}

#[pymethods]
impl PySimulation {
    #[new]
    #[pyo3(signature = (model, dt=None, integrator=None, formulation="reduced", q=None, v=None, ledger=false,
                        stabilisation="projection", contact=Some("auto"), detection="swept", stepping=None,
                        restitution="newton", soft_contact=false, resting=None, threads=1),
           text_signature = "(model, dt=None, integrator=None, formulation='reduced', q=None, v=None, ledger=False, \
                             stabilisation='projection', contact='auto', detection='swept', stepping=None, \
                             restitution='newton', soft_contact=False, resting=None, threads=1)")]
    #[allow(clippy::too_many_arguments)] // Python has names for them
    fn new(
        py: Python<'_>,
        model: &Object<'_>,
        dt: Option<f64>,
        integrator: Option<&str>,
        formulation: &str,
        q: Option<&Object<'_>>,
        v: Option<&Object<'_>>,
        ledger: bool,
        stabilisation: &str,
        contact: Option<&str>,
        detection: &str,
        stepping: Option<&str>,
        restitution: &str,
        soft_contact: bool,
        resting: Option<f64>,
        threads: usize,
    ) -> PyResult<PySimulation> {
        let model = model_given(model)?;
        let of = model.get();
        let mut begin = of.begin.clone();
        if let Some(q) = q {
            // the velocity of a scene belongs to its configuration
            begin = State { q: vector(of, Q, "q", q)?, ..State::new(&of.model) };
        }
        if let Some(v) = v {
            begin.v = vector(of, V, "v", v)?;
        }
        let method = method_given(of, integrator, stepping)?;
        let formulation = parsed("formulation", formulation)?;
        let mut found = contact_given(of, contact, (detection, restitution), method)?;
        if let Some(contact) = &mut found {
            contact.soft |= soft_contact;
            contact.settings.resting = resting.or(contact.settings.resting);
            contact.settings.threads = threads;
        }
        let stepped = of.usual_contact(method).is_some();
        if contact == Some("auto") && !stepped && of.usual_contact(Method::Leapfrog).is_some() {
            let others = "leapfrog, implicit and semi-implicit do, and from event to event rkmk4, adaptive and midpoint";
            let text = format!(
                "contact is not simulated, bodies pass through each other: {method} does not support contact; {others}"
            );
            of.warn_once(
                py,
                format!("{method} and contact"),
                format!("{text}; contact=None if that is meant"),
            )?;
        }
        if contact != Some("auto")
            && found.is_some()
            && let Some(why) = Contact::nothing_touches(&of.model)
        {
            of.warn_once(py, "no effect", format!("contact has no effect: {why}"))?;
        }
        let settings = Settings { method, formulation, ledger, contact: found };
        let (dt, by) = (dt.unwrap_or(of.timestep), parsed("stabilisation", stabilisation)?);
        put_within(py, of, &mut begin, by)?;
        let made = PySimulation::begin(py, model, begin, dt, settings, by)?;
        made.warn_of_contact(py)?;
        Ok(made)
    }

    /// This simulation, continued with a model that has more bodies, or fewer: build it with the same builder and the additions, or with
    /// another. Joints, bodies and actuators are identified by their names: they keep coordinates, velocities, controls, applied forces and
    /// the contacts that have begun; time, steps, tally and ledger continue. New joints start at q and v, or at rest in their reference
    /// configuration. Energy and momentum are monitored from here on.
    #[pyo3(signature = (model, *, q=None, v=None))]
    fn continue_with(
        &self,
        py: Python<'_>,
        model: &Object<'_>,
        q: Option<&Object<'_>>,
        v: Option<&Object<'_>>,
    ) -> PyResult<PySimulation> {
        let model = model_given(model)?;
        let of = model.get();
        let mut begin = State::new(&of.model);
        if let Some(q) = q {
            begin.q = vector(of, Q, "q", q)?;
        }
        if let Some(v) = v {
            begin.v = vector(of, V, "v", v)?;
        }
        let carried = self.under_controls(py, |s| s.continue_with(&of.model, Some(&begin)))?;
        let simulation = carried.map_err(|e| simulation_error(&e))?;
        of.warn_of_contact(py, of.said_of_contact(&simulation))?;
        let begin = simulation.state().clone();
        Ok(PySimulation::around(py, model, simulation, begin, self.settings))
    }

    /// Returns to the initial state, or to a keyframe of the model, given by name or number: time, q, v, controls and activations; tau is
    /// 0, and no forces are applied. Energy and momentum are watched from here on.
    #[pyo3(signature = (key=None))]
    fn reset(&self, py: Python<'_>, key: Option<&Object<'_>>) -> PyResult<()> {
        let model = self.model.get();
        let mut state = self.begin.clone();
        let mut ctrl = model.control.clone();
        if let Some(key) = key {
            let k = keyframe(model, key)?;
            let [(_, q), (_, v), (_, given_act), (_, given_ctrl)] = model.keyframe(k);
            state = State { time: model.keyframes[k].time, q, v, ..State::new(&model.model) };
            // a keyframe may have numbers for actuators that are not simulated
            for (to, from) in [(&mut ctrl, given_ctrl), (&mut state.activation, given_act)] {
                if to.len() == from.len() {
                    *to = from;
                }
            }
        }
        let by = self.lock(py)?.simulation.stabilisation();
        put_within(py, model, &mut state, by)?;
        {
            let running = &mut *self.lock(py)?;
            running.simulation.clear_loads();
            running.simulation.set_state(state).map_err(|e| simulation_error(&e))?;
            running.begin_anew();
        }
        self.set_tau_numbers(py, &vec![0.0; model.model.nv()])?;
        self.set_ctrl_numbers(py, &ctrl)
    }

    /// The derivatives of the next step, on the active set that it identifies (contacts that push, stick or slide, limits). Nothing is
    /// stepped. A dict: q and v at the end; A (2 nv, 2 nv), the derivative of (q⁺ along velocities, v⁺) by (q along velocities, v); B (2
    /// nv, nu) by ctrl; F (2 nv, nv) by tau; by: "equations" if those of the step were differentiated, or "differences", and then why;
    /// error: the largest estimated error of an entry; differentiable: whether the active set is the
    /// same in the whole neighbourhood; kinks: (direction, what changes) if it is not.
    fn step_derivatives<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let d = self.under_controls(py, |s| s.step_derivatives())?.map_err(|e| simulation_error(&e))?;
        let matrix = |m: &poinsot::nalgebra::DMatrix<f64>| {
            crate::array::array(py, m.transpose().as_slice().to_vec(), &[m.nrows(), m.ncols()])
        };
        let (rows, n) = d.by_position.shape();
        let both = poinsot::nalgebra::DMatrix::from_fn(rows, 2 * n, |i, j| {
            if j < n { d.by_position[(i, j)] } else { d.by_velocity[(i, j - n)] }
        });
        let out = PyDict::new(py);
        out.set_item("q", PyArray1::from_vec(py, d.next.q.clone()))?;
        out.set_item("v", PyArray1::from_vec(py, d.next.v.clone()))?;
        out.set_item("A", matrix(&both)?)?;
        out.set_item("B", matrix(&d.by_control)?)?;
        out.set_item("F", matrix(&d.by_force)?)?;
        let (by, why) = match d.origin {
            poinsot::Origin::Equations => ("equations", None),
            poinsot::Origin::Differences(why) => ("differences", Some(why)),
        };
        out.set_item("by", by)?;
        out.set_item("why", why)?;
        out.set_item("error", d.error)?;
        out.set_item("differentiable", d.is_differentiable())?;
        let kinks: Vec<(String, String)> = d.kinks.into_iter().map(|k| (k.along, k.what)).collect();
        out.set_item("kinks", kinks)?;
        Ok(out)
    }

    /// Everything needed to continue from here, bit for bit.
    fn snapshot(&self, py: Python<'_>) -> PyResult<PySnapshot> {
        self.under_controls(py, |s| s.snapshot()).map(PySnapshot)
    }
    /// Continues from a snapshot of this simulation, or of another of the same model, integrator, formulation and stabilisation: time, q,
    /// v, activation, ctrl, tau, and the memory of the integrator. Energy and momentum are watched from here on.
    pub fn restore(&self, py: Python<'_>, snapshot: &PySnapshot) -> PyResult<()> {
        let tau = {
            let running = &mut *self.lock(py)?;
            running.simulation.restore(&snapshot.0).map_err(|e| simulation_error(&e))?;
            running.begin_anew();
            running.simulation.applied_forces()
        };
        self.set_tau_numbers(py, &tau)?;
        self.set_ctrl_numbers(py, snapshot.0.control())
    }

    /// The configuration: a read-only copy; assign a whole new one.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        // unlocked before Python runs again, because that may call us again
        let q = self.lock(py)?.simulation.state().q.clone();
        read_only(py, &q)
    }
    #[setter]
    fn set_q(&self, q: &Object<'_>) -> PyResult<()> {
        let (py, model) = (q.py(), self.model.get());
        let q_new = vector(model, Q, "q", q)?;
        let (mut wanted, by) = {
            let simulation = &self.lock(py)?.simulation;
            (State { q: q_new, ..simulation.state().clone() }, simulation.stabilisation())
        };
        put_within(py, model, &mut wanted, by)?;
        self.change_state(py, |state| *state = wanted)
    }
    /// The velocity: a read-only copy; assign a whole new one.
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        let v = self.lock(py)?.simulation.state().v.clone();
        read_only(py, &v)
    }
    #[setter]
    fn set_v(&self, v: &Object<'_>) -> PyResult<()> {
        let v_new = vector(self.model.get(), V, "v", v)?;
        self.change_state(v.py(), |state| state.v = v_new)
    }
    /// The time, s.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.lock(py)?.simulation.state().time)
    }
    #[setter]
    fn set_time(&self, py: Python<'_>, time: f64) -> PyResult<()> {
        self.change_state(py, |state| state.time = time)
    }
    /// The controls, in the order of model.actuator_names: a writable array. Its contents when a step is made apply to that step.
    #[getter]
    fn ctrl<'py>(&self, py: Python<'py>) -> Vector<'py> {
        self.ctrl.bind(py).clone()
    }
    #[setter]
    fn set_ctrl(&self, ctrl: &Object<'_>) -> PyResult<()> {
        let numbers = given(ctrl, "ctrl", ("nu", self.model.get().model.actuators().len()))?;
        self.set_ctrl_numbers(ctrl.py(), &numbers)
    }
    /// Generalised forces applied in addition to all those of the model itself, one for each degree of freedom, N or N m: a writable array.
    /// Its contents when a step is made apply to that step. The ledger books their work in the line "elements".
    #[getter]
    fn tau<'py>(&self, py: Python<'py>) -> Vector<'py> {
        self.tau.bind(py).clone()
    }
    #[setter]
    fn set_tau(&self, tau: &Object<'_>) -> PyResult<()> {
        let numbers = given(tau, "tau", ("nv", self.model.get().model.nv()))?;
        self.set_tau_numbers(tau.py(), &numbers)
    }
    /// The activations of the actuators that have dynamics: a read-only copy; assign a whole new one.
    #[getter]
    fn activation<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        let activation = self.lock(py)?.simulation.state().activation.clone();
        read_only(py, &activation)
    }
    #[setter]
    fn set_activation(&self, activation: &Object<'_>) -> PyResult<()> {
        let rows = Rows::new("activation", activation)?;
        let (numbers, wanted) = (rows.numbers()?.to_vec(), self.model.get().model.activations());
        if rows.count.is_some() || numbers.len() != wanted {
            let text = format!("activation: give {wanted} numbers, one for each actuator that has dynamics");
            return Err(PyValueError::new_err(text));
        }
        self.change_state(activation.py(), |state| state.activation = numbers)
    }

    /// The model.
    #[getter]
    fn model(&self, py: Python<'_>) -> Py<PyModel> {
        self.model.clone_ref(py)
    }
    /// The time step, s.
    #[getter]
    fn dt(&self) -> f64 {
        self.dt
    }
    /// The name of the integrator.
    #[getter]
    fn integrator(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(self.lock(py)?.simulation.integrator())
    }
    /// The coordinates that are stepped: "reduced" or "maximal".
    #[getter]
    fn formulation(&self) -> &'static str {
        self.settings.formulation.word()
    }
    /// How rigid constraints are kept from drifting: "projection", "baumgarte:SECONDS" or "nothing".
    #[getter]
    fn stabilisation(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.lock(py)?.simulation.stabilisation().to_string())
    }
    /// How many steps have been made since the simulation was made.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.lock(py)?.simulation.steps())
    }

    /// The number of parts in which these steps were made: more than the number of steps if "leapfrog" had to shorten some.
    #[getter]
    fn substeps(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.lock(py)?.simulation.substeps())
    }

    /// Kinetic plus potential energy.
    fn energy(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.lock(py)?.simulation.energy())
    }
    /// The kinetic energy, including that of rotors (armature).
    fn kinetic_energy(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.lock(py)?.simulation.energies().0)
    }
    /// The potential energy of gravity, springs and soft constraints.
    fn potential_energy(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.lock(py)?.simulation.energies().1)
    }
    /// The momentum in world axes: angular, about the world's origin, then linear.
    fn momentum<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        let momentum = self.lock(py)?.simulation.at().momentum();
        let (l, p) = (momentum.moment, momentum.force);
        Ok(PyArray1::from_slice(py, &[l.x, l.y, l.z, p.x, p.y, p.z]))
    }
    /// The largest deviation of energy and momentum from the beginning, recorded every hundred steps and now.
    fn drift<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        let drift = {
            let running = &mut *self.lock(py)?;
            running.look();
            running.simulation.drift()
        };
        py.import("poinsot._drift")?.getattr("Drift")?.call1((drift.energy, drift.momentum))
    }

    /// The account of energy and momentum since the beginning; None without ledger=True. A dict of work: a dict of the energy that each
    /// source added to the motion, J: gravity, springs, dampers, actuators, medium, elements, constraints, limits, contact, friction (dry,
    /// and of contacts), stabilisation, integration (the error of the method); kinetic_energy: its change; imbalance: the difference
    /// between the sum of the works and that change; momentum: a dict of impulses by gravity, reactions, stabilisation, integration, and
    /// the change, each a moment about the world's origin and a force.
    #[getter]
    fn ledger<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let total = self.lock(py)?.simulation.ledger().map(|l| *l.total());
        total.map(|total| audit::ledger(py, &total)).transpose()
    }
    /// The acceleration now, under all forces and the controls in ctrl; with contact, under the mean contact forces of the last step.
    #[getter]
    fn acceleration<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        let a = self.under_controls(py, |s| s.acceleration())?;
        read_only(py, &a)
    }
    /// What each joint transmits to its body now: a dict of its name and six numbers, the moment about the joint's anchor
    /// and the force, in world axes. Forces along its axes are part of it.
    #[getter]
    fn reactions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        let model = &self.model.get().model;
        for (id, force) in self.under_controls(py, |s| s.reactions())? {
            out.set_item(&model[id].name, audit::six(py, force)?)?;
        }
        Ok(out)
    }
    /// The force of each constraint now, rigid or soft, N or N m in the direction of increasing model.constraint_values: a dict of its name
    /// and a number for each of its rows.
    #[getter]
    fn constraint_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        let model = &self.model.get().model;
        for (id, forces) in self.under_controls(py, |s| s.constraint_forces())? {
            out.set_item(&model[id].name, PyArray1::from_vec(py, forces))?;
        }
        Ok(out)
    }
    /// model.constraint_stiffness at the configuration now: energy, gradient and stiffness of a soft constraint.
    #[pyo3(signature = (constraint, kind="hessian"))]
    fn constraint_stiffness<'py>(
        &self,
        py: Python<'py>,
        constraint: &str,
        kind: &str,
    ) -> PyResult<(f64, Vector<'py>, Object<'py>)> {
        let q = self.q(py)?;
        self.model.get().constraint_stiffness(q.as_any(), constraint, kind)
    }
    /// The events of the last call of step: a list of (time, "impact" | "release" | "slip" | "stick", name of the joint, tendon or rope, or
    /// those of two geoms), and of contacts "begin" and "end". Time-stepping methods report impacts only. contact_events has more about
    /// contacts.
    #[getter]
    fn events(&self, py: Python<'_>) -> PyResult<Vec<(f64, &'static str, String)>> {
        let (events, contacts) = {
            let running = self.lock(py)?;
            (running.events.clone(), running.contact_events.clone())
        };
        let model = &self.model.get().model;
        let lasts = |e: &ContactEvent| matches!(e.kind, ContactEventKind::Begin | ContactEventKind::End);
        let contacts = contacts.iter().filter(|e| lasts(e)).map(|e| (e.time, e.kind.word(), e.name(model)));
        let named = events.into_iter().map(|e| (e.time, e.kind.word(), e.at));
        let mut all: Vec<_> = named.chain(contacts).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(all)
    }
    /// The reports of all steps since monitoring began, counted. A dict of
    /// events: a list of dicts with kind, at (the name of the joint, tendon or rope), place ("lower end", "upper end", "friction"
    /// or "rope"), times, and first, the time of the first;
    /// fallbacks: a dict of the ways in which steps departed from their method, and for each the number of steps,
    /// the end of the first of them, at, and meaning: "accumulated" (events accumulated, and the rest of the step was made by
    /// time stepping), "unsolved" (limits or dry friction were left undecided), "gained" (energy, even in the smallest parts), "contact"
    /// (impulses of contacts were not found to the tolerance), "crowded" (too many collisions in one step), "bounded" (less
    /// restitution than asked for, which would have given energy), "turned" (links turned farther than "semi-implicit" and "implicit" resolve),
    /// "overlapping" (bodies so deep or in such numbers inside one another that a step could not push them apart);
    /// contacts: None if nothing can collide, else a dict of the largest number of contacts that pushed at once, the number of collisions, the worst
    /// residual (m/s) and penetration (m), the number of contacts that rested instead of rebounding because they approached more slowly than γ, and the number of
    /// steps with unsolved impulses.
    #[getter]
    fn tally<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (tally, touched) = {
            let simulation = &self.lock(py)?.simulation;
            (simulation.tally().clone(), simulation.contact_statistics())
        };
        audit::tally(py, &tally, touched)
    }
    /// The rigid constraint with the largest violation now, by name, and the violation, m or rad; in maximal coordinates joints are among
    /// them. None if nothing is constrained.
    #[getter]
    fn violation(&self, py: Python<'_>) -> PyResult<Option<(String, f64)>> {
        let worst = self.lock(py)?.simulation.violation();
        Ok(worst.map(|(source, size)| (source.name(&self.model.get().model).to_string(), size)))
    }
    /// Sets how rigid constraints are kept from drifting: "projection" after each step (the default), "baumgarte", where errors decay with
    /// a time constant in seconds, or "nothing".
    #[pyo3(signature = (how, time_constant=None))]
    fn stabilise(&self, py: Python<'_>, how: &str, time_constant: Option<f64>) -> PyResult<()> {
        let by = match (how, time_constant) {
            ("projection", None) => Stabilisation::Projection,
            ("nothing", None) => Stabilisation::Nothing,
            ("baumgarte", Some(t)) if t > 0.0 && t.is_finite() => {
                Stabilisation::Baumgarte { time_constant: t }
            }
            ("baumgarte", _) => {
                return Err(PyValueError::new_err(
                    "baumgarte needs a time constant: give a positive finite number of seconds",
                ));
            }
            ("projection" | "nothing", Some(_)) => {
                return Err(PyValueError::new_err(format!("\"{how}\" has no time constant; leave it out")));
            }
            _ => {
                let text = format!("how is \"{how}\"; give \"projection\", \"baumgarte\" or \"nothing\"");
                return Err(PyValueError::new_err(text));
            }
        };
        self.lock(py)?.simulation.stabilise(by);
        Ok(())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (name, dt) = (self.model.get().model.name(), self.dt);
        let running = self.lock(py)?;
        let (time, integrator) = (running.simulation.state().time, running.simulation.integrator());
        Ok(format!("<poinsot.Simulation of \"{name}\" at t = {time} s: {integrator}, steps of {dt} s>"))
    }
}

/// The number of a keyframe, given by name or number.
fn keyframe(model: &PyModel, key: &Object<'_>) -> PyResult<usize> {
    let names: Vec<String> = (0..model.keyframes.len()).map(|k| model.keyframe_name(k)).collect();
    let known = if names.is_empty() { "the model has none".into() } else { names.join(", ") };
    let (found, what) = if let Ok(name) = key.extract::<String>() {
        (names.iter().position(|n| *n == name), format!("\"{name}\""))
    } else if let Ok(k) = key.extract::<i64>() {
        (usize::try_from(k).ok().filter(|k| *k < names.len()), format!("number {k}"))
    } else {
        return Err(PyTypeError::new_err("key: give the name or the number of a keyframe"));
    };
    found.ok_or_else(|| PyValueError::new_err(format!("there is no keyframe {what}; keyframes: {known}")))
}
