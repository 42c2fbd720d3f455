//! The quantities that can be computed at a state.

use super::body_named;
use crate::failure::{Outcome, failure};
use poinsot::algebra::V3;
use poinsot::constraint::{Kkt, Multipliers, SecondDerivative};
use poinsot::dynamics::{
    At, ForwardDynamicsDerivatives, InverseDynamicsDerivatives, MassMatrix, Regressor, SquareView, State,
    Workspace,
};
use poinsot::formats::did_you_mean;
use poinsot::hierarchy::Hierarchy;
use poinsot::model::{BodyId, ConstraintId, Model};
use poinsot::nalgebra::DMatrix;
use poinsot::names::{Space, labels};
use poinsot::spatial::Quat;
use serde_json::{Map, Value, json};

/// A quantity.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the words are those of the command line
pub enum Quantity {
    InverseDynamics,
    TraceInverseDynamics,
    ForwardDynamics,
    InverseDynamicsDerivatives,
    ForwardDynamicsDerivatives,
    Regressor,
    BaseParameters,
    MassMatrix,
    Metric,
    LagrangianForce,
    Kkt,
    Bias,
    Gravity,
    Energy,
    KineticEnergy,
    PotentialEnergy,
    Momentum,
    Com,
    Poses,
    Jacobian(BodyId),
    CentroidalDerivatives,
    KinematicsDerivatives(BodyId),
    ReactionDerivatives(BodyId),
    MassTensor(BodyId),
    /// Of a point in the body's frame.
    Acceleration(BodyId, V3),
    Stiffness(ConstraintId),
}

const WORDS: [(&str, Quantity); 20] = [
    ("inverse_dynamics", Quantity::InverseDynamics),
    ("trace_inverse_dynamics", Quantity::TraceInverseDynamics),
    ("forward_dynamics", Quantity::ForwardDynamics),
    ("inverse_dynamics_derivatives", Quantity::InverseDynamicsDerivatives),
    ("forward_dynamics_derivatives", Quantity::ForwardDynamicsDerivatives),
    ("centroidal_derivatives", Quantity::CentroidalDerivatives),
    ("regressor", Quantity::Regressor),
    ("base_parameters", Quantity::BaseParameters),
    ("mass_matrix", Quantity::MassMatrix),
    ("metric", Quantity::Metric),
    ("lagrangian_force", Quantity::LagrangianForce),
    ("kkt", Quantity::Kkt),
    ("bias", Quantity::Bias),
    ("gravity", Quantity::Gravity),
    ("energy", Quantity::Energy),
    ("kinetic_energy", Quantity::KineticEnergy),
    ("potential_energy", Quantity::PotentialEnergy),
    ("momentum", Quantity::Momentum),
    ("com", Quantity::Com),
    ("poses", Quantity::Poses),
];

type OfBody = fn(BodyId) -> Quantity;

/// The quantities of one body.
const OF_BODIES: [(&str, OfBody); 4] = [
    ("jacobian", Quantity::Jacobian),
    ("kinematics_derivatives", Quantity::KinematicsDerivatives),
    ("reaction_derivatives", Quantity::ReactionDerivatives),
    ("mass_tensor", Quantity::MassTensor),
];

