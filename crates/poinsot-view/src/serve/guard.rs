//! Access control: only this machine's own page, or a client with the token, may control the simulation.
//!
//! A page of another site can make a browser send requests here. It cannot forge the `Origin`, and a name that
//! is made to resolve to this address (DNS rebinding) shows in `Host`. So on the loopback address both must be this server's; on any other
//! address a token is required, which the first page turns into a cookie.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;

/// The access rules.
#[derive(Clone, Debug)]
pub struct Guard {
    address: SocketAddr,
    token: Option<String>,
}

const COOKIE: &str = "poinsot";

impl Guard {
    /// The rules for a server at this address. On the loopback address there is no token unless one is given; elsewhere one is generated.
    pub fn new(address: SocketAddr, token: Option<String>) -> Result<Guard, String> {
        let token = match token {
            Some(token)
                if token.is_empty()
                    || !token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)) =>
            {
                return Err("a token is made of letters, digits, - and _".into());
            }
            Some(token) => Some(token),
            None if address.ip().is_loopback() => None,
            None => Some(random_token()?),
        };
        Ok(Guard { address, token })
    }

    /// The address to open in a browser.
    pub fn url(&self) -> String {
        let token = self.token.as_ref().map_or(String::new(), |t| format!("?token={t}"));
        format!("http://{}/{token}", reachable(self.address))
    }

    fn admits(&self, headers: &HeaderMap, query: &str) -> Result<(), (StatusCode, &'static str)> {
        let get = |name| headers.get(name).and_then(|v: &HeaderValue| v.to_str().ok());
        let host = get(header::HOST).unwrap_or_default();
        if self.address.ip().is_loopback() && !self.is_here(host) {
            return Err((StatusCode::FORBIDDEN, "this server answers only to localhost"));
        }
        if let Some(origin) = get(header::ORIGIN)
            && origin.strip_prefix("http://").is_none_or(|o| o != host)
        {
            return Err((StatusCode::FORBIDDEN, "this page is not from this server"));
        }
        match &self.token {
            Some(token) if !in_query(query, token) && !in_cookie(get(header::COOKIE), token) => Err((
                StatusCode::UNAUTHORIZED,
                "the token is missing: use the address that `poinsot view` printed",
            )),
            _ => Ok(()),
        }
    }

    fn is_here(&self, host: &str) -> bool {
        let port = self.address.port();
        let names = ["localhost".to_string(), "127.0.0.1".into(), "[::1]".into(), bare(self.address)];
        names.iter().any(|name| host == format!("{name}:{port}"))
    }
}

/// An address that other machines can open, if the server listens on all addresses.
fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    // nothing is sent: this only determines the local address of outgoing connections
    let out = UdpSocket::bind((address.ip(), 0)).and_then(|socket| {
        socket.connect(if address.is_ipv4() { "192.0.2.1:9" } else { "[2001:db8::1]:9" })?;
        socket.local_addr()
    });
    let ip = out.map_or_else(|_| IpAddr::V4(Ipv4Addr::LOCALHOST), |a| a.ip());
    SocketAddr::new(ip, address.port())
}

fn bare(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(a) => a.ip().to_string(),
        SocketAddr::V6(a) => format!("[{}]", a.ip()),
    }
}

/// Compares in constant time, so that the time does not reveal how much of a guess was right.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |d, (x, y)| d | (x ^ y)) == 0
}

fn in_query(query: &str, token: &str) -> bool {
    query.split('&').filter_map(|pair| pair.strip_prefix("token=")).any(|t| same(t, token))
}

fn in_cookie(cookies: Option<&str>, token: &str) -> bool {
    let pairs = cookies.unwrap_or_default().split(';');
    pairs.filter_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('=')).any(|t| same(t, token))
}

fn random_token() -> Result<String, String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|e| format!("there is no random token to be had: {e}"))?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

/// Admits or refuses a request.
pub(super) async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let query = request.uri().query().unwrap_or_default();
    if let Err(refusal) = guard.admits(request.headers(), query) {
        return refusal.into_response();
    }
    let by_query = guard.token.as_ref().filter(|t| in_query(query, t)).cloned();
    let mut response = next.run(request).await;
    if let Some(cookie) = by_query
        && let Ok(value) =
            HeaderValue::from_str(&format!("{COOKIE}={cookie}; HttpOnly; SameSite=Strict; Path=/"))
    {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let value = |v: &str| HeaderValue::from_str(v).expect("a header");
        pairs.iter().map(|(k, v)| (k.parse().expect("a name"), value(v))).collect()
    }

    #[test]
    fn other_pages_and_other_names_are_kept_out() {
        let here = Guard::new("127.0.0.1:7878".parse().expect("an address"), None).expect("a guard");
        let admits = |pairs: &[(&'static str, &str)]| here.admits(&headers(pairs), "").is_ok();
        assert!(admits(&[("host", "127.0.0.1:7878")]));
        assert!(admits(&[("host", "localhost:7878"), ("origin", "http://localhost:7878")]));
        assert!(!admits(&[("host", "evil.example:7878")]));
        assert!(!admits(&[("host", "localhost:7879")]));
        assert!(!admits(&[("host", "localhost:7878"), ("origin", "http://evil.example")]));
        assert!(!admits(&[("host", "localhost:7878"), ("origin", "null")]));
        assert!(!admits(&[]));
    }

    #[test]
    fn elsewhere_a_token_is_wanted() {
        let open = Guard::new("0.0.0.0:7878".parse().expect("an address"), None).expect("a guard");
        let token = open.token.clone().expect("a token");
        let admits = |query: &str, cookie: &str| {
            open.admits(&headers(&[("host", "robot:7878"), ("cookie", cookie)]), query).is_ok()
        };
        assert!(!admits("", "") && !admits("token=1", "poinsot=1"));
        assert!(admits(&format!("a=1&token={token}"), "") && admits("", &format!("x=y; poinsot={token}")));
        assert!(Guard::new("0.0.0.0:1".parse().expect("an address"), Some("a b".into())).is_err());
    }
}
