//! The text of source lines, for reports.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use warploom_isa::{FileId, Loc, Module};

use crate::files::read_text;
use crate::report::Place;
use crate::text::{SourceText, Spot};

/// Longest source file that is read for its lines.
const MAX_SOURCE_BYTES: u64 = 16 << 20;

/// Endings of files that are read for their lines. Line information comes from the input, which
/// shall not make a report quote just any file.
const SOURCE_ENDINGS: [&str; 22] = [
    "c", "cc", "cl", "cpp", "cu", "cuh", "cxx", "f90", "h", "hip", "hpp", "hxx", "inc", "inl",
    "jl", "mojo", "ptx", "py", "pyx", "rs", "simt", "zig",
];

/// Folders of installed software.
const SYSTEM_FOLDERS: [&str; 2] = ["/usr", "/opt"];
/// Folders of installed Python packages, toolkits among them.
const PACKAGE_FOLDERS: [&str; 2] = ["site-packages", "dist-packages"];
/// Files that tell the folder of a compiler's own headers.
const TOOLKIT_HEADERS: [&str; 2] = ["cuda_runtime.h", "__clang_cuda_runtime_wrapper.h"];

/// The loaded texts, and where the files lie that line information names.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    texts: Vec<Arc<SourceText>>,
    folders: Vec<PathBuf>,
    read: RefCell<BTreeMap<String, Option<Arc<SourceText>>>>,
    /// Where the lines of each text begin, in bytes, once somebody has asked for one.
    starts: RefCell<BTreeMap<String, Vec<usize>>>,
}

impl Clone for Sources {
    fn clone(&self) -> Sources {
        Sources {
            texts: self.texts.clone(),
            folders: self.folders.clone(),
            read: RefCell::default(),
            starts: RefCell::default(),
        }
    }
}

impl Sources {
    /// Loaded texts, and folders that relative file names may be below.
    pub(crate) fn new(texts: Vec<Arc<SourceText>>, folders: Vec<PathBuf>) -> Sources {
        Sources {
            texts,
            folders,
            ..Sources::default()
        }
    }

    /// The loaded texts.
    pub(crate) fn texts(&self) -> impl ExactSizeIterator<Item = &str> {
        self.texts.iter().map(|source| source.text.as_str())
    }

    /// A line as a report names it.
    pub(crate) fn place(&self, module: &Module, loc: Loc) -> Place {
        let name = module
            .files
            .get(loc.file.0 as usize)
            .map_or("", String::as_str);
        let text = self
            .text(name)
            .and_then(|source| self.line(name, &source.text, loc.line).map(str::to_owned));
        Place {
            file: self.short(name),
            line: loc.line,
            text,
        }
    }

    /// A line of one of the loaded texts, as a place in it.
    pub(crate) fn spot(&self, module: &Module, file: FileId, number: u32) -> Option<Spot> {
        let name = module.files.get(file.0 as usize)?;
        self.texts.iter().find(|text| text.origin == *name)?;
        self.line_spot(module, Loc { file, line: number })
    }

    /// A source line as a place in its text, if the file could be read.
    pub(crate) fn line_spot(&self, module: &Module, loc: Loc) -> Option<Spot> {
        let name = module.files.get(loc.file.0 as usize)?;
        let source = self.text(name)?;
        let line = self.line(name, &source.text, loc.line)?;
        let start = line.as_ptr() as usize - source.text.as_ptr() as usize;
        Some(Spot::new(&source, start..start + line.len()))
    }

