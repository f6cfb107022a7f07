//! `switchyard why`.

use super::{failure, json, switchyard};

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
