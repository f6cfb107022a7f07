//! What the registries ask of packages, and what packages say of themselves twice.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// What stands between two texts.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = text
        .split_once(before)
        .unwrap_or_else(|| panic!("there is no {before:?}"));
    let (between, _) = rest
        .split_once(after)
        .unwrap_or_else(|| panic!("{before:?} does not end"));
    between
}

/// What a crate lacks that the registry of crates asks for.
fn lacks(package: &Value) -> Vec<String> {
    let mut lacks: Vec<String> = ["description", "license", "rust_version"]
        .into_iter()
        .filter(|field| package[*field].as_str().is_none_or(str::is_empty))
        .map(str::to_owned)
        .collect();
    // An empty list of registries: `publish = false`.
    if !package["publish"].is_null() {
        lacks.push("that it may be published".to_owned());
    }
    for needed in package["dependencies"].as_array().into_iter().flatten() {
        if needed["path"].is_string() && needed["req"] == "*" {
            lacks.push(format!("the version of {}", needed["name"]));
        }
    }
    lacks
}

#[test]
fn the_crates_that_are_published_are_those_that_the_command_line_is_made_of() {
    let said = Command::new(env!("CARGO"))
        .current_dir(root())
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&said.stdout).expect("it tells of packages");
    let packages = metadata["packages"].as_array().expect("a list");
    let of = |name: &str| {
        let found = packages.iter().find(|package| package["name"] == name);
        found.unwrap_or_else(|| panic!("there is no package {name}"))
    };
    let mut wanted = vec!["switchyard-gpu".to_owned()];
    let mut needed = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        let package = of(&name);
        assert_eq!(lacks(package), [""; 0], "{name} lacks");
        if needed.insert(name) {
            let dependencies = package["dependencies"].as_array().into_iter().flatten();
            let ours = dependencies.filter(|needed| needed["path"].is_string());
            wanted.extend(ours.map(|needed| needed["name"].as_str().expect("a name").to_owned()));
        }
    }
    assert!(needed.len() > 10, "{needed:?}");
    let published: BTreeSet<String> = packages
        .iter()
        .filter(|package| package["publish"].is_null())
        .map(|package| package["name"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(published, needed);
    assert!(!lacks(of("switchyard-web")).is_empty());
}

#[test]
fn python_says_which_rust_and_which_pythons_alike() {
    let project = read("python/pyproject.toml");
    let rust = read("Cargo.toml");
    let rust = between(&rust, "\nrust-version = \"", "\"");
    let hooks = read("python/build_backend/from_source.py");
    let least = between(&hooks, "\nLEAST = (", ")").replace(", ", ".");
    assert_eq!(least, rust);

    let least = between(&project, "\nrequires-python = \">=", "\"");
    let feature = format!("\"abi3-py{}\"", least.replace('.', ""));
    assert!(read("python/Cargo.toml").contains(&feature), "{feature}");
    let classifier = "\"Programming Language :: Python :: 3.";
    let first = between(&project, classifier, "\"");
    assert_eq!(format!("3.{first}"), least);
    for licence in between(&project, "\nlicense-files = [", "]").split(", ") {
        let text = read(&format!("python/{}", licence.trim_matches('"')));
        assert!(text.len() > 500, "{licence}");
    }
}

#[test]
fn all_workflows_have_the_compiler_that_the_crates_ask_for() {
    let manifest = read("Cargo.toml");
    let rust = between(&manifest, "\nrust-version = \"", "\"");
    for (workflow, before, after) in [
        ("ci.yml", "rustup toolchain install ", " "),
        ("release.yml", "\n  RUST: \"", "\""),
    ] {
        let text = read(&format!(".github/workflows/{workflow}"));
        let installed = between(&text, before, after);
        assert!(
            installed.starts_with(&format!("{rust}.")),
            "{workflow}: {installed}, and Cargo.toml says {rust}"
        );
    }
}
