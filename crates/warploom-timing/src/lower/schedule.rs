//! The order in which a segment's instructions are issued.
//!
//! List scheduling from the top, as compilers do it: of the instructions whose operands are ready,
//! the one on the longest way to the segment's end goes first, so that loads come early. When the
//! next one would take more registers than there should be, those that free registers go first.

use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashMap;
use warploom_isa::Space;

use super::live::Held;
use super::nodes::{Node, Touch};
use super::values::Value;
use crate::stream::Class;

/// Instructions that are looked at when registers are short.
const WINDOW: usize = 64;

/// Loads that a store is compared with.
const LOADS: usize = 64;

/// Attempts to keep a segment's registers within a limit.
const TRIES: usize = 4;

/// Stores that a load is compared with.
const STORES: usize = 16;

/// Cycles after which a compiler expects a result.
fn latency(node: &Node) -> u32 {
    let Some(class) = node.class else {
        return 0;
    };
    match class {
        Class::Int32 | Class::IntMul | Class::Fp32 => 4,
        Class::Half => 5,
        Class::Fp64 => 8,
        Class::Sfu | Class::Convert | Class::Convert64 | Class::Bit => 16,
        Class::Uniform | Class::Constant | Class::Vote => 16,
        Class::Shuffle => 24,
        Class::Memory => match node.memory.map(|touch| touch.space) {
            Some(Space::Shared) => 24,
            _ => 200,
        },
        Class::SpillLoad => 32,
        _ => 4,
    }
}

/// An order of instructions, by their numbers in the source.
type Order = Vec<u32>;

/// Orders instructions so that they take as few registers as can be found: how many, and the
/// order. `held` are the values that are live behind them; afterwards, those in front.
pub(super) fn fewest(nodes: &[Node], held: &mut Held<'_>) -> (u32, Order) {
    let source: Order = (0..nodes.len() as u32).collect();
    let graph = Graph::new(nodes);
    let sparing = Scheduler::new(nodes, &graph, held, 0).run();
    let behind = held.snapshot(nodes);
    let most = held.walk_back(nodes, &source);
    held.restore(&behind);
    let with_sparing = held.walk_back(nodes, &sparing);
    match with_sparing < most {
        true => (with_sparing, sparing),
        false => (most, source),
    }
}

/// Orders instructions so that operands are there when they are needed, with at most `limit`
/// registers if that is possible. `held` are the values that are live behind them; afterwards,
/// those in front.
pub(super) fn within(nodes: Vec<Node>, held: &mut Held<'_>, limit: u32) -> Vec<Node> {
    let graph = Graph::new(&nodes);
    let behind = held.snapshot(&nodes);
    // What is let in early takes registers that are missed later: then again with less.
    let mut order = None;
    let mut tried = limit;
    for _ in 0..TRIES {
        let next = Scheduler::new(&nodes, &graph, held, tried).run();
        let most = held.walk_back(&nodes, &next);
        if most <= limit {
            order = Some(next);
            break;
        }
        held.restore(&behind);
        tried = tried.saturating_sub(most - limit);
    }
    let order = order.unwrap_or_else(|| fewest(&nodes, held).1);
    let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    let ordered = order.into_iter().filter_map(|at| nodes[at as usize].take());
    ordered.collect()
}

/// What must go before what, and by how many cycles.
struct Graph {
    successors: Vec<Vec<(u32, u32)>>,
    before: Vec<u32>,
    /// Cycles from each instruction's issue to the segment's end.
    height: Vec<u32>,
}

impl Graph {
    fn new(nodes: &[Node]) -> Graph {
        let mut graph = Graph {
            successors: vec![Vec::new(); nodes.len()],
            before: vec![0; nodes.len()],
            height: vec![0; nodes.len()],
        };
        graph.add_registers(nodes);
        graph.add_memory(nodes);
        graph.add_checks(nodes);
        for at in (0..nodes.len()).rev() {
            let own = latency(&nodes[at]);
            let ways = graph.successors[at].iter();
            let longest = ways
                .map(|&(next, cycles)| cycles + graph.height[next as usize])
                .max();
            graph.height[at] = longest.unwrap_or(own.min(4));
        }
        graph
    }

    fn add(&mut self, from: usize, to: usize, cycles: u32) {
        if from != to {
            self.successors[from].push((to as u32, cycles));
            self.before[to] += 1;
        }
    }

