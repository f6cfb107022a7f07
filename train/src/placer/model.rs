//! The placer's network as tensors with gradients; the engine runs the same parameters without them.
//! Many decisions of one topology go through at once. Layers and their names are the engine's; the
//! critic is ours alone.
//!
//! Everything is rows of two-dimensional tensors, gathered from above and added up to above: of what candle
//! does on a CPU that is by far the fastest.

use super::decision::{Decision, Tree};
use crate::checkpoint::{self, Named};
use anyhow::{Context, Result, ensure};
use candle_core::{Device, Tensor, Var};
use std::collections::{BTreeMap, HashMap};
use switchyard::draw::{Rng, unit};
use switchyard::placement::graph_rl::network::{LAYERS, Network, WIDTH, Without};
use switchyard::placement::graph_rl::scene::{GROUP, JOB};

/// Layers of training alone: mean and maximum of the partitions' vectors, and the job.
const CRITIC: [(&str, usize, usize); 2] =
    [("critic.0", 2 * WIDTH + JOB, WIDTH), ("critic.1", WIDTH, 1)];
/// What cannot be chosen scores.
const NEVER: f32 = -1e9;

/// The parameters.
pub struct Model {
    layers: BTreeMap<String, (Var, Var)>,
    without: Without,
}

/// Decisions in one topology. Rows go by decision, partition, rack and server; groups stand apart by their
/// place in the server.
pub struct Batch {
    tree: Tree,
    groups: Vec<Tensor>,
    servers: Tensor,
    racks: Tensor,
    partitions: Tensor,
    job: Tensor,
    /// Of each server its decision, of each rack its partition, and so on: rows of what is above.
    above: Above,
    /// Rows of the asked partitions among all, and of their servers.
    asked: Tensor,
    asked_servers: Tensor,
    /// Added to scores: nothing, or what makes them impossible.
    may: Tensor,
    first: Tensor,
    chosen: Tensor,
    asked_first: Tensor,
    /// 1 where it was the question whom to ask.
    is_first: Tensor,
    count: usize,
}

/// Rows of what is above, for every row.
struct Above {
    rack_of_server: Tensor,
    partition_of_rack: Tensor,
    decision_of_partition: Tensor,
    decision_of_own_server: Tensor,
}

/// What the network says to them.
pub struct Judged {
    /// Logarithms of the probabilities of options.
    pub options: Tensor,
    /// And of partitions to be asked first.
    #[cfg(test)]
    pub values: Tensor,
    /// The logarithm of the probability of all that was chosen.
    pub chosen: Tensor,
    /// What was, as numbers of options.
    pub taken: Tensor,
    /// The critic's estimate.
    pub worth: Tensor,
}

