//! Versions of PTX and the architectures that modules name.

use crate::ast::{TargetSuffix, Version};

/// The newest version whose manual this front end follows.
pub(crate) const NEWEST: Version = version(9, 5);

/// Last minor version of each major one, from 1 on.
const LAST_MINOR: &[u16] = &[5, 3, 2, 3, 0, 5, 8, 8, 5];

const fn version(major: u16, minor: u16) -> Version {
    Version { major, minor }
}

/// Whether there is such a version, or may be one in the future.
pub(crate) fn is_version(v: Version) -> bool {
    let last = usize::from(v.major)
        .checked_sub(1)
        .map(|at| LAST_MINOR.get(at));
    match last {
        None => false,
        Some(None) => true,
        Some(Some(&last)) => v.minor <= last || v > NEWEST,
    }
}

struct Architecture {
    number: u32,
    /// First version of PTX with this target, and with its `a` and `f` forms.
    baseline: Version,
    specific: Option<Version>,
    family: Option<Version>,
}

const fn baseline(number: u32, since: Version) -> Architecture {
    Architecture {
        number,
        baseline: since,
        specific: None,
        family: None,
    }
}

const fn with_features(
    number: u32,
    since: Version,
    specific: Version,
    family: Option<Version>,
) -> Architecture {
    Architecture {
        number,
        baseline: since,
        specific: Some(specific),
        family,
    }
}

const ARCHITECTURES: &[Architecture] = &[
    baseline(10, version(1, 0)),
    baseline(11, version(1, 0)),
    baseline(12, version(1, 2)),
    baseline(13, version(1, 2)),
    baseline(20, version(2, 0)),
    baseline(21, version(2, 0)),
    baseline(30, version(3, 0)),
    baseline(32, version(4, 0)),
    baseline(35, version(3, 1)),
    baseline(37, version(4, 1)),
    baseline(50, version(4, 0)),
    baseline(52, version(4, 1)),
    baseline(53, version(4, 2)),
    baseline(60, version(5, 0)),
    baseline(61, version(5, 0)),
    baseline(62, version(5, 0)),
    baseline(70, version(6, 0)),
    baseline(72, version(6, 1)),
    baseline(75, version(6, 3)),
    baseline(80, version(7, 0)),
    baseline(86, version(7, 1)),
    baseline(87, version(7, 4)),
    baseline(88, version(9, 0)),
    baseline(89, version(7, 8)),
    with_features(90, version(7, 8), version(8, 0), None),
    with_features(100, version(8, 6), version(8, 6), Some(version(8, 8))),
    with_features(101, version(8, 6), version(8, 6), Some(version(8, 8))),
    with_features(103, version(8, 8), version(8, 8), Some(version(8, 8))),
    with_features(110, version(9, 0), version(9, 0), Some(version(9, 0))),
    with_features(120, version(8, 7), version(8, 7), Some(version(8, 8))),
    with_features(121, version(8, 8), version(8, 8), Some(version(8, 8))),
];

/// An architecture as `.target` names it, with the first version of PTX that has it. `compute_`
/// is a common slip for `sm_` that assemblers let pass.
pub(crate) fn architecture(word: &str) -> Option<(u32, TargetSuffix, Version)> {
    let name = word.strip_prefix("sm_").or(word.strip_prefix("compute_"))?;
    let (digits, suffix) = if let Some(digits) = name.strip_suffix('a') {
        (digits, TargetSuffix::Specific)
    } else if let Some(digits) = name.strip_suffix('f') {
        (digits, TargetSuffix::Family)
    } else {
        (name, TargetSuffix::Baseline)
    };
    let plain = digits.bytes().all(|b| b.is_ascii_digit());
    let number: u32 = plain.then(|| digits.parse().ok())??;
    let found = ARCHITECTURES.iter().find(|a| a.number == number)?;
    let since = match suffix {
        TargetSuffix::Baseline => found.baseline,
        TargetSuffix::Specific => found.specific?,
        TargetSuffix::Family => found.family?,
    };
    Some((number, suffix, since))
}

/// Names of all baseline architectures, for help texts.
pub(crate) fn architecture_names() -> impl Iterator<Item = String> {
    ARCHITECTURES.iter().map(|a| format!("sm_{}", a.number))
}

/// The words that `.target` takes beside an architecture.
pub(crate) const TARGET_OPTIONS: &[&str] = &[
    "texmode_unified",
    "texmode_independent",
    "debug",
    "map_f64_to_f32",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for v in [
            (1, 0),
            (1, 4),
            (2, 3),
            (6, 5),
            (7, 8),
            (8, 8),
            (9, 5),
            (9, 9),
            (10, 0),
        ] {
            assert!(is_version(version(v.0, v.1)), "{v:?}");
        }
        for v in [(0, 9), (1, 6), (5, 1), (7, 9), (8, 9)] {
            assert!(!is_version(version(v.0, v.1)), "{v:?}");
        }
    }

    #[test]
    fn architectures() {
        use TargetSuffix::*;
        assert_eq!(architecture("sm_80"), Some((80, Baseline, version(7, 0))));
        assert_eq!(architecture("sm_90a"), Some((90, Specific, version(8, 0))));
        assert_eq!(architecture("sm_120f"), Some((120, Family, version(8, 8))));
        for word in ["sm_91", "sm_80a", "sm_90f", "sm_", "90", "sm_90b", "sm_+90"] {
            assert_eq!(architecture(word), None, "{word}");
        }
    }
}
