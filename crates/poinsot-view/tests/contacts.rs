//! What a page shows of contacts: forces with every impact, those of the moment that is looked at, and why there are none.
#![allow(clippy::unwrap_used)]

mod pages;

use pages::{Page, number, time};
use poinsot::integrate::EventKind;
use poinsot::model::Shape;
use poinsot_view::gallery;
use serde_json::{Value, json};

const G: f64 = 9.81;

/// The numbers of the channels of a group.
fn channels(scenery: &Value, group: &str) -> Vec<usize> {
    let all = scenery["channels"].as_array().unwrap();
    (0..all.len()).filter(|k| all[*k]["group"] == group).collect()
}

/// All rows of the past: time, and the numbers of these channels.
fn rows(page: &mut Page, channels: &[usize]) -> Vec<(f64, Vec<f64>)> {
    page.open_again();
    let (.., rows) = page.past();
    rows.iter().map(|row| (row[0], channels.iter().map(|k| row[1 + k]).collect())).collect()
}

/// Five balls of 1 kg come down at once in one of the eight steps of a frame, and leave with e of their speed.
#[test]
fn no_impact_between_two_frames_is_missed() {
    let mut page = Page::open("bounce", true);
    let force = channels(&page.told("scenery"), "contact force");
    page.wait(|f| time(f) > 0.6);
    page.ask(r#"{"do": "pause"}"#);
    let speed = (2.0 * G).sqrt();
    let highest = speed * (1.0 + 1.3 + 1.5 + 1.7 + 2.0) / 2e-3;
    let landing = rows(&mut page, &force).into_iter().filter(|(t, _)| (0.44..0.48).contains(t));
    for k in [0, 1] {
        let seen = landing.clone().map(|(_, row)| row[k]).fold(0.0, f64::max);
        assert!((seen / highest - 1.0).abs() < 0.01, "{seen} {highest}");
    }
}

/// The weight on the floor, whatever presses on what in between.
#[test]
fn the_world_bears_the_weight() {
    for (name, mass) in [("table", 19.0), ("mass-ratio", 1009.0), ("stepladder", 0.0), ("wall", 0.0)] {
        let mass = if mass > 0.0 { mass } else { gallery::by_name(name).unwrap().actors[0].model.mass() };
        let mut page = Page::open(name, false);
        let force = channels(&page.told("scenery"), "contact force");
        page.ask(r#"{"do": "step"}"#);
        let frame = page.wait(|f| time(f) > 0.0);
        let world = number(&frame, 48 + 8 * force[1]);
        assert!((world / (G * mass) - 1.0).abs() < 1e-3, "{name}: {world} N for {mass} kg");
    }
}

/// It is an impulse within one step, and as high.
#[test]
fn a_jam_is_seen_in_the_forces() {
    let mut page = Page::open("painleve", false);
    let force = channels(&page.told("scenery"), "contact force")[0];
    page.ask(r#"{"do": "step"}"#);
    let frame = page.wait(|f| time(f) > 0.0);
    assert!(number(&frame, 48 + 8 * force) > 100.0, "{}", number(&frame, 48 + 8 * force));
}

#[test]
fn who_looks_back_sees_the_contacts_of_then() {
    let mut page = Page::open("bounce", true);
    let scenery = page.told("scenery");
    let force = channels(&scenery, "contact force")[0];
    let floats =
        8 * scenery["channels"].as_array().unwrap().len() + 28 * scenery["bodies"].as_array().unwrap().len();
    let arrows = scenery["arrows"].as_array().unwrap();
    let first = arrows.iter().position(|a| a["layer"] == "contact forces").unwrap();
    let tail = |frame: &[u8]| {
        let at = 48 + floats + 24 * first;
        f32::from_le_bytes(frame[at..at + 4].try_into().unwrap())
    };
    page.wait(|f| time(f) > 0.7);
    page.ask(r#"{"do": "pause"}"#);
    while page.told("status")["playing"] == json!(true) {}
    assert!(tail(&page.wait(|f| time(f) > 0.7)).is_finite(), "a ball lies on the floor");
    page.ask(r#"{"do": "seek", "time": 0.2}"#);
    let early = page.wait(|f| time(f) < 0.3);
    assert!(tail(&early).is_nan() && number(&early, 48 + 8 * force) == 0.0, "nothing touches yet");
    page.ask(r#"{"do": "seek", "time": 0.65}"#);
    let later = page.wait(|f| time(f) > 0.5);
    assert!(tail(&later).is_finite(), "it lies there again");
}

#[test]
fn an_integrator_that_steps_no_contact_says_so() {
    for (name, integrator) in [("bounce", "backward"), ("tippe-top", "exact"), ("tippe-top", "rk4")] {
        let mut page = Page::open(name, false);
        page.ask(&format!(r#"{{"do": "integrator", "name": "{integrator}"}}"#));
        let status = loop {
            let status = page.told("status");
            if status["integrator"][0] == integrator {
                break status;
            }
        };
        let said = format!(
            "not simulated: contact: bodies pass through each other; `{integrator}` does not support contact; leapfrog and rkmk4 do, among others"
        );
        assert_eq!((&status["contact"][0], &status["untouched"][0]), (&json!("none"), &json!(said)));
        page.ask(r#"{"do": "integrator", "name": "leapfrog"}"#);
        while page.told("status")["contact"][0] != "exact" {}
    }
}

/// A track that diverges ends where it was last seen, and not after steps to 1e84 J.
#[test]
fn what_diverges_is_not_plotted() {
    let mut page = Page::open("drift-race", true);
    let energy = channels(&page.told("scenery"), "energy");
    page.ask(r#"{"do": "speed", "value": 20}"#);
    loop {
        let status = page.told("status");
        if status["stopped"].as_array().unwrap().iter().any(|why| !why.is_null()) {
            break;
        }
    }
    page.ask(r#"{"do": "pause"}"#);
    let rows = rows(&mut page, &energy);
    let largest = rows.iter().flat_map(|(_, row)| row).fold(0.0f64, |most, e| most.max(e.abs()));
    assert!(largest < 1e4, "{largest} J");
}

#[test]
fn a_mass_is_changed() {
    let mut page = Page::open("penalty", false);
    page.ask(r#"{"do": "mass", "body": 1, "value": 7}"#);
    while page.told("status")["masses"][1] != json!(7.0) {}
    for (asked, answer) in [(0, "it has no mass"), (99, "no body 99")] {
        page.ask(&format!(r#"{{"do": "mass", "body": {asked}, "value": 7}}"#));
        assert!(page.told("problem").as_str().unwrap().contains(answer));
    }
}

#[test]
fn the_page_has_words_for_every_kind_of_event() {
    let page = include_str!("../web/src/events.ts");
    let known = include_str!("../web/src/protocol.ts");
    for kind in EventKind::ALL {
        let word = kind.word();
        assert!(page.contains(&format!("case \"{word}\":")), "{word} has no words");
        assert!(known.contains(&format!("\"{word}\"")), "{word} is unknown");
    }
}

/// Its ends alone touch, but all of it is seen.
#[test]
fn rods_on_point_ends_are_seen() {
    let show = gallery::by_name("painleve").unwrap();
    let look = &show.actors[0].look;
    let rods =
        look.parts.iter().filter(|p| matches!(p.shape, Shape::Capsule { length, .. } if length == 1.0));
    assert_eq!(rods.count(), 2);
    let touching = show.actors[0].model.geoms().iter().filter(|g| matches!(g.shape, Shape::Capsule { .. }));
    assert!(touching.clone().count() == 2 && touching.into_iter().all(|g| !g.touches()));
}
