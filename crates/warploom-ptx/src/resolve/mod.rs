//! Ties every name of a parsed module to what it stands for, in place.
//!
//! Module-level names are collected first. Then each body is walked once, in source order:
//! declarations open and close names (see [`scope`]), and everything between them is looked up.
//! Labels and tables are declared when their block opens, because branches may precede them.
//! Registers get dense numbers in the order of their first mention.

mod body;
mod lookup;
mod module;
mod report;
mod scope;

use crate::ast::{
    Label, Module, OpcodeId, Register, RegisterDeclaration, RegisterDeclarationId, RegisterId,
    Symbol, VariableId, VariableTemplateId,
};
use crate::diagnostic::Diagnostics;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Scopes;

/// Fills in all targets of `module` and reports the names that have none; unless declarations
/// could not be read, which would make every use of theirs an error too.
pub(crate) fn resolve(module: &mut Module<'_>, diagnostics: &mut Diagnostics, names_lost: bool) {
    let scopes = Scopes::new(module.names.len());
    let mut resolver = Resolver {
        module,
        diagnostics,
        names_lost,
        scopes,
        current: Current::default(),
        variable_ids: FxHashMap::default(),
    };
    resolver.module_names();
    resolver.bodies();
}

struct Resolver<'a, 's> {
    module: &'a mut Module<'s>,
    diagnostics: &'a mut Diagnostics,
    names_lost: bool,
    scopes: Scopes,
    current: Current,
    /// The variables of templates that were mentioned.
    variable_ids: FxHashMap<(VariableTemplateId, u32), VariableId>,
}

/// What look-ups need of the body that is being walked; moved out of it meanwhile.
#[derive(Default)]
struct Current {
    registers: Vec<Register>,
    declarations: Vec<RegisterDeclaration>,
    labels: Vec<Label>,
    /// The registers of ranges that were mentioned.
    register_ids: FxHashMap<(RegisterDeclarationId, u32), RegisterId>,
    /// The unknown names; one report for each is enough.
    reported: FxHashSet<Symbol>,
}

/// What a name is used for, which decides what to say if nobody declared it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Operand(OpcodeId),
    Guard,
    Label,
    Function,
    Initializer,
}
