//! The challenges' score is what a scheduler makes of workloads that nobody has seen.

#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::policies::PolicySpec;
use switchyard::policies::script::Script;
use switchyard::report::Summary;
use switchyard::workload::{CHALLENGES, Sample};
use switchyard_app::challenges::{ScoreError, WORKLOADS, score};

/// A number as good as any.
const DRAW: u64 = 271_828_182_845;

/// A script that has all durations of the open workloads written down, and takes them for what is to come.
fn table() -> PolicySpec {
    let mut text = String::new();
    let mut ways = String::new();
    for challenge in CHALLENGES {
        let name = challenge.name;
        let jobs = challenge.workload().jobs;
        let durations: Vec<String> = jobs
            .iter()
            .map(|job| job.work.seconds().to_string())
            .collect();
        writeln!(text, "const {name} = [{}];", durations.join(",")).unwrap();
        let cluster = challenge.cluster_spec();
        let (nodes, size) = (cluster.nodes(), cluster.gpus() / cluster.nodes());
        write!(
            ways,
            "if view.nodes == {nodes} && view.node_size == {size} {{ \
             walk(view.jobs.sorted(|job| {name}[job.id] - job.held)); }} else "
        )
        .unwrap();
    }
    write!(text, "fn plan(view) {{ {ways} {{ walk(view.jobs); }} }}").unwrap();
    Script::spec(&text, "table").unwrap()
}

fn mean_jct(challenge: &Sample, policy: &PolicySpec) -> f64 {
    let workload = Arc::new(challenge.workload());
    let spec = RunSpec {
        policy: policy.clone(),
        cluster: challenge.cluster_spec(),
        placement: Default::default(),
        options: Default::default(),
        history: None,
        outages: Default::default(),
        queues: Default::default(),
    };
    let mut run = spec.start(Arc::clone(&workload));
    run.run().unwrap();
    Summary::of(&workload, &spec.cluster, run.log()).jct.mean
}

#[test]
fn who_has_durations_written_down_wins_nothing() {
    let table = table();
    let srtf: PolicySpec = "srtf".parse().unwrap();
    for challenge in CHALLENGES {
        let (own, best) = (mean_jct(challenge, &table), mean_jct(challenge, &srtf));
        assert!(
            own < 1.05 * best,
            "{}: the table is right: {own} {best}",
            challenge.name
        );
    }
    let scored = score(&table, DRAW).unwrap();
    let of = scored.of_all;
    assert!(
        of.score < 100.0 && of.high < 0.8 * scored.srtf_score,
        "{scored:?}"
    );
}

#[test]
fn a_draw_says_the_score_and_another_draw_is_other_workloads() {
    let las: PolicySpec = "las".parse().unwrap();
    let first = score(&las, DRAW).unwrap();
    assert_eq!(first, score(&las, DRAW).unwrap());
    let other = score(&las, DRAW + 1).unwrap();
    for (one, other) in first.challenges.iter().zip(&other.challenges) {
        assert_eq!(one.log_hashes.len(), WORKLOADS);
        for hash in &one.log_hashes {
            assert!(!other.log_hashes.contains(hash), "{}", one.name);
        }
    }
    // What is told is an interval: another draw's score lies in it or near.
    let of = first.of_all;
    assert!(of.low < of.score && of.score < of.high, "{of:?}");
    assert!(
        (of.score - other.of_all.score).abs() < of.high - of.low,
        "{of:?} {other:?}"
    );
}

#[test]
fn tiresias_has_a_hundred_without_a_doubt() {
    let tiresias = score(&"tiresias-las".parse().unwrap(), DRAW).unwrap();
    let of = tiresias.of_all;
    assert_eq!((of.low, of.score, of.high), (100.0, 100.0, 100.0));
}

#[test]
fn who_leaves_jobs_behind_has_no_score() {
    let small = Script::spec(
        "fn plan(view) { for job in view.waiting { if job.gpus <= 4 { start(job); } } }",
        "small",
    );
    let error = score(&small.unwrap(), DRAW).unwrap_err();
    assert!(
        matches!(error, ScoreError::Unfinished { left: 1.., .. }),
        "{error}"
    );
    assert!(error.to_string().contains("draw 271828182845"), "{error}");
}

#[test]
fn names_of_a_challenges_jobs_tell_nothing() {
    for challenge in CHALLENGES {
        let names = |seed| -> Vec<_> {
            let jobs = challenge.workload_of(seed).jobs.into_iter();
            jobs.map(|job| job.name).collect()
        };
        assert_eq!(names(1), names(2), "{}", challenge.name);
        assert!(!names(1)[0].contains(challenge.name));
    }
}
