//! Puts the built page into the program, for `switchyard open`, where SWITCHYARD_PAGE names its folder (the `dist` of
//! `cargo xtask build`; a relative path begins at the root of the checkout). Without it the program has no page.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use walkdir::WalkDir;

/// The engine for code, which the page itself does not load (docs/hosting.md).
const MODULE: &str = "module/";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SWITCHYARD_PAGE");
    let out = std::env::var("OUT_DIR")?;
    let out = Path::new(&out);
    let mut table = String::from("&[\n");
    if let Some(folder) = std::env::var_os("SWITCHYARD_PAGE") {
        let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?)
            .join("..")
            .join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        if !folder.join("index.html").is_file() {
            let why = format!(
                "SWITCHYARD_PAGE: {} has no index.html: `cargo xtask build` makes one",
                folder.display()
            );
            return Err(why.into());
        }
        for entry in WalkDir::new(&folder).sort_by_file_name() {
            let entry = entry?;
            let name = entry.path().strip_prefix(&folder)?;
            let name = name.to_str().ok_or("a file's name is no UTF-8")?;
            let name = name.replace('\\', "/");
            if !entry.file_type().is_file() || name.starts_with(MODULE) {
                continue;
            }
            let packed = out.join(format!("{}.gz", table.lines().count()));
            let mut encoder = GzEncoder::new(fs::File::create(&packed)?, Compression::best());
            encoder.write_all(&fs::read(entry.path())?)?;
            encoder.finish()?;
            writeln!(table, "({name:?}, include_bytes!({packed:?})),")?;
        }
    }
    table += "]";
    fs::write(out.join("page.rs"), table)?;
    Ok(())
}
