//! A run by whom its jobs are of: a row of figures for each user, account, partition and so on, and what part
//! of the cluster each held over time.

use super::{Better, Distribution, Metric, MetricGroup, MetricUnit, Outcomes, Unfinished};
use crate::cluster::ClusterSpec;
use crate::job::{Job, JobId, TypeSet};
use crate::meant::hint;
use crate::order;
use crate::sim::RunLog;
use crate::workload::{Label, Workload};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
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
    pub const WORDS: [&'static str; Self::ALL.len()] = {
        let mut words = [""; Self::ALL.len()];
        let mut at = 0;
        while at < words.len() {
            words[at] = Self::ALL[at].word();
            at += 1;
        }
        words
    };

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
    pub fn of_workload(workload: &Workload) -> impl Iterator<Item = Self> {
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
    /// By job: its group, if it is in one.
    pub of: Vec<u32>,
}

/// The group of who is in none.
const NO_GROUP: u32 = u32::MAX;

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

    /// The same of some jobs: the others are in no group.
    #[must_use]
    pub fn among(mut self, holds: impl Fn(JobId) -> bool) -> Self {
        for (job, group) in (0..).map(JobId).zip(&mut self.of) {
            if !holds(job) {
                *group = NO_GROUP;
            }
        }
        self
    }

    /// A job's group.
    pub(super) fn of_job(&self, job: JobId) -> Option<u32> {
        let group = self.of.get(job.index()).copied();
        group.filter(|group| *group != NO_GROUP)
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
                executed_gpu_hours: held / 3600.0,
                share: if total > 0.0 { held / total } else { f64::NAN },
                queueing: of(&outcomes.queueing),
                jct: of(&outcomes.jct),
                rho_mean: of(&outcomes.rho).mean,
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
            let Some(group) = self.of_job(segment.job) else {
                continue;
            };
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
                    held[group as usize] += gpus * inside / width;
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
    pub executed_gpu_hours: f64,
    /// The part of all that jobs held.
    pub share: f64,
    /// Waiting over their whole life, seconds.
    pub queueing: Distribution,
    /// Job completion time, seconds.
    pub jct: Distribution,
    /// Mean finish-time fairness ρ.
    pub rho_mean: f64,
}

/// A group's name for people.
pub(super) fn group_name(name: &str) -> &str {
    match name {
        "" => "(none)",
        name => name,
    }
}

impl GroupFigures {
    /// Its name for people.
    pub fn called(&self) -> &str {
        group_name(&self.name)
    }
}

/// A metric of a group of jobs.
#[derive(Clone, Copy, Debug)]
pub struct GroupMetric {
    /// The metric of runs that it is, over the group's jobs alone.
    pub metric: &'static Metric,
    /// Its former name in links.
    pub former: &'static str,
    /// Its value.
    pub of: fn(&GroupFigures) -> f64,
}

/// The only one that no run has: of a run it is all.
static SHARE: Metric = Metric {
    id: "share",
    title: "Share of all GPU-hours",
    meaning: "The part of all GPU-hours held that the group's jobs held.",
    formula: "",
    source: "",
    unit: MetricUnit::Share,
    better: Better::Neither,
    unfinished: Unfinished::SoFar,
    group: MetricGroup::Detail,
    path: "",
    aliases: &[],
    column: false,
    of: |_| 1.0,
};

const fn of_group(id: &str, former: &'static str, of: fn(&GroupFigures) -> f64) -> GroupMetric {
    GroupMetric {
        metric: Metric::of_id(id),
        former,
        of,
    }
}

/// What is told of every group, in the order in which it is shown. Links, files and tables have the metrics' ids.
pub static GROUP_METRICS: &[GroupMetric] = &[
    of_group("queueing_mean", "wait", |of| of.queueing.mean),
    of_group("queueing_p95", "wait-p95", |of| of.queueing.p95),
    of_group("jct_mean", "jct", |of| of.jct.mean),
    of_group("jct_p95", "jct-p95", |of| of.jct.p95),
    of_group("rho_mean", "rho", |of| of.rho_mean),
    of_group("executed_gpu_hours", "gpu-hours", |of| {
        of.executed_gpu_hours
    }),
    GroupMetric {
        metric: &SHARE,
        former: "share",
        of: |of| of.share,
    },
];

