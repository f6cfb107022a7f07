//! `switchyard policies`: the schedulers there are, and the placements that they take.

use crate::{Failure, output};
use clap::Args;
use std::fmt::Write;
use switchyard::policies::ParamKind;
use switchyard_app::described;

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
    output::text(output::STDOUT, &text())
}

fn text() -> String {
    // Most policies take a placement: which there are is said once, at the end.
    let placements = ParamKind::PlacementOrRuns.to_string();
    let mut text = String::new();
    for entry in described::policies() {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}: {}\n  {}\n  {}",
            entry.name, entry.title, entry.summary, entry.source
        );
        for info in &entry.params {
            let takes = match info.takes == placements {
                true => "default, or a placement: see the end",
                false => &info.takes,
            };
            let _ = writeln!(
                text,
                "    {}={}  {} ({takes})",
                info.name, info.default, info.help
            );
        }
        text.push('\n');
    }
    text.push_str("Placements, for placement=NAME and --placement NAME\n");
    for placement in described::placements() {
        let _ = writeln!(text, "    {}  {}", placement.name, placement.summary);
    }
    text
}
