//! The language of scripts: Rhai, with its limits, `libm`'s mathematics and errors in words.

use super::budget::{Budget, Limits};
use super::refusal::refuse;
use super::values::{self, List};
use super::words::{WORDS, Word, meant};
use rhai::config::hashing::set_hashing_seed;
use rhai::{AST, Dynamic, Engine, EvalAltResult, INT, ImmutableString, ParseError, Position};
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;
use switchyard_engine::Mistake;

/// How deeply expressions nest: at the top, and in functions.
const DEPTH: usize = 32;

/// The precedence of `**` in Rhai's own table.
const POWER: u8 = 190;

/// An engine that knows numbers, texts, arrays and maps: what `docs/scripts.md` names. Of Rhai's packages it
/// has none, since they can do more, such as to sleep.
pub(super) fn engine(limits: Limits, budget: &Rc<Budget>) -> Engine {
    // By default the seed is drawn when a program is built: two builds would not be the same. Whoever
    // sets it first has set it.
    let _ = set_hashing_seed(Some([16, 1, 6, 19]));
    let mut engine = Engine::new_raw();
    let to = Rc::clone(budget);
    engine.on_progress(move |_| to.charge(1).is_err().then_some(Dynamic::UNIT));
    engine.set_max_call_levels(limits.calls);
    engine.set_max_expr_depths(DEPTH, DEPTH);
    engine.set_max_string_size(limits.size);
    engine.set_max_variables(limits.variables);
    engine.set_max_functions(256);
    for symbol in ["eval", "print", "debug", "curry", "**="] {
        engine.disable_symbol(symbol);
    }
    values::literals(&mut engine, budget);
    values::register(&mut engine, budget);
    numbers(&mut engine);
    texts(&mut engine, budget);
    maths(&mut engine);
    engine
}

/// What Rhai's packages would give numbers, beside the operators that it has built in.
fn numbers(engine: &mut Engine) {
    engine.register_iterator::<Range<INT>>();
    engine.register_iterator::<RangeInclusive<INT>>();
    let whole = |of: Option<INT>| of.ok_or_else(|| refuse("the number is too large"));
    engine.register_fn("-", move |x: INT| whole(x.checked_neg()));
    engine.register_fn("-", |x: f64| -x);
    engine.register_fn("+", |x: INT| x);
    engine.register_fn("+", |x: f64| x);
    engine.register_fn("!", |x: bool| !x);
    engine.register_fn("abs", move |x: INT| whole(x.checked_abs()));
    engine.register_fn("abs", libm::fabs);
    engine.register_fn("sign", INT::signum);
    engine.register_fn("sign", |x: f64| match x {
        0.0.. => INT::from(x > 0.0),
        _ => -INT::from(x < 0.0),
    });
    engine.register_fn("min", |x: INT, y: INT| x.min(y));
    engine.register_fn("max", |x: INT, y: INT| x.max(y));
}

/// What texts can do.
fn texts(engine: &mut Engine, budget: &Rc<Budget>) {
    let of = Rc::clone(budget);
    let length = move |text: &mut ImmutableString| {
        of.walk(text.len())?;
        Ok::<_, Box<EvalAltResult>>(text.chars().count() as INT)
    };
    engine.register_get("len", length.clone());
    engine.register_fn("len", length);
    engine.register_get("is_empty", |text: &mut ImmutableString| text.is_empty());
    engine.register_fn("is_empty", |text: &str| text.is_empty());
    /// Registers whether one text stands in another.
    macro_rules! whether {
        ($($name:literal: $of:ident),*) => {
            $(let to = Rc::clone(budget);
            engine.register_fn($name, move |text: &str, part: &str| {
                to.walk(text.len())?;
                Ok::<_, Box<EvalAltResult>>(text.$of(part))
            });)*
        };
    }
    whether!("contains": contains, "starts_with": starts_with, "ends_with": ends_with);
    let to = Rc::clone(budget);
    engine.register_fn("split", move |text: &str, at: &str| {
        to.walk(text.len())?;
        let parts = text.split(at).map(|part| Dynamic::from(part.to_owned()));
        List::new(parts.collect(), &to)
    });
    /// Registers a value's text.
    macro_rules! to_string {
        ($($of:ty),*) => {$(
            engine.register_fn("to_string", |value: $of| Dynamic::from(value).to_string());
            engine.register_fn("+", |a: &str, b: $of| format!("{a}{}", Dynamic::from(b)));
            engine.register_fn("+", |a: $of, b: &str| format!("{}{b}", Dynamic::from(a)));
        )*};
    }
    to_string!(INT, f64, bool, ());
    engine.register_fn("to_string", |value: char| value.to_string());
    engine.register_fn("to_string", |text: ImmutableString| text);
}

