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

/// Of two GPUs `a` takes both from 0 to 100 s, and `b` both from then on to 150 s: `c`, which came last, waits behind `b`
/// until that starts, and for `b` afterwards.
fn waiting() -> String {
    let trace = temporary("whole.csv");
    let jobs =
        "job_id,submit_time,duration,num_gpus,user\na,0,100,2,ann\nb,10,50,2,ben\nc,20,10,1,ben\n";
    std::fs::write(&trace, jobs).expect("the folder is there");
    trace
}

#[test]
fn a_whole_life_is_told_by_cause_and_by_whom() {
    let trace = waiting();
    let asked = ["why", &trace, "--cluster", "1x2", "--policy", "fifo"];
    let whole = ["--policy", "srtf", "--whole", "--job", "c"];
    let lives = json(&[&asked[..], &whole, &["--json", "-"]].concat());
    let part = |spent: &str, amount: f64, share: f64, by: &[(&str, f64)]| {
        let by = by.iter();
        let by = by.map(|(job, caused)| serde_json::json!({ "job": job, "caused": caused }));
        serde_json::json!({
            "spent": spent, "law": null, "amount": amount, "share": share, "by": by.collect::<Vec<_>>()
        })
    };
    assert_eq!(lives[0]["policy"], "fifo");
    assert_eq!(lives[0]["seconds"], 140.0);
    let parts = [
        part("behind-head", 80.0, 80.0 / 140.0, &[("b", 80.0)]),
        part("outranked", 50.0, 50.0 / 140.0, &[("b", 50.0)]),
        part("running", 10.0, 10.0 / 140.0, &[]),
    ];
    assert_eq!(lives[0]["parts"], serde_json::json!(parts));
    // The shortest goes first.
    assert_eq!(
        lives[1]["parts"],
        serde_json::json!([part("running", 10.0, 1.0, &[])])
    );
    let ran = switchyard(&[&asked[..], &whole].concat())
        .assert()
        .success();
    let text = String::from_utf8_lossy(&ran.get_output().stdout).into_owned();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    assert_eq!(lines[0], "fifo: c was there for 2.33 min");
    assert!(lines.contains(&"because of b (80 s)"), "{text}");
}

#[test]
fn what_all_jobs_spent_their_lives_on_is_told_side_by_side() {
    let trace = waiting();
    let csv = temporary("lives.csv");
    let asked = [
        "why",
        &trace,
        "--cluster",
        "1x2",
        "--policy",
        "fifo",
        "--whole",
    ];
    let runs = json(&[&asked[..], &["--json", "-", "--csv", &csv]].concat());
    let all = &runs[0]["groups"][0];
    let close = |value: &serde_json::Value, seconds: f64| {
        let value = value.as_f64().expect("a number");
        assert!(
            (value * 3600.0 - seconds).abs() < 1e-6,
            "{value} {seconds}: {all}"
        );
    };
    // `b` waits for two GPUs for 90 s, and `c` for one for 130 s.
    close(&all["waited_gpu_hours"], 2.0 * 90.0 + 130.0);
    close(&all["gpu_hours"], 2.0 * 90.0 + 130.0 + 200.0 + 100.0 + 10.0);
    let amount = |spent: &str| {
        let mut parts = all["parts"].as_array().expect("parts").iter();
        let part = parts.find(|part| part["spent"] == spent).expect(spent);
        part["amount"].clone()
    };
    close(&amount("running"), 310.0);
    close(&amount("behind-head"), 80.0);
    close(&amount("outranked"), 2.0 * 90.0 + 50.0);
    let rows = std::fs::read_to_string(&csv).expect("written");
    assert_eq!(
        rows.lines().next(),
        Some("policy,group,jobs,spent,law,gpu_hours,share")
    );
    assert_eq!(rows.lines().count(), 4, "{rows}");

    let by_user = json(&[&asked[..], &["--by", "user", "--json", "-"]].concat());
    let groups = by_user[0]["groups"].as_array().expect("groups");
    let ben = groups.iter().find(|of| of["name"] == "ben").expect("ben");
    assert_eq!(ben["jobs"], 2);
    close(&ben["waited_gpu_hours"], 2.0 * 90.0 + 130.0);
    let ran = switchyard(&[&asked[..], &["--by", "user"]].concat());
    let ran = { ran }.assert().success();
    let text = String::from_utf8_lossy(&ran.get_output().stdout).into_owned();
    assert!(
        text.starts_with("user: ben\n"),
        "who waited most comes first: {text}"
    );
}

#[test]
fn a_whole_life_takes_no_moment() {
    let error = failure(
        2,
        &[
            "why",
            "sample:lab",
            "--policy",
            "fifo",
            "--whole",
            "--at",
            "5",
        ],
    );
    assert!(error.contains("--whole"), "{error}");
    let error = failure(
        2,
        &["why", "sample:lab", "--policy", "fifo", "--by", "user"],
    );
    assert!(error.contains("--whole"), "{error}");
    let error = failure(
        2,
        &[
            "why",
            "sample:lab",
            "--policy",
            "fifo",
            "--whole",
            "--by",
            "usr",
        ],
    );
    assert!(error.contains("did you mean 'user'?"), "{error}");
}
