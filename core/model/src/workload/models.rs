//! What is known of a model's structure: its size, its largest tensor, and how much slower it
//! trains when its gang is spread over nodes. In: a model's name, or none. Out: [`ModelTraits`].
//!
//! Sizes: the models of Tiresias (Gu et al., NSDI'19) as its simulator holds them. Slowdown: the
//! mean of unconsolidated ÷ consolidated throughput over multi-GPU jobs in Gavel's published
//! measurements (`simulation_throughputs.json`): ResNet-50 for models without skew; for models
//! whose largest tensor dominates, the language model there, which is bound by its embedding's
//! traffic. (None of the skewed vision models was measured: this is our reading, not Gavel's.)
//!
//! A name outside the table, or none, is given one of the table's models by a fixed rule: the
//! same name (or, nameless, the same job) always the same model.

use super::Workload;
use crate::batch_mode::without_mode;
use crate::job::JobId;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// A GPU generation, which decides how much a slow network hurts: a slower GPU hides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GpuGeneration {
    /// Tesla K80.
    K80,
    /// Tesla P100, the GPUs of Tiresias' testbed.
    P100,
    /// Tesla V100.
    V100,
}

impl GpuGeneration {
    /// Every generation, oldest first.
    pub const ALL: [Self; 3] = [Self::K80, Self::P100, Self::V100];

    /// The generation of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|generation| generation.name() == name)
    }

    /// The generation of a [GPU type](crate::cluster::GpuModel), where it is one of these.
    pub fn of_type(name: &str) -> Option<Self> {
        Self::named(name.split('-').next()?)
    }

    /// The name in options and links.
    pub fn name(self) -> &'static str {
        match self {
            Self::K80 => "k80",
            Self::P100 => "p100",
            Self::V100 => "v100",
        }
    }
}

/// What placement and preemption need to know of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelTraits {
    /// The model of the table.
    pub name: &'static str,
    /// All tensors, MB.
    pub megabytes: f64,
    /// The largest tensor, MB.
    pub largest_tensor: f64,
}

/// The models of Tiresias' simulator.
const TABLE: [ModelTraits; 9] = [
    model("vgg19", 547.0, 392.0),
    model("vgg16", 527.0, 392.0),
    model("vgg11", 507.0, 392.0),
    model("alexnet", 236.0, 144.0),
    model("resnet152", 150.0, 9.0),
    model("resnet101", 120.0, 9.0),
    model("resnet50", 81.0, 9.0),
    model("inception4", 133.0, 5.9),
    model("inception3", 57.0, 7.8),
];

const fn model(name: &'static str, megabytes: f64, largest_tensor: f64) -> ModelTraits {
    ModelTraits {
        name,
        megabytes,
        largest_tensor,
    }
}

/// Largest tensor ÷ model above which a model counts as skewed: Tiresias' PACKLIMIT, whose number
/// is not published. Any value from 0.15 to 0.6 separates the paper's two groups.
pub const DEFAULT_PACKLIMIT: f64 = 0.3;

/// Checkpoint and resume of the largest model of the table, seconds; the least is
/// [`SHORTEST_RESTART`]. The range quoted for vision models in NSDI'19.
const LONGEST_RESTART: f64 = 27.0;
const SHORTEST_RESTART: f64 = 1.0;

impl ModelTraits {
    /// The traits of a model by its name in a trace; GoogLeNet counts as Inception3, as in
    /// Tiresias' simulator.
    pub fn of_name(name: &str) -> Self {
        let plain: String = without_mode(name)
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        let plain = match plain.as_str() {
            "googlenet" | "inceptionv3" => "inception3",
            "inceptionv4" => "inception4",
            other => other,
        };
        TABLE
            .into_iter()
            .find(|traits| traits.name == plain)
            .unwrap_or_else(|| by_rule(plain.as_bytes()))
    }

    /// Largest tensor ÷ all tensors, the skew S_J that Tiresias' placement asks for.
    pub fn skew(&self) -> f64 {
        self.largest_tensor / self.megabytes
    }

    /// Progress per second when the gang is spread over more than one node beyond need, relative
    /// to a consolidated gang; in (0, 1].
    pub fn spread_rate(&self, generation: GpuGeneration) -> f64 {
        let skewed = self.skew() > DEFAULT_PACKLIMIT;
        match (generation, skewed) {
            (GpuGeneration::V100, true) => 0.234,
            (GpuGeneration::P100, true) => 0.529,
            (GpuGeneration::K80, true) => 0.870,
            (GpuGeneration::V100, false) => 0.968,
            (GpuGeneration::P100, false) => 0.901,
            (GpuGeneration::K80, false) => 1.0,
        }
    }

    /// Seconds of checkpoint and resume, linear in the model's size over the quoted range.
    pub fn restart_seconds(&self) -> f64 {
        let share = self.megabytes / TABLE[0].megabytes;
        SHORTEST_RESTART + (LONGEST_RESTART - SHORTEST_RESTART) * share
    }
}

fn by_rule(key: &[u8]) -> ModelTraits {
    TABLE[(xxh3_64(key) % TABLE.len() as u64) as usize]
}

/// The traits of every job of a workload, by its model's name or the rule.
#[derive(Debug)]
pub struct TraitsByJob {
    /// Indexed like `Workload::models`.
    by_model: Vec<ModelTraits>,
}

impl TraitsByJob {
    /// Of all jobs of a workload.
    pub fn of(workload: &Workload) -> Self {
        let by_model = workload
            .models
            .iter()
            .map(|name| ModelTraits::of_name(name))
            .collect();
        Self { by_model }
    }

    /// Of the job with this model and number.
    pub fn get(&self, model: Option<u32>, job: JobId) -> ModelTraits {
        model
            .and_then(|model| self.by_model.get(model as usize).copied())
            .unwrap_or_else(|| by_rule(&job.0.to_le_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skew_separates_the_papers_two_groups() {
        for name in ["VGG11", "vgg16", "vgg-19", "AlexNet"] {
            assert!(
                ModelTraits::of_name(name).skew() > DEFAULT_PACKLIMIT,
                "{name}"
            );
        }
        for name in [
            "ResNet-50",
            "resnet101",
            "resnet152",
            "GoogLeNet",
            "inception4",
        ] {
            assert!(
                ModelTraits::of_name(name).skew() < DEFAULT_PACKLIMIT,
                "{name}"
            );
        }
    }

    #[test]
    fn a_name_outside_the_table_always_gets_the_same_model() {
        assert_eq!(
            ModelTraits::of_name("my-gpt"),
            ModelTraits::of_name("my_GPT")
        );
    }

    #[test]
    fn a_slower_gpu_hides_the_network() {
        for traits in TABLE {
            let [k80, p100, v100] = GpuGeneration::ALL.map(|gpu| traits.spread_rate(gpu));
            assert!(k80 >= p100 && k80 >= v100 && k80 <= 1.0 && v100 > 0.0);
        }
    }

    #[test]
    fn restarts_stay_in_the_quoted_range() {
        for traits in TABLE {
            assert!((1.0..=27.0).contains(&traits.restart_seconds()));
        }
        assert!((TABLE[0].restart_seconds() - 27.0).abs() < 1e-9);
    }
}
