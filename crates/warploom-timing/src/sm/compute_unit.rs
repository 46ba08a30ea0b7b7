//! A compute unit of AMD: waves written by hand, and the cycles in which their instructions issue.

use std::ops::Range;

use smallvec::SmallVec;
use warploom_device::Device;
use warploom_isa::{Pc, Space};
use warploom_machine::observe::MemoryAccess;
use warploom_machine::{AccessKind, Event, Events, Fault, Next, Step, Steps};

use super::{Dispatcher, Shared, Sm};
use crate::costs::Costs;
use crate::stream::{Class, Counting, Reg, Segment, Stream, TimedInst, WaitCounter};
use crate::tally::Tally;

/// An instruction of a wave.
#[derive(Clone)]
struct Inst {
    class: Class,
    uses: &'static [Reg],
    defs: &'static [Reg],
    counting: Counting,
    access: Option<(AccessKind, Space, u64)>,
}

/// One without an access.
fn plain(class: Class, uses: &'static [Reg], defs: &'static [Reg]) -> Inst {
    Inst {
        class,
        uses,
        defs,
        counting: Counting::Nothing,
        access: None,
    }
}

/// One of the vector unit.
fn vector() -> Inst {
    plain(Class::Fp32, &[], &[])
}

/// So many waves that leave the first SIMD alone, but for those of its own, 0, 4, 8 and so on.
fn others(waves: usize) -> Vec<Vec<Inst>> {
    vec![vec![vector()]; waves]
}

/// An access of all lanes to one word.
fn access(class: Class, kind: AccessKind, address: u64) -> Inst {
    let (space, counter) = match class {
        Class::SharedMemory => (Space::Shared, WaitCounter::Lgkm),
        Class::ScalarMemory => (Space::Global, WaitCounter::Lgkm),
        _ => (Space::Global, WaitCounter::Vector),
    };
    let in_order = class != Class::ScalarMemory;
    Inst {
        counting: Counting::Raises { counter, in_order },
        access: Some((kind, space, address)),
        ..plain(class, &[], &[])
    }
}

fn load(class: Class, address: u64) -> Inst {
    access(class, AccessKind::Load, address)
}

/// Waits until `vmcnt` and `lgkmcnt` are at most so high.
fn wait(vector: u8, lgkm: u8) -> Inst {
    Inst {
        counting: Counting::Waits([vector, lgkm, u8::MAX]),
        ..plain(Class::WaitCount, &[], &[])
    }
}

/// Any value of a counter.
const ANY: u8 = u8::MAX;

/// Waves whose instructions all execute.
struct Waves {
    waves: Vec<Vec<Inst>>,
    ran: Vec<bool>,
}

impl Waves {
    /// The program counters of a wave: those of all waves follow each other.
    fn range(&self, wave: usize) -> Range<Pc> {
        let lengths = self.waves.iter().map(|wave| wave.len() as Pc);
        let start = lengths.take(wave).sum();
        start..start + self.waves[wave].len() as Pc
    }

    fn stream(&self) -> Stream {
        let inst = |(pc, inst): (usize, &Inst)| TimedInst {
            class: inst.class,
            source: pc as Pc,
            leads: true,
            accesses: 1,
            uses: SmallVec::from_slice(inst.uses),
            defs: SmallVec::from_slice(inst.defs),
            constant: None,
            counting: inst.counting,
        };
        let segment = |wave| Segment {
            source: self.range(wave),
            insts: self.range(wave),
        };
        Stream {
            insts: self.waves.iter().flatten().enumerate().map(inst).collect(),
            segments: (0..self.waves.len()).map(segment).collect(),
            registers: 8,
            ..Stream::default()
        }
    }
}

impl Steps for Waves {
    fn enter(&mut self, _: usize, _: u64) {}

    fn next(&mut self, _: usize, wave: usize) -> Next {
        match self.ran[wave] {
            false => Next::At(self.range(wave).start),
            true => Next::Exited,
        }
    }

    fn step(
        &mut self,
        _: usize,
        wave: usize,
        events: &mut Events,
        _: &mut dyn FnMut(&[u8]),
    ) -> Step {
        self.ran[wave] = true;
        for (pc, inst) in self.range(wave).zip(&self.waves[wave]) {
            events.issued.push(Event {
                pc,
                active: !0,
                executing: !0,
            });
            if let Some((kind, space, address)) = inst.access {
                events.access(&MemoryAccess {
                    pc,
                    kind,
                    space,
                    bytes: 4,
                    lanes: !0,
                    addresses: &[address; 64],
                    idle: 0,
                });
            }
        }
        Step::Ran { released: false }
    }

