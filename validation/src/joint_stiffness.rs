//! A soft ball joint: its energy, the forces and their derivatives, with what rotations add.

use crate::entry::{Ledger, Worst};
use crate::read::{matrix, number, numbers, read, source, vector};
use nalgebra::{SVector, SymmetricEigen};
use poinsot_core::algebra::V3;
use poinsot_core::constraint::{Multipliers, SecondDerivative, Stiffness};
use poinsot_core::dynamics::Workspace;
use poinsot_core::model::*;
use poinsot_core::spatial::{Pose, Quat};
use serde_json::Value;

/// Where the listed x_a, θ_a, x_b, θ_b are among our θ_a, x_a, θ_b, x_b.
const PLACE: [usize; 12] = [3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8];

pub fn enter(ledger: &mut Ledger) {
    let file = read("spherical_joint_stiffness");
    let digits = file["digits"].as_str().unwrap();
    ledger.problem("spherical_joint_stiffness", format!("{}. {digits} digits: round-off", source(&file)));
    let (given, expected) = (&file["parameters"], &file["reference"]);
    let (model, joint) = pair(given);
    let (mut ws, mut multipliers) = (Workspace::new(&model), Multipliers::new(&model));
    let q = model.neutral();
    let mut at = |second| multipliers.stiffness(&model, &mut ws, &q, joint, second).unwrap();
    let (energy, gradient, newton) = at(SecondDerivative::GaussNewton);
    let (_, _, hessian) = at(SecondDerivative::Hessian);
    let (_, _, of_gradient) = at(SecondDerivative::OfGradient);
    ledger.error("energy, relative", (energy / number(&expected["energy"]) - 1.0).abs(), 1e-14);
    let turn = to_body_axes([&given["R_a"], &given["R_b"]]);
    // in body axes it is the other factor of a rotation that comes first: the derivative of the gradient is transposed
    for (axes, key, [gradient, newton, hessian, of_gradient]) in [
        ("world", "world_left", [column(gradient), newton, hessian, of_gradient]),
        (
            "body",
            "body_right",
            [
                column(turn.transpose() * gradient),
                turn.transpose() * newton * turn,
                turn.transpose() * hessian * turn,
                turn.transpose() * of_gradient.transpose() * turn,
            ],
        ),
    ] {
        let listed = &expected[key];
        let (mut forces, mut seconds) = (Worst::default(), Worst::default());
        forces.relative(&numbers(&listed["gradient"]), &PLACE.map(|k| gradient[(k, 0)]));
        for (name, found) in [
            ("gauss_newton_part", newton),
            ("hessian_of_energy", hessian),
            ("derivative_of_gradient_nonsymmetric", of_gradient),
        ] {
            let ours: Vec<f64> = (0..144).map(|k| found[(PLACE[k / 12], PLACE[k % 12])]).collect();
            seconds.relative(&numbers(&listed[name]), &ours);
        }
        ledger.error(format!("gradient in {axes} axes, relative"), forces.0, 1e-14);
        let what = "Gauss–Newton, Hessian and derivative of the gradient";
        ledger.error(format!("{what} in {axes} axes, relative"), seconds.0, 1e-14);
        let least = SymmetricEigen::new(hessian).eigenvalues.min();
        let off = (least / number(&listed["min_eigenvalue_hessian"]) - 1.0).abs();
        ledger.error(format!("least eigenvalue of the Hessian in {axes} axes, relative"), off, 1e-12);
    }
}

/// A vector as the first column of a matrix.
fn column(v: SVector<f64, 12>) -> Stiffness {
    let mut out = Stiffness::zeros();
    out.set_column(0, &v);
    out
}

/// What turns body axes into world axes in the blocks of rotations.
fn to_body_axes(rotations: [&Value; 2]) -> Stiffness {
    let mut out = Stiffness::identity();
    for (k, rotation) in rotations.into_iter().enumerate() {
        let rows = matrix(rotation).rows();
        for (i, row) in rows.into_iter().enumerate() {
            for (j, entry) in row.into_iter().enumerate() {
                out[(6 * k + i, 6 * k + j)] = entry;
            }
        }
    }
    out
}

fn pair(given: &Value) -> (Model, ConstraintId) {
    let mut b = ModelBuilder::new("pair");
    let mut mounts = Vec::new();
    for name in ["a", "b"] {
        let of = |what: &str| vector(&given[format!("{what}_{name}")]);
        let pose = Pose { rot: Quat::exp(of("rotvec")).matrix(), pos: of("x") };
        let cube = Shape::Box { size: V3::new(0.1, 0.1, 0.1) };
        let body = b.body(BodyId::WORLD, BodySpec::new(name).pose(pose).solid(&cube, 1.0).unwrap());
        b.joint(body, Joint::free());
        mounts.push(Mount::new(body, of("p")));
    }
    let joint = b.constraint(Constraint::point(mounts[0], mounts[1]).soft(number(&given["k"]), 0.0));
    (b.build().unwrap(), joint)
}
