//! A run by whom its jobs are of: a row of figures for each user, account, partition and so on, and what part
//! of the cluster each held over time.

use super::{Distribution, Outcomes};
use crate::cluster::ClusterSpec;
use crate::job::{Job, JobId, TypeSet};
use crate::meant::hint;
use crate::order;
use crate::sim::RunLog;
use crate::workload::{Label, Workload};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What jobs are told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum By {
    /// A label of the trace: user, account, partition, QOS, reservation.
    Label(Label),
    /// The tenant or virtual cluster.
    Tenant,
    /// The model that they train.
    Model,
    /// The GPU types that they ask for; of those who ask for none, that they ran on as recorded.
    GpuType,
    /// How many GPUs they ask for.
    Gang,
}

/// Not a word for a [`By`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "jobs are not told apart by '{0}'{meant}: use {words}",
    meant = hint(.0, By::WORDS),
    words = By::WORDS.join(", ")
)]
pub struct UnknownBy(pub String);

/// The words of a list, in its order; a constant.
macro_rules! words {
    ($all:expr) => {{
        let mut words = [""; $all.len()];
        let mut at = 0;
        while at < words.len() {
            words[at] = $all[at].word();
            at += 1;
        }
        words
    }};
}

impl By {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 9] = [
        Self::Label(Label::User),
        Self::Label(Label::Account),
        Self::Label(Label::Partition),
        Self::Label(Label::Qos),
        Self::Label(Label::Reservation),
        Self::Tenant,
        Self::Model,
        Self::GpuType,
        Self::Gang,
    ];

    /// The words of all.
    pub const WORDS: [&'static str; Self::ALL.len()] = words!(Self::ALL);

    /// Its word in flags, files and links.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Label(label) => label.word(),
            Self::Tenant => "tenant",
            Self::Model => "model",
            Self::GpuType => "gpu-type",
            Self::Gang => "gang",
        }
    }

    /// What people call it, as a heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Label(label) => label.title(),
            Self::Tenant => "Tenant",
            Self::Model => "Model",
            Self::GpuType => "GPU type",
            Self::Gang => "Gang size",
        }
    }

    /// Those by which some jobs of a workload differ from others or at least are told something.
    pub fn told(workload: &Workload) -> impl Iterator<Item = Self> {
        let is_told = |by: &Self| match by {
            Self::Label(label) => !workload.recorded.labels.names(*label).is_empty(),
            Self::Tenant => !workload.tenants.is_empty(),
            Self::Model => !workload.models.is_empty(),
            Self::GpuType => !workload.gpu_types.is_empty(),
            Self::Gang => true,
        };
        Self::ALL.into_iter().filter(is_told)
    }

    /// The name of a job's group; "" where it is told nothing.
    fn name(self, workload: &Workload, id: JobId, job: &Job) -> String {
        let named = |names: &[String], at: Option<u32>| {
            let name = at.and_then(|at| names.get(at as usize));
            name.cloned().unwrap_or_default()
        };
        match self {
            Self::Label(label) => {
                let name = workload.recorded.label(id, label);
                name.unwrap_or_default().to_owned()
            }
            Self::Tenant => named(&workload.tenants, job.tenant),
            Self::Model => named(&workload.models, job.model),
            Self::GpuType => {
                let types = types(workload, id, job).named();
                let types: Vec<String> = types
                    .map(|at| named(&workload.gpu_types, Some(at)))
                    .collect();
                types.join("|")
            }
            Self::Gang => job.gpus.to_string(),
        }
    }

    /// What decides about a job's group: jobs that are alike in it are of one.
    fn key(self, workload: &Workload, id: JobId, job: &Job) -> u64 {
        let index = |at: Option<u32>| at.map_or(0, |at| u64::from(at) + 1);
        match self {
            Self::Label(label) => {
                let set = workload.recorded.label_sets.get(id.index()).copied();
                index(workload.recorded.labels.index(set.flatten(), label))
            }
            Self::Tenant => index(job.tenant),
            Self::Model => index(job.model),
            Self::GpuType => types(workload, id, job)
                .named()
                .fold(0, |all, at| all | 1 << at),
            Self::Gang => u64::from(job.gpus),
        }
    }
}

