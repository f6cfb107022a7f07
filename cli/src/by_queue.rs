//! The queues of runs in tables for people, who was preempted over and over, and what differs between two runs queue by
//! queue.

use crate::table::Table;
use crate::terminal::within_line;
use switchyard::report::{QueueDifference, QueueFigures, QueueReport, QueuesApart, RunResult};
use switchyard_app::format;

/// So many queues, pairs and loops are printed; files have all.
const MOST: usize = 40;

/// Each run by queue; nothing where that was not asked for.
pub(crate) fn tables(runs: &[RunResult]) -> String {
    let told = runs
        .iter()
        .filter_map(|run| Some((run, run.by_queue.as_ref()?)));
    told.map(|(run, report)| of_run(&run.label, report))
        .collect()
}

fn of_run(label: &str, report: &QueueReport) -> String {
    let mut text = format!("\n{label} by queue\n");
    let mut table = Table::default();
    let header = [
        "",
        "quota",
        "jobs",
        "GPU-hours",
        "borrowed",
        "lent",
        "share*",
        "mean wait",
        "median",
        "p95 wait",
        "mean JCT",
        "preempted",
        "preempts",
    ];
    table.row(header.map(str::to_owned).to_vec());
    for of in report.queues.iter().take(MOST) {
        table.row(row(of));
    }
    text.push_str(&table.to_string());
    text.push_str(&more(report.queues.len(), "queues"));
    text.push_str(
        "* of what was held while some job waited; borrowed: GPU-hours beyond its quota, lent: of its quota, used by others in proportion to what each had idle\n",
    );
    if report.beyond_quotas_gpu_hours > 0.0 {
        text.push_str(&format!(
            "{} GPU-hours were used beyond all quotas\n",
            format::figures(report.beyond_quotas_gpu_hours)
        ));
    }
    if !report.preemptions.is_empty() {
        text.push_str("who lost GPUs for whom\n");
        for of in report.preemptions.iter().take(MOST) {
            let [queue, by] = [&of.queue, &of.by].map(|name| within_line(name));
            text.push_str(&format!("  {queue} for {by}: {}\n", times(of.times)));
        }
        text.push_str(&more(report.preemptions.len(), "pairs"));
    }
    if !report.loops.is_empty() {
        text.push_str("jobs that lost their GPUs over and over for the same\n");
        for of in report.loops.iter().take(MOST) {
            let by = match &of.by_job {
                Some(job) => format!("{} of {}", within_line(job), within_line(&of.by_queue)),
                None => format!("jobs of {}", within_line(&of.by_queue)),
            };
            let (job, queue) = (within_line(&of.job), within_line(&of.queue));
            text.push_str(&format!(
                "  {job} of {queue}: {} for {by}\n",
                times(of.times)
            ));
        }
        text.push_str(&more(report.loops.len(), "jobs"));
    }
    text
}

fn row(of: &QueueFigures) -> Vec<String> {
    let jobs = match of.jobs - of.finished {
        0 => of.jobs.to_string(),
        _ => format!("{} of {}", of.finished, of.jobs),
    };
    let indent = "  ".repeat(of.depth.min(20) as usize);
    vec![
        format!("{indent}{}", within_line(&of.name)),
        format::figures(of.quota),
        jobs,
        format::figures(of.executed_gpu_hours),
        format::figures(of.borrowed_gpu_hours),
        format::figures(of.lent_gpu_hours),
        format::percent(of.share_while_waiting),
        format::duration(of.queueing.mean),
        format::duration(of.queueing.median),
        format::duration(of.queueing.p95),
        format::duration(of.jct.mean),
        of.preempted.to_string(),
        of.preempts.to_string(),
    ]
}

fn times(times: u32) -> String {
    match times {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        times => format!("{times} times"),
    }
}

fn more(all: usize, what: &str) -> String {
    match all.saturating_sub(MOST) {
        0 => String::new(),
        more => format!("and {more} more {what}: --json FILE has all\n"),
    }
}

/// What differs between the first run and each other: who wins, who loses, by how much.
pub(crate) fn apart(pairs: &[QueuesApart]) -> String {
    pairs.iter().map(of_pair).collect()
}

fn of_pair(pair: &QueuesApart) -> String {
    let mut text = format!("\n{} beside {}, by queue\n", pair.second, pair.first);
    let mut table = Table::default();
    let header = [
        "",
        "quota",
        "jobs",
        "share*",
        "mean wait",
        "p95 wait",
        "wait less",
        "wait longer",
        "",
    ];
    table.row(header.map(str::to_owned).to_vec());
    for of in pair.queues.iter().take(MOST) {
        let both = |show: fn(f64) -> String, [first, second]: [f64; 2]| {
            format!("{} → {}", show(first), show(second))
        };
        table.row(vec![
            within_line(&of.name).to_string(),
            both(format::figures, of.quota),
            of.jobs.to_string(),
            both(format::percent, of.share_while_waiting),
            both(format::duration, of.wait_mean),
            both(format::duration, of.wait_p95),
            of.wait_less.to_string(),
            of.wait_longer.to_string(),
            verdict(of),
        ]);
    }
    text.push_str(&table.to_string());
    text.push_str(&more(pair.queues.len(), "queues"));
    text.push_str(
        "* of what was held while some job waited; waits are of the jobs that finished in both\n",
    );
    text
}

/// Who wins waits less on the mean.
fn verdict(of: &QueueDifference) -> String {
    let longer = of.longer();
    let by = format::duration(longer.abs());
    match () {
        () if longer < -QueueDifference::SAME_WAIT => format!("wins {by}"),
        () if longer > QueueDifference::SAME_WAIT => format!("loses {by}"),
        () => "the same".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_less_wins() {
        let with = |wait_mean| QueueDifference {
            name: "a".to_owned(),
            jobs: 1,
            wait_less: 0,
            wait_longer: 0,
            wait_mean,
            wait_p95: [0.0; 2],
            quota: [0.0; 2],
            share_while_waiting: [0.0; 2],
        };
        assert_eq!(verdict(&with([990.0, 0.0])), "wins 16.5 min");
        assert_eq!(verdict(&with([0.0, 37.5])), "loses 37.5 s");
        assert_eq!(verdict(&with([5.0, 5.5])), "the same");
    }
}
