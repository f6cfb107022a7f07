//! When would a job start, on real traces: of the jobs that wait in the second half of a stretch nine of ten start within
//! the interval that they are told at their submission.
//!
//! The traces are not in this repository: `SWITCHYARD_TRACES` names the folder in which they lie. Whole traces are
//! asked about by `switchyard paper start`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use switchyard::RunSpec;
use switchyard::trace::{Choices, OpenOptions, SourceFile, Window, open};
use switchyard::weights::Weights;
use switchyard::workload::Workload;
use switchyard_app::start::{Answer, Asked, Asking, Calibration, Draw, HeldOut, Inquiry};
use switchyard_app::study::Study;

const DAY: f64 = 86_400.0;

fn jobs(file: &str, days: f64) -> Workload {
    let folder = std::env::var_os("SWITCHYARD_TRACES");
    let folder = PathBuf::from(folder.expect("SWITCHYARD_TRACES names the folder of traces"));
    let bytes = std::fs::read(folder.join(file)).expect("it is in the folder");
    let options = OpenOptions::default();
    let name = file.rsplit('/').next().expect("a name");
    let opened = open(
        &[SourceFile {
            name,
            bytes: &bytes,
        }],
        &options,
    );
    let Ok(opened) = opened else {
        panic!("{file} is a trace");
    };
    let choices = Choices {
        window: Some(Window {
            from: 0.0,
            to: days * DAY,
        }),
        ..Choices::default()
    };
    let study = Study::of(opened, name, &options, &choices, None);
    study.expect("there are jobs").workload
}

fn asked(
    jobs: &Workload,
    policy: &str,
    cluster: &str,
    questions: usize,
    draws: u32,
) -> Calibration {
    let spec = RunSpec::new(
        policy.parse().expect("a policy"),
        cluster.parse().expect("a cluster"),
    );
    let mut run = spec.start(Arc::new(jobs.clone()));
    run.run().expect("it runs");
    let held_out = HeldOut::of(jobs, run.log(), 0.5, questions, spec.options.seed);
    let askings = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for part in 0..2 {
            let (held_out, askings, spec) = (&held_out, &askings, &spec);
            scope.spawn(move || {
                for &question in held_out.questions.iter().skip(part).step_by(2) {
                    let asked = Asked {
                        job: Some(question.0),
                        ..Asked::default()
                    };
                    let at = jobs.jobs[question.0.index()].submit.seconds();
                    let inquiry = Inquiry::new(spec, jobs, &Weights::default(), &asked, at);
                    let inquiry = inquiry.expect("it can be asked");
                    let drawn = (0..draws)
                        .map(|number| inquiry.draw(number, spec.options.seed).expect("it goes on"));
                    let drawn: Vec<Draw> = drawn.collect();
                    let told = Answer::of(inquiry.moment(), &drawn);
                    let plain = inquiry.plain().expect("it goes on").start;
                    let asking = Asking::of(jobs, question, &told, plain);
                    askings.lock().expect("nobody panicked").push(asking);
                }
            });
        }
    });
    let askings = askings.into_inner().expect("nobody panicked");
    Calibration::of(&held_out, &askings)
}

/// Stretches of about 20,000 jobs each, on clusters on which about half wait; the questions of `docs/start.md`. Half an hour.
#[test]
#[ignore = "slow, and needs SWITCHYARD_TRACES"]
fn nine_of_ten_start_within_the_interval_by_name() {
    for (file, days, cluster) in [
        ("philly-pollux/philly.csv", 36.0, "96x8"),
        ("ms-itp/raw-traces.tar.gz", 18.0, "140x8"),
        ("helios-venus/helios_trace.csv", 43.0, "72x8"),
    ] {
        let of = asked(&jobs(file, days), "fifo", cluster, 100, 60);
        assert!((0.85..=0.95).contains(&of.covered), "{file}: {of:#?}");
        assert!(of.error < of.plain_error, "{file}: {of:#?}");
    }
}
