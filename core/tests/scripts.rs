//! Scripts as policies: what they say they equal they equal, and what is wrong with them is told at its line.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Arc;
use switchyard::job::{Demand, Job, JobId, Work};
use switchyard::outages::Outages;
use switchyard::placement::Strategy;
use switchyard::policy::PolicySpec;
use switchyard::policy::script::{EXAMPLES, Script};
use switchyard::sim::{Mistake, RunError, RunLog, SimOptions, Simulation};
use switchyard::workload::Workload;
use switchyard::{RunSpec, Time};

/// Gangs of some tenants, some at the same moments, more than there is room for.
fn workload(seed: u64, jobs: u32) -> Arc<Workload> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |n: u64| rng.next_u64() % n;
    let mut submit = 0.0;
    let jobs = (0..jobs).map(|i| {
        submit += (below(4) * below(300)) as f64 / 4.0;
        Job {
            name: format!("j{i}").into(),
            submit: Time(submit),
            gpus: [1, 1, 2, 4, 8][below(5) as usize],
            tenant: Some(below(3) as u32),
            model: None,
            demand: Demand::default(),
            work: Work::Fixed {
                duration: 1.0 + (below(60) * below(200)) as f64 / 3.0,
            },
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
        policy,
        cluster: "4x4".parse().expect("a cluster"),
        placement: Strategy::default(),
        options: SimOptions {
            seed: 3,
            ..SimOptions::default()
        },
        history: None,
        outages: outages.parse::<Outages>().expect("outages"),
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
        ("\nfn key(job) { 1 }", 2, 1, "neither `fn key(job, now)`"),
        ("fn key(job, now) {\n  job.size\n}", 2, 0, "size"),
        ("fn key(job, now) {\n  let x = 1;\n  y\n}", 3, 3, "'y'"),
        ("fn key(job, now) {\n  loop { }\n}", 2, 0, "operations"),
        (
            "fn key(job, now) {\n  key(job, now)\n}",
            1,
            1,
            "functions call one another",
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
            2,
            1,
            "EVERY",
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
