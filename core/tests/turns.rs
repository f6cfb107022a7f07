//! Jobs that take turns on the same GPUs: who has which GPUs when, how fast each is, and that all is told in the log.

mod scripted;

use proptest::prelude::*;
use scripted::{Script, Scripted, arrived, plan_error};
use std::collections::BTreeMap;
use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, Part, Placement};
use switchyard::engine::{Phase, Plan, PlanErrorKind, RunLog, SimOptions, Simulation};
use switchyard::job::{Job, JobId, Servers};
use switchyard::outages::{Outage, OutageKind, Outages};
use switchyard::workload::Workload;
use switchyard::{RunSpec, Time};
use switchyard_interleaving::cycle::{Ordering, period};
use switchyard_interleaving::grouping::SLOWDOWNS;
use switchyard_interleaving::measured::{measured, models};

/// Submission, GPUs, duration, and the model among those that were measured; beyond them one that was not.
type Row = (f64, u32, f64, usize);

fn workload(rows: &[Row]) -> Arc<Workload> {
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| switchyard::order::by_value(&a.0, &b.0));
    let mut names: Vec<String> = models().map(String::from).collect();
    names.push("of-ones-own".to_owned());
    let job = |&(submit, gpus, duration, model): &Row| Job {
        model: Some(model.min(names.len() - 1) as u32),
        ..Job::plain(submit - rows[0].0, gpus, duration)
    };
    Arc::new(Workload {
        jobs: rows.iter().map(job).collect(),
        models: names.clone(),
        ..Workload::default()
    })
}

/// By what a job's speed is multiplied among such jobs.
fn factor(workload: &Workload, job: JobId, together: &[JobId]) -> f64 {
    if together.len() < 2 {
        return 1.0;
    }
    let kind = |of: JobId| {
        let of = &workload.jobs[of.index()];
        let model = of.model.expect("it trains one");
        measured(&workload.models[model as usize], of.gpus).expect("it was measured")
    };
    let times: Vec<_> = together.iter().map(|&of| kind(of).times).collect();
    let cycle = period(&times, Ordering::Best) * SLOWDOWNS[together.len() - 1];
    (kind(job).iteration_time / cycle).min(1.0)
}

/// What a log says at each moment: no GPU is of two groups, groups are of jobs with the same GPUs, no more than `most`,
/// and no GPU is given beyond one whole. Returns seconds of work by job.
fn follow(workload: &Workload, log: &RunLog, most: usize) -> Vec<f64> {
    let segments: Vec<_> = (0..log.segments()).map(|at| log.segment(at)).collect();
    let mut moments: Vec<f64> = segments
        .iter()
        .flat_map(|of| [of.start.0, of.ready.0, of.end.0])
        .collect();
    moments.sort_by(switchyard::order::by_value);
    moments.dedup();
    let mut work = vec![0.0; workload.jobs.len()];
    for pair in moments.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let mut groups: BTreeMap<Vec<(u32, u64)>, Vec<usize>> = BTreeMap::new();
        for (at, segment) in segments.iter().enumerate() {
            if segment.start.0 <= from && to <= segment.end.0 {
                let gpus = segment.gpus.iter().map(|of| (of.node, of.mask));
                groups.entry(gpus.collect()).or_default().push(at);
            }
        }
        let mut taken: BTreeMap<u32, u64> = BTreeMap::new();
        for (gpus, there) in &groups {
            for &(node, mask) in gpus {
                let of_node = taken.entry(node).or_default();
                assert_eq!(*of_node & mask, 0, "at {from} s a GPU is of two groups");
                *of_node |= mask;
            }
            assert!(
                there.len() <= most,
                "at {from} s {} are together",
                there.len()
            );
            let shares: u32 = there
                .iter()
                .map(|&at| segments[at].share.unwrap_or(1000))
                .sum();
            assert!(shares <= 1000, "at {from} s {shares} thousandths");
            let jobs: Vec<JobId> = there.iter().map(|&at| segments[at].job).collect();
            for &at in there {
                let job = segments[at].job;
                assert_eq!(segments[at].gpu_count(), workload.jobs[job.index()].gpus);
                if segments[at].ready.0 <= from {
                    work[job.index()] += (to - from) * factor(workload, job, &jobs);
                }
            }
        }
    }
    work
}

