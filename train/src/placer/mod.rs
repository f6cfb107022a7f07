//! Trains the network that places jobs (`graph-rl`): it imitates another placement first, then goes on by
//! itself (PPO), on small data centres and workloads drawn anew each round.
//!
//! Each round draws from a generator of its own, so that a training that goes on from a checkpoint is the
//! one that was not interrupted.

mod choosers;
mod decision;
mod environment;
mod episode;
mod learn;
mod model;
mod teacher;
#[cfg(test)]
mod tests;
mod worlds;

use crate::adam::Adam;
use crate::checkpoint::{self, Folder, Named, Run, go_on, state};
use crate::curve::Curve;
use anyhow::Result;
use clap::Args;
use decision::Decision;
use environment::Reward;
use episode::Episode;
use learn::{Lesson, Means, Sample, in_threads};
use model::Model;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
use std::collections::VecDeque;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use switchyard::draw::{Rng, below};
use switchyard::placement::Strategy;
use switchyard::placement::graph_rl::network::Without;
use teacher::Teacher;
use worlds::World;

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    run: Run,
    /// Weights to begin with, such as the shipped ones, instead of those drawn
    #[arg(long, conflicts_with = "resume")]
    from: Option<PathBuf>,
    /// Rounds in all, those of imitation among them
    #[arg(long, default_value_t = 1000)]
    rounds: u32,
    /// The training ends after so many minutes, if not before
    #[arg(long)]
    minutes: Option<f64>,
    /// Rounds of imitation that come first
    #[arg(long, default_value_t = 60)]
    imitate: u32,
    /// Who is imitated has gangs wait beyond this sum of log-slowdowns, counted from what an idle data centre costs them
    #[arg(long, default_value_t = 0.1)]
    most: f64,
    /// What is made less
    #[arg(long, value_enum, default_value = "jct")]
    reward: Reward,
    /// Episodes of a round
    #[arg(long, default_value_t = 8)]
    episodes: u32,
    /// Jobs of an episode for each GPU of its data centre
    #[arg(long, default_value_t = 8)]
    jobs: u32,
    /// The part of an episode's decisions that may be learned from
    #[arg(long, default_value_t = 0.3)]
    keep: f64,
    /// Decisions of a round that are learned from
    #[arg(long, default_value_t = 4096)]
    decisions: usize,
    /// Adam's rate while it imitates
    #[arg(long, default_value_t = 2e-3)]
    imitation_rate: f64,
    /// Adam's rate afterwards
    #[arg(long, default_value_t = 3e-4)]
    rate: f64,
    /// What is validated and kept: the mean of the weights after the last so many rounds (from a checkpoint on
    /// it begins anew)
    #[arg(long, default_value_t = 1)]
    average: usize,
    /// Streams begin at the lowest load, and have any load after so many rounds
    #[arg(long, default_value_t = 0)]
    curriculum: u32,
    /// Rounds from one validation to the next
    #[arg(long, default_value_t = 10)]
    every: u32,
    /// Workloads that it is validated by
    #[arg(long, default_value_t = 8)]
    validation: u32,
    /// Threads
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Partitions tell one another nothing
    #[arg(long, conflicts_with_all = ["one_agent", "no_graph"])]
    no_exchange: bool,
    /// One agent for the whole data centre
    #[arg(long, conflicts_with = "no_graph")]
    one_agent: bool,
    /// No messages over the data centre's tree
    #[arg(long)]
    no_graph: bool,
    /// Nobody is imitated
    #[arg(long)]
    no_imitation: bool,
}

impl Arguments {
    fn placement(&self) -> Strategy {
        match (self.no_exchange, self.one_agent, self.no_graph) {
            (true, ..) => Strategy::GRAPH_RL_NO_EXCHANGE,
            (_, true, _) => Strategy::GRAPH_RL_ONE_AGENT,
            (.., true) => Strategy::GRAPH_RL_NO_GRAPH,
            _ => Strategy::GRAPH_RL,
        }
    }

    fn without(&self) -> Without {
        Without {
            exchange: self.no_exchange,
            graph: self.no_graph,
        }
    }

    fn teacher(&self) -> Teacher {
        Teacher { most: self.most }
    }

    fn imitate(&self) -> u32 {
        if self.no_imitation { 0 } else { self.imitate }
    }
}

