//! The 4×4 mass tensor and which inertias are physical [Wensing18].

use super::{inertia, matrix, numbers, read, vector};
use crate::common::{Law, Random};

#[test]
fn the_mass_tensor_of_a_body() {
    let mut law = Law::new("mass tensor: reference", 1e-14);
    let file = read("pseudo_inertia");
    let (given, expected) = (&file["parameters"], &file["reference"]);
    let body = inertia(&given["m"], &given["com"], &given["I_com"]).unwrap();
    let tensor = body.mass_tensor();
    law.equal("I", body.rotational.full().rows().as_flattened(), &numbers(&expected["I_origin"]));
    law.equal("h", &body.first_moment.array(), &numbers(&expected["h"]));
    law.equal("Σ", tensor.second_moments.full().rows().as_flattened(), &numbers(&expected["Sigma"]));
    law.equal("J", tensor.rows().as_flattened(), &numbers(&expected["J"]));
    law.equal("eigenvalues", &tensor.eigenvalues(), &numbers(&expected["eigenvalues_J"]));
    assert_eq!(vector(&given["com"]), body.com());

    let x = Random(3).pose(1.0);
    let (moved, other) = (body.seen_from(x).mass_tensor(), tensor.seen_from(x));
    law.equal("T J Tᵀ", moved.rows().as_flattened(), other.rows().as_flattened());
}

#[test]
fn an_inertia_no_body_has_is_refused() {
    let file = read("pseudo_inertia");
    let wrong = &file["reference"]["counterexample"];
    assert!(matrix(&wrong["I_com"]).determinant() > 0.0);
    let error = inertia(&wrong["m"], &wrong["com"], &wrong["I_com"]).unwrap_err();
    assert!(error.to_string().contains("triangle inequality"));
}
