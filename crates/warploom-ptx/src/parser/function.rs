//! Kernels, functions and their signatures.

use super::declaration::Unsized;
use super::{Parse, Parser, unresolved};
use crate::ast::{
    Function, FunctionId, FunctionKind, LaunchBounds, Linkage, Parameter, ParameterStorage,
    Signature,
};
use crate::codes;
use crate::lexer::Token;
use crate::types::StateSpace;

/// The directives between the parameters and the body.
const FUNCTION_DIRECTIVES: &[&str] = &[
    "maxntid",
    "reqntid",
    "maxnreg",
    "minnctapersm",
    "maxnctapersm",
    "reqnctapercluster",
    "maxclusterrank",
    "explicitcluster",
    "blocksareclusters",
    "noreturn",
    "abi_preserve",
    "abi_preserve_control",
    "unique",
    "attribute",
    "pragma",
];

const HELP: &str = "functions are `.entry NAME (PARAMETERS) { ... }` or `.func (RESULT) NAME \
                    (PARAMETERS) { ... }`";

impl Parser<'_> {
    /// An `.entry` or `.func`, which is the current token.
    pub(super) fn function(&mut self, linkage: Linkage) -> Parse<()> {
        let kind = match self.directive() {
            Some("entry") => FunctionKind::Entry,
            _ => FunctionKind::Device,
        };
        self.bump();
        let id = self.next_function();
        let mut bounds = LaunchBounds::default();
        let mut signature = Signature::default();
        self.function_directives(&mut bounds, &mut signature)?;
        if self.token == Token::OpenParen {
            let open = self.span;
            signature.results = self.parameters(id, kind)?;
            if kind == FunctionKind::Entry {
                return self.error_at(
                    codes::PARAMETER,
                    open.to(self.previous),
                    "kernels have no results",
                    "not allowed here",
                    "let the kernel write to memory, or make it a `.func`",
                );
            }
        }
        let (name, name_span) = self.name("the name of the function", HELP)?;
        if self.token == Token::OpenParen {
            signature.parameters = self.parameters(id, kind)?;
        }
        self.function_directives(&mut bounds, &mut signature)?;
        // Reserved before the body is read, so that it has its number.
        self.module.functions.push(Function {
            kind,
            name,
            name_span,
            linkage,
            signature,
            bounds,
            body: None,
            canonical: id,
        });
        match self.token {
            Token::OpenBrace => {
                let body = self.body(id);
                if let Some(function) = self.module.functions.get_mut(id.index()) {
                    function.body = Some(body);
                }
                Ok(())
            }
            Token::Semicolon => {
                self.bump();
                Ok(())
            }
            _ => self.expected("`{` or `;`", HELP),
        }
    }

    fn function_directives(
        &mut self,
        bounds: &mut LaunchBounds,
        signature: &mut Signature,
    ) -> Parse<()> {
        let help = "write the numbers after the directive, separated by commas";
        while let Some(name) = self.directive() {
            let span = self.span;
            self.bump();
            match name {
                "maxntid" => bounds.max_threads = Some(self.three(help)?),
                "reqntid" => bounds.required_threads = Some(self.three(help)?),
                "reqnctapercluster" => bounds.required_cluster = Some(self.three(help)?),
                "maxnreg" => bounds.max_registers = Some(self.u32_number("a number", help)?),
                "minnctapersm" => {
                    bounds.min_blocks_per_sm = Some(self.u32_number("a number", help)?);
                }
                "maxnctapersm" => {
                    bounds.max_blocks_per_sm = Some(self.u32_number("a number", help)?);
                }
                "maxclusterrank" => {
                    bounds.max_cluster_rank = Some(self.u32_number("a number", help)?);
                }
                "explicitcluster" => bounds.explicit_cluster = true,
                "blocksareclusters" => bounds.blocks_are_clusters = true,
                "noreturn" => signature.no_return = true,
                // How many registers a call keeps matters to a register allocator only.
                "abi_preserve" | "abi_preserve_control" => {
                    self.u32_number("a number", help)?;
                }
                "unique" => {}
                "attribute" => {
                    self.attributes()?;
                }
                "pragma" => {
                    self.pragma()?;
                }
                _ => return self.unknown_directive(name, span, FUNCTION_DIRECTIVES),
            }
        }
        Ok(())
    }

    /// One to three numbers; the others are 1.
    fn three(&mut self, help: &str) -> Parse<[u32; 3]> {
        let mut sizes = [1; 3];
        for (at, size) in sizes.iter_mut().enumerate() {
            if at > 0 && !self.eat(Token::Comma) {
                break;
            }
            *size = self.u32_number("a number", help)?;
        }
        Ok(sizes)
    }

    /// `(.param .u32 a, .reg .u32 b)`
    fn parameters(&mut self, owner: FunctionId, kind: FunctionKind) -> Parse<Vec<Parameter>> {
        let help = "parameters are `.param .TYPE NAME`, separated by commas";
        self.expect(Token::OpenParen, "`(`", help)?;
        let mut parameters = Vec::new();
        if self.eat(Token::CloseParen) {
            return Ok(parameters);
        }
        loop {
            let span = self.span;
            let parameter = match self.directive() {
                Some("param") => {
                    self.bump();
                    let head =
                        self.variable_head(StateSpace::Param, Linkage::Internal, Some(owner))?;
                    let (symbol, span) =
                        self.name_or_underscore("the name of the parameter", help)?;
                    let variable = self.variable(head, symbol, span, Unsized::Allowed)?;
                    Parameter {
                        name: unresolved(symbol),
                        span,
                        storage: ParameterStorage::Variable(variable),
                    }
                }
                Some("reg") if kind == FunctionKind::Device => {
                    self.bump();
                    let (ty, vector) = self.register_type()?;
                    let (symbol, span) =
                        self.name_or_underscore("the name of the parameter", help)?;
                    Parameter {
                        name: unresolved(symbol),
                        span,
                        storage: ParameterStorage::Register { ty, vector },
                    }
                }
                Some("reg") => {
                    return self.error_at(
                        codes::PARAMETER,
                        span,
                        "kernel parameters can't be registers",
                        "expected `.param`",
                        "declare the parameter as `.param` and load it with `ld.param`",
                    );
                }
                _ => return self.expected("`.param` or `.reg`", help),
            };
            parameters.push(parameter);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::CloseParen, "`,` or `)`", help)?;
        Ok(parameters)
    }

    /// `(RESULT) _ (PARAMETERS) .noreturn;` after `.callprototype`.
    pub(super) fn prototype(&mut self, owner: FunctionId) -> Parse<Signature> {
        let help = "write `.callprototype (RESULT) _ (PARAMETERS);`";
        let mut signature = Signature::default();
        if self.token == Token::OpenParen {
            signature.results = self.parameters(owner, FunctionKind::Device)?;
        }
        self.name_or_underscore("`_`", help)?;
        if self.token == Token::OpenParen {
            signature.parameters = self.parameters(owner, FunctionKind::Device)?;
        }
        let mut bounds = LaunchBounds::default();
        self.function_directives(&mut bounds, &mut signature)?;
        self.expect(Token::Semicolon, "`;`", help)?;
        Ok(signature)
    }
}
