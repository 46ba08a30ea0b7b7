//! What several tests share: wrapping statements in a module, and a compact printed form of the
//! tree with all names resolved.

#![allow(dead_code, reason = "each test file uses a part of this")]

use warploom_ptx::ast::{
    Address, Body, Float, Integer, Module, Name, Operand, OperandKind, Selector, Target,
};
use warploom_ptx::diagnostic::{Diagnostic, LineIndex};

/// The header that the tests' modules begin with.
pub const HEADER: &str = ".version 8.6\n.target sm_90\n.address_size 64\n";

/// Parses a module that has to be right.
pub fn valid(source: &str) -> Module<'_> {
    let (module, diagnostics) = warploom_ptx::parse(source, "test.ptx");
    assert!(diagnostics.is_empty(), "{}", listing(source, &diagnostics));
    module
}

/// `LINE:COLUMN: CODE MESSAGE`, one a line.
pub fn listing(source: &str, diagnostics: &[Diagnostic]) -> String {
    let lines = LineIndex::new(source);
    let entries = diagnostics.iter().map(|d| {
        let place = lines.line_column(source, d.span().start);
        format!(
            "{}:{}: {} {}\n",
            place.line, place.column, d.code, d.message
        )
    });
    entries.collect()
}

/// A module with one kernel that has these statements and some registers.
pub fn kernel(statements: &str) -> String {
    format!(
        "{HEADER}.global .b32 g[8];\n.entry k(.param .u64 a)\n{{\n.reg .b32 %r<9>;\n\
         .reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n.reg .pred %p<9>;\n{statements}\n}}\n"
    )
}

/// The printed instructions of `kernel(statements)`, which has to be right.
pub fn instructions(statements: &str) -> Vec<String> {
    let source = kernel(statements);
    let module = valid(&source);
    let body = module.functions.last().and_then(|f| f.body.as_ref());
    print_body(&module, body.expect("the kernel has a body"))
}

/// Registers print as `name`, variables as `space:name`, labels as `name->position`, functions
/// as `fn:name`, special registers as `name!`, what is unresolved as `name?`.
pub fn print_body(module: &Module<'_>, body: &Body) -> Vec<String> {
    let print = |instruction: &warploom_ptx::ast::Instruction| {
        let guard = instruction.guard.map_or(String::new(), |guard| {
            let not = if guard.negated { "!" } else { "" };
            format!("@{not}{} ", print_name(module, body, &guard.predicate))
        });
        let parts = module.opcode(instruction.opcode).parts.iter();
        let opcode: Vec<_> = parts.map(|part| part.text).collect();
        let operands = print_list(module, body, body.operands(instruction.operands));
        format!("{guard}{} {operands}", opcode.join("."))
            .trim_end()
            .to_owned()
    };
    body.instructions.iter().map(print).collect()
}

fn print_list(module: &Module<'_>, body: &Body, operands: &[Operand]) -> String {
    let printed: Vec<_> = operands
        .iter()
        .map(|o| print_operand(module, body, o))
        .collect();
    printed.join(", ")
}

pub fn print_operand(module: &Module<'_>, body: &Body, operand: &Operand) -> String {
    let list = |range| print_list(module, body, body.operands(range));
    match operand.kind {
        OperandKind::Name(name) => print_name(module, body, &name),
        OperandKind::NameOffset(id) => print_address(module, body, body.address(id)),
        OperandKind::Not(name) => format!("!{}", print_name(module, body, &name)),
        OperandKind::Negate(name) => format!("-{}", print_name(module, body, &name)),
        OperandKind::Integer(Integer { bits, unsigned }) if unsigned => format!("{bits}U"),
        OperandKind::Integer(value) => value.value().to_string(),
        OperandKind::Float(Float::Single(bits)) => format!("0f{bits:08X}"),
        OperandKind::Float(Float::Double(bits)) => format!("0d{bits:016X}"),
        OperandKind::WarpSize => "WARP_SZ".to_owned(),
        OperandKind::Sink => "_".to_owned(),
        OperandKind::Vector(range) => format!("{{{}}}", list(range)),
        OperandKind::List(range) => format!("({})", list(range)),
        OperandKind::Pair(range) => {
            let pair = body.operands(range).iter();
            pair.map(|o| print_operand(module, body, o))
                .collect::<Vec<_>>()
                .join("|")
        }
        OperandKind::Address(id) => {
            let address = body.address(id);
            let arguments = list(address.arguments);
            let comma = if arguments.is_empty() { "" } else { ", " };
            let unified = if address.unified { ".unified" } else { "" };
            let place = print_address(module, body, address);
            format!("[{place}{comma}{arguments}]{unified}")
        }
        OperandKind::Element(id) => {
            format!("element {}", print_address(module, body, body.address(id)))
        }
    }
}

fn print_address(module: &Module<'_>, body: &Body, address: &Address) -> String {
    let base = address.base.map(|base| print_name(module, body, &base));
    let index = address.index.map(|index| {
        format!(
            "+{}*{}",
            print_name(module, body, &index),
            address.scale_bytes
        )
    });
    let offset = format!("{:+}", address.offset);
    match base {
        Some(base) => format!("{base}{}{offset}", index.unwrap_or_default()),
        None => address.offset.to_string(),
    }
}

pub fn print_name(module: &Module<'_>, body: &Body, name: &Name) -> String {
    let text = module.text(name.symbol);
    let selector = match name.selector {
        None => String::new(),
        Some(Selector::Element(n)) => format!(".{n}"),
        Some(Selector::Bytes(s)) => format!(".b{:?}", &s.digits[..usize::from(s.count)]),
        Some(Selector::Halves(s)) => format!(".h{:?}", &s.digits[..usize::from(s.count)]),
    };
    let printed = match name.target {
        Target::Unresolved => format!("{text}?"),
        Target::Register(id) => {
            assert_eq!(body.register(id).name, name.symbol);
            text.to_owned()
        }
        Target::Variable(id) => format!("{}:{text}", module.variable(id).space.name()),
        Target::Function(id) => format!("fn:{}", module.text(module.function(id).name)),
        Target::Label(id) => format!("{text}->{}", body.label(id).position),
        Target::BranchTable(_) => format!("branches:{text}"),
        Target::CallTable(_) => format!("calls:{text}"),
        Target::Prototype(_) => format!("prototype:{text}"),
        Target::Special(_) => format!("{text}!"),
    };
    printed + &selector
}
