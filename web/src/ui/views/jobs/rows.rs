//! Which jobs the jobs table shows, in which order, and which of them fit on the screen.

use crate::comparison::outcomes;
use crate::stage::Stage;
use std::borrow::Cow;
use std::cmp::Ordering;
use switchyard::job::{Job, JobId};
use switchyard::order::{self, ByValue};
use switchyard::report::Outcomes;
use switchyard::workload::Workload;

/// What is shown of every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PerRun {
    /// Job completion time.
    Jct,
    /// Queueing delay.
    Wait,
    /// Restarts.
    Restarts,
    /// Finish-time fairness.
    Rho,
    /// Job completion time, over that in the run that others are compared with.
    Ratio,
}

impl PerRun {
    /// The choice of this name, or the first.
    pub(super) fn named(text: &str) -> Self {
        let named = Self::ALL.iter().find(|(_, name)| *name == text);
        named.unwrap_or(&Self::ALL[0]).0
    }

    /// Every choice and its name.
    pub(super) const ALL: [(PerRun, &'static str); 5] = [
        (Self::Jct, "JCT"),
        (Self::Wait, "wait"),
        (Self::Restarts, "restarts"),
        (Self::Rho, "fairness ρ"),
        (Self::Ratio, "JCT ÷ baseline's"),
    ];

    /// What it means.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Jct => "Job completion time: finish − submit",
            Self::Wait => "Queueing delay: all time without GPUs, also after preemptions",
            Self::Restarts => "Starts after the first one: resumes and moves",
            Self::Ratio => {
                "Job completion time over that under the baseline: above 1 the job takes longer here"
            }
            Self::Rho => {
                "Finish-time fairness ρ (Themis, NSDI'20): JCT over the JCT on an equal share; below 1 is better than that"
            }
        }
    }

    fn of(self, outcomes: &Outcomes, job: usize) -> f64 {
        match self {
            Self::Jct | Self::Ratio => outcomes.jct[job],
            Self::Wait => outcomes.queueing[job],
            Self::Restarts => f64::from(outcomes.restarts[job]),
            Self::Rho => outcomes.rho[job],
        }
    }
}

/// A column by which rows can be sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SortColumn {
    /// The job's name.
    Name,
    /// The gang.
    Gpus,
    /// When it was submitted.
    Submit,
    /// Its true duration.
    Duration,
    /// Whose it is.
    Tenant,
    /// What it trains.
    Model,
    /// What is shown of the run at this position.
    Run(usize),
}

/// How rows are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sorting {
    /// By which column.
    pub(super) column: SortColumn,
    /// Whether the greatest come first.
    pub(super) descending: bool,
}

impl SortColumn {
    /// Those that are not a run's, and their names in links.
    const NAMED: [(Self, &'static str); 6] = [
        (Self::Name, "name"),
        (Self::Gpus, "gpus"),
        (Self::Submit, "submit"),
        (Self::Duration, "duration"),
        (Self::Tenant, "tenant"),
        (Self::Model, "model"),
    ];
}

impl Sorting {
    /// Its name in links: the column's, `run0` for the first run's; after a `-`, the greatest come first.
    pub(super) fn name(self) -> String {
        let sign = if self.descending { "-" } else { "" };
        let named = SortColumn::NAMED.iter().find(|(of, _)| *of == self.column);
        match (named, self.column) {
            (None, SortColumn::Run(run)) => format!("{sign}run{run}"),
            (named, _) => format!("{sign}{}", named.map_or("", |(_, name)| *name)),
        }
    }

    /// The order of this name; what is none is the order of submission.
    pub(super) fn named(text: &str) -> Self {
        let name = text.trim_start_matches('-');
        let named = SortColumn::NAMED.iter().find(|(_, other)| *other == name);
        let run = name.strip_prefix("run").and_then(|run| run.parse().ok());
        let column = named
            .map(|(column, _)| *column)
            .or(run.map(SortColumn::Run));
        Self {
            column: column.unwrap_or(SortColumn::Submit),
            descending: column.is_some() && text.starts_with('-'),
        }
    }
}

/// The rows to show.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ListedJobs {
    /// Jobs in the order of the table.
    pub(super) jobs: Vec<u32>,
    /// For every run, what is shown of each job (by job, not by row).
    pub(super) per_run: Vec<Vec<f64>>,
}

