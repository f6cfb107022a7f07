//! What holds for every scheduler, on random workloads and clusters, checked from the log alone
//! by a replay that shares no code with the engine. The numbers are those of the design's
//! invariants:
//!
//! 1. no GPU is given twice, no node is over capacity, gangs are all or nothing;
//! 2. every finished job received exactly its work, and the service in the log adds up;
//! 3. every admitted job finishes, and exactly the jobs larger than the cluster are rejected;
//! 4. the same inputs and seed give the same log;
//! 5. names and the order of rows change nothing but names;
//! 6. a run can be taken in slices, and its log can be streamed;
//! 7. nobody runs on a node that is down, what jobs executed and lost is what their GPUs did, and one
//!    more outage changes nothing before it begins;
//! 8. what a job spent its life on adds up to its life, and who is charged with a wait to the wait.
//!
//! A new policy is covered by its line in the registry; add variants of its parameters to
//! [`scenes::specs`].

mod check;
mod lives;
mod replay;
mod scenes;

use check::check;
use lives::check_lives;
use proptest::prelude::*;
use replay::Replay;
use scenes::{Scene, durations, outages, scenes, specs};
use std::sync::Arc;
use switchyard::Time;
use switchyard::engine::{EventKind, HaltReason, LogBudget, Moment, RunError, RunLog, TimeIndex};
use switchyard::job::{JobId, Status};
use switchyard::outages::{Outage, OutageKind, Outages};
use switchyard::policies::PolicySpec;
use switchyard::trace::{Record, Trace};
use switchyard::workload::Workload;

