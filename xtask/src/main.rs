//! `cargo xtask`: sets the tools up, serves, builds and tests Switchyard.
//!
//! - `setup/` puts the tools in place: the wasm target, Trunk, wasm-bindgen, wasm-opt, a browser
//! - `build` makes `dist/`, `single_file` makes of it one page that opens from a disk; `policy` says
//!   what they may load, `notices` whose code is in them
//! - `offline` makes the page an app that is kept for when there is no network
//! - `lessons` makes pages of the lessons and the article, in `dist/`
//! - `module` makes of the engine a package for code, `dist/module/`
//! - `bench` measures the engine natively beside wasm; `wasm` builds it for both
//! - `kernels` compiles the PTX that the benchmark carries
//! - `release` holds versions to a tag, and packs
//! - `serve` shows the page and rebuilds it on every change; `beside` makes what few ask for once it is there
//! - `programs` builds the workers' programs that Trunk does not
//! - `test` runs every check there is, `walk` one of them for longer
//! - `shell` and `workspace` run commands and know where things lie

mod bench;
mod beside;
mod build;
mod few_files;
mod first_picture;
mod kernels;
mod lessons;
mod lock;
mod module;
mod notices;
mod offline;
mod parts;
mod policy;
mod programs;
mod release;
mod serve;
mod setup;
mod shell;
mod single_file;
mod test;
mod walk;
mod wasm;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use wasm::Made;

/// Sets the tools up, serves, builds and tests Switchyard.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what the other commands need (they do it too)
    Setup,
    /// Show the page and rebuild it on every change
    Serve(serve::Options),
    /// Make dist/, ready for any static server, with dist/switchyard.html, module and lessons
    Build,
    /// Make dist/module/ alone: the engine as a package for code, ready for `npm pack`
    Module,
    /// Make the lessons and the article alone, in dist/
    Lessons,
    /// Make what lies beside the page that `serve` shows, once that is there
    #[command(hide = true)]
    Beside {
        /// The programs alone, at once
        #[arg(long)]
        programs: bool,
        /// As for publication
        #[arg(long)]
        release: bool,
    },
    /// Measure the engine natively beside wasm, on a trace or a sample
    Bench {
        /// The trace, as `switchyard run` takes it
        trace: Option<String>,
    },
    /// Compile bench/kernels/gns.cu into the PTX that the benchmark carries
    Kernels,
    /// Run every check, or some
    Test(test::Options),
    /// A step of a release (docs/releasing.md)
    #[command(subcommand)]
    Release(release::Step),
    /// Walk at random over each build of the page
    Walk(walk::Options),
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Setup => setup::everything()?,
        Command::Serve(options) => serve::serve(&options)?,
        Command::Build => build::build(&setup::toolbox(build::NEEDS)?)?,
        Command::Module => module::module(&setup::toolbox(wasm::NEEDS)?)?,
        Command::Lessons => lessons::lessons()?,
        Command::Beside { programs, release } => beside::beside(programs, Made::of(release))?,
        Command::Bench { trace } => bench::bench(&setup::toolbox(wasm::NEEDS)?, trace.as_deref())?,
        Command::Kernels => kernels::compile(&setup::toolbox(kernels::NEEDS)?)?,
        Command::Test(options) => return test::test(&options),
        Command::Release(step) => release::release(&step)?,
        Command::Walk(options) => walk::walk(&options)?,
    }
    Ok(ExitCode::SUCCESS)
}
