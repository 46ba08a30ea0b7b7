//! What a request takes on its way, as far as it goes.

use super::queue::Ticks;

/// Latency and waits of a request. Parts of it that go different ways end with the last.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Way {
    /// Unloaded latency.
    pub latency: Ticks,
    /// The longest of its waits.
    pub wait: Ticks,
    /// When data are there that were already coming; a time, not a duration.
    pub ready: Ticks,
}

impl Way {
    /// Whatever takes longer.
    pub(crate) fn join(self, other: Way) -> Way {
        Way {
            latency: self.latency.max(other.latency),
            wait: self.wait.max(other.wait),
            ready: self.ready.max(other.ready),
        }
    }

    /// With another wait beside its own.
    pub(crate) fn waiting(self, wait: Ticks) -> Way {
        Way {
            wait: self.wait.max(wait),
            ..self
        }
    }

    /// When a request of `now` is done.
    pub(crate) fn done(self, now: Ticks) -> Ticks {
        self.ready.max(now + self.latency + self.wait)
    }
}
