//! Cases of Kueue's own tests, converted to data (`bench/queues/convert_kueue.py`), decided as there.

use serde_json::{Value, json};
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

/// A queue `a` that wants what `b` has borrowed, described in several ways.
fn got(base: Value, case: Value) -> Value {
    let mut case = case;
    case["name"] = json!("one");
    if case["incoming"].is_null() {
        case["incoming"] = json!({"name": "a2", "cpu": "1"});
    }
    case["target"] = json!("a");
    let file = json!({"base": base, "cases": [case]});
    cases::run(&file).expect("a case")["cases"][0]["got"].clone()
}

#[test]
fn queues_are_described_in_several_ways() {
    let rules = json!({"reclaimWithinCohort": "Any"});
    let base = json!({"cohort": "all", "cqs": {"a": 1, "b": "1"}, "preemption": rules});
    let admitted =
        json!([{"name": "b1", "cq": "b", "cpu": "1"}, {"name": "b2", "cq": "b", "cpu": 1}]);
    let reclaims = json!([["b1", "InCohortReclamationReason"]]);
    assert_eq!(got(base.clone(), json!({"admitted": admitted})), reclaims);
    let ways = [
        json!({"a": {"cohort": "all", "cpu": 1}, "b": {"cohort": "all", "resources": {"cpu": "1000m"}}}),
        json!([{"name": "a", "quota": 1}, {"name": "b", "nominalQuota": 1}]),
        json!({"a": {"flavors": {"default": {"cpu": {"nominal": 1}}}}, "b": {"nominal": "1"}}),
        // A queue and its cohort may have one name.
        json!({"a": {"cohort": "a", "nominal": 1}, "b": {"cohort": "a", "nominal": 1}}),
    ];
    for way in ways {
        let case = json!({"admitted": admitted, "cqs": way});
        assert_eq!(got(base.clone(), case), reclaims, "{way}");
    }
    // Nothing that is lent, nothing to take back.
    let own = json!([{"name": "b1", "cq": "b", "cpu": "1"}]);
    for limits in [
        json!({"borrowingLimit": 0}),
        json!({"lendingLimits": {"b": 0, "a": 0}}),
    ] {
        let mut case = limits;
        case["admitted"] = own.clone();
        case["incoming"] = json!({"name": "a2", "cpu": "2"});
        assert_eq!(got(base.clone(), case), json!([]));
    }
    // Two borrow, and the one with the smaller weight gives.
    let weights = json!({
        "cqs": {"a": 2, "b": 0, "c": 0},
        "weights": {"c": 0.5, "b": 2},
        "admitted": [{"name": "b1", "cq": "b", "cpu": 1}, {"name": "c1", "cq": "c", "cpu": 1}],
    });
    assert_eq!(
        got(base, weights),
        json!([["c1", "InCohortReclamationReason"]])
    );
}

#[test]
fn what_is_no_case_says_where_and_why() {
    let refused = |file: Value| cases::run(&file).expect_err("no case").to_string();
    assert!(refused(json!([])).contains("no list 'cases'"));
    let of = |mut case: Value| {
        case["name"] = json!("one");
        refused(json!({"base": {"cqs": {"a": 1}}, "cases": [case]}))
    };
    assert_eq!(of(json!({})), "case 'one': it has no 'incoming'");
    let wrong = of(json!({"incoming": {"name": "x", "cpu": "lots"}, "target": "a"}));
    assert_eq!(
        wrong,
        "case 'one': workload 'x': 'cpu' is no quantity: \"lots\""
    );
    let wrong = of(json!({"incoming": {"name": "x", "cpu": 1}, "target": "b"}));
    assert!(wrong.contains("there is no queue 'b'"), "{wrong}");
    let wrong = of(json!({"cqs": {"a": {"nominal": -1}}}));
    assert!(
        wrong.contains("queue 'a': nominal is no quantity: -1"),
        "{wrong}"
    );
    let around = json!({"cqs": {"a": 1}, "cohort": "x", "cohorts": {"x": "y", "y": "x"}});
    assert!(of(around).contains("lies below itself"));
    let wrong = of(json!({"preemption": {"reclaimWithinCohort": "Sometimes"}}));
    assert!(
        wrong.contains("reclaimWithinCohort is 'Sometimes'"),
        "{wrong}"
    );
    let strategies = json!(["Largest"]);
    let wrong = of(json!({"incoming": {"cpu": 1}, "target": "a", "strategies": strategies}));
    assert!(wrong.contains("there is no strategy"), "{wrong}");
}
