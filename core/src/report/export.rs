//! Results as files: the JSON and CSV that the command line prints and the page saves.

use super::{Distribution, Outcomes, Summary};
use crate::job::Work;
use crate::workload::{BindingRule, Workload};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The JSON of one or more runs of a trace. Times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Results {
    /// The trace.
    pub trace: TraceFacts,
    /// The cluster.
    pub cluster: ClusterFacts,
    /// One per policy.
    pub runs: Vec<RunResult>,
}

/// The trace of [`Results`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceFacts {
    /// The format's stable name, or `sample`.
    pub format: String,
    /// Jobs that can run or be rejected.
    pub jobs: usize,
    /// GPU-hours they ask for.
    pub gpu_hours: f64,
    /// Of adaptive jobs: how many train which application.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub applications: BTreeMap<String, u32>,
    /// By which rule plain jobs got their applications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<BindingRule>,
}

/// The cluster of [`Results`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClusterFacts {
    /// Nodes.
    pub nodes: u32,
    /// GPUs in all.
    pub gpus: u32,
}

/// One run of [`Results`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunResult {
    /// The canonical spec.
    pub policy: String,
    /// The seed.
    pub seed: u64,
    /// Jobs of the trace.
    pub jobs: u32,
    /// Jobs that ran to their end.
    pub finished: u32,
    /// Jobs wanting more GPUs than the cluster has.
    pub rejected: u32,
    /// Job completion time.
    pub jct: Distribution,
    /// Waiting over a job's whole life.
    pub queueing: Distribution,
    /// First submission to last finish.
    pub makespan: f64,
    /// Starts after a job's first.
    pub restarts: u32,
    /// Mean share of GPUs held.
    pub gpu_allocation: f64,
    /// What it cost: nodes rented × hours.
    pub node_hours: f64,
    /// Nodes rented on the mean.
    pub mean_nodes: f64,
    /// How evenly the cluster was shared.
    pub fairness: super::Fairness,
    /// The longest single wait.
    pub longest_wait: f64,
    /// Milliseconds of simulation alone.
    pub wall_ms: f64,
    /// Fingerprint of the log, 16 hexadecimal digits.
    pub log_hash: String,
    /// JCT of each finished job, by name; a name used twice gets its position behind a `#`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_job: Option<BTreeMap<String, f64>>,
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
            gpu_hours: gpu_seconds / 3600.0,
            applications,
            binding: None,
        }
    }
}

impl RunResult {
    /// Of a complete run.
    pub fn new(policy: String, seed: u64, summary: &Summary, wall_ms: f64, log_hash: u64) -> Self {
        Self {
            policy,
            seed,
            jobs: summary.jobs,
            finished: summary.finished,
            rejected: summary.rejected,
            jct: summary.jct,
            queueing: summary.queueing,
            makespan: summary.makespan,
            restarts: summary.restarts,
            gpu_allocation: summary.gpu_allocation,
            node_hours: summary.node_hours,
            mean_nodes: summary.mean_nodes,
            fairness: summary.fairness,
            longest_wait: summary.longest_wait,
            wall_ms,
            log_hash: format!("{log_hash:016x}"),
            per_job: None,
        }
    }
}

/// JCT of each finished job, by name; a name used twice gets its position behind a `#`.
pub fn jct_by_name(workload: &Workload, outcomes: &Outcomes) -> BTreeMap<String, f64> {
    let mut by_name = BTreeMap::new();
    let finished = workload.jobs.iter().zip(&outcomes.jct).enumerate();
    for (i, (job, &jct)) in finished.filter(|(_, (_, jct))| !jct.is_nan()) {
        let name = job.name.to_string();
        let key = if by_name.contains_key(&name) {
            format!("{name}#{i}")
        } else {
            name
        };
        by_name.insert(key, jct);
    }
    by_name
}

/// One row per job and run: what the trace says, and what came of it. Empty cells: not (yet) so.
pub fn jobs_csv<'a>(
    workload: &Workload,
    runs: impl IntoIterator<Item = (&'a str, &'a Outcomes)>,
) -> String {
    let mut csv = String::from(
        "policy,job,tenant,model,gpus,submit_s,duration_s,jct_s,queueing_s,first_wait_s,longest_wait_s,restarts,service_gpu_s,rho,rejected\n",
    );
    let number = |value: f64| {
        if value.is_nan() {
            String::new()
        } else {
            value.to_string()
        }
    };
    for (policy, outcomes) in runs {
        let policy = cell(policy);
        for (i, job) in workload.jobs.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = writeln!(
                csv,
                "{policy},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                cell(&job.name),
                name_of(&workload.tenants, job.tenant),
                name_of(&workload.models, job.model),
                job.gpus,
                job.submit.seconds(),
                job.work.seconds(),
                number(outcomes.jct[i]),
                number(outcomes.queueing[i]),
                number(outcomes.first_wait[i]),
                number(outcomes.longest_wait[i]),
                outcomes.restarts[i],
                outcomes.service[i],
                number(outcomes.rho[i]),
                outcomes.rejected[i],
            );
        }
    }
    csv
}

fn name_of(names: &[String], index: Option<u32>) -> String {
    let name = index.and_then(|index| names.get(index as usize));
    name.map_or_else(String::new, |name| cell(name))
}

/// A cell as RFC 4180 wants it.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::ClusterSpec;
    use crate::job::Job;
    use crate::{RunSpec, Time};
    use std::sync::Arc;

    #[test]
    fn every_job_is_a_row_and_names_are_quoted() {
        let job = |name: &str, gpus| Job {
            name: name.into(),
            submit: Time::ZERO,
            gpus,
            tenant: Some(0),
            model: None,
            work: Work::Fixed { duration: 10.0 },
        };
        let workload = Arc::new(Workload {
            jobs: vec![job("a,b", 1), job("a,b", 1), job("huge", 9)],
            tenants: vec!["say \"hi\"".into()],
            ..Default::default()
        });
        let spec = RunSpec {
            policy: "fifo".parse().unwrap(),
            cluster: ClusterSpec::uniform(1, 1).unwrap(),
            placement: Default::default(),
            options: Default::default(),
            history: None,
        };
        let mut run = spec.start(workload.clone());
        run.run().unwrap();
        let outcomes = Outcomes::of(&workload, &spec.cluster, run.log());
        let csv = jobs_csv(&workload, [("fifo", &outcomes)]);
        let rows: Vec<&str> = csv.lines().skip(1).collect();
        assert_eq!(
            rows,
            [
                "fifo,\"a,b\",\"say \"\"hi\"\"\",,1,0,10,10,0,0,0,0,10,0.5,false",
                "fifo,\"a,b\",\"say \"\"hi\"\"\",,1,0,10,20,10,10,10,0,10,1.3333333333333333,false",
                "fifo,huge,\"say \"\"hi\"\"\",,9,0,10,,,,0,0,0,,true",
            ]
        );
        let names: Vec<String> = jct_by_name(&workload, &outcomes).into_keys().collect();
        assert_eq!(names, ["a,b", "a,b#1"]);
    }
}
