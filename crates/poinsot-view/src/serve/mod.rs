//! The embedded server: the page, the socket, meshes, thumbnails and dropped files; nothing is loaded from elsewhere.

mod dropped;
mod guard;
mod socket;
mod timeouts;

pub use guard::Guard;
use timeouts::{LIMITS, TimedListener};

use crate::gallery::EXHIBITS;
use crate::live::{Shared, Work};
use crate::{page, thumbnail};
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use serde_json::{Value, json};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// The largest total size of dropped files.
const MOST_BYTES: usize = 256 << 20;

/// The state shared by all requests.
#[derive(Clone)]
pub(crate) struct Server {
    shared: Shared,
    /// The thumbnails drawn so far, in the order of the exhibits.
    thumbnails: Arc<Mutex<Vec<Option<Bytes>>>>,
    /// Held while a drop is opened: one at a time.
    dropping: Arc<tokio::sync::Mutex<()>>,
    /// The number of bytes of drops on disk.
    kept: Arc<AtomicUsize>,
}

/// Binds an address; if the port is taken and was not requested, one of the next free ones.
pub fn bind(address: SocketAddr, insist: bool) -> io::Result<TcpListener> {
    let mut candidate = address;
    loop {
        match TcpListener::bind(candidate) {
            Err(e)
                if e.kind() == io::ErrorKind::AddrInUse
                    && !insist
                    && candidate.port() < address.port() + 20 =>
            {
                candidate.set_port(candidate.port() + 1);
            }
            outcome => return outcome,
        }
    }
}

/// Stops a server from another thread.
#[derive(Clone, Default)]
pub struct StopHandle(Arc<Notify>);

impl StopHandle {
    /// Stops it.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

/// Serves until stopped.
pub fn serve(listener: TcpListener, shared: Shared, guard: Guard, stop: &StopHandle) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        let listener = TimedListener::new(tokio::net::TcpListener::from_std(listener)?, LIMITS);
        tokio::select! {
            outcome = axum::serve(listener, router(shared, guard)) => outcome,
            () = stop.0.notified() => Ok(()),
        }
    });
    // pages that are still connected are not waited for
    runtime.shutdown_background();
    outcome
}

fn router(shared: Shared, guard: Guard) -> Router {
    let thumbnails = Arc::new(Mutex::new(vec![None; EXHIBITS.len()]));
    Router::new()
        .route("/ws", get(socket::upgrade))
        .route("/gallery", get(gallery))
        .route("/work", get(work))
        .route("/thumbnail/{name}", get(thumbnail_of))
        .route("/mesh/{scene}/{number}", get(mesh))
        .route("/drop", post(dropped::take).layer(DefaultBodyLimit::max(MOST_BYTES)))
        .route("/", get(|| async { asset("index.html") }))
        .route("/{*path}", get(|Path(path): Path<String>| async move { asset(&path) }))
        .layer(middleware::from_fn_with_state(Arc::new(guard), guard::check))
        .with_state(Server { shared, thumbnails, dropping: Arc::default(), kept: Arc::default() })
}

/// The headers of every response: no content from other hosts, no embedding in other pages.
const HEADERS: [(HeaderName, &str); 4] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self' ws: wss:; \
         worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-cache"),
];

fn asset(path: &str) -> Response {
    match page::file(path) {
        Some((bytes, kind)) => ([(header::CONTENT_TYPE, kind)], HEADERS, bytes).into_response(),
        None if !page::is_built() => (StatusCode::SERVICE_UNAVAILABLE, page::MISSING).into_response(),
        None => (StatusCode::NOT_FOUND, "there is nothing of this name").into_response(),
    }
}

async fn gallery() -> Json<Value> {
    let one = |e: &crate::gallery::Exhibit| json!({"name": e.name, "title": e.title, "physics": e.physics, "try": e.try_this, "watch": e.watch});
    Json(EXHIBITS.iter().map(one).collect())
}

async fn work(State(server): State<Server>) -> Json<Work> {
    Json(*server.shared.work.lock().unwrap_or_else(PoisonError::into_inner))
}

async fn thumbnail_of(State(server): State<Server>, Path(file): Path<String>) -> Response {
    let name = file.strip_suffix(".png").unwrap_or(&file);
    let Some(number) = EXHIBITS.iter().position(|e| e.name == name) else {
        return (StatusCode::NOT_FOUND, "there is no exhibit of this name").into_response();
    };
    let known = server.thumbnails.lock().unwrap_or_else(PoisonError::into_inner)[number].clone();
    let png = match known {
        Some(png) => png,
        None => {
            let drawn = tokio::task::spawn_blocking(move || thumbnail::of(&EXHIBITS[number])).await;
            match drawn {
                Ok(Ok(png)) => {
                    let png = Bytes::from(png);
                    server.thumbnails.lock().unwrap_or_else(PoisonError::into_inner)[number] =
                        Some(png.clone());
                    png
                }
                Ok(Err(why)) => return (StatusCode::INTERNAL_SERVER_ERROR, why).into_response(),
                Err(_) => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            }
        }
    };
    ([(header::CONTENT_TYPE, "image/png")], png).into_response()
}

async fn mesh(State(server): State<Server>, Path((scene, number)): Path<(u32, usize)>) -> Response {
    let (numbers, surfaces) = server.shared.meshes.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match surfaces.get(number).filter(|_| numbers.contains(&scene)) {
        Some(surface) => {
            ([(header::CONTENT_TYPE, "application/octet-stream")], surface.bytes()).into_response()
        }
        None => (StatusCode::NOT_FOUND, "there is no such mesh now").into_response(),
    }
}
