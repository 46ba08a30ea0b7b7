//! Programs of the differential test: their own small form, from which PTX is printed and which
//! the interpreter executes.

/// Registers by width: predicates, 16, 32 and 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    P,
    H,
    W,
    D,
}

impl Class {
    /// Registers of a class that statements use freely.
    pub const fn count(self) -> usize {
        match self {
            Class::P => 4,
            Class::H => 4,
            Class::W => 8,
            Class::D => 6,
        }
    }

    pub const fn bits(self) -> u32 {
        match self {
            Class::P => 1,
            Class::H => 16,
            Class::W => 32,
            Class::D => 64,
        }
    }

    pub const fn letter(self) -> char {
        match self {
            Class::P => 'p',
            Class::H => 'h',
            Class::W => 'r',
            Class::D => 'd',
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reg {
    pub class: Class,
    pub number: usize,
}

/// What an operand is read as: its class, and which values are interesting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Pred,
    B16,
    B32,
    B64,
    F32,
    F64,
    /// 32 bits, mostly small.
    Shift,
    /// An immediate of 8 bits, never a register.
    Byte,
}

impl Kind {
    pub const fn class(self) -> Class {
        match self {
            Kind::Pred => Class::P,
            Kind::B16 => Class::H,
            Kind::B32 | Kind::F32 | Kind::Shift | Kind::Byte => Class::W,
            Kind::B64 | Kind::F64 => Class::D,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Src {
    Reg(Reg),
    /// A predicate's complement.
    Not(Reg),
    Imm(u64),
}

/// A predicate register in front of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    pub number: usize,
    pub negated: bool,
}

/// One instruction of the table.
#[derive(Clone, Debug)]
pub struct Op {
    /// Its place in [`super::ops::Ops::list`].
    pub number: usize,
    /// Nothing is the bit bucket.
    pub dst: Vec<Option<Reg>>,
    pub src: Vec<Src>,
}

/// Memory that belongs to one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    Global,
    Shared,
    Local,
}

/// How an access reaches its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Through a 64-bit register in the space's own addresses.
    Space(Space),
    /// Shared memory through a 32-bit register.
    Narrow,
    /// A local variable's own address plus a constant.
    Fixed,
    /// A generic address.
    Generic(Space),
    /// A generic address in the first space where the predicate is true, else in the second.
    Either(usize, Space, Space),
}

/// What an access does there.
#[derive(Clone, Debug)]
pub enum Action {
    /// The registers, nothing for the bit bucket.
    Load(Vec<Option<Reg>>),
    Store(Vec<Reg>),
    /// An atomic by its number in [`super::atomics::ATOMICS`]; without a register it is a `red`.
    Atomic(usize, Option<Reg>, Reg, Reg),
}

/// Bytes of each thread's memory in each space.
pub const REGION_BYTES: usize = 64;

#[derive(Clone, Debug)]
pub struct Access {
    pub guard: Option<Guard>,
    pub way: Way,
    pub action: Action,
    /// Type without its dot.
    pub ty: &'static str,
    /// Bytes of an element.
    pub bytes: usize,
    /// Its value picks the place, a multiple of the access's size.
    pub index: Reg,
    /// Added to the place; the place itself lies that much lower.
    pub offset: usize,
}

impl Access {
    pub fn elements(&self) -> usize {
        match &self.action {
            Action::Load(regs) => regs.len(),
            Action::Store(regs) => regs.len(),
            Action::Atomic(..) => 1,
        }
    }

    /// Bytes that it moves.
    pub fn size(&self) -> usize {
        self.bytes * self.elements()
    }

    /// The bits of the index that matter.
    pub fn mask(&self) -> u64 {
        ((REGION_BYTES - self.offset - 1) & !(self.size() - 1)) as u64
    }
}

#[derive(Clone, Debug)]
pub struct Call {
    pub callee: Callee,
    pub word: Reg,
    pub long: Reg,
    pub result: Reg,
}

#[derive(Clone, Copy, Debug)]
pub enum Callee {
    /// By its number.
    Direct(usize),
    /// Through the table of functions, at the register's value modulo its length.
    Table(Reg),
}

#[derive(Clone, Debug)]
pub enum Stmt {
    Op(Option<Guard>, Op),
    /// Instructions that hand on a carry, all under one guard.
    Chain(Option<Guard>, Vec<Op>),
    Access(Access),
    /// A reduction on memory that all threads share, one of [`super::atomics::SHARED`]; the index
    /// picks the word.
    Reduce {
        guard: Option<Guard>,
        number: usize,
        index: Reg,
        value: Reg,
    },
    If {
        guard: Guard,
        then: Vec<Stmt>,
        other: Vec<Stmt>,
    },
    /// Goes round as often as the register's low bits say.
    Loop {
        level: usize,
        trips: Reg,
        mask: u64,
        body: Vec<Stmt>,
    },
    Break(Guard),
    Continue(Guard),
    /// An indexed branch; an arm may run on into the next.
    Switch {
        index: Reg,
        targets: Vec<usize>,
        arms: Vec<(Vec<Stmt>, bool)>,
    },
    Exit(Guard),
    /// Of a function.
    Return(Guard),
    Call(Call),
    /// All threads together, so not inside other statements.
    Together(Together),
}

/// What threads do together.
#[derive(Clone, Copy, Debug)]
pub enum Together {
    /// Every thread of the block gets a word of the thread at `multiplier * index + offset`, or
    /// what an exited one has left.
    Exchange {
        value: Reg,
        result: Reg,
        multiplier: u32,
        offset: u32,
    },
    /// Of a warp: the lanes whose predicate is true.
    Ballot { predicate: Reg, result: Reg },
    /// The sum over a warp.
    Sum { value: Reg, result: Reg },
    /// The lanes of a warp with the same value.
    Match { value: Reg, result: Reg },
    /// A word of the lane that a register names, of the full warp.
    Shuffle { value: Reg, lane: Reg, result: Reg },
    /// A word of the lane so many above, if there is one, which the predicate tells.
    Down {
        value: Reg,
        distance: u32,
        result: Reg,
        predicate: Reg,
    },
}

impl Stmt {
    /// The lists of statements inside.
    pub fn bodies(&self) -> Vec<&Vec<Stmt>> {
        match self {
            Stmt::If { then, other, .. } => vec![then, other],
            Stmt::Loop { body, .. } => vec![body],
            Stmt::Switch { arms, .. } => arms.iter().map(|(body, _)| body).collect(),
            _ => Vec::new(),
        }
    }

    pub fn bodies_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::If { then, other, .. } => vec![then, other],
            Stmt::Loop { body, .. } => vec![body],
            Stmt::Switch { arms, .. } => arms.iter_mut().map(|(body, _)| body).collect(),
            _ => Vec::new(),
        }
    }
}

