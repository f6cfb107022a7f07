//! Trains the network that picks jobs (`rl-picker`). It imitates a formula first, the best of some, then
//! goes on by itself ([`ppo`]). What it is chosen by are sequences drawn as those that it is trained on,
//! and no others.
//!
//! What is written: a checkpoint after every validation, `best.safetensors` among them, `curve.csv` and
//! `curve.svg`.

mod environment;
mod model;
mod ppo;
pub mod service;
mod teacher;
#[cfg(test)]
mod tests;

use crate::adam::Adam;
use crate::checkpoint::{Folder, Run, go_on, state};
use crate::curve::Curve;
use anyhow::Result;
use clap::{Args, ValueEnum};
use environment::{Drill, Environment, Set};
use model::Model;
use ppo::{Ppo, Round};
use rand_xoshiro::rand_core::SeedableRng;
use std::path::{Path, PathBuf};
use switchyard::draw::Rng;
use switchyard::policies::Picker;

#[derive(Args)]
pub struct Arguments {
    /// A trace to train on, instead of jobs drawn from Lublin's model
    #[arg(long, value_name = "TRACE")]
    trace: Option<PathBuf>,
    /// Of that trace, only jobs of the first so many days
    #[arg(long, default_value_t = 120.0)]
    days: f64,
    /// With backfilling, without, or both alike
    #[arg(long, value_enum, default_value_t = Backfilling::Both)]
    backfilling: Backfilling,
    /// The machine, NODESxPROCESSORS
    #[arg(long, default_value = "4x64")]
    cluster: String,
    #[command(flatten)]
    run: Run,
    /// Steps of imitation
    #[arg(long, default_value_t = 2000)]
    imitate: u32,
    /// Rounds of rollouts and updates
    #[arg(long, default_value_t = 100)]
    rounds: u32,
    /// Sequences of a round
    #[arg(long, default_value_t = 8)]
    sequences: u32,
    /// Rollouts of each
    #[arg(long, default_value_t = 8)]
    rollouts: u32,
    /// Jobs of each
    #[arg(long, default_value_t = 512)]
    length: usize,
    /// Choices learned from in a round, at most
    #[arg(long, default_value_t = 8192)]
    choices: usize,
    /// Adam's rate
    #[arg(long, default_value_t = 7e-4)]
    rate: f64,
    /// Rounds from one validation to the next
    #[arg(long, default_value_t = 5)]
    every: u32,
    /// Say at last how it does on this trace's sequences by which schedulers are judged
    #[arg(long, value_name = "TRACE")]
    judge: Option<PathBuf>,
}

/// What is trained for.
#[derive(Clone, Copy, ValueEnum)]
enum Backfilling {
    Without,
    With,
    Both,
}

impl Backfilling {
    fn modes(self) -> &'static [bool] {
        match self {
            Self::Without => &[false],
            Self::With => &[true],
            Self::Both => &[false, true],
        }
    }
}

/// Jobs of the sequences it is validated by, and how many there are.
const VALIDATION: (usize, usize) = (1024, 40);

/// The seed by which these are drawn, whatever is trained.
const VALIDATION_SEED: u64 = 0;

/// Trains.
pub fn train(arguments: &Arguments) -> Result<()> {
    let environment = match &arguments.trace {
        None => Environment::lublin(&arguments.cluster)?,
        Some(trace) => Environment::of_days(trace, &arguments.cluster, arguments.days)?,
    };
    let modes = arguments.backfilling.modes();
    let mut drawn = Rng::seed_from_u64(VALIDATION_SEED);
    let validation =
        (0..VALIDATION.1).map(|_| environment.draw(Set::Validation, VALIDATION.0, &mut drawn));
    let validation: Vec<Drill> = validation.collect();
    let mut folder = Folder::make(&arguments.run.out, arguments.run.seed)?;
    folder.say("picker", Picker::Lublin.name());
    let mut rng = Rng::seed_from_u64(arguments.run.seed);
    let model = Model::drawn(&mut rng)?;
    let mut ppo = Ppo::new(&model)?;
    let mut curve = Curve::new(&["training", "validation", "with backfilling"]);
    let mut first = 0;
    if let Some(path) = &arguments.run.resume {
        first = resume(path, &model, &mut ppo.adam, &mut curve)?;
    } else {
        let teacher = environment.best_teacher(&validation, modes)?;
        println!("teacher: {teacher:?}");
        let steps = arguments.imitate;
        ppo::imitate(&environment, &model, teacher, modes, steps, &mut rng)?;
    }
    let round = Round {
        sequences: arguments.sequences,
        rollouts: arguments.rollouts,
        length: arguments.length,
        choices: arguments.choices,
        rate: arguments.rate,
    };
    // Both count alike.
    let figure = |plain: f64, backfilled: f64| match arguments.backfilling {
        Backfilling::Without => plain,
        Backfilling::With => backfilled,
        Backfilling::Both => plain * backfilled,
    };
    let known = curve.rows().map(|figures| figure(figures[1], figures[2]));
    let mut best = known.fold(f64::INFINITY, f64::min);
    for at in first..=arguments.rounds {
        let trained = match at {
            // The state of a checkpoint is that after its round.
            _ if at == first => f64::NAN,
            _ => {
                let mut rng = arguments.run.rng(at);
                ppo.round(&environment, &model, round, modes, &mut rng)?
                    .bsld
            }
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
        if figure(plain, backfilled) < best {
            best = figure(plain, backfilled);
            folder.keep("best", at, &tensors)?;
        }
        folder.keep("checkpoint", at, &state(tensors, &ppo.adam, at)?)?;
        curve.push(at, &[trained, plain, backfilled]);
        folder.draw(&curve)?;
    }
    if let Some(trace) = &arguments.judge {
        let best = Model::read(&folder.kept("best"))?;
        let [plain, backfilled] = figures(&environment, &best, &environment::judged(trace)?)?;
        println!("best, judged: {plain:.2}, with backfilling {backfilled:.2}");
    }
    Ok(())
}

/// Becomes what a checkpoint holds; the round after which it was kept.
fn resume(path: &Path, model: &Model, adam: &mut Adam, curve: &mut Curve) -> Result<u32> {
    let (values, round) = go_on(path, model.tensors()?, adam)?;
    model.set(&values.concat())?;
    curve.go_on(&path.with_file_name("curve.csv"), round)?;
    Ok(round)
}

/// Mean bounded slowdown by the greatest score, without and with backfilling.
fn figures(environment: &Environment, model: &Model, of: &[Drill]) -> Result<[f64; 2]> {
    let network = model.network()?;
    let plain = environment.mean(of, &network, false)?;
    Ok([plain, environment.mean(of, &network, true)?])
}
