//! What is shown while a run goes on: kernel output, and a bar if it takes long.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use warploom::Watcher;

/// Runs shorter than this show no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// Shows progress on standard error, and kernel output where it belongs.
pub struct Progress {
    bar: ProgressBar,
    launches: usize,
    output_to_stderr: bool,
    showing: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// A run of `launches` launches begins. The bar is only shown on a terminal.
    pub fn begin(launches: usize, output_to_stderr: bool) -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let template = "{spinner} {msg} {bar:30} {percent:>3}% of {len} blocks, {elapsed}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let showing = io::stderr().is_terminal().then(|| {
            let (done, waiting) = mpsc::channel::<()>();
            let bar = bar.clone();
            let show = move || {
                if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(Duration::from_millis(100));
                }
            };
            (done, thread::spawn(show))
        });
        Progress {
            bar,
            launches,
            output_to_stderr,
            showing,
        }
    }

    /// The run is over; the bar goes.
    pub fn end(self) {
        if let Some((done, shower)) = self.showing {
            drop(done);
            // It only waits and shows.
            let _ = shower.join();
        }
        self.bar.finish_and_clear();
    }
}

impl Watcher for Progress {
    fn output(&self, bytes: &[u8]) {
        self.bar.suspend(|| {
            // A kernel does not fail because nobody reads what it prints.
            let _ = match self.output_to_stderr {
                true => io::stderr().lock().write_all(bytes),
                false => io::stdout().lock().write_all(bytes),
            };
        });
    }

    fn progress(&self, launch: usize, done: u64, total: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
        self.bar
            .set_message(format!("launch {} of {}", launch + 1, self.launches));
    }
}
