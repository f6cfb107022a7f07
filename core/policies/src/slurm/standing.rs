//! What each association has used, and the fair share that follows: of running jobs too, charged every
//! `PriorityCalcPeriod` and when they end.
//!
//! In: who starts and ends when. Out: each association's fair share, as of the last computation. A job is charged its
//! seconds times its GPUs.

use crate::job::JobId;
use switchyard_queues::slurm::associations::Associations;
use switchyard_queues::slurm::config::Algorithm;
use switchyard_queues::slurm::fair_tree::{Ties, Walk};
use switchyard_queues::slurm::usage::{Charge, Decay, Usage};
use switchyard_queues::slurm::{classic, fair_tree};
use switchyard_queues::tree::{QueueId, QueueTree};

/// How usage and fair share are computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) algorithm: Algorithm,
    pub(super) damping: f64,
    pub(super) half_life: f64,
    /// Seconds between two computations.
    pub(super) period: f64,
}

/// A job that is charged.
#[derive(Clone, Copy, Debug)]
struct Charged {
    leaf: QueueId,
    gpus: u32,
    since: f64,
}

/// The associations, what they have used, and their fair shares.
#[derive(Debug)]
pub(super) struct Standing {
    rules: Rules,
    decay: Decay,
    pub(super) associations: Associations,
    pub(super) usage: Usage,
    /// What had been used at the last computation.
    computed_usage: Usage,
    /// By association; of the last computation once somebody asks.
    factors: Vec<f64>,
    is_stale: bool,
    walk: Walk,
    /// When all was computed last.
    computed: f64,
    /// By job, while it runs.
    running: Vec<Option<Charged>>,
    /// By association: GPUs of jobs that ran at the last computation.
    steady: Vec<u32>,
    /// Who has started since.
    fresh: Vec<JobId>,
}

impl Standing {
    pub(super) fn new(tree: &QueueTree, jobs: usize, rules: Rules) -> Self {
        let associations = Associations::of_tree(tree);
        let mut standing = Self {
            decay: Decay::of_half_life(rules.half_life),
            usage: Usage::new(&associations),
            computed_usage: Usage::new(&associations),
            factors: Vec::new(),
            is_stale: true,
            walk: Walk::default(),
            computed: 0.0,
            running: vec![None; jobs],
            steady: vec![0; associations.len()],
            fresh: Vec::new(),
            associations,
            rules,
        };
        standing.bring_up_to_date();
        standing
    }

    /// An association's fair share, 0 to 1, if it is [up to date](Self::bring_up_to_date).
    pub(super) fn factor(&self, leaf: QueueId) -> f64 {
        self.factors[leaf.index()]
    }

    /// The same with the shares and the usage behind it: of shares, of usage.
    pub(super) fn shares(&self, leaf: QueueId) -> (f64, f64) {
        match self.rules.algorithm {
            Algorithm::FairTree => {
                let all = fair_tree::fair_shares(&self.associations, &self.usage, Ties::Merged);
                (all[leaf.index()].shares, all[leaf.index()].usage)
            }
            Algorithm::Classic => {
                let all = classic::fair_shares(&self.associations, &self.usage, self.rules.damping);
                (all[leaf.index()].shares, all[leaf.index()].effective_usage)
            }
        }
    }

    /// A job begins to run.
    pub(super) fn start(&mut self, job: JobId, leaf: QueueId, gpus: u32, now: f64) {
        self.running[job.index()] = Some(Charged {
            leaf,
            gpus,
            since: now,
        });
        self.fresh.push(job);
    }

    /// A job runs no longer: it is charged what it has used since the last computation.
    pub(super) fn stop(&mut self, job: JobId, now: f64) {
        let Some(of) = self.running[job.index()].take() else {
            return;
        };
        // It may have begun after the last computation, and ended before it was told of.
        let known = self.fresh.len();
        self.fresh.retain(|&fresh| fresh != job);
        if known == self.fresh.len() {
            self.steady[of.leaf.index()] -= of.gpus;
        }
        let seconds = now - of.since.max(self.computed);
        self.charge(of.leaf, of.gpus, seconds);
    }

    fn charge(&mut self, leaf: QueueId, gpus: u32, seconds: f64) {
        let a_gpu = self.of_a_gpu(seconds);
        self.usage
            .add(&self.associations, leaf, a_gpu * f64::from(gpus));
    }

    /// What a GPU is charged for so many seconds.
    fn of_a_gpu(&self, seconds: f64) -> f64 {
        self.decay.charged(Charge {
            seconds,
            billing: 1.0,
            usage_factor: 1.0,
        })
    }

