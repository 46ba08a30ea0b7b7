//! The module's outermost level: header directives, and what they introduce.

use super::{Parse, Parser, unresolved};
use crate::ast::{Alias, Linkage, Section, SourceFile, Version};
use crate::codes;
use crate::constant::{Constant, parse_number};
use crate::diagnostic::{Diagnostic, Span};
use crate::lexer::Token;
use crate::suggest::nearest;
use crate::target;
use crate::types::StateSpace;

/// The directives that can start something at module level, for recovery and suggestions.
const MODULE_DIRECTIVES: &[&str] = &[
    "version",
    "target",
    "address_size",
    "file",
    "section",
    "pragma",
    "alias",
    "entry",
    "func",
    "extern",
    "visible",
    "weak",
    "common",
    "unique",
    "global",
    "const",
    "shared",
    "local",
    "param",
    "tex",
    "reg",
];

const VERSION_HELP: &str = "a module begins with `.version MAJOR.MINOR`, such as `.version 8.0`";
const TARGET_HELP: &str = "after `.version` comes `.target sm_NN`, such as `.target sm_80`";

impl<'s> Parser<'s> {
    /// Reads everything there is.
    pub(super) fn module(&mut self) {
        if self.token == Token::End {
            let message = "the file holds no PTX";
            let report = Diagnostic::new(codes::VERSION, self.span, message, "nothing here");
            self.diagnostics.push(report.with_help(VERSION_HELP));
            return;
        }
        self.header();
        while self.token != Token::End && !self.diagnostics.is_full() {
            let start = self.span;
            if self.module_item().is_err() {
                self.names_lost = true;
                if self.span == start {
                    self.bump();
                }
                self.recover_module();
            }
        }
    }

    /// `.version`, `.target` and `.address_size`, in this order.
    fn header(&mut self) {
        if self.eat_directive("version") {
            // Recovery stops before the next directive.
            if self.version().is_err() {
                self.recover_module();
            }
        } else {
            let message = "the module does not begin with `.version`";
            let report = Diagnostic::new(codes::VERSION, self.span, message, "expected `.version`");
            self.diagnostics.push(report.with_help(VERSION_HELP));
        }
        if self.directive() != Some("target") {
            let message = "the module has no `.target` after its `.version`";
            let report = Diagnostic::new(codes::TARGET, self.span, message, "expected `.target`");
            self.diagnostics.push(report.with_help(TARGET_HELP));
        }
    }

    fn version(&mut self) -> Parse<()> {
        let text = self.text();
        let number = |text: &str| text.parse::<u16>().ok();
        let parts = text.split_once('.');
        let version = parts.and_then(|(major, minor)| Some((number(major)?, number(minor)?)));
        let (Token::Number, Some((major, minor))) = (self.token, version) else {
            return self.error_at(
                codes::VERSION,
                self.span,
                format!("`{text}` is not a version"),
                "expected MAJOR.MINOR",
                VERSION_HELP,
            );
        };
        let span = self.span;
        self.bump();
        let version = Version { major, minor };
        self.module.version = version;
        if !target::is_version(version) {
            return self.error_at(
                codes::VERSION,
                span,
                format!("there is no PTX version {text}"),
                "unknown version",
                format!(
                    "versions go from 1.0 to {}.{}",
                    target::NEWEST.major,
                    target::NEWEST.minor
                ),
            );
        }
        if version > target::NEWEST {
            let message = format!("PTX {text} is newer than this front end");
            let report = Diagnostic::new(codes::NEWER, span, message, "newer version");
            self.diagnostics.push(report.with_help(format!(
                "it is read as version {}.{}; instructions that were added later are not known",
                target::NEWEST.major,
                target::NEWEST.minor
            )));
        }
        Ok(())
    }

