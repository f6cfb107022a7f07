//! Scripts drawn and mutated: each ends in a result or in an error with a line; none panics, runs on for
//! ever, or leaves memory behind.

mod jobs;

use jobs::{application, training};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::sync::Arc;
use switchyard::cluster::ClusterSpec;
use switchyard::job::Job;
use switchyard::placement::Strategy;
use switchyard::policy::script::{EXAMPLES, Limits, Script, pack, unpack};
use switchyard::sim::{LogBudget, RunError, Scheduler, SimOptions, Simulation};
use switchyard::workload::Workload;

const LIMITS: Limits = Limits {
    operations: 20_000,
    calls: 16,
    size: 2_000,
    variables: 64,
};

/// Steps of a run: most end long before.
const STEPS: usize = 400;

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
fn script(rng: &mut Xoshiro256PlusPlus) -> String {
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
        2 => text.truncate(from.max(20).min(text.len())),
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

fn workload() -> Arc<Workload> {
    let application = application([16, 256, 4, 64], 5000, &[20, 200]);
    let jobs = (0..12u32).map(|i| {
        let gpus = [1, 2, 4, 1, 3, 2][i as usize % 6];
        let gang = Job::plain(f64::from(i / 2 * 30), gpus, f64::from(10 + 37 * i));
        Job {
            name: format!("j{i}").into(),
            tenant: Some(i % 2),
            work: match i % 3 {
                0 => training(32, 1.0, 300.0),
                _ => gang.work,
            },
            ..gang
        }
    });
    Arc::new(Workload {
        jobs: jobs.collect(),
        tenants: vec!["a".to_owned(), "b".to_owned()],
        applications: vec![Arc::new(application)],
        ..Workload::default()
    })
}

/// What became of it, in a word.
fn fate(text: &str, jobs: &Arc<Workload>, cluster: &ClusterSpec) -> &'static str {
    let code = pack(text).expect("short");
    assert_eq!(unpack(&code).expect("a text"), text);
    let script = match Script::within(text, true, LIMITS) {
        Ok(script) => script,
        Err(mistake) => {
            assert!(
                mistake.line > 0 && !mistake.what.is_empty(),
                "{text}\n{mistake}"
            );
            return "unreadable";
        }
    };
    let scheduler = Scheduler {
        spec: "script".to_owned(),
        given: Vec::new(),
        oracle: true,
        packs: false,
        looks_at_links: false,
        policy: script.into_policy(Strategy::default()),
    };
    let options = SimOptions {
        log_budget: LogBudget::of_bytes(1 << 20),
        ..SimOptions::default()
    };
    let mut run = Simulation::new(Arc::clone(jobs), cluster, scheduler, options);
    for _ in 0..STEPS {
        match run.step() {
            Ok(true) => {}
            Ok(false) => return "ran",
            Err(RunError::Program(error)) => {
                assert!(
                    error.mistake.line > 0 && !error.mistake.what.is_empty(),
                    "{text}\n{error}"
                );
                return "mistaken";
            }
            Err(RunError::Halt(_)) => return "halted",
            Err(RunError::Plan(error)) => panic!("{text}\n{error}"),
        }
    }
    "ran on"
}

fn try_many(count: u64, seed: u64) -> BTreeMap<&'static str, u32> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (jobs, cluster) = (workload(), "2x4".parse().expect("a cluster"));
    let mut fates = BTreeMap::new();
    for _ in 0..count {
        let text = script(&mut rng);
        *fates.entry(fate(&text, &jobs, &cluster)).or_default() += 1;
    }
    fates
}

#[test]
fn mutated_scripts_end_in_a_result_or_at_a_line() {
    let fates = try_many(1_000, 16);
    for word in ["unreadable", "mistaken", "ran"] {
        assert!(fates.get(word).is_some_and(|&n| n > 50), "{fates:?}");
    }
}

/// Megabytes that the process holds, where the system tells.
fn held() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4096 / 1_000_000)
}

#[test]
#[ignore = "takes minutes: run by name"]
fn hundred_thousand_mutated_scripts_by_name() {
    let mut fates: BTreeMap<&'static str, u32> = try_many(10_000, 1);
    let before = held();
    for seed in 2..11 {
        for (fate, n) in try_many(10_000, seed) {
            *fates.entry(fate).or_default() += n;
        }
    }
    println!("{fates:?}, {before:?} MB, then {:?} MB", held());
    if let (Some(before), Some(after)) = (before, held()) {
        assert!(after < before + 32, "{before} MB grew to {after} MB");
    }
}

#[test]
fn what_is_deep_does_not_break_the_stack() {
    let nested = format!("{}1{}", "(".repeat(28), ")".repeat(28));
    let calls = format!("{}job.gpus{}", "abs(".repeat(28), ")".repeat(28));
    let blocks = format!("{} deep(n + 1); {}", "if true {".repeat(14), "}".repeat(14));
    let arrays = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let closures = "|job| ".repeat(3_000);
    let (jobs, cluster) = (workload(), "2x4".parse().expect("a cluster"));
    for text in [
        format!("fn key(job, now) {{ {nested} }}"),
        format!("fn key(job, now) {{ {calls} }}"),
        format!("fn deep(n) {{ {blocks} n }} fn key(job, now) {{ deep(0) }}"),
        format!(
            "fn deep(n) {{ {} }} fn key(job, now) {{ deep(0) }}",
            calls.replace("job.gpus", "deep(n)")
        ),
        format!("fn key(job, now) {{ {arrays} }}"),
        format!("fn key(job, now) {{ {closures} 1 }}"),
        format!("fn key(job, now) {{ {}1 }}", "-".repeat(10_000)),
        format!("fn key(job, now) {{ {}1 }}", "1 + ".repeat(10_000)),
        format!("fn key(job, now) {{ job{} }}", ".gpus".repeat(8_000)),
        format!(
            "fn key(job, now) {{ {}1{} }}",
            "if true {".repeat(3_000),
            "}".repeat(3_000)
        ),
        "fn deep(n) { [n].map(|x| [x].sorted(|y| deep(y))) } fn key(job, now) { deep(0) }"
            .to_owned(),
        "fn deep(n) { n.filter(|job| deep([job, n])) } fn plan(view) { deep(view.jobs) }"
            .to_owned(),
        "fn key(job, now) { let a = []; for i in 0..10000 { let b = a; a = [b]; } 1 }".to_owned(),
    ] {
        fate(&text, &jobs, &cluster);
    }
}
