//! Jobs that change their batch size while they train: by Accordion, which trains in critical regimes with the batch
//! it began with, or by the gradient noise scale (GNS), which doubles it.
//!
//! In: a model, how it changes, its batch size and an epoch. Out: a batch size. What a job *will* have is its profile;
//! what it *does* in the simulated world differs in a few rules, as it does in the paper's artifact. Epochs count
//! from 0. Source: uw-mad-dash/shockwave, patterns of `scheduler/utils.py`.

/// A model that is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Model {
    /// ResNet-18 on CIFAR-10.
    ResNet18,
    /// ResNet-50 on ImageNet.
    ResNet50,
    /// The Transformer on Multi30k.
    Transformer,
    /// An LSTM on WikiText-2.
    Lm,
    /// An autoencoder on ML-20M.
    Recommendation,
    /// CycleGAN on monet2photo.
    CycleGan,
    /// A3C on Pong.
    A3c,
}

impl Model {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::ResNet18,
        Self::ResNet50,
        Self::Transformer,
        Self::Lm,
        Self::Recommendation,
        Self::CycleGan,
        Self::A3c,
    ];

    /// As files name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ResNet18 => "ResNet-18",
            Self::ResNet50 => "ResNet-50",
            Self::Transformer => "Transformer",
            Self::Lm => "LM",
            Self::Recommendation => "Recommendation",
            Self::CycleGan => "CycleGAN",
            Self::A3c => "A3C",
        }
    }

    /// The one that files name so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.name() == name)
    }

    /// Samples of an epoch.
    pub fn samples(self) -> u64 {
        match self {
            Self::ResNet18 => 50_000,
            Self::ResNet50 => 100_000,
            Self::Transformer => 10_000,
            Self::Lm => 59_675,
            Self::Recommendation => 117_907,
            Self::CycleGan => 6_287,
            Self::A3c => 4,
        }
    }

    /// The largest batch that it grows to, where it grows.
    pub fn largest(self) -> Option<u32> {
        match self {
            Self::ResNet18 => Some(256),
            Self::ResNet50 => Some(128),
            Self::Lm => Some(80),
            Self::Recommendation => Some(8192),
            Self::Transformer | Self::CycleGan | Self::A3c => None,
        }
    }

    /// Steps of an epoch with this batch size.
    pub fn steps_per_epoch(self, batch: u32) -> u64 {
        self.samples().div_ceil(u64::from(batch.max(1)))
    }
}

/// How a job changes its batch size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Never.
    Static,
    /// Small in critical regimes, the largest outside of them.
    Accordion,
    /// Doubled when the gradient noise scale has grown.
    Gns,
}

impl Mode {
    /// The one that files call so.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "static" => Some(Self::Static),
            "accordion" => Some(Self::Accordion),
            "gns" => Some(Self::Gns),
            _ => None,
        }
    }
}

/// A change that a job asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A larger batch.
    Larger,
    /// The batch that it began with.
    Smaller,
}

/// A job as far as its batch size goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Training {
    /// What it trains.
    pub model: Model,
    /// How its batch size changes.
    pub mode: Mode,
    /// The batch size that it begins with.
    pub batch: u32,
    /// GPUs of its gang.
    pub gpus: u32,
}

/// What stands before a batch size in the names of models, and behind it.
const BATCH: (&str, &str) = (" (batch size ", ")");

/// A larger batch in a name is a mistake.
const LARGEST_NAMED: u32 = 1 << 20;

/// A model with a batch size, as traces name it: `LM (batch size 10)`.
pub fn job_type(text: &str) -> Option<(Model, u32)> {
    let (model, batch) = text.trim().split_once(BATCH.0)?;
    let batch = batch.strip_suffix(BATCH.1)?.parse().ok();
    let batch = batch.filter(|batch| (1..LARGEST_NAMED).contains(batch))?;
    Some((Model::named(model)?, batch))
}

