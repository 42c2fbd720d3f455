//! Dynamics of a UR5, an ANYmal and a tree with every joint, computed by Pinocchio [Carpentier19].
//!
//! Everything is compared in Pinocchio's coordinates; with v = B v_p, the mass matrix there is Bᵀ M B.

use crate::common::{Draft, Sketch, flow, lift};
use crate::entry::{Ledger, Worst};
use crate::read::{inertia, matrix, numbers, read, source, vector};
use nalgebra::DMatrix;
use poinsot_core::algebra::{Dual, V3};
use poinsot_core::constraint::{Maximal, Multipliers, Stabilisation};
use poinsot_core::dynamics::{At, GenericWorkspace, MassMatrix, State, Workspace, pinocchio};
use poinsot_core::hierarchy::Hierarchy;
use poinsot_core::model::{BodyId, Joint, Model};
use poinsot_core::spatial::{Motion, Pose};
use serde_json::Value;
use std::collections::BTreeMap;

fn joint(kind: &str) -> Joint {
    match kind.trim_start_matches("JointModel") {
        "FreeFlyer" => Joint::free(),
        "Spherical" => Joint::spherical(),
        "RX" => Joint::revolute(V3::X),
        "RY" => Joint::revolute(V3::Y),
        "RZ" => Joint::revolute(V3::Z),
        "PX" => Joint::prismatic(V3::X),
        "PY" => Joint::prismatic(V3::Y),
        other => panic!("no joint {other} in the references"),
    }
}

fn model(file: &Value) -> Model {
    let body = |j: &Value| Draft {
        parent: j["parent"].as_u64().unwrap() as usize,
        pose: Pose { rot: matrix(&j["placement_R"]), pos: vector(&j["placement_p"]) },
        inertia: inertia(&j["mass"], &j["com"], &j["I_com"]).unwrap(),
        joints: vec![joint(j["type"].as_str().unwrap())],
    };
    let bodies = file["joints"].as_array().unwrap().iter().map(body).collect();
    Sketch { name: file["title"].as_str().unwrap().into(), gravity: vector(&file["gravity"]), bodies }.build()
}

/// B with v = B v_p.
fn to_ours(model: &Model, q: &[f64]) -> DMatrix<f64> {
    let mut b = DMatrix::identity(model.nv(), model.nv());
    for k in 0..model.nv() {
        pinocchio::velocity_from(model, q, b.column_mut(k).as_mut_slice());
    }
    b
}

/// ∂τ/∂q and ∂τ/∂v in Pinocchio's coordinates, at constant v_p and a_p.
fn derivatives(model: &Model, s: &Value, q: &[f64]) -> [DMatrix<f64>; 2] {
    let (n, b) = (model.nv(), to_ours(model, q));
    let mut w = GenericWorkspace::<Dual<1>>::new(model);
    let mut column = |q: &[Dual<1>], mut v: Vec<Dual<1>>| {
        let (mut a, mut tau) = (lift::<1>(&numbers(&s["a"])), lift::<1>(&vec![0.0; n]));
        pinocchio::velocity_from(model, q, &mut v);
        pinocchio::acceleration_from(model, q, &v, &mut a);
        w.inverse_dynamics(model, q, &v, &a, &mut tau);
        pinocchio::force_to(model, q, &mut tau);
        nalgebra::DVector::from_iterator(n, tau.iter().map(|t| t.eps[0]))
    };
    let (mut dq, mut dv) = (DMatrix::zeros(n, n), DMatrix::zeros(n, n));
    for k in 0..n {
        let mut v = lift::<1>(&numbers(&s["v"]));
        dq.set_column(k, &column(&flow(model, q, b.column(k).into_owned().as_slice()), v.clone()));
        v[k].eps[0] = 1.0;
        dv.set_column(k, &column(&lift(q), v));
    }
    [dq, dv]
}

pub fn enter(ledger: &mut Ledger) {
    ledger.section("Dynamics of robots and trees");
    for name in ["ur5_dynamics", "anymal_dynamics", "synthetic_tree"] {
        let file = read(name);
        ledger.problem(name, format!("{}. Doubles of another program: 1e-12, relative", source(&file)));
        for (what, worst) in compare(&file) {
            // sums over the constraints of all bodies round off more than sweeps do
            ledger.error(what, worst.0, if what == MAXIMAL { 1e-10 } else { 1e-12 });
        }
    }
}

const MAXIMAL: &str = "accelerations of all bodies, maximal coordinates";

/// Accelerations of all bodies, one after the other.
fn of_bodies(at: &At, bodies: impl Iterator<Item = BodyId>, qacc: &[f64]) -> Vec<f64> {
    let one = |m: Motion| [m.ang.array(), m.lin.array()].concat();
    bodies.flat_map(|b| one(at.acceleration(b, qacc))).collect()
}

/// What all bodies do as free ones, held by constraints, under joint forces; and what the reference's accelerations of the joints make them
/// do.
fn in_maximal(model: &Model, state: &State, tau: &[f64], qdd: &[f64]) -> [Vec<f64>; 2] {
    let maximal = Maximal::of(model).unwrap();
    let (twin, there) = (maximal.model(), maximal.state(state));
    let (mut force, mut a) = (vec![0.0; twin.nv()], vec![0.0; twin.nv()]);
    maximal.add_joint_forces(&there.q, tau, &mut force);
    let (mut ws, mut multipliers) = (Workspace::new(twin), Multipliers::new(twin));
    let (q, v) = (&there.q, &there.v);
    multipliers.forward_dynamics(twin, &mut ws, q, v, &force, Stabilisation::Nothing, &mut a);
    let bodies = || model.body_ids().skip(1);
    let ours = of_bodies(&ws.at(twin, &there), bodies().map(|b| maximal.body(b)), &a);
    let theirs = of_bodies(&Workspace::new(model).at(model, state), bodies(), qdd);
    [ours, theirs]
}