    /// Charges the jobs that ran at the last computation so much for each GPU, so many times.
    fn charge_steady(&mut self, a_gpu: f64, times: f64) {
        for leaf in 0..self.steady.len() {
            if self.steady[leaf] > 0 {
                let used = a_gpu * f64::from(self.steady[leaf]) * times;
                self.usage
                    .add(&self.associations, QueueId(leaf as u32), used);
            }
        }
    }

    /// Computes all that was due until now; says whether something was.
    pub(super) fn compute(&mut self, now: f64) -> bool {
        let period = self.rules.period;
        let due = libm::floor(now / period) * period;
        if due <= self.computed {
            return false;
        }
        let first = (libm::floor(self.computed / period) + 1.0) * period;
        self.period(first);
        let more = libm::round((due - first) / period);
        if more >= 1.0 {
            self.periods(more);
        }
        self.computed = due;
        self.computed_usage.clone_from(&self.usage);
        self.is_stale = true;
        true
    }

    /// The first computation since the last.
    fn period(&mut self, at: f64) {
        let seconds = at - self.computed;
        self.usage.fade(self.decay.over(seconds));
        self.charge_steady(self.of_a_gpu(seconds), 1.0);
        for job in std::mem::take(&mut self.fresh) {
            let Some(of) = self.running[job.index()] else {
                continue;
            };
            self.charge(of.leaf, of.gpus, at - of.since);
            self.steady[of.leaf.index()] += of.gpus;
        }
    }

    /// So many more, in which nobody came or went: a geometric series.
    fn periods(&mut self, more: f64) {
        let period = self.rules.period;
        let once = self.decay.over(period);
        let all = libm::pow(once, more);
        let times = match once < 1.0 {
            true => (1.0 - all) / (1.0 - once),
            false => more,
        };
        self.usage.fade(all);
        self.charge_steady(self.of_a_gpu(period), times);
    }

    /// Fair shares are those of the last computation from now on.
    pub(super) fn bring_up_to_date(&mut self) {
        if !std::mem::take(&mut self.is_stale) {
            return;
        }
        let (associations, usage) = (&self.associations, &self.computed_usage);
        self.factors.clear();
        match self.rules.algorithm {
            Algorithm::FairTree => {
                let all = self.walk.fair_shares(associations, usage, Ties::Merged);
                self.factors.extend(all.iter().map(|of| of.factor));
            }
            Algorithm::Classic => {
                let all = classic::fair_shares(associations, usage, self.rules.damping);
                self.factors.extend(all.iter().map(|of| of.factor));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_queues::text;

    fn standing(half_life: f64) -> Standing {
        let tree = text::read("lab\na parent=lab\nb parent=lab").expect("a tree");
        let rules = Rules {
            algorithm: Algorithm::FairTree,
            damping: 1.0,
            half_life,
            period: 300.0,
        };
        Standing::new(&tree, 4, rules)
    }

    #[test]
    fn running_jobs_are_charged_at_each_computation_and_at_their_end() {
        let mut of = standing(0.0);
        let raw = |of: &Standing| [1, 2].map(|at| of.usage.raw(QueueId(at)));
        of.start(JobId(0), QueueId(1), 2, 100.0);
        assert!(!of.compute(299.0));
        assert_eq!(raw(&of), [0.0, 0.0]);
        assert!(of.compute(301.0));
        // What ends before somebody asks changes nothing of it.
        of.bring_up_to_date();
        assert_eq!(raw(&of), [400.0, 0.0]);
        assert_eq!([1, 2].map(|at| of.factor(QueueId(at))), [0.5, 1.0]);
        of.start(JobId(1), QueueId(2), 1, 350.0);
        of.stop(JobId(1), 400.0);
        of.stop(JobId(0), 450.0);
        assert_eq!(raw(&of), [700.0, 50.0]);
        assert!(of.compute(100_000.0));
        assert_eq!(raw(&of), [700.0, 50.0]);
    }

    /// Many computations at once are those one after the other.
    #[test]
    fn a_gap_is_computed_as_one_by_one() {
        let (mut one_by_one, mut at_once) = (standing(3600.0), standing(3600.0));
        for of in [&mut one_by_one, &mut at_once] {
            of.start(JobId(0), QueueId(1), 3, 10.0);
            of.start(JobId(1), QueueId(2), 1, 20.0);
        }
        for period in 1..=40 {
            one_by_one.compute(300.0 * f64::from(period));
        }
        at_once.compute(300.0 * 40.0);
        for at in [1, 2] {
            let (a, b) = (
                one_by_one.usage.raw(QueueId(at)),
                at_once.usage.raw(QueueId(at)),
            );
            assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
            assert!(a > 0.0);
        }
    }
}
