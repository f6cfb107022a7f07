//! The workloads that run, queue by queue, with the book that they fill.
//!
//! In: workloads that are admitted and that end. Out: who runs in a queue. What a search for victims takes out, it puts
//! back: whole numbers make that exact.

use super::book::Book;
use super::quotas::{Quotas, Use};
use crate::tree::QueueId;

/// A workload that runs: its place in the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkloadId(pub u32);

/// A workload that has quota. Of times, only the order counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The leaf that it belongs to.
    pub queue: QueueId,
    /// What it uses.
    pub uses: Vec<Use>,
    /// Higher ones are evicted later.
    pub priority: i64,
    /// When it came into its queue.
    pub created: i64,
    /// When it got its quota.
    pub reserved: i64,
    /// Whether it is being evicted already.
    pub is_evicted: bool,
    /// Decides between those that are equal in all else: the lower one goes first.
    pub uid: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    workload: Workload,
    /// Its place among those of its queue.
    place: usize,
    /// Taken out for a simulation, and no candidate while it is.
    is_away: bool,
}

/// Quotas, what is used of them, and who uses it.
#[derive(Clone, Debug)]
pub struct State {
    book: Book,
    entries: Vec<Option<Entry>>,
    free: Vec<WorkloadId>,
    by_queue: Vec<Vec<WorkloadId>>,
}

impl State {
    /// Nobody runs.
    pub fn new(quotas: Quotas) -> Self {
        let by_queue = vec![Vec::new(); quotas.queues()];
        Self {
            book: Book::new(quotas),
            entries: Vec::new(),
            free: Vec::new(),
            by_queue,
        }
    }

    /// The quotas.
    pub fn quotas(&self) -> &Quotas {
        self.book.quotas()
    }

    /// What is used of them.
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// What is used of them, to try what would be.
    pub fn book_mut(&mut self) -> &mut Book {
        &mut self.book
    }

    /// A workload gets its quota. Whether it fits is for others to see.
    pub fn admit(&mut self, workload: Workload) -> WorkloadId {
        let id = self
            .free
            .pop()
            .unwrap_or(WorkloadId(self.entries.len() as u32));
        if id.0 as usize == self.entries.len() {
            self.entries.push(None);
        }
        self.book.add(workload.queue, &workload.uses);
        let others = &mut self.by_queue[workload.queue.index()];
        let entry = Entry {
            place: others.len(),
            workload,
            is_away: false,
        };
        others.push(id);
        self.entries[id.0 as usize] = Some(entry);
        id
    }

    /// A workload gives its quota back. None: it has none.
    pub fn release(&mut self, id: WorkloadId) -> Option<Workload> {
        let entry = self.entries.get_mut(id.0 as usize)?.take()?;
        self.free.push(id);
        let workload = entry.workload;
        self.book.remove(workload.queue, &workload.uses);
        let others = &mut self.by_queue[workload.queue.index()];
        others.swap_remove(entry.place);
        if let Some(&moved) = others.get(entry.place)
            && let Some(moved) = &mut self.entries[moved.0 as usize]
        {
            moved.place = entry.place;
        }
        Some(workload)
    }

    /// A workload is being evicted: others look at it first.
    pub fn mark_evicted(&mut self, id: WorkloadId) {
        if let Some(Some(entry)) = self.entries.get_mut(id.0 as usize) {
            entry.workload.is_evicted = true;
        }
    }

    /// A workload that has quota.
    pub fn get(&self, id: WorkloadId) -> Option<&Workload> {
        let entry = self.entries.get(id.0 as usize)?.as_ref()?;
        Some(&entry.workload)
    }

    /// Who of a queue runs, those left out that a simulation took away.
    pub fn running(&self, queue: QueueId) -> impl Iterator<Item = (WorkloadId, &Workload)> {
        let ids = self.by_queue[queue.index()].iter();
        ids.filter_map(|&id| {
            let entry = self.entries[id.0 as usize].as_ref()?;
            (!entry.is_away).then_some((id, &entry.workload))
        })
    }

    /// What it uses is free, for a simulation.
    pub fn take(&mut self, id: WorkloadId) {
        if let Some(Some(Entry { workload, .. })) = self.entries.get(id.0 as usize) {
            self.book.remove(workload.queue, &workload.uses);
        }
    }

    /// What it uses is used again, after a simulation.
    pub fn put_back(&mut self, id: WorkloadId) {
        if let Some(Some(Entry { workload, .. })) = self.entries.get(id.0 as usize) {
            self.book.add(workload.queue, &workload.uses);
        }
    }

    /// The same, and it is no candidate meanwhile.
    pub fn send_away(&mut self, id: WorkloadId) {
        self.take(id);
        self.set_away(id, true);
    }

    /// It is there again.
    pub fn bring_back(&mut self, id: WorkloadId) {
        self.put_back(id);
        self.set_away(id, false);
    }

    fn set_away(&mut self, id: WorkloadId, is_away: bool) {
        if let Some(Some(entry)) = self.entries.get_mut(id.0 as usize) {
            entry.is_away = is_away;
        }
    }
}
