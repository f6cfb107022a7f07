//! The program as a person runs it.

use assert_cmd::Command;
use serde_json::Value;

fn switchyard(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_switchyard"));
    command.args(arguments);
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures"));
    command
}

/// Standard output of a run that went well, as JSON.
fn json(arguments: &[&str]) -> Value {
    let output = switchyard(arguments)
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    serde_json::from_slice(&output).expect("JSON")
}

/// Standard error of a run that ended with this status.
fn failure(status: i32, arguments: &[&str]) -> String {
    let output = switchyard(arguments)
        .assert()
        .code(status)
        .get_output()
        .stderr
        .clone();
    String::from_utf8(output).expect("UTF-8")
}

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
        serde_json::json!({"spec": "2x4", "nodes": 2, "gpus": 8})
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
    let output = switchyard(&["inspect", "."])
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let text = String::from_utf8(output).expect("UTF-8");
    for expected in [
        "tiresias_cluster.csv",
        "workload.swf",
        "not opened",
        "bad_empty.csv: ",
    ] {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
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
fn what_is_wrong_is_said_and_the_status_is_2() {
    let error = failure(2, &["run", "nowhere.csv"]);
    assert!(
        error.starts_with("switchyard: cannot read nowhere.csv: "),
        "{error}"
    );
    let error = failure(2, &["run", "tiresias.csv", "--policy", "lifo"]);
    assert!(
        error.starts_with("switchyard: there is no policy 'lifo': use one of fifo, sjf, "),
        "{error}"
    );
    assert_eq!(
        failure(2, &["run", "tiresias.csv", "--cluster", "many"]),
        "switchyard: 'many' is not a cluster: write NODESxGPUS, such as 16x4, or 8x8+4x4 for unlike nodes\n"
    );
    assert_eq!(
        failure(2, &["run", "sample:house"]),
        "switchyard: there is no sample 'house': use one of lab, cluster, fleet, three-jobs\n"
    );
    assert_eq!(
        failure(2, &["run", "tiresias.csv", "--restart-cost", "-1"]),
        "switchyard: --restart-cost is '-1': it takes a number, 0 or more (s)\n"
    );
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
fn policies_are_listed_with_their_parameters() {
    let list = json(&["policies", "--json"]);
    let las = list
        .as_array()
        .unwrap()
        .iter()
        .find(|policy| policy["name"] == "tiresias-las")
        .unwrap();
    assert_eq!(las["params"][0]["name"], "queues");
    assert_eq!(las["params"][1]["default"], "3250:7200");
}

/// A new file in the system's folder for such.
fn temporary(name: &str) -> String {
    let path = std::env::temp_dir().join(format!("switchyard-{}-{name}", std::process::id()));
    path.display().to_string()
}

#[test]
fn a_converted_trace_runs_the_same() {
    let hash = |trace: &str, more: &[&str]| {
        let mut arguments = vec!["run", trace, "--json", "-"];
        arguments.extend(more);
        let runs = json(&arguments)["runs"].clone();
        let runs = runs.as_array().expect("runs").iter();
        runs.map(|run| run["log_hash"].clone()).collect::<Vec<_>>()
    };
    let settings = [
        "--cluster",
        "4x8",
        "--policy",
        "fifo",
        "--policy",
        "tiresias-las[queues=2,thresholds=3600]",
        "--seed",
        "5",
        "--restart-cost",
        "30",
        "--placement",
        "spread",
    ];
    let expected = hash("sample:lab", &settings);
    assert_eq!(expected.len(), 2);
    for name in ["lab.csv", "lab.csv.gz"] {
        let file = temporary(name);
        let mut arguments = vec!["convert", "sample:lab", "-o", &file];
        arguments.extend(settings);
        switchyard(&arguments).assert().success();
        // The file holds all settings.
        assert_eq!(hash(&file, &[]), expected, "{name}");
        // What is asked for comes first.
        assert_eq!(hash(&file, &["--policy", "fifo"]), expected[..1], "{name}");
        std::fs::remove_file(&file).expect("it was written");
    }
    for (name, format) in [("lab.swf", "swf"), ("lab.t.csv", "tiresias")] {
        let file = temporary(name);
        switchyard(&["convert", "sample:lab", "-o", &file, "--to", format])
            .assert()
            .success();
        assert_eq!(hash(&file, &settings), expected, "{name}");
        assert_eq!(json(&["inspect", &file, "--json", "-"])["format"], format);
        std::fs::remove_file(&file).expect("it was written");
    }
}

/// An application of one's own, and a rule that has plain jobs train it.
fn own_application(test: &str) -> (String, String) {
    let application = temporary(&format!("{test}-mine.json"));
    let rule = temporary(&format!("{test}-rule.json"));
    let definition = r#"{
        "name": "my \"net\"", "limits": { "m0": 128, "max_batch": 4096, "min_local": 32, "max_local": 1024 },
        "learning_rate": "ada-scale", "epochs": 3, "samples_per_epoch": 51200,
        "throughput": { "alpha_c": 0.02, "beta_c": 0.0007, "alpha_n": 0.09, "beta_n": 0.0025,
            "alpha_r": 0.015, "beta_r": 0.0001, "gamma": 1.3 },
        "noise_scale": [{ "batch": 128, "phi": [1000, 4000] }]
    }"#;
    std::fs::write(&application, definition).expect("the folder is there");
    let classes = r#"{"classes": [{"below_gpu_hours": 1.5, "applications": ["ncf"]},
        {"below_gpu_hours": null, "applications": ["my \"net\""]}], "gpus_per_node": 2, "seed": 9}"#;
    std::fs::write(&rule, classes).expect("the folder is there");
    (application, rule)
}

