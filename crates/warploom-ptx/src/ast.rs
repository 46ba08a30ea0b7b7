//! The syntax tree of a PTX module, with every name tied to what it stands for.
//!
//! The tree is flat: a [`Module`] owns all functions and variables, and a [`Body`] owns its
//! instructions, operands, addresses and labels in vectors that refer to each other by index.
//! Nothing is copied out of the source; names are interned [`Symbol`]s and an opcode such as
//! `ld.global.nc.v4.f32` is stored once per module, however often it is written. The parser
//! leaves every [`Name`] with [`Target::Unresolved`]; name resolution fills the targets in
//! and lays out the registers.

use crate::diagnostic::Span;
use crate::special::SpecialRegister;
use crate::types::{ScalarType, StateSpace};
use smallvec::SmallVec;

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

/// A variable of any state space but `.reg`.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Symbol,
    /// Place of the name.
    pub span: Span,
    /// Where it lives.
    pub space: StateSpace,
    /// Type of each element.
    pub ty: VariableType,
    /// Elements of `.v2`, `.v4`, `.v8`; 1 without.
    pub vector: u8,
    /// Array dimensions, outermost first; empty for a scalar. An outermost dimension written
    /// `[]` is 0 for `.extern` and for parameters, otherwise it is taken from the initialiser.
    pub dimensions: SmallVec<[u64; 2]>,
    /// Written with `[]` and without an initialiser: the size is set at launch or elsewhere.
    pub unsized_array: bool,
    /// `.align`, or else the natural alignment of the type, in bytes. A power of two.
    pub align_bytes: u32,
    /// Visibility to other modules.
    pub linkage: Linkage,
    /// `.attribute(.managed)`
    pub managed: bool,
    /// What a `.ptr` parameter points to.
    pub pointer: Option<PointerAttribute>,
    /// The function it is a parameter of, or is declared in; also for the parameters of a
    /// `.callprototype`.
    pub owner: Option<FunctionId>,
    /// Range of [`Module::initial_values`].
    pub initial_values: Option<ListRange>,
    /// As for [`Function::canonical`]: `.extern` declarations lead to the definition.
    pub canonical: VariableId,
}

impl Variable {
    /// Bytes of one element, vectors included. Opaque references take 8.
    pub fn element_bytes(&self) -> u64 {
        match self.ty {
            VariableType::Scalar(ty) => u64::from(ty.size_bytes()) * u64::from(self.vector),
            VariableType::Opaque(_) => 8,
        }
    }

    /// Number of elements over all dimensions; 0 for an array whose size is not known here.
    pub fn element_count(&self) -> u64 {
        self.dimensions.iter().fold(1, |n, &d| n.saturating_mul(d))
    }

    /// Bytes of the whole variable. The parser reports sizes that don't fit 40 bits.
    pub fn size_bytes(&self) -> u64 {
        self.element_count().saturating_mul(self.element_bytes())
    }
}

/// A declaration of `NAME0` to `NAME(count-1)`.
#[derive(Clone, Debug)]
pub struct VariableTemplate {
    /// What they have in common; its name is the part before the number.
    pub variable: Variable,
    /// How many there are.
    pub count: u32,
}

/// Type of a variable's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableType {
    /// A scalar type.
    Scalar(ScalarType),
    /// A handle that only texture and surface instructions can use.
    Opaque(OpaqueType),
}

/// Handles of textures, samplers and surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpaqueType {
    /// `.texref`
    Texture,
    /// `.samplerref`
    Sampler,
    /// `.surfref`
    Surface,
}

/// `.ptr .SPACE .align N` of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerAttribute {
    /// Nothing for generic addresses.
    pub space: Option<StateSpace>,
    /// Alignment of what is pointed to, in bytes; 4 where not written.
    pub align_bytes: u32,
}

/// One initialised scalar of a variable. Scalars that are not listed are zero.
#[derive(Clone, Copy, Debug)]
pub struct InitialValue {
    /// Which scalar, counted over all dimensions and vector elements in row-major order.
    pub index: u32,
    /// Byte position in the source.
    pub start: u32,
    /// What to store.
    pub value: Value,
}

/// A value known when the module is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// An integer, wrapped to the type it is stored in.
    Integer(Integer),
    /// The bits of a single-precision number: `0fXXXXXXXX`.
    Single(u32),
    /// The bits of a double-precision number; also for decimal notation and expressions,
    /// whatever the type they are stored in.
    Double(u64),
    /// An address.
    Address(InitialAddressId),
}

/// `NAME + OFFSET` in an initialiser, also inside `generic(...)` or a mask `0xFF00(...)`.
#[derive(Clone, Copy, Debug)]
pub struct InitialAddress {
    /// The variable or function.
    pub name: Name,
    /// Place of the name.
    pub span: Span,
    /// Bytes added to its address.
    pub offset: i64,
    /// The generic address instead of the one in the variable's own space.
    pub generic: bool,
    /// Only this byte of the address, 0 being the lowest.
    pub byte: Option<u8>,
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

/// The dotted parts of an opcode. Equal texts share one, so work done per opcode can be kept in
/// a vector indexed by [`OpcodeId`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opcode<'s> {
    /// As written at its first use, white space included.
    pub text: &'s str,
    /// `["ld", "global", "L2::128B", "v4", "f32"]`; never empty.
    pub parts: Vec<OpcodePart<'s>>,
}

