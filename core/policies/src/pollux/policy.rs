//! The scheduler: at every round each job's agent takes in what it has observed, the search decides
//! who gets which GPUs, and every job is told the batch that its agent wants on them.
//!
//! Between rounds a job re-tunes its batch when it has run for a while on new GPUs (in the paper,
//! agents report every 30 s) and at the end of each epoch; a new one gets a single GPU, if one is
//! free, so that it can begin to learn how it scales. Plain jobs, whose gangs cannot
//! shrink, are served before (see `rigid`).

mod believing;
mod explaining;
mod state;
mod truth;

use super::autoscale;
use super::fleet::{self, Autoscale, Fleet, Utility};
use super::{Candidate, Node, Outcome, Problem, Search, SearchParameters};
use crate::cluster::Part;
use crate::entry::{BuildContext, Properties};
use crate::goodput::{Agent, CandidateTable, FitChoice, Fits, LocalBatch};
use crate::job::JobId;
use crate::parameters::{GANG_PLACEMENT, PlacementChoice, Words, param, parameters, words};
use crate::rigid::{self, Rigid};
use crate::{
    Cadence, Every, Explanation, ParamKind, Policy, PolicyEntry, Rng, RoundReport, RoundRow, rounds,
};
use believing::seen;
use explaining::fitness_plot;
use state::{MOST_REPLICAS, Member, Pollux, size};
use std::collections::BTreeMap;
use std::sync::Arc;
use switchyard_engine::{News, Plan, TrainingView, View};
use truth::Truth;

pub(crate) const POLICY: PolicyEntry = PolicyEntry {
    name: "pollux",
    title: "Pollux",
    summary: "Gives GPUs and batch sizes together, for the greatest mean of the jobs' goodput speedups: a genetic search at every round, on models that each job fits to itself.",
    source: "Qiao et al., OSDI'21",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        p: f64 = param(
            ParamKind::Float {
                min: -40.0,
                max: 40.0,
            },
            "-1",
            "Exponent of the power mean of speedups: the smaller, the fairer; 1 is the plain mean.",
        ),
        interval: f64 = rounds::round("60"),
        population: u32 = param(
            ParamKind::Int {
                min: 2,
                max: 10_000,
            },
            "100",
            "Allocations that the search keeps.",
        )
        .for_experts(),
        generations: u32 = param(
            ParamKind::Int {
                min: 2,
                max: 10_000,
            },
            "100",
            "Generations of a search, at most; the first is what is there already.",
        )
        .for_experts(),
        delta: f64 = param(
            ParamKind::Seconds { min: 0.0, max: 1e6 },
            "30",
            "Seconds that a restart is expected to cost.",
        )
        .or_called(&["restart"])
        .for_experts(),
        avoidance: bool = param(
            ParamKind::Bool,
            "true",
            "At most one job that spans nodes on each node, so that none disturbs another.",
        )
        .for_experts(),
        fit: FitChoice = param(
            ParamKind::OneOf(FitChoice::WORDS),
            "agent",
            "Whose goodput is believed: the model fitted to what a job has seen, or its true profile.",
        )
        .for_experts(),
        patience: u32 = param(
            ParamKind::Int {
                min: 0,
                max: 10_000,
            },
            "10",
            "Generations without improvement after which a search stops; 0: never. On the paper's workloads 10 cost nothing.",
        )
        .for_experts(),
        retune: f64 = param(
            ParamKind::Float {
                min: 0.0,
                max: 10.0,
            },
            "0.05",
            "By which share another batch must be better before a running job changes to it.",
        )
        .for_experts(),
        report: f64 = param(
            ParamKind::Seconds { min: 1.0, max: 1e6 },
            "30",
            "Seconds after which a job's agent first fits what it has seen on new GPUs, and re-tunes the batch.",
        )
        .for_experts(),
        quirks: bool = param(
            ParamKind::Bool,
            "false",
            "As the paper's simulator has it: new jobs wait for a round, the fair share is on one node, a first start counts as a restart, batches always follow the model, searches never stop early, ncf stays on one GPU.",
        )
        .for_experts(),
        autoscale: Autoscale = fleet::AUTOSCALE,
        utility: Utility = fleet::UTILITY,
        min_nodes: u32 = fleet::MIN_NODES,
        placement: PlacementChoice = GANG_PLACEMENT,
    }
}

impl Properties for Parameters {
    fn check(&self) -> Result<(), String> {
        if self.autoscale != Autoscale::Off && self.quirks {
            Err("quirks=true is the paper's simulator, which does not autoscale".to_owned())
        } else if self.autoscale == Autoscale::Throughput && self.fit == FitChoice::Oracle {
            Err("autoscale=throughput needs the agents' models: fit=agent".to_owned())
        } else {
            Ok(())
        }
    }

