//! `cargo xtask lessons` runs this: `switchyard-lessons DOCS DIST` makes the pages of `DOCS` in `DIST`.

use anyhow::{Context, Result};
use std::path::PathBuf;

fn main() -> Result<()> {
    let mut folders = std::env::args_os().skip(1).map(PathBuf::from);
    let docs = folders.next().context("name the folder of the texts")?;
    let dist = folders.next().context("name the folder of the pages")?;
    for page in switchyard_lessons::write(&docs, &dist)? {
        println!("built {}", page.display());
    }
    Ok(())
}
