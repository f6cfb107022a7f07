//! The job that is asked about: one of the trace, or one that is added at the moment; perhaps with other wishes than it
//! has.

use super::Refused;
use serde::{Deserialize, Serialize};
use switchyard::job::{Demand, Job, JobId, JobName, Work};
use switchyard::meant::hint;
use switchyard::policies::{label_of, leaves_of};
use switchyard::queues::membership::QueueSettings;
use switchyard::queues::rules::By;
use switchyard::queues::tree::{QueueId, QueueTree};
use switchyard::workload::{Label, LabelSet, Workload};
use switchyard::{Index, Time};

/// Which job is asked about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// One of the trace; `None`: one that is added at the moment.
    pub job: Option<JobId>,
    /// What it wishes; of a job of the trace only what is to be otherwise.
    pub wish: Wish,
}

impl Asked {
    /// The job of this name; the first, where there are several.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn named(workload: &Workload, name: &str) -> Result<JobId, Refused> {
        let mut jobs = workload.jobs.iter();
        match jobs.position(|job| *job.name == *name) {
            Some(at) => Ok(JobId(at as u32)),
            None => Err(Refused::NotNamed {
                name: name.to_owned(),
                meant: hint(name, workload.jobs.iter().map(|job| &*job.name)),
            }),
        }
    }
}

/// What a job wishes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wish {
    /// How many GPUs; by default as many as it has, or one.
    pub gpus: Option<u32>,
    /// Whose it is.
    pub user: Option<String>,
    /// Where it is submitted to.
    pub queue: Option<String>,
    /// Seconds that it asks for.
    pub limit: Option<f64>,
}

/// What of a job names its queue; `None`: its tenant.
pub(super) fn queue_of(workload: &Workload, queues: &QueueSettings) -> Option<Label> {
    let partitions = workload.recorded.labels.names(Label::Partition);
    match queues.by {
        By::Tenant if queues.tree.is_none() && !partitions.is_empty() => Some(Label::Partition),
        by => label_of(by),
    }
}

/// What of a job names its user; `None`: its tenant.
pub(super) fn user_of(workload: &Workload) -> Option<Label> {
    let names = workload.recorded.labels.names(Label::User);
    (!names.is_empty()).then_some(Label::User)
}

/// Whose the jobs are: the names.
pub fn users(workload: &Workload) -> &[String] {
    named(workload, user_of(workload))
}

/// Where jobs can be submitted to: the names.
pub fn queues<'a>(workload: &'a Workload, queues: &'a QueueSettings) -> Vec<&'a str> {
    match &queues.tree {
        Some(tree) => (tree.leaves())
            .map(|id| tree.queue(id).name.as_str())
            .collect(),
        None => (named(workload, queue_of(workload, queues)).iter())
            .map(String::as_str)
            .collect(),
    }
}

/// What jobs are called under a label, or their tenants.
fn named(workload: &Workload, label: Option<Label>) -> &[String] {
    match label {
        Some(label) => workload.recorded.labels.names(label),
        None => &workload.tenants,
    }
}

/// The queues that there are, but for that of a job; those with most jobs first.
pub(super) fn other_queues(workload: &Workload, queues: &QueueSettings, job: JobId) -> Vec<String> {
    if let Some(tree) = &queues.tree {
        return other_leaves(tree, &leaves_of(queues, workload, 1), job);
    }
    let label = queue_of(workload, queues);
    let own = word(workload, job, label);
    let mut counts = std::collections::BTreeMap::new();
    for id in (0..workload.jobs.len()).map(|id| JobId(id as u32)) {
        if let Some(word) = word(workload, id, label) {
            *counts.entry(word).or_insert(0_u32) += 1;
        }
    }
    let mut others: Vec<(&str, u32)> = counts.into_iter().collect();
    others.retain(|(word, _)| Some(*word) != own);
    others.sort_by_key(|&(_, jobs)| std::cmp::Reverse(jobs));
    others
        .into_iter()
        .map(|(word, _)| word.to_owned())
        .collect()
}

