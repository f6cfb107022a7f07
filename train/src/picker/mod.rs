//! Trains the network that picks jobs (`rl-picker`) on sequences of a trace's jobs,
//! none of which has a job in common with those by which schedulers are judged. It imitates a formula
//! first, the best of some on the trace's other sequences, then goes on by itself ([`ppo`]).
//!
//! One thread and the same arguments give the same weights, bit for bit. What is written: a checkpoint after
//! every validation, `best.safetensors` among them, `curve.csv` and `curve.svg`.

mod environment;
mod model;
mod ppo;
#[cfg(test)]
mod tests;

use crate::checkpoint::Folder;
use crate::curve::Curve;
use anyhow::Result;
use clap::Args;
use environment::{Environment, Teacher};
use model::Model;
use ppo::{Ppo, Round};
use rand_xoshiro::rand_core::SeedableRng;
use std::path::PathBuf;
use switchyard::draw::Rng;
use switchyard::workload::Sequence;

#[derive(Args)]
pub struct Arguments {
    /// The trace, in the Standard Workload Format
    trace: PathBuf,
    /// The machine, NODESxPROCESSORS
    #[arg(long, default_value = "4x64")]
    cluster: String,
    /// The folder for checkpoints and the learning curve
    #[arg(long)]
    out: PathBuf,
    /// A checkpoint to go on from, instead of imitation
    #[arg(long)]
    resume: Option<PathBuf>,
    /// Of all that is drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Steps of imitation
    #[arg(long, default_value_t = 2000)]
    imitate: u32,
    /// Rounds of rollouts and updates
    #[arg(long, default_value_t = 100)]
    rounds: u32,
    /// Sequences of a round
    #[arg(long, default_value_t = 10)]
    sequences: u32,
    /// Rollouts of each
    #[arg(long, default_value_t = 8)]
    rollouts: u32,
    /// Jobs of each
    #[arg(long, default_value_t = 384)]
    length: usize,
    /// Adam's rate
    #[arg(long, default_value_t = 7e-4)]
    rate: f64,
    /// Rounds from one validation to the next
    #[arg(long, default_value_t = 5)]
    every: u32,
    /// Say at last how it does on the sequences by which schedulers are judged
    #[arg(long)]
    judge: bool,
}

/// Jobs of the sequences it is validated by, and how many there are; they are trained on too.
const VALIDATION: (usize, usize) = (1024, 16);

/// Trains.
pub fn train(arguments: &Arguments) -> Result<()> {
    let environment = Environment::open(&arguments.trace, &arguments.cluster)?;
    let starts = environment.starts(VALIDATION.0);
    let starts = starts.iter().step_by(starts.len().div_ceil(VALIDATION.1));
    let validation = starts.map(|&at| environment.cut(at, VALIDATION.0));
    let validation: Vec<Sequence> = validation.collect();
    let folder = Folder::make(&arguments.out, arguments.seed)?;
    let mut rng = Rng::seed_from_u64(arguments.seed);
    let model = match &arguments.resume {
        Some(path) => Model::read(path)?,
        None => {
            let teacher = Teacher::best(&environment, &validation)?;
            println!("teacher: time asked for + {} s per GPU", teacher.0);
            let model = Model::drawn(&mut rng)?;
            ppo::imitate(&environment, &model, teacher, arguments.imitate, &mut rng)?;
            model
        }
    };
    let round = Round {
        sequences: arguments.sequences,
        rollouts: arguments.rollouts,
        length: arguments.length,
        rate: arguments.rate,
    };
    let mut ppo = Ppo::new(&model, round)?;
    let mut curve = Curve::new(&["training", "validation", "with backfilling"]);
    let mut best = f64::INFINITY;
    for at in 0..=arguments.rounds {
        let trained = match at {
            0 => f64::NAN,
            _ => ppo.round(&environment, &model, round, &mut rng)?.bsld,
        };
        if at % arguments.every.max(1) != 0 {
            continue;
        }
        let [plain, backfilled] = figures(&environment, &model, &validation)?;
        println!(
            "{at}: training {trained:.2}, validation {plain:.2}, with backfilling {backfilled:.2}"
        );
        let tensors = model.tensors()?;
        folder.keep(&at.to_string(), at, &tensors)?;
        // Both figures count alike.
        if plain * backfilled < best {
            best = plain * backfilled;
            folder.keep("best", at, &tensors)?;
        }
        curve.push(at, &[trained, plain, backfilled]);
        folder.draw(&curve)?;
    }
    if arguments.judge {
        let best = Model::read(&folder.kept("best"))?;
        let [plain, backfilled] = figures(&environment, &best, &environment.judged())?;
        println!("best, judged: {plain:.2}, with backfilling {backfilled:.2}");
    }
    Ok(())
}

/// Mean bounded slowdown by the greatest score, without and with backfilling.
fn figures(environment: &Environment, model: &Model, of: &[Sequence]) -> Result<[f64; 2]> {
    let network = model.network()?;
    let plain = environment.mean(of, &network, false)?;
    Ok([plain, environment.mean(of, &network, true)?])
}
