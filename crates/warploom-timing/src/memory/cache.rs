//! A set-associative cache of lines in sectors, least recently used first to go.
//!
//! It holds no data and knows no time: only which sectors are there and which were written. Lines
//! are named by number (address over line size).

use warploom_device::schema::AddressHash;

use super::spread::Spread;

/// No line has this number.
const EMPTY: u64 = u64::MAX;

/// A line that had to go, with the sectors that its next level does not have yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evicted {
    /// Number of the line.
    pub line: u64,
    /// Sectors that were written.
    pub dirty: u16,
}

/// Tags of a cache.
#[derive(Debug, Clone)]
pub struct Cache {
    sets: Spread,
    ways: usize,
    lines: Vec<u64>,
    used: Vec<u64>,
    valid: Vec<u16>,
    dirty: Vec<u16>,
    clock: u64,
}

/// Where a line is in its cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot(usize);

impl Slot {
    /// Number of the slot, below [`Cache::slots`].
    pub fn index(self) -> usize {
        self.0
    }
}

impl Cache {
    /// A cache of about `lines` lines in sets of `ways`: as many whole sets as fit, at least one.
    pub fn new(lines: u64, ways: u32, hash: AddressHash) -> Cache {
        let ways = u64::from(ways).clamp(1, lines.max(1));
        let sets = (lines / ways).max(1);
        let slots = (sets * ways) as usize;
        Cache {
            sets: Spread::new(sets, hash),
            ways: ways as usize,
            lines: vec![EMPTY; slots],
            used: vec![0; slots],
            valid: vec![0; slots],
            dirty: vec![0; slots],
            clock: 0,
        }
    }

    /// Lines that it can hold.
    pub fn slots(&self) -> usize {
        self.lines.len()
    }

    /// The set of a line; `index` counts the lines that can come to this cache.
    fn set(&self, index: u64) -> std::ops::Range<usize> {
        let start = self.sets.part(index) * self.ways;
        start..start + self.ways
    }

    /// Finds a line and makes it the most recently used one of its set. `index` counts the lines
    /// that can come to this cache; it is `line` where all can.
    pub fn find(&mut self, index: u64, line: u64) -> Option<Slot> {
        let slot = self.peek(index, line)?;
        self.clock += 1;
        self.used[slot.0] = self.clock;
        Some(slot)
    }

    /// Finds a line without using it.
    pub fn peek(&self, index: u64, line: u64) -> Option<Slot> {
        let set = self.set(index);
        let way = self.lines[set.clone()].iter().position(|l| *l == line)?;
        Some(Slot(set.start + way))
    }

    /// Makes room for a line that is not there; it has no sectors yet.
    pub fn place(&mut self, index: u64, line: u64) -> (Slot, Option<Evicted>) {
        let set = self.set(index);
        let mut slot = set.start;
        let mut oldest = u64::MAX;
        for (way, used) in self.used[set.clone()].iter().enumerate() {
            if *used < oldest {
                oldest = *used;
                slot = set.start + way;
            }
        }
        let evicted = self.take(slot);
        self.clock += 1;
        self.lines[slot] = line;
        self.used[slot] = self.clock;
        (Slot(slot), evicted)
    }

    /// Drops a line, if it is there.
    pub fn remove(&mut self, index: u64, line: u64) -> Option<Evicted> {
        let slot = self.peek(index, line)?.0;
        let evicted = self.take(slot);
        self.lines[slot] = EMPTY;
        self.used[slot] = 0;
        evicted
    }

    fn take(&mut self, slot: usize) -> Option<Evicted> {
        self.valid[slot] = 0;
        let dirty = std::mem::take(&mut self.dirty[slot]);
        let line = self.lines[slot];
        (line != EMPTY).then_some(Evicted { line, dirty })
    }

    /// Drops all lines and what was written to them.
    pub fn clear(&mut self) {
        self.lines.fill(EMPTY);
        self.used.fill(0);
        self.valid.fill(0);
        self.dirty.fill(0);
    }

    /// Sectors that a line has.
    pub fn valid(&self, slot: Slot) -> u16 {
        self.valid[slot.0]
    }

    /// Sectors of a line that were written.
    pub fn dirty(&self, slot: Slot) -> u16 {
        self.dirty[slot.0]
    }

    /// Sectors come in.
    pub fn fill(&mut self, slot: Slot, sectors: u16) {
        self.valid[slot.0] |= sectors;
    }

    /// Sectors are written here and nowhere else.
    pub fn write(&mut self, slot: Slot, sectors: u16) {
        self.valid[slot.0] |= sectors;
        self.dirty[slot.0] |= sectors;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(lines: u64, ways: u32) -> Cache {
        Cache::new(lines, ways, AddressHash::Modulo)
    }

    fn load(cache: &mut Cache, line: u64) -> bool {
        let hit = cache.find(line, line).is_some();
        if !hit {
            cache.place(line, line);
        }
        hit
    }

    #[test]
    fn the_least_recently_used_goes() {
        let mut cache = cache(8, 2);
        // Lines 0, 4, 8 share set 0 of four.
        assert!(!load(&mut cache, 0));
        assert!(!load(&mut cache, 4));
        assert!(load(&mut cache, 0));
        let (_, evicted) = cache.place(8, 8);
        assert_eq!(evicted, Some(Evicted { line: 4, dirty: 0 }));
        assert!(load(&mut cache, 0));
        assert!(load(&mut cache, 8));
        assert!(!load(&mut cache, 4));
    }

    #[test]
    fn sectors_come_one_by_one() {
        let mut cache = cache(8, 2);
        let (slot, evicted) = cache.place(3, 3);
        assert_eq!(evicted, None);
        assert_eq!(cache.valid(slot), 0);
        cache.fill(slot, 0b0010);
        cache.write(slot, 0b1000);
        assert_eq!(cache.valid(slot), 0b1010);
        assert_eq!(cache.dirty(slot), 0b1000);
        let gone = cache.remove(3, 3);
        assert_eq!(
            gone,
            Some(Evicted {
                line: 3,
                dirty: 0b1000
            })
        );
        assert_eq!(cache.peek(3, 3), None);
        let (slot, _) = cache.place(3, 3);
        assert_eq!((cache.valid(slot), cache.dirty(slot)), (0, 0));
    }

    /// What is a line larger than a fully associative cache never hits when it is walked through
    /// in a circle; what fits always does.
    #[test]
    fn a_circle_that_does_not_fit_always_misses() {
        for (lines, expected) in [(64, 64), (65, 0)] {
            let mut cache = cache(64, 64);
            for line in 0..lines {
                load(&mut cache, line);
            }
            let hits = (0..lines).filter(|line| load(&mut cache, *line)).count();
            assert_eq!(hits, expected);
        }
    }

    #[test]
    fn shapes_that_do_not_divide_lose_less_than_a_set() {
        assert_eq!(cache(100, 16).slots(), 96);
        assert_eq!(cache(3, 16).slots(), 3);
        assert_eq!(cache(0, 16).slots(), 1);
    }
}
