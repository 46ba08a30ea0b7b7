//! From a name to its target.

use super::scope::{Entry, Found, Numbered, Range};
use super::{Resolver, Use};
use crate::ast::{Name, Register, RegisterId, Selector, Symbol, Target, Variable, VariableId};
use crate::codes;
use crate::diagnostic::{Diagnostic, Span};
use crate::special::SpecialRegister;
use crate::types::ScalarType;

impl Resolver<'_, '_> {
    /// `name` with its target, or with none after a report.
    #[inline]
    pub(super) fn resolved(&mut self, name: Name, span: Span, purpose: Use) -> Name {
        let target = match self.scopes.look_up(name.symbol, &self.module.names) {
            Found::Known(target) => target,
            found => self.first_answer(found, name.symbol, span, purpose),
        };
        let name = Name { target, ..name };
        if name.selector.is_some() {
            self.check_selector(&name, span);
        }
        name
    }

    fn first_answer(&mut self, found: Found, symbol: Symbol, span: Span, purpose: Use) -> Target {
        let target = match found {
            Found::Known(target) => target,
            Found::Entry(entry) => self.entry_target(entry, symbol, span),
            Found::Member(range, number) => self.member(range, number, symbol),
            Found::Nothing => match SpecialRegister::from_name(self.module.text(symbol)) {
                Some(register) => Target::Special(register),
                None => {
                    self.unknown(symbol, span, purpose);
                    Target::Unresolved
                }
            },
        };
        self.scopes.remember(symbol, target);
        target
    }

    fn entry_target(&mut self, entry: Entry, symbol: Symbol, span: Span) -> Target {
        let target = match entry.target {
            Target::Function(id) => Target::Function(self.module.function(id).canonical),
            Target::Variable(id) => Target::Variable(self.module.variable(id).canonical),
            // Labels and tables may be named before they stand.
            other => return other,
        };
        if entry.declared.start > span.start {
            let text = self.module.text(symbol);
            let message = format!("`{text}` is used before it is declared");
            let report = Diagnostic::new(codes::ORDER, span, message, "not declared yet")
                .with_label(entry.declared, "declared only here")
                .with_help("move the declaration up, or declare the name before its use too");
            self.diagnostics.push(report);
        }
        target
    }

    /// The register or variable of a range, which gets its number now.
    fn member(&mut self, range: Range, number: u32, symbol: Symbol) -> Target {
        match range.numbered {
            Numbered::Register(declaration) => {
                let key = (declaration, number);
                if let Some(&id) = self.current.register_ids.get(&key) {
                    return Target::Register(id);
                }
                let Some(declared) = self.current.declarations.get(declaration.index()) else {
                    return Target::Unresolved;
                };
                let (ty, vector) = (declared.ty, declared.vector);
                let id = self.new_register(symbol, ty, vector, range.declared);
                self.current.register_ids.insert(key, id);
                Target::Register(id)
            }
            Numbered::Variable(template) => {
                let next = VariableId(self.module.variables.len() as u32);
                let id = *self.variable_ids.entry((template, number)).or_insert(next);
                if id == next {
                    let common = &self.module.variable_templates[template.index()].variable;
                    let variable = Variable {
                        name: symbol,
                        canonical: id,
                        ..common.clone()
                    };
                    self.module.variables.push(variable);
                }
                Target::Variable(id)
            }
        }
    }

    pub(super) fn new_register(
        &mut self,
        name: Symbol,
        ty: ScalarType,
        vector: u8,
        declared: Span,
    ) -> RegisterId {
        let id = RegisterId(self.current.registers.len() as u32);
        self.current.registers.push(Register {
            name,
            ty,
            vector,
            declared,
        });
        id
    }

    /// Element selectors must fit the vector; those of video instructions fit any register.
    fn check_selector(&mut self, name: &Name, span: Span) {
        let (Some(selector), target) = (name.selector, name.target) else {
            return;
        };
        let (problem, help) = match (target, selector) {
            (Target::Unresolved, _) => return,
            (Target::Special(register), Selector::Element(element)) => {
                if register.has_dimensions() {
                    return;
                }
                let _ = element;
                ("has no dimensions", "remove the selector")
            }
            (Target::Register(id), Selector::Element(element)) => {
                let vector = self
                    .current
                    .registers
                    .get(id.index())
                    .map_or(1, |r| r.vector);
                if vector == 1 {
                    ("is no vector", "remove the selector")
                } else if element >= vector {
                    (
                        "has fewer elements",
                        "a `.v2` register has elements .x and .y only",
                    )
                } else {
                    return;
                }
            }
            (Target::Register(_), _) => return,
            (Target::Special(_), _) => (
                "is no operand of a video instruction",
                "move it to a register first",
            ),
            _ => ("is no register", "load it into a register first"),
        };
        let text = self.module.text(name.symbol);
        let message = format!("`{text}` {problem}");
        let report = Diagnostic::new(
            codes::SELECTOR,
            span,
            message,
            "the selector selects nothing",
        );
        self.diagnostics.push(report.with_help(help));
    }
}
