//! `cargo xtask lessons`: the lessons, their front page and the article, beside the page. In: `docs/` and
//! `static/lessons/`; out: `dist/lessons/` and `dist/article/` (the crate `lessons/` makes them). A page that is
//! served for development gets them once it is there: what a visitor waits for is built first.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::setup::Toolbox;
use crate::{lock, shell, workspace};

/// The variable that tells Trunk's hook where the lessons are that lie beside a served page.
pub(crate) const LESSONS: &str = "SWITCHYARD_LESSONS";

/// Makes them by themselves.
pub(crate) fn lessons() -> Result<()> {
    let _lock = lock::lock()?;
    write(&Toolbox::default())
}

/// Makes them, in whatever else is in `dist/`.
pub(crate) fn write(toolbox: &Toolbox) -> Result<()> {
    write_into(toolbox, &workspace::dist())
}

/// Begins a process that makes them for the page that this one is about to serve.
pub(crate) fn begin_for_served() -> Result<()> {
    shell::command(std::env::current_exe()?)
        .args(["lessons", "--served"])
        .spawn()
        .context("cannot begin to make the lessons")?;
    Ok(())
}

/// Waits for the page, makes them, and lays them beside it. Ends with the process that serves.
pub(crate) fn for_served() -> Result<()> {
    let server = server();
    while !workspace::served().join("index.html").is_file() {
        if server != self::server() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_secs(1));
    }
    // Trunk's hook takes them from there at each later build.
    write_into(&Toolbox::default(), &workspace::served_lessons())?;
    let mut beside = shell::command("node");
    beside
        .arg("xtask/lessons_beside.mjs")
        .arg(workspace::served())
        .env(LESSONS, workspace::served_lessons());
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

fn write_into(toolbox: &Toolbox, folder: &Path) -> Result<()> {
    // Their few runs are done before an optimising compiler would be. Of the workspace, with all its features:
    // that engine is the one of its tests.
    let mut build = toolbox.command("cargo")?;
    build.args(["build", "--quiet", "--locked", "--workspace"]);
    build.args(["--bin", "switchyard-lessons", "--target-dir", "target"]);
    shell::run(&mut build)?;
    let mut write = toolbox.command(workspace::debug_program("switchyard-lessons"))?;
    shell::run(write.arg(workspace::root().join("docs")).arg(folder))
}