impl ListedJobs {
    /// The selected jobs, in order. `baseline`: the run that others are compared with.
    pub(super) fn of(stage: &Stage, sorting: Sorting, (shown, baseline): (PerRun, u32)) -> Self {
        let workload = &*stage.workload;
        let outcomes: Vec<Cow<'_, Outcomes>> =
            stage.runs.iter().map(|run| outcomes(stage, run)).collect();
        let all = 0..workload.jobs.len() as u32;
        let mut jobs: Vec<u32> = all
            .filter(|&job| stage.selection.holds(JobId(job)))
            .collect();
        let base = stage.runs.iter().position(|run| run.id == baseline);
        let base = &outcomes.get(base.unwrap_or(0));
        let value = |outcomes: &Outcomes, job: usize| match (shown, base) {
            (PerRun::Ratio, Some(base)) => outcomes.jct[job] / base.jct[job],
            _ => shown.of(outcomes, job),
        };
        let column = |outcomes: &Cow<'_, Outcomes>| {
            let jobs = 0..workload.jobs.len();
            jobs.map(|job| value(outcomes, job)).collect()
        };
        let per_run: Vec<Vec<f64>> = outcomes.iter().map(column).collect();
        sort(&mut jobs, workload, &per_run, sorting);
        Self { jobs, per_run }
    }
}

/// Sorts jobs. The order of submission breaks ties; it is also the order to begin with.
fn sort(jobs: &mut Vec<u32>, workload: &Workload, per_run: &[Vec<f64>], sorting: Sorting) {
    let job = |at: u32| &workload.jobs[at as usize];
    let by_rank = |names: &[String], of: fn(&Job) -> Option<u32>| {
        let ranks = ranks(names);
        let rank = move |at| of(job(at)).and_then(|name| ranks.get(name as usize).copied());
        // Whoever has none comes before all that have.
        by_number(
            jobs,
            |at| rank(at).map_or(-1.0, f64::from),
            sorting.descending,
        )
    };
    *jobs = match sorting.column {
        SortColumn::Submit if sorting.descending => jobs.iter().rev().copied().collect(),
        SortColumn::Submit => return,
        SortColumn::Name => {
            order::sort_by(jobs, |&a, &b| {
                let order = natural(&job(a).name, &job(b).name);
                match sorting.descending {
                    true => order.reverse(),
                    false => order,
                }
            });
            return;
        }
        SortColumn::Gpus => by_number(jobs, |at| job(at).gpus.into(), sorting.descending),
        SortColumn::Duration => by_number(jobs, |at| job(at).work.seconds(), sorting.descending),
        SortColumn::Tenant => by_rank(&workload.tenants, |job| job.tenant),
        SortColumn::Model => by_rank(&workload.models, |job| job.model),
        SortColumn::Run(run) => {
            let Some(values) = per_run.get(run) else {
                return;
            };
            by_number(jobs, |at| values[at as usize], sorting.descending)
        }
    };
}

/// Jobs by a number each, which is asked for once: a million jobs lie far apart in memory. Those without one come last
/// either way.
fn by_number(jobs: &[u32], number: impl Fn(u32) -> f64, descending: bool) -> Vec<u32> {
    let sign = if descending { -1.0 } else { 1.0 };
    let keys = jobs
        .iter()
        .map(|&job| (ByValue::of(sign * number(job)), job));
    let mut keys: Vec<(ByValue, u32)> = keys.collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, job)| job).collect()
}

/// The place of each name among all, in order.
fn ranks(names: &[String]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order::sort_by_key(&mut order, |&at| names[at].as_str());
    let mut ranks = vec![0; names.len()];
    for (rank, at) in (0..).zip(order) {
        ranks[at] = rank;
    }
    ranks
}

