//! A set-associative cache of lines in sectors, least recently used first to go.
//!
//! It holds no data and knows no time: only which sectors are there and which were written. Lines
//! are named by number (address over line size).

use std::ops::Range;

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

/// Tags of a cache, with something else to remember for each line.
#[derive(Debug, Clone)]
pub struct Cache<T = ()> {
    sets: Spread,
    ways: usize,
    /// Half of each line's number, since most comparisons fail.
    tags: Vec<u32>,
    /// When each line was used last; 0 for none.
    used: Vec<u32>,
    clock: u32,
    slots: Vec<Line<T>>,
}

#[derive(Debug, Clone, Copy)]
struct Line<T> {
    line: u64,
    valid: u16,
    dirty: u16,
    more: T,
}

impl<T: Default> Line<T> {
    fn empty() -> Line<T> {
        Line {
            line: EMPTY,
            valid: 0,
            dirty: 0,
            more: T::default(),
        }
    }
}

/// Where a line is in its cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot(usize);

fn tag(line: u64) -> u32 {
    (line ^ line >> 32) as u32
}

impl<T: Copy + Default> Cache<T> {
    /// A cache of about `lines` lines in sets of `ways`: as many whole sets as fit, at least one.
    pub fn new(lines: u64, ways: u32, hash: AddressHash) -> Cache<T> {
        let ways = u64::from(ways).clamp(1, lines.max(1));
        let sets = (lines / ways).max(1);
        let slots = (sets * ways) as usize;
        Cache {
            sets: Spread::new(sets, hash),
            ways: ways as usize,
            tags: vec![tag(EMPTY); slots],
            used: vec![0; slots],
            clock: 0,
            slots: vec![Line::empty(); slots],
        }
    }

    /// Lines that it can hold.
    pub fn capacity_lines(&self) -> usize {
        self.slots.len()
    }

    /// The set of a line; `index` counts the lines that can come to this cache.
    fn set(&self, index: u64) -> Range<usize> {
        let start = self.sets.part(index) * self.ways;
        start..start + self.ways
    }

    /// Finds a line and makes it the most recently used one of its set. `index` counts the lines
    /// that can come to this cache; it is `line` where all can.
    pub fn find(&mut self, index: u64, line: u64) -> Option<Slot> {
        let set = self.set(index);
        let way = self.way(&set, line)?;
        self.touch(set.start + way);
        Some(Slot(set.start + way))
    }

    /// The way of a set that has a line.
    fn way(&self, set: &Range<usize>, line: u64) -> Option<usize> {
        const GROUP: usize = 8;
        let wanted = tag(line);
        for (group, tags) in self.tags[set.clone()].chunks(GROUP).enumerate() {
            // Without an early end, so that all of a group are compared at once.
            let found = tags.iter().fold(false, |found, t| found | (*t == wanted));
            if !found {
                continue;
            }
            let first = group * GROUP;
            let lines = &self.slots[set.start + first..];
            if let Some(way) = (0..tags.len()).find(|way| lines[*way].line == line) {
                return Some(first + way);
            }
        }
        None
    }

    /// A line is the one used last.
    fn touch(&mut self, slot: usize) {
        if self.clock == u32::MAX {
            self.rewind();
        }
        self.clock += 1;
        self.used[slot] = self.clock;
    }

    /// Makes the clock begin anew; the order within each set stays.
    fn rewind(&mut self) {
        let mut ways: Vec<usize> = (0..self.ways).collect();
        for used in self.used.chunks_mut(self.ways) {
            ways.sort_by_key(|way| used[*way]);
            for (age, way) in (1..).zip(&ways) {
                used[*way] = age;
            }
        }
        self.clock = self.ways as u32;
    }

    /// Makes room for a line that is not there; it has no sectors yet.
    pub fn place(&mut self, index: u64, line: u64) -> (Slot, Option<Evicted>) {
        let set = self.set(index);
        let used = &self.used[set.clone()];
        let oldest = used.iter().fold(u32::MAX, |oldest, u| oldest.min(*u));
        let way = used.iter().position(|u| *u == oldest).unwrap_or(0);
        let slot = set.start + way;
        let evicted = self.take(slot);
        self.tags[slot] = tag(line);
        self.slots[slot].line = line;
        self.touch(slot);
        (Slot(slot), evicted)
    }

