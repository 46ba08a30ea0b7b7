//! Names at module level.

use super::scope::Numbered;
use super::{Resolver, Use};
use crate::ast::{
    Function, FunctionId, Linkage, Name, Parameter, ParameterStorage, Target, Variable, VariableId,
    VariableTemplateId,
};
use crate::codes;
use crate::diagnostic::{Diagnostic, Span};

/// Declarations of names that were declared before, with the first of them.
#[derive(Default)]
struct Repeated {
    functions: Vec<(FunctionId, FunctionId)>,
    variables: Vec<(VariableId, VariableId)>,
}

/// Something that is declared at module level.
enum Declaration {
    Function(FunctionId),
    Variable(VariableId),
    Template(VariableTemplateId),
}

impl Resolver<'_, '_> {
    /// Declares functions and variables, then looks up the names in initialisers and aliases.
    pub(super) fn module_names(&mut self) {
        let mut repeated = Repeated::default();
        for declaration in self.declarations_in_order() {
            match declaration {
                Declaration::Function(id) => self.declare_function(id, &mut repeated),
                Declaration::Variable(id) => self.declare_variable(id, &mut repeated),
                Declaration::Template(id) => self.declare_template(id),
            }
        }
        for (later, first) in repeated.functions {
            let canonical = self.module.function(first).canonical;
            self.module.functions[later.index()].canonical = canonical;
        }
        for (later, first) in repeated.variables {
            let canonical = self.module.variable(first).canonical;
            self.module.variables[later.index()].canonical = canonical;
        }
        for index in 0..self.module.initial_addresses.len() {
            let address = self.module.initial_addresses[index];
            let found = self.resolved(address.name, address.span, Use::Initializer);
            let addressable = matches!(
                found.target,
                Target::Variable(_) | Target::Function(_) | Target::Unresolved
            );
            if !addressable {
                self.wrong_kind(&found, address.span, "a variable or function");
            }
            self.module.initial_addresses[index].name = found;
        }
        for index in 0..self.module.aliases.len() {
            let alias = &self.module.aliases[index];
            let (name, name_span) = (alias.name, alias.name_span);
            let (target, target_span) = (alias.target, alias.target_span);
            let name = self.function_name(name, name_span);
            let target = self.function_name(target, target_span);
            if let (Target::Function(name), Target::Function(target)) = (name.target, target.target)
            {
                self.module.functions[name.index()].canonical = target;
            }
            self.module.aliases[index].name = name;
            self.module.aliases[index].target = target;
        }
    }

    fn declarations_in_order(&self) -> Vec<Declaration> {
        let module = &self.module;
        let functions = (0..).zip(&module.functions);
        let functions =
            functions.map(|(id, f)| (f.name_span.start, Declaration::Function(FunctionId(id))));
        let variables = (0..)
            .zip(&module.variables)
            .filter(|(_, v)| v.owner.is_none());
        let variables =
            variables.map(|(id, v)| (v.span.start, Declaration::Variable(VariableId(id))));
        let templates = (0..).zip(&module.variable_templates);
        let templates = templates
            .filter(|(_, t)| t.variable.owner.is_none())
            .map(|(id, t)| {
                let id = VariableTemplateId(id);
                (t.variable.span.start, Declaration::Template(id))
            });
        let mut all: Vec<_> = functions.chain(variables).chain(templates).collect();
        all.sort_by_key(|(start, _)| *start);
        all.into_iter()
            .map(|(_, declaration)| declaration)
            .collect()
    }

    /// Looks up a name that has to be a function.
    pub(super) fn function_name(&mut self, name: Name, span: Span) -> Name {
        let found = self.resolved(name, span, Use::Function);
        if !matches!(found.target, Target::Function(_) | Target::Unresolved) {
            self.wrong_kind(&found, span, "a function");
        }
        found
    }

