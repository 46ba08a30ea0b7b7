//! Typed lines to warp instructions: the last operation of a line is counted, all before it are
//! fused to it. Jumps of `else`, `end` and loops are fused as well.

use warploom_isa::access::Access;
use warploom_isa::builder::{BuildError, FunctionBuilder, Label, ModuleBuilder, Src, VInst, VReg};
use warploom_isa::watch::WatchList;
use warploom_isa::{
    FileId, Function, KernelParam, LaunchBounds, Loc, Mods, Module, Op, Origin, RegClass, Space,
};

use crate::check::{ArrayId, Checked, Step, Typed, Value, VariableId};
use crate::operator::Type;
use crate::outline::{Place, Shape};
use crate::{KERNEL, MAX_OPERATIONS};

/// Bytes of an array's address, and of its place among the parameters.
const ADDRESS_BYTES: u32 = 8;
/// Bytes of an element.
const ELEMENT_BYTES: u32 = 4;

/// Why a checked program can't be built.
pub(crate) enum LowerError {
    /// The line, by index, at which the program has too many operations.
    TooManyOperations(usize),
    Build(BuildError),
}

/// Builds the module of a program without mistakes. `places` and `numbers`, the source lines, go
/// with the statements one by one. If `watched`, the variables are copied to memory as they change.
pub(crate) fn lower(
    name: &str,
    threads: u32,
    program: &Typed,
    (places, numbers): (&[Place], &[u32]),
    watched: bool,
) -> Result<Module, LowerError> {
    let mut module = ModuleBuilder::new(name);
    module.module_mut().language_version = "1".to_owned();
    let first = numbers.first().copied().unwrap_or(1);
    let watch = watched.then(|| watch_list(program));
    let arrays_bytes = program.arrays.len() as u32 * ADDRESS_BYTES;
    let params = (0..).zip(&program.arrays).map(|(k, array)| KernelParam {
        name: array.name.clone(),
        ty: format!("array of {}", array.ty.word()),
        offset: k * ADDRESS_BYTES,
        bytes: ADDRESS_BYTES,
        align_bytes: ADDRESS_BYTES,
        pointer: true,
    });
    let kernel = module.declare(Function {
        name: KERNEL.to_owned(),
        kernel: true,
        params: params
            .chain(watch.as_ref().map(|w| w.param(arrays_bytes)))
            .collect(),
        param_bytes: arrays_bytes + watch.as_ref().map_or(0, |_| ADDRESS_BYTES),
        watch: watch.clone(),
        bounds: LaunchBounds {
            required_block: Some([threads, 1, 1]),
            ..LaunchBounds::default()
        },
        origin: origin(first),
        ..Function::default()
    });
    let mut body = FunctionBuilder::new(kernel);
    let types = program.variables.iter().map(|(_, ty)| *ty);
    let variables: Vec<VReg> = types.map(|ty| body.reg(class(ty))).collect();
    if let Some(watch) = &watch {
        body.watch(
            watch,
            variables.iter().copied(),
            arrays_bytes,
            origin(first),
        );
    }
    let mut lowering = Lowering {
        variables,
        body,
        origin: origin(first),
        guard: None,
        open: Vec::new(),
    };
    for (k, ((statement, place), &number)) in program
        .statements
        .iter()
        .zip(places)
        .zip(numbers)
        .enumerate()
    {
        lowering.origin = origin(number);
        lowering.statement(statement, place);
        if lowering.body.len() > MAX_OPERATIONS {
            return Err(LowerError::TooManyOperations(k));
        }
    }
    lowering
        .body
        .finish(&mut module)
        .map_err(LowerError::Build)?;
    Ok(module.finish())
}

fn watch_list(program: &Typed) -> WatchList {
    let mut list = WatchList::default();
    for (name, ty) in &program.variables {
        list.add(name, ty.word(), class(*ty));
    }
    list
}

fn origin(line: u32) -> Origin {
    Origin {
        loc: Loc {
            file: FileId(0),
            line,
        },
        text_line: line,
    }
}

