//! A job's [`Life`] in parts: how long it ran, was slowed and waited, for what, and because of whom. In: its life, how
//! fast it ran, and the run's log. Out: seconds by cause, which add up to its life.

use crate::job::JobId;
use crate::order;
use crate::sim::RunLog;
use serde::{Deserialize, Serialize};
use switchyard_explain::{Life, Slowness, Spent, Stretch};
use switchyard_queues::tree::QueueId;

/// What a job spent on one thing in all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LifePart {
    /// On what.
    pub spent: Spent,
    /// The law that slowed it, if it was slowed; else empty.
    pub law: String,
    /// How long, seconds.
    pub seconds: f64,
    /// When most of it at a stretch began; of what slowed it, when that was worst. Seconds.
    pub at: f64,
    /// Who caused it, with the seconds that each is charged with, most first: the heads of the queue; or who held GPUs
    /// meanwhile, each by the GPU·s that it held. Of quota only jobs of the same queue. Nobody where others are not the cause.
    pub by: Vec<(JobId, f64)>,
    /// Of these seconds, those by jobs that were submitted after it.
    pub by_later: f64,
}

/// The parts of a life, what is longest first. Together they last as long as the life. `leaf_of`: each job's queue.
pub fn life_parts(
    life: &Life,
    slowness: &Slowness,
    job: JobId,
    leaf_of: &[QueueId],
    log: &RunLog,
) -> Vec<LifePart> {
    let mut parts = losses(slowness, job);
    let lost: f64 = parts.iter().map(|part| part.seconds).sum();
    for spent in Spent::ALL {
        let spans: Vec<(Stretch, f64)> = life
            .spans()
            .filter(|(of, _)| of.spent == spent)
            .map(|(of, to)| (of, to.seconds()))
            .collect();
        let seconds: f64 = spans.iter().map(|(of, to)| to - of.from.seconds()).sum();
        if seconds <= 0.0 {
            continue;
        }
        let by = match spent {
            Spent::BehindHead => heads(&spans),
            Spent::Outranked | Spent::Quota | Spent::NodesAway => {
                let leaf = |of: JobId| leaf_of.get(of.index());
                let counts =
                    |of: JobId| of != job && (spent != Spent::Quota || leaf(of) == leaf(job));
                holders(&spans, seconds, log, counts)
            }
            _ => Vec::new(),
        };
        let length = |(of, to): &(Stretch, f64)| to - of.from.seconds();
        let longest = spans.iter().map(length).fold(0.0, f64::max);
        let longest = spans.iter().find(|span| length(span) == longest);
        let at = longest.map_or(0.0, |(of, _)| of.from.seconds());
        let seconds = match spent {
            Spent::Running => (seconds - lost).max(0.0),
            _ => seconds,
        };
        parts.push(part((spent, String::new()), (seconds, at), by, job));
    }
    order::sort_by(&mut parts, |a, b| order::by_value(&b.seconds, &a.seconds));
    parts
}

fn part(
    (spent, law): (Spent, String),
    (seconds, at): (f64, f64),
    mut by: Vec<(JobId, f64)>,
    job: JobId,
) -> LifePart {
    order::sort_by(&mut by, |a, b| {
        order::by_value(&b.1, &a.1).then(a.0.cmp(&b.0))
    });
    // Jobs are numbered by their submission.
    let later = by.iter().filter(|(of, _)| *of > job);
    LifePart {
        spent,
        law,
        seconds,
        at,
        by_later: later.fold(0.0, |all, (_, seconds)| all + seconds),
        by,
    }
}

/// What slowed it, by law.
fn losses(slowness: &Slowness, job: JobId) -> Vec<LifePart> {
    let mut parts: Vec<LifePart> = Vec::new();
    // What cost most of a law comes first.
    for loss in slowness.losses.iter().filter(|loss| loss.seconds > 0.0) {
        let law = &loss.worst.law;
        let found = parts.iter().position(|part| part.law == *law);
        let (mut by, before, at) = match found.map(|at| parts.swap_remove(at)) {
            Some(part) => (part.by, part.seconds, part.at),
            None => (Vec::new(), 0.0, loss.at.seconds()),
        };
        for &(other, seconds) in &loss.by {
            charge(&mut by, other, seconds);
        }
        let cause = (Spent::Slowed, law.clone());
        parts.push(part(cause, (before + loss.seconds, at), by, job));
    }
    parts
}

fn charge(by: &mut Vec<(JobId, f64)>, job: JobId, seconds: f64) {
    match by.iter_mut().find(|(known, _)| *known == job) {
        Some(known) => known.1 += seconds,
        None => by.push((job, seconds)),
    }
}

/// The heads of the queue, each with the seconds that it was one.
fn heads(spans: &[(Stretch, f64)]) -> Vec<(JobId, f64)> {
    let mut heads = Vec::new();
    for (of, to) in spans {
        if let Some(head) = of.head {
            charge(&mut heads, head, to - of.from.seconds());
        }
    }
    heads
}

/// Who held GPUs within these spans, the seconds of them shared out by the GPU·s that each held.
fn holders(
    spans: &[(Stretch, f64)],
    seconds: f64,
    log: &RunLog,
    counts: impl Fn(JobId) -> bool,
) -> Vec<(JobId, f64)> {
    let mut held: Vec<(JobId, f64)> = Vec::new();
    for segment in (0..log.segments()).map(|i| log.segment(i)) {
        if !counts(segment.job) {
            continue;
        }
        let (from, to) = (segment.start.seconds(), segment.end.seconds());
        let first = spans.partition_point(|(_, end)| *end <= from);
        let within = spans.iter().skip(first);
        let within = within.take_while(|(of, _)| of.from.seconds() < to);
        let overlap: f64 = within
            .map(|(of, end)| end.min(to) - of.from.seconds().max(from))
            .sum();
        if overlap > 0.0 {
            let gpus = f64::from(segment.gpu_count()) * segment.part();
            held.push((segment.job, overlap * gpus));
        }
    }
    let total: f64 = held.iter().map(|(_, held)| held).sum();
    order::sort_by(&mut held, |a, b| a.0.cmp(&b.0));
    let mut by: Vec<(JobId, f64)> = Vec::new();
    for (job, held) in held.into_iter().filter(|_| total > 0.0) {
        let share = seconds * held / total;
        match by.last_mut().filter(|last| last.0 == job) {
            Some(last) => last.1 += share,
            None => by.push((job, share)),
        }
    }
    by
}
