//! Programs as PTX.

use super::atomics::{ATOMICS, SHARED, SHARED_WORDS};
use super::ops::Ops;
use super::program::{
    Access, Action, Call, Callee, Class, FUEL, Guard, Kind, Op, Program, REGION_BYTES, Reg, Space,
    Src, Stmt, Together, Way,
};

/// Bytes of results per thread: all registers, then its memory of each space.
pub const RESULT_BYTES: usize = 96 + 3 * REGION_BYTES;
/// Bytes of input per thread: long registers, then words, which halves and predicates are cut from.
pub const INPUT_BYTES: usize = 8 * Class::D.count() + 4 * Class::W.count();

const REGISTERS: &str = "
    .reg .pred %p<4>, %x<4>; .reg .b16 %h<4>; .reg .b32 %r<8>, %c<4>, %i<4>, %fuel, %less;
    .reg .b64 %d<6>, %a<4>, %gb, %sb, %lb, %sg, %lg, %in;
    .local .align 16 .b8 mine[64];
";

struct Printer<'a> {
    ops: &'a Ops,
    out: String,
    labels: usize,
    functions: usize,
    threads: u32,
    /// Where the loops around end, and where their next round begins.
    loops: Vec<(usize, usize)>,
}

/// The module, with a kernel `k` of an output and an input buffer.
pub fn print(ops: &Ops, program: &Program) -> String {
    let mut printer = Printer {
        ops,
        out: String::new(),
        labels: 0,
        functions: program.functions.len(),
        threads: program.threads,
        loops: Vec::new(),
    };
    printer.module(program);
    printer.out
}

/// Instructions that every call and every return of a function's end take, beside its body.
pub fn function_entry() -> usize {
    count(&function_prologue())
}

pub const FUNCTION_END: usize = 2;

/// Instructions before and after the kernel's body.
pub fn kernel_entry() -> usize {
    count(&kernel_prologue())
}

pub fn kernel_end() -> usize {
    count(&kernel_epilogue())
}

fn count(lines: &[String]) -> usize {
    lines.len()
}

fn reg(reg: Reg) -> String {
    format!("%{}{}", reg.class.letter(), reg.number)
}

fn sink(register: Option<Reg>) -> String {
    register.map_or("_".to_owned(), reg)
}

fn guarded(guard: Option<Guard>, negate: bool) -> String {
    guard.map_or(String::new(), |guard| {
        let not = if guard.negated != negate { "!" } else { "" };
        format!("@{not}%p{} ", guard.number)
    })
}

fn kernel_prologue() -> Vec<String> {
    let mut lines = vec![
        "ld.param.u64 %gb, [out];".to_owned(),
        "ld.param.u64 %in, [in];".to_owned(),
        "mov.u32 %i0, %ctaid.x;".to_owned(),
        "mov.u32 %i1, %ntid.x;".to_owned(),
        "mov.u32 %i2, %tid.x;".to_owned(),
        "mad.lo.u32 %i3, %i0, %i1, %i2;".to_owned(),
        format!("mad.wide.u32 %gb, %i3, {RESULT_BYTES}, %gb;"),
        "add.s64 %gb, %gb, 96;".to_owned(),
        format!("mad.wide.u32 %in, %i3, {INPUT_BYTES}, %in;"),
        "mov.u64 %sb, shared;".to_owned(),
        format!("mad.wide.u32 %sb, %i2, {REGION_BYTES}, %sb;"),
        "cvta.shared.u64 %sg, %sb;".to_owned(),
        "mov.u64 %lb, mine;".to_owned(),
        "cvta.local.u64 %lg, %lb;".to_owned(),
        format!("mov.u32 %fuel, {FUEL};"),
    ];
    for n in 0..Class::D.count() {
        lines.push(format!("ld.global.u64 %d{n}, [%in+{}];", 8 * n));
    }
    for n in 0..Class::W.count() {
        let at = 8 * Class::D.count() + 4 * n;
        lines.push(format!("ld.global.u32 %r{n}, [%in+{at}];"));
    }
    for n in 0..Class::H.count() {
        let at = 8 * Class::D.count() + 4 * n + 2;
        lines.push(format!("ld.global.u16 %h{n}, [%in+{at}];"));
    }
    for n in 0..Class::P.count() {
        lines.push(format!("and.b32 %i0, %r{}, 1;", n + 4));
        lines.push(format!("setp.ne.u32 %p{n}, %i0, 0;"));
    }
    lines
}

