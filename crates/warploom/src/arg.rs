//! The syntax of `--arg`: `[NAME=]KIND:VALUE`.

use std::path::PathBuf;

use crate::contents::{ContentsPlan, SourcePlan};
use crate::element::ElementType;
use crate::fill::Fill;
use crate::plan::ArgValue;
use crate::scalar::{Scalar, hex, integer};
use crate::shape::ArrayType;
use crate::text::{Diagnostic, Spot, did_you_mean, list};

/// An argument as it is written on a command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// Name of the buffer that it makes.
    pub name: Option<String>,
    /// What it is.
    pub kind: ArgKind,
    /// Where it was written.
    pub spot: Spot,
}

/// What an argument is.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgKind {
    /// `u32:7`, `bytes:00ff`, `buffer:x+16`.
    Value(ArgValue),
    /// `zeros:f32[4]`, `random:f32[4]:7`, `npy:x.npy`: a new buffer.
    Contents(ContentsPlan),
}

/// Kinds that are no scalar type.
const OTHER_KINDS: [&str; 7] = ["zeros", "ones", "iota", "random", "npy", "buffer", "bytes"];

impl Arg {
    /// Reads an argument.
    ///
    /// | form | means |
    /// | --- | --- |
    /// | `u32:7`, `s64:-1`, `f32:2.5`, `bool:true` | a number of that type |
    /// | `bytes:0011ff` | raw bytes |
    /// | `zeros:f32[1024]`, `ones:…`, `iota:…` | a new buffer filled by a rule |
    /// | `random:f32[1024]:7` | the same with random numbers; the seed may be left out (0) |
    /// | `npy:x.npy` | a new buffer with the elements of a file |
    /// | `buffer:x`, `buffer:x+64` | the address of an earlier buffer, plus bytes |
    ///
    /// `NAME=` in front names the new buffer.
    ///
    /// # Errors
    /// A diagnostic at the part of `spot` that is wrong.
    pub fn parse(spot: &Spot) -> Result<Arg, Diagnostic> {
        let text = spot.text();
        let syntax = "arguments are written like `u32:7`, `x=zeros:f32[1024]` or `npy:x.npy`";
        let Some(colon) = text.find(':') else {
            let message = format!("`{text}` has no value");
            return Err(Diagnostic::error(message)
                .at(
                    &spot.part(text.len()..text.len()),
                    "expected `:` and a value",
                )
                .help(syntax));
        };
        let start = text[..colon].find('=').map_or(0, |at| at + 1);
        let name = (start > 0).then(|| text[..start - 1].to_owned());
        if name.as_deref() == Some("") {
            let message = "the name before `=` is empty";
            return Err(Diagnostic::error(message)
                .at(&spot.part(0..1), "")
                .help(syntax));
        }
        let kind = kind(spot, start, colon)?;
        if let (Some(name), ArgKind::Value(_)) = (&name, &kind) {
            return Err(
                Diagnostic::error("only an argument that makes a buffer has a name")
                    .at(&spot.part(0..name.len()), ""),
            );
        }
        let spot = spot.clone();
        Ok(Arg { name, kind, spot })
    }
}

fn kind(spot: &Spot, start: usize, colon: usize) -> Result<ArgKind, Diagnostic> {
    let kind = spot.part(start..colon);
    let value = spot.part(colon + 1..spot.text().len());
    if let Some(ty) = ElementType::by_name(kind.text()) {
        return Ok(ArgKind::Value(ArgValue::Scalar(Scalar::parse(ty, &value)?)));
    }
    let fill = match kind.text() {
        "bytes" => return Ok(ArgKind::Value(ArgValue::Bytes(hex(&value)?))),
        "buffer" => return Ok(ArgKind::Value(buffer(&value)?)),
        "npy" => return npy(spot, &value),
        "zeros" => Fill::Zeros,
        "ones" => Fill::Ones,
        "iota" => Fill::Iota,
        "random" => return random(spot, &value),
        other => {
            let known = ElementType::ALL
                .iter()
                .map(|ty| ty.name())
                .chain(OTHER_KINDS);
            let all = format!("it is one of {}", list(known.clone(), "or"));
            return Err(
                Diagnostic::error(format!("there is no kind of argument `{other}`"))
                    .at(&kind, "")
                    .help(did_you_mean(other, known, all)),
            );
        }
    };
    Ok(contents(
        spot,
        SourcePlan::Fill(fill, ArrayType::parse(&value)?),
    ))
}

fn contents(spot: &Spot, source: SourcePlan) -> ArgKind {
    ArgKind::Contents(ContentsPlan {
        source,
        element: None,
        spot: Some(spot.clone()),
    })
}

fn npy(spot: &Spot, value: &Spot) -> Result<ArgKind, Diagnostic> {
    let shown = value.text().to_owned();
    if shown.is_empty() {
        return Err(Diagnostic::error("the path is empty").at(spot, ""));
    }
    let path = PathBuf::from(&shown);
    Ok(contents(spot, SourcePlan::Npy { path, shown }))
}

fn random(spot: &Spot, value: &Spot) -> Result<ArgKind, Diagnostic> {
    let text = value.text();
    let end = text.find(':').unwrap_or(text.len());
    let ty = ArrayType::parse(&value.part(0..end))?;
    let seed = match text.get(end + 1..) {
        Some(_) => Scalar::parse(ElementType::U64, &value.part(end + 1..text.len()))?.bits,
        None => 0,
    };
    Ok(contents(spot, SourcePlan::Fill(Fill::Random { seed }, ty)))
}

