//! The committed support table is what the tables of the lowering say.

#[test]
fn the_page_is_fresh() {
    let committed = include_str!("../../../docs/ptx-support.md");
    let page = warploom_ptx::support_table();
    let stale = page
        .lines()
        .zip(committed.lines())
        .find(|(new, old)| new != old);
    assert_eq!(stale, None, "run `cargo xtask docs`");
    assert_eq!(page, committed, "run `cargo xtask docs`");
}
