//! What jobs ask for of the resources of a tree of queues, and what the cluster has of them.
//!
//! A job's GPUs count as GPUs of all nodes. They count as those of a type, too, if its gang may lie nowhere else.

use crate::job::JobId;
use switchyard_engine::View;
use switchyard_queues::tree::{Kind, Resource};

/// The resources of a tree.
#[derive(Debug)]
pub(super) struct Asks(Vec<TreeResource>);

#[derive(Debug)]
struct TreeResource {
    kind: Kind,
    /// The only pools on which it is this resource, a bit each; none: all are.
    pools: Option<u64>,
}

impl Asks {
    pub(super) fn new(resources: &[Resource], view: &View<'_>) -> Self {
        let asked = resources.iter().map(|resource| TreeResource {
            kind: resource.kind,
            pools: (resource.flavor.as_deref()).map(|name| pools_called(view, name)),
        });
        Self(asked.collect())
    }

    /// What a job asks for, by resource.
    pub(super) fn of(&self, view: &View<'_>, job: JobId) -> Vec<f64> {
        let (own, demand) = (view.needs(job).pools(), view.asks(job));
        let amount = |asked: &TreeResource| match (asked.pools, asked.kind) {
            (Some(pools), _) if own & !pools != 0 || pools == 0 => 0.0,
            (_, Kind::Gpus) => f64::from(view.gpus(job)),
            (_, Kind::Cores) => f64::from(demand.cores) / 1000.0,
            (_, Kind::Memory) => f64::from(demand.memory) / 1024.0,
        };
        self.0.iter().map(amount).collect()
    }

    /// What the cluster has, by resource. What is not known to policies, cores and memory, is infinite.
    pub(super) fn totals(&self, view: &View<'_>) -> Vec<f64> {
        let total = |asked: &TreeResource| match asked.kind {
            Kind::Gpus => {
                let nodes = (0u32..).zip(view.node_sizes());
                let of_it = nodes.filter(|&(node, _)| {
                    let bit = 1u64.checked_shl(view.pool_of(node) as u32).unwrap_or(0);
                    asked.pools.is_none_or(|pools| pools & bit != 0)
                });
                of_it.map(|(_, &gpus)| f64::from(gpus)).sum()
            }
            Kind::Cores | Kind::Memory => f64::INFINITY,
        };
        self.0.iter().map(total).collect()
    }
}

/// The pools whose GPUs are called so, a bit each.
fn pools_called(view: &View<'_>, name: &str) -> u64 {
    let called = (0..view.pools()).filter(|&pool| view.pool_name(pool) == name);
    called.fold(0, |bits, pool| {
        bits | 1u64.checked_shl(pool as u32).unwrap_or(0)
    })
}
