//! What Pollux tells of its decisions: a job's goodput on its GPUs and on others, what its agent has
//! fitted, how the search went and how large a fleet pays.

use super::state::{Member, Pollux, size};
use crate::Time;
use crate::application::even;
use crate::goodput::{Agent, FitChoice, LocalBatch, Observation, batch};
use crate::job::JobId;
use crate::order;
use crate::pollux::Outcome;
use crate::{Explanation, Fact, Mark, Plot, PlotLine, rigid};
use switchyard_engine::{Phase, TrainingView, View};
use switchyard_explain::{Operand, Said, Unit};

impl Pollux {
    /// The numbers behind what the last round decided about a job.
    pub(super) fn explanation(&self, view: &View<'_>, job: JobId) -> Explanation {
        let verdict = rigid::verdict(view, job);
        let member = self.position(job).and_then(|at| self.members.get(at));
        let (Some(member), Some(training)) = (member, view.training(job)) else {
            let facts = match view.training(job) {
                None if view.phase(job) != Phase::Finished => vec![rigid::plain_gang()],
                _ => Vec::new(),
            };
            return Explanation::new(verdict, facts);
        };
        let plots = [
            self.goodput_plot(view, member, &training),
            throughput_plot(view, member, &training),
        ];
        let of_round = self.last.iter().flat_map(|last| last.plots.clone());
        Explanation {
            plots: plots.into_iter().flatten().chain(of_round).collect(),
            ..Explanation::new(verdict, self.facts(view, member, &training))
        }
    }

    fn facts(&self, view: &View<'_>, member: &Member, training: &TrainingView<'_>) -> Vec<Fact> {
        let (nodes, replicas) = size(view.ledger().parts(member.job));
        let mut facts = Vec::new();
        let mut rows = self.last.iter().flat_map(|last| &last.rows);
        if let Some(row) = rows.find(|row| row.job == member.job) {
            let speedup = row.speedup;
            let (fair_nodes, fair) = self.fair;
            facts.push(
                Fact::number("speedup", speedup, 2, Unit::None)
                    .then(" × that of its fair share: ")
                    .and(Said::count(fair, Unit::Gpus))
                    .then(" on ")
                    .and(Said::count(fair_nodes, Unit::Nodes)),
            );
        }
        facts.push(
            Fact::count("GPUs", replicas, Unit::None)
                .then(" on ")
                .and(Said::count(nodes, Unit::Nodes)),
        );
        facts.push(
            Fact::count("most GPUs", self.max_replicas(member, training), Unit::None)
                .then(": at most twice what it has run on"),
        );
        if replicas > 0 {
            let batch = training.configuration();
            facts.push(
                Fact::of(
                    "batch size",
                    vec![Said::Exact(batch.total(replicas), Unit::Samples)],
                )
                .then(": ")
                .and(Said::count(batch.m, Unit::None))
                .then(" per GPU, ")
                .and(Said::count(batch.s, Unit::None))
                .then(" accumulation passes"),
            );
        }
        if let Some(fleet) = &self.fleet {
            facts.push(
                Fact::part(
                    "nodes rented",
                    fleet.nodes(),
                    view.free().node_sizes().len(),
                )
                .then(", at a utility of ")
                .and(Said::Number(fleet.utility, 2, Unit::None))
                .then(" in the last round"),
            );
        }
        let stats = member.agent.stats().filter(|_| !self.by_throughput);
        if let Some(stats) = stats {
            let limits = training.limits();
            let phi = stats.noise_scale(limits.m0);
            facts.push(
                Fact::new("gradient noise scale", "φ = ").and(Said::Magnitude(phi, Unit::Samples)),
            );
            if replicas > 0 {
                let scale = limits.scale(training.configuration().total(replicas));
                let (efficiency, gain) = (stats.efficiency(scale), stats.gain(scale));
                let samples = |name, value| Operand::new(name, value, Unit::Samples);
                let noise = [
                    samples("φ, the gradient noise scale", phi),
                    samples("M0", f64::from(limits.m0)),
                    samples("M, the batch size", scale * f64::from(limits.m0)),
                ];
                facts.push(Fact::percent("efficiency", efficiency, 1).by(
                    "({0} + {1}) ∕ ({0} + {2})",
                    noise,
                    (efficiency, Unit::None),
                ));
                let of_gain = [
                    Operand::new("efficiency", efficiency, Unit::None),
                    Operand::new("M ∕ M0", scale, Unit::None),
                ];
                facts.push(
                    Fact::number("gain", gain, 2, Unit::None)
                        .by("{0} × {1}", of_gain, (gain, Unit::None))
                        .then(" × the progress of a step at M0"),
                );
            }
        }
        if let Some(error) = mean_error(&member.agent) {
            facts.push(
                Fact::new("throughput model", "fitted to ")
                    .and(Said::count(member.agent.observations().len(), Unit::None))
                    .then(" configurations; step times ")
                    .and(Said::Percent(error, 1))
                    .then(" off on the mean"),
            );
        }
        facts.push(
            Fact::number("epochs", training.epochs_done(), 1, Unit::None)
                .then(" of ")
                .and(Said::count(training.epochs(), Unit::None)),
        );
        facts.push(Fact::count(
            "restarts",
            view.ledger().starts(member.job).saturating_sub(1),
            Unit::None,
        ));
        facts
    }

