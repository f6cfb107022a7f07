//! Arrays and maps of scripts. Rhai's own are copied whole wherever they are read, nest as deeply as a script
//! likes, and are walked over for nothing; these are copied for nothing, know how many elements are in them
//! and how deeply they nest, and every walk over one is charged to the [budget](Budget).
//!
//! Rhai has no hook for its literals, so that `[` and `#{` are read as syntax of our own ([`literals`]).

use super::budget::{Budget, WALKED};
use super::job::Job;
use super::refusal::refuse;
use crate::order;
use rhai::{
    ASTNode, Dynamic, Engine, EvalAltResult, EvalContext, Expr, Expression, FnPtr,
    FuncRegistration, INT, ImmutableString, LexError, Module, NativeCallContext, Position,
    RhaiFunc, Shared, Token,
};
use std::any::TypeId;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

/// What a function given to scripts answers.
type Answer<T> = Result<T, Box<EvalAltResult>>;

/// Arrays and maps in one another. Comparing, printing and dropping go down as far on the host's stack, which
/// is small in a browser's worker.
pub(super) const DEEPEST: u32 = 64;

/// Elements, shared until one of those that hold them changes something.
#[derive(Clone)]
pub(super) struct Held<T> {
    of: Rc<T>,
    /// Elements with all that is in them.
    size: usize,
    /// It nests no deeper than this; itself is 1.
    depth: u32,
}

impl<T: Default> Default for Held<T> {
    fn default() -> Self {
        Self {
            of: Rc::default(),
            size: 0,
            depth: 1,
        }
    }
}

pub(super) type List = Held<Vec<Dynamic>>;
pub(super) type Dict = Held<BTreeMap<ImmutableString, Dynamic>>;

/// What elements are held in.
pub(super) trait Elements: Clone + Default + 'static {
    fn count(&self) -> usize;
    /// Keys, which an array has none of, and values.
    fn entries(&self) -> impl Iterator<Item = (&str, &Dynamic)>;
}

impl Elements for Vec<Dynamic> {
    fn count(&self) -> usize {
        self.len()
    }

    fn entries(&self) -> impl Iterator<Item = (&str, &Dynamic)> {
        self.iter().map(|value| ("", value))
    }
}

impl Elements for BTreeMap<ImmutableString, Dynamic> {
    fn count(&self) -> usize {
        self.len()
    }

    fn entries(&self) -> impl Iterator<Item = (&str, &Dynamic)> {
        self.iter().map(|(key, value)| (key.as_str(), value))
    }
}

/// How many elements are in a value, and how deeply it nests. A long text counts as several.
fn extent(value: &Dynamic) -> (usize, u32) {
    if let Ok(text) = value.as_immutable_string_ref() {
        return (text.len() / WALKED, 0);
    }
    if let Some(list) = value.read_lock::<List>() {
        return (list.size, list.depth);
    }
    let dict = value.read_lock::<Dict>();
    dict.map_or((0, 0), |dict| (dict.size, dict.depth))
}

impl<T: Elements> Held<T> {
    /// Holds these, if they are not too many and do not nest too deeply.
    pub(super) fn new(of: T, budget: &Budget) -> Answer<Self> {
        let mut held = Self::default();
        budget.walk(of.count())?;
        for (key, value) in of.entries() {
            held.count_in(key, value, budget)?;
        }
        held.of = Rc::new(of);
        Ok(held)
    }

    pub(super) fn elements(&self) -> &T {
        &self.of
    }

    fn count_in(&mut self, key: &str, value: &Dynamic, budget: &Budget) -> Answer<()> {
        let (size, depth) = extent(value);
        if depth >= DEEPEST {
            return Err(refuse(format!(
                "more than {DEEPEST} arrays and maps in one another: keep them flat"
            )));
        }
        let size = self.size + 1 + key.len() / WALKED + size;
        if size > budget.largest {
            let what = "an array or map with all that is in it".to_owned();
            return Err(EvalAltResult::ErrorDataTooLarge(what, Position::NONE).into());
        }
        self.size = size;
        self.depth = self.depth.max(depth + 1);
        Ok(())
    }

