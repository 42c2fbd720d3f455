//! Connections with timeouts: a listener whose streams fail when the peer is silent for too long,
//! accepts no data for too long, or has not completed its first request in reasonable time. If all connections are in use, the
//! oldest of those that have not sent a request yet is closed.

use axum::serve::Listener;
use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, Sleep, sleep, timeout};

/// The timeouts of a listener, and its number of connections.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// How long a peer may be silent; pages answer pings more often.
    pub silence: Duration,
    /// How long the head of a first request may take.
    pub head: Duration,
    /// The largest number of connections.
    pub places: usize,
}

pub(super) const LIMITS: Limits =
    Limits { silence: Duration::from_secs(30), head: Duration::from_secs(8), places: 256 };
/// How long it may take to close a connection that must make room.
const MAKING_ROOM: Duration = Duration::from_secs(1);
const END_OF_HEAD: &[u8] = b"\r\n\r\n";
/// A first request may take longer than the patience by a second for each this many bytes.
const SLOWEST: u64 = 1000;

/// A listener whose connections time out.
pub(super) struct TimedListener {
    listener: TcpListener,
    limits: Limits,
    places: Arc<Semaphore>,
    /// Connections that had not sent a request when last checked, the oldest first.
    half_open: VecDeque<HalfOpen>,
}

/// The listener's record of a connection.
struct HalfOpen {
    heard: Arc<AtomicBool>,
    end: oneshot::Sender<()>,
}

impl TimedListener {
    pub fn new(listener: TcpListener, limits: Limits) -> TimedListener {
        let places = Arc::new(Semaphore::new(limits.places));
        TimedListener { listener, limits, places, half_open: VecDeque::new() }
    }

    /// A permit for one more connection, if one is free or can be freed.
    async fn place(&mut self) -> Option<OwnedSemaphorePermit> {
        self.half_open.retain(|one| !one.heard.load(Relaxed) && !one.end.is_closed());
        if let Ok(place) = self.places.clone().try_acquire_owned() {
            return Some(place);
        }
        self.half_open.pop_front()?.end.send(()).ok()?;
        timeout(MAKING_ROOM, self.places.clone().acquire_owned()).await.ok()?.ok()
    }
}

impl Listener for TimedListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            let (stream, from) = Listener::accept(&mut self.listener).await;
            // without Nagle's algorithm frames are sent at once; if that cannot be set, they come a little late
            drop(stream.set_nodelay(true));
            if let Some(place) = self.place().await {
                let (end, ended) = oneshot::channel();
                let connection = Connection::new(stream, self.limits, place, ended);
                self.half_open.push_back(HalfOpen { heard: connection.heard.clone(), end });
                return (connection, from);
            }
        }
    }
    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A stream that fails with `TimedOut`.
pub(super) struct Connection {
    stream: TcpStream,
    patience: Duration,
    begun: Instant,
    received: u64,
    /// Whether the head of the first request has arrived, and how much of its terminator.
    heard: Arc<AtomicBool>,
    matched: usize,
    answered: bool,
    /// Receives the request to make room for others; `None` once it has been answered.
    ended: Option<oneshot::Receiver<()>>,
    silence: Pin<Box<Sleep>>,
    /// Runs while data wait to be accepted.
    stuck: Option<Pin<Box<Sleep>>>,
    _place: OwnedSemaphorePermit,
}

impl Connection {
    fn new(
        stream: TcpStream,
        limits: Limits,
        place: OwnedSemaphorePermit,
        ended: oneshot::Receiver<()>,
    ) -> Connection {
        Connection {
            stream,
            patience: limits.silence,
            begun: Instant::now(),
            received: 0,
            heard: Arc::default(),
            matched: 0,
            answered: false,
            ended: Some(ended),
            silence: Box::pin(sleep(limits.head)),
            stuck: None,
            _place: place,
        }
    }

    /// True once this connection must make room for a newer one.
    fn must_make_room(&mut self, context: &mut Context<'_>) -> bool {
        let Some(Poll::Ready(outcome)) = self.ended.as_mut().map(|ended| Pin::new(ended).poll(context))
        else {
            return false;
        };
        // a receiver must not be polled again after it has answered
        self.ended = None;
        outcome.is_ok()
    }

    fn is_too_slow(&self) -> bool {
        let allowed = self.patience + Duration::from_secs(self.received / SLOWEST);
        !self.answered && self.begun.elapsed() > allowed
    }