/// A function of a number.
pub(super) type Of = fn(f64) -> f64;

/// Functions of a number, by name.
pub(super) const OF_ONE: &[(&str, Of)] = &[
    ("sqrt", libm::sqrt),
    ("cbrt", libm::cbrt),
    ("exp", libm::exp),
    ("ln", libm::log),
    ("log", libm::log10),
    ("log10", libm::log10),
    ("log2", libm::log2),
    ("sin", libm::sin),
    ("cos", libm::cos),
    ("tan", libm::tan),
    ("asin", libm::asin),
    ("acos", libm::acos),
    ("atan", libm::atan),
    ("sinh", libm::sinh),
    ("cosh", libm::cosh),
    ("tanh", libm::tanh),
    ("floor", libm::floor),
    ("ceil", libm::ceil),
    ("round", libm::round),
];

/// The same bits natively and in every browser: by `libm`. Rhai's own would be the machine's.
fn maths(engine: &mut Engine) {
    // Rhai's operator goes by the machine's `powf`; disabled, its name is free for ours.
    engine.disable_symbol("**");
    let _ = engine.register_custom_operator("**", POWER);
    for name in ["**", "pow"] {
        engine.register_fn(name, |x: f64, y: f64| libm::pow(x, y));
        engine.register_fn(name, |x: f64, y: INT| libm::pow(x, y as f64));
        engine.register_fn(name, |x: INT, y: f64| libm::pow(x as f64, y));
        engine.register_fn(name, |x: INT, y: INT| libm::pow(x as f64, y as f64));
    }
    for &(name, of) in OF_ONE {
        engine.register_fn(name, move |x: f64| of(x));
        engine.register_fn(name, move |x: INT| of(x as f64));
    }
    engine.register_fn("to_float", |x: f64| x);
    engine.register_fn("to_float", |x: INT| x as f64);
    engine.register_fn("to_int", |x: INT| x);
    engine.register_fn("to_int", |x: f64| x as INT);
    engine.register_fn("parse_int", |text: &str| {
        let number = text.trim().parse::<INT>();
        number.map_err(|_| refuse(format!("'{text}' is no whole number")))
    });
    engine.register_fn("parse_float", |text: &str| {
        let number = text.trim().parse::<f64>();
        number.map_err(|_| refuse(format!("'{text}' is no number")))
    });
    engine.register_fn("is_nan", |x: f64| x.is_nan());
    engine.register_fn("is_finite", |x: f64| x.is_finite());
    engine.register_fn("is_infinite", |x: f64| x.is_infinite());
    engine.register_fn("INFINITY", || f64::INFINITY);
    engine.register_fn("PI", || std::f64::consts::PI);
    engine.register_fn("E", || std::f64::consts::E);
    for (name, of) in [("min", least as fn(f64, f64) -> f64), ("max", greatest)] {
        engine.register_fn(name, move |x: f64, y: f64| of(x, y));
        engine.register_fn(name, move |x: INT, y: f64| of(x as f64, y));
        engine.register_fn(name, move |x: f64, y: INT| of(x, y as f64));
    }
}

/// The lesser of two numbers; of two zeros the first, where [`f64::min`] may give either.
pub(super) fn least(x: f64, y: f64) -> f64 {
    if y < x || x.is_nan() { y } else { x }
}

/// The greater of two numbers; of two zeros the first.
pub(super) fn greatest(x: f64, y: f64) -> f64 {
    if y > x || x.is_nan() { y } else { x }
}

/// Bytes that are told of a thrown value.
const LONGEST_THROWN: usize = 200;

/// A mistake at a place in the text.
pub(super) fn mistake(at: Position, what: impl Into<String>) -> Mistake {
    Mistake {
        line: at.line().unwrap_or(0) as u32,
        column: at.position().unwrap_or(1) as u32,
        what: what.into(),
    }
}

