//! `cargo xtask bench [TRACE]`: the engine natively and in Node's wasm, measured in turn.

use std::path::Path;

use anyhow::Result;

use crate::setup::{Need, Toolbox};
use crate::{shell, workspace};

/// What a measurement takes.
pub(crate) const NEEDS: &[Need] = &[Need::WasmStd, Need::WasmOpt, Need::WasmBindgen];

/// Builds both as they are published, and has `bench/wasm.mjs` compare them.
pub(crate) fn bench(toolbox: &Toolbox, trace: Option<&str>) -> Result<()> {
    let mut native = toolbox.command("cargo")?;
    native.args(["build", "--release", "-p", "switchyard-bench"]);
    native.args(["--target-dir", "target"]);
    shell::run(&mut native)?;

    let mut wasm = toolbox.wasm_command("cargo")?;
    // As the page is built.
    wasm.args(["build", "--profile", "page", "-p", "switchyard-bench-wasm"]);
    wasm.args(["--target", "wasm32-unknown-unknown"]);
    shell::run(&mut wasm)?;

    let target = workspace::wasm_target_dir();
    let module = target.join("wasm32-unknown-unknown/page/switchyard_bench_wasm.wasm");
    let folder = target.join("bench");
    let mut bindgen = toolbox.wasm_command("wasm-bindgen")?;
    bindgen.args(["--target", "nodejs", "--out-dir"]);
    bindgen.arg(&folder).arg(&module);
    shell::run(&mut bindgen)?;

    let bound = folder.join("switchyard_bench_wasm_bg.wasm");
    let mut optimise = toolbox.wasm_command("wasm-opt")?;
    optimise.arg("-O2").arg("-o").arg(&bound).arg(&bound);
    shell::run(&mut optimise)?;

    let mut compare = shell::command("node");
    compare.arg("bench/wasm.mjs");
    compare.arg(Path::new("target/release/switchyard-bench"));
    compare.arg(&folder).args(trace);
    shell::run(&mut compare)
}