/// Functions call each other to this depth.
pub const FUEL: u32 = 3;

#[derive(Clone, Debug)]
pub struct Program {
    pub seed: u64,
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Lanes of a warp.
    pub warp: u32,
    pub kernel: Vec<Stmt>,
    /// Bodies of functions of a word, a long and the fuel that return a word.
    pub functions: Vec<Vec<Stmt>>,
}

impl Program {
    pub fn bodies_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        std::iter::once(&mut self.kernel)
            .chain(&mut self.functions)
            .collect()
    }

    pub fn statements(&self) -> usize {
        fn count(body: &[Stmt]) -> usize {
            let inside = |stmt: &Stmt| stmt.bodies().iter().map(|body| count(body)).sum::<usize>();
            body.iter().map(|stmt| 1 + inside(stmt)).sum()
        }
        count(&self.kernel) + self.functions.iter().map(|body| count(body)).sum::<usize>()
    }

    /// Whether lanes that part meet again at the end of the statement where they parted: no
    /// jumps out of a branch.
    pub fn structured(&self) -> bool {
        // A break at the loop's own level parts lanes that meet where the loop ends; what goes on
        // with the next round meets at the round's end, unless something breaks in between.
        fn good(body: &[Stmt], in_loop: bool) -> bool {
            let breaks = body.iter().any(|stmt| matches!(stmt, Stmt::Break(_)));
            body.iter().all(|stmt| match stmt {
                Stmt::Break(_) => in_loop,
                Stmt::Continue(_) => in_loop && !breaks,
                Stmt::Exit(_) | Stmt::Return(_) => false,
                Stmt::Loop { body, .. } => good(body, true),
                Stmt::Switch { arms, .. } => {
                    let runs_on = arms.iter().any(|(_, runs_on)| *runs_on);
                    !runs_on && arms.iter().all(|(body, _)| good(body, false))
                }
                other => other.bodies().iter().all(|body| good(body, false)),
            })
        }
        good(&self.kernel, false) && self.functions.iter().all(|body| good(body, false))
    }
}

/// Whether any statement, at any depth, is one of those.
pub fn has(body: &[Stmt], test: &dyn Fn(&Stmt) -> bool) -> bool {
    let inside = |stmt: &Stmt| stmt.bodies().iter().any(|body| has(body, test));
    body.iter().any(|stmt| test(stmt) || inside(stmt))
}
