//! Host threads that take a chip in time through its epochs.

use std::cell::OnceCell;
use std::sync::{Mutex, PoisonError};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// So many host threads; 0 is one for each core.
pub(crate) fn host_threads(wanted: usize) -> usize {
    match wanted {
        0 => thread::available_parallelism().map_or(1, usize::from),
        wanted => wanted,
    }
}

/// Thread instructions that take much longer than to wake other threads: in time, a host thread executes
/// some 50 of them in a microsecond.
const WORTH_INSTRUCTIONS: u64 = 1 << 15;

/// The caller's thread and others, which are started when there is work for them.
pub(crate) struct Crew {
    threads: usize,
    /// The others; none where the host has no threads.
    others: OnceCell<Option<ThreadPool>>,
}

impl Crew {
    /// Of so many threads, the caller's among them; 0 is one for each core.
    pub(crate) fn new(threads: usize) -> Crew {
        Crew {
            threads: host_threads(threads),
            others: OnceCell::new(),
        }
    }

    fn others(&self) -> Option<&ThreadPool> {
        let start = || {
            let others = self.threads.checked_sub(1).filter(|&others| others > 0)?;
            ThreadPoolBuilder::new().num_threads(others).build().ok()
        };
        self.others.get_or_init(start).as_ref()
    }
}

impl warploom_timing::Crew for Crew {
    fn takes(&self, thread_instructions: u64) -> bool {
        self.threads > 1 && thread_instructions >= WORTH_INSTRUCTIONS
    }

    fn each<T: Send>(&self, items: &mut [T], job: impl Fn(&mut T) + Sync) {
        let Some(others) = self.others() else {
            return items.iter_mut().for_each(job);
        };
        let left = Mutex::new(items.iter_mut());
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while let Some(item) = next() {
                job(item);
            }
        };
        others.in_place_scope(|scope| {
            for _ in 0..others.current_num_threads() {
                scope.spawn(|_| work());
            }
            work();
        });
    }
}

#[cfg(test)]
mod tests {
    use warploom_timing::Crew as _;

    use super::*;

    #[test]
    fn each_item_has_its_turn_once() {
        for threads in [1, 2, 3, 8] {
            let crew = Crew::new(threads);
            let mut items: Vec<u64> = (0..100).collect();
            for _ in 0..10 {
                crew.each(&mut items, |item| *item += 1);
            }
            assert!(items.iter().copied().eq(10..110), "{threads} threads");
            crew.each(&mut Vec::<u64>::new(), |_| unreachable!());
        }
    }
}
