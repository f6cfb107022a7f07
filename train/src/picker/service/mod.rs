//! Trains the network that picks among jobs of GPU traces, which ask for no time, by the service they have
//! had (`rl-picker[weights=gpu]`), for mean JCT. It imitates who knows all durations first, as far as what
//! is seen of a job tells ([`Environment::lesson`]), then goes on by [`evolution`].
//!
//! Only jobs of the trace's first days are learned from; the last quarter of them is what parameters are
//! chosen by.

mod environment;
mod evolution;
#[cfg(test)]
mod tests;

use super::model::Model;
use super::{ppo, resume};
use crate::adam::Adam;
use crate::checkpoint::{Folder, Run, state};
use crate::curve::Curve;
use anyhow::Result;
use clap::Args;
use environment::{Days, Environment, World};
use evolution::Round;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
use std::path::PathBuf;
use std::time::Instant;
use switchyard::draw::Rng;
use switchyard::policies::Picker;

#[derive(Args)]
pub struct Arguments {
    /// The trace to train on
    #[arg(long, value_name = "TRACE")]
    trace: PathBuf,
    /// Only jobs of its first so many days
    #[arg(long)]
    days: f64,
    #[command(flatten)]
    run: Run,
    #[command(flatten)]
    world: World,
    /// Steps of each of the rounds of imitation
    #[arg(long, default_value_t = 4000)]
    imitate: u32,
    /// Rounds of evolution that follow imitation
    #[arg(long, default_value_t = 20)]
    rounds: u32,
    /// The training ends after so many minutes, if not before
    #[arg(long)]
    minutes: Option<f64>,
    /// How often all parameters are moved in a round, one way and the other
    #[arg(long, default_value_t = 16)]
    pairs: u32,
    /// By how much: the deviation of a parameter
    #[arg(long, default_value_t = 0.03)]
    by: f64,
    /// Pieces of the trace in a round
    #[arg(long, default_value_t = 1)]
    pieces: u32,
    /// Jobs of a piece
    #[arg(long, default_value_t = 8000)]
    length: usize,
    /// Adam's rate
    #[arg(long, default_value_t = 2e-3)]
    rate: f64,
    /// Rounds from one validation to the next
    #[arg(long, default_value_t = 10)]
    every: u32,
}

/// Rounds of imitation, pieces of each, and Adam's rate at first.
const LESSONS: u32 = 8;
const LESSON_PIECES: u32 = 4;
const IMITATION_RATE: f64 = 0.005;

/// Who is told beside it.
const BASELINES: [&str; 7] = [
    "srsf",
    "gittins",
    "tiresias-gittins",
    "tiresias-las",
    "tiresias-las[thresholds=3000:30000:300000]",
    "las",
    "fewest-gpus",
];

/// Pieces that validation's jobs are run in.
const VALIDATION: usize = 1;

/// Trains.
pub fn train(arguments: &Arguments) -> Result<()> {
    let began = Instant::now();
    let environment = Environment::open(&arguments.trace, arguments.days, arguments.world)?;
    let validation = environment.validation(VALIDATION)?;
    for spec in BASELINES {
        let jct = mean(&validation, |days| environment.by_policy(days, spec))?;
        println!("{spec}: mean JCT on validation {jct:.0} s");
    }
    let mut folder = Folder::make(&arguments.run.out, arguments.run.seed)?;
    folder.say("picker", Picker::Gpu.name());
    folder.say("days", &arguments.days.to_string());
    let mut rng = Rng::seed_from_u64(arguments.run.seed);
    let model = Model::drawn(&mut rng)?;
    let mut adam = Adam::new(model.variables())?;
    let mut curve = Curve::new(&["mean JCT on validation, s"]);
    let mut first = 0;
    if let Some(path) = &arguments.run.resume {
        first = resume(path, &model, &mut adam, &mut curve)?;
    } else {
        imitate(&environment, &model, &validation, arguments, &mut rng)?;
    }
    let round = Round {
        pairs: arguments.pairs,
        by: arguments.by,
        pieces: arguments.pieces,
        length: arguments.length,
        rate: arguments.rate,
    };
    let mut best = curve.least(0);
    for at in first..=arguments.rounds {
        // The state of a checkpoint is that after its round.
        if at > first {
            let mut rng = arguments.run.rng(at);
            evolution::round(&environment, &model, &mut adam, round, &mut rng)?;
        }
        let seconds = began.elapsed().as_secs_f64();
        let is_over = arguments.minutes.is_some_and(|most| seconds > 60.0 * most);
        if at % arguments.every.max(1) != 0 && at != arguments.rounds && !is_over {
            continue;
        }
        let network = model.network()?;
        let jct = mean(&validation, |days| environment.mean_jct(days, &network))?;
        println!("{at}: {seconds:.0} s, mean JCT on validation {jct:.0} s");
        let tensors = model.tensors()?;
        if jct < best {
            best = jct;
            folder.keep("best", at, &tensors)?;
        }
        folder.keep("checkpoint", at, &state(tensors, &adam, at)?)?;
        curve.push(at, &[jct]);
        folder.draw(&curve)?;
        if is_over {
            break;
        }
    }
    Ok(())
}

/// Imitates who knows durations, first where the network decides by chance, then where it decides by what it
/// has learned so far. What is best by validation is kept.
fn imitate(
    environment: &Environment,
    model: &Model,
    validation: &[Days],
    arguments: &Arguments,
    rng: &mut Rng,
) -> Result<()> {
    let mut choices = Vec::new();
    let mut best = (f64::INFINITY, Vec::new());
    for lesson in 1..=LESSONS {
        let network = model.network()?;
        for _ in 0..LESSON_PIECES {
            let days = environment.draw(arguments.length, rng)?;
            let own = Rng::seed_from_u64(rng.next_u64());
            choices.extend(environment.lesson(&days, &network, own)?);
        }
        ppo::learn(model, &choices, arguments.imitate, IMITATION_RATE, rng)?;
        let network = model.network()?;
        let jct = mean(validation, |days| environment.mean_jct(days, &network))?;
        println!("lesson {lesson}: mean JCT on validation {jct:.0} s");
        if jct < best.0 {
            best = (jct, model.parameters()?);
        }
    }
    model.set(&best.1)
}

/// Mean JCT, seconds: a geometric mean over pieces.
fn mean(of: &[Days], jct: impl Fn(&Days) -> Result<f64>) -> Result<f64> {
    let mut sum = 0.0;
    for days in of {
        sum += jct(days)?.ln();
    }
    Ok((sum / of.len() as f64).exp())
}
