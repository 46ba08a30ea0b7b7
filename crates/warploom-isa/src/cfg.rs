//! Control-flow graphs and immediate post-dominators.
//!
//! Lanes that part at a branch meet again at its immediate post-dominator: the first block that
//! every path from the branch must enter. Computed by the algorithm of Lengauer and Tarjan on the
//! reversed graph, with one virtual exit behind every block that can leave the function; its time
//! is nearly in proportion to the graph, whatever its shape. A block that cannot reach an exit (an
//! endless loop) has the virtual exit itself.

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
        let exit = self.successors.len() as u32;
        let Visit {
            order,
            number,
            parent,
        } = self.visit();
        let mut forest = Forest::new(order.len());
        let mut dominator = vec![ROOT; order.len()];
        // Nodes by their semidominator, as linked lists.
        let mut bucket = vec![NONE; order.len()];
        let mut next = vec![NONE; order.len()];
        for node in (1..order.len() as u32).rev() {
            let block = order[node as usize] as usize;
            let successors = self.successors[block].iter().copied();
            for successor in successors.chain(self.exits[block].then_some(exit)) {
                let reached = number[successor as usize];
                if reached != NONE {
                    let best = forest.best(reached);
                    let semi = forest.semi[best as usize];
                    forest.semi[node as usize] = forest.semi[node as usize].min(semi);
                }
            }
            let semi = forest.semi[node as usize] as usize;
            next[node as usize] = std::mem::replace(&mut bucket[semi], node);
            let above = parent[node as usize];
            forest.above[node as usize] = above;
            let mut waiting = std::mem::replace(&mut bucket[above as usize], NONE);
            while waiting != NONE {
                let best = forest.best(waiting);
                let nearer = forest.semi[best as usize] < forest.semi[waiting as usize];
                dominator[waiting as usize] = if nearer { best } else { above };
                waiting = next[waiting as usize];
            }
        }
        for node in 1..order.len() {
            if dominator[node] != forest.semi[node] {
                dominator[node] = dominator[dominator[node] as usize];
            }
        }
        let of_block = |&number: &u32| {
            let found = *dominator.get(number as usize)?;
            (found != ROOT).then(|| order[found as usize])
        };
        number[..exit as usize].iter().map(of_block).collect()
    }

    /// Walks the reversed graph from the exit, depth first.
    fn visit(&self) -> Visit {
        let count = self.successors.len();
        let mut predecessors = vec![Vec::new(); count + 1];
        for (block, successors) in (0..).zip(&self.successors) {
            for &successor in successors {
                predecessors[successor as usize].push(block);
            }
            if self.exits[block as usize] {
                predecessors[count].push(block);
            }
        }
        let mut visit = Visit {
            order: Vec::with_capacity(count + 1),
            number: vec![NONE; count + 1],
            parent: Vec::with_capacity(count + 1),
        };
        let mut stack = vec![(count as u32, ROOT)];
        while let Some((block, parent)) = stack.pop() {
            let number = &mut visit.number[block as usize];
            if *number == NONE {
                *number = visit.order.len() as u32;
                let here = *number;
                visit.order.push(block);
                visit.parent.push(parent);
                let before = &predecessors[block as usize];
                stack.extend(before.iter().map(|&block| (block, here)));
            }
        }
        visit
    }
}

/// Number of the virtual exit.
const ROOT: u32 = 0;
/// No node.
const NONE: u32 = u32::MAX;

/// Blocks in the order of a depth-first walk. Nodes are numbered by it.
struct Visit {
    /// The block of each node.
    order: Vec<u32>,
    /// The node of each block and of the exit, `NONE` where the walk does not come.
    number: Vec<u32>,
    /// The node from which each was reached.
    parent: Vec<u32>,
}

/// The part of the walk's tree that has been linked, with paths compressed.
struct Forest {
    above: Vec<u32>,
    /// Among the nodes on the path that was compressed, the one with the least semidominator.
    label: Vec<u32>,
    semi: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    fn new(nodes: usize) -> Forest {
        Forest {
            above: vec![NONE; nodes],
            label: (0..nodes as u32).collect(),
            semi: (0..nodes as u32).collect(),
            path: Vec::new(),
        }
    }

    /// The node with the least semidominator on the way up from `node`, its tree's root left out.
    fn best(&mut self, node: u32) -> u32 {
        let mut at = node;
        while self.above[at as usize] != NONE {
            self.path.push(at);
            at = self.above[at as usize];
        }
        let root = at;
        // The topmost is right as it is; each one below takes over what is better above it.
        let mut above = self.path.pop().unwrap_or(root);
        while let Some(node) = self.path.pop() {
            let best = self.label[above as usize];
            let label = &mut self.label[node as usize];
            if self.semi[best as usize] < self.semi[*label as usize] {
                *label = best;
            }
            self.above[node as usize] = root;
            above = node;
        }
        self.label[node as usize]
    }
}

#[cfg(test)]
mod tests;
