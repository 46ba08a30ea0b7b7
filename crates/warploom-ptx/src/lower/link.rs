//! What all modules of one program share: the module being built and whose name is whose.
//!
//! A name that is not internal to its module means the same in all modules. One definition is
//! taken: a plain one before a weak one, that before a common one, and the first of equals.

use rustc_hash::FxHashMap;
use warploom_isa::access::HostFunction;
use warploom_isa::builder::ModuleBuilder;
use warploom_isa::{self as isa, FileId, Loc, Origin};

use super::call::{host_function, parameter_bytes};
use super::context::Place;
use super::function::{Source, launch_bounds};
use super::{address, error, initial};
use crate::ast::{
    Function, FunctionId, FunctionKind, Linkage, Parameter, Target, TargetPlatform, TargetSuffix,
    Variable, VariableId, VariableType, Version,
};
use crate::diagnostic::{Diagnostic, Span};
use crate::types::StateSpace;

/// The program being built, and where each module's names lead.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) builder: ModuleBuilder,
    /// Largest alignment of anything in a frame.
    pub(crate) frame_align_bytes: u32,
    modules: Vec<Names>,
    /// By function of the program.
    callees: Vec<Callee>,
    /// The files of the program.
    paths: FxHashMap<String, FileId>,
    /// By file: whether it is the author's, once that was asked.
    own: Vec<Option<bool>>,
    /// What instructions that grow with the module around them have cost.
    spent: usize,
}

/// What a call reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    Defined,
    Kernel,
    Host(HostFunction),
    Undefined,
}

/// The names of one module.
#[derive(Debug, Default)]
struct Names {
    /// By function of the syntax tree.
    functions: Vec<isa::FunctionId>,
    /// By function of the syntax tree: it is the one that its name stands for.
    chosen: Vec<bool>,
    /// By variable of the syntax tree.
    places: Vec<Place>,
    /// `.file` numbers, in order.
    files: Vec<(u32, FileId)>,
    /// The text itself.
    text_file: FileId,
}

/// A definition that other modules see.
#[derive(Clone, Copy, Debug)]
struct Definition<Id> {
    module: usize,
    id: Id,
    linkage: Linkage,
    bytes: u64,
    span: Span,
}

impl<Id> Definition<Id> {
    /// The definition with the higher rank is taken.
    fn rank(&self) -> (u8, u64) {
        match self.linkage {
            Linkage::Common => (0, self.bytes),
            Linkage::Weak => (1, 0),
            _ => (2, 0),
        }
    }
}

type Definitions<'a, Id> = FxHashMap<&'a str, Definition<Id>>;

/// Entries that all tables together can have, each counted as often as it is used.
const TABLE_ENTRIES: usize = 1 << 20;

/// Where a problem goes, with the number of its module.
pub(crate) type Report<'r> = dyn FnMut(usize, Diagnostic) + 'r;

