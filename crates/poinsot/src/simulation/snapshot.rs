//! Snapshots: everything needed to continue from a moment, bit for bit, in memory and as a file.
//!
//! A file is JSON, with the shortest decimals that read back as the same numbers:
//! ```json
//! {"poinsot snapshot": 2, "model": "pendulum", "sizes": [1, 1, 0, 0], "integrator": "midpoint",
//!  "formulation": "reduced", "stabilisation": "projection", "dt": 0.001, "steps": 250, "clock": [0.001, 0.0, 250],
//!  "time": 0.25, "q": [0.3], "v": [-1.2], "activation": [], "control": [], "bodies": null, "memory": [], "check": "35fd1dcf7e8aa3c1"}
//! ```
//! `contact`, with contact enabled, are its settings. `sizes` are the numbers of coordinates, velocities, actuators and constraints;
//! `clock` is the size of the last steps, the time since which they have had this size, and their number. `bodies` are, in maximal
//! coordinates, q and v of the free bodies. `tau` and `loads`, if any, are applied forces: along degrees of freedom, and on bodies, each
//! with the number of the body, a point in its frame, a moment and a force. `touching`, with contact, are pairs of geoms, and `pushes` the
//! mean forces of contacts in the last step: two geoms, position, normal, force and moment. `ledger`, if one is kept, are its totals and
//! its last step. `memory` belongs to the integrator and the force elements. `check` is a hash of all else.

use super::digest::digest;
use super::touching::{Push, geom};
use super::{Contact, Formulation, Load, Simulation, SimulationError};
use crate::algebra::V3;
use crate::constraint::Stabilisation;
use crate::dynamics::State;
use crate::integrate::{MemoryError, MemoryReader};
use crate::model::{GeomId, Model};
use crate::spatial::Force;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::path::Path;
use thiserror::Error;

const VERSION: u64 = 2;
/// The key of the hash of all else, to detect damage; [`UNCHECKED`] in a file that somebody has edited.
const CHECK: &str = "check";
const UNCHECKED: &str = "none";
const KEY: &str = "poinsot snapshot";
/// A larger file is not a snapshot.
const MOST_BYTES: u64 = 1 << 30;
/// Larger counts cannot be represented exactly in a clock.
const MOST_STEPS: usize = 1 << 53;
/// The tolerance for a clock to agree with the time, in seconds and relative.
const SAME_TIME: f64 = 1e-6;

/// Why a snapshot cannot be read or restored.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the fields are
pub enum SnapshotError {
    #[error(
        "the snapshot has {what} {theirs}, but this simulation has {ours}; restore it into a simulation like the one it was taken from"
    )]
    OfAnother { what: &'static str, theirs: String, ours: String },
    #[error("the memory in the snapshot does not fit this simulation: {0}")]
    Memory(#[from] MemoryError),
    #[error(
        "this is not a snapshot of Poinsot: {0}; give a file that `poinsot run --save` or `Snapshot.write` has written"
    )]
    Format(String),
    #[error(
        "the snapshot is of version {found}, and this program reads version {VERSION}, whose files tell when they are damaged; save the run \
         again with this program"
    )]
    Version { found: u64 },
    #[error(
        "the snapshot is damaged: its content is not what was written; save the run again, or, if you have edited it, set \"{CHECK}\" to \
         \"{UNCHECKED}\""
    )]
    Damaged,
    #[error("cannot {doing} the snapshot {path}: {source}")]
    File { doing: &'static str, path: String, source: std::io::Error },
    #[error("{path}: {source}")]
    In { path: String, source: Box<SnapshotError> },
}

/// A number of steps of one size since some time: time is computed as begin + steps · dt, because a million sums of 0.01 are off by 1e-10.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Clock {
    pub dt: f64,
    pub begin: f64,
    pub steps: usize,
}

impl Clock {
    pub fn at(time: f64) -> Clock {
        Clock { dt: 0.0, begin: time, steps: 0 }
    }
}

/// The model and settings that a snapshot belongs to.
#[derive(Clone, Debug, PartialEq)]
struct Subject {
    model: String,
    sizes: [usize; 4],
    integrator: String,
    formulation: Formulation,
    stabilisation: String,
    /// The contact settings; `None` without contact.
    contact: Option<String>,
}

