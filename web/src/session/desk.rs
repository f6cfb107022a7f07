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
use crate::kept::Opening;
use crate::state::{ClusterOrigin, ColumnsAsked, Source};
use std::collections::VecDeque;
use std::rc::Rc;
use switchyard::cluster::ClusterSpec;
use switchyard::trace::{ColumnMapping, Member, TableHead};
use web_sys::File;

/// Files, and all that is known about how to open them; a sample has none.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    pub(super) how: Opening,
    /// Where they come from, if not from the visitor's disk.
    pub(super) from: Option<Source>,
    /// The table that the columns are of, if a person was asked about it.
    pub(super) head: Option<Rc<TableHead>>,
    /// What they said.
    pub(super) said: Option<ColumnMapping>,
    /// Whether they said it of an earlier file.
    pub(super) remembered: bool,
    /// The number of the kept trace that they are.
    pub(super) kept: Option<f64>,
    /// Whether a link has set up the page for them: then an experiment does not.
    pub(super) linked: bool,
}

impl Files {
    /// The largest one's name: a trace is larger than the list of its machines.
    pub(super) fn name(&self) -> Option<String> {
        let files = self.how.files.iter().rev();
        let largest = files.max_by(|a, b| a.size().total_cmp(&b.size()));
        largest.map(File::name)
    }

    /// Where they come from; a sample has no files.
    pub(super) fn source(&self) -> Option<Source> {
        let file = || self.name().map(Source::File);
        self.from.clone().or_else(file)
    }

    /// Bytes of all.
    pub(super) fn bytes(&self) -> f64 {
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
    Reading(Files),
    /// These, once a person has said which columns are which.
    Asking(Files),
}

/// Jobs asked for of the trace that is open, and the cluster to stay on.
pub(super) type Asked = (Choice, ClusterSpec, ClusterOrigin);

/// The trace that is open.
#[derive(Debug, Default)]
pub(super) struct Open {
    /// How it was opened: to take others of its jobs, another member, other columns, or to keep it.
    pub(super) files: Files,
    /// All members of the archive, as told when it was opened whole.
    pub(super) members: Vec<Member>,
    /// The cluster that jobs were last chosen for.
    pub(super) chosen_for: Option<ClusterSpec>,
    /// Whether the opener holds its records.
    is_read: bool,
    /// The jobs asked for, as often as there is no answer yet.
    asked: VecDeque<Asked>,
}

/// What is open and what is being opened.
#[derive(Debug, Default)]
pub(super) struct Desk {
    /// The trace that is open.
    pub(super) open: Open,
    next: Next,
    /// Files that are a trace only with others.
    half: Vec<File>,
    /// Files whose jobs ask for no GPU, to be opened once more in cores.
    pub(super) of_cores: Option<Box<Files>>,
}

/// What follows from a trace that the opener has read.
#[derive(Debug)]
pub(super) enum Read {
    /// It is open, in the place of these.
    Open(Box<Files>),
    /// Its columns were said of an earlier table: it is to be opened again with them.
    Again(Box<Files>),
}

/// What a refusal is answered with.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "made once per opening, and its owner takes it apart at once"
)]
pub(super) enum Answer {
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
    Again(Box<Files>),
    /// A person is to be asked.
    Ask(ColumnsAsked),
}

impl Desk {
    /// Whether files are being opened.
    pub(super) fn is_reading(&self) -> bool {
        matches!(self.next, Next::Reading(_))
    }

    /// Whether the opener is at work.
    pub(super) fn is_busy(&self) -> bool {
        self.is_reading() || self.awaits_jobs()
    }

    /// Whether other jobs of the open trace are on their way.
    pub(super) fn awaits_jobs(&self) -> bool {
        !self.open.asked.is_empty()
    }

    /// Whether other jobs can be taken of the open trace without reading it again.
    pub(super) fn is_read(&self) -> bool {
        self.open.is_read
    }

    /// The jobs last asked for of the open trace.
    pub(super) fn choice(&self) -> &Choice {
        match self.open.asked.back() {
            Some((choice, _, _)) => choice,
            None => &self.open.files.how.choice,
        }
    }

