//! The sample that is open at first and its runs are taken from what [came with the page](crate::first_minute), in the
//! place of a worker's answers.

use super::Session;
use crate::bridge::jobs::Jobs;
use crate::bridge::log_piece::BufferCells;
use crate::bridge::protocol::{Choice, OpenedTrace};
use crate::first_minute::{FirstMinute, RecordedRun};
use crate::state::{AppState, Finished, Source};
use switchyard::RunSpec;
use switchyard::workload::Sample;
use switchyard_workers::protocol::Cells;
use wasm_bindgen_futures::spawn_local;

impl Session {
    /// Opens a sample that has come with the page, soon; whether it has.
    pub(super) fn open_recorded(&self, name: &str, choice: &Choice) -> bool {
        // Only once: afterwards workers are there.
        let is_first = self.0.stage.read().workload.jobs.is_empty();
        if !is_first || *choice != Choice::default() {
            return false;
        }
        let found = FirstMinute::read().filter(|first| first.sample == name);
        let (Some(first), Some(sample)) = (found, Sample::named(name)) else {
            return false;
        };
        let trace = OpenedTrace::of_sample(sample, Jobs::of_bytes(&first.jobs));
        self.0.first_minute.replace(Some(first));
        let session = self.clone();
        spawn_local(async move {
            // Somebody may have given it up or opened something else meanwhile.
            if session.is_opening() && session.0.stage.read().workload.jobs.is_empty() {
                session.on_opened(trace);
                // Its runs are there before anything is painted.
                session.reconcile();
                session.prepare_opener();
            }
        });
        true
    }

    /// The run of these settings that has come with the page, of jobs that are still those.
    pub(super) fn take_recorded(&self, spec: &RunSpec, state: &AppState) -> Option<RecordedRun> {
        let mut first = self.0.first_minute.borrow_mut();
        let first = first.as_mut()?;
        let trace = state.opening.trace.as_ref()?;
        let are_its_jobs = trace.source == Source::Sample(first.sample.clone())
            && trace.choice == Choice::default()
            && state.applications().is_none();
        are_its_jobs.then(|| first.take_run(spec)).flatten()
    }

    /// Shows a run that has come with the page.
    pub(super) fn tell_recorded(&self, id: u32, run: RecordedRun) {
        let cells = BufferCells::from(&run.cells[..]);
        let appended = self
            .0
            .stage
            .write()
            .receive(id, |log| cells.append_to(run.rows, log));
        if let Err(why) = appended {
            return self.on_worker_died(id, &why.to_string());
        }
        let log_hash = run.log_hash;
        let finished = |outcomes, summary| Finished {
            outcomes,
            summary,
            log_hash,
            wall_ms: None,
            is_native: false,
            decisions: None,
        };
        self.finish(id, finished, None);
        self.check_linked_time(&self.state());
    }
}
