//! `cargo xtask bench [TRACE]`: the engine natively and in Node's wasm, measured in turn.

use std::path::Path;

use anyhow::Result;

use crate::setup::Toolbox;
use crate::wasm::{Made, Package};
use crate::{shell, wasm, workspace};

/// Builds both as they are published, and has `bench/wasm.mjs` compare them.
pub(crate) fn bench(toolbox: &Toolbox, trace: Option<&str>) -> Result<()> {
    let mut native = toolbox.command("cargo")?;
    native.args(["build", "--profile", "dist", "-p", "switchyard-bench"]);
    native.args(["--target-dir", "target"]);
    shell::run(&mut native)?;

    let folder = workspace::wasm_target_dir().join("bench");
    let package = Package::library("switchyard-bench-wasm");
    let name = "switchyard_bench_wasm";
    wasm::build(toolbox, &package, Made::ForAll, "nodejs", &folder, name)?;

    let mut compare = shell::command("node");
    compare.arg("bench/wasm.mjs");
    compare.arg(Path::new("target/dist/switchyard-bench"));
    compare.arg(&folder).args(trace);
    shell::run(&mut compare)
}
