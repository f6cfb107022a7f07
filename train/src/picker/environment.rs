//! What a network is trained in: sequences of jobs, run by the engine itself. A rollout's picks are drawn
//! from the network's probabilities, and noted.
//!
//! Jobs are drawn from Lublin's model, or are those of a trace's first days. Neither has a job by which
//! schedulers are judged: those of Lublin-1 are in a file that training does not open, those of another
//! drawn trace are of other seeds ([`Set`]), and those of a trace's later days are not kept.

use super::teacher::Teacher;
use anyhow::{Context, Result, anyhow, ensure};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::cluster::ClusterSpec;
use switchyard::draw::{Rng, below, unit};
use switchyard::engine::{RunLog, Scheduler, SimOptions, Simulation};
use switchyard::explain::Fact;
use switchyard::job::JobId;
use switchyard::placement::Strategy;
use switchyard::policies::picking::features::{FEATURES, features, visible};
use switchyard::policies::picking::network::{Learned, Network};
use switchyard::policies::picking::{Backfill, Candidate, Moment, Pick, Queue, Waiting};
use switchyard::report::bounded_slowdown;
use switchyard::trace::{OpenOptions, Opened, SourceFile, Trace, open};
use switchyard::workload::{LublinGenerator, Sequence, Sequences, at_days};

/// Jobs of the sequences that figures are published of, and how many there are.
const PUBLISHED: (usize, usize) = (1024, 10);

/// Jobs of a drawn trace, as many as Lublin-1 has.
const DRAWN: u32 = 10_000;

/// Of a trace's jobs to train on, the part that it is validated by is one in so many, the last.
const VALIDATED: usize = 4;

/// What sequences are for. No two have a job in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Set {
    /// To learn from.
    Training,
    /// To choose among what was learned.
    Validation,
}

impl Set {
    /// The seed of its `at`-th drawn trace. Multiples of three are nobody's: those are to judge by
    /// (`switchyard paper rlscheduler --lublin`).
    pub fn seed(self, at: u32) -> u64 {
        let own = match self {
            Self::Training => 1,
            Self::Validation => 2,
        };
        3 * u64::from(at) + own
    }
}

/// Where jobs come from.
enum Source {
    Lublin,
    Trace(Box<Sequences>),
}

/// A machine and jobs for it.
pub struct Environment {
    source: Source,
    cluster: ClusterSpec,
}

/// A sequence to be run.
pub struct Drill {
    pub sequence: Sequence,
    /// The largest run time of the trace that it is of, seconds.
    pub longest: f64,
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
    /// Jobs drawn from Lublin's model for the machine.
    pub fn lublin(cluster: &str) -> Result<Self> {
        Ok(Self {
            source: Source::Lublin,
            cluster: cluster.parse()?,
        })
    }

    /// The jobs of a trace's first days.
    pub fn of_days(path: &Path, cluster: &str, days: f64) -> Result<Self> {
        let (before, _) = at_days(read(path)?, days);
        let cluster: ClusterSpec = cluster.parse()?;
        let all = Sequences::of(&before);
        ensure!(!all.is_empty(), "{} has no jobs", path.display());
        ensure!(
            all.widest() <= cluster.gpus(),
            "a job asks for {} GPUs, and {cluster} has {}: give the machine with --cluster",
            all.widest(),
            cluster.gpus()
        );
        Ok(Self {
            source: Source::Trace(Box::new(all)),
            cluster,
        })
    }

    /// A sequence of so many jobs.
    pub fn draw(&self, set: Set, length: usize, rng: &mut Rng) -> Drill {
        let drawn;
        let (all, from, to) = match &self.source {
            Source::Lublin => {
                let generator = LublinGenerator {
                    jobs: DRAWN,
                    processors: self.cluster.gpus(),
                    seed: set.seed(below(rng, 1 << 30)),
                };
                drawn = Sequences::of(&generator.generate());
                (&drawn, 0, drawn.len())
            }
            Source::Trace(all) => {
                let all = &**all;
                let cut = all.len() - all.len() / VALIDATED;
                match set {
                    Set::Training => (all, 0, cut),
                    Set::Validation => (all, cut, all.len()),
                }
            }
        };
        let room = (to - from).saturating_sub(length) as u32;
        let start = from + below(rng, room + 1) as usize;
        Drill {
            sequence: all.cut(start, length.min(to - start)),
            longest: all.longest(),
        }
    }

