//! The programs of workers that few ask for: the one of scripts, plug-ins and solvers, and the opener of Parquet and
//! Arrow. Trunk builds the page and the program of all other workers; whoever serves the page then waits for those
//! alone. In: the crate `web/`; out: `NAME.js` and `NAME_bg.wasm` in a folder.

use std::path::Path;

use anyhow::Result;

use crate::setup::Toolbox;
use crate::wasm::{Made, Package};
use crate::{parts, wasm, workspace};

/// Each with the feature of the crate that it needs, which has its name.
const PROGRAMS: [(&str, [&str; 2]); 2] = [
    ("scripts", workspace::SCRIPTS),
    ("columnar", workspace::COLUMNAR),
];

/// Builds them.
pub(crate) fn build(toolbox: &Toolbox, made: Made, folder: &Path) -> Result<()> {
    for (name, [_, program]) in PROGRAMS {
        let package = Package {
            name: "switchyard-web",
            binary: Some(name),
        };
        wasm::build(toolbox, &package, made, "no-modules", folder, name)?;
        if made == Made::ForAll {
            parts::order(&folder.join(program))?;
        }
    }
    Ok(())
}
