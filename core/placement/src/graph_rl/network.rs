//! The network of the placer that learned: what it makes of an [`Observation`], and its scores. In: its
//! parameters, as safetensors. Out: vectors of groups, servers and partitions, and a score of each choice.
//!
//! Within a server, groups of GPUs exchange messages twice; servers, racks and partitions do so up and
//! down the cluster's tree, twice; partitions tell one another a vector each. Layers are f32 with ReLU
//! but for the last of a head. Sums are in one fixed order, four of them at a time, and there is no other maths, so
//! that scores are the same bits natively and in wasm: bias first, then what several have in common, then one's own.

use super::scene::{GROUP, JOB, Observation, PARTITION, RACK, SERVER};
use crate::draw::{Rng, unit};
use rand_xoshiro::rand_core::SeedableRng;
use switchyard_explain::Choice;
use switchyard_tensors::{NetworkError, Tensors, written};
use wide::f32x4;

/// The placement of a file that names none.
const UNNAMED: &str = "graph-rl";

/// Width of vectors within a server.
pub const INSIDE: usize = 16;
/// Width of the vectors of servers, racks and partitions.
pub const WIDTH: usize = 32;
/// Width of the heads' hidden layers.
pub const HIDDEN: usize = 16;

/// A layer: name, inputs, outputs.
pub type Shape = (&'static str, usize, usize);

/// Every layer. Each is two tensors of a file, `NAME.weight` (outputs × inputs) and `NAME.bias`; inputs
/// are joined in this order.
pub const LAYERS: [Shape; 18] = [
    // Group's and job's features.
    ("group", GROUP + JOB, INSIDE),
    // Group; mean of its server's groups. Once a round.
    ("inside.0", 2 * INSIDE, INSIDE),
    ("inside.1", 2 * INSIDE, INSIDE),
    // Mean and maximum of its groups; the server's features.
    ("server", 2 * INSIDE + SERVER, WIDTH),
    // Mean of its servers; its features.
    ("rack", WIDTH + RACK, WIDTH),
    // Mean of its racks; its features.
    ("partition", WIDTH + PARTITION, WIDTH),
    // Rack; partition.
    ("rack_down", 2 * WIDTH, WIDTH),
    // Server; rack.
    ("server_down", 2 * WIDTH, WIDTH),
    // Partition.
    ("tell", WIDTH, WIDTH),
    // Partition; mean of what the others told.
    ("hear", 2 * WIDTH, WIDTH),
    // Partition that has heard; job.
    ("value.0", WIDTH + JOB, HIDDEN),
    ("value.1", HIDDEN, 1),
    // Group; server; partition that has heard; job.
    ("point.0", INSIDE + 2 * WIDTH + JOB, HIDDEN),
    ("point.1", HIDDEN, 1),
    // Own partition; the other; job.
    ("forward.0", 2 * WIDTH + JOB, HIDDEN),
    ("forward.1", HIDDEN, 1),
    // Own partition; mean of all; job.
    ("wait.0", 2 * WIDTH + JOB, HIDDEN),
    ("wait.1", HIDDEN, 1),
];

/// All weights and biases.
pub const PARAMETERS: usize = {
    let (mut all, mut at) = (0, 0);
    while at < LAYERS.len() {
        all += (LAYERS[at].1 + 1) * LAYERS[at].2;
        at += 1;
    }
    all
};

/// What of it is left out, to see what that is good for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Without {
    /// Partitions hear nothing of one another.
    pub exchange: bool,
    /// No messages: each group and server by itself, a partition as the mean of its servers.
    pub graph: bool,
}

/// The parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// As in [`LAYERS`].
    layers: Vec<Layer>,
    /// The placement that it was trained for.
    placement: String,
}

/// One layer, input by input, so that several outputs are summed at a time.
#[derive(Clone, Debug, PartialEq)]
struct Layer {
    bias: Vec<f32>,
    /// Of each input the weights to all outputs, four by four; zeros behind the last.
    weights: Vec<f32x4>,
}

