//! What somebody's own policy that decides the whole sees at a moment, by the same names for scripts and for functions of
//! a program that runs the engine.

use crate::Verdict;
use crate::job::JobId;
use switchyard_engine::{News, Phase, View};

/// A moment, before anything is decided.
#[derive(Clone, Debug)]
pub struct Moment {
    /// When it is, s.
    pub now: f64,
    /// Whether a round is due.
    pub round: bool,
    /// GPUs that are free.
    pub free: u32,
    /// GPUs in all.
    pub gpus: u32,
    /// Nodes in all.
    pub nodes: u32,
    /// GPUs of the largest node.
    pub node_size: u32,
    /// The jobs that run, in order of start.
    pub running: Vec<JobId>,
    /// Those that have come.
    pub arrived: Vec<JobId>,
    /// Those that are over.
    pub finished: Vec<JobId>,
    /// Those that have lost their GPUs to a failure.
    pub evicted: Vec<JobId>,
    /// Those whose alarm is due.
    pub alarms: Vec<JobId>,
}

impl Moment {
    /// What a view shows.
    pub fn of(view: &View<'_>) -> Self {
        let sizes = view.free().node_sizes();
        let mut moment = Self {
            now: view.now().seconds(),
            round: view.is_round(),
            free: view.free().total(),
            gpus: sizes.iter().sum(),
            nodes: sizes.len() as u32,
            node_size: view.node_size(),
            running: view.ledger().running().collect(),
            arrived: Vec::new(),
            finished: Vec::new(),
            evicted: Vec::new(),
            alarms: Vec::new(),
        };
        for &news in view.news() {
            match news {
                News::Arrived(job) => moment.arrived.push(job),
                News::Finished(job) => moment.finished.push(job),
                News::Evicted(job) => moment.evicted.push(job),
                News::Alarm(job) => moment.alarms.push(job),
                News::NodeDown(_) | News::NodeUp(_) | News::CoresFreed => {}
            }
        }
        moment
    }
}

/// Why a job runs or waits, where only its policy's author knows in which order they go.
pub fn verdict(view: &View<'_>, job: JobId) -> Verdict {
    let (wants, free) = (view.gpus(job), view.free().total());
    match view.phase(job) {
        Phase::Running => Verdict::Runs,
        Phase::Waiting if wants <= free => Verdict::PlacementWaits { wants, free },
        Phase::Waiting => Verdict::TooFewGpus { wants, left: free },
        Phase::Future | Phase::Finished | Phase::Rejected => Verdict::NotActive,
    }
}