impl Batch {
    /// Of these decisions, at least one.
    pub fn of(tree: Tree, decisions: &[&Decision]) -> Result<Self> {
        let device = Device::Cpu;
        let count = decisions.len();
        ensure!(count > 0, "a batch needs a decision");
        let flat = |of: fn(&Decision) -> &[f32]| -> Vec<f32> {
            decisions.iter().flat_map(|d| of(d)).copied().collect()
        };
        let rows = |rows: usize, flat: Vec<f32>| -> Result<Tensor> {
            let width = flat.len() / (count * rows);
            let all = Tensor::from_vec(flat, (count * rows, width), &device);
            all.context("a scene of another topology")
        };
        let numbers = |all: Vec<u32>| {
            let count = all.len();
            Tensor::from_vec(all, count, &device)
        };
        let above = |rows: usize, each: usize| {
            numbers((0..rows * each).map(|row| (row / each) as u32).collect())
        };
        let (partitions, racks) = (tree.partitions, tree.partitions * tree.racks);
        let servers = racks * tree.servers;
        let own = tree.racks * tree.servers;
        let all = flat(|d| d.seen.groups.as_flattened());
        let all = rows(servers * tree.groups, all)?;
        let all = all.reshape((count * servers, tree.groups, GROUP))?;
        let job = rows(1, flat(|d| &d.seen.job))?;
        let decision_of_server = above(count, servers)?;
        let job_at_servers = job.index_select(&decision_of_server, 0)?;
        let groups = (0..tree.groups).map(|at| {
            let own = all.narrow(1, at, 1)?.squeeze(1)?;
            Ok(Tensor::cat(&[&own, &job_at_servers], 1)?)
        });
        let asked = decisions.iter().enumerate();
        let asked: Vec<u32> = asked
            .map(|(i, d)| (i * partitions + d.asked) as u32)
            .collect();
        let asked_servers = asked.iter().flat_map(|row| {
            let first = row * own as u32;
            first..first + own as u32
        });
        let is_first = decisions.iter().map(|d| f32::from(!d.open.is_empty()));
        let mut may = vec![NEVER; count * tree.options()];
        let mut first = vec![0.0; count * partitions];
        let mut chosen = Vec::with_capacity(count);
        for (row, decision) in decisions.iter().enumerate() {
            let options = &mut may[row * tree.options()..][..tree.options()];
            for &choice in &decision.choices {
                options[tree.option(decision.asked, choice)] = 0.0;
            }
            let choice = decision.choices[decision.chosen];
            chosen.push(tree.option(decision.asked, choice) as u32);
            let values = &mut first[row * partitions..][..partitions];
            for (value, &may) in values.iter_mut().zip(&decision.open) {
                *value = if may { 0.0 } else { NEVER };
            }
        }
        Ok(Self {
            tree,
            groups: groups.collect::<Result<_>>()?,
            servers: rows(servers, flat(|d| d.seen.servers.as_flattened()))?,
            racks: rows(racks, flat(|d| d.seen.racks.as_flattened()))?,
            partitions: rows(partitions, flat(|d| d.seen.partitions.as_flattened()))?,
            job,
            above: Above {
                rack_of_server: above(count * racks, tree.servers)?,
                partition_of_rack: above(count * partitions, tree.racks)?,
                decision_of_partition: above(count, partitions)?,
                decision_of_own_server: above(count, own)?,
            },
            asked_servers: numbers(asked_servers.collect())?,
            asked: numbers(asked)?,
            may: Tensor::from_vec(may, (count, tree.options()), &device)?,
            first: Tensor::from_vec(first, (count, partitions), &device)?,
            chosen: numbers(chosen)?.unsqueeze(1)?,
            asked_first: numbers(decisions.iter().map(|d| d.first as u32).collect())?
                .unsqueeze(1)?,
            is_first: Tensor::from_vec(is_first.collect(), count, &device)?,
            count,
        })
    }
}

/// Rows spread over those below them.
fn down(rows: &Tensor, above: &Tensor) -> Result<Tensor> {
    Ok(rows.index_select(above, 0)?)
}

/// Means of so many rows each for what is above them.
fn up(rows: &Tensor, above: &Tensor, each: usize) -> Result<Tensor> {
    if each == 1 {
        return Ok(rows.clone());
    }
    let (below, width) = rows.dims2()?;
    let zeros = Tensor::zeros((below / each, width), rows.dtype(), rows.device())?;
    Ok((zeros.index_add(above, rows, 0)? * (1.0 / each as f64))?)
}

fn mean_of(rows: &[Tensor]) -> Result<Tensor> {
    let (first, others) = rows.split_first().context("a server has groups")?;
    let mut sum = first.clone();
    for other in others {
        sum = (sum + other)?;
    }
    Ok((sum * (1.0 / rows.len() as f64))?)
}

/// The engine's network of weights as they are shipped.
pub fn network(weights: &[Named]) -> Result<Network> {
    let file = checkpoint::to_safetensors(weights, HashMap::new())?;
    Ok(Network::of_safetensors(&file)?)
}

