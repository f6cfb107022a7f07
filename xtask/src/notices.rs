//! The notices of the crates of others that are part of what we give away, and of the
//! npm packages that the page's bundles are made of: their names, versions and licences, and the licences' texts as
//! their packages hold them. In: what cargo says of the packages, and the bundles' lock
//! files; out: `THIRD-PARTY.txt`, which lies beside the page, within the single file, and in every package of a release.
//!
//! By hand: cargo-about knows no npm packages, and set-up would have to compile it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::workspace::Bundle;
use crate::{shell, workspace};

/// The file's name, beside the page and in packages.
pub(crate) const FILE: &str = "THIRD-PARTY.txt";

/// The package that the page's programs are built from.
const PAGE: &str = "switchyard-web";

/// The one that the module is built from.
pub(crate) const MODULE: &str = "switchyard-module";

/// The command line tool.
pub(crate) const PROGRAM: &str = "switchyard-gpu";

/// The engine as a Python package.
pub(crate) const PYTHON: &str = "switchyard-python";

/// What the page's programs and the module run on.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Whose text stands for what a package leaves out; every one so far may be had under it.
const APACHE: &str = "LICENSE-APACHE";

/// Writes those of the page where Trunk looks for them.
pub(crate) fn write() -> Result<()> {
    let target = workspace::wasm_target_dir();
    std::fs::create_dir_all(&target)
        .with_context(|| format!("cannot create {}", target.display()))?;
    let mut text = of(PAGE, "Its page", Some(WASM))?;
    for bundle in workspace::BUNDLES {
        text += &format!("\n{}", of_bundle(&bundle)?);
    }
    shell::write(&target.join(FILE), text)
}

/// Those of a bundle, which lies beside the page: what its lock file says is not for building alone.
fn of_bundle(bundle: &Bundle) -> Result<String> {
    let folder = bundle.folder();
    let lock: Value = serde_json::from_str(&shell::read(&folder.join("package-lock.json"))?)
        .with_context(|| format!("the lock file of {} is no JSON", bundle.title))?;
    let listed = lock["packages"].as_object().context("no packages")?;
    let mut packages = Vec::new();
    for (place, package) in listed {
        let Some(name) = place.strip_prefix("node_modules/") else {
            continue;
        };
        if package["dev"] == true {
            continue;
        }
        let field = |key: &str| package[key].as_str().unwrap_or_default();
        packages.push(Package {
            name: format!("{name} {}", field("version")),
            licence: field("license").to_owned(),
            place: String::new(),
            folder: folder.join(place),
        });
    }
    let Bundle { title, file, .. } = bundle;
    let title = title[..1].to_uppercase() + &title[1..];
    told(
        format!("{title}, {file}, is made with these packages:\n\n"),
        packages,
    )
}

/// A package of others.
struct Package {
    /// With its version.
    name: String,
    licence: String,
    /// Its repository, if it is known.
    place: String,
    folder: PathBuf,
}

/// Those of a program, by its package; `what`: the program, in a sentence; `target`: where it runs, if not everywhere.
pub(crate) fn of(package: &str, what: &str, target: Option<&str>) -> Result<String> {
    let mut ask = shell::command("cargo");
    ask.current_dir(workspace::root())
        .args(["metadata", "--format-version", "1", "--locked"])
        // Of all of the page's programs.
        .args([
            "--features",
            "switchyard-web/columnar,switchyard-web/scripts",
        ]);
    if let Some(target) = target {
        ask.args(["--filter-platform", target]);
    }
    let metadata = shell::output(&mut ask)?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata is no JSON")?;
    notices(&metadata, package, what)
}

fn notices(metadata: &Value, of: &str, what: &str) -> Result<String> {
    let text = format!(
        "Switchyard is MIT OR Apache-2.0. {what} is made with Rust's standard library (MIT OR\n\
         Apache-2.0, the Rust Project Developers) and with these packages:\n\n",
    );
    let mut packages = Vec::new();
    for package in linked(metadata, of)? {
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        let folder = Path::new(field("manifest_path"))
            .parent()
            .context("a package lies nowhere")?;
        packages.push(Package {
            name: format!("{} {}", field("name"), field("version")),
            licence: field("license").to_owned(),
            place: field("repository").to_owned(),
            folder: folder.to_owned(),
        });
    }
    told(text, packages)
}