    fn declare_function(&mut self, id: FunctionId, repeated: &mut Repeated) {
        let function = self.module.function(id);
        let (name, span) = (function.name, function.name_span);
        let Err(earlier) = self.scopes.declare(name, Target::Function(id), span) else {
            return;
        };
        let Target::Function(first) = earlier.target else {
            return self.duplicate(name, earlier.declared, span);
        };
        // Only the first declaration knows the canonical one until all are read.
        let known = self.module.function(first).canonical;
        let (known_function, function) = (self.module.function(known), self.module.function(id));
        if known_function.body.is_some() && function.body.is_some() {
            return self.duplicate(name, known_function.name_span, span);
        }
        if let Some(difference) = function_difference(self.module, known_function, function) {
            let text = self.module.text(name);
            let message = format!("the declarations of `{text}` differ in {difference}");
            let report = Diagnostic::new(codes::INCONSISTENT, span, message, "differs from before")
                .with_label(known_function.name_span, "declared here first")
                .with_help("make the two declarations the same");
            self.diagnostics.push(report);
        }
        let canonical = if function.body.is_some() { id } else { known };
        self.module.functions[first.index()].canonical = canonical;
        repeated.functions.push((id, first));
    }

    fn declare_variable(&mut self, id: VariableId, repeated: &mut Repeated) {
        let variable = self.module.variable(id);
        let (name, span) = (variable.name, variable.span);
        let Err(earlier) = self.scopes.declare(name, Target::Variable(id), span) else {
            return;
        };
        let Target::Variable(first) = earlier.target else {
            return self.duplicate(name, earlier.declared, span);
        };
        let known = self.module.variable(first).canonical;
        let (known_variable, variable) = (self.module.variable(known), self.module.variable(id));
        let defines = |variable: &Variable| variable.linkage != Linkage::Extern;
        if defines(known_variable) && defines(variable) {
            return self.duplicate(name, known_variable.span, span);
        }
        if !same_variable(known_variable, variable) {
            let text = self.module.text(name);
            let message = format!("the declarations of `{text}` differ");
            let report = Diagnostic::new(codes::INCONSISTENT, span, message, "differs from before")
                .with_label(known_variable.span, "declared here first")
                .with_help("give both the same state space, type and dimensions");
            self.diagnostics.push(report);
        }
        let canonical = if defines(variable) { id } else { known };
        self.module.variables[first.index()].canonical = canonical;
        repeated.variables.push((id, first));
    }

    /// Declares `NAME0` to `NAME(count-1)` in the innermost scope.
    pub(super) fn declare_template(&mut self, id: VariableTemplateId) {
        let template = &self.module.variable_templates[id.index()];
        let (name, span) = (template.variable.name, template.variable.span);
        let numbered = Numbered::Variable(id);
        let names = &self.module.names;
        let result = self
            .scopes
            .declare_range(name, numbered, template.count, span, names);
        if let Err(earlier) = result {
            self.duplicate(name, earlier, span);
        }
    }
}

/// What two declarations of a function disagree about.
fn function_difference(
    module: &crate::ast::Module<'_>,
    a: &Function,
    b: &Function,
) -> Option<&'static str> {
    if a.kind != b.kind {
        return Some("being an `.entry` or a `.func`");
    }
    let same = |a: &[Parameter], b: &[Parameter]| {
        let alike = |(a, b): (&Parameter, &Parameter)| match (a.storage, b.storage) {
            (ParameterStorage::Variable(a), ParameterStorage::Variable(b)) => {
                same_variable(module.variable(a), module.variable(b))
            }
            (a, b) => a == b,
        };
        a.len() == b.len() && a.iter().zip(b).all(alike)
    };
    if !same(&a.signature.results, &b.signature.results) {
        return Some("their results");
    }
    (!same(&a.signature.parameters, &b.signature.parameters)).then_some("their parameters")
}

fn same_variable(a: &Variable, b: &Variable) -> bool {
    let same_size = a.unsized_array || b.unsized_array || a.dimensions == b.dimensions;
    a.space == b.space && a.ty == b.ty && a.vector == b.vector && same_size
}