    fn count_out(&mut self, key: &str, value: &Dynamic) {
        self.size -= 1 + key.len() / WALKED + extent(value).0;
        if self.size == 0 {
            self.depth = 1;
        }
    }

    /// The elements, to change them: who shares them with others gets its own.
    fn own(&mut self, budget: &Budget) -> Answer<&mut T> {
        if Rc::strong_count(&self.of) > 1 {
            budget.walk(self.of.count())?;
        }
        Ok(Rc::make_mut(&mut self.of))
    }
}

impl List {
    fn push(&mut self, value: Dynamic, budget: &Budget) -> Answer<()> {
        self.insert(self.of.len(), value, budget)
    }

    fn insert(&mut self, at: usize, value: Dynamic, budget: &Budget) -> Answer<()> {
        budget.walk(self.of.len() - at)?;
        self.own(budget)?;
        self.count_in("", &value, budget)?;
        self.own(budget)?.insert(at, value);
        Ok(())
    }

    fn remove(&mut self, at: usize, budget: &Budget) -> Answer<Dynamic> {
        budget.walk(self.of.len() - at)?;
        let value = self.own(budget)?.remove(at);
        self.count_out("", &value);
        Ok(value)
    }

    fn set(&mut self, at: INT, value: Dynamic, budget: &Budget) -> Answer<()> {
        let at = self.place(at)?;
        let old = std::mem::take(&mut self.own(budget)?[at]);
        self.count_out("", &old);
        let counted = self.count_in("", &value, budget);
        let (new, counted) = match counted {
            Ok(()) => (value, Ok(())),
            // As it was.
            Err(error) => (old.clone(), self.count_in("", &old, budget).and(Err(error))),
        };
        self.own(budget)?[at] = new;
        counted
    }

    /// Where an index points; a negative one counts from the end.
    fn place(&self, at: INT) -> Answer<usize> {
        let many = self.of.len();
        let place = match at {
            0.. => usize::try_from(at).ok(),
            _ => usize::try_from(at.unsigned_abs())
                .ok()
                .and_then(|back| many.checked_sub(back)),
        };
        place.filter(|&place| place < many).ok_or_else(|| {
            refuse(format!(
                "there is no index {at} in an array of {many} elements, from 0"
            ))
        })
    }
}

impl Dict {
    fn get(&self, key: &str) -> Dynamic {
        self.of.get(key).cloned().unwrap_or_default()
    }

    fn set(&mut self, key: ImmutableString, value: Dynamic, budget: &Budget) -> Answer<()> {
        let old = self.own(budget)?.remove(&key);
        if let Some(old) = &old {
            self.count_out(&key, old);
        }
        let (new, counted) = match (self.count_in(&key, &value, budget), old) {
            (Ok(()), _) => (value, Ok(())),
            (Err(error), None) => return Err(error),
            (Err(error), Some(old)) => {
                let counted = self.count_in(&key, &old, budget).and(Err(error));
                (old, counted)
            }
        };
        self.own(budget)?.insert(key, new);
        counted
    }

    fn remove(&mut self, key: &str, budget: &Budget) -> Answer<Dynamic> {
        let old = self.own(budget)?.remove(key);
        if let Some(old) = &old {
            self.count_out(key, old);
        }
        Ok(old.unwrap_or_default())
    }
}

impl IntoIterator for List {
    type Item = Dynamic;
    type IntoIter = Iter;

    fn into_iter(self) -> Iter {
        Iter { list: self, at: 0 }
    }
}

/// One element after the other.
pub(super) struct Iter {
    list: List,
    at: usize,
}

impl Iterator for Iter {
    type Item = Dynamic;

    fn next(&mut self) -> Option<Dynamic> {
        let value = self.list.of.get(self.at)?;
        self.at += 1;
        Some(value.clone())
    }
}

/// Numbers in steps, as `range` gives them.
#[derive(Clone)]
struct Steps {
    at: INT,
    to: INT,
    step: INT,
}

impl Iterator for Steps {
    type Item = INT;

    fn next(&mut self) -> Option<INT> {
        let at = self.at;
        let is_over = if self.step > 0 {
            at >= self.to
        } else {
            at <= self.to
        };
        if is_over {
            return None;
        }
        match at.checked_add(self.step) {
            Some(next) => self.at = next,
            None => self.to = at,
        }
        Some(at)
    }
}

