//! Where a policy's [distribution of service](ServiceDistribution) comes from: jobs that have
//! finished (`online`), all jobs of the workload (`oracle`), or a file of another time's.

use super::entry::BuildContext;
use super::parameters::{Value, param};
use super::{ParamInfo, ParamKind, ServiceDistribution};
use crate::workload::Workload;
use switchyard_engine::{News, View};

pub(super) const HISTORY: ParamInfo = param(
    ParamKind::History,
    "online",
    "Where the distribution of service comes from: online (jobs finished so far), oracle (the whole trace), or a file with a column 'duration' in GPU·s.",
);

/// Where a spec has the distribution from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HistoryChoice {
    /// Jobs that finish.
    Online,
    /// All jobs of the workload.
    Oracle,
    /// The [`ServiceHistory`](super::ServiceHistory) of this name.
    File(String),
}

impl HistoryChoice {
    /// The name of the file, if it is one.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Online | Self::Oracle => None,
            Self::File(name) => Some(name),
        }
    }
}

impl Value for HistoryChoice {
    fn read(text: &str) -> Result<Self, String> {
        Ok(match text {
            "online" => Self::Online,
            "oracle" => Self::Oracle,
            name => Self::File(name.to_owned()),
        })
    }

    fn text(&self) -> String {
        match self {
            Self::Online => "online",
            Self::Oracle => "oracle",
            Self::File(name) => name,
        }
        .to_owned()
    }
}

/// Online, a distribution is made anew once this share of what it holds has been added, so that
/// learning costs O(log n) per job.
const REFRESH_SHARE: u32 = 16;

/// The distribution, and what it has yet to take in.
pub(super) struct History {
    pub(super) distribution: ServiceDistribution,
    /// All samples so far, if it learns.
    learned: Option<Vec<f64>>,
}

impl Default for History {
    /// Of jobs that finish.
    fn default() -> Self {
        Self {
            distribution: ServiceDistribution::default(),
            learned: Some(Vec::new()),
        }
    }
}

impl History {
    pub(super) fn new(choice: &HistoryChoice, context: &BuildContext<'_>) -> Self {
        let fixed = |samples| Self {
            distribution: ServiceDistribution::new(samples),
            learned: None,
        };
        match (choice, context.history) {
            (HistoryChoice::Oracle, _) => fixed(of_workload(context.workload)),
            (HistoryChoice::File(name), Some(history)) if history.name == *name => {
                fixed(history.samples.clone())
            }
            // `RunSpec::check` refuses names that nothing is known of.
            (HistoryChoice::Online | HistoryChoice::File(_), _) => Self::default(),
        }
    }

    /// Learns from jobs that have just finished; says whether the distribution has changed.
    pub(super) fn learn(&mut self, view: &View<'_>) -> bool {
        let Some(learned) = &mut self.learned else {
            return false;
        };
        for &news in view.news() {
            if let News::Finished(job) = news {
                learned.push(view.attained(job));
            }
        }
        let known = self.distribution.len();
        let grown = learned.len() as u32 > known + known / REFRESH_SHARE;
        if grown {
            self.distribution = ServiceDistribution::new(learned.clone());
        }
        grown
    }
}

fn of_workload(workload: &Workload) -> Vec<f64> {
    let service = |job: &crate::job::Job| job.work.seconds() * f64::from(job.gpus);
    workload.gangs().map(service).collect()
}