    fn is_oracle(&self) -> bool {
        self.fit == FitChoice::Oracle
    }

    fn adapts_jobs(&self) -> bool {
        true
    }
}

pub(crate) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(Pollux::new(params, context))
}

words! {
    FitChoice { Agent = "agent", Oracle = "oracle" }
}

/// An allocation found for some nodes.
struct Trial {
    nodes: u32,
    problem: Problem,
    outcome: Outcome,
    /// What the search remembers.
    search: Search,
    /// Speedup over one GPU, per GPU; known under autoscaling.
    utility: f64,
}

impl Pollux {
    fn new(params: &Parameters, context: &BuildContext<'_>) -> Self {
        let quirks = params.quirks;
        let parameters = SearchParameters {
            p: params.p,
            delta: params.delta,
            avoidance: params.avoidance,
            population: params.population as usize,
            generations: params.generations,
            patience: if quirks { 0 } else { params.patience },
            stop_at_bound: !quirks,
            reference: quirks,
            ..SearchParameters::default()
        };
        Self {
            parameters,
            interval: params.interval,
            fit: params.fit,
            quirks,
            retune: if quirks { 0.0 } else { params.retune },
            report: params.report,
            rigid: Rigid::new(params.placement.asked(context.placement)),
            members: Vec::new(),
            tables: BTreeMap::new(),
            fits: Fits::default(),
            truth: Truth::default(),
            search: Search::new(),
            fleet: (params.autoscale != Autoscale::Off)
                .then(|| Fleet::new(params.utility, params.min_nodes)),
            by_throughput: params.autoscale == Autoscale::Throughput,
            last: None,
            fair: (0, 0),
        }
    }

    fn follow(&mut self, view: &View<'_>) {
        for &news in view.news() {
            match news {
                News::Arrived(job) => match view.training(job) {
                    Some(training) => self.admit(job, &training, view.node_size()),
                    None => self.rigid.admit(job),
                },
                News::Finished(job) => self.members.retain(|member| member.job != job),
                News::Evicted(job) if view.training(job).is_none() => self.rigid.admit(job),
                News::Evicted(_)
                | News::Alarm(_)
                | News::NodeDown(_)
                | News::NodeUp(_)
                | News::CoresFreed => {}
            }
        }
    }

    fn admit(&mut self, job: JobId, training: &TrainingView<'_>, node_size: u32) {
        let table = self.tables.entry(training.application());
        let table = table.or_insert_with(|| {
            let limits = *training.limits();
            Arc::new(CandidateTable::new(limits, MOST_REPLICAS, node_size))
        });
        self.members.push(Member {
            job,
            agent: Agent::new(Arc::clone(table)),
        });
    }

    /// Gives new jobs a free GPU each, until the next round.
    fn start_newcomers(&mut self, view: &View<'_>, plan: &mut Plan) {
        let mut free = view.free().per_node().to_vec();
        if let Some(fleet) = &self.fleet {
            free.truncate(fleet.nodes() as usize);
        }
        for at in 0..self.members.len() {
            let job = self.members[at].job;
            let is_new = view.ledger().starts(job) == 0;
            let Some(training) = view.training(job).filter(|_| is_new) else {
                continue;
            };
            // Where fewest are free: whole nodes stay whole.
            let open = (0u32..).zip(&free).filter(|(_, gpus)| **gpus > 0);
            let Some((node, _)) = open.min_by_key(|&(node, &gpus)| (gpus, node)) else {
                return;
            };
            let parts = [Part::new(node, 1)];
            let batch = self.configure(at, &training, &parts);
            plan.train(job, &parts, batch);
            plan.alarm(job, view.now() + self.report);
            rigid::take(&mut free, &parts);
        }
    }

    /// Agents that have run for a while look at what they have seen.
    fn report(&mut self, view: &View<'_>, plan: &mut Plan) {
        for &news in view.news() {
            let News::Alarm(job) = news else { continue };
            let Some(batch) = self.tune(view, job) else {
                continue;
            };
            plan.tune(job, batch);
            let seen = view.training(job).and_then(|training| training.observed());
            if seen.is_none() {
                plan.alarm(job, view.now() + self.report);
            }
        }
    }

    fn candidates(&self, view: &View<'_>, current: &[Vec<Part>]) -> Vec<Candidate> {
        let mut candidates = Vec::with_capacity(self.members.len());
        for (order, (member, current)) in (0u32..).zip(self.members.iter().zip(current)) {
            let training = view.training(member.job);
            let starts = view.ledger().starts(member.job);
            candidates.push(Candidate {
                key: member.job.0,
                current: current.clone(),
                min_replicas: 1,
                max_replicas: training.map_or(1, |t| self.max_replicas(member, &t)),
                preemptible: !view.is_on_closed_node(member.job),
                started: starts > 0,
                profiled: self.fit == FitChoice::Oracle || member.agent.params().is_some(),
                attained: view.attained(member.job),
                age: view.now() - view.submit(member.job),
                restarts: starts.saturating_sub(1),
                submit_order: order,
            });
        }
        candidates
    }

