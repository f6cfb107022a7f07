//! What a model sends, computes and holds per step, for eight models (DL2's list, which the graph
//! placer trains on). In: a model's name, or none. Out: [`Profile`].
//!
//! Sources, of parameters (four bytes each) and of a step's computing:
//!
//! | model | parameters | a step on a P100 |
//! |---|---|---|
//! | ResNet-50, ResNet-152, VGG-16 | 25.56 M, 60.19 M, 138.36 M: torchvision's | 64 images at 219, 91.8 and 154 images/s: TensorFlow's benchmarks of May 2017, DGX-1, synthetic data |
//! | Inception-BN | 11.3 M: Optimus (EuroSys'18), table 1, from memory | ResNet-50's by multiply-adds, 2.0 of 3.8 G: our estimate |
//! | word-language model | 4.7 M: the same table's RNN-LSTM, from memory | 21.2 steps/s of 80 sequences: Gavel's `LM (batch size 80)` |
//! | Seq2Seq, DSSM, CTC | 9.1 M, 1.5 M, and DeepSpeech2's 38 M: the same table, from memory | our estimates |
//!
//! "From memory": no copy of the table was at hand to compare with. DeepShare's tables, by which the
//! model of contention is fitted ([`measured`](super)), are of other models and say nothing of these. Cores
//! per worker: image and speech models want many to decode, language models few (the groups of Synergy,
//! OSDI'22); the numbers are ours. GPU memory: ours, for these batches.
//!
//! A name outside the table, or none, is given one of its models by a fixed rule, as by
//! [`ModelTraits`](crate::workload::ModelTraits).

use crate::job::JobId;
use crate::workload::Workload;
use xxhash_rust::xxh3::xxh3_64;

/// What a model needs per step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// The model of the table.
    pub name: &'static str,
    /// All gradients, GB.
    pub gradients: f64,
    /// Computing, seconds.
    pub compute: f64,
    /// Cores that each worker wants.
    pub cores: f64,
    /// GPU memory of a worker, GB.
    pub memory: f64,
}

const MODELS: [Profile; 8] = [
    model("resnet50", 25.6, 64.0 / 219.0, 4.0, 8.0),
    model("resnet152", 60.2, 64.0 / 91.8, 3.0, 13.0),
    model("vgg16", 138.4, 64.0 / 154.0, 3.0, 10.0),
    model("inceptionbn", 11.3, 64.0 / 219.0 * 2.0 / 3.8, 4.0, 6.0),
    model("seq2seq", 9.1, 0.12, 1.0, 5.0),
    model("ctc", 38.0, 0.30, 7.0, 6.0),
    model("dssm", 1.5, 0.02, 2.0, 2.0),
    model("wlm", 4.7, 1.0 / 21.2, 1.0, 4.0),
];

const fn model(
    name: &'static str,
    parameters: f64,
    compute: f64,
    cores: f64,
    memory: f64,
) -> Profile {
    Profile {
        name,
        gradients: parameters * 4.0 / 1000.0,
        compute,
        cores,
        memory,
    }
}

impl Profile {
    /// Every model, in the order of the source's list.
    pub const fn all() -> &'static [Self] {
        &MODELS
    }

    /// Of the model of this name in a trace.
    pub fn of_name(name: &str) -> Self {
        let mut plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        plain.make_ascii_lowercase();
        let plain = match plain.as_str() {
            "resnet152v1" | "resnet101" => "resnet152",
            "vgg19" | "vgg11" => "vgg16",
            "inception3" | "inceptionv3" | "googlenet" => "inceptionbn",
            "deepspeech2" => "ctc",
            "lm" | "lstm" | "rnn" | "wordlanguagemodel" => "wlm",
            other => other,
        };
        let mut all = MODELS.into_iter();
        all.find(|profile| profile.name == plain)
            .unwrap_or_else(|| by_rule(plain.as_bytes()))
    }
}

fn by_rule(key: &[u8]) -> Profile {
    MODELS[(xxh3_64(key) % MODELS.len() as u64) as usize]
}

/// The profiles of all jobs of a workload, by their models' names or the rule.
#[derive(Debug)]
pub struct ProfilesByJob {
    /// Indexed like `Workload::models`.
    by_model: Vec<Profile>,
}

impl ProfilesByJob {
    /// Of all jobs of a workload.
    pub fn of(workload: &Workload) -> Self {
        let by_model = workload.models.iter().map(|name| Profile::of_name(name));
        Self {
            by_model: by_model.collect(),
        }
    }

    /// Of the job with this model and number.
    pub fn get(&self, model: Option<u32>, job: JobId) -> Profile {
        let known = model.and_then(|model| self.by_model.get(model as usize));
        known
            .copied()
            .unwrap_or_else(|| by_rule(&job.0.to_le_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order;

    #[test]
    fn names_find_their_models_and_others_keep_theirs() {
        assert_eq!(Profile::of_name("VGG-16").name, "vgg16");
        assert_eq!(Profile::of_name("Inception-BN").name, "inceptionbn");
        assert_eq!(Profile::of_name("my-gpt"), Profile::of_name("my_GPT"));
    }

    #[test]
    fn vgg_wants_network_and_ctc_cores() {
        let most = |of: fn(&Profile) -> f64| {
            let all = Profile::all().iter();
            all.max_by(|a, b| order::by_value(&of(a), &of(b)))
                .map(|most| most.name)
        };
        assert_eq!(most(|model| model.gradients / model.compute), Some("vgg16"));
        assert_eq!(most(|model| model.cores), Some("ctc"));
    }
}
