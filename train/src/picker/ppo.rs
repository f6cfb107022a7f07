//! Proximal policy optimisation (Schulman et al., 2017) of what picks jobs, and before it imitation of a
//! formula.
//!
//! As in RLScheduler (Zhang et al., SC'20): the reward comes at the end and is the sequence's bounded
//! slowdown, nothing is discounted, ratios are clipped at 0.2, and an update ends where it has gone
//! further than a divergence of 0.015. Unlike there, a reward is compared with those of other rollouts of
//! the same sequence instead of a critic's estimate: bounded slowdown differs a thousandfold between
//! sequences, and by a few per cent between schedulers.

use super::environment::{Choice, Environment, Rollout, Set};
use super::model::{Batch, Model, column};
use super::teacher::Teacher;
use crate::adam::Adam;
use anyhow::{Context, Result, ensure};
use candle_core::Tensor;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
use switchyard::draw::{Rng, below};

/// By how much a probability's ratio may differ from 1.
const CLIP: f64 = 0.2;
/// The divergence at which an update ends.
const MOST_DIVERGENCE: f32 = 0.015;
/// Passes over a round's choices at most.
const PASSES: usize = 6;
/// Choices of a step.
const STEP: usize = 2048;
/// Differences of reward below this part of it are none.
const LEAST_SPREAD: f64 = 1e-3;

/// Of imitation: sequences looked at, jobs of each, choices of a step, and Adam's rate at first.
const LESSONS: usize = 40;
const LESSON: usize = 512;
const IMITATION_STEP: u32 = 32;
const IMITATION_RATE: f64 = 0.005;

/// How much is done in a round.
#[derive(Clone, Copy)]
pub struct Round {
    /// Sequences drawn.
    pub sequences: u32,
    /// Rollouts of each.
    pub rollouts: u32,
    /// Jobs of each sequence.
    pub length: usize,
    /// Choices learned from at most, drawn.
    pub choices: usize,
    /// What the optimiser learns by a step.
    pub rate: f64,
}

/// What a round gave.
pub struct Figures {
    /// Mean bounded slowdown over all rollouts.
    pub bsld: f64,
    /// Of the last pass, of probabilities before and after.
    pub divergence: f32,
}

/// One step down a loss.
fn descend(model: &Model, adam: &mut Adam, loss: &Tensor, rate: f64) -> Result<()> {
    let all = loss.backward()?;
    let variables = model.variables().into_iter();
    let gradients = variables.map(|(name, variable)| {
        let gradient = all.get(&variable).cloned();
        gradient.with_context(|| format!("{name} has no gradient"))
    });
    adam.step(&gradients.collect::<Result<Vec<_>>>()?, rate)
}

/// Learns what a teacher picks, in so many steps.
pub fn imitate(
    environment: &Environment,
    model: &Model,
    teacher: Teacher,
    modes: &[bool],
    steps: u32,
    rng: &mut Rng,
) -> Result<()> {
    let mut choices = Vec::new();
    for &backfill in modes.iter().cycle().take(LESSONS) {
        let drill = environment.draw(Set::Training, LESSON, rng);
        choices.extend(environment.lesson(&drill, teacher, backfill)?.1);
    }
    learn(model, &choices, steps, IMITATION_RATE, rng)
}

/// Learns what was picked in these choices, in so many steps of a falling rate.
pub fn learn(
    model: &Model,
    choices: &[Choice],
    steps: u32,
    rate: f64,
    rng: &mut Rng,
) -> Result<()> {
    ensure!(!choices.is_empty(), "there is no choice to learn from");
    let mut adam = Adam::unclipped(model.variables())?;
    for step in 0..steps {
        let rate = rate * (1.0 - 0.9 * f64::from(step) / f64::from(steps));
        let drawn =
            (0..IMITATION_STEP).map(|_| &choices[below(rng, choices.len() as u32) as usize]);
        let picked = model.judge(&Batch::of(&drawn.collect::<Vec<_>>())?)?;
        descend(model, &mut adam, &picked.mean(0)?.neg()?, rate)?;
    }
    Ok(())
}