impl Model {
    /// With parameters drawn as Glorot and Bengio do, and no biases. Heads start small, so that all
    /// options are nearly alike.
    pub fn drawn(without: Without, rng: &mut Rng) -> Result<Self> {
        let mut layers = BTreeMap::new();
        for (name, inputs, outputs) in LAYERS.into_iter().chain(CRITIC) {
            let limit = (6.0 / (inputs + outputs) as f64).sqrt();
            let limit = if outputs == 1 { 0.1 * limit } else { limit };
            let weights = (0..inputs * outputs).map(|_| ((2.0 * unit(rng) - 1.0) * limit) as f32);
            let weights = Tensor::from_vec(weights.collect(), (outputs, inputs), &Device::Cpu)?;
            let bias = Var::zeros(outputs, candle_core::DType::F32, &Device::Cpu)?;
            layers.insert(name.to_owned(), (Var::from_tensor(&weights)?, bias));
        }
        Ok(Self { layers, without })
    }

    /// With these values, in the order of [`variables`](Self::variables).
    pub fn set(&self, values: &[Vec<f32>]) -> Result<()> {
        for ((_, variable), values) in self.variables().into_iter().zip(values) {
            variable.set(&Tensor::from_slice(values, variable.dims(), &Device::Cpu)?)?;
        }
        Ok(())
    }

    /// What an optimiser changes, by name.
    pub fn variables(&self) -> Vec<(String, Var)> {
        let layers = self.layers.iter();
        let both = layers.flat_map(|(name, (weight, bias))| {
            [("weight", weight), ("bias", bias)].map(|(what, of)| (format!("{name}.{what}"), of))
        });
        both.map(|(name, of)| (name, of.clone())).collect()
    }

    /// What is shipped, with or without what is not.
    pub fn tensors(&self, with_critic: bool) -> Result<Vec<Named>> {
        let mut all = self.variables();
        all.retain(|(name, _)| with_critic || !name.starts_with("critic"));
        all.into_iter().map(|(name, of)| named(name, &of)).collect()
    }

    /// The same network in the engine.
    pub fn network(&self) -> Result<Network> {
        network(&self.tensors(false)?)
    }

    /// A layer over inputs that stand beside one another.
    fn layer(&self, name: &str, inputs: &[&Tensor]) -> Result<Tensor> {
        let (weight, bias) = (self.layers.get(name)).with_context(|| format!("no layer {name}"))?;
        let inputs = match inputs {
            [one] => (*one).clone(),
            several => Tensor::cat(several, 1)?,
        };
        Ok(inputs.matmul(&weight.t()?)?.broadcast_add(bias)?)
    }

    fn relu(&self, name: &str, inputs: &[&Tensor]) -> Result<Tensor> {
        Ok(self.layer(name, inputs)?.relu()?)
    }

    /// Hidden and last layer of a head, whose scores stand in rows of so many.
    fn head(&self, name: &str, inputs: &[&Tensor], width: usize) -> Result<Tensor> {
        let hidden = self.relu(&format!("{name}.0"), inputs)?;
        let scores = self.layer(&format!("{name}.1"), &[&hidden])?;
        Ok(scores.reshape(((), width))?)
    }