    /// Line `number` of the text of a name, from 1, without the spaces around it.
    fn line<'t>(&self, name: &str, text: &'t str, number: u32) -> Option<&'t str> {
        let index = (number as usize).checked_sub(1)?;
        let mut known = self.starts.borrow_mut();
        if !known.contains_key(name) {
            let ends = text.match_indices('\n').map(|(at, _)| at + 1);
            known.insert(name.to_owned(), [0].into_iter().chain(ends).collect());
        }
        let starts = known.get(name)?;
        let start = *starts.get(index)?;
        let end = starts.get(index + 1).copied().unwrap_or(text.len());
        // What follows the last line's end is no line.
        (start < text.len()).then(|| text[start..end].trim())
    }

    /// A file's name without the folder that it shares with a module.
    fn short(&self, name: &str) -> String {
        let path = Path::new(name);
        let both = |folder: &PathBuf| {
            let folder = Path::new(".").join(folder);
            [std::path::absolute(&folder), std::fs::canonicalize(&folder)]
        };
        let folders = self.folders.iter().filter(|_| path.is_absolute());
        let mut below = folders.flat_map(both).flatten();
        let short = below.find_map(|folder| path.strip_prefix(folder).ok().map(Path::to_owned));
        short.unwrap_or(path.to_owned()).display().to_string()
    }

    fn text(&self, name: &str) -> Option<Arc<SourceText>> {
        if let Some(text) = self.texts.iter().find(|text| text.origin == name) {
            return Some(Arc::clone(text));
        }
        let mut read = self.read.borrow_mut();
        read.entry(name.to_owned())
            .or_insert_with(|| self.find(name))
            .clone()
    }

    /// Whether a file that line information names can be read and belongs to the program rather
    /// than to a toolkit, a library or the system.
    pub(crate) fn is_own(&self, name: &str) -> bool {
        let readable = self.text(name).is_some();
        readable && self.locate(name).is_none_or(|path| !self.is_foreign(&path))
    }

    /// Whether a file lies where software is installed. The folders above a module's own do not
    /// count: a module may itself be installed.
    fn is_foreign(&self, path: &Path) -> bool {
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let path = real(path);
        let folders = self.folders.iter().map(|f| real(&Path::new(".").join(f)));
        let above = folders.filter(|folder| path.starts_with(folder));
        let above = above.max_by_key(|folder| folder.components().count());
        let in_system = SYSTEM_FOLDERS.iter().any(|f| path.starts_with(f));
        if above.is_none() && in_system {
            return true;
        }
        let own = |folder: &&Path| above.as_deref().is_none_or(|above| *folder != above);
        let mut folders = path.ancestors().skip(1).take_while(own);
        folders.any(|folder| {
            let packages = PACKAGE_FOLDERS.iter().any(|name| folder.ends_with(name));
            packages
                || TOOLKIT_HEADERS
                    .iter()
                    .any(|file| folder.join(file).is_file())
        })
    }

    fn locate(&self, name: &str) -> Option<PathBuf> {
        let mut paths = self.folders.iter().map(|folder| folder.join(name));
        paths.find(|path| path.is_file())
    }

    fn find(&self, name: &str) -> Option<Arc<SourceText>> {
        let ending = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        if !SOURCE_ENDINGS.contains(&ending.as_str()) {
            return None;
        }
        let path = self.locate(name)?;
        let text = read_text(&path, name, MAX_SOURCE_BYTES, None).ok()?;
        let origin = name.to_owned();
        Some(Arc::new(SourceText { origin, text }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(sources: &Sources, file: &str, line: u32) -> Place {
        let files = vec!["k.ptx".into(), file.into()];
        let module = Module {
            files,
            ..Module::default()
        };
        sources.place(
            &module,
            Loc {
                file: FileId(1),
                line,
            },
        )
    }

    #[test]
    fn lines_come_from_files_beside_the_module() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("k.cu"), "first\n\tint i = 0;  \n").unwrap();
        std::fs::write(folder.path().join("secret"), "first\n").unwrap();
        let sources = Sources::new(Vec::new(), vec![folder.path().to_owned()]);
        let text = |file: &str, line| place(&sources, file, line).text;
        assert_eq!(text("k.cu", 2).as_deref(), Some("int i = 0;"));
        assert_eq!(
            [
                text("k.cu", 0),
                text("k.cu", 3),
                text("no.cu", 1),
                text("secret", 1)
            ],
            [None, None, None, None]
        );
        let absolute = std::path::absolute(folder.path().join("k.cu")).unwrap();
        let found = place(&sources, absolute.to_str().unwrap(), 1);
        assert_eq!(
            (found.file.as_str(), found.text.as_deref()),
            ("k.cu", Some("first"))
        );
    }

    #[test]
    fn files_of_this_folder_are_named_without_it() {
        let sources = Sources::new(Vec::new(), vec![PathBuf::new()]);
        let here = std::env::current_dir().unwrap().join("./k.cu");
        assert_eq!(place(&sources, here.to_str().unwrap(), 1).file, "k.cu");
        // However the folder is written.
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("inner")).unwrap();
        let sources = Sources::new(Vec::new(), vec![folder.path().join("inner/..")]);
        let file = std::fs::canonicalize(folder.path()).unwrap().join("./k.cu");
        assert_eq!(place(&sources, file.to_str().unwrap(), 1).file, "k.cu");
    }

    #[test]
    fn headers_of_toolkits_and_packages_are_not_the_authors() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "line\n").unwrap();
        };
        for name in [
            "app/k.cu",
            "app/part/own.h",
            "common/own.h",
            "app/env/lib/site-packages/lib.h",
            "cuda/include/cuda_runtime.h",
            "cuda/include/crt/func.hpp",
        ] {
            write(name);
        }
        let at = |module: &str| Sources::new(Vec::new(), vec![folder.path().join(module)]);
        let own = |module: &str, name: &str| {
            let absolute = folder.path().join(name);
            let absolute = std::path::absolute(absolute).unwrap();
            at(module).is_own(absolute.to_str().unwrap())
        };
        assert!(own("app", "app/k.cu"));
        assert!(own("app", "app/part/own.h"));
        assert!(own("app", "common/own.h"));
        assert!(at("app").is_own("part/../../common/own.h"));
        assert!(!own("app", "app/none.h"));
        assert!(!own("app", "cuda/include/crt/func.hpp"));
        assert!(!own("app", "app/env/lib/site-packages/lib.h"));
        // A module that is a package's own has its sources beside it.
        assert!(own(
            "app/env/lib/site-packages",
            "app/env/lib/site-packages/lib.h"
        ));
    }

    #[test]
    fn a_loaded_text_is_its_own_source() {
        let text = SourceText {
            origin: "k.ptx".into(),
            text: "a\n  ret;\n".into(),
        };
        let sources = Sources::new(vec![Arc::new(text)], Vec::new());
        let module = Module {
            files: vec!["k.ptx".into()],
            ..Module::default()
        };
        let spot = sources.spot(&module, FileId(0), 2).unwrap();
        assert_eq!((spot.text(), spot.line_column()), ("ret;", (2, 3)));
        assert_eq!(sources.spot(&module, FileId(0), 4), None);
    }
}
