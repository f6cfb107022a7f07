//! Cases of Kueue's own tests, converted to data (`bench/queues/convert_kueue.py`), decided as there.

use serde_json::Value;
use std::fs;
use std::path::Path;
use switchyard_queues::kueue::cases;

fn file(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(name);
    let text = fs::read_to_string(&path).expect("there is the file");
    serde_json::from_str(&text).expect("JSON")
}

/// Decides all cases of a file, and compares them.
#[track_caller]
fn all_equal(name: &str, count: usize) {
    let file = file(name);
    let got = cases::run(&file).expect("cases");
    let got = got["cases"].as_array().expect("a list");
    let wanted = file["cases"].as_array().expect("a list");
    assert_eq!(wanted.len(), count, "{name}");
    let pairs = wanted.iter().zip(got);
    let differ: Vec<String> = pairs
        .filter(|(wanted, got)| wanted["want"] != got["got"])
        .map(|(wanted, got)| {
            format!(
                "{}: got {}, not {}",
                wanted["name"], got["got"], wanted["want"]
            )
        })
        .collect();
    assert!(
        differ.is_empty(),
        "{} of {count} differ:\n{}",
        differ.len(),
        differ.join("\n")
    );
}

#[test]
fn victims_by_fair_sharing_of_the_base_queues() {
    all_equal("kueue-fair-base.json", 19);
}
