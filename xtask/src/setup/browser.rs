//! A Chromium, and the driver through which wasm tests steer it.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::packages::apt_install;
use crate::shell;

/// Where the two programs lie.
pub(super) struct Browser {
    pub(super) chromium: PathBuf,
    pub(super) chromedriver: PathBuf,
}

pub(super) fn is_missing() -> bool {
    find().is_none()
}

/// Finds them, after installing them if need be.
pub(super) fn ensure() -> Result<Browser> {
    if let Some(browser) = find() {
        return Ok(browser);
    }
    apt_install(
        &["chromium", "chromium-driver"],
        "the tests need Chromium (or Chrome) and chromedriver on the PATH",
    )?;
    find().context(
        "chromium and chromium-driver are installed, yet no `chromium` and `chromedriver` are on \
         the PATH",
    )
}

fn find() -> Option<Browser> {
    Some(Browser {
        chromium: shell::find(&[
            "chromium",
            "chromium-browser",
            "google-chrome",
            "google-chrome-stable",
        ])?,
        chromedriver: shell::find(&["chromedriver"])?,
    })
}
