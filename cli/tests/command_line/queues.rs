//! `run` by queue: figures of a tree, who is preempted by whom, and two trees side by side.

use super::{failure, json, printed, temporary};

/// Vision's jobs take all eight GPUs; speech comes at 10 s and takes three of its own back.
fn teams() -> String {
    let file = temporary("teams.csv");
    let mut rows = "job_id,submit_time,duration,num_gpus,tenant\n".to_owned();
    for at in 0..8 {
        rows.push_str(&format!("v{at},0,1000,1,vision\n"));
    }
    rows.push_str("s,10,100,3,speech\n");
    std::fs::write(&file, rows).expect("a folder");
    file
}

const TREE: &str =
    "lab;vision,parent=lab,gpus=4,reclaims=any;speech,parent=lab,gpus=4,reclaims=any";
const LENDS_NOTHING: &str = "lab;vision,parent=lab,gpus=4;speech,parent=lab,gpus=4,lend=0";

#[test]
fn figures_by_queue_are_printed_and_written() {
    let file = teams();
    let asked = [
        "run",
        &file,
        "--cluster",
        "1x8",
        "--policy",
        "kueue",
        "--queues",
        TREE,
    ];
    let asked = [&asked[..], &["--by", "queue"]].concat();
    let text = printed(&asked);
    let row = |name: &str| {
        let line = text.lines().find(|line| line.trim().starts_with(name));
        let line = line.unwrap_or_else(|| panic!("{name} is not in {text}"));
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(row("vision")[..3], ["vision", "4", "8"]);
    assert_eq!(row("speech")[row("speech").len() - 2..], ["0", "3"]);
    assert!(text.contains("  vision for speech: 3 times\n"), "{text}");
    let results = json(&[&asked[..], &["--json", "-"]].concat());
    let run = &results["runs"][0];
    assert_eq!(run["queues"], TREE);
    let queues = run["by_queue"]["queues"].as_array().unwrap();
    let names: Vec<&str> = queues
        .iter()
        .map(|of| of["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["lab", "vision", "speech", "others"]);
    let borrowed = queues[1]["borrowed_gpu_hours"].as_f64().unwrap();
    assert!((borrowed - 3700.0 / 3600.0).abs() < 1e-9, "{borrowed}");
    assert_eq!(queues[2]["lent_gpu_hours"], queues[1]["borrowed_gpu_hours"]);
    assert_eq!(queues[2]["preempts"], 3);
    let series = &run["by_queue"]["over_time"]["queues"][1]["used"];
    assert_eq!(series.as_array().unwrap().len(), 100);
    let csv = printed(&[&asked[..], &["--by-csv", "-"]].concat());
    let head = "policy,queue,parent,jobs,finished,preempted,preempts,quota,";
    assert!(csv.starts_with(head) && csv.lines().count() == 5, "{csv}");
}

#[test]
fn two_trees_run_side_by_side() {
    let file = teams();
    let asked = ["run", &file, "--cluster", "1x8", "--policy", "kueue"];
    let asked = [&asked[..], &["--queues", LENDS_NOTHING, "--queues", TREE]].concat();
    let results = json(&[&asked[..], &["--json", "-"]].concat());
    let labels: Vec<&str> = (results["runs"].as_array().unwrap().iter())
        .map(|run| run["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["kueue with queues 1", "kueue with queues 2"]);
    let apart = &results["queues_apart"][0];
    assert_eq!(apart["second"], "kueue with queues 2");
    let vision = &apart["queues"][0];
    assert_eq!(
        (&vision["name"], &vision["jobs"]),
        (&"vision".into(), &8.into())
    );
    // Four wait until the first four end, or three for speech's job.
    assert_eq!(vision["wait_mean"], serde_json::json!([500.0, 37.5]));
    let text = printed(&asked);
    assert!(
        text.contains("kueue with queues 2 beside kueue with queues 1, by queue"),
        "{text}"
    );
    let row = text.lines().rev().find(|line| line.starts_with("vision"));
    assert!(
        row.is_some_and(|row| row.ends_with("wins 7.71 min")),
        "{text}"
    );
}

#[test]
fn a_word_that_jobs_are_not_told_apart_by_is_refused() {
    let said = failure(2, &["run", "sample:lab", "--by", "queues"]);
    assert!(said.contains("did you mean 'queue'"), "{said}");
}
