//! For every byte of a space, the last writes and the reads since.
//!
//! Memory is kept in pages, word by word, until something narrower than a word touches a page.

use rustc_hash::FxHashMap;

use crate::record::{RecordId, Records};

/// Who read a place since it was last written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Readers(u32);

/// Marks a set.
const SET: u32 = 1 << 31;

/// The readers of a place, taken apart.
pub(crate) enum Who {
    /// Nobody.
    None,
    /// One record.
    One(RecordId),
    /// A set, by its number.
    Set(u32),
}

impl Readers {
    pub(crate) const NONE: Readers = Readers(0);

    pub(crate) fn one(reader: RecordId) -> Readers {
        Readers(reader)
    }

    pub(crate) fn set(number: u32) -> Readers {
        Readers(number | SET)
    }

    pub(crate) fn who(self) -> Who {
        match self.0 {
            0 => Who::None,
            bits if bits & SET != 0 => Who::Set(bits & !SET),
            bits => Who::One(bits),
        }
    }
}

/// What is known of a place. Records are 0 where there is none.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Cell {
    /// The last weak write.
    pub(crate) weak: RecordId,
    /// The last strong write since. It does not stand for the weak one: a strong access races with
    /// that and not with this.
    pub(crate) strong: RecordId,
    /// The reads since.
    pub(crate) readers: Readers,
}

const PAGE_BYTES: usize = 4096;
const WORD_BYTES: usize = 4;

enum Page {
    Words(Box<[Cell; PAGE_BYTES / WORD_BYTES]>),
    Bytes(Box<[Cell]>),
}

impl Page {
    fn cells(&mut self) -> (&mut [Cell], usize) {
        match self {
            Page::Words(words) => (words.as_mut_slice(), WORD_BYTES),
            Page::Bytes(bytes) => (bytes, 1),
        }
    }
}

/// The places of a space.
#[derive(Default)]
pub(crate) struct Shadow {
    numbers: FxHashMap<u64, usize>,
    pages: Vec<Page>,
    /// The page that was touched last, and its place among all.
    last: (u64, usize),
}

impl Shadow {
    /// Calls `each` with the first byte of each place that an access touches, and what is known of
    /// it. An access lies in one page, since it is aligned to its size.
    #[inline]
    pub(crate) fn touch(&mut self, address: u64, bytes: u32, mut each: impl FnMut(u64, &mut Cell)) {
        let number = address / PAGE_BYTES as u64;
        if self.pages.is_empty() || self.last.0 != number {
            self.last = (number, self.find(number));
        }
        let page = &mut self.pages[self.last.1];
        let start = (address % PAGE_BYTES as u64) as usize;
        let end = (start + bytes as usize).min(PAGE_BYTES);
        if let Page::Words(words) = page
            && !(start.is_multiple_of(WORD_BYTES) && end.is_multiple_of(WORD_BYTES))
        {
            let split = words.iter().flat_map(|&cell| [cell; WORD_BYTES]);
            *page = Page::Bytes(split.collect());
        }
        let (cells, step) = page.cells();
        for (n, cell) in cells[start / step..end / step].iter_mut().enumerate() {
            each(address + (n * step) as u64, cell);
        }
    }

    fn find(&mut self, number: u64) -> usize {
        let new = self.pages.len();
        let place = *self.numbers.entry(number).or_insert(new);
        if place == new {
            let words = Box::new([Cell::default(); PAGE_BYTES / WORD_BYTES]);
            self.pages.push(Page::Words(words));
        }
        place
    }

    /// Keeps only records and sets that some place still has.
    pub(crate) fn collect(&mut self, records: &mut Records) {
        let mut old = records.begin_collection();
        for page in &mut self.pages {
            for cell in page.cells().0 {
                cell.weak = records.keep(&mut old, cell.weak);
                cell.strong = records.keep(&mut old, cell.strong);
                cell.readers = match cell.readers.who() {
                    Who::None => Readers::NONE,
                    Who::One(id) => Readers::one(records.keep(&mut old, id)),
                    Who::Set(set) => Readers::set(records.keep_set(&mut old, set)),
                };
            }
        }
        records.end_collection();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_split_into_bytes_and_keep_what_is_known() {
        let mut shadow = Shadow::default();
        let mut seen = Vec::new();
        shadow.touch(0x1000, 8, |at, cell| {
            cell.weak = 5;
            seen.push(at);
        });
        assert_eq!(seen, [0x1000, 0x1004]);
        // One byte in the second word.
        shadow.touch(0x1006, 1, |at, cell| {
            assert_eq!((at, cell.weak), (0x1006, 5));
            cell.weak = 6;
        });
        let mut writes = Vec::new();
        shadow.touch(0x1004, 4, |_, cell| writes.push(cell.weak));
        assert_eq!(writes, [5, 5, 6, 5]);
        shadow.touch(0x1008, 4, |_, cell| assert_eq!(cell.weak, 0));
        shadow.touch(0x0000, 4, |_, cell| assert_eq!(cell.weak, 0));
    }
}
