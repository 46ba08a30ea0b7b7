//! The reference: one thread at a time, with its own registers and memory. Only what threads do
//! together takes them to the same statement first.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use super::atomics::{ATOMICS, SHARED, SHARED_WORDS};
use super::ops::Ops;
use super::print::{self, INPUT_BYTES, RESULT_BYTES};
use super::program::{
    Access, Action, Call, Callee, Class, FUEL, Guard, Op, Program, REGION_BYTES, Reg, Space, Src,
    Stmt, Together, Way,
};

/// Instructions that a thread may execute; programs with more are thrown away.
const STEP_LIMIT: usize = 4000;

/// What a thread did.
pub struct Executed {
    /// What it left in the output buffer.
    pub output: Vec<u8>,
    /// Instructions.
    pub count: u64,
    /// Those whose guard was false.
    pub guarded_off: u64,
    /// Its reductions on the memory of all: which, on which word, with what.
    pub reductions: Vec<(usize, usize, u64)>,
}

type Region = [u8; REGION_BYTES];

#[derive(Clone)]
struct Frame {
    registers: [[u64; 8]; 4],
    local: Region,
    fuel: u32,
    carry: bool,
}

enum Flow {
    Next,
    Break,
    Continue,
    Exit,
    Return(u64),
    TooLong,
}

/// Instructions of a warp, each with where it was executed.
pub type Issues = HashSet<u64, Hasher>;

struct Thread<'a> {
    ops: &'a Ops,
    program: &'a Program,
    frame: Frame,
    global: Region,
    shared: Region,
    exited: bool,
    count: usize,
    guarded_off: usize,
    reductions: Vec<(usize, usize, u64)>,
    /// Where it is: which round of which loop, in which call.
    context: u64,
    /// Of its warp; nothing if nobody wants to know.
    issues: Option<Rc<RefCell<Issues>>>,
}

/// The keys are hashes already.
#[derive(Clone, Copy, Default)]
pub struct Hasher(u64);

impl std::hash::Hasher for Hasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

impl std::hash::BuildHasher for Hasher {
    type Hasher = Hasher;

    fn build_hasher(&self) -> Hasher {
        Hasher(0)
    }
}

fn mix(a: u64, b: u64) -> u64 {
    (a.rotate_left(23) ^ b).wrapping_mul(0x9fb2_1c65_1e98_df25) ^ a >> 31
}

/// Executes a block on its threads' inputs; nothing if that takes too long. Also tells how many
/// different instructions each warp's threads executed, if the program is structured.
pub fn execute(
    ops: &Ops,
    program: &Program,
    inputs: &[&[u8]],
) -> Option<(Vec<Executed>, Vec<u64>)> {
    let warp = program.warp as usize;
    let mut warps: Vec<Rc<RefCell<Issues>>> = Vec::new();
    let mut threads: Vec<Thread<'_>> = Vec::new();
    for (n, input) in inputs.iter().enumerate() {
        if n % warp == 0 {
            warps.push(Rc::default());
        }
        let issues = warps.last().filter(|_| program.structured()).cloned();
        threads.push(Thread::new(ops, program, input, issues));
    }
    let mut mailbox = vec![0; threads.len()];
    for stmt in &program.kernel {
        if let Stmt::Together(together) = stmt {
            act_together(together, &mut threads, warp, &mut mailbox);
            continue;
        }
        for thread in threads.iter_mut().filter(|thread| !thread.exited) {
            match thread.top_level(stmt) {
                Flow::Exit => thread.exited = true,
                Flow::TooLong => return None,
                _ => {}
            }
        }
    }
    let executed = threads.into_iter().map(Thread::finish).collect();
    let issues = warps.iter().map(|issues| issues.borrow().len() as u64);
    Some((executed, issues.collect()))
}

/// The memory of all threads, as their reductions leave it.
pub fn reduced(threads: &[Executed]) -> Vec<u32> {
    let mut words = vec![0; SHARED.len() * SHARED_WORDS];
    for &(number, word, value) in threads.iter().flat_map(|thread| &thread.reductions) {
        let place = &mut words[number * SHARED_WORDS + word];
        *place = (SHARED[number].1)(*place, value);
    }
    words.into_iter().map(|word| word as u32).collect()
}

