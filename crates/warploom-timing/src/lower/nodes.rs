//! Machine instructions over values, before they have an order.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;
use warploom_isa::{Op, Pc, Space};

use super::code::Code;
use super::lines::{self, Bank, Half, Line, Work};
use super::recipe::{self, Recipe};
use super::values::Value;
use crate::stream::Class;

/// A machine instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    /// Nothing where it costs no issue and only gives its values a beginning.
    pub(super) class: Option<Class>,
    pub(super) source: Pc,
    pub(super) leads: bool,
    /// Accesses of neighbouring bytes that it makes at once.
    pub(super) accesses: u8,
    pub(super) uses: SmallVec<[Value; 4]>,
    pub(super) defs: SmallVec<[Value; 2]>,
    /// Lanes whose guard is false keep what its results held.
    pub(super) guarded: bool,
    /// What it accesses.
    pub(super) memory: Option<Touch>,
    /// What it reads from constant memory.
    pub(super) constant: Option<Bank>,
    /// Ends its segment.
    pub(super) last: bool,
    /// Does nothing but copy its operand.
    pub(super) copies: bool,
}

impl Node {
    /// Another machine instruction of the same source instruction, which does nothing by itself.
    fn part(&self) -> Node {
        Node {
            class: None,
            constant: None,
            source: self.source,
            leads: false,
            accesses: 1,
            uses: SmallVec::new(),
            defs: SmallVec::new(),
            guarded: false,
            memory: None,
            last: false,
            copies: false,
        }
    }
}

/// What an access touches, as far as order is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Touch {
    pub(super) space: Space,
    pub(super) stores: bool,
    /// Nobody stores there while the kernel runs.
    pub(super) read_only: bool,
    /// The address: a base, and the bytes from there on.
    pub(super) base: [Half; 2],
    pub(super) offset: i64,
    pub(super) bytes: u32,
}

/// A segment's machine instructions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) source: Range<Pc>,
    /// The block it lies in; none before the first.
    pub(super) block: Option<u32>,
    pub(super) nodes: Vec<Node>,
}

/// Turns the lines of a function into machine instructions, segment by segment. Taken as written,
/// each is one instruction that can name all constants.
pub(super) fn build(code: &mut Code<'_>, segments: Vec<Range<Pc>>, as_written: bool) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(segments.len());
    for source in segments {
        let block = code
            .blocks
            .partition_point(|block| block.start <= source.start);
        pieces.push(Piece {
            source,
            block: block.checked_sub(1).map(|block| block as u32),
            nodes: Vec::new(),
        });
    }
    let mut builder = Builder {
        code,
        pieces,
        loaded: FxHashMap::default(),
        as_written,
    };
    for block in 0..builder.code.ranges.len() {
        builder.block(block);
    }
    builder.pieces
}

struct Builder<'c, 'm> {
    code: &'c mut Code<'m>,
    pieces: Vec<Piece>,
    /// Constants that have been brought into a register, by the block where that was done.
    loaded: FxHashMap<(u32, Half), Value>,
    as_written: bool,
}

impl Builder<'_, '_> {
    fn block(&mut self, block: usize) {
        for at in self.code.ranges[block].clone() {
            let mut line = self.code.lines[at].clone();
            if line.work == Work::Gone {
                continue;
            }
            let piece = self
                .pieces
                .partition_point(|piece| piece.source.end <= line.pc);
            if !self.as_written {
                self.load_constants(&mut line, block as u32, piece);
            }
            let nodes = self.nodes(&line);
            if let Some(piece) = self.pieces.get_mut(piece) {
                piece.nodes.extend(nodes);
            }
        }
    }