    fn leave(&mut self, _: usize) {}

    fn deadlock(&mut self) -> Option<Box<Fault>> {
        None
    }

    fn blocks_done(&self) -> u64 {
        0
    }

    fn issued(&self) -> u64 {
        0
    }
}

/// An MI100 whose instructions are there at once.
fn mi100() -> Device {
    let mut device = Device::by_name("mi100").unwrap();
    let free = [
        ("timing.fetch.l1_cycles", "0"),
        ("timing.fetch.l2_cycles", "0"),
    ];
    device.set_all(free).unwrap();
    device
}

/// Runs the waves of one block, which go to the SIMDs in turn. Memory answers a request for a line after
/// so many cycles. Gives when each instruction of each wave issues.
fn issues(device: &Device, waves: &[Vec<Inst>], answer: impl Fn(u64) -> u64) -> Vec<Vec<u64>> {
    let mut waves = Waves {
        waves: waves.to_vec(),
        ran: vec![false; waves.len()],
    };
    let stream = waves.stream();
    let costs = Costs::new(device);
    let mut tally = Tally::new(stream.insts.len(), stream.insts.len());
    let mut blocks = Dispatcher {
        next: 0,
        blocks: 1,
        warps_per_block: waves.waves.len(),
        interval_cycles: 0.0,
        start_cycles: 0,
        free_at: 0.0,
    };
    let mut sm = Sm::new(device, 0, 1, Some(16 << 10));
    assert!(sm.admit(0, 0, &mut blocks), "the block fits");
    let mut out = Vec::new();
    while sm.next_at() != u64::MAX {
        let mut shared = Shared {
            device,
            costs: &costs,
            stream: &stream,
            steps: &mut waves,
            output: &mut |_| {},
            tally: &mut tally,
            trace: None,
        };
        let until = sm.next_at() + 1;
        assert!(sm.run(until, false, &mut shared, &mut out).is_ok());
        for sent in out.drain(..) {
            let request = sent.request;
            sm.expect(sent.token, request.issue_cycle + answer(request.line));
        }
    }
    assert!(!sm.is_busy(), "every wave exits");
    let at = |pc| {
        let mut found = tally.trace.iter().filter(|issued| issued.source == pc);
        found.next().expect("it issues").cycle
    };
    let waves = (0..waves.waves.len()).map(|wave| waves.range(wave).map(at).collect());
    waves.collect()
}

/// The same for a single wave, where memory takes 500 cycles.
fn alone(wave: &[Inst]) -> Vec<u64> {
    issues(&mi100(), &[wave.to_vec()], |_| 500).remove(0)
}

#[test]
fn simds_take_turns() {
    let found = issues(&mi100(), &vec![vec![vector(); 3]; 4], |_| 500);
    let expected = [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]];
    assert_eq!(found, expected);
}

/// Waves 0, 4, 8, 12 and 16 are on the first SIMD.
#[test]
fn five_waves_issue_to_five_types_of_units_in_one_cycle() {
    let mut waves = others(20);
    waves[0] = vec![vector()];
    waves[4] = vec![plain(Class::Uniform, &[], &[])];
    waves[8] = vec![load(Class::Memory, 0x1000)];
    waves[12] = vec![load(Class::SharedMemory, 0)];
    waves[16] = vec![plain(Class::Branch, &[], &[])];
    let found = issues(&mi100(), &waves, |_| 500);
    for wave in [0, 4, 8, 12, 16] {
        assert_eq!(found[wave], [0], "wave {wave}");
    }
}

/// Scalar loads go to the scalar unit.
#[test]
fn two_waves_do_not_share_a_type() {
    let scalar = || plain(Class::Uniform, &[], &[]);
    let types: [[Inst; 2]; 4] = [
        [vector(), vector()],
        [scalar(), load(Class::ScalarMemory, 0)],
        [load(Class::Memory, 0), load(Class::Memory, 0)],
        [load(Class::SharedMemory, 0), load(Class::SharedMemory, 0)],
    ];
    for [older, younger] in types {
        let mut waves = others(5);
        let what = older.class;
        waves[0] = vec![older];
        waves[4] = vec![younger];
        let found = issues(&mi100(), &waves, |_| 500);
        assert_eq!((found[0][0], found[4][0]), (0, 4), "{what:?}");
    }
}

