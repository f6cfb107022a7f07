//! Batsim's workloads: a JSON object of jobs and profiles.
//!
//! `jobs` is an array of `{"id", "subtime", "res", "profile"}`; a profile of type `delay` tells
//! the duration in its `delay`. Times are seconds, `res` is taken for GPUs. Jobs whose profile is
//! of another type describe work, not time, and are left out. `walltime` is a limit.
//!
//! Source: <https://batsim.readthedocs.io/en/latest/input-workload.html>.

use super::{Format, Importer};
use crate::job::Status;
use crate::trace::detect::Shape;
use crate::trace::error::shorten;
use crate::trace::report::{DropReason, cell_is};
use crate::trace::rows::{Elements, Fields, Row};
use crate::trace::sink::{self, Draft, Sink};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) const FORMAT: Format = Format {
    id: "batsim",
    title: "Batsim workload",
    recognise: |sniff| {
        let mut evidence = sniff.with_columns(&["jobs", "profiles"])?;
        evidence.text = "a JSON object with jobs and profiles".to_owned();
        (sniff.shape == Shape::JsonObject).then_some(evidence)
    },
    importer: |_, _| Ok(Box::new(Batsim)),
};

#[derive(Deserialize)]
struct Job {
    id: Option<Value>,
    subtime: Option<f64>,
    res: Option<f64>,
    profile: Option<String>,
}

#[derive(Deserialize)]
struct Profile {
    r#type: Option<String>,
    delay: Option<f64>,
}

struct Batsim;

impl Importer for Batsim {
    fn row(&mut self, _row: &Row<'_>, _sink: &mut Sink) {}

    fn document(&mut self, text: &str, sink: &mut Sink) {
        let field = |key: &str| Fields::new(text).find(|field| field.key == key);
        let profiles = field("profiles").map_or("", |field| field.value);
        // Unlike profiles do not spoil each other.
        let profiles = Fields::new(profiles).filter_map(|profile| {
            let known: Profile = serde_json::from_str(profile.value).ok()?;
            Some((profile.key, known))
        });
        let profiles: BTreeMap<&str, Profile> = profiles.collect();
        let Some(jobs) = field("jobs") else {
            return;
        };
        let mut elements = Elements::from_line(jobs.value, jobs.line);
        while let Some(row) = elements.next() {
            sink.rows = sink.rows.saturating_add(1);
            if row.flaw.is_some() {
                let detail = || "the file ends here".to_owned();
                sink.drop(DropReason::RowTruncated, row.line, &detail);
            } else if let Err((reason, detail)) = read(&row, &profiles, sink) {
                sink.drop(reason, row.line, &|| detail.clone());
            }
        }
    }

    fn units(&self) -> String {
        "Times are seconds, as this format defines them; the duration is the delay of the job's profile; resources are taken for GPUs.".to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

fn read(
    row: &Row<'_>,
    profiles: &BTreeMap<&str, Profile>,
    sink: &mut Sink,
) -> Result<(), (DropReason, String)> {
    let job: Job = serde_json::from_str(row.cell(0)).map_err(|error| {
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        (DropReason::JsonMalformed, what.to_owned())
    })?;
    let missing = |reason, key: &str| (reason, cell_is(key, ""));
    let res = job
        .res
        .ok_or_else(|| missing(DropReason::GpusMissing, "res"))?;
    let (gpus, share) = sink::gpus(res).map_err(|r| (r, cell_is("res", &res.to_string())))?;
    let subtime = job.subtime;
    let subtime = subtime.ok_or_else(|| missing(DropReason::SubmitMissing, "subtime"))?;
    let submit = sink::submit(subtime);
    let submit = submit.map_err(|r| (r, cell_is("subtime", &subtime.to_string())))?;
    let name = job.profile.unwrap_or_default();
    let profile = profiles.get(name.as_str());
    let profile = profile.ok_or_else(|| missing(DropReason::DurationMissing, "profile"))?;
    let kind = profile.r#type.as_deref().unwrap_or("no type");
    let delay = profile.delay.filter(|_| kind == "delay").ok_or_else(|| {
        let detail = format!("profile '{}' is of type {}", shorten(&name), shorten(kind));
        (DropReason::DurationMissing, detail)
    })?;
    let duration = sink::duration(delay);
    let duration = duration.map_err(|r| (r, cell_is("delay", &delay.to_string())))?;
    let id = match job.id {
        Some(Value::String(id)) => id,
        Some(Value::Null) | None => String::new(),
        Some(id) => id.to_string(),
    };
    sink.keep(Draft {
        line: row.line,
        name: &id,
        submit,
        duration,
        gpus,
        share,
        tenant: "",
        model: "",
        batch: None,
        status: Status::Unknown,
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::trace::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/batsim.json");

    #[test]
    fn fixture() {
        let trace = trace("batsim.json", FILE);
        assert_eq!(trace.format, "batsim");
        assert_eq!(
            records(&trace),
            ["4 w!1 0 3600 4 - - Unknown", "5 2 10.5 1.5 1 - - Unknown",]
        );
        assert_eq!(
            dropped(&trace),
            [
                "submit_missing 1 8 subtime is empty",
                "duration_missing 2 6 profile 'flops' is of type parallel_homogeneous",
            ]
        );
        assert_eq!(warnings(&trace), [""; 0]);
    }
}
