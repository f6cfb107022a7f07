//! What the jobs of a whole run spent their lives on, together or by group: GPU-hours by cause, and because of whom. In:
//! a run after each of its steps, and its log at the end. Out: [`GroupLives`].
//!
//! How long jobs held GPUs, were restored and waited is exact: the log tells it. What they waited for, and what slowed
//! them, is asked at moments, of some of them: up to 48 at a time, each of which stands for others.

use super::By;
use super::by::{Groups, group_name};
use crate::job::JobId;
use crate::order;
use crate::sim::{EventKind, RunLog, Simulation};
use crate::workload::Workload;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use switchyard_explain::Spent;
use switchyard_model::Time;
use switchyard_queues::tree::{QueueId, QueueTree};

/// At most so many jobs that wait are asked at a moment, and as many that run.
const ASKED: usize = 48;
/// After so many moments only every second step is one, then every fourth and so on.
const MOMENTS: u32 = 1024;
/// So many of those who hold GPUs are charged with a job's waiting at a moment.
const CHARGED: usize = 4;
/// So many jobs of those who caused it are told of a part.
const TOLD: usize = 16;

/// What the jobs of a group spent their lives on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupLives {
    /// The group's name; "" of jobs that are told nothing, and of all jobs together.
    pub name: String,
    /// Its jobs that were admitted.
    pub jobs: u32,
    /// GPU-hours from submission to end, or to the end of the run: the GPUs asked for while they wait, those held else.
    pub gpu_hours: f64,
    /// On what, most first.
    pub parts: Vec<GroupPart>,
}

/// What they spent on one thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupPart {
    /// On what.
    pub spent: Spent,
    /// The law that slowed them, if they were slowed; else empty.
    pub law: String,
    /// GPU-hours.
    pub gpu_hours: f64,
    /// Who caused most of it, and the GPU-hours that each is charged with, most first.
    pub by: Vec<(JobId, f64)>,
}

impl GroupLives {
    /// Its name for people.
    pub fn called(&self) -> &str {
        group_name(&self.name)
    }

    /// The group of this name; an empty one where there is none.
    pub fn named(groups: &[Self], name: &str) -> Self {
        let found = groups.iter().find(|of| of.name == name);
        found.cloned().unwrap_or_default()
    }

    /// GPU-hours of waiting.
    pub fn waited(&self) -> f64 {
        let waited = self.parts.iter().filter(|part| part.spent.is_waiting());
        waited.fold(0.0, |all, part| all + part.gpu_hours)
    }
}

/// What runs spent by group, as CSV: a row for each run, group and cause. No text is a formula in a spreadsheet.
pub fn lives_csv<'a>(runs: impl IntoIterator<Item = (&'a str, &'a [GroupLives])>) -> String {
    let mut csv = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = csv.write_record([
        "policy",
        "group",
        "jobs",
        "spent",
        "law",
        "gpu_hours",
        "share",
    ]);
    for (policy, groups) in runs {
        for group in groups {
            let texts = [policy, &group.name].map(crate::spreadsheet::guarded);
            for part in &group.parts {
                let _ = csv.write_record([
                    &texts[0],
                    &texts[1],
                    &*group.jobs.to_string(),
                    part.spent.id(),
                    &part.law,
                    &part.gpu_hours.to_string(),
                    &(part.gpu_hours / group.gpu_hours).to_string(),
                ]);
            }
        }
    }
    let bytes = csv.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// A group, and what was spent on: a cause, and the law that slowed.
type Key = (u32, Spent, String);

/// Watches a run.
#[derive(Clone, Debug)]
pub struct Lives {
    groups: Groups,
    /// By job: its queue.
    leaf_of: Vec<QueueId>,
    /// GPU·s, and by whom, as far as it is settled.
    seen: BTreeMap<Key, Seen>,
    /// Since the last moment: what holds, in GPUs, and because of whom.
    now: Vec<(Key, f64, Vec<JobId>)>,
    last: Time,
    moments: u32,
    /// Steps since the last moment.
    since: u32,
    /// One step of so many is a moment, less one.
    skips: u32,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    gpu_seconds: f64,
    by: BTreeMap<JobId, f64>,
}

impl Lives {
    /// Of a run that has not begun, whose jobs are in these queues; of all jobs together.
    pub fn of_all(leaf_of: Vec<QueueId>) -> Self {
        let groups = Groups {
            names: vec![String::new()],
            of: vec![0; leaf_of.len()],
        };
        Self::of(groups, leaf_of)
    }

