//! Fences and barriers.

use crate::support::check;

#[test]
fn fences() {
    let cases = [
        ("membar.cta;", "fence.sc.cta"),
        ("membar.gl;", "fence.sc.gpu"),
        ("membar.sys;", "fence.sc.sys"),
        ("fence.sc.gpu;", "fence.sc.gpu"),
        ("fence.gpu;", "fence.acq_rel.gpu"),
        ("fence.acq_rel.cluster;", "fence.acq_rel.cluster"),
        ("fence.acquire.sys;", "fence.acquire.sys"),
        ("fence.release.cta;", "fence.release.cta"),
        ("fence.proxy.alias;", "fence.acq_rel.cta"),
        ("fence.proxy.async;", "fence.acq_rel.cta"),
        ("fence.proxy.async.shared::cta;", "fence.acq_rel.cta"),
        ("fence.proxy.async.global;", "fence.acq_rel.cta"),
    ];
    for (body, expected) in cases {
        check(body, &[expected]);
    }
}

#[test]
fn barriers() {
    let cases = [
        ("bar.sync 0;", "bar.sync.aligned 0"),
        ("bar.cta.sync 1, 64;", "bar.sync.aligned 1, 64"),
        ("barrier.sync 0;", "bar.sync 0"),
        ("barrier.cta.sync.aligned 0, %r1;", "bar.sync.aligned 0, r1"),
        ("bar.sync %r1;", "bar.sync.aligned r1"),
        ("bar.arrive 2, 128;", "bar.arrive.aligned 2, 128"),
        ("barrier.arrive 2, 128;", "bar.arrive 2, 128"),
        (
            "bar.red.popc.u32 %r1, 0, %p1;",
            "bar.red.popc.aligned r1, 0, p1",
        ),
        (
            "bar.red.popc.u32 %r1, 0, 64, !%p1;",
            "bar.red.popc.aligned r1, 0, 64, !p1",
        ),
        (
            "bar.red.and.pred %p2, 0, %p1;",
            "bar.red.and.aligned p2, 0, p1",
        ),
        (
            "barrier.red.or.pred %p2, %r1, %r2, %p1;",
            "bar.red.or p2, r1, r2, p1",
        ),
    ];
    for (body, expected) in cases {
        check(body, &[expected]);
    }
}
