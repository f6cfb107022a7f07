//! What a spec says to Slurm, in the words of its slurm.conf.

use super::super::entry::Properties;
use super::super::parameters::{PLACEMENT, PlacementChoice, Words, param, parameters, words};
use super::super::{ParamInfo, ParamKind};
use super::preempts::Preempts;
use super::ranks::Ranks;
use super::reservations::Reservations;

/// What a factor may weigh.
const WEIGHT: ParamKind = ParamKind::Int {
    min: 0,
    max: u32::MAX as u64,
};

const fn seconds(min: f64, max: f64) -> ParamKind {
    ParamKind::Seconds { min, max }
}

parameters! {
    struct Parameters {
        pub(super) priority_weight_age: u32 = param(WEIGHT, "1000", "What the time that a job has waited weighs, as a part of priority_max_age. (The default weights are of the size of those in Slurm's documentation; Slurm's own are 0.)"),
        pub(super) priority_weight_fairshare: u32 = param(WEIGHT, "10000", "What the fair share of a job's account or user weighs: by the shares (weights) of the tree of queues, and what each has used."),
        pub(super) priority_weight_job_size: u32 = param(WEIGHT, "1000", "What a job's part of the cluster weighs."),
        pub(super) priority_weight_partition: u32 = param(WEIGHT, "1000", "What the priority of a job's partition weighs."),
        pub(super) priority_weight_qos: u32 = param(WEIGHT, "1000", "What the priority of a job's QOS weighs."),
        pub(super) priority_weight_assoc: u32 = param(WEIGHT, "0", "What the priority of a job's account or user weighs: that of its queue in the tree."),
        pub(super) priority_weight_tres: u32 = param(WEIGHT, "0", "What a job's part of all GPUs (gres/gpu) weighs.").for_experts(),
        pub(super) priority_max_age: f64 = param(seconds(0.0, 1e9), "604800", "After so many seconds waiting counts no more."),
        pub(super) priority_decay_half_life: f64 = param(seconds(0.0, 1e12), "604800", "Seconds in which past usage halves; 0: it counts for ever."),
        pub(super) priority_calc_period: f64 = param(seconds(1.0, 1e9), "300", "Seconds between two computations of usage and priorities.").for_experts(),
        pub(super) fair_share: FairShare = param(ParamKind::OneOf(FairShare::WORDS), "fair-tree", "How fair share is computed: Fair Tree, or the classic 2^(−usage ∕ shares)."),
        pub(super) fair_share_dampening_factor: u32 = param(ParamKind::Int { min: 1, max: 65_533 }, "1", "By what the exponent of classic fair share is divided.").for_experts(),
        pub(super) priority_favor_small: bool = param(ParamKind::Bool, "false", "Small jobs have the higher factor of size."),
        pub(super) small_relative_to_time: bool = param(ParamKind::Bool, "false", "A job's size is its GPUs over its time limit.").for_experts(),
        pub(super) partitions: Ranks = param(ParamKind::Word("names with numbers, such as long:10+short:100"), "", "Priorities of partitions, such as long:10+short:100 (PriorityJobFactor); others have 0."),
        pub(super) tiers: Ranks = param(ParamKind::Word("names with numbers, such as debug:2+batch:1"), "", "Tiers of partitions, such as debug:2+batch:1 (PriorityTier): jobs of a higher one go first, whatever their priority; others have 0."),
        pub(super) qos: Ranks = param(ParamKind::Word("names with numbers, such as high:1000+normal:10"), "", "Priorities of QOS, such as high:1000+normal:10; others have 0."),
        pub(super) backfill: Backfill = param(ParamKind::OneOf(Backfill::WORDS), "conservative", "Who starts behind a job that waits: nobody; who does not delay the first (easy, bf_job_part_count_reserve=1); or who delays nobody that has a reservation, as Slurm does."),
        pub(super) bf_interval: u32 = param(ParamKind::Int { min: 0, max: 86_400 }, "30", "Seconds between two rounds of backfill; 0: whenever something changes."),
        pub(super) bf_window: f64 = param(seconds(60.0, 1e9), "86400", "How far ahead backfill reserves, seconds."),
        pub(super) bf_resolution: f64 = param(seconds(1.0, 3600.0), "60", "Reservations are of multiples of so many seconds.").for_experts(),
        pub(super) bf_max_job_test: u32 = param(ParamKind::Int { min: 1, max: 1_000_000 }, "500", "Backfill looks at so many jobs."),
        pub(super) bf_max_job_user: u32 = param(ParamKind::Int { min: 0, max: 1_000_000 }, "0", "Of a user it looks at so many; 0: at all."),
        pub(super) default_time: f64 = param(seconds(0.0, 1e9), "0", "The limit, in seconds, of jobs whose trace tells none; 0: as long as they run, which no real scheduler knows."),
        pub(super) over_time_limit: f64 = param(seconds(0.0, 1e9), "60", "For so many seconds a job may exceed its time limit before it is ended (OverTimeLimit, and Slurm's look every half minute); a job that tells none, where default_time is 0, runs to its end."),
        pub(super) preempt: Preempt = param(ParamKind::OneOf(Preempt::WORDS), "none", "Who may evict whom: nobody; jobs of a QOS those of a lower one; jobs in partitions of a higher tier those in lower ones. Who is evicted waits again."),
        pub(super) qos_preempts: Preempts = param(ParamKind::Word("pairs of names, such as high>low+normal>low"), "", "With preempt=qos: which QOS may evict which, such as high>low+normal>low; without any: a QOS all of lower priority.").for_experts(),
        pub(super) preempt_exempt_time: f64 = param(seconds(0.0, 1e9), "0", "For so many seconds nobody may evict a job that has started."),
        pub(super) reservations: Reservations = param(ParamKind::Word("reservations, such as ana:4:86400:172800"), "", "Nodes kept for a user or an account, WHO:NODES:FROM:TO, seconds from the trace's begin: ana:4:86400:172800; the cluster's last nodes are kept.").for_experts(),
        pub(super) maintenance: bool = param(ParamKind::Bool, "true", "Drains in the run's list of outages are known ahead: jobs that would not be over by then do not start on those nodes."),
        pub(super) placement: PlacementChoice = ParamInfo { ..PLACEMENT },
    }
}

impl Properties for Parameters {
    fn is_oracle(&self) -> bool {
        self.default_time == 0.0
    }
}

/// How fair share is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FairShare {
    FairTree,
    Classic,
}

words! {
    FairShare { FairTree = "fair-tree", Classic = "classic" }
}

/// Who starts behind a job that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backfill {
    None,
    Easy,
    Conservative,
}

words! {
    Backfill { None = "none", Easy = "easy", Conservative = "conservative" }
}

/// Who may evict whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preempt {
    None,
    Qos,
    Partition,
}

words! {
    Preempt { None = "none", Qos = "qos", Partition = "partition" }
}
