//! Scripts drawn and mutated: each ends in a result or in an error with a line; none panics, runs on for
//! ever, or leaves memory behind.

mod jobs;
mod mutated;

use jobs::{application, training};
use mutated::script;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::collections::BTreeMap;
use std::sync::Arc;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::{LogBudget, RunError, Scheduler, SimOptions, Simulation};
use switchyard::job::Job;
use switchyard::placement::Strategy;
use switchyard::policies::script::{Limits, Script, pack, unpack};
use switchyard::workload::Workload;

const LIMITS: Limits = Limits {
    operations: 20_000,
    calls: 16,
    size: 2_000,
    variables: 64,
};

/// Steps of a run: most end long before.
const STEPS: usize = 400;

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
        replays: false,
        packs: false,
        interleaves: false,
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

/// What other programs are given by default, to try what becomes of it there.
#[test]
fn a_few_mutated_scripts_lie_in_a_file() {
    let file = include_str!("../../tests/fixtures/mutated_scripts.jsonl");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for line in file.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let text = script(&mut rng);
        let anew = "write it anew: cargo run -p switchyard-core --features scripts --example mutated_scripts -- 48 3";
        assert_eq!(line["text"], *text, "{anew}");
        assert_eq!(line["code"], pack(&text).expect("short"), "{anew}");
    }
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
