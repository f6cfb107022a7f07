//! Cases of Kueue's own tests, converted to data (`bench/queues/convert_kueue.py`), decided as there.

use serde_json::Value;
use std::fs;
use std::path::Path;
use switchyard_queues::kueue::cases;
use switchyard_queues::kueue::share::Share;

fn file(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(name);
    let text = fs::read_to_string(&path).expect("there is the file");
    serde_json::from_str(&text).expect("JSON")
}

/// Whether a result is what is wanted. The tables tell no reason for a victim that was evicted before: null.
fn is_equal(wanted: &Value, got: &Value) -> bool {
    let pair = |value: &Value| Some((value.get(0)?.as_str()?.to_owned(), value.get(1)?.clone()));
    let pairs = |value: &Value| {
        value
            .as_array()?
            .iter()
            .map(pair)
            .collect::<Option<Vec<_>>>()
    };
    match (pairs(wanted), pairs(got)) {
        (Some(wanted), Some(got)) => {
            let same = |(a, b): (&(String, Value), &(String, Value))| {
                a.0 == b.0 && (a.1.is_null() || a.1 == b.1)
            };
            wanted.len() == got.len() && wanted.iter().zip(&got).all(same)
        }
        _ => wanted == got,
    }
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
        .filter(|(wanted, got)| !is_equal(&wanted["want"], &got["got"]))
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

#[test]
fn dominant_resource_shares() {
    all_equal("kueue-shares.json", 16);
}

#[test]
fn what_a_queue_borrows_of_what_is_asked_for() {
    all_equal("kueue-borrowing.json", 5);
}

#[test]
fn shares_by_weight() {
    let file = file("kueue-weighted.json");
    let cases = file["cases"].as_array().expect("a list");
    assert_eq!(cases.len(), 4);
    for case in cases {
        let number = |name: &str| case[name].as_f64().expect("a number");
        let share = Share {
            weight: number("weight"),
            ratio: number("ratio"),
            dominant: None,
            borrows: true,
        };
        let got = share.weighted().to_string().replace("inf", "+Inf");
        assert_eq!(case["want"], got, "{}", case["name"]);
    }
}

#[test]
fn victims_by_fair_sharing() {
    all_equal("kueue-fair.json", 35);
    all_equal("kueue-fair-infinite.json", 2);
}

#[test]
fn victims_in_trees_without_fair_sharing() {
    all_equal("kueue-hierarchical.json", 15);
}

#[test]
fn victims_without_fair_sharing() {
    all_equal("kueue-classical.json", 36);
}

#[test]
fn scheduling_cycles() {
    all_equal("kueue-cycles.json", 22);
}
