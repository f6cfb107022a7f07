//! `switchyard why --whole`: what a job's whole life was spent on, or those of all jobs of a run, under each policy.

use crate::progress::Progress;
use crate::table::Table;
use crate::terminal::within_line;
use crate::{Failure, output, script};
use anyhow::Context as _;
use std::sync::Arc;
use switchyard::explain::Spent;
use switchyard::job::JobId;
use switchyard::report::{GroupLives, GroupPart, LifePart, lives_csv};
use switchyard::weights::Weights;
use switchyard::{RunSpec, workload::Workload};
use switchyard_app::driver::Driver;
use switchyard_app::format::{duration, percent, significant};
use switchyard_app::lives::{JobLife, RunLives, lives_of, parts_of, title};
use switchyard_app::study::Whom;

/// The jobs that a cause names in words, and the groups.
const NAMED: usize = 5;
const GROUPS: usize = 20;

/// What is run, and by what.
pub(super) struct LivesStudy<'a> {
    pub(super) workload: &'a Arc<Workload>,
    pub(super) runs: &'a [RunSpec],
    pub(super) weights: &'a Weights,
    /// As they were written.
    pub(super) policies: &'a [String],
    /// Where files go.
    pub(super) json: Option<&'a output::OutputFile>,
    pub(super) csv: Option<&'a output::OutputFile>,
}

