//! AntMan: guaranteed jobs keep GPUs for their gangs and are not slowed, opportunistic ones run beside them as fast as the
//! law says, and on the published trace all goes as in the simulator of Muri's authors.
//!
//! The trace is not in this repository: `SWITCHYARD_TRACES` names the folder in which it lies as `muri/trace1.csv`.

mod scripted;

use proptest::prelude::*;
use scripted::{Script, Scripted, arrived, plan_error};
use std::path::PathBuf;
use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, Part, PlaceError, Placement};
use switchyard::engine::{Plan, PlanErrorKind, RunLog, SimOptions, Simulation, Standing, View};
use switchyard::job::{Job, JobId, Servers};
use switchyard::outages::{Outage, OutageKind, Outages};
use switchyard::policies::{Explanation, Verdict};
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::workload::{Recorded, Workload};
use switchyard::{Finite, Preset, RunSpec, Time};
use switchyard_interleaving::antman::{SHARED, beside};
use switchyard_interleaving::gangs::Cluster;
use switchyard_interleaving::grouping::Kind;
use switchyard_interleaving::measured::{measured, models};
use switchyard_interleaving::replay::{Scheduler, read, replay};

/// Submission, GPUs, duration, the model among those that were measured (beyond them one that was not), and the
/// priority.
type Row = (f64, u32, f64, usize, Option<f64>);

const GUARANTEED: Option<f64> = Some(0.0);
const OPPORTUNISTIC: Option<f64> = Some(-1.0);
const BERT: usize = 4;
const GPT2: usize = 5;
const DQN: usize = 7;
const UNMEASURED: usize = 8;

fn workload(rows: &[Row]) -> Arc<Workload> {
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| switchyard::order::by_value(&a.0, &b.0));
    let mut names: Vec<String> = models().map(String::from).collect();
    names.push("of-ones-own".to_owned());
    let job = |(at, &(submit, gpus, duration, model, _)): (usize, &Row)| Job {
        name: at.to_string().into(),
        model: Some(model.min(UNMEASURED) as u32),
        ..Job::plain(submit - rows[0].0, gpus, duration)
    };
    let priorities = rows.iter().map(|of| of.4.and_then(Finite::new));
    Arc::new(Workload {
        jobs: rows.iter().enumerate().map(job).collect(),
        models: names,
        recorded: Recorded {
            priorities: priorities.collect(),
            ..Recorded::default()
        },
        ..Workload::default()
    })
}

fn spec(policy: &str, cluster: &str) -> RunSpec {
    RunSpec {
        placement: "yarn".parse().expect("a placement"),
        ..RunSpec::new(
            policy.parse().expect("a policy"),
            cluster.parse().expect("a cluster"),
        )
    }
}

fn run(policy: &str, cluster: &str, rows: &[Row]) -> RunLog {
    let mut run = spec(policy, cluster).start(workload(rows));
    run.run().expect("it ends");
    run.into_log()
}

/// When each job started, and ended.
fn times(log: &RunLog) -> Vec<(f64, f64)> {
    let mut of: Vec<_> = (0..log.segments()).map(|at| log.segment(at)).collect();
    of.sort_by_key(|of| of.job);
    of.iter().map(|of| (of.start.0, of.end.0)).collect()
}

fn kind(model: usize, gpus: u32) -> Kind {
    let name = models().nth(model).expect("it was measured");
    measured(name, gpus).expect("it was measured")
}

/// How many times as long an iteration takes beside a guaranteed job.
fn slowdown(own: Kind, guaranteed: Kind) -> f64 {
    (beside(own, guaranteed) / own.iteration_time).max(1.0)
}

/// What is said of a job at a moment.
fn told(policy: &str, rows: &[Row], job: u32, at: f64) -> Explanation {
    let mut run = spec(policy, "1x8").start(workload(rows));
    run.run_until(Time(at)).expect("it goes on");
    run.explain(JobId(job), Time(at))
}

fn words(explanation: &Explanation) -> Vec<String> {
    let facts = explanation.facts.iter();
    facts
        .map(|of| format!("{}: {}", of.term, of.in_seconds()))
        .collect()
}

