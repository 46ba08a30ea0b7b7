//! From machine instructions over values to the stream.

use smallvec::SmallVec;

use super::nodes::Piece;
use super::values::Value;
use crate::stream::{Reg, Segment, Stream, TimedInst};

/// Appends a function's pieces to the stream.
pub(super) fn emit(pieces: &[Piece], values: usize, stream: &mut Stream) {
    let registers = Registers::new(pieces, values, stream);
    for piece in pieces {
        let start = stream.insts.len() as u32;
        for node in &piece.nodes {
            let Some(class) = node.class else {
                continue;
            };
            stream.insts.push(TimedInst {
                class,
                source: node.source,
                leads: node.leads,
                accesses: node.accesses,
                uses: registers.of(&node.uses),
                defs: registers.of(&node.defs),
            });
        }
        stream.segments.push(Segment {
            source: piece.source.clone(),
            insts: start..stream.insts.len() as u32,
        });
    }
}

/// The numbers under which the scoreboard knows values. Values that are only ever written
/// together, as the halves of a 64-bit one, share a number.
struct Registers {
    number: Vec<Reg>,
}

impl Registers {
    fn new(pieces: &[Piece], values: usize, stream: &mut Stream) -> Registers {
        // Values that are written by the same instructions have the same hash of those.
        let mut writers = vec![0u64; values];
        let nodes = || pieces.iter().flat_map(|piece| &piece.nodes);
        for (at, node) in (1u64..).zip(nodes()) {
            for &value in &node.defs {
                let writer = &mut writers[value as usize];
                *writer = writer.rotate_left(5).wrapping_mul(31).wrapping_add(at);
            }
        }
        let mut number = vec![Reg::MAX; values];
        let mut give = |value: Value, first: Option<Value>, number: &mut Vec<Reg>| {
            if number[value as usize] != Reg::MAX {
                return;
            }
            let shared = first.filter(|&first| {
                number[first as usize] != Reg::MAX
                    && writers[first as usize] == writers[value as usize]
            });
            number[value as usize] = match shared {
                Some(first) => number[first as usize],
                None => {
                    stream.registers += 1;
                    stream.registers - 1
                }
            };
        };
        for node in nodes() {
            for &value in &node.defs {
                give(value, node.defs.first().copied(), &mut number);
            }
        }
        for node in nodes() {
            for &value in &node.uses {
                give(value, None, &mut number);
            }
        }
        Registers { number }
    }

    fn of<const N: usize>(&self, values: &[Value]) -> SmallVec<[Reg; N]>
    where
        [Reg; N]: smallvec::Array<Item = Reg>,
    {
        let mut found: SmallVec<[Reg; N]> = SmallVec::new();
        for &value in values {
            let number = self.number[value as usize];
            if !found.contains(&number) {
                found.push(number);
            }
        }
        found
    }
}
