//! A server at a free port, and someone who drops files on it without a browser.
#![allow(clippy::unwrap_used)]

use poinsot_view::gallery;
use poinsot_view::live::{self, Envelope, Message, Shared};
use poinsot_view::serve::{self, Guard, StopHandle};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// What is dropped at once: names and texts.
pub type Drop = Vec<(String, String)>;

/// A server that ends with the test.
pub struct Server {
    pub address: SocketAddr,
    shared: Shared,
    stop: StopHandle,
    told: UnboundedReceiver<Message>,
}

impl std::ops::Drop for Server {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

impl Server {
    pub fn start() -> Server {
        let shared = live::start(gallery::by_name("top").unwrap(), json!([]), false).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let guard = Guard::new(address, None).unwrap();
        let stop = StopHandle::default();
        let (served, ended) = (shared.clone(), stop.clone());
        std::thread::spawn(move || serve::serve(listener, served, guard, &ended).unwrap());
        let (sender, told) = unbounded_channel();
        shared.commands.send(Envelope::Hello(sender)).unwrap();
        let mut server = Server { address, shared, stop, told };
        server.next_scenery();
        server
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Drops files; the answer, and all that pages are told of the model where there is one.
    pub fn drop(&mut self, files: &Drop) -> Value {
        const BOUNDARY: &str = "poinsot-hostile-boundary";
        let mut body = String::new();
        for (name, text) in files {
            body += &format!(
                "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{}\"\r\n\r\n{text}\r\n",
                name.replace('\\', "\\\\")
            );
        }
        body += &format!("--{BOUNDARY}--\r\n");
        let head = format!(
            "POST /drop HTTP/1.1\r\nHost: {}\r\nContent-Type: multipart/form-data; boundary={BOUNDARY}\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        let mut stream = self.connect();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, json) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
        let answer: Value = serde_json::from_str(json).unwrap();
        if answer["ok"] != json!(true) {
            return answer;
        }
        let scenery = self.next_scenery();
        let triangles: usize = self.shared.meshes.lock().unwrap().1.iter().map(|s| s.bytes().len()).sum();
        json!({"answer": answer, "scenery": scenery, "triangles": triangles})
    }

    fn next_scenery(&mut self) -> Value {
        let begin = Instant::now();
        loop {
            if let Ok(Message::Text(text)) = self.told.try_recv() {
                let mut value: Value = serde_json::from_str(&text).unwrap();
                if !value["scenery"].is_null() {
                    value["scene"].take();
                    return value;
                }
            }
            assert!(begin.elapsed() < Duration::from_secs(20), "no scenery was told");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
