//! Which crate may use which is said in ARCHITECTURE.md, under "Boundaries", and nowhere else: manifests and sources
//! keep to that table. A name with "(tests)" behind it may be used by tests alone. Within a crate, no files need one
//! another: what both need stands in a file below them.
#![cfg(not(target_arch = "wasm32"))]

mod circles;

use circles::Sources;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Workspaces of their own, beside the one that all others belong to.
const MANIFESTS: [&str; 3] = ["Cargo.toml", "train/Cargo.toml", "fuzz/Cargo.toml"];

/// The heading of the table.
const HEADING: &str = "## Boundaries";

/// What stands behind a crate that tests alone may use.
const TESTS: &str = " (tests)";

/// What may be used, by who may.
type Table = BTreeMap<String, BTreeSet<String>>;

/// A crate that uses another one.
#[derive(Debug)]
struct Arrow {
    from: String,
    to: String,
    /// Whether only its tests do.
    in_tests: bool,
}

/// A crate of ours, as Cargo knows it.
struct Package {
    name: String,
    folder: PathBuf,
    arrows: Vec<Arrow>,
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// What the table calls a package: without the name that all begin with. Two are published under other names than they
/// have here, which belong to other projects.
fn short(package: &str) -> &str {
    match package {
        "switchyard-core" => "switchyard",
        "switchyard-gpu" => "cli",
        _ => package.strip_prefix("switchyard-").unwrap_or(package),
    }
}

/// The rows of the table in a document.
fn table(document: &str) -> Table {
    let (_, below) = document.split_once(HEADING).expect("there is the heading");
    let section = below.split("\n## ").next().unwrap_or(below);
    let rows = section.lines().filter_map(|line| {
        let cells = line.trim().strip_prefix('|')?.strip_suffix('|')?;
        let (name, others) = cells.split_once('|')?;
        let name = name.trim().trim_matches('`');
        let is_row = name != "crate" && !name.starts_with('-');
        let others = others.split(',').map(|other| other.trim().replace('`', ""));
        let others = others.filter(|other| !["", "–"].contains(&other.as_str()));
        is_row.then(|| (name.to_owned(), others.collect()))
    });
    rows.collect()
}

/// What of these arrows the table does not allow, a sentence each.
fn forbidden(table: &Table, arrows: &[Arrow]) -> Vec<String> {
    let refused = arrows.iter().filter_map(|Arrow { from, to, in_tests }| {
        let Some(may) = table.get(from) else {
            return Some(format!("{from} has no row"));
        };
        let is_allowed = may.contains(to) || *in_tests && may.contains(&format!("{to}{TESTS}"));
        let whose = if *in_tests { "the tests of " } else { "" };
        (!is_allowed).then(|| format!("{whose}{from} may not use {to}"))
    });
    refused.collect()
}

/// The crates of a workspace.
fn packages(manifest: &str) -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .arg("--manifest-path")
        .arg(root().join(manifest))
        .output()
        .expect("Cargo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{manifest}: {said}");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = |of: &Value, key: &str| of[key].as_str().unwrap_or_default().to_owned();
    let all = |of: &Value, key: &str| of[key].as_array().cloned().unwrap_or_default();
    let package = |package: Value| {
        let name = short(&text(&package, "name")).to_owned();
        let ours = |of: &Value| of["path"].is_string();
        let arrows = all(&package, "dependencies").into_iter().filter(ours);
        let arrows = arrows.map(|of| Arrow {
            from: name.clone(),
            to: short(&text(&of, "name")).to_owned(),
            in_tests: of["kind"] == "dev",
        });
        let mut folder = PathBuf::from(text(&package, "manifest_path"));
        folder.pop();
        Package {
            arrows: arrows.collect(),
            name,
            folder,
        }
    };
    all(&metadata, "packages")
        .into_iter()
        .map(package)
        .collect()
}

/// The crates of ours that a source names in a path, comments left out.
fn used(source: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = BTreeSet::new();
    for line in source.lines().filter(|line| !line.trim().starts_with("//")) {
        for (at, _) in line.match_indices("switchyard") {
            let rest = &line[at..];
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let is_path = rest[end..].starts_with("::") || rest[end..].starts_with(" as ");
            if is_path && !line[..at].ends_with(is_name) {
                found.insert(short(&rest[..end].replace('_', "-")).to_owned());
            }
        }
    }
    found
}

/// The crates of ours that are named below a folder.
fn used_below(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return found;
    };
    for entry in entries {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            found.append(&mut used_below(&path));
        } else if path.extension().is_some_and(|of| of == "rs") {
            found.append(&mut used(&fs::read_to_string(&path).expect("text")));
        }
    }
    found
}