/// Everything needed to continue from a moment, bit for bit. Example: [`Simulation::snapshot`].
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    of: Subject,
    state: State,
    control: Vec<f64>,
    /// Applied forces; empty if there are none.
    tau: Vec<f64>,
    /// For each load: body, point, moment and force.
    loads: Vec<[f64; 10]>,
    /// The pairs of geoms in contact, and their forces.
    touching: Vec<[f64; 2]>,
    pushes: Vec<[f64; 14]>,
    /// In maximal coordinates: the state of the free bodies.
    bodies: Option<State>,
    memory: Vec<f64>,
    /// The totals of the ledger; empty if there is none.
    ledger: Vec<f64>,
    clock: Clock,
    dt: f64,
    steps: usize,
}

impl Snapshot {
    /// Time, coordinates, velocities and activations of the model.
    pub fn state(&self) -> &State {
        &self.state
    }
    /// The control signals.
    pub fn control(&self) -> &[f64] {
        &self.control
    }
    /// The name of the model.
    pub fn model(&self) -> &str {
        &self.of.model
    }
    /// The name of the integrator.
    pub fn integrator(&self) -> &str {
        &self.of.integrator
    }
    /// The coordinates in which it was stepped.
    pub fn formulation(&self) -> Formulation {
        self.of.formulation
    }
    /// How constraint drift was prevented, in the words that [`crate::constraint::Stabilisation`] parses.
    pub fn stabilisation(&self) -> &str {
        &self.of.stabilisation
    }
    /// The contact settings, in the words that [`Contact`] parses; `None` without contact.
    pub fn contact(&self) -> Option<&str> {
        self.of.contact.as_deref()
    }
    /// The size of the steps, s.
    pub fn dt(&self) -> f64 {
        self.dt
    }
    /// The number of steps made.
    pub fn steps(&self) -> usize {
        self.steps
    }
    /// The number of values it holds.
    pub fn len(&self) -> usize {
        let of_state = |s: &State| s.q.len() + s.v.len() + s.activation.len() + 1;
        let states = of_state(&self.state) + self.bodies.as_ref().map_or(0, of_state);
        states + self.control.len() + self.memory.len() + 2 * self.touching.len() + 14 * self.pushes.len() + 5
    }
    /// False: there is always a time.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// As the text of a file.
    pub fn to_json(&self) -> String {
        let State { time, q, v, activation } = &self.state;
        let mut value = json!({
            KEY: VERSION,
            "model": self.of.model,
            "sizes": self.of.sizes,
            "integrator": self.of.integrator,
            "formulation": self.of.formulation.word(),
            "stabilisation": self.of.stabilisation,
            "dt": self.dt,
            "steps": self.steps,
            "clock": [json!(self.clock.dt), json!(self.clock.begin), json!(self.clock.steps)],
            "time": time,
            "q": q,
            "v": v,
            "activation": activation,
            "control": self.control,
            "bodies": self.bodies.as_ref().map(|s| json!({"q": s.q, "v": s.v})),
            "memory": self.memory,
        });
        if let Some(contact) = &self.of.contact {
            value["contact"] = json!(contact);
        }
        if !self.tau.is_empty() {
            value["tau"] = json!(self.tau);
        }
        if !self.loads.is_empty() {
            value["loads"] = json!(self.loads);
        }
        if !self.touching.is_empty() {
            value["touching"] = json!(self.touching);
        }
        if !self.pushes.is_empty() {
            value["pushes"] = json!(self.pushes);
        }
        if !self.ledger.is_empty() {
            value["ledger"] = json!(self.ledger);
        }
        value[CHECK] = json!(digest(&value, CHECK));
        format!("{value}\n")
    }

