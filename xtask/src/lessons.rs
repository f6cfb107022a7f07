//! `cargo xtask lessons`: the lessons, their front page and the article, beside the page. In: `docs/` and
//! `static/lessons/`; out: `dist/lessons/` and `dist/article/` (the crate `lessons/` makes them).

use std::path::Path;

use anyhow::Result;

use crate::setup::Toolbox;
use crate::{lock, shell, workspace};

/// Makes them by themselves.
pub(crate) fn lessons() -> Result<()> {
    let _lock = lock::lock()?;
    write(&Toolbox::default())
}

/// Makes them, in whatever else is in `dist/`.
pub(crate) fn write(toolbox: &Toolbox) -> Result<()> {
    write_into(toolbox, &workspace::dist())
}

/// Makes them, in a folder.
pub(crate) fn write_into(toolbox: &Toolbox, folder: &Path) -> Result<()> {
    // Their few runs are done before an optimising compiler would be. Of the workspace, with all its features:
    // that engine is the one of its tests.
    let mut build = toolbox.command("cargo")?;
    build.args(["build", "--quiet", "--locked", "--workspace"]);
    build.args(workspace::WITH_PARQUET);
    build.args(["--bin", "switchyard-lessons", "--target-dir", "target"]);
    shell::run(&mut build)?;
    let mut write = toolbox.command(workspace::debug_program("switchyard-lessons"))?;
    shell::run(write.arg(workspace::root().join("docs")).arg(folder))
}
