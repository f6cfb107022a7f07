//! `switchyard why`.

use super::{failure, json, switchyard, temporary};

const ASKED: [&str; 9] = [
    "why",
    "sample:lab",
    "--cluster",
    "8x4/racks=4/nic=0.5",
    "--policy",
    "fifo[placement=spread]",
    "--contention",
    "--at",
    "21600",
];

#[test]
fn what_slows_a_job_is_told() {
    let csv = switchyard(&["run", "sample:lab", "--csv", "-"])
        .assert()
        .success();
    let csv = String::from_utf8_lossy(&csv.get_output().stdout).into_owned();
    let names = csv.lines().skip(1).filter_map(|row| row.split(',').nth(1));
    let mut slowed = 0;
    for name in names.take(60) {
        let answers = json(&[&ASKED[..], &["--job", name, "--json", "-"]].concat());
        for cause in answers[0]["slow"].as_array().expect("a list") {
            assert_eq!(cause["law"], "contention");
            assert!(cause["factor"].as_f64().is_some_and(|factor| factor < 1.0));
            slowed += 1;
        }
    }
    assert!(slowed > 0, "nobody is slow on such links");
}

#[test]
fn who_is_not_there_is_not_asked_about() {
    let error = failure(2, &[&ASKED[..], &["--job", "nobody"]].concat());
    assert!(
        error.starts_with("switchyard: there is no job 'nobody' in the trace"),
        "{error}"
    );
}

#[test]
fn a_job_that_is_not_there_is_one_thing() {
    let said = |job: &str, at: &str, cluster: &str| {
        let asked = ["why", "sample:three-jobs", "--policy", "fifo"];
        let of = ["--job", job, "--at", at, "--cluster", cluster];
        let ran = switchyard(&[&asked[..], &of].concat()).assert().success();
        String::from_utf8_lossy(&ran.get_output().stdout).into_owned()
    };
    let job = "J1";
    assert!(said(job, "1000", "1x2").starts_with("fifo: finished\n"));
    let rejected = said(job, "1000", "1x1");
    assert!(
        rejected.starts_with("fifo: rejected: it wants more"),
        "{rejected}"
    );
    let csv = switchyard(&["run", "sample:lab", "--csv", "-"]).assert();
    let csv = String::from_utf8_lossy(&csv.get_output().stdout).into_owned();
    let last = csv.lines().last().and_then(|row| row.split(',').nth(1));
    let asked = [
        "why",
        "sample:lab",
        "--policy",
        "fifo",
        "--at",
        "1",
        "--job",
    ];
    let mut ran = switchyard(&[&asked[..], &[last.expect("jobs")]].concat());
    let ran = ran.assert().success();
    let text = String::from_utf8_lossy(&ran.get_output().stdout).into_owned();
    assert!(text.starts_with("fifo: not submitted yet\n"), "{text}");
}

/// In a pipe, too: it may lead to a pager, and from there to a terminal.
#[test]
fn what_scripts_note_and_jobs_are_called_reaches_no_terminal_as_commands() {
    let trace = temporary("notes.csv");
    let names = ["a", "b\u{1b}[2J\u{9b}1m", "c"];
    let jobs = names.map(|name| format!("{name},0,100,1\n")).concat();
    let jobs = format!("job_id,submit_time,duration,num_gpus\n{jobs}");
    std::fs::write(&trace, jobs).expect("the folder is there");
    let script = temporary("notes.rhai");
    let text =
        "fn key(job, now) {\n    note(\"x\\x1b]0;y\\x07\\nfifo: runs\", 1);\n    job.gpus\n}\n";
    std::fs::write(&script, text).expect("the folder is there");
    let own = format!("script:{script}");
    let ran = switchyard(&[
        "why",
        &trace,
        "--job",
        "c",
        "--at",
        "50",
        "--cluster",
        "1x1",
        "--policy",
        &own,
        "--policy",
        "fifo",
    ]);
    let ran = { ran }.assert().success();
    let said = String::from_utf8_lossy(&ran.get_output().stdout).into_owned();
    assert!(said.contains("x␛]0;y␇␊fifo: runs: 1\n"), "{said}");
    assert!(
        said.contains("head of the queue, b␛[2J\u{fffd}1m\n"),
        "{said}"
    );
    let obeyed = said.chars().find(|&of| of != '\n' && of.is_control());
    assert_eq!(obeyed, None, "{said:?}");
    for file in [trace, script] {
        std::fs::remove_file(file).expect("it was written");
    }
}

#[test]
fn a_trace_with_dates_is_asked_about_dates() {
    let trace = temporary("dated.csv");
    let rows = "job_id,submit_time,duration,gpus\na,2024-03-30 23:00:00,3600,1\nb,2024-03-31 01:30:00,3600,1\n";
    std::fs::write(&trace, rows).expect("a file");
    let trace = trace.as_str();
    let said = |at: &str| {
        let asked = [
            "why",
            trace,
            "--policy",
            "fifo",
            "--cluster",
            "1x1",
            "--job",
            "b",
            "--at",
            at,
        ];
        let ran = switchyard(&asked).assert().success();
        String::from_utf8_lossy(&ran.get_output().stdout).into_owned()
    };
    let told = "Sun 31 Mar 2024 01:45:00 UTC, 9900 s after the begin\nfifo: runs\n";
    for at in [
        "2024-03-31 01:45",
        "2024-03-31T03:45+02:00",
        "9900",
        "2h45min",
    ] {
        assert!(said(at).starts_with(told), "{}", said(at));
    }
    let early = failure(2, &["why", trace, "--job", "b", "--at", "2024-03-29"]);
    assert!(
        early.contains("begins later, at Sat 30 Mar 2024 23:00:00 UTC"),
        "{early}"
    );
    let dates = [
        "why",
        "sample:lab",
        "--job",
        "lab-017",
        "--at",
        "2024-03-29",
    ];
    assert!(failure(2, &dates).contains("the trace has no dates"));
    let ran = switchyard(&["inspect", trace]).assert().success();
    let said = String::from_utf8_lossy(&ran.get_output().stdout).into_owned();
    let dates = "dates     Sat 30 Mar 2024 23:00:00 UTC to Sun 31 Mar 2024 01:30:00 UTC\n";
    assert!(said.contains(dates), "{said}");
    let _ = std::fs::remove_file(trace);
}
