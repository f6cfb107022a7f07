//! `cargo xtask module`: the engine as a package for code, `dist/module/`. In: the crate `module/` and
//! the JavaScript around it; out: a folder that any static server may serve and `npm pack` takes.

use anyhow::{Context, Result};

use crate::setup::Toolbox;
use crate::wasm::{Made, Package};
use crate::{lock, notices, release, shell, wasm, workspace};

/// What the package has besides the engine, as it lies in the checkout.
const FILES: [&str; 9] = [
    "module/package.json",
    "module/README.md",
    "module/js/functions.js",
    "module/js/switchyard.js",
    "module/js/switchyard.d.ts",
    "module/js/worker.js",
    "module/js/work.js",
    "LICENSE-APACHE",
    "LICENSE-MIT",
];

/// Makes it by itself.
pub(crate) fn module(toolbox: &Toolbox) -> Result<()> {
    let _lock = lock::lock()?;
    write(toolbox)
}

/// Makes it, in whatever else is in `dist/`.
pub(crate) fn write(toolbox: &Toolbox) -> Result<()> {
    let folder = workspace::dist().join("module");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    let engine = wasm::build(
        toolbox,
        &Package::library(notices::MODULE),
        Made::ForAll,
        "web",
        &folder,
        "engine",
    )?;

    for file in FILES {
        let from = workspace::root().join(file);
        let name = from.file_name().context("a file without a name")?;
        shell::write(&folder.join(name), shell::read_bytes(&from)?)?;
    }
    let notices = notices::of(notices::MODULE, "This module", Some(notices::WASM))?;
    shell::write(&folder.join(notices::FILE), notices)?;
    release::check_files()?;
    println!(
        "built {} ({} KB of wasm)",
        folder.display(),
        std::fs::metadata(&engine)?.len() / 1024
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_package_holds_what_is_made_and_no_more() -> Result<()> {
        let manifest = shell::read(&workspace::root().join("module/package.json"))?;
        let manifest: serde_json::Value = serde_json::from_str(&manifest)?;
        let listed = manifest["files"].as_array().context("no files")?;
        let listed: BTreeSet<&str> = listed.iter().filter_map(|file| file.as_str()).collect();
        // npm takes these two by itself.
        let own = ["package.json", "README.md"];
        let made = FILES
            .iter()
            .map(|file| file.rsplit('/').next().unwrap_or(file));
        let made = made.chain(["engine.js", "engine_bg.wasm", notices::FILE]);
        let made: BTreeSet<&str> = made.filter(|file| !own.contains(file)).collect();
        assert_eq!(listed, made);
        // What is imported is among it.
        let mut entries = vec![&manifest["main"], &manifest["types"]];
        for entry in manifest["exports"]
            .as_object()
            .context("no exports")?
            .values()
        {
            match entry.as_object() {
                Some(ways) => entries.extend(ways.values()),
                None => entries.push(entry),
            }
        }
        for entry in entries {
            let file = entry.as_str().and_then(|file| file.strip_prefix("./"));
            let file = file.or(entry.as_str()).unwrap_or_default();
            assert!(
                listed.contains(file) || own.contains(&file),
                "{entry} is not in the package"
            );
        }
        Ok(())
    }
}
