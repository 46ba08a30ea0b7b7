//! A whole run as plain data: what a launch file says, or a command line.

use std::path::{Path, PathBuf};

use crate::arg::{Arg, ArgKind};
use crate::contents::ContentsPlan;
use crate::error::{InputError, InputErrorKind};
use crate::scalar::Scalar;
use crate::text::{Diagnostic, Spot};

/// Modules, buffers, launches in order, and what to check and save at the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Program texts; several are linked together.
    pub modules: Vec<FilePlan>,
    /// Name of the device, if the plan asks for one.
    pub device: Option<Named>,
    /// Buffers in the order in which they are allocated.
    pub buffers: Vec<BufferPlan>,
    /// Launches in order.
    pub launches: Vec<LaunchPlan>,
    /// What buffers must hold at the end.
    pub expect: Vec<ExpectPlan>,
    /// Where buffers go at the end.
    pub save: Vec<SavePlan>,
}

/// A file and how its user calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlan {
    /// Where it lies.
    pub path: PathBuf,
    /// As it was written, for messages and reports.
    pub shown: String,
    /// Where it was asked for.
    pub spot: Option<Spot>,
}

impl FilePlan {
    /// A file named by its path alone.
    pub fn new(path: impl AsRef<Path>) -> FilePlan {
        let path = path.as_ref().to_owned();
        FilePlan {
            shown: path.display().to_string(),
            path,
            spot: None,
        }
    }
}

/// A name and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Where it was written.
    pub spot: Option<Spot>,
}

impl Named {
    /// A name written nowhere.
    pub fn new(name: impl Into<String>) -> Named {
        let name = name.into();
        Named { name, spot: None }
    }
}

/// A buffer in global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferPlan {
    /// Its name.
    pub name: String,
    /// What it starts with.
    pub contents: ContentsPlan,
}

/// One launch of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchPlan {
    /// The kernel; `None` takes the only one of the module.
    pub kernel: Option<Named>,
    /// Blocks along x, y, z.
    pub grid: Extent,
    /// Threads of a block along x, y, z.
    pub block: Extent,
    /// Dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// Where that was asked for.
    pub shared_spot: Option<Spot>,
    /// Arguments in order.
    pub args: Vec<ArgPlan>,
    /// Where the list of arguments stands.
    pub args_spot: Option<Spot>,
    /// All blocks must be resident at once, so that they can wait for each other.
    pub cooperative: bool,
}

/// Sizes along x, y, z, and where they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The sizes, each at least 1.
    pub size: [u32; 3],
    /// Where they were written.
    pub spot: Option<Spot>,
}

impl Default for Extent {
    fn default() -> Extent {
        [1, 1, 1].into()
    }
}

impl From<[u32; 3]> for Extent {
    fn from(size: [u32; 3]) -> Extent {
        Extent { size, spot: None }
    }
}

impl Extent {
    /// The product of the sizes.
    pub fn count(&self) -> u128 {
        self.size.iter().map(|&n| u128::from(n)).product()
    }

    /// Reads `X`, `X,Y` or `X,Y,Z`, with `x` for a comma just as well.
    ///
    /// # Errors
    /// A diagnostic at the part of `spot` that is wrong.
    pub fn parse(spot: Spot) -> Result<Extent, Diagnostic> {
        let mut size = [1; 3];
        let mut at = 0;
        for (i, part) in spot.text().split([',', 'x', 'X']).enumerate() {
            let place = spot.part(at..at + part.len());
            at += part.len() + 1;
            let part = part.trim();
            let Some(to) = size.get_mut(i) else {
                return Err(Diagnostic::error("there are three dimensions at most").at(&place, ""));
            };
            *to = match part.parse::<u32>() {
                Ok(n) if n > 0 && !part.starts_with('+') => n,
                _ => {
                    let message = format!("`{part}` is not a number of blocks or threads");
                    return Err(Diagnostic::error(message)
                        .at(&place, "expected 1 to 4294967295")
                        .help("sizes are written like `4` or `4,2,1`"));
                }
            };
        }
        let spot = Some(spot);
        Ok(Extent { size, spot })
    }
}

/// An argument of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgPlan {
    /// Its value.
    pub value: ArgValue,
    /// Where it was written.
    pub spot: Option<Spot>,
}

/// Value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgValue {
    /// A number.
    Scalar(Scalar),
    /// Raw bytes, for structures.
    Bytes(Vec<u8>),
    /// The address of a buffer, plus bytes.
    Buffer {
        /// The buffer.
        name: String,
        /// Bytes added to its address.
        offset_bytes: u64,
    },
}

impl From<ArgValue> for ArgPlan {
    fn from(value: ArgValue) -> ArgPlan {
        ArgPlan { value, spot: None }
    }
}

/// What a buffer must hold at the end.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectPlan {
    /// The buffer.
    pub buffer: String,
    /// What it must hold.
    pub contents: ContentsPlan,
    /// Largest difference relative to the expected value.
    pub rtol: f64,
    /// Largest absolute difference on top of that.
    pub atol: f64,
}

/// Where a buffer goes at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavePlan {
    /// The buffer.
    pub buffer: String,
    /// The `.npy` file.
    pub file: FilePlan,
}

impl Plan {
    /// Names of the buffers.
    pub fn buffer_names(&self) -> impl Iterator<Item = &str> {
        self.buffers.iter().map(|buffer| buffer.name.as_str())
    }

