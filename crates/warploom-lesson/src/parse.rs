//! Text to statements, line by line. A mistake ends its line; the next line starts afresh.

use crate::diagnostic::{Sink, Span};
use crate::lexer::{Kind, Literal, Token, literal, tokens};
use crate::operator::{self, Type};
use crate::syntax::{
    Action, ArrayLine, Element, Expr, GIVEN, Line, Name, Node, Program, SETTINGS, STATEMENTS,
    Statement, WORDS,
};
use crate::{MAX_ARRAY_LENGTH, MAX_ARRAYS, MAX_CASE, MAX_LINES};

/// Reads a whole text. What it could not read is left out and reported.
pub(crate) fn parse(source: &str, sink: &mut Sink) -> Program {
    let mut head = Head::default();
    let mut lines: Vec<Line> = Vec::new();
    let mut start = 0;
    for (number, text) in (1..).zip(source.split('\n')) {
        let mut cursor = Cursor::new(source, text, start, sink);
        start += text.len() as u32 + 1;
        if cursor.kind().is_none() || cursor.sink.is_full() {
            continue;
        }
        if lines.len() == MAX_LINES {
            let help = "a lesson is small; split it";
            let expected = format!("expected at most {MAX_LINES} statements");
            let span = cursor.span();
            sink.report::<()>(span, "the program is too long", expected, help);
            break;
        }
        if cursor.is_head() {
            head.line(&mut cursor, number, lines.first());
        } else if let Some(statement) = cursor.statement() {
            lines.push(Line {
                number,
                span: cursor.whole(),
                statement,
            });
        }
    }
    Program {
        settings: std::array::from_fn(|k| head.settings[k].unwrap_or(SETTINGS[k].default)),
        arrays: head.arrays,
        lines,
    }
}

/// The lines that stand before the first statement.
#[derive(Default)]
struct Head {
    settings: [Option<u32>; 3],
    arrays: Vec<ArrayLine>,
}

impl Head {
    fn line(&mut self, cursor: &mut Cursor<'_>, number: u32, first: Option<&Line>) -> Option<()> {
        if let Some(first) = first {
            return cursor.fail(
                cursor.whole(),
                format!("`{}` after the first statement", cursor.text()),
                "expected a statement",
                format!("move the line above line {}", first.number),
            );
        }
        let word = cursor.span();
        let Some(k) = SETTINGS.iter().position(|s| s.name == cursor.text()) else {
            cursor.advance();
            return self.array(cursor, number);
        };
        let setting = SETTINGS[k];
        cursor.advance();
        let number = cursor.span();
        let value = cursor.number(setting.least, setting.most, setting.name)?;
        if setting.power_of_two && !value.is_power_of_two() {
            return cursor.fail(
                number,
                format!("{} can't be {value}", setting.name),
                format!(
                    "expected a power of two from {} to {}",
                    setting.least, setting.most
                ),
                format!("the nearest above is {}", value.next_power_of_two()),
            );
        }
        cursor.finish()?;
        if self.settings[k].replace(value).is_some() {
            return cursor.fail(
                word,
                format!("`{}` is set twice", setting.name),
                "expected one such line",
                "remove one of the two lines",
            );
        }
        Some(())
    }

    fn array(&mut self, cursor: &mut Cursor<'_>, number: u32) -> Option<()> {
        let name = cursor.new_name("an array")?;
        if self.arrays.iter().any(|array| array.name.text == name.text) {
            return cursor.fail(
                name.span,
                format!("there is an array `{}` already", name.text),
                "expected a new name",
                "give one of the two another name",
            );
        }
        if self.arrays.len() == MAX_ARRAYS {
            let expected = format!("expected at most {MAX_ARRAYS}");
            let help = "join arrays, or split the lesson";
            return cursor.fail(name.span, "too many arrays", expected, help);
        }
        let length = if cursor.eat("n") {
            None
        } else {
            Some(cursor.number(1, MAX_ARRAY_LENGTH, "the length of an array")?)
        };
        let ty = if cursor.eat("int") {
            Some(Type::Int)
        } else if cursor.eat("float") {
            Some(Type::Float)
        } else {
            None
        };
        let pattern = if cursor.eat("=") {
            Some(cursor.value())
        } else {
            None
        };
        self.arrays.push(ArrayLine {
            number,
            name,
            length,
            ty,
            pattern,
        });
        cursor.finish()
    }
}

/// A place in the tokens of one line.
pub(crate) struct Cursor<'a> {
    source: &'a str,
    tokens: Vec<Token>,
    at: usize,
    end: Span,
    sink: &'a mut Sink,
}

