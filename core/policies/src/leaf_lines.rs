//! Who waits in the leaves of a tree of queues: a line in each, by rank, then by order of submission. Jobs of one rank
//! that ask for the same stand and fall together: where one does not fit, those behind it are not asked.

use crate::job::JobId;
use crate::order::ByValue;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;
use switchyard_engine::View;
use switchyard_queues::tree::QueueId;

/// What a job asks for, as far as it matters to whether it fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) gpus: u32,
    pub(super) cores: u32,
    pub(super) memory: u32,
    /// The pools that will do.
    pub(super) pools: u64,
    /// Nobody may evict it, where a policy knows such jobs.
    pub(super) fixed: bool,
}

impl Shape {
    pub(super) fn of(view: &View<'_>, job: JobId) -> Self {
        let asks = view.asks(job);
        Self {
            gpus: view.gpus(job),
            cores: asks.cores,
            memory: asks.memory,
            pools: view.needs(job).pools(),
            fixed: false,
        }
    }
}

/// Why a class is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetAside {
    /// Its head does not fit into quotas: until something of its tree is given back.
    Quota,
    /// It does, and the placement has no room: until some GPU is free.
    Room,
}

/// Where a job stands in a leaf: the higher priority first, then the lesser number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    priority: Reverse<i64>,
    number: ByValue,
}

impl Rank {
    pub(super) fn new(priority: i64, number: f64) -> Self {
        Self {
            priority: Reverse(priority),
            number: ByValue::of(number),
        }
    }

    /// Whether it goes before another one of its priority.
    pub(super) fn goes_before(self, other: Self) -> bool {
        self.priority == other.priority && self.number < other.number
    }

    pub(super) fn number(self) -> f64 {
        self.number.value()
    }
}

impl From<i64> for Rank {
    /// Of a priority alone.
    fn from(priority: i64) -> Self {
        Self::new(priority, 0.0)
    }
}

impl fmt::Debug for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.priority.0, self.number())
    }
}

type Place = (Rank, JobId);

#[derive(Debug)]
struct Class {
    shape: Shape,
    jobs: BTreeSet<Place>,
    aside: Option<SetAside>,
}

/// A leaf's line.
#[derive(Debug, Default)]
struct LeafLine {
    classes: Vec<Class>,
    /// Its first job blocks it.
    is_strict: bool,
}

/// The lines of all leaves.
#[derive(Debug, Default)]
pub(super) struct LeafLines {
    lines: Vec<LeafLine>,
    /// Those in which somebody waits.
    leaves: BTreeSet<QueueId>,
    waiting: usize,
    /// Jobs that lost their GPUs just now: they are not asked before the next change.
    resting: Vec<(QueueId, Shape, Place)>,
}