/// A text with packages, and each licence once.
fn told(mut text: String, packages: Vec<Package>) -> Result<String> {
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        let Package { name, licence, .. } = &package;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}: {licence}. {}", package.place);
        let mut files = licence_files(&package.folder, licence)?;
        if files.is_empty() {
            files.push(workspace::root().join(APACHE));
        }
        for file in files {
            let licence = shell::read(&file)?.replace("\r\n", "\n").trim().to_owned();
            users.entry(licence).or_default().push(name.clone());
        }
    }
    for (licence, users) in users {
        let _ = write!(
            text,
            "\n{}\n{}\n\n{licence}\n",
            "-".repeat(80),
            users.join(", ")
        );
    }
    Ok(text)
}

/// The packages of others that end up in what is built from a package of ours, by name.
fn linked<'a>(metadata: &'a Value, of: &str) -> Result<Vec<&'a Value>> {
    let list = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let packages = metadata["packages"].as_array().context("no packages")?;
    let package = |id: &Value| packages.iter().find(|package| package["id"] == *id);
    let runs_at_build_time = |package: &Value| {
        list(&package["targets"])
            .iter()
            .any(|target| list(&target["kind"]).contains(&"proc-macro".into()))
    };
    let nodes = metadata["resolve"]["nodes"]
        .as_array()
        .context("no graph")?;
    let first = packages.iter().find(|package| package["name"] == of);
    let first = first.with_context(|| format!("there is no package {of}"))?;
    let mut wanted = vec![first["id"].clone()];
    let mut seen = BTreeSet::new();
    let mut linked = Vec::new();
    while let Some(id) = wanted.pop() {
        let found = package(&id).with_context(|| format!("no package {id}"))?;
        if runs_at_build_time(found) || !seen.insert(id.to_string()) {
            continue;
        }
        if !found["source"].is_null() {
            linked.push(found);
        }
        let node = nodes.iter().find(|node| node["id"] == id);
        for needed in node.map(|node| list(&node["deps"])).unwrap_or_default() {
            let is_linked = |kind: &Value| kind["kind"].is_null();
            if list(&needed["dep_kinds"]).iter().any(is_linked) {
                wanted.push(needed["pkg"].clone());
            }
        }
    }
    linked.sort_by_key(|package| package["id"].to_string());
    Ok(linked)
}

/// The texts in a package's folder; of a choice of licences the MIT's alone, and what must go with it.
fn licence_files(folder: &Path, licence: &str) -> Result<Vec<PathBuf>> {
    let name = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().to_ascii_uppercase()
    };
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut files = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    files.retain(|path| {
        let kinds = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT"];
        path.is_file() && kinds.iter().any(|kind| name(path).starts_with(kind))
    });
    let is_choice = licence.contains(" OR ") && !licence.contains(" AND ");
    if is_choice && files.iter().any(|path| name(path).contains("MIT")) {
        files.retain(|path| !name(path).starts_with("LICEN") || name(path).contains("MIT"));
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_linked_is_named_with_its_text() {
        let package = |id: &str, source: Value, kind: &str| {
            json!({ "id": id, "name": id, "version": "1.2.3", "license": "MIT OR Apache-2.0",
                "source": source, "targets": [{ "kind": [kind] }],
                "manifest_path": format!("{}/Cargo.toml", workspace::root().display()) })
        };
        let needs = |id: &str, kind: Value| json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [
                package(PAGE, Value::Null, "lib"), package("linked", json!("registry"), "lib"),
                package("tested", json!("registry"), "lib"), package("derived", json!("registry"), "proc-macro"),
            ],
            "resolve": { "nodes": [{ "id": PAGE, "deps": [
                needs("linked", Value::Null), needs("tested", json!("dev")), needs("derived", Value::Null),
            ] }] },
        });
        let text = notices(&metadata, PAGE, "Its page").expect("sound");
        assert!(
            text.contains("\nlinked 1.2.3: MIT OR Apache-2.0."),
            "{text}"
        );
        assert!(
            !text.contains("tested") && !text.contains("derived"),
            "{text}"
        );
        // One of the choice is enough.
        assert!(text.contains("Permission is hereby granted"), "{text}");
        assert!(!text.contains("TERMS AND CONDITIONS"), "{text}");
    }
}
