//! Why a job runs, waits or was evicted under Slurm: its priority as a sum, its place in line and who stands before
//! it, its fair share, and when it would start by everybody's limits.

use super::super::{Explanation, Fact, Verdict};
use super::horizon::{Found, Horizon};
use super::scheduler::{Board, Slurm};
use super::settings::{Backfill, Preempt};
use crate::Time;
use crate::job::JobId;
use switchyard_engine::{Phase, View};
use switchyard_explain::{Operand, Said, Unit};
use switchyard_queues::slurm::priority::{Part, Rounding, Term};

/// How many of those before a job are named.
const NAMED: usize = 5;

pub(super) fn explain(policy: &Slurm, view: &View<'_>, job: JobId) -> Explanation {
    let Some(board) = &policy.board else {
        return Explanation::new(Verdict::NotActive, Vec::new());
    };
    let mut facts = Vec::new();
    let verdict = match view.phase(job) {
        Phase::Running => {
            if let Some(&limit) = board.limits.get(&job) {
                facts.push(Fact::of(
                    "its time limit is at",
                    vec![Said::Moment(Time(limit))],
                ));
                if policy.told_limit(view, job).is_some() {
                    let end = Time(limit + policy.params.over_time_limit);
                    facts.push(Fact::of("is ended at", vec![Said::Moment(end)]));
                }
            }
            Verdict::Runs
        }
        Phase::Waiting => waits(policy, board, view, job, &mut facts),
        _ => Verdict::NotActive,
    };
    of_association(board, job, &mut facts);
    if let Some(evicted) = board.evictions.of(job) {
        evicted.tell(view, &mut facts, |&(evictor, own), facts| {
            let rule = match policy.params.preempt {
                Preempt::Partition => "a partition of a higher tier",
                _ => "a higher QOS",
            };
            facts.push(Fact::new("by the rule", rule).then(&format!(": {evictor}, its own {own}")));
        });
    }
    Explanation::new(verdict, facts)
}

fn waits(
    policy: &Slurm,
    board: &Board,
    view: &View<'_>,
    job: JobId,
    facts: &mut Vec<Fact>,
) -> Verdict {
    let (wants, free) = (view.gpus(job), view.free().total());
    let waiters = board.line.waiters();
    let Some(place) = waiters.iter().position(|waiter| waiter.job == job) else {
        return Verdict::TooFewGpus { wants, left: free };
    };
    priority(policy, board, view, place, facts);
    facts.push(Fact::part("place in line", place as u64 + 1, waiters.len()));
    if place > 0 {
        let before = waiters[..place].iter().take(NAMED).map(|of| of.job);
        let name = |job| view.name(job);
        let mut fact = Fact::jobs("before it", before.collect(), name);
        if place > NAMED {
            fact = fact.then(&format!(" and {} more", place - NAMED));
        }
        facts.push(fact);
    }
    start(policy, board, view, job, facts);
    match waiters.first() {
        Some(first) if first.job != job => Verdict::BehindHead { head: first.job },
        _ if wants <= free => Verdict::PlacementWaits { wants, free },
        _ => Verdict::TooFewGpus { wants, left: free },
    }
}

/// The sum, a term a fact.
fn priority(policy: &Slurm, board: &Board, view: &View<'_>, place: usize, facts: &mut Vec<Fact>) {
    let waiter = board.line.waiters()[place];
    if waiter.rank > 0 {
        facts.push(Fact::count(
            "may evict those below",
            waiter.rank,
            Unit::None,
        ));
    }
    if waiter.tier > 0 {
        facts.push(Fact::count("its partition's tier", waiter.tier, Unit::None));
    }
    let of = (waiter.job, waiter.as_of, policy.limit(view, waiter.job));
    let factors = board.merits.factors(view, &board.standing, of);
    let weights = &board.merits.weights;
    let sum = weights.priority(&factors, Rounding::Sum);
    facts.push(priority_by_terms(sum, weights.terms(&factors)).then(", the sum of"));
    for term in weights.terms(&factors) {
        let Some(name) = name_of(term.part) else {
            continue;
        };
        if term.weight > 0.0 {
            let fact = Fact::number(name, term.factor, 6, Unit::None);
            facts.push(fact.then(&format!(" × {} = {:.1}", term.weight, term.product())));
        }
    }
}

fn name_of(part: Part) -> Option<&'static str> {
    Some(match part {
        Part::Age => "age",
        Part::Association => "association",
        Part::FairShare => "fair share",
        Part::JobSize => "job size",
        Part::Partition => "partition",
        Part::Qos => "QOS",
        Part::Tres(_) => "GPUs asked for",
        Part::Site | Part::Nice => return None,
    })
}

