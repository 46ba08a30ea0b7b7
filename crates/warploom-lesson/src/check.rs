//! Names and types. What passes here can be built.

use std::collections::HashMap;

use warploom_isa::access::Special;

use crate::MAX_ARRAY_LENGTH;
use crate::diagnostic::{Sink, Span};
use crate::lexer::Literal;
use crate::operator::{Form, INT_TO_FLOAT, Operator, Type};
use crate::parse::foreign_help;
use crate::syntax::{
    Action, ArrayLine, Element, Expr, GIVEN, Line, Name, Node, Program, Statement,
};

/// A variable of the program, by index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct VariableId(pub(crate) usize);

/// An array of the program, by index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ArrayId(pub(crate) usize);

/// A typed expression. Every inner node is one operation of the machine.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Bits(u32),
    Special(Special),
    Variable(VariableId),
    Apply(&'static Form, Vec<Value>),
}

/// A typed [`Action`].
#[derive(Debug)]
pub(crate) enum Step {
    Assign(VariableId, Value),
    Load(VariableId, ArrayId, Value),
    Store(ArrayId, Value, Value),
}

/// A typed [`Statement`].
#[derive(Debug)]
pub(crate) enum Checked {
    Step(Step),
    Where(Value, Step),
    If(Value),
    Else,
    End,
    While(Value),
    Switch(Value),
    Case,
}

/// An array with its type and pattern.
#[derive(Debug)]
pub(crate) struct TypedArray {
    pub(crate) name: String,
    pub(crate) line: u32,
    pub(crate) length: u32,
    pub(crate) ty: Type,
    pub(crate) pattern: Option<Value>,
}

/// A whole program, typed. Only complete when nothing was reported.
#[derive(Debug)]
pub(crate) struct Typed {
    pub(crate) arrays: Vec<TypedArray>,
    /// The variables: names and types.
    pub(crate) variables: Vec<(String, Type)>,
    /// By line of the program.
    pub(crate) statements: Vec<Checked>,
}

/// Checks a program; `threads` are those of the whole grid.
pub(crate) fn check(program: &Program, threads: u32, sink: &mut Sink) -> Typed {
    let mut checker = Checker {
        sink,
        threads,
        in_pattern: true,
        arrays: Vec::new(),
        names: HashMap::new(),
        variables: Vec::new(),
    };
    for array in &program.arrays {
        checker.array(array);
    }
    checker.in_pattern = false;
    let mut statements = Vec::with_capacity(program.lines.len());
    for line in &program.lines {
        statements.extend(checker.statement(line));
    }
    Typed {
        arrays: checker.arrays,
        variables: checker.variables,
        statements,
    }
}

/// A type and the line that fixed it.
#[derive(Clone, Copy)]
struct Known {
    ty: Type,
    line: u32,
}

struct Checker<'a> {
    sink: &'a mut Sink,
    threads: u32,
    /// In the pattern of an array, where `i` is the element's number.
    in_pattern: bool,
    arrays: Vec<TypedArray>,
    /// Variables so far; `None` when the value of their first assignment was reported.
    names: HashMap<String, Option<(VariableId, Known)>>,
    variables: Vec<(String, Type)>,
}

