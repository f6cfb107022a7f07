//! Every parameter of every policy at its limits and beyond: a spec is refused with a message that
//! names what is wrong, or its run ends, done or with a [`Halt`](switchyard::engine::Halt), within its
//! log's budget. No panic, no impossible plan, no run without an end.
//!
//! `cargo test --release -p switchyard-core --test policy_specs -- --ignored --nocapture` takes ten
//! thousand specs; a share of them is taken at every test.

mod jobs;

use jobs::{application, training};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::{LogBudget, RunError, SimOptions};
use switchyard::job::Job;
use switchyard::placement::Strategy;
use switchyard::policies::{POLICIES, ParamInfo, ParamKind, PolicyEntry, PolicySpec};
use switchyard::workload::Workload;
use switchyard::workload::application::packed;

/// Bytes of a log.
const BUDGET: u64 = 2_000_000;
/// What one moment of the small workload may add to a log that is just within its budget.
const ONE_MOMENT: u64 = 20_000;

/// Texts that are no value of most parameters, or a strange one.
const ODD: &[&str] = &[
    "", "x", "nan", "NaN", "inf", "-inf", "-0", "0", "-1", "1e-308", "-1e-308", "5e-324", "1e308",
    "1e999", "0x10", "1_000", "１", "+1", " 7 ", "1:2", "2:1", ":", "true", "default",
];

