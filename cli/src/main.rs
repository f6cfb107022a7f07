//! `switchyard`: the engine without a browser.
//!
//! `run` and `compare` simulate a trace, `paper` repeats a paper's experiments, `inspect` says what
//! is in a trace, `convert` writes it in another format, `policies` lists the schedulers. Results
//! go to standard output, progress to standard error.

mod applications;
mod convert;
mod input;
mod inspect;
mod memory;
mod paper;
mod policies;
mod run;
mod table;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Replay a GPU cluster's job trace under different schedulers.
///
/// Exit status: 0 when all went well, 1 when a run failed, 2 when the input or the arguments are
/// wrong.
#[derive(Parser)]
#[command(name = "switchyard", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a trace under one or more policies and print the metrics
    Run(run::Arguments),
    /// The same, each policy beside the first one as baseline
    Compare(run::Arguments),
    /// Say what a trace is and what it holds; of a folder, a line per file
    Inspect(inspect::Arguments),
    /// Write a trace as Switchyard's own format, SWF or Tiresias' CSV
    Convert(convert::Arguments),
    /// Repeat a paper's experiments and print them beside the published figures
    #[command(subcommand)]
    Paper(paper::Arguments),
    /// List the policies, their parameters and where they come from
    Policies(policies::Arguments),
}

/// Why the program stops.
pub(crate) enum Failure {
    /// The input or the arguments are wrong: status 2.
    Input(anyhow::Error),
    /// A run failed, or its results could not be written: status 1.
    Run(anyhow::Error),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments, false),
        Command::Compare(arguments) => run::run(&arguments, true),
        Command::Inspect(arguments) => inspect::inspect(&arguments),
        Command::Convert(arguments) => convert::convert(&arguments),
        Command::Paper(arguments) => paper::paper(&arguments),
        Command::Policies(arguments) => policies::policies(&arguments),
    };
    let (error, status) = match done {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Input(error)) => (error, 2),
        Err(Failure::Run(error)) => (error, 1),
    };
    eprintln!("switchyard: {error:#}");
    ExitCode::from(status)
}

/// Writes to a file, or to standard output for `-`.
fn write_out(path: &str, text: &str) -> Result<(), Failure> {
    use anyhow::Context;
    use std::io::Write;
    let written = if path == "-" {
        match writeln!(std::io::stdout(), "{text}") {
            // Whoever reads us has seen enough.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    } else {
        std::fs::write(path, text)
    };
    written
        .with_context(|| format!("cannot write {path}"))
        .map_err(Failure::Run)
}