fn class(ty: Type) -> RegClass {
    match ty {
        Type::Int | Type::Float => RegClass::Lane32,
        Type::Condition => RegClass::Mask,
    }
}

/// An open block: what its `else`, `case` and `end` lines need.
enum Open {
    If {
        otherwise: Option<Label>,
        end: Label,
    },
    While {
        again: Label,
        end: Label,
    },
    /// `next` counts the cases that have begun; labels are in the order of the text, an `else` last.
    Switch {
        labels: Vec<Label>,
        next: usize,
        end: Label,
    },
}

struct Lowering {
    body: FunctionBuilder,
    variables: Vec<VReg>,
    origin: Origin,
    /// The condition of a `where` line.
    guard: Option<VReg>,
    open: Vec<Open>,
}

impl Lowering {
    fn statement(&mut self, statement: &Checked, place: &Place) {
        match statement {
            Checked::Step(step) => self.step(step),
            Checked::Where(condition, step) => {
                self.guard = Some(self.condition(condition));
                self.step(step);
                self.guard = None;
            }
            Checked::If(condition) => {
                let end = self.body.label();
                let has_else = place.opens == Some(Shape::If { has_else: true });
                let otherwise = has_else.then(|| self.body.label());
                let condition = self.condition(condition);
                self.branch_unless(condition, otherwise.unwrap_or(end));
                self.open.push(Open::If { otherwise, end });
            }
            Checked::While(condition) => {
                let (again, end) = (self.body.label(), self.body.label());
                self.body.place(again);
                let condition = self.condition(condition);
                self.branch_unless(condition, end);
                self.open.push(Open::While { again, end });
            }
            Checked::Switch(value) => {
                if let Some(Shape::Switch { cases, has_else }) = &place.opens {
                    self.switch(value, cases, *has_else);
                }
            }
            Checked::Case => self.next_path(),
            Checked::Else => self.next_path(),
            Checked::End => self.end(),
        }
    }

