//! Small oscillations of a hanging chain of rods: K x = ω² M x, with K = ∂g/∂q by dual numbers.

use crate::common::{Draft, Sketch, flow, lift};
use crate::entry::{Ledger, Worst};
use crate::read::{numbers, read, source};
use nalgebra::DMatrix;
use poinsot_core::algebra::{Sym3, V3};
use poinsot_core::dynamics::{GenericWorkspace, MassMatrix, Workspace};
use poinsot_core::model::{Joint, Model};
use poinsot_core::spatial::{Inertia, Pose};

/// `axial`: the moment about the rod itself, which takes no part.
fn chain(n: usize, axial: f64, joint: fn() -> Joint) -> Model {
    let j = 1.0 / 12.0;
    let inertia = Inertia::new(1.0, V3::ZERO, Sym3::diagonal(j, j, axial)).unwrap();
    let rod = |k: usize| Draft {
        parent: k,
        pose: Pose::translation(V3::Z * if k == 0 { -0.5 } else { -1.0 }),
        inertia,
        joints: vec![joint().anchor(V3::Z * 0.5)],
    };
    Sketch { name: format!("{n} rods"), gravity: V3::Z * -9.81, bodies: (0..n).map(rod).collect() }.build()
}

/// All ω² about the neutral configuration, ascending.
fn squared_frequencies(model: &Model) -> Vec<f64> {
    let (n, q) = (model.nv(), model.neutral());
    let mut m = MassMatrix::new(model);
    Workspace::new(model).mass_matrix(model, &q, &mut m);
    let mut k = DMatrix::zeros(n, n);
    let zero = lift::<1>(&vec![0.0; n]);
    for c in 0..n {
        let (mut unit, mut tau) = (vec![0.0; n], zero.clone());
        unit[c] = 1.0;
        GenericWorkspace::new(model).inverse_dynamics(model, &flow(model, &q, &unit), &zero, &zero, &mut tau);
        (0..n).for_each(|row| k[(row, c)] = tau[row].eps[0]);
    }
    let by_l = m.dense().cholesky().unwrap().l().try_inverse().unwrap();
    let mut out = (&by_l * k * by_l.transpose()).symmetric_eigenvalues().as_slice().to_vec();
    out.sort_by(f64::total_cmp);
    out
}

pub fn enter(ledger: &mut Ledger) {
    let file = read("chain_frequencies");
    ledger.problem(
        "chain_frequencies",
        format!("{}. 20 digits; 1e-12, and 1e-10 where the ω² of free spin are 0", source(&file)),
    );
    let (mut hinges, mut balls) = (Worst::default(), Worst::default());
    for (n, omega) in file["reference"]["omega_rad_s"].as_object().unwrap() {
        let (n, omega) = (n.parse().unwrap(), numbers(omega));
        let squares = squared_frequencies(&chain(n, 0.0, || Joint::revolute(V3::Y)));
        hinges.relative(&squares.iter().map(|w| w.sqrt()).collect::<Vec<_>>(), &omega);
        let squares = squared_frequencies(&chain(n, 0.02, Joint::spherical));
        balls.at_scale(&squares[..n], &vec![0.0; n], squares[3 * n - 1]);
        let twice: Vec<f64> = omega.iter().flat_map(|w| [*w, *w]).collect();
        balls.relative(&squares[n..].iter().map(|w| w.sqrt()).collect::<Vec<_>>(), &twice);
    }
    ledger.error("1 to 10 rods on hinges, relative", hinges.0, 1e-12);
    ledger.error("1 to 10 rods on ball joints, each twice, relative", balls.0, 1e-10);
}
