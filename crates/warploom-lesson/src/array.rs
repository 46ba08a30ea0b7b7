//! Arrays of a lesson: buffers in global memory, and what they hold at the start.

use warploom_isa::access::Special;

use crate::check::Value;

/// What an array is made of; every element takes 4 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Element {
    /// Signed 32-bit integers.
    Int,
    /// 32-bit IEEE floating point.
    Float,
}

/// An array. The kernel takes its address as a 64-bit parameter.
#[derive(Clone, Debug)]
pub struct Array {
    /// Name in the source.
    pub name: String,
    /// What it is made of.
    pub element: Element,
    /// Number of elements.
    pub length: u32,
    pub(crate) pattern: Option<Value>,
}

impl Array {
    /// The initial value of an element, as its 32 bits; zero without a pattern.
    pub fn initial_bits(&self, index: u32) -> u32 {
        self.pattern
            .as_ref()
            .map_or(0, |value| evaluate(value, index))
    }

    /// The initial contents, little-endian, 4 bytes an element.
    pub fn initial_bytes(&self) -> Vec<u8> {
        let elements = (0..self.length).map(|index| self.initial_bits(index));
        elements.flat_map(u32::to_le_bytes).collect()
    }
}

/// The value of a pattern at an element.
fn evaluate(value: &Value, index: u32) -> u32 {
    match value {
        Value::Bits(bits) => *bits,
        Value::Special(Special::GlobalIndex) => index,
        Value::Apply(form, values) => {
            let mut sources = [0; 3];
            for (source, &operand) in sources.iter_mut().zip(form.operands) {
                *source = values
                    .get(operand)
                    .map_or(0, |value| evaluate(value, index));
            }
            (form.compute)(form.mods(), sources)
        }
        // The checker lets no pattern name these.
        Value::Special(_) | Value::Variable(_) => 0,
    }
}
