//! PolluxAgent: what one job knows of itself (Pollux, OSDI'21, section 4.1).
//!
//! It keeps the step times of every configuration that ran, refits the throughput model when a new
//! one appears, and tunes `(m, s)` to it. Prior-driven exploration: a job may be given at most twice
//! the replicas it has ever run on, so it learns how it scales before it is scaled.

use super::batch::{CandidateTable, Choice, Limits, ThroughputTable};
use super::{FitError, Fits, GradientStats, LocalBatch, Observation, ThroughputParams};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Whose goodput a scheduler believes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FitChoice {
    /// The agent's fit, as in the paper.
    #[default]
    Agent,
    /// The true profile, which no real scheduler knows.
    Oracle,
}

/// By how much a new batch size must be better before a running job changes to it.
pub const RETUNE_GAIN: f64 = 0.05;

/// One job's profile and model.
#[derive(Clone, Debug)]
pub struct Agent {
    candidates: Arc<CandidateTable>,
    observations: Vec<Observation>,
    /// Nodes, replicas and batch of each.
    seen: BTreeSet<(u32, u32, u32)>,
    most_replicas: u32,
    table: Option<ThroughputTable>,
    stats: Option<GradientStats>,
}

impl Agent {
    /// An agent that has seen nothing; `candidates` are its application's.
    pub fn new(candidates: Arc<CandidateTable>) -> Self {
        Self {
            candidates,
            observations: Vec::new(),
            seen: BTreeSet::new(),
            most_replicas: 0,
            table: None,
            stats: None,
        }
    }

    /// Takes in gradient statistics and a step; the model is fitted anew if the step's
    /// configuration is. Whether it was. `fits` are those that the scheduler remembers.
    ///
    /// # Errors
    ///
    /// [`FitError`] for an impossible observation, of which nothing is kept.
    pub fn observe(
        &mut self,
        observation: Observation,
        stats: GradientStats,
        fits: &mut Fits,
    ) -> Result<bool, FitError> {
        let key = (observation.nodes, observation.replicas, observation.m);
        if self.seen.contains(&key) {
            self.stats = Some(stats);
            return Ok(false);
        }
        self.observations.push(observation);
        let fitted = match fits.fit(&self.observations) {
            Ok(fitted) => fitted,
            Err(error) => {
                self.observations.pop();
                return Err(error);
            }
        };
        self.stats = Some(stats);
        self.seen.insert(key);
        self.most_replicas = self.most_replicas.max(observation.replicas);
        let most = self.max_replicas();
        match &mut self.table {
            Some(table) => {
                table.refit(fitted);
                table.grow(most);
            }
            None => {
                let candidates = Arc::clone(&self.candidates);
                self.table = Some(ThroughputTable::new(candidates, fitted, most));
            }
        }
        Ok(true)
    }

    /// The limits of its application.
    pub fn limits(&self) -> &Limits {
        self.candidates.limits()
    }

    /// Every configuration that ran, in order.
    pub fn observations(&self) -> &[Observation] {
        &self.observations
    }

    /// The fitted model; `None` before the first step.
    pub fn params(&self) -> Option<&ThroughputParams> {
        self.table.as_ref().map(ThroughputTable::params)
    }

    /// The last gradient statistics; `None` before the first step.
    pub fn stats(&self) -> Option<&GradientStats> {
        self.stats.as_ref()
    }

    /// The exploration cap: at most twice the replicas it has run on, and at least one.
    pub fn max_replicas(&self) -> u32 {
        self.limits().explored_replicas(self.most_replicas)
    }

    /// The best `(m, s)` on `nodes` and `replicas` and its predicted goodput; `None` before the
    /// first step, beyond the exploration cap, and where the limits leave no choice.
    pub fn choose(&self, nodes: u32, replicas: u32) -> Option<Choice> {
        let (table, stats) = (self.table.as_ref()?, self.stats.as_ref()?);
        table.choose(stats, nodes, replicas)
    }

    /// Predicted goodput over that on one GPU; `replicas` before the first step, so that an
    /// unknown job is worth trying.
    pub fn speedup(&self, nodes: u32, replicas: u32) -> f64 {
        let one = self.choose(1, 1).map_or(0.0, |choice| choice.goodput);
        match self.choose(nodes, replicas) {
            Some(choice) if one > 0.0 => choice.goodput / one,
            _ if self.table.is_none() => f64::from(replicas),
            _ => 0.0,
        }
    }

    /// What to run with on `nodes` and `replicas`: the best batch, or M0 (at least
    /// `min_local` per GPU) before the first step.
    pub fn configure(&self, nodes: u32, replicas: u32) -> LocalBatch {
        match self.choose(nodes, replicas) {
            Some(choice) => choice.batch,
            None => {
                let limits = self.limits();
                let least = limits.min_local.saturating_mul(replicas);
                limits.split(limits.m0.max(least), replicas)
            }
        }
    }

