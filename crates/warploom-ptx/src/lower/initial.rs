//! Initial values of variables.

use warploom_isa::{Relocation, RelocationValue};

use super::context::Place;
use super::error;
use super::link::Link;
use crate::ast::{InitialAddress, InitialValue, Module, Target, Value, Variable, VariableType};
use crate::diagnostic::{Diagnostic, Span};
use crate::types::ScalarType;

/// Bytes up to which a variable can be initialised: what is written out is held twice.
const LIMIT_BYTES: u64 = 1 << 28;

/// The first bytes of a variable's value, and the addresses among them.
pub(crate) fn value(
    link: &Link,
    number: usize,
    module: &Module<'_>,
    variable: &Variable,
) -> Result<(Vec<u8>, Vec<Relocation>), Diagnostic> {
    let mut bytes = Vec::new();
    let mut relocations = Vec::new();
    let VariableType::Scalar(ty) = variable.ty else {
        return Ok((bytes, relocations));
    };
    let size = ty.size_bytes() as usize;
    for initial in module.initial_values(variable) {
        let offset = u64::from(initial.index).saturating_mul(size as u64);
        if offset >= LIMIT_BYTES {
            let message = format!("an initialiser reaches {LIMIT_BYTES} bytes at most");
            let label = "too far behind the start";
            let span = place_of(initial);
            return Err(Diagnostic::new(error::CAPACITY, span, message, label));
        }
        if let Value::Address(id) = initial.value {
            if let Some(address) = module.initial_addresses.get(id.index()) {
                relocations.push(relocation(link, number, address, offset, size)?);
            }
            continue;
        }
        let bits = scalar_bits(initial.value, ty).to_le_bytes();
        let offset = offset as usize;
        if bits.iter().any(|&byte| byte != 0) {
            if bytes.len() < offset + size {
                bytes.resize(offset + size, 0);
            }
            if let (Some(target), Some(bits)) =
                (bytes.get_mut(offset..offset + size), bits.get(..size))
            {
                target.copy_from_slice(bits);
            }
        }
    }
    Ok((bytes, relocations))
}

fn place_of(initial: &InitialValue) -> Span {
    Span::new(initial.start, initial.start + 1)
}

/// A number as the bits of a type; an address has none yet.
fn scalar_bits(value: Value, ty: ScalarType) -> u128 {
    let number = match value {
        Value::Integer(integer) if ty.is_float() => integer.value() as f64,
        Value::Integer(integer) => return integer.value() as u128,
        Value::Single(bits) => match ty {
            ScalarType::F64 => f64::from(f32::from_bits(bits)),
            _ => return u128::from(bits),
        },
        Value::Double(bits) => f64::from_bits(bits),
        Value::Address(_) => return 0,
    };
    match ty {
        ScalarType::F32 => u128::from((number as f32).to_bits()),
        ScalarType::F16 => u128::from(half::f16::from_f64(number).to_bits()),
        ScalarType::Bf16 => u128::from(half::bf16::from_f64(number).to_bits()),
        _ => u128::from(number.to_bits()),
    }
}

fn relocation(
    link: &Link,
    number: usize,
    address: &InitialAddress,
    offset: u64,
    size: usize,
) -> Result<Relocation, Diagnostic> {
    let not_an_address = || {
        let expected = "a variable in global, constant or shared memory, or a function";
        error::operand_kind(address.span, expected)
    };
    let value = match address.name.target {
        Target::Function(id) => RelocationValue::Function(link.function(number, id)),
        Target::Variable(id) => match link.place(number, id) {
            Place::Module(variable) => RelocationValue::Variable {
                variable,
                addend: address.offset,
                generic: address.generic,
            },
            _ => return Err(not_an_address()),
        },
        _ => return Err(not_an_address()),
    };
    let (bytes, shift) = match address.byte {
        Some(n) => (1, 8 * n.min(7)),
        None => (size.min(8) as u8, 0),
    };
    Ok(Relocation {
        offset,
        bytes,
        value,
        shift,
    })
}
