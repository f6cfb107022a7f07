//! What was measured of models: how long an iteration takes alone, and how long it needs each resource.
//!
//! In: a model, and how many GPUs. Out: its kind. Source: the profiles in the traces of Muri's simulator
//! (github:Rivendile/Muri, Apache-2.0, `trace-data`): eight models on 1 to 32 V100s, with batches of 128, 64, 16 or 4
//! samples per GPU.

use crate::cycle::ResourceTimes;
use crate::grouping::{Kind, PROFILING};

/// How many GPUs were measured.
pub(crate) const GANGS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// By the size of the gang: an iteration alone, storage and CPUs, GPUs, network; milliseconds.
type Row = [f64; 4];

const MODELS: [(&str, [Row; 6]); 8] = [
    (
        "vgg16",
        [
            [107.0, 117.0, 68.0, 0.0],
            [191.0, 114.0, 72.0, 40.0],
            [201.0, 82.0, 72.0, 67.0],
            [214.0, 82.0, 75.0, 66.0],
            [332.0, 83.0, 68.0, 110.0],
            [336.0, 87.0, 67.0, 131.0],
        ],
    ),
    (
        "vgg19",
        [
            [109.0, 114.0, 80.0, 0.0],
            [205.0, 115.0, 83.0, 41.0],
            [212.0, 84.0, 85.0, 73.0],
            [226.0, 82.0, 88.0, 60.0],
            [302.0, 102.0, 78.0, 123.0],
            [356.0, 89.0, 79.0, 141.0],
        ],
    ),
    (
        "resnet18",
        [
            [779.0, 711.0, 110.0, 0.0],
            [881.0, 687.0, 110.0, 95.0],
            [921.0, 723.0, 113.0, 73.0],
            [1010.0, 784.0, 117.0, 77.0],
            [1055.0, 736.0, 108.0, 93.0],
            [1059.0, 712.0, 111.0, 93.0],
        ],
    ),
    (
        "shufflenet_v2_x1_0",
        [
            [798.0, 706.0, 59.0, 0.0],
            [850.0, 747.0, 58.0, 18.0],
            [886.0, 703.0, 62.0, 17.0],
            [957.0, 769.0, 57.0, 10.0],
            [1006.0, 776.0, 57.0, 21.0],
            [1019.0, 799.0, 56.0, 24.0],
        ],
    ),
    (
        "bert",
        [
            [178.0, 0.5, 160.0, 0.0],
            [195.0, 0.5, 163.0, 18.0],
            [190.0, 0.5, 163.0, 18.0],
            [192.0, 0.5, 167.0, 59.0],
            [244.0, 0.5, 166.0, 86.0],
            [260.0, 0.5, 166.0, 133.0],
        ],
    ),
    (
        "gpt2",
        [
            [426.0, 0.6, 410.0, 0.0],
            [464.0, 0.7, 416.0, 40.0],
            [433.0, 0.6, 413.0, 20.0],
            [437.0, 0.6, 419.0, 49.0],
            [491.0, 0.6, 415.0, 137.0],
            [514.0, 0.7, 414.0, 216.0],
        ],
    ),
    (
        "a2c",
        [
            [517.0, 514.0, 14.0, 0.0],
            [525.0, 504.0, 14.0, 0.5],
            [533.0, 502.0, 10.0, 0.3],
            [555.0, 502.0, 14.0, 0.4],
            [567.0, 514.0, 14.0, 1.2],
            [585.0, 507.0, 14.0, 2.0],
        ],
    ),
    (
        "dqn",
        [
            [490.0, 446.0, 8.0, 0.0],
            [495.0, 441.0, 8.0, 0.6],
            [505.0, 440.0, 8.0, 0.4],
            [509.0, 435.0, 8.0, 0.5],
            [525.0, 438.0, 8.0, 1.2],
            [546.0, 437.0, 8.0, 1.6],
        ],
    ),
];

/// The names of the models that were measured.
pub fn models() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|(name, _)| *name)
}

/// What was measured of this model on so many GPUs, or on the next fewer that were measured. None: the model was not.
pub fn measured(model: &str, gpus: u32) -> Option<Kind> {
    let (_, rows) = MODELS.iter().find(|(name, _)| *name == model)?;
    let at = GANGS.iter().rposition(|&gang| gang <= gpus)?;
    let [iteration, storage_and_cpu, gpu, network] = rows[at].map(|time| time / 1000.0);
    Some(Kind {
        times: ResourceTimes {
            storage_and_cpu,
            gpu,
            network,
        },
        iteration_time: iteration * PROFILING,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_the_published_traces() {
        let kind = measured("gpt2", 8).unwrap();
        assert_eq!(kind.iteration_time, 0.437 * PROFILING);
        assert_eq!(kind.times.network, 0.049);
        assert_eq!(measured("vgg16", 3), measured("vgg16", 2));
        assert_eq!(measured("vgg16", 500), measured("vgg16", 32));
        assert_eq!(measured("resnet50", 1), None);
        assert_eq!(measured("vgg16", 0), None);
    }
}