fn kernel_epilogue() -> Vec<String> {
    let mut lines = vec!["mov.u32 %i0, 0;".to_owned()];
    for n in 0..Class::P.count() {
        lines.push(format!("@%p{n} or.b32 %i0, %i0, {};", 1 << n));
    }
    let mut at = 96;
    let mut store = |what: String, bytes: usize| {
        at -= bytes;
        format!("st.global.{what};").replace("AT", &format!("%gb+-{}", 96 - at))
    };
    let mut stores = Vec::new();
    for n in 0..Class::D.count() {
        stores.push(store(format!("u64 [AT], %d{n}"), 8));
    }
    for n in 0..Class::W.count() {
        stores.push(store(format!("u32 [AT], %r{n}"), 4));
    }
    for n in 0..Class::H.count() {
        stores.push(store(format!("u16 [AT], %h{n}"), 2));
    }
    stores.push(store("u32 [AT], %i0".to_owned(), 4));
    lines.extend(stores);
    for (space, base, to) in [("shared", "%sb", 64), ("local", "%lb", 128)] {
        for at in (0..REGION_BYTES).step_by(16) {
            lines.push(format!("ld.{space}.v2.u64 {{%d0, %d1}}, [{base}+{at}];"));
            lines.push(format!("st.global.v2.u64 [%gb+{}], {{%d0, %d1}};", to + at));
        }
    }
    lines.push("ret;".to_owned());
    lines
}

/// Registers of a function start as mixtures of its parameters; its memory as one of them.
fn function_prologue() -> Vec<String> {
    let mut lines = vec![
        "ld.param.b32 %r0, [word];".to_owned(),
        "ld.param.b64 %d0, [long];".to_owned(),
        "ld.param.b32 %fuel, [fuel];".to_owned(),
        "mov.u64 %lb, mine;".to_owned(),
        "cvta.local.u64 %lg, %lb;".to_owned(),
    ];
    for n in 1..Class::W.count() {
        lines.push(format!("add.u32 %r{n}, %r{}, 0x9e3779b9;", n - 1));
    }
    for n in 1..Class::D.count() {
        lines.push(format!("add.u64 %d{n}, %d{}, %d0;", n - 1));
    }
    for n in 0..Class::H.count() {
        lines.push(format!("cvt.u16.u32 %h{n}, %r{};", n + 1));
    }
    for n in 0..Class::P.count() {
        lines.push(format!("setp.lt.s32 %p{n}, %r{}, 0;", n + 2));
    }
    for at in (0..REGION_BYTES).step_by(16) {
        lines.push(format!("st.local.v2.u64 [mine+{at}], {{%d0, %d1}};"));
    }
    lines
}