/// Numbers within names by value: `job-9` before `job-10`.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let (Some(&x), Some(&y)) = (a.first(), b.first()) {
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (m, n) = (digits(a), digits(b));
            let value = |run: &[u8]| {
                run.iter()
                    .position(|&digit| digit != b'0')
                    .map_or(run.len(), |zeros| zeros)
            };
            let (p, q) = (&a[value(&a[..m])..m], &b[value(&b[..n])..n]);
            let order = p.len().cmp(&q.len()).then_with(|| p.cmp(q));
            if order.is_ne() {
                return order;
            }
            (a, b) = (&a[m..], &b[n..]);
        } else if x == y {
            (a, b) = (&a[1..], &b[1..]);
        } else {
            return x.cmp(&y);
        }
    }
    a.len().cmp(&b.len())
}

/// How many digits a text begins with.
fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Rows beyond the screen's edges that are there already when scrolling begins.
const SPARE: usize = 8;

/// The rows to render: those on screen, and some to spare.
pub(super) fn window(scrolled: f64, height: f64, row: f64, rows: usize) -> std::ops::Range<usize> {
    let first = (scrolled / row).max(0.0) as usize;
    let count = (height / row).ceil().max(0.0) as usize + 1;
    // Scrolled further than the rows that a filter has left.
    let first = first.min(rows.saturating_sub(count));
    first.saturating_sub(SPARE)..(first + count + SPARE).min(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::StageRun;
    use crate::state::{Finished, Phase};
    use std::rc::Rc;
    use switchyard::job::Job;

    fn stage() -> Stage {
        let job = |name: &str, submit: f64, gpus: u32| Job {
            name: name.into(),
            ..Job::plain(submit, gpus, 60.0)
        };
        let jobs = vec![
            job("job-10", 0.0, 4),
            job("job-9", 1.0, 8),
            job("job-11", 2.0, 4),
        ];
        let outcomes = Outcomes {
            jct: vec![f64::NAN, 50.0, 70.0],
            queueing: vec![f64::NAN; 3],
            rho: vec![f64::NAN; 3],
            restarts: vec![0; 3],
            ..Default::default()
        };
        let finished = Finished {
            outcomes,
            summary: Default::default(),
            log_hash: 0,
            wall_ms: None,
            is_native: false,
            decisions: None,
        };
        let run = StageRun::of("fifo", Phase::Finished(finished.into()), jobs.len());
        Stage {
            workload: Rc::new(Workload {
                jobs,
                ..Default::default()
            }),
            runs: vec![run],
            ..Default::default()
        }
    }

    fn order(column: SortColumn, descending: bool) -> Vec<u32> {
        ListedJobs::of(&stage(), Sorting { column, descending }, (PerRun::Jct, 0)).jobs
    }

    #[test]
    fn sorts_by_any_column_and_keeps_submission_order_in_ties() {
        assert_eq!(order(SortColumn::Submit, false), [0, 1, 2]);
        assert_eq!(order(SortColumn::Submit, true), [2, 1, 0]);
        assert_eq!(order(SortColumn::Name, false), [1, 0, 2]);
        assert_eq!(order(SortColumn::Gpus, true), [1, 0, 2]);
    }

    #[test]
    fn unfinished_jobs_come_last_either_way() {
        assert_eq!(order(SortColumn::Run(0), false), [1, 2, 0]);
        assert_eq!(order(SortColumn::Run(0), true), [2, 1, 0]);
        assert_eq!(order(SortColumn::Run(7), true), [0, 1, 2]);
    }

    #[test]
    fn numbers_within_names_count_by_value() {
        assert!(natural("a9", "a10").is_lt());
        assert!(natural("a010", "a9").is_gt());
        assert!(natural("a1", "a1b").is_lt());
        assert!(natural("a01", "a1").is_eq());
    }

    #[test]
    fn the_window_covers_the_screen_and_never_leaves_the_rows() {
        assert_eq!(window(0.0, 280.0, 28.0, 1000), 0..19);
        assert_eq!(window(2800.0, 280.0, 28.0, 1000), 92..119);
        assert_eq!(window(1e9, 280.0, 28.0, 1000), 981..1000);
        assert_eq!(window(500.0, 280.0, 28.0, 3), 0..3);
        assert_eq!(window(0.0, 280.0, 28.0, 0), 0..0);
    }
}
