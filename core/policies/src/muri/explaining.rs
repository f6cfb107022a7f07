//! Why Muri runs a job, and with whom, in its numbers.

use super::super::attained_service::with_product;
use super::super::{Explanation, Fact, Verdict};
use crate::job::JobId;
use switchyard_engine::View;
use switchyard_explain::{Operand, Said, Turn, Turns, Unit};
use switchyard_interleaving::cycle::{Ordering, ResourceTimes, cycle};
use switchyard_interleaving::grouping::Kind;
use switchyard_interleaving::measured::measured;

/// What a decision was made by.
pub(super) struct Grounds<'a> {
    pub(super) verdict: Verdict,
    /// What the rank is called, and what of it is not GPUs.
    pub(super) rank: [&'static str; 2],
    /// At the last round: the jobs by rank, with it, GPU·s.
    pub(super) ranked: &'a [(f64, JobId)],
    /// Of each of these what of its rank is not GPUs.
    pub(super) seconds: &'a [f64],
    /// What sharing costs, by how many share.
    pub(super) slowdowns: &'a [f64],
}

pub(super) fn explain(grounds: &Grounds<'_>, view: &View<'_>, job: JobId) -> Explanation {
    let verdict = grounds.verdict;
    let mut facts = Vec::new();
    let of = grounds.ranked.iter().position(|&(_, other)| other == job);
    if let Some(at) = of {
        let ([term, time], (rank, _)) = (grounds.rank, grounds.ranked[at]);
        let fact = Fact::number(term, rank, 0, Unit::GpuSeconds);
        let both = (rank, grounds.seconds[at]);
        facts.push(with_product(fact, view, job, both, time));
        let before = Said::count(grounds.ranked.len(), Unit::Jobs);
        facts.push(
            Fact::count("place in the order", at + 1, Unit::None)
                .then(" of ")
                .and(before),
        );
    }
    let kind = kind(view, job);
    if kind.is_none() {
        let model = view.model_name(job).unwrap_or("of a model not told");
        facts.push(Fact::new(
            "takes turns with",
            "nobody: nothing was measured of it",
        ));
        facts.push(Fact::new("model", model));
    }
    let together = view.together(job);
    let others = together.iter().copied().filter(|&other| other != job);
    let others: Vec<JobId> = others.collect();
    if others.is_empty() {
        return Explanation::new(verdict, facts);
    }
    facts.push(Fact::jobs("takes turns with", others, |job| view.name(job)));
    let mut explanation = Explanation::new(verdict, facts);
    let kinds: Option<Vec<Kind>> = together
        .iter()
        .map(|&member| self::kind(view, member))
        .collect();
    if let (Some(kinds), Some(kind)) = (kinds, kind) {
        let times: Vec<ResourceTimes> = kinds.iter().map(|kind| kind.times).collect();
        if let Some(found) = cycle(&times, Ordering::Best) {
            let slowdown = grounds.slowdowns[kinds.len() - 1];
            let facts = &mut explanation.facts;
            let seconds = |term, value| Fact::number(term, value, 3, Unit::Seconds);
            facts.push(seconds("an iteration alone", kind.iteration_time));
            let in_turn = found.period * slowdown;
            let operands = [
                Operand::new("a cycle", found.period, Unit::Seconds),
                Operand::new("what sharing costs", slowdown, Unit::None),
            ];
            facts.push(
                seconds("an iteration of each in turn", in_turn)
                    .by("{0} × {1}", operands, (in_turn, Unit::Seconds))
                    .then(": a cycle of ")
                    .and(Said::Number(found.period, 3, Unit::None))
                    .then(" s × ")
                    .and(Said::Number(slowdown, 2, Unit::None))
                    .then(", which sharing costs"),
            );
            let turns = found.turns.iter().map(|turn| {
                let of = times[turn.job];
                Turn {
                    job: together[turn.job],
                    phases: [
                        (turn.storage_and_cpu, of.storage_and_cpu),
                        (turn.gpu, of.gpu),
                        (turn.network, of.network),
                    ],
                }
            });
            explanation.turns = Some(Turns {
                period: found.period,
                turns: turns.collect(),
            });
        }
    }
    explanation
}

/// What was measured of a job; none: it takes turns with no other.
pub(crate) fn kind(view: &View<'_>, job: JobId) -> Option<Kind> {
    let model = view.may_take_turns(job).then(|| view.model_name(job))??;
    measured(model, view.gpus(job))
}
