//! The syntax tree of a PTX module, with every name tied to what it stands for.
//!
//! The tree is flat: a [`Module`] owns all functions and variables, and a [`Body`] owns its
//! instructions, operands, addresses and labels in vectors that refer to each other by index.
//! Nothing is copied out of the source; names are interned [`Symbol`]s and an opcode such as
//! `ld.global.nc.v4.f32` is stored once per module, however often it is written. The parser
//! leaves every [`Name`] with [`Target::Unresolved`]; name resolution fills the targets in
//! and lays out the registers.

mod body;
mod variable;

use crate::diagnostic::Span;
use crate::types::ScalarType;

pub use self::body::*;
pub use self::variable::*;
pub use crate::names::{Names, Symbol};

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the vector that this refers to.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

indices! {
    /// An entry of [`Module::functions`].
    FunctionId;
    /// An entry of [`Module::variables`].
    VariableId;
    /// An entry of [`Module::opcodes`].
    OpcodeId;
    /// An entry of [`Module::initial_addresses`].
    InitialAddressId;
    /// An entry of [`Module::variable_templates`].
    VariableTemplateId;
    /// An entry of [`Body::registers`]. Dense: of a range `%r<1000>`, only those registers that
    /// the body mentions have one.
    RegisterId;
    /// An entry of [`Body::register_declarations`].
    RegisterDeclarationId;
    /// An entry of [`Body::labels`].
    LabelId;
    /// An entry of [`Body::addresses`].
    AddressId;
    /// An entry of [`Body::locations`].
    LocationId;
    /// An entry of [`Body::branch_tables`].
    BranchTableId;
    /// An entry of [`Body::call_tables`].
    CallTableId;
    /// An entry of [`Body::prototypes`].
    PrototypeId;
}

/// A PTX text after parsing.
#[derive(Clone, Debug)]
pub struct Module<'s> {
    /// The text that all spans point into, ended at its first NUL byte.
    pub source: &'s str,
    /// The file name given by the caller, for messages.
    pub file_name: String,
    /// `.version`
    pub version: Version,
    /// `.target`
    pub target: TargetPlatform<'s>,
    /// `.address_size`, in bits; 64 where the module doesn't say.
    pub address_size_bits: u32,
    /// Kernels and functions, declarations and definitions, in source order.
    pub functions: Vec<Function>,
    /// Every variable of the module: at module level, inside functions, and parameters.
    pub variables: Vec<Variable>,
    /// Declarations like `.param .b32 p<4>`. Those of their variables that are mentioned are in
    /// `variables`.
    pub variable_templates: Vec<VariableTemplate>,
    /// All initialisers, one after the other; see [`Variable::initial_values`].
    pub initial_values: Vec<InitialValue>,
    /// The addresses among them.
    pub initial_addresses: Vec<InitialAddress>,
    /// The distinct opcodes in order of first use.
    pub opcodes: Vec<Opcode<'s>>,
    /// `.alias` directives.
    pub aliases: Vec<Alias>,
    /// `.file` directives, which `.loc` refers to by number.
    pub files: Vec<SourceFile<'s>>,
    /// `.section` blocks (debug data), which are skipped.
    pub sections: Vec<Section<'s>>,
    /// Strings of the `.pragma` directives at module level.
    pub pragmas: Vec<&'s str>,
    /// Text of all symbols.
    pub names: Names<'s>,
}

impl<'s> Module<'s> {
    /// The function behind `id`.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The variable behind `id`.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.index()]
    }

    /// The opcode behind `id`.
    pub fn opcode(&self, id: OpcodeId) -> &Opcode<'s> {
        &self.opcodes[id.index()]
    }

    /// The initialiser of `variable`, empty where it has none.
    pub fn initial_values(&self, variable: &Variable) -> &[InitialValue] {
        variable
            .initial_values
            .and_then(|list| self.initial_values.get(list.range()))
            .unwrap_or(&[])
    }

    /// The text of `symbol`.
    pub fn text(&self, symbol: Symbol) -> &'s str {
        self.names.text(symbol)
    }
}

/// `.version MAJOR.MINOR`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Before the dot.
    pub major: u16,
    /// After the dot.
    pub minor: u16,
}

/// `.target sm_NN, OPTIONS`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetPlatform<'s> {
    /// 80 for `sm_80`; 0 where the module has no valid target.
    pub architecture: u32,
    /// The letter after the number.
    pub suffix: TargetSuffix,
    /// Further words: `texmode_independent`, `debug`, `map_f64_to_f32`.
    pub options: Vec<&'s str>,
}

