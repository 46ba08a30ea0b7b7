//! Victim tags (Rogers et al., MICRO 2012): which lines of the L1 a warp brought and lost again.

use rustc_hash::FxHashMap;

/// Lost lines that are remembered for a warp.
const ENTRIES: usize = 16;

/// The lines that one warp lost last.
#[derive(Clone, Copy, Debug)]
struct Tags {
    lines: [Option<u64>; ENTRIES],
    /// The oldest entry.
    next: usize,
}

impl Tags {
    const EMPTY: Tags = Tags {
        lines: [None; ENTRIES],
        next: 0,
    };
}

/// The victim tags of all warps of an SM.
#[derive(Clone, Debug, Default)]
pub struct Victims {
    /// The slot whose warp brought each line that is in the L1 or on its way there.
    owners: FxHashMap<u64, u32>,
    /// By slot.
    lost: Vec<Tags>,
}

impl Victims {
    fn tags(&mut self, slot: u32) -> &mut Tags {
        let slot = slot as usize;
        if slot >= self.lost.len() {
            self.lost.resize(slot + 1, Tags::EMPTY);
        }
        &mut self.lost[slot]
    }

    /// Another warp takes a slot.
    pub fn enter(&mut self, slot: u32) {
        *self.tags(slot) = Tags::EMPTY;
    }

    /// A warp brings a line; true if it is one that it lost.
    pub fn miss(&mut self, slot: u32, line: u64) -> bool {
        self.owners.insert(line, slot);
        let tags = self.tags(slot);
        let lost = tags.lines.iter_mut().find(|entry| **entry == Some(line));
        lost.and_then(Option::take).is_some()
    }

    /// A line leaves the L1.
    pub fn evict(&mut self, line: u64) {
        if let Some(slot) = self.owners.remove(&line) {
            let tags = self.tags(slot);
            tags.lines[tags.next] = Some(line);
            tags.next = (tags.next + 1) % ENTRIES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warp_finds_what_it_lost_itself() {
        let mut victims = Victims::default();
        assert!(!victims.miss(3, 1024));
        // Still there or on its way: nothing is lost.
        assert!(!victims.miss(3, 1024));
        victims.evict(1024);
        assert!(!victims.miss(4, 1024), "another warp's");
        victims.evict(1024);
        assert!(victims.miss(3, 1024));
        assert!(!victims.miss(3, 1024), "it is back");
        victims.evict(1024);
        victims.enter(3);
        assert!(!victims.miss(3, 1024), "another warp has the slot");
    }

    #[test]
    fn sixteen_lines_are_remembered() {
        let mut victims = Victims::default();
        for line in 0..17 {
            victims.miss(0, line);
            victims.evict(line);
        }
        assert!(!victims.miss(0, 0), "the oldest one");
        assert!((1..17).all(|line| victims.miss(0, line)));
    }
}
