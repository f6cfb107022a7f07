//! Results as files: the JSON and CSV that the command line prints and the page saves.

use super::{
    By, Calibration, Distribution, Fairness, GroupFigures, Groups, Outcomes, QueueDifference,
    QueueReport, ServerFigures, Summary, TypeFigures, by_gpu_type,
};
use crate::Resource;
use crate::RunSpec;
use crate::application::Application;
use crate::cluster::ClusterSpec;
use crate::job::{JobId, Status, Work};
use crate::sim::{RunLog, SimOptions, StopCause};
use crate::spreadsheet::guarded;
use crate::workload::{ApplicationSettings, BindingRule, Label, Workload};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use switchyard_queues::text;

/// The JSON of one or more runs of a trace. Times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Results {
    /// The trace.
    pub trace: TraceFacts,
    /// The cluster.
    pub cluster: ClusterFacts,
    /// The published simulator whose semantics the runs took on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Over how many jobs the runs are compared, where that was asked for: those that finished in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_in_all: Option<u32>,
    /// One per policy, or of each policy one per tree of queues.
    pub runs: Vec<RunResult>,
    /// Queue by queue, what differs between the first run and each other, where figures by queue were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queues_apart: Vec<QueuesApart>,
}

/// What differs between two runs of [`Results`], queue by queue.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueuesApart {
    /// The first run's label.
    pub first: String,
    /// The other's.
    pub second: String,
    /// By leaf of the first run.
    pub queues: Vec<QueueDifference>,
}

/// The trace of [`Results`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceFacts {
    /// The format's stable name, or `sample`.
    pub format: String,
    /// Jobs that can run or be rejected.
    pub jobs: usize,
    /// Those of them that ask for no GPU: they run on cores beside what schedulers decide.
    #[serde(skip_serializing_if = "is_none")]
    pub on_cores: usize,
    /// What all figures of GPUs count: theirs, and those of the cluster and the runs.
    pub unit: Resource,
    /// GPU-hours they ask for, or core-hours where cores are counted.
    pub gpu_hours: f64,
    /// The member of an archive that was opened, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// Which columns hold what, where that was said, as `--map` has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<String>,
    /// Which jobs of the trace they are, as `key=value` of the command line's flags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choice: Vec<String>,
    /// Of adaptive jobs: how many train which application.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub applications: BTreeMap<String, u32>,
    /// By which rule plain jobs got their applications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<BindingRule>,
    /// The tables of measured profiles that stand in for the embedded applications.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<String>,
    /// The applications that were defined, in JSON.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<String>,
}

fn is_none(jobs: &usize) -> bool {
    *jobs == 0
}

/// The cluster of [`Results`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClusterFacts {
    /// As text: `8x8+4x4`.
    pub spec: String,
    /// Nodes.
    pub nodes: u32,
    /// GPUs in all.
    pub gpus: u32,
    /// What they are.
    pub unit: Resource,
}

/// One run of [`Results`]: its settings and its [`Summary`], side by side in JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunResult {
    /// The canonical spec.
    pub policy: String,
    /// The same for people: of a script or a plug-in without its code.
    pub label: String,
    /// How gangs are laid on nodes, unless the policy says otherwise.
    pub placement: String,
    /// Nodes that fail or are drained, as text; "" if none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub outages: String,
    /// All other settings, the seed among them.
    #[serde(flatten)]
    pub options: SimOptions,
    /// What came of it.
    #[serde(flatten)]
    pub summary: Summary,
    /// The same by GPU type, where the cluster says types.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_gpu_type: Vec<TypeFigures>,
    /// The same by whom jobs are of, where that was asked for: a list for each thing asked.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub by: BTreeMap<&'static str, Vec<GroupFigures>>,
    /// The tree of queues, as text; "" if none was given.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub queues: String,
    /// What it did, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_queue: Option<QueueReport>,
    /// How close it comes to what the trace records, where that tells waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// Where parameter servers were, if jobs have some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter_servers: Option<ServerFigures>,
    /// Milliseconds of simulation alone.
    pub wall_ms: f64,
    /// Fingerprint of the log, 16 hexadecimal digits.
    pub log_hash: String,
    /// The same over the jobs that finished in all runs, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_finished_in_all: Option<JobFigures>,
    /// JCT of each finished job, as [`jct_by_name`] has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_job: Option<BTreeMap<String, f64>>,
}