    fn add_registers(&mut self, nodes: &[Node]) {
        let mut writer: FxHashMap<Value, usize> = FxHashMap::default();
        let mut readers: FxHashMap<Value, Vec<usize>> = FxHashMap::default();
        for (at, node) in nodes.iter().enumerate() {
            for value in &node.uses {
                if let Some(&from) = writer.get(value) {
                    self.add(from, at, latency(&nodes[from]));
                }
                readers.entry(*value).or_default().push(at);
            }
            for value in &node.defs {
                if let Some(from) = writer.insert(*value, at) {
                    self.add(from, at, 1);
                }
                for from in readers.remove(value).unwrap_or_default() {
                    self.add(from, at, 0);
                }
            }
        }
    }

    /// Nothing moves across a branch.
    fn add_checks(&mut self, nodes: &[Node]) {
        let mut first = 0;
        let mut check: Option<usize> = None;
        for (at, node) in nodes.iter().enumerate() {
            if node.class == Some(Class::Check) {
                for before in first..at {
                    self.add(before, at, 0);
                }
                first = at;
                check = Some(at);
            } else if let Some(check) = check {
                self.add(check, at, 0);
            }
        }
    }

    /// Stores stay in order; a load goes after the stores before it that may touch its bytes, and
    /// before those that come later.
    fn add_memory(&mut self, nodes: &[Node]) {
        let mut stores: Vec<(usize, Touch)> = Vec::new();
        let mut loads: VecDeque<(usize, Touch)> = VecDeque::new();
        // Loads that any later store goes after.
        let mut old: Vec<usize> = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            let Some(touch) = node.memory else {
                continue;
            };
            let after = stores.iter().rev().take(STORES);
            let mut meets = after.clone().filter(|(_, store)| may_meet(store, &touch));
            let beyond = stores.len() > STORES && !touch.read_only;
            let oldest = beyond.then(|| stores[stores.len() - 1 - STORES].0);
            if let Some(from) = meets.next().map(|&(from, _)| from).or(oldest) {
                self.add(from, at, 1);
            }
            if touch.stores {
                if let Some(&(from, _)) = stores.last() {
                    self.add(from, at, 0);
                }
                loads.retain(|&(from, load)| {
                    let meets = may_meet(&touch, &load);
                    if meets {
                        self.add(from, at, 0);
                    }
                    !meets
                });
                for from in old.drain(..) {
                    self.add(from, at, 0);
                }
                stores.push((at, touch));
            } else {
                loads.push_back((at, touch));
                if loads.len() > LOADS {
                    old.extend(loads.pop_front().map(|(from, _)| from));
                }
            }
        }
    }
}

/// Whether two accesses may touch the same bytes.
fn may_meet(a: &Touch, b: &Touch) -> bool {
    let generic = a.space == Space::Generic || b.space == Space::Generic;
    if a.read_only || b.read_only || !(generic || a.space == b.space) {
        return false;
    }
    let apart =
        a.offset + i64::from(a.bytes) <= b.offset || b.offset + i64::from(b.bytes) <= a.offset;
    !(a.base == b.base && apart)
}

struct Scheduler<'n> {
    nodes: &'n [Node],
    graph: &'n Graph,
    predicates: &'n [bool],
    limit: u32,
    before: Vec<u32>,
    ready_at: Vec<u32>,
    /// Reads of each value that are still to come, and whether it lives on behind the segment.
    reads: FxHashMap<Value, (u32, bool)>,
    live: FxHashMap<Value, ()>,
    registers: u32,
    /// Instructions whose predecessors have been issued: operands ready, by height; and not yet.
    ready: BTreeSet<(Reverse<u32>, u32)>,
    waiting: BTreeSet<(u32, u32)>,
    /// All of those, in the order of the source.
    open: BTreeSet<u32>,
}

