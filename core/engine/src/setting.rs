//! What a run is given, and what stays.

use super::halt::LogBudget;
use super::log::StopCause;
use super::types::Types;
use crate::cluster::{ClusterSpec, MAX_GPUS_PER_NODE, Needs, Pools, Share, Spare, Thousandths};
use crate::job::{Job, JobId, Servers, Status, Work};
use crate::workload::{GpuGeneration, ModelTraits, TraitsByJob, Workload};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use switchyard_model::pods::{Pod, Typical, WHOLE};
use switchyard_placement::NetworkContext;
use switchyard_tensors::WeightsChoice;

/// What does not belong to trace, cluster or policy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimOptions {
    /// Seconds without progress after every resume or move (checkpoint, restore, re-join). GPUs
    /// are held meanwhile. A first start is free.
    pub restart_cost: f64,
    /// Adds to the restart cost what checkpoint and resume of the job's model take
    /// ([`ModelTraits::restart_seconds`](crate::workload::ModelTraits::restart_seconds)).
    #[serde(default)]
    pub restart_by_model: bool,
    /// GPUs of this generation train slower when a gang is on more nodes than it needs
    /// ([`ModelTraits::spread_rate`](crate::workload::ModelTraits::spread_rate)); `None`: the
    /// placement does not matter.
    #[serde(default)]
    pub spread_slowdown: Option<GpuGeneration>,
    /// A first start costs what every other does.
    #[serde(default)]
    pub first_start_pays: bool,
    /// By this share an adaptive job on several nodes is slower while another such job shares one
    /// of them; below 1.
    #[serde(default)]
    pub interference: f64,
    /// Jobs that send over the same links, or want more cores than their node has, slow one another
    /// ([`contention`](crate::contention)).
    #[serde(default)]
    pub contention: bool,
    /// Jobs of several GPUs that say nothing of parameter servers have so many per GPU, rounded up; 0:
    /// none.
    #[serde(default)]
    pub servers: f64,
    /// Epochs of adaptive jobs take whole seconds, as in the simulator of Pollux.
    #[serde(default)]
    pub whole_second_epochs: bool,
    /// Jobs run as fast on one GPU type as on another.
    #[serde(default)]
    pub equal_types: bool,
    /// Mean hours from a node's return to its next failure; 0: nothing fails by chance.
    #[serde(default)]
    pub mtbf: f64,
    /// Mean hours until a node that has failed by chance is back.
    #[serde(default = "one")]
    pub mttr: f64,
    /// Shape of the Weibull distribution of times between failures; 1: exponential.
    #[serde(default = "one")]
    pub failure_shape: f64,
    /// Seconds of progress from one checkpoint to the next, which is what a failure leaves; 0: none
    /// but those at preemptions.
    #[serde(default)]
    pub checkpoint_interval: f64,
    /// Seconds without progress that each takes.
    #[serde(default)]
    pub checkpoint_cost: f64,
    /// Jobs fail as their trace records: attempts that failed lose their GPUs and wait again, and who
    /// ended as failed or cancelled is counted apart.
    #[serde(default)]
    pub replay_failures: bool,
    /// Jobs that ask for a part of a GPU share it with others; else each has a GPU of its own.
    #[serde(default)]
    pub sharing: bool,
    /// Which weights placements that have learned go by.
    #[serde(default)]
    pub weights: WeightsChoice,
    /// Seed of the policy's random generator, and of failures by chance.
    pub seed: u64,
    /// How much the run may write into its log before it is ended.
    #[serde(default)]
    pub log_budget: LogBudget,
}

fn one() -> f64 {
    1.0
}

impl Default for SimOptions {
    /// Everything is free, and nothing fails.
    fn default() -> Self {
        Self {
            restart_cost: 0.0,
            restart_by_model: false,
            spread_slowdown: None,
            first_start_pays: false,
            interference: 0.0,
            whole_second_epochs: false,
            contention: false,
            servers: 0.0,
            equal_types: false,
            mtbf: 0.0,
            mttr: 1.0,
            failure_shape: 1.0,
            checkpoint_interval: 0.0,
            checkpoint_cost: 0.0,
            replay_failures: false,
            sharing: false,
            weights: WeightsChoice::Shipped,
            seed: 0,
            log_budget: LogBudget::default(),
        }
    }
}