fn spec(policy: &str, cluster: &str, restart_cost: f64) -> RunSpec {
    RunSpec {
        options: SimOptions {
            restart_cost,
            ..SimOptions::default()
        },
        ..RunSpec::new(
            policy.parse().expect("a policy"),
            cluster.parse().expect("a cluster"),
        )
    }
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let gpus = prop::sample::select(vec![1u32, 2, 3, 4, 8]);
    prop::collection::vec((0.0..2000.0, gpus, 1.0..5000.0, 0..10usize), 1..25)
}

fn policies() -> impl Strategy<Value = (String, usize)> {
    let interval = prop::sample::select(vec!["0", "60", "360"]);
    let name = prop::sample::select(vec!["muri-s", "muri-l"]);
    (name, 1..=4usize, interval, any::<bool>()).prop_map(|(name, packing, interval, unpack)| {
        let text = format!("{name}[interval={interval},packing={packing},unpack={unpack}]");
        (text, packing)
    })
}

proptest! {
    #[test]
    fn every_job_gets_its_work_and_no_gpu_is_given_twice(
        rows in rows(),
        (policy, packing) in policies(),
        restart_cost in prop::sample::select(vec![0.0, 25.0]),
        cluster in prop::sample::select(vec!["1x8", "3x4", "2x8"]),
    ) {
        let workload = workload(&rows);
        let mut run = spec(&policy, cluster, restart_cost).start(Arc::clone(&workload));
        run.run().expect("it ends");
        let work = follow(&workload, run.log(), packing);
        for (job, work) in workload.jobs.iter().zip(work) {
            let most = if cluster == "1x8" { 8 } else { 12 };
            if job.gpus <= most {
                let seconds = job.work.seconds();
                prop_assert!((work - seconds).abs() < 1e-6 * (1.0 + seconds), "{work} of {seconds} s");
            }
        }
    }

    #[test]
    fn whoever_fails_or_drains_groups_stay_whole(
        rows in rows(),
        (policy, packing) in policies(),
        outages in prop::collection::vec((0u32..3, 0.0..4000.0, 1.0..900.0, any::<bool>()), 1..5),
    ) {
        let outage = |&(node, from, length, fails): &(u32, f64, f64, bool)| Outage {
            node,
            from: Time(from),
            to: Time(from + length),
            kind: if fails { OutageKind::Failure } else { OutageKind::Drain },
        };
        let workload = workload(&rows);
        let mut spec = spec(&policy, "3x8", 10.0);
        spec.outages = Outages::new(outages.iter().map(outage).collect());
        let mut run = spec.start(Arc::clone(&workload));
        run.run().expect("it ends");
        follow(&workload, run.log(), packing);
        let last = run.log().event_times().last().copied().unwrap_or_default();
        prop_assert!(last.is_finite());
    }
}

/// What becomes of such jobs on one node of two GPUs.
fn run(workload: Arc<Workload>, script: Script) -> Result<RunLog, PlanErrorKind> {
    let cluster = ClusterSpec::uniform(1, 2).expect("a cluster");
    let scheduler = Scripted::scheduler(script, |_, _| None);
    let mut run = Simulation::new(workload, &cluster, scheduler, SimOptions::default());
    match run.run() {
        Ok(()) => Ok(run.into_log()),
        Err(error) => Err(plan_error(error).kind),
    }
}

fn both_gpus() -> Placement {
    Placement {
        parts: vec![Part::new(0, 2)],
    }
}

/// Lets all that come at once take turns on both GPUs.
fn together(view: &switchyard::engine::View<'_>, plan: &mut Plan) {
    let jobs: Vec<JobId> = arrived(view).collect();
    if !jobs.is_empty() {
        plan.interleave(&jobs, &both_gpus());
    }
}

#[test]
fn who_is_left_goes_on_faster_and_frees_the_gpus_in_the_end() {
    // bert and dqn: one needs GPUs, the other storage and CPUs.
    let rows = [(0.0, 2, 100.0, 4), (0.0, 2, 400.0, 7), (0.0, 2, 400.0, 7)];
    let workload = workload(&rows[..2]);
    let log = run(Arc::clone(&workload), |view, plan| {
        assert!(arrived(view).count() > 0 || view.ledger().gpus_in_use() <= 2);
        if let Some(running) = view.ledger().running().next() {
            assert_eq!(view.phase(running), Phase::Running);
            assert_eq!((view.ledger().gpus_in_use(), view.free().total()), (2, 0));
        }
        together(view, plan);
    })
    .expect("it ends");
    let ids = [JobId(0), JobId(1)];
    let (of_bert, of_dqn) = (
        factor(&workload, ids[0], &ids),
        factor(&workload, ids[1], &ids),
    );
    let first = log.segment(0).end.0;
    assert!((first - 100.0 / of_bert).abs() < 1e-9, "{first}");
    let alone = 400.0 - first * of_dqn;
    assert!((log.segment(1).end.0 - (first + alone)).abs() < 1e-9);
    assert_eq!(log.segment(0).gpus, log.segment(1).gpus);
    assert_eq!(log.sample_gpus(), [2, 0], "each GPU counts once");
    assert_eq!(log.segment(0).share, Some(500));
    assert!(workload.jobs.len() < rows.len());
}

