//! What is open, what is being opened, and what follows from what the opener says: the states of
//! opening and the ways from one to the next, as plain data.
//!
//! ```text
//! Idle ──begin──▶ Reading ──opened──▶ Idle, with the trace open: its jobs bound, and, until the
//!   ▲                │  │                   opener ends, its records there to choose others from
//!   └─ give_up, ─────┘  └─refused──▶ Asking ──begin──▶ Reading
//!      refused                      (a person, which columns are which)
//! ```
//!
//! From every state another beginning leads to `Reading`, and giving up to `Idle`; what is open stays
//! until the next trace is.

use crate::bridge::protocol::{Choice, Refusal};
use crate::state::{ColumnsAsked, Source};
use crate::stored_traces::TraceFiles;
use std::collections::VecDeque;
use std::rc::Rc;
use switchyard::cluster::ClusterSpec;
use switchyard::trace::{ColumnMapping, Member, TableHead};
use switchyard_app::study::Origin;
use web_sys::File;

/// Files, and all that is known about how to open them; a sample has none.
#[derive(Clone, Debug, Default)]
pub(in crate::session) struct OpeningRequest {
    pub(in crate::session) how: TraceFiles,
    /// Where they come from, if not from the visitor's disk.
    pub(in crate::session) from: Option<Source>,
    /// The table that the columns are of, if a person was asked about it.
    pub(in crate::session) head: Option<Rc<TableHead>>,
    /// What they said.
    pub(in crate::session) said: Option<ColumnMapping>,
    /// Whether they said it of an earlier file.
    pub(in crate::session) remembered: bool,
    /// The number of the stored trace that they are.
    pub(in crate::session) stored: Option<f64>,
    /// Whether a link has set up the page for them: then an experiment does not.
    pub(in crate::session) linked: bool,
}

impl OpeningRequest {
    /// The largest one's name: a trace is larger than the list of its machines.
    pub(in crate::session) fn name(&self) -> Option<String> {
        let files = self.how.files.iter().rev();
        let largest = files.max_by(|a, b| a.size().total_cmp(&b.size()));
        largest.map(File::name)
    }

    /// Where they come from; a sample has no files.
    pub(in crate::session) fn source(&self) -> Option<Source> {
        let file = || self.name().map(Source::File);
        self.from.clone().or_else(file)
    }

    /// Bytes of all.
    pub(in crate::session) fn bytes(&self) -> f64 {
        self.how.files.iter().map(|file| file.size()).sum()
    }

    /// The same, with columns that were said of an earlier table.
    fn with_columns(mut self, columns: String) -> Self {
        self.how.columns = Some(columns);
        self.remembered = true;
        self
    }
}

/// What is being opened.
#[derive(Debug, Default)]
enum Next {
    /// Nothing.
    #[default]
    Idle,
    /// These: the opener is at work.
    Reading(OpeningRequest),
    /// These, once a person has said which columns are which.
    Asking(OpeningRequest),
}

/// Jobs asked for of the trace that is open, the cluster that decides which gangs are too large, and why they stay on
/// it, if they do.
pub(in crate::session) type JobsRequest = (Choice, ClusterSpec, Option<Origin>);

/// The trace that is open.
#[derive(Debug, Default)]
pub(in crate::session) struct Open {
    /// How it was opened: to take others of its jobs, another member, other columns, or to keep it.
    pub(in crate::session) files: OpeningRequest,
    /// All members of the archive, as told when it was opened whole.
    pub(in crate::session) members: Vec<Member>,
    /// The cluster that jobs were last chosen for.
    pub(in crate::session) chosen_for: Option<ClusterSpec>,
    /// Whether the opener holds its records.
    is_read: bool,
    /// The jobs asked for, as often as there is no answer yet.
    pending_choices: VecDeque<JobsRequest>,
}

