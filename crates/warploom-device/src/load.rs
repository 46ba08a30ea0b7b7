//! From text to a checked device: parse, lay over what it builds on, deserialize, validate,
//! resolve provenance. Overrides go the same way, as a text laid over the device.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::builtin;
use crate::error::{DeviceError, Position, did_you_mean};
use crate::provenance::{Claims, Provenance};
use crate::schema::Device;
use crate::{tree, validate};

/// Longest text that is read as a device description.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// Longest key or value of an override.
const MAX_OVERRIDE_BYTES: usize = 4096;

/// A fault before it is put into words for the caller: a place or a field, whichever is known.
#[derive(Debug)]
pub(crate) struct Blame {
    span: Option<Range<usize>>,
    field: String,
    message: String,
    help: Option<String>,
}

impl Blame {
    /// A fault at a place.
    pub(crate) fn at(span: Range<usize>, field: &str, message: String) -> Self {
        let span = Some(span);
        Blame {
            span,
            ..Blame::field(field, message)
        }
    }

    /// A fault of a field.
    pub(crate) fn field(field: &str, message: String) -> Self {
        Blame {
            span: None,
            field: field.to_owned(),
            message,
            help: None,
        }
    }

    pub(crate) fn help(self, help: String) -> Self {
        Blame {
            help: Some(help),
            ..self
        }
    }

    /// A fault that the TOML reader or the schema found in `tree`.
    pub(crate) fn from_toml(
        error: &toml::de::Error,
        tree: &DeTable<'_>,
        inherited: Option<&Range<usize>>,
    ) -> Self {
        let field = error
            .span()
            .map(|span| tree::path_at(tree, &span, inherited))
            .unwrap_or_default();
        Blame {
            span: error.span(),
            ..Blame::field(&field, error.message().to_owned())
        }
    }

    /// The same with the place of its field in `tree`, if it has no place yet. What comes from the
    /// defaults has none.
    fn within(self, tree: &DeTable<'_>) -> Self {
        let found = || tree::span_of(tree, &self.field).filter(|span| !span.is_empty());
        let span = self.span.clone().or_else(found);
        Blame { span, ..self }
    }

    fn into_error(self, origin: &str, text: &str) -> DeviceError {
        DeviceError {
            origin: origin.into(),
            position: self
                .span
                .as_ref()
                .map(|span| Position::of(text, span.start)),
            span: self.span.unwrap_or_default(),
            field: self.field,
            message: self.message,
            help: self.help,
        }
    }
}

impl Device {
    /// Names of the built-in devices, in a fixed order.
    pub fn names() -> impl Iterator<Item = &'static str> {
        builtin::names()
    }

    /// A built-in device; `Err` names the nearest name and all there are.
    pub fn by_name(name: &str) -> Result<Device, DeviceError> {
        match builtin::text(name) {
            Some(text) => Device::from_toml(text, &format!("{name}.toml")),
            None => Err(no_such_device(name).into_error("device", "")),
        }
    }

    /// Reads a device description. `origin` names the text in errors (a file name).
    pub fn from_toml(text: &str, origin: &str) -> Result<Device, DeviceError> {
        read(text).map_err(|blame| blame.into_error(origin, text))
    }

    /// Overrides one field by its path (`sms`, `registers.per_sm`). The value is TOML; a bare word
    /// stands for a string. On an error the device is unchanged.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), DeviceError> {
        self.set_all([(key, value)])
    }

    /// Overrides several fields at once and checks only the result, for figures that depend on
    /// each other. On an error the device is unchanged.
    pub fn set_all<'a>(
        &mut self,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), DeviceError> {
        let mut overlay = DeTable::new();
        let mut origins = Vec::new();
        for (key, value) in pairs {
            let origin = format!("{key}={value}");
            let added = one_override(key, value, origins.len() + 1)
                .map_err(|blame| blame.into_error(&origin, ""))?;
            tree::merge(&mut overlay, added);
            origins.push(origin);
        }
        let given = figures(&overlay);
        let below = serialized(self, false);
        let layered = Layers {
            base: &below,
            inherited: 0..0,
        };
        let (mut device, merged) = layered.build(overlay, 0).map_err(|blame| {
            let error = blame.into_error("", "");
            let pair = error.span.start.checked_sub(1);
            let origin = pair.and_then(|pair| origins.get(pair).cloned());
            DeviceError {
                origin: origin.unwrap_or_else(|| origins.join(" ")).into(),
                position: None,
                span: 0..0,
                ..error
            }
        })?;
        device.provenance = figures(&merged)
            .into_iter()
            .map(|figure| {
                let before = self.provenance.get(&figure).cloned().unwrap_or_default();
                let overridden = before.overridden || given.contains(&figure);
                let provenance = Provenance {
                    overridden,
                    ..before
                };
                (figure, provenance)
            })
            .collect();
        *self = device;
        Ok(())
    }
}

/// What a text is laid over.
struct Layers<'b> {
    base: &'b str,
    /// Place to blame for what the base brings in.
    inherited: Range<usize>,
}

impl<'b> Layers<'b> {
    /// Merges, deserializes and validates; gives the merged tree as well.
    fn build<'t>(
        self,
        overlay: DeTable<'t>,
        text_bytes: usize,
    ) -> Result<(Device, DeTable<'t>), Blame>
    where
        'b: 't,
    {
        let mut merged = match DeTable::parse(self.base) {
            Ok(base) => tree::respan(base.into_inner(), &self.inherited),
            Err(error) => return Err(Blame::from_toml(&error, &overlay, None)),
        };
        tree::merge(&mut merged, overlay);
        let whole = Spanned::new(0..text_bytes, merged.clone());
        let device = Device::deserialize(toml::de::Deserializer::from(whole))
            .map_err(|error| schema_fault(&error, &merged, &self.inherited))?;
        validate::check(&device).map_err(|blame| blame.within(&merged))?;
        Ok((device, merged))
    }
}