impl Quantity {
    /// True if the accelerations of the joints matter.
    pub fn depends_on_qacc(&self) -> bool {
        use Quantity::*;
        matches!(
            self,
            InverseDynamics
                | TraceInverseDynamics
                | InverseDynamicsDerivatives
                | Regressor
                | CentroidalDerivatives
                | KinematicsDerivatives(_)
                | ReactionDerivatives(_)
                | Acceleration(..)
        )
    }
    /// True if the forces of the joints matter.
    pub fn depends_on_tau(&self) -> bool {
        matches!(self, Quantity::ForwardDynamics | Quantity::ForwardDynamicsDerivatives | Quantity::Kkt)
    }
    /// Parses its word; `-` and `_` are equivalent.
    pub fn parse(word: &str, model: &Model) -> Outcome<Quantity> {
        let word = word.trim();
        for (prefix, of) in OF_BODIES {
            if let Some(body) = word.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(':')) {
                return Ok(of(body_named(model, body)?));
            }
        }
        if let Some(of) = word.strip_prefix("acceleration:") {
            let (body, point) = of.split_once('@').unwrap_or((of, "0 0 0"));
            return Ok(Quantity::Acceleration(body_named(model, body.trim())?, point_of(point)?));
        }
        if let Some(name) = word.strip_prefix("stiffness:") {
            return Ok(Quantity::Stiffness(constraint_named(model, name)?));
        }
        let plain = word.replace('-', "_");
        if let Some((_, quantity)) = WORDS.iter().find(|(w, _)| *w == plain) {
            return Ok(quantity.clone());
        }
        let known = WORDS.iter().map(|(w, _)| *w).chain([
            "jacobian:BODY",
            "kinematics_derivatives:BODY",
            "reaction_derivatives:BODY",
            "mass_tensor:BODY",
            "acceleration:BODY@POINT",
            "stiffness:CONSTRAINT",
        ]);
        let near = did_you_mean(&plain, known.clone());
        let help = near.map_or(String::new(), |n| format!("did you mean {n}? "));
        let all: Vec<&str> = known.collect();
        Err(failure(format!("--compute: there is no quantity \"{word}\""))
            .help(format!("{help}There are: {}", all.join(", "))))
    }

    /// Its word.
    pub fn name(&self, model: &Model) -> String {
        let of = |word: &str, body: BodyId| format!("{word}:{}", model.bodies()[body.index()].name);
        match self {
            Quantity::Jacobian(body) => return of("jacobian", *body),
            Quantity::KinematicsDerivatives(body) => return of("kinematics_derivatives", *body),
            Quantity::ReactionDerivatives(body) => return of("reaction_derivatives", *body),
            Quantity::MassTensor(body) => return of("mass_tensor", *body),
            Quantity::Acceleration(body, p) => {
                return format!("{}@{} {} {}", of("acceleration", *body), p.x, p.y, p.z);
            }
            Quantity::Stiffness(id) => return format!("stiffness:{}", model[*id].name),
            _ => {}
        }
        let word = WORDS.iter().find(|(_, q)| q == self).map_or("", |(w, _)| *w);
        word.to_string()
    }
}