impl Link {
    /// Declares all functions and variables of `sources`.
    pub(crate) fn new(sources: &[Source<'_>], report: &mut Report<'_>) -> Link {
        let name = sources.first().map_or("", |s| s.module.file_name.as_str());
        let mut link = Link {
            builder: ModuleBuilder::new(name),
            frame_align_bytes: 16,
            modules: Vec::new(),
            callees: Vec::new(),
            paths: FxHashMap::from_iter([(name.to_owned(), FileId(0))]),
            own: Vec::new(),
            spent: 0,
        };
        if let Some(first) = sources.first() {
            let target = target_text(&first.module.target);
            let Version { major, minor } = first.module.version;
            let version = format!("{major}.{minor}");
            let module = link.builder.module_mut();
            module.target = target;
            module.language_version = version;
        }
        for source in sources {
            let names = link.names(source);
            link.modules.push(names);
        }
        link.declare_functions(sources, report);
        link.declare_variables(sources, report);
        link
    }

    fn names(&mut self, source: &Source<'_>) -> Names {
        let module = source.module;
        let text_file = match source.number {
            0 => FileId(0),
            _ => self.add_file(&module.file_name),
        };
        let mut files = Vec::with_capacity(module.files.len());
        for file in &module.files {
            files.push((file.number, self.add_file(file.path)));
        }
        files.sort_by_key(|&(number, _)| number);
        files.dedup_by_key(|&mut (number, _)| number);
        Names {
            functions: vec![isa::FunctionId::default(); module.functions.len()],
            chosen: vec![false; module.functions.len()],
            places: vec![Place::Opaque; module.variables.len()],
            files,
            text_file,
        }
    }

    fn add_file(&mut self, path: &str) -> FileId {
        if let Some(&known) = self.paths.get(path) {
            return known;
        }
        let files = &mut self.builder.module_mut().files;
        let id = FileId(files.len() as u32);
        files.push(path.to_owned());
        self.paths.insert(path.to_owned(), id);
        id
    }

    fn declare_functions(&mut self, sources: &[Source<'_>], report: &mut Report<'_>) {
        let exported = exported_functions(sources, report);
        // The definition that a function of the syntax tree stands for.
        let owner = |source: &Source<'_>, id: FunctionId| {
            let canonical = source.module.function(id).canonical;
            let function = source.module.function(canonical);
            let own = function.linkage == Linkage::Internal && function.body.is_some();
            match exported.get(source.module.text(function.name)) {
                Some(chosen) if !own => (chosen.module, chosen.id),
                _ => (source.number, canonical),
            }
        };
        for source in sources {
            for (id, function) in numbered(&source.module.functions, FunctionId) {
                if owner(source, id) == (source.number, id) {
                    let number = self.declare_function(source, function);
                    self.modules[source.number].functions[id.index()] = number;
                    self.modules[source.number].chosen[id.index()] = true;
                }
            }
        }
        for source in sources {
            for (id, function) in numbered(&source.module.functions, FunctionId) {
                let (module, target) = owner(source, id);
                let number = self.function(module, target);
                if let Some(other) = sources.get(module)
                    && function.canonical == id
                    && !same_signature(source, function, other, other.module.function(target))
                {
                    let name = source.module.text(function.name);
                    let message = format!("`{name}` is defined with other parameters or results");
                    let label = "differs from the definition";
                    let span = function.name_span;
                    let diagnostic = Diagnostic::new(error::REDEFINED, span, message, label);
                    report(source.number, diagnostic);
                }
                self.modules[source.number].functions[id.index()] = number;
            }
        }
    }

    fn declare_function(&mut self, source: &Source<'_>, function: &Function) -> isa::FunctionId {
        let name = source.module.text(function.name);
        let kernel = function.kind == FunctionKind::Entry;
        self.callees.push(match (&function.body, kernel) {
            (_, true) => Callee::Kernel,
            (Some(_), false) => Callee::Defined,
            (None, false) => host_function(name).map_or(Callee::Undefined, Callee::Host),
        });
        let line = source.lines.line(function.name_span.start);
        let origin = self.origin(source.number, line);
        self.builder.declare(isa::Function {
            name: name.to_owned(),
            kernel: kernel && function.body.is_some(),
            bounds: launch_bounds(function),
            origin,
            ..isa::Function::default()
        })
    }

    fn declare_variables(&mut self, sources: &[Source<'_>], report: &mut Report<'_>) {
        let exported = exported_variables(sources, report);
        let owner = |source: &Source<'_>, id: VariableId| {
            let canonical = source.module.variable(id).canonical;
            let variable = source.module.variable(canonical);
            match exported.get(source.module.text(variable.name)) {
                Some(chosen) if is_shared_name(variable) => (chosen.module, chosen.id),
                _ => (source.number, canonical),
            }
        };
        let mut declared = Vec::new();
        for source in sources {
            for (id, variable) in numbered(&source.module.variables, VariableId) {
                if in_memory(variable) && owner(source, id) == (source.number, id) {
                    let number = self.builder.variable(machine_variable(source, variable));
                    self.modules[source.number].places[id.index()] = Place::Module(number);
                    declared.push((source, variable, number));
                }
            }
        }
        for source in sources {
            for (id, _) in numbered(&source.module.variables, VariableId) {
                let (module, target) = owner(source, id);
                let place = self.place(module, target);
                self.modules[source.number].places[id.index()] = place;
            }
        }
        for (source, variable, number) in declared {
            match initial::value(self, source.number, source.module, variable) {
                Ok((init, relocations)) => {
                    let variables = &mut self.builder.module_mut().variables;
                    if let Some(variable) = variables.get_mut(number.index()) {
                        variable.init = init;
                        variable.relocations = relocations;
                    }
                }
                Err(diagnostic) => report(source.number, diagnostic),
            }
        }
    }

    /// Whether a function is the one that its name stands for, and not given up for another.
    pub(crate) fn is_chosen(&self, module: usize, id: FunctionId) -> bool {
        let owners = self.modules.get(module).map(|names| &names.chosen);
        owners.and_then(|owners| owners.get(id.index())) == Some(&true)
    }

    /// The program, complete.
    pub(crate) fn finish(mut self) -> isa::Module {
        // Frames lie one behind the other: each keeps the next one aligned.
        for function in &mut self.builder.module_mut().functions {
            let bytes = function
                .frame_bytes
                .checked_next_multiple_of(self.frame_align_bytes);
            function.frame_bytes = bytes.unwrap_or(function.frame_bytes);
        }
        self.builder.finish()
    }

    /// The function behind an id of module `module`.
    pub(crate) fn function(&self, module: usize, id: FunctionId) -> isa::FunctionId {
        let functions = self.modules.get(module).map(|names| &names.functions);
        functions
            .and_then(|functions| functions.get(id.index()))
            .copied()
            .unwrap_or_default()
    }

    /// Accounts for an instruction that stands for `items` entries of a table or variables. Such
    /// an instruction is short to write, so a small text could ask for much memory and time.
    pub(crate) fn spend(&mut self, items: usize, span: Span) -> Result<(), Diagnostic> {
        self.spent = self.spent.saturating_add(items);
        if self.spent <= TABLE_ENTRIES {
            return Ok(());
        }
        let message = format!("the program's tables have more than {TABLE_ENTRIES} entries in all");
        Err(Diagnostic::new(
            error::CAPACITY,
            span,
            message,
            "one table too many",
        ))
    }

    /// What a call of a function reaches.
    pub(crate) fn callee(&self, id: isa::FunctionId) -> Callee {
        let callee = self.callees.get(id.index()).copied();
        callee.unwrap_or(Callee::Undefined)
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

    /// Whether a file is the author's, as `is_own` says of its name.
    pub(crate) fn is_own(&mut self, file: FileId, is_own: &dyn Fn(&str) -> bool) -> bool {
        let at = file.0 as usize;
        let files = &self.builder.module_mut().files;
        self.own.resize(files.len(), None);
        let (Some(path), Some(own)) = (files.get(at), self.own.get_mut(at)) else {
            return false;
        };
        *own.get_or_insert_with(|| is_own(path))
    }

    /// A line of the text of module `module`.
    pub(crate) fn origin(&self, module: usize, line: u32) -> Origin {
        let names = self.modules.get(module);
        let file = names.map_or(FileId::default(), |names| names.text_file);
        Origin {
            loc: Loc { file, line },
            text_line: line,
        }
    }
}

/// `sm_90a`
fn target_text(target: &TargetPlatform<'_>) -> String {
    let suffix = match target.suffix {
        TargetSuffix::Baseline => "",
        TargetSuffix::Specific => "a",
        TargetSuffix::Family => "f",
    };
    format!("sm_{}{suffix}", target.architecture)
}

/// Whether two functions hand over as many parameters and results, of the same sizes.
fn same_signature(a: &Source<'_>, f: &Function, b: &Source<'_>, g: &Function) -> bool {
    let same = |p: &[Parameter], q: &[Parameter]| {
        let p = p
            .iter()
            .map(|parameter| parameter_bytes(a.module, parameter));
        let q = q
            .iter()
            .map(|parameter| parameter_bytes(b.module, parameter));
        p.eq(q)
    };
    same(&f.signature.parameters, &g.signature.parameters)
        && same(&f.signature.results, &g.signature.results)
}

/// The entries of a table with their ids.
fn numbered<T, Id>(table: &[T], id: fn(u32) -> Id) -> impl Iterator<Item = (Id, &T)> {
    (0..).map(id).zip(table)
}

/// Adds a definition; the one with the higher rank stays.
fn add<'a, Id: Copy>(
    definitions: &mut Definitions<'a, Id>,
    name: &'a str,
    new: Definition<Id>,
    report: &mut Report<'_>,
) {
    let Some(old) = definitions.get_mut(name) else {
        definitions.insert(name, new);
        return;
    };
    if new.rank() > old.rank() {
        *old = new;
    } else if new.rank().0 == 2 && new.module != old.module {
        let message = format!("`{name}` is defined in two modules");
        let label = "the second definition";
        let diagnostic = Diagnostic::new(error::REDEFINED, new.span, message, label);
        report(new.module, diagnostic);
    }
}

fn exported_functions<'a>(
    sources: &[Source<'a>],
    report: &mut Report<'_>,
) -> Definitions<'a, FunctionId> {
    let mut definitions = Definitions::default();
    for source in sources {
        let module = source.module;
        let definition = |id: FunctionId, linkage: Linkage, span: Span| Definition {
            module: source.number,
            id,
            linkage,
            bytes: 0,
            span,
        };
        for (id, function) in numbered(&module.functions, FunctionId) {
            let exported = function.linkage != Linkage::Internal && function.canonical == id;
            if exported && function.body.is_some() {
                let new = definition(id, function.linkage, function.name_span);
                add(&mut definitions, module.text(function.name), new, report);
            }
        }
        for alias in &module.aliases {
            if let Target::Function(target) = alias.target.target {
                let target = module.function(target).canonical;
                let new = definition(target, Linkage::Weak, alias.name_span);
                add(
                    &mut definitions,
                    module.text(alias.name.symbol),
                    new,
                    report,
                );
            }
        }
    }
    definitions
}

