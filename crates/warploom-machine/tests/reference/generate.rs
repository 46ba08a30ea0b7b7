//! Random programs.

use super::atomics::{ATOMICS, SHARED};
use super::ops::Ops;
use super::program::{
    Access, Action, Call, Callee, Class, Guard, Kind, Op, Program, REGION_BYTES, Reg, Space, Src,
    Stmt, Together, Way,
};
use super::random::Random;

/// What a body may hold.
#[derive(Clone, Copy)]
struct Place {
    /// Nesting of branches.
    depth: usize,
    /// Loops around.
    loops: usize,
    in_function: bool,
}

struct Generator<'a> {
    ops: &'a Ops,
    random: Random,
    /// Whether there is control flow at all.
    branchy: bool,
    functions: usize,
    calls_left: usize,
    /// Threads may exit inside of branches, after which their warps need not meet again.
    exits: bool,
}

/// The program of a seed.
pub fn generate(ops: &Ops, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let branchy = random.chance(75);
    let functions = if branchy { random.below(3) } else { 0 };
    let blocks = 1 + random.below(2) as u32;
    let threads = random.pick(&[1, 7, 32, 33, 40, 64, 64, 96]);
    let together = random.chance(40);
    let warp = match random.chance(20) {
        true => random.pick(&[4, 8, 16, 64]),
        false => 32,
    };
    let mut generator = Generator {
        ops,
        random,
        branchy,
        functions,
        calls_left: 0,
        exits: !together,
    };
    let functions = (0..functions).map(|_| {
        generator.calls_left = 2;
        let length = 2 + generator.random.below(5);
        let place = Place {
            depth: 0,
            loops: 0,
            in_function: true,
        };
        generator.body(length, place)
    });
    let functions = functions.collect();
    generator.calls_left = 3;
    let length = 4 + generator.random.below(16);
    let place = Place {
        depth: 0,
        loops: 0,
        in_function: false,
    };
    let mut kernel = generator.body(length, place);
    if together {
        for _ in 0..1 + generator.random.below(3) {
            let at = generator.random.below(kernel.len() + 1);
            kernel.insert(at, Stmt::Together(generator.together(threads, warp)));
        }
        // All lanes are there for shuffles; for the others some may be gone.
        let shuffles = |stmt: &Stmt| {
            matches!(
                stmt,
                Stmt::Together(Together::Shuffle { .. } | Together::Down { .. })
            )
        };
        if !kernel.iter().any(shuffles) && generator.random.chance(40) {
            let guard = generator.guard();
            kernel.insert(generator.random.below(kernel.len()), Stmt::Exit(guard));
        }
    }
    Program {
        seed,
        blocks,
        threads,
        warp,
        kernel,
        functions,
    }
}

