//! Reading device texts: errors with place and help, building on a device, overrides.

use warploom_device::{Device, DeviceError};

fn text(name: &str) -> String {
    let path = format!("{}/devices/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// Loads `text` expecting a fault, and returns it with `line:column` of its place.
fn fault(text: &str) -> (DeviceError, String) {
    let error = Device::from_toml(text, "chip.toml").expect_err("it should be refused");
    assert_eq!(&*error.origin, "chip.toml");
    let place = error
        .position
        .map(|at| format!("{}:{}", at.line, at.column));
    (error, place.unwrap_or_default())
}

/// The v100 text with one line replaced, and the number of that line.
fn v100_with(from: &str, to: &str) -> (String, u32) {
    let text = text("v100");
    let line = text
        .lines()
        .position(|line| line.starts_with(from))
        .unwrap();
    let old = text.lines().nth(line).unwrap();
    (text.replacen(old, to, 1), u32::try_from(line).unwrap() + 1)
}

const SISTER: &str = "name = \"mine\"\nlike = \"v100\"\n";

#[test]
fn syntax_error_is_located() {
    let (error, place) = fault("name = \"x\"\nsms = = 3\n");
    assert_eq!(place, "2:7");
    assert!(!error.message.is_empty());
}

#[test]
fn unknown_field_is_named_with_the_nearest_one() {
    let (text, line) = v100_with("warps_per_sm", "warp_per_sm = 64");
    let (error, place) = fault(&text);
    assert_eq!(place, format!("{line}:1"));
    assert_eq!(error.field, "limits.warp_per_sm");
    assert_eq!(error.message, "there is no such field");
    assert!(
        error
            .help
            .unwrap()
            .starts_with("did you mean `limits.warps_per_sm`?")
    );
}

#[test]
fn wrong_type_is_located_at_the_value() {
    let (text, line) = v100_with("sms", "sms = \"eighty\"");
    let (error, place) = fault(&text);
    assert_eq!(place, format!("{line}:7"));
    assert_eq!(error.field, "sms");
    assert!(error.message.contains("invalid type"), "{}", error.message);
}

#[test]
fn missing_field_is_located_at_its_table() {
    let (text, _) = v100_with("fp64", "");
    let (error, _) = fault(&text);
    assert!(
        error.message.contains("missing field `fp64`"),
        "{}",
        error.message
    );
    assert_eq!(error.field, "lanes");
}

#[test]
fn figures_that_do_not_fit_are_located() {
    for (from, to, column, field) in [
        ("warp_width =", "warp_width = 24", 14, "warp_width"),
        ("warp_widths", "warp_widths = [32, 48]", 15, "warp_widths"),
        ("sms", "sms = 0", 7, "sms"),
        ("clock_mhz", "clock_mhz = -1.0", 13, "clock_mhz"),
        ("clock_mhz", "clock_mhz = nan", 13, "clock_mhz"),
        ("target", "target = \"gfx900\"", 10, "target"),
        ("divergence", "divergence = \"exec-mask\"", 14, "divergence"),
        (
            "schedulers_per_sm",
            "schedulers_per_sm = 3",
            16,
            "limits.warps_per_sm",
        ),
        (
            "per_block =",
            "per_block = 40000",
            13,
            "registers.per_block",
        ),
        ("unit =", "unit = 32768", 8, "registers.unit"),
        (
            "capacity_steps_bytes",
            "capacity_steps_bytes = [8, 8]",
            24,
            "shared.capacity_steps_bytes",
        ),
        (
            "per_block_optin_bytes",
            "per_block_optin_bytes = 98305",
            25,
            "shared.per_block_optin_bytes",
        ),
        ("banks", "banks = 31", 9, "shared.banks"),
        (
            "sector_bytes",
            "sector_bytes = 48",
            16,
            "memory.sector_bytes",
        ),
        ("line_bytes", "line_bytes = 16", 14, "memory.line_bytes"),
    ] {
        let (text, line) = v100_with(from, to);
        let (error, _) = fault(&text);
        assert_eq!(error.field, field, "{error}");
        assert!(error.help.is_some(), "{error}");
        let at = error.position.unwrap();
        assert_eq!(at.column, column, "{error}");
        if to.starts_with(field.rsplit('.').next().unwrap()) {
            assert_eq!(at.line, line, "{error}");
        }
    }
}

#[test]
fn figure_without_a_source_is_refused() {
    let (error, place) = fault(&format!("{SISTER}sms = 84\n"));
    assert_eq!((error.field.as_str(), place.as_str()), ("sms", "3:7"));
    assert_eq!(error.message, "the figure has no source");
}

#[test]
fn unknown_source_and_path_are_refused() {
    let (error, place) = fault(&format!("{SISTER}sms = 84\n[sources]\nocx = [\"sms\"]\n"));
    assert_eq!((error.field.as_str(), place.as_str()), ("sources", "5:1"));
    assert!(error.help.unwrap().starts_with("did you mean `occ`?"));
    let (error, place) = fault(&format!("{SISTER}estimated = [\"smms\"]\n"));
    assert_eq!(
        (error.field.as_str(), place.as_str()),
        ("estimated", "3:14")
    );
    assert!(error.help.unwrap().starts_with("did you mean `sms`?"));
    let (error, _) = fault(&format!("{SISTER}estimated = 3\n"));
    assert_eq!(error.field, "estimated");
}

#[test]
fn sister_takes_everything_else_with_its_sources() {
    let text = format!("{SISTER}sms = 84\n[sources]\n\"Its data sheet of 2017\" = [\"sms\"]\n");
    let mine = Device::from_toml(&text, "mine.toml").unwrap();
    let v100 = Device::by_name("v100").unwrap();
    assert_eq!((mine.name.as_str(), mine.sms), ("mine", 84));
    assert_eq!(mine.registers, v100.registers);
    assert_eq!(mine.provenance("clock_mhz"), v100.provenance("clock_mhz"));
    assert_eq!(
        mine.provenance("sms").unwrap().sources,
        ["Its data sheet of 2017"]
    );
}

#[test]
fn sister_can_doubt_an_inherited_figure() {
    let text = format!("{SISTER}estimated = [\"memory\"]\n");
    let mine = Device::from_toml(&text, "mine.toml").unwrap();
    let doubted = mine.provenance("memory.l2_bytes").unwrap();
    assert!(doubted.estimated && doubted.sources.is_empty());
    assert!(!mine.provenance("sms").unwrap().estimated);
}

/// A user's file without timings, and without a device to build on.
#[test]
fn what_is_not_given_comes_from_the_defaults() {
    let whole = text("v100");
    let (device, _) = whole.split_once("# Latencies and plateaus").unwrap();
    let claims = "estimated = [\"limits\", \"lanes\"]";
    let start = device.find("estimated = [").unwrap();
    let end = start + device[start..].find(']').unwrap() + 1;
    let text = format!(
        "{}{claims}{}\n[sources]\n\"Its data sheet of 2017\" = [\"*\"]\n",
        &device[..start],
        &device[end..]
    );
    let mine = Device::from_toml(&text, "mine.toml").unwrap();
    assert_eq!(mine.timing.l2.line_bytes, 128);
    assert_eq!(mine.energy.dram_word_pj, 640.0);
    let (error, place) = fault(&format!("{text}\n[timing.l1]\nhit_cycles = 400\n"));
    assert_eq!(
        (error.field.as_str(), place.as_str()),
        ("timing.l2.hit_cycles", "")
    );
    assert!(
        error.message.contains("220 is less than the 400"),
        "{error}"
    );
}

#[test]
fn sister_of_nobody_is_refused() {
    let (error, place) = fault("name = \"x\"\nlike = \"v10\"\n");
    assert_eq!((error.field.as_str(), place.as_str()), ("like", "2:8"));
    assert!(error.help.unwrap().starts_with("did you mean `v100`?"));
    let (error, place) = fault("name = \"x\"\nlike = 3\n");
    assert_eq!((error.field.as_str(), place.as_str()), ("like", "2:8"));
}

#[test]
fn sister_needs_a_name_of_its_own() {
    let (error, _) = fault("like = \"v100\"\n");
    assert!(error.message.contains("missing field `name`"), "{error}");
}

#[test]
fn message_reads_as_place_field_fault_help() {
    let (error, _) = fault(&format!("{SISTER}sms = 0\nestimated = [\"sms\"]\n"));
    let text = "chip.toml:3:7: `sms`: 0 is out of range\n  help: it takes 1 to 65536";
    assert_eq!(error.to_string(), text);
}

#[test]
fn misspelt_device_gets_a_suggestion() {
    assert_eq!(Device::by_name("H100").unwrap().name, "h100");
    let error = Device::by_name("h10").unwrap_err();
    assert_eq!(error.message, "no device is called `h10`");
    assert!(
        error
            .help
            .unwrap()
            .starts_with("did you mean `h100`? there are k40, gtx-980,")
    );
    let error = Device::by_name("zzz").unwrap_err();
    assert!(error.help.unwrap().starts_with("there are k40,"));
}

#[test]
fn overrides_change_one_field_and_its_provenance() {
    let mut device = Device::by_name("h100").unwrap();
    let before = device.clone();
    device.set("sms", "20").unwrap();
    device.set("divergence", "ipdom").unwrap();
    device.set("memory.dram_gb_per_s", "1000").unwrap();
    device
        .set("shared.capacity_steps_bytes", "[131072, 233472]")
        .unwrap();
    device.set("memory.llc_bytes", "1048576").unwrap();
    assert_eq!(device.sms, 20);
    assert_eq!(device.divergence, warploom_device::Divergence::Ipdom);
    assert_eq!(device.memory.dram_gb_per_s, 1000.0);
    assert_eq!(device.shared.capacity_steps_bytes, [131_072, 233_472]);
    assert_eq!(device.memory.llc_bytes, Some(1 << 20));
    assert_eq!(device.name, "h100");
    assert!(device.provenance("sms").unwrap().overridden);
    assert!(!device.provenance("clock_mhz").unwrap().overridden);
    assert_eq!(device.registers, before.registers);
}

#[test]
fn every_figure_can_be_set_to_what_it_is() {
    for name in ["h100", "mi100", "rx-7900-xtx", "lesson"] {
        let device = Device::by_name(name).unwrap();
        for figure in device.figures() {
            let mut same = device.clone();
            same.set(&figure.path, &figure.value)
                .unwrap_or_else(|error| panic!("{error}"));
            assert!(
                same.provenance(&figure.path).unwrap().overridden,
                "{name} {}",
                figure.path
            );
        }
    }
}

#[test]
fn refused_overrides_leave_the_device_alone() {
    let mut device = Device::by_name("h100").unwrap();
    let before = device.clone();
    for (key, value, field) in [
        ("smss", "20", "smss"),
        ("registers.per", "20", "registers.per"),
        ("like", "v100", "like"),
        ("sources.occ", "[\"sms\"]", "sources.occ"),
        ("name", "\"\"", "name"),
        ("sms.a", "3", "sms.a"),
        ("sms", "many", "sms"),
        ("sms", "-1", "sms"),
        ("sms", "99999999999999999999", "sms"),
        ("sms", "{ a = 1 }", "sms"),
        ("sms", "1\nclock_mhz = 3", "sms"),
        ("registers.per_sm", "32768", "registers.per_block"),
        ("warp_width", "16", "warp_width"),
        ("registers", "3", "registers"),
        ("", "3", ""),
        (".", "3", ""),
    ] {
        let error = device.set(key, value).expect_err(key);
        assert_eq!(error.field, field, "{error}");
        assert_eq!(&*error.origin, format!("{key}={value}"));
        assert_eq!(device, before);
    }
    let error = device.set("smss", "20").unwrap_err();
    assert!(error.help.unwrap().starts_with("did you mean `sms`?"));
}

#[test]
fn dependent_overrides_go_together() {
    let mut device = Device::by_name("h100").unwrap();
    device
        .set_all([
            ("registers.per_sm", "32768"),
            ("registers.per_block", "32768"),
        ])
        .unwrap();
    assert_eq!(device.registers.per_sm, 32_768);
}

#[test]
fn hostile_texts_are_refused_without_harm() {
    let dotted = format!("a{} = 1", ".a".repeat(100_000));
    let nested = format!("a = {}{}", "{ a = ".repeat(5000), "}".repeat(5000));
    let arrays = format!("sms = {}", "[".repeat(50_000));
    let headers = (0..60).map(|_| "a.").collect::<String>();
    let header = format!("[{headers}a]\n{headers}b = 1\n");
    let long = "# ".repeat(200_000);
    for text in [
        dotted,
        nested,
        arrays,
        header,
        long,
        "\0".into(),
        String::new(),
    ] {
        fault(&text);
    }
    let mut device = Device::by_name("lesson").unwrap();
    let dotted = format!("{{ a{} = 1 }}", ".a".repeat(100_000));
    for value in [
        dotted.as_str(),
        &"[".repeat(4000),
        &"9".repeat(4000),
        "",
        "\"",
        "\0",
    ] {
        device.set("sms", value).unwrap_err();
        device.set(value, "3").unwrap_err();
    }
}
