//! A simulation that one thread uses at a time, whatever signals and forks do.

use numpy::PyArray1;
use poinsot::dynamics::State;
use poinsot::{
    ContactEvent, ContactEventKind, EnergyGain, NamedEvent, Simulation, SimulationError, Snapshot,
};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// Energy and momentum are recorded after this many steps: a record costs about as much as a step.
const LOOK_EVERY: usize = 100;
/// Python checks for signals at this interval, µs.
const SIGNALS_EVERY: u64 = 50_000;
/// The clock is read about this often, µs.
const CLOCK_EVERY: u64 = 1000;

/// While steps are made, a page is updated at this interval.
const SHOWN_EVERY: Duration = Duration::from_millis(15);

/// The number of forks that led to this process.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Called in the child of a fork.
#[pyfunction]
pub fn _forked() {
    FORKS.fetch_add(1, Relaxed);
}

/// Has Python call [`_forked`] after a fork, where the system has forks.
pub fn watch_forks(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let os = module.py().import("os")?;
    if os.hasattr("register_at_fork")? {
        let arguments = pyo3::types::PyDict::new(module.py());
        arguments.set_item("after_in_child", module.getattr("_forked")?)?;
        os.call_method("register_at_fork", (), Some(&arguments))?;
    }
    Ok(())
}

/// A simulation and the records of its steps.
pub struct Running {
    pub simulation: Simulation<'static>,
    /// The events of the last call of step.
    pub events: Vec<NamedEvent>,
    pub contact_events: Vec<ContactEvent>,
    /// The number of steps when energy and momentum were last recorded.
    looked: usize,
    /// The energy added by the errors of the integrator, and whether that was reported.
    gain: EnergyGain,
    said: bool,
    /// Unstable feedback was reported.
    unstable: bool,
    pub recording: Option<Recorded>,
    /// The state shown to a page while steps are made, and the time of the last update.
    shown: Option<(Shown, Instant)>,
}

/// The last published state of a simulation that is busy.
type Shown = Arc<Mutex<Option<Snapshot>>>;

/// Moments for a replay, at an interval in steps.
#[derive(Clone)]
pub struct Recorded {
    pub every: usize,
    pub moments: Vec<(State, Vec<f64>)>,
}

impl Running {
    pub fn new(simulation: Simulation<'static>) -> Running {
        Running {
            simulation,
            events: Vec::new(),
            contact_events: Vec::new(),
            looked: 0,
            gain: EnergyGain::default(),
            said: false,
            unstable: false,
            recording: None,
            shown: None,
        }
    }

    /// Makes n steps.
    pub fn go(&mut self, n: usize, dt: f64) -> Result<(), SimulationError> {
        self.forget_events();
        let mut left = n;
        while left > 0 {
            let steps = self.simulation.steps();
            let mut now = left.min(LOOK_EVERY - steps % LOOK_EVERY);
            if let Some(recorded) = &self.recording {
                now = now.min(recorded.every - steps % recorded.every);
            }
            let outcome = self.simulation.advance(now, dt);
            self.events.extend(self.simulation.events());
            let persists = |e: &ContactEvent| e.kind == ContactEventKind::Persist;
            self.contact_events.retain(|e| !persists(e));
            self.contact_events.extend(self.simulation.contact_events());
            outcome?;
            if (steps + now).is_multiple_of(LOOK_EVERY) {
                self.look();
            }
            self.record();
            self.show();
            left -= now;
        }
        // a contact that began in this call does not count as persistent, however many parts the call is made in
        let begins = self.contact_events.iter().filter(|e| e.kind == ContactEventKind::Begin);
        let begun: HashSet<_> = begins.map(|e| e.geoms).collect();
        self.contact_events.retain(|e| e.kind != ContactEventKind::Persist || !begun.contains(&e.geoms));
        Ok(())
    }

    /// Monitors energy from here on, and clears all records.
    pub fn begin_anew(&mut self) {
        self.forget_events();
        self.gain = EnergyGain::default();
    }

