//! The programs of a folder.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use axum::Json;
use axum::extract::Query;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use crate::ServeError;

/// Files that are listed, folders that are looked into, and how deep they may lie.
const MAX_LISTED: usize = 500;
const MAX_FOLDERS: usize = 2000;
const MAX_DEPTH: usize = 6;
/// Longest program.
const MAX_BYTES: u64 = 4 << 20;
/// Endings of programs.
const ENDINGS: [&str; 2] = ["simt", "ptx"];

/// A folder whose programs may be read.
#[derive(Debug)]
pub(crate) struct Folder {
    /// Without links.
    root: PathBuf,
}

/// A program of the folder.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Listed {
    /// From the folder, with `/` between its parts.
    path: String,
    bytes: u64,
}

/// Which file to read.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    path: String,
}

impl Folder {
    pub(crate) fn open(folder: PathBuf) -> Result<Folder, ServeError> {
        let failed = |error| ServeError::Folder {
            folder: folder.display().to_string(),
            error,
        };
        let root = folder.canonicalize().map_err(failed)?;
        fs::read_dir(&root).map_err(failed)?;
        Ok(Folder { root })
    }

    /// The programs, sorted. Links are not followed.
    fn list(&self) -> Vec<Listed> {
        let mut found = Vec::new();
        let mut waiting = vec![(self.root.clone(), 0)];
        let mut folders = 0;
        while let Some((folder, depth)) = waiting.pop() {
            folders += 1;
            if folders > MAX_FOLDERS {
                break;
            }
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let hidden = entry.file_name().to_string_lossy().starts_with('.');
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if kind.is_dir() && depth < MAX_DEPTH && !hidden {
                    waiting.push((path, depth + 1));
                } else if kind.is_file() && is_program(&path) {
                    let name = path.strip_prefix(&self.root).ok().and_then(Path::to_str);
                    let Some(name) = name else { continue };
                    let bytes = entry.metadata().map_or(0, |file| file.len());
                    found.push(Listed {
                        path: name.replace('\\', "/"),
                        bytes,
                    });
                }
            }
        }
        found.sort();
        found.truncate(MAX_LISTED);
        found
    }

    /// A program by its path from the folder.
    fn read(&self, wanted: &str) -> Result<String, (StatusCode, &'static str)> {
        let none = (StatusCode::NOT_FOUND, "there is no such program");
        let path = Path::new(wanted);
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if !path.components().all(plain) || !is_program(path) {
            return Err(none);
        }
        // What links lead to must be inside as well.
        let full = self.root.join(path).canonicalize().map_err(|_| none)?;
        if !full.starts_with(&self.root) || !full.is_file() || !is_program(&full) {
            return Err(none);
        }
        let file = File::open(&full).map_err(|_| none)?;
        let mut bytes = Vec::new();
        let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|_| none)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err((StatusCode::PAYLOAD_TOO_LARGE, "the program is too long"));
        }
        let text = String::from_utf8(bytes);
        text.map_err(|_| (StatusCode::UNSUPPORTED_MEDIA_TYPE, "the file is no text"))
    }
}

fn is_program(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

/// `/api/files`
pub(crate) async fn list(folder: Arc<Folder>) -> Response {
    match spawn_blocking(move || folder.list()).await {
        Ok(files) => Json(files).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// `/api/file?path=…`
pub(crate) async fn read(folder: Arc<Folder>, Query(wanted): Query<Wanted>) -> Response {
    match spawn_blocking(move || folder.read(&wanted.path)).await {
        Ok(Ok(text)) => {
            ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
        }
        Ok(Err(refusal)) => refusal.into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