const SIGNATURE: &str = "(.param .b32 word, .param .b64 long, .param .b32 fuel)";

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        self.out += "    ";
        self.out += text;
        self.out.push('\n');
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn place(&mut self, label: usize) {
        self.out += &format!("L{label}:\n");
    }

    fn module(&mut self, program: &Program) {
        self.out += ".version 8.8\n.target sm_100a\n.address_size 64\n";
        let words = SHARED.len() * SHARED_WORDS;
        self.out += &format!(".global .align 4 .b32 common[{words}];\n");
        for n in 0..program.functions.len() {
            self.out += &format!(".func (.param .b32 result) f{n} {SIGNATURE};\n");
        }
        let names: Vec<String> = (0..program.functions.len())
            .map(|n| format!("f{n}"))
            .collect();
        if !names.is_empty() {
            let (length, names) = (names.len(), names.join(", "));
            self.out += &format!(".global .align 8 .u64 table[{length}] = {{{names}}};\n");
        }
        for (n, body) in program.functions.iter().enumerate() {
            self.out += &format!(".func (.param .b32 result) f{n} {SIGNATURE}\n{{{REGISTERS}");
            function_prologue().iter().for_each(|line| self.line(line));
            self.body(body);
            self.line("st.param.b32 [result], %r0;");
            self.line("ret;");
            self.out += "}\n";
        }
        self.out += ".visible .entry k(.param .u64 out, .param .u64 in)\n{";
        self.out += REGISTERS;
        let (threads, bytes) = (program.threads, program.threads as usize * REGION_BYTES);
        self.line(&format!(".shared .align 4 .b32 box[{threads}];"));
        self.line(&format!(".shared .align 16 .b8 shared[{bytes}];"));
        kernel_prologue().iter().for_each(|line| self.line(line));
        self.body(&program.kernel);
        kernel_epilogue().iter().for_each(|line| self.line(line));
        self.out += "}\n";
    }

    fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.statement(stmt);
        }
    }

    fn op(&self, guard: Option<Guard>, op: &Op) -> String {
        let def = &self.ops.list[op.number];
        let operands = op.dst.iter().map(|dst| sink(*dst));
        let sources = op.src.iter().zip(&def.src).map(|(src, kind)| match src {
            Src::Reg(r) => reg(*r),
            Src::Not(r) => format!("!{}", reg(*r)),
            Src::Imm(bits) => match kind {
                Kind::F32 => format!("0f{bits:08X}"),
                Kind::F64 => format!("0d{bits:016X}"),
                Kind::B16 => format!("{}", *bits as u16 as i16),
                Kind::B32 => format!("{}", *bits as u32 as i32),
                Kind::B64 => format!("{}", *bits as i64),
                _ => format!("{bits:#x}"),
            },
        });
        let mut text = def.text.clone();
        for (n, operand) in operands.chain(sources).enumerate() {
            text = text.replace(&format!("${n}"), &operand);
        }
        format!("{}{text};", guarded(guard, false))
    }

    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Op(guard, op) => {
                let text = self.op(*guard, op);
                self.line(&text);
            }
            Stmt::Chain(guard, ops) => {
                for op in ops {
                    let text = self.op(*guard, op);
                    self.line(&text);
                }
            }
            Stmt::Access(access) => {
                for line in access_lines(access) {
                    self.line(&line);
                }
            }
            Stmt::Reduce {
                guard,
                number,
                index,
                value,
            } => {
                let (name, at) = (SHARED[*number].0, 4 * SHARED_WORDS * number);
                let last = SHARED_WORDS - 1;
                self.line(&format!("and.b32 %i0, {}, {last};", reg(*index)));
                self.line("mov.u64 %a0, common;");
                self.line("mad.wide.u32 %a0, %i0, 4, %a0;");
                let (guard, value) = (guarded(*guard, false), reg(*value));
                self.line(&format!("{guard}red.global.{name} [%a0+{at}], {value};"));
            }
            Stmt::If { guard, then, other } => {
                let (around, end) = (self.label(), self.label());
                self.line(&format!("{}bra L{around};", guarded(Some(*guard), true)));
                self.body(then);
                if !other.is_empty() {
                    self.line(&format!("bra L{end};"));
                }
                self.place(around);
                self.body(other);
                self.place(end);
            }
            Stmt::Loop {
                level,
                trips,
                mask,
                body,
            } => {
                let (head, next, end) = (self.label(), self.label(), self.label());
                self.line(&format!("and.b32 %c{level}, {}, {mask};", reg(*trips)));
                self.line(&format!("setp.eq.u32 %x{level}, %c{level}, 0;"));
                self.line(&format!("@%x{level} bra L{end};"));
                self.place(head);
                self.loops.push((end, next));
                self.body(body);
                self.loops.pop();
                self.place(next);
                self.line(&format!("sub.u32 %c{level}, %c{level}, 1;"));
                self.line(&format!("setp.ne.u32 %x{level}, %c{level}, 0;"));
                self.line(&format!("@%x{level} bra L{head};"));
                self.place(end);
            }
            Stmt::Break(guard) | Stmt::Continue(guard) => {
                let Some(&(end, next)) = self.loops.last() else {
                    return;
                };
                let to = if matches!(stmt, Stmt::Break(_)) {
                    end
                } else {
                    next
                };
                self.line(&format!("{}bra L{to};", guarded(Some(*guard), false)));
            }
            Stmt::Switch {
                index,
                targets,
                arms,
            } => {
                let first = self.labels + 1;
                self.labels += arms.len();
                let (end, table) = (self.label(), self.label());
                let list: Vec<String> = targets.iter().map(|n| format!("L{}", first + n)).collect();
                self.line(&format!("T{table}: .branchtargets {};", list.join(", ")));
                self.line(&format!("rem.u32 %i0, {}, {};", reg(*index), targets.len()));
                self.line(&format!("brx.idx %i0, T{table};"));
                for (n, (arm, runs_on)) in arms.iter().enumerate() {
                    self.place(first + n);
                    self.body(arm);
                    if !runs_on {
                        self.line(&format!("bra L{end};"));
                    }
                }
                self.place(end);
            }
            Stmt::Exit(guard) => self.line(&format!("{}exit;", guarded(Some(*guard), false))),
            Stmt::Return(guard) => {
                self.line("st.param.b32 [result], %r0;");
                self.line(&format!("{}ret;", guarded(Some(*guard), false)));
            }
            Stmt::Call(call) => self.call(call),
            Stmt::Together(together) => {
                for line in together_lines(together, self.threads) {
                    self.line(&line);
                }
            }
        }
    }

    fn call(&mut self, call: &Call) {
        if self.functions == 0 {
            return;
        }
        let end = self.label();
        self.line("setp.eq.u32 %x3, %fuel, 0;");
        self.line(&format!("@%x3 bra L{end};"));
        self.line("sub.u32 %less, %fuel, 1;");
        self.line("{");
        self.line(".param .b32 a; .param .b64 b; .param .b32 c; .param .b32 r;");
        self.line(&format!("st.param.b32 [a], {};", reg(call.word)));
        self.line(&format!("st.param.b64 [b], {};", reg(call.long)));
        self.line("st.param.b32 [c], %less;");
        match call.callee {
            Callee::Direct(n) => {
                self.line(&format!("call (r), f{}, (a, b, c);", n % self.functions))
            }
            Callee::Table(index) => {
                self.line(&format!("rem.u32 %i0, {}, {};", reg(index), self.functions));
                self.line("mov.u64 %a0, table;");
                self.line("mad.wide.u32 %a0, %i0, 8, %a0;");
                self.line("ld.global.u64 %a0, [%a0];");
                self.line(&format!(
                    "P{end}: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _, .param .b32 _);"
                ));
                self.line(&format!("call (r), %a0, (a, b, c), P{end};"));
            }
        }
        self.line(&format!("ld.param.b32 {}, [r];", reg(call.result)));
        self.line("}");
        self.place(end);
    }
}

