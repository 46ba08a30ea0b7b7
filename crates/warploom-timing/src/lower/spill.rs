//! What does not fit into registers goes to local memory.
//!
//! As long as more values are live somewhere than there are registers, the one of them that is
//! read last of all is spilled: stored where it is written, and loaded again before each
//! instruction that reads it.

use smallvec::SmallVec;

use super::code::Code;
use super::live::{self, Held, Live};
use super::nodes::{Node, Piece};
use super::values::Value;
use crate::stream::Class;

/// Rounds of choosing values to spill. Each chooses as many as are missing at the worst places.
const ROUNDS: usize = 12;

/// Instructions of a segment over which a value that was loaded again is kept.
const KEPT: usize = 8;

/// Bytes of a spilled register.
const REGISTER_BYTES: u32 = 4;

/// Spills until at most `limit` registers are live, as far as that is possible. Returns the bytes
/// of local memory that a thread needs for it.
pub(super) fn spill(code: &mut Code<'_>, pieces: &mut [Piece], limit: u32) -> u32 {
    let mut spilled = vec![false; code.predicates.len()];
    let mut bytes = 0;
    for _ in 0..ROUNDS {
        let live = Live::new(&code.blocks, pieces, code.predicates.len());
        spilled.resize(code.predicates.len(), false);
        let chosen = choose(code, &live, pieces, limit, &spilled);
        if chosen.is_empty() {
            break;
        }
        let mut choice = vec![false; code.predicates.len()];
        for &value in &chosen {
            choice[value as usize] = true;
            spilled[value as usize] = true;
        }
        bytes += REGISTER_BYTES * chosen.len() as u32;
        for piece in &mut *pieces {
            rewrite(code, piece, &choice, &mut spilled);
        }
    }
    bytes
}

/// Values to spill: at each place with too many, those whose next read is furthest.
fn choose(
    code: &Code<'_>,
    live: &Live,
    pieces: &[Piece],
    limit: u32,
    spilled: &[bool],
) -> Vec<Value> {
    let reads = reads(code, pieces);
    let total = pieces
        .iter()
        .map(|piece| piece.nodes.len() as u32)
        .sum::<u32>();
    let mut chosen: Vec<Value> = Vec::new();
    let mut is_chosen = vec![false; code.predicates.len()];
    let mut held = Held::new(&code.predicates);
    let by_block = live::by_block(pieces, code.blocks.len());
    let mut at = total;
    for (block, range) in by_block.into_iter().enumerate().rev() {
        held.reset(&live.exit[block]);
        let mut inside: Vec<Value> = live.exit[block].clone();
        for node in pieces[range]
            .iter()
            .rev()
            .flat_map(|piece| piece.nodes.iter().rev())
        {
            at -= 1;
            let needed = held.step_back(node);
            inside.extend(node.uses.iter().copied());
            let gone = |value: &Value| is_chosen[*value as usize];
            let already = inside
                .iter()
                .filter(|value| held.contains(**value) && gone(value));
            let missing = needed.saturating_sub(limit);
            if missing == 0 {
                continue;
            }
            let mut already: Vec<Value> = already.copied().collect();
            already.sort_unstable();
            already.dedup();
            let missing = missing.saturating_sub(already.len() as u32);
            let mut candidates: Vec<(u32, Value)> = Vec::new();
            inside.sort_unstable();
            inside.dedup();
            inside.retain(|&value| held.contains(value));
            for &value in &inside {
                let index = value as usize;
                let busy = node.uses.contains(&value) || node.defs.contains(&value);
                if busy || spilled[index] || is_chosen[index] || code.predicates[index] {
                    continue;
                }
                candidates.push((distance(&reads[index], at, total), value));
            }
            candidates.sort_unstable_by(|a, b| b.cmp(a));
            for &(_, value) in candidates.iter().take(missing as usize) {
                is_chosen[value as usize] = true;
                chosen.push(value);
            }
        }
    }
    chosen
}

/// Where each value is read, ascending.
fn reads(code: &Code<'_>, pieces: &[Piece]) -> Vec<Vec<u32>> {
    let mut reads = vec![Vec::new(); code.predicates.len()];
    let nodes = pieces.iter().flat_map(|piece| &piece.nodes);
    for (at, node) in (0..).zip(nodes) {
        for &value in &node.uses {
            reads[value as usize].push(at);
        }
    }
    reads
}

/// Instructions until a value is read next; around the loop if only earlier ones read it.
fn distance(reads: &[u32], at: u32, total: u32) -> u32 {
    let next = reads.partition_point(|&read| read <= at);
    match (reads.get(next), reads.first()) {
        (Some(&read), _) => read - at,
        (None, Some(&first)) => total - at + first,
        (None, None) => total,
    }
}

/// Stores chosen values where they are written and loads them where they are read.
fn rewrite(code: &mut Code<'_>, piece: &mut Piece, choice: &[bool], spilled: &mut Vec<bool>) {
    let is_chosen = |value: &Value| choice.get(*value as usize) == Some(&true);
    let touched = |node: &Node| node.uses.iter().chain(&node.defs).any(is_chosen);
    if !piece.nodes.iter().any(touched) {
        return;
    }
    let nodes = std::mem::take(&mut piece.nodes);
    // Values that are in a register again, and the place up to which.
    let mut kept: Vec<(Value, Value, usize)> = Vec::new();
    for (at, mut node) in nodes.into_iter().enumerate() {
        kept.retain(|&(.., until)| until >= at);
        for n in 0..node.uses.len() {
            let value = node.uses[n];
            if !is_chosen(&value) {
                continue;
            }
            let again = match kept.iter().find(|(spilled, ..)| *spilled == value) {
                Some(&(_, again, _)) => again,
                None => {
                    let again = code.fresh(false);
                    // It lives for a moment: spilling it as well would help nobody.
                    spilled.resize(code.predicates.len(), true);
                    kept.push((value, again, at + KEPT));
                    piece.nodes.push(traffic(&node, Class::SpillLoad, again));
                    again
                }
            };
            node.uses[n] = again;
        }
        let stored: SmallVec<[Value; 4]> =
            node.defs.iter().copied().filter(|v| is_chosen(v)).collect();
        let mut stores = SmallVec::<[Node; 2]>::new();
        for value in stored {
            kept.retain(|(spilled, ..)| *spilled != value);
            let result = code.fresh(false);
            spilled.resize(code.predicates.len(), true);
            for def in node.defs.iter_mut().filter(|def| **def == value) {
                *def = result;
            }
            stores.push(traffic(&node, Class::SpillStore, result));
        }
        match node.last {
            // Nothing comes behind a branch.
            true => {
                piece.nodes.push(node);
            }
            false => {
                piece.nodes.push(node);
                piece.nodes.extend(stores);
            }
        }
    }
}

/// A store or load of a spilled register, beside the instruction `of`.
fn traffic(of: &Node, class: Class, value: Value) -> Node {
    let value = std::iter::once(value);
    let loads = class == Class::SpillLoad;
    Node {
        class: Some(class),
        source: of.source,
        leads: false,
        accesses: 1,
        uses: value.clone().filter(|_| !loads).collect(),
        defs: value.filter(|_| loads).collect(),
        guarded: false,
        memory: None,
        last: false,
        copies: false,
    }
}