impl Layer {
    /// With the weights of each input to all outputs.
    fn new(bias: Vec<f32>, weights: &[f32]) -> Self {
        let fours = weights
            .chunks_exact(bias.len())
            .flat_map(|of| of.chunks(4).map(f32x4::from));
        Self {
            weights: fours.collect(),
            bias,
        }
    }

    fn weight(&self, input: usize, output: usize) -> f32 {
        let four = input * self.bias.len().div_ceil(4) + output / 4;
        self.weights[four].as_array()[output % 4]
    }

    fn start<const OUT: usize>(&self) -> [f32; OUT] {
        let mut sums = [0.0; OUT];
        sums.copy_from_slice(&self.bias);
        sums
    }

    /// What was begun, and the inputs from this one on. Inlined, it knows how many inputs there are.
    #[inline]
    fn sum<const OUT: usize>(
        &self,
        begun: &[f32; OUT],
        from: usize,
        inputs: &[f32],
    ) -> [f32x4; WIDTH / 4] {
        const { assert!(OUT.is_multiple_of(4) && OUT <= WIDTH) };
        let mut sums = [f32x4::ZERO; WIDTH / 4];
        for (sum, begun) in sums.iter_mut().zip(fours(begun)) {
            *sum = begun;
        }
        let weights = self.weights[from * (OUT / 4)..].chunks_exact(OUT / 4);
        for (&input, weights) in inputs.iter().zip(weights) {
            for (sum, &weight) in sums.iter_mut().zip(weights) {
                *sum += weight * input;
            }
        }
        sums
    }

    /// Adds the inputs from this one on.
    fn add<const OUT: usize>(&self, from: usize, inputs: &[f32], sums: &mut [f32; OUT]) {
        let all = self.sum(sums, from, inputs);
        for (sums, all) in sums.as_chunks_mut().0.iter_mut().zip(all) {
            *sums = all.to_array();
        }
    }

    /// The same, onto a copy, and ReLU.
    fn on<const OUT: usize>(&self, begun: &[f32; OUT], from: usize, inputs: &[f32]) -> [f32; OUT] {
        let all = self.sum(begun, from, inputs);
        let mut sums = [0.0; OUT];
        for (sums, all) in sums.as_chunks_mut().0.iter_mut().zip(all) {
            *sums = (all & all.simd_gt(f32x4::ZERO)).to_array();
        }
        sums
    }
}

/// Numbers four by four.
fn fours<const WIDE: usize>(of: &[f32; WIDE]) -> impl Iterator<Item = f32x4> {
    of.as_chunks().0.iter().map(|&four| f32x4::new(four))
}

/// Makes something of each number and another.
fn each<const WIDE: usize>(
    own: &mut [f32; WIDE],
    others: &[f32; WIDE],
    make: impl Fn(f32x4, f32x4) -> f32x4,
) {
    for (own, other) in own.as_chunks_mut().0.iter_mut().zip(fours(others)) {
        *own = make(f32x4::new(*own), other).to_array();
    }
}

/// The mean of so many by their sums; of nobody: zeros.
fn over<const WIDE: usize>(mut sums: [f32; WIDE], count: u32) -> [f32; WIDE] {
    let count = [count.max(1) as f32; WIDE];
    each(&mut sums, &count, |sum, count| sum / count);
    sums
}

/// A vector for each of several, added up in order.
struct Means<const WIDE: usize>(Vec<([f32; WIDE], u32)>);

impl<const WIDE: usize> Means<WIDE> {
    fn of(count: usize) -> Self {
        Self(vec![([0.0; WIDE], 0); count])
    }

    fn add(&mut self, at: u32, vector: &[f32; WIDE]) {
        let (sums, count) = &mut self.0[at as usize];
        each(sums, vector, |sum, value| sum + value);
        *count += 1;
    }