    /// Goodput over batch sizes on the job's present GPUs, as the scheduler believes it.
    fn goodput_plot(
        &self,
        view: &View<'_>,
        member: &Member,
        training: &TrainingView<'_>,
    ) -> Option<Plot> {
        let (nodes, replicas) = size(view.ledger().parts(member.job));
        let (params, stats) = (member.agent.params()?, member.agent.stats()?);
        let limits = training.limits();
        if replicas == 0 {
            return None;
        }
        let truth = training.truth().filter(|_| self.fit == FitChoice::Oracle);
        let (placement, epoch) = (even(nodes, replicas), training.epoch());
        let points = batch::curve(limits, replicas, |batch, total| match truth {
            Some(truth) => (
                truth.step_times(&placement, batch.m).iteration(batch.s),
                truth.stats(total, epoch),
            ),
            None => (params.iter_time(nodes, replicas, batch), *stats),
        });
        let points = points.iter();
        let throughput = points.clone().map(|p| (p.batch, p.throughput)).collect();
        let goodput = points
            .map(|p| (p.batch, p.throughput * p.efficiency))
            .collect();
        let mut marks = vec![Mark {
            x: f64::from(limits.m0),
            label: "M0".to_owned(),
        }];
        let best = match truth {
            Some(truth) => truth.best_choice(&placement, epoch),
            None => member.agent.choose(nodes, replicas),
        };
        if let Some(best) = best {
            marks.push(Mark {
                x: best.batch.total(replicas),
                label: "best".to_owned(),
            });
        }
        Some(Plot {
            title: if truth.is_some() {
                "Goodput by batch size, by its true profile".to_owned()
            } else {
                "Goodput by batch size, as its agent predicts it".to_owned()
            },
            x: "total batch size, samples".to_owned(),
            y: "samples per second".to_owned(),
            lines: vec![
                PlotLine::new("goodput", goodput),
                PlotLine::new("throughput", throughput),
            ],
            marks,
            job_at: Some(training.configuration().total(replicas)),
        })
    }

    pub(super) fn fleet_plot(&self, until: Time) -> Option<Plot> {
        let changes = self.fleet.as_ref()?.changes();
        let mut points: Vec<(f64, f64)> = Vec::new();
        for &(at, nodes) in changes {
            if let Some(&(_, before)) = points.last() {
                points.push((at / 3600.0, before));
            }
            points.push((at / 3600.0, f64::from(nodes)));
        }
        let now = points.last().map(|last| last.1)?;
        points.push((until.seconds() / 3600.0, now));
        let lines = vec![PlotLine::new("rented", points)];
        Some(Plot::new("Nodes rented", "hours", "nodes", lines))
    }
}

pub(super) fn fitness_plot(outcome: &Outcome) -> Plot {
    let best = outcome.best_by_generation.iter().copied();
    Plot::new(
        "Fitness by generation, in the last round's search",
        "generation",
        "power mean of the speedups",
        vec![PlotLine::new(
            "best",
            (1..).map(f64::from).zip(best).collect(),
        )],
    )
}

/// The fitted model's throughput by GPUs at the job's present batch per GPU, packed on nodes, and
/// what was observed, at any batch and placement. Every observed pass counts with the present
/// number of accumulation passes, as the model does (OSDI'21 eq. 8).
fn throughput_plot(view: &View<'_>, member: &Member, training: &TrainingView<'_>) -> Option<Plot> {
    let agent = &member.agent;
    let params = agent.params()?;
    let batch = training.configuration();
    let (_, held) = size(view.ledger().parts(member.job));
    let model = |replicas: u32| {
        let nodes = replicas.div_ceil(view.node_size().max(1));
        (
            f64::from(replicas),
            params.throughput(nodes, replicas, batch),
        )
    };
    let mut observed: Vec<(f64, f64)> = agent
        .observations()
        .iter()
        .map(|seen| (f64::from(seen.replicas), rate(seen, batch.s)))
        .collect();
    order::sort_by(&mut observed, |a, b| {
        order::by_value(&a.0, &b.0).then(order::by_value(&a.1, &b.1))
    });
    let most = agent.max_replicas().max(held);
    Some(Plot {
        title: "Throughput by GPUs, as its agent models it and has seen it".to_owned(),
        x: "GPUs".to_owned(),
        y: "samples per second".to_owned(),
        lines: vec![
            PlotLine::new(
                &format!("model, {} samples per GPU", batch.m),
                (1..=most).map(model).collect(),
            ),
            PlotLine {
                dots: true,
                ..PlotLine::new("observed, any batch", observed)
            },
        ],
        marks: Vec::new(),
        job_at: (held > 0).then_some(f64::from(held)),
    })
}

/// Samples per second of an observed configuration with `s` accumulation passes.
fn rate(seen: &Observation, s: u32) -> f64 {
    let iteration = seen.step + f64::from(s) * (seen.step - seen.sync);
    LocalBatch::new(seen.m, s).total(seen.replicas) / iteration
}

/// By which share the model's step times are off, on the mean of what was observed.
fn mean_error(agent: &Agent) -> Option<f64> {
    let (params, seen) = (agent.params()?, agent.observations());
    let off = |seen: &Observation| {
        let step = params.step_time(seen.nodes, seen.replicas, seen.m);
        (step / seen.step - 1.0).abs()
    };
    Some(seen.iter().map(off).sum::<f64>() / seen.len() as f64)
}
