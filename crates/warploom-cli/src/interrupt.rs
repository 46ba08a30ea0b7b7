//! Ctrl-C: the first ends the run with a report of what was done, the second ends the program.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Catches Ctrl-C from here on; the flag that it raises.
pub fn flag() -> &'static AtomicBool {
    // Without a handler Ctrl-C ends the program at once, which is all right too.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    &INTERRUPTED
}
