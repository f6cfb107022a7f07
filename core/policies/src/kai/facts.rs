//! Why a job runs, waits or was evicted under KAI, in its numbers: what its queue deserves, its fair share and how that came
//! about, what the queue has, whose saturation was compared with whose, and by which action somebody was evicted.

use super::super::{Explanation, Fact, Verdict};
use super::board::{Board, MinRuntimes, Offer};
use super::past::{Grounds, Side, Tried};
use super::quotas::units;
use crate::job::JobId;
use switchyard_engine::{Phase, View};
use switchyard_explain::{Operand, Said, Unit};
use switchyard_queues::kai::cycle::facts::{Action, NoQuota};
use switchyard_queues::kai::division::{Share, Step};
use switchyard_queues::kai::min_runtime::{MinRuntime, for_preempt, for_reclaim};
use switchyard_queues::kai::order::{Decided, Rule};
use switchyard_queues::kai::reclaim::{Refusal, below_common, may_try};
use switchyard_queues::tree::{Kind, QueueId};

pub(super) fn explain(
    board: &Board,
    times: &MinRuntimes,
    view: &View<'_>,
    job: JobId,
) -> Explanation {
    let leaf = board.leaf_of[job.index()];
    let mut facts = of_queue(board, view, leaf);
    let priority = board.priority(job);
    facts.push(Fact::new("priority", priority).then(
        match priority >= board.rules.fixed_priority {
            true => ", which nobody may evict, and which uses only what its queue deserves",
            false => "",
        },
    ));
    let verdict = match view.phase(job) {
        Phase::Running => {
            protected(board, times, view, (job, leaf), &mut facts);
            Verdict::Runs
        }
        Phase::Waiting => waits(board, view, (job, leaf), &mut facts),
        _ => Verdict::NotActive,
    };
    if let Some(&(by, at)) = board.moves.get(&job) {
        facts.push(Fact::jobs("last moved for", vec![by], |job| view.name(job)));
        facts.push(Fact::of("moved at", vec![Said::Moment(at)]));
    }
    if let Some(evicted) = board.evictions.of(job) {
        evicted.tell(view, &mut facts, |grounds, facts| {
            of_eviction(board, grounds, facts);
        });
    }
    Explanation::new(verdict, facts)
}

/// What its queue deserves, has and asks for, and how its share came about.
fn of_queue(board: &Board, view: &View<'_>, leaf: QueueId) -> Vec<Fact> {
    let path = board.tree.path(leaf).map(|id| name(board, id));
    let mut facts = vec![Fact::path("queue", path)];
    let now = view.now().seconds();
    for (resource, of) in board.tree.resources().iter().enumerate() {
        let standing = board.standings.of(leaf)[resource];
        let what = match of.kind {
            Kind::Gpus => "",
            Kind::Cores => " of cores",
            Kind::Memory => " of memory",
        };
        let mut push = |term: &str, value: f64| {
            facts.push(amount(board, &format!("{term}{what}"), resource, value));
        };
        push("its queue deserves", standing.deserved);
        push("its queue may have at most", standing.limit);
        push("its queue uses", standing.allocated);
        if standing.fixed > 0.0 {
            push("of it by jobs that nobody may evict", standing.fixed);
        }
        push(
            "its queue uses and waits for",
            board.requested(leaf, resource),
        );
        let fair = amount(
            board,
            &format!("its queue's fair share{what}"),
            resource,
            standing.fair,
        );
        match of.kind {
            Kind::Gpus => of_share(board, now, (leaf, resource), fair, &mut facts),
            _ => facts.push(fair),
        }
    }
    facts
}

