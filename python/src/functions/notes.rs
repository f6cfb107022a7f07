//! What a function notes of a job, or of all, for whoever asks why.

use pyo3::prelude::*;
use switchyard::explain::Fact;
use switchyard::job::JobId;

/// So many notes are kept of a decision, of so many characters each.
const MOST: usize = 1_000;
const LONGEST: usize = 200;

/// Notes of one decision.
#[derive(Default)]
pub(super) struct Notes(Vec<Note>);

/// A value, and what it is; of a job, or of all.
struct Note {
    job: Option<JobId>,
    term: String,
    value: String,
}

impl Notes {
    pub(super) fn add(&mut self, job: Option<JobId>, term: String, value: String) {
        if self.0.len() < MOST {
            self.0.push(Note { job, term, value });
        }
    }

    /// Those of a job, and of all.
    pub(super) fn of(&self, job: JobId) -> Vec<Fact> {
        let about = self.0.iter();
        let about = about.filter(|note| note.job.is_none_or(|of| of == job));
        about
            .map(|note| Fact::new(&note.term, &note.value))
            .collect()
    }
}

/// A value in words, as far as there is room.
pub(super) fn in_words(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let said = value.str()?;
    Ok(short(said.to_cow()?.into_owned()))
}

/// A text as far as there is room.
pub(super) fn short(mut text: String) -> String {
    if let Some((cut, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(cut);
    }
    text
}