/// Carries out what the threads that have not exited do together.
fn act_together(together: &Together, threads: &mut [Thread<'_>], warp: usize, mailbox: &mut [u64]) {
    let size = threads.len();
    let lines = print::together_lines(together, size as u32).len();
    for thread in threads.iter_mut().filter(|thread| !thread.exited) {
        thread.issue(together, 0, lines);
    }
    if let Together::Exchange {
        value,
        result,
        multiplier,
        offset,
    } = *together
    {
        for (thread, word) in threads.iter().zip(mailbox.iter_mut()) {
            if !thread.exited {
                *word = thread.frame.get(value);
            }
        }
        for (n, thread) in threads.iter_mut().enumerate() {
            let from = (n * multiplier as usize + offset as usize) % size;
            thread.set_alive(result, mailbox[from]);
        }
        return;
    }
    for lanes in threads.chunks_mut(warp) {
        let get = |reg: Reg| -> Vec<Option<u64>> {
            let lanes = lanes.iter();
            let values = lanes.map(|lane| (!lane.exited).then(|| lane.frame.get(reg)));
            values.collect()
        };
        let mask = |values: &[Option<u64>], wanted: u64| {
            let equal = values
                .iter()
                .enumerate()
                .filter(|(_, v)| **v == Some(wanted));
            equal.fold(0u64, |mask, (lane, _)| mask | 1 << lane)
        };
        match *together {
            Together::Exchange { .. } => {}
            Together::Ballot { predicate, result } => {
                let ballot = mask(&get(predicate), 1);
                lanes
                    .iter_mut()
                    .for_each(|lane| lane.set_alive(result, ballot));
            }
            Together::Sum { value, result } => {
                let sum = get(value).iter().flatten().sum::<u64>();
                lanes
                    .iter_mut()
                    .for_each(|lane| lane.set_alive(result, sum));
            }
            Together::Match { value, result } => {
                let values = get(value);
                for lane in lanes.iter_mut() {
                    let own = lane.frame.get(value);
                    lane.set_alive(result, mask(&values, own));
                }
            }
            Together::Shuffle {
                value,
                lane,
                result,
            } => {
                let values = get(value);
                for thread in lanes.iter_mut() {
                    let from = thread.frame.get(lane) as usize % 32;
                    thread.set_alive(result, values[from].unwrap_or_default());
                }
            }
            Together::Down {
                value,
                distance,
                result,
                predicate,
            } => {
                let values = get(value);
                for (n, lane) in lanes.iter_mut().enumerate() {
                    let from = n + distance as usize;
                    let there = from < 32;
                    let from = if there { from } else { n };
                    lane.set_alive(result, values[from].unwrap_or_default());
                    lane.set_alive(predicate, there.into());
                }
            }
        }
    }
}

impl Frame {
    fn new(fuel: u32) -> Frame {
        Frame {
            registers: [[0; 8]; 4],
            local: [0; REGION_BYTES],
            fuel,
            carry: false,
        }
    }

    fn get(&self, reg: Reg) -> u64 {
        self.registers[reg.class as usize][reg.number]
    }

    fn set(&mut self, reg: Reg, value: u64) {
        let kept = u64::MAX >> (64 - reg.class.bits());
        self.registers[reg.class as usize][reg.number] = value & kept;
    }

    fn holds(&self, guard: Guard) -> bool {
        (self.registers[Class::P as usize][guard.number] == 1) != guard.negated
    }

    fn word(&self, number: usize) -> u64 {
        self.registers[Class::W as usize][number]
    }
}

fn read(bytes: &[u8], at: usize, width: usize) -> u64 {
    let mut raw = [0; 8];
    raw[..width].copy_from_slice(&bytes[at..at + width]);
    u64::from_le_bytes(raw)
}

impl<'a> Thread<'a> {
    /// At the kernel's first statement.
    fn new(
        ops: &'a Ops,
        program: &'a Program,
        input: &[u8],
        issues: Option<Rc<RefCell<Issues>>>,
    ) -> Thread<'a> {
        assert_eq!(input.len(), INPUT_BYTES);
        let mut frame = Frame::new(FUEL);
        let longs = 8 * Class::D.count();
        for n in 0..Class::D.count() {
            frame.registers[Class::D as usize][n] = read(input, 8 * n, 8);
        }
        for n in 0..Class::W.count() {
            frame.registers[Class::W as usize][n] = read(input, longs + 4 * n, 4);
        }
        for n in 0..4 {
            frame.registers[Class::H as usize][n] = read(input, longs + 4 * n + 2, 2);
            frame.registers[Class::P as usize][n] = frame.word(n + 4) & 1;
        }
        let mut thread = Thread {
            ops,
            program,
            frame,
            global: [0; REGION_BYTES],
            shared: [0; REGION_BYTES],
            exited: false,
            count: 0,
            guarded_off: 0,
            reductions: Vec::new(),
            context: 0,
            issues,
        };
        thread.issue(&program.kernel, 0, print::kernel_entry());
        thread
    }

    fn set_alive(&mut self, reg: Reg, value: u64) {
        if !self.exited {
            self.frame.set(reg, value);
        }
    }

    /// A statement of the kernel.
    fn top_level(&mut self, stmt: &Stmt) -> Flow {
        let mut frame = self.frame.clone();
        let flow = match self.count > STEP_LIMIT {
            true => Flow::TooLong,
            false => self.statement(stmt, &mut frame),
        };
        self.frame = frame;
        flow
    }

    /// What the thread leaves: registers from the end of their part of the output down, then
    /// memory.
    fn finish(mut self) -> Executed {
        let mut output = vec![0; RESULT_BYTES];
        output[96..96 + REGION_BYTES].copy_from_slice(&self.global);
        if !self.exited {
            let program = self.program;
            self.issue(&program.kernel, 1, print::kernel_end());
            let frame = &self.frame;
            let mut at = 96;
            for (class, width) in [(Class::D, 8), (Class::W, 4), (Class::H, 2)] {
                for n in 0..class.count() {
                    at -= width;
                    let raw = frame.registers[class as usize][n].to_le_bytes();
                    output[at..at + width].copy_from_slice(&raw[..width]);
                }
            }
            let flags = frame.registers[Class::P as usize];
            let word = (0..4).fold(0, |word, n| word | (flags[n] as u32) << n);
            self.guarded_off += 4 - word.count_ones() as usize;
            output[at - 4..at].copy_from_slice(&word.to_le_bytes());
            output[96 + REGION_BYTES..][..REGION_BYTES].copy_from_slice(&self.shared);
            output[96 + 2 * REGION_BYTES..][..REGION_BYTES].copy_from_slice(&frame.local);
        }
        Executed {
            output,
            count: self.count as u64,
            guarded_off: self.guarded_off as u64,
            reductions: self.reductions,
        }
    }

    /// Counts `n` instructions of something that is at the same address throughout a run.
    fn issue<T: ?Sized>(&mut self, what: &T, part: u64, n: usize) {
        self.count += n;
        if let Some(issues) = &self.issues {
            let mut issues = issues.borrow_mut();
            let place = std::ptr::from_ref(what).cast::<()>().addr() as u64;
            let place = mix(mix(self.context, place), part);
            issues.extend((0..n).map(|i| mix(place, i as u64)));
        }
    }

    fn within<R>(&mut self, inner: u64, run: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.context;
        self.context = mix(outer, inner);
        let result = run(self);
        self.context = outer;
        result
    }

    fn body(&mut self, body: &[Stmt], frame: &mut Frame) -> Flow {
        for stmt in body {
            if self.count > STEP_LIMIT {
                return Flow::TooLong;
            }
            match self.statement(stmt, frame) {
                Flow::Next => {}
                flow => return flow,
            }
        }
        Flow::Next
    }

    /// Whether an instruction with this guard is executed; counts those that are not.
    fn allowed(&mut self, guard: Option<Guard>, frame: &Frame) -> bool {
        let allowed = guard.is_none_or(|guard| frame.holds(guard));
        self.guarded_off += usize::from(!allowed);
        allowed
    }

    fn op(&mut self, guard: Option<Guard>, op: &Op, frame: &mut Frame) {
        self.issue(op, 0, 1);
        if !self.allowed(guard, frame) {
            return;
        }
        let def = &self.ops.list[op.number];
        let sources: Vec<u64> = op
            .src
            .iter()
            .map(|src| match src {
                Src::Reg(reg) => frame.get(*reg),
                Src::Not(reg) => frame.get(*reg) ^ 1,
                Src::Imm(bits) => *bits,
            })
            .collect();
        let results = (def.eval)(&sources, &mut frame.carry);
        for (dst, value) in op.dst.iter().zip(results) {
            if let Some(reg) = dst {
                frame.set(*reg, value);
            }
        }
    }

    fn statement(&mut self, stmt: &Stmt, frame: &mut Frame) -> Flow {
        match stmt {
            Stmt::Op(guard, op) => self.op(*guard, op, frame),
            Stmt::Chain(guard, ops) => ops.iter().for_each(|op| self.op(*guard, op, frame)),
            Stmt::Access(access) => self.access(access, frame),
            Stmt::Reduce {
                guard,
                number,
                index,
                value,
            } => {
                self.issue(stmt, 0, 4);
                if self.allowed(*guard, frame) {
                    let word = frame.get(*index) as usize % SHARED_WORDS;
                    self.reductions.push((*number, word, frame.get(*value)));
                }
            }
            Stmt::If { guard, then, other } => {
                self.issue(stmt, 0, 1);
                if !frame.holds(*guard) {
                    return self.body(other, frame);
                }
                self.guarded_off += 1;
                let flow = self.body(then, frame);
                if matches!(flow, Flow::Next) && !other.is_empty() {
                    self.issue(stmt, 1, 1);
                }
                return flow;
            }
            Stmt::Loop {
                trips, mask, body, ..
            } => {
                self.issue(stmt, 0, 3);
                let rounds = frame.get(*trips) & mask;
                self.guarded_off += usize::from(rounds != 0);
                for left in (0..rounds).rev() {
                    // Rounds count from the first, so that lanes go round together.
                    let round = rounds - left;
                    let flow = self.within(round, |thread| {
                        let flow = thread.body(body, frame);
                        if matches!(flow, Flow::Next | Flow::Continue) {
                            thread.issue(stmt, 1, 3);
                            thread.guarded_off += usize::from(left == 0);
                        }
                        flow
                    });
                    match flow {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        flow => return flow,
                    }
                }
            }
            Stmt::Break(guard) => {
                self.issue(stmt, 0, 1);
                if self.allowed(Some(*guard), frame) {
                    return Flow::Break;
                }
            }
            Stmt::Continue(guard) => {
                self.issue(stmt, 0, 1);
                if self.allowed(Some(*guard), frame) {
                    return Flow::Continue;
                }
            }
            Stmt::Switch {
                index,
                targets,
                arms,
            } => {
                self.issue(stmt, 0, 2);
                let first = targets[frame.get(*index) as usize % targets.len()];
                for (n, (arm, runs_on)) in arms.iter().enumerate().skip(first) {
                    match self.body(arm, frame) {
                        Flow::Next => {}
                        flow => return flow,
                    }
                    if !runs_on {
                        self.issue(stmt, 1 + n as u64, 1);
                        break;
                    }
                }
            }
            Stmt::Exit(guard) => {
                self.issue(stmt, 0, 1);
                if self.allowed(Some(*guard), frame) {
                    return Flow::Exit;
                }
            }
            Stmt::Return(guard) => {
                self.issue(stmt, 0, 2);
                if self.allowed(Some(*guard), frame) {
                    return Flow::Return(frame.word(0));
                }
            }
            Stmt::Call(call) => return self.call(call, frame),
            Stmt::Together(_) => unreachable!("at the top level only"),
        }
        Flow::Next
    }

    fn call(&mut self, call: &Call, frame: &mut Frame) -> Flow {
        let functions = &self.program.functions;
        if functions.is_empty() {
            return Flow::Next;
        }
        self.issue(call, 0, 2);
        if frame.fuel == 0 {
            return Flow::Next;
        }
        self.guarded_off += 1;
        // The fuel, three parameters, the call and the result; and the look-up of an address.
        let (callee, look_up) = match call.callee {
            Callee::Direct(n) => (n % functions.len(), 0),
            Callee::Table(index) => (frame.get(index) as usize % functions.len(), 4),
        };
        self.issue(call, 1, 5 + look_up);
        let mut inner = Frame::new(frame.fuel - 1);
        let (word, long) = (frame.get(call.word), frame.get(call.long));
        let words = (0..8).map(|n: u64| (word + n * 0x9e37_79b9) & 0xffff_ffff);
        inner.registers[Class::W as usize] =
            std::array::from_fn(|n| words.clone().nth(n).unwrap_or_default());
        for n in 0..Class::D.count() {
            inner.registers[Class::D as usize][n] = long.wrapping_mul(n as u64 + 1);
        }
        for n in 0..4 {
            inner.registers[Class::H as usize][n] = inner.word(n + 1) & 0xffff;
            inner.registers[Class::P as usize][n] = inner.word(n + 2) >> 31;
        }
        for at in (0..REGION_BYTES).step_by(16) {
            inner.local[at..at + 8].copy_from_slice(&long.to_le_bytes());
            let twice = long.wrapping_mul(2);
            inner.local[at + 8..at + 16].copy_from_slice(&twice.to_le_bytes());
        }
        let body = &functions[callee];
        let place = std::ptr::from_ref(call).addr() as u64;
        let flow = self.within(place, |thread| {
            thread.issue(body, 0, print::function_entry());
            let flow = thread.body(body, &mut inner);
            if matches!(flow, Flow::Next) {
                thread.issue(body, 1, print::FUNCTION_END);
            }
            flow
        });
        match flow {
            Flow::Next => frame.set(call.result, inner.word(0)),
            Flow::Return(value) => frame.set(call.result, value),
            Flow::Exit => return Flow::Exit,
            Flow::TooLong => return Flow::TooLong,
            Flow::Break | Flow::Continue => unreachable!("a loop of the function's own"),
        }
        self.issue(call, 2, 1);
        Flow::Next
    }

    fn access(&mut self, access: &Access, frame: &mut Frame) {
        self.issue(access, 0, access.lines());
        if !self.allowed(access.guard, frame) {
            return;
        }
        let index = match access.way {
            Way::Fixed => 0,
            _ => (frame.get(access.index) & access.mask()) as usize,
        };
        let at = index + access.offset;
        let space = match access.way {
            Way::Space(space) | Way::Generic(space) => space,
            Way::Narrow => Space::Shared,
            Way::Fixed => Space::Local,
            Way::Either(p, one, other) => match frame.registers[Class::P as usize][p] {
                1 => one,
                _ => other,
            },
        };
        let memory = match space {
            Space::Global => &mut self.global,
            Space::Shared => &mut self.shared,
            Space::Local => &mut frame.local,
        };
        let width = access.bytes;
        let mut loaded = Vec::new();
        match &access.action {
            Action::Load(regs) => {
                for (n, reg) in regs.iter().enumerate() {
                    let value = read(memory, at + n * width, width);
                    // Signed types extend, to whatever the register has.
                    let unused = 64 - 8 * width as u32;
                    let value = match access.ty.starts_with('s') {
                        true => ((value << unused) as i64 >> unused) as u64,
                        false => value,
                    };
                    loaded.extend(reg.map(|reg| (reg, value)));
                }
            }
            Action::Store(regs) => {
                for (n, reg) in regs.iter().enumerate() {
                    let raw = frame.registers[reg.class as usize][reg.number].to_le_bytes();
                    memory[at + n * width..][..width].copy_from_slice(&raw[..width]);
                }
            }
            Action::Atomic(number, result, b, c) => {
                let old = read(memory, at, width);
                let [b, c] = [b, c].map(|reg| frame.registers[reg.class as usize][reg.number]);
                let new = (ATOMICS[*number].new)(old, b, c).to_le_bytes();
                memory[at..at + width].copy_from_slice(&new[..width]);
                loaded.extend(result.map(|reg| (reg, old)));
            }
        }
        for (reg, value) in loaded {
            frame.set(reg, value);
        }
    }
}

impl Access {
    /// Instructions that it takes: the mask and the way to the address, and the access.
    fn lines(&self) -> usize {
        match self.way {
            Way::Fixed => 1,
            Way::Either(..) => 5,
            _ => 4,
        }
    }
}
