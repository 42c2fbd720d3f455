//! A page is answered while one step takes minutes.
#![allow(clippy::unwrap_used)]

mod pages;

use pages::{Page, time};
use serde_json::json;
use std::time::{Duration, Instant};

const AT_ONCE: Duration = Duration::from_secs(5);

#[test]
fn pause_and_open_end_a_long_step() {
    let mut page = Page::open("heavy-chain", false);
    page.ask(r#"{"do": "integrator", "name": "adaptive"}"#);
    page.ask(r#"{"do": "dt", "value": 1}"#);
    page.ask(r#"{"do": "speed", "value": 100}"#);
    page.ask(r#"{"do": "play"}"#);
    while page.told("status")["playing"] == json!(false) {}
    // whoever looks on learns that it is worked on
    let begin = Instant::now();
    while page.long_step().is_none() {
        assert!(begin.elapsed() < 4 * AT_ONCE, "no step takes long");
        std::thread::sleep(Duration::from_millis(10));
    }
    let begin = Instant::now();
    page.ask(r#"{"do": "pause"}"#);
    while page.told("status")["playing"] == json!(true) {}
    assert!(begin.elapsed() < AT_ONCE, "a pause took {:?}", begin.elapsed());
    assert_eq!(page.long_step(), None);
    assert!(time(&page.wait(|_| true)) < 1.0, "the step was not that long");
    page.ask(r#"{"do": "play"}"#);
    std::thread::sleep(Duration::from_millis(500));
    let begin = Instant::now();
    page.ask(r#"{"do": "open", "name": "heavy-top"}"#);
    while page.told("scenery")["name"] != json!("heavy-top") {}
    assert!(begin.elapsed() < AT_ONCE, "to open took {:?}", begin.elapsed());
}

#[test]
fn one_step_by_hand_is_ended_too() {
    let mut page = Page::open("heavy-chain", false);
    page.ask(r#"{"do": "integrator", "name": "adaptive"}"#);
    page.ask(r#"{"do": "dt", "value": 1}"#);
    page.ask(r#"{"do": "step"}"#);
    std::thread::sleep(Duration::from_millis(500));
    let begin = Instant::now();
    page.ask(r#"{"do": "reset"}"#);
    let problem = page.told("problem");
    assert!(problem.as_str().unwrap().contains("the step took long"), "{problem}");
    assert!(begin.elapsed() < AT_ONCE, "a reset took {:?}", begin.elapsed());
}