/// The instructions of what threads do together.
pub fn together_lines(together: &Together, threads: u32) -> Vec<String> {
    match *together {
        Together::Exchange {
            value,
            result,
            multiplier,
            offset,
        } => vec![
            "mov.u32 %i1, %tid.x;".to_owned(),
            "mov.u32 %i2, box;".to_owned(),
            "mad.lo.u32 %i3, %i1, 4, %i2;".to_owned(),
            format!("st.shared.u32 [%i3], {};", reg(value)),
            "bar.sync 0;".to_owned(),
            format!("mad.lo.u32 %i1, %i1, {multiplier}, {offset};"),
            format!("rem.u32 %i1, %i1, {threads};"),
            "mad.lo.u32 %i3, %i1, 4, %i2;".to_owned(),
            format!("ld.shared.u32 {}, [%i3];", reg(result)),
            "bar.sync 0;".to_owned(),
        ],
        Together::Ballot { predicate, result } => {
            let (predicate, result) = (reg(predicate), reg(result));
            vec![format!("vote.sync.ballot.b32 {result}, {predicate}, -1;")]
        }
        Together::Sum { value, result } => {
            vec![format!(
                "redux.sync.add.u32 {}, {}, -1;",
                reg(result),
                reg(value)
            )]
        }
        Together::Match { value, result } => {
            vec![format!(
                "match.any.sync.b32 {}, {}, -1;",
                reg(result),
                reg(value)
            )]
        }
        Together::Shuffle {
            value,
            lane,
            result,
        } => {
            let (value, lane, result) = (reg(value), reg(lane), reg(result));
            vec![format!(
                "shfl.sync.idx.b32 {result}, {value}, {lane}, 31, -1;"
            )]
        }
        Together::Down {
            value,
            distance,
            result,
            predicate,
        } => {
            let (value, result, predicate) = (reg(value), reg(result), reg(predicate));
            vec![format!(
                "shfl.sync.down.b32 {result}|{predicate}, {value}, {distance}, 31, -1;"
            )]
        }
    }
}