/// The way of a whole text.
fn read(text: &str) -> Result<Device, Blame> {
    let mut tree = parse(text)?;
    let like = tree.remove("like");
    let base = match &like {
        Some(like) => {
            let device = base_of(like)?;
            (serialized(&device, true), device.provenance)
        }
        None => defaults()?,
    };
    let claims = Claims::take(&mut tree, text)?;
    let given = figures(&tree).into_iter().collect::<BTreeSet<_>>();
    let layered = Layers {
        base: &base.0,
        // What the defaults bring in has no entry to blame.
        inherited: like.map_or(0..0, |like| like.span()),
    };
    let (mut device, merged) = layered.build(tree, text.len())?;
    let resolved = claims.resolve(&figures(&merged), |path| given.contains(path), &base.1);
    device.provenance = resolved.map_err(|blame| blame.within(&merged))?;
    Ok(device)
}

/// What every device has unless it says otherwise, and where that comes from.
fn defaults() -> Result<(String, BTreeMap<String, Provenance>), Blame> {
    let mut tree = parse(builtin::DEFAULTS)?;
    let claims = Claims::take(&mut tree, builtin::DEFAULTS)?;
    let provenance = claims.resolve(&figures(&tree), |_| true, &BTreeMap::new())?;
    let table: toml::Table = toml::from_str(builtin::DEFAULTS).unwrap_or_default();
    let own = |name: &String| !["sources", "estimated"].contains(&name.as_str());
    let fields: toml::Table = table.into_iter().filter(|(name, _)| own(name)).collect();
    Ok((toml::to_string(&fields).unwrap_or_default(), provenance))
}

fn parse(text: &str) -> Result<DeTable<'_>, Blame> {
    if text.len() > MAX_TEXT_BYTES {
        let message = format!("the text is longer than {MAX_TEXT_BYTES} bytes");
        return Err(Blame::at(0..0, "", message));
    }
    let deep = |span| Blame::at(span, "", "tables nest too deeply".to_owned());
    if let Some(offset) = tree::crowded_line(text) {
        return Err(deep(offset..offset));
    }
    let tree = DeTable::parse(text)
        .map_err(|error| Blame::from_toml(&error, &DeTable::new(), None))?
        .into_inner();
    match tree::too_deep(&tree) {
        Some(span) => Err(deep(span)),
        None => Ok(tree),
    }
}

fn base_of(value: &Spanned<DeValue<'_>>) -> Result<Device, Blame> {
    let Some(name) = value.get_ref().as_str() else {
        let message = "expected the name of a built-in device".to_owned();
        return Err(Blame::at(value.span(), "like", message));
    };
    match builtin::text(name) {
        Some(text) => Device::from_toml(text, name).map_err(|error| {
            Blame::at(
                value.span(),
                "like",
                format!("`{name}` does not load: {error}"),
            )
        }),
        None => Err(Blame {
            span: Some(value.span()),
            field: "like".to_owned(),
            ..no_such_device(name)
        }),
    }
}

fn no_such_device(name: &str) -> Blame {
    let all = builtin::names().collect::<Vec<_>>().join(", ");
    Blame::field("", format!("no device is called `{name}`")).help(did_you_mean(
        name,
        builtin::names(),
        format!("there are {all}"),
    ))
}

/// The device as a text to build on; without its name if that has to be given anew.
fn serialized(device: &Device, drop_name: bool) -> String {
    let mut table = toml::Table::try_from(device).unwrap_or_default();
    if drop_name {
        table.remove("name");
    }
    toml::to_string(&table).unwrap_or_default()
}

fn figures(tree: &DeTable<'_>) -> Vec<String> {
    let leaves = tree::leaves(tree).into_iter();
    leaves
        .filter(|leaf| leaf.is_figure)
        .map(|leaf| leaf.path)
        .collect()
}

/// Words a fault that deserializing found, with the nearest field for an unknown one.
fn schema_fault(error: &toml::de::Error, tree: &DeTable<'_>, inherited: &Range<usize>) -> Blame {
    let blame = Blame::from_toml(error, tree, Some(inherited));
    match error.message().split_once(", expected") {
        Some((unknown, _)) if unknown.starts_with("unknown field") => {
            let known = Device::fields();
            let paths = known.iter().map(|field| field.path.as_str());
            let otherwise = "a field has a path such as `sms` or `registers.per_sm`".to_owned();
            let help = did_you_mean(&blame.field, paths, otherwise);
            Blame {
                message: "there is no such field".to_owned(),
                ..blame
            }
            .help(help)
        }
        _ => blame,
    }
}

/// `key = value` as a tree. Overrides have no text of their own; their span is `number`, counted
/// from 1, so that a fault leads back to the override.
fn one_override<'t>(key: &'t str, value: &'t str, number: usize) -> Result<DeTable<'t>, Blame> {
    for part in [key, value] {
        if part.len() > MAX_OVERRIDE_BYTES || tree::crowded_line(part).is_some() {
            return Err(Blame::field("", "the override is too long".to_owned()));
        }
    }
    let parsed = match DeValue::parse(value) {
        Ok(parsed) if !matches!(parsed.get_ref(), DeValue::Table(_)) => parsed.into_inner(),
        _ => DeValue::String(DeString::Borrowed(value)),
    };
    Ok(tree::single(key, parsed, &(number..number + 1)))
}
