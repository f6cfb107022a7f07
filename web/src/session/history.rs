//! History: links are followed, which open what they show, and what they want besides is remembered until that is
//! there; the files opened last, for links that lead back to them; and the way back to what was open before.

mod following;

use super::opening::OpeningRequest;
use crate::state::Source;
use crate::state::link::Link;
use crate::stored_traces::TraceFiles;
use crate::time_axis::Window;
use std::cell::{Cell, RefCell};
use switchyard::cluster::ClusterSpec;
use switchyard::job::JobId;

/// What a link wants of the next trace that is opened.
#[derive(Default)]
pub(super) struct Wanted {
    /// The cluster; a file of its own may have brought it, too.
    pub(super) cluster: Option<ClusterSpec>,
    /// Where the clock stands.
    pub(super) time: Option<f64>,
    /// How fast it goes.
    pub(super) speed: Option<f64>,
    /// What is seen of time, and the range that is selected.
    pub(super) seen: Option<Window>,
    pub(super) range: Option<Window>,
    /// The job that is chosen.
    pub(super) job: Option<JobId>,
    /// The job that is followed.
    pub(super) followed: Option<JobId>,
    /// The class of jobs that stands out.
    pub(super) lit: Option<u32>,
    /// Which jobs are selected.
    pub(super) filter: String,
    /// The file that it shows and nobody has opened yet, how it opens it, and whether it says what to run.
    file: Option<(Source, TraceFiles, bool)>,
}

impl Wanted {
    /// What is wanted of the trace that has just been opened; not again of the next.
    pub(super) fn take(&mut self) -> Self {
        let file = self.file.take();
        let wanted = std::mem::take(self);
        self.file = file;
        wanted
    }
}

/// What was open before, and how to get there.
#[derive(Default)]
pub(super) struct ReturnPoint {
    /// What the page showed last, as a link.
    pub(super) latest: Option<Link>,
    /// What was put aside for what is open.
    aside: Option<(Link, OpeningRequest)>,
}

/// What has been open, and what is to be.
#[derive(Default)]
pub(super) struct History {
    wanted: RefCell<Wanted>,
    return_point: RefCell<ReturnPoint>,
    /// The files opened last.
    recent: RefCell<Vec<OpeningRequest>>,
    /// Where a link has put the clock, until the runs are over or somebody moves it.
    linked_time: Cell<Option<f64>>,
}

impl History {
    /// What is wanted of the trace that has just been opened.
    pub(super) fn take_wanted(&self) -> Wanted {
        self.wanted.borrow_mut().take()
    }

    /// This is wanted of the next trace that is opened.
    pub(super) fn want(&self, wanted: Wanted) {
        self.wanted.replace(wanted);
    }

    /// The cluster that is wanted of the next trace.
    pub(super) fn wanted_cluster(&self) -> Option<ClusterSpec> {
        self.wanted.borrow().cluster.clone()
    }

    /// The next trace is to run on this cluster.
    pub(super) fn want_cluster(&self, cluster: ClusterSpec) {
        self.wanted.borrow_mut().cluster = Some(cluster);
    }

    /// A link has put the clock here, or none has.
    pub(super) fn link_time(&self, time: Option<f64>) {
        self.linked_time.set(time);
    }

    /// Somebody has moved the clock.
    pub(super) fn forget_linked_time(&self) {
        self.linked_time.take();
    }

    /// What the page shows now, as a link.
    pub(super) fn note_shown(&self, shown: Link) {
        self.return_point.borrow_mut().latest = Some(shown);
    }

    /// The files of this source, if they were opened not long ago.
    pub(super) fn recent(&self, source: &Source) -> Option<OpeningRequest> {
        let recent = self.recent.borrow();
        let is_it = |files: &&OpeningRequest| files.source().as_ref() == Some(source);
        recent.iter().find(is_it).cloned()
    }
}