    fn target(&mut self) -> Parse<()> {
        loop {
            let text = self.text();
            let span = self.span;
            if self.token != Token::Name {
                return self.expected("an architecture", TARGET_HELP);
            }
            self.bump();
            if target::TARGET_OPTIONS.contains(&text) {
                self.module.target.options.push(text);
            } else if let Some((number, suffix, since)) = target::architecture(text) {
                self.module.target.architecture = number;
                self.module.target.suffix = suffix;
                if self.module.version < since && self.module.version.major > 0 {
                    let Version { major, minor } = since;
                    let message = format!("target {text} needs PTX {major}.{minor} or later");
                    let report = Diagnostic::new(codes::TARGET_VERSION, span, message, "newer");
                    self.diagnostics.push(report.with_help(format!(
                        "write `.version {major}.{minor}` or later at the top"
                    )));
                }
            } else {
                let names = target::architecture_names().map(|name| name.to_string());
                let options = target::TARGET_OPTIONS.iter().map(|name| name.to_string());
                let help = match nearest(text, names.chain(options)) {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => TARGET_HELP.to_owned(),
                };
                return self.error_at(
                    codes::TARGET,
                    span,
                    format!("unknown target `{text}`"),
                    "not an architecture",
                    help,
                );
            }
            if !self.eat(Token::Comma) {
                return Ok(());
            }
        }
    }

    fn address_size(&mut self) -> Parse<()> {
        let span = self.span;
        let help = "write `.address_size 64`";
        let bits = self.u32_number("32 or 64", help)?;
        self.module.address_size_bits = bits;
        match bits {
            64 => Ok(()),
            32 => self.error_at(
                codes::ADDRESS_SIZE,
                span,
                "unsupported: 32-bit addresses",
                "only 64 is supported",
                "compile for 64-bit addresses (`nvcc -m64`)",
            ),
            _ => self.error_at(
                codes::ADDRESS_SIZE,
                span,
                format!("there is no address size of {bits} bits"),
                "expected 64",
                help,
            ),
        }
    }

    /// A plain non-negative number below 2³².
    pub(super) fn u32_number(&mut self, what: &str, help: &str) -> Parse<u32> {
        if self.token != Token::Number {
            return self.expected(what, help);
        }
        let text = self.text();
        match parse_number(text) {
            Ok(Constant::Integer(value)) => match u32::try_from(value.bits) {
                Ok(value) => {
                    self.bump();
                    Ok(value)
                }
                Err(_) => self.error_at(
                    codes::RANGE,
                    self.span,
                    format!("`{text}` is too large"),
                    format!("expected {what}"),
                    help,
                ),
            },
            _ => self.expected(what, help),
        }
    }

    fn module_item(&mut self) -> Parse<()> {
        let linkage = self.linkage();
        let Some(directive) = self.directive() else {
            let help = "functions begin with `.entry` or `.func`, variables with their state \
                        space, such as `.global`";
            return self.expected_here("a directive", help);
        };
        let span = self.span;
        match directive {
            "entry" | "func" => return self.function(linkage),
            "reg" => {
                return self.error_at(
                    codes::DIRECTIVE,
                    span,
                    "registers can't be declared outside functions",
                    "not inside a function",
                    "move the declaration into the functions that use it",
                );
            }
            "version" => {
                return self.error_at(
                    codes::DIRECTIVE,
                    span,
                    "`.version` is only allowed at the top of a module",
                    "second version",
                    "remove it; modules can't be concatenated",
                );
            }
            _ => {}
        }
        if let Some(space) = self.state_space() {
            return self.variables(space, linkage, None);
        }
        self.bump();
        match directive {
            "target" => self.target(),
            "address_size" => self.address_size(),
            "file" => self.file(),
            "loc" => self.location().map(drop),
            "section" => self.section(span),
            "pragma" => {
                let strings = self.pragma()?;
                self.module.pragmas.extend(strings);
                Ok(())
            }
            "alias" => self.alias(),
            _ => self.unknown_directive(directive, span, MODULE_DIRECTIVES),
        }
    }

    pub(super) fn unknown_directive<T>(
        &mut self,
        name: &str,
        span: Span,
        known: &[&str],
    ) -> Parse<T> {
        let help = match nearest(name, known) {
            Some(known) if *known != name => format!("did you mean `.{known}`?"),
            _ => format!("known here: .{}", known.join(" .")),
        };
        let message = format!("`.{name}` is not a directive that can stand here");
        self.error_at(
            codes::DIRECTIVE,
            span,
            message,
            "unexpected directive",
            help,
        )
    }