    /// Adds the arguments of a command line to `launch`, and the buffers that they make to this
    /// plan.
    ///
    /// # Errors
    /// When two buffers have one name, or an argument names a buffer that is not there.
    pub fn add_args(
        &mut self,
        launch: &mut LaunchPlan,
        args: impl IntoIterator<Item = Arg>,
    ) -> Result<(), InputError> {
        for (i, arg) in args.into_iter().enumerate() {
            let wrong = |diagnostic: Diagnostic| {
                InputError::new(InputErrorKind::Argument, diagnostic.at(&arg.spot, ""))
            };
            let value = match arg.kind {
                ArgKind::Value(value) => {
                    if let ArgValue::Buffer { name, .. } = &value
                        && !self.buffer_names().any(|known| known == name)
                    {
                        let message = format!("there is no buffer `{name}` before this argument");
                        return Err(wrong(Diagnostic::error(message)));
                    }
                    value
                }
                ArgKind::Contents(contents) => {
                    let name = arg.name.unwrap_or_else(|| format!("arg{i}"));
                    if self.buffer_names().any(|known| known == name) {
                        let message = format!("there are two buffers `{name}`");
                        return Err(wrong(Diagnostic::error(message)));
                    }
                    let buffer = name.clone();
                    self.buffers.push(BufferPlan {
                        name: buffer,
                        contents,
                    });
                    ArgValue::Buffer {
                        name,
                        offset_bytes: 0,
                    }
                }
            };
            let spot = Some(arg.spot);
            launch.args.push(ArgPlan { value, spot });
        }
        Ok(())
    }

    /// Adds `NAME=PATH`, as `--out` gives it. A buffer that the plan saves already goes to the
    /// new place instead.
    ///
    /// # Errors
    /// When there is no `=`, or no such buffer.
    pub fn add_save(&mut self, spot: &Spot) -> Result<(), InputError> {
        let wrong = |diagnostic| InputError::new(InputErrorKind::Argument, diagnostic);
        let text = spot.text();
        let Some((name, path)) = text.split_once('=') else {
            let message = format!("`{text}` does not say where the buffer goes");
            return Err(wrong(
                Diagnostic::error(message).at(spot, "expected `NAME=PATH.npy`"),
            ));
        };
        if !self.buffer_names().any(|known| known == name) {
            return Err(wrong(no_buffer(
                name,
                self.buffer_names(),
                &spot.part(0..name.len()),
            )));
        }
        self.save.retain(|save| save.buffer != name);
        let (buffer, file) = (name.to_owned(), FilePlan::new(path));
        self.save.push(SavePlan { buffer, file });
        Ok(())
    }
}

/// There is no buffer of that name.
pub(crate) fn no_buffer<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str>,
    spot: &Spot,
) -> Diagnostic {
    let known: Vec<&str> = known.collect();
    let there_are = match known.as_slice() {
        [] => "there are no buffers".to_owned(),
        all => format!("the buffers are {}", crate::text::list(all, "and")),
    };
    let help = crate::text::did_you_mean(name, known.iter().copied(), there_are);
    Diagnostic::error(format!("there is no buffer `{name}`"))
        .at(spot, "")
        .help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_have_one_to_three_sizes() {
        let parse = |text: &str| Extent::parse(Spot::whole("--grid", text));
        assert_eq!(parse("4").unwrap().size, [4, 1, 1]);
        assert_eq!(parse("4, 3,2").unwrap().size, [4, 3, 2]);
        assert_eq!(parse("4x3").unwrap().size, [4, 3, 1]);
        assert_eq!(parse("4X3x2").unwrap().size, [4, 3, 2]);
        let error = |text: &str| parse(text).unwrap_err().to_string();
        let sizes = "\n  help: sizes are written like `4` or `4,2,1`";
        assert_eq!(
            error("4,0"),
            format!(
                "--grid:1:3: `0` is not a number of blocks or threads: expected 1 to \
                 4294967295{sizes}"
            )
        );
        assert_eq!(
            error("4294967296"),
            format!(
                "--grid:1:1: `4294967296` is not a number of blocks or threads: expected 1 to \
                 4294967295{sizes}"
            )
        );
        assert_eq!(
            error("1,1,1,1"),
            "--grid:1:7: there are three dimensions at most"
        );
    }

    #[test]
    fn arguments_of_a_command_line_make_buffers() {
        let mut plan = Plan::default();
        let mut launch = LaunchPlan::default();
        let args = ["u32:7", "x=zeros:f32[4]", "iota:u8[2]", "buffer:x+8"];
        let args = args.map(|text| Arg::parse(&Spot::whole("--arg", text)).unwrap());
        plan.add_args(&mut launch, args).unwrap();
        assert_eq!(plan.buffer_names().collect::<Vec<_>>(), ["x", "arg2"]);
        let last = ArgValue::Buffer {
            name: "x".into(),
            offset_bytes: 8,
        };
        assert_eq!(launch.args[3].value, last);

        let twice = ["x=zeros:f32[4]", "x=ones:f32[4]"];
        let twice = twice.map(|text| Arg::parse(&Spot::whole("--arg", text)).unwrap());
        let error = Plan::default().add_args(&mut launch, twice).unwrap_err();
        assert_eq!(error.to_string(), "--arg:1:1: there are two buffers `x`");

        plan.add_save(&Spot::whole("--out", "x=a=b.npy")).unwrap();
        assert_eq!(plan.save[0].file.shown, "a=b.npy");
        let error = plan
            .add_save(&Spot::whole("--out", "xx=b.npy"))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "--out:1:1: there is no buffer `xx`\n  help: did you mean `x`? the buffers are x and \
             arg2"
        );
        let error = plan.add_save(&Spot::whole("--out", "x")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "--out:1:1: `x` does not say where the buffer goes: expected `NAME=PATH.npy`"
        );
    }
}
