//! `inspect`: what is told of files.

use super::{failure, json, printed, switchyard, temporary};

#[test]
fn inspection_has_the_agreed_shape() {
    let inspection = json(&["inspect", "helios.csv", "--json", "-"]);
    assert_eq!(inspection["format"], "helios");
    for key in [
        "jobs",
        "gpu_jobs",
        "dropped",
        "gpu_hours",
        "duration",
        "gpus",
        "span_days",
    ] {
        assert!(!inspection[key].is_null(), "{key}");
    }
    let dropped: u64 = inspection["dropped"]
        .as_object()
        .unwrap()
        .values()
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert_eq!(
        inspection["jobs"].as_u64().unwrap(),
        inspection["gpu_jobs"].as_u64().unwrap() + dropped
    );
}

#[test]
fn a_folder_is_a_table_of_its_files() {
    let text = printed(&["inspect", "."]);
    for expected in [
        "tiresias_cluster.csv",
        "workload.swf",
        "not opened",
        "bad_empty.csv: ",
    ] {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_circles_and_pipes_are_not_followed() {
    let folder = temporary("circles");
    std::fs::create_dir_all(format!("{folder}/below")).expect("a folder");
    let at = |name: &str| format!("{folder}/below/{name}");
    std::fs::copy(
        concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../tests/fixtures/tiresias.csv"
        ),
        at("trace.csv"),
    )
    .expect("it is there");
    for (to, name) in [
        ("..", "up"),
        ("trace.csv", "again.csv"),
        ("nowhere", "gone"),
    ] {
        std::os::unix::fs::symlink(to, at(name)).expect("the folder is there");
    }
    let made = std::process::Command::new("mkfifo")
        .arg(at("pipe"))
        .status();
    assert!(made.is_ok_and(|made| made.success()));
    let entries = json(&["inspect", &folder, "--json", "-"]);
    let entries = entries.as_array().expect("a list");
    let files: Vec<&str> = entries
        .iter()
        .filter_map(|of| of["file"].as_str())
        .collect();
    assert_eq!(
        files,
        ["again.csv", "gone", "pipe", "trace.csv", "up"].map(|name| format!("below/{name}"))
    );
    assert_eq!(entries[0]["trace"], entries[3]["trace"]);
    for (entry, why) in [
        (1, "a link to nothing"),
        (2, "no plain file"),
        (4, "a link to a folder"),
    ] {
        let said = entries[entry]["error"].as_str().unwrap_or_default();
        assert!(said.contains(why), "{said}");
    }
    std::fs::remove_dir_all(&folder).expect("ours");
}

#[test]
fn a_folder_as_json_has_an_entry_per_file() {
    let entries = json(&["inspect", ".", "--json", "-"]);
    let of = |file: &str| {
        let entries = entries.as_array().unwrap();
        entries.iter().find(|entry| entry["file"] == file).unwrap()
    };
    assert_eq!(of("tiresias.csv")["trace"]["format"], "tiresias");
    assert!(of("tiresias_cluster.csv")["cluster"].is_string());
    assert!(of("bad_empty.csv")["error"].is_string());
}

#[test]
fn a_folder_with_a_long_cluster_fits_a_screen() {
    let folder = temporary("long-cluster");
    std::fs::create_dir_all(&folder).expect("a folder");
    let groups: Vec<String> = (1..=12)
        .map(|gpus| {
            format!(
                "{{\"nodes\": 1, \"gpus\": {gpus}, \"type\": \"V100-32\", \"cores\": {}}}",
                8 * gpus
            )
        })
        .collect();
    let file = format!("{{\"groups\": [{}]}}", groups.join(", "));
    std::fs::write(format!("{folder}/nodes.json"), file).expect("written");
    let jobs = "job_id,submit_time,duration,num_gpus\n1,0,60,1\n";
    std::fs::write(format!("{folder}/jobs.csv"), jobs).expect("written");
    let text = printed(&["inspect", &folder]);
    assert!(text.contains("cluster 1x1:v100-32/cores=8"), "{text}");
    assert!(text.contains('…'), "{text}");
    let longest = text.lines().map(|line| line.chars().count()).max();
    assert!(longest.is_some_and(|width| width <= 100), "{text}");
    let entries = json(&["inspect", &folder, "--json", "-"]);
    let whole = entries[1]["cluster"].as_str().expect("a cluster");
    assert!(whole.ends_with("+1x12:v100-32/cores=96"), "{whole}");
    std::fs::remove_dir_all(folder).expect("it is there");
}

#[test]
fn parquet_and_arrow_are_read_as_the_same_table_is() {
    let of = |name: &str| json(&["inspect", name, "--json", "-"]);
    let (csv, parquet) = (of("columnar_jobs.csv"), of("columnar_zstd.parquet"));
    for key in [
        "format",
        "jobs",
        "gpu_jobs",
        "gpu_hours",
        "duration",
        "gpus",
    ] {
        assert_eq!(csv[key], parquet[key], "{key}");
    }
    assert_eq!(csv["jobs"], 40);
    let text = printed(&["inspect", "columnar_zstd.parquet"]);
    assert!(text.contains("it is a Parquet file"), "{text}");
    let run = |name: &str| json(&["run", name, "--cluster", "2x4", "--json", "-"]);
    let hash = |of: &serde_json::Value| of["runs"][0]["log_hash"].clone();
    let (csv, parquet) = (run("columnar_jobs.csv"), run("columnar_zstd.parquet"));
    assert!(hash(&csv).is_string() || hash(&csv).is_u64(), "{csv}");
    assert_eq!(hash(&csv), hash(&parquet));
    for (name, why) in [
        ("columnar_brotli.parquet", "compressed with Brotli"),
        (
            "columnar_zstd.arrow",
            "write it with lz4 or without compression, or as Parquet",
        ),
    ] {
        let said = failure(2, &["inspect", name]);
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_table_that_is_not_understood_is_shown() {
    assert_eq!(
        failure(2, &["inspect", "bad_columns.csv"]),
        "switchyard: bad_columns.csv, line 1: no column tells how long it ran (such as duration, or start_time and end_time), nor how many GPUs it asked for (such as num_gpus); found the columns job_id, submit_time, wall_time, nodes (wall_time is a limit, not a duration): rename a column, or say which columns are which\n\n  job_id | submit_time | wall_time | nodes\n  1 | 0 | 100 | 1\n\nsay --map submit=COLUMN,duration=COLUMN,gpus=COLUMN,unit=s; so far: id=job_id,submit=submit_time\n"
    );
}

#[test]
fn what_a_file_holds_does_not_reach_the_terminal_as_commands() {
    let obeyed = |text: &str| {
        let kept = |c: char| c == '\n' || c == '\t' || !c.is_control();
        text.chars().find(|&c| !kept(c))
    };
    let file = temporary("escapes.csv");
    let table = "\x1b[2Jjob\x1b[31m,foo\x1b]8;;http://x\x07,bar\u{9b}2J\n1,\x1b[2J,3\n";
    std::fs::write(&file, table).expect("the folder is there");
    let refusal = failure(2, &["inspect", &file]);
    assert_eq!(obeyed(&refusal), None, "{refusal:?}");
    assert!(refusal.contains("␛[2Jjob"), "{refusal}");
    // Names of columns, cells and members in a report.
    let jobs = "id,submit\x1b[2J,duration,gpus\n1,0,60,1\n2,0,\x1b]0;x\x07,1\n";
    std::fs::write(&file, jobs).expect("the folder is there");
    let map = "submit=#2,duration=duration,gpus=gpus,id=id";
    let report = switchyard(&["inspect", &file, "--map", map])
        .assert()
        .success();
    let report = String::from_utf8_lossy(&report.get_output().stdout).into_owned();
    assert_eq!(obeyed(&report), None, "{report:?}");
    assert!(report.contains("duration is '"), "{report}");
}

#[test]
fn tables_are_mapped_and_jobs_chosen() {
    let file = temporary("odd.csv");
    let text = "When,How long,Cards,Who\n0,1,4,a\n60,2,0.5,b\n120,3,2,a\n";
    std::fs::write(&file, text).expect("the folder is there");
    let map = "submit=When,duration=How long,gpus=Cards,tenant=Who,unit=min";
    let inspect = |more: &[&str]| {
        let mut arguments = vec!["inspect", &file, "--map", map, "--json", "-"];
        arguments.extend(more);
        json(&arguments)
    };
    assert_eq!(inspect(&[])["gpu_jobs"], 3);
    assert_eq!(inspect(&[])["span_days"], 7200.0 / 86_400.0);
    assert_eq!(inspect(&["--tenant", "a"])["dropped"]["other_tenant"], 1);
    assert_eq!(inspect(&["--window", "30min..1.5h"])["gpu_jobs"], 1);
    assert_eq!(
        inspect(&["--fractions", "drop"])["dropped"]["fractional"],
        1
    );
    let shared = inspect(&["--fractions", "share", "--tenant", "b"]);
    assert_eq!(shared["duration"]["mean"], 60.0);
    assert_eq!(
        failure(2, &["inspect", &file, "--tenant", "c", "--map", map]),
        "switchyard: the trace has no tenant 'c': its tenants are a, b\n"
    );
    let wrong = failure(2, &["inspect", &file, "--map", "when=1"]);
    assert!(
        wrong.contains("a mapping has no 'when': use id, submit"),
        "{wrong}"
    );
    let run = json(&[
        "run",
        &file,
        "--map",
        map,
        "--cluster",
        "1x2",
        "--oversized",
        "shrink",
        "--policy",
        "fifo",
        "--json",
        "-",
    ]);
    assert_eq!(run["runs"][0]["rejected"], 0);
    std::fs::remove_file(&file).expect("it was written");
}