/// Six GPUs are taken until 1000 s; a gang of eight waits, and a pair comes behind it.
fn keeping(of_the_pair: Option<f64>) -> [Row; 3] {
    [
        (0.0, 6, 1000.0, BERT, GUARANTEED),
        (1.0, 8, 500.0, DQN, GUARANTEED),
        (2.0, 2, 100.0, GPT2, of_the_pair),
    ]
}

#[test]
fn what_a_gang_keeps_no_other_guaranteed_job_gets() {
    let log = run("antman", "1x8", &keeping(GUARANTEED));
    assert_eq!(
        times(&log),
        [(0.0, 1000.0), (1000.0, 1500.0), (1500.0, 1600.0)]
    );
    let waits = told("antman", &keeping(GUARANTEED), 1, 500.0);
    assert_eq!(waits.verdict, Verdict::TooFewGpus { wants: 8, left: 2 });
    let words = words(&waits);
    let kept = "kept for it until the rest is free: 2 GPUs of the 8 that its gang needs, on node 0";
    assert!(words.iter().any(|of| of == kept), "{words:?}");
    let is = "its GPUs are: guaranteed to it, at priority 0";
    assert!(words.iter().any(|of| of == is), "{words:?}");
}

#[test]
fn an_opportunistic_job_runs_on_what_is_kept() {
    let log = run("antman", "1x8", &keeping(OPPORTUNISTIC));
    let of_the_pair = times(&log)[2];
    assert_eq!(of_the_pair, (2.0, 102.0), "nobody computes there yet");
    // Who bounds it otherwise has both wait.
    let log = run("antman[guaranteed=1]", "1x8", &keeping(OPPORTUNISTIC));
    assert_eq!(times(&log)[2], (2.0, 102.0));
    assert_eq!(times(&log)[1].0, 1000.0);
}

#[test]
fn an_opportunistic_job_beside_a_guaranteed_one_is_as_fast_as_the_law_says() {
    let rows = [
        (0.0, 4, 1e6, DQN, GUARANTEED),
        (0.0, 8, 1000.0, BERT, OPPORTUNISTIC),
        (0.0, 4, 100.0, GPT2, GUARANTEED),
    ];
    let log = run("antman", "1x8", &rows);
    let times = times(&log);
    assert_eq!(
        (times[0].1, times[2].1),
        (1e6, 100.0),
        "they are not slowed"
    );
    let own = kind(BERT, 8);
    let of_dqn = slowdown(own, kind(DQN, 4));
    let of_both = of_dqn.max(slowdown(own, kind(GPT2, 4)));
    assert!(of_dqn > 1.0 && of_both > of_dqn, "{of_dqn}, {of_both}");
    // At first beside both, then beside one of them.
    let expected = 100.0 + (1000.0 - 100.0 / of_both) * of_dqn;
    assert!(
        (times[1].1 - expected).abs() < 1e-6,
        "{} {expected}",
        times[1].1
    );
    assert_eq!(log.segment(1).share, Some(500));
    assert_eq!(log.sample_gpus()[0], 8, "each GPU counts once");
    let now = told("antman", &rows, 1, 50.0);
    assert_eq!(now.verdict, Verdict::Runs);
    let here = now.facts.iter().find(|of| of.term == "an iteration here");
    let sum = here.and_then(|here| here.sum.as_ref()).expect("it is told");
    let other = kind(GPT2, 4).iteration_time;
    let iterations = of_both * own.iteration_time / other;
    let [many, one] = [0, 1].map(|at| sum.operands[at].value);
    assert!(
        (many - iterations).abs() < 1e-9 && many.fract() == 0.0,
        "{many}"
    );
    assert_eq!((one, many * one), (other, sum.result));
    let words = words(&now);
    let how = format!(", {of_both:.2} times as long, beside the guaranteed job 2");
    assert!(words.iter().any(|of| of.ends_with(&how)), "{words:?}");
    assert_eq!(now.slow.len(), 1);
    assert!((now.slow[0].factor - 1.0 / of_both).abs() < 1e-12);
    assert_eq!(now.slow[0].by, [(JobId(2), 1.0 - now.slow[0].factor)]);
}

