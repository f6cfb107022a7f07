//! `cargo xtask serve`: the page, rebuilt and reloaded on every change.

use std::io::IsTerminal;

use anyhow::Result;
use clap::Args;

use crate::wasm::Made;
use crate::{beside, build, setup, shell, workspace};

/// How to serve.
#[derive(Args)]
pub(crate) struct Options {
    /// Listen there
    #[arg(long, value_name = "N", default_value_t = 8080)]
    port: u16,
    /// Build as for publication: slower to build, faster to run
    #[arg(long)]
    release: bool,
    /// Open a browser (default: where there seems to be a screen)
    #[arg(long, overrides_with = "no_open")]
    open: bool,
    /// Open none
    #[arg(long)]
    no_open: bool,
}

/// Serves until it is stopped.
///
/// Without `--release` this is a development build at `opt-level = 1` (see
/// `Toolbox::wasm_command`): it keeps debug assertions and rebuilds in seconds, where a release
/// build goes through link-time optimisation and wasm-opt each time.
pub(crate) fn serve(options: &Options) -> Result<()> {
    let toolbox = setup::toolbox(build::NEEDS)?;
    let mut trunk = build::trunk(&toolbox)?;
    trunk
        .args(["serve", "--port", &options.port.to_string()])
        .arg("--dist")
        .arg(workspace::served());
    if options.release {
        trunk.args(build::RELEASE);
    }
    if options.open || (!options.no_open && a_browser_is_likely()) {
        trunk.arg("--open");
    }
    println!(
        "Switchyard will be at http://127.0.0.1:{}/ once it is built: the first time in about \
         three minutes on two cores, later in seconds; what few ask for (scripts, Parquet, lessons) \
         a few minutes later. Stop with Ctrl-C",
        options.port
    );
    beside::begin(&mut trunk, Made::of(options.release))?;
    shell::become_command(&mut trunk)
}

fn a_browser_is_likely() -> bool {
    let is_set = |name| std::env::var_os(name).is_some();
    let screen =
        cfg!(any(windows, target_os = "macos")) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    screen && !is_set("CI") && std::io::stdout().is_terminal()
}
