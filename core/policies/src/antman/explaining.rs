//! Why AntMan runs a job, or lets it wait, and beside whom, in its numbers.

use crate::cluster::Gpus;
use crate::job::JobId;
use crate::muri::kind;
use crate::{Explanation, Fact, Verdict};
use switchyard_engine::{Phase, Standing, View};
use switchyard_explain::{Operand, Said, Unit};
use switchyard_interleaving::antman::{SHARED, iteration_beside, iterations_of};

/// Why a job is guaranteed its GPUs, or opportunistic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Why {
    /// It has this priority.
    Priority(f64),
    /// It has none, so that chance decided.
    Chance,
}

/// What a decision was made by.
pub(super) struct Grounds<'a> {
    pub(super) standing: Standing,
    pub(super) why: Why,
    /// Those that wait, in their order.
    pub(super) waiting: &'a [JobId],
    /// What the job keeps.
    pub(super) kept: &'a [Gpus],
    /// GPUs that jobs of its standing could have had at last.
    pub(super) left: u32,
}

pub(super) fn explain(grounds: &Grounds<'_>, view: &View<'_>, job: JobId) -> Explanation {
    let &Grounds {
        standing,
        why,
        waiting,
        kept,
        left,
    } = grounds;
    let (wants, phase) = (view.gpus(job), view.phase(job));
    let keeps: u32 = kept.iter().map(|of| of.count()).sum();
    let verdict = match phase {
        Phase::Running => Verdict::Runs,
        Phase::Waiting if wants > left + keeps => Verdict::TooFewGpus {
            wants,
            left: left + keeps,
        },
        Phase::Waiting => Verdict::PlacementWaits {
            wants,
            free: left + keeps,
        },
        _ => return Explanation::new(Verdict::NotActive, Vec::new()),
    };
    let is = match standing {
        Standing::Guaranteed => Fact::new("its GPUs are", "guaranteed to it"),
        Standing::Opportunistic => {
            Fact::new("its GPUs are", "what others leave: it is opportunistic")
        }
    };
    let mut facts = vec![match why {
        Why::Priority(priority) => is
            .then(", at priority ")
            .and(Said::Exact(priority, Unit::None)),
        Why::Chance => is.then(", by chance: its trace tells no priority"),
    }];
    if phase == Phase::Waiting {
        let at = waiting.iter().position(|&other| other == job);
        let at = at.unwrap_or_default();
        facts.push(Fact::part("place in the order", at + 1, waiting.len()));
        if keeps > 0 {
            let mut fact = Fact::gpus("kept for it until the rest is free", keeps)
                .then(" of the ")
                .and(Said::count(wants, Unit::None))
                .then(" that its gang needs, on ");
            for (at, of) in kept.iter().enumerate() {
                let comma = if at > 0 { ", " } else { "" };
                fact = fact.then(comma).and(Said::Node(of.node));
            }
            facts.push(fact);
        }
    }
    if kind(view, job).is_some() && !view.may_be_co_located(job) {
        let memory = "nobody: it has parameter servers, or tells how much memory of a GPU it needs";
        facts.push(Fact::new("shares GPUs with", memory));
    }
    if kind(view, job).is_none() {
        let model = view.model_name(job).unwrap_or("of a model not told");
        facts.push(Fact::new(
            "shares GPUs with",
            "nobody: nothing was measured of it",
        ));
        facts.push(Fact::new("model", model));
    }
    let others = view.co_located(job);
    if !others.is_empty() {
        speed(view, job, standing, others, &mut facts);
    }
    Explanation::new(verdict, facts)
}

/// Beside whom a job runs, and how long its iterations take there.
fn speed(
    view: &View<'_>,
    job: JobId,
    standing: Standing,
    others: Vec<JobId>,
    facts: &mut Vec<Fact>,
) {
    facts.push(Fact::jobs("shares GPUs with", others.clone(), |job| {
        view.name(job)
    }));
    if standing == Standing::Guaranteed {
        facts.push(Fact::new(
            "is slowed by",
            "nobody: the others use what it leaves idle",
        ));
        return;
    }
    let Some(own) = kind(view, job) else {
        return;
    };
    let alone = own.iteration_time;
    let seconds = |term, value| Fact::number(term, value, 3, Unit::Seconds);
    facts.push(seconds("an iteration alone", alone));
    let mut longest: Option<(f64, JobId)> = None;
    let guaranteed = |other| {
        let is_guaranteed = view.standing(other) == Some(Standing::Guaranteed);
        kind(view, other).filter(|_| is_guaranteed)
    };
    for other in others {
        let time = iteration_beside(own, guaranteed(other));
        if longest.is_none_or(|(longest, _)| time > longest) {
            longest = Some((time, other));
        }
    }
    if let Some((time, other)) = longest.filter(|&(time, _)| time > alone) {
        let of = |name, value| Operand::new(name, value, Unit::None);
        let lasts = |name, value| Operand::new(name, value, Unit::Seconds);
        let (as_what, operands) = match guaranteed(other) {
            Some(kind) => (
                " times as long, beside the guaranteed job ",
                [
                    of(
                        "iterations of that job in whose gaps its phases fit",
                        iterations_of(own, kind),
                    ),
                    lasts("one of those", kind.iteration_time),
                ],
            ),
            None => (
                " times as long, beside the opportunistic job ",
                [
                    of("how much slower two opportunistic jobs are", SHARED),
                    lasts("an iteration alone", alone),
                ],
            ),
        };
        facts.push(
            seconds("an iteration here", time)
                .by("{0} × {1}", operands, (time, Unit::Seconds))
                .then(", ")
                .and(Said::Number(time / alone, 2, Unit::None))
                .then(as_what)
                .then(view.name(other)),
        );
    }
}