/// Whether two values are the same, as `==` says of numbers, texts and jobs, and of what is made of them.
pub(super) fn is_same(a: &Dynamic, b: &Dynamic) -> bool {
    if let (Ok(a), Ok(b)) = (a.as_int(), b.as_int()) {
        return a == b;
    }
    if let (Some(a), Some(b)) = (plain_number(a), plain_number(b)) {
        // As Rhai compares numbers.
        let largest = a.abs().max(b.abs());
        return a == b || largest > 0.0 && (a - b).abs() / largest <= f64::EPSILON;
    }
    if let (Some(a), Some(b)) = (a.read_lock::<List>(), b.read_lock::<List>()) {
        let mut pairs = a.of.iter().zip(b.of.iter());
        return Rc::ptr_eq(&a.of, &b.of)
            || a.of.len() == b.of.len() && pairs.all(|(a, b)| is_same(a, b));
    }
    if let (Some(a), Some(b)) = (a.read_lock::<Dict>(), b.read_lock::<Dict>()) {
        let mut pairs = a.of.iter().zip(b.of.iter());
        return Rc::ptr_eq(&a.of, &b.of)
            || a.of.len() == b.of.len() && pairs.all(|(a, b)| a.0 == b.0 && is_same(a.1, b.1));
    }
    if let (Some(a), Some(b)) = (a.read_lock::<Job>(), b.read_lock::<Job>()) {
        return a.0.id == b.0.id;
    }
    if let (Ok(a), Ok(b)) = (a.as_immutable_string_ref(), b.as_immutable_string_ref()) {
        return *a == *b;
    }
    match (a.as_bool(), b.as_bool(), a.as_char(), b.as_char()) {
        (Ok(a), Ok(b), ..) => a == b,
        (.., Ok(a), Ok(b)) => a == b,
        _ => a.is_unit() && b.is_unit(),
    }
}

fn plain_number(value: &Dynamic) -> Option<f64> {
    let number = value.as_float();
    number.or_else(|_| value.as_int().map(|n| n as f64)).ok()
}

/// A number of either kind, with one zero.
pub(super) fn number(value: &Dynamic) -> Option<f64> {
    let number = value
        .as_float()
        .or_else(|_| value.as_int().map(|n| n as f64));
    number.ok().map(|number| number + 0.0)
}

/// A number as a person reads it.
pub(super) fn number_in_words(value: f64) -> String {
    if value == libm::trunc(value) && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    match value.abs() {
        ..1e-3 | 1e9.. => format!("{value:e}"),
        _ => format!("{value:.3}"),
    }
}

/// A value as a text of about so many bytes at most.
pub(super) fn in_words(value: &Dynamic, most: usize) -> String {
    let mut text = String::new();
    tell(value, most, false, &mut text);
    text
}

fn tell(value: &Dynamic, most: usize, is_within: bool, text: &mut String) {
    if let Some(list) = value.read_lock::<List>() {
        text.push('[');
        for (i, value) in list.of.iter().enumerate() {
            if text.len() > most {
                return;
            }
            text.push_str(if i > 0 { ", " } else { "" });
            tell(value, most, true, text);
        }
        text.push(']');
    } else if let Some(dict) = value.read_lock::<Dict>() {
        text.push_str("#{");
        for (i, (key, value)) in dict.of.iter().enumerate() {
            if text.len() > most {
                return;
            }
            let comma = if i > 0 { ", " } else { "" };
            let _ = write!(text, "{comma}{:?}: ", key.as_str());
            tell(value, most, true, text);
        }
        text.push('}');
    } else if let Some(job) = value.read_lock::<Job>() {
        let _ = write!(text, "job {}", job.0.id.0);
    } else if let Ok(word) = value.as_immutable_string_ref() {
        match is_within {
            true => drop(write!(text, "{:?}", word.as_str())),
            false => text.push_str(word.as_str()),
        }
    } else {
        let _ = write!(text, "{value}");
    }
}

/// Its literal, for the parser: no script can write these.
const LIST: &str = "[…]";
const DICT: &str = "#{…}";

