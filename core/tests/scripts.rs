//! Scripts as policies: what they say they equal they equal, and what is wrong with them is told at its line.

mod jobs;

use jobs::{application, training};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Arc;
use switchyard::engine::{Mistake, RunError, RunLog, SimOptions, Simulation};
use switchyard::job::{Job, JobId};
use switchyard::outages::Outages;
use switchyard::policies::PolicySpec;
use switchyard::policies::script::{COURSE, Condition, EXAMPLES, START, Script, WORDS};
use switchyard::report::Summary;
use switchyard::workload::{Sample, Workload};
use switchyard::{RunSpec, Time};

/// Gangs of some tenants, some at the same moments, more than there is room for.
fn workload(seed: u64, jobs: u32) -> Arc<Workload> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |n: u64| rng.next_u64() % n;
    let mut submit = 0.0;
    let jobs = (0..jobs).map(|i| {
        submit += (below(4) * below(300)) as f64 / 4.0;
        let gpus = [1, 1, 2, 4, 8][below(5) as usize];
        let tenant = Some(below(3) as u32);
        let duration = 1.0 + (below(60) * below(200)) as f64 / 3.0;
        Job {
            name: format!("j{i}").into(),
            tenant,
            ..Job::plain(submit, gpus, duration)
        }
    });
    Arc::new(Workload {
        jobs: jobs.collect(),
        tenants: ["a", "b", "c"].map(str::to_owned).to_vec(),
        ..Workload::default()
    })
}

fn run_of(policy: PolicySpec, outages: &str) -> RunSpec {
    RunSpec {
        options: SimOptions {
            seed: 3,
            ..SimOptions::default()
        },
        outages: outages.parse::<Outages>().expect("outages"),
        ..RunSpec::new(policy, "4x4".parse().expect("a cluster"))
    }
}

fn log_of(policy: PolicySpec, workload: &Arc<Workload>, outages: &str) -> RunLog {
    let mut run = run_of(policy, outages).start(Arc::clone(workload));
    run.run().expect("a run");
    run.into_log()
}

#[test]
fn examples_equal_their_siblings() {
    for example in EXAMPLES {
        let spec = Script::spec(example.text, example.title).unwrap();
        let Some(sibling) = example.equals else {
            continue;
        };
        let sibling: PolicySpec = sibling.parse().unwrap();
        assert_eq!(spec.is_oracle(), sibling.is_oracle(), "{}", example.name);
        for seed in 0..12 {
            let jobs = workload(seed, 90);
            for outages in ["", "1:500..2000,3:900..1500"] {
                let (ours, theirs) = (
                    log_of(spec.clone(), &jobs, outages),
                    log_of(sibling.clone(), &jobs, outages),
                );
                assert_eq!(
                    ours.hash(),
                    theirs.hash(),
                    "{} of seed {seed}",
                    example.name
                );
            }
        }
    }
}