/// What the parser found.
pub(super) fn unreadable(error: &ParseError) -> Mistake {
    let what = error.err_type().to_string();
    let hint = match what.as_str() {
        text if text.contains("reserved") && text.contains("print") => {
            ": to tell something, use note(\"what\", value)"
        }
        text if text.contains("maximum depth") => ": write the expression in several lines",
        _ => "",
    };
    mistake(error.position(), format!("{what}{hint}"))
}

/// What ended a script, at the innermost place in its text.
pub(super) fn ended(error: Box<EvalAltResult>, limits: Limits, script: &AST) -> Mistake {
    use EvalAltResult as E;
    let outer = error.position();
    let mut inner = error;
    let mut at = outer;
    while let E::ErrorInFunctionCall(_, _, cause, _) = *inner {
        inner = cause;
        if !inner.position().is_none() {
            at = inner.position();
        }
    }
    let what = match &*inner {
        E::ErrorTooManyOperations(_) | E::ErrorTerminated(..) => format!(
            "the script was here after {} operations, more than one decision may take: a loop without an end, or too much work",
            limits.operations
        ),
        E::ErrorStackOverflow(_) => format!(
            "more than {} functions call one another: a function that calls itself without an end",
            limits.calls
        ),
        E::ErrorDataTooLarge(what, _) => format!(
            "{what}, more than the {} elements (or bytes of text) that a value may have",
            limits.size
        ),
        E::ErrorTooManyVariables(_) => {
            format!("more than {} variables at a time", limits.variables)
        }
        E::ErrorVariableNotFound(name, _) => format!(
            "there is no variable '{name}' here: a function sees its parameters and what is defined at the top with let or const, and a closure |job| … only its own parameters"
        ),
        E::ErrorDotExpr(text, _) => unknown_property(text).unwrap_or_else(|| text.clone()),
        E::ErrorFunctionNotFound(call, _) => unknown_function(call, script),
        E::ErrorRuntime(value, _) => match value.clone().into_string() {
            Ok(text) => text,
            Err(_) => format!("thrown: {}", values::in_words(value, LONGEST_THROWN)),
        },
        E::ErrorParsing(kind, _) => kind.to_string(),
        other => {
            let mut bare = other.to_string();
            // The position is told apart.
            if let Some(end) = bare.rfind(" (line ") {
                bare.truncate(end);
            }
            bare
        }
    };
    mistake(at, what)
}

/// Rhai's "Unknown property 'x' - a getter is not registered for type 'job'", and a way out.
fn unknown_property(text: &str) -> Option<String> {
    let mut parts = text.strip_prefix("Unknown property '")?.split('\'');
    let (property, of) = (parts.next()?, parts.nth(1)?);
    let hint = match meant(property, |word| word.of == of) {
        Some(name) => format!("did you mean '{name}'?"),
        None => "docs/scripts.md lists what there is".to_owned(),
    };
    Some(format!("{of} has no '{property}': {hint}"))
}

/// A call, as `flor (f64)`, of what is no function, or takes other parameters.
fn unknown_function(call: &str, script: &AST) -> String {
    let (name, types) = call.split_once(' ').unwrap_or((call, ""));
    let is_empty = types == "()";
    let types = types
        .replace("&str | ImmutableString | String", "text")
        .replace("i64", "int")
        .replace("f64", "float")
        .replace("()", if is_empty { "()" } else { "nothing" });
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return format!("'{name}' does not take {types}");
    }
    let own = script.iter_functions().filter(|of| of.name == name);
    let own = own.map(|of| format!("({})", of.params.join(", ")));
    let is_call = |word: &&Word| word.signature.starts_with('(');
    let given = WORDS.iter().filter(is_call).filter(|of| of.name == name);
    let given = given.map(|of| of.signature.to_owned());
    let takes: Vec<String> = own.chain(given).collect();
    if !takes.is_empty() {
        return format!("'{name}' takes {}, not {types}", takes.join(" or "));
    }
    match meant(name, |word| is_call(&word)) {
        Some(meant) => format!("there is no function {name} {types}: did you mean '{meant}'?"),
        None => {
            format!("there is no function {name} {types}: docs/scripts.md lists those there are")
        }
    }
}
