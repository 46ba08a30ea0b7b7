//! Arguments of a launch against the kernel's parameters.

use std::fmt::Write;

use warploom_isa::{Function, KernelParam};

use crate::element::Class;
use crate::scalar::Scalar;
use crate::text::{Diagnostic, Spot};

/// An argument with its buffer's address filled in.
#[derive(Clone, Debug)]
pub(crate) struct Argument<'a> {
    pub value: Resolved<'a>,
    pub spot: Option<&'a Spot>,
}

/// A value ready to be stored.
#[derive(Clone, Debug)]
pub(crate) enum Resolved<'a> {
    Scalar(Scalar),
    Bytes(&'a [u8]),
    Address(u64),
}

impl Resolved<'_> {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Resolved::Scalar(scalar) => scalar.to_bytes(),
            Resolved::Bytes(bytes) => bytes.to_vec(),
            Resolved::Address(address) => address.to_le_bytes().to_vec(),
        }
    }

    fn describe(&self) -> String {
        match self {
            Resolved::Scalar(scalar) => format!("{} of {} bytes", scalar.ty, scalar.ty.bytes()),
            Resolved::Bytes(bytes) => format!("{} bytes", bytes.len()),
            Resolved::Address(_) => "a buffer's address of 8 bytes".into(),
        }
    }
}

/// Lays out the parameter block of a launch. `list` is where the arguments stand.
///
/// # Errors
/// A diagnostic when there are too few or too many arguments, or one does not fit.
pub(crate) fn pack(
    kernel: &Function,
    arguments: &[Argument<'_>],
    list: Option<&Spot>,
) -> Result<Vec<u8>, Diagnostic> {
    let wanted = kernel.params.len();
    if arguments.len() != wanted {
        let (plural, given) = (if wanted == 1 { "" } else { "s" }, arguments.len());
        let name = &kernel.name;
        let message = format!("kernel `{name}` takes {wanted} argument{plural}, {given} given");
        let extra = arguments.get(wanted).and_then(|argument| argument.spot);
        let diagnostic = match list {
            Some(_) => Diagnostic::error(message).maybe_at(list, ""),
            None => Diagnostic::error(message).maybe_at(extra, "one too many"),
        };
        return Err(diagnostic.help(signature(kernel)));
    }
    let mut block = vec![0; kernel.param_bytes as usize];
    for (number, (param, argument)) in kernel.params.iter().zip(arguments).enumerate() {
        if !fits(param, &argument.value) {
            let KernelParam {
                name, ty, bytes, ..
            } = param;
            let (n, found) = (number + 1, argument.value.describe());
            let message = format!("argument {n} is {found}; parameter `{name}` is {ty}");
            let expected = format!("expected {} of {bytes} bytes", expected(ty));
            return Err(Diagnostic::error(message)
                .maybe_at(argument.spot, expected)
                .help(signature(kernel)));
        }
        let start = param.offset as usize;
        let value = argument.value.bytes();
        if let Some(place) = block.get_mut(start..start + value.len()) {
            place.copy_from_slice(&value);
        }
    }
    Ok(block)
}

/// Whether a value can be handed to a parameter: the size has to agree, and floats and integers
/// are kept apart where the parameter's type does so. PTX passes halves as 16-bit integers.
fn fits(param: &KernelParam, value: &Resolved<'_>) -> bool {
    let floating = match value {
        Resolved::Bytes(bytes) => return bytes.len() == param.bytes as usize,
        Resolved::Address(_) => false,
        Resolved::Scalar(scalar) => scalar.ty.class() == Class::Float,
    };
    if value.bytes().len() != param.bytes as usize {
        return false;
    }
    match class(&param.ty) {
        Some(Class::Float) => floating,
        Some(_) => !floating || param.bytes == 2,
        None => true,
    }
}

/// Class of a parameter's type; `None` where the source leaves it open (`.b32`, arrays).
fn class(ty: &str) -> Option<Class> {
    let ty = ty.rsplit(' ').next().unwrap_or(ty).trim_start_matches('.');
    let digits = ty
        .get(1..)
        .is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
    match ty.chars().next() {
        Some('f') if digits => Some(Class::Float),
        Some('u') if digits => Some(Class::Unsigned),
        Some('s') if digits => Some(Class::Signed),
        _ => None,
    }
}

fn expected(ty: &str) -> &'static str {
    match class(ty) {
        Some(Class::Float) => "a floating-point number",
        Some(_) => "an integer or address",
        None => "a value",
    }
}

