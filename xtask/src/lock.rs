//! One build at a time.

use std::fs::File;

use anyhow::{Context, Result};

use crate::{shell, workspace};

/// Keeps two builds of `dist/` from getting into each other's way.
pub(crate) fn lock() -> Result<File> {
    let target = workspace::wasm_target_dir();
    std::fs::create_dir_all(&target)
        .with_context(|| format!("cannot create {}", target.display()))?;
    shell::lock(&target.join(".build-lock"), "build")
}
