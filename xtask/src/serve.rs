//! `cargo xtask serve`: the page, rebuilt and reloaded on every change.

use std::io::IsTerminal;

use anyhow::{Context, Result, bail};

use crate::{build, setup, shell, workspace};

/// How to serve.
pub(crate) struct Options {
    port: u16,
    release: bool,
    open: bool,
}

impl Options {
    /// Reads them from the command line.
    pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self {
            port: 8080,
            release: false,
            open: a_browser_is_likely(),
        };
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--port" => {
                    let port = args.next().context("--port takes a number")?;
                    options.port = port
                        .parse()
                        .with_context(|| format!("--port takes a number, not `{port}`"))?;
                }
                "--release" => options.release = true,
                "--open" => options.open = true,
                "--no-open" => options.open = false,
                _ => bail!("`serve` has no option `{arg}`: see `cargo xtask help`"),
            }
        }
        Ok(options)
    }
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
        trunk.arg("--release");
    }
    if options.open {
        trunk.arg("--open");
    }
    println!(
        "Switchyard will be at http://127.0.0.1:{}/ once it is built: the first time in about a \
         minute on two cores, later in seconds. Stop with Ctrl-C",
        options.port
    );
    shell::become_command(&mut trunk)
}

fn a_browser_is_likely() -> bool {
    let is_set = |name| std::env::var_os(name).is_some();
    let screen =
        cfg!(any(windows, target_os = "macos")) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    screen && !is_set("CI") && std::io::stdout().is_terminal()
}
