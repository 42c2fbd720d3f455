//! The socket of one page: it receives commands and sends messages and frames, of which only the newest.

use super::Server;
use crate::live::{Client, Command, Envelope, Message as Out};
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, interval, timeout};

/// A page sends small messages; a larger one ends the connection.
const MOST_BYTES: usize = 64 << 10;
/// Messages of a page beyond this number in a second wait for the next: hands and sliders are slower.
const MOST_IN_A_SECOND: u32 = 500;
/// The interval of pings; their answers keep the connection open.
const BETWEEN_PINGS: Duration = Duration::from_secs(10);
/// How often a page is notified of a step that takes long.
const BETWEEN_NEWS: Duration = Duration::from_millis(500);
/// How long a page may take to close its connection.
const FAREWELL: Duration = Duration::from_secs(2);

/// Bytes shared with other pages.
struct SharedBytes(Arc<[u8]>);

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

pub(super) async fn upgrade(State(server): State<Server>, socket: WebSocketUpgrade) -> Response {
    socket.max_message_size(MOST_BYTES).on_upgrade(move |socket| serve_socket(socket, server))
}

async fn serve_socket(socket: WebSocket, server: Server) {
    let (sender, messages) = unbounded_channel();
    if server.shared.commands.send(Envelope::Hello(sender.clone())).is_ok() {
        converse(socket, &server, sender, messages).await;
        // an error means that the session has ended
        let _ = server.shared.commands.send(Envelope::Bye);
    }
}

/// Runs until the page or the simulation has gone.
async fn converse(
    mut socket: WebSocket,
    server: &Server,
    sender: Client,
    mut messages: UnboundedReceiver<Out>,
) {
    let commands = &server.shared.commands;
    let mut frames = server.shared.frames.clone();
    frames.mark_changed();
    let (mut pings, mut news) = (interval(BETWEEN_PINGS), interval(BETWEEN_NEWS));
    let mut rate = Rate { since: Instant::now(), heard: 0 };
    loop {
        let outgoing = tokio::select! {
            biased;
            incoming = socket.recv() => match incoming {
                Some(Ok(Message::Text(_))) if rate.is_exceeded() => {
                    let problem = format!("more than {MOST_IN_A_SECOND} messages in a second: the rest are not heard");
                    if rate.heard > MOST_IN_A_SECOND + 1 {
                        continue;
                    }
                    Message::Text(json!({"problem": problem}).to_string().into())
                }
                Some(Ok(Message::Text(text))) => match Command::parse(&text) {
                    Ok(command) => {
                        if commands.send(Envelope::Command(command, sender.clone())).is_err() {
                            return;
                        }
                        continue;
                    }
                    Err(problem) => Message::Text(json!({"problem": problem}).to_string().into()),
                },
                Some(Ok(Message::Binary(_))) => {
                    Message::Text(json!({"problem": "binary messages are not understood"}).to_string().into())
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                Some(Ok(Message::Close(_))) => {
                    // the answer to a close is sent while waiting for the next message
                    let _ = timeout(FAREWELL, async { while let Some(Ok(_)) = socket.recv().await {} }).await;
                    return;
                }
                Some(Err(_)) | None => return,
            },
            Some(message) = messages.recv() => match message {
                Out::Text(text) => Message::Text(Utf8Bytes::from(&*text)),
                Out::Bytes(bytes) => Message::Binary(Bytes::from_owner(SharedBytes(bytes))),
            },
            _ = pings.tick() => Message::Ping(Bytes::new()),
            _ = news.tick() => match commands.long_step() {
                Some(time) => Message::Text(json!({"busy": time.as_secs()}).to_string().into()),
                None => continue,
            },
            changed = frames.changed() => {
                if changed.is_err() {
                    return;
                }
                let newest = frames.borrow_and_update().clone();
                if newest.is_empty() {
                    continue;
                }
                Message::Binary(Bytes::from_owner(SharedBytes(newest)))
            }
        };
        if socket.send(outgoing).await.is_err() {
            return;
        }
    }
}

/// The number of messages received in this second.
struct Rate {
    since: Instant,
    heard: u32,
}

impl Rate {
    /// Counts a message; true if there are too many.
    fn is_exceeded(&mut self) -> bool {
        if self.since.elapsed() >= Duration::from_secs(1) {
            *self = Rate { since: Instant::now(), heard: 0 };
        }
        self.heard += 1;
        self.heard > MOST_IN_A_SECOND
    }
}
