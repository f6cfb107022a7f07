//! Every placement under every policy: what one of them does that differs between machines shows here. Runs
//! are short, and a line of `golden/hashes.txt` is all placements of one policy in one world: with contention,
//! without, and with everything that there is at once.

use super::{Case, everything, linked, served};
use std::sync::Arc;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::SimOptions;
use switchyard::placement::Strategy;
use switchyard::policies::POLICIES;
use switchyard::workload::Workload;

/// So many jobs.
const JOBS: usize = 20;

/// So small a search will do.
const POLLUX: &str = "pollux[population=8,generations=4]";

/// The grid's lines of `golden/hashes.txt`, computed here and now.
pub fn lines() -> impl Iterator<Item = String> {
    worlds().into_iter().flat_map(|world| {
        let policies = POLICIES.iter().map(|entry| match entry.name {
            "pollux" => POLLUX,
            name => name,
        });
        policies.map(move |policy| {
            // Each at its place: two that are exchanged are something else.
            let placements = Strategy::ALL.iter();
            let hashes = placements.map(|&placement| world.log_hash_with(policy, placement));
            let all = hashes.fold(0u64, |all, hash| all.rotate_left(1) ^ hash);
            format!("{} {policy} {all:016x}", world.name())
        })
    })
}

fn worlds() -> [Case; 3] {
    let contended = Case {
        name: "grid-contended",
        workload: few(&linked().workload),
        cluster: cluster("6x4/cores=12/partitions=2/racks=3/nic=1"),
        ..linked()
    };
    let alone = Case {
        name: "grid-alone",
        options: SimOptions {
            contention: false,
            ..contended.options
        },
        workload: Arc::clone(&contended.workload),
        cluster: contended.cluster.clone(),
        ..linked()
    };
    let world = "2x4:a100/cores=16+2x4:v100/cores=12+2x4:t4/cores=8/partitions=2/racks=3/nic=1";
    let everything = Case {
        cluster: cluster(world),
        ..everything("grid-everything", few(&served()), &[])
    };
    [contended, alone, everything]
}

fn few(workload: &Workload) -> Arc<Workload> {
    let mut few = workload.clone();
    few.jobs.truncate(JOBS);
    Arc::new(few)
}

fn cluster(text: &str) -> ClusterSpec {
    text.parse().expect("a cluster")
}
