//! What the program says of itself: help, completions, pages for man, the list of policies.

use super::{switchyard, temporary};

fn said(arguments: &[&str]) -> String {
    let output = switchyard(arguments).assert().success();
    String::from_utf8_lossy(&output.get_output().stdout).into_owned()
}

#[test]
fn help_is_grouped_short_and_has_examples() {
    for command in ["run", "compare", "why", "start", "capacity", "convert"] {
        let help = said(&[command, "--help"]);
        for heading in [
            "Schedulers and cluster:",
            "How jobs run:",
            "Failures:",
            "What jobs train:",
            "Jobs of the trace:",
        ] {
            assert!(help.contains(heading), "{command}: {heading}");
        }
        assert_eq!(help, said(&[command, "-h"]));
    }
    for command in [
        "open", "run", "compare", "why", "start", "capacity", "inspect", "convert", "sweep",
    ] {
        let help = said(&[command, "--help"]);
        assert!(help.contains("Examples:\n  switchyard "), "{command}");
        let widest = help.lines().map(|line| line.chars().count()).max();
        assert!(
            widest.is_some_and(|widest| widest <= 100),
            "{command}: {widest:?}"
        );
        // No option takes more than a sentence of three lines.
        let mut lines = 0;
        for line in help.lines() {
            lines = match line.trim_start().starts_with('-') || !line.starts_with("      ") {
                true => 1,
                false => lines + 1,
            };
            assert!(lines <= 3, "{command}: {line}");
        }
    }
    // The whole of it is a command away.
    let (short, long) = (said(&["run", "--help"]), said(&["help", "run"]));
    assert!(long.len() > short.len() + 2_000);
    assert!(long.contains("GPUs are held meanwhile") && !short.contains("GPUs are held meanwhile"));
}

#[test]
fn shells_complete_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = said(&["completions", shell]);
        for word in ["inspect", "checkpoint-interval", "tiresias", "completions"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    switchyard(&["completions", "cmd"]).assert().code(2);
}

#[test]
fn there_is_a_page_of_each_command() {
    let page = said(&["man"]);
    assert!(page.contains(".TH switchyard 1") && page.contains("switchyard\\-why(1)"));
    let folder = format!("{}/man1", temporary("man"));
    switchyard(&["man", &folder]).assert().success();
    for name in ["switchyard", "switchyard-run", "switchyard-paper-gavel"] {
        let page = std::fs::read_to_string(format!("{folder}/{name}.1"));
        let page = page.expect("it was written");
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
    }
    let run = std::fs::read_to_string(format!("{folder}/switchyard-run.1"));
    assert!(
        run.expect("it was written")
            .contains("GPUs are held meanwhile")
    );
    std::fs::remove_dir_all(temporary("man")).expect("ours");
}

#[test]
fn the_list_of_policies_names_each_placement_once() {
    let list = said(&["policies"]);
    for placement in ["gpu-clustering", "load-balancing", "dot-prod"] {
        assert_eq!(list.matches(placement).count(), 1, "{placement}");
    }
    assert!(list.matches("placement=default").count() > 10, "{list}");
}