/// One part of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpcodePart<'s> {
    /// Without its leading dot.
    pub text: &'s str,
    /// Bytes from the start of the opcode to the start of `text`.
    pub offset: u32,
}

impl<'s> Opcode<'s> {
    /// The first part: the operation.
    pub fn base(&self) -> &'s str {
        self.parts.first().map_or("", |part| part.text)
    }

    /// The parts after the first.
    pub fn modifiers(&self) -> impl Iterator<Item = &'s str> + '_ {
        self.parts.iter().skip(1).map(|part| part.text)
    }
}

/// The statements of a function.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// In source order, over all scopes.
    pub instructions: Vec<Instruction>,
    /// Operands of all instructions; see [`Body::operands`].
    pub operands: Vec<Operand>,
    /// Bracketed operands and `NAME + OFFSET`.
    pub addresses: Vec<Address>,
    /// In source order.
    pub labels: Vec<Label>,
    /// The registers of the body, `.reg` parameters first; those of ranges only if mentioned.
    pub registers: Vec<Register>,
    /// `.reg` statements, a name each.
    pub register_declarations: Vec<RegisterDeclaration>,
    /// `.branchtargets`
    pub branch_tables: Vec<BranchTable>,
    /// `.calltargets`
    pub call_tables: Vec<CallTable>,
    /// `.callprototype`
    pub prototypes: Vec<Prototype>,
    /// `.loc` directives.
    pub locations: Vec<Location>,
    /// From the opening to the closing brace.
    pub span: Span,
    /// Scopes and declarations between the instructions, for name resolution.
    pub(crate) marks: Vec<Mark>,
}

impl Body {
    /// The operands in `list`: those of an instruction, a vector, a parenthesised list, a pair
    /// or the ones after an address.
    pub fn operands(&self, list: ListRange) -> &[Operand] {
        self.operands.get(list.range()).unwrap_or(&[])
    }

    /// The address behind `id`.
    pub fn address(&self, id: AddressId) -> &Address {
        &self.addresses[id.index()]
    }

    /// The register behind `id`.
    pub fn register(&self, id: RegisterId) -> &Register {
        &self.registers[id.index()]
    }

    /// The label behind `id`.
    pub fn label(&self, id: LabelId) -> &Label {
        &self.labels[id.index()]
    }
}

/// Something between instructions that matters to the meaning of names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// Number of instructions before it.
    pub(crate) position: u32,
    pub(crate) kind: MarkKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkKind {
    OpenScope,
    CloseScope,
    Register(RegisterDeclarationId),
    Variable(VariableId),
    VariableTemplate(VariableTemplateId),
    Label(LabelId),
    BranchTable(BranchTableId),
    CallTable(CallTableId),
    Prototype(PrototypeId),
}

/// An instruction, as written.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// From guard or opcode to the semicolon.
    pub span: Span,
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// The dotted parts.
    pub opcode: OpcodeId,
    /// Byte position of the opcode.
    pub opcode_start: u32,
    /// See [`Body::operands`].
    pub operands: ListRange,
    /// The `.loc` in force.
    pub location: Option<LocationId>,
}

impl Instruction {
    /// Place of the whole opcode.
    pub fn opcode_span(&self, opcode: &Opcode<'_>) -> Span {
        Span::new(
            self.opcode_start,
            self.opcode_start + opcode.text.len() as u32,
        )
    }

    /// Place of one part of the opcode.
    pub fn part_span(&self, part: &OpcodePart<'_>) -> Span {
        let start = self.opcode_start + part.offset;
        Span::new(start, start + part.text.len() as u32)
    }
}

/// The predicate in front of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    /// Resolves to a predicate register.
    pub predicate: Name,
    /// `@!p`: runs where the predicate is false.
    pub negated: bool,
    /// Place, with the `@`.
    pub span: Span,
}

/// An identifier in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// What is written, without selector.
    pub symbol: Symbol,
    /// `.x`, `.b0`, `.h1` and so on after the name.
    pub selector: Option<Selector>,
    /// What it stands for.
    pub target: Target,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Not looked up, or not found; then there is an error about it.
    Unresolved,
    /// A register of this body.
    Register(RegisterId),
    /// A variable or parameter; always the canonical one.
    Variable(VariableId),
    /// A function; always the canonical one.
    Function(FunctionId),
    /// A place in this body.
    Label(LabelId),
    /// A `.branchtargets` list.
    BranchTable(BranchTableId),
    /// A `.calltargets` list.
    CallTable(CallTableId),
    /// A `.callprototype`.
    Prototype(PrototypeId),
    /// `%tid` and the like; the dimension is in the selector.
    Special(SpecialRegister),
}