/// `saxpy(.u32 n, .f32 a, .u64 x)`, cut where it grows too long.
fn signature(kernel: &Function) -> String {
    const SHOWN: usize = 24;
    let mut text = format!("it is {}(", kernel.name);
    for (i, param) in kernel.params.iter().take(SHOWN).enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{} {}", param.ty, param.name);
    }
    if kernel.params.len() > SHOWN {
        text.push_str(", …");
    }
    text.push(')');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::ElementType;

    fn kernel(params: &[(&str, &str, u32)]) -> Function {
        let mut offset = 0u32;
        let mut all = Vec::new();
        for &(name, ty, bytes) in params {
            offset = offset.next_multiple_of(bytes.min(8));
            all.push(KernelParam {
                name: name.into(),
                ty: ty.into(),
                offset,
                bytes,
                align_bytes: bytes.min(8),
                pointer: false,
            });
            offset += bytes;
        }
        Function {
            name: "k".into(),
            kernel: true,
            params: all,
            param_bytes: offset,
            ..Function::default()
        }
    }

    fn scalar(ty: ElementType, bits: u64) -> Argument<'static> {
        let value = Resolved::Scalar(Scalar { ty, bits });
        Argument { value, spot: None }
    }

    #[test]
    fn values_go_to_their_offsets() {
        let kernel = kernel(&[
            ("n", ".u8", 1),
            ("x", ".u64", 8),
            ("s", ".align 4 .b8[12]", 12),
            ("f", ".f32", 4),
        ]);
        let bytes: Vec<u8> = (1..=12).collect();
        let arguments = [
            scalar(ElementType::Bool, 1),
            Argument {
                value: Resolved::Address(0x1000_0000_0100),
                spot: None,
            },
            Argument {
                value: Resolved::Bytes(&bytes),
                spot: None,
            },
            scalar(ElementType::F32, 0x3f80_0000),
        ];
        let block = pack(&kernel, &arguments, None).unwrap();
        let mut wanted = vec![1, 0, 0, 0, 0, 0, 0, 0];
        wanted.extend([0, 1, 0, 0, 0, 0x10, 0, 0]);
        wanted.extend(1..=12);
        // The structure's 12 bytes need no padding before a 4-byte number.
        wanted.extend([0, 0, 0x80, 0x3f]);
        assert_eq!(block[..16], wanted[..16]);
        let s = kernel.params[2].offset as usize;
        assert_eq!(block[s..s + 12], wanted[16..28]);
        let f = kernel.params[3].offset as usize;
        assert_eq!(block[f..], wanted[28..]);
    }

    #[test]
    fn types_that_fit_are_taken() {
        let fits = |ty: &str, bytes: u32, value: Resolved<'_>| {
            fits(&kernel(&[("p", ty, bytes)]).params[0], &value)
        };
        let scalar = |ty| Resolved::Scalar(Scalar { ty, bits: 0 });
        assert!(fits(".u32", 4, scalar(ElementType::S32)));
        assert!(fits(".b32", 4, scalar(ElementType::F32)));
        assert!(fits(".u16", 2, scalar(ElementType::Bf16)));
        assert!(fits(".align 2 .b8[2]", 2, scalar(ElementType::F16)));
        assert!(fits(".u64", 8, scalar(ElementType::U64)));
        assert!(fits(".f32", 4, Resolved::Bytes(&[0; 4])));
        assert!(!fits(".u32", 4, scalar(ElementType::F32)));
        assert!(!fits(".f64", 8, scalar(ElementType::U64)));
        assert!(!fits(".f64", 8, Resolved::Address(0)));
        assert!(!fits(".u32", 4, Resolved::Address(0)));
        assert!(!fits(".u32", 4, scalar(ElementType::U64)));
        assert!(!fits(".f32", 4, Resolved::Bytes(&[0; 8])));
    }

    #[test]
    fn errors_name_the_parameter_and_the_signature() {
        let kernel = kernel(&[("n", ".u32", 4), ("a", ".f32", 4)]);
        let help = "\n  help: it is k(.u32 n, .f32 a)";
        let error = pack(&kernel, &[scalar(ElementType::U32, 1)], None).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("kernel `k` takes 2 arguments, 1 given{help}")
        );
        let spot = Spot::whole("--arg", "u64:1");
        let mut three = [(); 3].map(|()| scalar(ElementType::U32, 1));
        three[2].spot = Some(&spot);
        assert_eq!(
            pack(&kernel, &three, None).unwrap_err().to_string(),
            format!("--arg:1:1: kernel `k` takes 2 arguments, 3 given: one too many{help}")
        );
        let mut wrong = [scalar(ElementType::U32, 1), scalar(ElementType::U64, 1)];
        wrong[1].spot = Some(&spot);
        assert_eq!(
            pack(&kernel, &wrong, None).unwrap_err().to_string(),
            format!(
                "--arg:1:1: argument 2 is u64 of 8 bytes; parameter `a` is .f32: expected a \
                 floating-point number of 4 bytes{help}"
            )
        );
    }
}
