//! Volcano on scenes worked out by hand.

mod begun;
mod tenants;

use begun::{fact, held, run};
use switchyard::Finite;
use switchyard::Time;
use switchyard::engine::{EventKind, RunLog};
use switchyard::job::JobId;
use tenants::workload;

/// All who come may ask at once.
const CAPACITY: &str = "volcano[plugin=capacity,overcommit=10]";

fn evicted(log: &RunLog) -> Vec<u32> {
    let events = (0..log.events()).map(|at| log.event(at));
    let pauses = events.filter(|event| event.kind == EventKind::Pause);
    let mut evicted: Vec<u32> = pauses.map(|event| event.job.0).collect();
    evicted.sort_unstable();
    evicted
}

/// 12 GPUs and backlogs, weights 1, 2, 3: they deserve 2, 4, 6 and no more.
#[test]
fn proportion_divides_by_weight_among_those_that_ask() {
    let tree = "root\na parent=root weight=1\nb parent=root weight=2\nc parent=root weight=3";
    let mut jobs = Vec::new();
    for _ in 0..20 {
        jobs.extend(["a", "b", "c"].map(|tenant| (tenant, 0.0, 1, 100.0)));
    }
    let workload = workload(&jobs);
    let all = "volcano[overcommit=10]";
    let mut run = run(all, "3x4", tree, workload.clone());
    assert_eq!(held(&mut run, &workload, 0.0), [2, 4, 6]);
}

/// Of a's 30 jobs 12 may ask, as many as there are GPUs; of b's then 2, since Volcano's overcommit-factor of 1.2 lets 14 ask.
/// a deserves 6 and b 2, and what b does not ask for is a's.
#[test]
fn who_may_ask_is_limited_by_the_overcommit_factor() {
    let tree = "root\na parent=root\nb parent=root";
    let mut jobs = vec![("a", 0.0, 1, 100.0); 30];
    jobs.extend([("b", 0.0, 1, 100.0); 30]);
    let workload = workload(&jobs);
    let mut run = run("volcano", "3x4", tree, workload.clone());
    assert_eq!(held(&mut run, &workload, 0.0), [10, 2]);
    let told = |job: u32, term: &str| fact(&run, JobId(job), 0.0, term);
    assert_eq!(
        told(11, "it may ask").as_deref(),
        Some("yes, it is enqueued")
    );
    assert_eq!(
        told(11, "it meets the limit of").as_deref(),
        Some("a: 10 GPUs used of at most 10 GPUs")
    );
    assert_eq!(told(11, "its queue deserves").as_deref(), Some("10 GPUs"));
    assert_eq!(
        told(32, "it may ask").as_deref(),
        Some("no, enough jobs do")
    );
    assert_eq!(
        told(32, "jobs have and may ask for").as_deref(),
        Some("14 GPUs")
    );
    assert_eq!(
        told(32, "they may do so up to").as_deref(),
        Some("14.4 GPUs")
    );
}

/// 8 GPUs, weights 1 and 1. a asks for 8 and has 8. At 10 s b asks for 3: b deserves 3, a 5. b takes back three; who
/// came last gives way.
#[test]
fn proportion_takes_back_what_a_queue_deserves() {
    let tree = "root\na parent=root\nb parent=root";
    let mut jobs = vec![("a", 0.0, 1, 1000.0); 8];
    jobs.push(("b", 10.0, 1, 100.0));
    jobs.push(("b", 10.0, 1, 100.0));
    jobs.push(("b", 10.0, 1, 100.0));
    let workload = workload(&jobs);
    // 1.5 × 8 = 12: all eleven may ask.
    let all = "volcano[overcommit=1.5]";
    let mut run = run(all, "1x8", tree, workload.clone());
    assert_eq!(held(&mut run, &workload, 5.0), [8, 0]);
    assert_eq!(held(&mut run, &workload, 20.0), [5, 3]);
    assert_eq!(evicted(run.log()), [5, 6, 7]);
    let told = |term: &str| fact(&run, JobId(7), 20.0, term);
    assert_eq!(
        told("by the rule").as_deref(),
        Some("b takes back what it deserves")
    );
    assert_eq!(told("its queue had then").as_deref(), Some("8 GPUs"));
    assert_eq!(told("and deserved").as_deref(), Some("5 GPUs"));
    let mut stays = self::run(
        "volcano[overcommit=1.5,reclaim=false]",
        "1x8",
        tree,
        workload.clone(),
    );
    assert_eq!(held(&mut stays, &workload, 20.0), [8, 0]);
}

/// 8 GPUs. a deserves 4 and may have 6, b deserves 4. b takes back 2 of the 6.
#[test]
fn capacity_lends_up_to_capabilities_and_takes_back_to_what_is_deserved() {
    let tree = "root\na parent=root gpus=4 borrow=2\nb parent=root gpus=4";
    let mut jobs = vec![("a", 0.0, 1, 1000.0); 8];
    jobs.extend([("b", 10.0, 2, 100.0); 3]);
    let workload = workload(&jobs);
    let mut run = run(CAPACITY, "1x8", tree, workload.clone());
    assert_eq!(held(&mut run, &workload, 5.0), [6, 0]);
    // Two of b's fit: 2 GPUs are free, and 2 are taken back. With a third b would have more than it deserves.
    assert_eq!(held(&mut run, &workload, 20.0), [4, 4]);
    assert_eq!(evicted(run.log()), [4, 5]);
}