/// The sum by which a queue has its fair share.
fn of_share(
    board: &Board,
    now: f64,
    (leaf, resource): (QueueId, usize),
    fair: Fact,
    facts: &mut Vec<Fact>,
) {
    let steps = board.steps(now, leaf, resource);
    facts.push(match &steps {
        Some((share, ..)) => by_parts(board, (leaf, resource), fair, share),
        None => fair,
    });
    let weight = board.tree.queue(leaf).quotas[resource].weight;
    facts.push(Fact::of(
        "its weight over quota",
        vec![Said::Exact(weight, Unit::None)],
    ));
    if let Some(lately) = board.used_lately(now, leaf, resource) {
        facts.push(Fact::percent(
            "of the cluster its queue had lately",
            lately,
            1,
        ));
    }
    let Some((share, steps, pot)) = steps else {
        return;
    };
    facts.push(
        amount(board, "its share by parts", resource, share.deserved)
            .then(" deserved + ")
            .and(said(board, resource, share.over_quota))
            .then(" over quota + ")
            .and(said(board, resource, share.leftover))
            .then(" left by rounding, of ")
            .and(said(board, resource, pot)),
    );
    for step in steps {
        let Step::OverQuota {
            round,
            pot,
            part,
            fair,
            need,
            ..
        } = step
        else {
            continue;
        };
        facts.push(
            Fact::percent(&format!("round {} over quota", round + 1), part, 1)
                .then(" of ")
                .and(said(board, resource, pot))
                .then(" = ")
                .and(Said::Number(fair, 2, Unit::Gpus))
                .then(", and it needs ")
                .and(said(board, resource, need)),
        );
    }
}

/// A fair share as the sum of its parts, if they are those of now.
fn by_parts(board: &Board, (leaf, resource): (QueueId, usize), fair: Fact, share: &Share) -> Fact {
    let of = &board.tree.resources()[resource];
    let unit = unit(of.kind);
    let part = |name, value| Operand::new(name, value / units(of.kind), unit);
    let parts = [
        part("deserved", share.deserved),
        part("over quota", share.over_quota),
        part("left by rounding", share.leftover),
    ];
    match share.total == board.standings.of(leaf)[resource].fair {
        true => fair.by(
            "{0} + {1} + {2}",
            parts,
            (share.total / units(of.kind), unit),
        ),
        false => fair,
    }
}

/// For how long nobody may evict a job that runs.
fn protected(
    board: &Board,
    times: &MinRuntimes,
    view: &View<'_>,
    (job, leaf): (JobId, QueueId),
    facts: &mut Vec<Fact>,
) {
    let ran = view.now().seconds() - view.since(job).seconds();
    // Between queues it hangs on the other one: here, one beside its own.
    let reclaim = for_reclaim(&board.tree, times.resolve, times.reclaim, leaf, leaf);
    let preempt = for_preempt(&board.tree, times.preempt, leaf);
    for (term, MinRuntime { seconds, queue }) in [
        ("minimum run time before others take back", reclaim),
        ("minimum run time before its own queue evicts", preempt),
    ] {
        if seconds <= 0.0 {
            continue;
        }
        let fact = Fact::span(term, seconds);
        let fact = match queue {
            None => fact.then(", as by default"),
            Some(by) => fact.then(", by ").and(self::queue(board, by)),
        };
        let left = (seconds - ran).max(0.0);
        facts.push(fact.then("; left ").and(Said::Span(left)));
    }
}

/// Why it waits.
fn waits(
    board: &Board,
    view: &View<'_>,
    (job, leaf): (JobId, QueueId),
    facts: &mut Vec<Fact>,
) -> Verdict {
    let (wants, free) = (view.gpus(job), view.free().total());
    let first = board.lines.first(leaf);
    if let Some(head) = first.filter(|&head| head != job) {
        facts.push(Fact::jobs("first of its queue", vec![head], |job| {
            view.name(job)
        }));
    }
    whose_turn(board, view, leaf, facts);
    let shape = board.shape(view, job);
    let quota = board.has_room_for(leaf, &shape);
    if let Err(no_quota) = &quota {
        of_no_quota(board, no_quota, facts);
    }
    let amounts = board.amounts(&shape);
    let reclaimer = board.reclaimer(leaf, &shape, &amounts);
    if let Err(refusal) = may_try(&board.standings, &reclaimer) {
        of_refusal(board, &refusal, facts);
    }
    // What was tried for the first of its class was tried for it.
    let of_class = board.lines.head_where(leaf, |other, _| *other == shape);
    let tried = [Some(job), of_class.map(|(head, _)| head)];
    let tried = tried
        .into_iter()
        .flatten()
        .find_map(|of| board.tried.get(&of));
    if let Some(tried) = tried {
        of_attempt(board, tried, facts);
    }
    match quota {
        Err(no_quota) if Some(no_quota.resource) == board.gpus() => {
            let standing = board.standings.of(no_quota.queue)[no_quota.resource];
            let has = match no_quota.fixed {
                true => standing.fixed,
                false => standing.allocated,
            };
            let left = (no_quota.bound - has).max(0.0) as u32;
            Verdict::NoQuota { wants, left }
        }
        _ if wants <= free => Verdict::PlacementWaits { wants, free },
        _ => Verdict::TooFewGpus { wants, left: free },
    }
}

