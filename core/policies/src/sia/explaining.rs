//! Why Sia gives a job what it gives it, in its numbers.

use super::members::{Basis, Member, Moving};
use crate::cluster::Needs;
use crate::job::JobId;
use crate::order;
use crate::{ChoiceColumn, ChoiceRow, Explanation, Fact, Mark, Plot, PlotLine, RoundReport, rigid};
use std::rc::Rc;
use switchyard_engine::View;
use switchyard_explain::{Operand, Said, Unit};

/// A round, as it was decided.
pub(super) struct Decided {
    pub(super) report: RoundReport,
    /// By row of that: what it hung on.
    pub(super) grounds: Vec<Grounds>,
    /// By how much at most another plan would be better, in costs.
    pub(super) distance: f64,
}

/// What a row hung on.
pub(super) struct Grounds {
    /// What the worth of configurations came from.
    pub(super) basis: Rc<Basis>,
    /// What a restart would have left.
    pub(super) moving: Moving,
}

/// Whether a gang needs what the program does not count.
pub(super) fn needs_more_than_gpus(needs: Needs) -> bool {
    needs.takes_cores_or_memory() || needs.servers().count > 0
}

pub(super) fn explain(
    last: Option<&Decided>,
    view: &View<'_>,
    job: JobId,
    member: Option<&Member>,
) -> Explanation {
    let verdict = rigid::verdict(view, job);
    let Some(member) = member else {
        let facts = match view.training(job) {
            None if needs_more_than_gpus(view.needs(job)) => vec![Fact::new(
                "gang",
                "goes first, in order of submission: it needs cores, memory or parameter servers, which the program does not count",
            )],
            None => vec![Fact::new(
                "gang",
                "goes first, in order of submission: no nodes of one type and size have enough GPUs for it",
            )],
            Some(_) => Vec::new(),
        };
        return Explanation::new(verdict, facts);
    };
    let mut explanation = Explanation::new(verdict, Vec::new());
    let of_round = last.and_then(|last| {
        let at = last.report.rows.iter().position(|row| row.job == job)?;
        let choices = last.report.choices.as_ref()?;
        let (row, grounds) = (choices.rows.get(at)?, last.grounds.get(at)?);
        Some((last, &choices.columns, row, grounds))
    });
    if let Some((last, columns, row, grounds)) = of_round {
        explanation.facts = choice(columns, row, &grounds.basis);
        if row.former.is_some() {
            explanation.facts.push(restart_factor(&grounds.moving));
        }
        explanation.plots.push(worth_plot(columns, row));
        let told = "plan of the round";
        explanation.facts.push(if last.distance > 0.0 {
            Fact::new(told, "another may cost less, by at most ").and(Said::Number(
                last.distance,
                2,
                Unit::None,
            ))
        } else {
            Fact::new(told, "the best: no other costs less")
        });
    }
    if let Some(training) = view.training(job) {
        let facts = &mut explanation.facts;
        facts.push(
            Fact::count("most GPUs", member.most_replicas(&training), Unit::None)
                .then(": at most twice what it has run on"),
        );
        facts.push(
            Fact::new("throughput models", "fitted to ")
                .and(Said::count(member.observations(), Unit::None))
                .then(" configurations that it has run in, each type by itself"),
        );
        if let Some(stats) = member.stats() {
            let phi = stats.noise_scale(training.limits().m0);
            facts.push(
                Fact::new("gradient noise scale", "φ = ").and(Said::Magnitude(phi, Unit::Samples)),
            );
        }
        facts.push(
            Fact::number("epochs", training.epochs_done(), 1, Unit::None)
                .then(" of ")
                .and(Said::count(training.epochs(), Unit::None)),
        );
        let line = |pool: usize| {
            let points = member.goodput_by_gpus(view, &training, pool);
            (!points.is_empty()).then(|| PlotLine::new(view.pool_name(pool), points))
        };
        let lines: Vec<PlotLine> = (0..view.pools()).filter_map(line).collect();
        if !lines.is_empty() {
            explanation.plots.push(Plot::new(
                "Goodput by GPUs, as models of types that it has run on predict it",
                "GPUs",
                "samples per second",
                lines,
            ));
        }
    }
    explanation.facts.push(Fact::count(
        "restarts",
        view.ledger().starts(job).saturating_sub(1),
        Unit::None,
    ));
    explanation
}

/// A column in words.
fn name(column: &ChoiceColumn) -> String {
    let gpu = match column.gpu.as_str() {
        "" => "GPUs",
        gpu => gpu,
    };
    format!("{} × {gpu}", column.gpus)
}

