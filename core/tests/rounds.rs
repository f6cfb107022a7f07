//! Rounds come at every multiple of their length, whatever its binary fraction.

use std::sync::Arc;
use switchyard::cluster::ClusterSpec;
use switchyard::job::{Demand, Job, Work};
use switchyard::sim::SimOptions;
use switchyard::workload::{Application, Workload};
use switchyard::{RunSpec, Time};

/// One epoch on at most one GPU.
fn application() -> Application {
    Application::from_json(
        r#"{
            "name": "single",
            "limits": { "m0": 16, "max_batch": 16, "min_local": 16, "max_local": 16 },
            "learning_rate": "ada-scale",
            "epochs": 1,
            "samples_per_epoch": 1000,
            "throughput": {
                "alpha_c": 0.02, "beta_c": 0.002, "alpha_n": 0.05, "beta_n": 0.002,
                "alpha_r": 0.01, "beta_r": 0.0005, "gamma": 1.5
            },
            "noise_scale": [{ "batch": 16, "phi": [100] }]
        }"#,
    )
    .expect("a sound definition")
}

/// One job, for five and a half intervals. With floor(now ÷ interval) · interval == now, which is no
/// way to ask, one interval in eight loses a round by then, and seven in ten sooner or later.
#[test]
fn pollux_has_every_round_of_every_interval() {
    let application = Arc::new(application());
    let cluster = ClusterSpec::uniform(2, 1).expect("a cluster");
    let rounds = 6;
    for tenths in 10..=20_000 {
        let interval = f64::from(tenths) / 10.0;
        let duration = (f64::from(rounds) - 0.5) * interval;
        let job = Job {
            name: "".into(),
            submit: Time::ZERO,
            gpus: 1,
            tenant: None,
            model: None,
            demand: Demand::default(),
            work: Work::Adaptive {
                application: 0,
                batch: 16,
                scale: duration / application.training_time(&[1], 16),
                duration,
            },
        };
        let spec = RunSpec {
            policy: format!(
                "pollux[interval={interval},population=2,generations=2,fit=oracle,report=1000000]"
            )
            .parse()
            .expect("a policy"),
            cluster: cluster.clone(),
            placement: Default::default(),
            options: SimOptions::default(),
            history: None,
            outages: Default::default(),
        };
        let workload = Workload {
            jobs: vec![job],
            applications: vec![Arc::clone(&application)],
            ..Workload::default()
        };
        let mut run = spec.start(Arc::new(workload));
        run.run().expect("a possible plan");
        let log = run.log();
        let times: Vec<f64> = (0..log.rounds()).map(|i| log.round(i).time.0).collect();
        let expected: Vec<f64> = (0..rounds).map(|i| f64::from(i) * interval).collect();
        assert_eq!(times, expected, "every {interval} s");
    }
}
