//! What a scheduler can know at one moment.

use super::attained::Held;
use super::groups::Groups;
use super::jobs::{Jobs, Phase};
use super::ledger::Ledger;
use super::log::RunLog;
use super::news::News;
use super::node_state::NodeState;
use super::nodes::Nodes;
use super::on_cores::OnCores;
use super::outages::Timeline;
use super::setting::Setting;
use super::standing::{Standing, Standings};
use super::training::TrainingView;
use crate::Time;
use crate::cluster::{FreeGpus, Gpus, Needs, Share, Spare};
use crate::contention::Profile;
use crate::job::JobId;
use crate::throughputs::JobType;
use crate::workload::ModelTraits;
use switchyard_placement::{Asker, Gang, Resident, Room, Strategy};

/// What a real scheduler could know at one moment; an oracle policy also sees
/// [`remaining`](Self::remaining).
///
/// [`news`](Self::news) is what has happened since the policy was last asked, so that it can keep
/// queues instead of looking through every job; who runs where is in the [`ledger`](Self::ledger).
pub struct View<'a> {
    pub(super) now: Time,
    pub(super) is_round: bool,
    pub(super) news: &'a [News],
    pub(super) setting: &'a Setting,
    pub(super) nodes: &'a Nodes,
    pub(super) spare: &'a Spare,
    pub(super) on_cores: Option<&'a OnCores>,
    pub(super) jobs: &'a Jobs,
    pub(super) ledger: &'a Ledger,
    pub(super) groups: &'a Groups,
    pub(super) standings: &'a Standings,
    pub(super) log: &'a RunLog,
    pub(super) outages: &'a Timeline,
}

