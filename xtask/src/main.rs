//! `cargo xtask`: sets the tools up, serves, builds and tests Switchyard.
//!
//! - `setup/` puts the tools in place: the wasm target, Trunk, wasm-bindgen, wasm-opt, a browser
//! - `build` makes `dist/`, `single_file` makes of it one page that opens from a disk; `policy` says
//!   what they may load, `notices` whose code is in them
//! - `bench` measures the engine natively beside wasm
//! - `kernels` compiles the PTX that the benchmark carries
//! - `serve` shows the page and rebuilds it on every change
//! - `test` runs every check there is, `walk` one of them for longer
//! - `shell` and `workspace` run commands and know where things lie

mod bench;
mod build;
mod kernels;
mod notices;
mod policy;
mod serve;
mod setup;
mod shell;
mod shrink;
mod single_file;
mod test;
mod walk;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
usage: cargo xtask <command>

  setup                      install what the other commands need (they do it too)
  serve [options]            show the page and rebuild it on every change
      --port N               listen there (default 8080)
      --release              build as for publication: slower to build, faster to run
      --open, --no-open      open a browser or not (default: where there seems to be a screen)
  build                      make dist/, ready for any static server, and dist/switchyard.html
  bench [TRACE]              measure the engine natively beside wasm, on a trace or a sample
  kernels                    compile bench/kernels/gns.cu into the PTX that the benchmark carries
  test [--only STEPS]        run every check, or some: fmt,deny,clippy,native,wasm,e2e
  walk [--steps N] [--seed S]
                             walk N steps of the seed's choice over each build of the page
";

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: impl Iterator<Item = String>) -> Result<ExitCode> {
    match args.next().as_deref() {
        Some("setup") => {
            no_more(args)?;
            setup::everything()?;
        }
        Some("serve") => serve::serve(&serve::Options::parse(args)?)?,
        Some("build") => {
            no_more(args)?;
            build::build(&setup::toolbox(build::NEEDS)?)?;
        }
        Some("bench") => {
            let trace = args.next();
            no_more(args)?;
            bench::bench(&setup::toolbox(bench::NEEDS)?, trace.as_deref())?;
        }
        Some("kernels") => {
            no_more(args)?;
            kernels::compile(&setup::toolbox(kernels::NEEDS)?)?;
        }
        Some("test") => return test::test(&test::parse(args)?),
        Some("walk") => walk::walk(&walk::Options::parse(args)?)?,
        Some("help" | "--help" | "-h") => print!("{USAGE}"),
        Some(other) => bail!("there is no command `{other}`\n\n{USAGE}"),
        None => bail!("which command?\n\n{USAGE}"),
    }
    Ok(ExitCode::SUCCESS)
}

fn no_more(mut args: impl Iterator<Item = String>) -> Result<()> {
    match args.next() {
        None => Ok(()),
        Some(arg) => bail!("unexpected argument `{arg}`\n\n{USAGE}"),
    }
}
