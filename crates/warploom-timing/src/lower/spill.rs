//! What does not fit into registers goes to local memory.
//!
//! As long as more values are live somewhere than there are registers, the one of them that is
//! read last of all is spilled: stored where it is written, and loaded again before each
//! instruction that reads it.

use std::collections::BTreeSet;

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
    let mut reads = Reads::new(code, pieces);
    let mut chosen: Vec<Value> = Vec::new();
    let mut held = Held::new(&code.predicates);
    let by_block = live::by_block(pieces, code.blocks.len());
    let mut at = reads.total;
    for (block, range) in by_block.into_iter().enumerate().rev() {
        held.reset(&live.exit[block]);
        let may_go = |value: Value| !spilled[value as usize] && !code.predicates[value as usize];
        // Values that are live and may be chosen, by their next read; how many have been.
        let mut open: BTreeSet<(u32, Value)> = BTreeSet::new();
        let mut gone = 0;
        for &value in &live.exit[block] {
            if may_go(value) {
                match reads.is_chosen(value) {
                    true => gone += 1,
                    false => {
                        open.insert((reads.after(value, at), value));
                    }
                }
            }
        }
        for node in pieces[range]
            .iter()
            .rev()
            .flat_map(|piece| piece.nodes.iter().rev())
        {
            at -= 1;
            // What the instruction itself writes and reads must be there.
            for &value in node.defs.iter().filter(|&&value| may_go(value)) {
                open.remove(&(reads.next[value as usize], value));
                let ends = !node.guarded && held.contains(value);
                gone -= u32::from(reads.is_chosen(value) && ends);
            }
            for (n, &value) in node.uses.iter().enumerate() {
                if !may_go(value) || node.uses[..n].contains(&value) {
                    continue;
                }
                let begins = !node.guarded && node.defs.contains(&value);
                if held.contains(value) && !begins {
                    open.remove(&(reads.next[value as usize], value));
                } else {
                    gone += u32::from(reads.is_chosen(value));
                }
            }
            let needed = held.step_back(node);
            for _ in 0..needed.saturating_sub(limit + gone) {
                let Some((_, value)) = open.pop_last() else {
                    break;
                };
                reads.next[value as usize] = CHOSEN;
                chosen.push(value);
                gone += 1;
            }
            let again = node
                .uses
                .iter()
                .chain(node.defs.iter().filter(|_| node.guarded));
            for &value in again.filter(|&&value| may_go(value)) {
                if !reads.is_chosen(value) {
                    reads.next[value as usize] = at;
                    open.insert((at, value));
                }
            }
        }
    }
    chosen
}

/// The next read of a value that is spilled from now on.
const CHOSEN: u32 = u32::MAX;

/// Where values are read.
struct Reads {
    /// By value, ascending.
    at: Vec<Vec<u32>>,
    /// By value, the next read from where the walk is.
    next: Vec<u32>,
    /// Instructions in all.
    total: u32,
}

impl Reads {
    fn new(code: &Code<'_>, pieces: &[Piece]) -> Reads {
        let mut at = vec![Vec::new(); code.predicates.len()];
        let mut total = 0;
        for node in pieces.iter().flat_map(|piece| &piece.nodes) {
            for &value in &node.uses {
                at[value as usize].push(total);
            }
            total += 1;
        }
        Reads {
            next: vec![0; at.len()],
            at,
            total,
        }
    }

    fn is_chosen(&self, value: Value) -> bool {
        self.next[value as usize] == CHOSEN
    }

    /// Finds the next read from a place on; around the loop if only earlier ones read the value.
    fn after(&mut self, value: Value, place: u32) -> u32 {
        let reads = &self.at[value as usize];
        let later = reads.partition_point(|&read| read < place);
        let next = match (reads.get(later), reads.first()) {
            (Some(&read), _) => read,
            (None, Some(&first)) => self.total.saturating_add(first),
            (None, None) => 2 * self.total,
        };
        self.next[value as usize] = next;
        next
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
        constant: None,
        last: false,
        copies: false,
    }
}
