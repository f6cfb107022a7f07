//! `cargo xtask build`: the page as it is published, and beside it the module.

use std::hash::{DefaultHasher, Hasher};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::setup::{Need, Toolbox};
use crate::wasm::Made;
use crate::workspace::{BUNDLES, COLUMNAR, SCRIPTS, WORKER};
use crate::{
    few_files, first_picture, lessons, lock, module, notices, offline, parts, policy, programs,
    shell, single_file, workspace,
};

/// What makes Trunk build as it is published: the profile `page` of `Cargo.toml`.
pub(crate) const RELEASE: [&str; 3] = ["--release", "--cargo-profile", "page"];

/// What a build takes.
pub(crate) const NEEDS: &[Need] = &[
    Need::WasmStd,
    Need::WasmOpt,
    Need::BundlePackages,
    Need::WasmBindgen,
    Need::Trunk,
];

/// Makes `dist/`, in it `switchyard.html`, which is all of the page in one file, and `module/`, `lessons/` and
/// `article/`.
pub(crate) fn build(toolbox: &Toolbox) -> Result<()> {
    let _lock = lock::lock()?;
    shell::run(trunk(toolbox)?.args(["build", "--locked"]).args(RELEASE))?;
    let dist = workspace::dist();
    let [_, program] = WORKER;
    parts::order(&dist.join(program))?;
    programs::build(toolbox, Made::ForAll, &dist)?;
    let index = shell::read(&dist.join("index.html"))?;
    let single = dist.join("switchyard.html");
    let html = single_file::inline(&dist, &index)?;
    shell::write(&single, policy::of_single_file(&html)?)?;
    let html = with_neighbours(&with_version(&dist, &index)?)?;
    let html = few_files::merge(&dist, &html)?;
    shell::write(&dist.join("index.html"), policy::of_page(&html)?)?;
    let html = first_picture::part(toolbox, &dist, &html)?;
    shell::write(&dist.join("index.html"), policy::of_page(&html)?)?;
    println!(
        "built {} and {} ({} KB, opens from a disk)",
        dist.display(),
        single.display(),
        std::fs::metadata(&single)?.len() / 1024
    );
    // Trunk clears what else is there.
    module::write(toolbox)?;
    lessons::write(toolbox)?;
    offline::write(&dist)
}

/// The page as `cargo xtask serve` builds it, for the tests that look at that.
pub(crate) fn build_as_served(toolbox: &Toolbox) -> Result<()> {
    let served = workspace::served();
    shell::run(trunk(toolbox)?.arg("build").arg("--dist").arg(&served))?;
    programs::build(toolbox, Made::ForDevelopment, &served)
}

/// Trunk, with the tools that it would otherwise fetch on its `PATH`, and with the notices that it
/// puts beside the page.
pub(crate) fn trunk(toolbox: &Toolbox) -> Result<Command> {
    notices::write()?;
    let mut trunk = toolbox.wasm_command("trunk")?;
    trunk.env("TRUNK_SKIP_VERSION_CHECK", "true");
    // Others set this to 1, which Trunk takes for an error.
    if std::env::var_os("NO_COLOR").is_some() {
        trunk.env("NO_COLOR", "true");
    }
    Ok(trunk)
}

/// The page that is published says what lies beside it: the lessons, which it leads to, itself as one
/// file, which it saves, and what makes it an app. (One that is served for development has none of them.)
fn with_neighbours(index: &str) -> Result<String> {
    let (before, after) = index
        .split_once("</title>")
        .context("the page has no title")?;
    let lessons = "<link rel=\"help\" href=\"./lessons/index.html\">";
    let single = "<link rel=\"alternate\" href=\"./switchyard.html\" title=\"All in one file\">";
    let app = offline::MANIFEST;
    Ok(format!(
        "{before}</title>\n    {lessons}\n    {single}\n    {app}{after}"
    ))
}

/// Trunk names the workers' files after their program alone, so that a browser may keep an old one
/// for a new page, and so it does with weights and bundles: here static/workers.js is told to ask for them with a
/// version made of their content.
fn with_version(dist: &Path, index: &str) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for name in WORKER
        .into_iter()
        .chain(SCRIPTS)
        .chain(COLUMNAR)
        .chain(BUNDLES.map(|of| of.file))
    {
        hasher.write(&shell::read_bytes(&dist.join(name))?);
    }
    for name in workspace::weights(dist)? {
        hasher.write(&shell::read_bytes(&dist.join(name))?);
    }
    let version = format!("data-version=\"{:016x}\"", hasher.finish());
    let (before, after) = index
        .split_once("data-version=\"development\"")
        .context("the page has no script to tell the version of the workers")?;
    Ok(format!("{before}{version}{after}"))
}
