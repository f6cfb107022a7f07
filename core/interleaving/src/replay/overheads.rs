//! What a start costs in the authors' simulator: seconds by model and size of the gang, as measured on their testbed.

use crate::measured::GANGS;

/// For each model the seconds by size, in the order of [`GANGS`] (`overhead_dict` of `run_sim.py`).
const SECONDS: [(&str, [f64; 6]); 8] = [
    ("vgg16", [7.0, 7.0, 8.0, 9.0, 9.0, 10.0]),
    ("vgg19", [7.0, 7.0, 8.0, 9.0, 10.0, 10.0]),
    ("resnet18", [4.0, 5.0, 5.0, 7.0, 7.0, 7.0]),
    ("shufflenet_v2_x1_0", [4.0, 4.0, 5.0, 5.0, 7.0, 8.0]),
    ("bert", [10.0; 6]),
    ("gpt2", [10.0; 6]),
    ("a2c", [38.0, 39.0, 39.0, 46.0, 46.0, 46.0]),
    ("dqn", [5.0, 5.0, 6.0, 6.0, 8.0, 8.0]),
];

/// What everything else takes.
const OTHERS: f64 = 10.0;

/// What a start of such a job costs, seconds.
pub(super) fn overhead(model: &str, gpus: u32) -> f64 {
    let of_model = SECONDS.iter().find(|(name, _)| *name == model);
    let of_size = GANGS.iter().position(|&size| size == gpus);
    match (of_model, of_size) {
        (Some((_, seconds)), Some(at)) => seconds[at],
        _ => OTHERS,
    }
}