/// The same in a tree that was given; jobs may have one leaf more, which was not.
fn other_leaves(
    given: &QueueTree,
    (tree, leaves): &(QueueTree, Vec<QueueId>),
    job: JobId,
) -> Vec<String> {
    let own = leaves[job.index()];
    let mut counts = vec![0_u32; tree.queues().len()];
    for leaf in leaves {
        counts[leaf.index()] += 1;
    }
    let others = tree.leaves().filter(|&id| id != own);
    let others = others.map(|id| (counts[id.index()], tree.queue(id).name.as_str()));
    let mut others: Vec<(u32, &str)> = others
        .filter(|(_, name)| given.find(name).is_some())
        .collect();
    others.sort_by_key(|&(jobs, name)| (std::cmp::Reverse(jobs), name));
    let names = others.into_iter().map(|(_, name)| name.to_owned());
    names.collect()
}

impl Asked {
    /// Puts the job among those that have come by the moment, with what it wishes, and says which one it is.
    pub(super) fn put(
        &self,
        workload: &mut Workload,
        queues: &QueueSettings,
        moment: Time,
    ) -> Result<JobId, Refused> {
        let id = match self.job {
            Some(job) => job,
            None => self.add(workload, moment),
        };
        let Wish {
            gpus,
            user,
            queue,
            limit,
        } = &self.wish;
        if let Some(user) = user {
            let label = user_of(workload);
            name(workload, id, label, user);
        }
        if let Some(queue) = queue {
            let label = queue_of(workload, queues);
            name(workload, id, label, queue);
        }
        let job = &mut workload.jobs[id.index()];
        if let Some(gpus) = gpus {
            if *gpus == 0 {
                return Err(Refused::NoGpus);
            }
            job.gpus = *gpus;
            job.demand.share = job.demand.share.filter(|_| *gpus == 1);
        }
        if let Some(limit) = limit {
            if !(limit.is_finite() && *limit > 0.0) {
                return Err(Refused::Limit);
            }
            job.demand.time = Some(*limit);
        }
        Ok(id)
    }

    /// Adds a job at the moment: of the same tenant, account and so on as the last one of its user.
    fn add(&self, workload: &mut Workload, moment: Time) -> JobId {
        let last = self.wish.user.as_deref().and_then(|user| {
            let label = user_of(workload);
            let ids = (0..workload.jobs.len()).rev().map(|id| JobId(id as u32));
            let mut ids = ids.filter(|&id| word(workload, id, label) == Some(user));
            ids.next()
        });
        let tenant = last.and_then(|last| workload.jobs[last.index()].tenant);
        let sets = &mut workload.recorded.label_sets;
        let set = last.and_then(|last| sets.get(last.index()).copied().flatten());
        workload.jobs.push(Job {
            name: JobName::new(ADDED),
            submit: moment,
            gpus: 1,
            tenant,
            model: None,
            demand: Demand::default(),
            work: Work::Fixed { duration: 3600.0 },
        });
        if !sets.is_empty() {
            sets.push(set);
        }
        if !workload.recorded.priorities.is_empty() {
            workload.recorded.priorities.push(None);
        }
        JobId(workload.jobs.len() as u32 - 1)
    }
}

/// What a job that is added is called.
const ADDED: &str = "asked";

/// What a job is called under a label, or its tenant.
fn word(workload: &Workload, id: JobId, label: Option<Label>) -> Option<&str> {
    match label {
        Some(label) => workload.recorded.label(id, label),
        None => {
            let tenant = workload.jobs[id.index()].tenant?;
            workload.tenants.get(tenant as usize).map(String::as_str)
        }
    }
}

/// Gives a job this word, under a label or as its tenant.
fn name(workload: &mut Workload, id: JobId, label: Option<Label>, word: &str) {
    let find = |names: &mut Vec<String>| {
        let at = names.iter().position(|name| name == word);
        let at = at.unwrap_or_else(|| {
            names.push(word.to_owned());
            names.len() - 1
        });
        at as u32
    };
    let Some(label) = label else {
        workload.jobs[id.index()].tenant = Some(find(&mut workload.tenants));
        return;
    };
    let recorded = &mut workload.recorded;
    let at = find(&mut recorded.labels.names[label as usize]);
    recorded.label_sets.resize(workload.jobs.len(), None);
    let before = recorded.label_sets[id.index()];
    let before = before.and_then(|set| recorded.labels.sets.get(set.get() as usize));
    let mut set: LabelSet = before.copied().unwrap_or_default();
    set[label as usize] = Some(at);
    let sets = &mut recorded.labels.sets;
    let known = sets.iter().position(|of| *of == set);
    let known = known.unwrap_or_else(|| {
        sets.push(set);
        sets.len() - 1
    });
    recorded.label_sets[id.index()] = Index::new(known as u32);
}
