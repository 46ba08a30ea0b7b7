//! The source line that each `.loc` stands for.
//!
//! Code that was inlined bears the line of the inlined function, and `inlined_at` tells the call
//! that it replaced. A line of a library's header says little to whoever wrote the kernel; the
//! line that called it says more. So code counts for the first place, from the innermost outward,
//! that is in a file of the program's author, or in the file of the outermost place, which is that
//! of the function itself.

use rustc_hash::FxHashMap;
use warploom_isa::{FileId, Loc};

use super::link::Link;
use crate::ast::Location;

/// What a place and the calls around it come to.
#[derive(Clone, Copy)]
struct Chain {
    /// The line that code counts for.
    loc: Option<Loc>,
    /// File of the outermost place.
    function_file: Option<FileId>,
}

/// The lines of a body's locations; nothing where the compiler knew none.
///
/// `is_own` tells of a file's name whether it is the author's.
pub(crate) fn source_lines(
    link: &mut Link,
    module: usize,
    locations: &[Location],
    is_own: &dyn Fn(&str) -> bool,
) -> Vec<Option<Loc>> {
    // A call that was itself inlined is where the last `.loc` of that place says.
    let mut last: FxHashMap<(u32, u32, u32), Chain> = FxHashMap::default();
    let inlining = locations.iter().any(|place| place.inlined_at.is_some());
    let mut lines = Vec::with_capacity(locations.len());
    for place in locations {
        let file = link.file(module, place.file);
        let here = line_of(file, place.line);
        let chain = match place.inlined_at {
            None => Chain {
                loc: here,
                function_file: file,
            },
            Some(at) => {
                let call = last.get(&(at.file, at.line, at.column)).copied();
                let call = call.unwrap_or_else(|| {
                    let file = link.file(module, at.file);
                    Chain {
                        loc: line_of(file, at.line),
                        function_file: file,
                    }
                });
                let mut own = |loc: Loc| {
                    Some(loc.file) == call.function_file || link.is_own(loc.file, is_own)
                };
                Chain {
                    loc: here.filter(|&loc| own(loc)).or(call.loc).or(here),
                    ..call
                }
            }
        };
        if inlining {
            last.insert((place.file, place.line, place.column), chain);
        }
        lines.push(chain.loc);
    }
    lines
}

fn line_of(file: Option<FileId>, line: u32) -> Option<Loc> {
    let file = file?;
    (line != 0).then_some(Loc { file, line })
}
