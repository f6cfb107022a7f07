//! `switchyard policies`: the schedulers there are.

use crate::{Failure, output};
use clap::Args;
use std::fmt::Write;
use switchyard::described;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn policies(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.json {
        return output::json(output::STDOUT, &described::policies());
    }
    let mut text = String::new();
    for entry in described::policies() {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}: {}\n  {}\n  {}",
            entry.name, entry.title, entry.summary, entry.source
        );
        for info in &entry.params {
            let _ = writeln!(
                text,
                "    {}={}  {} ({})",
                info.name, info.default, info.help, info.takes
            );
        }
        text.push('\n');
    }
    output::text(output::STDOUT, &text)
}