    /// From the text of a file.
    pub fn from_json(text: &str) -> Result<Snapshot, SnapshotError> {
        let value: Value = serde_json::from_str(text).map_err(|e| SnapshotError::Format(e.to_string()))?;
        match value[KEY].as_u64() {
            Some(VERSION) => check(&value)?,
            Some(found) => return Err(SnapshotError::Version { found }),
            None => return Err(SnapshotError::Format(format!("it has no \"{KEY}\""))),
        }
        let clock = field(&value, "clock", |v| v.as_array().filter(|a| a.len() == 3))?;
        let (dt, begin) = (field(&clock[0], "", finite), field(&clock[1], "", finite));
        let (Ok(clock_dt), Ok(begin), Some(clock_steps)) = (dt, begin, count(&clock[2])) else {
            return Err(SnapshotError::Format(
                "\"clock\" is not a step, a time and a number of steps".into(),
            ));
        };
        let clock = Clock { dt: clock_dt, begin, steps: clock_steps };
        let sizes = field(&value, "sizes", |v| {
            let sizes: Option<Vec<usize>> = v.as_array()?.iter().map(count).collect();
            <[usize; 4]>::try_from(sizes?).ok()
        })?;
        let time = field(&value, "time", finite)?;
        let shown = clock.begin + clock.steps as f64 * clock.dt;
        if (shown - time).abs() > SAME_TIME * (1.0 + time.abs()) {
            let off = format!("its \"clock\" shows {shown} s, and its \"time\" is {time} s");
            return Err(SnapshotError::Format(off));
        }
        let stabilisation: String = word_of(&value, "stabilisation")?;
        stabilisation.parse::<Stabilisation>().map_err(|e| {
            SnapshotError::Format(format!("its \"stabilisation\" is \"{stabilisation}\": {e}"))
        })?;
        let bodies = match &value["bodies"] {
            Value::Null => None,
            bodies => Some(State { time, q: list(bodies, "q")?, v: list(bodies, "v")?, ..State::default() }),
        };
        let word = |key| word_of(&value, key);
        Ok(Snapshot {
            of: Subject {
                model: word("model")?,
                sizes,
                integrator: word("integrator")?,
                formulation: word("formulation")?.parse().map_err(SnapshotError::Format)?,
                stabilisation,
                contact: match &value["contact"] {
                    Value::Null => None,
                    _ => Some(contact_of(&value)?),
                },
            },
            state: State {
                time,
                q: list(&value, "q")?,
                v: list(&value, "v")?,
                activation: list(&value, "activation")?,
            },
            control: list(&value, "control")?,
            tau: if value["tau"].is_null() { Vec::new() } else { list(&value, "tau")? },
            loads: tuples(&value, "loads")?,
            touching: tuples(&value, "touching")?,
            pushes: tuples(&value, "pushes")?,
            bodies,
            memory: list(&value, "memory")?,
            ledger: if value["ledger"].is_null() { Vec::new() } else { list(&value, "ledger")? },
            clock,
            dt: field(&value, "dt", |v| finite(v).filter(|dt| *dt > 0.0))?,
            steps: field(&value, "steps", count)?,
        })
    }

    /// Writes it to a file.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), SnapshotError> {
        let path = path.as_ref();
        let failed =
            |source| SnapshotError::File { doing: "write", path: path.display().to_string(), source };
        let mut file = crate::AtomicFile::create(path).map_err(failed)?;
        file.write_all(self.to_json().as_bytes()).and_then(|()| file.finish()).map_err(failed)
    }
    /// Reads it from a file.
    pub fn read(path: impl AsRef<Path>) -> Result<Snapshot, SnapshotError> {
        let (path, name) = (path.as_ref(), path.as_ref().display().to_string());
        let failed = |source| SnapshotError::File { doing: "read", path: name.clone(), source };
        let within = |e| SnapshotError::In { path: name.clone(), source: Box::new(e) };
        let mut bytes = Vec::new();
        // a device may have no end
        let file = std::fs::File::open(path).map_err(failed)?;
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(within(SnapshotError::Format("it is larger than 1 GiB".into())));
        }
        let text =
            String::from_utf8(bytes).map_err(|_| within(SnapshotError::Format("it is not text".into())))?;
        Snapshot::from_json(&text).map_err(within)
    }
}

fn word_of(value: &Value, key: &str) -> Result<String, SnapshotError> {
    field(value, key, |v| v.as_str().map(str::to_string))
}

fn field<'v, T>(
    value: &'v Value,
    key: &str,
    read: impl FnOnce(&'v Value) -> Option<T>,
) -> Result<T, SnapshotError> {
    let part = if key.is_empty() { value } else { &value[key] };
    read(part).ok_or_else(|| SnapshotError::Format(format!("\"{key}\" is missing or not what it should be")))
}

fn finite(value: &Value) -> Option<f64> {
    value.as_f64().filter(|x| x.is_finite())
}

fn count(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok().filter(|n| *n <= MOST_STEPS)
}

fn list(value: &Value, key: &str) -> Result<Vec<f64>, SnapshotError> {
    field(value, key, |v| v.as_array()?.iter().map(finite).collect())
}

/// Compares the hash: the value of a corrupt number may look plausible.
fn check(value: &Value) -> Result<(), SnapshotError> {
    let found = word_of(value, CHECK)?;
    if found == UNCHECKED || found == digest(value, CHECK) {
        return Ok(());
    }
    Err(SnapshotError::Damaged)
}

