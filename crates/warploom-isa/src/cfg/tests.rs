//! Post-dominators, against hand-made ones and against the definition.

use super::*;

fn graph(successors: &[&[u32]], exits: &[u32]) -> Cfg {
    let count = successors.len() as u32;
    Cfg {
        successors: successors.iter().map(|list| list.to_vec()).collect(),
        exits: (0..count).map(|block| exits.contains(&block)).collect(),
    }
}

/// Whether a path leads from each block to the exit that does not enter `without`.
fn can_leave(cfg: &Cfg, without: Option<u32>) -> Vec<bool> {
    let count = cfg.successors.len();
    let mut leaves = vec![false; count];
    for _ in 0..=count {
        for block in 0..count {
            let goes_on = cfg.successors[block].iter().any(|&s| leaves[s as usize]);
            leaves[block] = (cfg.exits[block] || goes_on) && without != Some(block as u32);
        }
    }
    leaves
}

/// By the definition: of the blocks that all paths from a block to the exit enter later, the one
/// that all the others of them are entered after.
fn by_definition(cfg: &Cfg) -> Vec<Option<u32>> {
    let count = cfg.successors.len() as u32;
    let leaves = can_leave(cfg, None);
    let without: Vec<_> = (0..count)
        .map(|block| can_leave(cfg, Some(block)))
        .collect();
    let dominates = |over: u32, block: u32| {
        over != block && leaves[block as usize] && !without[over as usize][block as usize]
    };
    let immediate = |block: u32| {
        let all: Vec<u32> = (0..count).filter(|&over| dominates(over, block)).collect();
        let first = |&near: &u32| all.iter().all(|&far| far == near || dominates(far, near));
        all.iter().copied().find(first)
    };
    (0..count).map(immediate).collect()
}

#[test]
fn branches_meet_behind_their_paths() {
    // 0 splits into 1 and 2, which meet in 3; 2 holds a loop with 4; 3 leaves.
    let cfg = graph(&[&[1, 2], &[3], &[3, 4], &[], &[2]], &[3]);
    let expected = [Some(3), Some(3), Some(3), None, Some(2)];
    assert_eq!(cfg.post_dominators(), expected);
    // With an early return in 1 only the exit is common.
    let cfg = graph(&[&[1, 2], &[3], &[3], &[]], &[1, 3]);
    assert_eq!(cfg.post_dominators(), [None, None, Some(3), None]);
}

#[test]
fn endless_loops_meet_at_the_exit() {
    let cfg = graph(&[&[1, 2], &[1], &[3], &[]], &[3]);
    assert_eq!(cfg.post_dominators(), [Some(2), None, Some(3), None]);
    assert_eq!(graph(&[&[0]], &[]).post_dominators(), [None]);
    assert_eq!(Cfg::default().post_dominators(), []);
}

#[test]
fn random_graphs_have_the_dominators_of_the_definition() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (((state >> 32) * below) >> 32) as u32
    };
    for _ in 0..3000 {
        let count = 1 + u64::from(random(12));
        let mut cfg = Cfg::default();
        for _ in 0..count {
            let mut successors: Vec<u32> = (0..random(4)).map(|_| random(count)).collect();
            successors.sort_unstable();
            successors.dedup();
            cfg.exits.push(successors.is_empty() || random(8) == 0);
            cfg.successors.push(successors);
        }
        assert_eq!(cfg.post_dominators(), by_definition(&cfg), "{cfg:?}");
    }
}

// Each of these takes time with the square of its size where dominators are found by iteration.
#[test]
fn graphs_of_any_shape_are_done_soon() {
    let count = 200_000;
    let exits = |block: u32| block + 1 == count;
    let shapes: [fn(u32, u32) -> u32; 3] = [
        |block, count| count - 1 - block,
        |block, _| block / 2,
        |block, count| (block * 7919) % count,
    ];
    for jump in shapes {
        let successors = |block: u32| {
            let mut all = vec![jump(block, count)];
            all.extend((!exits(block)).then_some(block + 1));
            all
        };
        let cfg = Cfg {
            successors: (0..count).map(successors).collect(),
            exits: (0..count).map(exits).collect(),
        };
        let found = cfg.post_dominators();
        assert_eq!(found.last(), Some(&None));
        // The last blocks before the exit have no way round each other.
        assert_eq!(found[count as usize - 2], Some(count - 1));
    }
}
