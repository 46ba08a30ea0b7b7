//! Where an instruction comes from.

/// A source file of a module, by index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct FileId(pub u32);

/// A line of a source file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Loc {
    /// The file.
    pub file: FileId,
    /// The line, from 1; 0 when unknown.
    pub line: u32,
}

/// The source of an instruction: the line it was written for, and the line of the text that was
/// loaded (PTX, lesson), which always exists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Origin {
    /// Line of the program as its author wrote it; the loaded text's line without line information.
    pub loc: Loc,
    /// Line of the loaded text.
    pub text_line: u32,
}
