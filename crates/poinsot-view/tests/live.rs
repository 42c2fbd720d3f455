//! A session without a page: it runs, stops, steps and goes back, and its frames are those of the library.
#![allow(clippy::unwrap_used)]

use poinsot::Simulation;
use poinsot::scenes;
use poinsot_view::gallery;
use poinsot_view::live::{self, Command, Envelope, Message, Shared};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

struct Page {
    shared: Shared,
    sender: UnboundedSender<Message>,
    inbox: UnboundedReceiver<Message>,
}

impl Page {
    fn open(name: &str, playing: bool) -> Page {
        let shared = live::start(gallery::by_name(name).unwrap(), json!([]), playing).unwrap();
        let (sender, inbox) = unbounded_channel();
        shared.commands.send(Envelope::Hello(sender.clone())).unwrap();
        Page { shared, sender, inbox }
    }
    fn ask(&self, text: &str) {
        let command = Command::parse(text).unwrap();
        self.shared.commands.send(Envelope::Command(command, self.sender.clone())).unwrap();
    }
    /// The newest frame that passes the test.
    fn wait(&self, test: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        let begin = Instant::now();
        loop {
            let frame = self.shared.frames.borrow().to_vec();
            if frame.len() > 48 && test(&frame) {
                return frame;
            }
            assert!(begin.elapsed() < Duration::from_secs(20), "nothing came");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    /// The next message that has this key.
    fn told(&mut self, key: &str) -> Value {
        let begin = Instant::now();
        loop {
            match self.inbox.try_recv() {
                Ok(Message::Text(text)) => {
                    let value: Value = serde_json::from_str(&text).unwrap();
                    if !value[key].is_null() {
                        return value[key].clone();
                    }
                }
                Ok(Message::Bytes(_)) => {}
                Err(_) => std::thread::sleep(Duration::from_millis(2)),
            }
            assert!(begin.elapsed() < Duration::from_secs(20), "no {key} was told");
        }
    }
}

fn number(frame: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(frame[at..at + 8].try_into().unwrap())
}
fn time(frame: &[u8]) -> f64 {
    number(frame, 16)
}
/// The pose of a body in a frame with so many channels.
fn pose(frame: &[u8], channels: usize, body: usize) -> [f32; 7] {
    let from = 48 + 8 * channels + 28 * body;
    std::array::from_fn(|k| f32::from_le_bytes(frame[from + 4 * k..from + 4 * k + 4].try_into().unwrap()))
}

#[test]
fn steps_are_those_of_the_library() {
    let mut page = Page::open("dzhanibekov", false);
    let scenery = page.told("scenery");
    let channels = scenery["channels"].as_array().unwrap().len();
    page.wait(|f| time(f) == 0.0);
    let scene = scenes::by_name("dzhanibekov").unwrap();
    let mut simulation = Simulation::new(&scene.model, scene.state.clone(), "exact").unwrap();
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
