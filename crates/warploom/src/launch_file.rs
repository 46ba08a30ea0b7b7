//! Launch files: a [`Plan`] as TOML.
//!
//! Every error has its place, and a run of the reader reports all it can find: a wrong buffer
//! does not hide a wrong launch.

use std::path::Path;
use std::sync::Arc;

use crate::contents::{ContentsPlan, SourcePlan};
use crate::element::ElementType;
use crate::error::{InputError, InputErrorKind};
use crate::fill::Fill;
use crate::plan::{
    ArgPlan, ArgValue, BufferPlan, ExpectPlan, Extent, FilePlan, LaunchPlan, Named, Plan, SavePlan,
    no_buffer,
};
use crate::scalar::{Scalar, hex};
use crate::shape::{self, ArrayType};
use crate::text::{Diagnostic, SourceText, list};

mod reader;

use reader::{Entry, Text};

/// Longest text that is read as a launch file.
const MAX_TEXT_BYTES: u64 = 4 << 20;

/// Keys of the file itself.
const ROOT_KEYS: [&str; 6] = ["module", "device", "buffers", "launch", "expect", "save"];
/// Keys of a launch.
const LAUNCH_KEYS: [&str; 6] = [
    "kernel",
    "grid",
    "block",
    "shared_bytes",
    "args",
    "cooperative",
];
/// Keys of an array that say where its elements come from.
const SOURCES: [&str; 5] = ["zeros", "ones", "iota", "random", "npy"];
/// Keys of an array beside its source.
const ARRAY_KEYS: [&str; 2] = ["seed", "type"];
/// Keys of an expectation beside its array's.
const TOLERANCES: [&str; 2] = ["rtol", "atol"];
/// Keys of an argument beside the element types.
const ARG_KEYS: [&str; 2] = ["buffer", "bytes"];
/// The key of an argument that goes with `buffer`.
const OFFSET: &str = "offset";

type Parsed<T> = Result<T, Diagnostic>;

/// Reads the launch file at `path`; paths in it are relative to its folder.
///
/// # Errors
/// When the file cannot be read or breaks its rules.
pub fn read(path: &Path) -> Result<Plan, InputError> {
    let shown = path.display().to_string();
    let text = crate::files::read_text(path, &shown, MAX_TEXT_BYTES, None)?;
    parse(&shown, &text, path.parent().unwrap_or(Path::new("")))
}

/// Reads the text of a launch file. `origin` names it in errors; paths in it are relative to
/// `folder`.
///
/// # Errors
/// When it breaks the rules of TOML or of launch files; one diagnostic for each place.
pub fn parse(origin: &str, text: &str, folder: &Path) -> Result<Plan, InputError> {
    let source = Arc::new(SourceText {
        origin: origin.to_owned(),
        text: text.to_owned(),
    });
    let mut errors = Vec::new();
    let plan = File { folder }.plan(&Text(&source), &mut errors);
    if errors.is_empty() {
        return Ok(plan);
    }
    errors.sort_by_key(|d| d.labels.first().map_or(0, |label| label.spot.span.start));
    Err(InputError {
        kind: InputErrorKind::LaunchFile,
        diagnostics: errors,
    })
}

/// Keeps the value, or keeps the error and goes on.
fn keep<T>(result: Parsed<T>, errors: &mut Vec<Diagnostic>) -> Option<T> {
    result.map_err(|error| errors.push(error)).ok()
}

struct File<'p> {
    folder: &'p Path,
}