/// The ends of what a parameter takes, what lies just beyond, and [`ODD`].
fn values(info: &ParamInfo) -> Vec<String> {
    let mut values: Vec<String> = match info.kind {
        ParamKind::Bool => vec!["true".into(), "false".into(), "True".into()],
        ParamKind::Int { min, max } => [
            i128::from(min) - 1,
            i128::from(min),
            i128::from(min) + 1,
            i128::from(min.midpoint(max)),
            i128::from(max) - 1,
            i128::from(max),
            i128::from(max) + 1,
            i128::from(u32::MAX) + 1,
        ]
        .map(|n| n.to_string())
        .to_vec(),
        ParamKind::Float { min, max } | ParamKind::Seconds { min, max } => [
            min.next_down(),
            min,
            min.next_up(),
            min.midpoint(max),
            1.0,
            0.1,
            2.5,
            max.next_down(),
            max,
            max.next_up(),
        ]
        .map(|x| x.to_string())
        .to_vec(),
        ParamKind::Ascending => {
            let many: Vec<String> = (1..=2_000).map(|x| x.to_string()).collect();
            let fifteen = many[..15].join(":");
            [
                "1",
                "1e-300",
                "5e-324:1e308",
                "1:1",
                "3:2:1",
                "0.1:0.2:0.3",
                "-1:1",
                "1:nan",
            ]
            .into_iter()
            .map(str::to_owned)
            .chain([fifteen, many.join(":")])
            .collect()
        }
        ParamKind::OneOf(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        ParamKind::Share => ["0", "0.5", "1"].map(str::to_owned).to_vec(),
        ParamKind::Word(_) | ParamKind::Text(_) => {
            ["queue", "simulator", "1", "1e-300", "1e300", "-1"]
                .map(str::to_owned)
                .to_vec()
        }
        ParamKind::History => ["online", "oracle", "an-unknown-file"]
            .map(str::to_owned)
            .to_vec(),
        ParamKind::Placement | ParamKind::PlacementOrRuns => {
            Strategy::ALL.iter().map(|s| s.name().to_owned()).collect()
        }
    };
    values.push(info.default.to_owned());
    values.extend(ODD.iter().map(|odd| (*odd).to_owned()));
    values
}

/// Every value of every parameter alone, then so many in all with several parameters drawn.
fn specs(count: usize) -> BTreeSet<String> {
    let mut specs = BTreeSet::new();
    for entry in POLICIES {
        specs.insert(entry.name.to_owned());
        for info in entry.params {
            for value in values(info) {
                specs.insert(format!("{}[{}={value}]", entry.name, info.name));
            }
        }
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(10);
    while specs.len() < count {
        specs.insert(drawn(&mut rng));
    }
    specs
}

fn below(rng: &mut Xoshiro256PlusPlus, n: usize) -> usize {
    (rng.next_u64() % n.max(1) as u64) as usize
}

/// A policy with some of its parameters, mostly at values that it takes.
fn drawn(rng: &mut Xoshiro256PlusPlus) -> String {
    let entry: &PolicyEntry = &POLICIES[below(rng, POLICIES.len())];
    let mut parameters = Vec::new();
    for info in entry.params {
        if below(rng, 2) == 0 {
            continue;
        }
        let mut values = values(info);
        if below(rng, 20) > 0 {
            let alone = |value: &String| {
                let spec = format!("{}[{}={value}]", entry.name, info.name);
                spec.parse::<PolicySpec>().is_ok()
            };
            values.retain(alone);
        }
        if !values.is_empty() {
            let value = &values[below(rng, values.len())];
            parameters.push(format!("{}={value}", info.name));
        }
    }
    format!("{}[{}]", entry.name, parameters.join(","))
}

/// Gangs and training jobs, some at the same moments, one larger than the cluster.
fn workload() -> Arc<Workload> {
    let application = application([16, 256, 4, 64], 5000, &[20, 200, 4000]);
    let job = |(submit, gpus, duration, trains): (f64, u32, f64, bool)| {
        let gang = Job::plain(submit, gpus, duration);
        let time = || application.training_time(&packed(gpus, 2), 32);
        Job {
            tenant: Some(gpus % 2),
            work: match trains {
                true => training(32, duration / time(), duration),
                false => gang.work,
            },
            ..gang
        }
    };
    let jobs = [
        (0.0, 2, 40.0, true),
        (0.0, 1, 3.0, false),
        (0.0, 3, 20.0, false),
        (7.3, 1, 25.0, true),
        (7.3, 5, 10.0, false),
        (60.0, 2, 1e-3, false),
        (90.0, 4, 12.0, false),
    ];
    Arc::new(Workload {
        jobs: jobs.map(job).to_vec(),
        tenants: vec!["even".to_owned(), "odd".to_owned()],
        applications: vec![Arc::new(application)],
        ..Workload::default()
    })
}

/// What became of specs, for people.
#[derive(Debug, Default)]
struct Count {
    refused: usize,
    done: usize,
    stuck: usize,
    halted: BTreeMap<String, usize>,
    most_steps: u32,
    largest_log: u64,
}

fn try_all(specs: &BTreeSet<String>) -> Count {
    let workload = workload();
    let mut count = Count::default();
    for text in specs {
        let policy: PolicySpec = match text.parse() {
            Ok(policy) => policy,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                count.refused += 1;
                continue;
            }
        };
        let again: Result<PolicySpec, _> = policy.to_string().parse();
        assert_eq!(
            again.as_ref(),
            Ok(&policy),
            "{text} does not print as itself"
        );
        let spec = RunSpec {
            options: SimOptions {
                restart_cost: 2.5,
                interference: 0.2,
                seed: 1,
                log_budget: LogBudget::of_bytes(BUDGET),
                ..SimOptions::default()
            },
            ..RunSpec::new(policy, ClusterSpec::uniform(2, 2).expect("a cluster"))
        };
        let mut run = spec.start(Arc::clone(&workload));
        let mut steps = 0;
        let ended = loop {
            match run.step() {
                Ok(true) => steps += 1,
                Ok(false) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        match ended {
            Ok(()) if run.progress().done == run.progress().jobs => count.done += 1,
            Ok(()) => count.stuck += 1,
            Err(RunError::Halt(halt)) => {
                let reason = format!("{:?}", halt.reason);
                let reason = reason.split(' ').next().unwrap_or_default();
                *count.halted.entry(reason.to_owned()).or_default() += 1;
            }
            Err(RunError::Program(_)) => count.refused += 1,
            Err(RunError::Plan(error)) => panic!("{text}: {error}"),
        }
        count.most_steps = count.most_steps.max(steps);
        count.largest_log = count.largest_log.max(run.log().bytes());
    }
    assert!(count.largest_log <= BUDGET + ONE_MOMENT, "{count:?}");
    // Most of what is drawn is a policy that does its work.
    assert!(count.done > specs.len() / 4, "{count:?}");
    assert!(count.refused > specs.len() / 20, "{count:?}");
    count
}

#[test]
fn every_parameter_at_its_limits() {
    try_all(&specs(0));
}

#[test]
#[ignore = "ten thousand policy specs take minutes: by name"]
fn ten_thousand_specs_by_name() {
    let specs = specs(10_000);
    println!("{} specs: {:?}", specs.len(), try_all(&specs));
}
