//! `poinsot eval`: quantities that the library computes at one state.

mod quantity;
mod show;

use crate::Screen;
use crate::failure::{Outcome, failure};
use crate::numbers::fitting;
use crate::report::print;
use crate::subject::{FileOptions, Subject};
use clap::Args;
use poinsot::dynamics::State;
use poinsot::formats::did_you_mean;
use poinsot::model::Model;
use poinsot::names::{Space, labels};
use quantity::{Quantity, compute};
use serde_json::json;
use std::ffi::OsString;

/// Compute forces, accelerations, matrices, energies or poses at one state
///
/// Vectors are typed ("1,2,3" or "1 2 3"), or read from a file (@file.json, @file.csv) or from standard input (@-).
/// `inverse_dynamics` and `forward_dynamics` are those of the bare tree, without joint springs, dampers and actuators.
#[derive(Args)]
pub struct Eval {
    /// A built-in scene, or the path of an MJCF or URDF file
    model: OsString,
    /// What to compute, separated by commas: inverse_dynamics, trace_inverse_dynamics, forward_dynamics, inverse_dynamics_derivatives,
    /// forward_dynamics_derivatives, centroidal_derivatives, kinematics_derivatives:BODY, reaction_derivatives:BODY, regressor,
    /// base_parameters, mass_matrix, metric, lagrangian_force, kkt, bias, gravity, energy, kinetic_energy, potential_energy, momentum, com,
    /// jacobian:BODY, mass_tensor:BODY, "acceleration:BODY@X Y Z" (a point in the body's frame), stiffness:CONSTRAINT, poses
    #[arg(long, value_name = "LIST", required = true, value_delimiter = ',')]
    compute: Vec<String>,
    #[command(flatten)]
    start: Start,
    /// The accelerations, for inverse_dynamics, acceleration, regressor and derivatives [default: 0]
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    qacc: Option<String>,
    /// The joint forces, for forward_dynamics, its derivatives and kkt [default: 0]
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    tau: Option<String>,
    #[command(flatten)]
    files: FileOptions,
}

/// The initial state.
#[derive(Args)]
pub struct Start {
    /// Start at the keyframe with this name or number
    #[arg(long, value_name = "NAME")]
    key: Option<String>,
    /// The coordinates [default: those of the keyframe, scene or file]
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    qpos: Option<String>,
    /// The velocities [default: those of the keyframe or scene, else 0]
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    qvel: Option<String>,
}

impl Start {
    /// True if the user gives another initial state than the model's own.
    pub fn is_given(&self) -> bool {
        self.key.is_some() || self.qpos.is_some() || self.qvel.is_some()
    }

    /// True when the user gives velocities.
    pub fn has_velocities(&self) -> bool {
        self.qvel.is_some()
    }

    /// The control signals of the keyframe, if one was named that has any; otherwise those of the scene.
    pub fn controls(&self, subject: &Subject) -> Outcome<Option<Vec<f64>>> {
        let Some(name) = &self.key else { return Ok(subject.control()) };
        let key = keyframe(subject, name)?;
        Ok((!key.ctrl.is_empty()).then(|| key.ctrl.clone()))
    }

    /// The state, checked. `default` is used if neither keyframe nor numbers are given.
    pub fn state(&self, subject: &Subject, default: State) -> Outcome<State> {
        let model = &subject.model;
        let mut state = match &self.key {
            Some(name) => at_keyframe(subject, name)?,
            None => default,
        };
        state.q = fitting("--qpos", self.qpos.as_deref(), model, Space::Position, state.q)?;
        state.v = fitting("--qvel", self.qvel.as_deref(), model, Space::Velocity, state.v)?;
        if let Some(joint) = state.first_zero_quaternion(model) {
            return Err(failure(format!(
                "the quaternion of joint \"{joint}\" is 0, which is not an attitude; 1 0 0 0 is that of the model"
            )));
        }
        Ok(state)
    }
}

