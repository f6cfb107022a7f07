//! Slurm's jobs as `scontrol show job` prints them: records of `Key=value`, each of which begins with
//! `JobId=`, over several lines or (`--oneliner`) one.
//!
//! `SubmitTime`; the duration is `RunTime`, which of a job that runs is how long it has; the GPUs are those
//! of `AllocTRES`, else `TRES`, `ReqTRES`, or `TresPerNode` on each of `NumNodes`. A job that waits has not
//! run yet. `TimeLimit` is the time that is asked for.
//!
//! Source: <https://slurm.schedmd.com/scontrol.html>.

use crate::format::{Format, Importer};
use crate::report::{DropReason, cell_is};
use crate::rows::{Row, date, is_missing, number, span};
use crate::sink::{self, Asks, Draft, RowRecord, Sink};
use crate::slurm::{Pairs, Requeued, first_key, state};
use crate::sniff::{Evidence, Shape};
use crate::tres;

pub(super) const FORMAT: Format = Format {
    id: "scontrol",
    title: "Slurm jobs (scontrol show job)",
    accounting: true,
    recognise: |sniff| {
        let is_job = |line| first_key(line) == Some("JobId");
        let jobs = sniff.shape == Shape::Pairs && sniff.text.lines().any(is_job);
        jobs.then(|| Evidence {
            weight: 1,
            text: "records that begin with JobId=".to_owned(),
        })
    },
    importer: |_, _| Ok(Box::new(Scontrol::default())),
};

#[derive(Default)]
struct Scontrol(Requeued);

impl Importer for Scontrol {
    fn row(&mut self, _row: &Row<'_>, _sink: &mut Sink) {}

    fn document(&mut self, text: &str, sink: &mut Sink) {
        for job in Pairs::of(text, "JobId") {
            if !sink.count_row() {
                return;
            }
            if let Err((reason, key)) = read(&job, &mut self.0, sink) {
                sink.drop(reason, job.line, &|| cell_is(key, job.get(key)));
            }
        }
    }

    fn finish(&mut self, sink: &mut Sink) {
        std::mem::take(&mut self.0).join(sink);
        sink.zero = Some(0.0);
    }

    fn units(&self) -> String {
        "Timestamps without a zone are UTC; the duration is RunTime; GPUs are those listed in AllocTRES, else TRES, ReqTRES or TresPerNode.".to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

/// Where resources are listed.
const LISTS: [&str; 3] = ["AllocTRES", "TRES", "ReqTRES"];

/// Keeps a job, or tells the key to blame.
fn read(
    job: &Pairs<'_>,
    requeued: &mut Requeued,
    sink: &mut Sink,
) -> Result<(), (DropReason, &'static str)> {
    let filled = LISTS.into_iter().find(|key| !job.get(key).is_empty());
    let listed = LISTS.into_iter().find_map(|key| tres::gpus(job.get(key)));
    let per_node = tres::gpus(job.get("TresPerNode"));
    let nodes = number(job.get("NumNodes")).unwrap_or(1.0);
    let count = listed.or_else(|| Some(per_node? * nodes));
    let cores = LISTS
        .into_iter()
        .filter_map(|key| tres::cores(job.get(key)));
    let cores = cores
        .chain(number(job.get("NumCPUs")))
        .find(|cores| *cores > 0.0);
    if count.is_none() && filled.is_none() && sink.unit.is_default() {
        return Err((DropReason::GpusMissing, "TRES"));
    }
    let key = filled.unwrap_or("TresPerNode");
    let (gpus, share) = sink
        .occupied(count.unwrap_or(0.0), cores.unwrap_or(0.0))
        .map_err(|reason| (reason, key))?;
    let lists = ["ReqTRES", "TRES", "AllocTRES", "TresPerNode"].into_iter();
    let mut types = lists.map(|key| tres::types(job.get(key)));
    let types = types.find(|types| !types.is_empty()).unwrap_or_default();
    let ran_on = tres::types(job.get("AllocTRES"));
    let needs = |of: fn(&str) -> Option<f64>| {
        let mut lists = ["ReqTRES", "TRES", "AllocTRES"].into_iter();
        lists.find_map(|key| of(job.get(key)))
    };
    let submit = job.get("SubmitTime");
    let reason = if is_missing(submit) {
        DropReason::SubmitMissing
    } else {
        DropReason::SubmitInvalid
    };
    let submit = date(submit).ok_or((reason, "SubmitTime"))?;
    let submit = sink::submit(submit).map_err(|reason| (reason, "SubmitTime"))?;
    let word = job.get("JobState");
    if word.eq_ignore_ascii_case("pending") {
        return Err((DropReason::NotBegun, "JobState"));
    }
    let ran = job.get("RunTime");
    let reason = if is_missing(ran) {
        DropReason::DurationMissing
    } else {
        DropReason::DurationInvalid
    };
    let duration = span(ran).ok_or((reason, "RunTime"))?;
    let duration = sink::duration(duration).map_err(|reason| (reason, "RunTime"))?;
    let tenant = ["Account", "Partition"].map(|key| job.get(key));
    requeued.note(job.get("JobId"), word);
    sink.keep(Draft {
        line: job.line,
        name: job.get("JobId"),
        submit,
        duration,
        gpus,
        share,
        tenant: tenant
            .into_iter()
            .find(|name| !name.is_empty())
            .unwrap_or(""),
        model: "",
        batch: None,
        asks: Asks {
            types: &types,
            cores: needs(tres::cores).unwrap_or(0.0),
            memory: needs(tres::memory).unwrap_or(0.0),
            time: sink::asked_time(span(job.get("TimeLimit"))),
            ..Asks::default()
        },
        record: RowRecord {
            labels: ["UserId", "Account", "Partition", "QOS", "Reservation"].map(|key| {
                // A user is `ann(1001)`.
                job.get(key).split('(').next().unwrap_or("")
            }),
            start: date(job.get("StartTime")),
            priority: number(job.get("Priority")),
            ran_on: &ran_on,
            nodes: job.get("NodeList"),
        },
        status: state(word),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &str = include_str!("../../../../tests/fixtures/scontrol_jobs.txt");

    #[test]
    fn fixture() {
        let shown = trace("jobs.txt", FILE.as_bytes());
        assert_eq!(shown.format, "scontrol");
        assert_eq!(
            records(&shown),
            [
                "1 41 1714737600 3600 2 vision - Completed",
                "11 42 1714737660 120 8 nlp - Running",
            ]
        );
        assert_eq!(
            dropped(&shown),
            [
                "no_gpus 1 27 TRES is 'cpu=8,mem=8G,node=1'",
                "not_begun 1 20 JobState is 'PENDING'",
            ]
        );
        assert_eq!(
            warnings(&shown),
            ["censored 1 11 had not ended", "gpu_types 1 1 a100"]
        );
        assert_eq!(shown.records[0].demand.time, Some(86_400.0));
        // On one line each.
        let lines: Vec<String> = FILE
            .split("\n\n")
            .map(|job| job.replace("\n", ""))
            .collect();
        let lines = trace("jobs.txt", lines.join("\n").as_bytes());
        let times =
            |trace: &crate::Trace| trace.records.iter().map(|r| r.duration).collect::<Vec<_>>();
        assert_eq!(times(&lines), times(&shown));
    }
}