impl LivesStudy<'_> {
    fn driver(&self, spec: &RunSpec) -> Result<Driver, Failure> {
        let run = Driver::start(spec, self.workload, self.weights);
        run.map_err(|missing| Failure::Input(missing.into()))
    }

    fn run_jobs(&self, spec: &RunSpec, run: &mut Driver) -> Result<(), Failure> {
        let jobs = self.workload.jobs.len() as u64;
        Progress::of(&spec.policy.label(), jobs, "jobs")
            .run_jobs(run)
            .map_err(|error| script::ended(self.policies, &spec.policy, error))
    }

    /// A job's life under each policy.
    pub(super) fn job(&self, job: JobId) -> Result<(), Failure> {
        let lives = self.runs.iter().map(|spec| {
            let mut run = self.driver(spec)?.noting_life_of(job);
            self.run_jobs(spec, &mut run)?;
            Ok(parts_of(&mut run, job, spec, self.workload).0)
        });
        let lives = lives.collect::<Result<Vec<Vec<LifePart>>, Failure>>()?;
        let lives = || self.runs.iter().zip(&lives);
        match self.json {
            Some(path) => {
                let told =
                    lives().map(|(spec, parts)| JobLife::of(parts, job, spec, self.workload));
                output::json(path, &told.collect::<Vec<_>>())
            }
            None => output::print(
                &lives()
                    .map(|(spec, parts)| self.life_text(spec, job, parts))
                    .collect::<String>(),
            ),
        }
    }

    /// What the jobs of each run spent their lives on, by group or together.
    pub(super) fn run(&self, whom: Option<Whom>) -> Result<(), Failure> {
        let runs = self.runs.iter().map(|spec| {
            let lives = lives_of(whom, spec, self.workload);
            let mut run = self.driver(spec)?.noting_lives(lives);
            self.run_jobs(spec, &mut run)?;
            Ok((spec, run.take_lives()))
        });
        let runs = runs.collect::<Result<Vec<(&RunSpec, Vec<GroupLives>)>, Failure>>()?;
        let mut files = Vec::new();
        if let Some(path) = self.json {
            let told = runs
                .iter()
                .map(|(spec, groups)| RunLives::of(groups, spec, self.workload));
            let json = serde_json::to_string_pretty(&told.collect::<Vec<_>>());
            let json = json.context("cannot write what jobs spent their lives on as JSON");
            files.push((path, json.map_err(Failure::Run)?));
        }
        if let Some(path) = self.csv {
            let labels: Vec<String> = runs.iter().map(|(spec, _)| spec.policy.label()).collect();
            let rows = labels.iter().zip(&runs);
            let rows = rows.map(|(label, (_, groups))| (label.as_str(), &groups[..]));
            files.push((path, lives_csv(rows)));
        }
        // Files first: whoever reads standard output may have seen enough before its end.
        files.sort_by_key(|(path, _)| ***path == *output::STDOUT);
        for (path, text) in &files {
            output::text(path, text)?;
        }
        match files.iter().any(|(path, _)| ***path == *output::STDOUT) {
            true => Ok(()),
            false => output::print(&self.run_text(whom, &runs)),
        }
    }

    fn name(&self, job: JobId) -> String {
        let job = self.workload.jobs.get(job.index());
        job.map_or_else(String::new, |job| within_line(&job.name))
    }

    fn words(&self, text: &str) -> String {
        self.workload.unit.words(text).into_owned()
    }

    fn life_text(&self, spec: &RunSpec, job: JobId, parts: &[LifePart]) -> String {
        let (label, name) = (spec.policy.label(), self.name(job));
        let seconds = parts.iter().fold(0.0, |all, part| all + part.seconds);
        if parts.is_empty() {
            let text = "was never admitted: it wants more GPUs than the cluster has";
            return self.words(&format!("{label}: {name} {text}\n"));
        }
        let mut text = format!("{label}: {name} was there for {}\n", duration(seconds));
        let mut table = Table::default();
        for part in parts {
            table.row(vec![
                format!("  {}", title(part.spent, &part.law)),
                percent(part.seconds / seconds),
                duration(part.seconds),
            ]);
        }
        for (line, part) in table.to_string().lines().zip(parts) {
            text.push_str(&format!("{line}\n"));
            if part.spent != Spent::Running {
                let meaning = self.words(part.spent.meaning());
                text.push_str(&format!("    {meaning}\n"));
            }
            if !part.by.is_empty() {
                let by = self.by(&part.by, duration);
                text.push_str(&format!("    {by}{}\n", later(part)));
            }
        }
        text
    }

    /// Who caused something: "because of lab-003 (1.2 h), lab-010 (40 min) and 12 more (2 h)".
    fn by(&self, by: &[(JobId, f64)], amount: impl Fn(f64) -> String) -> String {
        let named = by.iter().take(NAMED);
        let named = named.map(|(job, of)| format!("{} ({})", self.name(*job), amount(*of)));
        let mut text = format!("because of {}", named.collect::<Vec<_>>().join(", "));
        let rest = by.get(NAMED..).unwrap_or_default();
        if !rest.is_empty() {
            let of = rest.iter().fold(0.0, |all, (_, of)| all + of);
            text.push_str(&format!(" and {} more ({})", rest.len(), amount(of)));
        }
        text
    }

    fn run_text(&self, whom: Option<Whom>, runs: &[(&RunSpec, Vec<GroupLives>)]) -> String {
        let Some((_, first)) = runs.first() else {
            return String::new();
        };
        // Most waiting in the first run comes first.
        let mut order: Vec<&GroupLives> = first.iter().collect();
        order.sort_by(|a, b| b.waited().total_cmp(&a.waited()));
        let more = order.len().saturating_sub(GROUPS);
        order.truncate(GROUPS);
        let mut text = String::new();
        for group in order {
            let of = |groups: &[GroupLives]| GroupLives::named(groups, &group.name);
            let groups: Vec<GroupLives> = runs.iter().map(|(_, groups)| of(groups)).collect();
            if let Some(whom) = whom {
                let name = group.called();
                text.push_str(&within_line(&format!("{whom}: {name}")));
                text.push('\n');
            }
            text.push_str(&self.group_text(runs, &groups));
            if whom.is_none() {
                text.push_str(&self.causes_text(runs, &groups));
            }
        }
        if more > 0 {
            text.push_str(&format!("and {more} more, which --json tells\n"));
        }
        text
    }

    /// A group's lives, a column for each run.
    fn group_text(&self, runs: &[(&RunSpec, Vec<GroupLives>)], groups: &[GroupLives]) -> String {
        let mut table = Table::default();
        let mut row = |title: String, cells: Vec<String>| {
            table.row(std::iter::once(title).chain(cells).collect());
        };
        let labels = runs.iter().map(|(spec, _)| spec.policy.label());
        row(String::new(), labels.collect());
        let hours = |of: &dyn Fn(&GroupLives) -> f64| -> Vec<String> {
            groups.iter().map(|group| significant(of(group))).collect()
        };
        let all = self.words("GPU-hours from submission to end");
        row(all, hours(&|group| group.gpu_hours));
        row("  of these waited".to_owned(), hours(&GroupLives::waited));
        for (spent, law) in causes(groups) {
            let of = |group: &GroupLives| {
                let part = group.parts.iter().find(|of| is(of, spent, law))?;
                Some(percent(part.gpu_hours / group.gpu_hours))
            };
            let cells = groups
                .iter()
                .map(|group| of(group).unwrap_or("–".to_owned()));
            row(format!("  {}", title(spent, law)), cells.collect());
        }
        table.to_string()
    }

    /// Because of whom, in each run: of each cause that others are.
    fn causes_text(&self, runs: &[(&RunSpec, Vec<GroupLives>)], groups: &[GroupLives]) -> String {
        let mut text = String::new();
        for ((spec, _), group) in runs.iter().zip(groups) {
            for part in group.parts.iter().filter(|part| !part.by.is_empty()) {
                let named = &part.by[..part.by.len().min(NAMED)];
                let by = self.by(named, |hours| {
                    self.words(&format!("{} GPU-hours", significant(hours)))
                });
                text.push_str(&format!(
                    "{}, {}: most of all {by}\n",
                    spec.policy.label(),
                    title(part.spent, &part.law)
                ));
            }
        }
        text
    }
}

/// Of which those that came later have caused how much.
fn later(part: &LifePart) -> String {
    match part.by_later > 0.0 {
        true => format!(
            "; {} of it because of jobs that came later",
            percent(part.by_later / part.seconds)
        ),
        false => String::new(),
    }
}

/// All that some group spent time on, in the order in which it is stacked.
fn causes(groups: &[GroupLives]) -> Vec<(Spent, &str)> {
    let parts = groups.iter().flat_map(|group| &group.parts);
    let mut causes: Vec<(Spent, &str)> =
        parts.map(|part| (part.spent, part.law.as_str())).collect();
    let place = |spent| Spent::ALL.iter().position(|of| *of == spent);
    causes.sort_by_key(|(spent, law)| (place(*spent), *law));
    causes.dedup();
    causes
}

fn is(part: &GroupPart, spent: Spent, law: &str) -> bool {
    part.spent == spent && part.law == law
}