    /// Whether the peer has exceeded its time.
    fn receive(&mut self, bytes: &[u8]) -> bool {
        self.received += bytes.len() as u64;
        for byte in bytes {
            self.matched = match END_OF_HEAD.get(self.matched) {
                None => break,
                Some(wanted) if wanted == byte => self.matched + 1,
                Some(_) => usize::from(*byte == b'\r'),
            };
        }
        let heard = self.matched == END_OF_HEAD.len();
        self.heard.store(heard, Relaxed);
        heard
    }

    /// The result of a write; fails if it has waited for too long.
    fn written<T>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        match outcome {
            Poll::Ready(outcome) => {
                self.stuck = None;
                self.answered = true;
                Poll::Ready(outcome)
            }
            Poll::Pending => {
                let patience = self.patience;
                let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep(patience)));
                stuck.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if self.must_make_room(context) || self.is_too_slow() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Ready(outcome) => {
                // the time for a head is fixed, however often a byte of it arrives
                if self.receive(&buffer.filled()[before..]) {
                    let until = Instant::now() + self.patience;
                    self.silence.as_mut().reset(until);
                } else if self.silence.is_elapsed() {
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
                Poll::Ready(outcome)
            }
            Poll::Pending => {
                self.silence.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, outcome)
    }
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.written(context, outcome)
    }
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{Router, routing::get};
    use std::io::{Read, Write};
    use std::net;

    /// A server with short timeouts.
    fn served(silence: Duration) -> SocketAddr {
        served_with(Limits { silence, head: silence, places: 256 })
    }

    fn served_with(limits: Limits) -> SocketAddr {
        let listener = net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        listener.set_nonblocking(true).expect("a listener");
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener =
                    TimedListener::new(TcpListener::from_std(listener).expect("a listener"), limits);
                let router = Router::new().route("/", get(|| async { "here" }));
                axum::serve(listener, router).await.expect("a server");
            });
        });
        address
    }

    /// How long a connection stays open after a client has sent this and then waits.
    fn kept_open(address: SocketAddr, words: &str) -> Duration {
        let mut stream = net::TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream.write_all(words.as_bytes()).expect("to be heard");
        let begin = Instant::now();
        let mut answer = Vec::new();
        // closed or reset
        let ended = stream.read_to_end(&mut answer);
        assert!(ended.is_ok() || ended.is_err_and(|e| e.kind() != io::ErrorKind::WouldBlock));
        begin.elapsed()
    }

    #[test]
    fn half_open_connections_end() {
        let patience = Duration::from_millis(300);
        let address = served(patience);
        let request = "GET / HTTP/1.1\r\nHost: x\r\n";
        for words in ["", "GET", request, &format!("{request}\r\n")] {
            let open = kept_open(address, words);
            assert!(open > patience / 2 && open < Duration::from_secs(10), "{words:?}: {open:?}");
        }
    }

    #[test]
    fn a_head_has_less_time_than_an_answer() {
        let (silence, head) = (Duration::from_secs(6), Duration::from_millis(300));
        let address = served_with(Limits { silence, head, places: 256 });
        let request = "GET / HTTP/1.1\r\nHost: x\r\n";
        assert!(kept_open(address, request) < silence / 2);
        assert!(kept_open(address, &format!("{request}\r\n")) > silence / 2, "a page may ask again later");
    }

    #[test]
    fn those_who_ask_nothing_make_room() {
        let patience = Duration::from_secs(20);
        let address = served_with(Limits { silence: patience, head: patience, places: 8 });
        let idle: Vec<net::TcpStream> =
            (0..40).map(|_| net::TcpStream::connect(address).expect("a connection")).collect();
        let begin = Instant::now();
        let mut stream = net::TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(patience)).expect("a timeout");
        stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").expect("to be heard");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.ends_with("here") && begin.elapsed() < patience / 2, "{:?}", begin.elapsed());
        drop(idle);
    }

    #[test]
    fn a_drip_does_not_keep_a_connection_open() {
        let address = served(Duration::from_millis(300));
        let mut stream = net::TcpStream::connect(address).expect("a connection");
        let begin = Instant::now();
        while stream.write_all(b"G").is_ok() {
            assert!(begin.elapsed() < Duration::from_secs(10), "it is still open");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