/// Has an engine read `[1, 2]` and `#{a: 1}` as lists and dicts.
pub(super) fn literals(engine: &mut Engine, budget: &Rc<Budget>) {
    let tokens = RefCell::new(Tokens::default());
    #[allow(
        deprecated,
        reason = "marked so since it may change; the version is bound"
    )]
    engine.on_parse_token(move |token, _, _| tokens.borrow_mut().read(token));
    let next = |part: &str| Ok(Some(ImmutableString::from(part)));
    let to = Rc::clone(budget);
    engine.register_custom_syntax_with_state_raw(
        LIST,
        move |read, ahead, _| match (read.last().map_or("", |last| last.as_str()), ahead) {
            ("]", _) => Ok(None),
            ("$expr$", ",") => next(","),
            (LIST | "," | "$expr$", "]") => next("]"),
            ("$expr$", _) => Err(expected("',' or ']' in an array")),
            _ => next("$expr$"),
        },
        false,
        move |context: &mut EvalContext<'_, '_, '_, '_, '_, '_>, parts: &[Expression<'_>], _| {
            let mut list = List::new(Vec::new(), &to)?;
            for part in parts {
                let value = context.eval_expression_tree(part)?;
                let pushed = list.push(value, &to);
                pushed.map_err(|error| error.at(part.position()))?;
            }
            Ok(Dynamic::from(list))
        },
    );
    let to = Rc::clone(budget);
    engine.register_custom_syntax_with_state_raw(
        DICT,
        move |read, ahead, is_over| {
            if is_over.as_bool() == Ok(true) {
                return Ok(None);
            }
            // What is next hangs on how many parts there are: a key may look like any sign.
            next(match (read.len() % 4, ahead) {
                (0 | 1, "}") => {
                    *is_over = true.into();
                    "}"
                }
                (0, ",") => ",",
                (0, _) => return Err(expected("',' or '}' in a map")),
                (1, key) if key.starts_with('"') => "$string$",
                (1, _) => "$ident$",
                (2, _) => ":",
                _ => "$expr$",
            })
        },
        false,
        move |context: &mut EvalContext<'_, '_, '_, '_, '_, '_>, parts: &[Expression<'_>], _| {
            let mut dict = Dict::new(BTreeMap::new(), &to)?;
            for pair in parts.chunks_exact(2) {
                let key = pair[0].get_string_value().unwrap_or_default().into();
                let value = context.eval_expression_tree(&pair[1])?;
                let set = dict.set(key, value, &to);
                set.map_err(|error| error.at(pair[1].position()))?;
            }
            Ok(Dynamic::from(dict))
        },
    );
}

fn expected(what: &str) -> rhai::ParseError {
    LexError::UnexpectedInput(format!("there should be {what}")).into_err(Position::NONE)
}

trait At {
    fn at(self, position: Position) -> Self;
}

impl At for Box<EvalAltResult> {
    fn at(mut self, position: Position) -> Self {
        if self.position().is_none() {
            self.set_position(position);
        }
        self
    }
}

/// The tokens so far: whether a `[` opens an array or follows what it is an index of.
#[derive(Default)]
struct Tokens {
    follows_value: bool,
    /// Of each open brace, whether it is a map's.
    braces: Vec<bool>,
}

impl Tokens {
    fn read(&mut self, token: Token) -> Token {
        let opens = match token {
            Token::LeftBracket if !self.follows_value => Some(LIST),
            Token::MapStart => Some(DICT),
            _ => None,
        };
        self.follows_value = match &token {
            Token::Identifier(_)
            | Token::StringConstant(_)
            | Token::CharConstant(_)
            | Token::IntegerConstant(_)
            | Token::FloatConstant(_)
            | Token::RightParen
            | Token::RightBracket => true,
            Token::Reserved(word) => word.starts_with(char::is_alphabetic),
            Token::LeftBrace | Token::MapStart => {
                self.braces.push(token == Token::MapStart);
                false
            }
            Token::RightBrace => self.braces.pop().unwrap_or(false),
            Token::EOF => {
                self.braces.clear();
                false
            }
            _ => false,
        };
        opens.map_or(token, |literal| Token::Custom(Box::new(literal.into())))
    }
}

