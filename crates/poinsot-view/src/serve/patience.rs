//! Connections that end when nobody is at the other end: a listener whose streams fail when their peer is silent for too long,
//! takes nothing for too long, or has not finished its first request in a time in which anybody would.

use axum::serve::Listener;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// How long a peer may be silent; pages answer pings more often.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);
/// More connections at a time are closed at once.
const MOST_CONNECTIONS: usize = 256;
/// A first request may take longer than the patience by a second for so many bytes.
const SLOWEST: u64 = 1000;

/// A listener whose connections end in time.
pub(super) struct Patient {
    listener: TcpListener,
    patience: Duration,
    places: Arc<Semaphore>,
}

impl Patient {
    pub fn new(listener: TcpListener, patience: Duration) -> Patient {
        Patient { listener, patience, places: Arc::new(Semaphore::new(MOST_CONNECTIONS)) }
    }
}

impl Listener for Patient {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            let (stream, from) = Listener::accept(&mut self.listener).await;
            // frames are not held back until there is more to send; where that cannot be had they come a little late
            drop(stream.set_nodelay(true));
            if let Ok(place) = self.places.clone().try_acquire_owned() {
                return (Connection::new(stream, self.patience, place), from);
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
    answered: bool,
    silence: Pin<Box<Sleep>>,
    /// Runs while something waits to be taken.
    stuck: Option<Pin<Box<Sleep>>>,
    _place: OwnedSemaphorePermit,
}

impl Connection {
    fn new(stream: TcpStream, patience: Duration, place: OwnedSemaphorePermit) -> Connection {
        Connection {
            stream,
            patience,
            begun: Instant::now(),
            received: 0,
            answered: false,
            silence: Box::pin(sleep(patience)),
            stuck: None,
            _place: place,
        }
    }

    fn is_too_slow(&self) -> bool {
        let allowed = self.patience + Duration::from_secs(self.received / SLOWEST);
        !self.answered && self.begun.elapsed() > allowed
    }

    /// What a write came to; fails when it has waited for too long.
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
        if self.is_too_slow() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Ready(outcome) => {
                self.received += (buffer.filled().len() - before) as u64;
                let until = Instant::now() + self.patience;
                self.silence.as_mut().reset(until);
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

    /// A server of little patience.
    fn served(patience: Duration) -> SocketAddr {
        let listener = net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        listener.set_nonblocking(true).expect("a listener");
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = Patient::new(TcpListener::from_std(listener).expect("a listener"), patience);
                let router = Router::new().route("/", get(|| async { "here" }));
                axum::serve(listener, router).await.expect("a server");
            });
        });
        address
    }

    /// How long a connection is kept open by one who says this and then waits.
    fn kept_open(address: SocketAddr, words: &str) -> Duration {
        let mut stream = net::TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream.write_all(words.as_bytes()).expect("to be heard");
        let begin = Instant::now();
        let mut answer = Vec::new();
        // closed with or without ceremony
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