impl Checker<'_> {
    fn array(&mut self, line: &ArrayLine) {
        let pattern = line.pattern.as_ref().map(|expr| (expr, self.expr(expr)));
        let (ty, pattern) = match pattern {
            Some((expr, Some((ty, value)))) => {
                let number = if ty == Type::Float { ty } else { Type::Int };
                let known = Known {
                    ty: line.ty.unwrap_or(number),
                    line: line.number,
                };
                (
                    known.ty,
                    self.fit(expr.span, (ty, value), known, &line.name.text),
                )
            }
            _ => (line.ty.unwrap_or(Type::Int), None),
        };
        let length = line.length.unwrap_or(self.threads);
        if length > MAX_ARRAY_LENGTH {
            self.sink.report::<()>(
                line.name.span,
                format!("an array can't have {length} elements, one per thread"),
                format!("expected at most {MAX_ARRAY_LENGTH}"),
                "launch fewer threads, or give the length as a number",
            );
        }
        self.arrays.push(TypedArray {
            name: line.name.text.clone(),
            line: line.number,
            length,
            ty,
            pattern,
        });
    }

    fn statement(&mut self, line: &Line) -> Option<Checked> {
        Some(match &line.statement {
            Statement::Action(action) => Checked::Step(self.action(action, line.number)?),
            Statement::Where(condition, action) => {
                let condition = self.condition(condition, "where");
                let step = self.action(action, line.number);
                Checked::Where(condition?, step?)
            }
            Statement::If(condition) => Checked::If(self.condition(condition, "if")?),
            Statement::While(condition) => Checked::While(self.condition(condition, "while")?),
            Statement::Switch(value) => {
                let help = "the cases are numbered with ints; use int(x)";
                Checked::Switch(self.int(value, "`switch`", help)?)
            }
            Statement::Else => Checked::Else,
            Statement::End => Checked::End,
            Statement::Case(_) => Checked::Case,
        })
    }

    fn action(&mut self, action: &Action, line: u32) -> Option<Step> {
        match action {
            Action::Assign(name, expr) => {
                let value = self.expr(expr);
                let ty = value.as_ref().map(|(ty, _)| *ty);
                let (id, known) = self.declare(name, ty, line)?;
                let value = self.fit(expr.span, value?, known, &name.text)?;
                Some(Step::Assign(id, value))
            }
            Action::Load(name, element) => {
                let element = self.element(element);
                let ty = element.as_ref().map(|(array, _)| self.arrays[array.0].ty);
                let (id, known) = self.declare(name, ty, line)?;
                let (array, index) = element?;
                let ty = ty?;
                if known.ty == ty {
                    return Some(Step::Load(id, array, index));
                }
                let array = &self.arrays[array.0].name;
                self.sink.report(
                    name.span,
                    format!("`{array}` holds {}s, `{}` does not", ty.word(), name.text),
                    format!(
                        "expected {}, as line {} made it",
                        known.ty.name(),
                        known.line
                    ),
                    "load into a variable of its own and convert on the next line",
                )
            }
            Action::Store(element, expr) => {
                let value = self.expr(expr);
                let (id, index) = self.element(element)?;
                let known = Known {
                    ty: self.arrays[id.0].ty,
                    line: self.arrays[id.0].line,
                };
                let value = self.fit(expr.span, value?, known, &element.array.text)?;
                Some(Step::Store(id, index, value))
            }
        }
    }

    /// The variable that a line assigns, and what is known of it. The first line that assigns a
    /// variable makes it, with the type of the value.
    fn declare(&mut self, name: &Name, ty: Option<Type>, line: u32) -> Option<(VariableId, Known)> {
        if self.arrays.iter().any(|array| array.name == name.text) {
            return self.sink.report(
                name.span,
                format!("`{}` is an array", name.text),
                "expected a variable",
                format!(
                    "write `store {}[i] = value`, or choose another name",
                    name.text
                ),
            );
        }
        if let Some(&Some(found)) = self.names.get(&name.text) {
            return Some(found);
        }
        let made = ty.map(|ty| {
            self.variables.push((name.text.clone(), ty));
            (VariableId(self.variables.len() - 1), Known { ty, line })
        });
        self.names.insert(name.text.clone(), made);
        made
    }

    /// An array and the number of an element.
    fn element(&mut self, element: &Element) -> Option<(ArrayId, Value)> {
        let index = self.int(&element.index, "the number of an element", "use int(x)");
        let name = &element.array;
        let found = self.arrays.iter().position(|array| array.name == name.text);
        if let Some(id) = found {
            return Some((ArrayId(id), index?));
        }
        let declared = format!("array {} 64 int", name.text);
        let help = match similar(&name.text, self.arrays.iter().map(|a| a.name.as_str())) {
            Some(similar) => format!("there is an array `{similar}`"),
            None => format!("declare it above the first statement: `{declared}`"),
        };
        let message = format!("there is no array `{}`", name.text);
        self.sink
            .report(name.span, message, "expected an array", help)
    }

    /// A value as the type of a variable or array called `name`. Ints become floats; nothing else
    /// converts by itself.
    fn fit(&mut self, span: Span, typed: (Type, Value), known: Known, name: &str) -> Option<Value> {
        let (ty, value) = typed;
        if ty == known.ty {
            return Some(value);
        }
        let help = match (ty, known.ty) {
            (Type::Int, Type::Float) => return Some(to_float(value)),
            (Type::Float, Type::Int) => "convert it: int(x) cuts off the fraction",
            (Type::Condition, _) => "choose a number by it: select(condition, 1, 0)",
            (_, _) => "compare it: x != 0",
        };
        let Known { ty: wanted, line } = known;
        self.sink.report(
            span,
            format!("`{name}` is {}, the value is {}", wanted.name(), ty.name()),
            format!("expected {}, as line {line} made it", wanted.name()),
            help,
        )
    }

    fn condition(&mut self, expr: &Expr, what: &str) -> Option<Value> {
        match self.expr(expr)? {
            (Type::Condition, value) => Some(value),
            (ty, _) => self.sink.report(
                expr.span,
                format!("`{what}` needs a condition, this is {}", ty.name()),
                "expected a comparison, or a variable that holds one",
                "compare it: x != 0",
            ),
        }
    }

    fn int(&mut self, expr: &Expr, what: &str, help: &str) -> Option<Value> {
        match self.expr(expr)? {
            (Type::Int, value) => Some(value),
            (ty, _) => {
                let message = format!("{what} can't be {}", ty.name());
                self.sink
                    .report(expr.span, message, "expected an int", help)
            }
        }
    }

    fn expr(&mut self, expr: &Expr) -> Option<(Type, Value)> {
        match &expr.node {
            Node::Broken => None,
            Node::Number(Literal::Int(bits)) => Some((Type::Int, Value::Bits(*bits))),
            Node::Number(Literal::Float(number)) => {
                Some((Type::Float, Value::Bits(number.to_bits())))
            }
            Node::Name(name) => self.name(name, expr.span),
            Node::Apply(operator, operands) => self.apply(operator, operands),
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Option<(Type, Value)> {
        let given = match name {
            "i" => Some(Value::Special(Special::GlobalIndex)),
            "n" => Some(Value::Bits(self.threads)),
            "warp" => Some(Value::Special(Special::WarpId)),
            "lane" => Some(Value::Special(Special::LaneId)),
            "block" => Some(Value::Special(Special::CtaidX)),
            _ => None,
        };
        if self.in_pattern && !matches!(name, "i" | "n") {
            return self.sink.report(
                span,
                format!("a pattern can't use `{name}`"),
                "expected `i`, `n` or a number",
                "in a pattern `i` is the number of the element, `n` the number of threads",
            );
        }
        if let Some(value) = given {
            return Some((Type::Int, value));
        }
        if let Some(found) = self.names.get(name) {
            return found.map(|(id, known)| (known.ty, Value::Variable(id)));
        }
        if self.arrays.iter().any(|array| array.name == name) {
            return self.sink.report(
                span,
                format!("`{name}` is an array"),
                "expected a value",
                format!("load an element first, on a line of its own: `x = load {name}[i]`"),
            );
        }
        let names = self.names.keys().map(String::as_str).chain(GIVEN);
        let help = match (foreign_help(name), similar(name, names)) {
            (Some(help), _) => help.to_owned(),
            (None, Some(similar)) => format!("there is a variable `{similar}`"),
            (None, None) => format!("assign it on a line above: `{name} = 0`"),
        };
        let message = format!("`{name}` has no value yet");
        self.sink
            .report(span, message, "expected a variable with a value", help)
    }

    fn apply(&mut self, operator: &'static Operator, operands: &[Expr]) -> Option<(Type, Value)> {
        // All operands first: each may have a mistake of its own.
        let typed: Vec<Option<(Type, Value)>> = operands.iter().map(|e| self.expr(e)).collect();
        let mut typed = typed.into_iter().collect::<Option<Vec<_>>>()?;
        let choice = usize::from(operator.chooses());
        if operator.chooses() && typed[0].0 != Type::Condition {
            return self.sink.report(
                operands[0].span,
                format!(
                    "`{}` chooses by a condition, this is {}",
                    operator.spelling,
                    typed[0].0.name()
                ),
                "expected a comparison, or a variable that holds one",
                "compare it: x != 0",
            );
        }
        let wrong = (choice..typed.len()).find(|&k| !operator.accepts(typed[k].0));
        if let Some(k) = wrong {
            let (spelling, works_on) = (operator.spelling, operator.operand_types());
            return self.sink.report(
                operands[k].span,
                format!(
                    "`{spelling}` works on {works_on}, this is {}",
                    typed[k].0.name()
                ),
                format!("expected {works_on}"),
                match typed[k].0 {
                    Type::Condition => "choose a number by it: select(condition, 1, 0)",
                    Type::Float => "convert it: int(x) cuts off the fraction",
                    Type::Int => "compare it: x != 0",
                },
            );
        }
        let floats = typed[choice..].iter().any(|(ty, _)| *ty == Type::Float);
        let form = match (&operator.condition, &operator.int) {
            (Some(form), _) => form,
            (None, Some(form)) if !floats => form,
            _ => {
                for (ty, value) in &mut typed[choice..] {
                    if *ty == Type::Int {
                        *value = to_float(std::mem::replace(value, Value::Bits(0)));
                    }
                }
                operator.float.as_ref()?
            }
        };
        let values = typed.into_iter().map(|(_, value)| value).collect();
        Some((form.result, Value::Apply(form, values)))
    }
}

/// The name that `name` may have been meant as.
fn similar<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    names
        .map(|other| (strsim::jaro_winkler(name, other), other))
        .filter(|(score, _)| *score > 0.85)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)))
        .map(|(_, other)| other)
}

/// An int as a float; a constant is converted here.
fn to_float(value: Value) -> Value {
    match value {
        Value::Bits(bits) => Value::Bits((bits as i32 as f32).to_bits()),
        value => Value::Apply(&INT_TO_FLOAT, vec![value]),
    }
}
