//! Writing jobs: into files, and for the case that the page's program fails.

use super::Noted;
use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::protocol::{ExportFormat, ExportReply, ExportRequest};
use crate::rescue;
use crate::session::Session;
use crate::state::{AppState, NoticesAction};
use std::cell::Cell;
use std::rc::Rc;
use switchyard_app::Experiment;

impl Session {
    /// Writes the jobs in a format, and hands the text to `save`.
    pub fn export(
        &self,
        format: ExportFormat,
        settings: Experiment,
        save: impl FnOnce(String) + 'static,
    ) {
        let save = Cell::new(Some(save));
        let session = self.clone();
        let worker = WorkerHandle::start(move |news| {
            match news {
                News::Reply(ExportReply::Exported(text)) => {
                    if let Some(save) = save.take() {
                        save(text);
                    }
                }
                News::Reply(ExportReply::Failed(why)) | News::Died(why) => {
                    session.dispatch(NoticesAction::Notice(Some(format!(
                        "The jobs could not be written: {why}."
                    ))));
                }
                News::Late => return session.report_slow_network(),
            }
            session.0.storage.writer.take();
        });
        let settings = Box::new(settings);
        let request = ExportRequest { format, settings };
        let jobs = self.0.opening.jobs();
        match worker.send(&request, [jobs.into()]) {
            Ok(()) => drop(self.0.storage.writer.replace(Some(worker))),
            Err(why) => self.dispatch(NoticesAction::Notice(Some(why.to_string()))),
        }
    }

    /// Notes what is left should the page's program fail: the settings, and the jobs with them.
    /// Called now and then.
    pub fn note_for_rescue(&self, state: &AppState, fragment: &str) {
        rescue::note_link(fragment);
        let workload = self.0.stage.read().workload.clone();
        let settings = state.experiment();
        let mut noted = self.0.storage.noted.borrow_mut();
        let is_noted = |(of, with): &Noted| Rc::ptr_eq(of, &workload) && *with == settings;
        if workload.jobs.is_empty() || noted.as_ref().is_some_and(is_noted) {
            return;
        }
        let name = state.opening.trace.as_ref().map_or("", |trace| &trace.name);
        let request = ExportRequest {
            format: ExportFormat::Switchyard,
            settings: Box::new(settings.clone()),
        };
        let jobs = self.0.opening.jobs();
        rescue::note_experiment(&format!("{name}-experiment.csv"), &request, jobs);
        *noted = Some((workload, settings));
    }
}