/// Their ids.
pub const GROUP_METRIC_IDS: [&str; GROUP_METRICS.len()] = {
    let mut ids = [""; GROUP_METRICS.len()];
    let mut at = 0;
    while at < ids.len() {
        ids[at] = GROUP_METRICS[at].metric.id;
        at += 1;
    }
    ids
};

/// Their former names in links, with the ids.
pub const GROUP_METRICS_FORMERLY: [(&str, &str); GROUP_METRICS.len()] = {
    let mut names = [("", ""); GROUP_METRICS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = (GROUP_METRICS[at].former, GROUP_METRICS[at].metric.id);
        at += 1;
    }
    names
};

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
    let columns = ["policy", by.word(), "jobs", "finished"];
    // Writing to memory cannot fail.
    let _ = csv.write_record(columns.into_iter().chain(GROUP_METRIC_IDS));
    for (policy, groups) in runs {
        for group in groups {
            let texts = [policy, &group.name].map(crate::spreadsheet::guarded);
            let counts = [group.jobs, group.finished].map(|count| count.to_string());
            let figures = GROUP_METRICS
                .iter()
                .map(|metric| number((metric.of)(group)));
            let texts = texts.into_iter().map(Cow::into_owned);
            let _ = csv.write_record(texts.chain(counts).chain(figures));
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
        assert_eq!((ben.jobs, ben.share, ben.queueing.mean), (1, 0.5, 0.0));
        assert_eq!(
            (ann.jobs, ann.finished, ann.executed_gpu_hours),
            (2, 2, 30.0 / 3600.0)
        );
        assert_eq!(
            (ann.queueing.mean, ann.jct.mean, ann.rho_mean),
            (3.5, 18.5, 2.0)
        );
        assert_eq!(
            (nobody.jobs, nobody.finished, nobody.called()),
            (1, 0, "(none)")
        );
        assert!(nobody.jct.mean.is_nan());
    }

    /// Numbers of a group or a GPU type are called as those of a run are, but for what no run has.
    #[test]
    fn keys_are_the_ids_of_metrics() {
        let of_group = GroupFigures {
            name: String::new(),
            jobs: 1,
            finished: 1,
            executed_gpu_hours: 2.0,
            share: 0.5,
            queueing: Distribution::default(),
            jct: Distribution::default(),
            rho_mean: 1.0,
        };
        let values = [
            serde_json::to_value(&of_group),
            serde_json::to_value(crate::TypeFigures::default()),
        ];
        for (value, own) in values.into_iter().zip(["share", "gpus"]) {
            for (key, value) in value.unwrap().as_object().unwrap() {
                let path = match value.is_object() {
                    true => format!("{key}.mean"),
                    false => key.clone(),
                };
                let id = Metric::named(&path).map(|metric| metric.id);
                let is_current = id.is_some_and(|id| id == key || *key != path);
                assert!(is_current || key == own || value.is_string(), "{key}");
            }
        }
        let known = |metric: &GroupMetric| !(metric.of)(&of_group).is_nan();
        assert!(
            GROUP_METRICS
                .iter()
                .all(|of| known(of) || of.metric.unit == MetricUnit::Seconds)
        );
        let csv = groups_csv(By::Gang, [("fifo", &[of_group][..])]);
        let head = "policy,gang,jobs,finished,queueing_mean,queueing_p95,jct_mean,jct_p95,rho_mean,\
                    executed_gpu_hours,share";
        assert_eq!(csv.lines().next(), Some(head));
        assert!(csv.ends_with(",1,2,0.5\n"), "{csv}");
    }

    #[test]
    fn gangs_from_the_smallest_and_what_there_is_to_choose_from() {
        let workload = workload();
        let groups = Groups::of(By::Gang, &workload);
        assert_eq!(groups.names, ["1", "4"]);
        let told: Vec<&str> = By::of_workload(&workload).map(By::word).collect();
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
