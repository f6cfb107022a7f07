//! What the scheduler believes of a job's goodput, and the batch that follows: by the model of the
//! job's agent, or by its true profile.

use super::state::{MOST_REPLICAS, Member, Pollux, size};
use crate::cluster::Part;
use crate::goodput::{Agent, Choice, FitChoice, GradientStats, LocalBatch, Observation, batch};
use switchyard_engine::{TrainingView, View};

impl Pollux {
    /// Whether the job stays on one GPU with its greatest batch, as the paper's simulator has it.
    fn is_pinned(&self, training: &TrainingView<'_>) -> bool {
        self.quirks && training.name() == "ncf"
    }

    pub(super) fn max_replicas(&self, member: &Member, training: &TrainingView<'_>) -> u32 {
        if self.is_pinned(training) {
            return 1;
        }
        match self.fit {
            FitChoice::Agent => member.agent.max_replicas(),
            FitChoice::Oracle => training.limits().max_replicas().clamp(1, MOST_REPLICAS),
        }
    }

    /// The batch for GPUs just given.
    pub(super) fn configure(
        &mut self,
        at: usize,
        training: &TrainingView<'_>,
        parts: &[Part],
    ) -> LocalBatch {
        let (nodes, replicas) = size(parts);
        if self.is_pinned(training) {
            let limits = training.limits();
            return limits.split(limits.max_batch, replicas);
        }
        if self.fit == FitChoice::Oracle
            && let Some(choice) = self
                .truth
                .choose(training, training.epoch(), nodes, replicas)
        {
            return choice.batch;
        }
        self.members[at].agent.configure(nodes, replicas)
    }

    /// The batch to go on with on the same GPUs in this epoch.
    pub(super) fn go_on(
        &mut self,
        at: usize,
        view: &View<'_>,
        training: &TrainingView<'_>,
    ) -> LocalBatch {
        let current = training.configuration();
        let (nodes, replicas) = size(view.ledger().parts(training.job()));
        if self.is_pinned(training) {
            return current;
        }
        if self.fit == FitChoice::Oracle {
            let choice = self
                .truth
                .choose(training, training.epoch(), nodes, replicas);
            return choice.map_or(current, |choice| choice.batch);
        }
        let agent = &self.members[at].agent;
        if self.quirks {
            agent.configure(nodes, replicas)
        } else {
            agent.retune(nodes, replicas, current, self.retune)
        }
    }

    pub(super) fn observe(&mut self, view: &View<'_>) {
        for member in &mut self.members {
            let training = view.training(member.job);
            let seen = training.and_then(|training| seen(&training, self.by_throughput));
            if let Some((observation, stats)) = seen {
                // What a profile says is sound; what is not would teach nothing.
                let _ = member.agent.observe(observation, stats, &mut self.fits);
            }
        }
    }

    /// What is believed of a job's goodput; any unit, the same for all of one job's.
    pub(super) fn goodput(&mut self, view: &View<'_>, at: usize, nodes: u32, replicas: u32) -> f64 {
        let member = &self.members[at];
        let choice = match (self.fit, view.training(member.job)) {
            (FitChoice::Oracle, Some(training)) => {
                let epoch = training.epoch();
                self.truth.choose(&training, epoch, nodes, replicas)
            }
            (FitChoice::Oracle, None) => None,
            (FitChoice::Agent, _) => predict(&member.agent, nodes, replicas, view.node_size()),
        };
        choice.map_or(0.0, |choice| choice.goodput)
    }
}

/// What a job's agent is told of its training.
pub(super) fn seen(
    training: &TrainingView<'_>,
    by_throughput: bool,
) -> Option<(Observation, GradientStats)> {
    let (observation, stats) = training.observed()?;
    if by_throughput {
        let m0 = training.limits().m0;
        return Some((
            observation,
            GradientStats::of_noise_scale(f64::INFINITY, m0),
        ));
    }
    Some((observation, stats))
}

/// What an agent's model says, beyond what the job may explore too: the fair share may be there.
fn predict(agent: &Agent, nodes: u32, replicas: u32, node_size: u32) -> Option<Choice> {
    if replicas <= agent.max_replicas() && (nodes > 1 || replicas <= node_size) {
        return agent.choose(nodes, replicas);
    }
    let (params, stats) = (agent.params()?, agent.stats()?);
    batch::choose(params, stats, agent.limits(), nodes, replicas)
}