    /// The warning about unexplained energy, once.
    pub fn energy_given(&mut self) -> Option<String> {
        let integrator = self.simulation.integrator();
        let advice = match integrator {
            "leapfrog" => "a smaller step",
            _ => "integrator=\"leapfrog\", or a smaller step",
        };
        let text = self.gain.sentence(integrator, self.simulation.dt(), advice).filter(|_| !self.said);
        self.said |= text.is_some();
        text
    }

    /// The warning about feedback that has become unstable, once.
    pub fn new_unstable_feedback(&mut self) -> Option<String> {
        let new = self.simulation.has_unstable_feedback() && !std::mem::replace(&mut self.unstable, true);
        if new { self.simulation.unstable_feedback().map(|found| found.sentence()) } else { None }
    }

    /// Events are those of the last call of step.
    pub fn forget_events(&mut self) {
        self.events.clear();
        self.contact_events.clear();
    }

    /// Records energy and momentum, unless that was done already.
    pub fn look(&mut self) {
        if self.looked != self.simulation.steps() {
            self.looked = self.simulation.steps();
            self.simulation.look();
            self.gain.look(&mut self.simulation);
        }
    }

    /// Shows this moment to a page, if it is due.
    fn show(&mut self) {
        if let Some((shown, last)) = &mut self.shown
            && last.elapsed() >= SHOWN_EVERY
        {
            *last = Instant::now();
            *shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.simulation.snapshot());
        }
    }

    /// Keeps this moment for a replay, if it is due.
    pub fn record(&mut self) {
        if let Some(recorded) = &mut self.recording
            && self.simulation.steps().is_multiple_of(recorded.every)
        {
            recorded.moments.push((self.simulation.state().clone(), self.simulation.control().to_vec()));
        }
    }
}

/// The lock.
pub struct Guarded {
    running: Mutex<Running>,
    shown: Shown,
    /// The thread that is making steps, and its process.
    thread: AtomicUsize,
    forks: AtomicU32,
}

/// Steps are being made.
pub struct Stepping<'a> {
    pub running: MutexGuard<'a, Running>,
    thread: &'a AtomicUsize,
}

impl Drop for Stepping<'_> {
    fn drop(&mut self) {
        self.thread.store(0, Relaxed);
    }
}

/// A number unique to this thread.
fn this_thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

impl Guarded {
    pub fn new(running: Running) -> Guarded {
        let (running, shown) = (Mutex::new(running), Shown::default());
        Guarded { running, shown, thread: AtomicUsize::new(0), forks: AtomicU32::new(0) }
    }

