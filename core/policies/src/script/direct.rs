//! Keys without the interpreter. A `key` of numbers, conditions, variables, `libm`'s functions and
//! functions of the same kind is worked out by a small tree of its own, some ten times as fast. Whatever
//! the tree does not know, or is in doubt about (an overflow, a division by zero, a type), is left to the
//! interpreter, which then says what is wrong and where; and the two are [compared](super::program) at first.

use super::language::{OF_ONE, Of, greatest, least};
use crate::job::JobId;
use crate::job_properties::{PROPERTIES, Property, Value};
use rhai::{AST, ASTNode, Expr, FnCallExpr, INT, ImmutableString, Stmt};
use switchyard_engine::View;

/// A key as a tree.
pub(super) struct Direct {
    root: Node,
}

/// So many variables, over all functions that are called.
const SLOTS: usize = 32;

/// Functions within functions.
const DEEPEST: u32 = 8;

enum Node {
    Value(Value),
    Slot(usize),
    Now,
    Of(&'static Property),
    Negative(Box<Node>),
    Not(Box<Node>),
    Binary(Operator, Box<[Node; 2]>),
    And(Vec<Node>),
    Or(Vec<Node>),
    Maths(Of, Box<Node>),
    Absolute(Box<Node>),
    Float(Box<Node>),
    If(Box<[Node; 3]>),
    Block(Vec<Node>),
    Set(usize, Box<Node>),
    Return(Box<Node>),
    /// A function: its arguments' slots, and its body.
    Call(Vec<(usize, Node)>, Box<Node>),
}

#[derive(Clone, Copy)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    Unequal,
    Min,
    Max,
}

/// Why a tree has no value: a function returns, or the interpreter has to do it.
enum Stop {
    Return(Value),
    Doubt,
}

/// What a name stands for.
#[derive(Clone, Copy)]
enum Binding {
    Job,
    Now,
    Slot(usize),
}

struct Maker<'a> {
    ast: &'a AST,
    /// The statements of all functions, one after the other.
    bodies: Vec<Stmt>,
    names: Vec<(ImmutableString, Binding)>,
    slots: usize,
    depth: u32,
}

impl Direct {
    /// The tree of `key`, if it is of that kind.
    pub(super) fn of(ast: &AST, key: &str) -> Option<Self> {
        let definition = ast.shared_lib().get_script_fn(key, 2)?;
        let [job, now] = &definition.params[..] else {
            return None;
        };
        let mut bodies = Vec::new();
        ast.walk(&mut |path: &[ASTNode<'_>]| {
            if let [ASTNode::Stmt(statement)] = path {
                bodies.push((*statement).clone());
            }
            true
        });
        let mut maker = Maker {
            ast,
            bodies,
            names: vec![(job.clone(), Binding::Job), (now.clone(), Binding::Now)],
            slots: 0,
            depth: 0,
        };
        let root = maker.function(key, 2)?;
        Some(Self { root })
    }

    /// A job's number; `None`: the interpreter has to say.
    pub(super) fn key(&self, view: &View<'_>, job: JobId) -> Option<f64> {
        let mut slots = [Value::Unit; SLOTS];
        let value = match self.root.value(view, job, &mut slots) {
            Ok(value) | Err(Stop::Return(value)) => value,
            Err(Stop::Doubt) => return None,
        };
        let key = number(value).ok()? + 0.0;
        (!key.is_nan()).then_some(key)
    }
}

