//! Queues with quotas in runs: what each gets, who is evicted for whom, and what is said of it.

mod begun;
mod stories;
mod tenants;

use begun::{fact, held, run};
use switchyard::Time;
use switchyard::engine::EventKind;
use switchyard::job::JobId;
use switchyard::workload::Workload;
use tenants::workload;

/// KEP-1714, story 3: 300 GPUs and endless backlogs. A cycle admits a head of each queue, so that at first all get the
/// same; evictions then divide by weight, at each level of the tree.
#[test]
fn fair_sharing_divides_by_weight_at_every_level() {
    let (tree, workload) = stories::of_four_backlogs();
    let mut run = run("kueue", "75x4", &tree, workload.clone());
    assert_eq!(held(&mut run, &workload, 0.0), [30, 30, 90, 150]);
    let mut stays = self::run("kueue[preemption=none]", "75x4", &tree, workload.clone());
    assert_eq!(held(&mut stays, &workload, 0.0), [75, 75, 75, 75]);
}

/// Quotas without a flavor are of all nodes, whether these have a type or not. Of a cluster that cannot be divided
/// evenly, nothing is lost.
#[test]
fn whoever_is_alone_gets_all_there_is() {
    let mut workload = workload(&[("a", 0.0, 6, 10.0), ("a", 0.0, 1, 10.0)]);
    workload.tenants.extend(["b", "c"].map(str::to_owned));
    let mut run = run("kueue", "1x1+2x3:a100", "", workload.clone());
    assert_eq!(held(&mut run, &workload, 0.0), [7, 0, 0]);
}

const TEAMS: &str =
    "lab\nvision parent=lab gpus=4 reclaims=any\nspeech parent=lab gpus=4 reclaims=any";

fn borrowed() -> Workload {
    let mut jobs = vec![("vision", 0.0, 1, 1000.0); 8];
    jobs.push(("speech", 10.0, 3, 100.0));
    workload(&jobs)
}

#[test]
fn idle_quota_is_borrowed_and_taken_back_by_evictions() {
    let workload = borrowed();
    let mut run = run("kueue", "1x8", TEAMS, workload.clone());
    assert_eq!(held(&mut run, &workload, 5.0), [8, 0]);
    assert_eq!(held(&mut run, &workload, 20.0), [5, 3]);
    // Those that came last are evicted, and come back once the others are done.
    let log = run.log();
    let evicted = (0..log.events()).map(|at| log.event(at));
    let evicted = evicted.filter(|event| event.kind == EventKind::Pause);
    let mut evicted: Vec<u32> = evicted.map(|event| event.job.0).collect();
    evicted.sort_unstable();
    assert_eq!(evicted, [5, 6, 7]);
    assert_eq!(held(&mut run, &workload, 120.0), [8, 0]);
}

#[test]
fn without_preemption_and_with_a_lending_limit_who_comes_later_waits_or_starts() {
    let workload = borrowed();
    let mut waits = run("kueue[preemption=none]", "1x8", TEAMS, workload.clone());
    assert_eq!(held(&mut waits, &workload, 20.0), [8, 0]);
    let lends_one = "lab\nvision parent=lab gpus=4\nspeech parent=lab gpus=4 lend=1";
    let mut starts = run("kueue", "1x8", lends_one, workload.clone());
    assert_eq!(held(&mut starts, &workload, 5.0), [5, 0]);
    assert_eq!(held(&mut starts, &workload, 20.0), [5, 3]);
}

#[test]
fn an_eviction_and_a_wait_tell_their_numbers() {
    let workload = borrowed();
    let mut run = run("kueue", "1x8", TEAMS, workload);
    run.run_until(Time(20.0)).expect("possible plans");
    let fact = |term: &str| fact(&run, JobId(7), 20.0, term);
    assert_eq!(fact("queue").as_deref(), Some("vision < lab"));
    assert_eq!(fact("nominal quota").as_deref(), Some("4 GPUs"));
    assert_eq!(fact("its queue uses").as_deref(), Some("5 GPUs"));
    assert_eq!(fact("of it borrowed").as_deref(), Some("1 GPU"));
    assert_eq!(fact("its queue may still use").as_deref(), Some("0 GPUs"));
    assert_eq!(fact("last evicted by").as_deref(), Some("job 8"));
    assert_eq!(
        fact("by the rule").as_deref(),
        Some("speech takes back its own quota")
    );
    assert_eq!(fact("evictions so far").as_deref(), Some("1"));
    let share = fact("its queue's dominant resource share").expect("it borrows");
    assert!(
        share.starts_with("125.0 = 1000 × 1 borrowed ∕ 8 lendable"),
        "{share}"
    );
}

/// Without a tree each tenant has an equal part, which it takes back.
#[test]
fn without_a_tree_each_tenant_has_an_equal_part() {
    let workload = borrowed();
    let mut run = run("kueue", "1x8", "", workload.clone());
    assert_eq!(held(&mut run, &workload, 5.0), [8, 0]);
    assert_eq!(held(&mut run, &workload, 20.0), [5, 3]);
}

#[test]
fn quotas_of_a_gpu_type_hold_on_its_nodes_alone() {
    let tree = "lab\nvision parent=lab gpus.v100=2 gpus.t4=1\nspeech parent=lab gpus.v100=2 lend=0 gpus.t4=3 lend=0";
    let workload = workload(&[("vision", 0.0, 1, 100.0); 6]);
    let mut run = run("kueue", "1x4:v100+1x4:t4", tree, workload.clone());
    assert_eq!(held(&mut run, &workload, 5.0), [3]);
    let log = run.log();
    let of_node = |node: u32| {
        let segments = (0..log.segments()).map(|at| log.segment(at));
        segments
            .flat_map(|segment| {
                segment
                    .gpus
                    .iter()
                    .map(|part| part.node)
                    .collect::<Vec<_>>()
            })
            .filter(|&other| other == node)
            .count()
    };
    assert_eq!((of_node(0), of_node(1)), (2, 1));
}

#[test]
fn every_job_ends_under_random_backlogs() {
    let tree = "lab\nvision parent=lab gpus=5 reclaims=any within=lower-priority\nspeech parent=lab gpus=2 reclaims=any\nothers parent=lab gpus=1";
    let mut jobs = Vec::new();
    for at in 0..200_u32 {
        let tenant = ["vision", "speech", "nobody"][(at * 7 % 3) as usize];
        jobs.push((
            tenant,
            f64::from(at * 13 % 97),
            1 + at * 5 % 8,
            10.0 + f64::from(at * 11 % 50),
        ));
    }
    jobs.sort_by(|a, b| switchyard::order::by_value(&a.1, &b.1));
    for policy in [
        "kueue",
        "kueue[fair_sharing=false]",
        "kueue[strategy=strict-fifo]",
    ] {
        let workload = workload(&jobs);
        let mut run = run(policy, "1x8", tree, workload.clone());
        run.run().expect("it ends");
        let log = run.log();
        let ends = (0..log.events()).filter(|&at| log.event(at).kind == EventKind::Finish);
        assert_eq!(ends.count(), workload.jobs.len(), "{policy}");
    }
}
