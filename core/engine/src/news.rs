//! What a policy hears, in the order in which it happened.

use crate::job::JobId;

/// Something that has happened since the policy was last asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// The job has been submitted.
    Arrived(JobId),
    /// The job is done; its GPUs are free again.
    Finished(JobId),
    /// The job's [alarm](super::Plan::alarm) is due.
    Alarm(JobId),
    /// The job has lost its GPUs to a failure, a node's or its own: it waits again, with what it had saved.
    Evicted(JobId),
    /// The node takes nobody any more: it is down, or being drained.
    NodeDown(u32),
    /// The node takes jobs again.
    NodeUp(u32),
    /// A job without GPUs has given cores and memory of nodes with GPUs back, and gangs wait.
    CoresFreed,
}

/// What has not been told yet.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    news: Vec<News>,
    /// Whether some of it is an alarm.
    alarmed: bool,
}

impl Inbox {
    pub(super) fn news(&self) -> &[News] {
        &self.news
    }

    pub(super) fn is_empty(&self) -> bool {
        self.news.is_empty()
    }

    pub(super) fn push(&mut self, news: News) {
        self.alarmed |= matches!(news, News::Alarm(_));
        self.news.push(news);
    }

    /// A job that ends at the very moment of its alarm has nothing left to be asked about.
    pub(super) fn finished(&mut self, job: JobId) {
        if self.alarmed {
            self.news.retain(|&news| news != News::Alarm(job));
        }
        self.news.push(News::Finished(job));
    }

    /// So has one that loses its GPUs then: it is asked about no more.
    pub(super) fn evicted(&mut self, job: JobId) {
        if self.alarmed {
            self.news.retain(|&news| news != News::Alarm(job));
        }
        self.news.push(News::Evicted(job));
    }

    pub(super) fn clear(&mut self) {
        self.news.clear();
        self.alarmed = false;
    }
}