#[test]
fn crates_use_what_the_table_of_boundaries_allows() {
    let document = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("text");
    let table = table(&document);
    let packages: Vec<Package> = MANIFESTS.iter().flat_map(|of| packages(of)).collect();
    let mut wrong = Vec::new();
    for package in &packages {
        let name = &package.name;
        if !table.contains_key(name) {
            wrong.push(format!("{name} has no row"));
        }
        wrong.append(&mut forbidden(&table, &package.arrows));
        let mut sources = BTreeSet::new();
        for folder in ["src", "tests", "benches", "examples", "fuzz_targets"] {
            sources.append(&mut used_below(&package.folder.join(folder)));
        }
        for to in &sources {
            let declared = package.arrows.iter().any(|arrow| arrow.to == *to);
            if !declared && to != name {
                let is_known = packages.iter().any(|other| other.name == *to);
                let why = if is_known { "" } else { ", which is no crate" };
                wrong.push(format!("{name} names {to}{why}, and does not declare it"));
            }
        }
    }
    for (name, may) in &table {
        for of in may
            .iter()
            .map(|other| other.trim_end_matches(TESTS))
            .chain([name.as_str()])
        {
            if packages.iter().all(|package| package.name != of) {
                wrong.push(format!("the table names {of}, which is no crate"));
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_arrow_that_the_table_does_not_allow_is_found() {
    let table = table(
        "# Map\n\n| crate | may use |\n|--|--|\n| x | y |\n\n## Boundaries\n\n| crate | may use |\n| --- | --- |\n\
         | `model` | – |\n| `sim` | `model`, `trace` (tests) |\n\n## Later\n\n| z | model |\n",
    );
    assert_eq!(table.keys().collect::<Vec<_>>(), ["model", "sim"]);
    assert!(table["model"].is_empty());
    let arrow = |from: &str, to: &str, in_tests| Arrow {
        from: from.to_owned(),
        to: to.to_owned(),
        in_tests,
    };
    let found = |from, to, in_tests| forbidden(&table, &[arrow(from, to, in_tests)]);
    for (from, to, in_tests) in [
        ("sim", "model", false),
        ("sim", "model", true),
        ("sim", "trace", true),
    ] {
        assert!(found(from, to, in_tests).is_empty(), "{from} {to}");
    }
    assert_eq!(found("model", "sim", false), ["model may not use sim"]);
    assert_eq!(found("sim", "trace", false), ["sim may not use trace"]);
    assert_eq!(
        found("model", "sim", true),
        ["the tests of model may not use sim"]
    );
    assert_eq!(found("web", "model", false), ["web has no row"]);
}

#[test]
fn crates_are_found_in_paths_and_not_in_comments_or_other_names() {
    // In capitals, so that it is not found itself.
    let source = "use SWITCHYARD_app::driver::Driver;\nlet a = SWITCHYARD::Time::ZERO;\n\
                  pub use SWITCHYARD_report as report;\n// SWITCHYARD_sim::Plan\n\
                  let SWITCHYARD = my_SWITCHYARD_rows::of(\"SWITCHYARD: none\");\n";
    let used: Vec<String> = used(&source.replace("SWITCHYARD", "switchyard"))
        .into_iter()
        .collect();
    assert_eq!(used, ["app", "report", "switchyard"]);
}

#[test]
fn no_files_of_a_crate_need_one_another() {
    let read = |path: &Path| fs::read_to_string(path).ok();
    let mut wrong = Vec::new();
    let mut count = 0;
    for package in MANIFESTS.iter().flat_map(|of| packages(of)) {
        let source = package.folder.join("src");
        let firsts = ["lib.rs", "main.rs", "bin/app/main.rs"].map(|first| source.join(first));
        let firsts = firsts.iter().filter(|first| first.exists());
        let circles = firsts
            .inspect(|_| count += 1)
            .flat_map(|first| Sources::of(first, &read).circles());
        wrong.extend(circles);
    }
    assert!(count > 20, "only {count} programs and libraries were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The circles of a crate of these files.
fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
    let read = |path: &Path| {
        let file = files.iter().find(|(name, _)| Path::new(name) == path);
        file.map(|(_, text)| (*text).to_owned())
    };
    Sources::of(Path::new("lib.rs"), &read).circles()
}

#[test]
fn a_circle_is_found_whichever_way_names_go() {
    for (a, b) in [
        (
            "use crate::b::B; pub struct A;",
            "use super::a::A; pub struct B;",
        ),
        (
            "pub struct A(crate::b::B);",
            "use crate::a; pub type B = a::A;",
        ),
        ("use crate::B; pub struct A;", "use crate::A; pub struct B;"),
        (
            "use crate::b::*; pub struct A(B);",
            "pub struct B; fn f() { vec![crate::a::A::new()]; }",
        ),
        (
            "pub(crate) use crate::b::B; pub struct A; type C = crate::b::B;",
            "use crate::a::A; pub struct B;",
        ),
    ] {
        let first = ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;");
        let circles = circles_of(&[first, ("a.rs", a), ("b.rs", b)]);
        assert_eq!(circles.len(), 1, "{a} {b}");
        assert!(
            circles[0].starts_with("a circle of 2 files"),
            "{}",
            circles[0]
        );
    }
    let parent = ("lib.rs", "mod a; pub struct Parent(a::A);");
    assert_eq!(
        circles_of(&[parent, ("a.rs", "pub struct A(Box<crate::Parent>);")]).len(),
        1
    );
}

#[test]
fn files_that_stand_above_one_another_are_no_circle() {
    let first = (
        "lib.rs",
        "mod a; mod b; mod c; pub use a::A; pub use b::B; pub use c::C;",
    );
    let c = ("c/mod.rs", "mod d; pub use d::D; pub struct C;");
    let d = ("c/d.rs", "use super::C; pub struct D(C);");
    for (a, b) in [
        (
            "use crate::b::B; pub struct A;",
            "pub struct B; // crate::a::A",
        ),
        (
            "use crate::B; pub struct A;",
            "pub struct B; #[cfg(test)] mod tests { use crate::A; }",
        ),
        (
            "use crate::b::B; pub struct A;",
            "use a::A; pub struct B(pub(in crate::a) u8);",
        ),
        (
            "use crate::c::D; pub struct A(D);",
            "use crate::c::C; pub struct B(C);",
        ),
    ] {
        let circles = circles_of(&[first, c, d, ("a.rs", a), ("b.rs", b)]);
        assert!(circles.is_empty(), "{a} {b}: {}", circles.join("\n"));
    }
}
