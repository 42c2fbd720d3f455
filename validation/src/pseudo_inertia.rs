//! The 4×4 mass tensor and which inertias are physical [Wensing18].

use crate::common::Random;
use crate::entry::{Ledger, Worst};
use crate::read::{inertia, numbers, read, source};

pub fn enter(ledger: &mut Ledger) {
    let file = read("pseudo_inertia");
    let (given, expected) = (&file["parameters"], &file["reference"]);
    ledger.problem("pseudo_inertia", format!("{}. Doubles: 1e-14", source(&file)));
    let body = inertia(&given["m"], &given["com"], &given["I_com"]).unwrap();
    let tensor = body.mass_tensor();
    let mut worst = Worst::default();
    worst.relative(body.rotational.full().rows().as_flattened(), &numbers(&expected["I_origin"]));
    worst.relative(&body.first_moment.array(), &numbers(&expected["h"]));
    worst.relative(tensor.second_moments.full().rows().as_flattened(), &numbers(&expected["Sigma"]));
    worst.relative(tensor.rows().as_flattened(), &numbers(&expected["J"]));
    worst.relative(&tensor.eigenvalues(), &numbers(&expected["eigenvalues_J"]));
    ledger.error("I, h, Σ, J and the eigenvalues of J, relative", worst.0, 1e-14);
    let x = Random(3).pose(1.0);
    let (moved, other) = (body.seen_from(x).mass_tensor(), tensor.seen_from(x));
    let mut worst = Worst::default();
    worst.relative(moved.rows().as_flattened(), other.rows().as_flattened());
    ledger.error("J of the displaced body is T J Tᵀ, relative", worst.0, 1e-14);
    let wrong = &expected["counterexample"];
    let refused = inertia(&wrong["m"], &wrong["com"], &wrong["I_com"]).is_err();
    ledger.number("impossible inertias are rejected", f64::from(u8::from(refused)), 1.0, 0.0);
}
