//! What a network is trained in: sequences of a trace's jobs, run by the engine itself. A rollout's
//! picks are drawn from the network's probabilities, and noted.

use anyhow::{Context, Result, anyhow};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::cluster::ClusterSpec;
use switchyard::draw::{Rng, unit};
use switchyard::placement::Strategy;
use switchyard::policy::picking::network::{Learned, Network};
use switchyard::policy::picking::sight::{FEATURES, features, visible};
use switchyard::policy::picking::{Candidate, Moment, Pick, Queue};
use switchyard::report::bounded_slowdown;
use switchyard::sim::{RunLog, Scheduler, SimOptions, Simulation};
use switchyard::tell::Fact;
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::workload::{Sequence, Sequences};

/// Jobs of the sequences that figures are published of, and how many there are.
const PUBLISHED: (usize, usize) = (1024, 10);

/// A trace, in jobs to train on and jobs to be judged by.
pub struct Environment {
    all: Sequences,
    cluster: ClusterSpec,
    /// The largest run time, seconds.
    pub longest: f64,
    /// Where the sequences begin by which schedulers are judged.
    judged: Vec<usize>,
}

/// One choice among several jobs.
pub struct Choice {
    /// Of each job that was seen.
    pub seen: Vec<[f32; FEATURES]>,
    /// Which of them was picked.
    pub picked: usize,
    /// The logarithm of its probability then.
    pub log_probability: f32,
    /// When, seconds.
    pub now: f64,
}

/// A sequence, run once.
pub struct Rollout {
    /// Mean bounded slowdown.
    pub bsld: f64,
    /// Of each job, when it started and its bounded slowdown, in the order of their starts.
    costs: Vec<(f64, f64)>,
    /// By time.
    pub choices: Vec<Choice>,
}

impl Rollout {
    /// The bounded slowdown of all jobs that started at a time or later, a part of the sequence's mean.
    pub fn cost_from(&self, time: f64) -> f64 {
        let from = self.costs.partition_point(|&(start, _)| start < time);
        let costs = self.costs[from..].iter().map(|&(_, cost)| cost);
        costs.sum::<f64>() / self.costs.len() as f64
    }
}

impl Environment {
    /// Reads a trace of jobs on this cluster.
    pub fn open(path: &Path, cluster: &str) -> Result<Self> {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.to_string_lossy();
        let file = SourceFile {
            name: &name,
            bytes: &bytes,
        };
        let Opened::Trace(trace) = open(&[file], &OpenOptions::default())? else {
            return Err(anyhow!("{name} is no trace of jobs"));
        };
        let all = Sequences::of(&trace);
        let judged = (all.published(PUBLISHED.1, PUBLISHED.0))
            .ok_or_else(|| anyhow!("{name} has too few jobs: {}", all.len()))?;
        Ok(Self {
            longest: all.longest(),
            cluster: cluster.parse()?,
            all,
            judged,
        })
    }

    /// The sequences by which schedulers are judged.
    pub fn judged(&self) -> Vec<Sequence> {
        let starts = self.judged.iter();
        starts.map(|&at| self.all.cut(at, PUBLISHED.0)).collect()
    }

    /// Where sequences of so many jobs may begin to be trained on: none has a job in common with
    /// those by which schedulers are judged.
    pub fn starts(&self, length: usize) -> Vec<usize> {
        let apart = |at: &usize| {
            let mut judged = self.judged.iter();
            judged.all(|&other| at + length <= other || other + PUBLISHED.0 <= *at)
        };
        let last = self.all.len().saturating_sub(length);
        (0..=last).filter(apart).collect()
    }

    /// The sequence of so many jobs that begins there.
    pub fn cut(&self, start: usize, length: usize) -> Sequence {
        self.all.cut(start, length)
    }

    /// Mean bounded slowdown of a sequence.
    fn run(
        &self,
        sequence: &Sequence,
        pick: impl Pick + 'static,
        backfill: bool,
    ) -> Result<RunLog> {
        let scheduler = Scheduler {
            spec: "training".to_owned(),
            given: Vec::new(),
            oracle: true,
            packs: false,
            policy: Box::new(Queue::new(pick, backfill, Strategy::default())),
        };
        let workload = Arc::clone(&sequence.workload);
        let mut run = Simulation::new(workload, &self.cluster, scheduler, SimOptions::default());
        run.run()?;
        Ok(run.into_log())
    }

    /// Mean over sequences, by the greatest score.
    pub fn mean(&self, sequences: &[Sequence], network: &Network, backfill: bool) -> Result<f64> {
        let mut sum = 0.0;
        for sequence in sequences {
            let pick = Learned::new(network.clone(), self.longest);
            let log = self.run(sequence, pick, backfill)?;
            sum += bounded_slowdown(&sequence.workload, &log);
        }
        Ok(sum / sequences.len() as f64)
    }