    fn get(&self, at: usize) -> [f32; WIDE] {
        let (sums, count) = self.0[at];
        over(sums, count)
    }
}

/// What the network makes of an observation before it scores anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Encoded {
    /// By group.
    pub groups: Vec<[f32; INSIDE]>,
    /// By server.
    pub servers: Vec<[f32; WIDTH]>,
    /// What each partition tells the others.
    pub told: Vec<[f32; WIDTH]>,
    /// Each partition, having heard the others.
    pub partitions: Vec<[f32; WIDTH]>,
    /// Mean of these.
    pub mean: [f32; WIDTH],
}

impl Network {
    /// From a file with each of [`LAYERS`]; others in it are let be. `placement` in its metadata is the placement
    /// that it was trained for.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn of_tensors(tensors: &Tensors<'_>) -> Result<Self, NetworkError> {
        let layers = LAYERS.into_iter().map(|(name, inputs, outputs)| {
            let (bias, weights) = tensors.layer(name, inputs, outputs)?;
            Ok(Layer::new(bias, &weights))
        });
        let placement = tensors.placement().unwrap_or(UNNAMED);
        Ok(Self {
            layers: layers.collect::<Result<_, NetworkError>>()?,
            placement: placement.to_owned(),
        })
    }

    /// From a file of safetensors.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn of_safetensors(file: &[u8]) -> Result<Self, NetworkError> {
        Self::of_tensors(&Tensors::of(file)?)
    }

    /// As a file of safetensors, which [`of_safetensors`](Self::of_safetensors) reads.
    pub fn to_safetensors(&self) -> Vec<u8> {
        let tensors = LAYERS
            .into_iter()
            .zip(&self.layers)
            .flat_map(|(of, layer)| {
                let (name, inputs, outputs) = of;
                let by_output = (0..outputs)
                    .flat_map(|output| (0..inputs).map(move |input| layer.weight(input, output)));
                [
                    (
                        format!("{name}.weight"),
                        vec![outputs, inputs],
                        by_output.collect(),
                    ),
                    (format!("{name}.bias"), vec![outputs], layer.bias.clone()),
                ]
            });
        written(&tensors.collect::<Vec<_>>(), &self.placement)
    }

    /// Of small random numbers, for a placement that learns.
    pub fn random(placement: impl Into<String>, seed: u64) -> Self {
        let mut rng = Rng::seed_from_u64(seed);
        let layers = LAYERS.into_iter().map(|(_, inputs, outputs)| {
            let most = libm::sqrt(3.0 / inputs as f64);
            let mut draw = |_| ((2.0 * unit(&mut rng) - 1.0) * most) as f32;
            let weights: Vec<f32> = (0..inputs * outputs).map(&mut draw).collect();
            Layer::new(vec![0.0; outputs], &weights)
        });
        Self {
            layers: layers.collect(),
            placement: placement.into(),
        }
    }

    /// The placement that it was trained for.
    pub fn placement(&self) -> &str {
        &self.placement
    }

    /// A layer by its name.
    fn layer(&self, name: &str) -> &Layer {
        let at = LAYERS.iter().position(|layer| layer.0 == name);
        &self.layers[at.unwrap_or(0)]
    }

    /// What it makes of what is seen.
    pub fn encode(&self, seen: &Observation, without: Without) -> Encoded {
        let layout = &seen.layout;
        let mut groups = self.groups(seen);
        let inside = [self.layer("inside.0"), self.layer("inside.1")];
        let server = self.layer("server");
        let mut servers = Vec::with_capacity(seen.servers.len());
        for (at, features) in seen.servers.iter().enumerate() {
            let own = &mut groups[layout.groups_of(at)];
            if !without.graph {
                for round in inside {
                    let mut begun = round.start();
                    round.add(INSIDE, &mean_of(own), &mut begun);
                    for group in own.iter_mut() {
                        *group = round.on(&begun, 0, group);
                    }
                }
            }
            let mut sums = server.start();
            server.add(0, &mean_of(own), &mut sums);
            let mut most = [0.0; INSIDE];
            for own in &*own {
                each(&mut most, own, |most, own| {
                    own.simd_gt(most).select(own, most)
                });
            }
            server.add(INSIDE, &most, &mut sums);
            servers.push(server.on(&sums, 2 * INSIDE, features));
        }
        let partitions = if without.graph {
            let mut means = Means::of(seen.partitions.len());
            for (at, server) in servers.iter().enumerate() {
                means.add(layout.partition_of(at), server);
            }
            (0..seen.partitions.len()).map(|at| means.get(at)).collect()
        } else {
            self.up_and_down(seen, &mut servers);
            self.up_and_down(seen, &mut servers)
        };
        let (told, partitions) = self.exchange(&partitions, without.exchange);
        let mut means = Means::of(1);
        partitions.iter().for_each(|heard| means.add(0, heard));
        Encoded {
            groups,
            servers,
            told,
            mean: means.get(0),
            partitions,
        }
    }

    fn groups(&self, seen: &Observation) -> Vec<[f32; INSIDE]> {
        let layer = self.layer("group");
        let mut begun = layer.start();
        layer.add(GROUP, &seen.job, &mut begun);
        let groups = seen.groups.iter();
        groups.map(|group| layer.on(&begun, 0, group)).collect()
    }

    /// One round over the cluster's tree: servers have heard of their racks and these of their
    /// partitions, which are given.
    fn up_and_down(&self, seen: &Observation, servers: &mut [[f32; WIDTH]]) -> Vec<[f32; WIDTH]> {
        let layout = &seen.layout;
        let mut means = Means::of(seen.racks.len());
        for (&rack, server) in layout.racks.iter().zip(&*servers) {
            means.add(rack, server);
        }
        let layer = self.layer("rack");
        let racks = seen.racks.iter().enumerate().map(|(at, features)| {
            let mut sums = layer.start();
            layer.add(0, &means.get(at), &mut sums);
            layer.on(&sums, WIDTH, features)
        });
        let racks: Vec<[f32; WIDTH]> = racks.collect();
        let mut means = Means::of(seen.partitions.len());
        for (&partition, rack) in layout.partitions.iter().zip(&racks) {
            means.add(partition, rack);
        }
        let layer = self.layer("partition");
        let partitions = seen.partitions.iter().enumerate().map(|(at, features)| {
            let mut sums = layer.start();
            layer.add(0, &means.get(at), &mut sums);
            layer.on(&sums, WIDTH, features)
        });
        let partitions: Vec<[f32; WIDTH]> = partitions.collect();
        let (rack_down, server_down) = (self.layer("rack_down"), self.layer("server_down"));
        // What servers of a rack have in common.
        let begun = racks.iter().zip(&layout.partitions);
        let begun = begun.map(|(rack, &partition)| {
            let mut sums: [f32; WIDTH] = rack_down.start();
            rack_down.add(0, rack, &mut sums);
            let rack = rack_down.on(&sums, WIDTH, &partitions[partition as usize]);
            let mut sums: [f32; WIDTH] = server_down.start();
            server_down.add(WIDTH, &rack, &mut sums);
            sums
        });
        let begun: Vec<[f32; WIDTH]> = begun.collect();
        for (server, &rack) in servers.iter_mut().zip(&layout.racks) {
            *server = server_down.on(&begun[rack as usize], 0, server);
        }
        partitions
    }

    /// What partitions tell, and what they are once they have heard it.
    fn exchange(
        &self,
        partitions: &[[f32; WIDTH]],
        deaf: bool,
    ) -> (Vec<[f32; WIDTH]>, Vec<[f32; WIDTH]>) {
        let (tell, hear) = (self.layer("tell"), self.layer("hear"));
        let told = partitions.iter().map(|of| tell.on(&tell.start(), 0, of));
        let told: Vec<[f32; WIDTH]> = told.collect();
        let mut all = [0.0; WIDTH];
        for told in told.iter().filter(|_| !deaf) {
            each(&mut all, told, |sum, value| sum + value);
        }
        let others = partitions.len().saturating_sub(1).max(1) as f32;
        let heard = partitions.iter().zip(&told).map(|(own, told)| {
            let mean: [f32; WIDTH] = match deaf || partitions.len() < 2 {
                true => [0.0; WIDTH],
                false => std::array::from_fn(|at| (all[at] - told[at]) / others),
            };
            let mut sums = hear.start();
            hear.add(0, own, &mut sums);
            hear.on(&sums, WIDTH, &mean)
        });
        let heard = heard.collect();
        (told, heard)
    }

    /// How good each partition would be for the job: it asks the one of the highest value first.
    pub fn values(&self, seen: &Observation, encoded: &Encoded) -> Vec<f32> {
        let (first, last) = (self.layer("value.0"), self.layer("value.1"));
        let mut begun = first.start::<HIDDEN>();
        first.add(WIDTH, &seen.job, &mut begun);
        let partitions = encoded.partitions.iter();
        let values = partitions.map(|own| end(last, &first.on(&begun, 0, own)));
        values.collect()
    }

    /// A score of each of the choices of a partition that is asked.
    pub fn scores(
        &self,
        seen: &Observation,
        encoded: &Encoded,
        asked: u32,
        choices: &[Choice],
    ) -> Vec<f32> {
        let own = &encoded.partitions[asked as usize];
        // With the own partition there, and the job behind everything.
        let begin = |layer: &Layer, at: usize, job: usize| {
            let mut begun = layer.start::<HIDDEN>();
            layer.add(at, own, &mut begun);
            layer.add(job, &seen.job, &mut begun);
            begun
        };
        let (point, forward, wait) = (
            self.layer("point.0"),
            self.layer("forward.0"),
            self.layer("wait.0"),
        );
        let pointing = begin(point, INSIDE + WIDTH, INSIDE + 2 * WIDTH);
        let forwarding = begin(forward, 0, 2 * WIDTH);
        // What groups of a server have in common.
        let mut last: Option<(u32, [f32; HIDDEN])> = None;
        let scores = choices.iter().map(|choice| match *choice {
            Choice::Group { node, group } => {
                let begun = match last {
                    Some((of, begun)) if of == node => begun,
                    _ => {
                        let mut begun = pointing;
                        point.add(INSIDE, &encoded.servers[node as usize], &mut begun);
                        last = Some((node, begun));
                        begun
                    }
                };
                let at = seen.layout.groups[node as usize] + group;
                let group = &encoded.groups[at as usize];
                end(self.layer("point.1"), &point.on(&begun, 0, group))
            }
            Choice::Forward { partition } => {
                let other = &encoded.partitions[partition as usize];
                let hidden = forward.on(&forwarding, WIDTH, other);
                end(self.layer("forward.1"), &hidden)
            }
            Choice::Wait => {
                let hidden = wait.on(&begin(wait, 0, 2 * WIDTH), WIDTH, &encoded.mean);
                end(self.layer("wait.1"), &hidden)
            }
        });
        scores.collect()
    }
}

/// The last layer of a head.
fn end(layer: &Layer, hidden: &[f32; HIDDEN]) -> f32 {
    let terms = hidden.iter().zip(&layer.weights);
    terms.fold(layer.bias[0], |sum, (hidden, weight)| {
        sum + hidden * weight.as_array()[0]
    })
}

fn mean_of(groups: &[[f32; INSIDE]]) -> [f32; INSIDE] {
    let mut sums = [0.0; INSIDE];
    for group in groups {
        each(&mut sums, group, |sum, value| sum + value);
    }
    over(sums, groups.len() as u32)
}

#[cfg(test)]
mod tests;