/// Passes over a round's decisions, while it imitates and afterwards.
const PASSES: [u32; 2] = [2, 3];
/// Decisions of a step.
const STEP: usize = 512;
/// The divergence at which an update ends.
const MOST_DIVERGENCE: f64 = 0.02;
/// Rounds after imitation in which only the critic learns.
const CRITIC_ALONE: u32 = 3;
/// How far ahead rewards count, in mean durations of jobs.
const HORIZON: f64 = 30.0;

/// What a round was like.
struct Told {
    decisions: usize,
    means: Means,
    /// In episodes, and in learning.
    seconds: (f64, f64),
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            decisions,
            means,
            seconds: (rolled, learned),
        } = self;
        write!(
            f,
            "{decisions} decisions, loss {:.4}, agreement {:.3}, divergence {:.4}, error {:.3}, {rolled:.1} + {learned:.1} s",
            means.loss, means.agreement, means.divergence, means.error
        )
    }
}

/// A training under way.
struct Training<'a> {
    arguments: &'a Arguments,
    model: Model,
    adam: Adam,
    /// The weights after the last rounds.
    last: VecDeque<Vec<Named>>,
}

/// Trains.
pub fn train(arguments: &Arguments) -> Result<()> {
    let began = Instant::now();
    let mut folder = Folder::make(&arguments.run.out, arguments.run.seed)?;
    folder.say("placement", &arguments.placement().to_string());
    let mut training = Training::new(arguments)?;
    let mut curve = Curve::new(&["training", "validation"]);
    let mut first = 0;
    if let Some(path) = &arguments.from {
        folder.say("from", &checkpoint::said(path)?);
        training.begin_with(path)?;
    }
    if let Some(path) = &arguments.run.resume {
        first = training.resume(path)?;
        curve.go_on(&path.with_file_name("curve.csv"), first)?;
    }
    let worlds = validation(arguments)?;
    let baselines = baselines(&worlds, arguments.threads)?;
    let mut best = curve.least(1);
    let taught = training.validate_teacher(&worlds)?;
    println!(
        "who is imitated: {:.4}; {}",
        relative(&taught, &baselines),
        by_load(&taught, &baselines)
    );
    for round in first..=arguments.rounds {
        let is_over = arguments
            .minutes
            .is_some_and(|most| began.elapsed().as_secs_f64() > 60.0 * most);
        if round % arguments.every.max(1) == 0 || is_over || round == arguments.rounds {
            let tensors = training.averaged()?;
            let jct = training.validate(&tensors, &worlds)?;
            let relative = relative(&jct, &baselines);
            println!(
                "{round}: {:.0} s, validation {relative:.4} of {TARGET}; {}",
                began.elapsed().as_secs_f64(),
                by_load(&jct, &baselines)
            );
            curve.push(round, &[f64::NAN, relative]);
            if relative < best {
                best = relative;
                folder.keep("best", round, &tensors)?;
            }
            folder.keep("checkpoint", round, &training.tensors(round)?)?;
            folder.draw(&curve)?;
        }
        if is_over || round == arguments.rounds {
            break;
        }
        println!("{round}: {}", training.round(round)?);
    }
    Ok(())
}

/// The placement that validation is compared with, and others.
const TARGET: Strategy = Strategy::LEAST_INTERFERENCE_WAITING;
const OTHERS: [Strategy; 4] = [
    Strategy::LEAST_INTERFERENCE,
    Strategy::LOCALITY,
    Strategy::LOAD_BALANCING,
    Strategy::CONGESTION_AWARE,
];

const VALIDATION_LOADS: [f64; 2] = [0.95, 1.2];

fn validation(arguments: &Arguments) -> Result<Vec<World>> {
    let worlds = (0..arguments.validation).map(|at| {
        let load = VALIDATION_LOADS[at as usize % 2];
        World::to_validate(at / 2, arguments.jobs, load)
    });
    worlds.collect()
}

/// Mean JCT of every world, by the target.
fn baselines(worlds: &[World], threads: usize) -> Result<Vec<f64>> {
    let of = |placement: Strategy| {
        in_threads(threads, worlds, |world| environment::by(world, placement))
    };
    let target = of(TARGET)?;
    for other in OTHERS {
        let jct = of(other)?;
        println!(
            "{other}: {:.4}; {}",
            relative(&jct, &target),
            by_load(&jct, &target)
        );
    }
    Ok(target)
}

