//! Scripts drawn and mutated: what a hostile or an unlucky author might write.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;
use switchyard::policies::script::EXAMPLES;

/// What scripts are made of, beside what the examples are.
const WORDS: &[&str] = &[
    "fn",
    "key",
    "plan",
    "job",
    "now",
    "view",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "|",
    ",",
    ";",
    ":",
    ".",
    "let",
    "const",
    "if",
    "else",
    "while",
    "loop",
    "for",
    "in",
    "return",
    "break",
    "continue",
    "throw",
    "try",
    "catch",
    "switch",
    "=>",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "1e308",
    "9223372036854775807",
    "0.0",
    "0.5",
    "\"a\"",
    "'c'",
    "`${job}`",
    "#{",
    "+",
    "-",
    "*",
    "/",
    "%",
    "**",
    "==",
    "<",
    ">=",
    "&&",
    "||",
    "!",
    "=",
    "+=",
    "??",
    "..",
    "this",
    "()",
    "job.gpus",
    "job.attained",
    "job.memo",
    "job.queue",
    "view.waiting",
    "view.running",
    "view.jobs",
    "view.now",
    "free()",
    "start(job)",
    "start(job, [0])",
    "start(job, [[0, 1], [1, 1]])",
    "stop(job)",
    "move(job, [1])",
    "train(job, 1)",
    "train(job, 2, 64)",
    "walk(view.jobs)",
    "walk(view.waiting)",
    "alarm(job, view.now + 1)",
    "alarm(job, 0)",
    "demote(job, 1)",
    "promote(job, 0)",
    "note(\"n\", 1)",
    "note(job, \"n\", view)",
    "random()",
    "exp(1e9)",
    "ln(0)",
    ".sorted(|job| job.gpus)",
    ".filter(|job| true)",
    ".len",
    "[0]",
    ".to_string()",
    ".pad(100000, 0)",
    ".push(1)",
    "range(0, 1000000000)",
    "for job in view.waiting {",
    "for job in view.jobs {",
    "fn key(job, now) {",
    "fn plan(view) {",
    "EVERY",
    "PREEMPTIVE",
    "Fn(\"key\")",
    ".call()",
    "type_of(job)",
    "job.speedup(2)",
    "\u{feff}",
    "\u{200b}",
    "\u{e9}",
    "\"\u{1f9e0}\u{301}\"",
];

/// What can stand where a statement can.
const STATEMENTS: &[&str] = &[
    "loop { }",
    "while true { let x = 1; }",
    "let job = view.jobs[0];",
    "for job in view.waiting { start(job); }",
    "for job in view.running { stop(job); }",
    "for job in view.running { if random() < 0.1 { stop(job); } }",
    "for job in view.waiting { if job.adaptive { train(job, 2); } }",
    "for job in view.jobs { if job.adaptive { train(job, 1 + job.id % 4, 16 * job.id); } }",
    "for job in view.waiting { start(job, [0, 1]); }",
    "for job in view.running { move(job, [1, 0]); }",
    "for job in view.jobs { alarm(job, view.now + 10 * job.id); }",
    "for job in view.jobs { alarm(job, view.now); }",
    "walk(view.waiting);",
    "walk(view.jobs.sorted(|job| -job.attained));",
    "let a = []; while a.len < 100000 { a += [a.len]; }",
    "let t = \"x\"; loop { t += t; }",
    "let m = #{}; for i in 0..100000 { m[`${i}`] = i; }",
    "let a = [1]; for i in 0..100 { a = [a, a]; }",
    "let x = 1 / (job.id - job.id);",
    "this.more = [this];",
    "this.kept = view;",
    "this.list ??= []; this.list.push(view.now);",
    "note(\"x\", random());",
    "throw 42;",
    "return;",
    "key(job, now);",
    "plan(view);",
    "try { loop { } } catch { }",
    "view.jobs[0].memo = \"word\";",
    "demote(view.jobs[0], 2);",
    "let f = |x| x + 1; f.call(f.call(3));",
    "let a = []; for i in 0..6000 { a = [a]; } a == a;",
    "let a = #{}; for i in 0..100000 { a = #{a: [a]}; } `${a}`;",
    "let a = [0]; loop { a[0] = a; }",
    "let a = [[0]]; loop { a[0].push(a); }",
    "for i in 0..60 { this.more = #{a: this}; } note(\"deep\", this);",
    "let a = []; a.pad(1900, 5); loop { a.sorted(); a.index_of(6); }",
    "let a = []; a.pad(1900, 5); loop { a == a + []; }",
    "let jobs = view.jobs; loop { jobs = jobs + jobs; }",
    "let t = \"x\"; loop { t = `${t}${t}`; t.split(\"\"); }",
    "[3, \"a\", this].sorted();",
    "view.jobs.sorted(|job| [job]);",
    "start(view.jobs[0], [[[0]]]);",
    "walk([view.jobs, 1]);",
    "throw [this, this, this];",
    "sleep(1e308);",
    "let f = |x| x; loop { f = f.curry(f); }",
    "try { loop { this = [this]; } } catch { }",
    "throw \"\u{202e}\u{7}<b>&\u{0}\";",
    "throw \"\u{10ffff}\" + \"\\u{d7ff}\\u{85}\";",
    "note(\"\u{1f9e0}\u{301}\", \"\u{feff}\");",
    "let t = \"\u{ff}\"; t.pad(1900, '\u{1f9e0}'); throw t;",
    "alarm(view.jobs[0], view.now + 1e-9);",
];

