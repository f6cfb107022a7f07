//! Slurm in runs: scenes worked by hand, and that no job waits longer than what was reserved for it.

mod tenants;

use proptest::prelude::*;
use switchyard::engine::{EventKind, Simulation, StopCause};
use switchyard::job::{Job, JobId};
use switchyard::report::Outcomes;
use switchyard::workload::{LabelSet, Workload};
use switchyard::{Index, RunSpec, Time};

/// Submitted at, GPUs, seconds.
type Asked = (f64, u32, f64);

fn workload(jobs: &[Asked]) -> Workload {
    let job = |(at, &(submit, gpus, seconds)): (usize, &Asked)| Job {
        name: format!("job {at}").into(),
        ..Job::plain(submit, gpus, seconds)
    };
    Workload {
        jobs: jobs.iter().enumerate().map(job).collect(),
        ..Workload::default()
    }
}

/// The same, each of a user whose leaf is called so.
fn of_users(jobs: &[(&str, Asked)]) -> Workload {
    let jobs = jobs
        .iter()
        .map(|&(user, (at, gpus, seconds))| (user, at, gpus, seconds));
    tenants::workload(&jobs.collect::<Vec<_>>())
}

/// The same, each in a partition and of a QOS.
fn labelled(jobs: &[(&str, &str, Asked)]) -> Workload {
    let asked: Vec<Asked> = jobs.iter().map(|of| of.2).collect();
    let mut workload = workload(&asked);
    let recorded = &mut workload.recorded;
    for &(partition, qos, _) in jobs {
        let mut set: LabelSet = Default::default();
        for (label, name) in [(2, partition), (3, qos)] {
            let names = &mut recorded.labels.names[label];
            let known = names.iter().position(|known| known == name);
            set[label] = Some(known.unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            }) as u32);
        }
        recorded.labels.sets.push(set);
        let set = Index::new(recorded.labels.sets.len() as u32 - 1);
        recorded.label_sets.push(set);
    }
    workload
}

/// First come, first served.
const FIFO: &str = "priority_weight_age=0,priority_weight_fairshare=0,priority_weight_job_size=0";

/// To the second, and whenever something changes.
const AT_ONCE: &str = "bf_interval=0,bf_resolution=1";

struct Scene<'a> {
    weights: &'a str,
    given: &'a str,
    rounds: &'a str,
    cluster: &'a str,
    queues: &'a str,
    outages: &'a str,
}

const SCENE: Scene<'_> = Scene {
    weights: FIFO,
    given: "maintenance=true",
    rounds: AT_ONCE,
    cluster: "4x1",
    queues: "",
    outages: "",
};

fn begin(scene: &Scene<'_>, workload: Workload) -> Simulation {
    let given = [scene.weights, scene.given, scene.rounds].join(",");
    let policy = format!("slurm[{given}]");
    let spec = RunSpec {
        outages: scene.outages.parse().expect("outages"),
        ..tenants::spec(&policy, scene.cluster, scene.queues)
    };
    spec.start(workload.into())
}

/// When each job starts first.
fn starts(run: &Simulation, jobs: usize) -> Vec<f64> {
    let mut starts = vec![f64::NAN; jobs];
    let log = run.log();
    for event in (0..log.events()).map(|at| log.event(at)) {
        if event.kind == EventKind::Start {
            starts[event.job.index()] = event.time.seconds();
        }
    }
    starts
}

fn starts_of(scene: &Scene<'_>, workload: Workload) -> Vec<f64> {
    let jobs = workload.jobs.len();
    let mut run = begin(scene, workload);
    run.run().expect("possible plans");
    starts(&run, jobs)
}

fn fact(run: &Simulation, job: u32, at: f64, term: &str) -> Option<String> {
    let explanation = run.explain(JobId(job), Time(at));
    let found = explanation.facts.iter().find(|fact| fact.term == term);
    found.map(|fact| fact.in_seconds())
}

