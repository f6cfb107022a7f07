//! `run`: what results hold.

use super::{failure, json, own_application, printed, switchyard, temporary};
use serde_json::Value;

#[test]
fn a_run_as_json_has_the_agreed_shape() {
    let results = json(&[
        "run",
        "tiresias.csv",
        "--cluster",
        "2x4",
        "--policy",
        "tiresias-las[queues=2,threshold=57600]",
        "--policy",
        "fifo",
        "--seed",
        "1",
        "--per-job",
        "--json",
        "-",
    ]);
    assert_eq!(results["trace"]["format"], "tiresias");
    assert_eq!(results["trace"]["jobs"], 3);
    assert_eq!(
        results["cluster"],
        serde_json::json!({"spec": "2x4", "nodes": 2, "gpus": 8, "unit": "gpus"})
    );
    let run = &results["runs"][0];
    assert_eq!(run["policy"], "tiresias-las[queues=2,thresholds=57600]");
    assert_eq!(
        (&run["seed"], &run["finished"]),
        (&Value::from(1), &Value::from(3))
    );
    for key in ["mean", "median", "p90", "p95", "p99", "max"] {
        assert!(run["jct"][key].as_f64().unwrap() > 0.0, "{key}");
    }
    for key in ["makespan", "gpu_allocation", "wall_ms"] {
        assert!(run[key].as_f64().unwrap() > 0.0, "{key}");
    }
    assert!(run["fairness"]["rho_mean"].is_f64() && run["fairness"]["rho_p99"].is_f64());
    assert_eq!(run["log_hash"].as_str().unwrap().len(), 16);
    assert_eq!(run["per_job"].as_object().unwrap().len(), 3);
    assert_eq!(results["runs"][1]["policy"], "fifo");
}

#[test]
fn a_guessed_cluster_is_told_with_its_reason_and_its_neighbours() {
    let file = temporary("long.csv");
    let rows = (0..200).map(|i| format!("j{i},{},8640,4\n", 432 * i));
    let rows: String = rows.collect();
    let header = "job_id,submit_time,duration,num_gpus\nlong,0,1728000,1\n";
    std::fs::write(&file, format!("{header}{rows}")).unwrap();
    let text = printed(&["run", &file, "--policy", "fifo"]);
    assert!(
        text.contains(
            "on 28x4: 112 GPUs (guessed: 1.1 × the mean demand while jobs came, 100.5 GPUs; \
             beside it --cluster 19x4 or --cluster 42x4)"
        ),
        "{text}"
    );
}

#[test]
fn the_same_run_twice_has_the_same_fingerprint() {
    let hash = || {
        json(&["run", "sample:lab", "--policy", "srsf", "--json", "-"])["runs"][0]["log_hash"]
            .clone()
    };
    assert_eq!(hash(), hash());
}

#[test]
fn a_companion_or_a_file_gives_the_cluster() {
    let beside = json(&[
        "run",
        "tiresias.csv",
        "tiresias_cluster.csv",
        "--policy",
        "fifo",
        "--json",
        "-",
    ]);
    let named = json(&[
        "run",
        "tiresias.csv",
        "--cluster",
        "tiresias_cluster.csv",
        "--policy",
        "fifo",
        "--json",
        "-",
    ]);
    assert_eq!(beside["cluster"], named["cluster"]);
}

#[test]
fn jobs_larger_than_the_cluster_are_counted() {
    let results = json(&[
        "run",
        "tiresias.csv",
        "--cluster",
        "1x4",
        "--policy",
        "fifo",
        "--json",
        "-",
    ]);
    let run = &results["runs"][0];
    assert_eq!(
        (&run["rejected"], &run["finished"]),
        (&Value::from(1), &Value::from(2))
    );
}

#[test]
fn jobs_of_one_name_keep_an_entry_each() {
    let file = temporary("twins.csv");
    let text = "job,submit,duration,gpus\na,0,10,1\na,0,20,1\na,0,30,1\n";
    std::fs::write(&file, format!("#switchyard 1\n{text}")).expect("the folder is there");
    let results = json(&[
        "run",
        &file,
        "--cluster",
        "1x4",
        "--policy",
        "fifo",
        "--per-job",
        "--json",
        "-",
    ]);
    assert_eq!(
        results["runs"][0]["per_job"],
        serde_json::json!({"a": 10.0, "a#2": 20.0, "a#3": 30.0})
    );
    std::fs::remove_file(&file).expect("it was written");
}