const PROPERTIES: &[&str] = &[
    ".gpus",
    ".submit",
    ".attained",
    ".held",
    ".waited",
    ".remaining",
    ".duration",
    ".memo",
    ".queue",
    ".holds",
    ".tenant",
    ".id",
    ".name",
    ".nodes",
    ".running",
    ".waiting",
    ".jobs",
    ".alarms",
    ".none",
];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "3250.0",
    "60",
    "-1",
    "1e300",
    "9223372036854775807",
    "0.0 / 0.0",
    "INFINITY()",
];

const OPERATORS: &[&str] = &[
    " + ", " - ", " * ", " / ", " ** ", " % ", " < ", " > ", " == ", " && ", " || ",
];

fn below(rng: &mut Xoshiro256PlusPlus, n: usize) -> usize {
    (rng.next_u64() % n.max(1) as u64) as usize
}

/// A place between two characters.
fn place(rng: &mut Xoshiro256PlusPlus, text: &str) -> usize {
    let at = below(rng, text.len() + 1);
    (at..=text.len())
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(text.len())
}

fn soup(rng: &mut Xoshiro256PlusPlus, words: usize) -> String {
    let words = (0..words).map(|_| WORDS[below(rng, WORDS.len())]);
    words.collect::<Vec<_>>().join(" ")
}

/// An example with some changes, or words in a row.
pub(crate) fn script(rng: &mut Xoshiro256PlusPlus) -> String {
    if below(rng, 5) == 0 {
        let words = 1 + below(rng, 25);
        let body = soup(rng, words);
        return match below(rng, 4) {
            0 => body,
            1 => format!("fn plan(view) {{ for job in view.jobs {{\n{body}\n}} }}"),
            2 => format!("fn plan(view) {{\n{body}\n}}"),
            _ => format!("fn key(job, now) {{\n{body}\n}}"),
        };
    }
    let mut text = EXAMPLES[below(rng, EXAMPLES.len())].text.to_owned();
    let rough = below(rng, 3) == 0;
    for _ in 0..1 + below(rng, 5) {
        match rough {
            true => damage(rng, &mut text),
            false => alter(rng, &mut text),
        }
    }
    text
}

/// Another statement, property, number or operator: most of it can still be read.
fn alter(rng: &mut Xoshiro256PlusPlus, text: &mut String) {
    let (what, by): (&[&str], &[&str]) = match below(rng, 4) {
        0 => (&["{\n", ";\n"], STATEMENTS),
        1 => (PROPERTIES, PROPERTIES),
        2 => (NUMBERS, NUMBERS),
        _ => (OPERATORS, OPERATORS),
    };
    let word = what[below(rng, what.len())];
    let places: Vec<usize> = text.match_indices(word).map(|(at, _)| at).collect();
    if places.is_empty() {
        return;
    }
    let at = places[below(rng, places.len())];
    let new = by[below(rng, by.len())];
    match what.len() {
        2 => text.insert_str(at + word.len(), &format!("{new}\n")),
        _ => text.replace_range(at..at + word.len(), new),
    }
}

/// Anything anywhere.
fn damage(rng: &mut Xoshiro256PlusPlus, text: &mut String) {
    let (a, b) = (place(rng, text), place(rng, text));
    let (from, to) = (a.min(b), a.max(b));
    match below(rng, 5) {
        0 if to - from < 40 => text.replace_range(from..to, ""),
        1 => {
            let again = text[from..to].to_owned();
            text.insert_str(from, &again);
        }
        2 => {
            let least = text.ceil_char_boundary(20);
            text.truncate(from.max(least));
        }
        3 => {
            let word = soup(rng, 1);
            text.insert_str(from, &format!(" {word} "));
        }
        _ => {
            let words = soup(rng, 3);
            text.insert_str(from, &format!("\n{words};\n"));
        }
    }
}
