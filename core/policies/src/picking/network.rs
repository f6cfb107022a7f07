//! RLScheduler's network (Zhang et al., SC'20 §III-B): each waiting job by itself, 8 → 32 → 16 → 8 → 1
//! with ReLU between, 961 parameters; the greatest score is next.
//!
//! Sums are f32 in one fixed order, so that scores are the same bits natively and in wasm.

use super::features::{FEATURES, features, visible};
use super::{Candidate, Moment, Pick, Waiting};
use crate::job::JobId;
use switchyard_explain::{Fact, Unit};
use switchyard_tensors::{NetworkError, Tensors};

/// Inputs and outputs of each layer.
pub const LAYERS: [(usize, usize); 4] = [(FEATURES, 32), (32, 16), (16, 8), (8, 1)];

/// All of them: biases and weights.
pub const PARAMETERS: usize = 961;

/// A network.
#[derive(Clone, Debug)]
pub struct Network {
    /// Layer by layer its biases, then the weights of each input: sums of one layer go side by side.
    parameters: Vec<f32>,
}

/// Scores all jobs alike.
impl Default for Network {
    fn default() -> Self {
        Self {
            parameters: vec![0.0; PARAMETERS],
        }
    }
}

impl Network {
    /// From its parameters, layer by layer its biases, then the weights of each output; `None` if there
    /// are not [`PARAMETERS`].
    pub fn new(parameters: Vec<f32>) -> Option<Self> {
        if parameters.len() != PARAMETERS {
            return None;
        }
        let mut by_input = Vec::with_capacity(PARAMETERS);
        let mut rest = &parameters[..];
        for (inputs, outputs) in LAYERS {
            let (biases, after) = rest.split_at(outputs);
            let (weights, after) = after.split_at(inputs * outputs);
            rest = after;
            by_input.extend(biases);
            let each = (0..inputs).flat_map(|i| (0..outputs).map(move |o| weights[o * inputs + i]));
            by_input.extend(each);
        }
        Some(Self {
            parameters: by_input,
        })
    }

    /// From a file whose tensors are `0.weight`, `0.bias`, `1.weight` and so on.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn of_tensors(tensors: &Tensors<'_>) -> Result<Self, NetworkError> {
        let mut parameters = Vec::with_capacity(PARAMETERS);
        for (at, (inputs, outputs)) in LAYERS.into_iter().enumerate() {
            let (bias, weights) = tensors.layer(&at.to_string(), inputs, outputs)?;
            parameters.extend(bias);
            parameters.extend(weights);
        }
        Ok(Self { parameters })
    }

    /// From a file of safetensors.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn of_safetensors(file: &[u8]) -> Result<Self, NetworkError> {
        Self::of_tensors(&Tensors::of(file)?)
    }

    /// The score of one job.
    pub fn score(&self, seen: &[f32; FEATURES]) -> f32 {
        let (mut values, mut next) = ([0.0; 32], [0.0; 32]);
        values[..FEATURES].copy_from_slice(seen);
        let mut parameters = &self.parameters[..];
        for (layer, (inputs, outputs)) in LAYERS.into_iter().enumerate() {
            let (biases, rest) = parameters.split_at(outputs);
            let (weights, rest) = rest.split_at(inputs * outputs);
            parameters = rest;
            let sums = &mut next[..outputs];
            sums.copy_from_slice(biases);
            for (value, weights) in values.iter().zip(weights.chunks_exact(outputs)) {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += value * weight;
                }
            }
            if layer + 1 < LAYERS.len() {
                for sum in sums {
                    *sum = sum.max(0.0);
                }
            }
            std::mem::swap(&mut values, &mut next);
        }
        values[0]
    }
}

/// Picks what a network scores highest.
pub struct Learned {
    network: Network,
    /// The largest run time of the trace, seconds.
    longest: f64,
}

impl Learned {
    /// By this network, for jobs of at most so many seconds.
    pub fn new(network: Network, longest: f64) -> Self {
        Self { network, longest }
    }

    /// The visible jobs and their scores.
    fn scores(&self, waiting: &Waiting, moment: Moment) -> Vec<(JobId, f32)> {
        let scored = visible(waiting).into_iter().map(|job| {
            let seen = features(&job, moment, self.longest);
            (job.job, self.network.score(&seen))
        });
        scored.collect()
    }
}

impl Pick for Learned {
    fn pick(&mut self, waiting: &Waiting, moment: Moment) -> Option<JobId> {
        let mut best = (waiting.first()?.job, f32::NEG_INFINITY);
        for (job, score) in self.scores(waiting, moment) {
            if score > best.1 {
                best = (job, score);
            }
        }
        Some(best.0)
    }

    fn facts(&self, waiting: &Waiting, job: &Candidate, moment: Moment) -> Vec<Fact> {
        let scores = self.scores(waiting, moment);
        let seen = Fact::part("jobs it sees", scores.len(), waiting.len());
        let Some(&(_, own)) = scores.iter().find(|(other, _)| *other == job.job) else {
            return vec![seen, Fact::new("score", "none: it is not seen")];
        };
        let best = scores.iter().fold(own, |best, (_, score)| best.max(*score));
        let part = |score: f32| libm::exp(f64::from(score - best));
        let all: f64 = scores.iter().map(|(_, score)| part(*score)).sum();
        let above = scores.iter().filter(|(_, score)| *score > own).count();
        vec![
            seen,
            Fact::number("score", f64::from(own), 3, Unit::None).then(", the greatest is next"),
            Fact::number("probability", part(own) / all, 3, Unit::None),
            Fact::count("jobs with a greater score", above, Unit::None),
        ]
    }
}