/// Groups of N numbers; empty if the key is missing.
fn tuples<const N: usize>(value: &Value, key: &str) -> Result<Vec<[f64; N]>, SnapshotError> {
    if value[key].is_null() {
        return Ok(Vec::new());
    }
    let one = |v: &Value| -> Option<[f64; N]> {
        let numbers: Option<Vec<f64>> = v.as_array()?.iter().map(finite).collect();
        numbers?.try_into().ok()
    };
    field(value, key, |v| v.as_array()?.iter().map(one).collect())
}

fn numbers_of(load: &Load) -> [f64; 10] {
    let (p, Force { moment: n, force: f }) = (load.point, load.wrench);
    [load.body.index() as f64, p.x, p.y, p.z, n.x, n.y, n.z, f.x, f.y, f.z]
}

fn load_of(model: &Model, numbers: &[f64; 10]) -> Result<Load, SnapshotError> {
    let [body, a, b, c, d, e, f, g, h, i] = *numbers;
    let missing = || SnapshotError::Format(format!("it has a force on body {body}, which is not there"));
    let body = model.body_ids().nth(body as usize).ok_or_else(missing)?;
    let wrench = Force { moment: V3::new(d, e, f), force: V3::new(g, h, i) };
    Ok(Load { body, point: V3::new(a, b, c), wrench })
}

/// The contact forces, and the pairs of geoms in contact.
type Contacts = (Vec<Push>, Vec<[GeomId; 2]>);

fn contacts_of(model: &Model, from: &Snapshot) -> Option<Contacts> {
    let ids: Vec<GeomId> = model.geom_ids().collect();
    let pushes = from.pushes.iter().map(|x| Push::of_numbers(&ids, x)).collect::<Option<_>>()?;
    let pair = |[a, b]: &[f64; 2]| Some([geom(&ids, *a)?, geom(&ids, *b)?]);
    Some((pushes, from.touching.iter().map(pair).collect::<Option<_>>()?))
}

