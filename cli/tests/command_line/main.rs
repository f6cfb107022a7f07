//! The program as a person runs it.

mod capacity;
mod convert;
mod cores;
mod every_command;
mod help;
mod inspect;
mod names;
mod native;
mod open;
mod paper;
mod queues;
mod run;
mod script;
mod sources;
mod start;
mod why;
mod wrong_worlds;

use assert_cmd::Command;
use serde_json::Value;

fn switchyard(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_switchyard"));
    command.args(arguments);
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures"));
    command
}

/// Standard output of a run that went well.
fn printed(arguments: &[&str]) -> String {
    let output = switchyard(arguments)
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    String::from_utf8(output).expect("UTF-8")
}

/// The same, as JSON.
fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(arguments)).expect("JSON")
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

/// A new file in the system's folder for such.
fn temporary(name: &str) -> String {
    let path = std::env::temp_dir().join(format!("switchyard-{}-{name}", std::process::id()));
    path.display().to_string()
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
