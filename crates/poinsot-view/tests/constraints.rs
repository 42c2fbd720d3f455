//! Sessions with constraints: coordinates, stiffness, and what is read only while somebody looks.
#![allow(clippy::unwrap_used)]

mod pages;

use pages::{Page, number, pose, time};
use poinsot::scenes;
use poinsot::{Formulation, Simulation};
use serde_json::{Value, json};

fn channels(scenery: &Value, group: &str) -> Vec<usize> {
    let all = scenery["channels"].as_array().unwrap();
    (0..all.len()).filter(|k| all[*k]["group"] == group).collect()
}

#[test]
fn a_track_in_maximal_coordinates_is_that_of_the_library() {
    for name in ["four-bar", "governor", "humanoid"] {
        let mut page = Page::open(name, false);
        let count = page.told("scenery")["channels"].as_array().unwrap().len();
        page.ask(r#"{"do": "formulation", "name": "maximal"}"#);
        while page.told("status")["formulation"] != json!(["maximal"]) {}

        let show = poinsot_view::gallery::by_name(name).unwrap();
        let (actor, scene) = (&show.actors[0], scenes::by_name(name).unwrap());
        let (model, dt) = (&*actor.model, scene.dt);
        let mut simulation = Simulation::builder(model)
            .state(actor.start.state.clone())
            .integrator(scene.integrator)
            .formulation(Formulation::Maximal)
            .build()
            .unwrap();
        for k in 1..=10 {
            page.ask(r#"{"do": "step"}"#);
            let frame = page.wait(|f| time(f) > dt * (f64::from(k) - 0.5));
            simulation.run(1, dt).unwrap();
            let at = simulation.at();
            for (body, id) in model.body_ids().enumerate() {
                let there = at.pose(id).pos.array().map(|x| x as f32);
                assert_eq!(pose(&frame, count, body)[..3], there, "{name}, step {k}, body {body}");
            }
        }
    }
}

#[test]
fn coordinates_are_switched_to_and_fro() {
    let mut page = Page::open("governor", true);
    page.wait(|f| time(f) > 0.2);
    for name in ["maximal", "reduced", "maximal"] {
        page.ask(&format!(r#"{{"do": "formulation", "track": 0, "name": "{name}"}}"#));
        while page.told("status")["formulation"] != json!([name]) {}
        let now = time(&page.wait(|_| true));
        page.wait(|f| time(f) > now + 0.1);
    }
    page.ask(r#"{"do": "pause"}"#);
    while page.told("status")["playing"] == json!(true) {}
    page.ask(r#"{"do": "seek", "time": 0.1}"#);
    page.wait(|f| time(f) < 0.15);
    page.ask(r#"{"do": "integrator", "name": "exact"}"#);
    let problem = page.told("problem");
    assert!(problem.as_str().unwrap().contains("midpoint"), "{problem}");
}

#[test]
fn a_stiffness_changes_at_once() {
    let mut page = Page::open("soft-joint", false);
    let scenery = page.told("scenery");
    let count = scenery["channels"].as_array().unwrap().len();
    assert_eq!(scenery["softs"][1]["name"], "lower_joint");
    page.ask(r#"{"do": "stiffness", "constraint": 1, "value": 500}"#);
    while page.told("status")["stiffness"] != json!([1e9, 500.0]) {}
    page.ask(r#"{"do": "step"}"#);
    let frame = page.wait(|f| time(f) > 0.01);

    let scene = scenes::by_name("soft-joint").unwrap();
    let (id, given) = (scene.model.constraint("lower_joint").unwrap(), scene.model.constraints()[1].clone());
    let mut softness = given.softness.unwrap();
    softness.turning_stiffness *= 500.0 / softness.stiffness;
    softness.stiffness = 500.0;
    let softer = scene.model.with_softness(id, softness).unwrap();
    let lower = scene.model.body("lower").unwrap();
    let end = |model| {
        let mut simulation = Simulation::new(model, scene.state.clone(), scene.integrator).unwrap();
        simulation.run(1, scene.dt).unwrap();
        simulation.at().pose(lower).pos.array().map(|x| x as f32)
    };
    assert_eq!(pose(&frame, count, 2)[..3], end(&softer));
    assert_ne!(end(&softer), end(&scene.model));
    for (value, answer) in [("-1", "stiffness"), ("1e30", "stiffness")] {
        page.ask(&format!(r#"{{"do": "stiffness", "constraint": 0, "value": {value}}}"#));
        assert!(page.told("problem").as_str().unwrap().contains(answer));
    }
    page.ask(r#"{"do": "stiffness", "constraint": 2, "value": 100}"#);
    assert!(page.told("problem").as_str().unwrap().contains("no soft constraint 2"));
}

#[test]
fn what_costs_much_is_read_while_it_is_wanted() {
    let mut page = Page::open("twins", true);
    let scenery = page.told("scenery");
    let of = |frame: &[u8], group: &str| -> Vec<f64> {
        channels(&scenery, group).into_iter().map(|k| number(frame, 48 + 8 * k)).collect()
    };
    let groups = ["ledger", "ledger error", "constraint drift", "reaction forces"];
    let frame = page.wait(|f| time(f) > 0.1);
    for group in groups {
        assert!(of(&frame, group).iter().all(|x| x.is_nan()), "{group}");
        page.ask(&format!(r#"{{"do": "want", "what": "{group}", "on": true}}"#));
    }
    let read = |f: &[u8]| groups.iter().all(|g| of(f, g).iter().all(|x| x.is_finite()));
    let now = time(&page.wait(read));
    let frame = page.wait(|f| time(f) > now + 0.5);
    let (ledger, forces) = (of(&frame, "ledger"), of(&frame, "reaction forces"));
    let (kinetic, lines) = ledger.split_last().unwrap();
    assert!((kinetic - lines.iter().sum::<f64>()).abs() < 1e-9 && kinetic.abs() > 1e-3, "{ledger:?}");
    assert_eq!((forces.len(), of(&frame, "constraint drift")[0]), (4, 0.0));
    assert!(forces.iter().all(|f| *f > 0.0), "{forces:?}");

    // from the beginning the books are empty again
    page.ask(r#"{"do": "pause"}"#);
    page.ask(r#"{"do": "reset"}"#);
    let frame = page.wait(|f| time(f) == 0.0);
    assert!(of(&frame, "ledger").iter().all(|x| *x == 0.0));
    for group in ["ledger", "ledger error"] {
        page.ask(&format!(r#"{{"do": "want", "what": "{group}", "on": false}}"#));
    }
    page.wait(|f| of(f, "ledger").iter().all(|x| x.is_nan()));
}

#[test]
fn reactions_are_those_of_the_library() {
    for name in ["slider-crank", "governor"] {
        let mut page = Page::open(name, false);
        let scenery = page.told("scenery");
        for what in ["reaction forces", "constraint forces"] {
            page.ask(&format!(r#"{{"do": "want", "what": "{what}", "on": true}}"#));
        }
        page.ask(r#"{"do": "step"}"#);
        let scene = scenes::by_name(name).unwrap();
        let frame = page.wait(|f| time(f) > 0.0);
        let mut simulation = Simulation::new(&scene.model, scene.state.clone(), scene.integrator).unwrap();
        simulation.run(1, scene.dt).unwrap();
        let sizes: Vec<f64> = simulation.reactions().iter().map(|(_, w)| w.force.norm()).collect();
        let shown = |group: &str| channels(&scenery, group).into_iter().map(|k| number(&frame, 48 + 8 * k));
        for (shown, size) in shown("reaction forces").zip(&sizes) {
            assert!((shown - size).abs() <= 1e-9 * size.max(1.0), "{name}: {shown} {size}");
        }
        let held = simulation.constraint_forces();
        for (shown, (who, rows)) in shown("constraint forces").zip(held) {
            let size = rows.iter().take(3).map(|x| x * x).sum::<f64>().sqrt();
            assert!((shown - size).abs() <= 1e-9 * size && size > 0.0, "{name}, {who:?}: {shown} {size}");
        }
    }
}

#[test]
fn a_joint_of_a_loop_takes_the_others_along() {
    let mut page = Page::open("four-bar", false);
    let scenery = page.told("scenery");
    page.ask(r#"{"do": "want", "what": "constraint drift", "on": true}"#);
    page.ask(r#"{"do": "joint", "joint": 0, "value": 1.0}"#);
    let drift = channels(&scenery, "constraint drift")[0];
    let crank = scenery["joints"][0]["channel"].as_u64().unwrap() as usize;
    let frame = page.wait(|f| number(f, 48 + 8 * crank) > 0.5);
    assert!(number(&frame, 48 + 8 * drift) < 1e-9);
    page.ask(r#"{"do": "step"}"#);
    page.wait(|f| time(f) > 0.0);
}
