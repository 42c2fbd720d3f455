//! A session without a page: it runs, stops, steps and goes back, and its frames are those of the library.
#![allow(clippy::unwrap_used)]

mod pages;

use pages::{Page, number, pose, time};
use poinsot::Simulation;
use poinsot::integrate::Method;
use poinsot::scenes;
use poinsot_view::cast::{Actor, Show};
use poinsot_view::live;
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[test]
fn steps_are_those_of_the_library() {
    let mut page = Page::open("dzhanibekov", false);
    let scenery = page.told("scenery");
    let channels = scenery["channels"].as_array().unwrap().len();
    page.wait(|f| time(f) == 0.0);
    let scene = scenes::by_name("dzhanibekov").unwrap();
    let mut simulation = Simulation::new(&scene.model, scene.state.clone(), Method::Exact).unwrap();
    for k in 1..=20 {
        page.ask(r#"{"do": "step"}"#);
        let frame = page.wait(|f| time(f) > 0.01 * (f64::from(k) - 0.5));
        simulation.run(1, 0.01).unwrap();
        assert_eq!(time(&frame), simulation.state().time);
        let body = scene.model.body("body").unwrap();
        let there = simulation.at().pose(body).pos.array().map(|x| x as f32);
        assert_eq!(pose(&frame, channels, 1)[..3], there);
    }
}

#[test]
fn a_run_stops_goes_back_and_takes_another_course() {
    let mut page = Page::open("chain5", true);
    page.wait(|f| time(f) > 0.5);
    page.ask(r#"{"do": "pause"}"#);
    while page.told("status")["playing"] == json!(true) {}
    std::thread::sleep(Duration::from_millis(100));
    let still = time(&page.wait(|_| true));
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(time(&page.wait(|_| true)), still);
    page.ask(r#"{"do": "seek", "time": 0.25}"#);
    let early = page.wait(|f| time(f) < 0.4);
    assert!((time(&early) - 0.25).abs() < 0.05);
    assert_eq!(number(&early, 40), still, "the history still reaches to where it was");
    page.ask(r#"{"do": "joint", "joint": 0, "value": 0.5}"#);
    let set = page.wait(|f| number(f, 40) < 0.4);
    assert_eq!(time(&set), number(&set, 40), "what came after is forgotten");
    page.ask(r#"{"do": "reset"}"#);
    page.wait(|f| time(f) == 0.0);
}

#[test]
fn what_cannot_be_done_is_said() {
    let mut page = Page::open("chain5", false);
    for (asked, answer) in [
        (r#"{"do": "integrator", "name": "exact"}"#, "exact"),
        (r#"{"do": "grab", "body": 1, "point": [0, 0, 0]}"#, "paused"),
        (r#"{"do": "open", "name": "nowhere"}"#, "nowhere"),
        (r#"{"do": "dt", "value": -1}"#, "step"),
        (r#"{"do": "key", "index": 0}"#, "keyframe"),
        (r#"{"do": "watch", "joint": 99}"#, "no joint 99"),
    ] {
        page.ask(asked);
        let problem = page.told("problem");
        assert!(problem.as_str().unwrap().contains(answer), "{asked}: {problem}");
    }
}

#[test]
fn a_track_that_fails_says_why_and_the_others_go_on() {
    let mut page = Page::open("energy-race", true);
    page.ask(r#"{"do": "dt", "track": 2, "value": 5}"#);
    page.ask(r#"{"do": "speed", "value": 20}"#);
    let stopped = loop {
        let status = page.told("status");
        if let Some(why) = status["stopped"][2].as_str() {
            break why.to_string();
        }
    };
    assert!(stopped.contains("not a number") || stopped.contains("converge"), "{stopped}");
    let now = time(&page.wait(|_| true));
    page.wait(|f| time(f) > now);
}

#[test]
fn any_joint_can_be_watched() {
    let mut page = Page::open("chain:600", false);
    let before = page.told("scenery");
    let first = page.past();
    assert!(before["joints"][599]["channel"].is_null(), "so many are not sent unasked");
    page.ask(r#"{"do": "step"}"#);
    page.wait(|f| time(f) > 0.0);
    page.ask(r#"{"do": "watch", "joint": 599}"#);
    let after = page.told("scenery");
    let (scene, channels, rows) = page.past();
    let frame = page.wait(|f| f[4..8] == scene.to_le_bytes());

    let lists = |key: &str| [&before, &after].map(|s| s[key].as_array().unwrap().clone());
    let [old, new] = lists("channels");
    assert_eq!((new.len(), channels, scene), (old.len() + 2, old.len() + 2, first.0 + 1));
    let [_, plots] = lists("plots");
    let last = after["joints"][599]["channel"].as_u64().unwrap() as usize;
    assert_eq!(Some(&new[last]["group"]), plots.last());
    for key in ["bodies", "parts", "arrows", "traces", "solids", "actuators", "camera"] {
        assert_eq!(before[key], after[key], "{key}");
    }

    // frames and the past have every number where the scenery says
    let scene = scenes::by_name("chain:600").unwrap();
    let mut simulation = Simulation::new(&scene.model, scene.state.clone(), scene.integrator).unwrap();
    let speed = new.iter().position(|c| c["group"] == "velocity of hinge600").unwrap();
    let energy = new.iter().position(|c| c["name"] == "total").unwrap();
    assert_eq!(rows.len(), 2);
    for (k, row) in rows.iter().enumerate() {
        simulation.run(k, scene.dt).unwrap();
        let state = simulation.state();
        assert_eq!((row[0], row[1 + last], row[1 + speed]), (state.time, state.q[599], state.v[599]));
        assert!((row[1 + energy] - simulation.energy()).abs() < 1e-9);
    }
    assert_eq!(number(&frame, 48 + 8 * speed), simulation.state().v[599]);
    assert_eq!(pose(&frame, channels, 0), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);

    // asked again, and of a joint that is sent already: nothing is to be done, or only to be shown
    page.ask(r#"{"do": "watch", "joint": 599}"#);
    page.ask(r#"{"do": "watch", "joint": 3}"#);
    let third = page.told("scenery");
    assert_eq!(third["channels"], after["channels"]);
    assert_eq!(third["plots"].as_array().unwrap().len(), plots.len() + 1);

    // what gravity gives stays declared while it is switched off
    page.ask(r#"{"do": "gravity", "on": false}"#);
    page.ask(r#"{"do": "watch", "joint": 598}"#);
    assert_eq!(page.told("scenery")["channels"].as_array().unwrap().len(), new.len() + 2);
}

/// Its steps move the page; what is done on the page is done to a copy, until the next step.
#[test]
fn a_page_follows_a_simulation_that_somebody_else_steps() {
    let scene = scenes::by_name("chain5").unwrap();
    let (model, begin, dt) = (Arc::new(scene.model.clone()), scene.state.clone(), scene.dt);
    let simulation = Simulation::builder(model).state(begin.clone()).integrator(scene.integrator).build();
    let own = Arc::new(Mutex::new(simulation.unwrap()));
    let theirs = own.clone();
    let source = Box::new(move || theirs.try_lock().ok().map(|s| s.snapshot()));
    let show = Show::of("chain5", vec![Actor::of_scene(scene)]);
    let mut page = Page::of(live::start_following(show, json!([]), false, source).unwrap());
    page.wait(|f| time(f) == 0.0);

    let step = |n: usize| {
        let mut simulation = own.lock().unwrap();
        simulation.run(n, dt).unwrap();
        simulation.state().time
    };
    let now = step(100);
    let frame = page.wait(|f| time(f) == now);
    assert_eq!(number(&frame, 40), now, "the history reaches to here");

    page.ask(r#"{"do": "play"}"#);
    page.wait(|f| time(f) > now + 0.1);
    assert_eq!(own.lock().unwrap().state().time, now, "what runs is a copy");
    let now = step(1);
    page.wait(|f| time(f) == now);
    while page.told("status")["playing"] == json!(true) {}

    own.lock().unwrap().set_state(begin).unwrap();
    let frame = page.wait(|f| time(f) == 0.0);
    assert_eq!(number(&frame, 40), 0.0, "it began again");
}