/// What was chosen for a job, and what it would have had by itself.
fn choice(columns: &[ChoiceColumn], row: &ChoiceRow, basis: &Basis) -> Vec<Fact> {
    let mut facts = Vec::new();
    let worth = |at: u32| row.worth.get(at as usize).copied().flatten();
    let name = |at: u32| columns.get(at as usize).map(name).unwrap_or_default();
    let told = |term: &str, at: u32| {
        let fact = Fact::new(term, format!("{}, worth ", name(at)));
        let Some(worth) = worth(at).map(f64::from) else {
            return fact.then("nothing");
        };
        let fact = fact.and(Said::Number(worth, 2, Unit::None));
        with_basis(fact, basis, at as usize, worth).then(" × its least")
    };
    match row.chosen {
        Some(at) => facts.push(told("configuration", at)),
        None => facts.push(Fact::new("configuration", "none in the last round")),
    }
    if let Some(at) = row.former.filter(|_| row.former != row.chosen) {
        facts.push(told("before", at));
    }
    // What a move leaves of it counts.
    let by_itself = |at: &u32| {
        let left = if row.former.is_some_and(|former| former != *at) {
            row.moving
        } else {
            1.0
        };
        f64::from(worth(*at).unwrap_or(0.0)) * left
    };
    let best = (0..row.worth.len() as u32)
        .max_by(|a, b| order::by_value(&by_itself(a), &by_itself(b)).then(b.cmp(a)));
    if let Some(at) = best.filter(|&at| by_itself(&at) > 0.0) {
        facts.push(told("if it were alone", at));
    }
    facts
}

/// A fact with what a configuration's worth comes from.
fn with_basis(fact: Fact, basis: &Basis, at: usize, worth: f64) -> Fact {
    let number = |name, value| Operand::new(name, value, Unit::None);
    match basis {
        Basis::Nothing => fact,
        Basis::Goodput(predicted, least) => {
            let own = predicted.get(at).map_or(f64::NAN, |own| f64::from(*own));
            let operands = [
                number("its goodput there by its models, samples per second", own),
                number("the least of any configuration", f64::from(*least)),
            ];
            fact.by("{0} ∕ {1}", operands, (worth, Unit::None))
        }
        Basis::Speed(gpus, speeds, least) => {
            let own = speeds.get(at).copied().unwrap_or(f64::NAN);
            let operands = [
                Operand::new("its GPUs", f64::from(*gpus), Unit::Gpus),
                number("its speed there", own),
                number("its speed on the slowest type", *least),
            ];
            fact.by("{0} × {1} ∕ {2}", operands, (worth, Unit::None))
        }
    }
}

/// What a restart leaves, by how much of its time a job that has come long ago would have been of use.
fn restart_factor(moving: &Moving) -> Fact {
    let &Moving {
        factor,
        age,
        restarts,
        seconds,
    } = moving;
    let fact = Fact::percent("restart factor", factor, 0);
    let operands = [
        Operand::new("since it came", age, Unit::Seconds),
        Operand::new("its restarts so far", restarts.into(), Unit::None),
        Operand::new("what a restart is expected to take", seconds, Unit::Seconds),
    ];
    // It is 1 of a job that has only begun, and 0 at least.
    let fact = match (age - f64::from(restarts) * seconds) / (age + seconds) == factor {
        true => fact.by(
            "({0} − {1} × {2}) ∕ ({0} + {2})",
            operands,
            (factor, Unit::None),
        ),
        false => fact,
    };
    fact.then(" of another configuration's worth is left after a restart")
}

/// What configurations are worth to a job, a line for each type.
fn worth_plot(columns: &[ChoiceColumn], row: &ChoiceRow) -> Plot {
    let mut lines: Vec<PlotLine> = Vec::new();
    for (column, worth) in columns.iter().zip(&row.worth) {
        let Some(worth) = worth else { continue };
        let point = (f64::from(column.gpus), f64::from(*worth));
        match lines.iter_mut().find(|line| line.name == column.gpu) {
            Some(line) => line.points.push(point),
            None => lines.push(PlotLine::new(&column.gpu, vec![point])),
        }
    }
    for line in &mut lines {
        order::sort_by(&mut line.points, |a, b| order::by_value(&a.0, &b.0));
        // A gang asks for one number: a dot on each type.
        line.dots = line.points.len() == 1;
    }
    let chosen = row.chosen.and_then(|at| columns.get(at as usize));
    let mark = chosen.map(|column| Mark {
        x: f64::from(column.gpus),
        label: name(column),
    });
    Plot {
        marks: mark.into_iter().collect(),
        job_at: chosen.map(|column| f64::from(column.gpus)),
        ..Plot::new(
            "Worth of configurations in the last round",
            "GPUs",
            "goodput over that of its least configuration",
            lines,
        )
    }
}
