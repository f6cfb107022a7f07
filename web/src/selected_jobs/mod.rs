//! The jobs that are selected, by one filter for the whole page. It stands in links, is typed above the table of jobs,
//! and is written ([`conditions`]) by whatever is pressed or dragged over elsewhere. In: the filter's text, the jobs, and
//! what became of them ([`selecting`]). Out: which of them it admits.

pub(crate) mod conditions;
pub(crate) mod filter;
pub mod selecting;

use filter::{Filter, FilterError, RunNames};
use std::rc::Rc;
use switchyard::job::JobId;
use switchyard::workload::Workload;

/// The selection, as it follows from what is on stage.
#[derive(Debug, Default)]
pub struct JobSelection {
    from: Origin,
    /// The last filter that was understood: one that is being typed is often wrong for a moment.
    filter: Filter,
    wrong: Option<FilterError>,
    jobs: Option<Rc<SelectedJobs>>,
    /// Counts selections.
    version: u32,
}

/// What a selection follows from.
#[derive(Debug, Default)]
struct Origin {
    text: String,
    names: RunNames,
    workload: Rc<Workload>,
    /// Of the runs.
    revision: u32,
}

/// Some of the jobs.
#[derive(Debug, PartialEq)]
pub struct SelectedJobs {
    holds: Vec<bool>,
    count: u64,
}

impl JobSelection {
    /// Whether it follows from the same; whoever selects by what became of jobs goes by the runs' `revision`, too.
    pub(crate) fn follows_from(
        &self,
        (text, names): (&str, &RunNames),
        workload: &Rc<Workload>,
        revision: u32,
    ) -> bool {
        text == self.from.text
            && *names == self.from.names
            && Rc::ptr_eq(workload, &self.from.workload)
            && (revision == self.from.revision || !self.filter.is_of_runs())
    }

    /// The selection that follows upon this one; `jobs` says which of them a filter admits.
    pub(crate) fn next(
        &self,
        (text, names): (&str, RunNames),
        workload: &Rc<Workload>,
        revision: u32,
        jobs: impl FnOnce(&Filter) -> SelectedJobs,
    ) -> Self {
        let (filter, wrong) = match Filter::parse(text, &names) {
            Ok(filter) => (filter, None),
            Err(wrong) => (self.filter.clone(), Some(wrong)),
        };
        let some = filter != Filter::default();
        Self {
            jobs: some.then(|| jobs(&filter).into()),
            version: self.version + 1,
            from: Origin {
                text: text.to_owned(),
                names,
                workload: workload.clone(),
                revision,
            },
            filter,
            wrong,
        }
    }

    /// The selected jobs; `None`: all.
    pub fn jobs(&self) -> Option<&Rc<SelectedJobs>> {
        self.jobs.as_ref()
    }

    /// Whether a job is one of them.
    pub fn holds(&self, job: JobId) -> bool {
        self.jobs.as_ref().is_none_or(|jobs| jobs.holds(job))
    }

    /// The one text field that they are told apart by, and its value, if there is no other condition.
    pub(crate) fn told_apart(&self) -> Option<(&'static str, &str)> {
        self.filter.one_text()
    }

    /// Changes with every selection.
    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    /// What is wrong with the filter, if it is not understood.
    pub(crate) fn wrong(&self) -> Option<&FilterError> {
        self.wrong.as_ref()
    }
}

impl SelectedJobs {
    /// Whether a job is one of them.
    pub fn holds(&self, job: JobId) -> bool {
        self.holds.get(job.index()).copied().unwrap_or(false)
    }

    /// How many they are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// They, in order of submission.
    pub fn iter(&self) -> impl Iterator<Item = JobId> {
        let jobs = (0..).map(JobId).zip(&self.holds);
        jobs.filter_map(|(job, holds)| holds.then_some(job))
    }

    /// For each job of the trace whether it is one of them.
    pub fn mask(&self) -> &[bool] {
        &self.holds
    }
}

impl FromIterator<bool> for SelectedJobs {
    fn from_iter<I: IntoIterator<Item = bool>>(holds: I) -> Self {
        let holds: Vec<bool> = holds.into_iter().collect();
        let count = holds.iter().filter(|holds| **holds).count() as u64;
        Self { holds, count }
    }
}
