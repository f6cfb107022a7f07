//! A job's whole life and what all jobs of a run spent theirs on, as files tell them: with names, and shares. In: a run
//! that noted them. Out: what is written as JSON, the same by every front end.

use crate::driver::Driver;
use crate::whom::Whom;
use serde::Serialize;
use switchyard::RunSpec;
use switchyard::explain::{Cause, Slowness, Spent};
use switchyard::job::JobId;
use switchyard::report::{GroupLives, LifePart, Lives, life_parts};
use switchyard::workload::Workload;

/// What a run has to note to tell what all its jobs spent their lives on, together or by group.
pub fn lives_of(whom: Option<Whom>, spec: &RunSpec, workload: &Workload) -> Lives {
    let (tree, leaf_of) = spec.leaves(workload);
    match whom {
        None => Lives::of_all(leaf_of),
        Some(Whom::Jobs(by)) => Lives::by(by, workload, leaf_of),
        Some(Whom::Queue) => Lives::by_queue(&tree, leaf_of),
    }
}

/// A job that caused something, and how much of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct By {
    /// Its name.
    pub job: String,
    /// Seconds of a job's life; of all jobs' GPU-hours.
    pub caused: f64,
}

/// What a job, or all of a group, spent on one thing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// On what: its id.
    pub spent: &'static str,
    /// The law that slowed, or nothing.
    pub law: Option<String>,
    /// Seconds of a job's life; of all jobs' GPU-hours.
    pub amount: f64,
    /// Of all there is.
    pub share: f64,
    /// Who caused it, most first; of all jobs those who caused most.
    pub by: Vec<By>,
}

/// A job's life under a policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobLife {
    /// The policy, in full.
    pub policy: String,
    /// The job's name.
    pub job: String,
    /// From its submission to its end, or to the end of the run; seconds. 0 of a job that was rejected.
    pub seconds: f64,
    /// What they were spent on, most first; amounts in seconds.
    pub parts: Vec<Part>,
}

/// What the jobs of a run spent their lives on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunLives {
    /// The policy, in full.
    pub policy: String,
    /// All jobs together, or each group.
    pub groups: Vec<LivesOf>,
}

/// The jobs of a group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LivesOf {
    /// The group's name; "" of jobs that are told nothing, and of all jobs.
    pub name: String,
    /// How many were admitted.
    pub jobs: u32,
    /// GPU-hours from their submission to their end.
    pub gpu_hours: f64,
    /// Those of them that they waited, by the GPUs asked for.
    pub waited_gpu_hours: f64,
    /// What they were spent on, most first; amounts in GPU-hours.
    pub parts: Vec<Part>,
}

/// The parts of a job's life, and how fast it ran, of a run that noted them.
pub fn parts_of(
    run: &mut Driver,
    job: JobId,
    spec: &RunSpec,
    workload: &Workload,
) -> (Vec<LifePart>, Slowness) {
    let (life, slowness) = (run.take_life(), run.take_slowness());
    let (_, leaf_of) = spec.leaves(workload);
    let parts = life_parts(&life, &slowness, job, &leaf_of, run.log());
    (parts, slowness)
}

impl JobLife {
    /// In files.
    pub fn of(parts: &[LifePart], job: JobId, spec: &RunSpec, workload: &Workload) -> Self {
        let seconds = parts.iter().fold(0.0, |all, part| all + part.seconds);
        let parts = parts.iter().map(|part| Part {
            spent: part.spent.id(),
            law: law(&part.law),
            amount: part.seconds,
            share: part.seconds / seconds,
            by: named(&part.by, workload),
        });
        Self {
            policy: spec.policy.to_string(),
            job: name(job, workload),
            seconds,
            parts: parts.collect(),
        }
    }
}

impl RunLives {
    /// In files.
    pub fn of(groups: &[GroupLives], spec: &RunSpec, workload: &Workload) -> Self {
        let groups = groups.iter().map(|group| LivesOf {
            name: group.name.clone(),
            jobs: group.jobs,
            gpu_hours: group.gpu_hours,
            waited_gpu_hours: group.waited(),
            parts: group
                .parts
                .iter()
                .map(|part| Part {
                    spent: part.spent.id(),
                    law: law(&part.law),
                    amount: part.gpu_hours,
                    share: part.gpu_hours / group.gpu_hours,
                    by: named(&part.by, workload),
                })
                .collect(),
        });
        Self {
            policy: spec.policy.to_string(),
            groups: groups.collect(),
        }
    }
}

/// What people call a cause: "slowed by contention".
pub fn title(spent: Spent, law: &str) -> String {
    match law {
        "" => spent.title().to_owned(),
        law => format!("{} by {}", spent.title(), Cause::of_law(law)),
    }
}

fn law(law: &str) -> Option<String> {
    (!law.is_empty()).then(|| law.to_owned())
}

fn name(job: JobId, workload: &Workload) -> String {
    let job = workload.jobs.get(job.index());
    job.map_or_else(String::new, |job| job.name.to_string())
}

fn named(by: &[(JobId, f64)], workload: &Workload) -> Vec<By> {
    let by = by.iter().map(|(job, caused)| By {
        job: name(*job, workload),
        caused: *caused,
    });
    by.collect()
}