/// The epochs at which GNS doubles the batch, by model, first batch and GPUs.
const DOUBLINGS: [(Model, u32, u32, &[u64]); 33] = [
    (Model::ResNet18, 16, 1, &[31, 41, 51, 71]),
    (Model::ResNet18, 32, 1, &[21, 31, 51]),
    (Model::ResNet18, 64, 1, &[11, 31]),
    (Model::ResNet18, 128, 1, &[11]),
    (Model::ResNet18, 16, 2, &[21, 31, 91, 111]),
    (Model::ResNet18, 32, 2, &[11, 21, 41]),
    (Model::ResNet18, 64, 2, &[21, 41]),
    (Model::ResNet18, 128, 2, &[41]),
    (Model::ResNet18, 16, 4, &[11, 21, 81, 91]),
    (Model::ResNet18, 32, 4, &[21, 31, 61]),
    (Model::ResNet18, 64, 4, &[11, 61]),
    (Model::ResNet18, 128, 4, &[11]),
    (Model::ResNet50, 64, 1, &[101]),
    (Model::ResNet50, 32, 2, &[101, 111]),
    (Model::ResNet50, 64, 2, &[81]),
    (Model::ResNet50, 32, 4, &[131, 221]),
    (Model::ResNet50, 64, 4, &[191]),
    (Model::Lm, 5, 1, &[31, 41, 61, 71]),
    (Model::Lm, 10, 1, &[11, 21, 41]),
    (Model::Lm, 20, 1, &[11, 41]),
    (Model::Lm, 40, 1, &[11]),
    (Model::Lm, 5, 2, &[31, 51, 61, 71]),
    (Model::Lm, 10, 2, &[11, 31, 41]),
    (Model::Lm, 20, 2, &[31, 41]),
    (Model::Lm, 40, 2, &[11]),
    (Model::Lm, 5, 4, &[11, 31, 71, 91]),
    (Model::Lm, 10, 4, &[11, 31, 61]),
    (Model::Lm, 20, 4, &[11, 61]),
    (Model::Lm, 40, 4, &[61]),
    (Model::Recommendation, 512, 1, &[21, 41, 71, 91]),
    (Model::Recommendation, 1024, 1, &[21, 51, 91]),
    (Model::Recommendation, 2048, 1, &[21, 41]),
    (Model::Recommendation, 4096, 1, &[41]),
];

/// The simulated world looks at GNS' pattern over at least so many epochs.
const PATTERN: u64 = 760;

impl Training {
    /// What the name of a model says of a job with so many GPUs, such as `LM (batch size 10), gns`. One that names no
    /// mode never changes.
    pub fn told(name: &str, gpus: u32) -> Option<Self> {
        let (job, mode) = match name.rsplit_once(", ") {
            Some((job, mode)) => (job, Mode::named(mode)?),
            None => (name, Mode::Static),
        };
        let (model, batch) = job_type(job)?;
        Some(Self {
            model,
            mode,
            batch,
            gpus,
        })
    }

    /// Epochs of so many steps with the first batch.
    pub fn epochs(&self, steps: u64) -> u64 {
        steps.div_ceil(self.model.steps_per_epoch(self.batch))
    }

    /// The batch size of each epoch, as the paper's profiles have it.
    pub fn profile(&self, epochs: u64) -> Vec<u32> {
        let of = |epoch| match self.mode {
            Mode::Static => self.batch,
            Mode::Accordion => self.accordion(epoch, epochs),
            Mode::Gns => self.gns(epoch, epochs),
        };
        (0..epochs).map(of).collect()
    }

    /// GNS' batch in an epoch of a job of so many. After a second doubling the very last epoch has the first batch
    /// again, and a job that is over before its first doubling never changes.
    fn gns(&self, epoch: u64, epochs: u64) -> u32 {
        let of = (self.model, self.batch, self.gpus);
        let row = DOUBLINGS
            .iter()
            .find(|(model, batch, gpus, _)| (*model, *batch, *gpus) == of);
        let Some((.., starts)) = row.filter(|(.., starts)| epochs > starts[0]) else {
            return self.batch;
        };
        let doublings = starts.iter().filter(|&&start| start <= epoch).count();
        let grown = match doublings {
            0 | 1 => self.batch << doublings,
            _ if epoch + 1 >= epochs => self.batch,
            _ => self.batch << doublings,
        };
        grown.min(self.model.largest().unwrap_or(grown))
    }

    /// How many epochs the first critical regime has.
    fn first_regime(&self) -> u64 {
        match (self.model, self.batch) {
            (Model::ResNet18, 256) => 20,
            (Model::Recommendation, ..=1024) => 30,
            (Model::Recommendation, ..=2048) => 40,
            _ => 10,
        }
    }

    /// Accordion's batch in an epoch of a job of so many: critical regimes and the first 30 % keep the first one.
    fn accordion(&self, epoch: u64, epochs: u64) -> u32 {
        let is_critical = match self.model {
            Model::ResNet50 => epoch < 600 && epoch % 30 < 10,
            Model::ResNet18 => self.is_critical(epoch),
            Model::Recommendation => {
                epoch < self.first_regime()
                    || (60..70).contains(&epoch)
                    || (80..90).contains(&epoch)
            }
            _ => epoch < self.first_regime(),
        };
        match self.model.largest() {
            Some(largest) if !is_critical && epoch as f64 > epochs as f64 * 0.3 => largest,
            _ => self.batch,
        }
    }

