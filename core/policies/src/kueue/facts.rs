//! Why a job runs, waits or was evicted under Kueue, in its numbers: quotas, what is used and borrowed of them, and whose
//! share was compared with whose.

use super::super::continuous::Rule as Numbers;
use super::super::leaf_lines::Shape;
use super::super::leaves::Leaves;
use super::super::parameters::Words;
use super::super::{Explanation, Fact, Verdict};
use super::board::Board;
use super::grounds::{Cause, Grounds};
use crate::job::JobId;
use switchyard_engine::{Phase, View};
use switchyard_explain::{Operand, Said, Unit};
use switchyard_queues::kueue::amount::Amount;
use switchyard_queues::kueue::assignment::Mode;
use switchyard_queues::kueue::cycle::{self, Settings};
use switchyard_queues::kueue::preemption::victims::{Comparison, Reason, Strategy, Used, Why};
use switchyard_queues::kueue::share::Share;
use switchyard_queues::tree::QueueId;

pub(super) fn explain(
    board: &Board,
    leaves: &Leaves,
    settings: &Settings,
    numbers: Option<&dyn Numbers>,
    view: &View<'_>,
    job: JobId,
) -> Explanation {
    let leaf = board.leaf_of[job.index()];
    let mut facts = of_queue(board, leaf);
    let verdict = match view.phase(job) {
        Phase::Running => Verdict::Runs,
        Phase::Waiting => waits(board, leaves, settings, view, (job, leaf), &mut facts),
        _ => Verdict::NotActive,
    };
    if let Some(numbers) = numbers {
        facts.extend(numbers.facts(view, job));
    }
    if let Some(evicted) = board.evictions.of(job) {
        evicted.tell(view, &mut facts, |grounds, facts| {
            of_eviction(board, grounds, facts);
        });
    }
    Explanation::new(verdict, facts)
}

/// What its queue has, uses and borrows.
fn of_queue(board: &Board, leaf: QueueId) -> Vec<Fact> {
    let path = board.tree.path(leaf);
    let path = path.map(|id| board.tree.queue(id).name.as_str());
    let mut facts = vec![Fact::path("queue", path)];
    let book = board.state.book();
    let quotas = book.quotas();
    let resources = quotas.resources();
    let gpus = resources
        .ids()
        .filter(|&slot| Some(resources.kind(slot)) == board.kinds[0]);
    for slot in gpus {
        let (has, used) = (quotas.nominal(leaf, slot), book.used(leaf, slot));
        let of = match resources.flavors[resources.flavor(slot)].as_str() {
            "" => String::new(),
            flavor => format!(" of {flavor}"),
        };
        facts.push(amount(&format!("nominal quota{of}"), has));
        facts.push(amount(&format!("its queue uses{of}"), used));
        let own = quotas.subtree(leaf, slot);
        let borrowed = amount(&format!("of it borrowed{of}"), (used - own).or_zero());
        let [units_used, units_own] = [used, own].map(Amount::units);
        facts.push(if units_used > units_own && !own.is_unlimited() {
            let gpus = |name, value| Operand::new(name, value, Unit::Gpus);
            let operands = [
                gpus("its queue uses", units_used),
                gpus("it has of its own", units_own),
            ];
            borrowed.by("{0} − {1}", operands, (units_used - units_own, Unit::Gpus))
        } else {
            borrowed
        });
        facts.push(amount(
            &format!("its queue may still use{of}"),
            book.available(leaf, slot).or_zero(),
        ));
    }
    facts.push(share(
        "its queue's dominant resource share",
        &book.share(leaf),
    ));
    facts
}

/// Why it waits: the same search as in a cycle, of it alone.
fn waits(
    board: &Board,
    leaves: &Leaves,
    settings: &Settings,
    view: &View<'_>,
    (job, leaf): (JobId, QueueId),
    facts: &mut Vec<Fact>,
) -> Verdict {
    let (wants, free) = (view.gpus(job), view.free().total());
    if let Some(head) = board.lines.first(leaf).filter(|&head| head != job) {
        facts.push(Fact::jobs("head of its queue", vec![head], |job| {
            view.name(job)
        }));
    }
    let shape = Shape::of(view, job);
    let head = board.head(leaves, job, shape);
    let mut state = board.state.clone();
    let decisions = cycle::run(&mut state, settings, std::slice::from_ref(&head));
    let Some(decision) = decisions.first() else {
        return Verdict::NotActive;
    };
    if let Some(with) = &decision.share {
        facts.push(share("the share with it", with));
    }
    match decision.assignment.mode {
        Mode::Fit => {}
        Mode::Preempt | Mode::NoFit => {
            facts.push(Fact::count(
                "jobs that it might evict",
                decision.found.candidates,
                Unit::Jobs,
            ));
        }
    }
    if let Some(refused) = &decision.found.refused {
        comparison(board, refused, facts);
    }
    let head = board.lines.first(leaf);
    match decision.assignment.mode {
        Mode::Fit if wants <= free => Verdict::PlacementWaits { wants, free },
        Mode::Fit => Verdict::TooFewGpus { wants, left: free },
        _ => match head {
            Some(head) if head != job => Verdict::BehindHead { head },
            _ => match still_usable(board, leaf) {
                left if left < wants => Verdict::NoQuota { wants, left },
                left => Verdict::TooFewGpus {
                    wants,
                    left: left.min(free),
                },
            },
        },
    }
}

