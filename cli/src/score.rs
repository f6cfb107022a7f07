//! `switchyard score`: what a scheduler of one's own makes of the challenges.

use crate::table::Table;
use crate::{Failure, output, script};
use anyhow::anyhow;
use clap::Args;
use std::path::PathBuf;
use switchyard::RunSpecError;
use switchyard::challenges::{Score, ScoreError, score};
use switchyard::sim::RunError;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The scheduler: a script's file (docs/scripts.md), a plug-in's (docs/plugins.md), or a policy such as
    /// 'las[quantum=300]' or 'plugin:FILE.wasm[quantum=60]'
    #[arg(value_name = "FILE|SPEC")]
    scheduler: String,
    /// Write the score as JSON to this file; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = PathBuf::from(&arguments.scheduler);
    let policy = match script::spec(&arguments.scheduler)?.parse() {
        Ok(policy) => policy,
        Err(_) if path.is_file() => script::of_file(&path)?,
        Err(error) => {
            let error = anyhow!("{} is no file, and {error}", arguments.scheduler);
            return Err(Failure::Input(error));
        }
    };
    let score = score(&policy).map_err(|error| match error {
        ScoreError::Spec(RunSpecError::Script { mistake, .. }) => {
            Failure::Input(script::at(&path, &mistake))
        }
        ScoreError::Run {
            challenge,
            error: RunError::Program(error),
        } => {
            let at = script::at(&path, &error.mistake);
            let time = error.time.seconds();
            Failure::Run(anyhow!("{at} (challenge {challenge}, {time} s)"))
        }
        error @ ScoreError::Oracle(_) => Failure::Input(error.into()),
        error => Failure::Run(error.into()),
    })?;
    match &arguments.json {
        Some(path) => output::json(path, &score),
        None => output::text(output::STDOUT, &text(&score)),
    }
}

fn text(score: &Score) -> String {
    let mut table = Table::default();
    let head = [
        "challenge",
        "score",
        "mean JCT",
        "p95 JCT",
        "Tiresias: mean",
        "p95",
        "SRTF: mean",
        "p95",
        "score",
    ];
    table.row(head.map(str::to_owned).to_vec());
    let seconds = |seconds: f64| format!("{seconds:.0} s");
    for of in &score.challenges {
        let mut row = vec![of.title.to_owned(), format!("{:.1}", of.score)];
        for times in [of.own, of.tiresias, of.srtf] {
            row.extend([seconds(times.mean_jct), seconds(times.p95_jct)]);
        }
        row.push(format!("{:.1}", of.srtf_score));
        table.row(row);
    }
    let mut text = format!(
        "score {:.1} (100: as good as Tiresias, which does not know durations either; SRTF does)\n\n{table}\nTo see them run, put this behind the address of the page:\n",
        score.score
    );
    for of in &score.challenges {
        text.push_str(&format!("{}\n", of.link));
    }
    text
}
