//! Golden runs of scripts: what Rhai and the mathematics given to it do must be the same natively and in
//! wasm, bit for bit.

use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::policies::script::{EXAMPLES, Script};
use switchyard::workload::Sample;

/// Every function of numbers in one key.
const MATHEMATICS: &str = r#"
const EVERY = 300;
fn terms(x) { sqrt(x) + cbrt(x) + exp(-x) + ln(1.0 + x) + log2(2 + x) + log10(3 + x) + x ** 0.3 + pow(x, 1.7) }
fn waves(x) { sin(x) + cos(x) + tan(x) + atan(x) + tanh(x) + sinh(1.0 / (1.0 + x)) + acos(1.0 / (2.0 + x)) }
fn key(job, now) {
    let x = (job.attained + job.gpus * 17.3) / 3600.0;
    let drawn = random() / 1e3;
    terms(x) + waves(x) + drawn + `${x}`.len() + parse_float(`${x / 3.0}`) % 0.7 + job.name.len()
}
"#;

/// The lines of `golden/hashes.txt` of scripts, computed here and now.
///
/// # Panics
///
/// If one has a mistake.
pub fn lines() -> Vec<String> {
    let examples = EXAMPLES.iter().map(|example| (example.name, example.text));
    let all = examples.chain([("mathematics", MATHEMATICS)]);
    let lines = all.map(|(name, text)| {
        let sample = Sample::named("convoy").expect("a challenge");
        let spec = RunSpec {
            outages: "1:9000..20000".parse().expect("outages"),
            ..RunSpec::new(
                Script::spec(text, name).expect("no mistake"),
                sample.cluster_spec(),
            )
        };
        let mut run = spec.start(Arc::new(sample.workload()));
        run.run().unwrap_or_else(|error| panic!("{name}: {error}"));
        format!("scripts {name} {:016x}", run.log().hash())
    });
    lines.collect()
}
