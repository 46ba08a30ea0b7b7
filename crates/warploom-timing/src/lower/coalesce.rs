//! Copies whose source and target can have one register.
//!
//! What remains of a source's copies goes into values that are written more than once: those that
//! a loop or a branch hands on. Where the two values never live beside each other with different
//! contents, they become one, and the copy goes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::Code;
use super::live::{self, Held, Live};
use super::nodes::{Node, Piece};
use super::values::Value;

/// Rounds of merging; each merges a value at most once.
const ROUNDS: usize = 4;

/// Merges what copies connect.
pub(super) fn coalesce(code: &mut Code<'_>, pieces: &mut [Piece]) {
    for _ in 0..ROUNDS {
        let copies = copies(code, pieces);
        if copies.is_empty() {
            return;
        }
        let live = Live::new(&code.blocks, pieces, code.predicates.len());
        let apart = apart(code, &live, pieces, &copies);
        let mut merged: FxHashMap<Value, Value> = FxHashMap::default();
        let mut touched: FxHashSet<Value> = FxHashSet::default();
        for &(to, from) in &copies {
            let joins = apart.contains(&(to, from));
            if joins && !touched.contains(&to) && !touched.contains(&from) {
                touched.extend([to, from]);
                merged.insert(from, to);
            }
        }
        if merged.is_empty() {
            return;
        }
        rename(code, pieces, &merged);
    }
}

/// The target and source of a copy of every lane.
fn copied(node: &Node) -> Option<(Value, Value)> {
    match (node.copies, node.defs.as_slice(), node.uses.as_slice()) {
        (true, &[to], &[from]) if !node.guarded && to != from => Some((to, from)),
        _ => None,
    }
}

fn copies(code: &Code<'_>, pieces: &[Piece]) -> Vec<(Value, Value)> {
    let nodes = pieces.iter().flat_map(|piece| &piece.nodes);
    let mut found: Vec<(Value, Value)> = nodes.filter_map(copied).collect();
    found.retain(|&(to, from)| code.predicates[to as usize] == code.predicates[from as usize]);
    found.sort_unstable();
    found.dedup();
    found
}

/// Those copies of which neither value is written while the other lives.
fn apart(
    code: &Code<'_>,
    live: &Live,
    pieces: &[Piece],
    copies: &[(Value, Value)],
) -> FxHashSet<(Value, Value)> {
    let mut apart: FxHashSet<(Value, Value)> = copies.iter().copied().collect();
    let mut others: FxHashMap<Value, Vec<(Value, Value)>> = FxHashMap::default();
    for &(to, from) in copies {
        others.entry(to).or_default().push((to, from));
        others.entry(from).or_default().push((to, from));
    }
    let mut held = Held::new(&code.predicates);
    for (block, range) in live::by_block(pieces, code.blocks.len())
        .into_iter()
        .enumerate()
    {
        held.reset(&live.exit[block]);
        for node in pieces[range]
            .iter()
            .rev()
            .flat_map(|piece| piece.nodes.iter().rev())
        {
            let own = copied(node);
            for &value in &node.defs {
                let Some(connected) = others.get(&value) else {
                    continue;
                };
                for &copy in connected {
                    let other = if copy.0 == value { copy.1 } else { copy.0 };
                    if own != Some(copy) && held.contains(other) {
                        apart.remove(&copy);
                    }
                }
            }
            held.step_back(node);
        }
    }
    apart
}

/// Replaces values everywhere, and drops the copies between them.
fn rename(code: &mut Code<'_>, pieces: &mut [Piece], merged: &FxHashMap<Value, Value>) {
    let replace = |value: &mut Value| {
        if let Some(&to) = merged.get(value) {
            *value = to;
        }
    };
    for piece in pieces {
        for node in &mut piece.nodes {
            node.uses.iter_mut().for_each(replace);
            node.defs.iter_mut().for_each(replace);
        }
        piece
            .nodes
            .retain(|node| !(node.copies && node.uses.as_slice() == node.defs.as_slice()));
    }
    for line in &mut code.lines {
        line.rename(replace);
    }
}
