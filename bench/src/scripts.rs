//! `switchyard-bench scripts`: decisions per second of scripts and a plug-in beside the built-in policy that does
//! the same, with so many jobs waiting. `bench/wasm` measures the same in Node.

use crate::crowd::{crowd, decide};
use crate::engine::{Spread, measure};
use anyhow::{Context, Error, Result};
use clap::Args;
use serde::Serialize;
use std::sync::Arc;
use switchyard::policies::script::{EXAMPLES, Script};

/// A key of eight lines.
const EIGHT_LINES: &str = include_str!("eight_lines.rhai");

/// Plug-ins, modules and all, each behind the policy that it is.
const PLUGINS: &str = include_str!("../../tests/golden/plugins.txt");

#[derive(Args)]
pub(crate) struct Arguments {
    /// How many jobs wait, beside 32 that run
    #[arg(long, default_values_t = [50, 500])]
    waiting: Vec<u32>,
    /// Runs per figure
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Figure {
    policy: String,
    waiting: u32,
    seconds: Spread,
    decisions_per_second: f64,
}

pub(crate) fn scripts(arguments: &Arguments) -> Result<()> {
    let example = |name| {
        let found = EXAMPLES.iter().find(|example| example.name == name);
        found.map_or("", |example| example.text)
    };
    let script = |text: &str, name: &str| Script::spec(text, name).map(|spec| spec.to_string());
    let plugin = PLUGINS.lines().find_map(|line| line.strip_prefix("las "));
    let plugin = plugin.context("tests/golden/plugins.txt has no las")?;
    let policies = [
        ("las, built in", "las".to_owned()),
        ("las, a script", script(example("las"), "las")?),
        ("las, a plug-in", plugin.to_owned()),
        ("eight lines", script(EIGHT_LINES, "eight lines")?),
        ("tiresias-las, built in", "tiresias-las".to_owned()),
        (
            "tiresias-las, a script (plan)",
            script(example("tiresias"), "tiresias")?,
        ),
    ];
    let mut figures = Vec::new();
    for &waiting in &arguments.waiting {
        for (name, policy) in &policies {
            let workload = Arc::new(crowd(waiting));
            let (decisions, seconds) = measure(arguments.runs, || {
                decide(policy, &workload).map_err(Error::from_boxed)
            })?;
            figures.push(Figure {
                policy: (*name).to_owned(),
                waiting,
                seconds,
                decisions_per_second: decisions as f64 / seconds.median,
            });
        }
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&figures)?);
        return Ok(());
    }
    println!("{:<32}{:>8}{:>14}", "policy", "waiting", "decisions/s");
    for Figure {
        policy,
        waiting,
        decisions_per_second,
        ..
    } in figures
    {
        println!("{policy:<32}{waiting:>8}{decisions_per_second:>14.0}");
    }
    Ok(())
}