impl<'a> Cursor<'a> {
    fn new(source: &'a str, line: &str, start: u32, sink: &'a mut Sink) -> Cursor<'a> {
        let tokens = tokens(line, start);
        let end = tokens.last().map_or(start, |token| token.span.end);
        Cursor {
            source,
            tokens,
            at: 0,
            end: Span::new(end, end),
            sink,
        }
    }

    /// The kind of the token here; `None` at the end of the line.
    pub(crate) fn kind(&self) -> Option<Kind> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    /// The text of the token here; empty at the end of the line.
    pub(crate) fn text(&self) -> &'a str {
        let token = self.tokens.get(self.at);
        token.map_or("", |token| {
            self.source.get(token.span.range()).unwrap_or("")
        })
    }

    /// The place of the token here.
    pub(crate) fn span(&self) -> Span {
        self.tokens
            .get(self.at)
            .map_or(self.end, |token| token.span)
    }

    /// From the first to the last token of the line.
    fn whole(&self) -> Span {
        self.tokens
            .first()
            .map_or(self.end, |token| token.span.to(self.end))
    }

    /// Goes to the next token.
    pub(crate) fn advance(&mut self) {
        self.at += 1;
    }

    /// Goes past the token if it reads `text`.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let found = self.text() == text;
        self.at += usize::from(found);
        found
    }

    /// Goes past a token that must read `text`.
    pub(crate) fn expect(&mut self, text: &str, help: &str) -> Option<()> {
        if self.eat(text) {
            return Some(());
        }
        self.unexpected(&format!("`{text}`"), help)
    }

    /// Reports a mistake and leaves the line.
    pub(crate) fn fail<T>(
        &mut self,
        span: Span,
        message: impl Into<String>,
        expected: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<T> {
        self.at = self.tokens.len();
        self.sink.report(span, message, expected, help)
    }

    /// Reports the token here. What other languages write gets a help line of its own.
    pub(crate) fn unexpected<T>(&mut self, expected: &str, help: &str) -> Option<T> {
        let text = self.text();
        let foreign = foreign_help(text);
        let message = if text.is_empty() {
            "the line ends too early".to_owned()
        } else if foreign.is_some() || matches!(self.kind(), Some(Kind::Foreign | Kind::Stray)) {
            format!("`{}` is not part of the language", visible(text))
        } else {
            format!("unexpected `{text}`")
        };
        let help = foreign.unwrap_or(help);
        self.fail(self.span(), message, format!("expected {expected}"), help)
    }

    /// The end of the line.
    fn finish(&mut self) -> Option<()> {
        match self.kind() {
            None => Some(()),
            Some(_) => self.unexpected("the end of the line", "a line holds one statement"),
        }
    }

    /// An integer of the source between two bounds. `what` is named in messages.
    fn number(&mut self, least: u32, most: u32, what: &str) -> Option<u32> {
        let expected = format!("an int from {least} to {most}");
        let help = format!("{what} is a number, not an expression");
        let (text, span) = (self.text(), self.span());
        if self.kind() != Some(Kind::Number) {
            return self.unexpected(&expected, &help);
        }
        self.advance();
        match literal(text) {
            Some(Literal::Int(value)) if (least..=most).contains(&value) => Some(value),
            _ => self.fail(
                span,
                format!("{what} can't be {text}"),
                format!("expected {expected}"),
                help,
            ),
        }
    }

    /// A name that a variable or an array can have.
    fn new_name(&mut self, what: &str) -> Option<Name> {
        let (text, span) = (self.text(), self.span());
        if self.kind() != Some(Kind::Word) {
            return self.unexpected("a name", "names hold letters, digits and _");
        }
        let setting = SETTINGS.iter().any(|setting| setting.name == text);
        let operator = operator::all().any(|row| row.spelling == text);
        let message = if GIVEN.contains(&text) {
            format!("`{text}` is given by the machine and can't be set")
        } else if setting || operator || STATEMENTS.contains(&text) || WORDS.contains(&text) {
            format!("`{text}` is a word of the language and can't be {what}")
        } else {
            self.advance();
            return Some(Name {
                text: text.to_owned(),
                span,
            });
        };
        let help = "choose another name";
        self.fail(span, message, "expected a name of your own", help)
    }

    fn is_head(&self) -> bool {
        let text = self.text();
        let next = self.tokens.get(self.at + 1).map(|token| token.span.range());
        let assigned = next.and_then(|range| self.source.get(range)) == Some("=");
        !assigned && (text == "array" || SETTINGS.iter().any(|setting| setting.name == text))
    }

    fn statement(&mut self) -> Option<Statement> {
        let (word, span) = (self.text(), self.span());
        self.advance();
        let statement = match word {
            "if" => Statement::If(self.value()),
            "while" => Statement::While(self.value()),
            "switch" => Statement::Switch(self.value()),
            "case" => Statement::Case(self.number(0, MAX_CASE, "the number of a case")),
            "end" => Statement::End,
            "else" if self.text() == "if" => {
                return self.fail(
                    span.to(self.span()),
                    "`else if` is two statements",
                    "expected the end of the line after `else`",
                    "write `if` on the next line, and one more `end`",
                );
            }
            "else" => Statement::Else,
            "where" => {
                let condition = self.expression()?;
                self.expect(":", "write `where condition: statement`")?;
                Statement::Where(condition, self.action()?)
            }
            _ => {
                self.at -= 1;
                Statement::Action(self.action()?)
            }
        };
        if self.text() == ":" {
            let help = "only `where` takes a colon; a block goes on to its `end`";
            self.unexpected::<()>("the end of the line", help);
        } else {
            self.finish();
        }
        Some(statement)
    }

    /// The expression that ends a line. A broken one stands for itself, so that one mistake does
    /// not look like many.
    fn value(&mut self) -> Expr {
        let span = self.span();
        self.expression().unwrap_or(Expr {
            node: Node::Broken,
            span,
            depth: 0,
        })
    }

    fn action(&mut self) -> Option<Action> {
        if self.eat("store") {
            let element = self.element()?;
            self.expect("=", "write `store out[i] = value`")?;
            return Some(Action::Store(element, self.value()));
        }
        let word = self.text();
        let block = STATEMENTS.contains(&word);
        if self.kind() != Some(Kind::Word) || block || foreign_help(word).is_some() {
            return self.unexpected(
                "an assignment, `load` or `store`",
                "as in `x = i * 2`, `x = load data[i]`, `store out[i] = x`",
            );
        }
        let name = self.new_name("a variable")?;
        if self.text() == "[" {
            return self.fail(
                name.span.to(self.span()),
                "an array element can't be assigned",
                "expected `=` after a variable",
                format!("write `store {}[i] = value`", name.text),
            );
        }
        self.expect("=", "write `name = value`; a lone expression does nothing")?;
        if self.eat("load") {
            return Some(Action::Load(name, self.element()?));
        }
        Some(Action::Assign(name, self.value()))
    }

    fn element(&mut self) -> Option<Element> {
        let (text, span) = (self.text(), self.span());
        if self.kind() != Some(Kind::Word) {
            return self.unexpected("an array", "write `data[i]`");
        }
        self.advance();
        self.expect("[", "write the element's number in brackets: `data[i]`")?;
        let index = self.expression()?;
        self.expect("]", "close the bracket")?;
        Some(Element {
            array: Name {
                text: text.to_owned(),
                span,
            },
            index,
        })
    }
}

