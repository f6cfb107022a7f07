//! When would a job start: hand-made scenes whose answers are exact, the same answer from the same seed, and what is
//! refused.

use std::sync::Arc;
use switchyard::job::{Job, JobId, Status};
use switchyard::weights::Weights;
use switchyard::workload::{Label, Workload};
use switchyard::{Index, RunSpec, Time};
use switchyard_app::start::{Answer, Asked, Asking, Calibration, Draw, HeldOut, Inquiry};
use switchyard_app::start::{Refused, Wish};

fn spec(policy: &str, cluster: &str) -> RunSpec {
    RunSpec::new(
        policy.parse().expect("a policy"),
        cluster.parse().expect("a cluster"),
    )
}

fn workload(jobs: Vec<Job>) -> Workload {
    Workload {
        jobs,
        ..Workload::default()
    }
}

fn added(gpus: u32) -> Asked {
    Asked {
        job: None,
        wish: Wish {
            gpus: Some(gpus),
            ..Wish::default()
        },
    }
}

fn waiting(job: u32) -> Asked {
    Asked {
        job: Some(JobId(job)),
        wish: Wish::default(),
    }
}

fn ask(spec: &RunSpec, jobs: &Workload, asked: &Asked, at: f64) -> Result<Inquiry, Refused> {
    Inquiry::new(spec, jobs, &Weights::default(), asked, at)
}

fn draws(inquiry: &Inquiry, count: u32, seed: u64) -> Vec<Draw> {
    let draws = (0..count).map(|number| inquiry.draw(number, seed));
    draws.collect::<Result<_, _>>().expect("it goes on")
}

fn answer(spec: &RunSpec, jobs: &Workload, asked: &Asked, at: f64) -> Answer {
    let inquiry = ask(spec, jobs, asked, at).expect("it can be asked");
    Answer::of(inquiry.moment(), &draws(&inquiry, 200, 1))
}

/// On a cluster of one GPU: jobs of these durations, one after the other, that end before 10,000 s; then one that runs
/// from there, and one that waits.
fn scene(durations: &[f64]) -> Workload {
    let many = (0..60).map(|at| {
        let duration = durations[at % durations.len()];
        Job::plain(at as f64 * 150.0, 1, duration)
    });
    let last = [Job::plain(10_000.0, 1, 77.0), Job::plain(10_010.0, 1, 88.0)];
    workload(many.chain(last).collect())
}

#[test]
fn where_all_took_the_same_the_answer_is_exact() {
    let jobs = scene(&[100.0]);
    let fifo = spec("fifo", "1x1");
    // The one that runs has had 20 s of 100, and the one that waits takes 100: what they truly take is not looked at.
    let asked = answer(&fifo, &jobs, &added(1), 10_020.0);
    for chance in [0.05, 0.5, 0.95] {
        assert_eq!(asked.quantile(chance), 10_200.0);
    }
    assert_eq!(asked.before, [(JobId(61), 1.0)]);
    assert_eq!(
        (asked.at_once(), asked.never(), asked.later),
        (0.0, 0.0, 0.0)
    );
    let asked = answer(&fifo, &jobs, &waiting(61), 10_020.0);
    assert_eq!(
        (asked.quantile(0.05), asked.quantile(0.95)),
        (10_100.0, 10_100.0)
    );
    assert!(asked.before.is_empty());
}

#[test]
fn of_two_durations_each_is_as_likely_as_it_was() {
    let jobs = scene(&[40.0, 80.0]);
    let fifo = spec("fifo", "1x1");
    let asked = answer(&fifo, &jobs, &waiting(61), 10_020.0);
    assert_eq!(asked.quantile(0.1), 10_040.0);
    assert_eq!(asked.quantile(0.9), 10_080.0);
    let inquiry = ask(&fifo, &jobs, &waiting(61), 10_020.0).expect("it can be asked");
    let early = draws(&inquiry, 2000, 5)
        .iter()
        .filter(|of| of.start == Time(10_040.0))
        .count();
    assert!((800..1200).contains(&early), "{early} of 2000");
    // Once it has run for longer than 40 s it takes 80.
    let asked = answer(&fifo, &jobs, &waiting(61), 10_050.0);
    assert_eq!(
        (asked.quantile(0.05), asked.quantile(0.95)),
        (10_080.0, 10_080.0)
    );
}

