//! How many registers a thread has, and what does not fit.

use std::fmt::Write;

use warploom_timing::lower::LowerOptions;
use warploom_timing::stream::Class;

use crate::support::{Lowered, kernel, lowered, lowered_with};

/// Loads `count` values, then stores each to where another may lie, from the last on.
fn many(count: usize) -> String {
    let mut body = "mov.u32 %r90, %tid.x;\nmov.u32 %r91, %tid.y;\n".to_owned();
    for n in 0..count {
        let _ = writeln!(body, "ld.shared.u32 %r{n}, [%r90+{}];", 4 * n);
    }
    for n in (1..count).rev() {
        let _ = writeln!(body, "st.shared.u32 [%r91], %r{n};");
        let _ = writeln!(body, "add.u32 %r{}, %r{n}, %r{};", n - 1, n - 1);
    }
    body + "st.shared.u32 [%r91+4], %r0; ret;"
}

fn within(limit: u32, body: &str) -> Lowered {
    let options = LowerOptions {
        max_registers: Some(limit),
        ..LowerOptions::default()
    };
    lowered_with(options, &kernel("", body))
}

#[test]
fn an_empty_kernel_has_the_reserved_registers() {
    // The stack pointer is register 1; two more are the machine's own.
    assert_eq!(lowered("ret;").stream.registers_per_thread, 4);
}

#[test]
fn values_that_live_together_need_a_register_each() {
    // Sixty values wait for the last: with the address of the stores 61, the stack pointer and two reserved.
    let found = lowered(&many(60)).stream.registers_per_thread;
    assert!((64..=64 + 8).contains(&found), "{found}");
}

#[test]
fn few_values_take_no_more_than_leaves_room_for_all_warps() {
    let found = lowered(&many(12)).stream.registers_per_thread;
    assert!((16..=32).contains(&found), "{found}");
}

#[test]
fn a_limit_makes_values_spill() {
    let found = within(32, &many(60));
    assert!(found.stream.registers_per_thread <= 32);
    // At most 29 of 61 can stay.
    assert!(found.stream.spill_bytes_per_thread >= 4 * 32);
    let [stores, loads] = [Class::SpillStore, Class::SpillLoad].map(|class| found.count(class));
    assert!(stores >= 32 && loads >= 32);
    let moved = [Class::SpillStore, Class::SpillLoad];
    let traffic = found
        .stream
        .insts
        .iter()
        .filter(|inst| moved.contains(&inst.class));
    assert!(traffic.clone().all(|inst| !inst.leads));
}

#[test]
fn a_limit_that_is_kept_costs_nothing() {
    let found = within(32, &many(20));
    assert_eq!(found.stream.spill_bytes_per_thread, 0);
    assert_eq!(found.count(Class::SpillStore), 0);
}

#[test]
fn bounds_of_the_launch_are_limits() {
    // 1024 threads, two blocks of them: 65536 / 2048 = 32 registers.
    let bounded = |bounds: &str| {
        let text = kernel(bounds, &many(60));
        lowered_with(LowerOptions::default(), &text).stream
    };
    let found = bounded(".maxntid 1024, 1, 1 .minnctapersm 2");
    assert!(found.registers_per_thread <= 32);
    assert!(found.spill_bytes_per_thread > 0);
    let found = bounded(".maxnreg 40");
    assert!(found.registers_per_thread <= 40);
    assert!(found.spill_bytes_per_thread > 0);
    // One block of 1024 may have 64.
    let found = bounded(".maxntid 1024, 1, 1");
    assert!(found.registers_per_thread <= 64);
}

#[test]
fn a_double_lies_in_a_pair_that_the_scoreboard_knows_as_one() {
    let found = lowered(
        "ld.shared.f64 %g1, [tile];
         add.f64 %g2, %g1, %g1;
         st.shared.f64 [tile+8], %g2;
         ret;",
    );
    let load = found.leader("ld").expect("load");
    let sum = found.leader("add").expect("sum");
    assert_eq!((load.defs.len(), sum.uses.len(), sum.defs.len()), (1, 1, 1));
    assert_eq!(load.defs[0], sum.uses[0]);
}

#[test]
fn registers_of_the_stream_are_few() {
    // The scoreboard's numbers are registers, not values of the source.
    let found = lowered(&many(60));
    assert!(found.stream.registers <= 80, "{}", found.stream.registers);
}