/// The types that a job asks for, else those that it ran on.
fn types(workload: &Workload, id: JobId, job: &Job) -> TypeSet {
    let asked = job.demand.types;
    match workload.recorded.run(id) {
        Some(run) if asked.is_any() => run.types,
        _ => asked,
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for By {
    type Err = UnknownBy;

    fn from_str(text: &str) -> Result<Self, UnknownBy> {
        let found = Self::ALL.into_iter().find(|by| by.word() == text);
        found.ok_or_else(|| UnknownBy(text.to_owned()))
    }
}

/// The jobs of a workload in groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    /// Their names: gang sizes from the smallest, all others from the one that asks for most GPU·s. "" is of jobs
    /// that are told nothing.
    pub names: Vec<String>,
    /// By job: its group.
    pub of: Vec<u32>,
}

impl Groups {
    /// Those by which jobs are told apart.
    pub fn of(by: By, workload: &Workload) -> Self {
        let jobs = (0..).map(JobId).zip(&workload.jobs);
        let mut keys = Vec::with_capacity(workload.jobs.len());
        // By key: what they ask for, and the first of them.
        let mut found: BTreeMap<u64, (f64, JobId)> = BTreeMap::new();
        for (id, job) in jobs {
            let key = by.key(workload, id, job);
            keys.push(key);
            let group = found.entry(key).or_insert((0.0, id));
            group.0 += f64::from(job.gpus) * job.work.seconds();
        }
        let mut order: Vec<(u64, (f64, JobId))> = found.into_iter().collect();
        if by != By::Gang {
            order::sort_by(&mut order, |a, b| order::by_value(&b.1.0, &a.1.0));
        }
        let place = order.iter().zip(0..).map(|((key, _), at)| (*key, at));
        let place: BTreeMap<u64, u32> = place.collect();
        let name = |(_, (_, id)): &(u64, (f64, JobId))| {
            let job = workload.jobs.get(id.index());
            job.map_or_else(String::new, |job| by.name(workload, *id, job))
        };
        Self {
            names: order.iter().map(name).collect(),
            of: keys
                .iter()
                .map(|key| place.get(key).copied().unwrap_or(0))
                .collect(),
        }
    }

    /// What happened to the jobs of each in a run.
    pub fn figures(&self, outcomes: &Outcomes) -> Vec<GroupFigures> {
        let mut jobs: Vec<Vec<usize>> = vec![Vec::new(); self.names.len()];
        for (job, of) in self.of.iter().enumerate() {
            if let Some(jobs) = jobs.get_mut(*of as usize) {
                jobs.push(job);
            }
        }
        // Not `sum`, which is −0 of nothing.
        let total = outcomes.service.iter().fold(0.0, |all, of| all + of);
        let figures = self.names.iter().zip(jobs).map(|(name, jobs)| {
            let held = jobs
                .iter()
                .fold(0.0, |all, &job| all + outcomes.service[job]);
            let finished = jobs.iter().filter(|job| !outcomes.jct[**job].is_nan());
            let of = |values: &[f64]| {
                let values = finished.clone().map(|&job| values[job]);
                Distribution::of(values.collect())
            };
            GroupFigures {
                name: name.clone(),
                jobs: jobs.len() as u32,
                finished: finished.clone().count() as u32,
                gpu_hours: held / 3600.0,
                share: if total > 0.0 { held / total } else { f64::NAN },
                wait: of(&outcomes.queueing),
                jct: of(&outcomes.jct),
                rho: of(&outcomes.rho).mean,
            }
        });
        figures.collect()
    }

    /// The GPUs that each group held, on the mean of each of so many equal parts of the time from the first
    /// submission to `until`.
    pub fn over_time(
        &self,
        cluster: &ClusterSpec,
        log: &RunLog,
        until: f64,
        parts: usize,
    ) -> OverTime {
        let begin = log.event_times().first().copied().unwrap_or(0.0);
        let end = log.event_times().last().copied().unwrap_or(0.0).min(until);
        let width = (until - begin) / parts as f64;
        let mut held = vec![vec![0.0; self.names.len()]; parts];
        for segment in (0..log.segments()).map(|i| log.segment(i)) {
            let until = segment.end.seconds().min(end);
            let from = segment.start.seconds();
            let group = self
                .of
                .get(segment.job.index())
                .map_or(0, |of| *of as usize);
            let gpus = f64::from(segment.gpu_count()) * segment.part();
            if width <= 0.0 || until <= from {
                continue;
            }
            let first = (((from - begin) / width) as usize).min(parts - 1);
            let last = (((until - begin) / width) as usize).min(parts - 1);
            for (part, held) in held.iter_mut().enumerate().take(last + 1).skip(first) {
                let low = begin + width * part as f64;
                let inside = until.min(low + width) - from.max(low);
                if inside > 0.0 {
                    held[group] += gpus * inside / width;
                }
            }
        }
        OverTime {
            begin,
            width,
            gpus: cluster.gpus(),
            held,
        }
    }
}

/// What groups held over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OverTime {
    /// When the first part begins, seconds.
    pub begin: f64,
    /// How long each part is, seconds.
    pub width: f64,
    /// GPUs of the cluster.
    pub gpus: u32,
    /// By part, by group: mean GPUs held.
    pub held: Vec<Vec<f64>>,
}

