//! Serves the page, and to it the programs of one folder.
//!
//! The page is a static site whose engine runs in the browser; the server adds local files. It
//! answers only `GET`, only under the host names that it was told, and reads only programs inside
//! the folder that it was given.
//!
//! | module | holds |
//! | --- | --- |
//! | `page` | the built page: in the program, or in a folder |
//! | `files` | the programs of the folder |
//! | `guard` | who may ask, how much, and what answers may do |

mod files;
mod guard;
mod page;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::middleware;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::time::sleep;

pub use guard::Hosts;
pub use page::{Page, PageError};

use files::Folder;

/// How often the server looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(100);

/// What to serve, and where.
#[derive(Debug)]
pub struct Options {
    /// Where to listen; port 0 takes any that is free.
    pub address: SocketAddr,
    /// Host names under which the server answers, besides those of this computer and its address.
    pub hosts: Vec<String>,
    /// The page.
    pub page: Page,
    /// The folder whose programs the page may open.
    pub folder: Option<PathBuf>,
}

/// Why it cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be taken.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// The folder cannot be read.
    #[error("cannot read the folder `{folder}`: {error}")]
    Folder {
        /// The folder.
        folder: String,
        /// Why.
        error: io::Error,
    },
    /// The server itself failed.
    #[error(transparent)]
    Server(#[from] io::Error),
}

/// Serves until `stop` is raised. `listening` is told the address once requests are answered.
///
/// # Errors
/// When the address or the folder cannot be had.
pub fn serve(
    options: Options,
    listening: impl FnOnce(SocketAddr),
    stop: &'static AtomicBool,
) -> Result<(), ServeError> {
    let Options {
        address,
        hosts,
        page,
        folder,
    } = options;
    let folder = folder.map(Folder::open).transpose()?.map(Arc::new);
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async move {
        let listener = TcpListener::bind(address)
            .await
            .map_err(|error| ServeError::Listen { address, error })?;
        let bound = listener.local_addr()?;
        let router = router(page, folder, Hosts::new(bound, hosts));
        listening(bound);
        let server = axum::serve(listener, router);
        let stopped = async {
            while !stop.load(Ordering::Relaxed) {
                sleep(LOOK).await;
            }
        };
        Ok(server.with_graceful_shutdown(stopped).await?)
    })
}

fn router(page: Page, folder: Option<Arc<Folder>>, hosts: Hosts) -> Router {
    let page = Arc::new(page.with_files(folder.is_some()));
    let mut router = Router::new();
    if let Some(folder) = folder {
        let list = Arc::clone(&folder);
        router = router
            .route("/api/files", get(move || files::list(list)))
            .route("/api/file", get(move |query| files::read(folder, query)));
    }
    let guard = guard::Guard::new(hosts);
    router
        .fallback(move |method, uri| page::answer(page, method, uri))
        .layer(middleware::from_fn_with_state(
            Arc::new(guard),
            guard::check,
        ))
}
