//! `switchyard score`: what a scheduler of one's own makes of the challenges.

use crate::progress::Progress;
use crate::table::Table;
use crate::{Failure, output, script};
use anyhow::anyhow;
use clap::{Args, ValueHint};
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use switchyard::RunSpecError;
use switchyard::engine::RunError;
use switchyard_app::challenges::{Estimate, MOST_DRAW, RUNS, Score, ScoreError, score_watched};
use switchyard_app::format;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The scheduler: a script's file (docs/scripts.md), a plug-in's (docs/plugins.md), or a policy such as
    /// 'las[quantum=300]' or 'plugin:FILE.wasm[quantum=60]'
    #[arg(value_name = "FILE|SPEC", value_hint = ValueHint::AnyPath)]
    scheduler: String,
    /// Draw the workloads from this number, which a score is given with: the same number, the same score. Without it
    /// they are new ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=MOST_DRAW))]
    draw: Option<u64>,
    /// Write the score as JSON to this file; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
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
    let draw = arguments.draw.unwrap_or_else(any_draw);
    let progress = Progress::of("score", RUNS as u64, "runs");
    let score = score_watched(&policy, draw, &mut |run| progress.run(run));
    drop(progress);
    let score = score.map_err(|error| match error {
        ScoreError::Spec(RunSpecError::Script { mistake, .. }) => {
            Failure::Input(script::at(&path, &mistake))
        }
        ScoreError::Run {
            challenge,
            draw,
            error: RunError::Program(error),
        } => {
            let at = script::at(&path, &error.mistake);
            let time = error.time.seconds();
            Failure::Run(anyhow!(
                "{at} (challenge {challenge}, draw {draw}, {time} s)"
            ))
        }
        error @ ScoreError::Oracle(_) => Failure::Input(error.into()),
        error => Failure::Run(error.into()),
    })?;
    match &arguments.json {
        Some(path) => output::json(path, &score),
        None => output::print(&text(&score)),
    }
}

/// A number that nobody knew before.
fn any_draw() -> u64 {
    // The standard library's hashers begin with the system's entropy.
    RandomState::new().hash_one(()) % (MOST_DRAW + 1)
}

fn text(score: &Score) -> String {
    let mut table = Table::default();
    let head = [
        "challenge",
        "score",
        "95 %",
        "mean JCT",
        "p95 JCT",
        "Tiresias: mean",
        "p95",
        "SRTF: mean",
        "p95",
        "score",
    ];
    table.row(head.map(str::to_owned).to_vec());
    for of in &score.challenges {
        let mut row = vec![
            of.title.to_owned(),
            format!("{:.1}", of.of_all.score),
            interval(&of.of_all),
        ];
        for times in [of.own, of.tiresias, of.srtf] {
            row.extend([times.jct_mean, times.jct_p95].map(format::duration));
        }
        row.push(format!("{:.1}", of.srtf_score));
        table.row(row);
    }
    let mut text = format!(
        "score {:.1}, 95 % interval {}; SRTF's is {:.1}\n\
         (100: as good as Tiresias, which does not know durations either; SRTF does)\n\n{table}\n\
         {} workloads of each challenge, drawn from {}: the same ones again with --draw {}\n\
         To see the scheduler on the open workload of each, put this behind the address of the page:\n",
        score.of_all.score,
        interval(&score.of_all),
        score.srtf_score,
        score.workloads,
        score.draw,
        score.draw,
    );
    for of in &score.challenges {
        text.push_str(&format!("{}\n", of.link));
    }
    text
}

fn interval(of: &Estimate) -> String {
    format!("{:.1} to {:.1}", of.low, of.high)
}
