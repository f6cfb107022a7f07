//! Rounds come at every multiple of their length, whatever its binary fraction.

mod jobs;

use jobs::{application, training};
use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::cluster::ClusterSpec;
use switchyard::job::Job;
use switchyard::workload::Workload;

/// One job, for five and a half intervals. With floor(now ÷ interval) · interval == now, which is no
/// way to ask, one interval in eight loses a round by then, and seven in ten sooner or later.
#[test]
fn pollux_has_every_round_of_every_interval() {
    // One epoch on at most one GPU.
    let application = Arc::new(application([16; 4], 1000, &[100]));
    let cluster = ClusterSpec::uniform(2, 1).expect("a cluster");
    let rounds = 6;
    for tenths in 10..=20_000 {
        let interval = f64::from(tenths) / 10.0;
        let duration = (f64::from(rounds) - 0.5) * interval;
        let scale = duration / application.training_time(&[1], 16);
        let job = Job {
            work: training(16, scale, duration),
            ..Job::plain(0.0, 1, duration)
        };
        let spec = RunSpec::new(
            format!(
                "pollux[interval={interval},population=2,generations=2,fit=oracle,report=1000000]"
            )
            .parse()
            .expect("a policy"),
            cluster.clone(),
        );
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
