//! What NVIDIA's assembler makes of a kernel: how many registers it has, and what it spills.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::process::{Command, Stdio};

use warploom_device::Device;

use super::Toolchain;
use crate::error::{InputError, InputErrorKind, io_reason};
use crate::text::{Diagnostic, list};

/// What the assembler says of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// 32-bit registers of a thread.
    pub registers: u32,
    /// Bytes that its code stores to spill registers; counted once for each instruction.
    pub spill_store_bytes: u32,
    /// The same for reloads.
    pub spill_load_bytes: u32,
}

impl fmt::Display for Assembled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ptxas gives a thread {} registers", self.registers)?;
        match (self.spill_store_bytes, self.spill_load_bytes) {
            (0, 0) => f.write_str(" and spills nothing"),
            (stores, loads) => write!(
                f,
                "; its code spills {stores} bytes and reloads {loads} bytes of them"
            ),
        }
    }
}

/// What `ptxas` makes of the kernels of PTX texts for a device, with at most `most_registers` of a
/// thread. `target` is what the texts are made for, such as `sm_90a`.
///
/// # Errors
/// When there is no `ptxas`, the device runs no PTX, or `ptxas` refuses a text.
pub fn assemble<'t>(
    texts: impl ExactSizeIterator<Item = &'t str>,
    target: &str,
    device: &Device,
    most_registers: Option<u32>,
    tools: &Toolchain,
) -> Result<BTreeMap<String, Assembled>, InputError> {
    let wrong = |message: String, help: String| {
        let diagnostic = Diagnostic::error(message).help(help);
        InputError::new(InputErrorKind::Compiler, diagnostic)
    };
    let Some((major, minor)) = device.compute_capability() else {
        return Err(wrong(
            format!(
                "device `{}` runs no PTX that `ptxas` could assemble",
                device.name
            ),
            "--ptxas is for NVIDIA devices; without it registers are estimated".to_owned(),
        ));
    };
    let Some(path) = &tools.ptxas else {
        let looked = list(&tools.looked_in, "and");
        return Err(wrong(
            "no `ptxas` was found".to_owned(),
            format!(
                "install the CUDA toolkit, or `pip install nvidia-cuda-nvcc`; without --ptxas \
                 registers are estimated\nlooked in {looked}"
            ),
        ));
    };
    let own = format!("sm_{major}{minor}");
    // Features of one chip alone are those of the text.
    let arch = match target.strip_prefix(&own) {
        Some(letter) => format!("{own}{letter}"),
        None => own,
    };
    let linked = texts.len() > 1;
    let mut found = BTreeMap::new();
    for text in texts {
        let run = || -> std::io::Result<std::process::Output> {
            let folder = tempfile::tempdir()?;
            let [ptx, object] = ["in.ptx", "out.cubin"].map(|name| folder.path().join(name));
            fs::write(&ptx, text)?;
            let mut command = Command::new(path);
            command.arg("-v").arg(format!("-arch={arch}"));
            if linked {
                command.arg("-c");
            }
            if let Some(most) = most_registers {
                command.arg(format!("--maxrregcount={most}"));
            }
            command
                .arg("-o")
                .arg(object)
                .arg(ptx)
                .stdin(Stdio::null())
                .output()
        };
        let output = run().map_err(|error| {
            let help = "ptxas writes to a temporary folder".to_owned();
            wrong(format!("cannot run `ptxas`: {}", io_reason(&error)), help)
        })?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        if !output.status.success() {
            return Err(wrong(
                format!("`ptxas` does not assemble the kernels for {arch}"),
                format!("{} says:\n{}", path.display(), said.trim_end()),
            ));
        }
        found.extend(parse(&said));
    }
    Ok(found)
}

/// Reads what `ptxas -v` prints: of each kernel its spills, then its registers.
fn parse(said: &str) -> BTreeMap<String, Assembled> {
    let mut found = BTreeMap::new();
    let mut kernel = None;
    let mut now = Assembled::default();
    for line in said.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            kernel = rest.split('\'').next().map(str::to_owned);
            now = Assembled::default();
        }
        if let Some(bytes) = number_before(line, " bytes spill stores") {
            now.spill_store_bytes = bytes;
        }
        if let Some(bytes) = number_before(line, " bytes spill loads") {
            now.spill_load_bytes = bytes;
        }
        if let Some((_, rest)) = line.split_once("Used ")
            && let Some(registers) = rest.split(' ').next().and_then(|n| n.parse().ok())
            && let Some(kernel) = kernel.take()
        {
            let registers: u32 = registers;
            found.insert(kernel, Assembled { registers, ..now });
        }
    }
    found
}

/// The number that stands before some words.
fn number_before(line: &str, words: &str) -> Option<u32> {
    let (before, _) = line.split_once(words)?;
    let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_assembler_s_words_are_read() {
        let said = "ptxas info    : 0 bytes gmem\n\
            ptxas info    : Compiling entry function 'first' for 'sm_90'\n\
            ptxas info    : Function properties for first\n    \
            0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
            ptxas info    : Used 22 registers, used 1 barriers, 8192 bytes smem\n\
            ptxas info    : Compile time = 7.1 ms\n\
            ptxas info    : Compiling entry function 'second' for 'sm_90'\n\
            ptxas info    : Function properties for helper\n    \
            16 bytes stack frame, 40 bytes spill stores, 120 bytes spill loads\n\
            ptxas info    : Used 32 registers\n";
        let assembled = |registers, spill_store_bytes, spill_load_bytes| Assembled {
            registers,
            spill_store_bytes,
            spill_load_bytes,
        };
        let expected = [
            ("first".to_owned(), assembled(22, 0, 0)),
            ("second".to_owned(), assembled(32, 40, 120)),
        ];
        assert_eq!(parse(said), BTreeMap::from(expected));
        assert_eq!(parse("Used 7 registers"), BTreeMap::new());
    }

    #[test]
    fn what_is_missing_is_said() {
        let fails = |device: &str| {
            let device = Device::by_name(device).unwrap();
            let tools = Toolchain::find(&super::super::Places::default());
            let texts = [""].into_iter();
            assemble(texts, "sm_90", &device, None, &tools)
                .unwrap_err()
                .to_string()
        };
        let error = fails("h100");
        assert!(error.starts_with("no `ptxas` was found\n  help: install the CUDA toolkit"));
        assert!(error.contains("pip install nvidia-cuda-nvcc"), "{error}");
        let error = fails("mi300x");
        assert!(error.starts_with("device `mi300x` runs no PTX"), "{error}");
    }
}