/// Geometric mean of ratios.
fn relative(jct: &[f64], to: &[f64]) -> f64 {
    let logs = jct.iter().zip(to).map(|(jct, to)| (jct / to).ln());
    (logs.sum::<f64>() / jct.len() as f64).exp()
}

fn by_load(jct: &[f64], to: &[f64]) -> String {
    let loads = VALIDATION_LOADS.iter().enumerate().map(|(at, load)| {
        let every = |all: &[f64]| -> Vec<f64> { all.iter().skip(at).step_by(2).copied().collect() };
        format!("{:.4} at {load}", relative(&every(jct), &every(to)))
    });
    loads.collect::<Vec<_>>().join(", ")
}

impl<'a> Training<'a> {
    fn new(arguments: &'a Arguments) -> Result<Self> {
        let mut rng = Rng::seed_from_u64(arguments.run.seed);
        let model = Model::drawn(arguments.without(), &mut rng)?;
        Ok(Self {
            adam: Adam::new(model.variables())?,
            arguments,
            model,
            last: VecDeque::new(),
        })
    }

    /// The weights that are validated and kept.
    fn averaged(&self) -> Result<Vec<Named>> {
        let mut mean = self.model.tensors(false)?;
        if self.last.is_empty() {
            return Ok(mean);
        }
        for (at, (.., values)) in mean.iter_mut().enumerate() {
            for (i, value) in values.iter_mut().enumerate() {
                let sum: f64 = self.last.iter().map(|of| f64::from(of[at].2[i])).sum();
                *value = (sum / self.last.len() as f64) as f32;
            }
        }
        Ok(mean)
    }

    /// All that a training goes on from after a round.
    fn tensors(&self, round: u32) -> Result<Vec<Named>> {
        state(self.model.tensors(true)?, &self.adam, round)
    }

    /// Becomes what a checkpoint holds; the round it goes on with.
    fn resume(&mut self, path: &Path) -> Result<u32> {
        let (values, round) = go_on(path, self.model.tensors(true)?, &mut self.adam)?;
        self.model.set(&values)?;
        Ok(round)
    }

    /// Takes over weights, and a critic that is as it was.
    fn begin_with(&mut self, path: &Path) -> Result<()> {
        let own = self.model.tensors(true)?;
        let is_shipped = |name: &str| !name.starts_with("critic");
        let shapes = own.iter().filter(|(name, ..)| is_shipped(name));
        let shapes: Vec<_> = shapes
            .map(|(name, shape, _)| (name.clone(), shape.clone()))
            .collect();
        let mut read = checkpoint::read(path, &shapes)?.into_iter();
        let values = own.into_iter().map(|(name, _, values)| {
            let read = is_shipped(&name).then(|| read.next()).flatten();
            read.unwrap_or(values)
        });
        self.model.set(&values.collect::<Vec<_>>())
    }

    fn validate(&self, weights: &[Named], worlds: &[World]) -> Result<Vec<f64>> {
        let network = Arc::new(model::network(weights)?);
        let placement = self.arguments.placement();
        in_threads(self.arguments.threads, worlds, |world| {
            environment::by_network(world, placement, &network)
        })
    }

    fn validate_teacher(&self, worlds: &[World]) -> Result<Vec<f64>> {
        let network = Arc::new(self.model.network()?);
        let (placement, teacher) = (self.arguments.placement(), self.arguments.teacher());
        in_threads(self.arguments.threads, worlds, |world| {
            environment::by_teacher(world, placement, &network, teacher)
        })
    }

