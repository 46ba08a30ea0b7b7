//! Intervals, against hand-made ones and against the definition applied instruction by
//! instruction.

use super::*;
use crate::op::Op;
use crate::source::Origin;

/// An instruction that reads and writes registers by number.
fn inst(reads: &[u32], writes: &[u32], guard: Option<u32>) -> VInst {
    let mut inst = VInst::new(Op::Nop, Origin::default());
    inst.vector_src = reads.iter().map(|&reg| Src::Reg(VReg(reg))).collect();
    inst.vector_dst = writes.iter().map(|&reg| Some(VReg(reg))).collect();
    inst.guard = guard.map(|reg| (VReg(reg), false));
    inst
}

struct Code {
    insts: Vec<VInst>,
    blocks: Vec<Range<u32>>,
    cfg: Cfg,
    registers: usize,
}

impl Code {
    fn new(registers: usize) -> Code {
        Code {
            insts: Vec::new(),
            blocks: Vec::new(),
            cfg: Cfg::default(),
            registers,
        }
    }

    fn block(&mut self, insts: impl IntoIterator<Item = VInst>, successors: &[u32]) {
        let start = self.insts.len() as u32;
        self.insts.extend(insts);
        self.blocks.push(start..self.insts.len() as u32);
        self.cfg.successors.push(successors.to_vec());
        self.cfg.exits.push(successors.is_empty());
    }

    fn live(&self) -> Option<Live> {
        let classes = vec![RegClass::Lane32; self.registers];
        Live::new(&self.insts, &classes, &self.blocks, &self.cfg)
    }

    /// The same by the definition: a register lives before an instruction that reads it, and
    /// before one that does not surely write it where it lives after that one.
    fn by_definition(&self) -> (Vec<Option<(u32, u32)>>, Vec<u32>) {
        let count = self.insts.len();
        let mut after: Vec<Vec<u32>> = (0..count as u32).map(|i| vec![i + 1]).collect();
        for (block, successors) in self.blocks.iter().zip(&self.cfg.successors) {
            let first = |&next: &u32| self.blocks[next as usize].start;
            after[block.end as usize - 1] = successors.iter().map(first).collect();
        }
        let mut intervals = vec![None; self.registers];
        let mut entry = Vec::new();
        for reg in 0..self.registers as u32 {
            let touches = |list: fn(&VInst, &mut dyn FnMut(VReg)), inst: &VInst| {
                let mut found = false;
                list(inst, &mut |other| found |= other.0 == reg);
                found
            };
            let reads = |inst: &VInst| touches(|inst, each| uses(inst, each), inst);
            let writes = |inst: &VInst| touches(|inst, each| definitions(inst, each), inst);
            let mut before = vec![false; count];
            let lives_after =
                |before: &[bool], i: usize| after[i].iter().any(|&next| before[next as usize]);
            loop {
                let old = before.clone();
                for (i, inst) in self.insts.iter().enumerate() {
                    let kills = writes(inst) && inst.guard.is_none();
                    before[i] = reads(inst) || lives_after(&before, i) && !kills;
                }
                if before == old {
                    break;
                }
            }
            let positions = self.insts.iter().enumerate().flat_map(|(i, inst)| {
                let read = before[i].then_some(2 * i as u32);
                let written = writes(inst) || lives_after(&before, i);
                [read, written.then_some(2 * i as u32 + 1)]
            });
            let positions: Vec<u32> = positions.flatten().collect();
            let interval = positions.first().copied().zip(positions.last().copied());
            intervals[reg as usize] = interval;
            if before[0] {
                entry.push(reg);
            }
        }
        (intervals, entry)
    }
}

#[test]
fn a_value_lives_round_the_loop_that_reads_it() {
    // 0: r0, r1 = …    1: loop: r2 = r1; r1 = r2    2: … = r0
    let mut code = Code::new(3);
    code.block([inst(&[], &[0], None), inst(&[], &[1], None)], &[1]);
    code.block([inst(&[1], &[2], None), inst(&[2], &[1], None)], &[1, 2]);
    code.block([inst(&[0], &[], None)], &[]);
    let live = code.live().unwrap();
    // Positions 2 i and 2 i + 1; instruction 3 ends the loop, so r1 lives to its end.
    assert_eq!(live.intervals, [Some((1, 8)), Some((3, 7)), Some((5, 6))]);
    assert_eq!(live.entry, []);
}

#[test]
fn a_guarded_write_leaves_the_old_value_alive() {
    // r1 = … under r0; … = r1: both are read before they are surely written.
    let mut code = Code::new(2);
    code.block([inst(&[], &[1], Some(0)), inst(&[1], &[], None)], &[]);
    let live = code.live().unwrap();
    assert_eq!(live.intervals, [Some((0, 0)), Some((0, 2))]);
    assert_eq!(live.entry, [VReg(0), VReg(1)]);
}

#[test]
fn random_graphs_have_the_intervals_of_the_definition() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 32) * below) >> 32
    };
    for _ in 0..400 {
        let blocks = 1 + random(9);
        let mut code = Code::new(1 + random(6) as usize);
        let registers = code.registers as u64;
        for _ in 0..blocks {
            let insts: Vec<VInst> = (0..1 + random(4))
                .map(|_| {
                    let mut some = |most: u64| -> Vec<u32> {
                        let count = random(most + 1);
                        (0..count).map(|_| random(registers) as u32).collect()
                    };
                    let (reads, writes) = (some(2), some(1));
                    let guard = (random(4) == 0).then(|| random(registers) as u32);
                    inst(&reads, &writes, guard)
                })
                .collect();
            let mut successors: Vec<u32> = (0..random(3)).map(|_| random(blocks) as u32).collect();
            successors.sort_unstable();
            successors.dedup();
            code.block(insts, &successors);
        }
        let live = code.live().unwrap();
        let entry: Vec<u32> = live.at_entry().map(|reg| reg.0).collect();
        assert_eq!((live.intervals, entry), code.by_definition());
    }
}

/// Registers that the first block writes and the last reads, and blocks in a row.
fn ladder(registers: u32, blocks: u32) -> Code {
    let all: Vec<u32> = (0..registers).collect();
    let mut code = Code::new(registers as usize);
    code.block([inst(&[], &all, None)], &[1]);
    for block in 1..blocks {
        code.block([inst(&[], &[], None)], &[block + 1]);
    }
    code.block([inst(&all, &[], None)], &[]);
    code
}

#[test]
fn what_would_take_too_long_is_refused() {
    // 1000 registers across 20,000 blocks are 20 million steps: within 1024 a block.
    let live = ladder(1000, 20_000).live().unwrap();
    assert!(live.intervals.iter().all(|&i| i == Some((1, 40_000))));
    // 100,000 across 10,000 are 10⁹: more than 2²⁴ and than 1024 a block.
    assert!(ladder(100_000, 10_000).live().is_none());
    // Registers that live within blocks are no matter, however many.
    let mut code = Code::new(200_000);
    for block in 0..100_000 {
        let pair = [2 * block, 2 * block + 1];
        let next = if block + 1 < 100_000 {
            vec![block + 1]
        } else {
            Vec::new()
        };
        code.block([inst(&[], &pair, None), inst(&pair, &[], None)], &next);
    }
    assert!(code.live().is_some());
}