    /// A run whose picks are drawn: its mean bounded slowdown, and the choices.
    pub fn rollout(
        &self,
        sequence: &Sequence,
        network: &Network,
        rng: Rng,
        backfill: bool,
    ) -> Result<Rollout> {
        let choices = Rc::new(RefCell::new(Vec::new()));
        let pick = Drawn {
            network: network.clone(),
            longest: self.longest,
            rng,
            choices: Rc::clone(&choices),
        };
        let log = self.run(sequence, pick, backfill)?;
        let jobs = &sequence.workload.jobs;
        let segments = (0..log.segments()).map(|i| log.segment(i));
        let mut costs: Vec<(f64, f64)> = segments
            .map(|segment| {
                let job = &jobs[segment.job.index()];
                let jct = segment.end - job.submit;
                let bsld = (jct / job.work.seconds().max(10.0)).max(1.0);
                (segment.start.seconds(), bsld)
            })
            .collect();
        costs.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Rollout {
            bsld: bounded_slowdown(&sequence.workload, &log),
            costs,
            choices: choices.take(),
        })
    }

    /// What a teacher picks.
    pub fn lesson(
        &self,
        sequence: &Sequence,
        teacher: Teacher,
        backfill: bool,
    ) -> Result<(f64, Vec<Choice>)> {
        let choices = Rc::new(RefCell::new(Vec::new()));
        let pick = Taught {
            teacher,
            longest: self.longest,
            choices: Rc::clone(&choices),
        };
        let log = self.run(sequence, pick, backfill)?;
        Ok((bounded_slowdown(&sequence.workload, &log), choices.take()))
    }
}

/// Picks by probability.
struct Drawn {
    network: Network,
    longest: f64,
    rng: Rng,
    choices: Rc<RefCell<Vec<Choice>>>,
}

impl Pick for Drawn {
    fn pick(&mut self, waiting: &[Candidate], moment: Moment) -> usize {
        let visible = visible(waiting);
        if visible.len() == 1 {
            return visible[0];
        }
        let seen = visible
            .iter()
            .map(|&at| features(&waiting[at], moment, self.longest));
        let seen: Vec<_> = seen.collect();
        let scores: Vec<f32> = seen.iter().map(|seen| self.network.score(seen)).collect();
        let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let parts: Vec<f64> = scores
            .iter()
            .map(|score| f64::from(score - best).exp())
            .collect();
        let all: f64 = parts.iter().sum();
        let mut left = unit(&mut self.rng) * all;
        let mut picked = 0;
        for (at, part) in parts.iter().enumerate() {
            picked = at;
            left -= part;
            if left < 0.0 {
                break;
            }
        }
        self.choices.borrow_mut().push(Choice {
            log_probability: (parts[picked] / all).ln() as f32,
            now: moment.now,
            seen,
            picked,
        });
        visible[picked]
    }

    fn facts(&self, _: &[Candidate], _: usize, _: Moment) -> Vec<Fact> {
        Vec::new()
    }
}

/// A formula to imitate: the least time asked for and so many seconds for each GPU is next.
#[derive(Clone, Copy)]
pub struct Teacher(pub f64);

impl Teacher {
    /// Seconds for each GPU that are tried.
    const WEIGHTS: [f64; 6] = [0.0, 10.0, 30.0, 100.0, 300.0, 1000.0];

    /// The best for these sequences, without and with backfilling.
    pub fn best(environment: &Environment, of: &[Sequence]) -> Result<Self> {
        let mut best = (Self(0.0), f64::INFINITY);
        for teacher in Self::WEIGHTS.map(Self) {
            let mut product = 1.0;
            for backfill in [false, true] {
                let mut sum = 0.0;
                for sequence in of {
                    sum += environment.lesson(sequence, teacher, backfill)?.0;
                }
                product *= sum / of.len() as f64;
            }
            if product < best.1 {
                best = (teacher, product);
            }
        }
        Ok(best.0)
    }
}

struct Taught {
    teacher: Teacher,
    longest: f64,
    choices: Rc<RefCell<Vec<Choice>>>,
}

impl Pick for Taught {
    fn pick(&mut self, waiting: &[Candidate], moment: Moment) -> usize {
        let visible = visible(waiting);
        let mut least = (0, f64::INFINITY);
        for (at, &job) in visible.iter().enumerate() {
            let job = &waiting[job];
            let score = job.seconds + self.teacher.0 * f64::from(job.gpus);
            if score < least.1 {
                least = (at, score);
            }
        }
        if visible.len() > 1 {
            let seen = visible
                .iter()
                .map(|&at| features(&waiting[at], moment, self.longest));
            self.choices.borrow_mut().push(Choice {
                seen: seen.collect(),
                picked: least.0,
                log_probability: 0.0,
                now: moment.now,
            });
        }
        visible[least.0]
    }

    fn facts(&self, _: &[Candidate], _: usize, _: Moment) -> Vec<Fact> {
        Vec::new()
    }
}