/// The second wants all GPUs and waits until 100 s. The third would be over at that very moment, and a job must be over
/// before a reservation begins; the fourth is over at 93 s.
#[test]
fn who_is_over_before_the_reservation_starts_behind_it() {
    let jobs = [
        (0.0, 2, 100.0),
        (1.0, 4, 50.0),
        (2.0, 2, 98.0),
        (3.0, 2, 90.0),
    ];
    for backfill in ["backfill=easy", "backfill=conservative"] {
        let scene = Scene {
            given: backfill,
            ..SCENE
        };
        assert_eq!(
            starts_of(&scene, workload(&jobs)),
            [0.0, 100.0, 150.0, 3.0],
            "{backfill}"
        );
    }
    let scene = Scene {
        given: "backfill=none",
        ..SCENE
    };
    assert_eq!(
        starts_of(&scene, workload(&jobs)),
        [0.0, 100.0, 150.0, 150.0]
    );
}

/// The last needs the node that the first job in line does not. EASY starts it at once, and the second in line waits
/// for it; conservative backfill keeps all nodes for that from 150 s on.
#[test]
fn conservative_backfill_keeps_what_easy_gives_away() {
    let jobs = [
        (0.0, 3, 100.0),
        (1.0, 3, 50.0),
        (2.0, 4, 50.0),
        (3.0, 1, 170.0),
    ];
    let with = |given| Scene { given, ..SCENE };
    let easy = starts_of(&with("backfill=easy"), workload(&jobs));
    assert_eq!(easy, [0.0, 100.0, 173.0, 3.0]);
    let conservative = starts_of(&with("backfill=conservative"), workload(&jobs));
    assert_eq!(conservative, [0.0, 100.0, 150.0, 200.0]);
    // It looks at two jobs: the last is not among them.
    let short = starts_of(&with("bf_max_job_test=2"), workload(&jobs));
    assert_eq!(short, [0.0, 100.0, 150.0, 200.0]);
    // Nothing is reserved so far ahead, and so the last is in the way of the second in line.
    let near = starts_of(&with("bf_window=120"), workload(&jobs));
    assert_eq!(near, [0.0, 100.0, 173.0, 3.0]);
}

/// With rounds of 30 s, and reservations of whole minutes: what fits at 3 s starts at 30 s, and must be over by 60 s,
/// since the head's start at 100 s is rounded down.
#[test]
fn backfill_comes_in_rounds_and_rounds_reservations() {
    let jobs = |last| workload(&[(0.0, 2, 100.0), (1.0, 4, 50.0), (3.0, 2, last)]);
    let scene = Scene {
        rounds: "bf_interval=30,bf_resolution=60",
        ..SCENE
    };
    assert_eq!(starts_of(&scene, jobs(29.0)), [0.0, 100.0, 30.0]);
    assert_eq!(starts_of(&scene, jobs(31.0)), [0.0, 100.0, 150.0]);
}

/// Of a user, backfill looks at one job alone.
#[test]
fn backfill_looks_at_so_many_jobs_of_a_user() {
    let jobs = [
        (0.0, 2, 100.0),
        (1.0, 4, 50.0),
        (2.0, 2, 60.0),
        (2.0, 2, 50.0),
    ];
    let mut workload = workload(&jobs);
    let user = |user| Some([Some(user), None, None, None, None]);
    workload.recorded.labels.names[0] = vec!["a".to_owned(), "b".to_owned()];
    workload.recorded.labels.sets = [user(0), user(1)].into_iter().flatten().collect();
    workload.recorded.label_sets = [0, 0, 0, 1].map(Index::new).to_vec();
    let with = |given| Scene { given, ..SCENE };
    let all = starts_of(&with("bf_max_job_user=0"), workload.clone());
    assert_eq!(all, [0.0, 100.0, 2.0, 150.0]);
    let one = starts_of(&with("bf_max_job_user=1"), workload);
    assert_eq!(one, [0.0, 100.0, 150.0, 2.0]);
}

