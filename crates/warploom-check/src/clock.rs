//! What a thread knows of what others have done: a vector clock, compressed by blocks.
//!
//! A thread counts its *epochs*: each time that it publishes or learns something, a new one begins.
//! A clock holds, for each block of which anything is known, the last epoch of each of its threads
//! whose end is known to have come before. Threads that have met at a barrier share one clock, and
//! clocks share the epochs of blocks that are the same in both.

use std::collections::BTreeMap;
use std::sync::Arc;

/// A thread of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Thread {
    /// Its block, in one dimension.
    pub(crate) block: u64,
    /// Its index in the block, in one dimension.
    pub(crate) index: u32,
}

/// The epochs of a block's threads. Threads past the end are unknown.
type Epochs = Arc<[u32]>;

/// What is known of all threads. The default knows nothing.
#[derive(Clone, Default, Debug)]
pub(crate) struct Clock(Option<Arc<BTreeMap<u64, Epochs>>>);

impl Clock {
    /// The last epoch of a thread that has ended before, or 0.
    pub(crate) fn knows(&self, thread: Thread) -> u32 {
        let epoch = self.epochs(thread.block).get(thread.index as usize);
        epoch.copied().unwrap_or(0)
    }

    /// The known epochs of a block's threads.
    pub(crate) fn epochs(&self, block: u64) -> &[u32] {
        let epochs = self.0.as_ref().and_then(|blocks| blocks.get(&block));
        epochs.map_or(&[], |epochs| epochs)
    }

    /// Whether two clocks are one.
    pub(crate) fn is(&self, other: &Clock) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// Learns what another clock knows.
    pub(crate) fn join(&mut self, other: &Clock) {
        let Some(theirs) = &other.0 else {
            return;
        };
        let Some(mine) = &mut self.0 else {
            self.0 = Some(theirs.clone());
            return;
        };
        if Arc::ptr_eq(mine, theirs) {
            return;
        }
        let mine = Arc::make_mut(mine);
        for (&block, epochs) in theirs.iter() {
            let known = mine.entry(block).or_insert_with(|| epochs.clone());
            if !Arc::ptr_eq(known, epochs) {
                *known = greater(known, epochs);
            }
        }
    }

    /// Learns the last epochs of threads of one block.
    pub(crate) fn learn(&mut self, block: u64, of: &[(u32, u32)]) {
        let Some(most) = of.iter().map(|&(thread, _)| thread).max() else {
            return;
        };
        let blocks = Arc::make_mut(self.0.get_or_insert_default());
        let known = blocks.entry(block).or_insert_with(|| Arc::from([]));
        let mut epochs = known.to_vec();
        if epochs.len() <= most as usize {
            epochs.resize(most as usize + 1, 0);
        }
        for &(thread, epoch) in of {
            let known = &mut epochs[thread as usize];
            *known = epoch.max(*known);
        }
        *known = epochs.into();
    }
}

/// The later of each thread's epochs; one of the two itself where it holds all of them.
fn greater(a: &Epochs, b: &Epochs) -> Epochs {
    let covers = |a: &[u32], b: &[u32]| a.len() >= b.len() && a.iter().zip(b).all(|(a, b)| a >= b);
    if covers(a, b) {
        return a.clone();
    }
    if covers(b, a) {
        return b.clone();
    }
    let longer = a.len().max(b.len());
    let at = |epochs: &[u32], i: usize| epochs.get(i).copied().unwrap_or(0);
    (0..longer).map(|i| at(a, i).max(at(b, i))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(block: u64, index: u32) -> Thread {
        Thread { block, index }
    }

    #[test]
    fn clocks_learn_and_join() {
        let mut a = Clock::default();
        a.learn(3, &[(0, 5), (7, 2)]);
        let mut b = Clock::default();
        b.learn(3, &[(0, 1), (9, 4)]);
        b.learn(8, &[(1, 6)]);
        a.join(&b);
        let known = [(3, 0), (3, 7), (3, 9), (8, 1), (3, 1), (9, 0)];
        let known = known.map(|(block, index)| a.knows(thread(block, index)));
        assert_eq!(known, [5, 2, 4, 6, 0, 0]);
        // The other has learned nothing.
        assert_eq!(b.knows(thread(3, 7)), 0);
        // An epoch that is known already does not go back.
        a.learn(3, &[(0, 4)]);
        assert_eq!(a.knows(thread(3, 0)), 5);
    }
}