/// Which queue is next, and by which comparison.
fn whose_turn(board: &Board, view: &View<'_>, leaf: QueueId, facts: &mut Vec<Fact>) {
    let mut offer = |leaf: QueueId| {
        let (job, shape) = board.lines.head_where(leaf, |_, _| true)?;
        Some(Offer {
            leaf,
            job,
            shape,
            amounts: board.amounts(&shape),
        })
    };
    let (Some(own), Some(next)) = (
        offer(leaf),
        board.next(&board.waiting, None, false, &mut offer),
    ) else {
        return;
    };
    if next.leaf == leaf {
        facts.push(Fact::of("next queue", vec![queue(board, leaf)]));
        return;
    }
    let (of_next, of_own) = below_common(&board.tree, next.leaf, leaf);
    let decided = board.compare((of_next, &next.amounts), (of_own, &own.amounts), false);
    let head = view.name(next.job);
    facts.push(
        Fact::of("next queue", vec![queue(board, next.leaf)]).then(&format!(", with {head}")),
    );
    facts.push(of_order(board, &decided, of_next, of_own));
}

/// Why one queue goes before another.
fn of_order(board: &Board, decided: &Decided, first: QueueId, second: QueueId) -> Fact {
    let [first, second] = [first, second].map(|id| queue(board, id));
    let since = |queue: Said| Fact::of("before its own, since", vec![queue]);
    let rule = match decided.rule {
        Rule::OverFairShare => {
            return since(second).then(" has more than its fair share");
        }
        Rule::WithinDeserved => {
            return since(first)
                .then(" stays within what it deserves, and ")
                .and(second)
                .then(" does not");
        }
        Rule::WithoutShare => {
            return since(second).then(" may have none of a resource");
        }
        Rule::Priority => "priority",
        Rule::DominantShareWithJob => "dominant share with its job",
        Rule::DominantShare => "dominant share",
        Rule::Allocatable => "what it may fill",
        Rule::Age => "age",
    };
    Fact::number("before its own, by", decided.left, 3, Unit::None)
        .then(" against ")
        .and(second)
        .then("'s ")
        .and(Said::Number(decided.right, 3, Unit::None))
        .then(&format!(" ({rule} of "))
        .and(first)
        .then(")")
}

fn of_no_quota(board: &Board, why: &NoQuota, facts: &mut Vec<Fact>) {
    let (would, bound) = match why.fixed {
        true => (
            "jobs that nobody may evict would have",
            " of what it deserves, ",
        ),
        false => ("its queue or one above would have", " of at most "),
    };
    facts.push(
        amount(board, would, why.resource, why.would_have)
            .of_queue(name(board, why.queue))
            .then(bound)
            .and(said(board, why.resource, why.bound)),
    );
}

