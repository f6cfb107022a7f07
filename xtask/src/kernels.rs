//! `cargo xtask kernels`: from `bench/kernels/gns.cu` to the PTX beside it, which the benchmark carries
//! to machines that have a GPU but no compiler.

use anyhow::Result;

use crate::setup::{Need, Toolbox};
use crate::shell;

/// What that takes.
pub(crate) const NEEDS: &[Need] = &[Need::Nvrtc];

/// Compiles it; a test of the benchmark compares what is committed with the source.
pub(crate) fn compile(toolbox: &Toolbox) -> Result<()> {
    let mut bench = toolbox.command("cargo")?;
    bench.args(["run", "--quiet", "-p", "switchyard-bench", "--"]);
    bench.args(["gns", "--carry", "bench/kernels/gns.ptx.gz"]);
    shell::run(&mut bench)
}
