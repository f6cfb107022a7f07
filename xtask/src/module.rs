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
    let notices = notices::of(notices::MODULE, "This module")?;
    shell::write(&folder.join(notices::FILE), notices)?;
    release::check_files()?;
    println!(
        "built {} ({} KB of wasm)",
        folder.display(),
        std::fs::metadata(&engine)?.len() / 1024
    );
    Ok(())
}
