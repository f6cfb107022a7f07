//! What lies beside the page that `cargo xtask serve` shows, and that no visitor waits for: the programs that few ask
//! for, the lessons, the article. They are made once the page is there, in `target/beside-served/`; Trunk's hook
//! (`beside.mjs`) lays them beside each page that it builds later.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::setup::{self, Toolbox};
use crate::wasm::Made;
use crate::{build, lessons, programs, shell, workspace};

/// What tells Trunk's hook where all that is, and how programs are made anew that are there already.
const FOLDER: &str = "SWITCHYARD_BESIDE";
const XTASK: &str = "SWITCHYARD_XTASK";

/// The server's end: forgets what an earlier one left, has the hook know, and begins a process that makes all anew once
/// the page is there.
pub(crate) fn begin(trunk: &mut std::process::Command, made: Made) -> Result<()> {
    let folder = workspace::beside_served();
    if folder.exists() {
        std::fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    // By this the other process sees that there is a page.
    let index = workspace::served().join("index.html");
    if index.exists() {
        std::fs::remove_file(&index)
            .with_context(|| format!("cannot remove {}", index.display()))?;
    }
    let this = std::env::current_exe()?;
    trunk.env(FOLDER, &folder).env(XTASK, &this);
    let mut beside = shell::command(this);
    beside.arg("beside");
    if made == Made::ForAll {
        beside.arg("--release");
    }
    beside
        .spawn()
        .context("cannot begin to make what lies beside the page")?;
    Ok(())
}

/// The other end: makes the programs alone, or all once the page is there.
pub(crate) fn beside(programs: bool, made: Made) -> Result<()> {
    match programs {
        true => make_programs(made),
        false => once_served(made),
    }
}

/// Waits for the page, makes all, and lays it beside. Ends with the process that serves.
fn once_served(made: Made) -> Result<()> {
    let server = server();
    while !workspace::served().join("index.html").is_file() {
        if server != self::server() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_secs(1));
    }
    make_programs(made)?;
    lay(&workspace::served())?;
    lessons::write_into(&Toolbox::default(), &workspace::beside_served())?;
    lay(&workspace::served())
}

/// Makes the programs: anew where they are made of older sources.
fn make_programs(made: Made) -> Result<()> {
    programs::build(
        &setup::toolbox(build::NEEDS)?,
        made,
        &workspace::beside_served(),
    )
}

fn lay(page: &Path) -> Result<()> {
    let mut beside = shell::command("node");
    beside
        .arg("xtask/beside.mjs")
        .arg(page)
        .env(FOLDER, workspace::beside_served());
    shell::run(&mut beside)
}

/// The process that began this one.
#[cfg(unix)]
fn server() -> u32 {
    std::os::unix::process::parent_id()
}

/// Nobody can be asked.
#[cfg(not(unix))]
fn server() -> u32 {
    0
}