/// Why it may not take back.
fn of_refusal(board: &Board, refusal: &Refusal, facts: &mut Vec<Fact>) {
    let of = |id: QueueId| Fact::of("takes nothing back", vec![queue(board, id)]);
    let fact = match *refusal {
        Refusal::OverFairShare {
            queue,
            resource,
            would_have,
            fair,
        } => of(queue)
            .then(" would have ")
            .and(said(board, resource, would_have))
            .then(" of a fair share of ")
            .and(said(board, resource, fair)),
        Refusal::FixedOverDeserved {
            queue,
            resource,
            would_have,
            deserved,
        } => of(queue)
            .then("'s jobs that nobody may evict would have ")
            .and(said(board, resource, would_have))
            .then(" of what it deserves, ")
            .and(said(board, resource, deserved)),
        Refusal::VictimProtected {
            reclaimer,
            victim,
            reclaimer_starved,
            ..
        } => {
            let fact = of(victim).then(" has no more than its share, and ");
            match reclaimer_starved {
                true => fact.then("no more than it deserves"),
                false => fact
                    .and(queue(board, reclaimer))
                    .then(" would have more than it deserves"),
            }
        }
        Refusal::MoreOverThanSibling {
            reclaimer,
            sibling,
            ratio,
            sibling_ratio,
            ..
        } => of(reclaimer)
            .then(" would be filled to ")
            .and(Said::Percent(ratio, 1))
            .then(", and ")
            .and(queue(board, sibling))
            .then(" to ")
            .and(Said::Percent(sibling_ratio, 1)),
    };
    facts.push(fact);
}

/// What was tried in vain.
fn of_attempt(board: &Board, tried: &Tried, facts: &mut Vec<Fact>) {
    facts.push(
        Fact::new("last tried to make room", action(tried.action))
            .then(" at ")
            .and(Said::Moment(tried.at)),
    );
    facts.push(Fact::count(
        "ways that were tried",
        tried.scenarios,
        Unit::None,
    ));
    if let Some(refused) = &tried.refused {
        of_refusal(board, refused, facts);
    }
    if let Some(ready) = tried.ready {
        facts.push(Fact::of(
            "some may be evicted only from",
            vec![Said::Moment(ready)],
        ));
    }
}

/// What decided an eviction.
fn of_eviction(board: &Board, grounds: &Grounds, facts: &mut Vec<Fact>) {
    facts.push(Fact::new("by the action", action(grounds.action)));
    if grounds.action == Action::Preempt {
        facts.push(Fact::new("of the priority", grounds.priority));
    }
    if let (Action::Reclaim, Some(resource)) = (grounds.action, board.gpus()) {
        for (side, own) in [(grounds.winner, grounds.asked), (grounds.loser, 0)] {
            let Some(Side { queue, standing }) = side else {
                continue;
            };
            let term = match own {
                0 => "the queue that lost it had",
                _ => "the queue that took it had with that job",
            };
            let has = standing.allocated + f64::from(own);
            facts.push(
                amount(board, term, resource, has)
                    .of_queue(name(board, queue))
                    .then(" of a fair share of ")
                    .and(said(board, resource, standing.fair))
                    .then(", and deserved ")
                    .and(said(board, resource, standing.deserved)),
            );
        }
    }
}

fn action(action: Action) -> &'static str {
    match action {
        Action::Allocate => "allocate",
        Action::Consolidate => "consolidation",
        Action::Reclaim => "reclaim",
        Action::Preempt => "preempt",
        Action::EvictStale => "eviction of stale gangs",
    }
}

fn name(board: &Board, queue: QueueId) -> &str {
    &board.tree.queue(queue).name
}

fn queue(board: &Board, queue: QueueId) -> Said {
    Said::Queue(name(board, queue).to_owned())
}

fn amount(board: &Board, term: &str, resource: usize, value: f64) -> Fact {
    Fact::of(term, vec![said(board, resource, value)])
}

fn said(board: &Board, resource: usize, value: f64) -> Said {
    if value.is_infinite() {
        return Said::Words("no limit".to_owned());
    }
    let kind = board.tree.resources()[resource].kind;
    Said::Exact(value / units(kind), unit(kind))
}

fn unit(kind: Kind) -> Unit {
    match kind {
        Kind::Gpus => Unit::Gpus,
        Kind::Cores => Unit::Cores,
        Kind::Memory => Unit::GiB,
    }
}
