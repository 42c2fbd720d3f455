//! A page without a browser.
#![allow(clippy::unwrap_used, dead_code)] // a failed unwrap is a failed test; not every test uses all

use poinsot_view::gallery;
use poinsot_view::live::{self, Command, Envelope, Message, Shared};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A page that looks at a session.
pub struct Page {
    shared: Shared,
    sender: UnboundedSender<Message>,
    inbox: UnboundedReceiver<Message>,
}

impl Page {
    pub fn open(name: &str, playing: bool) -> Page {
        Page::of(live::start(gallery::by_name(name).unwrap(), json!([]), playing).unwrap())
    }
    pub fn of(shared: Shared) -> Page {
        let (sender, inbox) = unbounded_channel();
        shared.commands.send(Envelope::Hello(sender.clone())).unwrap();
        Page { shared, sender, inbox }
    }
    pub fn ask(&self, text: &str) {
        let command = Command::parse(text).unwrap();
        self.shared.commands.send(Envelope::Command(command, self.sender.clone())).unwrap();
    }
    pub fn long_step(&self) -> Option<Duration> {
        self.shared.commands.long_step()
    }
    /// Opens the page anew: everything is told again, the past with it.
    pub fn open_again(&mut self) {
        (self.sender, self.inbox) = unbounded_channel();
        self.shared.commands.send(Envelope::Hello(self.sender.clone())).unwrap();
    }
    /// The newest frame that passes the test.
    pub fn wait(&self, test: impl Fn(&[u8]) -> bool) -> Vec<u8> {
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
    /// The next numbers of the past: scene, channels, and rows of time and channels.
    pub fn past(&mut self) -> (u32, usize, Vec<Vec<f64>>) {
        let begin = Instant::now();
        loop {
            if let Ok(Message::Bytes(bytes)) = self.inbox.try_recv() {
                let word = |k: usize| u32::from_le_bytes(bytes[4 * k..4 * k + 4].try_into().unwrap());
                let width = word(3) as usize + 1;
                let row = |r: &[u8]| (0..width).map(|k| number(r, 8 * k)).collect();
                return (word(1), width - 1, bytes[16..].chunks_exact(8 * width).map(row).collect());
            }
            std::thread::sleep(Duration::from_millis(2));
            assert!(begin.elapsed() < Duration::from_secs(20), "no past was told");
        }
    }
    /// The next message that has this key.
    pub fn told(&mut self, key: &str) -> Value {
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

pub fn number(frame: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(frame[at..at + 8].try_into().unwrap())
}
pub fn time(frame: &[u8]) -> f64 {
    number(frame, 16)
}
/// The pose of a body in a frame with so many channels.
pub fn pose(frame: &[u8], channels: usize, body: usize) -> [f32; 7] {
    let from = 48 + 8 * channels + 28 * body;
    std::array::from_fn(|k| f32::from_le_bytes(frame[from + 4 * k..from + 4 * k + 4].try_into().unwrap()))
}