#[test]
fn results_name_every_setting() {
    let (application, rule) = own_application("named");
    let file = temporary("named.csv");
    let text = "When,How long,Cards,Who\n0,1,4,a\n60,2,1,b\n120,3,2,a\n";
    std::fs::write(&file, text).expect("the folder is there");
    let map = "submit=When,duration=How long,gpus=Cards,tenant=Who,unit=min";
    let results = json(&[
        "run",
        &file,
        "--map",
        map,
        "--window",
        "0..3h",
        "--tenant",
        "a",
        "--oversized",
        "drop",
        "--cluster",
        "2x4+1x2",
        "--policy",
        "fifo",
        "--placement",
        "spread",
        "--restart-by-model",
        "--spread-slowdown",
        "k80",
        "--interference",
        "0.25",
        "--application",
        &application,
        "--binding",
        &rule,
        "--binding-seed",
        "4",
        "--preset",
        "reference-osdi21",
        "--seed",
        "8",
        "--json",
        "-",
    ]);
    assert_eq!(results["preset"], "reference-osdi21");
    assert_eq!(results["cluster"]["spec"], "2x4+1x2");
    let trace = &results["trace"];
    assert_eq!(trace["columns"], map);
    let choice = serde_json::json!(["window=0..10800", "tenant=a", "oversized=drop"]);
    assert_eq!(trace["choice"], choice);
    assert_eq!(trace["binding"]["gpus_per_node"], 2);
    assert_eq!(trace["binding"]["seed"], 4);
    assert!(
        trace["definitions"][0]
            .as_str()
            .expect("JSON")
            .contains("my \\\"net")
    );
    let run = &results["runs"][0];
    let expected = serde_json::json!({
        "policy": "fifo", "placement": "spread", "seed": 8, "restart_cost": 30.0,
        "restart_by_model": false, "spread_slowdown": null, "first_start_pays": true,
        "interference": 0.25, "whole_second_epochs": true,
    });
    for (key, value) in expected.as_object().expect("an object") {
        assert_eq!(&run[key], value, "{key}");
    }
    for file in [file, application, rule] {
        std::fs::remove_file(file).expect("it was written");
    }
}

#[test]
fn plain_jobs_get_applications_where_a_policy_adapts_them() {
    let run = |more: &[&str]| {
        let mut arguments = vec!["run", "tiresias.csv", "--cluster", "4x4", "--json", "-"];
        arguments.extend(more);
        json(&arguments)
    };
    let plain = run(&["--policy", "fifo"]);
    assert!(plain["trace"].get("applications").is_none());
    let bound = run(&[
        "--policy",
        "fifo",
        "--policy",
        "pollux[population=10,generations=5]",
    ]);
    let counts = bound["trace"]["applications"]
        .as_object()
        .expect("applications");
    let jobs: u64 = counts.values().filter_map(Value::as_u64).sum();
    assert_eq!(Some(jobs), bound["trace"]["jobs"].as_u64());
    assert_eq!(bound["trace"]["binding"]["seed"], 0);
    assert_eq!(bound["runs"][1]["finished"], bound["trace"]["jobs"]);
    let seeded = run(&["--policy", "fifo", "--binding-seed", "7"]);
    assert_eq!(seeded["trace"]["binding"]["seed"], 7);
    assert_eq!(seeded["trace"]["gpu_hours"], plain["trace"]["gpu_hours"]);
}

#[test]
fn a_pollux_workload_runs_as_it_is() {
    let results = json(&[
        "run",
        "adaptdl.csv",
        "--cluster",
        "4x4",
        "--policy",
        "tiresias-las",
        "--policy",
        "optimus",
        "--preset",
        "reference-osdi21",
        "--json",
        "-",
    ]);
    assert_eq!(
        results["trace"]["applications"],
        serde_json::json!({"cifar10": 1, "ncf": 1})
    );
    assert!(results["trace"].get("binding").is_none());
    assert_eq!(results["runs"][0]["policy"], "tiresias-tuned");
    assert_eq!(results["runs"][1]["policy"], "optimus[quirks=true]");
    let wrong = ["run", "adaptdl.csv", "--profiles", ".", "--cluster", "1x4"];
    assert!(failure(2, &wrong).contains("no profile"));
}