/// What is open and what is being opened.
#[derive(Debug, Default)]
pub(in crate::session) struct OpeningState {
    /// The trace that is open.
    pub(in crate::session) open: Open,
    next: Next,
    /// Files that are a trace only with others.
    half: Vec<File>,
    /// Files whose jobs ask for no GPU, to be opened once more in cores.
    pub(in crate::session) of_cores: Option<Box<OpeningRequest>>,
}

/// What follows from a trace that the opener has read.
#[derive(Debug)]
pub(in crate::session) enum AfterReading {
    /// It is open, in the place of these.
    Open(Box<OpeningRequest>),
    /// Its columns were said of an earlier table: it is to be opened again with them.
    Again(Box<OpeningRequest>),
}

/// What a refusal is answered with.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "made once per opening, and its owner takes it apart at once"
)]
pub(in crate::session) enum AfterRefusal {
    /// Nothing more.
    Over,
    /// The jobs of the open trace stay those of this choice.
    Stay(Choice),
    /// Another file makes a trace of these.
    Half,
    /// Counting cores does.
    OfCores,
    /// It does so together with those that were half a trace: they are to be opened.
    Together(Vec<File>),
    /// The columns were said of an earlier table: they are to be opened with them.
    Again(Box<OpeningRequest>),
    /// A person is to be asked.
    Ask(ColumnsAsked),
}

impl OpeningState {
    /// Whether files are being opened.
    pub(in crate::session) fn is_reading(&self) -> bool {
        matches!(self.next, Next::Reading(_))
    }

    /// Whether the opener is at work.
    pub(in crate::session) fn is_busy(&self) -> bool {
        self.is_reading() || self.awaits_jobs()
    }

    /// Whether other jobs of the open trace are on their way.
    pub(in crate::session) fn awaits_jobs(&self) -> bool {
        !self.open.pending_choices.is_empty()
    }

    /// Whether other jobs can be taken of the open trace without reading it again.
    pub(in crate::session) fn is_read(&self) -> bool {
        self.open.is_read
    }

    /// The jobs last asked for of the open trace.
    pub(in crate::session) fn choice(&self) -> &Choice {
        match self.open.pending_choices.back() {
            Some((choice, _, _)) => choice,
            None => &self.open.files.how.choice,
        }
    }

    /// These are being read from now on.
    pub(in crate::session) fn begin(&mut self, files: OpeningRequest) {
        self.next = Next::Reading(files);
    }

    /// Other jobs of the open trace are asked for.
    pub(in crate::session) fn choose(&mut self, asked: JobsRequest) {
        self.open.chosen_for = Some(asked.1.clone());
        self.open.pending_choices.push_back(asked);
    }

    /// The jobs that an answer brings, if they were asked for.
    pub(in crate::session) fn chosen(&mut self) -> Option<JobsRequest> {
        let asked = self.open.pending_choices.pop_front()?;
        self.open.files.how.choice = asked.0.clone();
        Some(asked)
    }

    /// A person is asked about this table of the open trace, and not about another.
    pub(in crate::session) fn ask_open(&mut self, head: Rc<TableHead>) {
        if matches!(self.next, Next::Asking(_)) {
            self.next = Next::Idle;
        }
        self.open.files.head = Some(head);
    }

    /// The files of the table that a person was asked about, with what they said.
    pub(in crate::session) fn answered(&self, mapping: &ColumnMapping) -> OpeningRequest {
        let asked = match &self.next {
            Next::Asking(files) => files,
            Next::Idle | Next::Reading(_) => &self.open.files,
        };
        let mut files = asked.clone();
        files.how.columns = Some(mapping.to_string());
        files.said = Some(mapping.clone());
        files.remembered = false;
        files
    }

    /// What is being opened is not wanted any more, nor is the opener. Gives back the choice of jobs
    /// that stays, if others were asked for.
    pub(in crate::session) fn give_up(&mut self) -> Option<Choice> {
        self.done();
        self.open.is_read = false;
        let awaited = std::mem::take(&mut self.open.pending_choices);
        (!awaited.is_empty()).then(|| self.open.files.how.choice.clone())
    }