#[test]
fn users_take_what_they_took() {
    let mut jobs = scene(&[40.0, 80.0]);
    jobs.tenants = vec!["short".to_owned(), "long".to_owned()];
    for (at, job) in jobs.jobs.iter_mut().enumerate() {
        job.tenant = Some(at as u32 % 2);
    }
    // The one that runs is of the first, so it ends after 40 s.
    let fifo = spec("fifo", "1x1");
    let asked = answer(&fifo, &jobs, &waiting(61), 10_020.0);
    assert_eq!(
        (asked.quantile(0.05), asked.quantile(0.95)),
        (10_040.0, 10_040.0)
    );
    let basis = |user: &str| {
        let mut asked = added(1);
        asked.wish.user = Some(user.to_owned());
        let inquiry = ask(&fifo, &jobs, &asked, 10_020.0).expect("it can be asked");
        inquiry.basis().expect("jobs have ended")
    };
    assert_eq!(
        (basis("long").group, basis("long").median),
        ("this user's jobs of this size".to_owned(), 80.0)
    );
    // Who is not known is judged by all.
    assert_eq!(basis("nobody").group, "all jobs of this size");
}

#[test]
fn nothing_of_the_future_is_looked_at() {
    let jobs = scene(&[40.0, 80.0]);
    for policy in ["fifo", "tiresias-las", "fifo[backfill=true]", "gandiva"] {
        let spec = spec(policy, "1x1");
        let told = answer(&spec, &jobs, &added(1), 10_020.0);
        let mut others = jobs.clone();
        others.jobs[60] = Job::plain(10_000.0, 1, 5e5);
        others.jobs[61] = Job::plain(10_010.0, 1, 3.0);
        others.jobs.push(Job::plain(10_021.0, 1, 9e5));
        others.recorded.statuses = vec![Status::Completed; others.jobs.len()];
        assert_eq!(
            answer(&spec, &others, &added(1), 10_020.0),
            told,
            "{policy}"
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_answer() {
    let jobs = scene(&[40.0, 80.0, 60.0, 5.0]);
    for policy in ["fifo", "tiresias-las", "fewest-gpus"] {
        let inquiry = ask(&spec(policy, "1x1"), &jobs, &added(1), 10_020.0);
        let inquiry = inquiry.expect("it can be asked");
        assert_eq!(draws(&inquiry, 50, 7), draws(&inquiry, 50, 7));
        assert_ne!(draws(&inquiry, 50, 7), draws(&inquiry, 50, 8));
        // Each draw is of its number alone.
        assert_eq!(
            draws(&inquiry, 50, 7)[41],
            inquiry.draw(41, 7).expect("it goes on")
        );
    }
}

#[test]
fn later_jobs_come_as_they_came_before() {
    // Ten days in which a small job comes every hour and half fills a cluster of two GPUs.
    let hours = (0..240).map(|hour| Job::plain(f64::from(hour) * 3600.0, 1, 3000.0));
    let large = Job::plain(239.5 * 3600.0, 2, 3000.0);
    let jobs = workload(hours.chain([large]).collect());
    let at = 239.5 * 3600.0;
    // With backfill small ones go before, for ever so long; in order of submission they do not.
    let strict = answer(&spec("fifo", "1x2"), &jobs, &waiting(240), at);
    assert_eq!(
        (strict.quantile(0.5), strict.later),
        (239.0 * 3600.0 + 3000.0, 0.0)
    );
    let asked = answer(&spec("fewest-gpus", "1x2"), &jobs, &waiting(240), at);
    assert!(asked.quantile(0.5) >= 239.0 * 3600.0 + 3000.0);
}

#[test]
fn it_starts_at_once_or_has_started() {
    let jobs = scene(&[100.0]);
    let fifo = spec("fifo", "2x1");
    let inquiry = ask(&fifo, &jobs, &added(1), 10_005.0).expect("it can be asked");
    assert_eq!(inquiry.started(), Some(Time(10_005.0)));
    let inquiry = ask(&fifo, &jobs, &waiting(60), 10_020.0).expect("it can be asked");
    assert_eq!(inquiry.started(), Some(Time(10_000.0)));
    assert_eq!(
        answer(&fifo, &jobs, &waiting(60), 10_020.0).quantile(0.5),
        10_000.0
    );
}

#[test]
fn the_plain_way_is_to_the_limits() {
    let mut jobs = scene(&[40.0, 80.0]);
    jobs.jobs[60].demand.time = Some(600.0);
    let inquiry = ask(&spec("fifo", "1x1"), &jobs, &added(1), 10_020.0).expect("asked");
    // What runs to 600 s; what waits asks for no time: of a hundred jobs that had ended, 99 took 80 s or less.
    assert_eq!(inquiry.usual_limit(), 80.0);
    assert_eq!(inquiry.plain().expect("it goes on").start, Time(10_680.0));
}

#[test]
fn a_trace_taken_while_jobs_ran() {
    let mut jobs = scene(&[100.0]);
    jobs.recorded.statuses = vec![Status::Completed; jobs.jobs.len()];
    // It had run for 15 s when the trace was taken, at 10,015 s.
    jobs.jobs[60] = Job::plain(10_000.0, 1, 15.0);
    jobs.recorded.statuses[60] = Status::Running;
    let asked = answer(&spec("fifo", "1x1"), &jobs, &waiting(61), 10_015.0);
    assert_eq!(
        (asked.quantile(0.05), asked.quantile(0.95)),
        (10_100.0, 10_100.0)
    );
}

#[test]
fn other_wishes_are_questions_of_their_own() {
    let mut jobs = scene(&[100.0]);
    let labels = &mut jobs.recorded.labels;
    labels.names[Label::Partition as usize] = vec!["a".to_owned(), "b".to_owned()];
    labels.sets = vec![
        [None, None, Some(0), None, None],
        [None, None, Some(1), None, None],
    ];
    jobs.recorded.label_sets = (0..62)
        .map(|at| Index::new(u32::from(at % 10 == 0)))
        .collect();
    let fifo = spec("fifo", "1x1");
    let inquiry = ask(&fifo, &jobs, &added(1), 10_020.0).expect("it can be asked");
    assert_eq!(inquiry.other_queues(), ["a", "b"]);
    let inquiry = ask(&fifo, &jobs, &waiting(61), 10_020.0).expect("it can be asked");
    assert_eq!(inquiry.other_queues(), ["b"]);
    let mut asked = added(1);
    asked.wish.queue = Some("c".to_owned());
    let inquiry = ask(&fifo, &jobs, &asked, 10_020.0).expect("it can be asked");
    let there = inquiry.workload();
    assert_eq!(
        there.recorded.label(inquiry.job(), Label::Partition),
        Some("c")
    );
    assert_eq!(there.recorded.label_sets.len(), there.jobs.len());
    // A job that waits for two GPUs on two of which one is taken would have started with one.
    let jobs = workload(vec![Job::plain(0.0, 1, 500.0), Job::plain(10.0, 2, 50.0)]);
    let pair = spec("fifo", "1x2");
    assert_eq!(
        ask(&pair, &jobs, &waiting(1), 20.0)
            .expect("asked")
            .started(),
        None
    );
    let mut fewer = waiting(1);
    fewer.wish.gpus = Some(1);
    let inquiry = ask(&pair, &jobs, &fewer, 20.0).expect("it can be asked");
    assert_eq!(inquiry.started(), Some(Time(10.0)));
}

#[test]
fn what_cannot_be_asked_is_refused_in_words() {
    let jobs = scene(&[100.0]);
    let fifo = spec("fifo", "1x1");
    let why = |spec: &RunSpec, asked: &Asked, at: f64| match ask(spec, &jobs, asked, at) {
        Ok(_) => String::new(),
        Err(refused) => refused.to_string(),
    };
    assert!(why(&spec("srtf", "1x1"), &added(1), 50.0).contains("which nobody knows before"));
    let times = why(&spec("shortest-job", "1x1"), &added(1), 10_020.0);
    assert!(times.contains("63 of 63 ask for none"), "{times}");
    assert!(why(&spec("recorded", "1x1"), &added(1), 50.0).contains("repeats"));
    assert!(why(&fifo, &added(2), 50.0).contains("it wants 2 GPUs, which this cluster (1x1)"));
    assert!(why(&fifo, &added(0), 50.0).contains("without GPUs"));
    assert!(why(&fifo, &waiting(61), 10_009.0).contains("comes at 10010 s"));
    assert!(why(&fifo, &waiting(62), 50.0).contains("no such job"));
    assert!(why(&fifo, &added(1), 20_000.0).contains("all have ended by 10165 s"));
    for moment in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(why(&fifo, &added(1), moment).contains("a time of the trace"));
    }
    let mut asked = added(1);
    asked.wish.limit = Some(-1.0);
    assert!(why(&fifo, &asked, 50.0).contains("longer than 0 s"));
    // By times asked for it can be told, if all ask for some.
    let mut timed = jobs.clone();
    for job in &mut timed.jobs {
        job.demand.time = Some(200.0);
    }
    let mut asked = added(1);
    asked.wish.limit = Some(10.0);
    let told = answer(&spec("shortest-job", "1x1"), &timed, &asked, 10_020.0);
    // It asks for less time than the one that waits, which the policy has picked already.
    assert_eq!(told.quantile(0.5), 10_200.0);
    assert_eq!(told.before, [(JobId(61), 1.0)]);
}

#[test]
fn nothing_is_known_at_the_very_beginning() {
    let jobs = workload(vec![Job::plain(0.0, 1, 100.0), Job::plain(0.0, 1, 100.0)]);
    let inquiry = ask(&spec("fifo", "1x1"), &jobs, &waiting(1), 0.0).expect("it can be asked");
    assert_eq!(inquiry.basis(), None);
    let told = Answer::of(inquiry.moment(), &draws(&inquiry, 100, 1));
    assert!(told.quantile(0.05) >= 1.0 && told.quantile(0.95).is_finite());
}

/// Jobs of durations that nobody can tell one from another: then nine of ten lie in the interval.
#[test]
fn it_is_calibrated_where_its_assumptions_hold() {
    let mut state = 12_345_u64;
    let mut chance = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut at = 0.0;
    let jobs = (0..2000).map(|_| {
        at += 100.0 * 2.0 * chance();
        let long = chance();
        Job::plain(at, 1 + (4.0 * chance()) as u32, 30.0 / (1.02 - long))
    });
    let jobs = workload(jobs.collect());
    let fifo = spec("fifo", "1x4");
    let mut run = fifo.start(Arc::new(jobs.clone()));
    run.run().expect("it runs");
    let held_out = HeldOut::of(&jobs, run.log(), 0.5, 150, 1);
    assert_eq!((held_out.jobs, held_out.questions.len()), (1000, 150));
    let askings = held_out.questions.iter().map(|&question| {
        let at = jobs.jobs[question.0.index()].submit.seconds();
        let inquiry = ask(&fifo, &jobs, &waiting(question.0.0), at).expect("asked");
        let told = Answer::of(inquiry.moment(), &draws(&inquiry, 60, 1));
        let plain = inquiry.plain().expect("it goes on").start;
        Asking::of(&jobs, question, &told, plain)
    });
    let askings: Vec<Asking> = askings.collect();
    let of = Calibration::of(&held_out, &askings);
    assert!((0.83..0.97).contains(&of.covered), "{of:?}");
    assert!(
        of.covered_of_all >= of.covered && of.error < of.plain_error,
        "{of:?}"
    );
}
