//! Where traces come from: every command that takes one takes a sample and standard input; and times, which are
//! written as people write them.

use super::{failure, json, switchyard, temporary};
use serde_json::Value;

/// A sample as a file.
fn written(sample: &str) -> Vec<u8> {
    let arguments = ["convert", &format!("sample:{sample}"), "-o", "-"];
    let output = switchyard(&arguments).assert().success();
    output.get_output().stdout.clone()
}

/// Standard output, with this on standard input.
fn piped(arguments: &[&str], input: &[u8]) -> String {
    let output = switchyard(arguments)
        .write_stdin(input)
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    String::from_utf8(output).expect("UTF-8")
}

const COMMANDS: [&[&str]; 5] = [
    &["run", "TRACE", "--policy", "fifo", "--csv", "-"],
    &["compare", "TRACE", "--table", "-"],
    &["why", "TRACE", "--job", "J1", "--at", "5", "--json", "-"],
    &["convert", "TRACE", "-o", "-"],
    &["inspect", "TRACE", "--json", "-"],
];

fn of<'a>(command: &[&'a str], trace: &'a str) -> Vec<&'a str> {
    let word = |&word: &&'a str| if word == "TRACE" { trace } else { word };
    command.iter().map(word).collect()
}

#[test]
fn every_command_takes_a_sample_a_file_and_standard_input() {
    let bytes = written("three-jobs");
    let file = temporary("three-jobs.csv");
    std::fs::write(&file, &bytes).expect("the folder is there");
    for command in COMMANDS {
        let from_sample = piped(&of(command, "sample:three-jobs"), b"");
        let from_file = piped(&of(command, &file), b"");
        let from_input = piped(&of(command, "-"), &bytes);
        assert_eq!(from_input, from_file, "{command:?}");
        // A sample has no name of its own as an experiment, but the same jobs.
        let same = |text: &str| text.lines().filter(|line| !line.contains("title")).count();
        assert_eq!(same(&from_sample), same(&from_file), "{command:?}");
    }
    let paper = piped(&["paper", "tiresias", "-"], &bytes);
    let called = paper.replacen("standard input", &file, 1);
    assert_eq!(called, piped(&["paper", "tiresias", &file], b""));
    std::fs::remove_file(&file).expect("it was written");
}

#[test]
fn a_sample_is_inspected_as_the_jobs_that_run() {
    let inspection = json(&["inspect", "sample:lab", "--json", "-"]);
    let run = json(&["run", "sample:lab", "--policy", "fifo", "--json", "-"]);
    assert_eq!(inspection["jobs"], run["trace"]["jobs"]);
    let hours = |value: &Value| value.as_f64().expect("a number");
    let difference = hours(&inspection["gpu_hours"]) - hours(&run["trace"]["gpu_hours"]);
    assert!(difference.abs() < 1e-6, "{difference}");
    let text = piped(&["inspect", "sample:lab"], b"");
    assert!(text.contains("cluster   8x4"), "{text}");
}

#[test]
fn a_sample_may_stand_beside_a_file() {
    let cluster = temporary("cluster.json");
    std::fs::write(&cluster, r#"{"nodes": "2x4"}"#).expect("the folder is there");
    let run = json(&[
        "run",
        "sample:three-jobs",
        &cluster,
        "--policy",
        "fifo",
        "--json",
        "-",
    ]);
    assert_eq!(run["cluster"]["spec"], "2x4");
    std::fs::remove_file(&cluster).expect("it was written");
}

#[test]
fn what_is_wrong_with_standard_input_is_said_of_it() {
    let refused = |arguments: &[&str], input: &str| {
        let output = switchyard(arguments).write_stdin(input).assert().code(2);
        String::from_utf8_lossy(&output.get_output().stderr).into_owned()
    };
    let empty = refused(&["run", "-"], "");
    assert!(empty.contains("standard input is empty"), "{empty}");
    let wrong = refused(
        &["inspect", "-"],
        "job_id,submit_time,wall_time,nodes\n1,0,100,1\n",
    );
    assert!(wrong.contains("standard input, line 1"), "{wrong}");
    let twice = refused(&["run", "-", "-"], "");
    assert!(twice.contains("named twice"), "{twice}");
}

#[test]
fn times_are_written_as_people_write_them() {
    let why = |at: &str| {
        let asked = ["why", "sample:lab", "--policy", "las", "--job", "lab-017"];
        piped(&[&asked[..], &["--at", at]].concat(), b"")
    };
    assert_eq!(why("11h"), why("39600"));
    assert_eq!(why("1d2h30min"), why("95400"));
    let wrong = failure(
        2,
        &["why", "sample:lab", "--job", "lab-017", "--at", "noon"],
    );
    assert!(wrong.contains("seconds, or 90min, 11h, 2d3h"), "{wrong}");
    let run = |more: &[&str]| {
        let asked = ["run", "sample:lab", "--policy", "srtf", "--json", "-"];
        let run = json(&[&asked[..], more].concat());
        run["runs"][0]["log_hash"].clone()
    };
    for (in_words, plain) in [
        (["--restart-cost", "1.5min"], ["--restart-cost", "90"]),
        (["--mtbf", "2d"], ["--mtbf", "48"]),
        (
            ["--outages", "1:1h30min..2h"],
            ["--outages", "1:5400..7200"],
        ),
    ] {
        assert_eq!(run(&in_words), run(&plain), "{in_words:?}");
        assert_ne!(run(&in_words), run(&[]), "{in_words:?}");
    }
    let window = json(&[
        "inspect",
        "sample:lab",
        "--window",
        "1h..2h30min",
        "--json",
        "-",
    ]);
    let seconds = json(&[
        "inspect",
        "sample:lab",
        "--window",
        "3600..9000",
        "--json",
        "-",
    ]);
    assert_eq!(window, seconds);
}
