//! The six applications of Pollux's evaluation (OSDI'21, table 1), as models.
//!
//! Each file in `embedded/` is what [`Application::condensed`] makes of the measurements in the
//! paper's artifact (<https://github.com/petuum/adaptdl>, branch `osdi21-artifact`, T4 GPUs, four
//! per node): parameters fitted here, limits and learning-rate rules as the paper has them, tuned
//! configurations as its workloads use them. What was measured on types apart (`on`) is made so of the
//! profiles of the artifact of Sia (SOSP'23, <https://github.com/siasosp23/artifacts>), `sia-simulator/traces`: `aws`
//! (T4, the same measurements), `rtx` and `dgx-ext`, which were measured on several nodes.

use super::{Application, Known};

const DEFINITIONS: &[(&str, &str)] = &[
    ("bert", include_str!("embedded/bert.json")),
    ("cifar10", include_str!("embedded/cifar10.json")),
    ("deepspeech2", include_str!("embedded/deepspeech2.json")),
    ("imagenet", include_str!("embedded/imagenet.json")),
    ("ncf", include_str!("embedded/ncf.json")),
    ("yolov3", include_str!("embedded/yolov3.json")),
];

impl Application {
    /// The six applications of Pollux's evaluation, with fitted profiles.
    pub fn embedded() -> Vec<Self> {
        let definitions = DEFINITIONS.iter();
        definitions
            .filter_map(|(_, text)| Self::from_json(text).ok())
            .collect()
    }
}

/// What is known of an application of this name.
pub(super) fn known(name: &str) -> Option<Known> {
    let (_, text) = DEFINITIONS.iter().find(|(known, _)| *known == name)?;
    let application = Application::from_json(text).ok()?;
    Some(Known {
        limits: application.limits,
        rule: application.rule,
        epochs: application.epochs(),
        tuned: application.tuned,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_six_are_sound() {
        let applications = Application::embedded();
        let names: Vec<&str> = applications.iter().map(|a| &*a.name).collect();
        let defined: Vec<&str> = DEFINITIONS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, defined);
        for application in &applications {
            assert!(!application.tuned.is_empty());
            let time = application.training_time(&[1], application.limits.m0);
            assert!(time > 1000.0 && time.is_finite());
        }
    }
}
