//! Jobs made by hand: a table of them becomes a file in our own format, and is opened as every other
//! file is. So it is held, kept, saved, linked and run like any trace.

use super::OpeningRequest;
use crate::session::Session;
use crate::session::history::Wanted;
use crate::state::{AppState, NoticesAction, Source};
use crate::stored_traces::TraceFiles;
use js_sys::Array;
use std::fmt::Write;
use switchyard::job::{Demand, Job, Work};
use switchyard::workload::Workload;
use wasm_bindgen::JsValue;
use web_sys::File;

/// The name of the file that such jobs are.
pub const MADE: &str = "made-by-hand.csv";

/// More jobs than this are no table to go through by hand.
pub const MOST: usize = 100;

/// A job as a person writes it down.
#[derive(Clone, Debug, PartialEq)]
pub struct MadeJob {
    /// Its name.
    pub name: String,
    /// Seconds after the first one.
    pub submit: f64,
    /// Seconds that it takes.
    pub duration: f64,
    /// GPUs of its gang.
    pub gpus: u32,
    /// Whose it is; may be empty.
    pub tenant: String,
    /// What it trains; may be empty.
    pub model: String,
}

/// The jobs of a workload as a person would write them down; `None` if that would leave something out,
/// or they are too many.
pub fn made_of(workload: &Workload) -> Option<Vec<MadeJob>> {
    let text = |names: &[String], at: Option<u32>| {
        let name = at.and_then(|at| names.get(at as usize));
        name.cloned().unwrap_or_default()
    };
    let made = |job: &Job| match job.work {
        Work::Fixed { duration } if job.demand == Demand::default() => Some(MadeJob {
            name: job.name.to_string(),
            submit: job.submit.seconds(),
            duration,
            gpus: job.gpus,
            tenant: text(&workload.tenants, job.tenant),
            model: text(&workload.models, job.model),
        }),
        _ => None,
    };
    let few = Some(&workload.jobs).filter(|jobs| jobs.len() <= MOST)?;
    few.iter().map(made).collect()
}

/// The jobs as a file of ours.
fn written(jobs: &[MadeJob]) -> String {
    let mut text =
        "#switchyard 1\n#title Jobs made by hand\njob,submit,duration,gpus,tenant,model\n"
            .to_owned();
    let cell = |text: &str| match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    for job in jobs {
        let [name, tenant, model] = [&job.name, &job.tenant, &job.model].map(|text| cell(text));
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{name},{},{},{},{tenant},{model}",
            job.submit, job.duration, job.gpus
        );
    }
    text
}

impl Session {
    /// Opens jobs made by hand in the place of what is open; cluster, schedulers, settings and the
    /// clock stay as they are.
    pub fn open_made(&self, jobs: &[MadeJob], state: &AppState) {
        let text = JsValue::from(written(jobs));
        let Ok(file) = File::new_with_str_sequence(&Array::of1(&text), MADE) else {
            let why = "This browser makes no files, so jobs cannot be made by hand here.";
            return self.dispatch(NoticesAction::Notice(Some(why.to_owned())));
        };
        let clock = self.0.stage.read().clock;
        let is_made = state.opening.source == Source::File(MADE.to_owned());
        let mut wanted = Wanted::default();
        wanted.cluster = Some(state.setup.cluster.clone());
        wanted.time = Some(if is_made { clock.now } else { 0.0 });
        wanted.speed = Some(clock.speed).filter(|_| is_made);
        self.0.history.want(wanted);
        self.open(OpeningRequest {
            how: TraceFiles {
                files: vec![file],
                ..TraceFiles::default()
            },
            linked: true,
            ..OpeningRequest::default()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::trace::{OpenOptions, Opened, SourceFile, open};

    #[test]
    fn jobs_made_by_hand_are_a_file_that_opens_as_they_are() {
        let job = |name: &str, submit: f64, gpus: u32| MadeJob {
            name: name.to_owned(),
            submit,
            duration: 90.5,
            gpus,
            tenant: String::new(),
            model: "a, \"b\"".to_owned(),
        };
        let jobs = vec![job("one", 0.0, 2), job("two, or so", 12.25, 8)];
        let text = written(&jobs);
        let file = SourceFile {
            name: MADE,
            bytes: text.as_bytes(),
        };
        let Ok(Opened::Trace(trace)) = open(&[file], &OpenOptions::default()) else {
            unreachable!("it is ours")
        };
        assert_eq!(made_of(&trace.workload()), Some(jobs));
    }
}