impl File<'_> {
    fn plan(&self, text: &Text<'_>, errors: &mut Vec<Diagnostic>) -> Plan {
        let mut plan = Plan::default();
        let Some(table) = keep(text.table(), errors) else {
            return plan;
        };
        let root = text.fields(&table);
        root.only(&ROOT_KEYS, errors);
        // A misspelt key is one error, and not one more for each use of what it holds.
        let root = root.meant(&ROOT_KEYS);
        match root.need("module") {
            Ok(entry) => plan.modules = keep(self.modules(&entry), errors).unwrap_or_default(),
            Err(error) => errors.push(error),
        }
        plan.device = root
            .get("device")
            .and_then(|entry| keep(self.device(&entry), errors));
        for entry in root.entries("buffers", errors) {
            let contents = keep(self.contents(&entry, &[]), errors);
            // Kept in any case, so that its uses are not errors as well.
            let contents = contents.unwrap_or_else(|| ContentsPlan::npy(""));
            let name = entry.key.to_owned();
            plan.buffers.push(BufferPlan { name, contents });
        }
        match root.get("launch") {
            None => errors.push(
                Diagnostic::error("there is nothing to launch")
                    .at(&text.end(), "expected `[[launch]]`"),
            ),
            Some(entry) => {
                for entry in keep(entry.array(), errors).unwrap_or_default() {
                    let launch = launch(&entry, &plan, errors);
                    plan.launches.extend(launch);
                }
            }
        }
        for entry in root.entries("expect", errors) {
            let expect = self.expect(&entry, &plan);
            plan.expect.extend(keep(expect, errors));
        }
        for entry in root.entries("save", errors) {
            let save = self.save(&entry, &plan);
            plan.save.extend(keep(save, errors));
        }
        plan
    }

    fn file(&self, entry: &Entry<'_>) -> Parsed<FilePlan> {
        let shown = entry.string("a path")?.to_owned();
        if shown.is_empty() {
            return Err(Diagnostic::error("the path is empty").at(&entry.spot, ""));
        }
        Ok(FilePlan {
            path: self.folder.join(&shown),
            shown,
            spot: Some(entry.spot.clone()),
        })
    }

    /// A device: a name, or a path like the others.
    fn device(&self, entry: &Entry<'_>) -> Parsed<Named> {
        let mut named = named(entry)?;
        if named.name.ends_with(".toml") {
            named.name = self.folder.join(&named.name).display().to_string();
        }
        Ok(named)
    }

    fn modules(&self, entry: &Entry<'_>) -> Parsed<Vec<FilePlan>> {
        if !entry.is_array() {
            return Ok(vec![self.file(entry)?]);
        }
        let paths = entry.array()?;
        if paths.is_empty() {
            return Err(Diagnostic::error("the list of modules is empty").at(&entry.spot, ""));
        }
        paths.iter().map(|path| self.file(path)).collect()
    }

    /// `{ zeros = "f32[4]" }` and the like, with `more` keys that the caller reads.
    fn contents(&self, entry: &Entry<'_>, more: &[&str]) -> Parsed<ContentsPlan> {
        let fields = entry.fields()?;
        let keys: Vec<&str> = SOURCES
            .iter()
            .chain(&ARRAY_KEYS)
            .chain(more)
            .copied()
            .collect();
        fields.only_first(&keys)?;
        let source = fields.exactly_one(&SOURCES)?;
        let array = |fill| {
            source.string("an array such as \"f32[1024]\"")?;
            Ok(SourcePlan::Fill(fill, ArrayType::parse(&source.inner())?))
        };
        let seed = fields.get("seed");
        if let (Some(seed), true) = (&seed, source.key != "random") {
            let message = format!("`{}` has no seed", source.key);
            return Err(Diagnostic::error(message).at(&seed.key_spot, ""));
        }
        let element = match fields.get("type") {
            None => None,
            Some(ty) => {
                ty.string("an element type")?;
                Some(shape::element(&ty.inner())?)
            }
        };
        let source = match source.key {
            "zeros" => array(Fill::Zeros)?,
            "ones" => array(Fill::Ones)?,
            "iota" => array(Fill::Iota)?,
            "npy" => {
                let FilePlan { path, shown, .. } = self.file(&source)?;
                SourcePlan::Npy { path, shown }
            }
            _ => {
                let seed = seed.map_or(Ok(0), |seed| seed.whole(0, u64::MAX.into()));
                array(Fill::Random { seed: seed? as u64 })?
            }
        };
        Ok(ContentsPlan {
            source,
            element,
            spot: Some(entry.spot.clone()),
        })
    }

    fn expect(&self, entry: &Entry<'_>, plan: &Plan) -> Parsed<ExpectPlan> {
        let tolerance = |key: &str| match entry.fields()?.get(key) {
            None => Ok(0.0),
            Some(entry) => match entry.number()? {
                value if value >= 0.0 => Ok(value),
                _ => Err(
                    Diagnostic::error(format!("`{key}` is negative or no number"))
                        .at(&entry.spot, "expected 0 or more"),
                ),
            },
        };
        known_buffer(entry, plan)?;
        Ok(ExpectPlan {
            buffer: entry.key.to_owned(),
            contents: self.contents(entry, &TOLERANCES)?,
            rtol: tolerance("rtol")?,
            atol: tolerance("atol")?,
        })
    }

    fn save(&self, entry: &Entry<'_>, plan: &Plan) -> Parsed<SavePlan> {
        known_buffer(entry, plan)?;
        Ok(SavePlan {
            buffer: entry.key.to_owned(),
            file: self.file(entry)?,
        })
    }
}

fn known_buffer(entry: &Entry<'_>, plan: &Plan) -> Parsed<()> {
    if plan.buffer_names().any(|name| name == entry.key) {
        return Ok(());
    }
    Err(no_buffer(entry.key, plan.buffer_names(), &entry.key_spot))
}

fn named(entry: &Entry<'_>) -> Parsed<Named> {
    Ok(Named {
        name: entry.string("a name")?.to_owned(),
        spot: Some(entry.spot.clone()),
    })
}