impl Simulation<'_> {
    /// Everything needed to continue from here, bit for bit.
    ///
    /// ```
    /// use poinsot::{Simulation, Snapshot, integrate::Method};
    /// let scene = poinsot::scenes::by_name("double-pendulum")?;
    /// let mut one = Simulation::new(&scene.model, scene.state.clone(), Method::Adaptive)?;
    /// one.run(100, 0.01)?;
    /// let text = one.snapshot().to_json();
    /// one.run(100, 0.01)?;
    /// let mut other = Simulation::new(&scene.model, scene.state.clone(), Method::Adaptive)?;
    /// other.restore(&Snapshot::from_json(&text)?)?;
    /// other.run(100, 0.01)?;
    /// assert_eq!(one.state(), other.state()); // to the last bit
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&self) -> Snapshot {
        let mut memory = Vec::new();
        self.system.memory(&mut memory);
        self.integrator.memory(&mut memory);
        let (tau, mut ledger) = (self.applied_forces(), Vec::new());
        self.ledger.iter().for_each(|own| own.memory(&mut ledger));
        Snapshot {
            of: self.subject(),
            state: self.state.clone(),
            control: self.control().to_vec(),
            tau: if tau.iter().all(|x| *x == 0.0) { Vec::new() } else { tau },
            loads: self.loads().iter().map(numbers_of).collect(),
            touching: self.touching.pairs.iter().map(|pair| pair.map(|g| g.index() as f64)).collect(),
            pushes: self.pushes().iter().map(Push::numbers).collect(),
            bodies: self.bodies.as_ref().map(|b| b.state.clone()),
            memory,
            ledger,
            clock: self.clock,
            dt: self.dt,
            steps: self.steps,
        }
    }

    /// Continues from a snapshot of this simulation, or of another one of the same model, integrator and formulation. Energy and momentum
    /// are monitored from here on, and a ledger continues from its totals. On an error nothing is changed.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SimulationError> {
        self.refuse_another(&snapshot.of)?;
        let unfit = |e: SimulationError| SnapshotError::Format(e.to_string());
        super::error::check(self.model(), &snapshot.state).map_err(unfit)?;
        self.check_control(&snapshot.control).map_err(unfit)?;
        let own = self.bodies.as_ref().map(|b| (b.state.q.len(), b.state.v.len()));
        let theirs = snapshot.bodies.as_ref().map(|s| (s.q.len(), s.v.len()));
        if own != theirs {
            return Err(SnapshotError::Format("its free bodies are not those of this model".into()).into());
        }
        let (forces, bodies) = (snapshot.tau.len(), self.model().bodies().len());
        if forces != 0 && forces != self.model().nv() {
            return Err(SnapshotError::Format("its \"tau\" does not fit this model".into()).into());
        }
        if snapshot.loads.iter().any(|load| !(0.0..bodies as f64).contains(&load[0])) {
            return Err(SnapshotError::Format("its \"loads\" are on bodies that are not there".into()).into());
        }
        let before = self.snapshot();
        if let Err(error) = self.take_up(snapshot) {
            self.take_up(&before)?;
            return Err(error.into());
        }
        Ok(())
    }

    fn take_up(&mut self, from: &Snapshot) -> Result<(), SnapshotError> {
        let missing = || SnapshotError::Format("its contacts are of geoms that are not there".into());
        let (pushes, pairs) = contacts_of(self.model(), from).ok_or_else(missing)?;
        self.state.clone_from(&from.state);
        match (&mut self.bodies, &from.bodies) {
            (Some(own), Some(theirs)) => {
                own.state.clone_from(theirs);
                own.original.control_mut().copy_from_slice(&from.control);
                own.signal(&from.state.activation);
            }
            _ => self.system.control_mut().copy_from_slice(&from.control),
        }
        self.clear_loads();
        let zeros = vec![0.0; self.model().nv()];
        let tau = if from.tau.is_empty() { &zeros } else { &from.tau };
        let misfit = |e: SimulationError| SnapshotError::Format(e.to_string());
        self.apply_forces(tau).map_err(misfit)?;
        for numbers in &from.loads {
            let load = load_of(self.model(), numbers)?;
            self.apply_load(load).map_err(misfit)?;
        }
        (self.clock, self.dt, self.steps) = (from.clock, from.dt, from.steps);
        self.restore_memory(&from.memory)?;
        self.begin_watch();
        self.touching.take_up(pushes, &pairs);
        self.take_up_ledger(&from.ledger)?;
        // recording energy counts turns
        Ok(self.restore_memory(&from.memory)?)
    }

    /// Restores the totals of the ledger, if one is kept; from 0 if the snapshot has none.
    fn take_up_ledger(&mut self, from: &[f64]) -> Result<(), MemoryError> {
        if self.ledger.is_none() {
            return Ok(());
        }
        if from.is_empty() {
            self.keep_ledger();
            return Ok(());
        }
        let mut from = MemoryReader::of(from);
        self.ledger.iter_mut().for_each(|own| own.restore_memory(&mut from));
        from.finish()
    }

    fn restore_memory(&mut self, memory: &[f64]) -> Result<(), MemoryError> {
        let mut from = MemoryReader::of(memory);
        self.system.restore_memory(&mut from);
        self.integrator.restore_memory(&mut from);
        from.finish()
    }

    fn subject(&self) -> Subject {
        let model = self.model();
        Subject {
            model: model.name().to_string(),
            sizes: [model.nq(), model.nv(), model.actuators().len(), model.constraints().len()],
            integrator: self.integrator().to_string(),
            formulation: self.formulation(),
            stabilisation: self.system.stabilisation().to_string(),
            contact: self.contact.map(|contact| contact.to_string()),
        }
    }

    fn refuse_another(&self, theirs: &Subject) -> Result<(), SnapshotError> {
        let ours = self.subject();
        let sizes = |s: &Subject| {
            let [nq, nv, actuators, constraints] = s.sizes;
            format!(
                "one of {nq} coordinates, {nv} velocities, {actuators} actuators and {constraints} constraints"
            )
        };
        for (what, theirs, ours) in [
            ("model", quoted(&theirs.model), quoted(&ours.model)),
            ("a model,", sizes(theirs), sizes(&ours)),
            ("integrator", theirs.integrator.clone(), ours.integrator.clone()),
            ("formulation", theirs.formulation.to_string(), ours.formulation.to_string()),
            ("stabilisation", theirs.stabilisation.clone(), ours.stabilisation.clone()),
            ("contact", none(&theirs.contact), none(&ours.contact)),
        ] {
            if theirs != ours {
                return Err(SnapshotError::OfAnother { what, theirs, ours });
            }
        }
        Ok(())
    }
}

fn none(contact: &Option<String>) -> String {
    contact.clone().unwrap_or_else(|| "none".into())
}

/// Validates the contact settings of a snapshot.
fn contact_of(value: &Value) -> Result<String, SnapshotError> {
    let contact = word_of(value, "contact")?;
    let known = contact.parse::<Contact>();
    known.map_err(|e| SnapshotError::Format(format!("its \"contact\" is wrong: {e}")))?;
    Ok(contact)
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}
