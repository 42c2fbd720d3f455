//! On every scene, along its motion, the formulations agree and the force equation of the trace form with its multipliers
//! has no residual; every ledger closes.
#![allow(clippy::unwrap_used)]

use poinsot::audit::{self, Account, CheckOptions, Line, Quantity};
use poinsot::integrate::Method;
use poinsot::scenes::{self, SCENES, Scene};
use poinsot::{Formulation, Simulation};

/// Every scene, those with a number after the colon small; and the one whose forces differ most as users have it.
fn every_scene() -> impl Iterator<Item = (String, Scene)> {
    let names = SCENES.iter().map(|(name, _)| name.replace(":N", ":5"));
    names.chain(["heavy-chain".to_string()]).map(|name| {
        let scene = scenes::by_name(&name).unwrap();
        (name, scene)
    })
}

#[test]
fn formulations_agree_along_the_motion_of_every_scene() {
    for (name, scene) in every_scene() {
        let mut signal = vec![0.0; scene.model.actuators().len()];
        signal[..scene.control.len()].copy_from_slice(&scene.control);
        // the explicit method that steps both must resolve a joint of 1e9 N/m
        let soft = scene.model.constraints().iter().any(|c| c.softness.is_some());
        let dt = if soft { 1e-6 } else { scene.dt.min(1e-4) };
        let options = CheckOptions { dt, steps: 40, every: 8 };
        let report = audit::check(&scene.model, &scene.state, &signal, options).unwrap();
        for e in report.entries() {
            let tolerance = match e.quantity {
                Quantity::Residual => 1e-10,
                Quantity::Motion => 1e-6,
                _ => 1e-9,
            };
            assert!(e.worst <= tolerance, "{name}: {} at {}: {:e}", e.quantity, e.place, e.worst);
        }
    }
}

#[test]
fn every_ledger_closes_with_every_integrator() {
    for (name, scene) in every_scene() {
        for integrator in Method::ALL {
            let Ok(mut simulation) = Simulation::new(&scene.model, scene.state.clone(), integrator) else {
                assert!(!integrator.is_for_trees(), "{name}: {integrator}");
                continue;
            };
            simulation.control_mut()[..scene.control.len()].copy_from_slice(&scene.control);
            simulation.keep_ledger();
            // some methods are too stiff or not for some scenes: what they did until then is accounted for
            let _ = simulation.run(30, scene.dt.min(1e-3));
            let ledger = simulation.ledger().unwrap();
            if !ledger.scale().is_finite() {
                continue;
            }
            let off = ledger.total().imbalance().abs();
            assert!(off <= 1e-12 * ledger.scale(), "{name}, {integrator}: {off:e} of {:e}", ledger.scale());
        }
    }
}

/// The account of a run, and the scale of what is in it; none where the method is not for the scene.
fn account(scene: &Scene, method: Method, formulation: Formulation) -> Option<(Account, f64)> {
    let mut simulation = Simulation::builder(&scene.model)
        .state(scene.state.clone())
        .integrator(method)
        .formulation(formulation)
        .build()
        .unwrap();
    simulation.control_mut()[..scene.control.len()].copy_from_slice(&scene.control);
    simulation.keep_ledger();
    simulation.run(50, scene.dt.min(1e-4)).ok()?;
    let ledger = simulation.ledger().unwrap();
    Some((*ledger.total(), ledger.scale()))
}

/// Springs, dampers and actuators of joints have their own lines in maximal coordinates, too, whether a method tells their works
/// or these are integrated along the path.
#[test]
fn both_formulations_keep_the_same_ledger() {
    // of the scale: the methods that tell are of first order
    let tell =
        [Method::SemiImplicit, Method::Implicit, Method::Backward, Method::Leapfrog].map(|m| (m, 1e-5));
    for (method, accuracy) in [(Method::Rkmk4, 1e-6)].into_iter().chain(tell) {
        let mut booked = [false; 3];
        for (name, scene) in every_scene() {
            let accounts = [Formulation::Reduced, Formulation::Maximal].map(|f| account(&scene, method, f));
            let [Some((reduced, scale)), Some((maximal, _))] = accounts else { continue };
            for (k, line) in [Line::Springs, Line::Dampers, Line::Actuators].into_iter().enumerate() {
                booked[k] |= reduced.work(line) != 0.0;
            }
            for line in
                [Line::Gravity, Line::Springs, Line::Dampers, Line::Actuators, Line::Medium, Line::Elements]
            {
                let (one, two) = (reduced.work(line), maximal.work(line));
                assert!(
                    (one - two).abs() <= accuracy * scale + 1e-12,
                    "{name}, {}, {method:?}: {one:e} {two:e} of {scale:e}",
                    line.word()
                );
            }
        }
        assert_eq!(booked, [true; 3], "{method:?}");
    }
}
