//! What runs on others' machines in our name: actions of exactly one commit, and publication only of
//! what has been tested.

use std::fs;
use std::path::Path;

/// The workflows, by name.
fn workflows() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.github/workflows");
    let files = fs::read_dir(folder).expect("there are workflows");
    files
        .map(|file| {
            let path = file.expect("it can be listed").path();
            let text = fs::read_to_string(&path).expect("it is text");
            (path.display().to_string(), text)
        })
        .collect()
}

#[test]
fn actions_are_pinned_to_a_commit_and_say_its_version() {
    let mut actions = 0;
    for (name, text) in workflows() {
        for line in text.lines() {
            let Some((_, action)) = line.split_once("uses: ") else {
                continue;
            };
            actions += 1;
            let (action, version) = action
                .split_once(" # v")
                .unwrap_or_else(|| panic!("{name}: {action} does not say its version"));
            let commit = action.split_once('@').map_or("", |(_, commit)| commit);
            let is_hash = commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit());
            assert!(is_hash, "{name}: {action} is not pinned to a commit");
            assert_eq!(version.split('.').count(), 3, "{name}: {action}");
        }
    }
    assert!(actions > 0);
}

#[test]
fn only_what_has_been_tested_is_published() {
    for (name, text) in workflows() {
        for job in text.split("\n  publish:\n").skip(1) {
            assert!(job.starts_with("    needs: test\n"), "{name}");
            assert!(
                !job.contains("run:"),
                "{name}: it builds something untested"
            );
        }
        let publications = text.matches("actions/deploy-pages@").count();
        assert_eq!(
            publications,
            text.matches("\n  publish:\n").count(),
            "{name}"
        );
    }
}