    /// The same, by what jobs are told apart by.
    pub fn by(by: By, workload: &Workload, leaf_of: Vec<QueueId>) -> Self {
        Self::of(Groups::of(by, workload), leaf_of)
    }

    /// The same, by their queues.
    pub fn by_queue(tree: &QueueTree, leaf_of: Vec<QueueId>) -> Self {
        let mut leaves = leaf_of.clone();
        order::sort_by(&mut leaves, |a, b| a.0.cmp(&b.0));
        leaves.dedup();
        let place = |leaf: &QueueId| leaves.iter().position(|of| of == leaf);
        let groups = Groups {
            names: leaves
                .iter()
                .map(|leaf| tree.queue(*leaf).name.clone())
                .collect(),
            of: leaf_of
                .iter()
                .map(|leaf| place(leaf).unwrap_or(0) as u32)
                .collect(),
        };
        Self::of(groups, leaf_of)
    }

    fn of(groups: Groups, leaf_of: Vec<QueueId>) -> Self {
        Self {
            groups,
            leaf_of,
            seen: BTreeMap::new(),
            now: Vec::new(),
            last: Time::ZERO,
            moments: 0,
            since: 0,
            skips: 0,
        }
    }

    /// The same of some jobs: what the others do is not told, but what they cause is.
    #[must_use]
    pub fn among(self, holds: impl Fn(JobId) -> bool) -> Self {
        let groups = self.groups.among(holds);
        Self { groups, ..self }
    }

    /// After a step.
    pub fn note(&mut self, run: &Simulation, workload: &Workload) {
        self.since += 1;
        if self.since <= self.skips {
            return;
        }
        self.since = 0;
        self.moments += 1;
        if self.moments == MOMENTS {
            self.moments = 0;
            self.skips = 2 * self.skips + 1;
        }
        self.settle(run.progress().now);
        let running: Vec<(JobId, f64)> = run.running().collect();
        self.ask_waiting(run, workload, &running);
        if run.slows_jobs() {
            self.ask_running(run, &running);
        }
    }

    fn ask_waiting(&mut self, run: &Simulation, workload: &Workload, running: &[(JobId, f64)]) {
        let waiting = run.waiting().filter(|job| self.is_asked(*job));
        let waiting = waiting.map(|job| (job, wants(workload, job)));
        for (job, gpus, place) in some_of(&waiting.collect::<Vec<_>>(), self.moments) {
            let (spent, head) = run.waits_for(job);
            let leaf = |of: JobId| self.leaf_of.get(of.index());
            let by = match spent {
                Spent::BehindHead => head.into_iter().collect(),
                Spent::Outranked | Spent::NodesAway => holders(running, place),
                Spent::Quota => {
                    let same = running.iter().filter(|(of, _)| leaf(*of) == leaf(job));
                    holders(&same.copied().collect::<Vec<_>>(), place)
                }
                _ => Vec::new(),
            };
            let key = (self.group(job), spent, String::new());
            self.now.push((key, gpus, by));
        }
    }

    fn ask_running(&mut self, run: &Simulation, running: &[(JobId, f64)]) {
        let own = running.iter().filter(|(job, _)| self.is_asked(*job));
        for (job, gpus, place) in some_of(&own.copied().collect::<Vec<_>>(), self.moments) {
            let Some((speed, causes)) = run.speed(job) else {
                continue;
            };
            let all: f64 = causes.iter().map(|cause| 1.0 - cause.factor).sum();
            for cause in causes.into_iter().filter(|_| all > 0.0) {
                let lost = gpus * (1.0 - speed) * (1.0 - cause.factor) / all;
                let key = (self.group(job), Spent::Slowed, cause.law);
                self.now.push((key, lost, holders(&cause.by, place)));
            }
        }
    }

    fn group(&self, job: JobId) -> u32 {
        self.groups.of_job(job).unwrap_or(0)
    }

    fn is_asked(&self, job: JobId) -> bool {
        self.groups.of_job(job).is_some()
    }

    fn settle(&mut self, now: Time) {
        let passed = now - self.last;
        self.last = now;
        for (key, gpus, by) in self.now.drain(..) {
            let seen = self.seen.entry(key).or_default();
            seen.gpu_seconds += gpus * passed;
            let each = gpus * passed / by.len().max(1) as f64;
            for job in by {
                *seen.by.entry(job).or_default() += each;
            }
        }
    }