    /// Ends one path of an `if` or `switch` and begins the next.
    fn next_path(&mut self) {
        let (start, end, first) = match self.open.last_mut() {
            Some(Open::If { otherwise, end }) => (otherwise.take(), *end, false),
            Some(Open::Switch { labels, next, end }) => {
                *next += 1;
                (labels.get(*next - 1).copied(), *end, *next == 1)
            }
            _ => return,
        };
        // Nothing falls into the first case.
        if !first {
            self.jump(end);
        }
        if let Some(start) = start {
            self.body.place(start);
        }
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some(Open::If { end, .. } | Open::Switch { end, .. }) => self.body.place(end),
            Some(Open::While { again, end }) => {
                self.jump(again);
                self.body.place(end);
            }
            None => {}
        }
    }

    /// An indexed branch over all numbers up to the largest case; a number without a case, and all
    /// beyond, go where `else` is, or to the end.
    fn switch(&mut self, value: &Value, cases: &[Option<u32>], has_else: bool) {
        let end = self.body.label();
        let labels: Vec<Label> = (0..cases.len() + usize::from(has_else))
            .map(|_| self.body.label())
            .collect();
        let other = if has_else {
            labels.last().copied()
        } else {
            None
        };
        let other = other.unwrap_or(end);
        let size = cases.iter().flatten().max().map_or(0, |most| most + 1);
        let mut targets = vec![other; size as usize + 1];
        for (case, &label) in cases.iter().zip(&labels) {
            if let Some(target) = case.and_then(|case| targets.get_mut(case as usize)) {
                *target = label;
            }
        }
        let value = self.operand(value);
        let inside = self.body.reg(RegClass::Mask);
        let index = self.body.reg(RegClass::Lane32);
        self.fused(Op::SetLtU32, inside, &[value, size.into()]);
        self.fused(Op::SelB32, index, &[value, size.into(), inside.into()]);
        let mut branch = VInst::new(Op::Brx, self.origin).src(&[index.into()]);
        branch.targets = targets;
        self.body.push(branch);
        let next = 0;
        self.open.push(Open::Switch { labels, next, end });
    }

    fn step(&mut self, step: &Step) {
        let inst = match step {
            Step::Assign(VariableId(k), value) => self.compute(value, self.variables[*k]),
            Step::Load(VariableId(k), array, index) => {
                let address = self.address(*array, index);
                VInst::new(Op::Ld, self.origin)
                    .dst(self.variables[*k])
                    .src(&[address.into()])
                    .mods(Access::plain(Space::Global, 2).pack())
            }
            Step::Store(array, index, value) => {
                let value = self.operand(value);
                let address = self.address(*array, index);
                VInst::new(Op::St, self.origin)
                    .src(&[address.into(), value])
                    .mods(Access::plain(Space::Global, 2).pack())
            }
        };
        self.body.push(VInst {
            guard: self.guard.map(|mask| (mask, false)),
            ..inst
        });
    }

    /// The address of an element: the array's address, a parameter, plus 4 bytes an element.
    fn address(&mut self, ArrayId(array): ArrayId, index: &Value) -> VReg {
        let index = self.operand(index);
        let base = self.body.reg(RegClass::Lane64);
        let load = VInst::new(Op::LdParam, self.origin)
            .dst(base)
            .low(array as u32 * ADDRESS_BYTES)
            .mods(Access::plain(Space::Param, 3).pack());
        self.body.push(load.fused());
        let address = self.body.reg(RegClass::Lane64);
        self.fused(
            Op::MadWideS32,
            address,
            &[index, ELEMENT_BYTES.into(), base.into()],
        );
        address
    }

    /// A condition as a mask.
    fn condition(&mut self, value: &Value) -> VReg {
        match self.operand(value) {
            Src::Reg(mask) => mask,
            // No condition is a constant.
            Src::Const(_) | Src::None => self.body.reg(RegClass::Mask),
        }
    }

    /// A value as an operand of the line's instruction.
    fn operand(&mut self, value: &Value) -> Src {
        let ty = match value {
            Value::Bits(bits) => return (*bits).into(),
            Value::Variable(VariableId(k)) => return self.variables[*k].into(),
            Value::Special(_) => Type::Int,
            Value::Apply(form, _) => form.result,
        };
        let result = self.body.reg(class(ty));
        let inst = self.compute(value, result);
        self.body.push(inst.fused());
        result.into()
    }

    /// The instruction that gives a value, after those that give its operands.
    fn compute(&mut self, value: &Value, result: VReg) -> VInst {
        let is_mask = self.body.class(result) == RegClass::Mask;
        let (op, mods, sources) = match value {
            Value::Special(special) => {
                let mods = Mods::NONE.with_high(special.code() as u16);
                (Op::Special, mods, Vec::new())
            }
            Value::Bits(_) | Value::Variable(_) => {
                let op = if is_mask { Op::MaskMov } else { Op::MovB32 };
                (op, Mods::NONE, vec![self.operand(value)])
            }
            Value::Apply(form, values) => {
                let given: Vec<Src> = values.iter().map(|value| self.operand(value)).collect();
                let sources = form
                    .operands
                    .iter()
                    .map(|&k| given.get(k).copied().unwrap_or(Src::None));
                (form.op, form.mods(), sources.collect())
            }
        };
        VInst::new(op, self.origin)
            .dst(result)
            .src(&sources)
            .mods(mods)
    }

    fn fused(&mut self, op: Op, result: VReg, sources: &[Src]) {
        let inst = VInst::new(op, self.origin).dst(result).src(sources);
        self.body.push(inst.fused());
    }

    /// The counted branch of `if` and `while`: lanes without the condition go to `target`.
    fn branch_unless(&mut self, condition: VReg, target: Label) {
        self.body.push(VInst {
            guard: Some((condition, true)),
            targets: vec![target],
            ..VInst::new(Op::Bra, self.origin)
        });
    }

    fn jump(&mut self, target: Label) {
        self.body.push(VInst {
            targets: vec![target],
            ..VInst::new(Op::Bra, self.origin).fused()
        });
    }
}