proptest! {
    #![proptest_config(ProptestConfig {
        // PROPTEST_CASES asks for more; each is run under every policy.
        cases: ProptestConfig::default().cases / 2,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_run_keeps_the_invariants(scene in scenes(48), tenths in 10u32..2000) {
        let interval = f64::from(tenths) / 10.0;
        let pollux = format!("pollux[population=5,generations=3,interval={interval}]");
        for policy in specs().chain([pollux.parse().expect("a policy")]) {
            let scene = scene.under(&policy);
            if let Some(log) = scene.run(&policy) {
                check(&scene, &policy, &log);
            }
        }
    }

    #[test]
    fn every_life_adds_up(scene in scenes(32)) {
        for policy in specs() {
            check_lives(&scene.under(&policy), &policy);
        }
    }

    /// Where a node never comes back, the run ends all the same, or says that nobody runs.
    #[test]
    fn a_run_without_a_node_ends(scene in scenes(24), outages in outages()) {
        let mut scene = scene;
        let for_ever = outages.into_iter().map(|of| Outage {
            node: of.node % scene.cluster.nodes(),
            to: Time::NEVER,
            ..of
        });
        scene.outages = Outages::new(for_ever.collect());
        for policy in specs() {
            let scene = scene.under(&policy);
            if let Some(log) = scene.run(&policy) {
                check(&scene, &policy, &log);
            }
        }
    }

    /// "What if this node dies then?": until then nothing is different.
    #[test]
    fn one_more_outage_changes_nothing_before(scene in scenes(24), outages in outages()) {
        for policy in specs() {
            let scene = scene.under(&policy);
            let Some(log) = scene.run(&policy) else { continue };
            let mut other = scene.clone();
            let more = Outage { node: outages[0].node % scene.cluster.nodes(), ..outages[0] };
            // Slurm is told of maintenance ahead.
            if policy.name() == "slurm" && more.kind == OutageKind::Drain {
                continue;
            }
            other.outages = scene.outages.and(&Outages::new(vec![more]));
            let mut run = other.spec(policy.clone()).start(Arc::clone(&other.workload));
            // Whatever becomes of it.
            let _ = run.run();
            let before = |log: &RunLog| {
                let events = (0..log.events()).map(|i| log.event(i));
                let events: Vec<_> = events.take_while(|event| event.time < more.from).collect();
                let segments = (0..log.segments()).map(|i| log.segment(i));
                let segments = segments.take_while(|segment| segment.start < more.from);
                let segments: Vec<_> = segments
                    .map(|of| (of.job, of.start, of.ready, of.end.min(more.from), of.gpus.to_vec()))
                    .collect();
                let tunings = (0..log.tunings()).map(|i| log.tuning(i));
                let tunings: Vec<_> = tunings.take_while(|of| of.time < more.from).collect();
                let nodes = (0..log.node_changes()).map(|i| log.node_change(i));
                let nodes: Vec<_> = nodes.take_while(|of| of.time < more.from).collect();
                (events, segments, tunings, nodes)
            };
            prop_assert_eq!(before(run.log()), before(&log), "{}", policy);
        }
    }

    /// A log that comes to the end of its budget is the beginning of the whole.
    #[test]
    fn a_budget_ends_a_run_and_changes_nothing_before(scene in scenes(24), share in 0.0..1.2) {
        for policy in specs() {
            let scene = scene.under(&policy);
            let Some(whole) = scene.run(&policy) else { continue };
            let budget = (whole.bytes() as f64 * share) as u64;
            let mut short = scene.clone();
            short.options.log_budget = LogBudget::of_bytes(budget);
            let mut run = short.spec(policy.clone()).start(Arc::clone(&short.workload));
            match run.run() {
                Ok(()) => {
                    prop_assert!(whole.bytes() <= budget);
                    prop_assert_eq!(run.log(), &whole);
                }
                Err(RunError::Halt(halt)) => {
                    let full = matches!(halt.reason, HaltReason::LogFull { .. });
                    prop_assert!(full && run.log().bytes() > budget, "{}", halt);
                    let log = run.log();
                    let events = |log: &RunLog, n| (0..n).map(|i| log.event(i)).collect::<Vec<_>>();
                    let n = log.events();
                    prop_assert_eq!(events(log, n), events(&whole, n));
                }
                Err(error) => prop_assert!(false, "{}", error),
            }
        }
    }

    #[test]
    fn the_same_inputs_give_the_same_log(scene in scenes(24)) {
        for policy in specs() {
            let scene = scene.under(&policy);
            let first = scene.run(&policy);
            let second = scene.run(&policy);
            let hash = |log: &Option<RunLog>| log.as_ref().map(RunLog::hash);
            prop_assert_eq!(hash(&first), hash(&second));
            prop_assert_eq!(first, second);
        }
    }

    #[test]
    fn names_change_nothing(scene in scenes(24)) {
        let mut renamed = Workload::clone(&scene.workload);
        for job in &mut renamed.jobs {
            job.name = format!("another {}", job.name.len()).into();
        }
        let renamed = Scene { workload: Arc::new(renamed), ..scene.clone() };
        for policy in specs() {
            let (scene, renamed) = (scene.under(&policy), renamed.under(&policy));
            prop_assert_eq!(scene.run(&policy), renamed.run(&policy), "{}", policy);
        }
    }

    /// Rows of distinct submission times in any order are the same workload, and so the same runs.
    #[test]
    fn the_order_of_rows_changes_nothing(
        rows in prop::collection::btree_map(0u32..1000, (1u32..9, durations()), 1..40)
            .prop_flat_map(|rows| {
                let rows: Vec<_> = rows.into_iter().collect();
                (Just(rows.clone()), Just(rows).prop_shuffle())
            }),
    ) {
        let workload = |rows: &[(u32, (u32, f64))]| {
            let record = |(line, &(submit, (gpus, duration)))| Record {
                name: format!("submitted at {submit}").into(),
                tenant: Some(submit % 2),
                status: Status::Completed,
..Record::plain(line, f64::from(submit), gpus, duration)
};
            let trace = Trace {
                format: "rows".into(),
                title: "Rows".into(),
                records: (1..).zip(rows).map(record).collect(),
                tenants: vec!["even".into(), "odd".into()],
                ..Trace::default()
            };
            trace.workload()
        };
        let (in_order, shuffled) = rows;
        prop_assert_eq!(workload(&in_order), workload(&shuffled));
    }

    /// However a run is sliced, and however its log is cut into deltas, the log is the same.
    #[test]
    fn a_run_in_slices_is_the_same_run(
        scene in scenes(24),
        slices in prop::collection::vec(prop_oneof![
            (1u32..40).prop_map(Slice::Steps),
            (0.0..1e4).prop_map(Slice::Until),
        ], 0..20),
    ) {
        for policy in specs() {
            let scene = scene.under(&policy);
            let Some(whole) = scene.run(&policy) else { continue };
            let mut run = scene.spec(policy).start(Arc::clone(&scene.workload));
            let mut streamed = RunLog::default();
            for slice in &slices {
                match *slice {
                    Slice::Steps(steps) => {
                        for _ in 0..steps {
                            run.step().unwrap();
                        }
                    }
                    Slice::Until(until) => {
                        run.run_until(Time(until)).unwrap();
                        prop_assert!(run.next_time() > Time(until));
                    }
                }
                streamed.append(&run.log().since(streamed.rows()));
                prop_assert_eq!(&streamed, run.log());
            }
            run.run().unwrap();
            streamed.append(&run.log().since(streamed.rows()));
            prop_assert_eq!(run.progress().done as usize, scene.workload.jobs.len());
            prop_assert_eq!(streamed.hash(), whole.hash());
            prop_assert_eq!(streamed, whole);
        }
    }

    /// PROMOTEKNOB bounds starvation: below the highest queue, a job that has run never waits
    /// longer than knob × its executed time (both counted since its last promotion), and a
    /// promotion comes exactly then.
    #[test]
    fn the_knob_bounds_waiting(scene in scenes(32), knob in 1u32..6, gittins in any::<bool>()) {
        let policy = if gittins {
            format!("tiresias-gittins[thresholds=300:2000,history=oracle,knob={knob}]")
        } else {
            format!("tiresias-las[thresholds=300:2000,knob={knob}]")
        };
        let Some(log) = scene.run(&policy.parse().expect("a policy")) else {
            return Ok(());
        };
        let mut counts = vec![Counts::default(); scene.workload.jobs.len()];
        for i in 0..log.events() {
            let event = log.event(i);
            let now = event.time.seconds();
            let job = &mut counts[event.job.index()];
            let passed = now - job.since;
            job.since = now;
            match event.kind {
                EventKind::Pause | EventKind::Evict | EventKind::Fail | EventKind::Finish => {
                    job.executed += passed;
                }
                EventKind::Demote => {
                    job.executed += passed;
                    job.queue = event.detail;
                }
                EventKind::Restart | EventKind::Promote if job.executed > 0.0 => {
                    // In the highest queue it may have waited longer than that already.
                    let bound = f64::from(knob) * job.executed;
                    let slack = 1e-6 * (1.0 + bound);
                    let longest = bound.max(job.waited) + slack;
                    job.waited += passed;
                    prop_assert!(job.queue == 0 || job.waited <= longest, "{policy}");
                    if event.kind == EventKind::Promote {
                        prop_assert!(job.waited >= bound - slack, "{policy}: promoted early");
                        *job = Counts { since: now, ..Counts::default() };
                    }
                }
                _ => {}
            }
        }
    }

    /// A cursor sent to any moments, in any order, shows what a replay from the start shows.
    #[test]
    fn any_moment_can_be_looked_up(
        scene in scenes(400),
        targets in prop::collection::vec(any::<prop::sample::Index>(), 1..12),
        earlier_by in prop::sample::select(&[0.0, 0.01][..]),
    ) {
        let policy: PolicySpec = "tiresias-las[thresholds=1:5:20:80:300]".parse().unwrap();
        let Some(log) = scene.run(&policy) else { return Ok(()) };
        let mut index = TimeIndex::default();
        index.extend(&log);
        let mut moment = Moment::default();
        for target in targets {
            let time = target.get(log.event_times()) - earlier_by;
            moment.seek(&log, &index, Time(time));
            let replay = Replay::new(&scene, &log).until(time, |_, _| {});
            let sorted = |jobs: &[JobId]| {
                let mut jobs: Vec<usize> = jobs.iter().map(|job| job.index()).collect();
                jobs.sort_unstable();
                jobs
            };
            prop_assert_eq!(sorted(moment.running()), replay.running().collect::<Vec<_>>());
            prop_assert_eq!(sorted(moment.waiting()), replay.waiting().collect::<Vec<_>>());
            prop_assert_eq!(moment.finished() as usize, replay.finished().count());
            for j in replay.running().chain(replay.waiting()) {
                let job = JobId(j as u32);
                prop_assert_eq!(moment.level(job), replay.level[j]);
                prop_assert_eq!(moment.since(job), Time(replay.since[j]));
                if replay.starts[j] > 0 {
                    prop_assert_eq!(moment.segment(job), replay.last_segment[j]);
                }
            }
        }
    }
}

/// How far a run is advanced at once.
#[derive(Clone, Debug)]
enum Slice {
    Steps(u32),
    Until(f64),
}

/// What PROMOTEKNOB counts of one job since its last promotion.
#[derive(Clone, Default)]
struct Counts {
    since: f64,
    executed: f64,
    waited: f64,
    queue: u32,
}