/// What a [`Summary`] over some jobs ([`Summary::over`]) says of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct JobFigures {
    /// How many they are.
    pub jobs: u32,
    /// Their job completion times.
    pub jct: Distribution,
    /// Their waiting.
    pub queueing: Distribution,
    /// Their first submission to their last finish.
    pub makespan: f64,
    /// Their starts after the first.
    pub restarts: u32,
    /// How evenly they were treated.
    pub fairness: Fairness,
    /// The longest single wait of any of them.
    pub longest_wait: f64,
}

impl From<&Summary> for JobFigures {
    /// Every field is named, so that one that is added to [`Summary`] has to be sorted: of the jobs, or of the cluster.
    fn from(of: &Summary) -> Self {
        let Summary {
            jobs,
            finished: _,
            rejected: _,
            jct,
            queueing,
            makespan,
            restarts,
            gpu_allocation: _,
            node_hours: _,
            mean_nodes: _,
            fairness,
            longest_wait,
            failures: _,
        } = *of;
        Self {
            jobs,
            jct,
            queueing,
            makespan,
            restarts,
            fairness,
            longest_wait,
        }
    }
}

impl TraceFacts {
    /// Of a workload opened from a trace of this format.
    pub fn of(format: &str, workload: &Workload) -> Self {
        let gpu_seconds: f64 = workload
            .jobs
            .iter()
            .map(|job| job.work.seconds() * f64::from(job.gpus))
            .sum();
        let mut applications = BTreeMap::new();
        for job in &workload.jobs {
            if let Work::Adaptive { application, .. } = job.work
                && let Some(application) = workload.applications.get(application as usize)
            {
                *applications
                    .entry(application.name.to_string())
                    .or_default() += 1;
            }
        }
        Self {
            format: format.to_string(),
            jobs: workload.jobs.len(),
            on_cores: workload.on_cores(),
            unit: workload.unit,
            gpu_hours: gpu_seconds / 3600.0,
            member: None,
            columns: None,
            choice: Vec::new(),
            applications,
            binding: None,
            profiles: Vec::new(),
            definitions: Vec::new(),
        }
    }

    /// The same of jobs that train applications; `plain`: by the rule.
    pub fn training(self, settings: &ApplicationSettings, plain: bool) -> Self {
        let rule = settings.rule.parse().ok().filter(|_| plain);
        let definitions = settings.definitions.iter();
        let definitions = definitions.map(|text| Application::compact_json(text));
        Self {
            binding: rule.map(|rule| BindingRule {
                seed: settings.seed,
                ..rule
            }),
            profiles: settings.profiles.iter().map(|of| of.path.clone()).collect(),
            definitions: definitions.collect(),
            ..self
        }
    }
}

impl ClusterFacts {
    /// Of a cluster whose nodes have so many of this.
    pub fn of(cluster: &ClusterSpec, unit: Resource) -> Self {
        Self {
            spec: cluster.to_string(),
            nodes: cluster.nodes(),
            gpus: cluster.gpus(),
            unit,
        }
    }
}

impl Results {
    /// Numbers different policies that are called the same, as two scripts may be: `script[name=mine]`,
    /// `script[name=mine] #2`.
    pub fn tell_apart(&mut self) {
        let called: Vec<(String, String)> = self
            .runs
            .iter()
            .map(|run| (run.label.clone(), run.policy.clone()))
            .collect();
        for run in &mut self.runs {
            let mut namesakes: Vec<&str> = Vec::new();
            for (label, policy) in &called {
                if *label == run.label && !namesakes.contains(&policy.as_str()) {
                    namesakes.push(policy);
                }
            }
            let place = namesakes.iter().position(|policy| *policy == run.policy);
            if let Some(place) = place.filter(|place| *place > 0) {
                run.label.push_str(&format!(" #{}", place + 1));
            }
        }
    }
}

impl RunResult {
    /// Of a complete run and all that its log tells but for single jobs; `groups`: by whom figures are asked for.
    pub fn of(
        run: &RunSpec,
        workload: &Workload,
        log: &RunLog,
        outcomes: &Outcomes,
        groups: &[(By, Groups)],
        wall_ms: f64,
    ) -> Self {
        let summary = Summary::of_outcomes(outcomes, &run.cluster, log);
        Self {
            by_gpu_type: by_gpu_type(&run.cluster, log, outcomes),
            by: groups
                .iter()
                .map(|(by, groups)| (by.word(), groups.figures(outcomes)))
                .collect(),
            calibration: Calibration::of(workload, outcomes),
            parameter_servers: ServerFigures::of(log),
            ..Self::new(run, &summary, wall_ms, log.hash())
        }
    }

