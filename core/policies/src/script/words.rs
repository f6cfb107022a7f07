//! The words that scripts are written with, for whoever completes them: one line each. `docs/scripts.md` is
//! the whole of it.

use crate::meant;

/// A word of the language.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// What it is of: `job`, `jobs`, `view`, `array`, `map`, `text`, `function`, or `constant`, which stands at
    /// the top.
    pub of: &'static str,
    /// The word.
    pub name: &'static str,
    /// What it takes, or what it is.
    pub signature: &'static str,
    /// What it means, with its unit.
    pub about: &'static str,
}

const fn word(
    of: &'static str,
    name: &'static str,
    signature: &'static str,
    about: &'static str,
) -> Word {
    Word {
        of,
        name,
        signature,
        about,
    }
}

/// The language's own words, which no variable is called.
pub const KEYWORDS: &[&str] = &[
    "let",
    "const",
    "if",
    "else",
    "switch",
    "do",
    "while",
    "until",
    "loop",
    "for",
    "in",
    "break",
    "continue",
    "return",
    "throw",
    "try",
    "catch",
    "fn",
    "private",
    "is_def_var",
];

/// All of them.
pub const WORDS: &[Word] = &[
    word("job", "id", "int", "Its place in order of arrival."),
    word("job", "name", "text", "Its name in the trace."),
    word("job", "gpus", "int", "GPUs it asks for, all or none."),
    word("job", "submit", "s", "When it came."),
    word("job", "tenant", "int", "Its tenant; −1: unknown."),
    word(
        "job",
        "attained",
        "GPU·s",
        "Attained service: GPUs × time it has held them.",
    ),
    word("job", "held", "s", "How long it has held GPUs."),
    word("job", "waited", "s", "How long it has waited, all in all."),
    word(
        "job",
        "since",
        "s",
        "Since when it runs or waits as it does now.",
    ),
    word("job", "starts", "int", "How often it has started."),
    word("job", "running", "bool", "Whether it runs."),
    word("job", "rate", "", "Its speed: 1 is that of the trace."),
    word(
        "job",
        "duration",
        "s, oracle",
        "How long it runs in all; needs `const ORACLE = true;`.",
    ),
    word(
        "job",
        "remaining",
        "s, oracle",
        "How much of that is left; needs `const ORACLE = true;`.",
    ),
    word("job", "holds", "int", "GPUs it holds now."),
    word("job", "nodes", "array", "The nodes it holds GPUs on."),
    word(
        "job",
        "queue",
        "int",
        "The queue that demote() or promote() put it in; 0 is the highest.",
    ),
    word(
        "job",
        "memo",
        "any",
        "What the script keeps with it: a number, a word, true or false.",
    ),
    word(
        "job",
        "adaptive",
        "bool",
        "Whether it can train on other GPUs and batches than it asks for.",
    ),
    word("job", "application", "text", "What it trains."),
    word("job", "batch", "int", "The batch it asks for, samples."),
    word("job", "epochs", "int", "Epochs it takes."),
    word("job", "epochs_done", "float", "Epochs it has done."),
    word("job", "max_gpus", "int", "The most GPUs it can use now."),
    word(
        "job",
        "speedup",
        "(gpus)",
        "Goodput on so many GPUs ÷ that on one.",
    ),
    word(
        "job",
        "goodput",
        "(gpus)",
        "Goodput on so many GPUs, samples/s.",
    ),
    word(
        "job",
        "best_batch",
        "(gpus)",
        "The batch of most goodput on so many GPUs.",
    ),
    word("jobs", "len", "()", "How many they are."),
    word("jobs", "is_empty", "()", "Whether there is none."),
    word("jobs", "gpus", "int", "GPUs they ask for together."),
    word("jobs", "contains", "(job)", "Whether a job is among them."),
    word(
        "jobs",
        "filter",
        "(|job| …)",
        "Those of which something holds.",
    ),
    word(
        "jobs",
        "sorted",
        "(|job| …)",
        "By a number of each, least first.",
    ),
    word("jobs", "reversed", "()", "The other way round."),
    word("view", "now", "s", "The time."),
    word("view", "round", "bool", "Whether `EVERY` seconds are over."),
    word("view", "jobs", "jobs", "The jobs that wait or run."),
    word("view", "waiting", "jobs", "The jobs that wait."),
    word("view", "running", "jobs", "The jobs that run."),
    word(
        "view",
        "arrived",
        "jobs",
        "The jobs that have come since it was last asked.",
    ),
    word(
        "view",
        "evicted",
        "jobs",
        "The jobs whose node has failed since.",
    ),
    word("view", "alarms", "jobs", "The jobs whose alarm is due."),
    word("view", "free", "int", "GPUs idle when it was asked."),
    word("view", "gpus", "int", "GPUs of the cluster."),
    word("view", "nodes", "int", "Nodes of the cluster."),
    word("view", "node_size", "int", "GPUs of a node."),
    word(
        "function",
        "note",
        "(term, value) or (job, term, value)",
        "Tells this under \"why\"; in plan: note(job, term, value).",
    ),
    word(
        "function",
        "random",
        "()",
        "A number from 0 to below 1, of the run's seed.",
    ),
    word(
        "function",
        "start",
        "(job) or (job, nodes)",
        "Starts it, where its placement lays it or on these nodes; false: it does not fit.",
    ),
    word("function", "stop", "(job)", "Takes its GPUs."),
    word(
        "function",
        "move",
        "(job, nodes)",
        "Moves it to these nodes.",
    ),
    word(
        "function",
        "train",
        "(job, gpus) or (job, gpus, batch)",
        "Gives an adaptive job so many GPUs, and a batch or the best one.",
    ),
    word(
        "function",
        "walk",
        "(jobs)",
        "Lets those run that fit, the first first, and stops the others.",
    ),
    word(
        "function",
        "free",
        "()",
        "GPUs that are idle after what was decided so far.",
    ),
    word("function", "free_on", "(node)", "The same of a node."),
    word(
        "function",
        "is_open",
        "(node)",
        "Whether a node is up and takes jobs.",
    ),
    word(
        "function",
        "alarm",
        "(job, at)",
        "Asks to be called about it at this time, s.",
    ),
    word(
        "function",
        "demote",
        "(job, queue)",
        "Puts it into a lower queue.",
    ),
    word(
        "function",
        "promote",
        "(job, queue)",
        "Puts it into a higher queue.",
    ),
    word("function", "min", "(a, b)", "The lesser."),
    word("function", "max", "(a, b)", "The greater."),
    word("function", "pow", "(x, y)", "x to the power of y."),
    word("function", "sqrt", "(x)", "Square root."),
    word("function", "exp", "(x)", "e to the power of x."),
    word("function", "ln", "(x)", "Natural logarithm."),
    word("function", "log2", "(x)", "Logarithm to base 2."),
    word("function", "log10", "(x)", "Logarithm to base 10."),
    word("function", "floor", "(x)", "The whole number below."),
    word("function", "ceil", "(x)", "The whole number above."),
    word("function", "round", "(x)", "The nearest whole number."),
    word(
        "function",
        "to_float",
        "(x)",
        "A whole number as a number with decimals.",
    ),
    word(
        "function",
        "to_int",
        "(x)",
        "Without what follows the point.",
    ),
    word("function", "INFINITY", "()", "Greater than every number."),
    word("array", "push", "(x)", "Adds an element at the end."),
    word("array", "insert", "(i, x)", "Adds one at a place, from 0."),
    word("array", "pad", "(n, x)", "Adds it until there are n."),
    word("array", "pop", "()", "Takes the last."),
    word("array", "shift", "()", "Takes the first."),
    word("array", "remove", "(i)", "Takes the one at a place."),
    word("array", "clear", "()", "Takes all."),
    word("array", "contains", "(x)", "Whether it is there."),
    word(
        "array",
        "index_of",
        "(x)",
        "Where it is first; -1: nowhere.",
    ),
    word("array", "map", "(|x| …)", "What a function gives for each."),
    word(
        "array",
        "filter",
        "(|x| …)",
        "Those of which something holds.",
    ),
    word(
        "array",
        "some",
        "(|x| …)",
        "Whether something holds of one.",
    ),
    word("array", "all", "(|x| …)", "Whether something holds of all."),
    word(
        "array",
        "sorted",
        "() or (|x| …)",
        "In order, by themselves or by what a function gives.",
    ),
    word("array", "reversed", "()", "The other way round."),
    word("array", "len", "int", "How many they are."),
    word("array", "is_empty", "bool", "Whether there is none."),
    word("map", "keys", "()", "All keys."),
    word("map", "values", "()", "What stands under the keys."),
    word(
        "map",
        "contains",
        "(key)",
        "Whether something stands under a key.",
    ),
    word("map", "remove", "(key)", "Takes what stands under a key."),
    word("text", "split", "(text)", "Its parts between such."),
    word("text", "starts_with", "(text)", "Whether it begins so."),
    word("text", "ends_with", "(text)", "Whether it ends so."),
    word(
        "function",
        "range",
        "(from, to) or (from, to, step)",
        "Numbers to go over, without the last.",
    ),
    word(
        "constant",
        "PREEMPTIVE",
        "bool",
        "Whether running jobs give way to lesser keys.",
    ),
    word(
        "constant",
        "BACKFILL",
        "bool",
        "Whether jobs that fit overtake jobs that do not.",
    ),
    word(
        "constant",
        "EVERY",
        "s",
        "How often it is asked besides at events.",
    ),
    word(
        "constant",
        "ORACLE",
        "bool",
        "Whether it sees true durations.",
    ),
    word(
        "constant",
        "ADAPTIVE",
        "bool",
        "Whether it trains adaptive jobs with train().",
    ),
];