impl<'n> Scheduler<'n> {
    fn new(nodes: &'n [Node], graph: &'n Graph, held: &Held<'n>, limit: u32) -> Scheduler<'n> {
        let predicates = held.predicates;
        let mut scheduler = Scheduler {
            nodes,
            graph,
            predicates,
            limit,
            before: graph.before.clone(),
            ready_at: vec![0; nodes.len()],
            reads: FxHashMap::default(),
            live: FxHashMap::default(),
            registers: held.registers,
            ready: BTreeSet::new(),
            waiting: BTreeSet::new(),
            open: BTreeSet::new(),
        };
        scheduler.count_reads(held);
        for at in 0..nodes.len() as u32 {
            if scheduler.before[at as usize] == 0 {
                scheduler.release(at, 0);
            }
        }
        scheduler
    }

    /// Counts reads, and the registers that are live in front of the segment.
    fn count_reads(&mut self, held: &Held<'_>) {
        let mut written: FxHashMap<Value, ()> = FxHashMap::default();
        let mut in_front: FxHashMap<Value, ()> = FxHashMap::default();
        let mut behind = held.registers;
        for node in self.nodes {
            for &value in &node.uses {
                let lives_on = held.contains(value);
                self.reads.entry(value).or_insert((0, lives_on)).0 += 1;
                if !written.contains_key(&value) {
                    in_front.insert(value, ());
                }
            }
            for &value in &node.defs {
                let lives_on = held.contains(value);
                self.reads.entry(value).or_insert((0, lives_on));
                let new = written.insert(value, ()).is_none();
                let passes = in_front.contains_key(&value) || node.guarded;
                // What lives on and begins here is not in front.
                if new && lives_on && !passes && !self.predicates[value as usize] {
                    behind -= 1;
                }
            }
        }
        self.registers = behind;
        for &value in in_front.keys() {
            self.live.insert(value, ());
            let lives_on = self.reads.get(&value).is_some_and(|&(_, on)| on);
            self.registers += u32::from(!lives_on && !self.predicates[value as usize]);
        }
    }

    fn release(&mut self, at: u32, now: u32) {
        self.open.insert(at);
        let ready_at = self.ready_at[at as usize];
        if ready_at <= now {
            self.ready
                .insert((Reverse(self.graph.height[at as usize]), at));
        } else {
            self.waiting.insert((ready_at, at));
        }
    }

    fn run(&mut self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let last = (self.nodes.len() as u32).saturating_sub(1);
        let ends = self.nodes.last().is_some_and(|node| node.last);
        let mut now = 0;
        while order.len() < self.nodes.len() {
            while let Some(&(ready_at, at)) = self.waiting.first() {
                if ready_at > now && !self.ready.is_empty() {
                    break;
                }
                now = now.max(ready_at);
                self.waiting.pop_first();
                self.ready
                    .insert((Reverse(self.graph.height[at as usize]), at));
            }
            let Some(at) = self.pick(ends.then_some(last)) else {
                break;
            };
            let issued = self.take(at, now);
            order.push(at);
            now = issued + u32::from(self.nodes[at as usize].class.is_some());
        }
        order
    }

    /// The next instruction; `end` goes last.
    fn pick(&self, end: Option<u32>) -> Option<u32> {
        let best = self
            .ready
            .iter()
            .map(|&(_, at)| at)
            .find(|&at| Some(at) != end);
        let best = match best {
            Some(best) => best,
            None if self.waiting.is_empty() => return end,
            None => self.waiting.first()?.1,
        };
        let growth = self.growth(best);
        if growth <= 0 || self.registers as i32 + growth <= self.limit as i32 {
            return Some(best);
        }
        let near = self.open.iter().copied().filter(|&at| Some(at) != end);
        near.take(WINDOW).min_by_key(|&at| (self.growth(at), at))
    }

    /// Registers that are live after an instruction, less those before it.
    fn growth(&self, at: u32) -> i32 {
        let node = &self.nodes[at as usize];
        let mut growth = 0;
        for (n, &value) in node.uses.iter().enumerate() {
            let repeated = node.uses[..n].contains(&value);
            if self.predicates[value as usize] || repeated || node.defs.contains(&value) {
                continue;
            }
            let same = node.uses.iter().filter(|&&other| other == value).count() as u32;
            growth -= i32::from(self.reads.get(&value) == Some(&(same, false)));
        }
        for &value in &node.defs {
            let new = !self.live.contains_key(&value);
            let read = self
                .reads
                .get(&value)
                .is_some_and(|&(reads, on)| reads > 0 || on);
            growth += i32::from(new && read && !self.predicates[value as usize]);
        }
        growth
    }

    /// Issues an instruction; the cycle in which its operands are there.
    fn take(&mut self, at: u32, now: u32) -> u32 {
        let height = self.graph.height[at as usize];
        let issued = self.ready_at[at as usize].max(now);
        self.ready.remove(&(Reverse(height), at));
        self.waiting.remove(&(self.ready_at[at as usize], at));
        self.open.remove(&at);
        let growth = self.growth(at);
        self.registers = self.registers.saturating_add_signed(growth);
        let node = &self.nodes[at as usize];
        for value in &node.uses {
            if let Some((reads, lives_on)) = self.reads.get_mut(value) {
                *reads = reads.saturating_sub(1);
                if *reads == 0 && !*lives_on {
                    self.live.remove(value);
                }
            }
        }
        for &value in &node.defs {
            let read = self
                .reads
                .get(&value)
                .is_some_and(|&(reads, on)| reads > 0 || on);
            if read {
                self.live.insert(value, ());
            }
        }
        for &(next, cycles) in &self.graph.successors[at as usize] {
            let next_at = &mut self.ready_at[next as usize];
            *next_at = (*next_at).max(issued + cycles);
            self.before[next as usize] -= 1;
            if self.before[next as usize] == 0 {
                self.release(next, now);
            }
        }
        issued
    }
}