impl LeafLines {
    /// For so many queues, all lines empty.
    pub(super) fn new(queues: usize, is_strict: impl Fn(QueueId) -> bool) -> Self {
        let line = |at: usize| LeafLine {
            classes: Vec::new(),
            is_strict: is_strict(QueueId(at as u32)),
        };
        Self {
            lines: (0..queues).map(line).collect(),
            ..Self::default()
        }
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// The leaves in which somebody waits.
    pub(super) fn leaves(&self) -> impl Iterator<Item = QueueId> {
        self.leaves.iter().copied()
    }

    /// A job joins a line. Where it is the first of its class, that class is asked again.
    pub(super) fn join(&mut self, leaf: QueueId, shape: Shape, rank: impl Into<Rank>, job: JobId) {
        self.waiting += 1;
        self.insert(leaf, shape, (rank.into(), job));
    }

    /// The same of a job that has just been evicted: it rests until [`wake`](Self::wake).
    pub(super) fn rest(&mut self, leaf: QueueId, shape: Shape, rank: impl Into<Rank>, job: JobId) {
        self.waiting += 1;
        self.resting.push((leaf, shape, (rank.into(), job)));
    }

    /// Who has rested is in line again: in which leaves.
    pub(super) fn wake(&mut self) -> Vec<QueueId> {
        let resting = std::mem::take(&mut self.resting);
        let wake = |(leaf, shape, place)| {
            self.insert(leaf, shape, place);
            leaf
        };
        resting.into_iter().map(wake).collect()
    }

    fn insert(&mut self, leaf: QueueId, shape: Shape, place: Place) {
        self.leaves.insert(leaf);
        let classes = &mut self.lines[leaf.index()].classes;
        let at = match classes.iter().position(|class| class.shape == shape) {
            Some(at) => at,
            None => {
                classes.push(Class {
                    shape,
                    jobs: BTreeSet::new(),
                    aside: None,
                });
                classes.len() - 1
            }
        };
        let class = &mut classes[at];
        if class.jobs.first().is_none_or(|first| place < *first) {
            class.aside = None;
        }
        class.jobs.insert(place);
    }

    /// A job leaves its line.
    pub(super) fn leave(&mut self, leaf: QueueId, shape: Shape, rank: impl Into<Rank>, job: JobId) {
        let classes = &mut self.lines[leaf.index()].classes;
        if let Some(class) = classes.iter_mut().find(|class| class.shape == shape) {
            let was_there = class.jobs.remove(&(rank.into(), job));
            self.waiting -= usize::from(was_there);
        }
        if classes.iter().all(|class| class.jobs.is_empty()) {
            self.leaves.remove(&leaf);
        }
    }

    /// The head of a leaf that may be asked.
    pub(super) fn head(&self, leaf: QueueId) -> Option<(JobId, Shape)> {
        let line = &self.lines[leaf.index()];
        if line.is_strict {
            let first = self.first_class(leaf)?;
            return match first.aside {
                None => first.jobs.first().map(|&(_, job)| (job, first.shape)),
                Some(_) => None,
            };
        }
        let asked = line.classes.iter().filter(|class| class.aside.is_none());
        let first = asked.filter_map(|class| Some((class.jobs.first()?, class.shape)));
        first
            .min_by_key(|&(place, _)| place)
            .map(|(&(_, job), shape)| (job, shape))
    }

    /// The first job of a leaf of those that are the first of their class and will do.
    pub(super) fn head_where(
        &self,
        leaf: QueueId,
        will_do: impl Fn(&Shape, JobId) -> bool,
    ) -> Option<(JobId, Shape)> {
        let classes = self.lines[leaf.index()].classes.iter();
        let firsts = classes.filter_map(|class| Some((*class.jobs.first()?, class.shape)));
        let able = firsts.filter(|((_, job), shape)| will_do(shape, *job));
        let first = able.min_by_key(|&(place, _)| place);
        first.map(|((_, job), shape)| (job, shape))
    }

    /// The first job of a leaf, asked or not.
    pub(super) fn first(&self, leaf: QueueId) -> Option<JobId> {
        let first = self.first_class(leaf)?;
        first.jobs.first().map(|&(_, job)| job)
    }

    /// The first of each class of a leaf, the first first; of a strict line the first alone.
    pub(super) fn firsts(&self, leaf: QueueId) -> Vec<(Rank, JobId, Shape)> {
        let line = &self.lines[leaf.index()];
        let classes = line.classes.iter();
        let firsts = classes.filter_map(|class| {
            let &(rank, job) = class.jobs.first()?;
            Some((rank, job, class.shape))
        });
        let mut firsts: Vec<_> = firsts.collect();
        firsts.sort_unstable_by_key(|&(rank, job, _)| (rank, job));
        firsts.truncate(if line.is_strict { 1 } else { usize::MAX });
        firsts
    }

    /// All who wait get new ranks.
    pub(super) fn rerank(&mut self, rank: impl Fn(JobId) -> Rank) {
        let classes = self.lines.iter_mut().flat_map(|line| &mut line.classes);
        for class in classes {
            let jobs = std::mem::take(&mut class.jobs);
            class.jobs = jobs.into_iter().map(|(_, job)| (rank(job), job)).collect();
            class.aside = None;
        }
        for (_, _, (of, job)) in &mut self.resting {
            *of = rank(*job);
        }
    }

    fn first_class(&self, leaf: QueueId) -> Option<&Class> {
        let classes = self.lines[leaf.index()].classes.iter();
        let waiting = classes.filter(|class| !class.jobs.is_empty());
        waiting.min_by_key(|class| class.jobs.first().copied())
    }

    /// The class of a leaf's head is not asked until something changes.
    pub(super) fn set_aside(&mut self, leaf: QueueId, shape: Shape, why: SetAside) {
        let classes = &mut self.lines[leaf.index()].classes;
        if let Some(class) = classes.iter_mut().find(|class| class.shape == shape) {
            class.aside = Some(why);
        }
    }

    /// Something that these leaves might use has been given back: what did not fit there is asked again.
    pub(super) fn ask_for_quota(&mut self, might_use: impl Fn(QueueId) -> bool) {
        self.ask(SetAside::Quota, might_use);
    }

    /// Some GPU is free: what the placement had no room for is asked again.
    pub(super) fn ask_for_room(&mut self) {
        self.ask(SetAside::Room, |_| true);
    }

    /// All of a leaf's classes are asked again.
    pub(super) fn ask_all(&mut self, leaf: QueueId) {
        for class in &mut self.lines[leaf.index()].classes {
            class.aside = None;
        }
    }

    fn ask(&mut self, of: SetAside, leaves: impl Fn(QueueId) -> bool) {
        for &leaf in self.leaves.iter().filter(|&&leaf| leaves(leaf)) {
            for class in &mut self.lines[leaf.index()].classes {
                if class.aside == Some(of) {
                    class.aside = None;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAF: QueueId = QueueId(0);

    fn shape(gpus: u32) -> Shape {
        Shape {
            gpus,
            cores: 0,
            memory: 0,
            pools: 1,
            fixed: false,
        }
    }

    fn lines(is_strict: bool) -> LeafLines {
        let mut lines = LeafLines::new(1, |_| is_strict);
        lines.join(LEAF, shape(8), 5, JobId(0));
        lines.join(LEAF, shape(8), 5, JobId(2));
        lines.join(LEAF, shape(1), 5, JobId(1));
        lines
    }

    fn head(lines: &LeafLines) -> Option<JobId> {
        lines.head(LEAF).map(|(job, _)| job)
    }

    #[test]
    fn later_jobs_pass_a_head_that_does_not_fit_but_not_those_like_it() {
        let mut lines = lines(false);
        assert_eq!(head(&lines), Some(JobId(0)));
        lines.set_aside(LEAF, shape(8), SetAside::Quota);
        assert_eq!(head(&lines), Some(JobId(1)));
        lines.leave(LEAF, shape(1), 5, JobId(1));
        assert_eq!(head(&lines), None);
        lines.ask_for_room();
        assert_eq!(head(&lines), None);
        lines.ask_for_quota(|leaf| leaf == LEAF);
        assert_eq!(head(&lines), Some(JobId(0)));
        assert_eq!(lines.waiting(), 2);
        assert_eq!(lines.leaves().collect::<Vec<_>>(), [LEAF]);
        lines.leave(LEAF, shape(8), 5, JobId(0));
        lines.leave(LEAF, shape(8), 5, JobId(2));
        assert_eq!(lines.leaves().count(), 0);
    }

    #[test]
    fn in_a_strict_line_nobody_passes_the_head() {
        let mut lines = lines(true);
        lines.set_aside(LEAF, shape(8), SetAside::Quota);
        assert_eq!(head(&lines), None);
        assert_eq!(lines.first(LEAF), Some(JobId(0)));
    }

    #[test]
    fn a_job_of_higher_priority_is_asked_although_its_class_was_set_aside() {
        let mut lines = lines(false);
        lines.set_aside(LEAF, shape(8), SetAside::Quota);
        lines.join(LEAF, shape(8), 5, JobId(3));
        assert_eq!(head(&lines), Some(JobId(1)));
        lines.join(LEAF, shape(8), 6, JobId(4));
        assert_eq!(head(&lines), Some(JobId(4)));
    }

    #[test]
    fn who_was_evicted_rests_until_the_next_change() {
        let mut lines = lines(false);
        lines.rest(LEAF, shape(4), 9, JobId(7));
        assert_eq!((head(&lines), lines.waiting()), (Some(JobId(0)), 4));
        lines.wake();
        assert_eq!(head(&lines), Some(JobId(7)));
    }
}