    /// The opener is done with what was being opened, which was no trace.
    pub(in crate::session) fn done(&mut self) -> OpeningRequest {
        match std::mem::take(&mut self.next) {
            Next::Reading(files) => files,
            next => {
                self.next = next;
                OpeningRequest::default()
            }
        }
    }

    /// The opener has read a trace: a table with this head, or none; of a sample it keeps no
    /// records. `remembered` is what was once said of such a table.
    pub(in crate::session) fn opened(
        &mut self,
        is_sample: bool,
        head: Option<&TableHead>,
        remembered: impl Fn(&TableHead) -> Option<String>,
    ) -> AfterReading {
        let mut files = self.done();
        self.open.is_read = !is_sample;
        self.half.clear();
        let unsaid = head.filter(|_| files.how.columns.is_none());
        if let Some(head) = unsaid
            && let Some(columns) = remembered(head)
        {
            files.head = Some(Rc::new(head.clone()));
            return AfterReading::Again(Box::new(files.with_columns(columns)));
        }
        AfterReading::Open(Box::new(std::mem::replace(&mut self.open.files, files)))
    }

    /// The opener has refused what was being opened, or the jobs asked for.
    pub(in crate::session) fn refused(
        &mut self,
        refusal: &Refusal,
        remembered: impl Fn(&TableHead) -> Option<String>,
    ) -> AfterRefusal {
        let mut files = self.done();
        if self.open.pending_choices.pop_front().is_some() {
            return AfterRefusal::Stay(self.open.files.how.choice.clone());
        }
        if refusal.of_cores {
            files.how.choice = files.how.choice.with("unit", "cores");
            self.of_cores = Some(Box::new(files));
            return AfterRefusal::OfCores;
        }
        if refusal.half {
            let mut others = std::mem::take(&mut self.half);
            if others.is_empty() {
                self.half = files.how.files;
                return AfterRefusal::Half;
            }
            others.append(&mut files.how.files);
            return AfterRefusal::Together(others);
        }
        let mut mapping = files.said.clone();
        if let Some(table) = &refusal.table {
            mapping = Some(table.guess.clone());
            files.head = Some(Rc::new((**table).clone()));
            if files.how.columns.is_none()
                && let Some(columns) = remembered(table)
            {
                return AfterRefusal::Again(Box::new(files.with_columns(columns)));
            }
        }
        let Some(head) = files.head.clone() else {
            return AfterRefusal::Over;
        };
        let mapping = mapping.unwrap_or_else(|| head.guess.clone());
        self.next = Next::Asking(files);
        let why = refusal.why.clone();
        AfterRefusal::Ask(ColumnsAsked { head, mapping, why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn never(_: &TableHead) -> Option<String> {
        None
    }

    fn once(_: &TableHead) -> Option<String> {
        Some("submit=when".to_string())
    }

    fn stored(number: f64) -> OpeningRequest {
        OpeningRequest {
            stored: Some(number),
            ..OpeningRequest::default()
        }
    }

    fn table() -> Refusal {
        Refusal {
            why: "which is which?".to_string(),
            table: Some(Box::default()),
            half: false,
            of_cores: false,
        }
    }

    fn asked(window: &str) -> JobsRequest {
        let cluster = ClusterSpec::uniform(1, 1).expect("a cluster");
        let choice = Choice::default().with("window", window);
        (choice, cluster, Some(Origin::Asked))
    }

    /// Trace trace 1 is open and read.
    fn opening() -> OpeningState {
        let mut opening = OpeningState::default();
        opening.begin(stored(1.0));
        assert!(opening.is_reading() && !opening.is_read());
        assert!(matches!(
            opening.opened(false, None, never),
            AfterReading::Open(_)
        ));
        assert!(!opening.is_busy() && opening.is_read());
        opening
    }

    #[test]
    fn what_is_open_stays_until_the_next_is_read() {
        let mut opening = opening();
        opening.begin(stored(2.0));
        assert_eq!(opening.give_up(), None);
        assert!(!opening.is_reading() && !opening.is_read());
        opening.begin(stored(3.0));
        assert!(matches!(
            opening.refused(&Refusal::default(), never),
            AfterRefusal::Over
        ));
        assert_eq!(opening.open.files.stored, Some(1.0));
        opening.begin(stored(4.0));
        let AfterReading::Open(old) = opening.opened(true, None, never) else {
            unreachable!("it has no columns")
        };
        assert_eq!(
            (old.stored, opening.open.files.stored),
            (Some(1.0), Some(4.0))
        );
        assert!(!opening.is_read());
    }

    #[test]
    fn a_person_is_asked_once_and_then_remembered() {
        let mut opening = opening();
        opening.begin(stored(2.0));
        assert!(matches!(
            opening.refused(&table(), never),
            AfterRefusal::Ask(_)
        ));
        assert!(!opening.is_reading());
        let files = opening.answered(&ColumnMapping::default());
        assert_eq!(files.stored, Some(2.0));
        opening.begin(files);
        // What they said is wrong: they are asked again, with what they said.
        let refusal = Refusal {
            table: None,
            ..table()
        };
        assert!(matches!(
            opening.refused(&refusal, once),
            AfterRefusal::Ask(_)
        ));
        opening.begin(stored(3.0));
        let AfterRefusal::Again(files) = opening.refused(&table(), once) else {
            unreachable!("it was said")
        };
        assert!(files.remembered && files.how.columns.is_some());
        opening.begin(*files);
        let head = TableHead::default();
        assert!(matches!(
            opening.opened(false, Some(&head), once),
            AfterReading::Open(_)
        ));
        assert!(opening.open.files.remembered);
    }

    #[test]
    fn asked_about_the_open_table_while_another_is_read_one_speaks_of_the_open_one() {
        let mut opening = opening();
        opening.begin(stored(2.0));
        opening.ask_open(Rc::default());
        assert!(opening.is_reading());
        assert_eq!(
            opening.answered(&ColumnMapping::default()).stored,
            Some(1.0)
        );
        assert!(matches!(
            opening.refused(&table(), never),
            AfterRefusal::Ask(_)
        ));
        opening.ask_open(Rc::default());
        assert_eq!(
            opening.answered(&ColumnMapping::default()).stored,
            Some(1.0)
        );
    }

    #[test]
    fn jobs_without_gpus_are_opened_again_in_cores() {
        let mut opening = opening();
        opening.begin(stored(2.0));
        let refusal = Refusal {
            of_cores: true,
            ..Refusal::default()
        };
        assert!(matches!(
            opening.refused(&refusal, never),
            AfterRefusal::OfCores
        ));
        let files = opening.of_cores.take().expect("they were refused");
        assert_eq!(files.stored, Some(2.0));
        assert_eq!(files.how.choice.value("unit"), "cores");
        assert!(!opening.is_reading() && opening.open.files.stored == Some(1.0));
    }

    #[test]
    fn jobs_are_answered_in_the_order_in_which_they_were_asked_for() {
        let mut opening = opening();
        opening.choose(asked("0..1"));
        opening.choose(asked("0..2"));
        assert_eq!(opening.choice().value("window"), "0..2");
        assert!(matches!(
            opening.refused(&Refusal::default(), never),
            AfterRefusal::Stay(_)
        ));
        assert!(opening.is_busy() && !opening.is_reading());
        assert!(opening.chosen().is_some());
        assert_eq!(opening.open.files.how.choice.value("window"), "0..2");
        opening.choose(asked("0..3"));
        let stays = opening.give_up().expect("they were on their way");
        assert_eq!(stays.value("window"), "0..2");
        assert!(opening.chosen().is_none() && !opening.is_read());
    }
}
