//! A story of Kueue's documents on fair sharing (KEP-1714).

use super::tenants::workload;
use switchyard::workload::Workload;

/// Story 3: a tree with 300 GPUs at its root, and endless backlogs of jobs of one GPU in all four leaves.
pub(crate) fn of_four_backlogs() -> (String, Workload) {
    let leaf = |name: &str, parent: &str, weight: u32| {
        format!("{name} parent={parent} weight={weight} reclaims=any\n")
    };
    let tree = [
        "root gpus=300\nc1 parent=root\nc2 parent=root\n".to_owned(),
        leaf("1a", "c1", 1),
        leaf("1b", "c1", 1),
        leaf("1c", "c1", 3),
        leaf("2a", "c2", 1),
    ]
    .concat();
    let mut jobs = Vec::new();
    for _ in 0..300 {
        jobs.extend(["1a", "1b", "1c", "2a"].map(|tenant| (tenant, 0.0, 1, 1000.0)));
    }
    (tree, workload(&jobs))
}