/// Jobs and options of one run.
pub(super) struct Setting {
    pub(super) workload: Arc<Workload>,
    pub(super) options: SimOptions,
    traits: TraitsByJob,
    /// `None` where all nodes are alike to all jobs, so that GPUs are all that counts.
    pub(super) pools: Option<Arc<Pools>>,
    pub(super) types: Types,
    /// By job; empty where none needs more than GPUs.
    needs: Vec<Needs>,
    /// The largest gang of such needs that the idle cluster holds.
    largest_gangs: BTreeMap<Needs, u32>,
    /// Whether the policy may see what no real scheduler knows.
    pub(super) oracle: bool,
    /// Whether it puts two jobs that ask for a GPU each on one.
    packs: bool,
    /// Whether it lets several gangs take turns on the same GPUs.
    pub(super) interleaves: bool,
    /// The links, where its placement looks at them.
    pub(super) network_context: Option<Arc<NetworkContext>>,
}

impl Setting {
    pub(super) fn new(
        workload: Arc<Workload>,
        cluster: &ClusterSpec,
        options: SimOptions,
        oracle: bool,
        packs: bool,
        interleaves: bool,
    ) -> Self {
        let pools = Pools::of(cluster);
        let needs = needs_by_job(&workload, cluster, &pools, options.servers);
        let are_beside = workload.jobs.iter().any(Job::is_on_cores);
        let takes_more = needs.iter().any(|needs| needs.takes_cores_or_memory());
        let is_alike = pools.len() <= 1 && !takes_more && !are_beside;
        let types = Types::new(&workload, cluster, &pools, options.equal_types);
        let need = |job: JobId| needs.get(job.index()).copied().unwrap_or(Needs::NONE);
        let workload = types.on_the_fastest(workload, need);
        Self {
            traits: TraitsByJob::of(&workload),
            largest_gangs: largest_gangs(&needs, &pools),
            types,
            pools: (!is_alike).then(|| Arc::new(pools)),
            needs,
            workload,
            options,
            oracle,
            packs,
            interleaves,
            network_context: None,
        }
    }

    /// The same for a scheduler whose placement looks at links.
    pub(super) fn with_network(mut self, cluster: &ClusterSpec) -> Self {
        self.network_context = Some(Arc::new(NetworkContext::new(cluster, &self.workload)));
        self
    }

    pub(super) fn job(&self, job: JobId) -> &Job {
        &self.workload.jobs[job.index()]
    }

    /// Where the job's gang may lie, and what it needs there besides GPUs.
    pub(super) fn needs(&self, job: JobId) -> Needs {
        let needs = self.needs.get(job.index());
        needs.copied().unwrap_or(Needs::NONE)
    }

    /// The largest gang like the job's that the idle cluster holds.
    pub(super) fn largest_gang(&self, job: JobId) -> u32 {
        let largest = self.largest_gangs.get(&self.needs(job));
        largest.copied().unwrap_or(0)
    }

    /// All that nodes have besides GPUs.
    pub(super) fn spare(&self) -> Spare {
        let pools = self.pools.as_deref();
        pools.map(Spare::all).unwrap_or_default()
    }

    /// Whether the job may run on some nodes only, needs a part of them, or has parameter servers, so
    /// that it is a gang to policies even if it could adapt.
    pub(super) fn is_bound_to_nodes(&self, job: JobId) -> bool {
        let needs = self.needs(job);
        needs.servers().count > 0 || (self.pools.is_some() && needs != Needs::NONE)
    }

    /// What a job asks for of one GPU, if it is to share it. Which GPU is not said yet. One that has
    /// parameter servers does not.
    pub(super) fn share(&self, job: JobId) -> Option<Share> {
        if !self.options.sharing {
            return None;
        }
        let job = self.job(job);
        let plain = job.gpus == 1 && job.demand.servers.count == 0;
        let thousandths = job.demand.share.filter(|_| plain)?;
        matches!(job.work, Work::Fixed { .. }).then_some(Share {
            thousandths,
            memory: job.demand.gpu_memory,
            gpu: MAX_GPUS_PER_NODE as u8,
        })
    }

    /// Whether GPUs may have several jobs.
    pub(super) fn shares_gpus(&self) -> bool {
        self.options.sharing || self.packs
    }

    /// Whether a job may take turns with others on the same GPUs: a gang of whole GPUs with a fixed duration.
    pub(super) fn may_take_turns(&self, id: JobId) -> bool {
        let job = self.job(id);
        let fixed = matches!(job.work, Work::Fixed { .. });
        self.interleaves && fixed && job.demand.servers.count == 0 && self.share(id).is_none()
    }

