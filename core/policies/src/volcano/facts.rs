//! Why a job runs, waits or was evicted under Volcano, in its numbers: what its queue deserves, has and may have, the limit
//! that the job meets, and who took what back.

use super::super::{Explanation, Fact, Verdict};
use super::board::Board;
use super::grounds::{Grounds, Rule};
use crate::job::JobId;
use switchyard_engine::{Phase, View};
use switchyard_explain::{Operand, Said, Unit};
use switchyard_queues::tree::{Kind, QueueId};
use switchyard_queues::volcano::queues::Limit;

pub(super) fn explain(board: &Board, overcommit: f64, view: &View<'_>, job: JobId) -> Explanation {
    let leaf = board.leaf_of[job.index()];
    let mut facts = of_queue(board, leaf);
    let verdict = match view.phase(job) {
        Phase::Running => Verdict::Runs,
        Phase::Waiting => waits(board, overcommit, view, (job, leaf), &mut facts),
        _ => Verdict::NotActive,
    };
    if let Some(evicted) = board.evictions.of(job) {
        evicted.tell(view, &mut facts, |grounds, facts| {
            of_eviction(board, grounds, facts);
        });
    }
    Explanation::new(verdict, facts)
}

/// The places of GPUs among the resources, each with its words.
fn gpus(board: &Board) -> impl Iterator<Item = (usize, String)> + '_ {
    let resources = board.tree.resources().iter().enumerate();
    let gpus = resources.filter(|(_, resource)| resource.kind == Kind::Gpus);
    gpus.map(|(at, resource)| {
        let flavor = resource.flavor.as_ref();
        (
            at,
            flavor.map_or_else(String::new, |name| format!(" of {name}")),
        )
    })
}

fn of_queue(board: &Board, leaf: QueueId) -> Vec<Fact> {
    let path = board.tree.path(leaf);
    let path = path.map(|id| board.tree.queue(id).name.as_str());
    let mut facts = vec![Fact::path("queue", path)];
    for (at, of) in gpus(board) {
        let queues = &board.queues;
        facts.extend([
            amount(
                &format!("its queue deserves{of}"),
                queues.deserved(leaf)[at],
            ),
            amount(&format!("its queue has{of}"), queues.allocated(leaf)[at]),
            amount(
                &format!("its queue has and asks for{of}"),
                queues.request(leaf)[at],
            ),
            amount(
                &format!("its queue may have at most{of}"),
                queues.most(leaf)[at],
            ),
        ]);
    }
    let share = board.queues.share(leaf);
    let fact = Fact::number(
        "its queue's share of what it deserves",
        share,
        3,
        Unit::None,
    );
    // It is of the resource of which the queue has most: where that is GPUs, they are told above.
    let parts = gpus(board).map(|(at, _)| {
        let queues = &board.queues;
        (queues.allocated(leaf)[at], queues.deserved(leaf)[at])
    });
    facts.push(
        match { parts }.find(|(has, deserves)| has / deserves == share) {
            Some((has, deserves)) => fact.by(
                "{0} ∕ {1}",
                [
                    Operand::new("its queue has", has, Unit::Gpus),
                    Operand::new("it deserves", deserves, Unit::Gpus),
                ],
                (share, Unit::None),
            ),
            None => fact,
        },
    );
    facts
}

fn waits(
    board: &Board,
    overcommit: f64,
    view: &View<'_>,
    (job, leaf): (JobId, QueueId),
    facts: &mut Vec<Fact>,
) -> Verdict {
    let (wants, free) = (view.gpus(job), view.free().total());
    let asks = board.what_it_asks(view, job);
    let is_enqueued = board.asked[job.index()].is_some();
    let line = if is_enqueued {
        &board.enqueued
    } else {
        &board.pending
    };
    let limit = if is_enqueued {
        facts.push(Fact::new("it may ask", "yes, it is enqueued"));
        board.queues.limit(leaf, &asks)
    } else {
        let is_over = board.queues.is_overcommitted(&asks, overcommit);
        facts.push(Fact::new(
            "it may ask",
            if is_over {
                "no, enough jobs do"
            } else {
                "no, not yet enqueued"
            },
        ));
        for (at, of) in gpus(board) {
            let total = board.queues.totals()[at];
            let most = total * overcommit;
            let operands = [
                Operand::new("all there are", total, Unit::Gpus),
                Operand::new("overcommit", overcommit, Unit::None),
            ];
            facts.push(amount(
                &format!("jobs have and may ask for{of}"),
                board.queues.busy()[at],
            ));
            facts.push(amount(&format!("they may do so up to{of}"), most).by(
                "{0} × {1}",
                operands,
                (most, Unit::Gpus),
            ));
        }
        board.queues.limit_to_enqueue(leaf, &asks)
    };
    if let Some(limit) = limit {
        of_limit(board, limit, facts);
    }
    let head = line.first(leaf).filter(|&head| head != job);
    match (limit, head) {
        (_, Some(head)) => Verdict::BehindHead { head },
        (Some(limit), _) => match (limit.most - limit.used).max(0.0) as u32 {
            left if left < wants => Verdict::NoQuota { wants, left },
            left => Verdict::TooFewGpus {
                wants,
                left: left.min(free),
            },
        },
        _ if is_enqueued && wants <= free => Verdict::PlacementWaits { wants, free },
        _ => Verdict::TooFewGpus { wants, left: free },
    }
}

fn of_limit(board: &Board, limit: Limit, facts: &mut Vec<Fact>) {
    let name = board.tree.queue(limit.queue).name.as_str();
    let used = amount("it meets the limit of", limit.used).of_queue(name);
    facts.push(used.then(" used of at most ").and(said(limit.most)));
}

/// What decided an eviction.
fn of_eviction(board: &Board, grounds: &Grounds, facts: &mut Vec<Fact>) {
    let queue = Said::Queue(board.tree.queue(grounds.queue).name.clone());
    facts.push(match grounds.rule {
        Rule::Preempt => Fact::new("by the rule", "priority within ").and(queue),
        Rule::Reclaim => Fact::of("by the rule", vec![queue]).then(" takes back what it deserves"),
    });
    if grounds.rule == Rule::Reclaim {
        for (at, of) in gpus(board) {
            facts.push(amount(&format!("its queue had then{of}"), grounds.had[at]));
            facts.push(amount(&format!("and deserved{of}"), grounds.deserved[at]));
        }
    }
}

fn amount(term: &str, amount: f64) -> Fact {
    Fact::of(term, vec![said(amount)])
}

fn said(amount: f64) -> Said {
    match amount.is_infinite() {
        true => Said::Words("no limit".to_owned()),
        false => Said::Exact(libm::round(amount * 1000.0) / 1000.0, Unit::Gpus),
    }
}