/// The priority as the sum of what weighs in it.
fn priority_by_terms(sum: u32, terms: impl Iterator<Item = Term>) -> Fact {
    let fact = Fact::count("priority", sum, Unit::None);
    let terms: Vec<Term> = terms.filter(|term| term.product() != 0.0).collect();
    if terms.is_empty() {
        return fact;
    }
    let products = (0..terms.len()).map(|at| format!("{{{}}} × {{{}}}", 2 * at, 2 * at + 1));
    let products: Vec<String> = products.collect();
    let operands = terms.iter().flat_map(|term| {
        let name = name_of(term.part).unwrap_or("its priority or nice value");
        let number = |name: String, value| Operand::new(name, value, Unit::None);
        [
            number(format!("weight of {name}"), term.weight),
            number(name.to_owned(), term.factor),
        ]
    });
    let operands: Vec<Operand> = operands.collect();
    let all: f64 = terms.iter().map(Term::product).sum();
    // It is cut to whole ones, and at 0.
    if (all - f64::from(sum)).abs() > 1.0 {
        return fact;
    }
    fact.by(products.join(" + "), operands, (all, Unit::None))
}

/// When backfill lets it start, if everybody runs to the limit.
fn start(policy: &Slurm, board: &Board, view: &View<'_>, job: JobId, facts: &mut Vec<Fact>) {
    let params = &policy.params;
    facts.push(Fact::span("its time limit", policy.limit(view, job)));
    reservations(policy, board, view, job, facts);
    if params.backfill == Backfill::None {
        return;
    }
    let tested = policy.tested(board);
    let waiters = board.line.waiters();
    let Some(last) = tested.iter().position(|&at| waiters[at].job == job) else {
        facts.push(Fact::new(
            "reserved start",
            "none: backfill does not look so far",
        ));
        return;
    };
    let mut horizon = Horizon::new(policy.strategy, board.horizon.windows().to_vec());
    let mut found = Found::default();
    let now = view.now().seconds();
    let until = now + params.bf_window;
    let mut own = None;
    for (nth, &at) in tested[..=last].iter().enumerate() {
        let other = waiters[at].job;
        if params.backfill == Backfill::Easy && nth > 0 && other != job {
            continue;
        }
        let gang = policy.gang(board, view, other);
        let limit = policy.limit(view, other);
        let from = found.least(&gang, limit).max(now);
        let start = horizon.earliest(view, (&board.running, &[]), (gang, limit), (from, until));
        found.note(gang, limit, start.unwrap_or(f64::INFINITY));
        if let Some(start) = start {
            horizon.reserve(start, limit, params.bf_resolution);
        }
        own = start;
    }
    let term = match params.backfill {
        Backfill::Easy if last > 0 => "could start beside the first by",
        _ => "reserved start",
    };
    facts.push(match own {
        Some(start) => Fact::of(term, vec![Said::Moment(Time(start))]),
        None => Fact::new(term, "none within bf_window"),
    });
}

/// What is kept for it, and what from it.
fn reservations(policy: &Slurm, board: &Board, view: &View<'_>, job: JobId, facts: &mut Vec<Fact>) {
    let own = policy.party(board, job);
    let all = (0..).zip(policy.params.reservations.all());
    let to_come = all.filter(|(_, of)| of.to > view.now().seconds());
    for (bit, of) in to_come.take(NAMED) {
        let is_own = own & (1 << bit) != 0;
        let term = match is_own {
            true => "nodes kept for it",
            false => "nodes kept from it",
        };
        let kept = board.horizon.windows().iter();
        let kept = kept.filter(|window| window.party == 1 << bit).count();
        let fact = Fact::count(term, kept as u64, Unit::None);
        let who = match board.tree.find(&of.who) {
            Some(_) => Said::Queue(of.who.clone()),
            None => Said::Words(of.who.clone()),
        };
        let fact = fact.then(", for ").and(who).then(", from ");
        let fact = fact.and(Said::Moment(Time(of.from))).then(" to ");
        facts.push(fact.and(Said::Moment(Time(of.to))));
    }
}

/// Its place in the tree, and what it has used of its shares.
fn of_association(board: &Board, job: JobId, facts: &mut Vec<Fact>) {
    let leaf = board.merits.leaves[job.index()];
    let path = board.tree.path(leaf);
    let path = path.map(|id| board.tree.queue(id).name.as_str());
    facts.push(Fact::path("association", path));
    let (shares, usage) = board.standing.shares(leaf);
    facts.push(Fact::percent("its shares", shares, 2));
    facts.push(Fact::percent("its part of the usage", usage, 2));
    facts.push(Fact::number(
        "it has used",
        board.standing.usage.raw(leaf),
        0,
        Unit::GpuSeconds,
    ));
}