    /// Brings constants into registers where the instruction cannot name them itself.
    fn load_constants(&mut self, line: &mut Line, block: u32, piece: usize) {
        let addressed = matches!(
            line.op,
            Op::Ld | Op::St | Op::Atom | Op::Red | Op::Prefetch | Op::Shfl | Op::Redux | Op::Match
        );
        let (op, pc) = (line.op, line.pc);
        // A place in constant memory is named rather than a number: the same number serves others.
        let banked = |pair: &lines::Pair| matches!(pair[0], Half::Bank(_));
        let named = match line.sources.iter().position(banked) {
            _ if addressed => None,
            Some(named) => Some(named),
            None => line
                .sources
                .iter()
                .rposition(|pair| pair.iter().any(|half| half.is_constant())),
        };
        let adds = line.sources.len() == 3;
        for (n, pair) in line.sources.iter_mut().enumerate() {
            // A number is an access's offset, a shuffle's distance, what is shifted by before an
            // addition.
            let own = match op {
                Op::ShlB32 => n == 1 && adds,
                Op::Ld | Op::St | Op::Atom | Op::Red | Op::Prefetch => n == 0,
                Op::Shfl | Op::Redux | Op::Match => n > 0,
                _ => false,
            };
            for half in pair {
                let number = matches!(half, Half::Number(_) | Half::Symbol(_));
                if half.is_constant() && Some(n) != named && !(own && number) {
                    *half = Half::Value(self.load(*half, block, piece, pc));
                }
            }
        }
    }

    /// A register that holds a constant: written in this block, or before the loop it is in.
    fn load(&mut self, half: Half, block: u32, piece: usize, pc: Pc) -> Value {
        let blocks = &self.code.blocks;
        let before = (0..block).rev().find(|&b| !blocks[b as usize].in_loop);
        let place = match before {
            Some(before) if blocks[block as usize].in_loop => before,
            _ => block,
        };
        if let Some(&value) = self.loaded.get(&(place, half)) {
            return value;
        }
        let value = self.code.fresh(false);
        self.loaded.insert((place, half), value);
        let class = match half {
            Half::Bank(_) => Class::Constant,
            _ => Class::Int32,
        };
        let (piece, source) = match place == block {
            true => (piece, pc),
            false => {
                let end = self.code.blocks[place as usize].end;
                let at = self.pieces.partition_point(|piece| piece.source.end < end);
                (at, end.saturating_sub(1))
            }
        };
        let node = Node {
            class: Some(class),
            source,
            leads: false,
            accesses: 1,
            uses: SmallVec::new(),
            defs: SmallVec::from_slice(&[value]),
            guarded: false,
            memory: None,
            constant: match half {
                Half::Bank(bank) => Some(bank),
                _ => None,
            },
            last: false,
            copies: false,
        };
        if let Some(piece) = self.pieces.get_mut(piece) {
            let at = match piece.nodes.last() {
                Some(last) if last.last => piece.nodes.len() - 1,
                _ => piece.nodes.len(),
            };
            piece.nodes.insert(at, node);
        }
        value
    }

    fn nodes(&mut self, line: &Line) -> Vec<Node> {
        let node = Node {
            class: None,
            source: line.pc,
            leads: true,
            accesses: line.accesses,
            uses: line.uses().collect(),
            defs: line.defs().collect(),
            guarded: line.guard.is_some(),
            memory: self.touch(line),
            constant: self.constant(line),
            last: matches!(
                line.op,
                Op::Bra
                    | Op::Brx
                    | Op::Call
                    | Op::CallIndirect
                    | Op::Ret
                    | Op::Exit
                    | Op::Trap
                    | Op::Brkpt
            ),
            copies: line.op == Op::MaskMov,
        };
        if line.work == Work::Free {
            return vec![node];
        }
        let recipe = recipe::of(self.code, line);
        if self.as_written {
            let class = Some(recipe.class());
            return vec![Node { class, ..node }];
        }
        match recipe {
            Recipe::Runs(runs) => self.runs(&node, runs),
            Recipe::Checked { runs, test } => {
                let mut nodes = self.runs(&node, runs);
                let tested = self.check(&node, test);
                nodes.extend(tested);
                nodes
            }
            Recipe::Halves { class, carry } => self.halves(line, &node, class, carry),
            Recipe::Moves => moves(line, &node),
        }
    }

    /// The first place in constant memory that a line reads.
    fn constant(&self, line: &Line) -> Option<Bank> {
        let banked = |half: &Half| match *half {
            Half::Bank(bank) => Some(bank),
            _ => None,
        };
        let parameter = || {
            let inst = self.code.module.code.get(line.pc as usize)?;
            (line.op == Op::LdParam).then_some(Bank::Param(inst.low))
        };
        line.sources
            .iter()
            .flatten()
            .find_map(banked)
            .or_else(parameter)
    }