const TWO: &str = "lab\na parent=lab\nb parent=lab";

/// At 300 s user a has used 300 GPU·s and the others nothing: b and the leaf `others` are tied, with 3 of 3, and a is
/// behind them, with 1 of 3.
#[test]
fn who_has_used_less_goes_first_and_why_tells_the_sum() {
    let jobs = of_users(&[
        ("a", (0.0, 1, 1000.0)),
        ("a", (10.0, 1, 100.0)),
        ("b", (20.0, 1, 100.0)),
    ]);
    let blind = Scene {
        cluster: "1x1",
        queues: TWO,
        ..SCENE
    };
    assert_eq!(starts_of(&blind, jobs.clone()), [0.0, 1000.0, 1100.0]);
    let fair = Scene {
        weights: "priority_weight_age=0,priority_weight_job_size=0,priority_decay_half_life=0",
        ..blind
    };
    let mut run = begin(&fair, jobs);
    run.run_until(Time(500.0)).expect("possible plans");
    let told = |term| fact(&run, 1, 500.0, term).expect(term);
    assert_eq!(told("priority"), "3333, the sum of");
    assert_eq!(told("fair share"), "0.333333 × 10000 = 3333.3");
    assert_eq!(told("place in line"), "2 of 2");
    assert_eq!(told("before it"), "job 2");
    assert_eq!(told("association"), "a < lab");
    assert_eq!(told("it has used"), "300 GPU·s");
    assert_eq!(told("reserved start"), "1100 s");
    run.run().expect("possible plans");
    assert_eq!(starts(&run, 3), [0.0, 1100.0, 1000.0]);
}

/// The high job evicts one of the lowest, the one on fewer nodes. The normal job then evicts the other low one, and what
/// that leaves is enough for the first to go on.
#[test]
fn a_higher_qos_evicts_a_lower_one() {
    let jobs = [
        ("p", "low", (0.0, 1, 100.0)),
        ("p", "low", (0.0, 2, 100.0)),
        ("p", "normal", (0.0, 1, 100.0)),
        ("p", "high", (10.0, 1, 50.0)),
        ("p", "normal", (11.0, 1, 5.0)),
    ];
    let with = |given| Scene { given, ..SCENE };
    let scene = with("qos=high:100+normal:10,preempt=qos");
    let mut run = begin(&scene, labelled(&jobs));
    run.run_until(Time(20.0)).expect("possible plans");
    assert_eq!(
        fact(&run, 0, 20.0, "last evicted by").as_deref(),
        Some("job 3")
    );
    assert_eq!(
        fact(&run, 0, 20.0, "by the rule").as_deref(),
        Some("a higher QOS: 100, its own 0")
    );
    run.run().expect("possible plans");
    let log = run.log();
    let paused = (0..log.events()).map(|at| log.event(at));
    let paused = paused.filter(|event| event.kind == EventKind::Pause);
    let paused: Vec<(f64, u32)> = paused.map(|of| (of.time.seconds(), of.job.0)).collect();
    assert_eq!(paused, [(10.0, 0), (11.0, 1)]);
    let waits = starts_of(&with("qos=high:100+normal:10"), labelled(&jobs));
    assert_eq!(waits, [0.0, 0.0, 0.0, 100.0, 100.0]);
}