/// Two jobs of thirty years that change places every second.
#[test]
fn a_log_beyond_its_budget_ends_the_run() {
    let file = temporary("long.csv");
    let text = "job_id,submit_time,duration,num_gpus\n1,0,1000000000,1\n2,0,1000000000,1\n";
    std::fs::write(&file, text).expect("the folder is there");
    let run = |budget: &[&str]| {
        let mut arguments = vec!["run", &file, "--cluster", "1x1"];
        arguments.extend(["--policy", "gandiva[quantum=1]"]);
        arguments.extend(budget);
        failure(1, &arguments)
    };
    let error = run(&["--log-budget", "1MB"]);
    for part in [
        "gandiva[quantum=1] was ended at ",
        "with 0 of 2 jobs done: its log is full",
        "set a greater 'quantum', or raise --log-budget",
    ] {
        assert!(error.contains(part), "{error}");
    }
    assert!(run(&["--log-events", "1000"]).contains("with 1001 events in 1 MB"));
    std::fs::remove_file(&file).expect("it was written");
    // No policy helps where the jobs fill it.
    let small = [
        "run",
        "sample:lab",
        "--policy",
        "fifo",
        "--log-budget",
        "2KB",
    ];
    assert!(
        failure(1, &small)
            .contains("MB; take fewer jobs, such as a window of the trace, or raise --log-budget")
    );
    let wrong = failure(2, &["run", "sample:lab", "--log-budget", "soon"]);
    assert!(
        wrong.contains("'soon' for '--log-budget <SIZE>'"),
        "{wrong}"
    );
}

#[test]
fn a_table_for_a_paper_marks_the_best() {
    let run = "run sample:lab --policy fifo --policy srtf --table -";
    let table = switchyard(&run.split(' ').collect::<Vec<_>>())
        .assert()
        .success();
    let table = String::from_utf8_lossy(&table.get_output().stdout).into_owned();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 4, "{table}");
    assert!(
        lines[0].starts_with("| Scheduler | Mean JCT (s) |"),
        "{table}"
    );
    assert!(
        lines[2].starts_with("| fifo | ") && lines[3].starts_with("| srtf | **"),
        "{table}"
    );
}

#[test]
fn where_no_job_can_run_nothing_is_known_and_the_status_is_3() {
    let trace = temporary("wide.csv");
    let jobs = "job_id,submit_time,duration,num_gpus\na,0,10,8\nb,5,10,8\n";
    std::fs::write(&trace, jobs).expect("a file of ours");
    let mut run = switchyard(&[
        "run",
        &trace,
        "--cluster",
        "1x4:v100+1x2:t4",
        "--policy",
        "fifo",
    ]);
    let output = run.assert().code(3);
    let shown = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let line = |name: &str| {
        shown
            .lines()
            .find(|line| line.trim_start().starts_with(name))
    };
    assert!(
        line("mean JCT").is_some_and(|line| line.ends_with('–')),
        "{shown}"
    );
    assert!(
        shown.contains("fifo: no job can run on this cluster"),
        "{shown}"
    );
    // By GPU type, too.
    assert!(
        shown.contains("mean JCT –, waiting –") && !shown.contains("NaN"),
        "{shown}"
    );
    std::fs::remove_file(trace).expect("ours");
}

/// Jobs and restarts as long as they may be: longer ones are refused, since sums of them are no numbers.
#[test]
fn no_number_that_is_printed_is_long() {
    let file = temporary("endless.csv");
    let job = |i: u32| format!("j{i},{i},1e10,1\n");
    let jobs: String = (0..4).map(job).collect();
    let text = format!("#switchyard 1\njob,submit,duration,gpus\n{jobs}");
    std::fs::write(&file, text).expect("the folder is there");
    for arguments in [
        &[
            "run",
            &file,
            "--cluster",
            "1x2",
            "--policy",
            "fifo",
            "--policy",
            "srtf",
            "--restart-cost",
            "1e9",
        ][..],
        &["inspect", &file],
    ] {
        let output = printed(arguments);
        let words = output
            .split_whitespace()
            .filter(|word| !word.contains("endless"));
        for word in words {
            let is_number = word.contains(|c: char| c.is_ascii_digit());
            assert!(!is_number || word.len() <= 20, "{word} in\n{output}");
            assert!(!["inf", "NaN"].contains(&word), "{output}");
        }
    }
    let refused = failure(2, &["run", &file, "--restart-cost", "1e308"]);
    assert!(
        refused.contains("it takes a number from 0 to 1000000000 (s)"),
        "{refused}"
    );
    std::fs::remove_file(file).expect("it is there");
}