/// The instructions of an access.
pub fn access_lines(access: &Access) -> Vec<String> {
    let base = |space: Space| match space {
        Space::Global => "%gb",
        Space::Shared => "%sb",
        Space::Local => "%lb",
    };
    let generic = |space: Space| match space {
        Space::Global => "%gb",
        Space::Shared => "%sg",
        Space::Local => "%lg",
    };
    let name = |space: Space| match space {
        Space::Global => ".global",
        Space::Shared => ".shared",
        Space::Local => ".local",
    };
    let mut lines = Vec::new();
    if access.way != Way::Fixed {
        lines.push(format!(
            "and.b32 %i0, {}, {:#x};",
            reg(access.index),
            access.mask()
        ));
    }
    let mut wide = |base: &str| {
        lines.push("cvt.u64.u32 %a0, %i0;".to_owned());
        lines.push(format!("add.s64 %a0, %a0, {base};"));
    };
    let (space, address) = match access.way {
        Way::Fixed => (".local", "mine"),
        Way::Space(space) => {
            wide(base(space));
            (name(space), "%a0")
        }
        Way::Generic(space) => {
            wide(generic(space));
            ("", "%a0")
        }
        Way::Either(p, one, other) => {
            wide("%a1");
            let choice = format!("selp.b64 %a1, {}, {}, %p{p};", generic(one), generic(other));
            lines.insert(0, choice);
            ("", "%a0")
        }
        Way::Narrow => {
            lines.push("cvt.u32.u64 %i1, %sb;".to_owned());
            lines.push("add.u32 %i0, %i0, %i1;".to_owned());
            (".shared", "%i0")
        }
    };
    let list = |regs: Vec<String>| match regs.len() {
        1 => (String::new(), regs.concat()),
        n => (format!(".v{n}"), format!("{{{}}}", regs.join(", "))),
    };
    let (offset, guard, ty) = (access.offset, guarded(access.guard, false), access.ty);
    lines.push(match &access.action {
        Action::Load(regs) => {
            let (vector, regs) = list(regs.iter().map(|r| sink(*r)).collect());
            format!("{guard}ld{space}{vector}.{ty} {regs}, [{address}+{offset}];")
        }
        Action::Store(regs) => {
            let (vector, regs) = list(regs.iter().map(|r| reg(*r)).collect());
            format!("{guard}st{space}{vector}.{ty} [{address}+{offset}], {regs};")
        }
        Action::Atomic(number, result, b, c) => {
            let name = ATOMICS[*number].name;
            let c = match name.starts_with("cas") {
                true => format!(", {}", reg(*c)),
                false => String::new(),
            };
            let (base, result) = match result {
                Some(r) => ("atom", format!("{}, ", reg(*r))),
                None => ("red", String::new()),
            };
            format!(
                "{guard}{base}{space}.{name} {result}[{address}+{offset}], {}{c};",
                reg(*b)
            )
        }
    });
    lines
}