#[test]
fn three_have_all_of_a_gpu() {
    let log = run(
        workload(&[(0.0, 2, 9.0, 0), (0.0, 2, 9.0, 1), (0.0, 2, 9.0, 8)]),
        together,
    )
    .expect("it ends");
    let shares: u32 = (0..3).filter_map(|at| log.segment(at).share).sum();
    assert_eq!(shares, 1000);
    // One was not measured: each has a third of the time.
    assert!((0..3).all(|at| (log.segment(at).end.0 - 27.0).abs() < 1e-9));
}

#[test]
fn who_cannot_take_turns_is_refused() {
    let five = [(0.0, 2, 9.0, 0); 5];
    assert_eq!(
        run(workload(&five), together),
        Err(PlanErrorKind::CannotTakeTurns)
    );
    let mut with_servers = Workload::clone(&workload(&five[..2]));
    with_servers.jobs[1].demand.servers = Servers {
        count: 1,
        ..Servers::default()
    };
    let refused = run(Arc::new(with_servers), together);
    assert!(matches!(
        refused,
        Err(PlanErrorKind::CannotTakeTurns | PlanErrorKind::ServersBroken { .. })
    ));
    let other_gang = [(0.0, 2, 9.0, 0), (0.0, 1, 9.0, 0)];
    assert_eq!(
        run(workload(&other_gang), together),
        Err(PlanErrorKind::GangBroken {
            requested: 1,
            given: 2
        })
    );
}

/// Jobs of one GPU and 100 s each, under a policy on one GPU.
fn on_one_gpu(policy: &str, of: &[usize]) -> (Arc<Workload>, RunLog) {
    let rows: Vec<Row> = of.iter().map(|&model| (0.0, 1, 100.0, model)).collect();
    let workload = workload(&rows);
    let mut run = spec(policy, "1x1", 0.0).start(Arc::clone(&workload));
    run.run().expect("it ends");
    (workload, run.into_log())
}

fn end(log: &RunLog) -> f64 {
    log.event_times()
        .last()
        .copied()
        .expect("something happens")
}

#[test]
fn jobs_that_need_different_things_are_done_sooner_together() {
    for policy in ["muri-s", "muri-l"] {
        // dqn and gpt2.
        let (workload, log) = on_one_gpu(policy, &[7, 5]);
        assert!(
            (0..2).all(|at| log.segment(at).start == Time::ZERO),
            "{policy}"
        );
        let ids = [JobId(0), JobId(1)];
        let least = factor(&workload, ids[0], &ids).min(factor(&workload, ids[1], &ids));
        assert!(least > 0.5 && end(&log) < 200.0, "{policy}: {}", end(&log));
        let (_, alone) = on_one_gpu(&format!("{policy}[packing=1]"), &[7, 5]);
        assert_eq!(end(&alone), 200.0);
    }
}

#[test]
fn what_was_not_measured_shares_with_nobody() {
    let (workload, log) = on_one_gpu("muri-s", &[8, 7, 8]);
    follow(&workload, &log, 1);
    assert_eq!(end(&log), 300.0);
}

#[test]
fn a_group_that_is_made_again_stays_where_it_is() {
    // Four, of which none ends before the third round.
    let rows = [
        (0.0, 1, 900.0, 7),
        (0.0, 1, 900.0, 4),
        (0.0, 1, 900.0, 0),
        (0.0, 1, 900.0, 3),
    ];
    let workload = workload(&rows);
    let mut run = spec("muri-s[interval=50]", "1x1", 5.0).start(Arc::clone(&workload));
    run.run_until(Time(600.0)).expect("it goes on");
    assert_eq!(run.log().segments(), 4);
    let together = |job| run.explain(job, Time(600.0)).turns.map(|of| of.turns.len());
    assert_eq!(together(JobId(0)), Some(4));
}