/// Whether a variable has a place in the memory of the program.
fn in_memory(variable: &Variable) -> bool {
    let scalar = matches!(variable.ty, VariableType::Scalar(_));
    let space = matches!(
        variable.space,
        StateSpace::Const | StateSpace::Global | StateSpace::Shared | StateSpace::Tex
    );
    scalar && space
}

/// Whether a variable's name means the same in all modules.
fn is_shared_name(variable: &Variable) -> bool {
    variable.owner.is_none() && variable.linkage != Linkage::Internal && in_memory(variable)
}

fn exported_variables<'a>(
    sources: &[Source<'a>],
    report: &mut Report<'_>,
) -> Definitions<'a, VariableId> {
    let mut definitions = Definitions::default();
    for source in sources {
        for (id, variable) in numbered(&source.module.variables, VariableId) {
            let defined = variable.linkage != Linkage::Extern && variable.canonical == id;
            if defined && is_shared_name(variable) {
                let new = Definition {
                    module: source.number,
                    id,
                    linkage: variable.linkage,
                    bytes: variable.size_bytes(),
                    span: variable.span,
                };
                let name = source.module.text(variable.name);
                add(&mut definitions, name, new, report);
            }
        }
    }
    definitions
}

fn machine_variable(source: &Source<'_>, variable: &Variable) -> isa::Variable {
    let declared_only = variable.linkage == Linkage::Extern;
    let dynamic_shared = declared_only && variable.space == StateSpace::Shared;
    isa::Variable {
        name: source.module.text(variable.name).to_owned(),
        space: address::space_of(variable.space),
        bytes: match dynamic_shared {
            true => 0,
            false => variable.size_bytes(),
        },
        align_bytes: variable.align_bytes,
        init: Vec::new(),
        relocations: Vec::new(),
        external: declared_only && !dynamic_shared,
        dynamic_shared,
        visible: variable.linkage != Linkage::Internal,
    }
}
