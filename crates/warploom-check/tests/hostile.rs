//! Addresses from nowhere: the machine faults, and the checker, which is shown them before, takes them.

mod kit;

use kit::{check, parse};
use warploom_machine::{Divergence, Outcome};

#[test]
fn addresses_at_the_ends_of_the_space() {
    for (far, step) in [
        ("0x8000000000000000", "0"),
        ("0x8000000000000000", "4"),
        ("0xfffffffffffffffe", "0"),
        ("0x7fffffffffffffff", "0x4000000000000000"),
        ("1", "0xffffffffffffffff"),
    ] {
        for access in ["st.global.u32 [%rd3], %t;", "ld.global.u8 %h1, [%rd3];"] {
            // Lanes take turns between two places that lie as far apart as can be.
            let body = format!(
                "// run: 1 32 1
                and.b32 %r1, %t, 1;
                cvt.u64.u32 %rd1, %r1;
                mul.lo.u64 %rd2, %rd1, {far};
                cvt.u64.u32 %rd4, %t;
                mad.lo.u64 %rd3, %rd4, {step}, %rd2;
                {access}"
            );
            for model in [Divergence::Ipdom, Divergence::Its] {
                let case = parse(&body).expect("a case");
                let (_, outcome) = check(&case, model).expect("a kernel");
                assert!(matches!(outcome, Outcome::Fault(_)), "{outcome:?}");
            }
        }
    }
}
