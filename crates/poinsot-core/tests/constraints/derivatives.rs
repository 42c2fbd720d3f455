//! One validator for all kinds: J is the derivative of C, J̇v that of Jv along a motion.

use super::mechanisms::every_kind;
use poinsot_core::constraint::Multipliers;
use poinsot_core::dynamics::Workspace;

const STEP: f64 = 1e-6;

#[test]
fn jacobians_and_their_rates_are_derivatives() {
    for (what, model) in every_kind() {
        let (mut ws, mut multipliers) = (Workspace::new(&model), Multipliers::new(&model));
        for seed in 0..4 {
            let (q, v) = (model.random_configuration(seed), model.random_velocity(seed + 50));
            multipliers.evaluate(&model, &mut ws, &q, &v);
            let (j, bias, rate) =
                (multipliers.jacobian(), multipliers.bias().to_vec(), multipliers.rates().to_vec());
            let holonomic = |row: usize| {
                !(what.starts_with("ball") || what.starts_with("disc") || what.starts_with("tyre"))
                    || row == 0
            };
            for dof in 0..model.nv() {
                let mut e = vec![0.0; model.nv()];
                e[dof] = 1.0;
                let mut ends = [STEP, -STEP].map(|h| {
                    let mut moved = q.clone();
                    model.integrate(&mut moved, &e, h);
                    multipliers.evaluate(&model, &mut ws, &moved, &v);
                    multipliers.values().to_vec()
                });
                for row in (0..multipliers.len()).filter(|r| holonomic(*r)) {
                    let slope = (ends[0][row] - ends[1][row]) / (2.0 * STEP);
                    assert!(
                        (slope - j[(row, dof)]).abs() < 1e-8 * slope.abs().max(1.0),
                        "{what}, row {row}, {dof}: {slope} {}",
                        j[(row, dof)]
                    );
                }
                ends.reverse();
            }
            // along the motion with q̈ = 0
            let ends = [STEP, -STEP].map(|h| {
                let mut moved = q.clone();
                model.integrate(&mut moved, &v, h);
                multipliers.evaluate(&model, &mut ws, &moved, &v);
                multipliers.rates().to_vec()
            });
            for row in 0..multipliers.len() {
                let slope = (ends[0][row] - ends[1][row]) / (2.0 * STEP);
                let close = (slope - bias[row]).abs() < 1e-7 * slope.abs().max(1.0);
                assert!(close, "{what}, row {row}: J̇v {} {slope}", bias[row]);
            }
            assert!(rate.iter().all(|r| r.is_finite()));
        }
    }
}