/// Where an array or map of Rhai's own would come to be: none may.
pub(super) fn foreign(path: &[ASTNode<'_>]) -> Option<Position> {
    match path.last() {
        Some(ASTNode::Expr(Expr::Array(_, at) | Expr::Map(_, at))) => Some(*at),
        _ => None,
    }
}

/// Has an engine know what arrays and maps can do.
pub(super) fn register(engine: &mut Engine, budget: &Rc<Budget>) {
    engine.register_type_with_name::<List>("array");
    engine.register_type_with_name::<Dict>("map");
    engine.register_iterator::<List>();
    engine.register_iterator::<Steps>();
    both::<Vec<Dynamic>>(engine, budget);
    both::<BTreeMap<ImmutableString, Dynamic>>(engine, budget);
    lists(engine, budget);
    asked(engine, budget);
    dicts(engine, budget);
    engine.register_fn("range", |from: INT, to: INT| Steps {
        at: from,
        to,
        step: 1,
    });
    engine.register_fn("range", |from: INT, to: INT, step: INT| match step {
        0 => Err(refuse("range(from, to, step) takes a step that is not 0")),
        _ => Ok(Steps { at: from, to, step }),
    });
}

/// Functions that change what they are called on, which constants refuse.
const CHANGES: &[&str] = &["push", "insert", "pad", "pop", "shift", "remove", "clear"];

fn function(name: &str) -> FuncRegistration {
    let is_pure = !CHANGES.contains(&name);
    FuncRegistration::new(name)
        .in_global_namespace()
        .with_purity(is_pure)
}

/// What arrays and maps have in common.
fn both<T: Elements>(engine: &mut Engine, budget: &Rc<Budget>) {
    engine.register_get("len", |held: &mut Held<T>| held.of.count() as INT);
    engine.register_fn("len", |held: &mut Held<T>| held.of.count() as INT);
    engine.register_get("is_empty", |held: &mut Held<T>| held.of.count() == 0);
    engine.register_fn("is_empty", |held: &mut Held<T>| held.of.count() == 0);
    function("clear").register_into_engine(engine, |held: &mut Held<T>| *held = Held::default());
    for (name, same) in [("==", true), ("!=", false)] {
        let to = Rc::clone(budget);
        engine.register_fn(name, move |a: &mut Held<T>, b: Held<T>| {
            to.walk(a.size.min(b.size))?;
            let (a, b) = (Dynamic::from(a.clone()), Dynamic::from(b));
            Answer::Ok(is_same(&a, &b) == same)
        });
    }
    let to = Rc::clone(budget);
    engine.register_fn("to_string", move |held: &mut Held<T>| {
        to.walk(held.size)?;
        let text = in_words(&Dynamic::from(held.clone()), to.largest);
        to.text(text)
    });
}

fn lists(engine: &mut Engine, budget: &Rc<Budget>) {
    /// Registers a function of a list that is charged.
    macro_rules! list {
        ($name:literal, |$budget:ident, $list:ident: $of:ty $(, $arg:ident: $type:ty)*| $body:expr) => {
            let to = Rc::clone(budget);
            function($name).register_into_engine(engine, move |$list: $of $(, $arg: $type)*| {
                let $budget = &*to;
                $body
            });
        };
    }
    list!("push", |budget, list: &mut List, value: Dynamic| list
        .push(value, budget));
    list!("insert", |budget,
                     list: &mut List,
                     at: INT,
                     value: Dynamic| {
        let at = match at == list.of.len() as INT {
            true => list.of.len(),
            false => list.place(at)?,
        };
        list.insert(at, value, budget)
    });
    list!("pop", |budget, list: &mut List| match list.of.len() {
        0 => Ok(Dynamic::UNIT),
        many => list.remove(many - 1, budget),
    });
    list!("shift", |budget, list: &mut List| match list.of.len() {
        0 => Ok(Dynamic::UNIT),
        _ => list.remove(0, budget),
    });
    list!("remove", |budget, list: &mut List, at: INT| {
        let at = list.place(at)?;
        list.remove(at, budget)
    });
    list!("pad", |budget,
                  list: &mut List,
                  many: INT,
                  value: Dynamic| {
        while (list.of.len() as INT) < many {
            list.push(value.clone(), budget)?;
            budget.charge(1)?;
        }
        Answer::Ok(())
    });
    list!("contains", |budget, list: &mut List, value: Dynamic| {
        budget.walk(list.size)?;
        Answer::Ok(list.of.iter().any(|of| is_same(of, &value)))
    });
    list!("index_of", |budget, list: &mut List, value: Dynamic| {
        budget.walk(list.size)?;
        let at = list.of.iter().position(|of| is_same(of, &value));
        Answer::Ok(at.map_or(-1, |at| at as INT))
    });
    list!("+", |budget, a: List, b: List| joined(a, &b, budget));
    list!("+=", |budget, a: &mut List, b: List| {
        *a = joined(std::mem::take(a), &b, budget)?;
        Answer::Ok(())
    });
    list!("reversed", |budget, list: &mut List| {
        List::new(list.of.iter().rev().cloned().collect(), budget)
    });
    engine.register_indexer_get(|list: &mut List, at: INT| {
        let at = list.place(at)?;
        Answer::Ok(list.of[at].clone())
    });
    settable(engine, budget, |list: &mut List, at: INT, value, budget| {
        list.set(at, value, budget)
    });
}

fn joined(mut a: List, b: &List, budget: &Budget) -> Answer<List> {
    budget.walk(b.of.len())?;
    a.own(budget)?;
    for value in b.of.iter() {
        a.count_in("", value, budget)?;
    }
    a.own(budget)?.extend(b.of.iter().cloned());
    Ok(a)
}

/// By what a list is sorted: numbers, of which the first that differ decide, or a text.
pub(super) type Key = (Vec<f64>, ImmutableString);

/// The key that a value is: a number, an array of numbers, or a text.
pub(super) fn key(value: &Dynamic) -> Answer<Key> {
    let numbers = match value.read_lock::<List>() {
        Some(list) => list.of.iter().map(number).collect(),
        None => number(value).map(|number| vec![number]),
    };
    match (numbers, value.as_immutable_string_ref()) {
        (Some(numbers), _) => Ok((numbers, ImmutableString::default())),
        (None, Ok(text)) => Ok((Vec::new(), text.clone())),
        (None, Err(_)) => Err(refuse(
            "sorted() goes by numbers, arrays of numbers or texts, or by a function that gives such",
        )),
    }
}

/// The lesser key first; equal ones as they were.
pub(super) fn sort<T>(keyed: &mut [(Key, T)], budget: &Budget) -> Answer<()> {
    budget.charge(keyed.len() as u64)?;
    keyed.sort_by(|((a, x), _), ((b, y), _)| {
        let mut pairs = a.iter().zip(b).map(|(a, b)| order::by_value(a, b));
        let differ = pairs.find(|order| order.is_ne());
        differ.unwrap_or_else(|| x.cmp(y))
    });
    Ok(())
}

/// What asks a function of the script's about each element.
fn asked(engine: &mut Engine, budget: &Rc<Budget>) {
    type Context<'a> = NativeCallContext<'a>;
    let to = Rc::clone(budget);
    engine.register_fn(
        "map",
        move |context: Context<'_>, list: &mut List, by: FnPtr| {
            let of = |value| by.call_within_context::<Dynamic>(&context, (value,));
            let values = list
                .of
                .iter()
                .cloned()
                .map(of)
                .collect::<Answer<Vec<_>>>()?;
            List::new(values, &to)
        },
    );
    let to = Rc::clone(budget);
    engine.register_fn(
        "filter",
        move |context: Context<'_>, list: &mut List, by: FnPtr| {
            let mut kept = Vec::new();
            for value in list.of.iter() {
                if by.call_within_context::<bool>(&context, (value.clone(),))? {
                    kept.push(value.clone());
                }
            }
            List::new(kept, &to)
        },
    );
    for (name, found) in [("some", true), ("all", false)] {
        engine.register_fn(
            name,
            move |context: Context<'_>, list: &mut List, by: FnPtr| {
                for value in list.of.iter() {
                    if by.call_within_context::<bool>(&context, (value.clone(),))? == found {
                        return Answer::Ok(found);
                    }
                }
                Ok(!found)
            },
        );
    }
    let to = Rc::clone(budget);
    engine.register_fn(
        "sorted",
        move |context: Context<'_>, list: &mut List, by: FnPtr| {
            let keyed = list.of.iter().map(|value| {
                let of = by.call_within_context::<Dynamic>(&context, (value.clone(),))?;
                Answer::Ok((key(&of)?, value.clone()))
            });
            in_order(keyed.collect::<Answer<Vec<_>>>()?, &to)
        },
    );
    let to = Rc::clone(budget);
    engine.register_fn("sorted", move |list: &mut List| {
        let keyed = list
            .of
            .iter()
            .map(|value| Answer::Ok((key(value)?, value.clone())));
        in_order(keyed.collect::<Answer<Vec<_>>>()?, &to)
    });
}