/// What is guaranteed to b is idle, and nobody else's: without a capability a may have 8 − 3.
#[test]
fn what_is_guaranteed_is_lent_to_nobody() {
    let tree = "root gpus=8\na parent=root gpus=4\nb parent=root gpus=4 lend=1";
    let workload = workload(&[("a", 0.0, 1, 1000.0); 8]);
    let mut run = run(CAPACITY, "1x8", tree, workload.clone());
    assert_eq!(held(&mut run, &workload, 5.0), [5]);
}

/// The shares of x (1 of 8) and y (4 of 4) decide before those of their leaves.
#[test]
fn in_a_tree_the_shares_of_the_queues_above_decide() {
    let tree = "root\nx parent=root gpus=8\ny parent=root gpus=4\nx1 parent=x gpus=1\nx2 parent=x gpus=7\ny1 parent=y gpus=2\ny2 parent=y gpus=2";
    let jobs = [
        ("x1", 0.0, 1, 1000.0),
        ("y1", 0.0, 4, 1000.0),
        ("y2", 0.0, 7, 20.0),
        ("y2", 10.0, 7, 50.0),
        ("x1", 10.0, 7, 50.0),
    ];
    let workload = workload(&jobs);
    let plain = "volcano[plugin=capacity,reclaim=false]";
    let mut run = run(plain, "3x4", tree, workload.clone());
    assert_eq!(held(&mut run, &workload, 15.0), [1, 4, 7]);
    // x1 has all that it deserves and y2 nothing of it, but x has 1 of 8 and y 4 of 4.
    assert_eq!(held(&mut run, &workload, 25.0), [8, 4, 0]);
}

/// Within a queue the job of higher priority evicts, and none of another queue.
#[test]
fn priority_evicts_within_a_queue() {
    let tree = "root\na parent=root gpus=4\nb parent=root gpus=4";
    let jobs = [
        ("a", 0.0, 4, 1000.0),
        ("b", 0.0, 4, 1000.0),
        ("b", 10.0, 4, 100.0),
    ];
    let mut workload = workload(&jobs);
    workload.recorded.priorities = vec![None, None, Finite::new(1.0)];
    let mut preempts = run(CAPACITY, "1x8", tree, workload.clone());
    preempts.run_until(Time(20.0)).expect("possible plans");
    assert_eq!(evicted(preempts.log()), [1]);
    let told = fact(&preempts, JobId(1), 20.0, "by the rule");
    assert_eq!(told.as_deref(), Some("priority within b"));
    let plain = "volcano[plugin=capacity,overcommit=10,preempt=false]";
    let mut waits = run(plain, "1x8", tree, workload);
    waits.run_until(Time(20.0)).expect("possible plans");
    assert_eq!(evicted(waits.log()), [0_u32; 0]);
}

/// Two queues that deserve 5 each of 10, and ask for 6 each: neither may start. Volcano would wait for ever.
#[test]
fn a_run_ends_where_no_queue_deserves_enough_for_any_job() {
    let tree = "root\na parent=root\nb parent=root";
    let workload = workload(&[("a", 0.0, 6, 100.0), ("b", 0.0, 6, 100.0)]);
    let mut run = run("volcano", "1x10", tree, workload.clone());
    assert_eq!(held(&mut run, &workload, 0.0), [6, 0]);
    run.run().expect("it ends");
    assert_eq!(held(&mut run, &workload, 1000.0), [0, 0]);
}

/// Who was evicted is asked again although nobody else of its queue waits.
#[test]
fn who_was_evicted_comes_back() {
    let tree = "root\na parent=root gpus=5\nb parent=root gpus=3";
    let workload = workload(&[("a", 0.0, 8, 100.0), ("b", 10.0, 3, 50.0)]);
    let mut run = run(CAPACITY, "1x8", tree, workload.clone());
    assert_eq!(held(&mut run, &workload, 20.0), [0, 3]);
    assert_eq!(held(&mut run, &workload, 70.0), [8, 0]);
    run.run().expect("it ends");
    assert_eq!(held(&mut run, &workload, 1000.0), [0, 0]);
}

#[test]
fn every_job_ends_under_random_backlogs() {
    let tree = "lab\nvision parent=lab gpus=5 weight=3\nspeech parent=lab gpus=2\nothers parent=lab gpus=1";
    let mut jobs = Vec::new();
    for at in 0..200_u32 {
        let tenant = ["vision", "speech", "nobody"][(at * 7 % 3) as usize];
        let submit = f64::from(at * 13 % 97);
        jobs.push((
            tenant,
            submit,
            1 + at * 5 % 8,
            10.0 + f64::from(at * 11 % 50),
        ));
    }
    jobs.sort_by(|a, b| switchyard::order::by_value(&a.1, &b.1));
    for policy in ["volcano", CAPACITY, "volcano[overcommit=50]"] {
        let mut workload = workload(&jobs);
        let priorities = (0..workload.jobs.len()).map(|at| Finite::new((at % 3) as f64));
        workload.recorded.priorities = priorities.collect();
        let mut run = run(policy, "1x8", tree, workload.clone());
        run.run().expect("it ends");
        let log = run.log();
        let ends = (0..log.events()).filter(|&at| log.event(at).kind == EventKind::Finish);
        assert_eq!(ends.count(), workload.jobs.len(), "{policy}");
    }
}
