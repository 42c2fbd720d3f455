//! The server's manners: it takes leave, hears no floods, and refuses what would take too much of the machine.
#![allow(clippy::unwrap_used)]

#[path = "hostile/server.rs"]
mod server;

use server::{Drop, Server};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A WebSocket by hand.
struct Socket(TcpStream);

impl Socket {
    fn open(server: &Server) -> Socket {
        let mut stream = server.connect();
        let request = format!(
            "GET /ws HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
            server.address
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
        Socket(stream)
    }
    /// Sends a message of at most 125 bytes, masked with zeros.
    fn send(&mut self, kind: u8, payload: &[u8]) {
        let head = [0x80 | kind, 0x80 | payload.len() as u8, 0, 0, 0, 0];
        self.0.write_all(&[&head, payload].concat()).unwrap();
    }
    /// The next message: its kind, and what it says.
    fn next(&mut self) -> (u8, Vec<u8>) {
        let mut head = [0; 2];
        self.0.read_exact(&mut head).unwrap();
        let mut wide = |n: usize| {
            let mut bytes = [0; 8];
            self.0.read_exact(&mut bytes[8 - n..]).unwrap();
            u64::from_be_bytes(bytes)
        };
        let length = match head[1] {
            126 => wide(2),
            127 => wide(8),
            short => u64::from(short),
        };
        let mut payload = vec![0; length as usize];
        self.0.read_exact(&mut payload).unwrap();
        (head[0] & 0x0f, payload)
    }
    /// The next problem that is told.
    fn problem(&mut self) -> String {
        loop {
            let (kind, payload) = self.next();
            let text = String::from_utf8_lossy(&payload);
            if kind == TEXT && text.contains("\"problem\"") {
                return text.into_owned();
            }
        }
    }
}

const TEXT: u8 = 1;
const CLOSE: u8 = 8;

#[test]
fn a_close_is_answered() {
    let server = Server::start();
    let mut socket = Socket::open(&server);
    socket.send(CLOSE, &1000u16.to_be_bytes());
    while socket.next().0 != CLOSE {}
    let mut rest = Vec::new();
    socket.0.read_to_end(&mut rest).unwrap();
    assert!(rest.is_empty(), "nothing comes after a farewell");
}

#[test]
fn a_page_opens_no_scene_of_a_million_parts() {
    let server = Server::start();
    let mut socket = Socket::open(&server);
    for scene in ["rotors:100000", "chain:1000000", "heavy-chain:20000"] {
        let begin = Instant::now();
        socket.send(TEXT, format!("{{\"do\": \"open\", \"name\": \"{scene}\"}}").as_bytes());
        let problem = socket.problem();
        assert!(problem.contains("at most 5000 parts") && problem.contains(&format!("poinsot view {scene}")));
        assert!(begin.elapsed() < Duration::from_secs(2));
    }
    socket.send(TEXT, b"{\"do\": \"open\", \"name\": \"mass-ratio:100000000000\"}");
    let problem = socket.problem();
    assert!(problem.contains("from 1 to 1000000000") && !problem.contains("parts"), "{problem}");
}

#[test]
fn a_flood_of_messages_is_not_heard() {
    let server = Server::start();
    let mut socket = Socket::open(&server);
    for _ in 0..600 {
        socket.send(TEXT, b"{\"do\": \"pull\", \"to\": [0, 0, 0]}");
    }
    assert!(socket.problem().contains("messages in a second"));
}

#[test]
fn models_that_take_too_much_are_refused() {
    let mut server = Server::start();
    let drop = |text: String| -> Drop { vec![("m.xml".into(), text)] };
    let bodies = "<mujoco><worldbody><replicate count='10001'><body><joint/><geom size='1'/></body></replicate></worldbody></mujoco>";
    let answer = server.drop(&drop(bodies.into())).to_string();
    assert!(answer.contains("10002 bodies") && answer.contains("poinsot view"), "{answer}");
    let held: String = (0..501).map(|k| format!("<connect body1='b{k}' anchor='0 0 0'/>")).collect();
    let bodies: String =
        (0..501).map(|k| format!("<body name='b{k}'><freejoint/><geom size='1'/></body>")).collect();
    let text = format!("<mujoco><worldbody>{bodies}</worldbody><equality>{held}</equality></mujoco>");
    let answer = server.drop(&drop(text)).to_string();
    assert!(answer.contains("501 constraints"), "{answer}");
    let large = vec![("m.xml".into(), "<mujoco/>".into()), ("a.bin".into(), "x".repeat(257 << 20))];
    let answer = server.drop(&large).to_string();
    assert!(answer.contains("larger than 256 MB"), "{answer}");
}
