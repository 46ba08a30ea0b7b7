//! A server on a free port, asked over a socket.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use tempfile::TempDir;
use warploom_serve::{Options, Page, PageError, ServeError, serve};

struct Served {
    address: SocketAddr,
    stop: &'static AtomicBool,
    /// The folders stay as long as the server.
    _page: TempDir,
    folder: TempDir,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn served() -> Served {
    let page = tempfile::tempdir().unwrap();
    write(
        page.path(),
        "index.html",
        "<html><head><title>W</title></head></html>",
    );
    write(page.path(), "assets/a.js", "let a;");
    write(page.path(), "assets/e.wasm", "\0asm");
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "one.simt", "x = i\n");
    write(folder.path(), "deep/two.ptx", ".version 8.0\n");
    write(folder.path(), "secret.txt", "no program");
    write(folder.path(), ".hidden/three.simt", "x = i\n");
    let (told, heard) = mpsc::channel();
    let stop: &AtomicBool = Box::leak(Box::default());
    let options = Options {
        address: ([127, 0, 0, 1], 0).into(),
        hosts: Vec::new(),
        page: Page::folder(page.path()).unwrap(),
        folder: Some(folder.path().to_owned()),
    };
    thread::spawn(move || serve(options, |address| told.send(address).unwrap(), stop));
    Served {
        address: heard.recv().unwrap(),
        stop,
        _page: page,
        folder,
    }
}

/// The status, the head and the body of an answer.
fn ask(served: &Served, request: &str) -> (u16, String, String) {
    let mut socket = TcpStream::connect(served.address).unwrap();
    socket.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_ascii_lowercase(), body.to_owned())
}

fn get(served: &Served, path: &str) -> (u16, String, String) {
    ask(
        served,
        &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
    )
}

#[test]
fn the_page_is_served_and_told_of_files() {
    let served = served();
    let (status, head, body) = get(&served, "/");
    assert_eq!(status, 200);
    assert!(head.contains("content-type: text/html"), "{head}");
    assert!(
        head.contains("content-security-policy: default-src 'self'"),
        "{head}"
    );
    assert!(
        body.contains("<head><meta name=\"warploom-files\""),
        "{body}"
    );
    let (status, head, body) = get(&served, "/assets/a.js");
    assert_eq!((status, &*body), (200, "let a;"));
    assert!(head.contains("content-type: text/javascript"), "{head}");
    assert!(
        get(&served, "/assets/e.wasm")
            .1
            .contains("application/wasm")
    );
    assert_eq!(get(&served, "/assets/none.js").0, 404);
}

#[test]
fn programs_of_the_folder_are_listed_and_read() {
    let served = served();
    let (status, _, body) = get(&served, "/api/files");
    assert_eq!(status, 200);
    let expected = r#"[{"path":"deep/two.ptx","bytes":13},{"path":"one.simt","bytes":6}]"#;
    assert_eq!(body, expected);
    assert_eq!(get(&served, "/api/file?path=one.simt").2, "x = i\n");
    assert_eq!(get(&served, "/api/file?path=deep/two.ptx").0, 200);
}

#[test]
fn nothing_outside_the_folder_is_read() {
    let served = served();
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "out.simt", "x = 1\n");
    let full = outside.path().join("out.simt");
    for path in [
        "secret.txt",
        "../out.simt",
        "deep/../../out.simt",
        "%2e%2e/out.simt",
        "deep",
        "",
        "none.simt",
        full.to_str().unwrap(),
    ] {
        let (status, _, body) = get(&served, &format!("/api/file?path={path}"));
        assert_eq!(
            (status, &*body),
            (404, "there is no such program"),
            "{path}"
        );
    }
    assert_eq!(get(&served, "/../one.simt").0, 404);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&full, served.folder.path().join("link.simt")).unwrap();
        assert_eq!(get(&served, "/api/file?path=link.simt").0, 404);
        assert!(!get(&served, "/api/files").2.contains("link"));
    }
}

#[test]
fn strangers_get_nothing() {
    let served = served();
    let with = |lines: &str| {
        ask(
            &served,
            &format!("GET /api/files HTTP/1.1\r\n{lines}Connection: close\r\n\r\n"),
        )
        .0
    };
    assert_eq!(with("Host: localhost:1\r\n"), 200);
    assert_eq!(with("Host: example.com\r\n"), 421);
    assert_eq!(
        with("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n"),
        403
    );
    assert_eq!(
        with("Host: localhost\r\nSec-Fetch-Site: same-origin\r\n"),
        200
    );
    let post =
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    assert_eq!(ask(&served, post).0, 405);
    assert_eq!(get(&served, &format!("/{}", "a".repeat(5000))).0, 414);
}

#[test]
fn a_folder_without_a_page_is_refused() {
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(
        Page::folder(empty.path()),
        Err(PageError::NoIndex(_))
    ));
    assert!(matches!(
        Page::folder(&empty.path().join("none")),
        Err(PageError::Unreadable { .. })
    ));
}

#[test]
fn a_missing_folder_is_refused() {
    let page = tempfile::tempdir().unwrap();
    write(page.path(), "index.html", "<html></html>");
    let options = Options {
        address: ([127, 0, 0, 1], 0).into(),
        hosts: Vec::new(),
        page: Page::folder(page.path()).unwrap(),
        folder: Some(page.path().join("none")),
    };
    static STOPPED: AtomicBool = AtomicBool::new(true);
    let done = serve(options, |_| {}, &STOPPED);
    assert!(matches!(done, Err(ServeError::Folder { .. })));
}

/// With the feature, the program has the page in it; without, it says so.
#[test]
fn the_page_may_be_in_the_program() {
    assert_eq!(Page::built_in().is_ok(), cfg!(feature = "page"));
}