    /// Whether the simulated world's Accordion holds an epoch critical.
    fn is_critical(&self, epoch: u64) -> bool {
        match self.model {
            Model::ResNet50 => epoch % 30 < 10,
            Model::ResNet18 => {
                epoch < self.first_regime()
                    || (150..160).contains(&epoch)
                    || (250..260).contains(&epoch)
            }
            Model::Lm | Model::Recommendation => epoch < self.first_regime(),
            Model::Transformer | Model::CycleGan | Model::A3c => true,
        }
    }

    /// What the simulated job asks for when it has come to an epoch with a batch size.
    pub fn asks(&self, batch: u32, epoch: u64) -> Option<Change> {
        let may_grow = self.model.largest().is_some_and(|largest| batch != largest);
        match self.mode {
            Mode::Static => None,
            Mode::Gns => {
                let epochs = PATTERN.max(epoch + 2);
                let grows = |epoch| self.gns(epoch, epochs) > batch;
                (may_grow && (grows(epoch) || grows(epoch + 1))).then_some(Change::Larger)
            }
            Mode::Accordion => match (batch == self.batch, self.is_critical(epoch)) {
                (true, false) => may_grow.then_some(Change::Larger),
                (false, true) => Some(Change::Smaller),
                _ => None,
            },
        }
    }

    /// The batch size after a change that it asked for; nothing where it began with the largest.
    pub fn changed(&self, batch: u32, change: Change) -> Option<u32> {
        let largest = self.model.largest()?;
        if self.batch == largest {
            return None;
        }
        match (self.mode, change) {
            (Mode::Static, _) => None,
            (Mode::Gns, _) => batch.checked_mul(2),
            (Mode::Accordion, Change::Larger) => Some(largest),
            (Mode::Accordion, Change::Smaller) => Some(self.batch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn training(model: Model, mode: Mode, batch: u32, gpus: u32) -> Training {
        Training {
            model,
            mode,
            batch,
            gpus,
        }
    }

    #[test]
    fn gns_doubles_and_its_last_epoch_has_the_first_batch() {
        let job = training(Model::Lm, Mode::Gns, 10, 1);
        let profile = job.profile(45);
        assert_eq!(
            [10, 11, 20, 21, 41, 43, 44].map(|epoch: usize| profile[epoch]),
            [10, 20, 20, 40, 80, 80, 10]
        );
        assert_eq!(job.profile(12)[11], 20);
        assert_eq!(job.profile(11), [10; 11]);
        assert_eq!(job.asks(10, 9), None);
        assert_eq!(job.asks(10, 10), Some(Change::Larger));
        assert_eq!(job.changed(10, Change::Larger), Some(20));
    }

    #[test]
    fn names_of_models_tell_batch_and_mode() {
        let told = |name| Training::told(name, 2);
        let gns = training(Model::Lm, Mode::Gns, 10, 2);
        assert_eq!(told("LM (batch size 10), gns"), Some(gns));
        let never = training(Model::ResNet18, Mode::Static, 32, 2);
        assert_eq!(told("ResNet-18 (batch size 32)"), Some(never));
        for other in ["LM (batch size 10), auto", "LM (batch size 0)", "vgg16", ""] {
            assert_eq!(told(other), None, "{other}");
        }
    }

    #[test]
    fn accordion_keeps_its_batch_in_critical_regimes() {
        let job = training(Model::ResNet18, Mode::Accordion, 32, 1);
        let profile = job.profile(160);
        assert_eq!(
            [9, 48, 49, 149, 150].map(|epoch: usize| profile[epoch]),
            [32, 32, 256, 256, 32]
        );
        assert_eq!(job.asks(32, 9), None);
        assert_eq!(job.asks(32, 10), Some(Change::Larger));
        assert_eq!(job.asks(256, 150), Some(Change::Smaller));
        let largest = training(Model::ResNet18, Mode::Accordion, 256, 1);
        assert_eq!(largest.changed(256, Change::Larger), None);
        let never = training(Model::Transformer, Mode::Accordion, 64, 1);
        assert_eq!(never.asks(64, 500), None);
        assert_eq!(never.profile(500), [64; 500]);
    }
}
