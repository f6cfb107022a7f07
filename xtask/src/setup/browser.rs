//! Browsers: a Chromium, with the driver through which wasm tests steer it, and beside it Firefox and
//! WebKit, which tests do without where they cannot be had.

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
        chromium: chromium()?,
        chromedriver: shell::find(&["chromedriver"])?,
    })
}

/// A Chromium that is there already.
pub(crate) fn chromium() -> Option<PathBuf> {
    shell::find(&[
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ])
}

/// A browser that the page is looked at in besides Chromium.
pub(super) struct Other {
    pub(super) name: &'static str,
    /// What tests find its path in.
    pub(super) variable: &'static str,
    /// It goes by one of these names.
    programs: &'static [&'static str],
    /// What it does not run without.
    also: &'static [&'static str],
    packages: &'static [&'static str],
}

pub(super) const OTHERS: [Other; 2] = [
    Other {
        name: "Firefox",
        variable: "SWITCHYARD_FIREFOX",
        programs: &["firefox-esr", "firefox"],
        also: &[],
        packages: &["firefox-esr"],
    },
    Other {
        name: "WebKit",
        variable: "SWITCHYARD_WEBKIT_DRIVER",
        programs: &["WebKitWebDriver"],
        also: &["xvfb-run"],
        packages: &["webkit2gtk-driver", "xvfb", "xauth"],
    },
];

impl Other {
    pub(super) fn find(&self) -> Option<PathBuf> {
        let runs = self.also.iter().all(|name| shell::find(&[name]).is_some());
        shell::find(self.programs).filter(|_| runs)
    }

    /// Finds it, after installing it if need be.
    pub(super) fn ensure(&self) -> Result<PathBuf> {
        if let Some(found) = self.find() {
            return Ok(found);
        }
        let why = format!("the page is looked at in {} too", self.name);
        apt_install(self.packages, &why)?;
        self.find()
            .with_context(|| format!("{} is installed, yet not on the PATH", self.name))
    }
}
