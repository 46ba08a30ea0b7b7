//! Control-flow graphs and immediate post-dominators.
//!
//! Lanes that part at a branch meet again at its immediate post-dominator: the first block that
//! every path from the branch must enter. Computed by the iterative algorithm of Cooper, Harvey
//! and Kennedy on the reversed graph, with one virtual exit behind every block that can leave the
//! function. A block that cannot reach an exit (an endless loop) has the virtual exit itself.

/// A control-flow graph over dense block numbers; block 0 is the entry.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    /// Successors of each block.
    pub successors: Vec<Vec<u32>>,
    /// Whether each block can leave the function.
    pub exits: Vec<bool>,
}

impl Cfg {
    /// Immediate post-dominator of each block; `None` is the function's exit.
    pub fn post_dominators(&self) -> Vec<Option<u32>> {
        let count = self.successors.len();
        let exit = count;
        let mut predecessors = vec![Vec::new(); count + 1];
        for (block, successors) in self.successors.iter().enumerate() {
            for &successor in successors {
                predecessors[successor as usize].push(block);
            }
            if self.exits[block] {
                predecessors[exit].push(block);
            }
        }
        // Post-order of the reversed graph from the exit.
        let mut number = vec![usize::MAX; count + 1];
        let mut order = Vec::with_capacity(count + 1);
        let mut seen = vec![false; count + 1];
        let mut stack = vec![(exit, 0)];
        seen[exit] = true;
        while let Some((node, next)) = stack.pop() {
            if let Some(&predecessor) = predecessors[node].get(next) {
                stack.push((node, next + 1));
                if !std::mem::replace(&mut seen[predecessor], true) {
                    stack.push((predecessor, 0));
                }
            } else {
                number[node] = order.len();
                order.push(node);
            }
        }
        let mut dominator = vec![usize::MAX; count + 1];
        dominator[exit] = exit;
        let mut changed = true;
        while changed {
            changed = false;
            for &node in order.iter().rev().skip(1) {
                let successors = self.successors[node].iter().map(|&s| s as usize);
                let successors = successors.chain(self.exits[node].then_some(exit));
                let mut best = usize::MAX;
                for successor in successors.filter(|&s| dominator[s] != usize::MAX) {
                    best = if best == usize::MAX {
                        successor
                    } else {
                        intersect(&dominator, &number, best, successor)
                    };
                }
                if best != dominator[node] {
                    dominator[node] = best;
                    changed = true;
                }
            }
        }
        (0..count)
            .map(|block| Some(dominator[block]).filter(|&d| d != usize::MAX && d != exit))
            .map(|d| d.map(|d| d as u32))
            .collect()
    }
}

fn intersect(dominator: &[usize], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while number[a] < number[b] {
            a = dominator[a];
        }
        while number[b] < number[a] {
            b = dominator[b];
        }
    }
    a
}
