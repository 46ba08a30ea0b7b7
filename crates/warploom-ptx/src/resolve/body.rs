//! Names inside functions.

use super::scope::Numbered;
use super::{Resolver, Use};
use crate::ast::{
    Address, Body, FunctionId, MarkKind, Name, Operand, OperandKind, ParameterStorage,
    RegisterDeclarationId, Symbol, Target,
};
use crate::codes;
use crate::diagnostic::{Diagnostic, Span};
use crate::types::ScalarType;

/// How far the look-ups in a body have got.
#[derive(Default)]
struct Walk {
    instruction: usize,
    operand: usize,
}

impl Resolver<'_, '_> {
    pub(super) fn bodies(&mut self) {
        for index in 0..self.module.functions.len() {
            // The body is out of the module while names that it uses are looked up there.
            let Some(mut body) = self.module.functions[index].body.take() else {
                continue;
            };
            if !self.diagnostics.is_full() {
                self.body(FunctionId(index as u32), &mut body);
            }
            self.module.functions[index].body = Some(body);
        }
    }

    fn body(&mut self, id: FunctionId, body: &mut Body) {
        self.current.register_ids.clear();
        self.current.reported.clear();
        self.current.declarations = std::mem::take(&mut body.register_declarations);
        self.current.labels = std::mem::take(&mut body.labels);

        let marks = std::mem::take(&mut body.marks);
        let block_names = names_by_block(&marks);
        let mut blocks_opened = 0;
        self.open(body, &block_names, blocks_opened);
        self.declare_parameters(id);
        let mut walk = Walk::default();
        for mark in marks {
            self.instructions(body, &mut walk, mark.position as usize);
            match mark.kind {
                MarkKind::OpenScope => {
                    blocks_opened += 1;
                    self.open(body, &block_names, blocks_opened);
                }
                MarkKind::CloseScope => self.close(),
                MarkKind::Register(id) => self.declare_register(id),
                MarkKind::Variable(id) => {
                    let variable = self.module.variable(id);
                    let (name, span) = (variable.name, variable.span);
                    self.declare(name, Target::Variable(id), span);
                }
                MarkKind::VariableTemplate(id) => self.declare_template(id),
                // The block declared them when it was opened.
                MarkKind::Label(_) | MarkKind::Prototype(_) => {}
                MarkKind::BranchTable(id) => {
                    for (name, span) in &mut body.branch_tables[id.index()].targets {
                        *name = self.label_name(*name, *span);
                    }
                }
                MarkKind::CallTable(id) => {
                    for (name, span) in &mut body.call_tables[id.index()].targets {
                        *name = self.function_name(*name, *span);
                    }
                }
            }
        }
        self.instructions(body, &mut walk, body.instructions.len());
        self.close();

        body.registers = std::mem::take(&mut self.current.registers);
        body.register_declarations = std::mem::take(&mut self.current.declarations);
        body.labels = std::mem::take(&mut self.current.labels);
    }

    /// Opens block number `block`, with its labels and tables.
    fn open(&mut self, body: &Body, block_names: &[(u32, MarkKind)], block: u32) {
        self.scopes.open();
        let from = block_names.partition_point(|(number, _)| *number < block);
        let names = block_names.get(from..).unwrap_or(&[]).iter();
        for (_, kind) in names.take_while(|(number, _)| *number == block) {
            let (name, span, target) = match *kind {
                MarkKind::Label(id) => {
                    let label = self.current.labels[id.index()];
                    (label.name, label.span, Target::Label(id))
                }
                MarkKind::BranchTable(id) => {
                    let table = &body.branch_tables[id.index()];
                    (table.name, table.span, Target::BranchTable(id))
                }
                MarkKind::CallTable(id) => {
                    let table = &body.call_tables[id.index()];
                    (table.name, table.span, Target::CallTable(id))
                }
                MarkKind::Prototype(id) => {
                    let prototype = &body.prototypes[id.index()];
                    (prototype.name, prototype.span, Target::Prototype(id))
                }
                _ => continue,
            };
            self.declare(name, target, span);
        }
    }

    fn close(&mut self) {
        for conflict in self.scopes.close(&self.module.names) {
            self.duplicate(conflict.symbol, conflict.earlier, conflict.later);
        }
    }

    fn declare(&mut self, name: Symbol, target: Target, span: Span) {
        if let Err(earlier) = self.scopes.declare(name, target, span) {
            self.duplicate(name, earlier.declared, span);
        }
    }

    fn declare_parameters(&mut self, id: FunctionId) {
        let mut signature = std::mem::take(&mut self.module.functions[id.index()].signature);
        for parameter in signature
            .results
            .iter_mut()
            .chain(&mut signature.parameters)
        {
            let symbol = parameter.name.symbol;
            let target = match parameter.storage {
                ParameterStorage::Variable(id) => Target::Variable(id),
                ParameterStorage::Register { ty, vector } => {
                    Target::Register(self.new_register(symbol, ty, vector, parameter.span))
                }
            };
            parameter.name.target = target;
            if self.module.text(symbol) != "_" {
                self.declare(symbol, target, parameter.span);
            }
        }
        self.module.functions[id.index()].signature = signature;
    }

