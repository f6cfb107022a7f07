//! What is asked goes before what a file says, that before the defaults; and what cannot be run is
//! refused before anything begins.

use switchyard::trace::{Choices, OpenOptions, SourceFile, open};
use switchyard::{RunSpecError, Setting};
use switchyard_app::described;
use switchyard_app::study::{Origin, Request, Study, StudyError, StudyRequest};

/// An experiment of two jobs on 2 nodes of 4, with two policies of its own and seed 7.
const FILE: &[u8] = include_bytes!("../../../tests/fixtures/experiment.csv");

fn study(bytes: &[u8]) -> Result<Study, StudyError> {
    let options = OpenOptions::default();
    let file = SourceFile {
        name: "e.csv",
        bytes,
    };
    let opened = open(&[file], &options).expect("sound");
    Study::of(opened, "e.csv", &options, &Choices::default(), None)
}

fn asked(
    of: impl FnOnce(&mut Request) -> Result<(), StudyError>,
) -> Result<StudyRequest, StudyError> {
    let mut request = Request::default();
    of(&mut request)?;
    study(FILE)?.ask(request)
}

#[test]
fn a_request_goes_before_the_file_and_that_before_defaults() {
    let plain = asked(|_| Ok(()))
        .and_then(StudyRequest::prepare)
        .expect("sound");
    let policies = |of: &switchyard_app::study::Prepared| -> Vec<String> {
        of.runs.iter().map(|run| run.policy.to_string()).collect()
    };
    assert_eq!(
        policies(&plain),
        ["fifo", "tiresias-las[queues=2,thresholds=3600]"]
    );
    assert_eq!(plain.runs[0].options.seed, 7);
    assert_eq!(
        (plain.cluster.to_string(), plain.origin),
        ("2x4".to_owned(), Origin::Trace)
    );
    let other = asked(|request| {
        request.policies(&["srtf"])?;
        request.preset("reference-nsdi19")?;
        request.set(Setting::named("seed").expect("there is one"), "9".into())
    });
    let other = other.and_then(StudyRequest::prepare).expect("sound");
    assert_eq!(policies(&other), ["srtf"]);
    assert_eq!(other.runs[0].options.seed, 9);
    // The preset's, which the file has at 30.
    assert_eq!(other.runs[0].options.restart_cost, 0.0);
    let results = other.results(Vec::new());
    assert_eq!(results.preset.as_deref(), Some("reference-nsdi19"));
    assert_eq!(results.trace.jobs, 2);
}

#[test]
fn what_cannot_run_is_refused() {
    let learning = asked(|request| request.policies(&["tiresias-gittins[history=last-year]"]));
    let learning = learning.expect("a policy");
    let name = learning.unlearned().map(ToString::to_string);
    assert_eq!(name.as_deref(), Some("tiresias-gittins[history=last-year]"));
    let refused = learning.prepare().expect_err("no history");
    assert!(matches!(
        refused,
        StudyError::Run(RunSpecError::MissingHistory { .. })
    ));
    let refused = asked(|request| {
        let cost = Setting::named("restart_cost").expect("there is one");
        request.set(cost, "-1".into())
    });
    assert_eq!(
        refused.expect_err("negative").to_string(),
        "restart_cost is '-1': it takes a number from 0 to 1000000000 (s)"
    );
    let cluster = include_bytes!("../../../tests/fixtures/tiresias_cluster.csv");
    let refused = study(cluster).expect_err("no jobs").to_string();
    assert_eq!(
        refused,
        "e.csv describes a cluster (30x4) and no jobs: name a trace as well"
    );
}

#[test]
fn everything_that_can_be_chosen_is_described() {
    let policies = described::policies();
    let las = policies.iter().find(|policy| policy.name == "tiresias-las");
    let queues = &las.expect("there is one").params[0];
    assert_eq!((queues.name, queues.default), ("queues", "3"));
    assert!(policies.iter().any(|policy| policy.oracle));
    let settings = described::settings();
    assert!(
        settings
            .iter()
            .any(|of| of.key == "seed" && of.default == "0")
    );
    let samples = described::samples();
    assert!(
        samples
            .iter()
            .any(|of| of.name == "lab" && of.cluster == "8x4")
    );
}