fn keyframe<'a>(subject: &'a Subject, name: &str) -> Outcome<&'a poinsot::formats::Keyframe> {
    let keys = subject.description().map_or(&[][..], |d| &d.keyframes);
    let by_number = || name.parse::<usize>().ok().and_then(|k| keys.get(k));
    if let Some(key) = keys.iter().find(|k| k.name == name).or_else(by_number) {
        return Ok(key);
    }
    let fail = failure(format!("\"{}\" has no keyframe \"{name}\"", subject.name));
    let names: Vec<&str> = keys.iter().map(|k| k.name.as_str()).filter(|n| !n.is_empty()).collect();
    Err(match (did_you_mean(name, names.iter().copied()), keys.len()) {
        (Some(near), _) => fail.help(format!("did you mean \"{near}\"?")),
        (None, 0) => fail.help("it has none at all; leave --key out"),
        (None, n) if names.is_empty() => {
            fail.help(format!("they have no names; give a number from 0 to {}", n - 1))
        }
        (None, _) => fail.help(format!("there are: {}", names.join(", "))),
    })
}

fn at_keyframe(subject: &Subject, name: &str) -> Outcome<State> {
    let (key, model) = (keyframe(subject, name)?, &subject.model);
    let mut state = State { time: key.time, ..State::new(model) };
    // a keyframe may have numbers for actuators that are not simulated
    if key.act.len() == state.activation.len() {
        state.activation.clone_from(&key.act);
    }
    for (what, given, to) in [("qpos", &key.qpos, &mut state.q), ("qvel", &key.qvel, &mut state.v)] {
        if given.is_empty() {
            continue;
        }
        if given.len() != to.len() {
            return Err(failure(format!(
                "keyframe \"{name}\" has {} numbers of {what}, and the model has {}",
                given.len(),
                to.len()
            )));
        }
        to.clone_from(given);
    }
    Ok(state)
}

impl Eval {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        let subject = Subject::load(&self.model, &self.files)?;
        let model = &subject.model;
        let quantities: Vec<Quantity> =
            self.compute.iter().map(|w| Quantity::parse(w, model)).collect::<Outcome<_>>()?;
        // at rest in the model's own pose, whatever a scene begins with
        let state = self.start.state(&subject, State::new(model))?;
        let zero = || vec![0.0; model.nv()];
        let qacc = fitting("--qacc", self.qacc.as_deref(), model, Space::Velocity, zero())?;
        let tau = fitting("--tau", self.tau.as_deref(), model, Space::Velocity, zero())?;
        if !screen.json {
            subject.show_diagnostics(screen.verbose);
        }
        self.say_what_is_unused(&quantities);
        let mut results = Vec::new();
        for quantity in quantities {
            if matches!(quantity, Quantity::ForwardDynamics | Quantity::ForwardDynamicsDerivatives) {
                subject.refuse_singular("forward dynamics of")?;
            }
            let value = compute(&quantity, model, &state, &qacc, &tau)?;
            results.push((quantity.name(model), value));
        }
        if !screen.json {
            print(&show::text(&results, model))?;
            return Ok(0);
        }
        let mut object = json!({
            "model": model.name(),
            "qpos": state.q,
            "qvel": state.v,
            "qpos_names": labels(model, Space::Position),
            "qvel_names": labels(model, Space::Velocity),
        });
        for (name, value) in &results {
            object[name] = value.json();
        }
        object["diagnostics"] = subject.diagnostics_json();
        print(&format!("{object:#}\n"))?;
        Ok(0)
    }

    /// Numbers that have no effect are probably a mistake.
    fn say_what_is_unused(&self, quantities: &[Quantity]) {
        for (flag, given, used, name) in [
            (
                "--qacc",
                self.qacc.is_some(),
                quantities.iter().any(Quantity::depends_on_qacc),
                "inverse_dynamics",
            ),
            (
                "--tau",
                self.tau.is_some(),
                quantities.iter().any(Quantity::depends_on_tau),
                "forward_dynamics",
            ),
        ] {
            if given && !used {
                crate::report::tell(&format!(
                    "warning: {flag} has no effect: it is for {name} and the like, and nothing here depends on it\n"
                ));
            }
        }
    }
}

/// The body of this name, or an error that lists the bodies.
pub fn body_named(model: &Model, name: &str) -> Outcome<poinsot::model::BodyId> {
    model.body(name).ok_or_else(|| {
        let names = model.bodies().iter().map(|b| b.name.as_str());
        let fail = failure(format!("there is no body \"{name}\""));
        match did_you_mean(name, names) {
            Some(near) => fail.help(format!("did you mean \"{near}\"?")),
            None => fail.help("`poinsot info MODEL` shows all bodies"),
        }
    })
}
