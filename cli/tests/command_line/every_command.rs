//! What all commands have in common: refusals, bounds, and how output is written.

use super::{failure, json, switchyard, temporary};
use assert_cmd::Command;

#[test]
fn what_is_wrong_is_said_and_the_status_is_2() {
    let error = failure(2, &["run", "nowhere.csv"]);
    assert!(
        error.starts_with("switchyard: cannot read nowhere.csv: "),
        "{error}"
    );
    let error = failure(2, &["run", "tiresias.csv", "--policy", "lifo"]);
    assert!(
        error.starts_with("switchyard: there is no policy 'lifo': use one of fifo, fewest-gpus, "),
        "{error}"
    );
    assert_eq!(
        failure(2, &["run", "tiresias.csv", "--cluster", "many"]),
        "switchyard: 'many' is not a cluster: write NODESxGPUS, such as 16x4, 8x8+4x4 for unlike nodes, or 8x8:v100+4x4:a100 with GPU types\n"
    );
    assert_eq!(
        failure(2, &["run", "sample:house"]),
        "switchyard: there is no sample 'house': use one of lab, cluster, fleet, data-centre, like-helios, three-jobs, two-teams, in-turns, batches, three-types\n"
    );
    assert_eq!(
        failure(2, &["run", "tiresias.csv", "--restart-cost", "-1"]),
        "switchyard: --restart-cost is '-1': it takes a number from 0 to 1000000000 (s)\n"
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
        let names = std::fs::read_dir(&folder).expect("it is there").count();
        assert_eq!(names, 2, "{arguments}: it did leave something");
        let left = std::fs::read_to_string(&file).expect("it is there");
        assert_eq!(left, "old", "{arguments}");
        switchyard(&arguments.split(' ').collect::<Vec<_>>())
            .assert()
            .success();
        let whole = std::fs::read_to_string(&file).expect("it is there");
        assert!(whole.len() > 8_192, "{arguments}");
        // And what the killed one had written is gone.
        let names = std::fs::read_dir(&folder).expect("it is there").count();
        assert_eq!(names, 1, "{arguments}");
    }
    std::fs::remove_dir_all(&folder).expect("ours");
}

#[cfg(unix)]
#[test]
fn no_output_is_an_input_nor_another_output() {
    let folder = temporary("apart");
    std::fs::create_dir_all(&folder).expect("the folder is there");
    let at = |name: &str| format!("{folder}/{name}");
    let (trace, link, hard) = (at("trace.csv"), at("link.csv"), at("hard.csv"));
    switchyard(&["convert", "sample:three-jobs", "-o", &trace])
        .assert()
        .success();
    std::os::unix::fs::symlink(&trace, &link).expect("the folder is there");
    std::fs::hard_link(&trace, &hard).expect("the folder is there");
    let before = std::fs::read(&trace).expect("it is there");
    let crooked = format!(
        "{folder}/../{}/trace.csv",
        folder.rsplit('/').next().unwrap_or("")
    );
    let script = format!("script:{trace}[placement=spread]");
    let history = format!("tiresias-gittins[history={trace}]");
    let new = at("new.json");
    let lies = |name: &str| name.replace("FOLDER", &folder);
    for (arguments, says) in [
        (
            vec!["run", &trace, "--csv", &trace],
            "would replace what is read (TRACE ",
        ),
        (
            vec!["run", &link, "--json", &hard],
            "would replace what is read",
        ),
        (
            vec!["compare", &hard, "--table", &crooked],
            "would replace what is read",
        ),
        (
            vec!["run", &trace, "--chrome-trace", &link],
            "would replace what is read",
        ),
        (vec!["convert", &trace, "-o", &trace], "--output "),
        (
            vec!["inspect", &trace, "--json", &trace],
            "would replace what is read",
        ),
        (
            vec!["inspect", &folder, "--json", &trace],
            "would replace what is read",
        ),
        (
            vec!["why", &trace, "--job", "a", "--at", "1", "--json", &trace],
            "would replace",
        ),
        (
            vec!["score", &trace, "--json", &trace],
            "would replace what is read",
        ),
        (
            vec!["run", "sample:lab", "--policy", &script, "--csv", &trace],
            "(--policy ",
        ),
        (
            vec!["run", "sample:lab", "--policy", &history, "--csv", &trace],
            "(--policy ",
        ),
        (
            vec!["run", "sample:lab", "--cluster", &trace, "--csv", &trace],
            "(--cluster ",
        ),
        (
            vec!["paper", "rlscheduler", &trace, "--json", &trace],
            "would replace",
        ),
        (
            vec!["run", "sample:lab", "--csv", &new, "--json", &new],
            "--json and --csv both write to ",
        ),
        (
            vec!["run", "sample:lab", "--csv", "-", "--json", "-"],
            "both write to standard output",
        ),
    ] {
        let error = failure(2, &arguments);
        assert!(error.contains(says), "{arguments:?}: {error}");
    }
    let (status, said) = shell(&lies(
        "switchyard run - --csv FOLDER/trace.csv < FOLDER/trace.csv",
    ));
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("(TRACE standard input)"), "{said}");
    assert_eq!(std::fs::read(&trace).expect("it is there"), before);
    assert!(!std::path::Path::new(&new).exists());
    // Devices take whatever comes.
    switchyard(&["run", &trace, "--csv", "/dev/null", "--json", "/dev/null"])
        .assert()
        .success();
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
