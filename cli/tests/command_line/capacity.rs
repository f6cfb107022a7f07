//! `switchyard capacity`: how many nodes it takes.

use super::{failure, json, printed};
use serde_json::Value;

const ASKED: [&str; 8] = [
    "capacity",
    "sample:lab",
    "--cluster",
    "4x4",
    "--metric",
    "wait-p95",
    "--at-most",
    "1h",
];

fn asked<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&ASKED[..], more].concat()
}

/// The wait of the command `run` on so many nodes.
fn wait(nodes: u64, policy: &str) -> f64 {
    let cluster = format!("{nodes}x4");
    let arguments = [
        "run",
        "sample:lab",
        "--cluster",
        &cluster,
        "--policy",
        policy,
        "--json",
        "-",
    ];
    json(&arguments)["runs"][0]["queueing"]["p95"]
        .as_f64()
        .expect("a number")
}

#[test]
fn the_fewest_nodes_are_those_of_runs_one_by_one() {
    let told = json(&asked(&[
        "--policy", "fifo", "--policy", "srtf", "--json", "-",
    ]));
    for (answer, policy) in told
        .as_array()
        .expect("a list")
        .iter()
        .zip(["fifo", "srtf"])
    {
        assert_eq!(answer["policy"], policy);
        assert_eq!(
            (&answer["metric"], &answer["bound"]),
            (&"queueing_p95".into(), &3600.0.into())
        );
        let nodes = answer["nodes"].as_u64().expect("it is found");
        assert!(
            wait(nodes, policy) <= 3600.0 && wait(nodes - 1, policy) > 3600.0,
            "{answer}"
        );
        for point in answer["points"].as_array().expect("a list") {
            let tried = point["nodes"].as_u64().expect("a number");
            assert_eq!(
                point["value"].as_f64(),
                Some(wait(tried, policy)),
                "{tried} nodes"
            );
            let is_within = point["value"].as_f64() <= Some(3600.0);
            assert_eq!(
                point["holds"],
                Value::Bool(is_within && point["left_behind"] == 0)
            );
        }
    }
    let text = printed(&asked(&["--policy", "fifo"]));
    let nodes = &told[0]["nodes"];
    assert!(
        text.starts_with(&format!(
            "fifo: {nodes} nodes for p95 queueing delay of at most 60 min: it is "
        )),
        "{text}"
    );
    assert!(text.contains("within the bound"), "{text}");
}

#[test]
fn where_the_largest_is_not_enough_it_is_said() {
    let told = json(&asked(&["--policy", "fifo", "--most", "8", "--json", "-"]));
    assert!(told[0]["nodes"].is_null(), "{told}");
    let sentence = told[0]["sentence"].as_str().expect("a sentence");
    assert!(
        sentence.starts_with(
            "even 8 nodes are not enough for p95 queueing delay of at most 60 min: it is "
        ),
        "{sentence}"
    );
    // Gangs that no cluster of the range has room for.
    let why = failure(3, &asked(&["--policy", "fifo", "--most", "1"]));
    assert!(why.contains("left behind"), "{why}");
}

#[test]
fn what_cannot_be_asked_is_said() {
    let why = |more: &[&str]| failure(2, &[&["capacity", "sample:lab"], more].concat());
    let metric = why(&["--metric", "wait-p59", "--at-most", "1h"]);
    assert!(
        metric.contains("--metric: there is no metric 'wait-p59' (did you mean 'p95_wait'?): use"),
        "{metric}"
    );
    let bound = why(&["--metric", "wait-p95", "--at-most", "soon"]);
    assert!(
        bound.contains("--at-most: p95 queueing delay cannot be bounded by 'soon': give a time"),
        "{bound}"
    );
    assert!(why(&["--metric", "wait-p95"]).contains("--at-most"));
    let both = [
        "--metric",
        "wait-p95",
        "--at-most",
        "1h",
        "--at-least",
        "1h",
    ];
    assert!(why(&both).contains("cannot be used with"));
    let most = [
        "--metric",
        "jct-mean",
        "--at-most",
        "1h",
        "--cluster",
        "2x4+2x8",
        "--most",
        "1",
    ];
    assert!(why(&most).contains("--most is 1: 2x4+2x8 has 2 groups of nodes"));
}