#[test]
fn an_experiment_file_reopens_as_the_same_experiment() {
    let (application, rule) = own_application("state");
    let history = temporary("history.csv");
    std::fs::write(&history, "duration\n120\n4000.5\n").expect("the folder is there");
    let learned = format!("gittins[history={history}]");
    let results = |trace: &str, more: &[&str]| {
        let mut arguments = vec!["run", trace, "--json", "-"];
        arguments.extend(more);
        let mut results = json(&arguments);
        // The file has what a preset does, not its name; nor what the trace's format was.
        results["trace"]["format"].take();
        results["preset"].take();
        for run in results["runs"].as_array_mut().expect("runs") {
            // What depends on the machine.
            run["wall_ms"].take();
            run["log_budget"].take();
        }
        results
    };
    let plain: &[&str] = &[
        "--policy",
        "tiresias-las",
        "--policy",
        "pollux[population=5,generations=3]",
        "--cluster",
        "2x4",
    ];
    let states: &[&[&str]] = &[
        &[
            "--interference",
            "0.5",
            "--binding-seed",
            "3",
            "--seed",
            "2",
        ],
        &["--preset", "reference-osdi21", "--restart-by-model"],
        &[
            "--applications",
            "--first-start-pays",
            "--restart-cost",
            "7",
        ],
        &["--application", &application, "--binding", &rule],
        &["--policy", &learned, "--spread-slowdown", "p100"],
        &["--whole-second-epochs", "--placement", "skew"],
    ];
    let file = temporary("state.csv");
    for trace in ["tiresias.csv", "adaptdl.csv"] {
        for state in states {
            let settings = [plain, state].concat();
            let convert = [&["convert", trace, "-o", &file][..], &settings].concat();
            switchyard(&convert).assert().success();
            let expected = results(trace, &settings);
            assert_eq!(results(&file, &[]), expected, "{trace} {state:?}");
        }
    }
    // Which jobs of a larger trace they are is told; the tenants that are gone still have their
    // shares.
    let tenants = temporary("tenants.csv");
    let text = "#switchyard 1\njob,submit,duration,gpus,tenant\na,0,9,4,x\nb,1,9,4,x\nc,90,9,4,y\n";
    std::fs::write(&tenants, text).expect("the folder is there");
    let chosen = [
        "--window",
        "0..60",
        "--policy",
        "yarn-cs[elastic=false]",
        "--cluster",
        "1x8",
    ];
    let convert = [&["convert", &tenants, "-o", &file][..], &chosen].concat();
    switchyard(&convert).assert().success();
    let seen = results(&file, &[]);
    assert_eq!(seen["trace"]["choice"], serde_json::json!(["window=0..60"]));
    assert_eq!(seen, results(&tenants, &chosen));
    for file in [file, application, rule, history, tenants] {
        std::fs::remove_file(file).expect("it was written");
    }
}

