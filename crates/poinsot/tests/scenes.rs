//! Every scene holds together: it begins on its constraints and runs.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use poinsot::Simulation;
use poinsot::constraint::Multipliers;
use poinsot::dynamics::Workspace;
use poinsot::integrate::Method;
use poinsot::scenes::{self, SCENES, SceneError};

/// All scenes, those of any number with a small one; but an arch that stands.
fn names() -> impl Iterator<Item = String> {
    SCENES.iter().map(|(name, _)| name.replace("arch:N", "arch").replace(":N", ":3"))
}

#[test]
fn every_scene_runs() {
    for name in names() {
        let scene = scenes::by_name(&name).unwrap();
        let builder = Simulation::builder(&scene.model).state(scene.state.clone());
        let mut simulation = builder.integrator(scene.integrator).contact(scene.contact).build().unwrap();
        simulation.control_mut().copy_from_slice(&scene.control);
        simulation.run(50, scene.dt).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(scene.duration > 0.0 && scene.integrator.integrator(&scene.model).is_ok());
    }
}

#[test]
fn every_scene_begins_on_its_constraints() {
    for name in names() {
        let scene = scenes::by_name(&name).unwrap();
        let (mut ws, mut multipliers) = (Workspace::new(&scene.model), Multipliers::new(&scene.model));
        let off = multipliers.violation(&scene.model, &mut ws, &scene.state.q).size;
        multipliers.evaluate(&scene.model, &mut ws, &scene.state.q, &scene.state.v);
        let rate = multipliers.rates().iter().fold(0.0f64, |most, r| most.max(r.abs()));
        assert!(off <= 1e-14 && rate <= 1e-14, "{name}: C {off:e}, its rate {rate:e}");
    }
}

/// Freedoms, rigid rows and those of them that are independent.
#[test]
fn mechanisms_are_as_free_as_they_should_be() {
    for (name, expected) in [
        ("four-bar", (1, 5, 2)),
        ("n-four-bar:2", (1, 6, 4)),
        ("n-four-bar:40", (1, 120, 80)),
        ("slider-crank", (1, 5, 2)),
        ("six-r", (1, 5, 4)),
        ("andrews", (1, 9, 6)),
        ("stewart", (6, 18, 18)),
        ("governor", (4, 0, 0)),
        ("rolling", (3, 3, 3)),
    ] {
        let scene = scenes::by_name(name).unwrap();
        let (mut ws, mut multipliers) = (Workspace::new(&scene.model), Multipliers::new(&scene.model));
        let found = multipliers.mobility(&scene.model, &mut ws, &scene.state.q);
        assert_eq!((found.freedoms, found.rows, found.rank), expected, "{name}");
    }
}

#[test]
fn wrong_numbers_and_names_are_refused() {
    for (name, most) in [("chain:0", "1000000"), ("n-four-bar:201", "200"), ("heavy-chain:x", "1000000")] {
        let error = scenes::by_name(name).unwrap_err();
        assert!(matches!(error, SceneError::BadCount { .. }) && error.to_string().contains(most), "{error}");
    }
    let error = scenes::by_name("fourbar").unwrap_err().to_string();
    assert!(error.contains("\"four-bar\""), "{error}");
    assert!(matches!(scenes::by_name("four-bar:3"), Err(SceneError::Unknown { .. })));
}

/// Two blocks on one point in a plane: with the four coordinates that are independent, and with six and a constraint.
#[test]
fn two_blocks_move_alike_in_four_and_in_six_coordinates() {
    let places = |name: &str| {
        let scene = scenes::by_name(name).unwrap();
        let mut simulation = Simulation::new(&scene.model, scene.state.clone(), Method::Rkmk4).unwrap();
        simulation.run(500, 1e-3).unwrap();
        let (model, at) = (scene.model.clone(), simulation.at());
        ["block1", "block2"].map(|b| at.pose(model.body(b).unwrap()))
    };
    let (four, six) = (places("planar-blocks-reduced"), places("planar-blocks"));
    for (a, b) in four.into_iter().zip(six) {
        let off = (a.pos - b.pos).norm().max((a.rot - b.rot).max_abs());
        assert!(off < 1e-9, "{off:e}");
        assert!(a.pos.y.abs() < 1e-12);
    }
}
