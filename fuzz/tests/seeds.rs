//! Every seed passes: whatever once went wrong and is in the corpus stays right.

#[test]
fn every_seed_passes() {
    for target in warploom_fuzz::TARGETS {
        let seeds = target.seeds().unwrap();
        assert!(!seeds.is_empty(), "{} has no seeds", target.name);
        for seed in seeds {
            (target.run)(&seed);
        }
    }
}
