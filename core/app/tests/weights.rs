//! Weights of one's own for a picker: what is taken, what is refused and why, and what a run makes of them.

use std::sync::Arc;
use switchyard::RunSpecError;
use switchyard::engine::SimOptions;
use switchyard::policies::Picker;
use switchyard::weights::{NetworkError, Weights, WeightsChoice};
use switchyard::workload::Sample;
use switchyard_app::study::{Request, Study, StudyError};

const LAYERS: [(usize, usize); 4] = [(8, 32), (32, 16), (16, 8), (8, 1)];

/// A file of a network all of whose parameters are 0 but the last layer's bias, with this metadata.
fn file(said: &str, bias: f32) -> Vec<u8> {
    let (mut header, mut data) = (vec![format!(r#""__metadata__":{{{said}}}"#)], Vec::new());
    for (at, (inputs, outputs)) in LAYERS.into_iter().enumerate() {
        for (name, shape, count) in [
            ("weight", format!("{outputs},{inputs}"), inputs * outputs),
            ("bias", outputs.to_string(), outputs),
        ] {
            let from = data.len();
            let value = if (at, name) == (3, "bias") { bias } else { 0.0 };
            data.extend((0..count).flat_map(|_| value.to_le_bytes()));
            header.push(format!(
                r#""{at}.{name}":{{"dtype":"F32","shape":[{shape}],"data_offsets":[{from},{}]}}"#,
                data.len()
            ));
        }
    }
    let header = format!("{{{}}}", header.join(","));
    let length = (header.len() as u64).to_le_bytes();
    [&length[..], header.as_bytes(), &data].concat()
}

fn refused(from: &str, to: &str) -> String {
    let file = file("", 0.0);
    let at = file
        .windows(from.len())
        .position(|at| at == from.as_bytes());
    let mut file = file;
    let at = at.expect("it is there");
    file[at..at + to.len()].copy_from_slice(to.as_bytes());
    let added = Weights::default().add_own(&file);
    added.expect_err("it is another").to_string()
}

#[test]
fn a_file_says_which_picker_it_is_of() {
    for (said, policy) in [
        ("", "rl-picker"),
        (r#""picker":"lublin""#, "rl-picker"),
        (r#""picker":"gpu""#, "rl-picker[weights=gpu]"),
    ] {
        let mut weights = Weights::default();
        let own = weights.add_own(&file(said, 0.0)).expect("weights");
        let goes = weights.policy(own).map(|policy| policy.to_string());
        assert_eq!(goes.as_deref(), Some(policy));
    }
    let other = Weights::default().add_own(&file(r#""picker":"best""#, 0.0));
    let other = other.expect_err("there is no such picker");
    assert!(matches!(other, NetworkError::TrainedFor { .. }), "{other}");
    assert!(other.to_string().contains("picker 'best'"), "{other}");
}

#[test]
fn what_is_no_picker_is_told_why() {
    for (from, to, why) in [
        ("2.weight", "4.weight", "'2.weight' is missing"),
        ("0.bias", "0.bios", "'0.bias' is missing"),
        (
            "[32,8]",
            "[8,32]",
            "'0.weight' is [8, 32], and has to be [32, 8]",
        ),
        ("F32", "I32", "holds I32, and has to hold F32"),
    ] {
        let error = refused(from, to);
        assert!(error.contains(why), "{error}");
    }
    // As PyTorch names them where nobody renames them.
    let text = br#"{"score.0.weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
    let length = (text.len() as u64).to_le_bytes();
    let other = [&length[..], text, &[0; 4]].concat();
    let error = Weights::default().add_own(&other).expect_err("no network");
    let error = error.to_string();
    assert!(
        error.contains("its tensors are score.0.weight: a picker's are '0.weight'"),
        "{error}"
    );
    let error = Weights::default()
        .add_own(&file("", f32::NAN))
        .expect_err("NaN");
    assert_eq!(error, NetworkError::NotFinite("3.bias".to_owned()));
}

/// The runs of two policies on a sample, with these weights: their logs' fingerprints.
fn runs(weights: Option<&[u8]>) -> Result<Vec<u64>, StudyError> {
    let mut request = Request::default();
    request.policies(&["rl-picker", "fifo"])?;
    if let Some(file) = weights {
        request.own_weights(file)?;
    }
    let study = Study::of_sample("lab", &Default::default(), &Default::default(), None)?;
    let prepared = study.ask(request)?.prepare()?;
    let hashes = prepared.runs.iter().map(|run| {
        let started = run.start_with(Arc::clone(&prepared.workload), &prepared.weights);
        let mut run = started.expect("at hand");
        while run.step().expect("a possible plan") {}
        run.into_log().hash()
    });
    Ok(hashes.collect())
}

#[test]
fn a_run_goes_by_ones_own() {
    let shipped = runs(None).expect("runs");
    // All scores alike: the first of those that are seen, which is another order.
    let alike = runs(Some(&file("", 0.0))).expect("runs");
    assert_ne!(shipped[0], alike[0]);
    assert_eq!(shipped[1], alike[1]);
    let own = include_bytes!("../../policies/src/picking/rl_picker.safetensors");
    assert_eq!(runs(Some(own)).expect("runs"), shipped);
}

#[test]
fn weights_that_nobody_goes_by_are_refused() {
    let error = runs(Some(&file(r#""picker":"gpu""#, 0.0))).expect_err("it is not asked for");
    let error = error.to_string();
    assert!(
        error.contains("they are those of rl-picker[weights=gpu]"),
        "{error}"
    );
}

#[test]
fn weights_that_are_not_at_hand_are_asked_for() {
    let sample = Sample::named("lab").expect("a sample");
    let run = switchyard::RunSpec {
        options: SimOptions {
            weights: "0123456789abcdef".parse().expect("a choice"),
            ..SimOptions::default()
        },
        ..switchyard::RunSpec::new(
            "rl-picker".parse().expect("a policy"),
            sample.cluster_spec(),
        )
    };
    assert_eq!(run.picker(), Some(Picker::Lublin));
    let missing = run.weigh(&Weights::default()).expect_err("not at hand");
    assert!(matches!(missing, RunSpecError::MissingWeights { .. }));
    assert!(
        missing.to_string().contains("0123456789abcdef"),
        "{missing}"
    );
    let mut shipped = run;
    shipped.options.weights = WeightsChoice::Shipped;
    assert!(shipped.weigh(&Weights::default()).is_ok());
}
