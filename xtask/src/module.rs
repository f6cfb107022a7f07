//! `cargo xtask module`: the engine as a package for code, `dist/module/`. In: the crate `module/` and
//! the JavaScript around it; out: a folder that any static server may serve and `npm pack` takes.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::setup::Toolbox;
use crate::{lock, notices, shell, wasm, workspace};

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
    let engine = wasm::build(toolbox, notices::MODULE, "web", &folder, "engine")?;

    for file in FILES {
        let from = workspace::root().join(file);
        let name = from.file_name().context("a file without a name")?;
        shell::write(&folder.join(name), shell::read_bytes(&from)?)?;
    }
    let notices = notices::of(notices::MODULE, "This module")?;
    shell::write(&folder.join(notices::FILE), notices)?;
    is_of_this_version(&folder.join("package.json"))?;
    println!(
        "built {} ({} KB of wasm)",
        folder.display(),
        std::fs::metadata(&engine)?.len() / 1024
    );
    Ok(())
}

/// npm reads the version from a file of its own.
fn is_of_this_version(package: &Path) -> Result<()> {
    let text = shell::read(package)?;
    let package: Value = serde_json::from_str(&text).context("package.json is no JSON")?;
    let ours = env!("CARGO_PKG_VERSION");
    ensure!(
        package["version"] == ours,
        "module/package.json has the version {}, and Cargo.toml {ours}: make them the same",
        package["version"]
    );
    Ok(())
}
