//! `switchyard completions` and `switchyard man`: what shells and man show of the program, read off its
//! arguments.

use crate::{Failure, output};
use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "Examples:
  switchyard completions bash > ~/.local/share/bash-completion/completions/switchyard
  switchyard completions zsh > ~/.zfunc/_switchyard
  switchyard completions fish > ~/.config/fish/completions/switchyard.fish")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

#[derive(Args)]
#[command(after_help = "Examples:
  switchyard man | man -l -
  switchyard man ~/.local/share/man/man1")]
pub(crate) struct Pages {
    /// The folder for a page of each command [default: the first page alone, to standard output]
    #[arg(value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    folder: Option<PathBuf>,
}

pub(crate) fn completions(arguments: &Completions, mut command: Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "switchyard", &mut script);
    output::write(output::STDOUT, |out| out.write_all(&script))
}

pub(crate) fn pages(arguments: &Pages, command: Command) -> Result<(), Failure> {
    let Some(folder) = &arguments.folder else {
        return output::write(output::STDOUT, |out| Man::new(command).render(out));
    };
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command, folder))
        .with_context(|| format!("cannot write to {}", folder.display()))
        .map_err(Failure::Run)
}