fn launch(entry: &Entry<'_>, plan: &Plan, errors: &mut Vec<Diagnostic>) -> Option<LaunchPlan> {
    let fields = keep(entry.fields(), errors)?;
    let before = errors.len();
    fields.only(&LAUNCH_KEYS, errors);
    let need = |key: &'static str| fields.need(key);
    let kernel = keep(need("kernel").and_then(|entry| named(&entry)), errors);
    let grid = keep(need("grid").and_then(|entry| extent(&entry)), errors);
    let block = keep(need("block").and_then(|entry| extent(&entry)), errors);
    let shared = fields.get("shared_bytes");
    let shared_bytes = shared
        .as_ref()
        .map_or(Ok(0), |entry| entry.whole(0, u32::MAX.into()));
    let shared_bytes = keep(shared_bytes, errors);
    let cooperative = fields
        .get("cooperative")
        .map_or(Ok(false), |entry| entry.boolean());
    let cooperative = keep(cooperative, errors);
    let mut args = Vec::new();
    let list = fields.get("args");
    if let Some(list) = &list {
        for entry in keep(list.array(), errors).unwrap_or_default() {
            args.extend(keep(arg(&entry, plan), errors));
        }
    }
    if errors.len() > before {
        return None;
    }
    Some(LaunchPlan {
        kernel: Some(kernel?),
        grid: grid?,
        block: block?,
        shared_bytes: shared_bytes? as u32,
        shared_spot: shared.map(|entry| entry.spot),
        args,
        args_spot: Some(list.map_or(entry.spot.clone(), |list| list.spot)),
        cooperative: cooperative?,
    })
}

/// One to three sizes, or one without a list.
fn extent(entry: &Entry<'_>) -> Parsed<Extent> {
    let spot = Some(entry.spot.clone());
    let most = u32::MAX.into();
    let mut size = [1; 3];
    if !entry.is_array() {
        size[0] = entry.whole(1, most)? as u32;
        return Ok(Extent { size, spot });
    }
    let sizes = entry.array()?;
    if sizes.is_empty() || sizes.len() > 3 {
        let message = format!("`{}` has {} sizes", entry.key, sizes.len());
        return Err(Diagnostic::error(message).at(&entry.spot, "expected one to three"));
    }
    for (to, entry) in size.iter_mut().zip(&sizes) {
        *to = entry.whole(1, most)? as u32;
    }
    Ok(Extent { size, spot })
}

fn arg(entry: &Entry<'_>, plan: &Plan) -> Parsed<ArgPlan> {
    let fields = entry.fields()?;
    let types = ElementType::ALL.iter().map(|ty| ty.name());
    let kinds: Vec<&str> = types.chain(ARG_KEYS).collect();
    let keys: Vec<&str> = kinds.iter().copied().chain([OFFSET]).collect();
    fields.only_first(&keys)?;
    let kind = fields.exactly_one(&kinds)?;
    let offset = fields.get(OFFSET);
    if let (Some(offset), true) = (&offset, kind.key != "buffer") {
        return Err(Diagnostic::error("only a buffer has an offset").at(&offset.key_spot, ""));
    }
    let value = match kind.key {
        "buffer" => {
            let name = kind.string("the name of a buffer")?;
            if !plan.buffer_names().any(|known| known == name) {
                return Err(no_buffer(name, plan.buffer_names(), &kind.spot));
            }
            let offset = offset.map_or(Ok(0), |entry| entry.whole(0, u64::MAX.into()))?;
            ArgValue::Buffer {
                name: name.to_owned(),
                offset_bytes: offset as u64,
            }
        }
        "bytes" => {
            kind.string("bytes in hexadecimal")?;
            ArgValue::Bytes(hex(&kind.inner())?)
        }
        ty => ArgValue::Scalar(scalar(&kind, ElementType::by_name(ty))?),
    };
    let spot = Some(entry.spot.clone());
    Ok(ArgPlan { value, spot })
}

/// A TOML number or bool, or a string in the syntax of `--arg` for what TOML cannot write.
fn scalar(entry: &Entry<'_>, ty: Option<ElementType>) -> Parsed<Scalar> {
    let ty = ty.ok_or_else(|| entry.wrong("a number"))?;
    if entry.is_string() {
        return Scalar::parse(ty, &entry.inner());
    }
    match (ty, entry.integer(), entry.float()) {
        (ElementType::Bool, ..) => Ok(Scalar {
            ty,
            bits: entry.boolean()?.into(),
        }),
        (_, Some(value), _) => Scalar::from_integer(ty, value, &entry.spot),
        (
            ElementType::F16 | ElementType::Bf16 | ElementType::F32 | ElementType::F64,
            _,
            Some(x),
        ) => Ok(Scalar::from_f64(ty, x)),
        (_, _, Some(_)) => Err(entry.wrong("a whole number")),
        _ => Err(entry.wrong("a number")),
    }
}

/// All names of `keys`, for a help line.
fn names(keys: &[&str]) -> String {
    list(keys.iter().map(|key| format!("`{key}`")), "or")
}

#[cfg(test)]
mod tests;
