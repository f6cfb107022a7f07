//! The runs that a chart compares.

use crate::moments::Moments;
use std::borrow::Cow;
use switchyard::Resource;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::RunLog;
use switchyard::report::{Outcomes, Summary, TypeFigures, by_gpu_type};
use switchyard::workload::Workload;

/// Runs of the same jobs on the same cluster.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The jobs.
    pub workload: &'a Workload,
    /// Where they run.
    pub cluster: &'a ClusterSpec,
    /// How their times read.
    pub moments: &'a Moments,
    /// What they occupy.
    pub unit: Resource,
    /// Until when the slowest run has come, seconds.
    pub end: f64,
    /// The runs, in the order in which they are shown.
    pub runs: Vec<Compared<'a>>,
}

/// One of the runs.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// Its name, as short as it can be and still be told from the others.
    pub name: &'a str,
    /// Its hue: the colour and the dashes that it has everywhere.
    pub hue: usize,
    /// How far it has come, seconds.
    pub reached: f64,
    /// What it has logged so far.
    pub log: &'a RunLog,
    /// What it came to, once it has ended.
    pub results: Option<(&'a Outcomes, &'a Summary)>,
    /// Whether ρ follows from the log: where jobs train applications, it does not.
    pub knows_rho: bool,
}

impl Comparison<'_> {
    /// Whether there are GPUs of several types, so that they can be told apart.
    pub fn has_types(&self) -> bool {
        let of_none = usize::from(self.cluster.gpus_of(None) > 0);
        self.cluster.types().len() + of_none > 1
    }
}

impl<'a> Compared<'a> {
    /// What became of each job: its results once it has ended, else worked out from what its log knows so far.
    pub fn outcomes(&self, of: &Comparison<'_>) -> Cow<'a, Outcomes> {
        if let Some((outcomes, _)) = self.results {
            return Cow::Borrowed(outcomes);
        }
        let mut outcomes = Outcomes::of(of.workload, of.cluster, self.log);
        if !self.knows_rho {
            outcomes.rho.fill(f64::NAN);
        }
        Cow::Owned(outcomes)
    }

    /// The run in numbers, as far as it has come.
    pub fn summary(&self, of: &Comparison<'_>) -> Summary {
        match self.results {
            Some((_, summary)) => *summary,
            None => Summary::of_outcomes(&self.outcomes(of), of.cluster, self.log),
        }
    }

    /// The run by GPU type, as far as it has come; nothing where all GPUs are of one.
    pub fn types(&self, of: &Comparison<'_>) -> Vec<TypeFigures> {
        match of.has_types() {
            true => by_gpu_type(of.cluster, self.log, &self.outcomes(of)),
            false => Vec::new(),
        }
    }
}
