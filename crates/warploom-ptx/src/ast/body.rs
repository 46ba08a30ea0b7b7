//! What stands inside functions.

use super::{
    AddressId, BranchTableId, CallTableId, Float, FunctionId, Integer, LabelId, ListRange,
    LocationId, OpcodeId, PrototypeId, RegisterDeclarationId, RegisterId, Signature, Symbol,
    VariableId, VariableTemplateId,
};
use crate::diagnostic::Span;
use crate::special::SpecialRegister;
use crate::types::ScalarType;

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
    /// Number of a [`super::SourceFile`].
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
    /// Number of a [`super::SourceFile`].
    pub file: u32,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}
