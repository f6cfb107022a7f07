//! A job's priority: what it asks for and whose it is, as factors, and the fair share and age of the moment.

use super::ranks::Ranks;
use super::standing::Standing;
use crate::job::JobId;
use crate::workload::{Label, Workload};
use switchyard_engine::View;
use switchyard_queues::slurm::factors::{self, JobSize, Machine, SizeRule};
use switchyard_queues::slurm::priority::{Factors, Rounding, Weights};
use switchyard_queues::tree::{QueueId, QueueTree};

/// Priorities of partitions and QOS by job, each with the highest of all.
#[derive(Debug)]
pub(super) struct Ranked {
    by_job: Vec<u32>,
    highest: u32,
}

impl Ranked {
    pub(super) fn new(ranks: &Ranks, workload: &Workload, label: Label) -> Self {
        Self {
            by_job: ranks.by_job(workload, label),
            highest: ranks.highest(),
        }
    }

    pub(super) fn of(&self, job: JobId) -> u32 {
        self.by_job.get(job.index()).copied().unwrap_or(0)
    }

    fn factor(&self, job: JobId) -> f64 {
        factors::normal(self.of(job), self.highest)
    }
}

/// What priorities are computed from.
#[derive(Debug)]
pub(super) struct Merits {
    pub(super) weights: Weights,
    pub(super) max_age: f64,
    pub(super) size: SizeRule,
    pub(super) partitions: Ranked,
    pub(super) qos: Ranked,
    /// By job.
    pub(super) leaves: Vec<QueueId>,
    /// By association.
    associations: Vec<f64>,
    machine: Machine,
    gpus_per_node: u32,
}

/// What a spec says of priorities.
pub(super) struct Given {
    pub(super) weights: Weights,
    pub(super) max_age: f64,
    pub(super) size: SizeRule,
    pub(super) partitions: Ranked,
    pub(super) qos: Ranked,
}

impl Merits {
    /// In a tree of associations, whose priorities are the factors of associations.
    pub(super) fn new(
        given: Given,
        tree: &QueueTree,
        leaves: Vec<QueueId>,
        view: &View<'_>,
    ) -> Self {
        let priority = |priority: i64| priority.clamp(0, i64::from(u32::MAX)) as u32;
        let all = tree.queues().iter().map(|queue| priority(queue.priority));
        let highest = all.clone().max().unwrap_or(0);
        let sizes = view.free().node_sizes();
        Self {
            weights: given.weights,
            max_age: given.max_age,
            size: given.size,
            partitions: given.partitions,
            qos: given.qos,
            leaves,
            associations: all.map(|own| factors::normal(own, highest)).collect(),
            machine: Machine {
                nodes: sizes.len() as u32,
                cpus: view.idle_room().total(),
            },
            gpus_per_node: view.node_size().max(1),
        }
    }

    /// A job's factors, with its age then.
    pub(super) fn factors(
        &self,
        view: &View<'_>,
        standing: &Standing,
        (job, now, limit): (JobId, f64, f64),
    ) -> Factors {
        let leaf = self.leaves[job.index()];
        let gpus = view.gpus(job);
        let asked = JobSize {
            nodes: gpus.div_ceil(self.gpus_per_node),
            cpus: gpus,
            minutes: Some(libm::ceil(limit / 60.0) as u32),
        };
        let tres = match self.weights.tres.is_empty() {
            true => Vec::new(),
            false => vec![factors::tres(f64::from(gpus), f64::from(self.machine.cpus))],
        };
        Factors {
            age: factors::age(now - view.submit(job).seconds(), self.max_age),
            association: self.associations[leaf.index()],
            fair_share: standing.factor(leaf),
            job_size: factors::job_size(asked, self.machine, self.size),
            partition: self.partitions.factor(job),
            qos: self.qos.factor(job),
            tres,
            ..Factors::default()
        }
    }

    /// Its priority.
    pub(super) fn priority(
        &self,
        view: &View<'_>,
        standing: &Standing,
        of: (JobId, f64, f64),
    ) -> u32 {
        let factors = self.factors(view, standing, of);
        self.weights.priority(&factors, Rounding::Sum)
    }
}