/// A QOS evicts those that it names, and no others, however low.
#[test]
fn a_qos_evicts_those_that_it_names() {
    let jobs = [
        ("p", "low", (0.0, 2, 100.0)),
        ("p", "normal", (0.0, 2, 100.0)),
        ("p", "high", (10.0, 2, 10.0)),
        ("p", "normal", (11.0, 2, 10.0)),
    ];
    let starts = |given| {
        let scene = Scene { given, ..SCENE };
        starts_of(&scene, labelled(&jobs))
    };
    // The first of high, then what is left of low, then the second of normal.
    let named = "qos=high:100+normal:10+low:1,preempt=qos,qos_preempts=high>low";
    assert_eq!(starts(named), [0.0, 0.0, 10.0, 20.0]);
    // Priorities of QOS are not asked for: then who came first goes on first.
    assert_eq!(
        starts("preempt=qos,qos_preempts=high>low"),
        [0.0, 0.0, 10.0, 100.0]
    );
    let of_normal = "qos=high:100+normal:10+low:200,preempt=qos,qos_preempts=high>normal";
    let evicted = |job, given| {
        let scene = Scene { given, ..SCENE };
        let mut run = begin(&scene, labelled(&jobs));
        run.run_until(Time(15.0)).expect("possible plans");
        fact(&run, job, 15.0, "last evicted by")
    };
    assert_eq!(evicted(1, of_normal).as_deref(), Some("job 2"));
    assert_eq!(evicted(0, of_normal), None);
    assert_eq!(evicted(1, named), None);
}

/// Who exceeds the limit is ended, a minute later as by default. Who tells no limit runs to the end. A limit begins
/// anew with each start.
#[test]
fn a_time_limit_ends_a_job() {
    let limited = || {
        let mut jobs = workload(&[(0.0, 4, 1000.0), (1.0, 4, 50.0), (2.0, 4, 300.0)]);
        for (job, limit) in [(0, 100.0), (1, 50.0)] {
            jobs.jobs[job].demand.time = Some(limit);
        }
        jobs
    };
    let ends = |given| {
        let mut run = begin(&Scene { given, ..SCENE }, limited());
        run.run().expect("possible plans");
        let outcomes = Outcomes::of(&limited(), &"4x1".parse().expect("a cluster"), run.log());
        let ends: Vec<f64> = (outcomes.jct.iter().zip(&limited().jobs))
            .map(|(jct, job)| job.submit.seconds() + jct)
            .collect();
        (ends, outcomes.ended)
    };
    let (at, how) = ends("over_time_limit=60");
    assert_eq!(at, [160.0, 210.0, 510.0]);
    assert_eq!(how, [Some(StopCause::TimedOut), None, None]);
    let (at, how) = ends("over_time_limit=900");
    assert_eq!((at[0], how[0]), (1000.0, None));
    let (at, how) = ends("over_time_limit=0,default_time=200");
    assert_eq!(at, [100.0, 150.0, 350.0]);
    assert_eq!(how[2], Some(StopCause::TimedOut));
    let mut run = begin(
        &Scene {
            given: "over_time_limit=60",
            ..SCENE
        },
        limited(),
    );
    run.run_until(Time(5.0)).expect("possible plans");
    let told = |term| fact(&run, 0, 5.0, term);
    assert_eq!(told("its time limit is at").as_deref(), Some("100 s"));
    assert_eq!(told("is ended at").as_deref(), Some("160 s"));

    let mut jobs = labelled(&[
        ("p", "low", (0.0, 4, 150.0)),
        ("p", "high", (90.0, 4, 10.0)),
    ]);
    jobs.jobs[0].demand.time = Some(100.0);
    let given = "qos=high:100,preempt=qos,over_time_limit=0";
    let mut run = begin(&Scene { given, ..SCENE }, jobs.clone());
    run.run().expect("possible plans");
    let outcomes = Outcomes::of(&jobs, &"4x1".parse().expect("a cluster"), run.log());
    assert_eq!(outcomes.ended, [None, None]);
}