#[test]
fn two_opportunistic_jobs_share_a_gpu_where_its_load_may_be_so_high() {
    let three = [(0.0, 1, 100.0, DQN, OPPORTUNISTIC); 3];
    let alone = times(&run("antman", "1x1", &three));
    assert_eq!(alone, [(0.0, 100.0), (100.0, 200.0), (200.0, 300.0)]);
    let shared = times(&run("antman[limit=1]", "1x1", &three));
    let together = 100.0 * SHARED;
    assert_eq!(shared[..2], [(0.0, together); 2]);
    assert_eq!(shared[2], (together, together + 100.0), "a third waits");
}

#[test]
fn what_was_not_measured_shares_with_nobody() {
    let rows = [
        (0.0, 1, 100.0, UNMEASURED, GUARANTEED),
        (0.0, 1, 100.0, DQN, OPPORTUNISTIC),
        (0.0, 1, 100.0, UNMEASURED, OPPORTUNISTIC),
    ];
    let log = run("antman", "1x1", &rows);
    assert_eq!(times(&log), [(0.0, 100.0), (100.0, 200.0), (200.0, 300.0)]);
    assert!((0..3).any(|at| log.segment(at).share.is_none()));
}

#[test]
fn without_a_priority_chance_decides() {
    let rows = [(0.0, 1, 100.0, DQN, None); 40];
    let started = |seed| {
        let mut spec = spec("antman", "1x8");
        spec.options.seed = seed;
        let mut run = spec.start(workload(&rows));
        run.run_until(Time(1.0)).expect("it goes on");
        let log = run.into_log();
        (0..log.segments())
            .map(|at| log.segment(at).job.0)
            .collect::<Vec<u32>>()
    };
    assert_eq!(started(1), started(1));
    assert_ne!(started(1), started(2));
    assert_eq!(started(1).len(), 16, "two on each GPU");
    let words = words(&told("antman", &rows, 0, 1.0));
    assert!(
        words[0].ends_with("by chance: its trace tells no priority"),
        "{words:?}"
    );
}

/// What becomes of such jobs on one node of two GPUs.
fn scripted(workload: Arc<Workload>, script: Script) -> Result<RunLog, PlanErrorKind> {
    let cluster = ClusterSpec::uniform(1, 2).expect("a cluster");
    let scheduler = Scripted::scheduler(script, |_, _| None);
    let mut run = Simulation::new(workload, &cluster, scheduler, SimOptions::default());
    match run.run() {
        Ok(()) => Ok(run.into_log()),
        Err(error) => Err(plan_error(error).kind),
    }
}

/// Lets all that come at once have the first GPU.
fn on_the_first(view: &View<'_>, plan: &mut Plan) {
    for job in arrived(view) {
        let part = Part {
            wished: 1,
            ..Part::new(0, view.gpus(job))
        };
        plan.place_as(
            job,
            Standing::Opportunistic,
            &Placement { parts: vec![part] },
        );
    }
}

#[test]
fn the_engine_refuses_a_third_job_and_those_that_cannot_share() {
    let rows = [(0.0, 1, 9.0, DQN, None); 3];
    let two = scripted(workload(&rows[..2]), on_the_first).expect("it ends");
    assert_eq!(times(&two), [(0.0, 18.0); 2]);
    let full = PlaceError::GpuFull { node: 0, gpu: 0 };
    assert_eq!(
        scripted(workload(&rows), on_the_first),
        Err(PlanErrorKind::Place(full))
    );
    // More GPUs than it names, memory, and parameter servers.
    assert_eq!(
        scripted(workload(&[(0.0, 2, 9.0, DQN, None)]), on_the_first),
        Err(PlanErrorKind::CannotRunBeside)
    );
    let mut with_memory = Workload::clone(&workload(&rows[..1]));
    with_memory.jobs[0].demand.gpu_memory = 1;
    assert_eq!(
        scripted(Arc::new(with_memory), on_the_first),
        Err(PlanErrorKind::CannotRunBeside)
    );
    let mut with_servers = Workload::clone(&workload(&rows[..1]));
    with_servers.jobs[0].demand.servers = Servers {
        count: 1,
        ..Servers::default()
    };
    assert!(scripted(Arc::new(with_servers), on_the_first).is_err());
    // Another one that was placed without a standing has its GPUs to itself.
    let beside_another = scripted(workload(&rows[..2]), |view, plan| {
        for (at, job) in arrived(view).enumerate() {
            let parts = vec![Part {
                wished: 1,
                ..Part::new(0, 1)
            }];
            match at {
                0 => plan.place(job, &Placement { parts }),
                _ => plan.place_as(job, Standing::Guaranteed, &Placement { parts }),
            }
        }
    });
    assert_eq!(beside_another, Err(PlanErrorKind::Place(full)));
}