    fn declare_register(&mut self, id: RegisterDeclarationId) {
        let declaration = self.current.declarations[id.index()];
        let (name, span) = (declaration.name, declaration.span);
        let Some(count) = declaration.count else {
            let register = self.new_register(name, declaration.ty, declaration.vector, span);
            return self.declare(name, Target::Register(register), span);
        };
        let numbered = Numbered::Register(id);
        let names = &self.module.names;
        if let Err(earlier) = self
            .scopes
            .declare_range(name, numbered, count, span, names)
        {
            self.duplicate(name, earlier, span);
        }
    }

    fn label_name(&mut self, name: Name, span: Span) -> Name {
        let found = self.resolved(name, span, Use::Label);
        if !matches!(found.target, Target::Label(_) | Target::Unresolved) {
            self.wrong_kind(&found, span, "a label");
        }
        found
    }

    /// Looks up the names in the instructions before number `end`.
    fn instructions(&mut self, body: &mut Body, walk: &mut Walk, end: usize) {
        let instructions = body.instructions.get_mut(walk.instruction..end);
        walk.instruction = end;
        for instruction in instructions.into_iter().flatten() {
            if let Some(guard) = &mut instruction.guard {
                guard.predicate = self.guard(guard.predicate, guard.span);
            }
            // Operands inside vectors, lists and addresses stand before those around them.
            let list = instruction.operands.range();
            let operands = body.operands.get_mut(walk.operand..list.end);
            walk.operand = walk.operand.max(list.end);
            let purpose = Use::Operand(instruction.opcode);
            for operand in operands.into_iter().flatten() {
                self.operand(operand, &mut body.addresses, purpose);
            }
        }
    }

    fn guard(&mut self, predicate: Name, span: Span) -> Name {
        let found = self.resolved(predicate, span, Use::Guard);
        let is_predicate = match found.target {
            Target::Register(id) => {
                let register = self.current.registers.get(id.index());
                register.is_some_and(|r| r.ty == ScalarType::Pred && r.vector == 1)
            }
            Target::Unresolved => true,
            _ => false,
        };
        if !is_predicate {
            self.wrong_kind(&found, span, "a predicate register");
        }
        found
    }

    #[inline]
    fn operand(&mut self, operand: &mut Operand, addresses: &mut [Address], purpose: Use) {
        let span = operand.span;
        match &mut operand.kind {
            OperandKind::Name(name) | OperandKind::Not(name) | OperandKind::Negate(name) => {
                *name = self.resolved(*name, span, purpose);
            }
            OperandKind::Address(id) | OperandKind::NameOffset(id) => {
                if let Some(address) = addresses.get_mut(id.index()) {
                    self.address(address, purpose);
                }
            }
            OperandKind::Element(id) => {
                if let Some(address) = addresses.get_mut(id.index()) {
                    self.element(address, span, purpose);
                }
            }
            OperandKind::Integer(_)
            | OperandKind::Float(_)
            | OperandKind::WarpSize
            | OperandKind::Sink
            | OperandKind::Vector(_)
            | OperandKind::List(_)
            | OperandKind::Pair(_) => {}
        }
    }

    fn address(&mut self, address: &mut Address, purpose: Use) {
        let Some(base) = &mut address.base else {
            return;
        };
        *base = self.resolved(*base, address.base_span, purpose);
        match base.target {
            Target::Register(_)
            | Target::Variable(_)
            | Target::Function(_)
            | Target::Special(_)
            | Target::Unresolved => {}
            _ => self.wrong_kind(base, address.base_span, "a register or variable"),
        }
    }

    fn element(&mut self, address: &mut Address, span: Span, purpose: Use) {
        let Some(base) = &mut address.base else {
            return;
        };
        *base = self.resolved(*base, address.base_span, purpose);
        match base.target {
            Target::Variable(id) => {
                // Sizes of elements are 32 bytes at most.
                address.scale_bytes = self.module.variable(id).element_bytes() as u32;
            }
            Target::Unresolved => {}
            _ => self.wrong_kind(base, address.base_span, "an array"),
        }
        match address.offset.checked_mul(i64::from(address.scale_bytes)) {
            Some(offset) => address.offset = offset,
            None => {
                let message = "the index is too large for any array";
                let report = Diagnostic::new(codes::RANGE, span, message, "index out of range");
                self.diagnostics
                    .push(report.with_help("use an index inside the array"));
            }
        }
        if let Some(index) = &mut address.index {
            *index = self.resolved(*index, span, purpose);
            if !matches!(index.target, Target::Register(_) | Target::Unresolved) {
                self.wrong_kind(index, span, "a register");
            }
        }
    }
}

/// The labels and tables of each block, by its number in order of opening; the function itself
/// is number 0.
fn names_by_block(marks: &[crate::ast::Mark]) -> Vec<(u32, MarkKind)> {
    let mut opened = 0;
    let mut inside = vec![0];
    let mut names = Vec::new();
    for mark in marks {
        match mark.kind {
            MarkKind::OpenScope => {
                opened += 1;
                inside.push(opened);
            }
            MarkKind::CloseScope => {
                inside.pop();
            }
            MarkKind::Label(_)
            | MarkKind::BranchTable(_)
            | MarkKind::CallTable(_)
            | MarkKind::Prototype(_) => {
                names.push((inside.last().copied().unwrap_or(0), mark.kind));
            }
            MarkKind::Register(_) | MarkKind::Variable(_) | MarkKind::VariableTemplate(_) => {}
        }
    }
    names.sort_by_key(|(block, _)| *block);
    names
}