impl Maker<'_> {
    /// A function's body, its parameters being named already.
    fn function(&mut self, name: &str, parameters: usize) -> Option<Node> {
        // Rhai gives bodies away by their places alone. A closure's lies within another's, which is
        // left to the interpreter anyway.
        let body = &self.ast.shared_lib().get_script_fn(name, parameters)?.body;
        let within = body.start_position()..=body.end_position();
        let statements = self.bodies.iter();
        let statements = statements.filter(|of| within.contains(&of.position()));
        let statements: Vec<Stmt> = statements.cloned().collect();
        self.block(&statements)
    }

    fn block(&mut self, statements: &[Stmt]) -> Option<Node> {
        let outer = self.names.len();
        let nodes = statements.iter().map(|of| self.statement(of));
        let nodes = nodes.collect::<Option<Vec<Node>>>();
        self.names.truncate(outer);
        Some(Node::Block(nodes?))
    }

    fn slot(&mut self) -> Option<usize> {
        self.slots += 1;
        (self.slots <= SLOTS).then_some(self.slots - 1)
    }

    fn statement(&mut self, statement: &Stmt) -> Option<Node> {
        match statement {
            Stmt::Noop(_) => Some(Node::Value(Value::Unit)),
            Stmt::Expr(of) => self.expression(of),
            Stmt::FnCall(of, _) => self.call(of, None),
            Stmt::Block(of) => self.block(of.statements()),
            Stmt::If(of, _) => {
                let condition = self.expression(&of.expr)?;
                let [then, otherwise] =
                    [&of.body, &of.branch].map(|of| self.block(of.statements()));
                Some(Node::If(Box::new([condition, then?, otherwise?])))
            }
            Stmt::Var(of, ..) => {
                let value = self.expression(&of.1)?;
                let slot = self.slot()?;
                self.names.push((of.0.name.clone(), Binding::Slot(slot)));
                Some(Node::Set(slot, Box::new(value)))
            }
            Stmt::Assignment(of) => {
                let (how, of) = &**of;
                let Binding::Slot(slot) = self.named(&of.lhs)? else {
                    return None;
                };
                let value = self.expression(&of.rhs)?;
                let value = match how.get_op_assignment_info() {
                    None => value,
                    Some((.., operator)) => Node::Binary(
                        Operator::named(operator)?,
                        Box::new([Node::Slot(slot), value]),
                    ),
                };
                Some(Node::Set(slot, Box::new(value)))
            }
            Stmt::Return(of, flags, _) if flags.is_empty() => {
                let value = match of {
                    Some(of) => self.expression(of)?,
                    None => Node::Value(Value::Unit),
                };
                Some(Node::Return(Box::new(value)))
            }
            _ => None,
        }
    }

    /// What a variable stands for.
    fn named(&self, of: &Expr) -> Option<Binding> {
        let Expr::Variable(of, ..) = of else {
            return None;
        };
        let mut names = self.names.iter().rev();
        names
            .find(|(name, _)| *name == of.1)
            .map(|(_, binding)| *binding)
    }

    fn expression(&mut self, of: &Expr) -> Option<Node> {
        Some(match of {
            Expr::IntegerConstant(number, _) => Node::Value(Value::Int(*number)),
            Expr::FloatConstant(number, _) => Node::Value(Value::Float(**number)),
            Expr::BoolConstant(of, _) => Node::Value(Value::Bool(*of)),
            Expr::Unit(_) => Node::Value(Value::Unit),
            Expr::Variable(..) => match self.named(of)? {
                Binding::Now => Node::Now,
                Binding::Slot(slot) => Node::Slot(slot),
                Binding::Job => return None,
            },
            Expr::Stmt(of) => self.block(of.statements())?,
            Expr::And(of, _) => Node::And(self.all(of)?),
            Expr::Or(of, _) => Node::Or(self.all(of)?),
            Expr::FnCall(of, _) => self.call(of, None)?,
            Expr::Dot(of, flags, _) if flags.is_empty() => match &of.rhs {
                Expr::Property(property, _)
                    if matches!(self.named(&of.lhs), Some(Binding::Job)) =>
                {
                    let mut known = PROPERTIES.iter();
                    Node::Of(known.find(|known| known.name == property.2)?)
                }
                Expr::MethodCall(call, _) => self.call(call, Some(&of.lhs))?,
                _ => return None,
            },
            _ => return None,
        })
    }

    fn all(&mut self, of: &[Expr]) -> Option<Vec<Node>> {
        of.iter().map(|of| self.expression(of)).collect()
    }

    /// A call; `first`: what stands before its dot.
    fn call(&mut self, call: &FnCallExpr, first: Option<&Expr>) -> Option<Node> {
        let arguments: Vec<&Expr> = first.into_iter().chain(&call.args).collect();
        let name = call.name.as_str();
        let lib = self.ast.shared_lib();
        if let Some(definition) = lib.get_script_fn(name, arguments.len()).cloned() {
            if self.depth == DEEPEST || first.is_some() {
                return None;
            }
            let mut set = Vec::new();
            let mut names = Vec::new();
            for (&argument, parameter) in arguments.iter().zip(&definition.params) {
                let binding = match self.named(argument) {
                    Some(Binding::Job) => Binding::Job,
                    _ => {
                        let value = self.expression(argument)?;
                        let slot = self.slot()?;
                        set.push((slot, value));
                        Binding::Slot(slot)
                    }
                };
                names.push((parameter.clone(), binding));
            }
            // A function sees its parameters alone.
            let outer = std::mem::replace(&mut self.names, names);
            self.depth += 1;
            let body = self.function(name, arguments.len());
            self.depth -= 1;
            self.names = outer;
            return Some(Node::Call(set, Box::new(body?)));
        }
        if let ("note", [Expr::StringConstant(..), value]) = (name, &arguments[..]) {
            // Nobody listens; but what does not work must not go unseen.
            let value = self.expression(value)?;
            return Some(Node::Block(vec![value, Node::Value(Value::Unit)]));
        }
        let mut nodes = Vec::new();
        for argument in arguments {
            nodes.push(self.expression(argument)?);
        }
        let mut nodes = nodes.into_iter();
        let (first, second, third) = (nodes.next()?, nodes.next(), nodes.next());
        match (second, third) {
            (Some(second), None) => {
                let operator = Operator::named(name)?;
                Some(Node::Binary(operator, Box::new([first, second])))
            }
            (None, None) => Some(match name {
                "-" => Node::Negative(Box::new(first)),
                "+" => first,
                "!" => Node::Not(Box::new(first)),
                "abs" => Node::Absolute(Box::new(first)),
                "to_float" => Node::Float(Box::new(first)),
                _ => {
                    let (_, of) = OF_ONE.iter().find(|(known, _)| *known == name)?;
                    Node::Maths(*of, Box::new(first))
                }
            }),
            _ => None,
        }
    }
}