/// What happened to the jobs of one group in a run. Means and percentiles are over those that finished; NaN
/// without any.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupFigures {
    /// Its name; "" of jobs that are told nothing.
    pub name: String,
    /// Its jobs.
    pub jobs: u32,
    /// Those that ran to their end.
    pub finished: u32,
    /// GPU-hours that they held.
    pub gpu_hours: f64,
    /// The part of all that jobs held.
    pub share: f64,
    /// Waiting over their whole life, seconds.
    pub wait: Distribution,
    /// Job completion time, seconds.
    pub jct: Distribution,
    /// Mean finish-time fairness ρ.
    pub rho: f64,
}

impl GroupFigures {
    /// Its name for people.
    pub fn called(&self) -> &str {
        match self.name.as_str() {
            "" => "(none)",
            name => name,
        }
    }
}

/// One figure of a group, of those that are shown one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupFigure {
    /// Mean wait.
    Wait,
    /// 95th percentile of waits.
    WaitP95,
    /// Mean JCT.
    Jct,
    /// 95th percentile of JCTs.
    JctP95,
    /// Mean finish-time fairness ρ.
    Rho,
    /// GPU-hours held.
    GpuHours,
    /// The part of all that jobs held.
    Share,
}

impl GroupFigure {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 7] = [
        Self::Wait,
        Self::WaitP95,
        Self::Jct,
        Self::JctP95,
        Self::Rho,
        Self::GpuHours,
        Self::Share,
    ];

    /// The words of all.
    pub const WORDS: [&'static str; Self::ALL.len()] = words!(Self::ALL);

    /// Its word in links.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::WaitP95 => "wait-p95",
            Self::Jct => "jct",
            Self::JctP95 => "jct-p95",
            Self::Rho => "rho",
            Self::GpuHours => "gpu-hours",
            Self::Share => "share",
        }
    }

    /// Its value for a group.
    pub fn of(self, group: &GroupFigures) -> f64 {
        match self {
            Self::Wait => group.wait.mean,
            Self::WaitP95 => group.wait.p95,
            Self::Jct => group.jct.mean,
            Self::JctP95 => group.jct.p95,
            Self::Rho => group.rho,
            Self::GpuHours => group.gpu_hours,
            Self::Share => group.share,
        }
    }
}

