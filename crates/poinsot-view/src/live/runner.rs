//! One track being stepped.

use super::hand::{Grip, Hand, Target};
use crate::cast::{Role, Start};
use crate::machine::{Machine, Saved, TrackError, Way};
use crate::projector::{soft_constraints, stiffened};
use poinsot::algebra::V3;
use poinsot::dynamics::{State, Workspace};
use poinsot::integrate::TREE_INTEGRATORS;
use poinsot::model::{BodyId, Model};
use poinsot::{Formulation, Moved, begin_on_constraints};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A track: its simulation, and how it is run.
pub struct Runner {
    /// Where it begins, and the model as it was given.
    pub role: Role,
    /// The model as it is run: perhaps without gravity, or with constraints of another stiffness.
    model: Arc<Model>,
    machine: Machine,
    /// How it was asked to be stepped.
    pub way: Way,
    /// The step, s.
    pub dt: f64,
    gravity: bool,
    /// The stiffness of each soft constraint.
    stiffness: Vec<f64>,
    grip: Option<Grip>,
    /// A ledger is kept.
    booked: bool,
    /// For the force of the hand.
    scratch: Workspace,
    /// How its beginning was moved onto its constraints.
    pub moved: Option<Moved>,
    /// Why it could not go on.
    pub stopped: Option<String>,
    /// Seconds that a step takes.
    pace: f64,
    /// The time spent in steps.
    pub spent: Duration,
}

/// Steps in one go take no longer than this, s, so that commands are heard.
const LONGEST: f64 = 2e-3;

type Done = Result<(), TrackError>;

impl Runner {
    /// Begins, moved onto the constraints of the model where the start does not meet them.
    pub fn new(mut role: Role) -> Result<Runner, TrackError> {
        let moved = begin_on_constraints(&role.model, &mut role.start.state)?;
        let (model, way, dt) = (role.model.clone(), role.way.clone(), role.dt);
        let machine = Machine::new(&model, &role.start.saved(), &way)?;
        Ok(Runner {
            stiffness: soft_constraints(&model).map(|(_, _, s)| s.stiffness).collect(),
            scratch: Workspace::new(&model),
            role,
            model,
            machine,
            way,
            dt,
            gravity: true,
            grip: None,
            booked: false,
            moved,
            stopped: None,
            pace: 1e-6,
            spent: Duration::ZERO,
        })
    }

    /// The model as it is run.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
    /// The state now, in the model's own coordinates.
    pub fn state(&self) -> &State {
        self.machine.inner().state()
    }
    /// What steps it.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }
    /// The integrator that is used: while the hand pulls, one that knows forces from outside.
    pub fn integrator_now(&self) -> &str {
        self.machine.inner().simulation().integrator()
    }
    /// The stiffness of each soft constraint.
    pub fn stiffness(&self) -> &[f64] {
        &self.stiffness
    }
    /// How far the worst constraint is from being met.
    pub fn drift(&mut self) -> f64 {
        self.machine.drift()
    }
    /// The body that is held, where, and the force on it.
    pub fn pull(&mut self) -> Option<(BodyId, V3, V3)> {
        let grip = self.grip.as_ref()?;
        let (point, force) = grip.pull(&self.scratch.at(&self.model, self.machine.inner().state()));
        Some((grip.body, point, force))
    }

    /// Goes on from another moment.
    pub fn go_to(&mut self, moment: &Saved) -> Done {
        // free bodies count their turns from where they begin
        if self.way.formulation == Formulation::Maximal {
            return self.rebuild_at(moment, self.model.clone(), self.way.clone(), self.grip.clone());
        }
        self.machine.go_to(moment)?;
        self.stopped = None;
        Ok(())
    }
    /// Begins at a start, moved onto the constraints.
    pub fn begin_at(&mut self, start: &Start) -> Done {
        let mut from = start.saved();
        begin_on_constraints(&self.model, &mut from.state)?;
        self.go_to(&from)
    }
    /// Sets a control signal.
    pub fn set_control(&mut self, actuator: usize, value: f64) {
        let mut control = self.machine.inner().control().to_vec();
        control[actuator] = value;
        self.machine.inner_mut().set_control(&control);
    }
    /// Sets a coordinate, and the velocity of its joint to 0; where there are loops, all that must follows.
    pub fn set_joint(&mut self, joint: usize, value: f64) -> Done {
        let (mut moment, joint) = (self.machine.saved(), &self.model.joints()[joint]);
        moment.state.q[joint.coordinates().start] = value;
        joint.dofs().for_each(|k| moment.state.v[k] = 0.0);
        moment.free = None;
        begin_on_constraints(&self.model, &mut moment.state)?;
        self.go_to(&moment)
    }