impl Operator {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "+" => Self::Add,
            "-" => Self::Subtract,
            "*" => Self::Multiply,
            "/" => Self::Divide,
            "%" => Self::Modulo,
            "**" | "pow" => Self::Power,
            "<" => Self::Less,
            "<=" => Self::LessOrEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterOrEqual,
            "==" => Self::Equal,
            "!=" => Self::Unequal,
            "min" => Self::Min,
            "max" => Self::Max,
            _ => return None,
        })
    }

    fn of(self, a: Value, b: Value) -> Result<Value, Stop> {
        if let (Value::Int(a), Value::Int(b)) = (a, b) {
            return self.of_ints(a, b);
        }
        let (a, b) = (number(a)?, number(b)?);
        Ok(match self {
            Self::Add => Value::Float(a + b),
            Self::Subtract => Value::Float(a - b),
            Self::Multiply => Value::Float(a * b),
            Self::Divide => Value::Float(a / b),
            Self::Modulo => Value::Float(a % b),
            Self::Power => Value::Float(libm::pow(a, b)),
            Self::Min => Value::Float(least(a, b)),
            Self::Max => Value::Float(greatest(a, b)),
            Self::Less => Value::Bool(a < b),
            Self::LessOrEqual => Value::Bool(a <= b),
            Self::Greater => Value::Bool(a > b),
            Self::GreaterOrEqual => Value::Bool(a >= b),
            Self::Equal => Value::Bool(a == b),
            Self::Unequal => Value::Bool(a != b),
        })
    }

    fn of_ints(self, a: INT, b: INT) -> Result<Value, Stop> {
        let int = |of: Option<INT>| of.map(Value::Int).ok_or(Stop::Doubt);
        match self {
            Self::Add => int(a.checked_add(b)),
            Self::Subtract => int(a.checked_sub(b)),
            Self::Multiply => int(a.checked_mul(b)),
            Self::Divide => int(a.checked_div(b)),
            Self::Modulo => int(a.checked_rem(b)),
            Self::Power => Ok(Value::Float(libm::pow(a as f64, b as f64))),
            Self::Min => Ok(Value::Int(a.min(b))),
            Self::Max => Ok(Value::Int(a.max(b))),
            Self::Less => Ok(Value::Bool(a < b)),
            Self::LessOrEqual => Ok(Value::Bool(a <= b)),
            Self::Greater => Ok(Value::Bool(a > b)),
            Self::GreaterOrEqual => Ok(Value::Bool(a >= b)),
            Self::Equal => Ok(Value::Bool(a == b)),
            Self::Unequal => Ok(Value::Bool(a != b)),
        }
    }
}