impl View<'_> {
    /// The moment.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Whether a round of the policy's [cadence](super::Cadence) is due now.
    pub fn is_round(&self) -> bool {
        self.is_round
    }

    /// What has happened since the policy was last asked, in that order.
    pub fn news(&self) -> &[News] {
        self.news
    }

    /// Who runs where, before any change the policy is about to make.
    pub fn ledger(&self) -> &Ledger {
        self.ledger
    }

    /// All jobs that take turns on the GPUs of a running job, with itself; empty where it has them to itself.
    pub fn together(&self, job: JobId) -> &[JobId] {
        self.groups.of(job)
    }

    /// As what a running job has its GPUs, where another one may have them, too.
    pub fn standing(&self, job: JobId) -> Option<Standing> {
        self.standings.of(job)
    }

    /// The jobs that have some of a running job's GPUs, too. In order.
    pub fn co_located(&self, job: JobId) -> Vec<JobId> {
        self.standings.co_located(job)
    }

    /// Which GPUs a running job has.
    pub fn gpus_of(&self, job: JobId) -> &[Gpus] {
        let segment = self.jobs.segment[job.index()];
        self.log.segment(segment as usize).gpus
    }

    /// Whether a job may take turns with others on the same GPUs.
    pub fn may_take_turns(&self, job: JobId) -> bool {
        self.setting.may_take_turns(job)
    }

    /// Whether a job may run beside others on the same GPUs.
    pub fn may_be_co_located(&self, job: JobId) -> bool {
        self.setting.may_be_co_located(job)
    }

    /// The name of the job's model; none: the trace tells none.
    pub fn model_name(&self, job: JobId) -> Option<&str> {
        let workload = &self.setting.workload;
        let model = self.setting.job(job).model?;
        workload.models.get(model as usize).map(String::as_str)
    }

    /// Free GPUs, before any change the policy is about to make.
    pub fn free(&self) -> &FreeGpus {
        self.nodes.free()
    }

    /// What is free for gangs to be laid on, before any change the policy is about to make.
    pub fn room(&self, room: &mut Room) {
        let pools = self.setting.pools.as_ref();
        let unlike = pools.map(|pools| (pools, self.spare));
        room.set(self.free(), self.node_size(), unlike);
        if let Some(network_context) = &self.setting.network_context {
            room.see(
                network_context,
                self.ledger.running().map(|job| self.resident(job)),
            );
        }
    }

    /// A running job and where it is.
    fn resident(&self, job: JobId) -> Resident<'_> {
        Resident {
            job,
            gpus: self.gpus_of(job),
            parts: self.ledger.parts(job),
            needs: self.setting.needs(job),
            knows_nodes: self.jobs.training(job).is_some(),
        }
    }

    /// Whether nodes are not all alike to jobs.
    pub fn has_unlike_nodes(&self) -> bool {
        self.setting.pools.is_some()
    }

    /// The same, if all that gangs hold were free.
    pub fn idle_room(&self) -> Room {
        let mut room = Room::default();
        let spare = match self.on_cores {
            // They give way to nobody.
            Some(on_cores) => on_cores.left_to_gangs().clone(),
            None => self.setting.spare(),
        };
        let pools = self.setting.pools.as_ref();
        let unlike = pools.map(|pools| (pools, &spare));
        let sizes = self.free().node_sizes();
        room.set(
            &FreeGpus::of(sizes.to_vec(), sizes, None),
            self.node_size(),
            unlike,
        );
        if let Some(network_context) = &self.setting.network_context {
            room.see(network_context, std::iter::empty());
        }
        room
    }

    /// Where the job's gang may lie, and what it needs there besides GPUs.
    pub fn needs(&self, job: JobId) -> Needs {
        self.setting.needs(job)
    }

    /// What a node is to jobs.
    pub fn node_state(&self, node: u32) -> NodeState {
        self.nodes.state(node)
    }

    /// The cores, in thousandths, and the memory, in MiB, that a node has in all; none: no node says how much it has.
    pub fn cores_and_memory(&self, node: u32) -> Option<(u64, u64)> {
        self.spare.in_all(node)
    }

    /// How many nodes take nobody, being down or drained.
    pub fn closed_nodes(&self) -> u32 {
        self.nodes.closed()
    }

    /// Maintenance that is known ahead: drains that stand in the run's list and have not begun, the first of
    /// them first, each with its node, its begin and its end. Nobody knows failures ahead.
    pub fn maintenance(&self) -> impl Iterator<Item = (u32, Time, Time)> {
        self.outages.drains_to_come()
    }

    /// Whether some of a running job's GPUs are on a node that takes nobody new: they cannot be
    /// given to another.
    pub fn is_on_closed_node(&self, job: JobId) -> bool {
        self.nodes.closed() > 0 && self.open_gpus(job) < self.ledger.gpus(job)
    }

    /// GPUs that a job holds on nodes that take jobs: those that its preemption would set free.
    pub fn open_gpus(&self, job: JobId) -> u32 {
        if self.nodes.closed() == 0 {
            return self.ledger.gpus(job);
        }
        self.free().open_gpus(self.ledger.parts(job))
    }

    /// What the job asks for besides GPUs.
    pub fn asks(&self, job: JobId) -> crate::job::Demand {
        self.setting.job(job).demand
    }

    /// How many pools of like nodes there are, the fastest first; 1 where all are alike.
    pub fn pools(&self) -> usize {
        self.setting.types.len()
    }

    /// The pool that a node is in; 0 where all are alike.
    pub fn pool_of(&self, node: u32) -> usize {
        let pools = self.setting.pools.as_ref();
        pools.map_or(0, |pools| pools.of_node(node))
    }

    /// What a pool's GPUs are called.
    pub fn pool_name(&self, pool: usize) -> &str {
        self.setting.types.name(pool)
    }

    /// How fast the job trains on a pool's GPUs, profiled beforehand, as a part of its speed on the
    /// fastest that it may use; 0 where it may not run.
    pub fn speed_on(&self, job: JobId, pool: usize) -> f64 {
        let setting = self.setting;
        setting
            .types
            .factor(setting.job(job), setting.needs(job), pool)
    }

    /// What a job has of a GPU that it is given together with another; `None` where it may not be, or
    /// the policy does not put jobs together.
    pub fn half(&self, job: JobId) -> Option<Share> {
        self.setting.half(job)
    }

    /// The job type among Gavel's measurements by which it is known what the job and another on one GPU
    /// do to one another; `None` where that is not known, or it may not share one.
    pub fn measured(&self, job: JobId) -> Option<JobType> {
        self.half(job)?;
        self.setting.types.measured(self.setting.job(job))
    }

    /// What two jobs keep of their speeds alone, profiled beforehand, on one GPU of a pool; `None` where
    /// that is not known or they do not fit into its memory.
    pub fn rates_together(&self, a: JobId, b: JobId, pool: usize) -> Option<[f64; 2]> {
        let setting = self.setting;
        setting.half(a).and(setting.half(b))?;
        let keeps = setting
            .types
            .rates_together(setting.job(a), setting.job(b), pool)?;
        Some([keeps.0, keeps.1])
    }

    /// GPUs of each node, whatever its state.
    pub fn node_sizes(&self) -> &[u32] {
        self.nodes.sizes()
    }

    /// GPUs of the largest node, whatever its state.
    pub fn node_size(&self) -> u32 {
        self.nodes.largest
    }

    /// The job's gang.
    pub fn gpus(&self, job: JobId) -> u32 {
        self.setting.job(job).gpus
    }

    /// The job's name in the trace.
    pub fn name(&self, job: JobId) -> &str {
        &self.setting.job(job).name
    }

    /// The job's gang where whole GPUs are counted: none for a job that shares one, which starts
    /// wherever there is room, and gives way to nobody.
    pub fn whole_gpus(&self, job: JobId) -> u32 {
        match self.setting.share(job) {
            Some(_) => 0,
            None => self.gpus(job),
        }
    }

    /// Whether GPUs are shared: then jobs may start where none is free.
    pub fn is_shared(&self) -> bool {
        self.setting.options.sharing
    }

    /// What is known of the job's model.
    pub fn model(&self, job: JobId) -> ModelTraits {
        self.setting.model(job)
    }

    /// The job's gang, for a placement to lay; skewed beyond this share of its largest tensor.
    pub fn gang(&self, job: JobId, strategy: Strategy, packlimit: f64) -> Gang {
        Gang {
            gpus: self.gpus(job),
            needs: self.needs(job),
            share: self.setting.share(job),
            skewed: strategy.is_by_skew() && self.model(job).skew() > packlimit,
            profile: self.profile(job, strategy),
            asker: self.asker(job, strategy),
        }
    }

    /// Who a job is, for a placement that has learned.
    pub fn asker(&self, job: JobId, strategy: Strategy) -> Option<Asker> {
        let queue = self.jobs.queue;
        strategy.is_learned().then(|| Asker {
            job,
            now: self.now,
            queue: match self.phase(job) {
                Phase::Waiting => queue.without(self.gpus(job)),
                _ => queue,
            },
        })
    }

    /// What a job sends and computes, for a placement that looks at links.
    pub fn profile(&self, job: JobId, strategy: Strategy) -> Option<Profile> {
        let network_context = self.setting.network_context.as_ref();
        let network_context = network_context.filter(|_| strategy.looks_at_links());
        network_context.map(|network_context| network_context.profile(job))
    }

    /// The job's model among those that the trace names: an index.
    pub fn model_index(&self, job: JobId) -> Option<u32> {
        self.setting.job(job).model
    }

    /// The progress observed on the job's present GPUs (of a job that has just finished: its
    /// last), seconds per second: below 1 where its placement slows it.
    pub fn rate(&self, job: JobId) -> f64 {
        self.jobs.rate[job.index()]
    }

    /// Whether the job's present GPUs (of a job that has just finished: its last) are on more
    /// nodes than its gang needs.
    pub fn is_spread(&self, job: JobId) -> bool {
        self.jobs.spread[job.index()]
    }

    /// When the job was submitted.
    pub fn submit(&self, job: JobId) -> Time {
        self.setting.job(job).submit
    }

    /// The job's tenant, if the trace names one.
    pub fn tenant(&self, job: JobId) -> Option<u32> {
        self.setting.job(job).tenant
    }

    /// The tenant's name; "" where the trace names none.
    pub fn tenant_name(&self, job: JobId) -> &str {
        let tenants = &self.setting.workload.tenants;
        let name = self.tenant(job).and_then(|at| tenants.get(at as usize));
        name.map_or("", String::as_str)
    }

    /// Where the job is in its life.
    pub fn phase(&self, job: JobId) -> Phase {
        self.jobs.phase[job.index()]
    }

    /// Attained service so far, GPU·s: GPUs held × time held (restarts included).
    #[inline(always)]
    pub fn attained(&self, job: JobId) -> f64 {
        let share = self.setting.share(job);
        let part = share.map_or(1.0, |share| f64::from(share.thousandths.get()) / 1000.0);
        self.held(job).service() * part
    }

    /// The job's stays on GPUs so far.
    pub fn held(&self, job: JobId) -> Held {
        self.jobs.held(job, self.now, self.ledger.gpus(job))
    }

    /// What is known of an adaptive job; `None` for a plain one, and for one that may run on some
    /// nodes only, which is a gang to policies.
    pub fn training(&self, job: JobId) -> Option<TrainingView<'_>> {
        if self.setting.is_bound_to_nodes(job) {
            return None;
        }
        let training = self.jobs.training(job)?;
        Some(TrainingView {
            training,
            progress: &self.jobs.progress[job.index()],
            now: self.now,
            oracle: self.setting.oracle,
            job,
        })
    }

    /// Whether a job has made progress since it got its present GPUs, batch or epoch: not while it restarts.
    pub fn has_moved(&self, job: JobId) -> bool {
        self.jobs.progress[job.index()].has_moved(self.now)
    }

    /// Seconds on GPUs so far (restarts included).
    pub fn held_seconds(&self, job: JobId) -> f64 {
        self.held(job).seconds()
    }

    /// When the job last changed between waiting and running (or was submitted).
    pub fn since(&self, job: JobId) -> Time {
        self.jobs.since[job.index()]
    }

    /// True seconds of execution at the requested GPUs: `None` unless the policy declares itself
    /// an oracle.
    pub fn duration(&self, job: JobId) -> Option<f64> {
        let setting = self.setting;
        setting.oracle.then(|| setting.job(job).work.seconds())
    }

    /// Seconds that the job asks for. Where the trace tells none its [duration](Self::duration) stands in.
    pub fn requested_time(&self, job: JobId) -> Option<f64> {
        let told = self.setting.job(job).demand.time;
        told.or_else(|| self.duration(job))
    }

    /// True remaining seconds of execution at the requested GPUs: `None` unless the policy
    /// declares itself an oracle.
    pub fn remaining(&self, job: JobId) -> Option<f64> {
        let seconds = self.duration(job)?;
        Some(self.jobs.remaining(job, seconds, self.now))
    }
}
