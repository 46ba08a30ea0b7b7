//! What to say about names that are unknown, doubled or of the wrong kind.

use super::{Resolver, Use};
use crate::ast::{Name, Symbol, Target};
use crate::codes;
use crate::diagnostic::{Diagnostic, Span};
use crate::special::SpecialRegister;
use crate::suggest::nearest;

/// Suggestions look at no more names than this.
const MAX_CANDIDATES: usize = 20_000;

impl Resolver<'_, '_> {
    pub(super) fn duplicate(&mut self, name: Symbol, earlier: Span, later: Span) {
        let text = self.module.text(name);
        let message = format!("`{text}` is declared twice");
        let report = Diagnostic::new(codes::DUPLICATE, later, message, "declared again")
            .with_label(earlier, "declared here first")
            .with_help("rename one of them, or put it in a block `{ }` of its own");
        self.diagnostics.push(report);
    }

    pub(super) fn wrong_kind(&mut self, name: &Name, span: Span, expected: &str) {
        let text = self.module.text(name.symbol);
        let kind = match name.target {
            Target::Register(id) => {
                let register = self.current.registers.get(id.index());
                let ty = register.map_or("b32", |register| register.ty.name());
                format!("a `.{ty}` register")
            }
            Target::Variable(_) => "a variable".to_owned(),
            Target::Function(_) => "a function".to_owned(),
            Target::Label(_) => "a label".to_owned(),
            Target::BranchTable(_) => "a list of branch targets".to_owned(),
            Target::CallTable(_) => "a list of call targets".to_owned(),
            Target::Prototype(_) => "a call prototype".to_owned(),
            Target::Special(_) => "a special register".to_owned(),
            Target::Unresolved => return,
        };
        let message = format!("`{text}` is {kind}, expected {expected}");
        let report = Diagnostic::new(codes::KIND, span, message, format!("expected {expected}"))
            .with_help(format!("name {expected} here"));
        self.diagnostics.push(report);
    }

    /// Reports that nobody declared `symbol`, once for each body.
    pub(super) fn unknown(&mut self, symbol: Symbol, span: Span, purpose: Use) {
        if self.names_lost || !self.current.reported.insert(symbol) {
            return;
        }
        let text = self.module.text(symbol);
        let what = match purpose {
            Use::Operand(opcode) => match self.module.opcode(opcode).base() {
                "bra" => "label",
                "call" => "function",
                _ if text.starts_with('%') => "register",
                _ => "name",
            },
            Use::Guard => "predicate",
            Use::Label => "label",
            Use::Function => "function",
            Use::Initializer => "variable",
        };
        let report = Diagnostic::new(
            codes::UNKNOWN_NAME,
            span,
            format!("unknown {what} `{text}`"),
            format!("no such {what} in sight"),
        );
        let report = match self.other_block(symbol) {
            Some(declared) => report
                .with_label(declared, "declared here, out of sight")
                .with_help("names are known from their declaration to the end of its block `{ }`"),
            None => report.with_help(self.suggestion(symbol, what)),
        };
        self.diagnostics.push(report);
    }

    /// A declaration of the name that can't be seen from here.
    fn other_block(&self, symbol: Symbol) -> Option<Span> {
        let labels = self.current.labels.iter().map(|l| (l.name, l.span));
        let registers = self.current.declarations.iter();
        let registers = registers
            .filter(|r| r.count.is_none())
            .map(|r| (r.name, r.span));
        let found = labels.chain(registers).find(|(name, _)| *name == symbol);
        found.map(|(_, span)| span)
    }

    fn suggestion(&self, symbol: Symbol, what: &str) -> String {
        let names = &self.module.names;
        let text = names.text(symbol);
        if let Some((prefix, range)) = self.scopes.range_like(symbol, names) {
            let (prefix, count) = (names.text(prefix), range.count);
            return match count.checked_sub(1) {
                Some(last) => format!("`{prefix}<{count}>` declares {prefix}0 to {prefix}{last}"),
                None => format!("`{prefix}<0>` declares nothing"),
            };
        }
        let special = SpecialRegister::PLAIN
            .iter()
            .map(|register| register.name());
        let candidates = self
            .scopes
            .visible(names)
            .take(MAX_CANDIDATES)
            .chain(special);
        if let Some(near) = nearest(text, candidates) {
            return format!("did you mean `{near}`?");
        }
        match what {
            "label" => format!("put `{text}:` in front of the statement to branch to"),
            "function" => format!("declare it before this function, as `.extern .func {text};`"),
            "predicate" => format!("declare it with `.reg .pred {text};`"),
            "register" => format!("declare it with `.reg .TYPE {text};`"),
            _ => "declare it before its use".to_owned(),
        }
    }
}
