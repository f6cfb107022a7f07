//! `switchyard`: the engine without a browser.
//!
//! `open` shows the page with a trace in it, `run` and `compare` simulate one, `why` asks about a job in it, `start` when one would start, `capacity` how many nodes it takes, `paper` repeats a
//! paper's experiments, `sweep` runs a grid of them, `inspect` says what is in a trace, `convert` writes it in another format, `policies`
//! lists the schedulers, `score` says what one of your own makes of the challenges; `completions` and `man` are for the
//! shell. Results go to standard output, progress to standard error.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod apart;
mod applications;
mod by_queue;
mod capacity;
mod convert;
mod failure;
mod input;
mod inspect;
mod memory;
mod open;
mod output;
mod paper;
mod policies;
mod progress;
mod run;
mod score;
mod script;
mod settings;
mod shell;
mod start;
mod sweep;
mod table;
mod terminal;
mod threads;
mod why;

use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use failure::Failure;
use std::io::Write;
use std::process::ExitCode;

/// What stands below the list of commands.
const AFTER: &str = "Exit status: 0 when all went well, or whoever reads the output has seen enough; 1 when a run failed or \
its results could not be written; 2 when the input or the arguments are wrong; 3 when all was written, but \
a run leaves jobs behind that never end, or no job could run at all.

Examples:
  switchyard run sample:lab
  switchyard compare trace.csv --policy fifo --policy srtf
  switchyard inspect trace.csv
  switchyard help run";

/// Replay a GPU cluster's job trace under different schedulers
#[derive(Parser)]
#[command(name = "switchyard", version, disable_help_flag = true, after_help = AFTER)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Print this help, a line for each option; `switchyard help COMMAND` says more
    #[arg(short, long, global = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
    /// Say nothing of how far it is
    #[arg(short, long, global = true)]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Show the page in a browser with files opened in it, all on this computer
    Open(open::Arguments),
    /// Run a trace under one or more policies and print the metrics
    Run(run::Arguments),
    /// The same, each policy beside the first one as baseline
    Compare(run::Arguments),
    /// Say why a job runs, waits or is slow at a time
    Why(why::Arguments),
    /// Say when a job would start, who stands before it, and what would help
    Start(start::Arguments),
    /// Say how many nodes it takes for a bound on a metric
    Capacity(capacity::Arguments),
    /// Say what a trace is and what it holds; of a folder, a line per file
    Inspect(inspect::Arguments),
    /// Write a trace as Switchyard's own format, SWF or Tiresias' CSV
    Convert(convert::Arguments),
    /// Repeat a paper's experiments and print them beside the published figures
    #[command(subcommand)]
    Paper(paper::Arguments),
    /// Run every point of a grid: traces, clusters, policies and their parameters, loads, settings, seeds
    Sweep(sweep::Arguments),
    /// Say what a script of one's own makes of the ten challenges
    Score(score::Arguments),
    /// List the policies, their parameters and where they come from, and the placements
    Policies(policies::Arguments),
    /// Write a completion script for a shell
    Completions(shell::Completions),
    /// Write man pages
    Man(shell::Pages),
}

fn main() -> ExitCode {
    let mut command = Arguments::command();
    let matches = command.clone().get_matches();
    let arguments = Arguments::from_arg_matches(&matches);
    let arguments = arguments.unwrap_or_else(|error| error.format(&mut command).exit());
    if arguments.quiet {
        progress::be_quiet();
    }
    let done = apart::check(&command, &matches).and_then(|()| run(arguments.command));
    let (failure, status) = match done {
        Ok(()) | Err(Failure::Unread) => return ExitCode::SUCCESS,
        Err(failure @ Failure::Input(_)) => (failure, 2),
        Err(failure @ Failure::Run(_)) => (failure, 1),
        Err(failure @ Failure::Unfinished(_)) => (failure, 3),
    };
    // Where nobody listens the status has to do.
    let _ = writeln!(
        std::io::stderr(),
        "switchyard: {}",
        terminal::shown(&failure.to_string())
    );
    ExitCode::from(status)
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Open(arguments) => open::open(&arguments),
        Command::Run(arguments) => run::run(&arguments, false),
        Command::Compare(arguments) => run::run(&arguments, true),
        Command::Why(arguments) => why::why(&arguments),
        Command::Start(arguments) => start::start(arguments),
        Command::Capacity(arguments) => capacity::capacity(&arguments),
        Command::Inspect(arguments) => inspect::inspect(&arguments),
        Command::Convert(arguments) => convert::convert(&arguments),
        Command::Paper(arguments) => paper::paper(&arguments),
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Score(arguments) => score::run(&arguments),
        Command::Policies(arguments) => policies::policies(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments, Arguments::command()),
        Command::Man(arguments) => shell::pages(&arguments, Arguments::command()),
    }
}
