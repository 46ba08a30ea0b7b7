//! Generic addresses.

use crate::support::{check, check_with};

#[test]
fn windows_are_added_and_subtracted() {
    let cases = [
        ("cvta.global.u64 %rd1, %rd2;", "mov.b64 rd1, rd2"),
        ("cvta.to.global.u64 %rd1, %rd2;", "mov.b64 rd1, rd2"),
        ("cvta.const.u64 %rd1, %rd2;", "mov.b64 rd1, rd2"),
        (
            "cvta.shared.u64 %rd1, %rd2;",
            "add.i64 rd1, rd2, 0x10000000000",
        ),
        (
            "cvta.to.shared.u64 %rd1, %rd2;",
            "sub.i64 rd1, rd2, 0x10000000000",
        ),
        (
            "cvta.shared::cta.u64 %rd1, %rd2;",
            "add.i64 rd1, rd2, 0x10000000000",
        ),
        (
            "cvta.local.u64 %rd1, %rd2;",
            "add.i64 rd1, rd2, 0x20000000000",
        ),
        (
            "cvta.to.local.u64 %rd1, %rd2;",
            "sub.i64 rd1, rd2, 0x20000000000",
        ),
        ("cvta.param.u64 %rd1, kp;", "add.i64 rd1, 0, 0x30000000000"),
        ("cvta.param.u64 %rd1, ks;", "add.i64 rd1, 32, 0x30000000000"),
    ];
    for (body, expected) in cases {
        check(body, &[expected]);
    }
}

#[test]
fn variables_are_converted_by_name() {
    let declarations = ".global .u32 g; .shared .u32 s;";
    check_with(
        declarations,
        "cvta.global.u64 %rd1, g;",
        &["mov.b64 rd1, &g"],
    );
    check_with(
        declarations,
        "cvta.shared.u64 %rd1, s;",
        &["add.i64 rd1, &s, 0x10000000000"],
    );
    check(
        ".local .b32 x; cvta.local.u64 %rd1, x;",
        &["| frame.address t0, 0", "add.i64 rd1, t0, 0x20000000000"],
    );
}

#[test]
fn a_space_is_a_range_of_addresses() {
    let range = |base: &str| {
        [
            format!("| sub.i64 t0, rd1, {base}"),
            "setp.lt.u64 p1, t0, 0x100000000".to_owned(),
        ]
    };
    for (space, base) in [
        ("shared", "0x10000000000"),
        ("local", "0x20000000000"),
        ("param", "0x30000000000"),
    ] {
        let [first, second] = range(base);
        check(&format!("isspacep.{space} %p1, %rd1;"), &[&first, &second]);
    }
    // Everything but shared and local memory.
    check(
        "isspacep.global %p1, %rd1;",
        &[
            "| sub.i64 t0, rd1, 0x10000000000",
            "setp.lt.u64 p1, 0x1ffffffffff, t0",
        ],
    );
}

#[test]
fn constant_memory_is_its_variables() {
    check(
        "isspacep.const %p1, %rd1;",
        &["| setp.ne.i32 t0, 0, 0", "mov.mask p1, t0"],
    );
    check_with(
        ".const .u32 c[4];",
        "isspacep.const %p1, %rd1;",
        &[
            "| setp.ne.i32 t0, 0, 0",
            "| sub.i64 t1, rd1, &c",
            "| setp.lt.u64 t2, t1, 16",
            "| or.mask t0, t0, t2",
            "mov.mask p1, t0",
        ],
    );
}
