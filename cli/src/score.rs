//! `switchyard score`: what a scheduler of one's own makes of the challenges.

use crate::progress::Progress;
use crate::table::Table;
use crate::{Failure, output, script};
use anyhow::anyhow;
use clap::{Args, ValueHint};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use switchyard::RunSpecError;
use switchyard::engine::RunError;
use switchyard_app::challenges::board::{self, Entry, Refused};
use switchyard_app::challenges::{
    CHALLENGES, Challenge, Contest, Estimate, Goal, MOST_DRAW, MOST_WORKLOADS, Score, ScoreError,
    Scored, Times, WORKLOADS, score_watched,
};
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
    /// How many workloads of each challenge are drawn: more make the interval narrower
    #[arg(long, value_name = "N", default_value_t = WORKLOADS as u64, value_parser = clap::value_parser!(u64).range(2..=MOST_WORKLOADS as u64))]
    seeds: u64,
    /// Score it on this challenge alone; several: --challenge A --challenge B
    #[arg(long = "challenge", value_name = "NAME", value_parser = challenge)]
    challenges: Vec<&'static Challenge>,
    /// Print the entry of the board (docs/challenges.md) with which a script goes there under this name. Its workloads are
    /// drawn from its text, 20 of each challenge
    #[arg(long, value_name = "NAME", requires = "by", conflicts_with_all = ["draw", "seeds", "json"])]
    entry: Option<String>,
    /// Whose entry it is
    #[arg(long, value_name = "AUTHOR", requires = "entry")]
    by: Option<String>,
    /// Write the score as JSON to this file; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
}

fn challenge(name: &str) -> Result<&'static Challenge, String> {
    Challenge::named(name).map_err(|error| error.to_string())
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = PathBuf::from(&arguments.scheduler);
    let challenges = match arguments.challenges.as_slice() {
        [] => CHALLENGES.iter().collect(),
        named => named.to_vec(),
    };
    if let (Some(name), Some(by)) = (&arguments.entry, &arguments.by) {
        return entry((name, by), &path, challenges);
    }
    let policy = match script::spec(&arguments.scheduler)?.parse() {
        Ok(policy) => policy,
        Err(_) if path.is_file() => script::of_file(&path)?,
        Err(error) => {
            let error = anyhow!("{} is no file, and {error}", arguments.scheduler);
            return Err(Failure::Input(error));
        }
    };
    let contest = Contest {
        draw: arguments.draw.unwrap_or_else(any_draw),
        workloads: arguments.seeds as usize,
        challenges,
    };
    let progress = Progress::of("score", contest.runs() as u64, "runs");
    let score = score_watched((&policy).into(), &contest, &mut |run| progress.run(run));
    drop(progress);
    let score = score.map_err(|error| unscored(&path, error))?;
    match &arguments.json {
        Some(path) => output::json(path, &score),
        None => output::print(&text(&score)),
    }
}

/// Prints what a script goes onto the board with.
fn entry(
    named: (&str, &str),
    path: &Path,
    challenges: Vec<&'static Challenge>,
) -> Result<(), Failure> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|why| {
        let path = path.display();
        Failure::Input(anyhow!("{path}: {why}. An entry is a script's file"))
    })?;
    let runs = Contest {
        draw: 0,
        workloads: board::WORKLOADS,
        challenges: challenges.clone(),
    }
    .runs();
    let progress = Progress::of("score", runs as u64, "runs");
    let entry = Entry::of(named, &text, challenges, &mut |run| progress.run(run));
    drop(progress);
    let entry = entry.map_err(|refused| match refused {
        Refused::Text { mistake, .. } => Failure::Input(script::at(path, &mistake)),
        Refused::Score(_, error) => unscored(path, *error),
        refused => Failure::Run(refused.into()),
    })?;
    output::print(&board::text(&[entry]))
}

/// Why there is no score, of a script at its place in the file.
fn unscored(path: &Path, error: ScoreError) -> Failure {
    match error {
        ScoreError::Spec(RunSpecError::Script { mistake, .. }) => {
            Failure::Input(script::at(path, &mistake))
        }
        ScoreError::Run {
            challenge,
            draw,
            error: RunError::Program(error),
        } => {
            let at = script::at(path, &error.mistake);
            let time = error.time.seconds();
            Failure::Run(anyhow!(
                "{at} (challenge {challenge}, draw {draw}, {time} s)"
            ))
        }
        error @ ScoreError::Oracle(_) => Failure::Input(error.into()),
        error => Failure::Run(error.into()),
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
        "par",
        "bound",
        "what counts",
        "Tiresias'",
        "SRTF's",
        "SRTF's score",
    ];
    table.row(head.map(str::to_owned).to_vec());
    for of in &score.challenges {
        table.row(vec![
            of.title.to_owned(),
            format!("{:.1}", of.of_all.score),
            interval(&of.of_all),
            format!("{:.1} ({})", of.par.score, of.par.policy),
            format!("{:.1}", of.bound_score),
            counted(of, &of.own),
            counted(of, &of.tiresias),
            counted(of, &of.srtf),
            format!("{:.1}", of.srtf_score),
        ]);
    }
    let mut text = format!(
        "score {:.1}, 95 % interval {}; SRTF's is {:.1}\n\
         (100: as good as Tiresias, which does not know durations either; SRTF does)\n\n{table}\n\
         What counts: mean JCT and p95; of Quotas both on the mean of tenants; of Deadlines the share of jobs in time.\n\
         Par: the best published policy. Bound: no scheduler has more on these workloads (docs/challenges.md).\n\
         {} workloads of each challenge, drawn from {}: the same ones again with --draw {}{}\n\
         To see the scheduler on the open workload of each, put this behind the address of the page:\n",
        score.of_all.score,
        interval(&score.of_all),
        score.srtf_score,
        score.workloads,
        score.draw,
        score.draw,
        match score.workloads {
            WORKLOADS => String::new(),
            many => format!(" --seeds {many}"),
        }
    );
    for of in &score.challenges {
        text.push_str(&format!("{}\n", of.link));
    }
    text
}

/// The figures of a challenge's goal, in words.
fn counted(of: &Scored, times: &Times) -> String {
    match of.goal {
        Goal::Jct | Goal::Tenants => times.figures.map(format::duration).join(", "),
        Goal::Deadlines => format!("{:.1} % in time", 100.0 / times.figures[0]),
    }
}

fn interval(of: &Estimate) -> String {
    format!("{:.1} to {:.1}", of.low, of.high)
}