impl Generator<'_> {
    fn reg(&mut self, class: Class) -> Reg {
        Reg {
            class,
            number: self.random.below(class.count()),
        }
    }

    fn guard(&mut self) -> Guard {
        Guard {
            number: self.random.below(Class::P.count()),
            negated: self.random.chance(50),
        }
    }

    fn maybe_guard(&mut self) -> Option<Guard> {
        self.random.chance(20).then(|| self.guard())
    }

    fn body(&mut self, length: usize, place: Place) -> Vec<Stmt> {
        (0..length).map(|_| self.statement(place)).collect()
    }

    fn inner(&mut self, place: Place) -> Vec<Stmt> {
        let length = 1 + self.random.below(4);
        let depth = place.depth + 1;
        self.body(length, Place { depth, ..place })
    }

    fn statement(&mut self, place: Place) -> Stmt {
        if self.branchy && place.depth < 3 && self.random.chance(30) {
            return self.control(place);
        }
        match self.random.below(20) {
            0 => self.chain(),
            1..=4 => self.access(place),
            5 => Stmt::Reduce {
                guard: self.maybe_guard(),
                number: self.random.below(SHARED.len()),
                index: self.reg(Class::W),
                value: self.reg(Class::W),
            },
            _ => {
                let family = self.random.below(self.ops.families.len());
                let family = self.ops.families[family].clone();
                let number = family.start + self.random.below(family.len());
                Stmt::Op(self.maybe_guard(), self.op(number))
            }
        }
    }

    fn op(&mut self, number: usize) -> Op {
        let def = &self.ops.list[number];
        let mut dst: Vec<Option<Reg>> = Vec::new();
        for &class in &def.dst {
            let mut reg = self.reg(class);
            // Two destinations must not be the same register.
            while dst.contains(&Some(reg)) {
                reg = self.reg(class);
            }
            dst.push(Some(reg));
        }
        let src = def.src.iter().enumerate().map(|(n, &kind)| {
            let immediate = match kind {
                Kind::Byte => true,
                Kind::Pred => false,
                // Halves of a vector, and what is converted, are registers.
                _ => !(def.text.contains('{') || n == 0 && is_unary(&def.text)),
            };
            if kind == Kind::Byte || immediate && self.random.chance(15) {
                return Src::Imm(self.random.value(kind));
            }
            let reg = self.reg(kind.class());
            let combines = def.text.starts_with("set");
            match kind {
                Kind::Pred if combines && self.random.chance(30) => Src::Not(reg),
                _ => Src::Reg(reg),
            }
        });
        let src = src.collect();
        Op { number, dst, src }
    }

    fn chain(&mut self) -> Stmt {
        let width = self.random.below(2);
        let first = self.random.pick(&self.ops.carry_out[width]);
        let mut chain = vec![self.op(first)];
        for _ in 0..1 + self.random.below(3) {
            let next = self.random.pick(&self.ops.carry_in[width]);
            chain.push(self.op(next));
        }
        Stmt::Chain(self.maybe_guard(), chain)
    }

    fn access(&mut self, place: Place) -> Stmt {
        // Functions see their local memory only.
        let space = match place.in_function {
            true => Space::Local,
            false => self
                .random
                .pick(&[Space::Global, Space::Shared, Space::Local]),
        };
        let (p, space2) = (
            self.random.below(4),
            self.random.pick(&[Space::Global, Space::Local]),
        );
        let mut way = match (self.random.below(5), space) {
            (0, Space::Local) => Way::Fixed,
            (0, Space::Shared) => Way::Narrow,
            (1, _) => Way::Generic(space),
            (2, _) if !place.in_function => Way::Either(p, space, space2),
            _ => Way::Space(space),
        };
        let (ty, bytes, class) = self.random.pick(&[
            ("u8", 1, Class::W),
            ("s8", 1, Class::W),
            ("b8", 1, Class::H),
            ("u16", 2, Class::H),
            ("s16", 2, Class::W),
            ("u32", 4, Class::W),
            ("b32", 4, Class::W),
            ("f32", 4, Class::W),
            ("s32", 4, Class::D),
            ("s8", 1, Class::D),
            ("u64", 8, Class::D),
            ("b64", 8, Class::D),
        ]);
        let count = match self.random.below(3) {
            0 if bytes >= 4 => 16 / bytes,
            1 => 2,
            _ => 1,
        };
        let mut access = Access {
            guard: self.maybe_guard(),
            way,
            action: Action::Store((0..count).map(|_| self.reg(class)).collect()),
            ty,
            bytes,
            index: self.reg(Class::W),
            offset: 0,
        };
        let reaches_shared = |space: Space| space != Space::Local;
        let atomic = match way {
            Way::Space(space) | Way::Generic(space) => reaches_shared(space),
            Way::Narrow => true,
            Way::Either(_, one, other) => reaches_shared(one) && reaches_shared(other),
            Way::Fixed => false,
        };
        if atomic && self.random.chance(30) {
            let number = self.random.below(ATOMICS.len());
            let atomic = &ATOMICS[number];
            let class = if atomic.bits == 64 {
                Class::D
            } else {
                Class::W
            };
            let result = (!atomic.reduces || self.random.chance(60)).then(|| self.reg(class));
            access.action = Action::Atomic(number, result, self.reg(class), self.reg(class));
            access.bytes = atomic.bits as usize / 8;
            access.ty = "";
        } else if self.random.chance(50) {
            let mut regs: Vec<Option<Reg>> = Vec::new();
            for _ in 0..count {
                let mut reg = self.reg(class);
                while regs.contains(&Some(reg)) {
                    reg = self.reg(class);
                }
                regs.push(Some(reg).filter(|_| count == 1 || self.random.chance(85)));
            }
            access.action = Action::Load(regs);
        }
        if self.random.chance(40) {
            access.offset = access.size() * self.random.below(REGION_BYTES / access.size());
        }
        if way == Way::Fixed && access.guard.is_none() && self.random.chance(10) {
            way = Way::Space(Space::Local);
            access.way = way;
        }
        Stmt::Access(access)
    }

    fn together(&mut self, threads: u32, warp: u32) -> Together {
        let (value, result) = (self.reg(Class::W), self.reg(Class::W));
        // Warp instructions of PTX are made for 32 lanes.
        let kinds = match (warp, threads % 32) {
            (32, 0) => 6,
            (32, _) => 4,
            _ => 1,
        };
        match self.random.below(kinds) {
            0 => Together::Exchange {
                value,
                result,
                multiplier: self.random.below(100) as u32,
                offset: self.random.below(100) as u32,
            },
            1 => Together::Ballot {
                predicate: self.reg(Class::P),
                result,
            },
            2 => Together::Sum { value, result },
            3 => Together::Match { value, result },
            4 => Together::Shuffle {
                value,
                lane: self.reg(Class::W),
                result,
            },
            _ => Together::Down {
                value,
                distance: self.random.below(32) as u32,
                result,
                predicate: self.reg(Class::P),
            },
        }
    }

    fn control(&mut self, place: Place) -> Stmt {
        match self.random.below(20) {
            0 if place.loops > 0 => Stmt::Break(self.guard()),
            1 if place.loops > 0 => Stmt::Continue(self.guard()),
            2 if place.in_function => Stmt::Return(self.guard()),
            3 if self.exits && self.random.chance(40) => Stmt::Exit(self.guard()),
            4..=6
                if self.calls_left > 0
                    && self.functions > 0
                    && !(place.in_function && place.loops > 0) =>
            {
                self.calls_left -= 1;
                Stmt::Call(Call {
                    callee: match self.random.chance(60) {
                        true => Callee::Direct(self.random.below(self.functions)),
                        false => Callee::Table(self.reg(Class::W)),
                    },
                    word: self.reg(Class::W),
                    long: self.reg(Class::D),
                    result: self.reg(Class::W),
                })
            }
            7..=11 if place.loops < 3 => Stmt::Loop {
                level: place.loops,
                trips: self.reg(Class::W),
                mask: self.random.pick(&[1, 3, 3, 7]),
                body: {
                    let loops = place.loops + 1;
                    self.inner(Place { loops, ..place })
                },
            },
            12..=13 => {
                let arms = 2 + self.random.below(3);
                Stmt::Switch {
                    index: self.reg(Class::W),
                    targets: (0..arms + self.random.below(3)).map(|n| n % arms).collect(),
                    arms: (0..arms)
                        .map(|_| (self.inner(place), self.random.chance(15)))
                        .collect(),
                }
            }
            _ => Stmt::If {
                guard: self.guard(),
                then: self.inner(place),
                other: match self.random.chance(50) {
                    true => self.inner(place),
                    false => Vec::new(),
                },
            },
        }
    }
}

/// Instructions whose one operand PTX wants in a register.
fn is_unary(text: &str) -> bool {
    !text.contains("$2") && !text.starts_with("mov")
}

/// A program that executes one instruction several times, on its own results too.
pub fn single(ops: &Ops, number: usize) -> Program {
    let mut generator = Generator {
        ops,
        random: Random::new(number as u64),
        branchy: false,
        functions: 0,
        calls_left: 0,
        exits: false,
    };
    let carries = ops.carry_in.iter().any(|list| list.contains(&number));
    let mut statement = || {
        let op = generator.op(number);
        match carries {
            // The carry comes from somewhere.
            true => {
                let width = usize::from(ops.carry_in[1].contains(&number));
                let first = ops.carry_out[width][0];
                Stmt::Chain(None, vec![generator.op(first), op])
            }
            false => Stmt::Op(generator.maybe_guard(), op),
        }
    };
    Program {
        seed: number as u64,
        blocks: 1,
        threads: 64,
        warp: 32,
        kernel: (0..6).map(|_| statement()).collect(),
        functions: Vec::new(),
    }
}