    /// The state of the simulation, without waiting: while another thread makes steps, the state a moment ago.
    pub fn glimpse(&self) -> Option<Snapshot> {
        let running = match self.running.try_lock() {
            Ok(running) => running,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
            }
        };
        let mut seen = self.marked(running);
        if seen.running.shown.is_none() {
            seen.running.shown = Some((self.shown.clone(), Instant::now()));
        }
        Some(seen.running.simulation.snapshot())
    }

    /// Refuses if waiting would never end.
    fn refuse_deadlock(&self) -> PyResult<()> {
        let thread = self.thread.load(Relaxed);
        if thread != 0 && self.forks.load(Relaxed) != FORKS.load(Relaxed) {
            let text = "this simulation was making steps in another thread when the process was forked, so its state is not \
                        known here; fork between steps, or copy or pickle it before";
            return Err(PyRuntimeError::new_err(text));
        }
        if thread == this_thread() {
            let text = "the simulation is in the middle of a step and cannot be used in a signal handler; use it after the step";
            return Err(PyRuntimeError::new_err(text));
        }
        Ok(())
    }

    /// The simulation, once no other thread uses it.
    pub fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Running>> {
        match self.running.try_lock() {
            Ok(running) => Ok(running),
            Err(TryLockError::Poisoned(error)) => Ok(error.into_inner()),
            Err(TryLockError::WouldBlock) => {
                self.refuse_deadlock()?;
                Ok(self.running.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
            }
        }
    }

    /// As above, for steps.
    pub fn stepping(&self, py: Python<'_>) -> PyResult<Stepping<'_>> {
        Ok(self.marked(self.lock(py)?))
    }

    /// Makes steps while other Python threads run.
    pub fn detached<R: Send>(&self, py: Python<'_>, f: impl FnOnce(&mut Running) -> R + Send) -> PyResult<R> {
        if let Err(TryLockError::WouldBlock) = self.running.try_lock() {
            self.refuse_deadlock()?;
        }
        Ok(py.detach(|| {
            let mut stepping = self.marked(self.running.lock().unwrap_or_else(PoisonError::into_inner));
            f(&mut stepping.running)
        }))
    }

    fn marked<'a>(&'a self, running: MutexGuard<'a, Running>) -> Stepping<'a> {
        self.forks.store(FORKS.load(Relaxed), Relaxed);
        self.thread.store(this_thread(), Relaxed);
        Stepping { running, thread: &self.thread }
    }
}

/// Checks for signals while steps are made, so that Ctrl-C ends even a long one.
pub struct Alarm {
    begin: Instant,
    /// µs since `begin`: when the clock was last read, and when Python must be asked next.
    seen: AtomicU64,
    due: AtomicU64,
    /// This many checks are skipped before the clock is read again.
    calls: AtomicU32,
    stride: AtomicU32,
    error: Mutex<Option<PyErr>>,
}

impl Alarm {
    pub fn new() -> Arc<Alarm> {
        let zero = || AtomicU64::new(0);
        let (calls, stride) = (AtomicU32::new(0), AtomicU32::new(0));
        Arc::new(Alarm {
            begin: Instant::now(),
            seen: zero(),
            due: zero(),
            calls,
            stride,
            error: Mutex::new(None),
        })
    }
    fn now(&self) -> u64 {
        self.begin.elapsed().as_micros() as u64
    }
    /// To be called before steps.
    pub fn set(&self) {
        let now = self.now();
        self.seen.store(now, Relaxed);
        self.due.store(now + SIGNALS_EVERY, Relaxed);
        self.calls.store(0, Relaxed);
        self.stride.store(0, Relaxed);
    }
    /// True when a signal handler has raised an exception.
    pub fn rings(&self) -> bool {
        let calls = self.calls.load(Relaxed);
        if calls > 0 {
            self.calls.store(calls - 1, Relaxed);
            return false;
        }
        let now = self.now();
        let quick = now - self.seen.swap(now, Relaxed).min(now) < CLOCK_EVERY;
        let stride = if quick { (2 * self.stride.load(Relaxed) + 1).min(15) } else { 0 };
        self.stride.store(stride, Relaxed);
        self.calls.store(stride, Relaxed);
        if now < self.due.load(Relaxed) {
            return false;
        }
        self.due.store(now + SIGNALS_EVERY, Relaxed);
        Python::attach(|py| match py.check_signals() {
            Ok(()) => false,
            Err(error) => {
                *self.error.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner) = Some(error);
                true
            }
        })
    }
    /// The exception.
    pub fn error(&self, py: Python<'_>) -> Option<PyErr> {
        self.error.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The numbers in an array of the user's, which must be as many as `wanted` and finite; `what(k)` names the k-th.
pub fn numbers_of(
    array: &Bound<'_, PyArray1<f64>>,
    name: &str,
    wanted: usize,
    what: impl Fn(usize) -> String,
) -> PyResult<Vec<f64>> {
    use numpy::PyArrayMethods;
    use pyo3::exceptions::PyValueError;
    if wanted == 0 {
        return Ok(Vec::new());
    }
    let numbers = array.to_vec().map_err(|e| PyValueError::new_err(format!("{name}: {e}")))?;
    if numbers.len() != wanted {
        let text = format!("{name} has {} numbers; give {wanted}", numbers.len());
        return Err(PyValueError::new_err(text));
    }
    match numbers.iter().position(|x| !x.is_finite()) {
        None => Ok(numbers),
        Some(k) => {
            let text = format!("{name}[{k}] is {}: {} must be finite", numbers[k], what(k));
            Err(PyValueError::new_err(text))
        }
    }
}