/// What a log says at each moment: no GPU has more than two jobs, two guaranteed ones, or one that shares with nobody
/// beside another, and none is given beyond one whole. Returns seconds of work by job.
fn follow(workload: &Workload, log: &RunLog) -> Vec<f64> {
    let segments: Vec<_> = (0..log.segments()).map(|at| log.segment(at)).collect();
    let mut moments: Vec<f64> = segments
        .iter()
        .flat_map(|of| [of.start.0, of.ready.0, of.end.0])
        .collect();
    moments.sort_by(switchyard::order::by_value);
    moments.dedup();
    let own = |job: JobId| {
        let of = &workload.jobs[job.index()];
        let model = of.model.expect("it trains one") as usize;
        (model < UNMEASURED).then(|| kind(model, of.gpus))
    };
    let is_guaranteed = |job: JobId| workload.recorded.priority(job) == GUARANTEED;
    let mut work = vec![0.0; workload.jobs.len()];
    for pair in moments.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let there = |of: &&switchyard::engine::Segment<'_>| of.start.0 <= from && to <= of.end.0;
        let there: Vec<_> = segments.iter().filter(there).collect();
        for of in &there {
            assert_eq!(of.gpu_count(), workload.jobs[of.job.index()].gpus);
            let mut slowest = 1.0_f64;
            for part in of.gpus {
                for gpu in part.numbers() {
                    let has = |of: &&&switchyard::engine::Segment<'_>| {
                        let mut gpus = of.gpus.iter();
                        gpus.any(|other| other.node == part.node && other.mask >> gpu & 1 == 1)
                    };
                    let on: Vec<_> = there.iter().filter(has).collect();
                    let shares: u32 = on.iter().map(|of| of.share.unwrap_or(1000)).sum();
                    assert!(shares <= 1000, "at {from} s {shares} thousandths");
                    let guaranteed = on.iter().filter(|of| is_guaranteed(of.job));
                    assert!(guaranteed.count() <= 1, "at {from} s a GPU is of two");
                    for other in on.iter().filter(|other| other.job != of.job) {
                        let (own, of_other) = (own(of.job), own(other.job));
                        let own = own.expect("who shares was measured");
                        let of_other = of_other.expect("who shares was measured");
                        let time = match is_guaranteed(other.job) {
                            true => slowdown(own, of_other),
                            false => SHARED,
                        };
                        slowest = slowest.max(time);
                    }
                }
            }
            if of.ready.0 <= from {
                let speed = if is_guaranteed(of.job) {
                    1.0
                } else {
                    1.0 / slowest
                };
                work[of.job.index()] += (to - from) * speed;
            }
        }
    }
    work
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let gpus = prop::sample::select(vec![1u32, 2, 3, 4, 8, 11, 16]);
    let row = (0.0..2000.0, gpus, 1.0..5000.0, 0..10usize, any::<bool>());
    let row = row.prop_map(|(submit, gpus, duration, model, is_guaranteed)| {
        let priority = if is_guaranteed {
            GUARANTEED
        } else {
            OPPORTUNISTIC
        };
        (submit, gpus, duration, model, priority)
    });
    prop::collection::vec(row, 1..30)
}

fn policies() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "antman",
        "antman[limit=1]",
        "antman[limit=0.05]",
        "antman[placement=spread]",
        "antman[placement=consolidated]",
    ])
}