/// A text with its control characters escaped.
fn visible(text: &str) -> String {
    let mut result = String::new();
    for c in text.chars() {
        if c.is_control() {
            result.extend(c.escape_default());
        } else {
            result.push(c);
        }
    }
    result
}

/// The help line for a sign or word of other languages.
pub(crate) fn foreign_help(text: &str) -> Option<&'static str> {
    let row = FOREIGN.iter().find(|(foreign, _)| *foreign == text);
    row.map(|(_, help)| *help)
}

/// What people write who come from other languages, and what to write here.
const FOREIGN: &[(&str, &str)] = &[
    ("&&", "write `and`"),
    ("||", "write `or`"),
    ("!", "write `not`"),
    ("**", "multiply, or use sqrt"),
    (
        "//",
        "`/` of ints is integer division; a comment starts with `#`",
    ),
    ("++", "write `x = x + 1`"),
    ("--", "write `x = x - 1`"),
    ("+=", "write `x = x + …`"),
    ("-=", "write `x = x - …`"),
    ("*=", "write `x = x * …`"),
    ("/=", "write `x = x / …`"),
    ("%=", "write `x = x % …`"),
    ("&=", "write `x = x & …`"),
    ("|=", "write `x = x | …`"),
    ("^=", "write `x = x ^ …`"),
    ("<<=", "write `x = x << …`"),
    (">>=", "write `x = x >> …`"),
    (";", "a statement ends with its line"),
    ("{", "a block starts on the next line and goes on to `end`"),
    ("}", "write `end`"),
    ("?", "write `select(condition, a, b)`"),
    (
        "elif",
        "write `else`, then `if` on the next line, and one more `end`",
    ),
    (
        "elseif",
        "write `else`, then `if` on the next line, and one more `end`",
    ),
    ("endif", "write `end`"),
    ("endwhile", "write `end`"),
    (
        "for",
        "write `k = 0`, `while k < 8`, and `k = k + 1` before the `end`",
    ),
    ("do", "loops start with `while`"),
    ("default", "write `else` for all values without a case"),
    ("true", "write a comparison that holds, such as 0 == 0"),
    ("false", "write a comparison that fails, such as 0 == 1"),
    (
        "return",
        "lanes end with the program: put the rest into an `if`",
    ),
    (
        "break",
        "put what ends the loop into the condition of `while`",
    ),
    ("continue", "put the rest of the loop into an `if`"),
];