/// The oldest ready wave is preferred, so that the other one comes when it is done.
#[test]
fn the_older_wave_goes_first() {
    let mut waves = others(5);
    waves[0] = vec![vector(); 3];
    waves[4] = vec![vector()];
    assert_eq!(issues(&mi100(), &waves, |_| 500)[4], [12]);
}

#[test]
fn a_wave_issues_once_in_a_turn() {
    let wave = [vector(), plain(Class::Uniform, &[], &[]), vector()];
    assert_eq!(alone(&wave), [0, 4, 8]);
}

/// A sum of floats can be used in the next turn, one of doubles in the one after that, a square root
/// after four turns.
#[test]
fn results_are_there_when_their_unit_is_done() {
    let chain = |class| {
        alone(&[
            plain(class, &[], &[1]),
            plain(class, &[1], &[1]),
            plain(class, &[1], &[]),
        ])
    };
    assert_eq!(chain(Class::Fp32), [0, 4, 8]);
    assert_eq!(chain(Class::Fp64), [0, 8, 16]);
    assert_eq!(chain(Class::Sfu), [0, 16, 32]);
}

/// A wait takes a turn of its wave, but no unit.
#[test]
fn a_wait_for_nothing_takes_a_turn() {
    assert_eq!(alone(&[wait(0, 0), vector()]), [0, 4]);
    let mut waves = others(5);
    waves[0] = vec![vector()];
    waves[4] = vec![wait(0, 0)];
    assert_eq!(issues(&mi100(), &waves, |_| 500)[4], [0]);
}

/// Shared memory answers in 48 cycles, and a cycle later for the second half of the wave.
#[test]
fn a_wait_ends_with_the_access() {
    let shared = || load(Class::SharedMemory, 0);
    let found = alone(&[shared(), wait(ANY, 0), vector()]);
    assert_eq!(found, [0, 52, 56]);
    // The second load issues in the turn after the first: 4 + 49.
    let found = alone(&[shared(), shared(), wait(ANY, 1), wait(ANY, 0)]);
    assert_eq!(found, [0, 4, 52, 56]);
    // Nobody waits for what it does not need.
    let found = alone(&[shared(), wait(0, ANY), vector()]);
    assert_eq!(found, [0, 4, 8]);
}

/// Loads leave the unit in the cycle after their issue, in cycles 1 and 5. The first is answered in cycle
/// 701, in the turn of 704; the second, answered long before, counts until then too.
#[test]
fn vector_loads_are_counted_down_in_order() {
    let loads = [load(Class::Memory, 0x1000), load(Class::Memory, 0x8000)];
    let [slow, quick] = loads.clone();
    let wave = vec![slow, quick, wait(1, ANY), wait(0, ANY), vector()];
    let answer = |line| if line == 0x1000 { 700 } else { 200 };
    let found = issues(&mi100(), &[wave], answer).remove(0);
    assert_eq!(found, [0, 4, 704, 708, 712]);
    let [slow, quick] = loads;
    let wave = vec![quick, slow, wait(1, ANY), wait(0, ANY)];
    let found = issues(&mi100(), &[wave], answer).remove(0);
    // 1 + 200 and 5 + 700.
    assert_eq!(found, [0, 4, 204, 708]);
}

/// The first line comes from the L2 in 264 cycles. After that, a load of another line is overtaken by one
/// of the line that is there, which takes 48.
#[test]
fn scalar_loads_are_counted_down_in_any_order() {
    let scalar = |address| load(Class::ScalarMemory, address);
    let wave = [
        scalar(0),
        wait(ANY, 0),
        scalar(1 << 16),
        scalar(0),
        wait(ANY, 1),
        wait(ANY, 0),
    ];
    let found = alone(&wave);
    assert_eq!(found, [0, 264, 268, 272, 272 + 48, 268 + 264]);
}

/// A store counts like a load until the L2 has it.
#[test]
fn stores_are_waited_for() {
    let store = access(Class::Memory, AccessKind::Store, 0x1000);
    let found = alone(&[store, wait(1, ANY), wait(0, ANY)]);
    assert_eq!(found, [0, 4, 504]);
}