/// A result, with what is needed to show it.
pub enum Answer {
    /// A number and its unit.
    Scalar(f64, &'static str),
    /// A count.
    Count(usize),
    /// A number for every degree of freedom.
    Dofs(Vec<f64>),
    /// Rows for the degrees of freedom, or named ones; columns for the degrees of freedom.
    Matrix { rows: Option<[&'static str; 6]>, entries: Vec<Vec<f64>> },
    /// Matrices with names; rows for the degrees of freedom, columns with names of their own.
    Matrices { columns: Vec<String>, parts: Vec<(&'static str, Vec<Vec<f64>>)> },
    /// A matrix whose rows and columns have names of their own.
    Table { rows: Vec<String>, columns: Vec<String>, entries: Vec<Vec<f64>> },
    /// The matrix of free bodies and their constraints, its right-hand side, and the solution.
    Kkt(Kkt),
    /// Vectors of three with names.
    Vectors(Vec<(&'static str, [f64; 3], &'static str)>),
    /// Position and quaternion of every body.
    Poses(Vec<(String, [f64; 3], [f64; 4])>),
}

impl Answer {
    /// As JSON; serde_json writes the shortest number that reads back the same.
    pub fn json(&self) -> Value {
        match self {
            Answer::Scalar(x, _) => json!(x),
            Answer::Count(n) => json!(n),
            Answer::Dofs(x) => json!(x),
            Answer::Matrix { entries, .. } | Answer::Table { entries, .. } => json!(entries),
            Answer::Kkt(kkt) => json!({
                "names": kkt.names,
                "matrix": rows_of(&kkt.matrix),
                "rhs": kkt.rhs.as_slice(),
                "solution": kkt.solution.as_slice(),
                "accelerations": kkt.accelerations,
            }),
            Answer::Matrices { parts, .. } => match &parts[..] {
                [(_, entries)] => json!(entries),
                _ => Value::Object(parts.iter().map(|(name, m)| (name.to_string(), json!(m))).collect()),
            },
            Answer::Vectors(list) if list.len() == 1 => {
                list.iter().map(|(_, v, _)| json!(v)).collect::<Vec<_>>().swap_remove(0)
            }
            Answer::Vectors(list) => {
                Value::Object(list.iter().map(|(name, v, _)| (name.to_string(), json!(v))).collect())
            }
            Answer::Poses(list) => {
                let one = |(name, p, q): &(String, [f64; 3], [f64; 4])| {
                    (name.clone(), json!({"position": p, "quaternion": q}))
                };
                Value::Object(list.iter().map(one).collect::<Map<_, _>>())
            }
        }
    }
}

/// Computes one quantity.
pub fn compute(
    quantity: &Quantity,
    model: &Model,
    state: &State,
    qacc: &[f64],
    tau: &[f64],
) -> Outcome<Answer> {
    let mut workspace = Workspace::new(model);
    let (q, v) = (&state.q, &state.v);
    let mut out = vec![0.0; model.nv()];
    Ok(match quantity {
        Quantity::InverseDynamics => {
            workspace.inverse_dynamics(model, q, v, qacc, &mut out);
            Answer::Dofs(out)
        }
        Quantity::TraceInverseDynamics => {
            Hierarchy::<f64>::new(model).inverse_dynamics(q, v, qacc, &[], &mut out);
            Answer::Dofs(out)
        }
        Quantity::LagrangianForce => {
            workspace.lagrangian_force(model, q, v, &mut out);
            Answer::Dofs(out)
        }
        Quantity::Metric => {
            let mut matrix = MassMatrix::new(model);
            workspace.mass_matrix(model, q, &mut matrix);
            workspace.mass_times(model, q, v, &mut out);
            let parts = vec![("b", rows_of(&matrix.dense())), ("flat of v", vec![out])];
            Answer::Matrices { columns: labels(model, Space::Velocity), parts }
        }
        Quantity::Kkt => Answer::Kkt(Kkt::of(model, state, tau).map_err(failure)?),
        Quantity::MassTensor(body) => {
            let tensor = model.bodies()[body.index()].inertia.mass_tensor();
            let names = ["x", "y", "z", "1"].map(String::from).to_vec();
            let entries = tensor.rows().map(|r| r.to_vec()).to_vec();
            Answer::Table { rows: names.clone(), columns: names, entries }
        }
        Quantity::Stiffness(id) => stiffness(model, &mut workspace, q, *id)?,
        Quantity::ForwardDynamics => {
            workspace.forward_dynamics(model, q, v, tau, &mut out);
            refuse_not_finite(model, &out)?;
            Answer::Dofs(out)
        }
        Quantity::InverseDynamicsDerivatives => {
            let mut d = InverseDynamicsDerivatives::new(model);
            workspace.inverse_dynamics_derivatives(model, q, v, qacc, &mut d);
            let parts = [
                ("dtau_dq", d.by_position()),
                ("dtau_dv", d.by_velocity()),
                ("dtau_da", d.by_acceleration()),
            ];
            squares(model, parts)
        }
        Quantity::ForwardDynamicsDerivatives => {
            let mut d = ForwardDynamicsDerivatives::new(model);
            workspace.forward_dynamics_derivatives(model, q, v, tau, &mut d);
            refuse_not_finite(model, d.acceleration())?;
            let parts = [("da_dq", d.by_position()), ("da_dv", d.by_velocity()), ("da_dtau", d.by_force())];
            squares(model, parts)
        }
        Quantity::CentroidalDerivatives => {
            let d = workspace.at(model, state).centroidal_derivatives(qacc);
            let parts = [
                ("dh_dq", d.momentum_by_position),
                ("dh_dv", d.momentum_by_velocity),
                ("dhdot_dq", d.rate_by_position),
                ("dhdot_dv", d.rate_by_velocity),
            ];
            sixes(model, parts)
        }
        Quantity::KinematicsDerivatives(body) => {
            let at = workspace.at(model, state);
            let [by_q, by_v] = at.acceleration_derivatives(*body, qacc);
            let parts = [("dv_dq", at.velocity_derivatives(*body)), ("da_dq", by_q), ("da_dv", by_v)];
            sixes(model, parts)
        }
        Quantity::ReactionDerivatives(body) => {
            let [q, v, a] = workspace.at(model, state).reaction_derivatives(*body, qacc).1;
            sixes(model, [("dreaction_dq", q), ("dreaction_dv", v), ("dreaction_da", a)])
        }
        Quantity::Regressor => {
            let mut y = Regressor::new(model);
            workspace.regressor(model, q, v, qacc, &mut y);
            let bodies = model.bodies().iter().skip(1);
            let columns = bodies.flat_map(|b| PARAMETERS.map(|p| format!("{}:{p}", b.name))).collect();
            let entries = y.matrix().row_iter().map(|r| r.iter().copied().collect()).collect();
            Answer::Matrices { columns, parts: vec![("regressor", entries)] }
        }
        Quantity::BaseParameters => Answer::Count(Regressor::base_parameters(model)),
        Quantity::Bias => {
            workspace.bias(model, q, v, &mut out);
            Answer::Dofs(out)
        }
        Quantity::Gravity => {
            workspace.gravity(model, q, &mut out);
            Answer::Dofs(out)
        }
        Quantity::MassMatrix => {
            let mut matrix = MassMatrix::new(model);
            workspace.mass_matrix(model, q, &mut matrix);
            let dense = matrix.dense();
            let row = |i| dense.row(i).iter().copied().collect();
            Answer::Matrix { rows: None, entries: (0..model.nv()).map(row).collect() }
        }
        Quantity::Acceleration(body, point) => acceleration(&workspace.at(model, state), *body, *point, qacc),
        _ => read_off(quantity, model, state, &mut workspace),
    })
}

/// Three numbers, separated by spaces, since commas separate quantities.
fn point_of(text: &str) -> Outcome<V3> {
    let numbers: Option<Vec<f64>> = text.split_whitespace().map(|x| x.parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) if [x, y, z].iter().all(|x| x.is_finite()) => Ok(V3::new(x, y, z)),
        _ => Err(failure(format!("--compute: \"{text}\" is not a point of a body")).help(
            "give three numbers in the body's frame, separated by spaces: \"acceleration:hand@0 0 0.1\"",
        )),
    }
}

/// The constraint of this name, or an error that lists the constraints.
fn constraint_named(model: &Model, name: &str) -> Outcome<ConstraintId> {
    let name = name.trim();
    model.constraint_ids().find(|id| model[*id].name == name).ok_or_else(|| {
        let fail = failure(format!("there is no constraint \"{name}\""));
        let names: Vec<&str> = model.constraints().iter().map(|c| c.name.as_str()).collect();
        match did_you_mean(name, names.iter().copied()) {
            Some(near) => fail.help(format!("did you mean \"{near}\"?")),
            None if names.is_empty() => fail.help("the model has none"),
            None => fail.help(format!("there are: {}", names.join(", "))),
        }
    })
}

fn rows_of(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|r| r.iter().copied().collect()).collect()
}

/// The three parts of the acceleration of a point, and their sum.
fn acceleration(at: &At<'_>, body: BodyId, point: V3, qacc: &[f64]) -> Answer {
    let (arm, spin) = (at.pose(body).rot * point, at.velocity(body).ang);
    let of_body = at.acceleration(body, qacc);
    let (tangential, centripetal) = (of_body.ang.cross(arm), spin.cross(spin.cross(arm)));
    Answer::Vectors(vec![
        ("of the body's origin", of_body.lin.array(), "m/s²"),
        ("tangential", tangential.array(), "m/s²"),
        ("centripetal", centripetal.array(), "m/s²"),
        ("sum", (of_body.lin + tangential + centripetal).array(), "m/s²"),
    ])
}

/// The second derivatives of the energy of a soft constraint with respect to the attitudes and positions of its two bodies, without those
/// of rotations.
fn stiffness(model: &Model, ws: &mut Workspace, q: &[f64], id: ConstraintId) -> Outcome<Answer> {
    let mut held = Multipliers::new(model);
    let both = [SecondDerivative::GaussNewton, SecondDerivative::OfGradient, SecondDerivative::Hessian]
        .map(|second| held.stiffness(model, ws, q, id, second));
    let [Some((_, _, gauss)), Some((_, _, exact)), Some((_, _, hessian))] = both else {
        return Err(failure(format!("constraint \"{}\" has no stiffness matrix", model[id].name))
            .help("only soft constraints between bodies have one"));
    };
    let columns = ["a", "b"].iter().flat_map(|body| {
        ["θ", "x"].iter().flat_map(move |s| ["x", "y", "z"].map(|axis| format!("{s}_{body}.{axis}")))
    });
    let entries =
        |m: poinsot::constraint::Stiffness| (0..12).map(|i| (0..12).map(|j| m[(i, j)]).collect()).collect();
    let parts =
        vec![("gauss_newton", entries(gauss)), ("derivative", entries(exact)), ("hessian", entries(hessian))];
    Ok(Answer::Matrices { columns: columns.collect(), parts })
}

/// The ten inertial parameters of a body.
const PARAMETERS: [&str; 10] = ["m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz"];

/// Square matrices over the degrees of freedom.
fn squares(model: &Model, parts: [(&'static str, SquareView<'_>); 3]) -> Answer {
    let entries = |m: SquareView<'_>| m.row_iter().map(|r| r.iter().copied().collect()).collect();
    let parts = parts.into_iter().map(|(name, m)| (name, entries(m))).collect();
    Answer::Matrices { columns: labels(model, Space::Velocity), parts }
}

/// Matrices of six rows, angular first.
fn sixes<const N: usize>(model: &Model, parts: [(&'static str, DMatrix<f64>); N]) -> Answer {
    let entries = |m: DMatrix<f64>| m.row_iter().map(|r| r.iter().copied().collect()).collect();
    let parts = parts.into_iter().map(|(name, m)| (name, entries(m))).collect();
    Answer::Matrices { columns: labels(model, Space::Velocity), parts }
}

/// The quantities that need only poses and velocities.
fn read_off(quantity: &Quantity, model: &Model, state: &State, workspace: &mut Workspace) -> Answer {
    let at = workspace.at(model, state);
    match quantity {
        Quantity::KineticEnergy => Answer::Scalar(at.kinetic_energy(), "J"),
        Quantity::PotentialEnergy => Answer::Scalar(at.potential_energy(), "J"),
        Quantity::Momentum => {
            let momentum = at.momentum();
            Answer::Vectors(vec![
                ("angular", momentum.moment.array(), "kg m²/s about the world's origin"),
                ("linear", momentum.force.array(), "kg m/s"),
            ])
        }
        Quantity::Com => Answer::Vectors(vec![("com", at.com().array(), "m")]),
        Quantity::Jacobian(body) => {
            let j = at.jacobian(*body);
            let entries = (0..6).map(|row| j.row(row).iter().copied().collect()).collect();
            Answer::Matrix { rows: Some(["wx", "wy", "wz", "vx", "vy", "vz"]), entries }
        }
        Quantity::Poses => {
            let pose = |id: BodyId| {
                let (name, pose) = (model.bodies()[id.index()].name.clone(), at.pose(id));
                (name, pose.pos.array(), Quat::from_matrix(pose.rot).array())
            };
            Answer::Poses(model.body_ids().map(pose).collect())
        }
        // the others are computed above; energy is the sum
        _ => Answer::Scalar(at.energy(), "J"),
    }
}

fn refuse_not_finite(model: &Model, acceleration: &[f64]) -> Outcome<()> {
    let Some(dof) = acceleration.iter().position(|a| !a.is_finite()) else { return Ok(()) };
    Err(failure(format!(
        "forward dynamics is not determined here: the acceleration of {} is not finite",
        model.dof_name(dof)
    ))
    .help("the mass matrix is singular at this configuration; `poinsot doctor MODEL` looks at it"))
}
