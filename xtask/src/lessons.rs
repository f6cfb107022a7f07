//! `cargo xtask lessons`: the lessons, their front page and the article, beside the page. In: `docs/` and
//! `static/lessons/`; out: `dist/lessons/` and `dist/article/` (the crate `lessons/` makes them).

use anyhow::Result;

use crate::{build, shell, workspace};

/// Makes them by themselves.
pub(crate) fn lessons() -> Result<()> {
    let _lock = build::lock()?;
    write()
}

/// Makes them, in whatever else is in `dist/`.
pub(crate) fn write() -> Result<()> {
    // Their few runs are done before an optimising compiler would be.
    let mut command = shell::command("cargo");
    command.args([
        "run",
        "--quiet",
        "--locked",
        "-p",
        "switchyard-lessons",
        "--",
    ]);
    command.arg(workspace::root().join("docs"));
    command.arg(workspace::dist());
    shell::run(&mut command)
}
