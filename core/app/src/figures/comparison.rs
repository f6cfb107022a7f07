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
    /// The jobs that charts are of, a value for each job of the trace; `None`: all.
    pub only: Option<&'a [bool]>,
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
    /// Whether charts are of the job at this position.
    pub(super) fn is_of(&self, job: usize) -> bool {
        self.only
            .is_none_or(|only| only.get(job).is_some_and(|is_meant| *is_meant))
    }

    /// What is known, a value for each job of the trace, of those that charts are of.
    pub(super) fn known(&self, values: &[f64]) -> Vec<f64> {
        let jobs = values.iter().copied().enumerate();
        let known = jobs.filter(|(job, value)| !value.is_nan() && self.is_of(*job));
        known.map(|(_, value)| value).collect()
    }

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

    /// The run by GPU type, as far as it has come and of the jobs that charts are of; nothing where all GPUs are of one.
    pub fn types(&self, of: &Comparison<'_>) -> Vec<TypeFigures> {
        if !of.has_types() {
            return Vec::new();
        }
        let mut outcomes = self.outcomes(of);
        if of.only.is_some() {
            let own = outcomes.to_mut();
            for column in [&mut own.jct, &mut own.queueing] {
                let jobs = column.iter_mut().enumerate();
                let others = jobs.filter(|(job, _)| !of.is_of(*job));
                others.for_each(|(_, value)| *value = f64::NAN);
            }
        }
        by_gpu_type(of.cluster, self.log, &outcomes)
    }
}
