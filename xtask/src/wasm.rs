//! A program in wasm that no page of Trunk's names: the engine as a module for code, and to be measured.
//! It is built as the page is: what simulates for speed, the rest for size.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::setup::{Need, Toolbox};
use crate::{shell, workspace};

/// What a build takes.
pub(crate) const NEEDS: &[Need] = &[Need::WasmStd, Need::WasmOpt, Need::WasmBindgen];

/// Builds a crate and binds it for a target of wasm-bindgen's, as `name` in a folder; gives back where
/// its wasm is.
pub(crate) fn build(
    toolbox: &Toolbox,
    package: &str,
    target: &str,
    folder: &Path,
    name: &str,
) -> Result<PathBuf> {
    let mut cargo = toolbox.wasm_command("cargo")?;
    cargo.args(["build", "--locked", "-p", package]);
    cargo.args(["--profile", "page", "--target", "wasm32-unknown-unknown"]);
    shell::run(&mut cargo)?;

    let built = workspace::wasm_target_dir()
        .join("wasm32-unknown-unknown/page")
        .join(format!("{}.wasm", package.replace('-', "_")));
    let mut bindgen = toolbox.wasm_command("wasm-bindgen")?;
    bindgen.args(["--target", target, "--no-typescript", "--out-name", name]);
    bindgen.arg("--out-dir").arg(folder).arg(built);
    shell::run(&mut bindgen)?;

    let wasm = folder.join(format!("{name}_bg.wasm"));
    let mut optimise = toolbox.wasm_command("wasm-opt")?;
    // As `index.html` has it: a second round makes it smaller by a few kilobytes.
    optimise.args(["-O2", "--low-memory-unused", "-O2", "-o"]);
    shell::run(optimise.arg(&wasm).arg(&wasm))?;
    Ok(wasm)
}
