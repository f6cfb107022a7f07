//! What was measured: steps per second by model, batch size and GPUs, on V100s.
//!
//! In: a model, a batch size, how many GPUs. Out: its speed there. Source: uw-mad-dash/shockwave (MIT),
//! `scheduler/tacc_throughputs.json`, the entries `null` of `v100`: alone, on 1, 2, 4 or 8 GPUs.

use crate::batches::Model;

/// Of a model on so many GPUs: batch sizes, each with its steps per second.
type Row = (Model, u32, &'static [(u32, f64)]);

/// By model, and by GPUs.
#[rustfmt::skip]
const ROWS: [Row; 17] = [
    (Model::ResNet18, 1, &[(16, 57.68343332), (32, 42.97497938), (64, 21.43346581), (128, 11.77533504), (256, 6.31952281)]),
    (Model::ResNet18, 2, &[(16, 84.82627579), (32, 66.71361803), (64, 37.35371388), (128, 21.78272981), (256, 12.11372064)]),
    (Model::ResNet18, 4, &[(16, 151.3801453), (32, 130.0623701), (64, 72.91375291), (128, 43.00603401), (256, 23.52941176)]),
    (Model::ResNet18, 8, &[(16, 194.4548054), (32, 184.8699764), (64, 135.0210971), (128, 80.24564995), (256, 44.49489217)]),
    (Model::ResNet50, 1, &[(16, 10.59726167), (32, 5.89934305), (64, 3.10803185), (128, 1.59789193)]),
    (Model::ResNet50, 2, &[(16, 13.02354657), (32, 6.9694042), (64, 5.9387883), (128, 3.07934633)]),
    (Model::ResNet50, 4, &[(16, 36.88403659), (32, 21.55862069), (64, 11.63777067), (128, 6.09034268)]),
    (Model::ResNet50, 8, &[(16, 69.46666667), (32, 42.15633423), (64, 22.94937638), (128, 11.67535369)]),
    (Model::Transformer, 1, &[(16, 8.71262285), (32, 4.53110976), (64, 2.07543808), (128, 1.15052174)]),
    (Model::Transformer, 2, &[(16, 13.8075776), (32, 8.05662806), (64, 3.75822861), (128, 2.14992605)]),
    (Model::Transformer, 4, &[(16, 27.53463822), (32, 15.14347721), (64, 7.16228468), (128, 4.07331976)]),
    (Model::Transformer, 8, &[(16, 41.04575163), (32, 27.1711092), (64, 12.76935355), (128, 7.06838664)]),
    (Model::Lm, 1, &[(5, 133.8379591), (10, 94.91094148), (20, 68.05405097), (40, 46.82253256), (80, 21.7129984)]),
    (Model::Lm, 2, &[(5, 125.631579), (10, 109.7866078), (20, 90.36947305), (40, 66.97602475), (80, 36.34211305)]),
    (Model::Lm, 4, &[(5, 198.8836124), (10, 175.0146628), (20, 146.9299325), (40, 114.9018098), (80, 68.12785388)]),
    (Model::Lm, 8, &[(5, 199.282077), (10, 188.8607595), (20, 171.34654034), (40, 150.2517623), (80, 103.3863165)]),
    (Model::Recommendation, 1, &[(512, 169.3497942), (1024, 107.3231796), (2048, 59.26267281), (4096, 25.07018091), (8192, 11.6316932)]),
];

/// Steps per second of a model with this batch size on so many GPUs, or on the next fewer that were measured. None: it
/// was not measured, or did not fit.
pub fn steps_per_second(model: Model, batch: u32, gpus: u32) -> Option<f64> {
    let of = |(of, on, _): &&Row| *of == model && *on <= gpus;
    let (.., speeds) = ROWS.iter().rev().find(of)?;
    let found = speeds.iter().find(|(of, _)| *of == batch);
    found.map(|(_, speed)| *speed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gangs_that_were_not_measured_have_the_speed_of_the_next_narrower() {
        assert_eq!(steps_per_second(Model::Lm, 10, 1), Some(94.91094148));
        assert_eq!(steps_per_second(Model::Lm, 10, 3), Some(109.7866078));
        assert_eq!(steps_per_second(Model::Lm, 10, 64), Some(188.8607595));
        assert_eq!(steps_per_second(Model::Lm, 11, 1), None);
        assert_eq!(steps_per_second(Model::Lm, 10, 0), None);
        assert_eq!(steps_per_second(Model::CycleGan, 1, 1), None);
    }
}
