//! `cargo xtask lessons` runs this: `switchyard-lessons DOCS DIST` makes the pages of `DOCS` in `DIST`. With
//! `SWITCHYARD_SITE=https://example.org/switchyard/`, where they will lie, they have pictures for other sites.

use anyhow::{Context, Result};
use std::path::PathBuf;

fn main() -> Result<()> {
    let mut folders = std::env::args_os().skip(1).map(PathBuf::from);
    let docs = folders.next().context("name the folder of the texts")?;
    let dist = folders.next().context("name the folder of the pages")?;
    let site = std::env::var("SWITCHYARD_SITE")
        .ok()
        .filter(|site| !site.is_empty());
    let site = site
        .map(|site| switchyard_lessons::site(&site).context("in SWITCHYARD_SITE"))
        .transpose()?;
    for page in switchyard_lessons::write(&docs, &dist, site.as_deref())? {
        println!("built {}", page.display());
    }
    Ok(())
}
