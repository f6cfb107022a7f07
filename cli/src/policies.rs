//! `switchyard policies`: the schedulers there are.

use crate::{Failure, output};
use clap::Args;
use serde_json::json;
use std::fmt::Write;
use switchyard::policy::{POLICIES, PolicySpec};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn policies(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.json {
        let list: Vec<_> = POLICIES
            .iter()
            .map(|entry| {
                let params: Vec<_> = entry
                    .params
                    .iter()
                    .map(|info| json!({"name": info.name, "takes": info.kind.to_string(), "default": info.default, "help": info.help}))
                    .collect();
                let oracle = entry.name.parse().is_ok_and(|spec: PolicySpec| spec.is_oracle());
                json!({"name": entry.name, "title": entry.title, "summary": entry.summary, "source": entry.source, "oracle": oracle, "params": params})
            })
            .collect();
        return output::json(output::STDOUT, &list);
    }
    let mut text = String::new();
    for entry in POLICIES {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}: {}\n  {}\n  {}",
            entry.name, entry.title, entry.summary, entry.source
        );
        for info in entry.params {
            let _ = writeln!(
                text,
                "    {}={}  {} ({})",
                info.name, info.default, info.help, info.kind
            );
        }
        text.push('\n');
    }
    output::text(output::STDOUT, &text)
}
