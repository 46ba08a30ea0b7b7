//! Where each figure comes from.
//!
//! `[sources]` lists field paths, sections or `"*"` under each source; `estimated` lists those
//! nobody has seen in one. Of the entries that cover a field the longest path wins; several
//! sources may name the same path. A device built on another (`like`) keeps that one's entries for
//! what it inherits; for what it gives itself it has to say.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;
use toml::de::DeTable;

use crate::builtin;
use crate::error::did_you_mean;
use crate::load::Blame;
use crate::schema::Device;

/// Where one figure comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// Source keys or sentences; [`source_text`] spells a key out.
    pub sources: Vec<String>,
    /// Nobody has seen it in a source.
    pub estimated: bool,
    /// Set by [`Device::set`].
    pub overridden: bool,
}

/// One figure of a device, for listings.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Field path, as [`Device::set`] takes it.
    pub path: String,
    /// Value in TOML notation.
    pub value: String,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// What a source key stands for; a sentence used as a source stands for itself.
pub fn source_text(key: &str) -> String {
    let known = builtin::sources().remove(key);
    known.unwrap_or_else(|| key.to_owned())
}

impl Device {
    /// Where the figure at `path` comes from; `None` if there is no such figure.
    pub fn provenance(&self, path: &str) -> Option<&Provenance> {
        self.provenance.get(path)
    }

    /// All figures with value and provenance, in the order of their paths.
    pub fn figures(&self) -> Vec<Figure> {
        let root = toml::Value::try_from(self).ok();
        let value_at = |path: &str| {
            let start = root.as_ref()?;
            path.split('.').try_fold(start, |at, key| at.get(key))
        };
        let figure = |(path, provenance): (&String, &Provenance)| Figure {
            path: path.clone(),
            value: value_at(path).map(ToString::to_string).unwrap_or_default(),
            provenance: provenance.clone(),
        };
        self.provenance.iter().map(figure).collect()
    }
}

/// The entries of a text, not yet resolved.
#[derive(Deserialize, Default)]
pub(crate) struct Claims {
    #[serde(default)]
    sources: BTreeMap<Spanned<String>, Vec<Spanned<String>>>,
    #[serde(default)]
    estimated: Vec<Spanned<String>>,
}

impl Claims {
    /// Takes the `sources` and `estimated` entries out of a parsed text.
    pub(crate) fn take(tree: &mut DeTable<'_>, text: &str) -> Result<Self, Blame> {
        let mut own = DeTable::new();
        for name in ["sources", "estimated"] {
            if let Some((key, value)) = tree.remove_entry(name) {
                own.insert(key, value);
            }
        }
        let located = own.clone();
        let whole = Spanned::new(0..text.len(), own);
        Self::deserialize(toml::de::Deserializer::from(whole))
            .map_err(|error| Blame::from_toml(&error, &located, None))
    }

    /// Resolves the entries for `figures`; `given` tells whether the text itself has the figure,
    /// `inherited` what an underlying device says about it.
    pub(crate) fn resolve(
        self,
        figures: &[String],
        given: impl Fn(&str) -> bool,
        inherited: &BTreeMap<String, Provenance>,
    ) -> Result<BTreeMap<String, Provenance>, Blame> {
        self.check(figures)?;
        let mut resolved = BTreeMap::new();
        for figure in figures {
            let provenance = match (self.own(figure), inherited.get(figure)) {
                (Some(own), _) => own,
                (None, Some(below)) if !given(figure) => below.clone(),
                _ => return Err(unsourced(figure)),
            };
            resolved.insert(figure.clone(), provenance);
        }
        Ok(resolved)
    }

    /// Source keys are known and paths name something.
    fn check(&self, figures: &[String]) -> Result<(), Blame> {
        let known = builtin::sources();
        for key in self.sources.keys() {
            let name = key.get_ref();
            if !name.contains(char::is_whitespace) && !known.contains_key(name) {
                let keys = known.keys().map(String::as_str);
                let otherwise = "a source is a known key or a sentence of several words".into();
                return Err(Blame::at(
                    key.span(),
                    "sources",
                    format!("`{name}` is no known source"),
                )
                .help(did_you_mean(name, keys, otherwise)));
            }
        }
        let sourced = self
            .sources
            .values()
            .flatten()
            .map(|path| (path, "sources"));
        let estimated = self.estimated.iter().map(|path| (path, "estimated"));
        for (path, table) in sourced.chain(estimated) {
            let name = path.get_ref();
            if !figures.iter().any(|figure| covers(name, figure).is_some()) {
                let paths = figures.iter().map(String::as_str);
                let otherwise = "it takes field paths, section names or \"*\"".into();
                return Err(
                    Blame::at(path.span(), table, format!("`{name}` names no figure"))
                        .help(did_you_mean(name, paths, otherwise)),
                );
            }
        }
        Ok(())
    }

    /// What this text says about a figure, if it says anything.
    fn own(&self, figure: &str) -> Option<Provenance> {
        let weight = |paths: &[Spanned<String>]| {
            let weights = paths
                .iter()
                .filter_map(|path| covers(path.get_ref(), figure));
            weights.max()
        };
        let estimated = weight(&self.estimated);
        let sourced = self.sources.iter().map(|(key, paths)| (key, weight(paths)));
        let best = sourced
            .clone()
            .map(|(_, weight)| weight)
            .max()
            .flatten()
            .max(estimated)?;
        let sources = sourced.filter(|(_, weight)| *weight == Some(best));
        Some(Provenance {
            sources: sources.map(|(key, _)| key.get_ref().clone()).collect(),
            estimated: estimated == Some(best),
            overridden: false,
        })
    }
}

/// How closely `entry` covers `figure`: its length, or `None` if it does not.
fn covers(entry: &str, figure: &str) -> Option<usize> {
    if entry == "*" {
        return Some(0);
    }
    let rest = figure.strip_prefix(entry)?;
    (rest.is_empty() || rest.starts_with('.')).then_some(entry.len())
}

fn unsourced(figure: &str) -> Blame {
    Blame::field(figure, "the figure has no source".to_owned()).help(format!(
        "list `{figure}` under the source it was taken from in [sources], or in `estimated`"
    ))
}
