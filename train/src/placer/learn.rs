//! Steps of learning from decisions: of what a teacher chose (cross-entropy over the options, and over
//! whom to ask first), and by proximal policy optimisation (Schulman et al., 2017) of what was tried.
//!
//! A step goes over its decisions a few at a time, by topology, in threads; gradients are added in order,
//! so that the sum does not depend on how many threads there are. Few at a time stay within the
//! processor's caches, which is several times as fast.

use super::decision::{Decision, Tree};
use super::model::{Batch, Judged, Model};
use crate::adam::Adam;
use anyhow::{Context, Result};
use candle_core::{Device, Tensor};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// By how much a probability's ratio may differ from 1.
const CLIP: f64 = 0.2;
/// What the critic's error counts.
const CRITIC: f64 = 0.5;
/// Decisions that go through the network at once.
const TOGETHER: usize = 32;

/// A decision, and what came of it.
pub struct Sample<'a> {
    /// Of which topology.
    pub tree: Tree,
    /// The decision.
    pub decision: &'a Decision,
    /// How much better than expected it was.
    pub advantage: f32,
    /// What the critic should have said.
    pub worth: f32,
}

/// What is learned from samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lesson {
    /// To choose alike.
    Imitation,
    /// To choose what was better than expected, and to expect it.
    Reinforcement,
    /// To expect what came.
    Expectation,
}

/// Means over a step's samples.
#[derive(Clone, Copy, Debug, Default)]
pub struct Means {
    /// What is made less.
    pub loss: f64,
    /// How much the logarithms of probabilities have changed.
    pub divergence: f64,
    /// Squared error of the critic.
    pub error: f64,
    /// How often the most probable choice was the one chosen.
    pub agreement: f64,
}

/// Samples a few at a time, by topology.
fn portions<'s, 'a>(samples: &'s [Sample<'a>]) -> Vec<(Tree, Vec<&'s Sample<'a>>)> {
    let mut sorted: Vec<&Sample<'a>> = samples.iter().collect();
    sorted.sort_by_key(|sample| sample.tree);
    let alike = sorted.chunk_by(|a, b| a.tree == b.tree);
    let portions = alike.flat_map(|alike| alike.chunks(TOGETHER));
    portions.map(|some| (some[0].tree, some.to_vec())).collect()
}

/// Does something with each of several things in so many threads; what comes of it in their order.
pub fn in_threads<T: Sync, R: Send>(
    threads: usize,
    all: &[T],
    act: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let work = || {
        while let Some((at, one)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            all.get(at).map(|one| (at, one))
        } {
            let result = act(one);
            if let Ok(mut done) = done.lock() {
                done.push((at, result));
            }
        }
    };
    if threads < 2 {
        work();
    } else {
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    }
    let mut done = done.into_inner().ok().context("a thread has died")?;
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// What the critic expects from each of these.
pub fn expect(model: &Model, tree: Tree, all: &[Decision]) -> Result<Vec<f32>> {
    let mut worths = Vec::with_capacity(all.len());
    for some in all.chunks(TOGETHER) {
        let batch = Batch::of(tree, &some.iter().collect::<Vec<_>>())?;
        worths.extend(model.judge(&batch)?.worth.to_vec1::<f32>()?);
    }
    Ok(worths)
}

/// One step.
pub fn step(
    model: &Model,
    adam: &mut Adam,
    samples: &[Sample<'_>],
    lesson: Lesson,
    rate: f64,
    threads: usize,
) -> Result<Means> {
    let variables = model.variables();
    let count = samples.len() as f64;
    let parts = in_threads(threads, &portions(samples), |(tree, some)| {
        let decisions: Vec<&Decision> = some.iter().map(|sample| sample.decision).collect();
        let judged = model.judge(&Batch::of(*tree, &decisions)?)?;
        let (loss, means) = judge(&judged, some, lesson)?;
        let gradients = (loss / count)?.backward()?;
        let gradients = variables.iter().map(|(_, variable)| {
            let gradient = gradients.get(variable).cloned();
            gradient.map_or_else(|| variable.zeros_like(), Ok)
        });
        Ok((
            gradients.collect::<candle_core::Result<Vec<Tensor>>>()?,
            means,
        ))
    })?;
    let mut parts = parts.into_iter();
    let (mut sum, mut all) = parts.next().context("a step needs samples")?;
    for (gradients, means) in parts {
        for (sum, gradient) in sum.iter_mut().zip(gradients) {
            *sum = (&*sum + gradient)?;
        }
        all.loss += means.loss;
        all.divergence += means.divergence;
        all.error += means.error;
        all.agreement += means.agreement;
    }
    match lesson {
        Lesson::Expectation => adam.step_where(&sum, rate, |name| name.starts_with("critic"))?,
        _ => adam.step(&sum, rate)?,
    }
    Ok(Means {
        loss: all.loss / count,
        divergence: all.divergence / count,
        error: all.error / count,
        agreement: all.agreement / count,
    })
}

/// The sum of what is to be made less, and sums of what is to be told.
fn judge(judged: &Judged, some: &[&Sample<'_>], lesson: Lesson) -> Result<(Tensor, Means)> {
    let column = |of: fn(&Sample<'_>) -> f32| {
        let values: Vec<f32> = some.iter().map(|sample| of(sample)).collect();
        Tensor::from_vec(values, some.len(), &Device::Cpu)
    };
    let error = (&judged.worth - column(|sample| sample.worth)?)?
        .sqr()?
        .sum_all()?;
    let before = column(|sample| sample.decision.log_probability)?;
    let loss = match lesson {
        Lesson::Imitation => judged.chosen.sum_all()?.neg()?,
        Lesson::Expectation => (&error * CRITIC)?,
        Lesson::Reinforcement => {
            let advantage = column(|sample| sample.advantage)?;
            let ratio = (&judged.chosen - &before)?.exp()?;
            let clipped = ratio.clamp(1.0 - CLIP, 1.0 + CLIP)?;
            let gain = (&ratio * &advantage)?.minimum(&(clipped * &advantage)?)?;
            ((&error * CRITIC)? - gain.sum_all()?)?
        }
    };
    let chosen = judged.options.argmax(1)?.eq(&judged.taken)?;
    let sum = |of: &Tensor| -> Result<f64> { Ok(f64::from(of.to_scalar::<f32>()?)) };
    let means = Means {
        loss: sum(&loss)?,
        divergence: sum(&(before - &judged.chosen)?.sum_all()?)?,
        error: sum(&error)?,
        agreement: sum(&chosen.to_dtype(candle_core::DType::F32)?.sum_all()?)?,
    };
    Ok((loss, means))
}