fn number(value: Value) -> Result<f64, Stop> {
    match value {
        Value::Int(number) => Ok(number as f64),
        Value::Float(number) => Ok(number),
        Value::Bool(_) | Value::Unit => Err(Stop::Doubt),
    }
}

fn condition(value: Value) -> Result<bool, Stop> {
    match value {
        Value::Bool(value) => Ok(value),
        _ => Err(Stop::Doubt),
    }
}

impl Node {
    fn value(
        &self,
        view: &View<'_>,
        job: JobId,
        slots: &mut [Value; SLOTS],
    ) -> Result<Value, Stop> {
        let mut of = |node: &Node| node.value(view, job, slots);
        Ok(match self {
            Self::Value(value) => *value,
            Self::Slot(slot) => slots[*slot],
            Self::Now => Value::Float(view.now().seconds()),
            Self::Of(property) => property.value(view, job).ok_or(Stop::Doubt)?,
            Self::Negative(node) => match of(node)? {
                Value::Int(number) => Value::Int(number.checked_neg().ok_or(Stop::Doubt)?),
                value => Value::Float(-number(value)?),
            },
            Self::Not(node) => Value::Bool(!condition(of(node)?)?),
            Self::Binary(operator, nodes) => {
                let (a, b) = (of(&nodes[0])?, of(&nodes[1])?);
                operator.of(a, b)?
            }
            Self::And(nodes) => {
                for node in nodes {
                    if !condition(of(node)?)? {
                        return Ok(Value::Bool(false));
                    }
                }
                Value::Bool(true)
            }
            Self::Or(nodes) => {
                for node in nodes {
                    if condition(of(node)?)? {
                        return Ok(Value::Bool(true));
                    }
                }
                Value::Bool(false)
            }
            Self::Maths(maths, node) => Value::Float(maths(number(of(node)?)?)),
            Self::Absolute(node) => match of(node)? {
                Value::Int(number) => Value::Int(number.checked_abs().ok_or(Stop::Doubt)?),
                value => Value::Float(libm::fabs(number(value)?)),
            },
            Self::Float(node) => Value::Float(number(of(node)?)?),
            Self::If(nodes) => {
                let [when, then, otherwise] = &**nodes;
                match condition(of(when)?)? {
                    true => of(then)?,
                    false => of(otherwise)?,
                }
            }
            Self::Block(nodes) => {
                let mut last = Value::Unit;
                for node in nodes {
                    last = of(node)?;
                }
                last
            }
            Self::Set(slot, node) => {
                let value = of(node)?;
                slots[*slot] = value;
                Value::Unit
            }
            Self::Return(node) => return Err(Stop::Return(of(node)?)),
            Self::Call(set, body) => {
                for (slot, node) in set {
                    let value = node.value(view, job, slots)?;
                    slots[*slot] = value;
                }
                match body.value(view, job, slots) {
                    Err(Stop::Return(value)) => value,
                    value => value?,
                }
            }
        })
    }
}
