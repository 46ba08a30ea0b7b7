//! Variables and their initial values.

use super::{FunctionId, InitialAddressId, Integer, Linkage, ListRange, Name, Symbol, VariableId};
use crate::diagnostic::Span;
use crate::types::{ScalarType, StateSpace};
use smallvec::SmallVec;

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
    /// Range of [`super::Module::initial_values`].
    pub initial_values: Option<ListRange>,
    /// As for [`super::Function::canonical`]: `.extern` declarations lead to the definition.
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