/// GPUs that a queue may still use, of the flavor that has most.
fn still_usable(board: &Board, leaf: QueueId) -> u32 {
    let book = board.state.book();
    let resources = book.quotas().resources();
    let gpus = resources
        .ids()
        .filter(|&slot| Some(resources.kind(slot)) == board.kinds[0]);
    let most = gpus.map(|slot| book.available(leaf, slot)).max();
    most.map_or(u32::MAX, |most| most.or_zero().units() as u32)
}

/// What decided an eviction.
fn of_eviction(board: &Board, grounds: &Grounds, facts: &mut Vec<Fact>) {
    let (before, after) = match grounds.cause {
        Cause::Order { by, .. } => (format!("the order of {} within ", by.word()), ""),
        Cause::Rule { reason, .. } => match reason {
            Reason::InClusterQueue => ("priority within ".to_owned(), ""),
            Reason::InCohortReclamation => (String::new(), " takes back its own quota"),
            Reason::InCohortFairSharing => ("fair sharing with ".to_owned(), ""),
            Reason::InCohortReclaimWhileBorrowing => {
                ("low priority, while ".to_owned(), " borrows")
            }
        },
    };
    let queue = Said::Queue(board.tree.queue(grounds.queue).name.clone());
    let rule = Fact::of("by the rule", Vec::new());
    facts.push(rule.then(&before).and(queue).then(after));
    match &grounds.cause {
        Cause::Order { numbers, .. } => {
            let [own, other] = numbers;
            let fact = Fact::number("the evicting job's number", *own, 3, Unit::None);
            facts.push(fact.then(&format!(", less than its own {other:.3}")));
        }
        Cause::Rule { why, .. } => of_rule(board, why, facts),
    }
}

fn of_rule(board: &Board, why: &Why, facts: &mut Vec<Fact>) {
    match why {
        Why::Priority { preemptor, victim } => {
            facts.push(Fact::new(
                "priorities",
                format!("{preemptor}, and its own {victim}"),
            ));
        }
        Why::WithinNominal { preemptor } => used(board, preemptor, facts),
        Why::Shares(compared) => comparison(board, compared, facts),
        Why::Borrowed { victim, .. } | Why::LowPriority { victim, .. } => {
            used(board, victim, facts)
        }
    }
}

fn used(board: &Board, of: &Used, facts: &mut Vec<Fact>) {
    let used = amount("used then", of.used).of_queue(&board.tree.queue(of.queue).name);
    facts.push(used.then(" of a quota of ").and(said(of.quota)));
}

fn comparison(board: &Board, compared: &Comparison, facts: &mut Vec<Fact>) {
    let name = |queue: QueueId| board.tree.queue(queue).name.as_str();
    let (own, other) = (name(compared.preemptor_side), name(compared.victim_side));
    facts.push(share("share with the preemptor", &compared.preemptor).of_queue(own));
    let bound = match (compared.strategy, &compared.after) {
        (Strategy::LessThanOrEqualToFinalShare, Some(after)) => {
            share("must be no larger than the share without the victim", after)
        }
        _ => share("must be smaller than the share", &compared.before),
    };
    facts.push(bound.of_queue(other));
}

fn amount(term: &str, amount: Amount) -> Fact {
    Fact::of(term, vec![said(amount)])
}

fn said(amount: Amount) -> Said {
    match amount.is_unlimited() {
        true => Said::Words("no limit".to_owned()),
        false => Said::Exact(amount.units(), Unit::Gpus),
    }
}

/// A dominant resource share, of 1,000, as Kueue counts it.
fn share(term: &str, share: &Share) -> Fact {
    let weighted = share.weighted();
    if weighted.is_infinite() {
        return Fact::new(term, "infinite: it borrows, and its weight is 0");
    }
    let fact = Fact::number(term, weighted, 1, Unit::None);
    let Some(dominant) = &share.dominant else {
        return fact;
    };
    let (borrowed, lendable) = (dominant.borrowed.units(), dominant.lendable.units());
    let operands = [
        Operand::new("it borrows", borrowed, Unit::None),
        Operand::new("what it could borrow from", lendable, Unit::None),
        Operand::new("its weight", share.weight, Unit::None),
    ];
    fact.by("1000 × {0} ∕ {1} ∕ {2}", operands, (weighted, Unit::None))
        .then(&format!(
            " = 1000 × {borrowed} borrowed ∕ {lendable} lendable ∕ weight {}",
            share.weight
        ))
}