    /// One round of episodes, and what is learned from it.
    fn round(&mut self, round: u32) -> Result<Told> {
        let arguments = self.arguments;
        let mut rng = arguments.run.rng(round);
        let imitates = round < arguments.imitate();
        // First as the teacher has it, then more and more as the network has, which may know something
        // already.
        let part = f64::from(round) / f64::from(arguments.imitate().max(1));
        let known = if arguments.from.is_some() { 0.5 } else { 0.0 };
        let own = known + (0.9 - known) * part;
        let network = Arc::new(self.model.network()?);
        let seeds: Vec<(u64, u64)> = (0..arguments.episodes)
            .map(|_| (rng.next_u64(), rng.next_u64()))
            .collect();
        let heaviest = match arguments.curriculum {
            0 => 1.0,
            rounds => f64::from(round + 1).min(f64::from(rounds)) / f64::from(rounds),
        };
        let began = Instant::now();
        let episodes = in_threads(arguments.threads, &seeds, |&(world, own_seed)| {
            let world = World::to_train(world, arguments.jobs, heaviest)?;
            let rng = (arguments.keep, Rng::seed_from_u64(own_seed));
            let placement = arguments.placement();
            if imitates {
                let teacher = arguments.teacher();
                environment::taught(&world, placement, &network, (teacher, own), rng)
            } else {
                environment::by_chance(&world, placement, &network, arguments.reward, rng)
            }
        })?;
        let rolled = began.elapsed().as_secs_f64();
        let judged: Vec<Vec<(f32, f32)>> = if imitates {
            episodes
                .iter()
                .map(|of| vec![(0.0, 0.0); of.decisions.len()])
                .collect()
        } else {
            in_threads(arguments.threads, &episodes, |of| self.judge(of))?
        };
        let count: usize = episodes.iter().map(|of| of.decisions.len()).sum();
        let mut samples = samples(&episodes, &judged);
        shuffle(&mut samples, &mut rng);
        samples.truncate(arguments.decisions);
        normalise(&mut samples);
        let lesson = match imitates {
            true => Lesson::Imitation,
            false if round < arguments.imitate() + CRITIC_ALONE => Lesson::Expectation,
            false => Lesson::Reinforcement,
        };
        let rate = match imitates {
            true => {
                arguments.imitation_rate
                    * (1.0 - 0.9 * f64::from(round) / f64::from(arguments.imitate()))
            }
            false => arguments.rate,
        };
        let mut last = Means::default();
        'passes: for _ in 0..PASSES[usize::from(!imitates)] {
            shuffle(&mut samples, &mut rng);
            let mut sum = Means::default();
            let steps = samples.chunks(STEP).len() as f64;
            for some in samples.chunks(STEP) {
                let means = learn::step(
                    &self.model,
                    &mut self.adam,
                    some,
                    lesson,
                    rate,
                    arguments.threads,
                )?;
                sum.loss += means.loss / steps;
                sum.divergence += means.divergence / steps;
                sum.error += means.error / steps;
                sum.agreement += means.agreement / steps;
                if lesson == Lesson::Reinforcement && means.divergence > 2.0 * MOST_DIVERGENCE {
                    last = sum;
                    break 'passes;
                }
            }
            last = sum;
            if lesson == Lesson::Reinforcement && last.divergence > MOST_DIVERGENCE {
                break;
            }
        }
        self.last.push_back(self.model.tensors(false)?);
        while self.last.len() > arguments.average {
            self.last.pop_front();
        }
        let all = began.elapsed().as_secs_f64();
        Ok(Told {
            decisions: count,
            means: last,
            seconds: (rolled, all - rolled),
        })
    }

    /// Advantages, and what the critic should have said.
    fn judge(&self, of: &Episode) -> Result<Vec<(f32, f32)>> {
        let worths = learn::expect(&self.model, of.tree, &of.decisions)?;
        // Of a world at rest; the same for all that is tried in it.
        let duration = of.duration;
        let servers = of.tree.partitions * of.tree.own_servers();
        let unit = HORIZON * duration * servers as f64;
        Ok(episode::judge(of, &worths, HORIZON * duration, unit))
    }
}

fn samples<'e>(episodes: &'e [Episode], judged: &[Vec<(f32, f32)>]) -> Vec<Sample<'e>> {
    let all = episodes.iter().zip(judged);
    let samples = all.flat_map(|(episode, judged)| {
        let all = episode.decisions.iter().zip(judged);
        all.map(|(decision, &(advantage, worth)): (&Decision, _)| Sample {
            tree: episode.tree,
            decision,
            advantage,
            worth,
        })
    });
    samples.collect()
}

/// Advantages of mean 0 and deviation 1.
fn normalise(samples: &mut [Sample<'_>]) {
    let count = samples.len().max(1) as f64;
    let mean = samples
        .iter()
        .map(|of| f64::from(of.advantage))
        .sum::<f64>()
        / count;
    let squares = samples
        .iter()
        .map(|of| (f64::from(of.advantage) - mean).powi(2));
    let deviation = (squares.sum::<f64>() / count).sqrt().max(1e-6);
    for of in samples {
        of.advantage = ((f64::from(of.advantage) - mean) / deviation) as f32;
    }
}

fn shuffle<T>(all: &mut [T], rng: &mut Rng) {
    for last in (1..all.len()).rev() {
        all.swap(last, below(rng, last as u32 + 1) as usize);
    }
}
