//! The words that scripts are written with, for whoever completes or looks them up: one line each, with an example.
//! `docs/scripts.md` is the whole of it.

use crate::meant;

/// A word of the language.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// What it is of: `job`, `jobs`, `view`, `array`, `map`, `text`, `function`, `constant`, which stands at
    /// the top, or `statement`, which is of the language itself.
    pub of: &'static str,
    /// The word.
    pub name: &'static str,
    /// What it takes, or what it is.
    pub signature: &'static str,
    /// What it means, with its unit.
    pub about: &'static str,
    /// A line with it, to begin with. Of a constant: what stands at the top.
    pub example: &'static str,
}

const fn word(
    of: &'static str,
    name: &'static str,
    signature: &'static str,
    about: &'static str,
    example: &'static str,
) -> Word {
    Word {
        of,
        name,
        signature,
        about,
        example,
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
    word(
        "job",
        "id",
        "int",
        "Its place in order of arrival.",
        "job.id % 2",
    ),
    word(
        "job",
        "name",
        "text",
        "Its name in the trace.",
        "job.name.starts_with(\"lab-1\")",
    ),
    word(
        "job",
        "gpus",
        "int",
        "GPUs it asks for, all or none.",
        "job.gpus",
    ),
    word("job", "submit", "s", "When it came.", "now - job.submit"),
    word(
        "job",
        "tenant",
        "int",
        "The number of its tenant; −1: unknown.",
        "job.tenant == 0",
    ),
    word(
        "job",
        "tenant_name",
        "text",
        "The name of its tenant; \"\": unknown.",
        "if job.tenant_name == \"vision\" { 0 } else { 1 }",
    ),
    word(
        "job",
        "attained",
        "GPU·s",
        "Attained service: GPUs × time it has held them.",
        "job.attained",
    ),
    word(
        "job",
        "held",
        "s",
        "How long it has held GPUs.",
        "job.held / 3600.0",
    ),
    word(
        "job",
        "waited",
        "s",
        "How long it has waited, all in all.",
        "job.attained - 0.1 * job.waited",
    ),
    word(
        "job",
        "since",
        "s",
        "Since when it runs or waits as it does now.",
        "now - job.since",
    ),
    word(
        "job",
        "starts",
        "int",
        "How often it has started.",
        "job.starts > 0",
    ),
    word(
        "job",
        "running",
        "bool",
        "Whether it runs.",
        "if job.running { 0 } else { 1 }",
    ),
    word(
        "job",
        "rate",
        "",
        "Its speed: 1 is that of the trace.",
        "job.rate < 1.0",
    ),
    word(
        "job",
        "duration",
        "s, oracle",
        "How long it runs in all; needs `const ORACLE = true;`.",
        "job.duration * job.gpus",
    ),
    word(
        "job",
        "remaining",
        "s, oracle",
        "How much of that is left; needs `const ORACLE = true;`.",
        "job.remaining * job.gpus",
    ),
    word(
        "job",
        "holds",
        "int",
        "GPUs it holds now.",
        "job.holds - job.gpus",
    ),
    word(
        "job",
        "nodes",
        "array",
        "The nodes it holds GPUs on.",
        "job.nodes.len > 1",
    ),
    word(
        "job",
        "queue",
        "int",
        "The queue that demote() or promote() put it in; 0 is the highest.",
        "job.queue == 0",
    ),
    word(
        "job",
        "memo",
        "any",
        "What the script keeps with it: a number, a word, true or false.",
        "job.memo = view.now;",
    ),
    word(
        "job",
        "adaptive",
        "bool",
        "Whether it can train on other GPUs and batches than it asks for.",
        "if job.adaptive { train(job, 2); } else { start(job); }",
    ),
    word(
        "job",
        "application",
        "text",
        "What it trains.",
        "job.application == \"cifar10\"",
    ),
    word(
        "job",
        "batch",
        "int",
        "The batch it asks for, samples.",
        "job.batch / job.gpus",
    ),
    word(
        "job",
        "epochs",
        "int",
        "Epochs it takes.",
        "job.epochs - job.epochs_done",
    ),
    word(
        "job",
        "epochs_done",
        "float",
        "Epochs it has done.",
        "job.epochs_done >= 1.0",
    ),
    word(
        "job",
        "max_gpus",
        "int",
        "The most GPUs it can use now.",
        "min(job.max_gpus, free())",
    ),
    word(
        "job",
        "speedup",
        "(gpus)",
        "Goodput on so many GPUs ÷ that on one.",
        "job.speedup(4) / 4",
    ),
    word(
        "job",
        "goodput",
        "(gpus)",
        "Goodput on so many GPUs, samples/s.",
        "job.goodput(4)",
    ),
    word(
        "job",
        "best_batch",
        "(gpus)",
        "The batch of most goodput on so many GPUs.",
        "job.best_batch(4)",
    ),
    word(
        "jobs",
        "len",
        "()",
        "How many they are.",
        "view.waiting.len()",
    ),
    word(
        "jobs",
        "is_empty",
        "()",
        "Whether there is none.",
        "if view.waiting.is_empty() { return; }",
    ),
    word(
        "jobs",
        "gpus",
        "int",
        "GPUs they ask for together.",
        "view.waiting.gpus > view.gpus",
    ),
    word(
        "jobs",
        "contains",
        "(job)",
        "Whether a job is among them.",
        "view.evicted.contains(job)",
    ),
    word(
        "jobs",
        "filter",
        "(|job| …)",
        "Those of which something holds.",
        "view.waiting.filter(|job| job.gpus > 1)",
    ),
    word(
        "jobs",
        "sorted",
        "(|job| …)",
        "By a number of each, least first.",
        "walk(view.jobs.sorted(|job| [job.queue, job.submit]));",
    ),
    word(
        "jobs",
        "reversed",
        "()",
        "The other way round.",
        "for job in view.running.reversed() { stop(job); break; }",
    ),
    word("view", "now", "s", "The time.", "view.now - job.submit"),
    word(
        "view",
        "round",
        "bool",
        "Whether `EVERY` seconds are over.",
        "if !view.round { return; }",
    ),
    word(
        "view",
        "jobs",
        "jobs",
        "The jobs that wait or run.",
        "walk(view.jobs);",
    ),
    word(
        "view",
        "waiting",
        "jobs",
        "The jobs that wait.",
        "for job in view.waiting { if !start(job) { break; } }",
    ),
    word(
        "view",
        "running",
        "jobs",
        "The jobs that run.",
        "for job in view.running { if job.held > 3600.0 { stop(job); } }",
    ),
    word(
        "view",
        "arrived",
        "jobs",
        "The jobs that have come since it was last asked.",
        "for job in view.arrived { job.memo = 0; }",
    ),
    word(
        "view",
        "evicted",
        "jobs",
        "The jobs whose node has failed since.",
        "for job in view.evicted { job.memo = -1; }",
    ),
    word(
        "view",
        "alarms",
        "jobs",
        "The jobs whose alarm is due.",
        "for job in view.alarms { demote(job, job.queue + 1); }",
    ),
    word(
        "view",
        "free",
        "int",
        "GPUs idle when it was asked.",
        "if view.free == 0 { return; }",
    ),
    word(
        "view",
        "gpus",
        "int",
        "GPUs of the cluster.",
        "view.waiting.gpus > view.gpus / 2",
    ),
    word(
        "view",
        "nodes",
        "int",
        "Nodes of the cluster.",
        "for node in 0..view.nodes { note(\"free on a node\", free_on(node)); }",
    ),
    word(
        "view",
        "node_size",
        "int",
        "GPUs of a node.",
        "job.gpus <= view.node_size",
    ),
    word(
        "function",
        "note",
        "(term, value) or (job, term, value)",
        "Tells this under \"why\"; in plan: note(job, term, value).",
        "note(\"attained, GPU·s\", job.attained);",
    ),
    word(
        "function",
        "random",
        "()",
        "A number from 0 to below 1, of the run's seed.",
        "random()",
    ),
    word(
        "function",
        "start",
        "(job) or (job, nodes)",
        "Starts it, where its placement lays it or on these nodes; false: it does not fit.",
        "if !start(job) { break; }",
    ),
    word(
        "function",
        "stop",
        "(job)",
        "Takes its GPUs.",
        "if job.running { stop(job); }",
    ),
    word(
        "function",
        "move",
        "(job, nodes)",
        "Moves it to these nodes.",
        "if job.running && free_on(0) >= job.gpus { move(job, [0]); }",
    ),
    word(
        "function",
        "train",
        "(job, gpus) or (job, gpus, batch)",
        "Gives an adaptive job so many GPUs, and a batch or the best one.",
        "if job.adaptive { train(job, job.max_gpus); }",
    ),
    word(
        "function",
        "walk",
        "(jobs)",
        "Lets those run that fit, the first first, and stops the others.",
        "walk(view.jobs.sorted(|job| job.attained));",
    ),
    word(
        "function",
        "free",
        "()",
        "GPUs that are idle after what was decided so far.",
        "if free() == 0 { break; }",
    ),
    word(
        "function",
        "free_on",
        "(node)",
        "The same of a node.",
        "free_on(0) == view.node_size",
    ),
    word(
        "function",
        "is_open",
        "(node)",
        "Whether a node is up and takes jobs.",
        "is_open(0)",
    ),
    word(
        "function",
        "alarm",
        "(job, at)",
        "Asks to be called about it at this time, s.",
        "alarm(job, view.now + 600);",
    ),
    word(
        "function",
        "demote",
        "(job, queue)",
        "Puts it into a lower queue.",
        "demote(job, job.queue + 1);",
    ),
    word(
        "function",
        "promote",
        "(job, queue)",
        "Puts it into a higher queue.",
        "promote(job, 0);",
    ),
    word(
        "function",
        "min",
        "(a, b)",
        "The lesser.",
        "min(job.gpus, 4)",
    ),
    word(
        "function",
        "max",
        "(a, b)",
        "The greater.",
        "max(3250.0 - job.attained, 0.0)",
    ),
    word(
        "function",
        "pow",
        "(x, y)",
        "x to the power of y.",
        "pow(job.gpus, 0.5)",
    ),
    word("function", "sqrt", "(x)", "Square root.", "sqrt(job.gpus)"),
    word(
        "function",
        "exp",
        "(x)",
        "e to the power of x.",
        "exp(-job.waited / 3600.0)",
    ),
    word(
        "function",
        "ln",
        "(x)",
        "Natural logarithm.",
        "ln(1.0 + job.attained)",
    ),
    word(
        "function",
        "log2",
        "(x)",
        "Logarithm to base 2.",
        "floor(log2(1.0 + job.attained))",
    ),
    word(
        "function",
        "log10",
        "(x)",
        "Logarithm to base 10.",
        "log10(1.0 + job.held)",
    ),
    word(
        "function",
        "floor",
        "(x)",
        "The whole number below.",
        "floor(job.attained / 3600.0)",
    ),
    word(
        "function",
        "ceil",
        "(x)",
        "The whole number above.",
        "ceil(job.gpus / 4.0)",
    ),
    word(
        "function",
        "round",
        "(x)",
        "The nearest whole number.",
        "round(job.waited / 60.0)",
    ),
    word(
        "function",
        "to_float",
        "(x)",
        "A whole number as a number with decimals.",
        "job.gpus.to_float() / 4",
    ),
    word(
        "function",
        "to_int",
        "(x)",
        "Without what follows the point.",
        "to_int(job.waited / 60.0)",
    ),
    word(
        "function",
        "INFINITY",
        "()",
        "Greater than every number.",
        "if job.gpus > 4 { INFINITY() } else { job.submit }",
    ),
    word(
        "array",
        "push",
        "(x)",
        "Adds an element at the end.",
        "let sizes = []; for job in view.jobs { sizes.push(job.gpus); }",
    ),
    word(
        "array",
        "insert",
        "(i, x)",
        "Adds one at a place, from 0.",
        "let sizes = [1, 2, 4]; sizes.insert(0, job.gpus);",
    ),
    word(
        "array",
        "pad",
        "(n, x)",
        "Adds it until there are n.",
        "let held = []; held.pad(view.nodes, 0);",
    ),
    word(
        "array",
        "pop",
        "()",
        "Takes the last.",
        "let sizes = [1, 2, 4]; let last = sizes.pop();",
    ),
    word(
        "array",
        "shift",
        "()",
        "Takes the first.",
        "let sizes = [1, 2, 4]; let first = sizes.shift();",
    ),
    word(
        "array",
        "remove",
        "(i)",
        "Takes the one at a place.",
        "let sizes = [1, 2, 4]; sizes.remove(0);",
    ),
    word(
        "array",
        "clear",
        "()",
        "Takes all.",
        "let sizes = [1, 2, 4]; sizes.clear();",
    ),
    word(
        "array",
        "contains",
        "(x)",
        "Whether it is there.",
        "let sizes = [1, 2, 4]; sizes.contains(4)",
    ),
    word(
        "array",
        "index_of",
        "(x)",
        "Where it is first; -1: nowhere.",
        "let sizes = [1, 2, 4]; sizes.index_of(4)",
    ),
    word(
        "array",
        "map",
        "(|x| …)",
        "What a function gives for each.",
        "let sizes = [1, 2, 4]; sizes.map(|x| x * 2)",
    ),
    word(
        "array",
        "filter",
        "(|x| …)",
        "Those of which something holds.",
        "let sizes = [1, 2, 4]; sizes.filter(|x| x > 1)",
    ),
    word(
        "array",
        "some",
        "(|x| …)",
        "Whether something holds of one.",
        "let sizes = [1, 2, 4]; sizes.some(|x| x > 4)",
    ),
    word(
        "array",
        "all",
        "(|x| …)",
        "Whether something holds of all.",
        "let sizes = [1, 2, 4]; sizes.all(|x| x <= 4)",
    ),
    word(
        "array",
        "sorted",
        "() or (|x| …)",
        "In order, by themselves or by what a function gives.",
        "let sizes = [1, 2, 4]; sizes.sorted(|x| -x)",
    ),
    word(
        "array",
        "reversed",
        "()",
        "The other way round.",
        "let sizes = [1, 2, 4]; sizes.sorted().reversed()",
    ),
    word(
        "array",
        "len",
        "int",
        "How many they are.",
        "let sizes = [1, 2, 4]; sizes.len",
    ),
    word(
        "array",
        "is_empty",
        "bool",
        "Whether there is none.",
        "let sizes = [1, 2, 4]; if sizes.is_empty { return; }",
    ),
    word(
        "map",
        "keys",
        "()",
        "All keys.",
        "let used = #{vision: 3}; for key in used.keys() { note(key, used[key]); }",
    ),
    word(
        "map",
        "values",
        "()",
        "What stands under the keys.",
        "let used = #{vision: 3}; used.values().len",
    ),
    word(
        "map",
        "contains",
        "(key)",
        "Whether something stands under a key.",
        "let used = #{vision: 3}; if !used.contains(job.tenant_name) { used[job.tenant_name] = 0; }",
    ),
    word(
        "map",
        "remove",
        "(key)",
        "Takes what stands under a key.",
        "let used = #{vision: 3}; used.remove(job.tenant_name);",
    ),
    word(
        "text",
        "split",
        "(text)",
        "Its parts between such.",
        "job.name.split(\"-\")[0]",
    ),
    word(
        "text",
        "starts_with",
        "(text)",
        "Whether it begins so.",
        "job.name.starts_with(\"lab\")",
    ),
    word(
        "text",
        "ends_with",
        "(text)",
        "Whether it ends so.",
        "job.name.ends_with(\"7\")",
    ),
    word(
        "function",
        "range",
        "(from, to) or (from, to, step)",
        "Numbers to go over, without the last.",
        "for gpus in range(1, 9, 2) { note(\"speed\", gpus); }",
    ),
    word(
        "constant",
        "PREEMPTIVE",
        "bool",
        "Whether running jobs give way to lesser keys.",
        "const PREEMPTIVE = false;",
    ),
    word(
        "constant",
        "BACKFILL",
        "bool",
        "Whether jobs that fit overtake jobs that do not.",
        "const BACKFILL = true;",
    ),
    word(
        "constant",
        "EVERY",
        "s",
        "How often it is asked besides at events.",
        "const EVERY = 60;",
    ),
    word(
        "constant",
        "ORACLE",
        "bool",
        "Whether it sees true durations.",
        "const ORACLE = true;",
    ),
    word(
        "constant",
        "ADAPTIVE",
        "bool",
        "Whether it trains adaptive jobs with train().",
        "const ADAPTIVE = true;",
    ),
    word(
        "statement",
        "let",
        "let name = value;",
        "A variable: its value may change.",
        "let service = job.attained * 2;",
    ),
    word(
        "statement",
        "const",
        "const NAME = value;",
        "A constant. At the top functions see it.",
        "const HOUR = 3600.0;",
    ),
    word(
        "statement",
        "fn",
        "fn name(a, b) { … }",
        "A function. Its last expression is what it gives. It sees its parameters, and what is defined at the top.",
        "fn hours(seconds) { seconds / 3600.0 }",
    ),
    word(
        "statement",
        "return",
        "return value;",
        "Ends the function with this value.",
        "if job.gpus > 8 { return INFINITY(); }",
    ),
    word(
        "statement",
        "if",
        "if condition { … } else { … }",
        "One or the other; gives the value of the branch taken.",
        "if job.gpus > 4 { 1 } else { 0 }",
    ),
    word(
        "statement",
        "else",
        "if condition { … } else { … }",
        "One or the other; gives the value of the branch taken.",
        "if job.running { 0 } else { 1 }",
    ),
    word(
        "statement",
        "for",
        "for x in list { … }",
        "Goes over a list, or over numbers: `0..n`.",
        "for job in view.waiting { start(job); }",
    ),
    word(
        "statement",
        "in",
        "for x in list { … }",
        "Goes over a list; or whether something is in one: `x in list`.",
        "job in view.evicted",
    ),
    word(
        "statement",
        "while",
        "while condition { … }",
        "Goes on as long as this holds.",
        "let level = 0; while level < 4 && job.attained > 1000.0 * level { level += 1; }",
    ),
    word(
        "statement",
        "loop",
        "loop { … }",
        "Goes on until `break`.",
        "let level = 0; loop { level += 1; if level > 4 { break; } }",
    ),
    word(
        "statement",
        "break",
        "break;",
        "Leaves the loop.",
        "for job in view.waiting { if !start(job) { break; } }",
    ),
    word(
        "statement",
        "continue",
        "continue;",
        "Goes on with the loop's next.",
        "for job in view.waiting { if job.gpus > 4 { continue; } start(job); }",
    ),
    word(
        "statement",
        "switch",
        "switch value { a => …, _ => … }",
        "The branch of this value; `_`: any other.",
        "switch job.gpus { 1 => 0, 2 => 1, _ => 2 }",
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