    fn runs(&mut self, whole: &Node, runs: &[recipe::Run]) -> Vec<Node> {
        let mut left: u32 = runs.iter().map(|run| u32::from(run.count)).sum();
        let mut nodes = Vec::with_capacity(left as usize);
        let mut previous: Option<Value> = None;
        for run in runs {
            for _ in 0..run.count {
                left -= 1;
                let mut node = Node {
                    class: Some(run.class),
                    leads: left == 0,
                    ..whole.clone()
                };
                if let Some(previous) = previous.filter(|_| run.chained) {
                    if left > 0 {
                        node.uses.clear();
                    }
                    node.uses.push(previous);
                }
                if left > 0 {
                    let result = self.code.fresh(false);
                    node.defs = SmallVec::from_slice(&[result]);
                    node.guarded = false;
                    previous = Some(result);
                }
                nodes.push(node);
            }
        }
        nodes
    }

    /// What looks at a result, and the branch that depends on it.
    fn check(&mut self, whole: &Node, test: &[recipe::Run]) -> Vec<Node> {
        let mut uses = whole.defs.iter().copied().collect::<SmallVec<[Value; 4]>>();
        let mut nodes = Vec::new();
        for run in test {
            for _ in 0..run.count {
                let seen = self.code.fresh(true);
                nodes.push(Node {
                    class: Some(run.class),
                    uses,
                    defs: SmallVec::from_slice(&[seen]),
                    ..whole.part()
                });
                uses = SmallVec::from_slice(&[seen]);
            }
        }
        if nodes.is_empty() {
            // The operands were looked at meanwhile: the branch does not wait for the result.
            uses.clear();
        }
        nodes.push(Node {
            class: Some(Class::Check),
            uses,
            ..whole.part()
        });
        nodes
    }

    fn halves(&mut self, line: &Line, whole: &Node, class: Class, carry: bool) -> Vec<Node> {
        let result = line.results.first().copied().unwrap_or_default();
        let read = |half: Half| half.value().is_some_and(|v| self.code.uses[v as usize] > 0);
        let [low_read, high_read] = result.map(read);
        let carried = (carry && high_read).then(|| self.code.fresh(true));
        let mut nodes = Vec::with_capacity(2);
        for (n, wanted) in [(0, low_read || carried.is_some()), (1, high_read)] {
            if !wanted {
                continue;
            }
            let half = |pair: &lines::Pair| match pair[1] {
                // A predicate belongs to both halves.
                Half::None => pair[0].value(),
                _ => pair[n].value(),
            };
            let mut node = Node {
                class: Some(class),
                leads: false,
                uses: line
                    .sources
                    .iter()
                    .filter_map(half)
                    .chain(line.guard)
                    .collect(),
                defs: result[n].value().into_iter().collect(),
                ..whole.clone()
            };
            match n {
                0 => node.defs.extend(carried),
                _ => node.uses.extend(carried),
            }
            nodes.push(node);
        }
        // Predicates that are results as well: carries of a chain.
        let others = line.results.iter().skip(1).flatten();
        if let Some(last) = nodes.last_mut() {
            last.defs.extend(others.filter_map(|half| half.value()));
            last.leads = true;
        }
        nodes
    }

    fn touch(&self, line: &Line) -> Option<Touch> {
        if !line.is_memory() || line.work != Work::Done {
            return None;
        }
        let inst = self.code.inst(line)?;
        let access = lines::access(inst);
        let frame = matches!(line.op, Op::LdFrame | Op::StFrame);
        Some(Touch {
            space: if frame { Space::Local } else { access.space },
            stores: !matches!(line.op, Op::Ld | Op::LdFrame | Op::Prefetch),
            read_only: access.read_only,
            base: match line.sources.first() {
                Some(&base) if !frame => base,
                _ => [Half::None; 2],
            },
            offset: line.offset,
            bytes: access.bytes() * u32::from(line.accesses),
        })
    }
}

fn moves(line: &Line, whole: &Node) -> Vec<Node> {
    let sources = line
        .sources
        .iter()
        .flatten()
        .filter(|half| **half != Half::None);
    let mut nodes: Vec<Node> = sources
        .zip(line.defs())
        .map(|(source, result)| Node {
            class: Some(Class::Int32),
            leads: false,
            copies: source.value().is_some(),
            uses: source.value().into_iter().chain(line.guard).collect(),
            defs: SmallVec::from_slice(&[result]),
            ..whole.clone()
        })
        .collect();
    if let Some(last) = nodes.last_mut() {
        last.leads = true;
    }
    nodes
}