fn buffer(value: &Spot) -> Result<ArgValue, Diagnostic> {
    let text = value.text();
    let Some((name, offset)) = text.rsplit_once('+') else {
        let (name, offset_bytes) = (text.to_owned(), 0);
        return Ok(ArgValue::Buffer { name, offset_bytes });
    };
    let offset_bytes = integer(offset)
        .and_then(|n| u64::try_from(n).ok())
        .ok_or_else(|| {
            Diagnostic::error(format!("`{offset}` is not an offset")).at(
                &value.part(name.len() + 1..text.len()),
                "expected a number of bytes",
            )
        })?;
    let name = name.to_owned();
    Ok(ArgValue::Buffer { name, offset_bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Arg, String> {
        Arg::parse(&Spot::whole("--arg", text)).map_err(|d| d.to_string())
    }

    fn source(text: &str) -> SourcePlan {
        match parse(text).unwrap().kind {
            ArgKind::Contents(contents) => contents.source,
            other => panic!("{text} is {other:?}"),
        }
    }

    #[test]
    fn every_form_is_read() {
        let scalar = ArgValue::Scalar(Scalar {
            ty: ElementType::S64,
            bits: u64::MAX,
        });
        assert_eq!(parse("s64:-1").unwrap().kind, ArgKind::Value(scalar));
        let bytes = ArgValue::Bytes(vec![0, 255]);
        assert_eq!(parse("bytes:00ff").unwrap().kind, ArgKind::Value(bytes));
        let buffer = ArgValue::Buffer {
            name: "x".into(),
            offset_bytes: 64,
        };
        assert_eq!(parse("buffer:x+0x40").unwrap().kind, ArgKind::Value(buffer));
        let shape = ArrayType {
            element: ElementType::F32,
            shape: vec![4096],
        };
        assert_eq!(
            source("zeros:f32[4K]"),
            SourcePlan::Fill(Fill::Zeros, shape.clone())
        );
        let random = |seed| SourcePlan::Fill(Fill::Random { seed }, shape.clone());
        assert_eq!(source("random:f32[4K]:7"), random(7));
        assert_eq!(source("random:f32[4K]"), random(0));
        let npy = SourcePlan::Npy {
            path: "a=b:c.npy".into(),
            shown: "a=b:c.npy".into(),
        };
        assert_eq!(source("npy:a=b:c.npy"), npy);
        assert_eq!(parse("x=npy:a=b.npy").unwrap().name.as_deref(), Some("x"));
    }

    #[test]
    fn errors_point_at_the_wrong_part() {
        let syntax = "\n  help: arguments are written like `u32:7`, `x=zeros:f32[1024]` or \
                      `npy:x.npy`";
        let kinds = "it is one of u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, f32, f64, \
                     bool, zeros, ones, iota, random, npy, buffer or bytes";
        let cases = [
            (
                "7",
                format!("--arg:1:2: `7` has no value: expected `:` and a value{syntax}"),
            ),
            (
                "",
                format!("--arg:1:1: `` has no value: expected `:` and a value{syntax}"),
            ),
            (
                "=u32:7",
                format!("--arg:1:1: the name before `=` is empty{syntax}"),
            ),
            (
                "n=u32:7",
                "--arg:1:1: only an argument that makes a buffer has a name".into(),
            ),
            (
                "zeroes:f32[4]",
                format!(
                    "--arg:1:1: there is no kind of argument `zeroes`\n  help: did you mean \
                     `zeros`? {kinds}"
                ),
            ),
            (
                "x=i32:4",
                format!("--arg:1:3: there is no kind of argument `i32`\n  help: {kinds}"),
            ),
            ("npy:", "--arg:1:1: the path is empty".into()),
            (
                "random:f32[4]:x",
                "--arg:1:15: `x` is not a u64: expected a whole number like `7` or `0xff`".into(),
            ),
            (
                "buffer:x+-4",
                "--arg:1:10: `-4` is not an offset: expected a number of bytes".into(),
            ),
            (
                "u32:-7",
                "--arg:1:5: `-7` does not fit u32: expected 0 to 4294967295".into(),
            ),
        ];
        for (text, wanted) in cases {
            assert_eq!(parse(text).unwrap_err(), wanted, "{text}");
        }
    }

    mod never_panics {
        use proptest::prelude::*;

        use crate::arg::Arg;
        use crate::plan::Extent;
        use crate::text::Spot;

        proptest! {
            #[test]
            fn on_any_argument(text in "\\PC{0,40}") {
                let _ = Arg::parse(&Spot::whole("--arg", text));
            }

            #[test]
            fn on_nearly_right_arguments(
                text in "(\\PC=)?(u32|f16|bool|bytes|buffer|npy|zeros|random|iota):?\\PC?[-+0-9a-fx:_.,\\[\\]KMinf]{0,24}",
            ) {
                let _ = Arg::parse(&Spot::whole("--arg", text));
            }

            #[test]
            fn on_any_extent(text in "[0-9, +-]{0,20}|\\PC{0,20}") {
                if let Ok(extent) = Extent::parse(Spot::whole("--grid", text)) {
                    prop_assert!(extent.size.iter().all(|&n| n > 0));
                }
            }
        }
    }
}
