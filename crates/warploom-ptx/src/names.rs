//! Interned identifiers: equal names are equal numbers, and their text stays in the source.

use rustc_hash::FxHashMap;

/// An identifier of one module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

impl Symbol {
    /// For tables with an entry per symbol.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The identifiers of a module.
#[derive(Clone, Debug, Default)]
pub struct Names<'s> {
    texts: Vec<&'s str>,
    symbols: FxHashMap<&'s str, Symbol>,
}

impl<'s> Names<'s> {
    /// No names, with room for those of a typical text of `length` bytes.
    pub(crate) fn for_text(length: usize) -> Names<'s> {
        let count = length / 48;
        Names {
            texts: Vec::with_capacity(count),
            symbols: FxHashMap::with_capacity_and_hasher(count, Default::default()),
        }
    }

    /// The symbol for `text`, new or known.
    pub fn intern(&mut self, text: &'s str) -> Symbol {
        *self.symbols.entry(text).or_insert_with(|| {
            let symbol = Symbol(self.texts.len() as u32);
            self.texts.push(text);
            symbol
        })
    }

    /// The symbol for `text` if the module has that identifier anywhere.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }

    /// The identifier itself.
    pub fn text(&self, symbol: Symbol) -> &'s str {
        self.texts.get(symbol.index()).copied().unwrap_or("")
    }

    /// All of them.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + use<> {
        (0..self.texts.len() as u32).map(Symbol)
    }

    /// Number of distinct identifiers.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is no identifier at all.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}
