//! Exchange between lanes.

use crate::support::check;

#[test]
fn shuffles() {
    let cases = [
        (
            "shfl.sync.idx.b32 %r1, %r2, 3, 31, -1;",
            "shfl.idx.sync r1, r2, 3, 31, 0xffffffff",
        ),
        (
            "shfl.sync.up.b32 %r1|%p1, %r2, %r3, 0, %r4;",
            "shfl.up.sync r1, p1, r2, r3, 0, r4",
        ),
        (
            "shfl.sync.down.b32 %f1, %f2, 1, 31, -1;",
            "shfl.down.sync f1, f2, 1, 31, 0xffffffff",
        ),
        ("shfl.bfly.b32 %r1, %r2, 1, 31;", "shfl.bfly r1, r2, 1, 31"),
        (
            "shfl.sync.idx.b32 %r1|_, %r2, 0, 31, -1;",
            "shfl.idx.sync r1, r2, 0, 31, 0xffffffff",
        ),
    ];
    for (body, expected) in cases {
        check(body, &[expected]);
    }
}

#[test]
fn votes() {
    let cases = [
        (
            "vote.sync.all.pred %p1, %p2, -1;",
            "vote.all.sync p1, p2, 0xffffffff",
        ),
        (
            "vote.all.sync.pred %p1, !%p2, %r1;",
            "vote.all.sync p1, !p2, r1",
        ),
        (
            "vote.sync.uni.pred %p1, %p2, 15;",
            "vote.uni.sync p1, p2, 15",
        ),
        (
            "vote.ballot.sync.b32 %r1, %p2, -1;",
            "vote.ballot.sync r1, p2, 0xffffffff",
        ),
        ("vote.ballot.b32 %r1, %p2;", "vote.ballot r1, p2"),
        ("vote.any.pred %p1, %p2;", "vote.any p1, p2"),
    ];
    for (body, expected) in cases {
        check(body, &[expected]);
    }
}

#[test]
fn a_constant_predicate_is_a_mask() {
    check(
        "vote.sync.ballot.b32 %r1, 1, -1;",
        &[
            "| setp.ne.i32 t0, 1, 0",
            "vote.ballot.sync r1, t0, 0xffffffff",
        ],
    );
}

#[test]
fn matches_and_reductions() {
    let cases = [
        (
            "match.any.sync.b32 %r1, %r2, -1;",
            "match.any.sync r1, r2, 0xffffffff",
        ),
        (
            "match.any.sync.b64 %r1, %rd2, -1;",
            "match.any.sync.b64 r1, rd2, 0xffffffff",
        ),
        (
            "match.all.sync.b32 %r1|%p1, %r2, -1;",
            "match.all.sync r1, p1, r2, 0xffffffff",
        ),
        (
            "redux.sync.add.s32 %r1, %r2, -1;",
            "redux.add.sync.s32 r1, r2, 0xffffffff",
        ),
        (
            "redux.sync.add.u32 %r1, %r2, -1;",
            "redux.add.sync r1, r2, 0xffffffff",
        ),
        (
            "redux.sync.xor.b32 %r1, %r2, %r3;",
            "redux.xor.sync r1, r2, r3",
        ),
        (
            "redux.sync.min.abs.NaN.f32 %f1, %f2, -1;",
            "redux.min.sync.abs.NaN.f32 f1, f2, 0xffffffff",
        ),
        ("elect.sync %r1|%p1, -1;", "elect r1, p1, 0xffffffff"),
        ("elect.sync _|%p1, %r2;", "elect t0, p1, r2"),
        ("activemask.b32 %r1;", "activemask r1"),
        ("bar.warp.sync -1;", "bar.warp.sync 0xffffffff"),
        ("bar.warp.sync %r1;", "bar.warp.sync r1"),
    ];
    for (body, expected) in cases {
        check(body, &[expected]);
    }
}