/// The state that goes from round to round.
pub struct Ppo {
    pub adam: Adam,
}

impl Ppo {
    /// Nothing learned yet.
    pub fn new(model: &Model) -> Result<Self> {
        Ok(Self {
            adam: Adam::unclipped(model.variables())?,
        })
    }

    /// One round: rollouts of some sequences, then an update.
    pub fn round(
        &mut self,
        environment: &Environment,
        model: &Model,
        round: Round,
        modes: &[bool],
        rng: &mut Rng,
    ) -> Result<Figures> {
        let network = model.network()?;
        let mut choices: Vec<(Choice, f32)> = Vec::new();
        let mut bsld = 0.0;
        for &backfill in modes.iter().cycle().take(round.sequences as usize) {
            let drill = environment.draw(Set::Training, round.length, rng);
            let mut rollouts = Vec::new();
            for _ in 0..round.rollouts {
                let own = Rng::seed_from_u64(rng.next_u64());
                rollouts.push(environment.rollout(&drill, &network, own, backfill)?);
            }
            let rewards: Vec<f64> = rollouts.iter().map(|rollout| rollout.bsld).collect();
            let (mean, spread) = moments(&rewards);
            bsld += mean / f64::from(round.sequences);
            if spread > LEAST_SPREAD * mean {
                choices.extend(advantages(rollouts, spread));
            }
        }
        let mut figures = Figures {
            bsld,
            divergence: 0.0,
        };
        shuffle(&mut choices, rng);
        choices.truncate(round.choices);
        for _ in 0..PASSES {
            shuffle(&mut choices, rng);
            let mut divergence = (0.0, 0.0);
            for step in choices.chunks(STEP) {
                let of: Vec<&Choice> = step.iter().map(|(choice, _)| choice).collect();
                let batch = Batch::of(&of)?;
                let before = column(of.iter().map(|choice| choice.log_probability).collect())?;
                let advantage = column(step.iter().map(|(_, advantage)| *advantage).collect())?;
                let picked = model.judge(&batch)?;
                let ratio = (&picked - &before)?.exp()?;
                let clipped = ratio.clamp(1.0 - CLIP, 1.0 + CLIP)?;
                let gain = (&ratio * &advantage)?.minimum(&(clipped * &advantage)?)?;
                let loss = gain.mean(0)?.neg()?;
                let own = (before - &picked)?.mean(0)?.to_scalar::<f32>()?;
                divergence = (divergence.0 + own, divergence.1 + 1.0);
                descend(model, &mut self.adam, &loss, round.rate)?;
            }
            figures.divergence = divergence.0 / divergence.1;
            if figures.divergence > MOST_DIVERGENCE {
                break;
            }
        }
        Ok(figures)
    }
}

/// How much less the rollout costs from each choice on than the others from the same time on, in units of
/// how much whole rollouts differ.
fn advantages(mut rollouts: Vec<Rollout>, spread: f64) -> Vec<(Choice, f32)> {
    let mut advantages = Vec::new();
    for own in 0..rollouts.len() {
        let choices = std::mem::take(&mut rollouts[own].choices);
        advantages.extend(choices.into_iter().map(|choice| {
            let cost = |rollout: &Rollout| rollout.cost_from(choice.now);
            let all: f64 = rollouts.iter().map(cost).sum();
            let mean = all / rollouts.len() as f64;
            let advantage = (mean - cost(&rollouts[own])) / spread;
            (choice, advantage as f32)
        }));
    }
    advantages
}

/// Mean and standard deviation.
fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / count).sqrt())
}

fn shuffle<T>(values: &mut [T], rng: &mut Rng) {
    for last in (1..values.len()).rev() {
        values.swap(last, below(rng, last as u32 + 1) as usize);
    }
}
