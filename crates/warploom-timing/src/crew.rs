//! Host threads, for those who have some to lend.

/// Carries out jobs that have nothing to do with each other.
pub trait Crew {
    /// Whether jobs that execute about so many thread instructions together are worth the hand-over.
    fn takes(&self, thread_instructions: u64) -> bool;

    /// Does the job to each of the items, on any thread, and returns when all are done.
    fn each<T: Send>(&self, items: &mut [T], job: impl Fn(&mut T) + Sync);
}

/// The caller's thread alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Crew for Alone {
    fn takes(&self, _: u64) -> bool {
        false
    }

    fn each<T: Send>(&self, items: &mut [T], job: impl Fn(&mut T) + Sync) {
        items.iter_mut().for_each(job);
    }
}