fn in_order(mut keyed: Vec<(Key, Dynamic)>, budget: &Budget) -> Answer<List> {
    sort(&mut keyed, budget)?;
    List::new(keyed.into_iter().map(|(_, value)| value).collect(), budget)
}

fn dicts(engine: &mut Engine, budget: &Rc<Budget>) {
    engine.register_fn("contains", |dict: &mut Dict, key: &str| {
        dict.of.contains_key(key)
    });
    engine.register_indexer_get(|dict: &mut Dict, key: &str| dict.get(key));
    settable(
        engine,
        budget,
        |dict: &mut Dict, key: ImmutableString, value, budget| dict.set(key, value, budget),
    );
    let to = Rc::clone(budget);
    function("remove").register_into_engine(engine, move |dict: &mut Dict, key: &str| {
        dict.remove(key, &to)
    });
    let to = Rc::clone(budget);
    engine.register_fn("keys", move |dict: &mut Dict| {
        List::new(dict.of.keys().cloned().map(Dynamic::from).collect(), &to)
    });
    let to = Rc::clone(budget);
    engine.register_fn("values", move |dict: &mut Dict| {
        List::new(dict.of.values().cloned().collect(), &to)
    });
}

/// Registers how an element is set. A constant may be asked, as by `A[0].len()`, after which Rhai puts back
/// what it has asked: only another value changes it.
fn settable<T: Elements, K: rhai::Variant + Clone>(
    engine: &mut Engine,
    budget: &Rc<Budget>,
    set: impl Fn(&mut Held<T>, K, Dynamic, &Budget) -> Answer<()> + 'static,
) where
    Held<T>: Indexed<K>,
{
    let to = Rc::clone(budget);
    let put = move |_: Option<NativeCallContext<'_>>, args: &mut [&mut Dynamic]| {
        let [held, key, value] = args else {
            return Err(refuse("an element is set by its place and its value"));
        };
        let (is_constant, key, value) = (held.is_read_only(), key.take(), value.take());
        let (Some(mut held), Some(key)) = (held.write_lock::<Held<T>>(), key.try_cast::<K>())
        else {
            return Err(refuse("an element is set by its place and its value"));
        };
        if is_constant {
            to.walk(held.size)?;
            return match held.at(&key).is_some_and(|old| is_same(&old, &value)) {
                true => Ok(Dynamic::UNIT),
                false => Err(refuse("a constant cannot be changed: let defines what can")),
            };
        }
        set(&mut held, key, value, &to)?;
        Ok(Dynamic::UNIT)
    };
    let mut module = Module::new();
    FuncRegistration::new("index$set$")
        .in_global_namespace()
        .set_into_module_raw(
            &mut module,
            [
                TypeId::of::<Held<T>>(),
                TypeId::of::<K>(),
                TypeId::of::<Dynamic>(),
            ],
            RhaiFunc::Method {
                func: Shared::new(put),
                has_context: false,
                is_pure: true,
                is_volatile: true,
            },
        );
    engine.register_global_module(module.into());
}

/// What stands at a place, if anything does.
trait Indexed<K> {
    fn at(&self, place: &K) -> Option<Dynamic>;
}

impl Indexed<INT> for List {
    fn at(&self, place: &INT) -> Option<Dynamic> {
        self.place(*place).ok().map(|at| self.of[at].clone())
    }
}

impl Indexed<ImmutableString> for Dict {
    fn at(&self, place: &ImmutableString) -> Option<Dynamic> {
        self.of.get(place).cloned()
    }
}