    /// Of a complete run, by its summary.
    pub fn new(run: &RunSpec, summary: &Summary, wall_ms: f64, log_hash: u64) -> Self {
        Self {
            policy: run.policy.to_string(),
            label: run.policy.label(),
            placement: run.placement.to_string(),
            outages: run.outages.to_string(),
            options: run.options,
            summary: *summary,
            by_gpu_type: Vec::new(),
            by: BTreeMap::new(),
            queues: (run.queues.tree.as_ref()).map_or_else(String::new, |tree| text::line(tree)),
            by_queue: None,
            calibration: None,
            parameter_servers: None,
            wall_ms,
            log_hash: format!("{log_hash:016x}"),
            over_finished_in_all: None,
            per_job: None,
        }
    }
}

/// JCT of each finished job, by name. Of jobs that share one, all but the first have their number
/// among them behind it, as `name#2`; where another job is called that, the next number. So a job
/// has the same key in every run of its trace.
pub fn jct_by_name(workload: &Workload, outcomes: &Outcomes) -> BTreeMap<String, f64> {
    let names: BTreeSet<&str> = workload.jobs.iter().map(|job| &*job.name).collect();
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut by_name = BTreeMap::new();
    for (job, &jct) in workload.jobs.iter().zip(&outcomes.jct) {
        let count = seen.entry(&job.name).or_insert(0);
        *count += 1;
        let mut key = job.name.to_string();
        if *count > 1 {
            key = format!("{}#{count}", job.name);
            while names.contains(key.as_str()) {
                *count += 1;
                key = format!("{}#{count}", job.name);
            }
        }
        if !jct.is_nan() {
            by_name.insert(key, jct);
        }
    }
    by_name
}

/// One row for each of these jobs and each run: what the trace says, and what came of it. Empty cells: not (yet) so.
/// No text is a formula in a spreadsheet.
pub fn jobs_csv<'a>(
    workload: &Workload,
    runs: impl IntoIterator<Item = (&'a str, &'a Outcomes)>,
    is_meant: &dyn Fn(JobId) -> bool,
) -> String {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let number = |value: f64| {
        if value.is_nan() {
            String::new()
        } else {
            value.to_string()
        }
    };
    // What the trace does not tell of any job has no column.
    let recorded = &workload.recorded;
    let labels: Vec<Label> = recorded.labels.told().collect();
    let words = labels.iter().map(|label| label.word());
    let waits = recorded.tells_runs().then_some("recorded_wait_s");
    // Writing to memory cannot fail.
    let _ = csv.write_record(COLUMNS.iter().copied().chain(words).chain(waits));
    for (policy, outcomes) in runs {
        let policy = guarded(policy);
        for (i, job) in workload.jobs.iter().enumerate() {
            let id = JobId(i as u32);
            if !is_meant(id) {
                continue;
            }
            let cells = [
                &*policy,
                &guarded(&job.name),
                &name_of(&workload.tenants, job.tenant),
                &name_of(&workload.models, job.model),
                &job.gpus.to_string(),
                &job.submit.seconds().to_string(),
                &job.work.seconds().to_string(),
                &number(job.demand.time.unwrap_or(f64::NAN)),
                &number(outcomes.jct[i]),
                &number(outcomes.queueing[i]),
                &number(outcomes.first_wait[i]),
                &number(outcomes.longest_wait[i]),
                &outcomes.restarts[i].to_string(),
                &outcomes.service[i].to_string(),
                &number(outcomes.rho[i]),
                &outcomes.evictions[i].to_string(),
                &outcomes.failed_attempts[i].to_string(),
                &outcomes.lost[i].to_string(),
                outcomes.ended[i].map_or("", ended),
                &outcomes.rejected[i].to_string(),
            ];
            for cell in cells {
                let _ = csv.write_field(cell);
            }
            for label in &labels {
                let name = recorded.label(id, *label).unwrap_or_default();
                let _ = csv.write_field(&*guarded(name));
            }
            if waits.is_some() {
                let _ = csv.write_field(number(recorded.wait(id, job).unwrap_or(f64::NAN)));
            }
            let _ = csv.write_record(None::<&[u8]>);
        }
    }
    let bytes = csv.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

fn name_of(names: &[String], index: Option<u32>) -> Cow<'_, str> {
    let name = index.and_then(|index| names.get(index as usize));
    name.map_or(Cow::default(), |name| guarded(name))
}

