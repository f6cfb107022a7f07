//! Shockwave's planner asked from round to round. In: who is there, how far jobs are, with which batch size. Out: the jobs
//! of the round, on the GPUs that they have; what is left over goes to others, the longest first, as in the authors'
//! simulator.
//!
//! There GPUs that come free within a round idle until its end. Here jobs that wait start on them; the next round may take
//! them back.

use super::super::muri::Layout;
use super::super::shares::Courses;
use super::super::{Cadence, Explanation, Fact, Policy, Rng, Verdict, rounds};
use super::Parameters;
use crate::job::JobId;
use crate::order;
use std::cmp::Reverse;
use switchyard_engine::{News, Phase, Plan, View};
use switchyard_explain::{Operand, Said, Unit};
use switchyard_placement::Strategy;
use switchyard_shockwave::shockwave::{Planner, Profile, Settings, Standing};

pub(super) struct Shockwave {
    settings: Settings,
    strategy: Strategy,
    /// None before the first round.
    planner: Option<Planner>,
    courses: Courses,
    /// Who has come since the last round, in order of submission.
    new: Vec<JobId>,
    layout: Layout,
    /// At the last round: all jobs in the order in which they get what is left over.
    ranked: Vec<JobId>,
}

/// A job as the planner calls it.
fn job(id: usize) -> JobId {
    JobId(id as u32)
}

impl Shockwave {
    pub(super) fn new(params: &Parameters, strategy: Strategy) -> Self {
        Self {
            settings: Settings {
                round: params.round,
                rounds: params.future_rounds as usize,
                makespan_weight: params.k,
                power: params.lambda,
            },
            strategy,
            planner: None,
            courses: Courses::default(),
            new: Vec::new(),
            layout: Layout::default(),
            ranked: Vec::new(),
        }
    }

    fn follow(&mut self, view: &View<'_>) {
        for &news in view.news() {
            match news {
                News::Arrived(job) => {
                    self.courses.come(view, job);
                    self.new.push(job);
                }
                News::Finished(job) => {
                    self.courses.go(job);
                    self.new.retain(|&new| new != job);
                    self.ranked.retain(|&other| other != job);
                    if let Some(planner) = &mut self.planner {
                        planner.gone(job.index());
                    }
                }
                _ => {}
            }
        }
    }

    /// The planner, when it knows what has happened since the last round.
    fn informed(&mut self, view: &View<'_>) -> &mut Planner {
        let gpus = view.node_sizes().iter().sum();
        let settings = self.settings;
        let planner = self
            .planner
            .get_or_insert_with(|| Planner::of(settings, gpus));
        let round = view.now().seconds() / settings.round;
        let round = libm::round(round) as usize;
        planner.advance(round);
        for job in view.ledger().running() {
            planner.progress(job.index(), self.courses.epochs_done(view, job) as u64);
            let speed = self.courses.samples_per_second(view, job) * view.rate(job);
            if speed > 0.0 && speed.is_finite() {
                planner.measured(job.index(), round, speed);
            }
        }
        for job in self.new.drain(..) {
            let Some(course) = self.courses.of(job) else {
                continue;
            };
            let profile = Profile {
                gang: course.profile.gang.min(gpus),
                ..course.profile.clone()
            };
            planner.come(job.index(), &profile, view.submit(job).seconds());
        }
        planner
    }

    fn standing(&self, job: JobId) -> Option<Standing> {
        self.planner.as_ref()?.standing(job.index())
    }
}

impl Policy for Shockwave {
    fn cadence(&self) -> Cadence {
        Cadence {
            on_change: true,
            ..rounds::over_all(self.settings.round, "round")
        }
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        self.follow(view);
        let strategy = self.strategy;
        if !view.is_round() {
            let waits = |job: &&JobId| view.phase(**job) == Phase::Waiting;
            let all = self.ranked.iter().chain(&self.new);
            let waiting: Vec<JobId> = all.filter(waits).copied().collect();
            self.layout.fill(view, plan, strategy, &waiting);
            return;
        }
        let planner = self.informed(view);
        let mut groups: Vec<Vec<JobId>> = planner.round().iter().map(|&id| vec![job(id)]).collect();
        let ranked: Vec<JobId> = planner.longest().into_iter().map(job).collect();
        order::sort_by_key(&mut groups, |group| Reverse(view.gpus(group[0])));
        let all = ranked.iter().copied();
        self.layout.lay(view, plan, strategy, &groups, all);
        self.ranked = ranked;
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let verdict = match view.phase(job) {
            Phase::Running => Verdict::Runs,
            Phase::Waiting => Verdict::TooFewGpus {
                wants: view.gpus(job),
                left: self.layout.left.most(view.needs(job).pools()),
            },
            _ => return Explanation::new(Verdict::NotActive, Vec::new()),
        };
        let mut facts = Vec::new();
        match self.standing(job) {
            Some(standing) => facts.extend(told(&standing)),
            None => facts.push(Fact::new(
                "planned",
                "not yet: it came after the last round",
            )),
        }
        facts.extend(self.courses.facts(view, job));
        Explanation::new(verdict, facts)
    }
}

/// What the planner thinks of a job.
fn told(standing: &Standing) -> Vec<Fact> {
    let mut epochs = Fact::count("epochs left", standing.epochs_left, Unit::None);
    if standing.expected.len() > 1 {
        epochs = epochs.then(", by prediction");
        for (at, of) in standing.expected.iter().enumerate() {
            epochs = epochs
                .then(if at > 0 { ", " } else { " " })
                .and(Said::Number(of.epochs, 1, Unit::None))
                .then(" of batch size ")
                .and(Said::count(of.batch, Unit::None));
        }
    }
    let seconds = |name, value| Operand::new(name, value, Unit::Seconds);
    let of_rho = [
        seconds("when this round begins", standing.now),
        seconds("its predicted remaining run time", standing.remaining),
        Operand::new("each job's part of the cluster", standing.share, Unit::None),
        seconds("when that part would have it done", standing.fair_finish),
    ];
    vec![
        Fact::part("rounds planned with GPUs", standing.planned, standing.of),
        Fact::number(
            "projected finish-time fairness ρ",
            standing.rho,
            2,
            Unit::None,
        )
        .by(
            "({0} + {1} ∕ {2}) ∕ {3}",
            of_rho,
            (standing.rho, Unit::None),
        ),
        remaining(standing),
        epochs,
    ]
}

/// How long it still runs: by batch size the epochs that are expected and what each takes. What has no epoch left
/// counts as a second.
fn remaining(standing: &Standing) -> Fact {
    let fact = Fact::span("predicted remaining run time", standing.remaining);
    if standing.epochs_left == 0 {
        return fact;
    }
    let expected = standing.expected.iter();
    let products = (0..expected.len()).map(|at| format!("{{{}}} × {{{}}}", 2 * at, 2 * at + 1));
    let products: Vec<String> = products.collect();
    let operands = expected.flat_map(|of| {
        let batch = of.batch;
        let epochs = format!("epochs expected with batch size {batch}");
        let each = format!("seconds of one with batch size {batch}");
        [
            Operand::new(epochs, of.epochs, Unit::None),
            Operand::new(each, of.seconds, Unit::Seconds),
        ]
    });
    let operands: Vec<Operand> = operands.collect();
    fact.by(
        products.join(" + "),
        operands,
        (standing.remaining, Unit::Seconds),
    )
}