    /// Whether a job may run beside others on the same GPUs: one that could take turns, has no parameter servers, and
    /// tells of no memory of a GPU that it needs, for nobody looks whether there is enough for two.
    pub(super) fn may_be_co_located(&self, id: JobId) -> bool {
        let plain = self.needs(id).servers().count == 0 && self.job(id).demand.gpu_memory == 0;
        self.may_take_turns(id) && plain
    }

    /// What a job has of a GPU that the policy gives to it and another, if that may be: half.
    pub(super) fn half(&self, id: JobId) -> Option<Share> {
        let job = self.job(id);
        let plain = job.gpus == 1 && job.demand.servers.count == 0;
        let may = self.packs && plain && self.share(id).is_none();
        let fixed = matches!(job.work, Work::Fixed { .. });
        Some(Share {
            thousandths: Thousandths::new(WHOLE / 2).filter(|_| may && fixed)?,
            memory: job.demand.gpu_memory,
            gpu: MAX_GPUS_PER_NODE as u8,
        })
    }

    /// What jobs typically ask for, for placements that mind fragments. Cores and types are not
    /// among it: placements see GPUs.
    pub(super) fn typical(&self) -> Typical {
        let pod = |(index, job): (u32, &Job)| Pod {
            cores: 0,
            share: (self.share(JobId(index))).map_or(WHOLE, |share| share.thousandths.get()),
            gpus: job.gpus,
            types: 0,
            memory: 0,
        };
        let gangs = (0..)
            .zip(&self.workload.jobs)
            .filter(|(_, job)| !job.is_on_cores());
        let pods: Vec<Pod> = gangs.map(pod).collect();
        Typical::of(&pods)
    }

    /// Why the job ends otherwise than by being done, as its trace records, if that is replayed.
    pub(super) fn ending(&self, job: JobId) -> Option<StopCause> {
        if !self.options.replay_failures {
            return None;
        }
        match self.workload.recorded.status(job) {
            Status::Failed => Some(StopCause::Failed),
            Status::NodeFailed => Some(StopCause::NodeFailed),
            Status::Cancelled => Some(StopCause::Cancelled),
            Status::Completed | Status::Running | Status::Unknown => None,
        }
    }

    /// What is known of the job's model.
    pub(super) fn model(&self, job: JobId) -> ModelTraits {
        self.traits.get(self.job(job).model, job)
    }

    /// Seconds without progress after a resume or a move.
    pub(super) fn restart_seconds(&self, job: JobId) -> f64 {
        let by_model = if self.options.restart_by_model {
            self.model(job).restart_seconds()
        } else {
            0.0
        };
        self.options.restart_cost + by_model
    }
}

/// What each job needs; nothing at all where none needs more than GPUs. Gangs have so many parameter
/// servers per GPU where they say nothing of them.
fn needs_by_job(
    workload: &Workload,
    cluster: &ClusterSpec,
    pools: &Pools,
    servers: f64,
) -> Vec<Needs> {
    let mut jobs = workload.jobs.iter();
    if servers <= 0.0 && jobs.all(|job| job.demand.is_plain()) {
        return Vec::new();
    }
    // Jobs with the same needs are many.
    let mut narrowed: BTreeMap<(u32, Needs), Needs> = BTreeMap::new();
    let of = |job: &Job| {
        // What runs beside gangs is laid by itself.
        if job.is_on_cores() {
            return Needs::NONE;
        }
        let mut demand = job.demand;
        if demand.servers.count == 0 && job.gpus > 1 {
            let count = libm::ceil(servers * f64::from(job.gpus)) as u32;
            demand.servers.count = count.min(Servers::MOST);
        }
        let needs = pools.needs(cluster, job.gpus, &demand, &workload.gpu_types);
        let narrowed = narrowed.entry((job.gpus, needs));
        *narrowed.or_insert_with(|| pools.narrowed(needs, job.gpus))
    };
    let needs: Vec<Needs> = workload.jobs.iter().map(of).collect();
    if needs.iter().all(|&needs| needs == Needs::NONE) {
        return Vec::new();
    }
    needs
}

fn largest_gangs(needs: &[Needs], pools: &Pools) -> BTreeMap<Needs, u32> {
    let mut largest = BTreeMap::from([(Needs::NONE, pools.most(Needs::NONE))]);
    for &needs in needs {
        largest.entry(needs).or_insert_with(|| pools.most(needs));
    }
    largest
}
