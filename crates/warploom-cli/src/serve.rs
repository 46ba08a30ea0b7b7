//! `warploom serve`.

use std::net::SocketAddr;

use warploom::text::{Diagnostic, Spot};
use warploom_serve::{Options, Page, PageError, ServeError, serve};

use crate::args::ServeArgs;
use crate::interrupt;
use crate::output::{Done, Failure, Output, wrong_argument};

/// Serves until it is interrupted.
pub fn run(args: &ServeArgs, output: &mut Output) -> Done {
    let options = Options {
        address: SocketAddr::new(args.address, args.port),
        hosts: args.host.clone(),
        page: page(args)?,
        folder: args.folder.clone(),
    };
    if !args.address.is_loopback() {
        output.message("note: others on the network can reach this server");
    }
    let listening = |address: SocketAddr| {
        output.message(&format!("serving http://{address}/ (Ctrl-C ends it)"));
    };
    match serve(options, listening, interrupt::flag()) {
        Ok(()) => Ok(0),
        Err(ServeError::Server(error)) => Err(Failure::Output(error)),
        Err(error) => Err(wrong_argument(Diagnostic::error(error.to_string()))),
    }
}

fn page(args: &ServeArgs) -> Result<Page, Failure> {
    let (found, spot) = match &args.page {
        Some(folder) => {
            let spot = Spot::whole("--page", folder.display().to_string());
            (Page::folder(folder), Some(spot))
        }
        None => (Page::built_in(), None),
    };
    found.map_err(|error| {
        let diagnostic = Diagnostic::error(error.to_string()).maybe_at(spot.as_ref(), "");
        wrong_argument(match error {
            PageError::NotBuiltIn => diagnostic.help(
                "`cargo xtask web` builds the page into `web/dist`: serve it with `--page web/dist`, \
                 or build the program with `--features page`",
            ),
            _ => diagnostic,
        })
    })
}