/// The word that was meant, among those of which `is_one` holds.
pub(super) fn meant(written: &str, is_one: impl Fn(&Word) -> bool) -> Option<&'static str> {
    let words = WORDS.iter().filter(|word| is_one(word));
    meant::meant(written, words.map(|word| word.name))
}

#[cfg(test)]
mod tests {
    use super::super::{EXAMPLES, Script};
    use super::*;
    use crate::job_properties::PROPERTIES;

    fn of(kind: &str) -> impl Iterator<Item = &'static Word> {
        WORDS.iter().filter(move |word| word.of == kind)
    }

    #[test]
    fn what_keys_may_hang_on_is_among_them() {
        let known = PROPERTIES.iter().map(|property| property.name);
        for name in known.chain(["name"]) {
            assert!(of("job").any(|word| word.name == name), "{name}");
        }
    }

    #[test]
    fn every_function_of_one_number_and_of_two_is_one() {
        for word in of("function") {
            let call = match word.signature {
                "(x)" => "1.5",
                "(a, b)" | "(x, y)" => "1.5, 2.5",
                _ => continue,
            };
            let text = format!("let x = {}({call});\nfn key(job, now) {{ x }}", word.name);
            assert!(Script::new(&text, false).is_ok(), "{text}");
        }
    }

    #[test]
    fn each_of_them_has_a_line_and_examples_use_some() {
        for (at, word) in WORDS.iter().enumerate() {
            assert!(word.about.ends_with('.'), "{}", word.name);
            let again = WORDS[at + 1..]
                .iter()
                .any(|other| (other.of, other.name) == (word.of, word.name));
            assert!(!again, "{}", word.name);
        }
        for word in of("constant") {
            let is_used = EXAMPLES
                .iter()
                .any(|example| example.text.contains(word.name));
            assert!(is_used, "{}", word.name);
        }
    }

    #[test]
    fn no_variable_is_called_as_a_keyword() {
        let script = |name: &str| format!("fn key(job, now) {{ let {name} = 1; 2 }}");
        let is_sound = |name| Script::spec(&script(name), "").is_ok();
        assert!(is_sound("gpus"));
        for word in KEYWORDS {
            assert!(!is_sound(word), "{word}");
        }
    }
}