    /// What it came to, by the log of the run and the time that it has reached.
    pub fn close(mut self, workload: &Workload, log: &RunLog, now: Time) -> Vec<GroupLives> {
        self.settle(now);
        let exact = Exact::of(workload, log, now);
        let count = self.groups.names.len();
        let mut told: Vec<(GroupLives, Exact)> = Vec::with_capacity(count);
        for name in &self.groups.names {
            let group = GroupLives {
                name: name.clone(),
                ..Default::default()
            };
            told.push((group, Exact::default()));
        }
        for (job, of) in exact.into_iter().enumerate() {
            let group = self.groups.of_job(JobId(job as u32));
            let Some((group, sum)) = group.and_then(|group| told.get_mut(group as usize)) else {
                continue;
            };
            group.jobs += u32::from(of.is_admitted);
            sum.waited += of.waited;
            sum.ran += of.ran;
            sum.restarted += of.restarted;
        }
        let mut seen: Vec<Vec<(Key, Seen)>> = Vec::new();
        seen.resize_with(count, Vec::new);
        for (key, of) in self.seen {
            if let Some(group) = seen.get_mut(key.0 as usize) {
                group.push((key, of));
            }
        }
        let groups = told.into_iter().zip(seen);
        groups
            .map(|((mut group, sum), seen)| {
                group.gpu_hours = (sum.waited + sum.ran + sum.restarted) / 3600.0;
                group.parts = parts(&sum, seen);
                group
            })
            .collect()
    }
}

/// What a group's jobs spent, in order: what was seen of waiting makes up all that they waited.
fn parts(sum: &Exact, seen: Vec<(Key, Seen)>) -> Vec<GroupPart> {
    let of = |waiting: bool| {
        let these = seen
            .iter()
            .filter(move |((_, spent, _), _)| spent.is_waiting() == waiting);
        these.fold(0.0, |all, (_, seen)| all + seen.gpu_seconds)
    };
    let (waited, slowed) = (of(true), of(false));
    // More is lost than they ran only where few were asked.
    let slowed_by = if slowed > sum.ran {
        sum.ran / slowed
    } else {
        1.0
    };
    let waited_by = if waited > 0.0 {
        sum.waited / waited
    } else {
        0.0
    };
    let unseen = if waited > 0.0 { 0.0 } else { sum.waited };
    let plain = [
        (Spent::Running, sum.ran - slowed * slowed_by),
        (Spent::Restarting, sum.restarted),
        (Spent::Unseen, unseen),
    ];
    let plain = plain.map(|(spent, gpu_seconds)| GroupPart {
        spent,
        law: String::new(),
        gpu_hours: gpu_seconds / 3600.0,
        by: Vec::new(),
    });
    let seen = seen.into_iter().map(|((_, spent, law), seen)| {
        let factor = if spent.is_waiting() {
            waited_by
        } else {
            slowed_by
        } / 3600.0;
        let mut by: Vec<(JobId, f64)> = seen.by.into_iter().collect();
        order::sort_by(&mut by, |a, b| {
            order::by_value(&b.1, &a.1).then(a.0.cmp(&b.0))
        });
        by.truncate(TOLD);
        GroupPart {
            spent,
            law,
            gpu_hours: seen.gpu_seconds * factor,
            by: by.into_iter().map(|(job, of)| (job, of * factor)).collect(),
        }
    });
    let mut parts: Vec<GroupPart> = seen.chain(plain).filter(|of| of.gpu_hours > 0.0).collect();
    order::sort_by(&mut parts, |a, b| {
        order::by_value(&b.gpu_hours, &a.gpu_hours)
    });
    parts
}

/// What the log tells of a job, GPU·s.
#[derive(Clone, Copy, Debug, Default)]
struct Exact {
    is_admitted: bool,
    waited: f64,
    ran: f64,
    restarted: f64,
}