    /// Drops a line, if it is there.
    pub fn remove(&mut self, index: u64, line: u64) -> Option<Evicted> {
        let set = self.set(index);
        let way = self.way(&set, line)?;
        self.used[set.start + way] = 0;
        self.take(set.start + way)
    }

    fn take(&mut self, slot: usize) -> Option<Evicted> {
        self.tags[slot] = tag(EMPTY);
        let Line { line, dirty, .. } = std::mem::replace(&mut self.slots[slot], Line::empty());
        (line != EMPTY).then_some(Evicted { line, dirty })
    }

    /// Drops all lines and what was written to them.
    pub fn clear(&mut self) {
        self.tags.fill(tag(EMPTY));
        self.used.fill(0);
        self.slots.fill(Line::empty());
    }

    /// Sectors that a line has.
    pub fn valid(&self, slot: Slot) -> u16 {
        self.slots[slot.0].valid
    }

    /// Sectors come in.
    pub fn fill(&mut self, slot: Slot, sectors: u16) {
        self.slots[slot.0].valid |= sectors;
    }

    /// Sectors are written here and nowhere else.
    pub fn write(&mut self, slot: Slot, sectors: u16) {
        self.slots[slot.0].valid |= sectors;
        self.slots[slot.0].dirty |= sectors;
    }

    /// What else is remembered for a line; it begins with the default.
    pub fn more(&mut self, slot: Slot) -> &mut T {
        &mut self.slots[slot.0].more
    }

    /// The same for all lines.
    pub fn all_more(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().map(|slot| &mut slot.more)
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
        let gone = cache.remove(3, 3);
        assert_eq!(
            gone,
            Some(Evicted {
                line: 3,
                dirty: 0b1000
            })
        );
        assert_eq!(cache.find(3, 3), None);
        let (slot, _) = cache.place(3, 3);
        assert_eq!(cache.valid(slot), 0);
        let gone = cache.remove(3, 3);
        assert_eq!(gone, Some(Evicted { line: 3, dirty: 0 }));
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

    /// A line that was dropped leaves its place to the next, and nobody else has to go.
    #[test]
    fn a_dropped_line_is_replaced_first() {
        let mut cache = cache(4, 4);
        (0..4).for_each(|line| assert!(!load(&mut cache, line)));
        cache.remove(2, 2);
        assert_eq!(cache.place(9, 9).1, None);
        assert!([0, 1, 3, 9].iter().all(|line| load(&mut cache, *line)));
    }

    #[test]
    fn the_order_outlives_the_clock() {
        let mut cache = cache(4, 4);
        (0..4).for_each(|line| assert!(!load(&mut cache, line)));
        assert!(load(&mut cache, 0));
        cache.clock = u32::MAX;
        assert!(load(&mut cache, 1));
        // Used in the order 2, 3, 0, 1.
        for expected in [2, 3, 0, 1] {
            let (_, evicted) = cache.place(10 + expected, 10 + expected);
            assert_eq!(evicted.map(|e| e.line), Some(expected));
        }
    }

    /// Lines whose halves have the same exclusive or are still different lines.
    #[test]
    fn lines_with_the_same_tag_stay_apart() {
        let mut cache = cache(4, 4);
        let (one, other) = (5, (1 << 32) | 4);
        assert_eq!(tag(one), tag(other));
        load(&mut cache, one);
        assert!(!load(&mut cache, other));
        assert!(load(&mut cache, one));
        assert!(!load(&mut cache, tag(EMPTY).into()));
    }

    #[test]
    fn shapes_that_do_not_divide_lose_less_than_a_set() {
        assert_eq!(cache(100, 16).capacity_lines(), 96);
        assert_eq!(cache(3, 16).capacity_lines(), 3);
        assert_eq!(cache(0, 16).capacity_lines(), 1);
    }
}
