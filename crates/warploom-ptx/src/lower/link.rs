//! What all modules of one program share: the module being built and whose name is whose.

use warploom_isa::builder::ModuleBuilder;
use warploom_isa::{self as isa, FileId};

use super::context::Place;
use crate::ast::{FunctionId, VariableId};

/// The program being built, and where each module's names lead.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) builder: ModuleBuilder,
    pub(crate) modules: Vec<Names>,
}

/// The names of one module.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// By function of the syntax tree.
    pub(crate) functions: Vec<isa::FunctionId>,
    /// By variable of the syntax tree.
    pub(crate) places: Vec<Place>,
    /// `.file` numbers.
    pub(crate) files: Vec<(u32, FileId)>,
    /// The text itself.
    pub(crate) text_file: u32,
}

impl Link {
    /// The function behind an id of module `module`.
    pub(crate) fn function(&self, module: usize, id: FunctionId) -> isa::FunctionId {
        let functions = self.modules.get(module).map(|names| &names.functions);
        functions
            .and_then(|functions| functions.get(id.index()))
            .copied()
            .unwrap_or_default()
    }

    /// Where a variable of module `module` is.
    pub(crate) fn place(&self, module: usize, id: VariableId) -> Place {
        let places = self.modules.get(module).map(|names| &names.places);
        places
            .and_then(|places| places.get(id.index()))
            .copied()
            .unwrap_or(Place::Opaque)
    }

    /// The file that `.file number` of module `module` declares.
    pub(crate) fn file(&self, module: usize, number: u32) -> Option<FileId> {
        let files = &self.modules.get(module)?.files;
        let at = files.binary_search_by_key(&number, |&(n, _)| n).ok()?;
        files.get(at).map(|&(_, file)| file)
    }

    /// The file that is the text of module `module`.
    pub(crate) fn text_file(&self, module: usize) -> u32 {
        self.modules.get(module).map_or(0, |names| names.text_file)
    }
}