/// The worst error of each quantity over all samples of a file.
fn compare(file: &Value) -> BTreeMap<&'static str, Worst> {
    let mut errors = BTreeMap::<&'static str, Worst>::new();
    let model = model(file);
    let (mut w, mut m, mut twin) = (Workspace::new(&model), MassMatrix::new(&model), Hierarchy::new(&model));
    for s in file["samples"].as_array().unwrap() {
        let mut is = |what: &'static str, x: &[f64], key: &str| {
            errors.entry(what).or_default().relative(x, &numbers(&s[key]));
        };
        let mut q = numbers(&s["q"]);
        let (mut v, mut a, mut tau) = (numbers(&s["v"]), numbers(&s["a"]), numbers(&s["tau"]));
        pinocchio::configuration_from(&model, &mut q);
        pinocchio::velocity_from(&model, &q, &mut v);
        pinocchio::acceleration_from(&model, &q, &v, &mut a);
        pinocchio::force_from(&model, &q, &mut tau);
        let mut out = vec![0.0; model.nv()];
        w.inverse_dynamics(&model, &q, &v, &a, &mut out);
        pinocchio::force_to(&model, &q, &mut out);
        is("inverse dynamics", &out, "inverse_dynamics_tau");
        twin.inverse_dynamics(&q, &v, &a, &[], &mut out);
        pinocchio::force_to(&model, &q, &mut out);
        is("inverse dynamics, trace form", &out, "inverse_dynamics_tau");
        w.forward_dynamics(&model, &q, &v, &tau, &mut out);
        pinocchio::acceleration_to(&model, &q, &v, &mut out);
        is("forward dynamics", &out, "forward_dynamics_qdd");
        // no acceleration of Pinocchio's is one of ours: Ω × u
        let mut still = vec![0.0; model.nv()];
        pinocchio::acceleration_from(&model, &q, &v, &mut still);
        w.inverse_dynamics(&model, &q, &v, &still, &mut out);
        pinocchio::force_to(&model, &q, &mut out);
        is("nonlinear effects", &out, "nonlinear_effects");
        w.gravity(&model, &q, &mut out);
        pinocchio::force_to(&model, &q, &mut out);
        is("gravity", &out, "gravity_torque");

        w.mass_matrix(&model, &q, &mut m);
        let b = to_ours(&model, &q);
        let mass = b.transpose() * m.dense() * &b;
        is("mass matrix", mass.as_slice(), "M");
        is("mass matrix, trace form", (b.transpose() * twin.mass_matrix(&q) * &b).as_slice(), "M");
        is("kinetic energy, trace form", &[twin.kinetic_energy(&q, &v)], "kinetic_energy");
        is("trace of the mass matrix", &[mass.trace()], "trace_M");
        let l = mass.cholesky().unwrap().l();
        is(
            "log det of the mass matrix",
            &[2.0 * l.diagonal().iter().map(|x| libm::log(*x)).sum::<f64>()],
            "logdet_M",
        );
        let [dq, dv] = derivatives(&model, s, &q);
        is("∂τ/∂q", dq.transpose().as_slice(), "dtau_dq");
        is("∂τ/∂v", dv.transpose().as_slice(), "dtau_dv");

        let state = State { q, v, ..State::new(&model) };
        let mut qdd = numbers(&s["forward_dynamics_qdd"]);
        pinocchio::acceleration_from(&model, &state.q, &state.v, &mut qdd);
        let [ours, theirs] = in_maximal(&model, &state, &tau, &qdd);
        errors.entry(MAXIMAL).or_default().relative(&ours, &theirs);
        let mut is = |what: &'static str, x: &[f64], key: &str| {
            errors.entry(what).or_default().relative(x, &numbers(&s[key]));
        };
        let at = w.at(&model, &state);
        is("centre of mass", &at.com().array(), "com");
        let h = at.centroidal_momentum();
        is("momentum", &[h.force.array(), h.moment.array()].concat(), "centroidal_momentum_lin_ang");
        is("kinetic energy", &[at.kinetic_energy()], "kinetic_energy");
        is("potential energy", &[at.potential_energy()], "potential_energy");
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::{Law, dot};

    #[test]
    fn converters_undo_each_other() {
        let mut law = Law::new("converters to and from Pinocchio", 1e-14);
        let model = model(&read("synthetic_tree"));
        let (q, v, a) = (model.random_configuration(1), model.random_velocity(2), model.random_velocity(3));
        let (mut q_p, mut v_p, mut a_p, mut f_p) = (q.clone(), v.clone(), a.clone(), a.clone());
        pinocchio::configuration_to(&model, &mut q_p);
        pinocchio::velocity_to(&model, &q, &mut v_p);
        pinocchio::acceleration_to(&model, &q, &v, &mut a_p);
        pinocchio::force_to(&model, &q, &mut f_p);
        let power = dot(&f_p, &v_p);
        law.equal("power", &[power], &[dot(&a, &v)]);
        pinocchio::configuration_from(&model, &mut q_p);
        pinocchio::velocity_from(&model, &q, &mut v_p);
        pinocchio::acceleration_from(&model, &q, &v, &mut a_p);
        pinocchio::force_from(&model, &q, &mut f_p);
        law.equal("configuration", &q_p, &q);
        law.equal("velocity", &v_p, &v);
        law.equal("acceleration", &a_p, &a);
        law.equal("force", &f_p, &a);
    }
}