    /// Forward.
    pub fn judge(&self, batch: &Batch) -> Result<Judged> {
        let tree = batch.tree;
        let above = &batch.above;
        let groups = batch.groups.iter();
        let mut groups: Vec<Tensor> = groups
            .map(|of| self.relu("group", &[of]))
            .collect::<Result<_>>()?;
        if !self.without.graph {
            for name in ["inside.0", "inside.1"] {
                let mean = mean_of(&groups)?;
                let after = groups.iter().map(|own| self.relu(name, &[own, &mean]));
                groups = after.collect::<Result<_>>()?;
            }
        }
        let (first, others) = groups.split_first().context("a server has groups")?;
        let mut most = first.clone();
        for other in others {
            most = most.maximum(other)?;
        }
        let mut s = self.relu("server", &[&mean_of(&groups)?, &most, &batch.servers])?;
        let servers_up = |s: &Tensor| up(s, &above.rack_of_server, tree.servers);
        let racks_up = |r: &Tensor| up(r, &above.partition_of_rack, tree.racks);
        let mut p = None;
        if !self.without.graph {
            for _ in 0..2 {
                let r = self.relu("rack", &[&servers_up(&s)?, &batch.racks])?;
                let own = self.relu("partition", &[&racks_up(&r)?, &batch.partitions])?;
                let r = self.relu("rack_down", &[&r, &down(&own, &above.partition_of_rack)?])?;
                s = self.relu("server_down", &[&s, &down(&r, &above.rack_of_server)?])?;
                p = Some(own);
            }
        }
        let p = match p {
            Some(p) => p,
            None => racks_up(&servers_up(&s)?)?,
        };
        let partitions = tree.partitions;
        let mean_here = |of: &Tensor| up(of, &above.decision_of_partition, partitions);
        // What the others told, on average.
        let others = if !self.without.exchange && partitions > 1 {
            let told = self.relu("tell", &[&p])?;
            let all = (mean_here(&told)? * partitions as f64)?;
            let others = (down(&all, &above.decision_of_partition)? - &told)?;
            (others * (1.0 / (partitions - 1) as f64))?
        } else {
            p.zeros_like()?
        };
        let z = self.relu("hear", &[&p, &others])?;
        let job = &batch.job;
        let job_at_partitions = down(job, &above.decision_of_partition)?;

        let values = self.head("value", &[&z, &job_at_partitions], partitions)?;
        let values = log_softmax(&(values + &batch.first)?)?;

        let own_servers = tree.own_servers();
        let own_s = down(&s, &batch.asked_servers)?;
        let own_z = down(&z, &batch.asked)?;
        let z_at_servers = down(&own_z, &above.decision_of_own_server)?;
        let job_at_servers = down(job, &above.decision_of_own_server)?;
        let mut options = Vec::new();
        for group in &groups {
            let own = down(group, &batch.asked_servers)?;
            let inputs = [&own, &own_s, &z_at_servers, &job_at_servers];
            options.push(self.head("point", &inputs, own_servers)?);
        }
        let z_at_partitions = down(&own_z, &above.decision_of_partition)?;
        let inputs = [&z_at_partitions, &z, &job_at_partitions];
        options.push(self.head("forward", &inputs, partitions)?);
        let mean_z = mean_here(&z)?;
        options.push(self.head("wait", &[&own_z, &mean_z, job], 1)?);
        let options = (Tensor::cat(&options, 1)? + &batch.may)?;
        let options = log_softmax(&options)?;

        let chosen = options.gather(&batch.chosen, 1)?.squeeze(1)?;
        let asked = values.gather(&batch.asked_first, 1)?.squeeze(1)?;
        let chosen = (chosen + (asked * &batch.is_first)?)?;
        // The critic judges what the others have learned to see, and teaches them nothing.
        let z = z.detach();
        let most_z = z.reshape((batch.count, partitions, WIDTH))?.max(1)?;
        let inputs = [&mean_here(&z)?, &most_z, job];
        let worth = self.head("critic", &inputs, 1)?.squeeze(1)?;
        Ok(Judged {
            #[cfg(test)]
            values,
            options,
            chosen,
            taken: batch.chosen.squeeze(1)?,
            worth,
        })
    }
}

/// A tensor's values.
pub fn named(name: String, of: &Tensor) -> Result<Named> {
    let values = of.flatten_all()?.to_vec1::<f32>()?;
    Ok((name, of.dims().to_vec(), values))
}

/// Along the last of two dimensions.
fn log_softmax(scores: &Tensor) -> Result<Tensor> {
    let most = scores.max_keepdim(1)?.detach();
    let scores = scores.broadcast_sub(&most)?;
    let sum = scores.exp()?.sum_keepdim(1)?.log()?;
    Ok(scores.broadcast_sub(&sum)?)
}
