//! The network that picks jobs, as tensors with gradients; the engine's own runs the same parameters
//! without them. Files hold them in the engine's order.

use super::environment::Choice;
use crate::checkpoint::{self, Named};
use anyhow::{Context, Result, anyhow};
use candle_core::{DType, Device, Tensor, Var};
use std::path::Path;
use switchyard::draw::{Rng, unit};
use switchyard::policies::picking::network::{LAYERS, Network};

/// What a job that is not there scores.
const NOTHING: f32 = -1e9;

/// Layers, each its bias and its weights.
pub struct Model {
    layers: Vec<(Var, Var)>,
}

/// Choices as tensors: all jobs seen one below the other, and who of them belongs to which choice.
pub struct Batch {
    seen: Tensor,
    /// By choice and place, the job; where there is none, the one behind the last.
    places: Tensor,
    picked: Tensor,
    width: usize,
    count: usize,
}

impl Batch {
    /// Of these choices, at least one.
    pub fn of(choices: &[&Choice]) -> Result<Self> {
        let device = Device::Cpu;
        let jobs: usize = choices.iter().map(|choice| choice.seen.len()).sum();
        let widths = choices.iter().map(|choice| choice.seen.len());
        let width = widths.max().context("a batch needs a choice")?;
        let mut seen: Vec<f32> = Vec::with_capacity(jobs * LAYERS[0].0);
        let mut places = Vec::with_capacity(choices.len() * width);
        for choice in choices {
            let first = (seen.len() / LAYERS[0].0) as u32;
            let own = choice.seen.len();
            seen.extend(choice.seen.iter().flatten());
            places.extend((0..width).map(|at| {
                if at < own {
                    first + at as u32
                } else {
                    jobs as u32
                }
            }));
        }
        let picked: Vec<u32> = choices.iter().map(|choice| choice.picked as u32).collect();
        Ok(Self {
            seen: Tensor::from_vec(seen, (jobs, LAYERS[0].0), &device)?,
            places: Tensor::from_vec(places, choices.len() * width, &device)?,
            picked: Tensor::from_vec(picked, (choices.len(), 1), &device)?,
            width,
            count: choices.len(),
        })
    }

    /// The features, a row for each job.
    #[cfg(test)]
    pub fn seen(&self) -> &Tensor {
        &self.seen
    }
}

impl Model {
    /// With parameters drawn as Glorot and Bengio do, and no biases.
    pub fn drawn(rng: &mut Rng) -> Result<Self> {
        let mut parameters = Vec::new();
        for (inputs, outputs) in LAYERS {
            parameters.extend(vec![0.0; outputs]);
            let limit = (6.0 / (inputs + outputs) as f64).sqrt();
            parameters
                .extend((0..inputs * outputs).map(|_| ((2.0 * unit(rng) - 1.0) * limit) as f32));
        }
        Self::of(&parameters)
    }

    /// With these parameters, in the engine's order.
    pub fn of(parameters: &[f32]) -> Result<Self> {
        let device = Device::Cpu;
        let mut layers = Vec::new();
        let mut rest = parameters;
        for (inputs, outputs) in LAYERS {
            let too_few = || anyhow!("{} parameters are too few", parameters.len());
            let (bias, after) = rest.split_at_checked(outputs).ok_or_else(too_few)?;
            let (weights, after) = after
                .split_at_checked(inputs * outputs)
                .ok_or_else(too_few)?;
            rest = after;
            layers.push((
                Var::from_slice(bias, outputs, &device)?,
                Var::from_slice(weights, (outputs, inputs), &device)?,
            ));
        }
        Ok(Self { layers })
    }

    /// What an optimiser changes, by name.
    pub fn variables(&self) -> Vec<(String, Var)> {
        let layers = self.layers.iter();
        let variables = layers.flat_map(|(bias, weights)| [bias.clone(), weights.clone()]);
        let names = shapes().into_iter().map(|(name, _)| name);
        names.zip(variables).collect()
    }

    /// Takes these parameters, in the engine's order and as many as it has.
    pub fn set(&self, parameters: &[f32]) -> Result<()> {
        let mut rest = parameters;
        for (name, variable) in self.variables() {
            let (values, after) = rest
                .split_at_checked(variable.elem_count())
                .with_context(|| format!("there are too few parameters for {name}"))?;
            rest = after;
            variable.set(&Tensor::from_slice(
                values,
                variable.dims(),
                variable.device(),
            )?)?;
        }
        Ok(())
    }

    /// The parameters in the engine's order.
    pub fn parameters(&self) -> Result<Vec<f32>> {
        let mut parameters = Vec::new();
        for (_, variable) in self.variables() {
            parameters.extend(variable.flatten_all()?.to_vec1::<f32>()?);
        }
        Ok(parameters)
    }

    /// The same network in the engine.
    pub fn network(&self) -> Result<Network> {
        Network::new(self.parameters()?).context("the engine's network has other layers")
    }

    /// The scores of rows of features.
    pub fn scores(&self, seen: &Tensor) -> Result<Tensor> {
        let mut values = seen.clone();
        for (at, (bias, weights)) in self.layers.iter().enumerate() {
            values = values.matmul(&weights.t()?)?.broadcast_add(bias)?;
            if at + 1 < self.layers.len() {
                values = values.relu()?;
            }
        }
        Ok(values.squeeze(1)?)
    }

    /// The logarithms of the probabilities of what was picked.
    pub fn judge(&self, batch: &Batch) -> Result<Tensor> {
        let scores = self.scores(&batch.seen)?;
        let nothing = Tensor::full(NOTHING, 1, scores.device())?;
        let scores = Tensor::cat(&[&scores, &nothing], 0)?;
        let scores = scores.index_select(&batch.places, 0)?;
        let scores = scores.reshape((batch.count, batch.width))?;
        let logs = log_softmax(&scores)?;
        Ok(logs.gather(&batch.picked, 1)?.squeeze(1)?)
    }

    /// The parameters, named, in the order of the engine's file.
    pub fn tensors(&self) -> Result<Vec<Named>> {
        let mut tensors = Vec::new();
        for (name, variable) in self.variables() {
            let shape = variable.dims().to_vec();
            tensors.push((name, shape, variable.flatten_all()?.to_vec1()?));
        }
        Ok(tensors)
    }

    /// From a file of them.
    pub fn read(path: &Path) -> Result<Self> {
        Self::of(&checkpoint::read(path, &shapes())?.concat())
    }
}

/// Names and shapes of the parameters, in the engine's order.
pub fn shapes() -> Vec<(String, Vec<usize>)> {
    let layers = LAYERS.into_iter().enumerate();
    let shapes = layers.flat_map(|(at, (inputs, outputs))| {
        [
            (format!("{at}.bias"), vec![outputs]),
            (format!("{at}.weight"), vec![outputs, inputs]),
        ]
    });
    shapes.collect()
}

/// Along the last dimension of two.
fn log_softmax(scores: &Tensor) -> Result<Tensor> {
    let most = scores.max_keepdim(1)?.detach();
    let scores = scores.broadcast_sub(&most)?;
    let sum = scores.exp()?.sum_keepdim(1)?.log()?;
    Ok(scores.broadcast_sub(&sum)?)
}

/// Numbers, one for each choice.
pub fn column(values: Vec<f32>) -> Result<Tensor> {
    let count = values.len();
    Ok(Tensor::from_vec(values, count, &Device::Cpu)?.to_dtype(DType::F32)?)
}
