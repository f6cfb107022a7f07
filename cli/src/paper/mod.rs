//! `switchyard paper`: the experiments of a paper, each beside its published figures.

mod contention;
mod fgd;
mod gavel;
mod graph_rl;
mod muri;
mod pollux;
mod queues;
mod rlscheduler;
mod section;
mod shockwave;
mod sia;
mod start;
mod tiresias;

use crate::Failure;
use clap::Subcommand;
use section::Section;

#[derive(Subcommand)]
pub(crate) enum Arguments {
    /// Tiresias (NSDI'19): against YARN-CS and SRTF, over K, thresholds, knob, load and placement
    Tiresias(tiresias::Arguments),
    /// Pollux (OSDI'21): against Optimus and Tiresias, over load, fairness, interval,
    /// interference and autoscaling
    Pollux(pollux::Arguments),
    /// FGD (ATC'23): placements of pods that share GPUs, by allocation and fragmentation while pods
    /// arrive
    Fgd(fgd::Arguments),
    /// The contention law on measured pairs of jobs that share nodes (DeepShare, ICPADS'23)
    Contention(contention::Arguments),
    /// Gavel (OSDI'20): jobs on V100s, P100s and K80s, with and without telling them apart, over load
    Gavel(gavel::Arguments),
    /// Placing by graph reinforcement learning, our own after Zhao & Wu (TNSM'22): placements where
    /// neighbours slow one another, by topology and load, on held-out workloads
    GraphRl(graph_rl::Arguments),
    /// RLScheduler (SC'20): batch schedulers by bounded slowdown, with and without its backfilling; on GPU
    /// traces preemptive ones by mean JCT
    Rlscheduler(rlscheduler::Arguments),
    /// Kueue: dominant resource shares of queues, and victims, by cases of a file
    Kueue(queues::Arguments),
    /// KAI-Scheduler: how a cluster is divided among queues, by cases of a file
    Kai(queues::Arguments),
    /// Muri (SIGCOMM'22): interleaved jobs against SRTF, SRSF, Tiresias, AntMan and Themis, as its simulator has them
    Muri(muri::Arguments),
    /// Shockwave (NSDI'23): jobs that change their batch size, by seven schedulers, as its simulator has them
    Shockwave(shockwave::Arguments),
    /// Sia (SOSP'23): jobs on unlike GPUs under Sia, Pollux and Gavel, as the authors' simulator has them
    Sia(sia::Arguments),
    /// How often `switchyard start` is right: jobs of a trace's held-out part, asked about at their submission
    Start(start::Arguments),
}

pub(crate) fn paper(arguments: &Arguments) -> Result<(), Failure> {
    match arguments {
        Arguments::Tiresias(arguments) => tiresias::tiresias(arguments),
        Arguments::Pollux(arguments) => pollux::pollux(arguments),
        Arguments::Fgd(arguments) => fgd::fgd(arguments),
        Arguments::Contention(arguments) => contention::contention(arguments),
        Arguments::Gavel(arguments) => gavel::gavel(arguments),
        Arguments::GraphRl(arguments) => graph_rl::graph_rl(arguments),
        Arguments::Rlscheduler(arguments) => rlscheduler::rlscheduler(arguments),
        Arguments::Kueue(arguments) => queues::kueue(arguments),
        Arguments::Kai(arguments) => queues::kai(arguments),
        Arguments::Muri(arguments) => muri::muri(arguments),
        Arguments::Shockwave(arguments) => shockwave::shockwave(arguments),
        Arguments::Sia(arguments) => sia::sia(arguments),
        Arguments::Start(arguments) => start::start(arguments),
    }
}