    /// Searches for an allocation of these GPUs per node.
    fn try_on(
        &mut self,
        view: &View<'_>,
        rng: &mut Rng,
        free: &[u32],
        mut search: Search,
    ) -> Option<Trial> {
        let current = rigid::still_held(view, self.members.iter().map(|member| member.job), free);
        let nodes: Vec<Node> = (0u32..)
            .zip(free)
            .map(|(key, &gpus)| Node { key, gpus })
            .collect();
        let candidates = self.candidates(view, &current);
        let (parameters, fit, node_size) = (self.parameters, self.fit, view.node_size());
        let problem = Problem::new(&nodes, &candidates, parameters, |at, nodes, k| {
            // The search tells one node from several; of several, as few as hold them.
            let several = nodes > 1 && fit == FitChoice::Oracle;
            let fewest = if several { k.div_ceil(node_size) } else { 1 };
            self.goodput(view, at, nodes.max(fewest), k)
        });
        let problem = problem.ok()?;
        let outcome = search.run(&problem, rng);
        Some(Trial {
            nodes: nodes.len() as u32,
            problem,
            outcome,
            search,
            utility: f64::NAN,
        })
    }

    /// The cluster's utility under a trial's allocation of these GPUs per node.
    fn utility(&mut self, view: &View<'_>, free: &[u32], trial: &Trial) -> f64 {
        let gpus = free.iter().sum();
        if gpus == 0 {
            // Whatever the jobs got would be more.
            return f64::INFINITY;
        }
        let mut goodputs = Vec::with_capacity(self.members.len());
        for at in 0..self.members.len() {
            let parts: Vec<Part> = trial.outcome.allocation.parts(at).collect();
            let (nodes, replicas) = size(&parts);
            if replicas == 0 {
                continue;
            }
            let alone = self.goodput(view, at, 1, 1);
            goodputs.push(if alone > 0.0 {
                (self.goodput(view, at, nodes, replicas), alone)
            } else {
                // An unknown job is worth trying.
                (f64::from(replicas), 1.0)
            });
        }
        autoscale::utility(goodputs, gpus)
    }

    /// Decides how many nodes are rented; the allocation of those.
    fn scale(
        &mut self,
        view: &View<'_>,
        rng: &mut Rng,
        free: &[u32],
        plan: &mut Plan,
    ) -> Option<Trial> {
        let useful = self.members.iter().fold(0u32, |sum, member| {
            let training = view.training(member.job);
            sum.saturating_add(training.map_or(0, |t| self.max_replicas(member, &t)))
        });
        let fleet = self.fleet.as_ref()?;
        let mut rule = fleet.rule(view.free().node_sizes(), free, useful);
        rule.min_nodes = rule.min_nodes.max(last_pinned(view));
        let rented = fleet.nodes();
        let mut trials: Vec<Trial> = Vec::new();
        let nodes = rule.nodes(rented, |nodes| {
            if let Some(known) = trials.iter().find(|trial| trial.nodes == nodes) {
                return known.utility;
            }
            let free = free.get(..nodes as usize).unwrap_or(free);
            let search = self.search.clone();
            let Some(mut trial) = self.try_on(view, rng, free, search) else {
                return 0.0;
            };
            trial.utility = self.utility(view, free, &trial);
            let utility = trial.utility;
            trials.push(trial);
            utility
        });
        let chosen = trials.into_iter().find(|trial| trial.nodes == nodes)?;
        let fleet = self.fleet.as_mut()?;
        fleet.utility = chosen.utility;
        fleet.rent(view.now(), nodes, plan);
        Some(chosen)
    }