proptest! {
    #[test]
    fn every_job_gets_its_work_and_no_gpu_has_more_than_it_may(
        rows in rows(),
        policy in policies(),
        restart_cost in prop::sample::select(vec![0.0, 25.0]),
        cluster in prop::sample::select(vec!["1x8", "3x4", "2x8", "2x4+1x8"]),
    ) {
        let workload = workload(&rows);
        let mut spec = spec(policy, cluster);
        spec.options.restart_cost = restart_cost;
        spec.options.first_start_pays = true;
        let most = spec.cluster.gpus();
        let mut run = spec.start(Arc::clone(&workload));
        run.run().expect("it ends");
        let work = follow(&workload, run.log());
        for (job, work) in workload.jobs.iter().zip(work) {
            if job.gpus <= most {
                let seconds = job.work.seconds();
                prop_assert!((work - seconds).abs() < 1e-6 * (1.0 + seconds), "{work} of {seconds} s");
            }
        }
        prop_assert_eq!(run.log().sample_gpus().last(), Some(&0));
    }

    #[test]
    fn whoever_fails_or_drains_nobody_waits_for_ever(
        rows in rows(),
        policy in policies(),
        outages in prop::collection::vec((0u32..3, 0.0..4000.0, 1.0..900.0, any::<bool>()), 1..6),
    ) {
        let outage = |&(node, from, length, fails): &(u32, f64, f64, bool)| Outage {
            node,
            from: Time(from),
            to: Time(from + length),
            kind: if fails { OutageKind::Failure } else { OutageKind::Drain },
        };
        let workload = workload(&rows);
        let mut spec = spec(policy, "3x8");
        spec.outages = Outages::new(outages.iter().map(outage).collect());
        let mut run = spec.start(Arc::clone(&workload));
        run.run().expect("it ends");
        follow(&workload, run.log());
        let last = |job: u32| (0..run.log().segments()).rev().find(|&at| run.log().segment(at).job.0 == job);
        for job in 0..workload.jobs.len() as u32 {
            let last = last(job).map(|at| run.log().segment(at).end.0);
            prop_assert!(last.is_some_and(f64::is_finite), "job {job}");
        }
    }
}

fn trace_1() -> Vec<u8> {
    let folder = std::env::var_os("SWITCHYARD_TRACES");
    let folder = PathBuf::from(folder.expect("SWITCHYARD_TRACES names the folder of traces"));
    std::fs::read(folder.join("muri/trace1.csv")).expect("it can be read")
}

/// Mean JCT of the 1494 jobs of trace 1.
fn mean_of_trace_1(change: impl Fn(&mut RunSpec)) -> f64 {
    let files = [SourceFile {
        name: "trace1.csv",
        bytes: &trace_1(),
    }];
    let Ok(Opened::Trace(trace)) = open(&files, &OpenOptions::default()) else {
        panic!("trace1.csv is a trace");
    };
    let workload = Arc::new(trace.workload());
    let mut spec = spec("antman", "8x8");
    change(&mut spec);
    let mut run = spec.start(Arc::clone(&workload));
    run.run().expect("it ends");
    let outcomes = switchyard::report::Outcomes::of(&workload, &spec.cluster, run.log());
    outcomes.jct.iter().sum::<f64>() / outcomes.jct.len() as f64
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn trace_1_takes_about_as_long_as_published() {
    let mean = mean_of_trace_1(|spec| Preset::ReferenceSigcomm22.apply(spec).expect("it fits"));
    let published = 5_476_391.317;
    assert!((mean / published - 1.0).abs() < 0.035, "{mean}");
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn trace_1_goes_as_in_the_simulator_where_nothing_costs() {
    let mean = mean_of_trace_1(|_| {});
    let mut jobs = read(&trace_1()).expect("it is one of Muri's");
    for job in &mut jobs {
        (job.overhead, job.iterations) = (0.0, job.duration / job.iteration_time);
    }
    let done = replay(&jobs, Cluster::PUBLISHED, Scheduler::AntMan, &mut |_| {});
    let done = done.expect("it ends");
    let of_the_simulator = done.figures().mean_jct;
    // Its loads are sums that leave a rest, by which it tells GPUs apart that are equally loaded.
    assert!(
        (mean / of_the_simulator - 1.0).abs() < 1e-3,
        "{mean}, {of_the_simulator}"
    );
}
