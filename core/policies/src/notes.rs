//! What somebody's own policy notes of a job, or of all, for whoever asks why: a script, or a function of a program that
//! runs the engine.

use crate::job::JobId;
use switchyard_explain::Fact;

/// So many notes are kept of a decision.
const MOST: usize = 1_000;

/// So many characters are kept of what a note is of, and of its value.
pub const LONGEST: usize = 200;

/// Notes of one decision.
#[derive(Debug, Default)]
pub struct Notes(Vec<Note>);

/// A value, and what it is; of a job, or of all.
#[derive(Debug)]
struct Note {
    job: Option<JobId>,
    term: String,
    value: String,
}

impl Notes {
    /// Whether another is kept.
    pub fn has_room(&self) -> bool {
        self.0.len() < MOST
    }

    /// Keeps one, as far as there is room.
    pub fn add(&mut self, job: Option<JobId>, term: &str, value: &str) {
        if self.has_room() {
            self.0.push(Note {
                job,
                term: short(term),
                value: short(value),
            });
        }
    }

    /// Those of a job, and of all.
    pub fn of(&self, job: JobId) -> Vec<Fact> {
        let about = self.0.iter();
        let about = about.filter(|note| note.job.is_none_or(|of| of == job));
        about
            .map(|note| Fact::new(&note.term, &note.value))
            .collect()
    }
}

/// A text as far as there is room.
fn short(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_notes_are_kept_of_so_many_characters() {
        let mut notes = Notes::default();
        for number in 0..2 * MOST {
            notes.add(None, "né".repeat(LONGEST).as_str(), &number.to_string());
        }
        assert!(!notes.has_room());
        let facts = notes.of(JobId(0));
        assert_eq!(facts.len(), MOST);
        assert_eq!(facts[7].term.chars().count(), LONGEST);
        assert_eq!(facts[MOST - 1].in_seconds(), (MOST - 1).to_string());
    }

    #[test]
    fn a_note_is_of_its_job_or_of_all() {
        let mut notes = Notes::default();
        notes.add(Some(JobId(1)), "of one", "1");
        notes.add(None, "of all", "2");
        let terms = |job| notes.of(JobId(job)).into_iter().map(|fact| fact.term);
        assert_eq!(terms(0).collect::<Vec<_>>(), ["of all"]);
        assert_eq!(terms(1).collect::<Vec<_>>(), ["of one", "of all"]);
    }
}
