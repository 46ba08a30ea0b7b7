//! Lane operations on part of a warp.

use crate::kit::{Arg, run};

/// A NaN is made canonical in the lanes that compute it; idle lanes keep the one they have.
#[test]
fn nans_become_canonical_where_lanes_execute() {
    const OWN: u32 = 0x7fc0_0001;
    const CANONICAL: u32 = 0x7fff_ffff;
    for operation in [
        "add.rn.f32 %f1, %f1, 0f3F800000;",
        "sub.rn.f32 %f1, %f1, %f1;",
        "mul.rn.f32 %f1, %f1, 0f3F800000;",
        "fma.rn.f32 %f1, %f1, 0f3F800000, 0f3F800000;",
    ] {
        for lanes in [32, 17, 16, 5] {
            let body = format!(
                "mov.b32 %f1, {OWN};
                 setp.ge.u32 %p1, %t, {lanes};
                 @%p1 bra END;
                 {operation}
                 END:
                 st.global.f32 [%out], %f1;"
            );
            let expected =
                std::array::from_fn::<u32, 32, _>(
                    |lane| {
                        if lane < lanes { CANONICAL } else { OWN }
                    },
                );
            for ran in run(&body, vec![Arg::Zeros(32)]) {
                assert_eq!(ran.words(0), expected, "{operation} {lanes}");
            }
        }
    }
}

/// Numbers beside a NaN stay as they are.
#[test]
fn one_nan_changes_no_neighbour() {
    let body = "
        mov.f32 %f1, 0f3F800000;
        setp.eq.u32 %p1, %t, 20;
        @%p1 mov.b32 %f1, 0xff800001;
        add.rn.f32 %f1, %f1, 0f3F800000;
        st.global.f32 [%out], %f1;";
    let expected = std::array::from_fn::<u32, 32, _>(|lane| match lane {
        20 => 0x7fff_ffff,
        _ => 2f32.to_bits(),
    });
    for ran in run(body, vec![Arg::Zeros(32)]) {
        assert_eq!(ran.words(0), expected);
    }
}