    /// What to go on with while the allocation stays: the best batch if it is predicted to be
    /// better than the current one by more than `gain` (such as [`RETUNE_GAIN`]), else the
    /// current one.
    pub fn retune(&self, nodes: u32, replicas: u32, current: LocalBatch, gain: f64) -> LocalBatch {
        let (Some(best), Some(params), Some(stats)) =
            (self.choose(nodes, replicas), self.params(), self.stats())
        else {
            return current;
        };
        let efficiency = stats.efficiency(self.limits().scale(current.total(replicas)));
        let now = params.throughput(nodes, replicas, current) * efficiency;
        if best.goodput > now * (1.0 + gain) {
            best.batch
        } else {
            current
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        m0: 128,
        max_batch: 4096,
        min_local: 32,
        max_local: 1024,
    };

    const TRUE: ThroughputParams = ThroughputParams {
        alpha_c: 0.02,
        beta_c: 7e-4,
        alpha_n: 0.09,
        beta_n: 0.0025,
        alpha_r: 0.015,
        beta_r: 1e-4,
        gamma: 1.3,
    };

    const NOISE: GradientStats = GradientStats {
        sqr: 1.0,
        var: 20.0,
    };

    fn agent() -> Agent {
        Agent::new(Arc::new(CandidateTable::new(LIMITS, 64, 4)))
    }

    fn run(agent: &mut Agent, nodes: u32, replicas: u32, m: u32) -> bool {
        let step = TRUE.step_time(nodes, replicas, m);
        let observation = Observation {
            nodes,
            replicas,
            m,
            step,
            sync: step - TRUE.grad_time(m),
        };
        agent
            .observe(observation, NOISE, &mut Fits::default())
            .expect("a sound step")
    }

    #[test]
    fn nothing_is_known_at_first() {
        let agent = agent();
        assert_eq!(agent.max_replicas(), 1);
        assert_eq!(agent.choose(1, 1), None);
        assert_eq!(agent.speedup(2, 8), 8.0);
        assert_eq!(agent.configure(1, 1), LocalBatch::new(128, 0));
        // 16·32 exceeds M0.
        assert_eq!(agent.configure(4, 16), LocalBatch::new(32, 0));
    }

    #[test]
    fn exploration_doubles() {
        let mut agent = agent();
        for (replicas, cap) in [(1u32, 2u32), (2, 4), (3, 6), (24, 48), (40, 64)] {
            assert!(run(&mut agent, replicas.div_ceil(4), replicas, 64));
            assert_eq!(agent.max_replicas(), cap);
            assert!(agent.choose(cap.div_ceil(4), cap).is_some());
            assert_eq!(agent.choose(16, cap + 1), None);
        }
        // The limits cap it too: ⌊512/32⌋ = 16.
        let narrow = Limits {
            max_batch: 512,
            ..LIMITS
        };
        let mut agent = Agent::new(Arc::new(CandidateTable::new(narrow, 64, 4)));
        run(&mut agent, 4, 16, 32);
        assert_eq!(agent.max_replicas(), 16);
    }

    #[test]
    fn only_new_configurations_are_fitted() {
        let mut agent = agent();
        assert!(run(&mut agent, 1, 1, 128));
        assert!(!run(&mut agent, 1, 1, 128));
        assert!(run(&mut agent, 1, 1, 64));
        assert_eq!(agent.observations().len(), 2);
        let bad = Observation {
            step: f64::NAN,
            ..agent.observations()[0]
        };
        // A known configuration is not looked at again; a new one is.
        assert_eq!(agent.observe(bad, NOISE, &mut Fits::default()), Ok(false));
        assert!(
            agent
                .observe(Observation { m: 65, ..bad }, NOISE, &mut Fits::default())
                .is_err()
        );
        assert_eq!(agent.observations().len(), 2);
    }

    #[test]
    fn with_enough_seen_it_chooses_as_the_truth_would() {
        let mut agent = agent();
        for (nodes, replicas) in [(1, 1), (1, 2), (1, 4), (2, 4), (2, 8), (4, 16)] {
            for m in [32, 64, 128, 256] {
                run(&mut agent, nodes, replicas, m);
            }
        }
        for (nodes, replicas) in [(1, 1), (1, 3), (2, 8), (8, 32)] {
            let own = agent.choose(nodes, replicas).expect("profiled");
            let truth = super::super::batch::choose(&TRUE, &NOISE, &LIMITS, nodes, replicas);
            let truth = truth.expect("within the limits");
            assert!((own.goodput / truth.goodput - 1.0).abs() < 0.02);
        }
        assert!((agent.speedup(1, 1) - 1.0).abs() < 1e-12);
        assert!(agent.speedup(1, 4) > agent.speedup(1, 2));
    }

    #[test]
    fn a_running_job_changes_for_a_real_gain_only() {
        let mut agent = agent();
        for m in [32, 64, 128, 256, 512] {
            run(&mut agent, 2, 8, m);
        }
        let best = agent.configure(2, 8);
        let small = LocalBatch::new(32, 0);
        assert_eq!(agent.retune(2, 8, small, RETUNE_GAIN), best);
        let nearly = LocalBatch::new(best.m - 1, best.s);
        assert_eq!(agent.retune(2, 8, nearly, RETUNE_GAIN), nearly);
        assert_eq!(agent.retune(2, 8, nearly, 0.0), best);
    }
}
