//! `cargo xtask build`: the page as it is published.

use std::hash::{DefaultHasher, Hasher};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::setup::{Need, Toolbox};
use crate::{shell, single_file, workspace};

/// What a build takes.
pub(crate) const NEEDS: &[Need] = &[Need::WasmStd, Need::WasmOpt, Need::WasmBindgen, Need::Trunk];

/// The script that Trunk writes to load the worker.
const WORKER_LOADER: &str = "worker_loader.js";

/// Makes `dist/`, and in it `switchyard.html`, which is all of it in one file.
pub(crate) fn build(toolbox: &Toolbox) -> Result<()> {
    shell::run(trunk(toolbox)?.args(["build", "--release"]))?;
    let dist = workspace::dist();
    let index = shell::read(&dist.join("index.html"))?;
    let single = dist.join("switchyard.html");
    shell::write(&single, single_file::inline(&dist, &index)?)?;
    shell::write(&dist.join("index.html"), version_worker(&dist, &index)?)?;
    println!(
        "built {} and {} ({} KB, opens from a disk)",
        dist.display(),
        single.display(),
        std::fs::metadata(&single)?.len() / 1024
    );
    Ok(())
}

/// Trunk, with the tools that it would otherwise fetch on its `PATH`.
pub(crate) fn trunk(toolbox: &Toolbox) -> Result<Command> {
    let mut trunk = toolbox.wasm_command("trunk")?;
    trunk.env("TRUNK_SKIP_VERSION_CHECK", "true");
    // Others set this to 1, which Trunk takes for an error.
    if std::env::var_os("NO_COLOR").is_some() {
        trunk.env("NO_COLOR", "true");
    }
    Ok(trunk)
}

/// Trunk names the worker's files after its program alone, so that a browser may keep an old worker
/// for a new page. Here their addresses get a version made of their content, and the page is told.
fn version_worker(dist: &Path, index: &str) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for name in ["worker.js", "worker_bg.wasm"] {
        let path = dist.join(name);
        hasher.write(
            &std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?,
        );
    }
    let version = format!("{:016x}", hasher.finish());

    let loader = shell::read(&dist.join(WORKER_LOADER))?;
    let versioned = loader
        .replace("worker.js\"", &format!("worker.js?v={version}\""))
        .replace("worker_bg.wasm\"", &format!("worker_bg.wasm?v={version}\""));
    ensure!(
        versioned.matches(&version).count() == 2,
        "Trunk's {WORKER_LOADER} has changed its form: {loader}"
    );
    shell::write(&dist.join(WORKER_LOADER), versioned)?;

    single_file::add_to_head(
        index,
        &format!(
            "<script>globalThis.switchyardWorkerUrl = \"./{WORKER_LOADER}?v={version}\";</script>"
        ),
    )
}
