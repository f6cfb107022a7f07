//! The queues of a run, with a leaf for every job, and to which quota the GPUs of each node count.

use crate::RunSpec;
use crate::workload::Workload;
use switchyard_queues::lending::{InnerQuota, Lending};
use switchyard_queues::tree::{Kind, QueueId, QueueTree};

/// The queues of a run.
#[derive(Clone, Debug)]
pub struct RunQueues {
    /// The tree.
    pub tree: QueueTree,
    /// By job: its leaf.
    pub leaf_of: Vec<QueueId>,
    inner: InnerQuota,
    /// Whether jobs share GPUs that ask for a part of one.
    pub(super) shares: bool,
    /// Quotas of GPUs: which resource of the tree, if one, and how many GPUs count to it.
    kinds: Vec<(Option<usize>, f64)>,
    /// By node: which of them.
    kind_of: Vec<usize>,
}

impl RunQueues {
    /// Of a run of these jobs. The GPUs of a node count to the quotas of their type, where the tree has some; else to
    /// those of all nodes; else to none.
    pub fn of(run: &RunSpec, workload: &Workload) -> Self {
        let (tree, leaf_of) = run.leaves(workload);
        let cluster = &run.cluster;
        let resource = |flavor: Option<&str>| {
            let mut all = tree.resources().iter();
            all.position(|of| of.kind == Kind::Gpus && of.flavor.as_deref() == flavor)
        };
        let (mut kinds, mut kind_of): (Vec<(Option<usize>, f64)>, Vec<usize>) = Default::default();
        // All quotas are there, whether or not nodes are.
        for (at, of) in tree.resources().iter().enumerate() {
            if of.kind == Kind::Gpus {
                kinds.push((Some(at), 0.0));
            }
        }
        let of_type = |id| resource(Some(cluster.type_name(id))).or_else(|| resource(None));
        for (kind, gpus) in cluster.kinds_per_node().zip(cluster.gpus_per_node()) {
            let counts_to = kind.gpu.map_or_else(|| resource(None), of_type);
            let at = kinds.iter().position(|other| other.0 == counts_to);
            let at = at.unwrap_or_else(|| {
                kinds.push((counts_to, 0.0));
                kinds.len() - 1
            });
            kinds[at].1 += f64::from(gpus);
            kind_of.push(at);
        }
        Self {
            inner: run.policy.inner_quota(),
            shares: run.options.sharing && !run.policy.takes_whole_gpus(),
            tree,
            leaf_of,
            kinds,
            kind_of,
        }
    }

    /// Nothing used of any quota, from a moment on.
    pub(super) fn lendings(&self, from: f64) -> Vec<Lending> {
        let kinds = self.kinds.iter();
        let lending =
            |&(resource, gpus)| Lending::new(&self.tree, resource, gpus, self.inner, from);
        kinds.map(lending).collect()
    }

    /// To which of them the GPUs of a node count.
    pub(super) fn kind_of(&self, node: u32) -> usize {
        self.kind_of.get(node as usize).copied().unwrap_or(0)
    }

    /// All queues, each below the one above it, siblings as they were given; and how deep they lie.
    pub fn in_order(&self) -> Vec<(QueueId, u32)> {
        let mut open: Vec<(QueueId, u32)> = self.tree.roots().map(|root| (root, 0)).collect();
        open.reverse();
        let mut order = Vec::new();
        while let Some((id, depth)) = open.pop() {
            order.push((id, depth));
            let below = self.tree.children(id).iter().rev();
            open.extend(below.map(|&child| (child, depth + 1)));
        }
        order
    }
}