    /// These are being read from now on.
    pub(super) fn begin(&mut self, files: Files) {
        self.next = Next::Reading(files);
    }

    /// Other jobs of the open trace are asked for.
    pub(super) fn choose(&mut self, asked: Asked) {
        self.open.chosen_for = Some(asked.1.clone());
        self.open.asked.push_back(asked);
    }

    /// The jobs that an answer brings, if they were asked for.
    pub(super) fn chosen(&mut self) -> Option<Asked> {
        let asked = self.open.asked.pop_front()?;
        self.open.files.how.choice = asked.0.clone();
        Some(asked)
    }

    /// A person is asked about this table of the open trace, and not about another.
    pub(super) fn ask_open(&mut self, head: Rc<TableHead>) {
        if matches!(self.next, Next::Asking(_)) {
            self.next = Next::Idle;
        }
        self.open.files.head = Some(head);
    }

    /// The files of the table that a person was asked about, with what they said.
    pub(super) fn answered(&self, mapping: &ColumnMapping) -> Files {
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
    pub(super) fn give_up(&mut self) -> Option<Choice> {
        self.done();
        self.open.is_read = false;
        let awaited = std::mem::take(&mut self.open.asked);
        (!awaited.is_empty()).then(|| self.open.files.how.choice.clone())
    }

    /// The opener is done with what was being opened, which was no trace.
    pub(super) fn done(&mut self) -> Files {
        match std::mem::take(&mut self.next) {
            Next::Reading(files) => files,
            next => {
                self.next = next;
                Files::default()
            }
        }
    }

    /// The opener has read a trace: a table with this head, or none; of a sample it keeps no
    /// records. `remembered` is what was once said of such a table.
    pub(super) fn opened(
        &mut self,
        is_sample: bool,
        head: Option<&TableHead>,
        remembered: impl Fn(&TableHead) -> Option<String>,
    ) -> Read {
        let mut files = self.done();
        self.open.is_read = !is_sample;
        self.half.clear();
        let unsaid = head.filter(|_| files.how.columns.is_none());
        if let Some(head) = unsaid
            && let Some(columns) = remembered(head)
        {
            files.head = Some(Rc::new(head.clone()));
            return Read::Again(Box::new(files.with_columns(columns)));
        }
        Read::Open(Box::new(std::mem::replace(&mut self.open.files, files)))
    }

    /// The opener has refused what was being opened, or the jobs asked for.
    pub(super) fn refused(
        &mut self,
        refusal: &Refusal,
        remembered: impl Fn(&TableHead) -> Option<String>,
    ) -> Answer {
        let mut files = self.done();
        if self.open.asked.pop_front().is_some() {
            return Answer::Stay(self.open.files.how.choice.clone());
        }
        if refusal.of_cores {
            files.how.choice = files.how.choice.with("unit", "cores");
            self.of_cores = Some(Box::new(files));
            return Answer::OfCores;
        }
        if refusal.half {
            let mut others = std::mem::take(&mut self.half);
            if others.is_empty() {
                self.half = files.how.files;
                return Answer::Half;
            }
            others.append(&mut files.how.files);
            return Answer::Together(others);
        }
        let mut mapping = files.said.clone();
        if let Some(table) = &refusal.table {
            mapping = Some(table.guess.clone());
            files.head = Some(Rc::new((**table).clone()));
            if files.how.columns.is_none()
                && let Some(columns) = remembered(table)
            {
                return Answer::Again(Box::new(files.with_columns(columns)));
            }
        }
        let Some(head) = files.head.clone() else {
            return Answer::Over;
        };
        let mapping = mapping.unwrap_or_else(|| head.guess.clone());
        self.next = Next::Asking(files);
        let why = refusal.why.clone();
        Answer::Ask(ColumnsAsked { head, mapping, why })
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

    fn kept(number: f64) -> Files {
        Files {
            kept: Some(number),
            ..Files::default()
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

    fn asked(window: &str) -> Asked {
        let cluster = ClusterSpec::uniform(1, 1).expect("a cluster");
        let choice = Choice::default().with("window", window);
        (choice, cluster, ClusterOrigin::Chosen)
    }

    /// A desk on which trace 1 is open and read.
    fn desk() -> Desk {
        let mut desk = Desk::default();
        desk.begin(kept(1.0));
        assert!(desk.is_reading() && !desk.is_read());
        assert!(matches!(desk.opened(false, None, never), Read::Open(_)));
        assert!(!desk.is_busy() && desk.is_read());
        desk
    }

    #[test]
    fn what_is_open_stays_until_the_next_is_read() {
        let mut desk = desk();
        desk.begin(kept(2.0));
        assert_eq!(desk.give_up(), None);
        assert!(!desk.is_reading() && !desk.is_read());
        desk.begin(kept(3.0));
        assert!(matches!(
            desk.refused(&Refusal::default(), never),
            Answer::Over
        ));
        assert_eq!(desk.open.files.kept, Some(1.0));
        desk.begin(kept(4.0));
        let Read::Open(old) = desk.opened(true, None, never) else {
            unreachable!("it has no columns")
        };
        assert_eq!((old.kept, desk.open.files.kept), (Some(1.0), Some(4.0)));
        assert!(!desk.is_read());
    }

    #[test]
    fn a_person_is_asked_once_and_then_remembered() {
        let mut desk = desk();
        desk.begin(kept(2.0));
        assert!(matches!(desk.refused(&table(), never), Answer::Ask(_)));
        assert!(!desk.is_reading());
        let files = desk.answered(&ColumnMapping::default());
        assert_eq!(files.kept, Some(2.0));
        desk.begin(files);
        // What they said is wrong: they are asked again, with what they said.
        let refusal = Refusal {
            table: None,
            ..table()
        };
        assert!(matches!(desk.refused(&refusal, once), Answer::Ask(_)));
        desk.begin(kept(3.0));
        let Answer::Again(files) = desk.refused(&table(), once) else {
            unreachable!("it was said")
        };
        assert!(files.remembered && files.how.columns.is_some());
        desk.begin(*files);
        let head = TableHead::default();
        assert!(matches!(
            desk.opened(false, Some(&head), once),
            Read::Open(_)
        ));
        assert!(desk.open.files.remembered);
    }

    #[test]
    fn asked_about_the_open_table_while_another_is_read_one_speaks_of_the_open_one() {
        let mut desk = desk();
        desk.begin(kept(2.0));
        desk.ask_open(Rc::default());
        assert!(desk.is_reading());
        assert_eq!(desk.answered(&ColumnMapping::default()).kept, Some(1.0));
        assert!(matches!(desk.refused(&table(), never), Answer::Ask(_)));
        desk.ask_open(Rc::default());
        assert_eq!(desk.answered(&ColumnMapping::default()).kept, Some(1.0));
    }

    #[test]
    fn jobs_without_gpus_are_opened_again_in_cores() {
        let mut desk = desk();
        desk.begin(kept(2.0));
        let refusal = Refusal {
            of_cores: true,
            ..Refusal::default()
        };
        assert!(matches!(desk.refused(&refusal, never), Answer::OfCores));
        let files = desk.of_cores.take().expect("they were refused");
        assert_eq!(files.kept, Some(2.0));
        assert_eq!(files.how.choice.value("unit"), "cores");
        assert!(!desk.is_reading() && desk.open.files.kept == Some(1.0));
    }

    #[test]
    fn jobs_are_answered_in_the_order_in_which_they_were_asked_for() {
        let mut desk = desk();
        desk.choose(asked("0..1"));
        desk.choose(asked("0..2"));
        assert_eq!(desk.choice().value("window"), "0..2");
        assert!(matches!(
            desk.refused(&Refusal::default(), never),
            Answer::Stay(_)
        ));
        assert!(desk.is_busy() && !desk.is_reading());
        assert!(desk.chosen().is_some());
        assert_eq!(desk.open.files.how.choice.value("window"), "0..2");
        desk.choose(asked("0..3"));
        let stays = desk.give_up().expect("they were on their way");
        assert_eq!(stays.value("window"), "0..2");
        assert!(desk.chosen().is_none() && !desk.is_read());
    }
}
