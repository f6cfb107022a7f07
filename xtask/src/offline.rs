//! The published page as an app that is kept for when there is no network: its manifest, its icon, and the service worker
//! that answers for it (`static/service-worker.js`), which is told here what the files are.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::workspace::{BUNDLES, COLUMNAR, SCRIPTS, WORKER};
use crate::{notices, shell, workspace};

/// What makes a page an app.
pub(crate) const MANIFEST: &str = "<link rel=\"manifest\" href=\"./manifest.webmanifest\">";

/// The service worker. Its name stays, since browsers ask for it by that (`static/workers.js`).
const KEEPER: &str = "service-worker.js";

/// What lies beside the page as it lies in the checkout.
const BESIDE: [&str; 2] = ["manifest.webmanifest", "icon.svg"];

/// Hashes, as browsers write them, by the address that the page asks for.
type Files = BTreeMap<String, String>;

/// Writes all that it takes into `dist`, where the page, its parts and the lessons are finished.
pub(crate) fn write(dist: &Path) -> Result<()> {
    let source = workspace::root().join("static");
    for name in BESIDE {
        shell::write(&dist.join(name), shell::read_bytes(&source.join(name))?)?;
    }
    let index = shell::read(&dist.join("index.html"))?;
    ensure!(
        index.contains(MANIFEST),
        "the page does not name its manifest"
    );
    let version = version(&index)?;
    let versioned = |name: &str| format!("./{name}?v={version}");

    let mut first = Files::new();
    first.insert("./".to_owned(), hash(index.as_bytes()));
    for address in addresses(&index) {
        add(dist, &mut first, format!("./{address}"))?;
    }
    for name in WORKER {
        add(dist, &mut first, versioned(name))?;
    }
    let mut later = Files::new();
    let parts = SCRIPTS.into_iter().chain(COLUMNAR);
    for name in parts.chain(BUNDLES.map(|of| of.file)) {
        add(dist, &mut later, versioned(name))?;
    }
    for name in workspace::weights(dist)? {
        add(dist, &mut later, versioned(&name))?;
    }
    for name in [notices::FILE, "view.js", "icon.svg"] {
        add(dist, &mut later, format!("./{name}"))?;
    }
    for name in below(dist, "lessons")? {
        add(dist, &mut later, format!("./{name}"))?;
    }
    let script = shell::read(&source.join(KEEPER))?;
    shell::write(&dist.join(KEEPER), told(&script, &first, &later)?)
}

/// The service worker's script, which knows these files.
fn told(script: &str, first: &Files, later: &Files) -> Result<String> {
    // Whatever differs is another version, the script itself too.
    let all = serde_json::to_string(&(first, later))?;
    let version = hash(format!("{all}{script}").as_bytes());
    let kept = json!({ "version": version, "first": first, "later": later });
    Ok(format!(
        "const KEPT = {};\n{script}",
        serde_json::to_string_pretty(&kept)?
    ))
}

/// Adds a file by the address that the page asks for.
fn add(dist: &Path, files: &mut Files, address: String) -> Result<()> {
    let path = address.trim_start_matches("./");
    let path = path.split('?').next().unwrap_or(path);
    let hash = hash(&shell::read_bytes(&dist.join(path))?);
    files.insert(address, hash);
    Ok(())
}

fn hash(bytes: &[u8]) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(bytes)))
}

/// With which the page asks for what its build does not name by its content.
fn version(index: &str) -> Result<&str> {
    let (_, rest) = index
        .split_once("data-version=\"")
        .context("the page has no script that tells a version")?;
    let (version, _) = rest.split_once('"').context("an attribute has no end")?;
    Ok(version)
}

/// What the page loads by itself, all of it beside it: what links and scripts name, but for what one is led to by them.
fn addresses(index: &str) -> impl Iterator<Item = &str> {
    let named = ["href=\"./", "src=\"./", "data-rest=\"./"].map(|begin| {
        index.split(begin).skip(1).filter_map(move |rest| {
            let (name, _) = rest.split_once('"')?;
            let is_file = !name.contains('/') && !name.ends_with(".html");
            is_file.then_some(name)
        })
    });
    named.into_iter().flatten()
}

/// The files of a folder of `dist` and of those in it, by their addresses.
fn below(dist: &Path, folder: &str) -> Result<Vec<String>> {
    let path = dist.join(folder);
    let entries =
        std::fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            names.extend(below(dist, &name)?);
        } else {
            names.push(name);
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_page_loads_is_told_from_where_it_leads() {
        let index = "<link rel=\"preload\" href=\"./a.css\"><link rel=\"help\" href=\"./lessons/index.html\">\
             <link rel=\"alternate\" href=\"./switchyard.html\"><script src=\"./b.js\" data-rest=\"./c.wasm\" data-version=\"7f\"></script>\
             <a href=\"https://example.org/x.js\">";
        let mut named: Vec<&str> = addresses(index).collect();
        named.sort_unstable();
        assert_eq!(named, ["a.css", "b.js", "c.wasm"]);
        assert_eq!(version(index).expect("there"), "7f");
        assert!(version("<p>").is_err());
    }

    #[test]
    fn whatever_differs_is_another_version() {
        let files = |hash: &str| Files::from([("./".to_owned(), hash.to_owned())]);
        let none = Files::new();
        let of =
            |script: &str, first: &Files, later: &Files| told(script, first, later).expect("JSON");
        let version = |script: String| {
            let (_, rest) = script.split_once("\"version\": \"").expect("told");
            rest.split_once('"').expect("an end").0.to_owned()
        };
        let one = version(of("a", &files("1"), &none));
        assert_eq!(one, version(of("a", &files("1"), &none)));
        for other in [
            of("b", &files("1"), &none),
            of("a", &files("2"), &none),
            of("a", &none, &files("1")),
        ] {
            assert_ne!(one, version(other));
        }
        // The example of Subresource Integrity, W3C, section 3.1.
        assert_eq!(
            hash(b"alert('Hello, world.');"),
            "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="
        );
    }
}
