//! Who may ask, how much at a time, and what a browser may do with an answer.
//!
//! A page of another site can make a browser send requests here; under a name of its own it could
//! even read the answers. So the `Host` header has to be one of ours, and requests that a browser
//! says come from another site get nothing of the folder.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Requests that are answered at a time; others wait.
const MOST_AT_ONCE: usize = 64;
/// How long a request may take.
const LONGEST: Duration = Duration::from_secs(20);
/// Longest path and query.
const MAX_URI_BYTES: usize = 4096;

/// What goes with every answer.
const HEADERS: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' \
         'unsafe-inline'; img-src 'self' data:; worker-src 'self'; connect-src 'self'; base-uri \
         'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (header::CACHE_CONTROL, "no-cache"),
];

/// Host names under which the server answers.
#[derive(Debug)]
pub struct Hosts {
    names: Vec<String>,
}

impl Hosts {
    /// Those of this computer, the address itself, and `more`.
    pub fn new(bound: SocketAddr, more: Vec<String>) -> Hosts {
        let mut names = vec![
            "localhost".to_owned(),
            "127.0.0.1".to_owned(),
            "[::1]".to_owned(),
        ];
        names.push(match bound {
            SocketAddr::V4(address) => address.ip().to_string(),
            SocketAddr::V6(address) => format!("[{}]", address.ip()),
        });
        names.extend(more.into_iter().map(|name| name.to_ascii_lowercase()));
        Hosts { names }
    }

    /// Whether a `Host` header names one of them; its port does not matter.
    pub fn allow(&self, header: &str) -> bool {
        let header = header.to_ascii_lowercase();
        let name = match header.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => &header,
        };
        self.names.iter().any(|known| known == name)
    }
}

/// What [`check`] goes by.
pub(crate) struct Guard {
    hosts: Hosts,
    room: Semaphore,
}

impl Guard {
    pub(crate) fn new(hosts: Hosts) -> Guard {
        Guard {
            hosts,
            room: Semaphore::new(MOST_AT_ONCE),
        }
    }

    /// Why a request is refused, if it is.
    fn refuse(&self, request: &Request) -> Option<(StatusCode, &'static str)> {
        let header = |name: &HeaderName| request.headers().get(name)?.to_str().ok();
        if !header(&header::HOST).is_some_and(|host| self.hosts.allow(host)) {
            return Some((
                StatusCode::MISDIRECTED_REQUEST,
                "this server does not answer under that name; `--host NAME` adds one",
            ));
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return Some((StatusCode::METHOD_NOT_ALLOWED, "only GET"));
        }
        let uri = request.uri();
        let length = uri.path().len() + uri.query().map_or(0, str::len);
        if length > MAX_URI_BYTES {
            return Some((StatusCode::URI_TOO_LONG, "the address is too long"));
        }
        let from = header(&HeaderName::from_static("sec-fetch-site"));
        let foreign = matches!(from, Some("cross-site" | "same-site"));
        if foreign && uri.path().starts_with("/api/") {
            return Some((StatusCode::FORBIDDEN, "not for other sites"));
        }
        None
    }
}

/// Answers, or refuses to.
pub(crate) async fn check(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match guard.refuse(&request) {
        Some(refusal) => refusal.into_response(),
        None => {
            let answered = async {
                let _room = guard.room.acquire().await;
                next.run(request).await
            };
            timeout(LONGEST, answered).await.unwrap_or_else(|_| {
                (StatusCode::SERVICE_UNAVAILABLE, "it took too long").into_response()
            })
        }
    };
    for (name, value) in HEADERS {
        let headers = response.headers_mut();
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_hosts_are_answered() {
        let hosts = Hosts::new(
            ([127, 0, 0, 1], 8080).into(),
            vec!["Lab.example".to_owned()],
        );
        for allowed in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1:1",
            "[::1]:8080",
            "[::1]",
            "lab.example:80",
        ] {
            assert!(hosts.allow(allowed), "{allowed}");
        }
        for refused in [
            "",
            "example.com",
            "localhost.example.com",
            "127.0.0.1.example.com:8080",
            "localhost:8080:8080",
            "localhost:x",
            "::1",
        ] {
            assert!(!hosts.allow(refused), "{refused}");
        }
    }

    #[test]
    fn an_address_of_its_own_is_known() {
        let hosts = Hosts::new(([192, 168, 1, 5], 80).into(), Vec::new());
        assert!(hosts.allow("192.168.1.5:80"));
        assert!(!hosts.allow("192.168.1.6:80"));
    }
}