/// What the module restricts itself to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetSuffix {
    /// Runs on this architecture and all later ones.
    Baseline,
    /// `a`: uses features of exactly this architecture.
    Specific,
    /// `f`: uses features of this family.
    Family,
}

/// `.alias NAME, TARGET;`
#[derive(Clone, Debug)]
pub struct Alias {
    /// The name that is introduced by an earlier declaration.
    pub name: Name,
    /// Place of `name`.
    pub name_span: Span,
    /// The function it stands for.
    pub target: Name,
    /// Place of `target`.
    pub target_span: Span,
}

/// `.file NUMBER "PATH"`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile<'s> {
    /// As `.loc` names it.
    pub number: u32,
    /// As written, escape sequences left alone.
    pub path: &'s str,
}

/// `.section NAME { ... }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section<'s> {
    /// With its leading dot where it has one.
    pub name: &'s str,
    /// From the directive to the closing brace.
    pub span: Span,
}

/// Visibility of a name to other modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// Only this module sees it.
    Internal,
    /// `.extern`: defined in another module.
    Extern,
    /// `.visible`
    Visible,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
}

/// Whether a function is launched or called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// `.entry`: a kernel.
    Entry,
    /// `.func`
    Device,
}

/// An `.entry` or `.func`.
#[derive(Clone, Debug)]
pub struct Function {
    /// Kernel or device function.
    pub kind: FunctionKind,
    /// Its name.
    pub name: Symbol,
    /// Place of the name.
    pub name_span: Span,
    /// Visibility to other modules.
    pub linkage: Linkage,
    /// Return parameters and parameters.
    pub signature: Signature,
    /// Performance directives.
    pub bounds: LaunchBounds,
    /// Nothing for a declaration.
    pub body: Option<Body>,
    /// For a declaration, the definition with the same name if there is one, or what an `.alias`
    /// makes it stand for; otherwise the function itself. Calls always target the canonical
    /// function.
    pub canonical: FunctionId,
}

/// Parameters of a function, or of a `.callprototype`.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// Return parameters, in order.
    pub results: Vec<Parameter>,
    /// Parameters, in order.
    pub parameters: Vec<Parameter>,
    /// `.noreturn`
    pub no_return: bool,
}

/// One parameter of a signature.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// `_` in most prototypes. After resolution the target of a definition's parameter is its
    /// variable or, for `.reg` parameters, its register.
    pub name: Name,
    /// Place of the name.
    pub span: Span,
    /// Where it is passed.
    pub storage: ParameterStorage,
}

/// How a parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterStorage {
    /// `.param`, with type, size and alignment in the variable.
    Variable(VariableId),
    /// `.reg`, in device functions only.
    Register {
        /// Type of each element.
        ty: ScalarType,
        /// 1, 2, 4 or 8.
        vector: u8,
    },
}

/// The performance directives of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchBounds {
    /// `.maxntid`: the largest block, in threads; missing dimensions are 1.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid`: the only block size, in threads.
    pub required_threads: Option<[u32; 3]>,
    /// `.maxnreg`: registers per thread.
    pub max_registers: Option<u32>,
    /// `.minnctapersm`: blocks per SM.
    pub min_blocks_per_sm: Option<u32>,
    /// `.maxnctapersm`: blocks per SM.
    pub max_blocks_per_sm: Option<u32>,
    /// `.reqnctapercluster`: the only cluster size, in blocks.
    pub required_cluster: Option<[u32; 3]>,
    /// `.maxclusterrank`: blocks per cluster.
    pub max_cluster_rank: Option<u32>,
    /// `.explicitcluster`
    pub explicit_cluster: bool,
    /// `.blocksareclusters`
    pub blocks_are_clusters: bool,
}

/// An integer constant: 64 bits with the signedness that PTX's rules give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// Two's complement.
    pub bits: u64,
    /// `.u64` instead of `.s64`.
    pub unsigned: bool,
}

impl Integer {
    /// The value, whatever its signedness.
    pub const fn value(self) -> i128 {
        if self.unsigned {
            self.bits as i128
        } else {
            self.bits as i64 as i128
        }
    }
}

/// A floating-point constant by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    /// `0fXXXXXXXX`
    Single(u32),
    /// `0dXXXXXXXXXXXXXXXX`, decimal notation, or a constant expression.
    Double(u64),
}

/// A part of a vector in the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListRange {
    /// First element.
    pub start: u32,
    /// Number of elements.
    pub count: u32,
}

impl ListRange {
    /// The range in the form that slices take.
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.count as usize
    }
}