/// What follows a register name after a dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector {
    /// Vector element 0 to 3: `.x .y .z .w` or `.r .g .b .a`.
    Element(u8),
    /// Byte 0 to 7 of a video instruction's operand: `.b0` to `.b7`, also in runs as `.b3210`.
    Bytes(ByteSelection),
    /// Half 0 to 3 of a video instruction's operand: `.h0` to `.h3`, also in runs as `.h10`.
    Halves(ByteSelection),
}

/// Which bytes or halves a video selector picks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteSelection {
    /// The digits as written, most significant first.
    pub digits: [u8; 4],
    /// How many of them there are.
    pub count: u8,
}

/// An operand with its place.
#[derive(Clone, Debug)]
pub struct Operand {
    /// All of it, with brackets.
    pub span: Span,
    /// What it is.
    pub kind: OperandKind,
}

/// The forms of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperandKind {
    /// A register, variable, label, function, special register, table or prototype.
    Name(Name),
    /// `NAME + OFFSET` outside brackets: an address as a value.
    NameOffset(AddressId),
    /// `!p`
    Not(Name),
    /// `-r`, of video instructions.
    Negate(Name),
    /// A folded integer constant.
    Integer(Integer),
    /// A floating-point constant.
    Float(Float),
    /// `WARP_SZ`
    WarpSize,
    /// `_`
    Sink,
    /// `{a, b}`
    Vector(ListRange),
    /// `(a, b)` of a call.
    List(ListRange),
    /// `d|p`: two operands.
    Pair(ListRange),
    /// `[...]`
    Address(AddressId),
    /// `NAME[...]`: an array element, as the place to load from or store to or, for `mov`, as an
    /// address.
    Element(AddressId),
}

/// An address: `[BASE + OFFSET, ARGUMENTS]`, or an array element: `BASE[INDEX + OFFSET]`.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    /// Register, variable or parameter; nothing for a constant address.
    pub base: Option<Name>,
    /// Place of the base, or of the constant.
    pub base_span: Span,
    /// Added to the base, in bytes once names are resolved; the whole address without a base.
    pub offset: i64,
    /// A register that counts elements, multiplied by `scale_bytes` and added.
    pub index: Option<Name>,
    /// Of `BASE[...]`: bytes of an element; otherwise 0.
    pub scale_bytes: u32,
    /// After the first comma: sampler, coordinates.
    pub arguments: ListRange,
    /// `.unified` after the bracket.
    pub unified: bool,
}

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name; unique only within its scope.
    pub name: Symbol,
    /// Place of the name.
    pub span: Span,
    /// Index of the instruction that follows; the number of instructions at the end.
    pub position: u32,
}

/// A register of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its full name, such as `%r5`; two scopes can have registers of the same name.
    pub name: Symbol,
    /// Type of each element.
    pub ty: ScalarType,
    /// Elements of `.v2`, `.v4`, `.v8`; 1 without.
    pub vector: u8,
    /// Place of the declaring name.
    pub declared: Span,
}

/// `.reg .TYPE NAME` or `.reg .TYPE NAME<COUNT>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterDeclaration {
    /// The name or, with a count, what comes before the number.
    pub name: Symbol,
    /// Place of the name.
    pub span: Span,
    /// Declares `NAME0` to `NAME(count-1)`; nothing for a plain name.
    pub count: Option<u32>,
    /// Type of each element.
    pub ty: ScalarType,
    /// Elements of `.v2`, `.v4`, `.v8`; 1 without.
    pub vector: u8,
}

/// `NAME: .branchtargets LABEL, LABEL;`
#[derive(Clone, Debug)]
pub struct BranchTable {
    /// Its name.
    pub name: Symbol,
    /// Place of the name.
    pub span: Span,
    /// Labels, in order.
    pub targets: Vec<(Name, Span)>,
}

/// `NAME: .calltargets FUNCTION, FUNCTION;`
#[derive(Clone, Debug)]
pub struct CallTable {
    /// Its name.
    pub name: Symbol,
    /// Place of the name.
    pub span: Span,
    /// Functions, in order.
    pub targets: Vec<(Name, Span)>,
}

/// `NAME: .callprototype (RESULT) _ (PARAMETERS);`
#[derive(Clone, Debug)]
pub struct Prototype {
    /// Its name.
    pub name: Symbol,
    /// Place of the name.
    pub span: Span,
    /// What the called function takes and returns.
    pub signature: Signature,
}

/// A place in the source that the PTX was compiled from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Number of a [`SourceFile`].
    pub file: u32,
    /// From 1; 0 where the compiler knows none.
    pub line: u32,
    /// From 1; 0 where the compiler knows none.
    pub column: u32,
    /// `inlined_at`: where the function that holds the line was inlined.
    pub inlined_at: Option<InlinedAt>,
}

/// The call site of an inlined function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlinedAt {
    /// Number of a [`SourceFile`].
    pub file: u32,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}
