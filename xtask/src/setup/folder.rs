//! Where tools are installed.

use std::path::PathBuf;

use anyhow::{Context, Result};

/// The folder that holds what we install.
pub(super) fn tools_dir() -> Result<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let folder = if let Some(folder) = variable("SWITCHYARD_TOOLS") {
        std::path::absolute(folder)?
    } else if let Some(cache) = variable("XDG_CACHE_HOME") {
        PathBuf::from(cache).join("switchyard/tools")
    } else {
        let home = std::env::home_dir()
            .context("no home folder is known: set SWITCHYARD_TOOLS to a folder for the tools")?;
        home.join(".cache/switchyard/tools")
    };
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}
