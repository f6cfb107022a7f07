//! YARN's capacity scheduler on a tree of queues, on scenes worked out by hand.

mod begun;
mod tenants;

use begun::{fact, held, run};
use switchyard::Finite;
use switchyard::engine::{EventKind, RunLog};
use switchyard::job::JobId;
use switchyard::{Time, workload::Workload};
use tenants::workload;

/// 16 GPUs: research has 12, of them vision 8 and speech 4; default has 4.
const TREE: &str = "root gpus=16\nresearch parent=root gpus=12\nvision parent=research gpus=8\nspeech parent=research gpus=4\ndefault parent=root gpus=4";

fn started(log: &RunLog) -> Vec<u32> {
    let events = (0..log.events()).map(|at| log.event(at));
    let starts = events.filter(|event| event.kind == EventKind::Start);
    starts.map(|event| event.job.0).collect()
}

/// Backlogs of 4-GPU jobs everywhere. Nothing used: research (12) before default (4), vision (8) before speech (4): vision.
/// research 4/12, default 0/4: default. Then research 4/12 < default 4/4; in it vision 4/8 > speech 0/4: speech.
/// research 8/12 < 1; vision 4/8 < speech 4/4: vision. All 16 GPUs are used.
#[test]
fn at_each_level_the_least_used_queue_goes_first() {
    let jobs = [
        ("default", 0.0, 4, 100.0),
        ("default", 0.0, 4, 100.0),
        ("speech", 0.0, 4, 100.0),
        ("speech", 0.0, 4, 100.0),
        ("vision", 0.0, 4, 100.0),
        ("vision", 0.0, 4, 100.0),
        ("vision", 0.0, 4, 100.0),
    ];
    let workload = workload(&jobs);
    let mut run = run("yarn-cs", "4x4", TREE, workload.clone());
    assert_eq!(held(&mut run, &workload, 0.0), [4, 4, 8]);
    let mut started = started(run.log());
    started.sort_unstable();
    assert_eq!(started, [0, 2, 4, 5]);
}

/// What nobody else asks for is used beyond the guaranteed capacity, up to the maximum of every queue on the way up.
#[test]
fn queues_are_elastic_up_to_their_maximum_and_that_of_all_above() {
    let workload = workload(&[("vision", 0.0, 1, 100.0); 20]);
    let mut all = run("yarn-cs", "4x4", TREE, workload.clone());
    assert_eq!(held(&mut all, &workload, 0.0), [16]);
    let mut rigid = run("yarn-cs[elastic=false]", "4x4", TREE, workload.clone());
    assert_eq!(held(&mut rigid, &workload, 0.0), [8]);
    let own = TREE.replace(
        "vision parent=research gpus=8",
        "vision parent=research gpus=8 borrow=3",
    );
    let mut limited = run("yarn-cs", "4x4", &own, workload.clone());
    assert_eq!(held(&mut limited, &workload, 0.0), [11]);
    let above = TREE.replace(
        "research parent=root gpus=12",
        "research parent=root gpus=12 borrow=1",
    );
    let mut below = run("yarn-cs", "4x4", &above, workload.clone());
    assert_eq!(held(&mut below, &workload, 0.0), [13]);
}

/// A job that comes later to a leaf with idle guaranteed capacity waits until somebody ends: nobody is evicted.
#[test]
fn what_was_borrowed_is_given_back_by_jobs_that_end() {
    let mut jobs = vec![("vision", 0.0, 4, 50.0); 6];
    jobs.push(("speech", 10.0, 4, 50.0));
    let workload = workload(&jobs);
    let mut run = run("yarn-cs", "4x4", TREE, workload.clone());
    assert_eq!(held(&mut run, &workload, 20.0), [16, 0]);
    // At 50 s four end. speech 0/4 is less used than vision, and then vision's two last.
    assert_eq!(held(&mut run, &workload, 60.0), [8, 4]);
}

#[test]
fn a_head_that_does_not_fit_blocks_its_leaf_alone_and_priority_decides_in_it() {
    let jobs = [
        ("vision", 0.0, 4, 100.0),
        ("vision", 0.0, 16, 100.0),
        ("vision", 0.0, 1, 100.0),
        ("default", 0.0, 2, 100.0),
    ];
    let mut workload = workload(&jobs);
    let mut first = run("yarn-cs", "4x4", TREE, workload.clone());
    assert_eq!(held(&mut first, &workload, 0.0), [4, 2]);
    workload.recorded.priorities = vec![None, None, Finite::new(5.0), None];
    let mut run = run("yarn-cs", "4x4", TREE, workload.clone());
    assert_eq!(held(&mut run, &workload, 0.0), [5, 2]);
}

#[test]
fn a_wait_tells_the_queue_that_is_at_its_maximum() {
    let tree = TREE.replace(
        "research parent=root gpus=12",
        "research parent=root gpus=12 borrow=1",
    );
    let workload: Workload = workload(&[("vision", 0.0, 1, 100.0); 14]);
    let mut run = run("yarn-cs", "4x4", &tree, workload);
    run.run_until(Time(1.0)).expect("possible plans");
    let told = |term: &str| fact(&run, JobId(13), 1.0, term);
    assert_eq!(told("queue").as_deref(), Some("vision < research < root"));
    assert_eq!(told("its queue uses").as_deref(), Some("13 GPUs"));
    assert_eq!(told("its queue is guaranteed").as_deref(), Some("8 GPUs"));
    assert_eq!(
        told("a queue above may use at most").as_deref(),
        Some("research: 13 GPUs")
    );
    assert_eq!(
        told("its queue uses of its capacity").as_deref(),
        Some("162 %")
    );
    assert_eq!(told("at its maximum with it").as_deref(), Some("research"));
}
