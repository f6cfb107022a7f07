//! `switchyard start`: when a job would start.

use super::{failure, json, printed};

#[test]
fn says_when_who_is_before_and_what_helps() {
    let asked = |more: &[&'static str]| {
        let asked = ["start", "sample:lab", "--policy", "fifo", "--draws", "20"];
        [&asked[..], more].concat()
    };
    let told = json(&asked(&["--at", "11h", "--gpus", "8", "--json", "-"]));
    let told = &told[0];
    assert_eq!(
        (&told["moment"], &told["draws"]),
        (&39_600.0.into(), &20.into())
    );
    let number = |name: &str| told["when"][name].as_f64().expect("a number");
    assert!(number("p05") <= number("p50") && number("p50") <= number("p90"));
    assert!(number("p90") <= number("p95") && number("p05") >= 39_600.0);
    assert!(number("p95") > 39_600.0, "it has to wait: {told}");
    let before = told["before"].as_array().expect("a list");
    assert!(before.iter().all(|of| of["share"].as_f64() >= Some(0.5)));
    let help = told["help"].as_array().expect("a list");
    assert_eq!(help[0]["what"], "with 4 GPUs");
    assert!(help[0]["earlier"].is_number());
    // The same question has the same answer, whatever else is asked.
    let again = json(&asked(&[
        "--at",
        "11h",
        "--gpus",
        "8",
        "--no-help",
        "--json",
        "-",
    ]));
    assert_eq!(again[0]["when"], told["when"]);
    let text = printed(&asked(&["--at", "11h", "--gpus", "8", "--user", "nobody"]));
    for said in [
        "half of the time before ",
        ", nine of ten before ",
        "before it: ",
        "if all run to their limits",
        "with 4 GPUs: half of the time before ",
        "its own duration by all jobs",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn what_cannot_be_asked_is_said() {
    let why = |more: &[&str]| failure(2, &[&["start", "sample:lab"], more].concat());
    assert!(why(&["--at", "1h", "--policy", "srtf"]).contains("which nobody knows before"));
    let large = why(&["--at", "1h", "--policy", "fifo", "--gpus", "5000"]);
    assert!(
        large.contains("it wants 5000 GPUs, which this cluster"),
        "{large}"
    );
    assert!(why(&["--at", "1h", "--job", "nobody"]).contains("there is no job 'nobody'"));
    assert!(why(&["--at", "900d", "--policy", "fifo"]).contains("after the trace"));
}

#[test]
fn where_no_job_has_ended_times_are_guesses_and_no_limit_is_made_up() {
    let asked = ["start", "sample:two-teams", "--at", "3h", "--gpus", "4"];
    let more = ["--queue", "vision", "--policy", "kueue", "--draws", "5"];
    let told = printed(&[&asked[..], &more[..]].concat());
    assert!(told.contains("times are guesses"), "{told}");
    assert!(!told.contains("to their limits"), "{told}");
    let told = json(&[&asked[..], &more[..], &["--json", "-"]].concat());
    assert!(told[0]["plain"].is_null() && told[0]["basis"].is_null());
}

#[test]
fn answers_are_put_beside_what_happened() {
    let told = json(&[
        "paper",
        "start",
        "sample:lab",
        "--policy",
        "fifo",
        "--questions",
        "5",
        "--draws",
        "10",
        "--json",
        "-",
    ]);
    let told = &told[0];
    assert_eq!(told["questions"], 5);
    assert_eq!(told["askings"].as_array().map(Vec::len), Some(5));
    for share in ["covered", "covered_of_all", "plain_covered"] {
        assert!(
            (0.0..=1.0).contains(&told[share].as_f64().expect("a share")),
            "{share}"
        );
    }
}
