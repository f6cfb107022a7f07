//! Measured profiles of Pollux's artifact (OSDI'21; petuum/adaptdl, branch `osdi21-artifact`):
//! what is read of them, what is fitted to them, and that the embedded models are theirs.
//!
//! The measurements are not in this repository: `SWITCHYARD_TRACES` names their folder, and
//! `cargo xtask test` runs these tests where there is one.
#![cfg(not(target_arch = "wasm32"))]

use switchyard::goodput::{ThroughputParams, fit, fit_from, loss};
use switchyard::workload::Application;
use switchyard::workload::application::{Fitted, Measured, Profile, Tuned, packed};
use switchyard_tests::artifact::Artifact;

/// Training on one GPU at M0, hours, computed once with the artifact's `applications.py`.
const ONE_GPU_HOURS: [(&str, f64, u32); 6] = [
    ("bert", 3.78, 14_774),
    ("cifar10", 1.12, 39_063),
    ("deepspeech2", 5.40, 28_536),
    ("imagenet", 147.9, 576_526),
    ("ncf", 0.40, 194_174),
    ("yolov3", 9.37, 103_444),
];

fn measured() -> Vec<Application> {
    Artifact::find().applications()
}

fn tables(application: &Application) -> &Measured {
    match application.profile() {
        Profile::Measured(measured) => measured,
        Profile::Fitted(_) => panic!("{} was read from tables", application.name),
    }
}

fn model(application: &Application) -> &Fitted {
    match application.profile() {
        Profile::Fitted(fitted) => fitted,
        Profile::Measured(_) => panic!("{} is no model", application.name),
    }
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn training_on_one_gpu_takes_as_long_as_in_the_original() {
    let applications = measured();
    for (application, (name, hours, total)) in applications.iter().zip(ONE_GPU_HOURS) {
        assert_eq!(&*application.name, name);
        let time = application.training_time(&[1], application.limits.m0) / 3600.0;
        println!("{name}: {time:.3} h, original {hours} h");
        assert!(
            (time - hours).abs() <= 0.005 + 5e-4 * hours,
            "{name}: {time} h"
        );
        assert_eq!(application.total_progress().round(), f64::from(total));
    }
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn what_lies_beyond_the_measurements_is_answered() {
    let applications = measured();
    for application in &applications {
        let limits = application.limits;
        for gpus in [1, 5, 8, 33, 64, 128, 256] {
            for per_node in [1, 4, 8, 16] {
                for m in [limits.min_local, limits.max_local] {
                    let times = application.step_times(&packed(gpus, per_node), m);
                    assert!(times.step.is_finite() && times.step > times.sync && times.sync >= 0.0);
                }
            }
        }
    }
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn a_fit_is_as_good_as_the_best_of_twenty_random_starts() {
    let applications = measured();
    // Halton's points, spread over the box of plausible parameters.
    let halton = |mut index: u32, base: u32| {
        let (mut value, mut digit) = (0.0, 1.0);
        while index > 0 {
            digit /= f64::from(base);
            value += digit * f64::from(index % base);
            index /= base;
        }
        value
    };
    for application in &applications {
        let observations = tables(application).observations();
        let own = fit(observations).expect("sound measurements");
        let mut best = f64::INFINITY;
        for index in 1..=20 {
            let between =
                |base: u32, low: f64, high: f64| low * (high / low).powf(halton(index, base));
            let start = ThroughputParams {
                alpha_c: between(2, 1e-4, 3.0),
                beta_c: between(3, 1e-7, 1.0),
                alpha_n: between(5, 1e-4, 3.0),
                beta_n: between(7, 1e-7, 1.0),
                alpha_r: between(11, 1e-4, 3.0),
                beta_r: between(13, 1e-7, 1.0),
                gamma: between(17, 1.0, 10.0),
            };
            let other = fit_from(observations, &start).expect("sound measurements");
            best = best.min(other.loss);
        }
        println!(
            "{}: loss {:.5}, best of 20 random starts {best:.5}, {} evaluations",
            application.name, own.loss, own.evaluations
        );
        assert!(own.loss <= 1.02 * best, "{}", application.name);
    }
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn embedded_models_are_those_of_the_measurements() {
    let applications = measured();
    for (measured, embedded) in applications.iter().zip(Application::embedded()) {
        let name = &measured.name;
        let condensed = measured.condensed().expect("tables");
        let (is, should) = (model(&embedded), model(&condensed));
        // The loss is what is fitted; the last digits of its parameters are not.
        let observations = tables(measured).observations();
        let least = fit(observations).expect("sound measurements").loss;
        let own = loss(&is.params, observations).expect("sound measurements");
        assert!(own <= 1.001 * least, "{name}: loss {own}, fitted {least}");
        assert_eq!(is.curves.len(), should.curves.len(), "{name}");
        for (is, should) in is.curves.iter().zip(&should.curves) {
            assert_eq!((is.batch, is.phi.len()), (should.batch, should.phi.len()));
            for (is, should) in is.phi.iter().zip(&should.phi) {
                assert!((is / should - 1.0).abs() < 2e-3, "{name}: φ {is}, {should}");
            }
        }
        assert_eq!(embedded.limits, measured.limits);
        assert_eq!(embedded.epochs(), measured.epochs());
        let progress = embedded.total_progress() / measured.total_progress();
        assert!((progress - 1.0).abs() < 1e-3, "{name}");
        let one = (vec![1], embedded.limits.m0);
        let tuned = embedded
            .tuned
            .iter()
            .map(|&Tuned { gpus, batch }| (packed(gpus, 4), batch));
        for (placement, batch) in std::iter::once(one).chain(tuned) {
            let is = measured.training_time(&placement, batch);
            let model = embedded.training_time(&placement, batch);
            println!("{name} {placement:?} {batch}: {is:.0} s, model {model:.0} s");
            assert!(
                (model / is - 1.0).abs() < 0.2,
                "{name} {placement:?} {batch}"
            );
        }
    }
}

/// What is embedded of types apart is what Sia's artifact measured on several nodes.
#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn embedded_types_are_those_of_the_measurements() {
    let all = Artifact::find().of_sia().applications();
    for embedded in Application::embedded() {
        let name = &embedded.name;
        let measured = all.iter().find(|of| of.name == *name).expect("measured");
        let mut seen = 0;
        for is in &model(&embedded).on {
            let on = measured.on(&is.gpu).expect("measured");
            assert_eq!(is.max_local, on.limits.max_local, "{name} on {}", is.gpu);
            let observations = tables(&on).observations();
            let least = fit(observations).expect("sound measurements").loss;
            let own = loss(&is.params, observations).expect("sound measurements");
            println!("{name} on {}: loss {own:.5}", is.gpu);
            assert!(
                own <= 1.001 * least,
                "{name} on {}: {own}, fitted {least}",
                is.gpu
            );
            seen += 1;
        }
        assert_eq!(seen, 3, "{name}");
    }
}