/// Two of four nodes are kept for Ana from 100 to 200 s. Three GPUs of Bob's would not be over by then, two are, and two
/// that stay away from Ana's nodes need not be.
#[test]
fn a_reservation_keeps_nodes_for_its_user() {
    let jobs = [
        ("bob", (0.0, 3, 150.0)),
        ("bob", (1.0, 2, 150.0)),
        ("bob", (2.0, 2, 50.0)),
        ("ana", (120.0, 2, 30.0)),
    ];
    let scene = Scene {
        given: "reservations=ana:2:100:200",
        rounds: "bf_interval=10,bf_resolution=1",
        ..SCENE
    };
    let mut run = begin(&scene, of_users(&jobs));
    run.run_until(Time(10.0)).expect("possible plans");
    assert_eq!(
        fact(&run, 0, 10.0, "nodes kept from it").as_deref(),
        Some("2, for ana, from 100 s to 200 s")
    );
    assert_eq!(
        fact(&run, 0, 10.0, "reserved start").as_deref(),
        Some("200 s")
    );
    run.run().expect("possible plans");
    assert_eq!(starts(&run, 4), [200.0, 10.0, 10.0, 120.0]);
    // Without it the first goes first.
    let starts = starts_of(&SCENE, of_users(&jobs));
    assert_eq!(starts[0], 0.0);
}

/// The tier of a partition goes before all priorities, and evicts.
#[test]
fn a_higher_tier_goes_first_and_evicts() {
    let jobs = [
        ("batch", "", (0.0, 4, 100.0)),
        ("batch", "", (1.0, 4, 10.0)),
        ("debug", "", (2.0, 4, 10.0)),
    ];
    let with = |given| Scene { given, ..SCENE };
    let waits = starts_of(&with("tiers=debug:1"), labelled(&jobs));
    assert_eq!(waits, [0.0, 110.0, 100.0]);
    let evicts = starts_of(&with("tiers=debug:1,preempt=partition"), labelled(&jobs));
    assert_eq!(evicts[2], 2.0);
    let exempt = "tiers=debug:1,preempt=partition,preempt_exempt_time=1000";
    assert_eq!(starts_of(&with(exempt), labelled(&jobs))[2], 100.0);
}

/// Node 0 is drained from 100 s on. Who takes 150 s does not start there; who takes 50 s does.
#[test]
fn nobody_starts_who_would_not_be_over_before_maintenance() {
    let jobs = workload(&[(0.0, 1, 150.0), (1.0, 1, 150.0), (2.0, 1, 50.0)]);
    let with = |given| Scene {
        given,
        cluster: "2x1",
        outages: "0:100..200:drain",
        ..SCENE
    };
    let mut run = begin(&with("maintenance=true"), jobs.clone());
    run.run_until(Time(10.0)).expect("possible plans");
    assert_eq!(
        fact(&run, 1, 10.0, "reserved start").as_deref(),
        Some("150 s")
    );
    run.run().expect("possible plans");
    assert_eq!(starts(&run, 3), [0.0, 150.0, 2.0]);
    let unaware = starts_of(&with("maintenance=false"), jobs);
    assert_eq!(unaware, [0.0, 1.0, 151.0]);
}

proptest! {
    /// If everybody runs to the limit, nobody starts later than reserved when it came.
    #[test]
    fn nobody_waits_longer_than_reserved(
        jobs in prop::collection::vec((0u32..200, 1u32..5, 1u32..120), 1..30),
    ) {
        let mut jobs: Vec<Asked> = (jobs.into_iter())
            .map(|(submit, gpus, seconds)| (submit.into(), gpus, seconds.into()))
            .collect();
        jobs.sort_by(|a, b| a.0.partial_cmp(&b.0).expect("numbers"));
        let of = workload(&jobs);
        let scene = Scene { given: "backfill=conservative", cluster: "5x1", ..SCENE };
        let mut run = begin(&scene, of);
        let mut reserved = vec![f64::INFINITY; jobs.len()];
        for (job, &(submit, ..)) in jobs.iter().enumerate() {
            run.run_until(Time(submit)).expect("possible plans");
            if let Some(at) = fact(&run, job as u32, submit, "reserved start") {
                reserved[job] = at.trim_end_matches(" s").parse().expect("seconds");
            }
        }
        run.run().expect("possible plans");
        for (job, start) in starts(&run, jobs.len()).into_iter().enumerate() {
            prop_assert!(start <= reserved[job] + 0.5, "job {} starts at {}, reserved {}", job, start, reserved[job]);
        }
    }
}