    /// Mean bounded slowdown of a sequence.
    fn run(
        &self,
        sequence: &Sequence,
        pick: impl Pick + 'static,
        backfill: bool,
    ) -> Result<RunLog> {
        // As in RLScheduler, which the figures are compared with.
        let backfill = match backfill {
            true => Backfill::FirstRule,
            false => Backfill::No,
        };
        let scheduler = Scheduler {
            spec: "training".to_owned(),
            given: Vec::new(),
            oracle: true,
            replays: false,
            packs: false,
            interleaves: false,
            looks_at_links: false,
            policy: Box::new(Queue::new(pick, backfill, Strategy::default())),
        };
        let workload = Arc::clone(&sequence.workload);
        let mut run = Simulation::new(workload, &self.cluster, scheduler, SimOptions::default());
        run.run()?;
        Ok(run.into_log())
    }

    /// The best for these sequences: without backfilling, with it, or on both alike.
    pub fn best_teacher(&self, of: &[Drill], modes: &[bool]) -> Result<Teacher> {
        let mut best = (Teacher::Product, f64::INFINITY);
        for teacher in Teacher::ALL {
            let mut product = 1.0;
            for &backfill in modes {
                let mut sum = 0.0;
                for drill in of {
                    sum += self.lesson(drill, teacher, backfill)?.0;
                }
                product *= sum / of.len() as f64;
            }
            if product < best.1 {
                best = (teacher, product);
            }
        }
        Ok(best.0)
    }

    /// Mean over sequences, by the greatest score.
    pub fn mean(&self, drills: &[Drill], network: &Network, backfill: bool) -> Result<f64> {
        let mut sum = 0.0;
        for Drill { sequence, longest } in drills {
            let pick = Learned::new(network.clone(), *longest);
            let log = self.run(sequence, pick, backfill)?;
            sum += bounded_slowdown(&sequence.workload, &log);
        }
        Ok(sum / drills.len() as f64)
    }

    /// A run whose picks are drawn: its mean bounded slowdown, and the choices.
    pub fn rollout(
        &self,
        Drill { sequence, longest }: &Drill,
        network: &Network,
        rng: Rng,
        backfill: bool,
    ) -> Result<Rollout> {
        let choices = Rc::new(RefCell::new(Vec::new()));
        let pick = Drawn {
            network: network.clone(),
            longest: *longest,
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
        Drill { sequence, longest }: &Drill,
        teacher: Teacher,
        backfill: bool,
    ) -> Result<(f64, Vec<Choice>)> {
        let choices = Rc::new(RefCell::new(Vec::new()));
        let pick = Taught {
            teacher,
            longest: *longest,
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
    fn pick(&mut self, waiting: &Waiting, moment: Moment) -> Option<JobId> {
        let visible = visible(waiting);
        if let [only] = visible[..] {
            return Some(only.job);
        }
        let seen = visible
            .iter()
            .map(|job| features(job, moment, self.longest));
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
        visible.get(picked).map(|job| job.job)
    }

    fn facts(&self, _: &Waiting, _: &Candidate, _: Moment) -> Vec<Fact> {
        Vec::new()
    }
}

/// Picks as a teacher does.
struct Taught {
    teacher: Teacher,
    longest: f64,
    choices: Rc<RefCell<Vec<Choice>>>,
}

impl Pick for Taught {
    fn pick(&mut self, waiting: &Waiting, moment: Moment) -> Option<JobId> {
        let visible = visible(waiting);
        let mut least = (0, f64::INFINITY);
        for (at, job) in visible.iter().enumerate() {
            let score = self.teacher.score(job, moment);
            if score < least.1 {
                least = (at, score);
            }
        }
        if visible.len() > 1 {
            let seen = visible
                .iter()
                .map(|job| features(job, moment, self.longest));
            self.choices.borrow_mut().push(Choice {
                seen: seen.collect(),
                picked: least.0,
                log_probability: 0.0,
                now: moment.now,
            });
        }
        visible.get(least.0).map(|job| job.job)
    }

    fn facts(&self, _: &Waiting, _: &Candidate, _: Moment) -> Vec<Fact> {
        Vec::new()
    }
}

/// The sequences by which schedulers are judged on a trace, as published.
pub fn judged(path: &Path) -> Result<Vec<Drill>> {
    let all = Sequences::of(&read(path)?);
    let starts = all.published(PUBLISHED.1, PUBLISHED.0);
    let starts =
        starts.ok_or_else(|| anyhow!("{} has too few jobs: {}", path.display(), all.len()))?;
    let drills = starts.into_iter().map(|start| Drill {
        sequence: all.cut(start, PUBLISHED.0),
        longest: all.longest(),
    });
    Ok(drills.collect())
}

/// Reads a trace of jobs.
pub fn read(path: &Path) -> Result<Trace> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let name = path.to_string_lossy();
    let file = SourceFile {
        name: &name,
        bytes: &bytes,
    };
    match open(&[file], &OpenOptions::default())? {
        Opened::Trace(trace) => Ok(trace),
        _ => Err(anyhow!("{name} is no trace of jobs")),
    }
}
