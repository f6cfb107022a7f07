//! Jobs of tests, and an application for those that train.

use switchyard::job::Work;
use switchyard::workload::Application;

/// What trains the workload's first application.
#[allow(dead_code, reason = "not every test has jobs that train")]
pub(crate) fn training(batch: u32, scale: f64, duration: f64) -> Work {
    Work::Adaptive {
        application: 0,
        batch,
        scale,
        duration,
    }
}

/// A small application: M0, its largest batch, the least and the most samples of a GPU; samples of an epoch,
/// and its noise scale in each.
#[allow(dead_code, reason = "not every test has jobs that train")]
pub(crate) fn application(
    [m0, max_batch, min_local, max_local]: [u32; 4],
    samples: u32,
    noise: &[u32],
) -> Application {
    let definition = format!(
        r#"{{
            "name": "small",
            "limits": {{
                "m0": {m0}, "max_batch": {max_batch}, "min_local": {min_local}, "max_local": {max_local}
            }},
            "learning_rate": "ada-scale",
            "epochs": {},
            "samples_per_epoch": {samples},
            "throughput": {{
                "alpha_c": 0.02, "beta_c": 0.002, "alpha_n": 0.05, "beta_n": 0.002,
                "alpha_r": 0.01, "beta_r": 0.0005, "gamma": 1.5
            }},
            "noise_scale": [{{ "batch": {m0}, "phi": {noise:?} }}]
        }}"#,
        noise.len()
    );
    Application::from_json(&definition).expect("a sound definition")
}
