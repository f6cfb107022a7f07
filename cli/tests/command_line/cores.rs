//! Jobs without GPUs: what is said of a log of them, and every command once it counts cores.

use super::{failure, json, printed, temporary};

/// Two jobs of a cluster without GPUs, 16.67 core-hours.
const JOBS: &str = "job_id,num_cores,num_hosts,submit_time,start_time,finish_time,run_time
1,4,1,2030-01-07T10:00:00,2030-01-07T10:00:05,2030-01-07T10:10:05,0:10:00
2,16,2,2030-01-07T10:01:00,2030-01-07T10:01:00,2030-01-07T11:01:00,1:00:00
";

fn written(name: &str, text: &str) -> String {
    let path = temporary(name);
    std::fs::write(&path, text).expect("the folder is there");
    path
}

#[test]
fn a_log_of_them_says_what_to_type() {
    let path = written("cores-said.csv", JOBS);
    let said = failure(2, &["run", &path]);
    for part in [
        "its jobs ask for cores, not GPUs (2 jobs, 16.67 core·h)",
        "--unit cores",
    ] {
        assert!(said.contains(part), "{said}");
    }
    // The columns that are known stay known.
    let mapped = json(&["inspect", &path, "--map", "gpus=num_cores", "--json", "-"]);
    assert_eq!(mapped["jobs"], 2);
    assert_eq!(mapped["unit"], "gpus");
}

#[test]
fn every_figure_says_that_it_counts_cores() {
    let path = written("cores-told.csv", JOBS);
    let inspected = printed(&["inspect", &path, "--unit", "cores"]);
    assert!(inspected.contains("core-hours 16.7"), "{inspected}");
    let run = printed(&["run", &path, "--unit", "cores"]);
    for part in [
        "16.7 core-hours, on 2x16: 32 cores (guessed: as many as jobs held at once",
        "core allocation",
    ] {
        assert!(run.contains(part), "{part} is missing in\n{run}");
    }
    let compared = printed(&[
        "compare",
        &path,
        "--unit",
        "cores",
        "--checkpoint-interval",
        "60",
        "--checkpoint-cost",
        "1",
    ]);
    let why = printed(&[
        "why",
        &path,
        "--unit",
        "cores",
        "--job",
        "1",
        "--at",
        "70",
        "--cluster",
        "1x16",
        "--policy",
        "fifo",
        "--policy",
        "tiresias-las",
    ]);
    for text in [inspected, run, compared, why] {
        assert!(!text.contains("GPU"), "{text}");
    }
    let results = json(&["run", &path, "--unit", "cores", "--json", "-"]);
    assert_eq!(results["trace"]["unit"], "cores");
    let hours = results["trace"]["gpu_hours"].as_f64().expect("a number");
    assert_eq!(format!("{hours:.2}"), "16.67");
    let plain = json(&["run", "sample:lab", "--policy", "fifo", "--json", "-"]);
    assert_eq!(plain["trace"]["unit"], "gpus");
}

#[test]
fn nodes_of_many_cores_are_several_and_a_file_counts_their_cores() {
    let path = written("cores-nodes.csv", JOBS);
    let conf = written(
        "cores-slurm.conf",
        "ClusterName=c\nNodeName=n[1-2] CPUs=128 RealMemory=262144\n",
    );
    for cluster in ["1x4/cores=128/memory=256+1x8/cores=128/memory=256", &conf] {
        let results = json(&[
            "run",
            &path,
            "--unit",
            "cores",
            "--cluster",
            cluster,
            "--json",
            "-",
        ]);
        assert_eq!(results["cluster"]["spec"], "4x64/memory=128", "{cluster}");
        assert_eq!(results["cluster"]["gpus"], 256);
    }
}

#[test]
fn our_own_files_keep_what_is_counted() {
    let path = written("cores-own.csv", JOBS);
    let own = temporary("cores-own-written.csv");
    printed(&["convert", &path, "--unit", "cores", "-o", &own]);
    let text = std::fs::read_to_string(&own).expect("it was written");
    assert!(text.starts_with("#switchyard 1\n#unit cores\n"), "{text}");
    let hash = |arguments: &[&str]| json(arguments)["runs"][0]["log_hash"].clone();
    let first = hash(&["run", &path, "--unit", "cores", "--json", "-"]);
    let again = json(&["run", &own, "--json", "-"]);
    assert_eq!(again["runs"][0]["log_hash"], first);
    assert_eq!(again["trace"]["unit"], "cores");
    let chrome = temporary("cores-chrome.json");
    printed(&["run", &own, "--chrome-trace", &chrome]);
    let chrome = std::fs::read_to_string(&chrome).expect("it was written");
    assert!(chrome.contains("core 15") && !chrome.contains("GPU"));
}