#[test]
fn what_is_refused_when_read_is_not_written() {
    let file = temporary("never.csv");
    let wrong = [
        ("--restart-cost", "nan"),
        ("--restart-cost", "-1"),
        ("--interference", "1"),
        ("--interference", "-0.1"),
        ("--placement", "bogus"),
        ("--spread-slowdown", "h100"),
        ("--preset", "reference"),
        ("--policy", "lifo"),
        ("--policy", "gittins[history=nowhere.csv]"),
        ("--binding", "nowhere.json"),
        ("--application", "bad_services.csv"),
        ("--profiles", "."),
        ("--cluster", "many"),
    ];
    for (flag, value) in wrong {
        let settings = [flag, value];
        let convert = [&["convert", "tiresias.csv", "-o", &file][..], &settings].concat();
        let said = failure(2, &convert);
        assert!(!std::path::Path::new(&file).exists(), "{said}");
        for command in ["run", "compare"] {
            let same = failure(2, &[command, "tiresias.csv", flag, value]);
            assert_eq!(same, said, "{command} {settings:?}");
        }
    }
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

/// What a file held before somebody was killed who wrote it.
#[cfg(unix)]
#[test]
fn a_killed_writer_leaves_the_old_file() {
    let folder = temporary("killed");
    std::fs::create_dir_all(&folder).expect("the folder is there");
    let file = format!("{folder}/old.csv");
    let program = env!("CARGO_BIN_EXE_switchyard");
    for arguments in [
        format!("convert sample:cluster -o {file}"),
        format!("run sample:cluster --policy fifo --per-job --json {file}"),
        format!("run sample:cluster --policy fifo --csv {file}"),
        format!("run sample:cluster --policy fifo --chrome-trace {file}"),
    ] {
        std::fs::write(&file, "old").expect("the folder is there");
        // A file may have 4 KB: who writes more gets a signal that ends it.
        let limited = format!("ulimit -c 0; ulimit -f 8; exec {program} {arguments}");
        let mut command = Command::new("sh");
        command.args(["-c", &limited]).assert().failure();
        let left = std::fs::read_to_string(&file).expect("it is there");
        assert_eq!(left, "old", "{arguments}");
        switchyard(&arguments.split(' ').collect::<Vec<_>>())
            .assert()
            .success();
        let whole = std::fs::read_to_string(&file).expect("it is there");
        assert!(whole.len() > 8_192, "{arguments}");
    }
    std::fs::remove_dir_all(&folder).expect("ours");
}

#[cfg(unix)]
#[test]
fn a_written_file_keeps_its_permissions_and_a_link_stays_a_link() {
    use std::os::unix::fs::PermissionsExt;
    let folder = temporary("links");
    std::fs::create_dir_all(&folder).expect("the folder is there");
    let (file, link) = (format!("{folder}/file.csv"), format!("{folder}/link.csv"));
    std::fs::write(&file, "old").expect("the folder is there");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&file, private).expect("it is ours");
    std::os::unix::fs::symlink(&file, &link).expect("the folder is there");
    switchyard(&["convert", "tiresias.csv", "-o", &link])
        .assert()
        .success();
    let found = std::fs::symlink_metadata(&link).expect("it is there");
    assert!(found.is_symlink());
    let found = std::fs::metadata(&file).expect("it is there");
    assert!(found.len() > 3);
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
    let names = std::fs::read_dir(&folder).expect("it is there").count();
    assert_eq!(names, 2, "nothing is left beside them");
    std::fs::remove_dir_all(&folder).expect("ours");
}

/// What a shell makes of a command line of the program's: its status, and what was said.
#[cfg(unix)]
fn shell(line: &str) -> (Option<i32>, String) {
    let line = line.replace(
        "switchyard ",
        concat!(env!("CARGO_BIN_EXE_switchyard"), " "),
    );
    let mut command = Command::new("bash");
    let output = command.args(["-c", &line]).output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_ends_with_a_status() {
    let commands = [
        "run sample:three-jobs",
        "compare sample:three-jobs",
        "run sample:three-jobs --json -",
        "run sample:three-jobs --csv /dev/full",
        "convert sample:three-jobs -o -",
        "convert sample:three-jobs -o /dev/full",
        "inspect ../tests/fixtures/tiresias.csv",
        "policies",
        "policies --json",
        "paper tiresias sample:three-jobs",
    ];
    for command in commands {
        let (status, said) = shell(&format!("switchyard {command} > /dev/full"));
        assert_eq!(status, Some(1), "{command}: {said}");
        assert!(said.starts_with("switchyard: cannot write "), "{said}");
        let (status, said) = shell(&format!("switchyard {command} > /dev/full 2>&1"));
        assert_eq!(status, Some(1), "{command}: {said}");
    }
    for command in commands.iter().filter(|command| !command.contains("full")) {
        let line = format!("switchyard {command} | true; exit ${{PIPESTATUS[0]}}");
        assert_eq!(shell(&line), (Some(0), String::new()), "{command}");
    }
    let (status, said) = shell("switchyard convert sample:three-jobs -o /dev/stdout | head -1");
    assert_eq!((status, said.as_str()), (Some(0), ""));
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
fn rows_and_bytes_of_files_are_bounded_by_options() {
    let message = failure(2, &["inspect", "tiresias.csv", "--max-rows", "2"]);
    assert!(
        message.contains("tiresias.csv has more than 2 rows") && message.contains("--max-rows"),
        "{message}"
    );
    let message = failure(2, &["run", "tiresias.csv", "--max-bytes", "20"]);
    assert!(
        message.contains("holds more than 20 bytes") && message.contains("--max-bytes"),
        "{message}"
    );
    for command in ["run", "compare", "inspect", "convert"] {
        let help = switchyard(&[command, "--help"]).assert().success();
        let help = String::from_utf8_lossy(&help.get_output().stdout).into_owned();
        assert!(help.contains("--max-rows") && help.contains("--max-bytes"));
    }
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
        "set a greater 'quantum', or raise the log budget",
    ] {
        assert!(error.contains(part), "{error}");
    }
    assert!(run(&["--log-events", "1000"]).contains("with 1001 events in 1 MB"));
    std::fs::remove_file(&file).expect("it was written");
    let wrong = failure(2, &["run", "sample:lab", "--log-budget", "500"]);
    assert!(wrong.contains("such as 500MB or 4GB"), "{wrong}");
}