    /// Runs with another integrator.
    pub fn set_integrator(&mut self, name: &str) -> Done {
        let way = Way { integrator: name.to_string(), ..self.way.clone() };
        self.rebuild(self.model.clone(), way, self.grip.clone())
    }
    /// Runs in other coordinates; with `midpoint` where these do not allow the integrator.
    pub fn set_formulation(&mut self, formulation: Formulation) -> Done {
        let kept = formulation == Formulation::Reduced || is_for_trees(&self.way.integrator);
        let integrator = if kept { self.way.integrator.clone() } else { "midpoint".to_string() };
        let way = Way { formulation, integrator, ..self.way.clone() };
        self.rebuild(self.model.clone(), way, self.grip.clone())
    }
    /// Gives it weight, or takes it away.
    pub fn set_gravity(&mut self, on: bool) -> Done {
        let model = self.changed(on, &self.stiffness)?;
        self.rebuild(model, self.way.clone(), self.grip.clone())?;
        self.gravity = on;
        Ok(())
    }
    /// Gives a soft constraint another stiffness.
    pub fn set_stiffness(&mut self, soft: usize, value: f64) -> Done {
        let mut stiffness = self.stiffness.clone();
        stiffness[soft] = value;
        let model = self.changed(self.gravity, &stiffness)?;
        self.rebuild(model, self.way.clone(), self.grip.clone())?;
        self.stiffness = stiffness;
        Ok(())
    }
    /// Takes hold of a point of a body, or lets go.
    pub fn set_grip(&mut self, held: Option<(BodyId, V3, Target)>) -> Done {
        let grip =
            held.map(|(body, point, target)| Grip::new(&self.model, self.state(), body, point, target));
        self.rebuild(self.model.clone(), self.way.clone(), grip)
    }
    /// Keeps a ledger from now on, or none.
    pub fn keep_books(&mut self, on: bool) -> Done {
        if on == self.booked {
            return Ok(());
        }
        self.booked = on;
        self.rebuild(self.model.clone(), self.way.clone(), self.grip.clone())
    }

    /// The model as it was given but for these.
    fn changed(&self, gravity: bool, stiffness: &[f64]) -> Result<Arc<Model>, TrackError> {
        let given = &self.role.model;
        let mut model = if gravity { Model::clone(given) } else { given.with_gravity(V3::ZERO) };
        for ((id, _, softness), stiffness) in soft_constraints(given).zip(stiffness) {
            model = model.with_softness(id, stiffened(softness, *stiffness))?;
        }
        Ok(Arc::new(model))
    }

    /// Goes on from here with all this; on an error nothing has changed.
    fn rebuild(&mut self, model: Arc<Model>, way: Way, grip: Option<Grip>) -> Done {
        self.rebuild_at(&self.machine.saved(), model, way, grip)
    }

    fn rebuild_at(&mut self, from: &Saved, model: Arc<Model>, way: Way, grip: Option<Grip>) -> Done {
        let mut used = way.clone();
        // the methods for free bodies know no forces from outside
        if grip.is_some() && !is_for_trees(&used.integrator) {
            used.integrator = "rkmk4".to_string();
        }
        let mut machine = Machine::new(&model, from, &used)?;
        if let Some(grip) = grip.clone() {
            let hand = match machine.inner().stepped(grip.body) {
                Some((free, body)) => Hand::new(free, Grip { body, ..grip }),
                None => Hand::new(&model, grip),
            };
            machine.inner_mut().simulation_mut().push(hand);
        }
        if self.booked {
            machine.keep_books(from.books.unwrap_or_default());
        }
        (self.machine, self.model, self.way, self.grip, self.stopped) = (machine, model, way, grip, None);
        Ok(())
    }

    /// Steps towards `until`, for no longer than a while; true when it is there, or can go no further.
    pub fn advance(&mut self, until: f64) -> bool {
        if self.stopped.is_some() {
            return true;
        }
        // half a step late is on time
        let left = ((until - self.state().time) / self.dt + 0.5).floor();
        if left < 1.0 {
            return true;
        }
        let steps = left.min((LONGEST / self.pace).max(1.0));
        let begin = Instant::now();
        self.steps(steps as usize);
        self.pace = (begin.elapsed().as_secs_f64() / steps).max(1e-9);
        steps == left || self.stopped.is_some()
    }

    /// Makes so many steps; on an error it stops, and says why.
    pub fn steps(&mut self, steps: usize) {
        let before = self.machine.inner().simulation().stepping_time();
        if let Err(error) = self.machine.inner_mut().advance(steps, self.dt) {
            self.stopped = Some(error.to_string());
        }
        self.spent += self.machine.inner().simulation().stepping_time() - before;
    }
}

fn is_for_trees(integrator: &str) -> bool {
    TREE_INTEGRATORS.contains(&integrator)
}