fn mistake_of(text: &str) -> Mistake {
    let spec = match Script::spec(text, "test") {
        Ok(spec) => spec,
        Err(mistake) => return mistake,
    };
    let mut run = run_of(spec, "").start(workload(1, 20));
    match run.run() {
        Err(RunError::Program(error)) => error.mistake,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn mistakes_are_told_at_their_line() {
    for (text, line, column, words) in [
        ("fn key(job, now) {\n  job.submit +\n}", 3, 1, "'}'"),
        ("let a = 1;", 1, 1, "neither `fn key(job, now)`"),
        (
            "\nfn key(job) { 1 }",
            2,
            1,
            "`key` takes (job): it must take (job, now)",
        ),
        (
            "\nfn plan(view, now) { }",
            2,
            1,
            "`plan` takes (view, now): it must take (view)",
        ),
        ("fn key(job, now) {\n  job.size\n}", 2, 0, "size"),
        ("fn key(job, now) {\n  let x = 1;\n  y\n}", 3, 3, "'y'"),
        ("fn key(job, now) {\n  loop { }\n}", 2, 0, "operations"),
        (
            "fn key(job, now) {\n  key(job, now)\n}",
            2,
            3,
            "functions call one another",
        ),
        (
            "fn deeper(x) {\n  loop { if x > 0 { break; } }\n  deeper(x) }\nfn key(job, now) {\n  deeper(1)\n}",
            3,
            3,
            "functions call one another",
        ),
        (
            "fn spin(x) {\n  for i in 0..3 { x += i; }\n  loop { if x > 5 { break; } x += 1; }\n  loop { x += 1; }\n}\nfn key(job, now) {\n  spin(1)\n}",
            4,
            3,
            "operations",
        ),
        (
            "fn key(job, now) {\n  let a = [];\n  loop { a.push(1) }\n}",
            3,
            0,
            "16384",
        ),
        ("fn key(job, now) {\n  job.remaining\n}", 2, 0, "ORACLE"),
        (
            "// \nfn key(job, now) {\n  \"short\"\n}",
            2,
            1,
            "must give a number",
        ),
        ("fn key(job, now) {\n  0.0 / 0.0\n}", 1, 1, "NaN"),
        ("fn key(job, now) {\n  1 / 0\n}", 2, 0, "zero"),
        ("fn key(job, now) {\n  print(1)\n}", 2, 3, "note("),
        ("fn key(job, now) {\n  eval(\"1\")\n}", 2, 3, "eval"),
        (
            "const EVERY = \"x\";\nfn key(job, now) { 1 }",
            1,
            1,
            "EVERY",
        ),
        (
            "// \nconst EVERY = 5;\nconst PREEMPTIVE = 1;\n\nfn key(job, now) { 1 }",
            3,
            1,
            "PREEMPTIVE is of type",
        ),
        (
            "const FEW = [1, 2];\nconst LAST = FEW[7];\nfn key(job, now) { 1 }",
            2,
            0,
            "index 7",
        ),
        (
            "const ZERO = 0;\nfn key(job, now) {\n\n  5 / ZERO\n}",
            4,
            0,
            "zero",
        ),
        (
            "const WORD = \"x\";\nfn key(job, now) {\n  job.gpus * WORD\n}",
            3,
            0,
            "'*' does not take (int, text)",
        ),
        (
            "fn half(x, n) { x / n }\nfn key(job, now) {\n  half(job.gpus)\n}",
            3,
            3,
            "'half' takes (x, n), not (int)",
        ),
        (
            "const A = [1, [2]];\nfn key(job, now) {\n  if A[1].len() + A[1].len != 2 { throw A; }\n  A[0] = 5;\n  1\n}",
            4,
            0,
            "a constant cannot be changed",
        ),
        (
            "fn key(job, now) {\n  let a = [];\n  for i in 0..6000 {\n    a = [a];\n  }\n  a.len\n}",
            4,
            0,
            "more than 64 arrays and maps in one another",
        ),
        (
            "fn plan(view) {\n  loop {\n    this.a = #{b: [this]};\n  }\n}",
            3,
            0,
            "more than 64 arrays and maps in one another",
        ),
        (
            "fn plan(view) {\n  let jobs = view.jobs;\n  loop { jobs = jobs + jobs; }\n}",
            3,
            0,
            "operations",
        ),
        ("throw \"early\";\nfn key(job, now) { 1 }", 1, 1, "early"),
    ] {
        let mistake = mistake_of(text);
        assert_eq!(mistake.line, line, "{text}\n{mistake}");
        if column > 0 {
            assert_eq!(mistake.column, column, "{text}\n{mistake}");
        }
        assert!(mistake.what.contains(words), "{text}\n{mistake}");
    }
}

#[test]
fn mistakes_name_the_job() {
    for (text, job) in [
        (
            "fn key(job, now) { if job.id == 3 { job.size } else { 1 } }",
            "j3",
        ),
        (
            "fn key(job, now) { if job.id == 2 { return 0.0 / 0.0; } 1 }",
            "j2",
        ),
        (
            "fn plan(view) { for job in view.waiting { start(job); start(job); } }",
            "j0",
        ),
        (
            "fn plan(view) { for job in view.waiting { if job.id == 4 { stop(job); } } }",
            "j4",
        ),
        (
            "fn plan(view) { for job in view.waiting { start(job, [[0, 99]]); } }",
            "j0",
        ),
        (
            "fn plan(view) { for job in view.waiting { train(job, 2); } }",
            "j0",
        ),
    ] {
        let mistake = mistake_of(text);
        let named = format!("job '{job}'");
        assert!(mistake.what.contains(&named), "{text}\n{mistake}");
    }
}

#[test]
fn why_gives_the_key_and_what_the_script_notes() {
    let text = "const HEAVY = 2;\nfn key(job, now) {\n  note(\"age, s\", now - job.submit);\n  note(\"heavy\", job.gpus > HEAVY);\n  job.gpus * 1.5\n}";
    let spec = Script::spec(text, "mine").unwrap();
    assert_eq!(spec.label(), "script[name=mine]");
    let mut run: Simulation = run_of(spec, "").start(workload(1, 20));
    run.run_until(Time(100.0)).unwrap();
    let log = run.log();
    let job = log.event(0).job;
    assert_eq!(job, JobId(0));
    let facts = run.explain(job, Time(100.0)).facts;
    let terms: Vec<&str> = facts.iter().map(|fact| fact.term.as_str()).collect();
    assert_eq!(terms[..3], ["key (least first)", "age, s", "heavy"]);
}

#[test]
fn mathematics_is_libms() {
    for (expression, value) in [
        ("2.0 ** 0.5", libm::pow(2.0, 0.5)),
        ("2 ** 3", 8.0),
        ("1.7 ** 2", libm::pow(1.7, 2.0)),
        (
            "exp(0.3) + ln(7) + log2(3.3) + log10(2)",
            libm::exp(0.3) + libm::log(7.0) + libm::log2(3.3) + libm::log10(2.0),
        ),
        ("sqrt(2.0) * sin(0.7)", libm::sqrt(2.0) * libm::sin(0.7)),
        ("max(1, 2.5) + min(3.5, 2) + abs(-1.5)", 2.5 + 2.0 + 1.5),
        ("let x = 1.3; x * 2 ** 2", 1.3 * 4.0),
    ] {
        let (before, last) = expression.rsplit_once("; ").unwrap_or(("", expression));
        let text = format!(
            "fn key(job, now) {{ {before}; let got = {last}; if got != {value:?} {{ throw `${{got}}` }} 1 }}"
        );
        let spec = Script::spec(&text, "maths").unwrap();
        let mut run = run_of(spec, "").start(workload(1, 3));
        run.run()
            .unwrap_or_else(|error| panic!("{expression} is not {value}: {error}"));
    }
}

/// Jobs that ask for a GPU each and can use more.
fn adaptive() -> Arc<Workload> {
    let application = application([64, 1024, 16, 128], 200_000, &[500, 800, 1000, 2000]);
    let job = |i: u32| Job {
        name: format!("t{i}").into(),
        work: training(64, 1.0, 2_000.0),
        ..Job::plain(f64::from(i) * 40.0, 1, 2_000.0)
    };
    Arc::new(Workload {
        jobs: (0..3).map(job).collect(),
        applications: vec![Arc::new(application)],
        ..Workload::default()
    })
}

#[test]
fn the_skeleton_for_adaptive_jobs_gives_them_more_gpus() {
    let example = EXAMPLES.iter().find(|example| example.name == "adaptive");
    let spec = Script::spec(example.unwrap().text, "adaptive").unwrap();
    assert!(spec.adapts_jobs());
    let log = log_of(spec, &adaptive(), "");
    let gpus = (0..log.segments()).map(|at| log.segment(at).gpu_count());
    assert!(gpus.max().is_some_and(|most| most >= 4));
    assert!(log.tunings() > 0);
    let plain = log_of("fifo".parse().unwrap(), &adaptive(), "");
    let end = |log: &RunLog| log.event(log.events() - 1).time;
    assert!(end(&log) < end(&plain));
}

#[test]
fn what_a_plan_cannot_do_is_told_at_its_line() {
    for (body, words) in [
        (
            "for job in view.waiting { start(job); start(job); }",
            "once is all",
        ),
        ("for job in view.waiting { stop(job); }", "does not run"),
        (
            "for job in view.waiting { start(job, [9]); }",
            "there is no node 9",
        ),
        (
            "for job in view.waiting { start(job, [[0, 99]]); }",
            "GPUs free, not 99",
        ),
        (
            "for job in view.waiting { train(job, 2); }",
            "gang with a fixed duration",
        ),
        (
            "for job in view.waiting { start(job); } walk(view.jobs);",
            "walk() decides about all jobs",
        ),
        (
            "for job in view.waiting { alarm(job, 0.0 / 0.0); }",
            "a time in seconds",
        ),
        (
            "for job in view.waiting { job.memo = [1]; }",
            "keep lists in `this`",
        ),
        ("view.waiting[1000]", "there is no job 1000"),
        (
            "for job in view.waiting { job.atained; }",
            "job has no 'atained': did you mean 'attained'?",
        ),
        (
            "view.wating",
            "view has no 'wating': did you mean 'waiting'?",
        ),
        ("view.zebra", "view has no 'zebra': docs/scripts.md lists"),
        (
            "flor(1.5)",
            "no function flor (float): did you mean 'floor'?",
        ),
        ("start(1)", "'start' takes (job) or (job, nodes), not (int)"),
        ("zebra(1)", "no function zebra (int): docs/scripts.md lists"),
        ("zebra()", "no function zebra (): docs/scripts.md lists"),
        (
            "view.waiting.sorted(|job| [\"a\"])",
            "sorted() goes by numbers",
        ),
    ] {
        let text = format!("fn plan(view) {{\n{body}\n}}");
        let mistake = mistake_of(&text);
        assert_eq!(mistake.line, 2, "{text}\n{mistake}");
        assert!(mistake.what.contains(words), "{text}\n{mistake}");
    }
}

#[test]
fn a_key_is_the_same_with_and_without_the_interpreter() {
    for body in [
        "job.attained / 3 + job.gpus * 7 % 5 - -job.id",
        "if job.gpus > 2 && !job.running || job.tenant == 1 { return now - job.submit; } job.held",
        "let x = job.gpus; x += 1; if x >= 3 { x *= 2.5; } else if x == 2 { x -= 0.5 } x ** 2 + min(x, 3) + max(2, x)",
        "let x = half(job.attained, 2) + weight(job); { let x = 9; } x + ln(1 + x) + sqrt(job.gpus) + abs(-2)",
        "let late = now - job.submit > 500; if late { job.waited * -1.0 } else { note(\"s\", job.starts); job.since }",
        "weight(job) + job.gpus.to_float() + job.rate",
    ] {
        let text = |more: &str| {
            format!(
                "const EVERY = 45;\nfn half(x, n) {{ if n == 0 {{ return x; }} x / 2.0 }}\nfn weight(job) {{ let w = job.gpus; w * 1.5 }}\nfn key(job, now) {{ {more} {body} }}"
            )
        };
        let plain = Script::spec(&text(""), "a").unwrap();
        // The tree knows no words.
        let slow = Script::spec(&text("let word = \"w\";"), "b").unwrap();
        for seed in 0..3 {
            let jobs = workload(seed, 80);
            let (a, b) = (
                log_of(plain.clone(), &jobs, ""),
                log_of(slow.clone(), &jobs, ""),
            );
            assert_eq!(a.hash(), b.hash(), "{body}");
        }
    }
}

/// What the course looks at of a run.
struct Ran {
    is_oracle: bool,
    hash: u64,
    summary: Summary,
}

/// A policy on the sample that the course is about.
fn on_lab(policy: PolicySpec) -> Ran {
    let sample = Sample::named("lab").expect("a sample");
    let workload = Arc::new(sample.workload());
    let spec = RunSpec {
        cluster: sample.cluster_spec(),
        ..run_of(policy, "")
    };
    let (is_oracle, cluster) = (spec.policy.is_oracle(), spec.cluster.clone());
    let mut run = spec.start(Arc::clone(&workload));
    run.run().expect("it runs to its end");
    let log = run.into_log();
    Ran {
        is_oracle,
        hash: log.hash(),
        summary: Summary::of(&workload, &cluster, &log),
    }
}

/// Whether a run reaches a goal (web/editor/src/course.js asks the same of the page's runs).
fn reaches(condition: Condition, own: &Ran, beside: &Ran) -> bool {
    match condition {
        Condition::SameLog => own.hash == beside.hash,
        Condition::AtMost { jct_mean, restarts } => {
            let most = restarts.map_or(f64::INFINITY, |part| {
                part * f64::from(beside.summary.restarts)
            });
            !own.is_oracle
                && own.summary.finished == own.summary.jobs
                && own.summary.jct.mean <= jct_mean * beside.summary.jct.mean
                && f64::from(own.summary.restarts) <= most
        }
    }
}

#[test]
fn each_edit_of_the_course_reaches_its_goal_and_the_texts_before_it_do_not() {
    let ran = |text: &str| on_lab(Script::spec(text, "mine").unwrap());
    let mut before = vec![ran(START)];
    for lesson in COURSE {
        let beside = on_lab(lesson.beside.parse().unwrap());
        let own = ran(lesson.text);
        let told = |of: &Ran| {
            format!(
                "{} s, {} restarts",
                of.summary.jct.mean, of.summary.restarts
            )
        };
        let words = format!("{}: {} beside {}", lesson.title, told(&own), told(&beside));
        assert!(reaches(lesson.condition, &own, &beside), "{words}");
        for other in &before {
            assert!(!reaches(lesson.condition, other, &beside), "{words}");
        }
        before.push(own);
    }
}

#[test]
fn every_example_of_a_word_has_it_and_runs() {
    const OF_TRAINING: [&str; 10] = [
        "speedup",
        "goodput",
        "best_batch",
        "application",
        "batch",
        "epochs",
        "epochs_done",
        "max_gpus",
        "train",
        "adaptive",
    ];
    for word in WORDS {
        let example = word.example;
        assert!(example.contains(word.name), "{}", word.name);
        let text = match (word.of, word.name) {
            ("constant", _) => format!("{example}\nfn key(job, now) {{ job.submit }}"),
            ("statement", "fn") => format!("{example}\nfn key(job, now) {{ hours(now) }}"),
            _ => format!(
                "const ORACLE = true; const ADAPTIVE = true;\nfn plan(view) {{ if view.jobs.is_empty {{ return; }}\nlet now = view.now;\nfor job in view.waiting {{\n{example}\n;break; }} }}"
            ),
        };
        let spec = Script::spec(&text, "test").unwrap_or_else(|error| panic!("{text}: {error}"));
        let jobs = match OF_TRAINING.contains(&word.name) {
            true => adaptive(),
            false => workload(1, 6),
        };
        let mut run = run_of(spec, "").start(jobs);
        let end = run.run_until(Time(2_000.0));
        assert!(end.is_ok(), "{text}\n{end:?}");
    }
}

#[test]
fn tenants_have_names() {
    let hash =
        |text: String| log_of(Script::spec(&text, "a").unwrap(), &workload(5, 60), "").hash();
    let of = |is: &str| {
        hash(format!(
            "fn key(job, now) {{ if {is} {{ 0 }} else {{ 1 }} }}"
        ))
    };
    let by_number = of("job.tenant == 1");
    assert_eq!(by_number, of("job.tenant_name == \"b\""));
    assert_ne!(by_number, of("job.tenant_name == \"c\""));
    let whole = "fn plan(view) { walk(view.jobs.sorted(|job| [if job.tenant_name == \"b\" { 0 } else { 1 }, job.submit])); }";
    assert_eq!(by_number, hash(whole.to_owned()));
}

#[test]
fn mistakes_tell_what_was_read() {
    for (text, told) in [
        (
            "fn key(job, now) { let n = job.gpus - job.gpus; if job.id == 2 { return 1 / n; } job.gpus }",
            "n = 0): ",
        ),
        (
            "fn key(job, now) { let seconds = 0.0; let per = job.gpus / seconds; if job.id == 2 { per - per } else { 1 } }",
            "per = inf): ",
        ),
        ("fn key(job, now) { key(job, now) }", "job 'j0' (now = "),
        (
            "fn plan(view) { for job in view.waiting { let n = job.gpus; if job.id == 3 { let m = [n]; m[5]; } } }",
            "the last that it had looked at was job 'j3' (gpus = ",
        ),
    ] {
        let mistake = mistake_of(text);
        assert!(mistake.what.contains(told), "{text}\n{mistake}");
        assert!(!mistake.what.contains("::"), "{mistake}");
        assert_eq!(mistake.what.matches("job 'j").count(), 1, "{mistake}");
    }
}
