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

/// What makes something that others could get.
const BUILDS: [&str; 5] = [
    "cargo build",
    "cargo zigbuild",
    "maturin build",
    "npm pack",
    "xtask build",
];

/// What gives it to others.
const PUBLISHES: [&str; 5] = [
    "actions/deploy-pages@",
    "gh release create",
    "uv publish",
    "npm@11 publish",
    "cargo publish",
];

#[test]
fn only_what_has_been_tested_is_published() {
    for (name, text) in workflows() {
        let (before, publication) = text
            .split_once("\n  publish:\n")
            .unwrap_or_else(|| panic!("{name} publishes nothing"));
        let needs = publication.lines().next().unwrap_or_default();
        assert!(
            needs.starts_with("    needs: ") && needs.contains("test"),
            "{name}: {needs}"
        );
        for build in BUILDS {
            assert!(
                !publication.contains(build),
                "{name}: it publishes what {build} makes, untested"
            );
        }
        let publications = PUBLISHES.map(|what| publication.matches(what).count());
        assert!(publications.iter().sum::<usize>() > 0, "{name}");
        for what in PUBLISHES {
            assert!(!before.contains(what), "{name}: {what} before the tests");
        }
    }
}

#[test]
fn a_release_tries_each_package_before_it_publishes() {
    let (_, text) = workflows()
        .into_iter()
        .find(|(name, _)| name.ends_with("release.yml"))
        .expect("there is one");
    let (before, publication) = text.split_once("\n  publish:\n").expect("it publishes");
    assert!(publication.starts_with("    needs: [test, programs, wheels]\n"));
    // The module in the job that tests, programs and wheels in theirs.
    assert_eq!(
        before.matches("mkdir empty").count() + before.matches("mkdir -p empty").count(),
        2
    );
    assert!(before.contains("venv empty") && before.contains("release check"));
    // npm takes `folder/file` for the name of a repository, `./folder/file` for a file.
    let published = publication.split("npm@11 publish ").skip(1);
    assert_eq!(published.filter(|file| file.starts_with("./")).count(), 1);
}
