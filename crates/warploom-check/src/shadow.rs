//! For every byte of a space, the last writes and the reads since.
//!
//! Memory is kept in pages, word by word, until something narrower than a word touches a page.

use rustc_hash::FxHashMap;

use crate::record::Packed;

/// Who read a place since it was last written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Readers(u32);

/// Marks a set.
const SET: u32 = 1 << 31;

/// The readers of a place, taken apart.
pub(crate) enum Who {
    /// Nobody.
    None,
    /// One lane.
    One(Packed),
    /// A set, by its number.
    Set(u32),
}

impl Readers {
    pub(crate) const NONE: Readers = Readers(0);

    pub(crate) fn one(reader: Packed) -> Readers {
        Readers(reader.0)
    }

    pub(crate) fn set(number: u32) -> Readers {
        Readers(number | SET)
    }

    pub(crate) fn who(self) -> Who {
        match self.0 {
            0 => Who::None,
            bits if bits & SET != 0 => Who::Set(bits & !SET),
            bits => Who::One(Packed(bits)),
        }
    }
}

/// What is known of a place.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Cell {
    /// The last weak write.
    pub(crate) weak: Packed,
    /// The last strong write since. It does not stand for the weak one: a strong access races with
    /// that and not with this.
    pub(crate) strong: Packed,
    /// The reads since.
    pub(crate) readers: Readers,
}

const PAGE_BYTES: usize = 4096;
const WORD_BYTES: usize = 4;

enum Page {
    Words(Box<[Cell; PAGE_BYTES / WORD_BYTES]>),
    Bytes(Box<[Cell]>),
}

/// The places of a space.
#[derive(Default)]
pub(crate) struct Shadow(FxHashMap<u64, Page>);

impl Shadow {
    /// Calls `each` with the first byte of each place that an access touches, and what is known of
    /// it. An access lies in one page, since it is aligned to its size.
    pub(crate) fn touch(&mut self, address: u64, bytes: u32, mut each: impl FnMut(u64, &mut Cell)) {
        let number = address / PAGE_BYTES as u64;
        let page = self
            .0
            .entry(number)
            .or_insert_with(|| Page::Words(Box::new([Cell::default(); PAGE_BYTES / WORD_BYTES])));
        let start = (address % PAGE_BYTES as u64) as usize;
        let end = (start + bytes as usize).min(PAGE_BYTES);
        if let Page::Words(words) = page
            && !(start.is_multiple_of(WORD_BYTES) && end.is_multiple_of(WORD_BYTES))
        {
            let split = words.iter().flat_map(|&cell| [cell; WORD_BYTES]);
            *page = Page::Bytes(split.collect());
        }
        let (cells, step) = match page {
            Page::Words(words) => (words.as_mut_slice(), WORD_BYTES),
            Page::Bytes(bytes) => (&mut **bytes, 1),
        };
        for (n, cell) in cells[start / step..end / step].iter_mut().enumerate() {
            each(address + (n * step) as u64, cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_split_into_bytes_and_keep_what_is_known() {
        let mut shadow = Shadow::default();
        let mark = Packed::new(5, 9);
        let mut seen = Vec::new();
        shadow.touch(0x1000, 8, |at, cell| {
            cell.weak = mark;
            seen.push(at);
        });
        assert_eq!(seen, [0x1000, 0x1004]);
        // One byte in the second word.
        shadow.touch(0x1006, 1, |at, cell| {
            assert_eq!((at, cell.weak), (0x1006, mark));
            cell.weak = Packed::new(6, 1);
        });
        let mut writes = Vec::new();
        shadow.touch(0x1004, 4, |_, cell| writes.push(cell.weak));
        assert_eq!(writes, [mark, mark, Packed::new(6, 1), mark]);
        shadow.touch(0x1008, 4, |_, cell| assert_eq!(cell.weak, Packed::NONE));
    }
}