    /// A round.
    fn reallocate(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan) {
        self.observe(view);
        let sizes = view.free().node_sizes();
        let mut free = sizes.to_vec();
        let open = match &self.fleet {
            // A gang that waits for one node's GPUs finds them on any node of the cluster.
            Some(fleet) if !self.rigid.may_wait() => {
                fleet.open(sizes, self.rigid.gpus(view)) as usize
            }
            _ => sizes.len(),
        };
        // Who is on a node that takes nobody stays where it is.
        let pinned = self.members.iter().map(|member| member.job);
        let pinned = pinned.filter(|&job| view.is_on_closed_node(job));
        let pinned: Vec<Part> = pinned
            .flat_map(|job| view.ledger().parts(job))
            .copied()
            .collect();
        rigid::take(&mut free, &pinned);
        let (open, _) = free.split_at_mut(open.min(sizes.len()));
        self.rigid.give_out(view, open, plan);
        for part in &pinned {
            free[part.node as usize] += part.gpus;
        }
        if self.members.is_empty() {
            if let Some(fleet) = &mut self.fleet {
                let nodes = fleet.rule(sizes, &free, 0).min_nodes.max(last_pinned(view));
                fleet.rent(view.now(), nodes, plan);
            }
            return;
        }
        let found = if self.fleet.is_some() {
            self.scale(view, rng, &free, plan)
        } else {
            let search = std::mem::take(&mut self.search);
            self.try_on(view, rng, &free, search)
        };
        let Some(Trial {
            problem,
            outcome,
            search,
            ..
        }) = found
        else {
            return;
        };
        self.search = search;
        let speedups_before = problem.speedups(&problem.current());
        let speedups = problem.speedups(&outcome.allocation);
        let mut rows = Vec::with_capacity(self.members.len());
        for at in 0..self.members.len() {
            let job = self.members[at].job;
            let Some(training) = view.training(job) else {
                continue;
            };
            let parts: Vec<Part> = outcome.allocation.parts(at).collect();
            let before = view.ledger().parts(job);
            if parts == before {
                if !parts.is_empty() {
                    let batch = self.go_on(at, view, &training);
                    plan.tune(job, batch);
                }
            } else if parts.is_empty() {
                plan.preempt(job);
            } else {
                let batch = self.configure(at, &training, &parts);
                plan.train(job, &parts, batch);
                if !self.quirks {
                    plan.alarm(job, view.now() + self.report);
                }
            }
            rows.push(RoundRow {
                job,
                before: before.to_vec(),
                after: parts,
                speedup_before: speedups_before.get(at).copied().unwrap_or(0.0),
                speedup: speedups.get(at).copied().unwrap_or(0.0),
            });
        }
        plan.note_round(outcome.fitness.mean_speedup, outcome.fitness.utility);
        self.fair = problem.fair_share();
        self.last = Some(RoundReport {
            at: view.now(),
            plots: vec![fitness_plot(&outcome)],
            rows,
            choices: None,
        });
    }
}

/// One past the last node of jobs that stay where they are, on nodes that take nobody.
fn last_pinned(view: &View<'_>) -> u32 {
    let running = view.ledger().running();
    let pinned = running.filter(|&job| view.is_on_closed_node(job));
    let nodes = pinned.flat_map(|job| view.ledger().parts(job));
    nodes.map(|part| part.node + 1).max().unwrap_or(0)
}

impl Policy for Pollux {
    fn cadence(&self) -> Cadence {
        Cadence {
            on_change: !self.quirks,
            every: Some(Every {
                seconds: self.interval,
                parameter: "interval",
                while_all_run: true,
            }),
        }
    }

    fn plan(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan) {
        self.follow(view);
        let is_idle = self.members.is_empty() && self.rigid.is_empty(view);
        if let Some(fleet) = self.fleet.as_mut()
            && (is_idle || fleet.nodes() == 0)
        {
            let least = fleet.least(view.free().node_sizes());
            fleet.rent(view.now(), least, plan);
        }
        if view.is_round() {
            self.reallocate(view, rng, plan);
        } else {
            self.report(view, plan);
            let arrived = |news: &News| matches!(news, News::Arrived(_));
            if view.news().iter().any(arrived) {
                self.start_newcomers(view, plan);
            }
        }
    }

    fn tune(&mut self, view: &View<'_>, job: JobId) -> Option<LocalBatch> {
        let at = self.position(job)?;
        let training = view.training(job)?;
        let member = self.members.get_mut(at)?;
        if let Some((observation, stats)) = seen(&training, self.by_throughput) {
            let _ = member.agent.observe(observation, stats, &mut self.fits);
        }
        Some(self.go_on(at, view, &training))
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        self.explanation(view, job)
    }

    fn round(&self) -> Option<RoundReport> {
        let mut report = self.last.clone()?;
        report.plots.extend(self.fleet_plot(report.at));
        Some(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goodput::RETUNE_GAIN;
    use crate::parameters::Written;

    /// What a form shows and what runs is what the search itself takes for granted.
    #[test]
    fn the_policys_defaults_are_the_searchs() {
        let nothing = Written {
            policy: POLICY.name,
            texts: &[],
        };
        let params = Parameters::read(&nothing).expect("defaults");
        let context = BuildContext {
            placement: Default::default(),
            workload: &Default::default(),
            history: None,
            picker: None,
            queues: None,
        };
        let policy = Pollux::new(&params, &context);
        assert_eq!(policy.parameters, SearchParameters::default());
        assert_eq!(policy.retune, RETUNE_GAIN);
    }
}
