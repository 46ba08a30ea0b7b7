//! The devices and source keys that come with the crate. This is the one list of devices.

use std::collections::BTreeMap;

/// Embeds `devices/NAME.toml` for each name, in the given order.
macro_rules! devices {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../devices/", $name, ".toml")))),*]
    };
}

/// Name and text of each built-in device, oldest first within a vendor.
const DEVICES: &[(&str, &str)] = devices! {
    "k40" "gtx-980" "p100" "v100" "t4" "rtx-2080-ti"
    "a100-40" "a100-80" "a40" "rtx-3090" "rtx-a6000"
    "rtx-4090" "l40" "l40s"
    "h100" "h100-pcie" "h200" "gh200"
    "b200" "rtx-pro-6000"
    "mi100" "mi210" "mi250x" "mi300x" "mi300a" "mi355x"
    "rx-6900-xt" "rx-7900-xtx"
    "lesson"
};

/// What every device has unless it says otherwise.
pub(crate) const DEFAULTS: &str = include_str!("../devices/defaults.toml");

/// Names of the built-in devices, in the order of the list.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    DEVICES.iter().map(|(name, _)| *name)
}

/// The TOML text of a built-in device; upper and lower case are the same.
pub(crate) fn text(name: &str) -> Option<&'static str> {
    let found = DEVICES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, text)| *text)
}

/// Short source keys and what they stand for.
pub(crate) fn sources() -> BTreeMap<String, String> {
    toml::from_str(include_str!("../devices/sources.toml")).unwrap_or_default()
}
