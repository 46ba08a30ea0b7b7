//! From machine instructions over values to the stream.

use smallvec::SmallVec;

use super::code::Code;
use super::lines::Bank;
use super::nodes::Piece;
use super::registers::Registers;
use super::values::Value;
use crate::stream::{Counting, Reg, Segment, Stream, TimedInst};

/// Appends a function's pieces to the stream.
pub(super) fn emit(pieces: &[Piece], code: &Code<'_>, registers: &Registers, stream: &mut Stream) {
    let numbers = Numbers::new(pieces, code, registers, stream.registers);
    stream.registers += registers.count + registers.predicates;
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
                uses: numbers.of(&node.uses),
                defs: numbers.of(&node.defs),
                constant: node.constant.map(Bank::address),
                counting: Counting::Nothing,
            });
        }
        stream.segments.push(Segment {
            source: piece.source.clone(),
            insts: start..stream.insts.len() as u32,
        });
    }
}

/// The numbers under which the scoreboard knows values. Values that are only ever written
/// together, as the halves of a 64-bit one, share the first one's number.
struct Numbers {
    of_value: Vec<Reg>,
}

impl Numbers {
    fn new(pieces: &[Piece], code: &Code<'_>, registers: &Registers, base: Reg) -> Numbers {
        let own = |value: Value| {
            let register = registers.of_value[value as usize];
            match code.predicates[value as usize] {
                true => base + registers.count + register,
                false => base + register,
            }
        };
        let mut of_value: Vec<Reg> = (0..code.predicates.len() as Value).map(own).collect();
        // Values that are written by the same instructions have the same hash of those.
        let mut writers = vec![0u64; of_value.len()];
        let nodes = || pieces.iter().flat_map(|piece| &piece.nodes);
        for (at, node) in (1u64..).zip(nodes()) {
            for &value in &node.defs {
                let writer = &mut writers[value as usize];
                *writer = writer.rotate_left(5).wrapping_mul(31).wrapping_add(at);
            }
        }
        for node in nodes() {
            let Some((&first, others)) = node.defs.split_first() else {
                continue;
            };
            for &value in others {
                if writers[value as usize] == writers[first as usize] {
                    of_value[value as usize] = of_value[first as usize];
                }
            }
        }
        Numbers { of_value }
    }

    fn of<const N: usize>(&self, values: &[Value]) -> SmallVec<[Reg; N]>
    where
        [Reg; N]: smallvec::Array<Item = Reg>,
    {
        let mut found: SmallVec<[Reg; N]> = SmallVec::new();
        for &value in values {
            let number = self.of_value[value as usize];
            if !found.contains(&number) {
                found.push(number);
            }
        }
        found
    }
}