/// The figures of several runs by group, as CSV: a row for each run and group. No text is a formula in a
/// spreadsheet.
pub fn groups_csv<'a>(
    by: By,
    runs: impl IntoIterator<Item = (&'a str, &'a [GroupFigures])>,
) -> String {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let number = |value: f64| match value.is_nan() {
        true => String::new(),
        false => value.to_string(),
    };
    let columns = [
        "policy",
        by.word(),
        "jobs",
        "finished",
        "gpu_hours",
        "share",
        "mean_wait",
        "p95_wait",
        "mean_jct",
        "p95_jct",
        "mean_rho",
    ];
    // Writing to memory cannot fail.
    let _ = csv.write_record(columns);
    for (policy, groups) in runs {
        for of in groups {
            let _ = csv.write_record([
                &*crate::spreadsheet::guarded(policy),
                &*crate::spreadsheet::guarded(&of.name),
                &of.jobs.to_string(),
                &of.finished.to_string(),
                &number(of.gpu_hours),
                &number(of.share),
                &number(of.wait.mean),
                &number(of.wait.p95),
                &number(of.jct.mean),
                &number(of.jct.p95),
                &number(of.rho),
            ]);
        }
    }
    let bytes = csv.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::workload::{Labels, Recorded};
    use switchyard_model::Index;

    fn workload() -> Workload {
        let names = [
            vec!["ann".to_owned(), "ben".to_owned()],
            Vec::new(),
            Vec::new(),
            Vec::new(),
            Vec::new(),
        ];
        Workload {
            jobs: [
                (0.0, 1, 10.0),
                (0.0, 4, 10.0),
                (5.0, 1, 20.0),
                (6.0, 1, 2.0),
            ]
            .map(|(submit, gpus, seconds)| Job::plain(submit, gpus, seconds))
            .to_vec(),
            recorded: Recorded {
                labels: Labels {
                    names,
                    sets: vec![
                        [Some(0), None, None, None, None],
                        [Some(1), None, None, None, None],
                    ],
                },
                label_sets: vec![Index::new(0), Index::new(1), Index::new(0), None],
                ..Recorded::default()
            },
            ..Workload::default()
        }
    }

    #[test]
    fn users_in_order_of_what_they_ask_for() {
        let groups = Groups::of(By::Label(Label::User), &workload());
        assert_eq!(groups.names, ["ben", "ann", ""]);
        assert_eq!(groups.of, [1, 0, 1, 2]);
        let outcomes = Outcomes {
            jct: vec![12.0, 10.0, 25.0, f64::NAN],
            queueing: vec![2.0, 0.0, 5.0, f64::NAN],
            service: vec![10.0, 40.0, 20.0, 10.0],
            rho: vec![1.0, 2.0, 3.0, f64::NAN],
            ..Outcomes::default()
        };
        let figures = groups.figures(&outcomes);
        let [ben, ann, nobody] = figures.as_slice() else {
            panic!("three groups");
        };
        assert_eq!((ben.jobs, ben.share, ben.wait.mean), (1, 0.5, 0.0));
        assert_eq!(
            (ann.jobs, ann.finished, ann.gpu_hours),
            (2, 2, 30.0 / 3600.0)
        );
        assert_eq!((ann.wait.mean, ann.jct.mean, ann.rho), (3.5, 18.5, 2.0));
        assert_eq!(
            (nobody.jobs, nobody.finished, nobody.called()),
            (1, 0, "(none)")
        );
        assert!(nobody.jct.mean.is_nan());
    }

    #[test]
    fn gangs_from_the_smallest_and_what_there_is_to_choose_from() {
        let workload = workload();
        let groups = Groups::of(By::Gang, &workload);
        assert_eq!(groups.names, ["1", "4"]);
        let told: Vec<&str> = By::told(&workload).map(By::word).collect();
        assert_eq!(told, ["user", "gang"]);
        for by in By::ALL {
            assert_eq!(by.word().parse(), Ok(by));
        }
        assert_eq!(
            "users".parse::<By>().unwrap_err().to_string(),
            "jobs are not told apart by 'users' (did you mean 'user'?): use user, account, partition, qos, reservation, tenant, model, gpu-type, gang"
        );
    }
}
