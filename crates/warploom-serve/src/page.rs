//! The built page: files in the program, or in a folder.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

/// The page's files in the program, if it was built with them.
static BUILT_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Most bytes and files of a page.
const MAX_PAGE_BYTES: u64 = 64 << 20;
const MAX_FILES: usize = 1000;
/// What tells the page that there is a folder with programs.
const FILES_MARK: &str = "<meta name=\"warploom-files\" content=\"yes\" />";

/// The files of the page, by name.
#[derive(Debug)]
pub struct Page {
    files: BTreeMap<String, Vec<u8>>,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The program was built without it.
    #[error("this program was built without the page")]
    NotBuiltIn,
    /// The folder holds none.
    #[error("`{0}` holds no built page: there is no index.html in it")]
    NoIndex(String),
    /// It is too large to be one.
    #[error("`{0}` is too large for a page")]
    TooLarge(String),
    /// The folder cannot be read.
    #[error("cannot read `{folder}`: {error}")]
    Unreadable {
        /// The folder.
        folder: String,
        /// Why.
        error: io::Error,
    },
}

impl Page {
    /// The page in the program.
    ///
    /// # Errors
    /// When it was built without one.
    pub fn built_in() -> Result<Page, PageError> {
        if BUILT_IN.is_empty() {
            return Err(PageError::NotBuiltIn);
        }
        let files = BUILT_IN.iter();
        let files = files.map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec()));
        Ok(Page {
            files: files.collect(),
        })
    }

    /// The page in a folder. It is read at once, so that no request reads a file.
    ///
    /// # Errors
    /// When there is none.
    pub fn folder(folder: &Path) -> Result<Page, PageError> {
        let shown = || folder.display().to_string();
        let mut files = BTreeMap::new();
        let mut left_bytes = MAX_PAGE_BYTES;
        let mut waiting = vec![folder.to_owned()];
        let unreadable = |error| PageError::Unreadable {
            folder: shown(),
            error,
        };
        while let Some(here) = waiting.pop() {
            for entry in fs::read_dir(&here).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                let path = entry.path();
                let kind = entry.file_type().map_err(unreadable)?;
                if kind.is_dir() {
                    waiting.push(path);
                    continue;
                }
                let length = entry.metadata().map_err(unreadable)?.len();
                left_bytes = left_bytes
                    .checked_sub(length)
                    .filter(|_| files.len() < MAX_FILES)
                    .ok_or_else(|| PageError::TooLarge(shown()))?;
                if let (true, Ok(name)) = (kind.is_file(), path.strip_prefix(folder)) {
                    let name = name.to_string_lossy().replace('\\', "/");
                    files.insert(name, fs::read(&path).map_err(unreadable)?);
                }
            }
        }
        if !files.contains_key("index.html") {
            return Err(PageError::NoIndex(shown()));
        }
        Ok(Page { files })
    }

    /// Tells the page whether there are programs to ask for.
    pub(crate) fn with_files(mut self, there: bool) -> Page {
        if let Some(index) = self.files.get_mut("index.html").filter(|_| there) {
            let text = String::from_utf8_lossy(index);
            *index = text
                .replacen("<head>", &format!("<head>{FILES_MARK}"), 1)
                .into_bytes();
        }
        self
    }
}

/// Answers with a file of the page.
pub(crate) async fn answer(page: Arc<Page>, method: Method, uri: Uri) -> Response {
    let name = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    let Some(bytes) = page.files.get(name) else {
        return (StatusCode::NOT_FOUND, "there is no such file").into_response();
    };
    let kind = [(header::CONTENT_TYPE, content_type(name))];
    match method {
        Method::HEAD => kind.into_response(),
        _ => (kind, bytes.clone()).into_response(),
    }
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