    /// `.extern`, `.visible`, `.weak`, `.common`; `.common` tells more than `.visible`.
    pub(super) fn linkage(&mut self) -> Linkage {
        let mut linkage = Linkage::Internal;
        loop {
            linkage = match self.directive() {
                Some("extern") => Linkage::Extern,
                Some("visible") if linkage == Linkage::Internal => Linkage::Visible,
                Some("visible" | "unique") => linkage,
                Some("weak") => Linkage::Weak,
                Some("common") => Linkage::Common,
                _ => return linkage,
            };
            self.bump();
        }
    }

    /// `.global` and the like, also with a bank as in `.const[2]`, which has no meaning any more.
    pub(super) fn state_space(&mut self) -> Option<StateSpace> {
        let space = StateSpace::from_name(self.directive()?)?;
        self.bump();
        Some(space)
    }

    /// `.file NUMBER "PATH", TIME, SIZE`
    pub(super) fn file(&mut self) -> Parse<()> {
        let help = "write `.file NUMBER \"PATH\"`";
        let number = self.u32_number("a file number", help)?;
        let path = self.string("a path in quotes", help)?;
        while self.eat(Token::Comma) {
            self.expect(Token::Number, "a number", help)?;
        }
        self.eat(Token::Semicolon);
        self.module.files.push(SourceFile { number, path });
        Ok(())
    }

    /// `.pragma "STRING", "STRING";`
    pub(super) fn pragma(&mut self) -> Parse<Vec<&'s str>> {
        let help = "write `.pragma \"nounroll\";`";
        let mut strings = Vec::new();
        loop {
            strings.push(self.string("a string", help)?);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::Semicolon, "`;`", help)?;
        Ok(strings)
    }

    /// `.alias NAME, FUNCTION;`
    fn alias(&mut self) -> Parse<()> {
        let help = "write `.alias NAME, FUNCTION;`";
        let (name, name_span) = self.name("a function name", help)?;
        self.expect(Token::Comma, "`,`", help)?;
        let (target, target_span) = self.name("a function name", help)?;
        self.expect(Token::Semicolon, "`;`", help)?;
        self.module.aliases.push(Alias {
            name: unresolved(name),
            name_span,
            target: unresolved(target),
            target_span,
        });
        Ok(())
    }

    /// `.section NAME { ... }`: debug data, of which nothing is needed.
    fn section(&mut self, start: Span) -> Parse<()> {
        let help = "write `.section NAME { ... }`";
        let name = match self.token {
            Token::Name | Token::Dotted | Token::Directive | Token::String => self.text(),
            _ => return self.expected("a section name", help),
        };
        self.bump();
        while self.eat(Token::Comma) {
            self.bump();
        }
        let open = self.span;
        self.expect(Token::OpenBrace, "`{`", help)?;
        loop {
            match self.token {
                Token::CloseBrace => break,
                Token::End => {
                    return self.error_at(
                        codes::UNCLOSED,
                        open,
                        "the section is not closed",
                        "opened here",
                        "add the missing `}`",
                    );
                }
                Token::Bad(fault) => return self.bad_token(fault),
                _ => self.bump(),
            }
        }
        let span = start.to(self.span);
        self.bump();
        self.module.sections.push(Section { name, span });
        Ok(())
    }

    /// Skips to behind the `;` or `}` that ends the broken item, or to the next line that begins
    /// with a directive of this level.
    fn recover_module(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.token {
                Token::End => return,
                Token::OpenBrace => depth += 1,
                Token::CloseBrace if depth <= 1 => {
                    self.bump();
                    self.eat(Token::Semicolon);
                    return;
                }
                Token::CloseBrace => depth -= 1,
                Token::Semicolon if depth == 0 => return self.bump(),
                Token::Directive if depth == 0 && self.starts_line() => {
                    let name = self.directive().unwrap_or("");
                    if MODULE_DIRECTIVES.contains(&name) {
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }
}