/// How a job ended, in the word of its trace, or as Slurm says it of a time limit; "" where it was tried again.
pub fn ended(cause: StopCause) -> &'static str {
    match cause {
        StopCause::Retried => "",
        StopCause::Failed => Status::Failed.word(),
        StopCause::NodeFailed => Status::NodeFailed.word(),
        StopCause::Cancelled => Status::Cancelled.word(),
        StopCause::TimedOut => "timeout",
    }
}

const COLUMNS: &[&str] = &[
    "policy",
    "job",
    "tenant",
    "model",
    "gpus",
    "submit_s",
    "duration_s",
    "requested_s",
    "jct_s",
    "queueing_s",
    "first_wait_s",
    "longest_wait_s",
    "restarts",
    "service_gpu_s",
    "rho",
    "evictions",
    "failed_attempts",
    "lost_gpu_s",
    "ended",
    "rejected",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunSpec;
    use crate::cluster::ClusterSpec;
    use crate::job::{Demand, Job};
    use std::sync::Arc;

    #[test]
    fn every_job_is_a_row_and_names_are_quoted_and_no_formulas() {
        let job = |name: &str, gpus, time| Job {
            name: name.into(),
            tenant: Some(0),
            demand: Demand {
                time,
                ..Demand::default()
            },
            ..Job::plain(0.0, gpus, 10.0)
        };
        let workload = Arc::new(Workload {
            jobs: vec![
                job("a,b", 1, None),
                job("a,b", 1, Some(7.5)),
                job("huge", 9, None),
            ],
            tenants: vec!["=say \"hi\"".into()],
            ..Default::default()
        });
        let spec = RunSpec::new("fifo".parse().unwrap(), ClusterSpec::uniform(1, 1).unwrap());
        let mut run = spec.start(workload.clone());
        run.run().unwrap();
        let outcomes = Outcomes::of(&workload, &spec.cluster, run.log());
        let csv = jobs_csv(&workload, [("fifo", &outcomes)], &|_| true);
        let rows: Vec<&str> = csv.lines().skip(1).collect();
        assert_eq!(
            rows,
            [
                "fifo,\"a,b\",\"'=say \"\"hi\"\"\",,1,0,10,,10,0,0,0,0,10,0.5,0,0,0,,false",
                "fifo,\"a,b\",\"'=say \"\"hi\"\"\",,1,0,10,7.5,20,10,10,10,0,10,1.3333333333333333,0,0,0,,false",
                "fifo,huge,\"'=say \"\"hi\"\"\",,9,0,10,,,,,0,0,0,,0,0,0,,true",
            ]
        );
        let names: Vec<String> = jct_by_name(&workload, &outcomes).into_keys().collect();
        assert_eq!(names, ["a,b", "a,b#2"]);
    }

    #[test]
    fn jobs_of_one_name_keep_an_entry_each() {
        let names = ["a", "a", "a#2", "b", "a", "a#2", "a#2#2"];
        let job = |name: &&str| Job {
            name: (*name).into(),
            ..Job::plain(0.0, 1, 10.0)
        };
        let workload = Workload {
            jobs: names.iter().map(job).collect(),
            ..Default::default()
        };
        let keys = |unfinished: usize| {
            let jct = (0..names.len()).map(|at| match at == unfinished {
                true => f64::NAN,
                false => at as f64,
            });
            let outcomes = Outcomes {
                jct: jct.collect(),
                ..Default::default()
            };
            let by_name = jct_by_name(&workload, &outcomes);
            let keys = by_name.iter().map(|(name, at)| (*at as u32, name.clone()));
            keys.collect::<BTreeMap<u32, String>>()
        };
        let all = keys(names.len());
        let expected = ["a", "a#3", "a#2", "b", "a#4", "a#2#3", "a#2#2"];
        assert_eq!(all.values().collect::<Vec<_>>(), expected);
        // What is not finished takes no other's name.
        for (at, name) in keys(0) {
            assert_eq!(all.get(&at), Some(&name));
        }
        assert_eq!(keys(0).len(), names.len() - 1);
    }
}