impl Exact {
    /// Of each job.
    fn of(workload: &Workload, log: &RunLog, now: Time) -> Vec<Self> {
        let mut of = vec![Self::default(); workload.jobs.len()];
        // Since when it has been without GPUs.
        let mut since = vec![None; workload.jobs.len()];
        let wait = |of: &mut Self, job: JobId, since: Option<Time>, to: Time| {
            if let Some(since) = since {
                of.waited += wants(workload, job) * (to - since);
            }
        };
        for event in (0..log.events()).map(|i| log.event(i)) {
            let (job, at) = (event.job, event.job.index());
            match event.kind {
                EventKind::Submit => (of[at].is_admitted, since[at]) = (true, Some(event.time)),
                EventKind::Start | EventKind::Restart => {
                    wait(&mut of[at], job, since[at].take(), event.time);
                }
                EventKind::Pause | EventKind::Evict | EventKind::Fail => {
                    since[at] = Some(event.time);
                }
                EventKind::Reject => (of[at].is_admitted, since[at]) = (false, None),
                EventKind::Finish | EventKind::Demote | EventKind::Promote => {}
            }
        }
        for (job, since) in (0..).map(JobId).zip(since) {
            wait(&mut of[job.index()], job, since, now);
        }
        for segment in (0..log.segments()).map(|i| log.segment(i)) {
            let gpus = f64::from(segment.gpu_count()) * segment.part();
            let end = segment.end.min(now);
            let ready = segment.ready.min(end);
            let of = &mut of[segment.job.index()];
            of.restarted += gpus * (ready - segment.start);
            of.ran += gpus * (end - ready);
        }
        of
    }
}

/// The GPUs that a job asks for, in whole ones and parts.
fn wants(workload: &Workload, job: JobId) -> f64 {
    let job = workload.jobs.get(job.index());
    job.map_or(0.0, |job| {
        let share = job
            .demand
            .share
            .map(|share| f64::from(share.get()) / 1000.0);
        share.unwrap_or(f64::from(job.gpus))
    })
}

/// Some of these jobs, others at each moment: with the GPUs for which each stands, and a place in [0, 1) of its own.
fn some_of(jobs: &[(JobId, f64)], moment: u32) -> Vec<(JobId, f64, f64)> {
    let every = jobs.len().div_ceil(ASKED).max(1);
    let first = moment as usize % every;
    let some = || jobs.iter().skip(first).step_by(every);
    let all: f64 = jobs.iter().map(|(_, gpus)| gpus).sum();
    let asked: f64 = some().map(|(_, gpus)| gpus).sum();
    let factor = if asked > 0.0 { all / asked } else { 0.0 };
    // Multiples of the golden ratio's fraction lie evenly.
    let place = |at: usize| {
        (at as f64 * 0.618_033_988_749_895 + f64::from(moment) * 0.414_213_562_373_095) % 1.0
    };
    let some = some().enumerate();
    some.map(|(at, (job, gpus))| (*job, gpus * factor, place(at)))
        .collect()
}

/// A few of those who hold something, evenly by what they hold.
fn holders(held: &[(JobId, f64)], place: f64) -> Vec<JobId> {
    let total: f64 = held.iter().map(|(_, held)| held).sum();
    let mut passed = 0.0;
    let mut chosen = Vec::new();
    for (job, held) in held {
        passed += held;
        while chosen.len() < CHARGED
            && (chosen.len() as f64 + place) * total < passed * CHARGED as f64
        {
            chosen.push(*job);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_are_asked_stand_for_all() {
        let jobs: Vec<(JobId, f64)> = (0..1000)
            .map(|i| (JobId(i), f64::from(1 + i % 8)))
            .collect();
        let all: f64 = jobs.iter().map(|(_, gpus)| gpus).sum();
        let mut asked = Vec::new();
        for moment in 0..jobs.len().div_ceil(ASKED) as u32 {
            let some = some_of(&jobs, moment);
            assert!(some.len() <= ASKED);
            let stand_for: f64 = some.iter().map(|(_, gpus, _)| gpus).sum();
            assert!((stand_for - all).abs() < 1e-6, "{stand_for} of {all}");
            asked.extend(some.iter().map(|(job, ..)| *job));
        }
        asked.sort();
        // Nobody is always passed over, and nobody asked twice meanwhile.
        assert!(asked.iter().copied().eq(jobs.iter().map(|(job, _)| *job)));
        assert_eq!(some_of(&jobs[..3], 7).len(), 3);
    }

    #[test]
    fn who_holds_most_is_charged_most() {
        let held = [(JobId(0), 6.0), (JobId(1), 1.0), (JobId(2), 1.0)];
        let mut times = [0; 3];
        for step in 0..100 {
            let chosen = holders(&held, f64::from(step) / 100.0);
            assert_eq!(chosen.len(), CHARGED);
            for job in chosen {
                times[job.index()] += 1;
            }
        }
        assert_eq!(times, [300, 50, 50]);
        assert!(holders(&[], 0.5).is_empty());
    }
}
