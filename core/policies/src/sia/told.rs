//! Why Sia gives a job what it gives it, in its numbers.

use super::members::Member;
use crate::cluster::Needs;
use crate::job::JobId;
use crate::order;
use crate::{ChoiceColumn, ChoiceRow, Explanation, Fact, Mark, Plot, PlotLine, RoundReport, rigid};
use switchyard_engine::View;
use switchyard_explain::{Said, Unit};

/// A round, as it was decided.
pub(super) struct Decided {
    pub(super) report: RoundReport,
    /// By how much at most another plan would be better, in costs.
    pub(super) distance: f64,
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
        Some((last, &choices.columns, choices.rows.get(at)?))
    });
    if let Some((last, columns, row)) = of_round {
        explanation.facts = choice(columns, row);
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
fn choice(columns: &[ChoiceColumn], row: &ChoiceRow) -> Vec<Fact> {
    let mut facts = Vec::new();
    let worth = |at: u32| row.worth.get(at as usize).copied().flatten();
    let name = |at: u32| columns.get(at as usize).map(name).unwrap_or_default();
    let told = |term: &str, at: u32| {
        Fact::new(term, format!("{}, worth ", name(at)))
            .and(Said::Number(
                f64::from(worth(at).unwrap_or(0.0)),
                2,
                Unit::None,
            ))
            .then(" × its least")
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
    if row.former.is_some() {
        facts.push(
            Fact::percent("restart factor", row.moving, 0)
                .then(" of another configuration's worth is left after a restart"),
        );
    }
    facts
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
